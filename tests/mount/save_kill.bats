# SPDX-License-Identifier: MIT
# Saves while the daemon is killed and while the disk is full: a document is whole,
# as new as the last save that returned, and never empty.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; mkdir "$T/disk"; }
teardown() {
	clean_below "$T"
	umount -l "$T/disk" 2> /dev/null || true
	cinta_teardown
}

# grown SIZE: the notes have more than that
grown() { [ "$(stat -c %s "$T/notes")" -gt "$1" ]; }

# round: mounts over what the last one left, looks, saves, kills
round() {
	local size
	size=$(stat -c %s "$T/notes")
	cinta_mount 2> "$T/said"
	python3 "$HERE/save_writer.py" kill "$M/notes" "$T/notes" 2> "$T/wrong" 3>&- &
	local saver=$!
	wait_for 30 grown "$size"
	sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
	kill -9 "$(owner_of "$DB")"
	wait $saver || { cat "$T/wrong"; false; }
	wait_for 5 not owned "$DB"
}

@test "many kills of the daemon: every document whole, no acknowledged save lost" {
	: > "$T/notes"
	kills=$(many 100 3000)
	for n in $(seq "$kills"); do round; done
	cinta_mount
	python3 "$HERE/save_writer.py" killed "$M/notes" "$T/notes"
	grep -c saved "$T/notes"
	[ "$(grep -c saved "$T/notes")" -gt $((2 * kills)) ]
	for s in "$M"/notes/s?.md; do
		while IFS=$'\t' read -r n _; do [ -s "$s@$n" ]; done < "$s@log"
	done
	cinta_umount
	verified
}

# die FLAGS BYTES…: opens a.md so, writes, and is killed; with MOVED=1 it has moved it away before
die() {
	python3 -c 'import os, sys
if "MOVED" in os.environ: os.rename(sys.argv[1], sys.argv[1] + "~")
f = os.open(sys.argv[1], eval(sys.argv[2]))
for text in sys.argv[3:]: os.write(f, text.encode())
os.kill(os.getpid(), 9)' "$M/notes/a.md" "$@" || true
}

@test "a kill of the saver: the version before stays, what it wrote is in rejected/" {
	cinta_mount
	echo 'the old one' > "$M/notes/a.md"
	die 'os.O_WRONLY | os.O_TRUNC'
	die 'os.O_WRONLY | os.O_TRUNC' 'half of'
	die 'os.O_RDWR' 'over'
	wait_for 5 grep -q EINTR "$M/errors.log"
	sleep 0.2
	[ "$(cat "$M/notes/a.md")" = 'the old one' ]
	[ "$(wc -l < "$M/notes/a.md@log")" -eq 1 ]
	cat "$M"/rejected/* | grep -q 'half of'
	# Who appends, or ends by itself, has saved.
	die 'os.O_WRONLY | os.O_APPEND' 'a line
'
	wait_for 5 grep -q 'a line' "$M/notes/a.md"
	python3 -c 'import os, sys, threading, time
for n in range(8): threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
os.write(os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC), b"never closed\n")
os._exit(3)' "$M/notes/a.md" || true
	wait_for 5 grep -q 'never closed' "$M/notes/a.md"
	bash -c 'echo one; timeout 0.1 sleep 5; echo two' > "$M/notes/a.md"
	[ "$(tr '\n' ' ' < "$M/notes/a.md")" = 'one two ' ]
	# A temporary file that was not renamed is none.
	python3 -c 'import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(f, b"half of it")
os.kill(os.getpid(), 9)' "$M/notes/.a.md.tmp" || true
	run grep -q 'half of it' "$M/notes/a.md"
	[ "$status" -eq 1 ]
	cinta_umount
	verified
}

@test "a kill of who moved the document away and makes it anew: it is back as it was" {
	cinta_mount
	echo 'the old one' > "$M/notes/a.md"
	MOVED=1 die 'os.O_WRONLY | os.O_CREAT' 'half of'
	wait_for 5 grep -q 'EINTR release notes/a.md ' "$M/errors.log"
	MOVED=1 die 'os.O_WRONLY | os.O_CREAT'
	wait_for 5 eval '[ "$(grep -c EINTR "$M/errors.log")" -eq 2 ]'
	[ "$(cat "$M/notes/a.md")" = 'the old one' ]
	[ "$(wc -l < "$M/notes/a.md@log")" -eq 1 ]
	[ "$(cat "$M"/rejected/*a.md)" = 'half of' ]
	# Who ends by itself has saved; so has who was making what nobody had.
	(cd "$M/notes" && mv a.md a.md~ && echo 'the new one' > a.md)
	[ "$(cat "$M/notes/a.md" "$M/notes/a.md@1")" = $'the new one\nthe old one' ]
	rm "$M/notes/a.md~"
	mv "$M/notes/a.md" "$M/notes/b.md"
	die 'os.O_WRONLY | os.O_CREAT' 'half of it'
	wait_for 5 grep -q 'half of it' "$M/notes/a.md"
	cinta_umount
	verified
}

@test "a kill of who rewrites what is saved by now: what others saved stands, and what was synced" {
	cinta_mount
	echo 'the old one' > "$M/notes/a.md"
	timeout 100 python3 -c 'import os, sys, time
path, go = sys.argv[1:]
os.rename(path, path + "~")
os.write(os.open(path, os.O_WRONLY | os.O_CREAT), b"half of")
open(go, "w").close()
while os.path.exists(go): time.sleep(0.02)
os.kill(os.getpid(), 9)' "$M/notes/a.md" "$T/go" 3>&- &
	wait_for 20 test -e "$T/go"
	echo 'a line' >> "$M/notes/a.md"
	rm "$T/go"
	wait_for 20 grep -q 'EINTR release notes/a.md ' "$M/errors.log"
	[ "$(cat "$M/notes/a.md")" = $'the old one\na line' ]
	[ "$(wc -l < "$M/notes/a.md@log")" -eq 2 ]
	# One's own, which was made by the same descriptor; who goes on behind it has saved.
	for then in 'os.ftruncate(f, 0)' 'os.pwrite(f, b"half", 0)' 'os.write(f, b" and more")'; do
		python3 -c 'import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(f, b"a whole")
os.fsync(f)
eval(sys.argv[2])
os.kill(os.getpid(), 9)' "$M/notes/${#then}.md" "$then" || true
	done
	wait_for 20 grep -q 'a whole and more' "$M/notes/25.md"
	wait_for 20 eval '[ "$(grep -c "EINTR release" "$M/errors.log")" -eq 3 ]'
	[ "$(cat "$M/notes/18.md")$(cat "$M/notes/24.md")" = 'a wholea whole' ]
	cinta_umount
	verified
}

@test "who has a document open to write, and begins another program, holds nobody up" {
	cinta_mount
	echo 'the old one' > "$M/notes/a.md"
	say s one
	(python3 -c 'import os, subprocess, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_TRUNC)
os.write(f, b"one")
for name, part in zip(sys.argv[2:], [b"{\"content\":\"hello\"}", b"pin 1"]):
    os.write(os.open(name, os.O_WRONLY | os.O_APPEND), part)
subprocess.run(["true"], close_fds=False)
os.write(f, b" two\n")
os.execv("/bin/true", ["true"])' "$M/notes/a.md" "$M/sessions/s/log.jsonl" "$M/sessions/s/ctl" && touch "$T/done") 3>&- &
	wait_for 10 test -e "$T/done"
	[ "$(cat "$M/notes/a.md")" = 'one two' ]
	[ "$(wc -l < "$M/notes/a.md@log")" -eq 2 ]
	[ "$(wc -l < "$M/sessions/s/log.jsonl")" -eq 2 ]
	grep -q '^pinned  *1' "$M/sessions/s/ctl"
}

@test "a full disk: the save fails, the old version stands, with room again it goes on" {
	[ "$(id -u)" -eq 0 ] || skip 'mounts a disk of its own: for root'
	truncate -s 24M "$T/image"
	mkfs.ext4 -q -O ^has_journal "$T/image"
	mount -o loop "$T/image" "$T/disk"
	head -c 14M /dev/zero > "$T/disk/ballast"
	DB=$T/disk/memory.db
	cinta_mount
	echo 'the old one' > "$M/notes/a.md"
	head -c 300000 /dev/urandom | base64 > "$T/big"
	ok=0
	for n in $(seq 40); do
		{ echo "$n"; cat "$T/big"; } > "$T/next"
		cp "$T/next" "$M/notes/big.md" 2> "$T/error" || break
		cp "$T/next" "$T/last"
		ok=$n
	done
	echo "$ok saves, then: $(cat "$T/error")"
	[ "$ok" -gt 2 ]
	[ "$ok" -lt 40 ]
	grep -q 'No space left on device' "$T/error"
	cmp "$M/notes/big.md" "$T/last"
	[ "$(wc -l < "$M/notes/big.md@log")" -eq "$ok" ]
	cp "$T/next" "$M/notes/.big.tmp"
	run mv "$M/notes/.big.tmp" "$M/notes/big.md"
	[[ $output == *'No space left on device'* ]]
	cmp "$M/notes/big.md" "$T/last"
	[ "$(cat "$M/notes/a.md")" = 'the old one' ]
	rm "$T/disk/ballast"
	mv "$M/notes/.big.tmp" "$M/notes/big.md"
	cmp "$M/notes/big.md" "$T/next"
	echo 'the new one' > "$M/notes/a.md"
	[ "$(cat "$M/notes/a.md")" = 'the new one' ]
	[ "$(cat "$M/notes/a.md@1")" = 'the old one' ]
	cinta_umount
	verified
	cinta_mount
	cmp "$M/notes/big.md" "$T/next"
	cmp "$M/notes/big.md@$ok" "$T/last"
	cinta_umount
}

@test "a program that is begun while one holds a file open: exec closes it, and nobody waits for ever" {
	cinta_mount
	mkdir "$M/sessions/u"
	echo first | tee "$M/notes/a.md" > "$M/smma/workspace/b.txt"
	echo '- first' > "$M/facts/work.md"
	run -0 timeout 60 python3 - "$M" << 'END'
import os, sys, time
for name, text in (("notes/a.md", b"again\n"), ("notes/new.md", b"new\n"), ("facts/work.md", b"- again\n"),
                   ("smma/workspace/b.txt", b"b\n"), ("sessions/u/log.jsonl", b'{"role":"user","content":"c"}\n')):
    fd = os.open(f"{sys.argv[1]}/{name}", os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)
    os.write(fd, text)
    pid = os.fork()
    if pid == 0:
        os.execv("/bin/true", ["true"])
    end = time.monotonic() + 20
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        assert time.monotonic() < end, f"{name}: exec stands"
        time.sleep(0.01)
    os.close(fd)
END
	[ "$(cat "$M/notes/new.md")" = new ] && grep -qx -- '- again' "$M/facts/work.md"
}
