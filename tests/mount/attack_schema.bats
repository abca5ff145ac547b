# SPDX-License-Identifier: MIT
# A database that somebody else made or changed: what would run is refused by name before it can, at each opening, by
# each verb, and at once while it is mounted; nothing loops for ever.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

ENDLESS='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
# told: a memory at rest, and a copy of it
told() {
	cinta_mount
	say x 'hello there' 'and goodbye'
	echo one > "$M/notes/a.md"
	cat "$M/search/hello.md" > /dev/null
	cinta_umount
	cp "$DB" "$T/good.db" && cp "$DB.checkpoint" "$T/good.checkpoint"
}
# changed SQL: the copy again, with this run on it
changed() {
	rm -f "$DB"-wal "$DB"-shm
	cp "$T/good.db" "$DB"
	cp "$T/good.checkpoint" "$DB.checkpoint"
	sqlite3 -bail "$DB" ".dbconfig defensive off" "$1"
}
# written TYPE NAME TABLE SQL [FIRST]: the same with a row of the schema that was inserted, behind the statements FIRST
written() {
	changed "${5:-SELECT 1}; PRAGMA writable_schema = ON;
		INSERT INTO sqlite_schema VALUES('$1', '$2', '$3', 0, '$4'); PRAGMA writable_schema = RESET"
}
# refused WORDS: each verb that opens it says so, soon, and nothing is mounted
refused() {
	local verb
	for verb in "mount $DB $M" "status $DB" "search $DB hello" "doctor $DB"; do
		run timeout 20 "$CINTA" $verb
		[ "$status" -ne 0 ] && [ "$status" -ne 124 ] || { echo "$verb: $status"; return 1; }
		[[ $output == *"$1"* ]] || { echo "$verb: $output"; return 1; }
	done
	[ -z "$(mounts_below "$T")" ]
	# The entries are still there to be verified, without running anything.
	run timeout 20 "$CINTA" verify "$DB"
	[ "$status" -ne 124 ]
}

@test "a foreign trigger, view, index, table or column is refused by name" {
	told
	changed "CREATE TRIGGER evil AFTER INSERT ON tape BEGIN $ENDLESS; END"
	refused 'trigger evil on tape does not belong here'
	changed "CREATE TRIGGER evil AFTER INSERT ON v_doc BEGIN SELECT 1; END"
	refused 'trigger evil on v_doc does not belong here'
	changed "DROP TABLE v_state; CREATE VIEW v_state AS $ENDLESS"
	refused 'v_state'
	changed "DROP TABLE v_made; CREATE VIEW v_made(version) AS $ENDLESS"
	refused 'v_made'
	changed "CREATE INDEX evil ON tape (length(body))"
	refused 'index evil on tape does not belong here'
	changed "CREATE TABLE notes_of_mine(a)"
	refused 'table notes_of_mine does not belong here'
	changed "DROP TRIGGER tape_keep"
	refused 'trigger tape_keep on tape is missing'
	changed "DROP TRIGGER tape_keep; CREATE TRIGGER tape_keep BEFORE DELETE ON tape BEGIN SELECT 1; END"
	refused 'trigger tape_keep on tape is not the one this version makes'
	changed "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'body       ANY,',
		'body TEXT GENERATED ALWAYS AS (salt) VIRTUAL,') WHERE name = 'tape'; PRAGMA writable_schema = RESET"
	refused 'table tape is not the one this version makes'
	changed "DROP TABLE v_made; PRAGMA user_version = 2; CREATE TABLE v_x(a, b GENERATED ALWAYS AS (a + 1))"
	refused 'v_x does not belong here'
	# What no statement can name so is written into the schema itself.
	local evil='BEFORE UPDATE ON tape WHEN NEW.body IS NULL BEGIN SELECT RAISE(IGNORE); END'
	written trigger sqlite_evil tape "CREATE TRIGGER sqlite_evil $evil"
	refused 'trigger sqlite_evil on tape does not belong here'
	written view sqlite_stat1 sqlite_stat1 "CREATE VIEW sqlite_stat1 AS $ENDLESS"
	refused 'view sqlite_stat1 on sqlite_stat1 does not belong here'
	# As a file of another cinta: its views may differ.
	written trigger v_gone tape "CREATE TRIGGER v_gone $evil" 'DROP TABLE v_made; DROP INDEX v_gone'
	refused 'trigger v_gone on tape does not belong here'
	written Trigger v_evil v_doc "CREATE TRIGGER v_evil AFTER INSERT ON v_doc BEGIN $ENDLESS; END" 'DROP TABLE v_made'
	refused 'Trigger v_evil on v_doc does not belong here'
	changed 'ANALYZE'
	cinta_mount
	cinta_umount
	changed "SELECT 1"
	cinta_mount
	say x again
}

@test "a trigger that comes while it is mounted runs nothing" {
	local name
	cinta_mount
	say x one
	for name in evil tape_evil; do
		sql "CREATE TRIGGER $name AFTER INSERT ON tape BEGIN $ENDLESS; END" # nothing is inserted by this
		run timeout 20 bash -c "echo '{\"role\":\"user\",\"content\":\"two\"}' >> '$M/sessions/x/log.jsonl'"
		[ "$status" -eq 1 ]
		timeout 20 cat "$M/sessions/x/log.jsonl" | grep -q one
		sql "DROP TRIGGER $name"
	done
	say x three
	grep -q three "$M/sessions/x/log.jsonl"
	verified
}

@test "views that claim more than there is, or less, are made again or found; nothing loops" {
	told
	changed 'UPDATE v_state SET upto = 100000'
	run timeout 60 "$CINTA" verify --all "$DB"
	[[ $output == DERIVED* ]]
	cinta_mount
	timeout 60 cat "$M/search/hello.md" | grep -q 'hits, the best first'
	say x more
	cinta_umount
	verified
	changed 'UPDATE v_state SET upto = -5'
	run timeout 60 "$CINTA" verify --all "$DB"
	[[ $output == DERIVED* ]]
	cinta_mount
	timeout 60 cat "$M/sessions/x/log.jsonl" | grep -q goodbye
	cinta_umount
	# The search index is worth nothing: one that is another's is made again.
	cinta_mount
	cat "$M/search/hello.md" > /dev/null
	cinta_umount
	sqlite3 "$DB.search" "DROP TABLE state; CREATE VIEW state(upto, version, clean, leaf) AS $ENDLESS"
	cinta_mount
	timeout 60 cat "$M/search/hello.md" | grep -q 'hits, the best first'
}
