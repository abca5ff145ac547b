# SPDX-License-Identifier: MIT
# What is below the memory fails: a disk that is full, a database that cannot be
# written, one of a newer cinta, an old copy under a newer checkpoint.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; mkdir "$T/disk"; }
teardown() {
	clean_below "$T"
	umount -l "$T/disk" 2> /dev/null || true
	cinta_teardown
}

as_root() { [ "$(id -u)" -eq 0 ] || skip 'mounts a disk of its own: for root'; }

# fill SIZE: lines of a kilobyte until one is refused; how many went in is on stdout
fill() {
	python3 -c 'import errno, os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
for n in range(100000):
    try:
        os.write(fd, (f"{{\"content\":\"{n} " + "x" * 1000 + "\"}\n").encode())
    except OSError as e:
        print(n, errno.errorcode[e.errno])
        break
' "$1"
}

@test "a full disk: ENOSPC to the writer, the old lines stay, with room again it goes on" {
	as_root
	mount -t tmpfs -o size=3m cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	mkdir "$M/sessions/x"
	head -c 400000 /dev/zero > "$T/disk/ballast"
	read -r stored error <<< "$(fill "$M/sessions/x/log.jsonl")"
	echo "$stored lines, then $error"
	[ "$error" = ENOSPC ]
	[ "$stored" -gt 150 ]
	cat "$M/sessions/x/log.jsonl" > "$T/log"
	[ "$(wc -l < "$T/log")" -eq "$stored" ]
	[ "$(stat -c %s "$M/sessions/x/log.jsonl")" -eq "$(stat -c %s "$T/log")" ]
	run bash -c 'echo "{\"content\":\"not now\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	first=$status # a short line may just fit
	ls -lR "$M" > /dev/null
	"$CINTA" status "$DB"
	rm "$T/disk/ballast"
	echo '{"content":"again"}' >> "$M/sessions/x/log.jsonl"
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq $((stored + 1 + (first == 0))) ]
	head -n "$stored" "$M/sessions/x/log.jsonl" | cmp - "$T/log"
	[ "$(wc -l < "$M/sessions/x/transcript.md")" -gt "$stored" ]
	mount -o remount,size=16m "$T/disk"
	cinta_umount
	verified
	cinta_mount
	head -n "$stored" "$M/sessions/x/log.jsonl" | cmp - "$T/log"
	cinta_umount
}

@test "a limit on the size of files: ENOSPC, told, and the mount lives; below it nothing is made" {
	(ulimit -f 1200 && "$CINTA" mount -o secrets=off "$DB" "$M") # KiB
	mkdir "$M/sessions/x"
	pid=$(owner_of "$DB")
	read -r stored error <<< "$(fill "$M/sessions/x/log.jsonl")"
	echo "$stored lines, then $error"
	[ "$error" = ENOSPC ]
	[ "$stored" -gt 50 ]
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq "$stored" ]
	grep 'ENOSPC write sessions/x/log.jsonl .*make room on the disk, or mount with a higher ulimit -f' "$M/errors.log"
	[ "$(owner_of "$DB")" = "$pid" ]
	cinta_umount
	cinta_mount
	echo '{"content":"again"}' >> "$M/sessions/x/log.jsonl"
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq $((stored + 1)) ]
	cinta_umount
	verified
	for words in "init $T/new.db" "mount $T/new.db $M" "backup $T/new.db $DB"; do
		run bash -c 'ulimit -f 100; exec "$0" "$@"' "$CINTA" $words
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == 'cinta: '*'disk is full'* ]]
		[ -z "$(ls "$T" | grep '^new')" ]
	done
	cinta_mount
	run bash -c 'ulimit -f 100; EDITOR="grep SigIgn /proc/self/status; false" exec "$0" edit -d "$1" notes/x.md' "$CINTA" "$DB"
	[[ $output == *SigIgn* ]]
	ignored=$(sed -n 's/^SigIgn:[[:space:]]*//p' <<< "$output")
	[ $((16#${ignored: -8} >> 24 & 1)) -eq 0 ] # SIGXFSZ, 25, is not ignored for others
	cinta_umount
}

@test "a document on a full disk: refused, not there, told at once, and kept in rejected/ once there is room" {
	as_root
	mount -t tmpfs -o size=3m cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	mkdir "$M/sessions/x"
	echo old > "$M/notes/old.md"
	fill "$M/sessions/x/log.jsonl"
	cat /dev/zero > "$T/disk/ballast" 2> /dev/null || true
	save() { python3 -c 'import sys
try:
    with open(sys.argv[1], "w") as f: f.write("not stored\n" * 2000)
except OSError as e: print(e.strerror)' "$1"; }
	for doc in notes/new.md notes/old.md memories/fact/k.md; do
		[ "$(save "$M/$doc")" = 'No space left on device' ]
		grep "ENOSPC .* $doc " "$M/errors.log"
	done
	grep -q '^- ALERT: disk full: ' "$M/dashboard.md"
	grep -q '^- Recommended action: tell who keeps this memory' "$M/dashboard.md"
	grep -q '^- ALERT: disk full: ' "$M/context.md"
	[ ! -e "$M/notes/new.md" ]
	[ ! -e "$M/memories/fact/k.md" ]
	[ "$(ls "$M/notes")" = old.md ]
	[ "$(cat "$M/notes/old.md")" = old ]
	rm "$T/disk/ballast"
	mount -o remount,size=16m "$T/disk"
	in_rejected() { [ "$(ls "$M/rejected" | grep -c '\.md$')" -eq 3 ]; }
	wait_for 10 in_rejected
	[ "$(cat "$M"/rejected/*new.md | sort -u)" = 'not stored' ]
	[ "$(grep -c 'ENOSPC .* kept as rejected/.*md$' "$M/errors.log")" -eq 3 ]
	grep -q '^- Alerts: none$' "$M/dashboard.md"
	grep -q '^- Alerts: none$' "$M/context.md"
	cp "$M"/rejected/*new.md "$M/notes/new.md"
	cinta_umount
	cinta_mount
	[ "$(sort -u "$M/notes/new.md")" = 'not stored' ]
	in_rejected
	cinta_umount
	verified
}

@test "a disk that is full when the daemon stops or dies: nothing that was stored is lost" {
	as_root
	for how in TERM KILL; do
		mount -t tmpfs -o size=3m cinta-test "$T/disk"
		DB=$T/disk/memory.db
		cinta_mount
		mkdir "$M/sessions/x"
		read -r stored error <<< "$(fill "$M/sessions/x/log.jsonl")"
		[ "$error" = ENOSPC ]
		kill -$how "$(owner_of "$DB")"
		wait_for 10 not owned "$DB"
		mount -o remount,size=16m "$T/disk"
		cinta_mount
		[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq "$stored" ]
		say x after
		cinta_umount
		verified
		umount "$T/disk"
	done
}

@test "a read-only disk: reading works or the mount says why; writing is EROFS" {
	as_root
	mount -t tmpfs -o size=8m cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	say x one two
	cat "$M/sessions/x/log.jsonl" > "$T/log"
	cinta_umount
	mount -o remount,ro "$T/disk"
	run cinta_mount
	echo "$output"
	if [ "$status" -eq 0 ]; then
		cmp "$M/sessions/x/log.jsonl" "$T/log"
		run bash -c 'echo "{\"content\":\"x\"}" >> "$0"' "$M/sessions/x/log.jsonl"
		[[ $output == *'Read-only file system'* ]]
		run mkdir "$M/sessions/y"
		[[ $output == *'Read-only file system'* ]]
		cinta_umount
	else
		[[ $output == *'ead-only'* || $output == *'cannot write'* ]]
		[ -z "$(mounts_below "$T")" ]
	fi
	mount -o remount,rw "$T/disk"
	cinta_mount
	cmp "$M/sessions/x/log.jsonl" "$T/log"
	cinta_umount
	verified
}

@test "a database of a newer cinta is refused and not touched" {
	cinta_mount
	say x one
	cinta_umount
	sql 'PRAGMA user_version = 99' > /dev/null
	before=$(sha256sum < "$DB")
	for verb in "mount $DB $M" "rebuild $DB" "status $DB"; do
		# shellcheck disable=SC2086
		run "$CINTA" $verb
		echo "$verb: $status: $output"
		[ "$status" -eq 1 ]
		[[ $output == *'99'* || $output == *newer* || $output == FORMAT* ]]
	done
	[ "$(sha256sum < "$DB")" = "$before" ]
	[ -z "$(mounts_below "$T")" ]
}

@test "an old copy under a newer checkpoint: ROLLBACK, read-only, told by all" {
	cinta_mount
	say x one
	cinta_umount
	cp "$DB" "$T/old.db"
	cinta_mount
	say x two three
	cinta_umount
	cp "$DB" "$T/new.db"
	cp "$T/old.db" "$DB"
	run "$CINTA" verify "$DB"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == ROLLBACK* ]]
	run cinta_mount
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *ROLLBACK* ]]
	[ "$(contents "$M/sessions/x/log.jsonl")" = one ]
	run bash -c 'echo "{\"content\":\"x\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	run mkdir "$M/sessions/y"
	[[ $output == *'Read-only file system'* ]]
	"$CINTA" status "$DB" | grep ROLLBACK
	grep ROLLBACK "$M/.cinta/status.json"
	grep '^- ALERT: .*ROLLBACK' "$M/dashboard.md"
	grep '^- ALERT: .*ROLLBACK' "$M/context.md"
	grep -q '^- Recommended action: tell who keeps this memory' "$M/context.md"
	cinta_umount
	run "$CINTA" verify "$DB"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == ROLLBACK* ]]
	# The newer file again, and all is well.
	cp "$T/new.db" "$DB"
	cinta_mount
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two three ' ]
	cinta_umount
	verified
}

@test "another history under the checkpoint: FORK, read-only" {
	cinta_mount
	say x one
	cinta_umount
	cp "$DB" "$T/base.db"
	cp "$DB.checkpoint" "$T/base.checkpoint"
	cinta_mount
	say x two three
	cinta_umount
	cp "$DB.checkpoint" "$T/a.checkpoint"
	cp "$T/base.db" "$DB"
	cp "$T/base.checkpoint" "$DB.checkpoint"
	cinta_mount
	say x other words
	cinta_umount
	cp "$T/a.checkpoint" "$DB.checkpoint"
	run "$CINTA" verify "$DB"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == FORK* ]]
	run cinta_mount
	[[ $output == *FORK* ]]
	run bash -c 'echo "{\"content\":\"x\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	cinta_umount
}

# full HOW: a memory on a disk of its own, which is filled after its daemon was stopped or killed
full() {
	mount -t tmpfs -o size=4m cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	say x one
	mkdir -p "$M/notes"
	echo '# A note' > "$M/notes/a.md"
	if [ "$1" = KILL ]; then
		kill -9 "$(owner_of "$DB")"
		wait_for 10 not owned "$DB"
	else
		cinta_umount
	fi
	cat /dev/zero > "$T/disk/ballast" 2> /dev/null || true
}

@test "a disk that is full when the mount starts: it reads, says so, and goes on with room" {
	as_root
	for how in KILL TERM; do
		full $how
		run cinta_mount
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'disk full'* ]]
		grep '"trouble": "disk full' "$M/.cinta/status.json"
		[ "$(contents "$M/sessions/x/log.jsonl")" = one ]
		[ "$(cat "$M/notes/a.md")" = '# A note' ]
		grep -q 'one' "$M/search/one.md"
		run bash -c 'echo "{\"content\":\"no\"}" >> "$0"' "$M/sessions/x/log.jsonl"
		[[ $output == *'No space left'* || $output == *'Read-only file system'* ]]
		[ "$("$CINTA" verify "$DB" | head -c 2)" = OK ]
		"$CINTA" status "$DB" | grep 'disk full'
		rm "$T/disk/ballast"
		cinta_umount
		cinta_mount
		grep '"trouble": null' "$M/.cinta/status.json"
		say x two
		[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two ' ]
		cinta_umount
		verified
		umount "$T/disk"
	done
}

@test "a full disk: what is off the tape is not said to be kept, and an unmount does not lose it unsaid" {
	as_root
	mount -t tmpfs -o size=1600k cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	mkdir -p "$M/smma/workspace"
	head -c 4000000 /dev/zero > "$T/disk/ballast" 2> /dev/null || true
	echo secretplan > "$M/smma/workspace/w"
	echo dot > "$M/notes/.env"
	synced() { python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDWR))' "$1" 2>&1; }
	for file in "$M/smma/workspace/w" "$M/notes/.env"; do
		run synced "$file"
		[[ $output == *'No space left'* ]]
	done
	grep -q 'ENOSPC fsync smma/workspace/w .*make room' "$M/errors.log"
	wait_for 10 bash -c '"$CINTA" status "$0" | grep -q "^trouble .*files off the tape are not kept"' "$DB"
	run "$CINTA" umount "$M"
	[ "$status" -eq 1 ]
	[[ $output == *'files off the tape are not kept'*'make room'*'cinta umount -l'* ]]
	[ "$(cat "$M/smma/workspace/w")" = secretplan ]
	rm "$T/disk/ballast"
	run synced "$M/notes/.env"
	[ "$status" -eq 0 ]
	wait_for 10 bash -c '"$CINTA" status "$0" | grep -q "^trouble  *none"' "$DB"
	cinta_umount
	cinta_mount
	[ "$(cat "$M/smma/workspace/w" "$M/notes/.env")" = $'secretplan\ndot' ]
	cinta_umount
}

@test "a full disk: one file that is kept does not end what is said of another, its removal does" {
	as_root
	mount -t tmpfs -o size=2M cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	mkdir -p "$M/smma/workspace"
	head -c 4000000 /dev/zero > "$T/disk/ballast" 2> /dev/null || true
	truncate -s -200000 "$T/disk/ballast"
	synced() { python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDWR))' "$1" 2>&1; }
	told() { "$CINTA" status "$DB" | grep -q '^trouble .*files off the tape are not kept'; }
	head -c 900000 /dev/urandom > "$M/smma/workspace/big"
	run synced "$M/smma/workspace/big"
	[[ $output == *'No space left'* ]]
	echo dot > "$M/notes/.env"
	run synced "$M/notes/.env"
	[ "$status" -eq 0 ]
	told
	rm "$M/smma/workspace/big"
	wait_for 30 not told
	cinta_umount
	cinta_mount
	[ "$(cat "$M/notes/.env")" = dot ]
	cinta_umount
}

# The daemon makes DB.side anew wherever a use finds none, also between these two.
side_is_directory() {
	until rm -f "$DB.side"*; mkdir "$DB.side"; do :; done
}

@test "a side file that cannot be used: umount says how many files would be gone" {
	cinta_mount
	mkdir -p "$M/smma/workspace" "$M/logs"
	echo one > "$M/smma/workspace/a"
	echo two > "$M/logs/b.log"
	echo three > "$M/notes/.env"
	sync "$M/smma/workspace/a"
	side_is_directory
	refuses() {
		run "$CINTA" umount "$M"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *"$1 off the tape would be gone: DB.side cannot be used"*'move it away'*'cinta umount -l' ]]
		mountpoint -q "$M"
	}
	refuses '3 files'
	rmdir "$DB.side"
	cinta_umount
	cinta_mount
	[ "$(cat "$M/smma/workspace/a" "$M/logs/b.log" "$M/notes/.env")" = $'one\ntwo\nthree' ]
	rm "$M/smma/workspace/a" "$M/logs/b.log"
	echo more >> "$M/notes/.env"
	sync "$M/notes/.env"
	side_is_directory
	refuses '1 file'
	"$CINTA" umount -l "$M"
	wait_for 10 not owned "$DB"
	grep -q '1 files off the tape.*are gone' "$DB.log"
}

@test "a full disk: what is removed off the tape does not come back at the next mount" {
	as_root
	mount -t tmpfs -o size=3m cinta-test "$T/disk"
	DB=$T/disk/memory.db
	cinta_mount
	mkdir -p "$M/smma/workspace"
	for i in 1 2 3; do
		echo secretplan > "$M/smma/workspace/$i"
		sync "$M/smma/workspace/$i"
	done
	# A log that must grow to take the removal, and cannot
	sqlite3 "$DB.side" 'PRAGMA wal_checkpoint(TRUNCATE)' > /dev/null
	cat /dev/zero > "$T/disk/ballast" 2> /dev/null || true
	rm "$M/smma/workspace/1" "$M/smma/workspace/2"
	[ "$(sqlite3 "$DB.side" "SELECT group_concat(name) FROM scratch WHERE name IN ('1', '2')")" = 1,2 ]
	rm "$T/disk/ballast"
	are_gone() { [ "$(sqlite3 "$DB.side" "SELECT count(*) FROM scratch WHERE name IN ('1', '2')")" -eq 0 ]; }
	wait_for 10 are_gone
	cinta_umount
	cinta_mount
	[ "$(ls "$M/smma/workspace" | tr '\n' ' ')" = '3 ' ]
	cinta_umount
}
