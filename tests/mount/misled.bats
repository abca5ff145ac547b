# SPDX-License-Identifier: MIT
# Refusals whose words lead to what works: each with the line it leaves in errors.log, and then what
# that line says to do is done.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { inside_setup; mkdir sessions/x; echo '{"content":"one"}' >> sessions/x/log.jsonl; }
teardown() { inside_teardown; }

# refused WORDS COMMAND…: it fails, and the last line of errors.log holds the words
refused() {
	local words=$1
	shift
	run "$@"
	[ "$status" -ne 0 ]
	tail -1 errors.log
	[[ $(tail -1 errors.log) == *"$words"* ]]
}

@test "pages that are made: where to write instead" {
	refused "README.md is cinta's own page about the memory; write notes of yours below notes/" bash -c 'echo x >> README.md'
	echo x > notes/mine.md
	refused 'errors.log lists what was refused, by itself; mend what its last line says' bash -c 'echo x >> errors.log'
	refused 'stale.md is collected from the other lists of facts/; write the fact again into its own list: facts/work.md' bash -c 'echo "- x" >> facts/stale.md'
	echo '- works on Tuesdays' >> facts/work.md
	refused 'this file is generated from the memory; write where it comes from' bash -c 'echo x >> dashboard.md'
	! grep -q 'append to sessions/NAME/log.jsonl instead' errors.log
}

@test "rsync or mv onto a log: append" {
	cp sessions/x/log.jsonl "$T/log"
	echo '{"content":"two"}' > notes/.more
	refused 'lines are added to a log, it is never replaced; append the new lines: cat FILE >> LOG' mv -f notes/.more sessions/x/log.jsonl
	cmp sessions/x/log.jsonl "$T/log"
	cat notes/.more >> sessions/x/log.jsonl
	[ "$(wc -l < sessions/x/log.jsonl)" -eq 2 ]
}

@test "a hard link: of a memory, of a file off the tape" {
	echo '# A note' > notes/a.md
	refused 'a memory has one name; copy the file out of the mount' ln notes/a.md notes/b.md
	echo x > notes/.hidden
	refused 'a file off the tape has one name, too; cp or mv it' ln notes/.hidden notes/.other
	cp notes/.hidden notes/.other
}
