# SPDX-License-Identifier: MIT
# A memory goes from a file to a server and back, the same to the last byte.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

rows() { sqlite3 -bail "$1" 'SELECT seq, hex(leaf_hash), hex(salt), hex(body) FROM tape ORDER BY seq'; }

@test "from a file to a server and back: the same entries, both verified" {
	cinta_mount
	mkdir "$M/sessions/uno"
	for i in 1 2 3; do echo "{\"role\":\"user\",\"content\":\"it's \\\\ \\\"ñ\\\" $i\"}" >> "$M/sessions/uno/log.jsonl"; done
	head -c 300000 /dev/urandom | base64 > "$M/notes/large.md"
	echo "it's \\x27" > "$M/notes/it's.md"
	run -1 "$CINTA" copy "$DB" "$URL"
	[[ $output == *'in use by'* ]]
	cinta_umount
	run -0 on a "$CINTA" copy "$DB" "$URL"
	[[ $output == Copied:*'both sides verified'* ]]
	diff <(rows "$DB") <(rows "$(replica a)")
	run -1 on a "$CINTA" copy "$DB" "$URL"
	[[ $output == *already* ]]
	mount_on b
	cmp "$T/b/notes/large.md" <(on a "$CINTA" cat -d "$DB" notes/large.md)
	line b uno new
	umount_on b
	run -0 on a "$CINTA" copy "$URL" "$T/back.db"
	diff <(rows "$T/back.db") <(rows "$(replica b)")
	[ "$(rows "$T/back.db" | wc -l)" = "$(query 'SELECT count(*) FROM tape.entry')" ]
	run -0 "$CINTA" verify --all "$T/back.db"
	run -1 on a "$CINTA" copy "$URL" "$T/back.db"
	# the copy is a memory of its own file
	echo '{"role":"user","content":"own"}' | "$CINTA" append -d "$T/back.db" sessions/uno/log.jsonl
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 4 ]
	run -2 "$CINTA" copy "$DB" "$T/other.db"
	whole b
}

@test "a machine that is killed while it takes all goes on where it was, and has the same" {
	"$CINTA" init "$DB"
	python3 -c 'for i in range(6000): print("{\"role\":\"user\",\"content\":\"%d %s\"}" % (i, "word " * 40))' |
		"$CINTA" append -p -d "$DB" sessions/uno/log.jsonl
	on a "$CINTA" copy "$DB" "$URL"
	for wait in 0.05 0.1 0.15 0.2 0.3 0.4 0.5; do
		run on b timeout -s KILL "$wait" "$CINTA" sync "$URL"
		run on "c$wait" timeout -s KILL "$wait" "$CINTA" sync "$URL"
		run -0 on "c$wait" "$CINTA" sync "$URL"
		whole "c$wait"
	done
	run -0 on b "$CINTA" sync "$URL"
	[[ $output == "6001 "* || $output == "6000 "* ]]
	run -0 on b "$CINTA" cat -d "$URL" sessions/uno/log.jsonl
	[ "${#lines[@]}" = 6000 ]
	whole b
}

@test "a machine whose connection ends while it takes all is connected again, and takes the rest" {
	"$CINTA" init "$DB"
	seq -f '{"role":"user","content":"line %.0f"}' 60000 | "$CINTA" append -p -d "$DB" sessions/uno/log.jsonl
	on a "$CINTA" copy "$DB" "$URL"
	on b "$CINTA" sync "$URL" > "$T/said" 3>&- &
	local syncing=$!
	wait_for 20 eval '[ "$(sqlite3 "$(replica b)" "SELECT max(seq) FROM tape" 2> /dev/null || echo 0)" -gt 4000 ]'
	query "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'cinta'" > "$T/ended"
	wait "$syncing"
	[ "$(cat "$T/ended")" -ge 1 ]
	[[ $(cat "$T/said") == 60002\ * || $(cat "$T/said") == 60001\ * ]]
	whole b
}

# read_rows: so often has a row of the tape been read, as far as ended connections have told
read_rows() { query "SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_user_tables WHERE relid = 'tape.entry'::regclass"; }
none_reads() { [ "$(query "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'cinta%'")" = 0 ]; }

@test "a machine that begins reads each row once, also of a table that nobody has analyzed" {
	"$CINTA" init "$DB"
	seq -f '{"role":"user","content":"line %.0f"}' 20000 | "$CINTA" append -p -d "$DB" sessions/uno/log.jsonl
	on a "$CINTA" copy "$DB" "$URL"
	query 'ALTER TABLE tape.entry SET (autovacuum_enabled = off)'
	wait_for 5 none_reads
	local before=$(read_rows) n=$(query 'SELECT count(*) FROM tape.entry')
	before=$((before + n)) # that count
	on b "$CINTA" sync "$URL"
	wait_for 5 none_reads
	run -0 read_rows
	echo "read $((output - before)) times for $n rows"
	[ $((output - before)) -ge "$n" ]
	[ $((output - before)) -le $((n + 1000)) ]
	whole b
}

@test "what was redacted in a file stays out, and its machines say so" {
	cinta_mount
	mkdir "$M/sessions/uno"
	for i in one secret three; do echo "{\"role\":\"user\",\"content\":\"$i\"}" >> "$M/sessions/uno/log.jsonl"; done
	cinta_umount
	"$CINTA" redact -d "$DB" --yes --reason 'by mistake' 3
	run -0 on a "$CINTA" copy "$DB" "$URL"
	[ "$(query 'SELECT count(*) FROM tape.entry WHERE body IS NULL')" = 1 ]
	mount_on b
	cmp "$T/b/sessions/uno/log.jsonl" <("$CINTA" cat -d "$DB" sessions/uno/log.jsonl)
	not grep -rq secret "$T/b/sessions"
	line b uno more
	umount_on b
	on a "$CINTA" sync -d "$URL"
	whole a b
}
