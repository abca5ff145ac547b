# SPDX-License-Identifier: MIT
# logs/: what programs write and nobody keeps.  Any name, deletable, never memory.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

entries() { wc -l < .cinta/tape.jsonl; }

@test "write, append, cut, rename, remove, folders; nothing of it is on the tape" {
	local n
	n=$(entries)
	echo one > logs/build.log
	echo two >> logs/build.log
	[ "$(cat logs/build.log)" = $'one\ntwo' ]
	[ "$(stat -c %s logs/build.log)" -eq 8 ]
	: > logs/build.log
	[ ! -s logs/build.log ]
	mkdir -p logs/a/b/c
	echo x > logs/a/b/c/x
	mv logs/a/b logs/b
	[ "$(cat logs/b/c/x)" = x ]
	mv logs/build.log logs/b/build.1
	mv -T logs/b/build.1 logs/b/c/x
	[ ! -s logs/b/c/x ]
	ln -s x logs/b/c/latest
	[ "$(readlink logs/b/c/latest)" = x ]
	run rmdir logs/b
	[ "$status" -ne 0 ]
	rm -r logs/a logs/b
	[ -z "$(ls -A logs)" ]
	[ "$(entries)" -eq "$n" ]
}

@test "any name will do" {
	local name names=(identity.md user_profile.md log.jsonl .hidden '#x#' 'a b' "-rf" $'new\nline' $'tab\t'
		'*' '"q"' "it's" ünïcode 日本 "$(printf 'n%.0s' {1..255})" CON 4913 x~ .git "a.md@1" "$(printf '\xff\xfe')")
	for name in "${names[@]}"; do
		printf '%s' "$name" > "logs/$name"
		printf '+' >> "logs/$name"
		[ "$(cat "logs/$name"; echo .)" = "$name+." ]
	done
	[ "$(find logs -mindepth 1 -printf x | wc -c)" -eq ${#names[@]} ]
	run touch "logs/$(printf 'n%.0s' {1..256})"
	[[ $output = *'too long'* ]]
	[ ! -e "logs/user_profile.md@log" ]
	rm -r logs/* logs/.[!.]*
	[ -z "$(ls -A logs)" ]
}

@test "many programs append to one log and no line is lost" {
	local i pids=()
	for i in {1..8}; do
		(for j in {1..200}; do echo "writer $i line $j of a log that all of them share" >> logs/all; done) &
		pids+=($!)
	done
	python3 - logs/all <<- 'PY' &
		import os, sys
		fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
		for j in range(400):
		    os.write(fd, b"writer 9 line %d of a log that all of them share\n" % (j + 1))
	PY
	pids+=($!)
	for i in "${pids[@]}"; do wait "$i"; done
	[ "$(wc -l < logs/all)" -eq 2000 ]
	[ "$(sort logs/all | uniq | wc -l)" -eq 2000 ]
	[ "$(grep -cvE '^writer [1-9] line [0-9]+ of a log that all of them share$' logs/all)" -eq 0 ]
	for i in {1..9}; do # each writer's lines in its order
		grep "^writer $i " logs/all | cut -d' ' -f4 | sort -nc
	done
}

@test "tail -f follows a log" {
	echo 0 > logs/t
	tail -n +1 -f -s 0.1 logs/t > "$T/seen" &
	local tail=$! i
	wait_for 10 grep -q 0 "$T/seen"
	for i in {1..20}; do echo "$i" >> logs/t; done
	wait_for 10 grep -qx 20 "$T/seen"
	kill $tail
	[ "$(cat "$T/seen")" = "$(seq 0 20)" ]
}

@test "logs outlive the daemon, killed or stopped" {
	mkdir logs/d
	echo one > logs/d/a
	head -c 300000 /dev/urandom > logs/b
	cp logs/b "$T/b"
	cd /
	cinta_umount
	cinta_mount
	[ "$(cat "$M/logs/d/a")" = one ]
	cmp "$T/b" "$M/logs/b"
	echo two >> "$M/logs/d/a"
	ln -s a "$M/logs/d/latest"
	mkdir "$M/smma/workspace/w"
	ln -s x "$M/smma/workspace/w/latest"
	ln -s lock "$M/notes/.#plan.md"
	echo scratch > "$M/notes/draft~"
	sleep 1.2 # they are put away twice a second
	kill -9 "$(owner_of "$DB")"
	umount -l "$M"
	wait_for 10 not owned "$DB"
	cinta_mount
	[ "$(cat "$M/logs/d/a")" = $'one\ntwo' ]
	cmp "$T/b" "$M/logs/b"
	[ "$(readlink "$M/logs/d/latest")" = a ]
	[ "$(readlink "$M/smma/workspace/w/latest")" = x ]
	run ! readlink "$M/notes/.#plan.md"
	cinta_umount
	cinta_mount -o ro
	[ "$(cat "$M/logs/d/latest")" = $'one\ntwo' ]
	cmp "$T/b" "$M/logs/b"
	[ "$(tail -c 7 "$M/logs/b" | sha256sum)" = "$(tail -c 7 "$T/b" | sha256sum)" ]
	[ "$(cat "$M/notes/draft~")" = scratch ]
}

@test "a log becomes memory by its new name, and memory becomes no log" {
	local n
	echo found > logs/run.log
	n=$(entries)
	mv logs/run.log notes/run.md
	[ "$(cat notes/run.md)" = found ]
	[ "$(entries)" -eq $((n + 2)) ]
	[ ! -e logs/run.log ]
	run mv notes/run.md logs/
	[ "$status" -ne 0 ]
	[ "$(cat notes/run.md)" = found ]
	cp notes/run.md logs/
	mkdir logs/d smma/workspace/w
	echo x > logs/d/x
	mv logs/d smma/workspace/ # copied: no program sees the difference
	[ "$(cat smma/workspace/d/x)" = x ]
	[ ! -e logs/d ]
	mv smma/workspace/w logs/
	[ -d logs/w ]
}

@test "what is too much is refused with words, and the log keeps what it had" {
	head -c 16777216 /dev/zero > logs/large
	run bash -c 'echo more >> logs/large'
	[ "$status" -ne 0 ]
	[[ $output = *'too large'* ]]
	[ "$(stat -c %s logs/large)" -eq 16777216 ]
	grep -q 'EFBIG write logs/large.*16 MiB.*another file' errors.log
	run dd if=/dev/zero of=logs/larger bs=1M count=20
	[ "$status" -ne 0 ]
	rm logs/larger
	for i in {1..7}; do cp logs/large "logs/large.$i"; done
	run cp logs/large logs/large.8
	[[ $output = *'No space left'* ]]
	grep -q 'ENOSPC write logs/large.8.*128 MiB.*remove' errors.log
	rm logs/large.1
	cp logs/large logs/large.8
}

@test "a search of the memory does not meet logs on the tape or in the past" {
	echo a-rare-word-of-a-log > logs/x
	echo a-rare-word-of-a-note > notes/x.md
	[ "$(grep -l a-rare-word .cinta/tape.jsonl | wc -l)" -eq 1 ]
	run grep -q a-rare-word-of-a-log .cinta/tape.jsonl
	[ "$status" -eq 1 ]
	[ -z "$(ls -A .cinta/at/2099-01-01/logs)" ]
	cd /
	cinta_umount
	"$CINTA" verify --all "$DB"
}
