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

@test "pages, directories and lists keep their names, and each says why" {
	refused 'this page is made of the memory each time it is read; leave it' rm -f sessions/x/transcript.md
	refused 'this page is made of the memory each time it is read; leave it' rm -f context.md
	refused 'memory is never deleted' rm -f sessions/x/messages/000001.md
	refused 'a page that is made keeps its name (asked for: ctx.md); copy it to where' mv context.md ctx.md
	cp context.md notes/ctx.md
	refused 'this directory keeps its name (asked for: facts2); leave it; folders' mv facts facts2
	refused 'keeps its name (asked for: y); make a new session and go on there' mv sessions/x sessions/y
	mkdir sessions/y
	refused 'keeps its name (asked for: job.md); write the facts into the list' mv facts/work.md facts/job.md
	refused 'no FIFO, socket or device; make it outside' mkfifo smma/workspace/p
	refused 'a link is no memory; copy the file, or write down its path; links can stand in smma/workspace/' ln -s notes/ctx.md notes/l.md
	ln -s ../../notes/ctx.md smma/workspace/l.md
	! grep -q 'see README.md for where things go' errors.log
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

@test "who is not root is told the same" {
	[ "$(id -u)" = 0 ] || skip 'the other tests of this file have shown it'
	cd "$T"
	mkdir user && mknod -m 666 user/fuse c 10 229 || skip 'cannot make a device'
	chmod 755 .
	chown -R nobody: user
	# in a mount namespace with a device that users may open, as on any desktop
	run unshare -m --propagation private sh -c 'mount --bind user/fuse /dev/fuse && cd user || exit 9
		exec setpriv --reuid nobody --regid nogroup --clear-groups env -i PATH="$PATH" HOME="$PWD" sh -c "$1" "$0"' "$CINTA" '
		"$0" mount mine.db memory > /dev/null || exit 8
		cd memory && mkdir sessions/x && echo "{\"content\":\"one\"}" >> sessions/x/log.jsonl
		for page in README.md dashboard.md sessions/x/transcript.md .cinta/status.json .cinta/at/2999-01-01/README.md; do
			[ ! -w $page ] && [ -r $page ] || echo "$page may be written"
			echo x >> $page || echo "refused $page"
		done
		[ -w notes ] && [ -w sessions/x/log.jsonl ] && [ ! -x README.md ] && echo modes
		rm README.md || echo kept
		cat errors.log
		cd .. && "$0" umount memory'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^refused ' <<< "$output")" -eq 5 ]
	grep -qx modes <<< "$output"
	grep -qx kept <<< "$output"
	[[ $output != *'may be written'* ]]
	[ "$(grep -cE 'Z EPERM (open|write) .* nobody:sh: ' <<< "$output")" -eq 5 ]
	grep -q "README.md is cinta's own page" <<< "$output"
}

@test "the rest of a line that was refused: the last line of errors.log leads to the reason" {
	mkdir sessions/s
	python3 -c 'with open("sessions/s/log.jsonl", "a") as f: f.write("{\"content\":\"" + "x" * 1500000 + "\"}\n")' || true
	[[ $(tail -2 errors.log | head -1) == *EFBIG*'at most 1048576'* ]]
	[[ $(tail -1 errors.log) == *'mend what the line above this one says'* ]]
	# a program that goes on with good lines, and errs again later, is told of that alone
	python3 - <<'END'
import os
fd = os.open('sessions/s/log.jsonl', os.O_WRONLY | os.O_APPEND)
def write(text):
    try:
        os.write(fd, text)
    except OSError:
        return
    assert text.startswith(b'{"content"')
write(b'nothing\n')
write(b'{"content":"good"}\n')
write(b'[1]\n')
END
	[[ $(tail -1 errors.log) == *'append one JSON object a line'* ]]
	[ "$(wc -l < sessions/s/log.jsonl)" -eq 1 ]
}
