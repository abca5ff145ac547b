# SPDX-License-Identifier: MIT
# cinta backup: one file, consistent and verified, while others write.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

@test "backup while four write: verified, complete up to a moment, one file; it can be mounted" {
	cinta_mount
	say s first
	local w
	for w in 1 2 3 4; do
		(until [ -e "$T/stop" ]; do echo "{\"role\":\"user\",\"content\":\"$w\"}" >> "$M/sessions/s/log.jsonl"; done) &
		pids[w]=$!
	done
	grown() { [ "$(wc -l < "$M/sessions/s/log.jsonl")" -gt 20 ]; }
	wait_for 10 grown
	local copy n
	mkdir "$T/copies"
	for n in 1 2 3; do
		local before after
		before=$(wc -l < "$M/sessions/s/log.jsonl")
		run --separate-stderr "$CINTA" backup "$T/copies/$n.db" "$M"
		after=$(wc -l < "$M/sessions/s/log.jsonl")
		echo "$status $output $stderr"
		[ "$status" -eq 0 ]
		[[ $output == "$T/copies/$n.db: OK: "*' entries, signed up to '* ]]
		[ -z "$stderr" ]
		[ "$(ls "$T/copies" | wc -l)" -eq "$n" ]
		copy=$("$CINTA" cat -d "$T/copies/$n.db" sessions/s/log.jsonl | wc -l)
		rm -f "$T/copies/$n".db.* "$T/copies/$n".db-*
		[ "$copy" -ge "$before" ]
		[ "$copy" -le "$after" ]
	done
	touch "$T/stop"
	wait
	"$CINTA" backup -d "$DB" "$T/last.db"
	cat "$M/.cinta/tape.jsonl" > "$T/tape"
	cinta_umount
	"$CINTA" cat -d "$T/last.db" .cinta/tape.jsonl | cmp - "$T/tape"
	"$CINTA" mount "$T/last.db" "$M"
	say s more
	"$CINTA" umount "$M"
	[ "$("$CINTA" status --json "$T/last.db" | jq .entries)" -eq $(($("$CINTA" status --json "$DB" | jq .entries) + 1)) ]
}

@test "in a memory that was put back redactions go to their end and facts are heard, though DB.side stayed" {
	cinta_mount
	say s first
	"$CINTA" backup "$T/copy.db" "$M"
	for n in 1 2 3 4 5 6 7 8 9 10 11 12; do say s "line $n"; done
	"$CINTA" redact --yes --reason gone -d "$M" sessions/s/messages/000002.md
	heard() { [ "$(sqlite3 "$DB.side" "SELECT count(*) FROM mark WHERE name IN ('redacted', 'signals') AND value > 12")" -eq 2 ]; }
	wait_for 30 heard
	cinta_umount
	rm -f "$DB" "$DB-wal" "$DB-shm" "$DB.checkpoint"
	cp "$T/copy.db" "$DB"
	cinta_mount
	say s 'the word is axolotl'
	say s 'I prefer tea over coffee.'
	wait_for 30 grep -q 'tea over coffee' "$M/facts/preferences.md"
	"$CINTA" redact --yes --reason gone -d "$M" sessions/s/messages/000002.md
	run ! grep -la axolotl "$DB"*
	verified
}

@test "backup says what is wrong, and leaves what is there" {
	"$CINTA" init "$DB" > /dev/null
	echo keep > "$T/there"
	run "$CINTA" backup "$T/there" "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *'File exists; a backup makes a new file'* ]]
	[ "$(cat "$T/there")" = keep ]
	# what a lost memory has left beside it
	for beside in .side -wal; do
		echo keep > "$T/lost.db$beside"
		run "$CINTA" backup "$T/lost.db" "$DB"
		[ "$status" -eq 1 ]
		[[ $output == *"lost.db$beside is there"* ]]
		[ ! -e "$T/lost.db" ]
		[ "$(cat "$T/lost.db$beside")" = keep ]
		rm "$T/lost.db$beside"
	done
	run "$CINTA" backup "$T/none/x.db" "$DB"
	echo "$status $output"
	[ "$status" -eq 1 ]
	[[ $output == *"$T/none/x.db: No such file"* ]]
	run "$CINTA" backup
	[ "$status" -eq 2 ]
	[[ $output == *'name the file to make'* ]]
	run "$CINTA" backup "$T/x.db" "$T/none.db"
	[ "$status" -eq 1 ]
	[[ $output == *'no such file'* ]]
	[ ! -e "$T/x.db" ]
	# of a memory that was tampered with a copy is made, and said to be what it is
	cinta_mount
	say s one
	cinta_umount
	cp "$DB" "$T/bad.db"
	sqlite3 "$T/bad.db" "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger'" > "$T/drop"
	[ -s "$T/drop" ]
	sqlite3 -bail "$T/bad.db" < "$T/drop"
	run "$CINTA" backup "$T/y.db" "$T/bad.db"
	echo "$status $output"
	[ "$status" -eq 1 ]
}

@test "a backup that is stopped in the middle leaves nothing, and the next one is made" {
	"$CINTA" init "$DB" > /dev/null
	seq 40000 | sed 's/.*/{"role":"user","content":"& of many, with some more words to it"}/' > "$T/many"
	"$CINTA" import "$T/many" -d "$DB" 2> /dev/null
	for signal in INT TERM HUP; do
		python3 - "$signal" "$CINTA" backup "$T/copy.db" "$DB" << 'END'
import os, signal, subprocess, sys, time
number = getattr(signal, 'SIG' + sys.argv[1])
p = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL)
half = sys.argv[4] + '.unfinished/copy.db'
while not (os.path.exists(half) and os.path.getsize(half) > 1000000) and p.poll() is None:
    time.sleep(0.001)
p.send_signal(number)
assert p.wait(20) == -number, p.returncode
END
		[ -z "$(ls "$T" | grep '^copy')" ]
	done
	"$CINTA" backup "$T/copy.db" "$DB"
	"$CINTA" verify "$T/copy.db"
}
