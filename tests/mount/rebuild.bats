# SPDX-License-Identifier: MIT
# `cinta rebuild` writes a new file from the entries of the tape and puts it in the old one's place.
# What is derived may be damaged in any way; the entries are what they were; killed at any moment,
# or without room, it leaves a whole file and loses nothing.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() {
	[ -z "${rebuild:-}" ] || kill -KILL "$rebuild" 2> /dev/null || true
	clean_below "$T"
	umount -l "$T/disk" 2> /dev/null || true
	cinta_teardown
}

# fill [N]: a memory with sessions, documents, facts; put away, and what it holds is in $T/tape
fill() {
	local i
	cinta_mount
	mkdir "$M/sessions/x" "$M/notes/deep"
	for i in $(seq "${1:-400}"); do echo "{\"content\":\"line $i of the long story of the library\"}"; done >> "$M/sessions/x/log.jsonl"
	for i in $(seq 12); do
		{ echo "# Note $i"; seq -f "line %g of note $i" 300; } > "$M/notes/deep/n$i.md"
	done
	echo '- likes plum cake' >> "$M/facts/personal.md"
	cat "$M/search/story library.md" > /dev/null
	cinta_umount
	remember
}

entries() { sqlite3 -readonly "$1" "SELECT seq, stream, stream_seq, hex(prev), time_us, kind, author, body_len, hex(body_hash), hex(leaf_hash), hex(salt), typeof(body), hex(body) FROM tape ORDER BY seq"; }
proofs() { sqlite3 -readonly "$1" "SELECT * FROM tape_checkpoint ORDER BY size; SELECT level, idx, hex(hash) FROM tape_tile ORDER BY level, idx"; }
# remember: what must be the same for ever
remember() {
	entries "$DB" > "$T/tape"
	proofs "$DB" > "$T/proofs"
	"$CINTA" verify "$DB" > "$T/verdict"
	[[ $(head -1 "$T/verdict") == OK* ]]
}
# same [DB]: the tape is what it was, all that follows from it as well, and nothing is left over
same() {
	entries "${1:-$DB}" | cmp - "$T/tape"
	proofs "${1:-$DB}" | cmp - "$T/proofs"
	"$CINTA" verify --all "${1:-$DB}" > "$T/now"
	cmp "$T/now" "$T/verdict"
	left_over
}
# left_over: no file of a rebuild is beside the database
left_over() { [ -z "$(find "$T" -name '*.rebuilt-*' -print)" ]; }
damage() { python3 "$HERE/pages.py" "$DB" "$@" > /dev/null; }

@test "damage in views, their indexes, the search, the tiles, an index of the tape: mended" {
	fill
	cp "$DB" "$T/good"
	for what in 'v_message leaf all' 'v_message_owner leaf half' 'v_group leaf 0' 'v_hash_hash internal 0' \
		'v_doc leaf 0' 'v_fact leaf 0' 'v_state leaf 0' 'v_made leaf 0' 'tape_tile leaf 0' \
		'sqlite_autoindex_tape_1 leaf half' 'sqlite_autoindex_tape_1 internal 0'; do
		echo "$what"
		cp "$T/good" "$DB"
		# shellcheck disable=SC2086
		damage $what
		run "$CINTA" verify --all "$DB"
		[ "$status" -eq 1 ]
		"$CINTA" rebuild "$DB"
		same
	done
	head -c 20000 /dev/urandom > "$DB.search"
	"$CINTA" rebuild "$DB"
	same
	cinta_mount
	grep -q 'messages/000007.md' "$M/search/line 7 story.md"
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 400 ]
	[ "$(sed -n 3p "$M/notes/deep/n4.md")" = 'line 2 of note 4' ]
	grep -q 'plum cake' "$M/facts/personal.md"
	say x after
	cinta_umount
	verified
}

@test "damage in the list of free pages: mended; what was dropped or added to the schema, too" {
	fill
	sql 'CREATE TABLE v_filler(x); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO v_filler SELECT zeroblob(3000) FROM n; DROP TABLE v_filler'
	[ "$(sql 'PRAGMA freelist_count')" -gt 100 ]
	damage freelist
	# SQLite 3.40 leaves the list out of its check where a view comes first in its hash of tables.
	run "$CINTA" verify --all "$DB"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == 'DERIVED: the rows hold, but the file is damaged: '* ]]
	[[ $("$CINTA" doctor "$DB" || true) == *'fail the file is damaged: '*"cinta rebuild $DB"* ]]
	"$CINTA" rebuild "$DB"
	same
	[ "$(sql 'PRAGMA freelist_count')" -eq 0 ] || [ "$(sql 'PRAGMA freelist_count')" -lt 30 ]
	for change in 'DROP TRIGGER tape_keep' 'DROP INDEX v_message_owner' 'CREATE TRIGGER z AFTER INSERT ON v_group BEGIN SELECT 1; END' \
		'CREATE TABLE other(x)' 'DROP TABLE v_fact' 'CREATE VIEW v_z AS SELECT * FROM tape'; do
		echo "$change"
		sql "$change"
		run "$CINTA" verify --all "$DB"
		[ "$status" -eq 1 ]
		"$CINTA" rebuild "$DB"
		same
	done
}

@test "each way in which the list of free pages can be wrong is found; one in the log is none" {
	fill
	sql 'CREATE TABLE v_filler(x); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) INSERT INTO v_filler SELECT zeroblob(3000) FROM n; DROP TABLE v_filler; PRAGMA wal_checkpoint(TRUNCATE)'
	cp "$DB" "$T/good"
	for what in 'one more' 'one twice' 'a circle' 'behind the end' 'the first page' 'too many' 'none of them'; do
		cp "$T/good" "$DB"
		python3 "$HERE/free_list.py" "$DB" "$what"
		run "$CINTA" verify --all "$DB"
		echo "$what: ${lines[0]}"
		[ "$status" -eq 1 ]
		[[ $output == *': the list of free pages '* ]]
	done
	cp "$T/good" "$DB"
	# Beside a daemon whose newest list stands in its log, while it writes.
	cinta_mount
	for i in $(seq 2000); do echo "{\"content\":\"word $i\"}"; done >> "$M/sessions/x/log.jsonl" &
	for i in 1 2 3; do
		"$CINTA" verify --all "$DB" > "$T/said" || { cat "$T/said"; false; }
	done
	wait
	cinta_umount
	"$CINTA" verify --all "$DB"
}

@test "a log that nobody took in, a mode, the files beside it: all as they were" {
	fill
	cinta_mount
	say x 'the last line'
	pid=$(owner_of "$DB")
	kill -9 "$pid"
	wait_for 10 not owned "$DB"
	clean_below "$T"
	[ -s "$DB-wal" ]
	entries "$DB" > "$T/tape"
	chmod 640 "$DB"
	sha256sum "$DB.side" "$DB.checkpoint" > "$T/beside"
	"$CINTA" rebuild "$DB"
	entries "$DB" | cmp - "$T/tape"
	sha256sum -c --quiet "$T/beside"
	[ "$(stat -c %a "$DB")" = 640 ]
	left_over
	cinta_mount
	[ "$(contents "$M/sessions/x/log.jsonl" | tail -1)" = 'the last line' ]
	cinta_umount
	verified
}

@test "what was redacted stays so, with its proof" {
	fill
	"$CINTA" redact --yes --reason 'a key' --match 'line 17 of the long' "$DB" > /dev/null
	remember
	[ "$(sql 'SELECT count(*) FROM tape WHERE body IS NULL')" -ge 1 ]
	damage v_message leaf all
	"$CINTA" rebuild "$DB"
	same
	not grep -q 'line 17 of the long' "$DB"
	cinta_mount
	grep -q '\[redacted: a key\]' "$M/sessions/x/log.jsonl"
	cinta_umount
}

@test "--compact says what it gained, --keep keeps the old file" {
	fill
	sql 'CREATE TABLE v_filler(x); WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO v_filler SELECT zeroblob(3000) FROM n; DROP TABLE v_filler'
	before=$(stat -c %s "$DB")
	hash=$(sha256sum < "$DB")
	run "$CINTA" rebuild --compact --keep "$DB"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "$before bytes before, $(stat -c %s "$DB") after" ]
	[ "$(stat -c %s "$DB")" -lt $((before - 1000000)) ]
	[ "$(sql 'PRAGMA freelist_count')" -eq 0 ]
	[ "$(sha256sum < "$DB.before-rebuild")" = "$hash" ]
	same
	run "$CINTA" rebuild --keep "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *"before-rebuild is there already; move it away"* ]]
	same
	run "$CINTA" rebuild --keep --salvage "$T/new.db" "$DB"
	[ "$status" -eq 2 ] && [ ! -e "$T/new.db" ]
}

@test "entries that cannot be read: refused, nothing changed; --salvage writes all others" {
	fill
	cp "$DB" "$T/good"
	for what in 'tape leaf 3' 'tape leaf half' 'tape leaf -1' 'tape overflow all'; do
		echo "$what"
		cp "$T/good" "$DB"
		rm -f "$DB-wal" "$DB-shm"
		# shellcheck disable=SC2086
		damage $what
		hash=$(sha256sum < "$DB")
		if [[ $what != *overflow* ]]; then
			run "$CINTA" rebuild "$DB"
			echo "$output"
			[ "$status" -eq 1 ]
			[[ $output =~ ([0-9]+)' of '[0-9]+' entries cannot be read, the first of them entry '[0-9]+'; nothing was changed; '.*'--salvage NEW.db' ]]
			lost=${BASH_REMATCH[1]}
			[ "$(sha256sum < "$DB")" = "$hash" ]
			left_over
		fi
		rm -f "$T/new.db"
		run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
		echo "$output"
		[ "$status" -eq 1 ]
		[ "$(sha256sum < "$DB")" = "$hash" ]
		[[ ${lines[0]} == missing: ]] || [[ $what == *overflow* ]]
		# Each entry is there as it was, or it is on the list.
		entries "$T/new.db" > "$T/got"
		changed=$(comm -13 <(sort "$T/tape") <(sort "$T/got") | wc -l)
		if [[ $what == *overflow* ]]; then # of these the bodies alone are other ones, and that is said
			[ "$changed" -gt 0 ]
			[ "$changed" -le 12 ]
			[[ $output == *'verify says CONTENT: entry '* ]]
		else
			[ "$changed" -eq 0 ]
		fi
		[[ $output =~ ': '([0-9]+)' entries, '([0-9]+)' missing' ]]
		[ "${BASH_REMATCH[1]}" -eq "$(wc -l < "$T/got")" ]
		[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -eq "$(wc -l < "$T/tape")" ]
		[[ $what == *overflow* ]] || [ "${BASH_REMATCH[2]}" -eq "$lost" ]
		listed=$(sed -nE 's/^  entry ([0-9]+).*/\1/p; s/^  entries ([0-9]+) to ([0-9]+)$/\1 \2/p' <<< "$output" |
			while read -r a b; do seq "$a" "${b:-$a}"; done)
		diff <(printf '%s' "${listed:+$listed$'\n'}") <(comm -23 <(cut -d'|' -f1 "$T/tape" | sort) <(cut -d'|' -f1 "$T/got" | sort) | sort -n)
	done
}

@test "a note that stands at another size than its own tells of no entry" {
	fill
	sqlite3 "$DB" "INSERT INTO tape_checkpoint SELECT size + 50, note FROM tape_checkpoint ORDER BY size DESC LIMIT 1"
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'left out: 1 of the notes, which '*' 0 missing; verify says OK'* ]]
	run -1 "$CINTA" rebuild "$DB"
	[[ $output == *'was rebuilt, but its tape does not hold, as it did not before: FORK'* ]]
	"$CINTA" verify "$T/new.db"
}

@test "a salvage leaves out notes that the tape's key did not sign, and none that it did" {
	fill
	cp "$DB" "$T/good"
	notes() {
		sqlite3 "$1" 'SELECT size, note FROM tape_checkpoint ORDER BY size'
	}
	sqlite3 "$DB" "INSERT INTO tape_checkpoint SELECT size - 1, replace(note, char(10) || size || char(10),
		char(10) || (size - 1) || char(10)) FROM tape_checkpoint ORDER BY size DESC LIMIT 1;
		INSERT INTO tape_checkpoint VALUES(3, 'nothing of the kind')"
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"left out: 2 of the notes, "* ]]
	diff <(notes "$T/new.db") <(notes "$T/good")

	# one that says what the rows do not is what they were: it stays
	rm "$T/new.db"
	cp "$T/good" "$DB"
	rm -f "$DB-wal" "$DB-shm"
	sqlite3 "$DB" "DROP TRIGGER tape_redact; UPDATE tape SET author = 'another' WHERE seq = 3"
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output != *'left out'* ]]
	diff <(notes "$T/new.db") <(notes "$T/good")

	# a key that signed none of them is the wrong one
	rm "$T/new.db"
	cp "$T/good" "$DB"
	rm -f "$DB-wal" "$DB-shm"
	"$CINTA" init "$T/other.db"
	sqlite3 "$DB" "DROP TRIGGER tape_redact; ATTACH '$T/other.db' AS o;
		UPDATE tape SET body = json_set(body, '$.vkey', (SELECT json_extract(body, '$.vkey') FROM o.tape WHERE seq = 0)) WHERE seq = 0"
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ $output != *'left out'* ]]
	diff <(notes "$T/new.db") <(notes "$T/good")
}

# found_by_pages OUTPUT: how many entries the output says were found by their pages
found_by_pages() {
	sed -nE '/^found in pages/,$ { s/^  entry ([0-9]+)$/\1 \1/p; s/^  entries ([0-9]+) to ([0-9]+)$/\1 \2/p }' <<< "$1" |
		awk '{ n += $2 - $1 + 1 } END { print n + 0 }'
}

@test "pages to which no other leads: a rebuild mends all, and says which entries came back" {
	fill
	cp "$DB" "$T/good"
	for what in 'tape internal all' 'tape internal root'; do
		echo "$what"
		cp "$T/good" "$DB"
		rm -f "$DB-wal" "$DB-shm"
		# shellcheck disable=SC2086
		damage $what
		[ "$(entries "$DB" 2> /dev/null | wc -l)" -lt 20 ] # nobody else finds them
		hash=$(sha256sum < "$DB")
		run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$(sha256sum < "$DB")" = "$hash" ]
		[ "$(found_by_pages "$output")" -gt 300 ]
		[[ $output == *' entries, 0 missing; verify says OK'* ]]
		same "$T/new.db"
		rm "$T/new.db"
		run "$CINTA" rebuild "$DB"
		echo "$output"
		[ "$status" -eq 0 ]
		[ "$(found_by_pages "$output")" -gt 300 ]
		same
	done
}

@test "an interior page and leaves below it: each entry comes back that is whole, no other" {
	fill
	damage tape leaf half
	damage tape internal all
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	echo "$output"
	[ "$status" -eq 1 ]
	entries "$T/new.db" > "$T/got"
	[ -z "$(comm -13 <(sort "$T/tape") <(sort "$T/got"))" ]
	[[ $output =~ ': '([0-9]+)' entries, '([0-9]+)' missing' ]]
	[ "${BASH_REMATCH[1]}" -eq "$(wc -l < "$T/got")" ]
	[ "${BASH_REMATCH[1]}" -gt 100 ]
	[ $((BASH_REMATCH[1] + BASH_REMATCH[2])) -eq "$(wc -l < "$T/tape")" ]
	[ "$(found_by_pages "$output")" -eq "${BASH_REMATCH[1]}" ]
}

@test "entries that are in the log alone are found by its pages; what was redacted stays so" {
	fill
	cinta_mount
	echo '{"content":"a password: hunter2hunter2"}' >> "$M/sessions/x/log.jsonl"
	for i in $(seq 60); do echo "{\"content\":\"later $i\"}"; done >> "$M/sessions/x/log.jsonl"
	cp "$DB" "$T/before"
	cp "$DB-wal" "$T/before-wal"
	cinta_umount
	seq=$(sql "SELECT seq FROM tape WHERE body LIKE '%hunter2hunter2%'")
	# As a crash leaves it, the newest rows stand in the log; damaged in its first frame, SQLite
	# takes none of it.
	cp "$T/before" "$T/crashed.db"
	cp "$T/before-wal" "$T/crashed.db-wal"
	printf XXXXXXXX | dd of="$T/crashed.db-wal" bs=1 seek=48 conv=notrunc status=none
	DB=$T/crashed.db
	damage tape internal all
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	echo "$output"
	[ "$(sqlite3 "$T/new.db" "SELECT count(*) FROM tape WHERE body LIKE '%later%'")" -eq 60 ]
	rm "$T/new.db"
	DB=$T/memory.db
	"$CINTA" redact --yes "$seq" --reason test "$DB"
	damage tape internal all
	run "$CINTA" rebuild "$DB"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(sql "SELECT body IS NULL FROM tape WHERE seq = $seq")" = 1 ]
	not grep -q hunter2hunter2 "$DB"
	"$CINTA" verify --all "$DB" | grep -q '^OK'
}

@test "what was salvaged can be read in a mount, and says what it is" {
	fill
	cp "$DB" "$T/good"
	damage tape leaf half
	run "$CINTA" rebuild --salvage "$T/first.db" "$DB"
	[[ $output == *'without entry 0'*'cannot be mounted'*sqlite3* ]]
	[ "$(sqlite3 "$T/first.db" "SELECT count(*) FROM tape WHERE body LIKE '%long story%'")" -gt 100 ]
	cp "$T/good" "$DB"
	damage tape leaf 5
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	grep -qE '^  entry [0-9]+, number [0-9]+ of s1$' <<< "$output"
	[ "$(stat -c %a "$T/new.db")" = 600 ]
	run "$CINTA" rebuild --salvage "$T/new.db" "$DB"
	[[ $output == *'name a new file'* ]]
	run "$CINTA" verify "$T/new.db"
	[ "$status" -eq 1 ]
	[[ $output == LINK* ]]
	DB=$T/new.db
	run cinta_mount
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'long story' "$M/sessions/x/log.jsonl")" -gt 100 ]
	cat "$M/README.md" "$M/errors.log" > /dev/null
	cinta_umount
}

@test "who has the file open, a mount or another program, keeps a rebuild away" {
	fill 20
	cinta_mount
	run "$CINTA" rebuild "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *"process $(owner_of "$DB")"* ]]
	cinta_umount
	mkfifo "$T/hold"
	sqlite3 "$DB" < "$T/hold" > "$T/held" &
	shell=$!
	exec 8> "$T/hold"
	echo 'BEGIN; SELECT count(*) FROM tape;' >&8
	wait_for 10 test -s "$T/held"
	run "$CINTA" rebuild "$DB"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'is open in another process; end what else'* ]]
	exec 8>&-
	wait "$shell"
	same
	ln "$DB" "$T/second"
	run "$CINTA" rebuild "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *'several names'* ]]
	rm "$T/second"
	"$CINTA" rebuild "$DB"
	same
}

stopped() { grep -q '^State:[[:space:]]*T' "/proc/$1/status"; }
# waits PID: it has the database open, and SQLite sleeps for its lock
waits() { find "/proc/$1/fd" -lname "$DB" 2> /dev/null | grep -q . && grep -q nanosleep "/proc/$1/wchan"; }

@test "who waits for the file while a rebuild puts another in its place goes on in the new one" {
	# a rebuild stops itself where it would put the new file in the old one's place
	cc -shared -fPIC -x c -o "$T/stop.so" - <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
int rename(const char *from, const char *to)
{
	if (strstr(from, ".rebuilt-"))
		raise(SIGSTOP);
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
END
	fill 20
	for i in 1 2 3; do
		echo "{\"role\":\"user\",\"content\":\"a line that waited $i\"}" > "$T/waits-$i.jsonl"
		# Of the same pages in the same places the old file's log would fit the new one, by chance.
		sql "CREATE TABLE room(x); INSERT INTO room SELECT zeroblob(4000) FROM tape, tape LIMIT 300; DROP TABLE room"
		LD_PRELOAD=$T/stop.so "$CINTA" rebuild "$DB" &
		rebuild=$!
		wait_for 10 stopped $rebuild
		[ -n "$(find "$T" -name '*.rebuilt-*' -print)" ]
		"$CINTA" import "$T/waits-$i.jsonl" "$DB" > "$T/imported" 2>&1 &
		import=$!
		"$CINTA" verify --all "$DB" > "$T/verified" &
		verify=$!
		wait_for 10 waits $import
		wait_for 10 waits $verify
		kill -CONT $rebuild
		wait $rebuild
		rebuild=
		wait $import || { cat "$T/imported" && false; }
		wait $verify
		cat "$T/imported" "$T/verified"
		grep -q ': 1 conversations, 1 messages' "$T/imported"
		grep -q '^OK' "$T/verified"
		verified
		[ "$(sql 'PRAGMA integrity_check')" = ok ]
		[ "$(sql "SELECT count(*) FROM tape WHERE kind = 'message' AND body LIKE '%that waited%'")" -eq $i ]
	done
	left_over
}

# killed CALL N OPTION…: a rebuild dies at its Nth system call of that name; true if it came there
killed() {
	local call=$1 n=$2
	shift 2
	run strace -f -o /dev/null -e trace="$call" -e inject="$call:signal=SIGKILL:when=$n" "$CINTA" rebuild "$@" "$DB"
	[ "$status" -ne 0 ]
}

@test "kill -9 at each step: the old file or the new one, whole, and the next run cleans up" {
	strace -o /dev/null true || skip 'strace may not trace here'
	fill 60
	damage v_message leaf all
	cp "$DB" "$T/bad"
	deaths=0
	for call in rename renameat2 fsync fdatasync unlink ftruncate pwrite64; do
		for n in 1 2 3 4 5 6 $(many '40' "$(seq 7 3 400)"); do
			cp "$T/bad" "$DB"
			rm -f "$DB".before-rebuild* "$DB"-wal "$DB"-shm
			killed $call "$n" $([ $call != renameat2 ] || echo --keep) || break
			deaths=$((deaths + 1))
			entries "$DB" | cmp - "$T/tape"
			[[ $("$CINTA" verify "$DB") == "$(cat "$T/verdict")" ]]
			rm -f "$DB".before-rebuild
			"$CINTA" rebuild "$DB"
			same
		done
	done
	echo "$deaths deaths"
	[ $deaths -gt 15 ]
	# A file that a person named so stays.
	cp "$DB" "$DB.rebuilt-mine"
	"$CINTA" rebuild "$DB"
	[ -e "$DB.rebuilt-mine" ]
}

@test "Ctrl-C: nothing is left, nothing has changed" {
	fill 60
	hash=$(sha256sum < "$DB")
	# Blocked by the verb while it works; pending from its first moment on.
	run python3 -c 'import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.kill(os.getpid(), signal.SIGINT)
os.execv(sys.argv[1], sys.argv[1:])' "$CINTA" rebuild "$DB"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'it was stopped; nothing was changed'* ]]
	[ "$(sha256sum < "$DB")" = "$hash" ]
	same
}

@test "a disk without room: said, nothing lost, nothing left; with room it goes on" {
	[ "$(id -u)" -eq 0 ] || skip 'mounts a disk of its own: for root'
	mkdir "$T/disk"
	mount -t tmpfs -o size=12m cinta-test "$T/disk"
	DB=$T/disk/memory.db
	fill
	size=$(stat -c %s "$DB")
	hash=$(sha256sum < "$DB")
	for room in 0 16384 $((size / 3)) $((size - 100000)); do
		free=$(df --output=avail -B1 "$T/disk" | tail -1)
		head -c $((free - room)) /dev/zero > "$T/disk/ballast"
		for option in '' --compact "--salvage $T/disk/new.db"; do
			# shellcheck disable=SC2086
			run "$CINTA" rebuild $option "$DB"
			echo "$room $option: $output"
			[ "$status" -eq 1 ]
			[[ $output == *'make room'* ]]
			[ "$(sha256sum < "$DB")" = "$hash" ]
			[ ! -e "$T/disk/new.db" ]
			left_over
		done
		rm "$T/disk/ballast"
	done
	"$CINTA" rebuild "$DB"
	same
}
