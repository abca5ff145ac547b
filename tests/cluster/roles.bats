# SPDX-License-Identifier: MIT
# Who may what on a server: readers, writers, owners; by which name one writes; what an owner takes out
# goes on every machine; one machine signs for all.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${proxy:-} 2> /dev/null || true
	cinta_teardown
}

sees() { grep -q "$2" "$1" 2> /dev/null; }
# let ROLE WORDS…: a role of this database, and what it may; $as is its URL
let() {
	query "CREATE ROLE $1_$DBNAME LOGIN"
	query "SELECT tape.admit('$1_$DBNAME'$2)"
	as=${URL/cinta@/$1_$DBNAME@}
}
gone_from() { not grep -rqa "$2" "$T/cache-$1"; }
# keyless COMMAND…: on a machine without the key
keyless() { XDG_CONFIG_HOME=$T/nokeys "$@"; }

@test "a reader reads, is refused in words, and what a writer writes begins with its name" {
	on a "$CINTA" init "$URL"
	let writer ", 'write', 'deck'"
	mount_on b "$as"
	line b uno hello
	on d "$CINTA" append -o owner=alice -d "$as" sessions/uno/log.jsonl <<< '{"content":"as alice"}'
	on d "$CINTA" append -o owner=deck -d "$as" sessions/uno/log.jsonl <<< '{"content":"as deck"}'
	wait_for 10 sees "$T/b/sessions/uno/log.jsonl" 'as deck'
	[ "$(jq -r .author "$T/b/sessions/uno/log.jsonl" | cut -d: -f1 | sort -u)" = deck ]
	[[ $(jq -r 'select(.content == "as alice") | .author' "$T/b/sessions/uno/log.jsonl") == deck:alice:* ]]
	[[ $(jq -r 'select(.content == "as deck") | .author' "$T/b/sessions/uno/log.jsonl") != deck:deck:* ]]
	let reader ", 'read'"
	mount_on c "$as"
	grep -q hello "$T/c/sessions/uno/log.jsonl"
	run ! line c uno more
	grep -q 'EROFS write sessions/uno/log.jsonl' "$T/c/errors.log"
	not jq -e .behind_since "$T/c/.cinta/status.json"
	line b uno again
	wait_for 10 sees "$T/c/sessions/uno/log.jsonl" again
	# nor does it keep those with the key from signing, nor give a note, nor fill by a role it is in
	as_reader() { "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "reader_$DBNAME" -d "$DBNAME" -X -q -A -t -c "$1"; }
	query "UPDATE tape.lease SET until = now() - interval '1 minute'; DELETE FROM tape.note"
	[ "$(as_reader "SELECT signs FROM tape.exchange(5, 0, -1, true, 1, 'a note')")" = f ]
	[ "$(query 'SELECT count(*) FROM tape.note')" = 0 ]
	query "GRANT writer_$DBNAME TO reader_$DBNAME"
	[ "$(as_reader 'SELECT upto FROM tape.tables_upto(5, 28, 100)')" = -1 ]
	[ "$(as_reader "SELECT tape.fill(5, 'upto', 100, 0, '0')")" = 42501 ]
	query "REVOKE writer_$DBNAME FROM reader_$DBNAME"
	# whether it is to fill the tables it asks once, not every ten seconds
	sleep 11
	[ "$(grep -c 'permission denied for function tables_upto' "$PG/log")" = 1 ]
	# taken back
	query "SELECT tape.dismiss('reader_$DBNAME')"
	umount_on c
	run mount_on c "$as"
	[[ $output == *'permission denied'* ]]
	"$CINTA" umount "$T/c" || true
	run ! query "SELECT tape.admit('reader_$DBNAME', 'everything')"
	umount_on b
	whole b
}

@test "a redaction goes to all machines, says which have done it, and only an owner may" {
	on a "$CINTA" init "$URL"
	mount_on a
	keyless mount_on b
	keyless mount_on c
	line a uno before
	line a uno 'the-secret-word'
	line b uno after
	synced a b c
	umount_on c
	grep -rqa the-secret-word "$T/cache-c"
	run -0 on a "$CINTA" redact -d "$(replica a)" --yes --reason 'by mistake' 3
	[[ $output == *'Done on 2 of 3 machines'*"not yet on $(hostname), "*cache-c*'last seen '* ]]
	[ "$(query 'SELECT count(*) FROM tape.entry WHERE body IS NULL')" = 1 ]
	for m in a b; do
		wait_for 10 sees "$T/$m/sessions/uno/log.jsonl" 'redacted: by mistake'
		wait_for 20 gone_from $m the-secret-word
	done
	grep -q after "$T/b/sessions/uno/log.jsonl"
	# the third does it when it comes
	keyless mount_on c
	wait_for 20 gone_from c the-secret-word
	wait_for 20 all_clean
	line c uno more
	wait_for 10 sees "$T/a/sessions/uno/log.jsonl" more
	umount_on a
	umount_on b
	umount_on c
	whole a b c
	# whoever may not
	let writer ''
	run ! "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "writer_$DBNAME" -d "$DBNAME" -X -c "SELECT tape.take_body('{\"seq\":2}', 9)"
	[[ $output == *'permission denied'* ]]
	mount_on d "$as"
	run -1 on d "$CINTA" redact -d "$(replica d)" --yes --reason 'not mine' 2
	[[ $output == *'only an owner'* ]]
	[ "$(query 'SELECT count(*) FROM tape.entry WHERE body IS NULL')" = 1 ]
	umount_on d
}
all_clean() { [ "$(query 'SELECT bool_and(clean) FROM tape.machines()')" = t ]; }

@test "a redaction that the owner has not signed takes nothing from any machine" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno keep-me
	leaf=$(query "SELECT encode(leaf_hash, 'hex') FROM tape.entry WHERE seq = 2")
	n=$(query "SELECT count(*) FROM tape.mount")
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (77, 'x', 'y', 'z');
		SELECT tape.append(77, 1, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{tape}', '{tape.redact}', '{x:y}',
		ARRAY['\\x00112233445566778899aabbccddeeff'::bytea],
		ARRAY[convert_to('{\"seq\":2,\"leaf\":\"$leaf\",\"time_us\":1,\"reason\":\"x\",\"sig\":\"' || repeat('A', 86) || '==\"}', 'UTF8')])"
	synced a
	grep -q keep-me "$T/a/sessions/uno/log.jsonl"
	umount_on a
	run -0 "$CINTA" verify --all "$(replica a)"
	# who comes new has not the body, and says that nobody signed for it
	mount_on b
	wait_for 10 grep -q REDACTED-UNPROVED "$T/b/.cinta/status.json"
	umount_on b
}

@test "one of the machines with the key signs, the others have its notes and are in no trouble" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	keyless mount_on c
	line a uno one
	[ "$(query "SELECT count(*) FROM tape.lease WHERE what = 'sign'")" = 1 ]
	for m in a b c; do [ "$(jq -r .trouble "$T/$m/.cinta/status.json")" = null ]; done
	wait_for 60 signed_on c
	umount_on a
	umount_on b
	umount_on c
	whole a b c
}
signed_on() { [ "$(jq .signed_upto "$T/$1/.cinta/status.json")" -ge 3 ]; }
