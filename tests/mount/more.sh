# SPDX-License-Identifier: MIT
# More helpers for the .bats files that write and break things: `load more.sh`
# after ../lib.sh.
# shellcheck shell=bash

HERE=$BATS_TEST_DIRNAME

# say SESSION CONTENT…: a line each, by the shell's >>
say() {
	local session=$1
	shift
	[ -d "$M/sessions/$session" ] || mkdir "$M/sessions/$session"
	local content
	for content; do
		printf '{"role":"user","content":"%s"}\n' "$content" >> "$M/sessions/$session/log.jsonl"
	done
}

# as_root: the memory's owner is called root, whoever runs the test; for what is compared with what is kept
as_root() {
	printf '#!/bin/sh\n[ "$1" = mount ] || exec %s "$@"\nshift\nexec %s mount -o owner=root "$@"\n' "$CINTA" "$CINTA" > "$T/cinta"
	chmod 755 "$T/cinta"
	CINTA=$T/cinta
}

# mount_with_clock: a mount whose clock is moved by clock_to +25h
mount_with_clock() {
	echo +0 > "$T/clock"
	by_clock FAKETIME_TIMESTAMP_FILE="$T/clock" FAKETIME_NO_CACHE=1 "$CINTA" mount "$@" "$DB" "$M"
}

# sql TEXT…: asks the database, as another program would
sql() { sqlite3 -bail -cmd ".timeout 10000" "$DB" "$@"; }

# refusals: lines in errors.log
refusals() { wc -l < "$M/errors.log"; }

# census DIR: every listed name with type, mode, size, time and the hash of its
# bytes or its target; without what a refusal itself writes
census() {
	(cd "$1" && find . \( -name errors.log -o -path ./rejected -o -path ./context.md -o -path ./smma/dashboard.md \) -prune -o \
		-printf '%y %m %s %T@ %p %l\n' | sort -k5 &&
		find . \( -name errors.log -o -path ./rejected -o -path ./context.md -o -path ./smma/dashboard.md \) -prune -o -type f -print0 |
		sort -z | xargs -0 sha256sum)
}

# verified: the chain holds and all views follow from it
verified() {
	local out
	out=$("$CINTA" verify --all "$DB") && [[ $out == OK* ]] && return
	echo "$out"
	return 1
}

# verdict WORD ENTRY: verify exits 1, says WORD and names the entry
verdict() {
	run "$CINTA" verify "$DB"
	echo "$output"
	[ "$status" -eq 1 ] && [[ ${lines[0]} == "$1"* ]] && [[ $output == *"entry $2"* ]]
}

# contents FILE: the content of each line
contents() {
	python3 -c 'import json, sys
for line in open(sys.argv[1], "rb"): print(json.loads(line)["content"])' "$1"
}
