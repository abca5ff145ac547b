# SPDX-License-Identifier: MIT
# A PostgreSQL server of the test file's own, and a database on it for each test.
# It listens at a socket in $PG, and at 127.0.0.1 on $PGPORT, and trusts whoever comes.
# Machines are caches: `on a cinta …` runs a verb on machine a.
# shellcheck shell=bash

pg_bin() { find /usr/lib/postgresql -path '*/bin/postgres' 2> /dev/null | sort -V | tail -1 | xargs -r dirname; }
# The server runs as no root.
pg_as() { if [ "$(id -u)" = 0 ]; then setpriv --reuid nobody --regid nogroup --clear-groups "$@"; else "$@"; fi; }

pg_begin() {
	PGBIN=$(pg_bin)
	[ -n "$PGBIN" ] || { echo 'no PostgreSQL: apt-get install postgresql' >&2 && return 1; }
	PG=$(mktemp -d /var/tmp/cinta-pg.XXXXXX)
	PGPORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	PGDATA=$PG/data
	export PGBIN PG PGPORT PGDATA CINTA_SOURCE=${CINTA_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
	[ "$(id -u)" != 0 ] || chown nobody:nogroup "$PG"
	chmod 755 "$PG"
	(cd "$PG" && pg_as "$PGBIN/initdb" -D "$PGDATA" -U cinta -A trust -E UTF8 --no-locale > "$PG/initdb.log" 2>&1) ||
		{ cat "$PG/initdb.log" >&2 && return 1; }
	pg_start
}
# pg_start [DIR PORT]
pg_start() {
	(cd "$PG" && pg_as "$PGBIN/pg_ctl" -D "${1:-$PGDATA}" -l "$PG/log" -t 120 -w start \
		-o "-k '$PG' -p ${2:-$PGPORT} -c listen_addresses=127.0.0.1 -c max_connections=50" > /dev/null 3>&- 4>&- 5>&- 6>&-)
}
# pg_stop [MODE [DIR]]: fast or immediate
pg_stop() { (cd "$PG" && pg_as "$PGBIN/pg_ctl" -D "${2:-$PGDATA}" -t 120 -w -m "${1:-fast}" stop > /dev/null); }
pg_end() {
	[ -n "${PG:-}" ] || return 0
	pg_stop immediate 2> /dev/null || true
	[ ! -e "${STANDBY:-$PG/none}/postmaster.pid" ] || pg_stop immediate "$STANDBY" || true
	rm -rf --one-file-system "$PG"
}
pg_pid() { head -1 "$PGDATA/postmaster.pid"; }

# A standby in $STANDBY on $STANDBYPORT, which follows the server; URL2 is $URL with both.
standby_begin() {
	STANDBY=$PG/data.$RANDOM
	STANDBYPORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	(cd "$PG" && pg_as "$PGBIN/pg_basebackup" -D "$STANDBY" -R -X stream -c fast -h "$PG" -p "$PGPORT" -U cinta)
	pg_start "$STANDBY" "$STANDBYPORT"
	URL2="postgresql://cinta@/$DBNAME?host=$PG,$PG&port=$PGPORT,$STANDBYPORT"
}
standby_query() { "$PGBIN/psql" -h "$PG" -p "$STANDBYPORT" -U cinta -d "$DBNAME" -X -q -A -t -c "$1"; }
standby_has_all() {
	local end
	end=$(query 'SELECT pg_current_wal_lsn()') &&
		[ "$(standby_query "SELECT pg_last_wal_replay_lsn() >= '$end'::pg_lsn")" = t ]
}
# The server dies, and the standby takes its place.
fail_over() {
	pg_stop immediate
	(cd "$PG" && pg_as "$PGBIN/pg_ctl" -D "$STANDBY" -w promote > /dev/null)
	rm -rf --one-file-system "$PGDATA"
	PGDATA=$STANDBY PGPORT=$STANDBYPORT STANDBY=
}

# query SQL: its rows, as the owner of all
query() { "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U cinta -d "$DBNAME" -X -q -A -t -v ON_ERROR_STOP=1 -c "$1"; }
# database: a new one, at $URL
database() {
	DBNAME=db_$BATS_SUITE_TEST_NUMBER${1:-}
	"$PGBIN/createdb" -h "$PG" -p "$PGPORT" -U cinta "$DBNAME"
	URL="postgresql://cinta@/$DBNAME?host=$PG&port=$PGPORT"
	TCP="postgresql://cinta@127.0.0.1:$PGPORT/$DBNAME"
}

on() { XDG_CACHE_HOME=$T/cache-$1 "${@:2}"; }
replica() { find "$T/cache-$1" -name replica.db; }
# mount_on MACHINE [URL]: at $T/MACHINE
mount_on() {
	mkdir -p "$T/$1"
	on "$1" "$CINTA" mount "${2:-$URL}" "$T/$1"
}
# all_ended: waits for $writers, and fails if one of writer.py has failed.  The shell forgets one that ended
# thousands of others ago (wait: 127), so each leaves a mark.
all_ended() {
	local w
	for w in $writers; do wait "$w" || [ $? = 127 ]; done
	for w in "$T"/notes.*[a-z]*; do [ -e "$T/ended.${w##*/notes.}" ]; done
}
# As cinta_umount: what a daemon has to write when it ends may take its time.
umount_on() {
	local said
	said=$("$CINTA" umount "$T/$1" 2>&1) || [[ $said == *'is still busy'* ]] || { echo "$said" && return 1; }
	wait_for 20 not owned "$(replica "$1")" || { threads_of "$(owner_of "$(replica "$1")")" && return 1; }
}

# line MACHINE SESSION TEXT.  What another machine has just made may come between the look and the mkdir.
line() {
	[ -d "$T/$1/sessions/$2" ] || mkdir -p "$T/$1/sessions/$2"
	echo "{\"role\":\"user\",\"content\":\"$3\"}" >> "$T/$1/sessions/$2/log.jsonl"
}
# synced MACHINE…: each ends with what the server ends with
synced() {
	local m end
	end=$(query "SELECT seq || ' ' || encode(leaf_hash, 'hex') FROM tape.entry ORDER BY seq DESC LIMIT 1")
	for m; do [ "$(cat "$T/$m/.cinta/sync")" = "$end" ] || return 1; done
}
# of_server: each entry as the server has it
of_server() {
	query "SELECT seq, stream, stream_seq, encode(prev, 'hex'), time_us, kind, author, body_len,
		encode(body_hash, 'hex'), encode(leaf_hash, 'hex'), encode(salt, 'hex'), encode(body, 'hex')
		FROM tape.entry ORDER BY seq"
}
# of_replica MACHINE: the same of a replica, which packs older versions
of_replica() {
	PYTHONPATH=$BATS_TEST_DIRNAME/.. PYTHONDONTWRITEBYTECODE=1 python3 -c 'import sqlite3, sys, verify
db = sqlite3.connect(sys.argv[1])
db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
for row in db.execute("SELECT seq, stream, stream_seq, lower(hex(prev)), time_us, kind, author, body_len,"
                      " lower(hex(body_hash)), lower(hex(leaf_hash)), lower(hex(salt)), body FROM tape ORDER BY seq"):
    body = verify.plain(row[11], row[7], verify.dictionary(db)) if type(row[11]) is bytes else row[11] or ""
    print(*(x if x is not None else "" for x in row[:11]), body.encode("utf-8", "surrogateescape").hex(), sep="|")
' "$(replica "$1")"
}
# whole MACHINE…: unmounted, each is the server's tape byte for byte, and verifies
whole() {
	local m out
	of_server > "$T/server.rows"
	[ "$(query 'SELECT count(*) = max(seq) + 1 AND max(seq) + 1 = (SELECT next FROM tape.head) FROM tape.entry')" = t ]
	for m; do
		of_replica "$m" | cmp - "$T/server.rows" || return 1
		out=$("$CINTA" verify --all "$(replica "$m")") || { echo "$m: $out" && return 1; }
		[[ $out == OK* ]] || { echo "$m: $out" && return 1; }
	done
}
# through_proxy: $FAR leads to the server through a proxy, of which mode() says what it does
through_proxy() {
	local port
	echo pass > "$T/mode"
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$BATS_TEST_DIRNAME/proxy.py" "$port" "$PGPORT" "$T/mode" > "$T/proxy.out" 3>&- &
	proxy=$!
	wait_for 10 grep -qs ready "$T/proxy.out"
	FAR=${TCP/:$PGPORT/:$port}
}
mode() { echo "$1" > "$T/mode.new" && mv "$T/mode.new" "$T/mode"; }
# stall NOTES…: the longest time between two acknowledged lines of a writer, in ms
stall() {
	python3 -c 'import sys
print(max(max(b - a for a, b in zip(t, t[1:])) for t in
	([int(l.split()[2]) for l in open(n) if l.startswith("ok ")] for n in sys.argv[1:]) if len(t) > 1))' "$@"
}
# writers_on MACHINE…: two on each, until stop_writers; what they did stands in notes.MACHINE*.$round
writers_on() {
	local m w
	writers=
	rm -f "$T/stop"
	for m; do
		for w in 1 2; do
			"$BATS_TEST_DIRNAME/writer.py" "$T/$m/sessions/uno/log.jsonl" "$T/notes.$m$w.$round" "$m$w-$round" \
				0 "$T/stop" 3>&- &
			writers+=" $!"
		done
	done
}
stop_writers() {
	local w
	: > "$T/stop"
	for w in $writers; do wait "$w"; done
	writers=
}

# What each file begins and ends with; who leaves more running has a teardown of its own.
setup_file() { pg_begin; }
teardown_file() { pg_end; }
setup() {
	cinta_setup
	database
}
teardown() { cinta_teardown; }
