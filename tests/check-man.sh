#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages say what the program does: mandoc finds no fault, each verb and
# option of --help is in cinta(1), each name of the tree is in cinta(5).  TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
cinta=${1:-build/cinta}
n=0 bad=0
check() { # NAME: failing lines on stdin
	local lines
	lines=$(cat)
	n=$((n + 1))
	if [ -z "$lines" ]; then
		echo "ok $n $1"
	else
		echo "not ok $n $1"
		sed 's/^/# /' <<< "$lines"
		bad=1
	fi
}
text() { mandoc -T ascii "$1" | col -bx; }

for page in docs/cinta.1 docs/cinta.5 docs/mount.cinta.8; do
	check "$page: lint" < <(mandoc -T lint -W warning "$page" 2>&1)
done
one=$(text docs/cinta.1) five=$(text docs/cinta.5)
verbs=$("$cinta" --help | awk '$1 == "cinta" && $2 ~ /^[a-z][a-z-]*$/ { print $2 }')
check 'the program lists its verbs' < <([ "$(wc -w <<< "$verbs")" -ge 8 ] || echo "only: $verbs")
check 'each verb is in cinta.1' < <(
	for v in $verbs; do grep -qE "cinta $v( |$)" <<< "$one" || echo "$v"; done)
check 'each option is in cinta.1' < <(
	for v in $verbs; do
		"$cinta" "$v" --help | sed -n 's/^  \(-o [a-z_]*\|--*[a-z]*\).*/\1/p' |
			while read -r flag word; do
				grep -qF -- "${word:-$flag}" <<< "$one" || echo "$v: $flag $word"
			done
	done)
check 'each option of a verb in cinta.1 is in its --help' < <(
	sed -n 's/^\.Ss cinta \([a-z-]*\).*/\1/p; /^\.It Fl o /p' docs/cinta.1 |
		while read -r verb rest; do
			[ "$verb" = .It ] || { of=$verb && continue; }
			grep -oE 'Cm [a-z_]+( Ns =|=| ,|$)' <<< "$rest" | while read -r _ word _; do
				"$cinta" "$of" --help | grep -q -- "-o ${word%=}\b" || echo "$of: -o ${word%=}"
			done
		done)
# The rows of the tree: string literals that are names in the table of fs/tree_table.c.
check 'each file of the tree is in cinta.5' < <(
	names=$(sed -n '/struct node tree_table\[KIND_COUNT + 1\] = {/,/^};/p' fs/tree_table.c |
		grep -oE '"[A-Za-z.][A-Za-z0-9_.]*"' | tr -d '"' | sort -u)
	[ "$(wc -w <<< "$names")" -ge 10 ] || echo "fs/tree_table.c: cannot find the table ($names)"
	for f in $names; do grep -qF -- "$f" <<< "$five" || echo "$f"; done)
echo "1..$n"
exit $bad
