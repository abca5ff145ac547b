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
	export PGBIN PG PGPORT CINTA_SOURCE=${CINTA_SOURCE:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
	[ "$(id -u)" != 0 ] || chown nobody:nogroup "$PG"
	chmod 755 "$PG"
	(cd "$PG" && pg_as "$PGBIN/initdb" -D "$PG/data" -U cinta -A trust -E UTF8 --no-locale > "$PG/initdb.log" 2>&1) ||
		{ cat "$PG/initdb.log" >&2 && return 1; }
	pg_start
}
pg_start() {
	(cd "$PG" && pg_as "$PGBIN/pg_ctl" -D "$PG/data" -l "$PG/log" -t 120 -w start \
		-o "-k '$PG' -p $PGPORT -c listen_addresses=127.0.0.1 -c max_connections=50" > /dev/null 3>&- 4>&- 5>&- 6>&-)
}
# pg_stop [MODE]: fast or immediate
pg_stop() { (cd "$PG" && pg_as "$PGBIN/pg_ctl" -D "$PG/data" -t 120 -w -m "${1:-fast}" stop > /dev/null); }
pg_end() {
	[ -n "${PG:-}" ] || return 0
	pg_stop immediate 2> /dev/null || true
	rm -rf --one-file-system "$PG"
}
pg_pid() { head -1 "$PG/data/postmaster.pid"; }

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
umount_on() { "$CINTA" umount "$T/$1" && wait_for 20 not owned "$(replica "$1")"; }

# line MACHINE SESSION TEXT
line() {
	[ -d "$T/$1/sessions/$2" ] || mkdir "$T/$1/sessions/$2"
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
of_replica() {
	sqlite3 -bail "$(replica "$1")" "SELECT seq, stream, stream_seq, lower(hex(prev)), time_us, kind, author,
		body_len, lower(hex(body_hash)), lower(hex(leaf_hash)), lower(hex(salt)), lower(hex(body)) FROM tape ORDER BY seq"
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
# What each file begins and ends with; who leaves more running has a teardown of its own.
setup_file() { pg_begin; }
teardown_file() { pg_end; }
setup() {
	cinta_setup
	database
}
teardown() { cinta_teardown; }
