# SPDX-License-Identifier: MIT
# Mounts with fresh=open: what was acknowledged anywhere is what an open begun afterwards reads.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${proxy:-} 2> /dev/null || true
	"$PGBIN/pg_isready" -q -h "$PG" -p "$PGPORT" || pg_start
	cinta_teardown
}
none='line=0 size=0 document=0 name=0 listing=0 here=0 moved=0'
log_has() { grep -q "$2" "$T/$1/errors.log"; }
# begin: the memory, written at a
begin() {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
}
# mount_with MACHINE OPTIONS DIR [URL]
mount_with() {
	mkdir -p "$T/$3"
	on "$1" "$CINTA" mount -o "$2" "${4:-$URL}" "$T/$3"
}
# opens DIR ROUNDS: what was stored through a, and not found through DIR
opens() { "$BATS_TEST_DIRNAME/opens.py" "$T/a" "$T/$1" "$2" ".$1"; }

@test "an open reads what was acknowledged before it, 200 times in a row; with fresh=told it may come later" {
	begin
	mount_with b fresh=open b
	run -0 opens b 200
	[ "$output" = "$none" ] || { echo "$output" && false; }
	mount_with c fresh=told c
	run -0 opens c 20
	[ "$output" != "$none" ] # else this proves nothing
	umount_on a
	umount_on b
	umount_on c
	whole a b c
}

@test "each mount has its own: one that is fresh beside one that is told, read-only, with bounds" {
	begin
	mount_on b
	mount_with b ro,fresh=open r
	mount_with b hide=records,fresh=open h
	run -0 opens r "$(many 40 400)"
	[ "$output" = "$none" ] || { echo "$output" && false; }
	run -0 opens h "$(many 20 400)"
	[ "$output" = "$none" ] || { echo "$output" && false; }
	[ ! -e "$T/h/records" ]
	line b uno own # and what this machine writes is there at once, as ever
	grep -q own "$T/r/sessions/uno/log.jsonl"
	for m in r h; do "$CINTA" umount "$T/$m"; done
	umount_on a
	umount_on b
	whole a b
}

@test "requests that come at once share a look at the server" {
	begin
	query "ALTER DATABASE $DBNAME SET log_statement = 'all'"
	mount_with b fresh=open b
	looks() { grep -cF "tape.tip(0, '')" "$PG/log" || true; }
	sleep 0.1
	run -0 looks
	before=$output
	python3 - "$T/b/sessions/uno/log.jsonl" <<- 'END'
		import os, sys, threading
		def stat():
		    for _ in range(50): os.stat(sys.argv[1])
		all = [threading.Thread(target=stat) for _ in range(16)]
		for t in all: t.start()
		for t in all: t.join()
	END
	run -0 looks
	echo "# $((output - before)) looks for 2400 names" >&3
	[ $((output - before)) -ge 50 ]
	[ $((output - before)) -lt 2200 ]
	umount_on a
	umount_on b
}

@test "without its server it goes on with what is here, says so, and is fresh again when that answers" {
	begin
	through_proxy
	mount_with b fresh=open b "$FAR"
	run -0 opens b 3
	[ "$output" = "$none" ]
	mode swallow # nobody says that it has gone
	line a uno unseen
	run -0 cat "$T/b/sessions/uno/log.jsonl"
	[[ $output == *begin* && $output != *unseen* ]]
	wait_for 10 log_has b 'EHOSTDOWN follow'
	[ "$(jq -r .behind_since "$T/b/.cinta/status.json")" != null ]
	grep -q '"trouble": "server: ' "$T/b/.cinta/status.json"
	mode pass
	wait_for 30 log_has b 'SETTLED follow .*answers again'
	run -0 "$BATS_TEST_DIRNAME/opens.py" "$T/a" "$T/b" 3 .again
	[ "$output" = "$none" ]
	pg_stop
	grep -q unseen "$T/b/sessions/uno/log.jsonl"
	wait_for 10 eval '[ "$(jq -r .behind_since "$T/b/.cinta/status.json")" != null ]'
	pg_start
	wait_for 30 eval '[ "$(jq -r .behind_since "$T/b/.cinta/status.json")" = null ]'
	run -0 "$BATS_TEST_DIRNAME/opens.py" "$T/a" "$T/b" 3 .third
	[ "$output" = "$none" ]
	umount_on a
	umount_on b
	whole a b
}

@test "a memory in a file has no such mount, and what is no word is refused" {
	for word in open told write; do
		run -1 "$CINTA" mount -o fresh=$word "$DB" "$T/none"
		[[ $output == *'fresh=: '*memory.db*' is on no server that could have more; leave fresh= out'* ]]
		[ ! -e "$DB" ]
		[ ! -e "$T/none" ]
	done
	run -2 "$CINTA" mount -o fresh=yes "$URL" "$T/none"
	[[ $output == *'fresh=yes: not told, open or write'* ]]
}

@test "fresh=write: what one stored all others show when the write returns, and nobody asks for that" {
	on a "$CINTA" init "$URL"
	query "ALTER DATABASE $DBNAME SET log_statement = 'all'"
	mount_with a fresh=write a
	mount_with b fresh=write b
	mount_with b ro,fresh=write c
	line a uno begin
	opens_of() { "$BATS_TEST_DIRNAME/opens.py" "$T/$1" "$T/$2" "$3" ".$1$2"; }
	for pair in 'a b' 'b c' 'b a'; do
		# shellcheck disable=SC2086
		run -0 opens_of $pair "$(many 40 400)"
		[ "$output" = "$none" ] || { echo "$pair: $output" && false; }
	done
	# 2,000 names are looked up, and no question is asked for them; with fresh=open there are
	looks() { grep -cF "tape.tip(0, '')" "$PG/log" || true; }
	before=$(looks)
	python3 -c 'import os, sys
for _ in range(2000): os.stat(sys.argv[1])' "$T/b/sessions/uno/log.jsonl"
	after=$(looks)
	[ $((after - before)) -lt 50 ]
	"$CINTA" umount "$T/c"
	umount_on a
	umount_on b
	whole a b
}

ms() { echo $(($(date +%s%N) / 1000000)); }
both_share() {
	[ "$(query "SELECT count(*) FROM tape.mount
		WHERE shown >= 0 AND shown_at > clock_timestamp() - interval '1 second'")" = 2 ]
}

@test "fresh=write: who is cut off is waited for some seconds, says so, and shows nothing old afterwards" {
	on a "$CINTA" init "$URL"
	through_proxy
	mount_with a fresh=write a
	mount_with b fresh=write b "$FAR"
	line a uno begin
	[ "$(grep -c . "$T/b/sessions/uno/log.jsonl")" = 1 ]
	wait_for 20 both_share
	mode pull
	sleep 0.2 # the proxy looks at its mode twenty times a second
	began=$(ms)
	line a uno while
	took=$(($(ms) - began))
	echo "# a write beside one that is cut off took $took ms" >&3
	[ "$took" -gt 1500 ] # b may have shown the old until then; else this proves nothing
	# b asks now; it gets no answer, and says so
	run -0 cat "$T/b/sessions/uno/log.jsonl"
	wait_for 20 log_has b 'EHOSTDOWN follow'
	# nobody waits for it any more
	began=$(ms)
	for i in 1 2 3; do line a uno "alone$i"; done
	echo "# three more $(($(ms) - began)) ms" >&3
	mode pass
	wait_for 30 log_has b 'SETTLED follow .*answers again'
	wait_for 20 grep -q alone3 "$T/b/sessions/uno/log.jsonl"
	run -0 "$BATS_TEST_DIRNAME/opens.py" "$T/a" "$T/b" 5 .again
	[ "$output" = "$none" ]
	# one that is killed is waited for no longer, either
	kill -9 "$(owner_of "$(replica b)")"
	line a uno killed
	# and one that was unmounted not at all
	wait_for 20 mount_with b fresh=write b
	grep -q killed "$T/b/sessions/uno/log.jsonl"
	umount_on b
	line a uno gone
	umount_on a
	whole a
}

@test "fresh=write: both make in one directory at once, and neither waits for the other's time to pass" {
	on a "$CINTA" init "$URL"
	mount_with a fresh=write a
	mount_with b fresh=write b
	for m in a b; do
		(for i in $(seq "$(many 20 200)"); do
			mkdir "$T/$m/sessions/$m$i"
			echo "$i" > "$T/$m/notes/$m$i.md"
			echo "$m $i" > "$T/$m/notes/both.md" || true
		done) 3>&- &
	done
	wait
	# had they waited for each other, every one of these would have taken four seconds
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'session'")" = "$((2 * $(many 20 200)))" ]
	[ "$(query "SELECT max(gap) < 3500000 FROM (SELECT time_us - lag(time_us) OVER (ORDER BY seq) AS gap FROM tape.entry
		WHERE seq > 1) g")" = t ]
	umount_on a
	umount_on b
	whole a b
}
