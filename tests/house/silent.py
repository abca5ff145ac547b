#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands of a test that may fail and nobody hears of it.

    silent.py [FILE…]      the .bats files of the tree without one

A test ends at the first command that fails, but of `a && b` the shell lets only the last one end it,
and none that stands behind `!`.  Such a statement must be the last of its function, go on with
`||`, or decide what is done (`return`, `continue`, …).  Prints TAP, the offending statements below.
"""
import glob
import os
import re
import sys

DECIDES = re.compile(r'(return|continue|break|false|exit|shift|exec|sleep|\w+=)')
OPENS = re.compile(r'((\w+\(\)|\{|then|do|else|case .* in|time|[\w*?.|\'"-]+\))\s+)*')
ASKS = re.compile(r'(if|elif|while|until)\b')
JOB = re.compile(r'(?<![<>&])&(?![>&])')
HEREDOC = re.compile(r'<<(-?) ?[\'"\\]?([A-Za-z]\w*)')


def next_place(text, i, stack):
    """The place behind what stands at i; what is open there is on the stack."""
    inside = stack[-1] if stack else ''
    two = text[i:i + 2]
    if inside == "'":
        if text[i] == "'":
            stack.pop()
    elif text[i] == '\\':
        return i + 2
    elif text[i] == '"':
        if inside == '"':
            stack.pop()
        else:
            stack.append('"')
    elif two == '${':
        stack.append('}')
        return i + 2
    elif two == '$(':
        stack.append(')')
        return i + 2
    elif inside == '}':
        if text[i] == '}':
            stack.pop()
    elif inside == '"':
        pass
    elif text[i] == "'":
        stack.append("'")
    elif two == '[[':
        stack.append(']]')
        return i + 2
    elif inside == ']]' and two == ']]':
        stack.pop()
        return i + 2
    elif text[i] == '(' and two != '()':
        stack.append(')')
    elif text[i] == ')' and inside == ')':
        stack.pop()
    return i + 1


def behind_heredocs(text, i, ends):
    """The place of the newline behind the texts that begin at the newline at i."""
    for tabs, word in ends:
        tabs = '\t*' if tabs else ''
        i = re.compile(rf'\n{tabs}{word}(?=[\n)])').search(text, i).end()
    return i


def statements(text):
    """Each (line, [[operator before it, command], …], text behind it) of the functions' bodies."""
    i, begun, parts, stack, ends = 0, 0, [['', '']], [], []
    while i < len(text):
        bare = not stack
        code = bare or stack[-1] == ')'
        if bare and text[i] == '#' and text[i - 1].isspace():
            i = text.find('\n', i)
            continue
        if code and text[i - 1] != '<' and (found := HEREDOC.match(text, i)):
            ends.append(found.groups())
        if code and text[i] == '\n' and ends:
            i, ends = behind_heredocs(text, i, ends), []
        job = bare and JOB.match(text, i)
        if bare and text[i] in ';\n' or job:
            whole = ''.join(command for _, command in parts).strip()
            if text[i] != '\n' or parts[-1][1].strip():
                if whole and not job:
                    yield text.count('\n', 0, begun) + 1, [[o, c.strip()] for o, c in parts], text[i + 1:]
                parts = [['', '']]
            i += 1
        elif bare and text[i:i + 2] in ('&&', '||'):
            parts.append([text[i:i + 2], ''])
            i += 2
        else:
            if not text[i].isspace() and len(parts) == 1 and not parts[0][1].strip():
                begun = i
            to = next_place(text, i, stack)
            parts[-1][1] += text[i:to]
            i = to


def is_silent(parts, behind):
    """Whether a part of the statement may fail unheard."""
    first = OPENS.sub('', parts[0][1], count=1)
    if ASKS.match(first) or any(o == '||' for o, _ in parts) or re.match(r'\s*\}', behind):
        return False
    if len(parts) == 1:
        return first.startswith('! ')
    return not DECIDES.match(parts[-1][1])


def main():
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
    bad = []
    for name in sys.argv[1:] or sorted(glob.glob(os.path.join(top, '**/*.bats'), recursive=True)):
        with open(name, encoding='utf-8') as f:
            text = f.read()
        for line, parts, behind in statements(text):
            if is_silent(parts, behind):
                whole = ' '.join(f'{o} {c}'.strip() for o, c in parts)
                bad.append(f'{os.path.relpath(name, os.path.join(top, ".."))}:{line}: {whole}')
    print(('not ok' if bad else 'ok') + ' 1 no command of a test fails unheard')
    for line in bad:
        print('# ' + line.replace('\n', '\n#   '))
    return bool(bad)


sys.exit(main())
