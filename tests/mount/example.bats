#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The example memory: what it says of itself is so.

load ../lib.sh
setup() { cinta_setup && "$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB" > "$T/said" && cd "$M"; }
teardown() { cd / && cinta_teardown; }

bullets() { grep '^- ' "facts/$1.md"; }
# heard: all facts that are said in it are there
heard() { [ "$(bullets decisions 2> /dev/null | wc -l)" -eq 6 ]; }

@test "six weeks, by what was said: transcripts, search, order" {
	[ "$(grep -ho '^## .* UTC' sessions/*/transcript.md | grep -o '2026-[0-9-]*' | sort -u | sed -n '1p;$p' | tr '\n' ' ')" \
		= '2026-09-28 2026-11-07 ' ]
	not grep -q '^## .* · root:' sessions/*/transcript.md
	cat 'search/SQLite in:messages before:2026-09-29.md' | grep -q sessions/arranque
	cat 'search/SQLite in:messages before:2026-09-29.md' | not grep -q sessions/respaldo
	[ "$(readlink sessions/current)" = jornada ]
}

@test "facts are facts, in their domain, and none says what another denies" {
	wait_for 10 heard
	[ "$(bullets work | wc -l)" -eq 4 ]
	[ "$(bullets preferences | wc -l)" -eq 3 ]
	[ -z "$(bullets personal; bullets projects; grep '^- ' facts/stale.md)" ]
	# Where two could be right, the newest is: PostgreSQL came and went.
	[ "$(grep -ci 'sqlite\|postgresql' facts/decisions.md)" -eq 1 ]
	grep -qi 'back to SQLite instead of PostgreSQL, on the box' facts/decisions.md
	! grep -hE '^- ([A-Z]\.|.{0,12}$)' facts/*.md
}

@test "it may be run again, and what it tells to try works" {
	wait_for 10 heard
	before=$(sqlite3 "$DB" 'SELECT count(*) FROM tape')
	cd /
	"$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB" > "$T/again"
	[ "$(sqlite3 "$DB" 'SELECT count(*) FROM tape')" -eq "$before" ]
	grep -c 'already there' "$T/again" | grep -qx 6
	n=0
	sed -n 's/^  //p' "$T/again" | sed 's/^less /cat /' > "$T/tries"
	while IFS= read -r line; do
		n=$((n + 1))
		status=0
		bash -c "$line" > "$T/out" 2> "$T/err" || status=$?
		case $line in
		rm*) grep -q 'EPERM unlink sessions/arranque/log.jsonl' "$T/out" ;;
		*diff*) grep -q '^> .*04:00' "$T/out" ;;
		*umount*) [ "$status" -eq 0 ] ;;
		*) [ "$status" -eq 0 ] && { [ -s "$T/out" ] || [[ $line == sed* || $line == echo* ]]; } ;;
		esac || { echo "$line: $status $(cat "$T/err")"; return 1; }
	done < "$T/tries"
	[ "$n" -ge 15 ]
}

@test "64 questions in Spanish: three quarters are answered by the first ten hits, of what is said in Spanish nine of ten" {
	wait_for 10 heard
	"$CINTA_SOURCE/tests/bench/questions.py" "$M" 0.75 0.89
}
