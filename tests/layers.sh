#!/bin/bash
# SPDX-License-Identifier: MIT
# The walls between the rooms and the house style (docs/contributing.md), by grep
# and awk.  Prints TAP: one case a rule, the offending lines below a failure.
set -u
shopt -s lastpipe # `rule` counts, so it must run in this shell, not in a pipe's
cd "$(dirname "$0")/.." || exit 1
sources=$(find mount fs store render -name '*.[ch]' 2>/dev/null | sort)
all=$(find mount fs store render tests -name '*.[ch]' 2>/dev/null | sort)
n=0 bad=0

# rule NAME: what stdin holds breaks it
rule() {
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

# includes ROOM PATTERN: lines of ROOM that include anything matching PATTERN
includes() {
	grep -rnE --include='*.[ch]' "^#[[:space:]]*include[[:space:]]+[<\"]($2)" "$1"
}
# own ROOM ALLOWED: quoted includes of ROOM beyond itself and ALLOWED
own() {
	grep -rnE --include='*.[ch]' '^#[[:space:]]*include[[:space:]]+"' "$1" |
		grep -vE "\"($1/([a-z]+/)?[a-z_0-9]+\.h|$2)\""
}

own mount 'mount/mcp/tools\.inc|fs/fs\.h|store/store\.h|store/entry\.h|store/(array|lock|near|thread|ticker|base/ascii|base/hash)\.h' | rule 'mount includes only the doors of fs and store'
own fs 'store/store\.h|store/entry\.h|store/(array|lock|near|thread|ticker|base/ascii|base/hash)\.h|render/render\.h|render/format/plain\.h' | rule 'fs includes only the doors of store and render'
own render 'store/(entry|base/ascii|base/hash)\.h|render/([a-z]+/)?[a-z_]+\.inc' | rule 'render includes of the store only types and arithmetic'
own store 'store/([a-z]+/)?[a-z_]+\.inc' | rule 'store includes nothing of the other rooms'
for room in mount store render; do includes $room 'fuse|fuse3'; done | rule 'only fs knows FUSE'
for room in mount fs render; do includes $room 'sqlite3'; done | rule 'only store knows SQLite'
for room in fs render; do includes $room 'openssl/'; done | rule 'OpenSSL only in store and mount'
includes fs 'jansson|cmark' | rule 'fs parses no text'
includes render 'unistd\.h|fcntl\.h|sys/(stat|types|mman|socket)\.h|time\.h|pthread\.h' |
	rule 'render does no I/O and has no clock'
grep -nEi '"[^"]*\b(SELECT [a-z_*(,. ]+ FROM|INSERT INTO|CREATE TABLE|DELETE FROM)\b' \
	$(grep -vE '^store/' <<< "$sources") | grep -v '/verify_script' |
	rule 'no SQL text outside store'

git ls-files -co --exclude-standard 2>/dev/null | cut -d/ -f1 | sort -u |
	grep -vxE 'mount|fs|store|render|tests|docs|\.ci|\.clang-format|\.editorconfig|\.gitignore|LICENSE|Makefile|README\.md|AGENTS\.md|CLAUDE\.md' |
	rule 'nothing else at the top'
# A look at all files is one process: there are more than a thousand.
awk 'FNR == 1 && $0 != "/* SPDX-License-Identifier: MIT */" { print FILENAME }' $all |
	rule 'each source starts with its SPDX line'
awk 'FNR == 2 && !/^\/\*/ { print FILENAME }' $all | rule 'each source says what it is for'
awk 'function told() { if (lines >= 500 && !reason) print file ": " lines " lines" }
	FNR == 1 { told(); file = FILENAME; reason = 0 }
	FNR <= 40 && tolower($0) ~ /long because/ { reason = 1 }
	{ lines = FNR }
	END { told() }' $all | rule 'no file of 500 lines without a reason ("long because") in its head'
# Spaces may only align what goes on from the line before.
awk 'FNR == 1 { before = "" }
	/^ +[^ *]/ && before ~ /([;{}]|^)$/ { print FILENAME ":" FNR ": " $0 } { before = $0 }' $all |
	rule 'indentation by tabs'
grep -nE '[[:space:]]$' $all /dev/null | rule 'no space at the end of a line'
LC_ALL=C awk '{ gsub(/[\200-\277]/, ""); width = 0; n = split($0, part, "\t")
	for (i = 1; i < n; i++) width += length(part[i]) + 4 - (width + length(part[i])) % 4
	width += length(part[n]) }
	width > (FILENAME ~ /^tests/ ? 120 : 100) { print FILENAME ":" FNR ": " width }' $all |
	rule 'no line over 100 columns, in tests 120 (a tab is 4)'
LC_ALL=C awk '/^```/ { code = !code } !code { line = $0; gsub(/[\200-\277]/, "", line)
	if (length(line) > 100) print "docs/design.md:" NR ": " length(line) }' docs/design.md | rule 'docs/design.md wraps at 100'
LC_ALL=C awk 'FNR == 1 { from = 0 } /^{/ { from = FNR }
	/^}/ && from { if (FNR - from > 80) print FILENAME ":" from ": " FNR - from " lines"; from = 0 }' $all |
	rule 'no function over 80 lines'
grep -nE '^#[[:space:]]*if' $(grep -E '\.c$' <<< "$sources") /dev/null | rule 'no #if in the bodies of .c files'
grep -nE '\b(strcpy|strcat|sprintf|gets|tmpnam|mktemp)\(' $sources /dev/null | rule 'no function without a bound'
grep -nE '^(static )?[a-z][a-z_0-9 ]*[ *]+[a-z_0-9]+(\[[^]]*\])*( = [^;(]*)?;$' $(grep -E '\.c$' <<< "$sources") /dev/null |
	grep -vE ':(static )?(const|extern|typedef|struct [a-z_]+;|enum [a-z_]+;)|\bconst [a-z_]+\[|const struct' |
	rule 'no globals but const tables'
grep -nE '(^|[^A-Za-z0-9_$}])/(work|root)/' $all Makefile tests/*.sh docs/* 2>/dev/null | grep -vE 'layers\.sh' |
	rule 'no path of a particular machine'
echo "1..$n"
exit $bad
