# SPDX-License-Identifier: MIT
# Where many write, a call lets the next one go before it is durable.  What nobody has flushed may vanish with
# the server: it is not acknowledged, and no machine takes it.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill -CONT ${flusher:-} 2> /dev/null || true
	# shellcheck disable=SC2086
	kill ${writers:-} 2> /dev/null || true
	cinta_teardown
}

sees() { grep -q "$2" "$1" 2> /dev/null; }
# only_we_flush: the server writes nothing out by itself
only_we_flush() {
	flusher=$(query "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'")
	kill -STOP "$flusher"
}
# early NUMBER [BEFORE]: a call of mount 77 that nobody flushes; $upto is where it ends in the server's log
early() {
	query "${2:-} SELECT FROM tape.append(77, $1, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s77}', '{note}', '{x:y}',
		ARRAY['\\x00112233445566778899aabbccddeeff'::bytea], ARRAY['$1']::bytea[], true)" > /dev/null
	upto=$(query 'SELECT pg_current_wal_insert_lsn()')
}
durable() { [ "$(query "SELECT pg_current_wal_flush_lsn() >= '$upto'")" = t ]; }
begin() {
	on a "$CINTA" init "$URL"
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (77, 'x', 'y', 'z')"
	next=$(query 'SELECT next FROM tape.head')
}
# is_early [ROLE]: calls are, of that role
is_early() { [ "$(query "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = '${1:-cinta}'
	AND query LIKE 'BEGIN; SELECT * FROM tape.append%'")" != 0 ]; }

@test "an early call is durable behind a flush, and whoever hears of it otherwise flushes it" {
	begin
	only_we_flush
	early 1
	not durable
	query "CALL tape.flush($next + 1)" # who has it
	not durable
	query "CALL tape.flush($next)"
	durable
	early 2
	query "SET synchronous_commit = off; CALL tape.flush(-1)"
	durable
	# sent twice, and settled
	early 3
	not durable
	early 3 'SET synchronous_commit = off;'
	durable
	early 4
	query 'SET synchronous_commit = off; SELECT * FROM tape.settle(77, 4)'
	durable
	# one that is not early, in a session that would not wait
	query "SET synchronous_commit = off; SELECT FROM tape.append(77, 5, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s77}', '{note}', '{x:y}',
		ARRAY['\\x00112233445566778899aabbccddeeff'::bytea], ARRAY['5']::bytea[])" > /dev/null
	upto=$(query 'SELECT pg_current_wal_insert_lsn()')
	durable
	[ "$(query "SELECT string_agg(convert_from(body, 'UTF8'), '' ORDER BY seq) FROM tape.entry WHERE stream = 's77'")" = 12345 ]
	# nor a redaction: whoever reads rows finds its body gone at once
	query "SELECT FROM tape.append(77, 6, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{tape}', '{tape.redact}', '{x:y}',
		ARRAY['\\x00112233445566778899aabbccddeeff'::bytea], ARRAY['{\"seq\":$next,\"leaf\":\"\"}'::bytea], true)" > /dev/null
	upto=$(query 'SELECT pg_current_wal_insert_lsn()')
	durable
}

@test "no machine takes what is not durable" {
	begin
	mount_on a
	entries() { [ "$(sqlite3 "$(replica a)" 'SELECT max(seq) + 1 FROM tape')" -ge "$1" ]; }
	only_we_flush
	for ((i = 1; i <= 12; i++)); do
		early "$i"
		for ((j = 0; j < 500; j++)); do ! entries $((next + i)) || break; done
		entries $((next + i))
		durable
	done
	# and it is there when the server has died
	pg_stop immediate
	flusher=
	pg_start
	[ "$(query "SELECT count(*) FROM tape.entry WHERE stream = 's77'")" = 12 ]
	line a uno behind || { sleep 2; line a uno behind; }
	umount_on a
	whole a
}

@test "machines that write together are early, and nothing is lost when the server dies" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	mkdir "$T/a/sessions/uno"
	wait_for 10 test -e "$T/b/sessions/uno/log.jsonl"
	for ((round = 1; round <= $(many 3 60); round++)); do
		writers_on a b
		wait_for 20 is_early
		sleep 1
		pg_stop immediate
		pg_start
		sleep 1.5
		stop_writers
	done
	wait_for 20 synced a b
	"$BATS_TEST_DIRNAME/check.py" "$T/a/sessions/uno/log.jsonl" "$T"/notes.*
	umount_on a
	umount_on b
	whole a b
}

@test "what fails before the commit is rolled back, and what fails behind it is not sent again as new" {
	on a "$CINTA" init "$URL"
	query "CREATE ROLE writer_$DBNAME LOGIN"
	query "SELECT tape.admit('writer_$DBNAME')"
	mount_on a
	mount_on b "${URL/cinta@/writer_$DBNAME@}"
	line a uno begin
	wait_for 10 sees "$T/b/sessions/uno/log.jsonl" begin
	round=1
	writers_on a
	crowded() { line b uno crowd && is_early "writer_$DBNAME"; }
	wait_for 20 crowded
	query "UPDATE tape.role SET may = 'read' WHERE role = 'writer_$DBNAME'"
	run ! line b uno refused
	query "UPDATE tape.role SET may = 'write' WHERE role = 'writer_$DBNAME'"
	line b uno again # on the same connection
	wait_for 20 crowded
	query "REVOKE EXECUTE ON PROCEDURE tape.flush FROM writer_$DBNAME"
	# until one is early, whose flush fails
	for ((i = 0; i < 200; i++)); do line b uno "line $i" 2> /dev/null || break; done
	[ "$i" -lt 200 ]
	query "GRANT EXECUTE ON PROCEDURE tape.flush TO writer_$DBNAME"
	wait_for 20 sees "$T/b/errors.log" 'SETTLED write .*stored after all'
	stop_writers
	line b uno end
	wait_for 20 synced a b
	for text in again end $(seq -f 'line_%g' 0 "$i"); do
		[ "$(grep -c "\"${text/_/ }\"" "$T/a/sessions/uno/log.jsonl")" = 1 ]
	done
	run ! grep -q '"refused"' "$T/a/sessions/uno/log.jsonl"
	umount_on a
	umount_on b
	whole a b
}
