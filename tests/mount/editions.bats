# SPDX-License-Identifier: MIT
# Documents are read by the kernel's pages, and each reader has one version all the same
# (fs/kernel/kcache.h); flock excludes whoever asks, by whatever version and mount.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	mkdir "$T/two"
}
teardown() { cinta_teardown; }

two_too() { "$CINTA" mount "$DB" "$T/two"; }
# by_pages FILE: true if it is read by them: else a mapping that is shared is refused
by_pages() {
	python3 -c 'import mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
with mmap.mmap(fd, 0, mmap.MAP_SHARED, mmap.PROT_READ) as m:
    assert m[:] == os.read(fd, 1 << 20)' "$1"
}

# the_old_one: what a.md is, by its bytes and its size, in both mounts and in one that only reads
the_old_one() {
	local dir
	[ -d "$T/ro" ] || { mkdir "$T/ro" && "$CINTA" mount -o ro "$DB" "$T/ro"; }
	for dir in "$M" "$T/two" "$T/ro"; do
		[ "$(cat "$dir/notes/a.md")" = 'the old one' ]
		[ "$(stat -c %s "$dir/notes/a.md")" -eq 12 ]
		[ "$(tail -c 4 "$dir/notes/a.md")" = one ]
	done
}

@test "a document at rest is read by the kernel's pages, and can be mapped by all" {
	echo "a note" > "$M/notes/a.md"
	sleep 2.2
	by_pages "$M/notes/a.md"
	echo "more" >> "$M/notes/a.md"
	run ! by_pages "$M/notes/a.md" # its next version may be on the way
	[ "$(cat "$M/notes/a.md")" = $'a note\nmore' ]
	sleep 2.2
	by_pages "$M/notes/a.md"
}

@test "who has a document open keeps its version over each way to save, in each mount" {
	two_too
	python3 "$HERE/editions.py" kept "$M" "$T/two"
	run -0 "$CINTA" verify "$DB"
}

@test "savers and readers of one document, in two mounts: no reader has two versions, or an old one" {
	two_too
	T=$T python3 "$HERE/editions.py" storm "$(many 15 600)" "$M" "$T/two"
	run -0 "$CINTA" verify "$DB"
}

@test "a document opened again by /proc/self/fd, to write or to map it: its readers keep their version" {
	two_too
	python3 "$HERE/editions.py" reopened "$M" "$T/two"
	run -0 "$CINTA" verify "$DB"
}

@test "what a writer maps for himself stays in nobody's pages" {
	two_too
	python3 "$HERE/editions.py" mapped "$M" "$T/two"
}

@test "while a document is made anew beside the one that was moved away, others have that one whole" {
	two_too
	echo 'the old one' > "$M/notes/a.md"
	timeout 300 python3 -c 'import os, subprocess, sys, threading, time
path, go = sys.argv[1:]
os.rename(path, path + "~")
made = []
thread = threading.Thread(target=lambda: made.append(os.open(path, os.O_RDWR | os.O_CREAT, 0o644)))
thread.start()
thread.join()
fd = made[0]
open(go + ".made", "w").close()
while not os.path.exists(go): time.sleep(0.02)
os.write(fd, b"part of a longer text\n")
assert os.fstat(fd).st_size == os.stat(path).st_size == 22
assert os.pread(fd, 99, 0) == open(path, "rb").read() == b"part of a longer text\n"
child = "import os; assert os.fstat(%d).st_size == os.lseek(%d, 0, os.SEEK_END) == 22" % (fd, fd)
subprocess.run(["python3", "-c", child], pass_fds=[fd], check=True)
open(go + ".part", "w").close()
while os.path.exists(go): time.sleep(0.02)
os.write(fd, b"the end\n")
os.close(fd)' "$M/notes/a.md" "$T/go" 3>&- &
	wait_for 20 test -e "$T/go.made"
	the_old_one
	touch "$T/go"
	wait_for 20 test -e "$T/go.part"
	the_old_one
	# What is appended there stands behind it.
	echo 'a line' >> "$T/two/notes/a.md"
	[ "$(cat "$M/notes/a.md")" = $'the old one\na line' ]
	# Who opens it to read and write reads what it is.
	python3 -c 'import sys
with open(sys.argv[1], "r+") as f:
    text = f.read()
    f.seek(0)
    f.write(text.upper())' "$T/two/notes/a.md"
	rm "$T/go"
	wait
	[ "$(cat "$M/notes/a.md" "$M/notes/a.md@1" "$T/two/notes/a.md@2" "$M/notes/a.md@3")" = \
		$'part of a longer text\nthe end\nthe old one\nthe old one\na line\nTHE OLD ONE\nA LINE' ]
	grep -q "CONFLICT save notes/a.md " "$M/errors.log"
}

@test "a mount of one document alone: who writes by it or by its name saves, readers keep their version" {
	[ "$(id -u)" = 0 ] || skip 'only root can bind it'
	echo first > "$M/notes/b.md"
	touch "$T/alone"
	sleep 2.2
	by_pages "$M/notes/b.md"
	mount --bind "$M/notes/b.md" "$T/alone"
	exec 8< "$M/notes/b.md" 9< "$T/alone"
	echo second > "$T/alone"
	echo third >> "$M/notes/b.md"
	[ "$(cat "$T/alone")" = $'second\nthird' ]
	[ "$(cat "$M/notes/b.md")" = $'second\nthird' ]
	[ "$(cat <&8)" = first ]
	[ "$(cat <&9)" = first ]
	exec 8<&- 9<&-
	[ "$(stat -c %s "$M/notes/b.md")" = "$(stat -c %s "$T/alone")" ]
	echo fourth > "$M/notes/b.md"
	[ "$(cat "$T/alone")" = fourth ]
	umount "$T/alone"
}

# count N DIR: one more, N times, each time with the document locked
count() {
	local n
	for ((n = 0; n < $1; n++)); do
		flock "$2/notes/count.md" sh -c 'read -r n < "$1"; echo $((n + 1)) > "$1"' sh "$2/notes/count.md"
	done
}

@test "flock excludes, by whatever version a document was opened, also between mounts" {
	two_too
	echo 0 > "$M/notes/count.md"
	sleep 2.2
	for dir in "$M" "$T/two" "$M" "$T/two"; do count 12 "$dir" 3>&- & done
	wait
	[ "$(cat "$M/notes/count.md")" -eq 48 ]
}

@test "flock: shared goes with shared, -n is told at once, who is killed holds nothing" {
	echo x > "$M/notes/l.md"
	flock -s "$M/notes/l.md" sleep 60 3>&- &
	holder=$!
	held() { ! flock -n -x "$M/notes/l.md" true; }
	wait_for 10 held
	flock -s -n "$M/notes/l.md" true
	run -124 timeout 0.5 flock -x "$M/notes/l.md" true # it is interrupted while it waits
	flock -x "$M/notes/l.md" true 3>&- &
	waiter=$!
	pkill -KILL -P "$holder"
	kill -KILL "$holder" || true
	wait "$waiter"
	flock -n -x "$M/notes/l.md" true
	flock -n -x "$M/sessions" true # of a directory, too
}

# locked_over FLAGS FILE TEXT: who locked it, and wrote its first text, has it locked until the end
locked_over() {
	python3 -c 'import fcntl, os, sys
flags, path, text = sys.argv[1:]
def is_shut():
    other = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(other)
fd = os.open(path, os.O_WRONLY | eval(flags))
fcntl.flock(fd, fcntl.LOCK_EX)
assert is_shut(), "before it is saved"
os.write(fd, text.encode() + b"\n")
os.fsync(fd)
assert is_shut(), "when it is saved"
os.close(fd)
assert not is_shut(), "when it is closed"' "$@"
}

@test "flock: a file that gets another inode by its first save or line stays locked" {
	locked_over os.O_CREAT "$M/notes/new.md" text
	locked_over os.O_TRUNC "$M/smma/user_profile.md" '- text'
	locked_over os.O_APPEND "$M/sessions/current/log.jsonl" '{"role":"user","content":"hello"}'
	locked_over os.O_TRUNC "$M/sessions/current/session.md" '# Of the session'
}

@test "what a program is writing has its new size in each of its threads, and in no other program" {
	echo hello > "$M/notes/a.md"
	python3 - "$M/notes/a.md" > "$T/sizes" <<- 'END'
		import os, subprocess, sys, threading
		path, sizes = sys.argv[1], []
		with open(path, 'r+b', buffering=0) as f:
		    f.truncate(0)
		    f.write(b'x' * 100)
		    other = threading.Thread(target=lambda: sizes.append(os.stat(path).st_size))
		    other.start()
		    other.join()
		    sizes.append(os.stat(path).st_size)
		    sizes.append(int(subprocess.run(['stat', '-c', '%s', path], capture_output=True).stdout))
		print(*sizes)
	END
	[ "$(cat "$T/sizes")" = '100 100 6' ]
	[ "$(stat -c %s "$M/notes/a.md")" = 100 ]
}
