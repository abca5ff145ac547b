# SPDX-License-Identifier: MIT
# pgbouncer in transaction mode between machines and server: all is as without it, but that nobody
# tells of others' entries, so they are asked for.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

# pooler_begin: $POOLED leads to the server through few connections that all share
pooler_begin() {
	[ -n "${POOLER:-}" ] || {
		POOLER=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
		POOLED=${TCP/:$PGPORT/:$POOLER}
		echo '"cinta" ""' > "$PG/users"
		cat > "$PG/pooler.ini" <<- END
			[databases]
			* = host=$PG port=$PGPORT
			[pgbouncer]
			listen_addr = 127.0.0.1
			listen_port = $POOLER
			unix_socket_dir =
			auth_type = trust
			auth_file = $PG/users
			pool_mode = transaction
			default_pool_size = 3
		END
	}
	(cd "$PG" && pg_as /usr/sbin/pgbouncer "$PG/pooler.ini" > "$PG/pooler.log" 2>&1 3>&- 4>&- 5>&- 6>&-) &
	wait_for 10 "$PGBIN/pg_isready" -q -h 127.0.0.1 -p "$POOLER" -U cinta -d "$DBNAME"
}
pooler_pid() { pgrep -f "^/usr/sbin/pgbouncer $PG/pooler.ini\$"; }
pooler_end() {
	local pid
	pid=$(pooler_pid) || return 0
	kill "$pid"
	while pooler_pid > /dev/null; do sleep 0.05; done
}
teardown() {
	pooler_end
	cinta_teardown
}
log_has() { grep -q "$2" "$T/$1/errors.log"; }
sees() { grep -q "$2" "$1" 2> /dev/null; }
asks() { grep -cF 'SELECT next, wrong FROM tape.tip(' "$PG/log" || true; }
# within FROM TO: as often it is asked in three seconds
within() {
	local before n
	before=$(asks)
	sleep 3
	n=$(($(asks) - before))
	[ "$n" -ge "$1" ] && [ "$n" -le "$2" ]
}

@test "machines behind a pooler write and read; what nobody tells them they ask for, five times a second" {
	pooler_begin
	on b "$CINTA" init "$POOLED"
	mount_on a
	mount_on b "$POOLED"
	line a uno hola
	wait_for 10 sees "$T/b/sessions/uno/log.jsonl" hola
	for ((i = 0; i < 300; i++)); do line a uno "a$i"; echo "b $i" > "$T/b/notes/n$((i % 9)).md"; done
	mount_on c "$POOLED" # more than comes with one question
	for m in a b c; do
		line "$m" uno "of $m" &
		line "$m" "$m" "own of $m"
		wait $!
	done
	synced a b c
	[ "$(wc -l < "$T/c/sessions/uno/log.jsonl")" = 304 ]
	run ! grep -v ENOENT "$T/b/errors.log"
	umount_on a
	umount_on c
	whole a c
	query "ALTER DATABASE $DBNAME SET log_statement = 'all'"
	umount_on b
	pooler_end
	pooler_begin
	mount_on b "$POOLED"
	wait_for 10 within 8 30
	umount_on b
	mount_on b # without it once a second is enough
	wait_for 10 within 1 7
	umount_on b
	whole b
}

@test "fresh=open behind a pooler" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	pooler_begin
	mkdir "$T/b"
	on b "$CINTA" mount -o fresh=open "$POOLED" "$T/b"
	run -0 "$BATS_TEST_DIRNAME/opens.py" "$T/a" "$T/b" "$(many 30 300)" .b
	[ "$output" = 'line=0 size=0 document=0 name=0 listing=0 here=0 moved=0' ] || { echo "$output" && false; }
	umount_on a
	umount_on b
	whole a b
}

@test "a pooler that goes and comes back: nothing is written meanwhile, and it goes on by itself" {
	on a "$CINTA" init "$URL"
	pooler_begin
	mount_on b "$POOLED"
	line b uno begin
	pooler_end
	run ! line b uno lost
	log_has b 'EHOSTDOWN write sessions/uno/log.jsonl'
	grep -q begin "$T/b/sessions/uno/log.jsonl"
	pooler_begin
	wait_for 20 log_has b 'SETTLED follow .*answers again'
	line b uno again
	umount_on b
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 2 ]
	whole b
}
