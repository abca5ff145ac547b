# SPDX-License-Identifier: MIT
# A server that has lost entries, or has others: each machine finds that, names it, and takes no
# part in it.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

# yesterday: a copy of the database, as a backup has it
backup_of() { "$PGBIN/createdb" -h "$PG" -p "$PGPORT" -U cinta -T "$DBNAME" "$1"; }
gone_back_to() {
	"$PGBIN/dropdb" -f -h "$PG" -p "$PGPORT" -U cinta "$DBNAME"
	query_in postgres "ALTER DATABASE \"$1\" RENAME TO \"$DBNAME\""
}
query_in() { "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U cinta -d "$1" -X -q -A -t -c "$2"; }
troubled() { grep -q "\"trouble\": \"$2: " "$T/$1/.cinta/status.json" && grep -q '"read_only": true' "$T/$1/.cinta/status.json"; }

# refuses MACHINE WORD: it is read-only, and says why
refuses() {
	wait_for 10 troubled "$1" "$2"
	run ! line "$1" uno more
	grep -q "EROFS follow / cinta: $2: " "$T/$1/errors.log"
	grep -q begin "$T/$1/sessions/uno/log.jsonl"
}

@test "a server that went back to yesterday is a ROLLBACK, found while mounted and at the next mount" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	backup_of "yesterday_$DBNAME"
	mount_on a
	line a uno today
	gone_back_to "yesterday_$DBNAME"
	refuses a ROLLBACK
	umount_on a
	run mount_on a
	[[ $output == *ROLLBACK* ]]
	refuses a ROLLBACK
	grep -q today "$T/a/sessions/uno/log.jsonl"
	# a machine that had not seen today goes on
	mount_on b
	line b uno other
	umount_on a
	# now the server is longer again, and another: it is a FORK
	umount_on b
	run mount_on a
	[[ $output == *FORK* ]]
	refuses a FORK
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 2 ]
}

@test "entries deleted or changed by a superuser with the triggers off are found" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	line a uno begin
	line a uno second
	synced a b
	query "SET session_replication_role = replica; DELETE FROM tape.entry WHERE seq = 3"
	refuses a FORK
	refuses b FORK
	umount_on a
	umount_on b
	# a new machine takes what there is, and shows it, read-only
	run -0 mount_on c
	[[ $output == *'FORK: entry 3 is missing on the server'* ]]
	troubled c FORK
	grep -q begin "$T/c/sessions/uno/log.jsonl"
	run ! line c uno more
}

@test "a body that was changed on the server is not taken" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	query "SET session_replication_role = replica;
		UPDATE tape.entry SET body = convert_to(replace(convert_from(body, 'UTF8'), 'begin', 'began'), 'UTF8')
		WHERE kind = 'message'"
	run -1 on c "$CINTA" mount "$URL" "$T/c"
	[[ $output == *'FORK: among entries'* ]]
	# who has the right one shows it, and goes on
	mount_on a
	grep -q begin "$T/a/sessions/uno/log.jsonl"
	umount_on a
}

@test "another memory in the same place is a FORK" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	query 'DROP SCHEMA tape CASCADE'
	on b "$CINTA" init "$URL"
	run mount_on a
	[[ $output == *'FORK: the tape on the server is'* ]]
	refuses a FORK
}
