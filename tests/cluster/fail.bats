# SPDX-License-Identifier: MIT
# A server that fails over to its standby: a synchronous one has all that was acknowledged; what an
# asynchronous one lacks is reported by every machine that had it, and brought back by `cinta rescue`.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${writers:-} 2> /dev/null || true
	cinta_teardown
	[ ! -e "${STANDBY:-$PG/none}/postmaster.pid" ] || pg_stop immediate "$STANDBY"
}
# The next test begins with the server there is now, whose place is another than at first.
setup() {
	[ ! -e "$PG/now" ] || . "$PG/now"
	cinta_setup
	database
}
keep_server() { declare -p PGDATA PGPORT | sed 's/^declare -x/export/' > "$PG/now"; }

troubled() { grep -q "\"trouble\": \"$2: " "$T/$1/.cinta/status.json" && grep -q '"read_only": true' "$T/$1/.cinta/status.json"; }
sees() { grep -q "$2" "$1" 2> /dev/null; }
lines_of() { jq -r .content "$T/$1/sessions/$2/log.jsonl"; }
# cut: from now on the standby gets nothing
cut_standby() {
	wait_for 20 standby_has_all
	standby_query "ALTER SYSTEM SET primary_conninfo = ''" > /dev/null
	standby_query 'SELECT pg_reload_conf()' > /dev/null
	wait_for 20 no_receiver
}
no_receiver() { [ "$(standby_query 'SELECT count(*) FROM pg_stat_wal_receiver')" = 0 ]; }

# What a and b have seen, the standby has not.
lose() {
	line a uno lost1
	line a dos lost2
	echo 'two' > "$T/a/notes/x.md"
	echo 'made' > "$T/a/notes/new.md"
	mkdir -p "$T/a/notes/folder"
	echo 'inside' > "$T/a/notes/folder/y.md"
	echo '- Likes tea' >> "$T/a/facts/preferences.md"
	echo 'prune 2' > "$T/a/sessions/uno/ctl"
	echo '{"amount":7}' >> "$T/a/records/accountant.jsonl"
	line a uno lost3
	wait_for 20 sees "$T/b/sessions/uno/log.jsonl" lost3
}

@test "an asynchronous fail-over: every machine that had more says so, and rescue brings it back, once" {
	on a "$CINTA" init "$URL"
	standby_begin
	mount_on a "$URL2"
	mount_on b "$URL2"
	line a uno begin
	line a uno second
	echo one > "$T/a/notes/x.md"
	echo shared > "$T/a/notes/both.md"
	synced a b
	cut_standby
	lose
	echo lost >> "$T/a/notes/both.md"
	wait_for 20 sees "$T/b/notes/both.md" lost
	n=$(query 'SELECT count(*) FROM tape.entry')
	fail_over
	keep_server
	lost=$((n - $(query 'SELECT count(*) FROM tape.entry')))
	[ "$lost" -gt 12 ]
	for m in a b; do
		wait_for 30 troubled $m ROLLBACK
		grep -q "EROFS follow / cinta: ROLLBACK: the server's tape has $((n - lost)) entries, this machine has had $n" "$T/$m/errors.log"
		run ! line $m uno more
		grep -q lost3 "$T/$m/sessions/uno/log.jsonl"
	done
	# life goes on meanwhile: one saves the same document, makes a session first, uses a name
	mount_on c "$URL2"
	echo 'by c' > "$T/c/notes/both.md"
	line c tres between
	line c uno other
	umount_on c
	umount_on a
	umount_on b
	run -0 on a "$CINTA" rescue "$URL2"
	[[ $output == *'Set aside: '*lost-*'.db'*"Of $lost entries that the server has lost, from $((n - lost)) on: $lost are back, 0 were there, 0 were left out"* ]]
	[[ $output == *'1 documents were saved since'* ]]
	mount_on a "$URL2"
	[ "$(lines_of a uno | paste -sd' ')" = 'begin second other lost1 lost3' ]
	[ "$(lines_of a dos)" = lost2 ]
	[ "$(lines_of a tres)" = between ]
	[ "$(cat "$T/a/notes/x.md")" = two ]
	[ "$(cat "$T/a/notes/new.md")" = made ]
	[ "$(cat "$T/a/notes/folder/y.md")" = inside ]
	grep -q 'Likes tea' "$T/a/facts/preferences.md"
	grep -q '"amount":7' "$T/a/records/accountant.jsonl"
	[ "$(sqlite3 "$(replica a)" "SELECT body FROM tape WHERE kind = 'context' AND seq >= $((n - lost))")" = '{"op":"prune","ids":[[2,2]]}' ]
	[ "$(cat "$T/a/notes/both.md")" = 'by c' ]
	[ "$(cat "$T/a/notes/both.md@3")" = $'shared\nlost' ]
	# each line says which one it was
	old=$(ls "$T"/cache-a/cinta/*/lost-*.db)
	[ "$(jq -r 'select(.content == "lost3") | .source.hash' "$T/a/sessions/uno/log.jsonl")" = \
		"$(sqlite3 "$old" "SELECT lower(hex(leaf_hash)) FROM tape WHERE body LIKE '%lost3%'")" ]
	# the other machine has the same to bring back: it is there
	run -0 on b "$CINTA" rescue "$URL2"
	[[ $output == *": 0 are back, $lost were there, 0 were left out"* ]]
	# and of a file that is named; a third machine's is whole
	run -0 on c "$CINTA" rescue "$old" "$URL2"
	[[ $output == *": 0 are back, $lost were there, 0 were left out"* ]]
	run -1 on c "$CINTA" rescue "$old" "$URL2&x=y"
	mount_on b "$URL2"
	synced a b
	line b uno end
	wait_for 20 sees "$T/a/sessions/uno/log.jsonl" end
	run -1 on a "$CINTA" rescue "$URL2"
	[[ $output == *'in use by'* ]]
	umount_on a
	umount_on b
	run -0 on a "$CINTA" rescue "$URL2"
	[[ $output == *'Nothing is lost'* ]]
	whole a b
}

all_go_on() { [ "$(cat "$T"/notes.*."$round" | grep -c ^ok)" -gt "$1" ]; }
@test "synchronous fail-overs: what was acknowledged is there, writers go on by themselves" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	echo 'ok begin 0' > "$T/notes.0"
	for ((round = 1; round <= $(many 2 50); round++)); do
		standby_begin
		# the standby's own settings are as they were
		query "ALTER SYSTEM SET synchronous_standby_names = '*'"
		query 'SELECT pg_reload_conf()' > /dev/null
		mount_on a "$URL2"
		mount_on b "$URL2"
		writers_on a b
		wait_for 30 all_go_on 40
		fail_over
		keep_server
		before=$(cat "$T"/notes.*."$round" | grep -c ^ok)
		wait_for 60 all_go_on $((before + 40))
		stop_writers
		echo "round $round: stall $(stall "$T"/notes.*."$round") ms" >&3
		wait_for 20 synced a b
		"$BATS_TEST_DIRNAME/check.py" "$T/a/sessions/uno/log.jsonl" "$T"/notes.* >&3
		cmp "$T/a/.cinta/tape.jsonl" "$T/b/.cinta/tape.jsonl"
		umount_on a
		umount_on b
	done
	whole a b
}

@test "asynchronous fail-overs: no loss is silent, and all of it comes back" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	for ((round = 1; round <= $(many 1 50); round++)); do
		standby_begin
		mount_on a "$URL2"
		mount_on b "$URL2"
		line a uno "kept-$round"
		cut_standby
		echo "ok alone-$round 0" > "$T/notes.alone.$round"
		line a uno "alone-$round"
		writers_on a b
		wait_for 30 all_go_on 40
		sleep 0.$((RANDOM % 9))
		fail_over
		keep_server
		for m in a b; do
			wait_for 30 eval "troubled $m ROLLBACK || troubled $m FORK"
			grep -qE 'EROFS follow / cinta: (ROLLBACK|FORK)' "$T/$m/errors.log"
		done
		stop_writers
		echo "ok kept-$round 0" > "$T/notes.kept.$round"
		umount_on a
		umount_on b
		run -0 on a "$CINTA" rescue "$URL2"
		echo "round $round: ${lines[-1]}" >&3
		run -0 on b "$CINTA" rescue "$URL2"
		mount_on a "$URL2"
		mount_on b "$URL2"
		synced a b
		echo 'ok begin 0' > "$T/notes.0"
		"$BATS_TEST_DIRNAME/check.py" "$T/b/sessions/uno/log.jsonl" "$T"/notes.* >&3
		umount_on a
		umount_on b
	done
	whole a b
}
