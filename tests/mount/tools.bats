#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What 115 tools do when they save (tools.table): the document has the new text as one more version,
# what a tool keeps beside it is there for a day, all else that was accepted stays for good.
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mount_with_clock
	PLACES=("$M/notes" "$M/memories/fact" "$M/smma" "$M/blocks/rules")
}
teardown() { cinta_teardown; }

@test "115 tools in four directories: nothing that was accepted goes but their temporary names" {
	[ "$(grep -vc '^#\|^$' "$HERE/tools.table")" -eq 115 ]
	"$HERE/tools.py" save "${PLACES[@]}"
	cinta_umount
	mount_with_clock
	"$HERE/tools.py" kept "${PLACES[@]}"
	clock_to +25h
	"$HERE/tools.py" later "${PLACES[@]}"
	cinta_umount
	mount_with_clock
	"$HERE/tools.py" later "${PLACES[@]}"
	verified
}
