# SPDX-License-Identifier: MIT
# A folder of notes/ that never held a memory may be removed; an entry says so, it does not come
# back, and the past still has it.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

@test "an empty folder goes, from all mounts, from the views made anew, and not from the past" {
	mkdir "$T/other"
	"$CINTA" mount "$DB" "$T/other"
	mkdir -p notes/typo/deeper
	[ -d "$T/other/notes/typo/deeper" ]
	sleep 1.1
	then=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	sleep 1.1
	run ! rmdir notes/typo
	[[ $output == *'not empty'* ]]
	rm -r notes/typo
	[ ! -e notes/typo ]
	wait_for 5 not test -e "$T/other/notes/typo"
	[ -z "$(ls notes)" ]
	[ -d ".cinta/at/$then/notes/typo/deeper" ]
	tail -1 .cinta/tape.jsonl | grep '"retire"'
	(mkdir notes/gone && cd notes/gone && rmdir ../gone && run ! bash -c 'echo x > a.md')
	mkdir notes/typo # the name is free
	echo text > notes/typo/a.md
	"$CINTA" umount "$T/other"
	cd /
	cinta_umount
	"$CINTA" rebuild "$DB"
	verified
	cinta_mount
	[ "$(cat "$M/notes/typo/a.md")" = text ]
	[ ! -e "$M/notes/typo/deeper" ]
}

@test "a folder that holds or held a memory, or files, stays and says why" {
	mkdir -p notes/a notes/b notes/c
	echo text > notes/a/x.md
	run ! rmdir notes/a
	mv notes/a/x.md notes/b/x.md
	run ! rmdir notes/a
	[[ $output == *'not permitted'* ]]
	tail -1 errors.log | grep 'held a memory once'
	echo draft > notes/c/x.md.tmp
	run ! rmdir notes/c
	[[ $output == *'not empty'* ]]
	rm notes/c/x.md.tmp
	rmdir notes/c
	run ! rmdir notes
	run ! rmdir sessions
}
