# SPDX-License-Identifier: MIT
# One memory on a server, two machines: what each writes the other shows, in one order; equal names
# meet; a role may write and no more.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${writers:-} 2> /dev/null || true
	cinta_teardown
}

sees() { grep -q "$2" "$1" 2> /dev/null; }

@test "what one machine writes the other shows, and both end with the same entry" {
	run -0 on a "$CINTA" init -o origin=team/memory "$URL"
	[[ $output == team/memory+*+* ]]
	mount_on a
	mount_on b
	line a uno hola
	wait_for 10 sees "$T/b/sessions/uno/log.jsonl" hola
	echo '# Notes' > "$T/b/notes/plan.md"
	wait_for 10 sees "$T/a/notes/plan.md" Notes
	echo '- Likes tea' > "$T/a/facts/preferences.md"
	wait_for 10 sees "$T/b/facts/preferences.md" tea
	line b dos ciao
	# each machine's own session is its current one
	[ "$(readlink "$T/a/sessions/current")" = uno ]
	[ "$(readlink "$T/b/sessions/current")" = dos ]
	synced a b
	[ "$(stat -c %i "$T/a/sessions/uno")" = "$(stat -c %i "$T/b/sessions/uno")" ]
	[ "$(jq -r .server "$T/a/.cinta/status.json")" = "postgresql:///$DBNAME" ]
	[ "$(jq -r .behind_since "$T/a/.cinta/status.json")" = null ]
	umount_on a
	umount_on b
	whole a b
}

@test "programs without a mount append there, beside a mount or without" {
	on a "$CINTA" init "$URL"
	mount_on a
	mkdir "$T/a/sessions/uno"
	umount_on a
	echo '{"role":"user","content":"first"}' | on a "$CINTA" append -d "$URL" sessions/uno/log.jsonl
	mount_on b
	grep -q first "$T/b/sessions/uno/log.jsonl"
	echo '{"role":"user","content":"second"}' | on b "$CINTA" append -d "$T/b" sessions/uno/log.jsonl
	wait_for 10 sees "$T/b/sessions/uno/log.jsonl" second
	run -0 on a "$CINTA" cat -d "$URL" sessions/uno/log.jsonl
	[[ $output == *second* ]]
	# by the replica's own file, too: it is no memory of its own; and by authors of any name
	echo '{"role":"user","content":"third"}' |
		on a "$CINTA" append -o "owner=o'b\"r\\\\{x}" -d "$(replica a)" sessions/uno/log.jsonl
	query "SELECT author FROM tape.entry WHERE body LIKE '%third%'::bytea" > "$T/author"
	[[ $(cat "$T/author") == "o'b%22r%5C{x}:"* ]]
	wait_for 10 sees "$T/b/sessions/uno/log.jsonl" third
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 3 ]
	umount_on b
	on a "$CINTA" sync "$URL"
	run on a "$CINTA" doctor "$URL" # of other mounts of this machine it tells as well
	[[ $output == *'the server answers'* ]]
	run -0 on a "$CINTA" status "$URL"
	[[ $output == *"server          postgresql:///$DBNAME"* ]]
	# a service of libpq's names it as well
	printf '[m]\nhost=%s\nport=%s\nuser=cinta\ndbname=%s\n' "$PG" "$PGPORT" "$DBNAME" > "$T/services"
	export PGSERVICEFILE=$T/services
	run -0 on s "$CINTA" cat -d 'postgresql:///?service=m' sessions/uno/log.jsonl
	[[ $output == *second*third* ]]
	unset PGSERVICEFILE
	# each message of an agent is taken in once, whichever machine takes it
	for m in a b a; do on "$m" "$CINTA" import -d "$URL" "$CINTA_SOURCE/tests/mount/import/conversations.json"; done
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 13 ]
	on a "$CINTA" sync "$URL"
	on b "$CINTA" sync "$URL"
	whole a b
}

@test "sync waits for an entry, and says what it ends with" {
	on a "$CINTA" init "$URL"
	mount_on b
	line b uno x
	run -0 on a "$CINTA" sync -d "$URL"
	[ "$output" = "$(cat "$T/b/.cinta/sync")" ]
	n=$((${output%% *} + 1))
	(sleep 1; line b uno y) 3>&- &
	run -0 on a "$CINTA" sync --upto "$n" -d "$URL"
	[ "${output%% *}" -ge "$n" ]
	run -2 on a "$CINTA" sync --upto x -d "$URL"
	# of a memory in a file it is so at once
	"$CINTA" init "$DB"
	run -0 "$CINTA" sync "$DB"
	[[ $output =~ ^0\ [0-9a-f]{64}$ ]]
}

@test "two machines that make the same name get one document, in its history what each saved" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	for ((i = 0; i < $(many 20 300); i++)); do
		for m in a b; do
			(echo "$m$i" > "$T/$m/notes/same$i.md" || echo "$m" >> "$T/refused.$i") 2> /dev/null 3>&- &
		done
		wait $!
		wait
	done
	synced a b
	run ls "$T/a/notes"
	[[ $output != *+* ]]
	[ "$(wc -l <<< "$output")" -eq "$(many 20 300)" ]
	diff <(ls "$T/a/notes") <(ls "$T/b/notes")
	for ((i = 0; i < $(many 20 300); i++)); do cmp "$T/a/notes/same$i.md" "$T/b/notes/same$i.md"; done
	umount_on a
	umount_on b
	whole a b
}

@test "writers on two machines at once: one order, each line once, saves and makes between" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	line a uno begin
	synced a b
	lines=$(many 60 3000)
	writers=
	for m in a b; do
		for w in 1 2; do
			"$BATS_TEST_DIRNAME/writer.py" "$T/$m/sessions/uno/log.jsonl" "$T/notes.$m$w" "$m$w" "$lines" 3>&- &
			writers+=" $!"
		done
	done
	for ((i = 0; i < $(many 20 500); i++)); do
		echo "a $i" > "$T/a/notes/one.md"
		echo "b $i" > "$T/b/notes/one.md" || true
		mkdir -p "$T/a/sessions/s$i" "$T/b/sessions/s$i"
	done
	all_ended
	writers=
	echo 'ok begin' > "$T/notes.0"
	synced a b
	"$BATS_TEST_DIRNAME/check.py" "$T/a/sessions/uno/log.jsonl" "$T"/notes.*
	cmp "$T/a/sessions/uno/log.jsonl" "$T/b/sessions/uno/log.jsonl"
	cmp "$T/a/.cinta/tape.jsonl" "$T/b/.cinta/tape.jsonl"
	diff <(ls "$T/a/sessions") <(ls "$T/b/sessions")
	umount_on a
	umount_on b
	whole a b
}

@test "four writers on each of two machines, and readers: no gap, no half save, nothing old after new" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	mkdir "$T/a/sessions/uno"
	synced a b
	run -0 python3 "$BATS_TEST_DIRNAME/storm.py" "$(many 8 600)" "$T/a" "$T/b"
	echo "# $(tr '\n' ';' <<< "$output")" >&3
	synced a b
	for m in a b; do
		lines=$(sed -n "s/^lines $m //p" <<< "$output")
		[ "$lines" -gt 0 ]
		[ "$(jq -r .content "$T/a/sessions/uno/log.jsonl" | grep -c "^$m ")" -eq "$lines" ]
	done
	cmp "$T/a/sessions/uno/log.jsonl" "$T/b/sessions/uno/log.jsonl"
	cmp "$T/a/.cinta/tape.jsonl" "$T/b/.cinta/tape.jsonl"
	diff -r "$T/a/notes" "$T/b/notes"
	# each name that was made is there, once
	made=$(sed -n 's/^made . //p' <<< "$output" | sort -n | tail -1)
	[ "$(ls "$T/a/notes" | grep -c '^same[0-9]*\.md$')" -eq "$made" ]
	[ "$(ls "$T/a/notes" | wc -l)" -eq $((made + 4)) ]
	umount_on a
	umount_on b
	whole a b
}

@test "a role that is admitted writes by the functions alone; entries cannot be changed by anybody" {
	on a "$CINTA" init "$URL"
	query "CREATE ROLE writer_$DBNAME LOGIN"
	query "SELECT tape.admit('writer_$DBNAME')"
	mount_on b "${URL/cinta@/writer_$DBNAME@}"
	line b uno hello
	as() { "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "writer_$DBNAME" -d "$DBNAME" -X -q -c "$1" 2>&1; }
	for sql in 'DELETE FROM tape.entry' 'UPDATE tape.entry SET body = NULL, salt = NULL' \
		'TRUNCATE tape.entry' 'UPDATE tape.head SET next = 0' \
		"INSERT INTO tape.entry SELECT * FROM tape.entry" 'DELETE FROM tape.mount'; do
		run ! as "$sql"
		[[ $output == *'permission denied'* ]]
	done
	for sql in 'DELETE FROM tape.entry' 'UPDATE tape.entry SET body = NULL, salt = NULL' 'TRUNCATE tape.entry'; do
		run ! query "$sql"
		[[ $output == *'the tape only grows'* ]]
	done
	# whoever was not admitted may nothing
	query "CREATE ROLE other_$DBNAME LOGIN"
	run ! on c "$CINTA" mount "${URL/cinta@/other_$DBNAME@}" "$T/c"
	[[ $output == *'permission denied'* ]]
	umount_on b
	whole b
}

@test "what cannot be is refused in words, and leaves nothing" {
	run -1 on a "$CINTA" mount "$URL" "$T/none"
	[[ $output == *'there is no memory at'*'cinta init'* ]]
	run -1 on a "$CINTA" init "postgresql://cinta:secret@/$DBNAME?host=$PG&port=$PGPORT"
	[[ $output == *'password in the URL'* ]]
	run -1 on a "$CINTA" init "postgresql://cinta@/nowhere?host=$PG&port=$PGPORT"
	[[ $output == *'does not exist'* ]]
	[ -z "$(find "$XDG_CONFIG_HOME" -name '*.pem' 2> /dev/null)" ]
	on a "$CINTA" init "$URL"
	run -1 on b "$CINTA" init "$URL"
	[[ $output == *'already'* ]]
	[ "$(find "$XDG_CONFIG_HOME" -name '*.pem' | wc -l)" = 1 ]
}

# tell_much: notices, a transaction each, of what is known, until $T/enough; $teller is who tells them
tell_much() {
	(for ((n = 0; n < 4000; n++)); do echo "NOTIFY cinta_tape, '1';"; done) > "$T/notices"
	(while [ -d "$T" ] && [ ! -e "$T/enough" ]; do "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U cinta -d "$DBNAME" -X -q -f "$T/notices"; done) 3>&- &
	teller=$!
}
# asks: some machine listens to nothing, for each notice of any name wakes whoever listens to one
asks() { [ "$(query "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = 'UNLISTEN *'")" != 0 ]; }

@test "where very much is told a machine asks instead of listening, and listens again when it is calm" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	line a uno begin
	synced a b
	tell_much
	wait_for 20 asks
	# what comes is shown all the same
	for ((i = 0; i < 20; i++)); do
		line a uno "storm $i"
		wait_for 10 grep -q "storm $i\"" "$T/b/sessions/uno/log.jsonl"
	done
	touch "$T/enough"
	wait "$teller"
	wait_for 10 not asks
	# and it need not wait for the look of each second
	soon=0
	for ((i = 0; i < 9; i++)); do
		sleep 0.1
		line a uno "calm $i"
		sleep 0.3
		! grep -q "calm $i\"" "$T/b/sessions/uno/log.jsonl" || soon=$((soon + 1))
	done
	echo "$soon of 9 lines within 0.3 s"
	[ "$soon" -ge 6 ]
	umount_on a
	umount_on b
	whole a b
}

@test "a machine that asks instead of listening asks for nothing that its own calls bring" {
	local asked
	through_proxy
	on b "$CINTA" init "$URL"
	query "ALTER DATABASE \"$DBNAME\" SET log_statement = 'all'"
	mount_on b "$FAR"
	line b uno begin
	tell_much
	wait_for 20 asks
	mode 'delay 15'
	python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
for i in range(100): os.write(fd, b"{\"content\":\"line %d\"}\n" % i)' "$T/b/sessions/uno/log.jsonl"
	touch "$T/enough"
	wait "$teller"
	mode pass
	# between the first of its calls and the last
	asked=$(grep -oE "line [0-9]+\"|FROM tape\.tip" "$PG/log" | sed -n '/^line 0"/,/^line 99"/p' | grep -c tip)
	echo "asked $asked times beside 100 calls"
	[ "$asked" -le 50 ]
	umount_on b
	kill "$proxy"
}
