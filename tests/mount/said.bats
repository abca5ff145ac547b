# SPDX-License-Identifier: MIT
# What is imported keeps when and by whom it was said: transcript, search, facts, windows, SQL.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

line() { printf '%s\n' "$2" >> "sessions/$1/log.jsonl"; }
said() { # SESSION TIME AUTHOR TEXT
	line "$1" "$(jq -nc --arg t "$2" --arg a "$3" --arg c "$4" '{role:"user",content:$c,from:{at:$t,author:$a}}')"
}
hits() { grep -oE '^[0-9]+\. `[^`]*`' "search/$1.md" | cut -d'`' -f2; }
facts() { jq -r 'select(.known_until == null) | .fact' facts/facts.jsonl; }
has_facts() { [ "$(facts | wc -l)" -eq "$1" ]; }

@test "transcript, search and window tell when and by whom it was said; the chain its own time" {
	mkdir sessions/old
	said old 2023-05-08T10:00:00Z Caroline 'The quokka ate the begonia.'
	head -1 sessions/old/transcript.md | grep -qx '## 1 · user · "Caroline", by [^ ]* · 2023-05-08 10:00:00 UTC · imported'
	grep -qE ', "Caroline", by [^ ]+ · 2023-05-08T10:00:00Z' search/quokka.md
	grep -qE '#1 user "Caroline" · [^*]*\*\* 2023-05-08 10:00' sessions/old/context.md
	year=$(jq -r '.timestamp[:4]' sessions/old/log.jsonl)
	[ "$year" -ge 2026 ]
	[ "$(jq -c .from sessions/old/log.jsonl)" = '{"at":"2023-05-08T10:00:00Z","author":"Caroline"}' ]
	[ "$(sql "SELECT said_at || ' ' || said_by FROM log_messages")" = '2023-05-08T10:00:00.000000Z Caroline' ]
	[ "$(sql "SELECT created_at > '2026' FROM log_messages")" = 1 ]
	"$CINTA" verify --all "$DB"
}

@test "after:, before:, by: and the order of the newest go by what was said" {
	mkdir sessions/a
	said a 2025-03-01T12:00:00+02:00 Ana 'zebra five'
	line a '{"role":"user","content":"zebra today"}'
	said a 2023-03-01T00:00:00Z Bob 'zebra three'
	said a 2024-03-01 Ana 'zebra four'
	[ "$(hits 'zebra before:2024')" = sessions/a/messages/000003.md ]
	[ "$(hits 'zebra after:2024 before:2025' )" = sessions/a/messages/000004.md ]
	[ "$(hits 'zebra after:2025-03-01T09:59 before:2025-03-01T10:01')" = sessions/a/messages/000001.md ]
	[ "$(hits 'zebra by:Bob')" = sessions/a/messages/000003.md ]
	[ "$(hits 'by:ana' | sort | tr '\n' ' ')" = 'sessions/a/messages/000001.md sessions/a/messages/000004.md ' ]
	[ "$(hits 'session:a' | tr '\n' ' ')" = "sessions/a/messages/000002.md sessions/a/messages/000001.md sessions/a/messages/000004.md sessions/a/messages/000003.md " ]
	[ "$(hits 'before:2025' | tr '\n' ' ')" = "sessions/a/messages/000004.md sessions/a/messages/000003.md " ]
	[ "$("$CINTA" search --json "$DB" 'zebra before:2024' | jq -r '.time + " " + .said_by + " " + (.author | test(":") | tostring)')" = '2023-03-01T00:00:00.000000Z Bob true' ]
}

@test "an old saying does not displace a newer one, in whatever order they come" {
	mkdir sessions/f
	said f "$(date -u -d '20 days ago' +%FT%TZ)" Eva 'Recordá que uso vim para editar'
	wait_for 10 has_facts 1
	said f "$(date -u -d '900 days ago' +%FT%TZ)" Eva 'Recordá que ya no uso vim para editar'
	said f "$(date -u -d '800 days ago' +%FT%TZ)" Eva 'I prefer very long answers'
	wait_for 10 has_facts 2
	facts | grep -qx 'uso vim para editar'
	not grep -q 'ya no' <(facts)
	# the other way round: what came first is what was said last
	said f "$(date -u -d '10 days ago' +%FT%TZ)" Eva 'Recordá que ya no tomo café con leche'
	wait_for 10 has_facts 3
	said f "$(date -u -d '500 days ago' +%FT%TZ)" Eva 'Recordá que tomo café con leche'
	said f "$(date -u -d '5 days ago' +%FT%TZ)" Eva 'I prefer tea in the evening'
	wait_for 10 has_facts 4
	facts | grep -qx 'ya no tomo café con leche'
	not grep -qx 'tomo café con leche' <(facts)
}

@test "a fact is as old as what was said" {
	mkdir sessions/g
	said g "$(date -u -d '400 days ago' +%FT%TZ)" Eva 'I prefer answers without emojis please'
	wait_for 10 has_facts 1
	grep -q emojis facts/stale.md
	[ "$(jq -r '.created_at[:10]' facts/facts.jsonl)" = "$(date -u -d '400 days ago' +%F)" ]
	not grep -q emojis context.md 2> /dev/null || not grep -q 'emojis' <(sed -n '/^## Facts/,/^## /p' context.md)
	# said again today it is fresh; the old line, said again, makes it no older
	line g '{"role":"user","content":"I prefer answers without emojis please"}'
	wait_for 10 bash -c "! grep -q emojis facts/stale.md"
	said g "$(date -u -d '300 days ago' +%FT%TZ)" Eva 'I prefer answers without emojis please'
	line g '{"role":"user","content":"I prefer cats to dogs"}'
	wait_for 10 has_facts 2
	not grep -q emojis facts/stale.md
}

@test "what a client gave as timestamp and author counts, too" {
	mkdir sessions/h
	line h '{"role":"user","content":"gnu","timestamp":"2022-01-02T03:04:05Z","author":"Zoe"}'
	line h '{"role":"user","content":"gnu too","timestamp":"yesterday","author":7}'
	line h '{"role":"user","content":"gnu tomorrow","timestamp":"9000-01-01T00:00:00Z"}'
	grep -qx '## 1 · user · "Zoe", by [^ ]* · 2022-01-02 03:04:05 UTC · imported' sessions/h/transcript.md
	[ "$(hits 'gnu before:2023 by:zoe')" = sessions/h/messages/000001.md ]
	[ "$(hits 'gnu after:2026' | wc -l)" -eq 2 ]
	# and a `from` is believed before them
	line h '{"content":"gnu from","timestamp":"2022-01-02T03:04:05Z","from":{"at":"2021-01-01"}}'
	[ "$(hits 'gnu before:2022')" = sessions/h/messages/000004.md ]
}

@test "a from that is none is refused with words, and kept" {
	mkdir sessions/r
	for bad in '"Bob"' '{"at":"yesterday"}' '{"at":"2023-02-30"}' '{"at":1683540000}' '{"at":"2023-05-08T10:00:00"}' \
		'{"author":""}' '{"author":["x"]}' "{\"author\":\"$(printf 'x%.0s' $(seq 129))\"}"; do
		run ! bash -c 'printf "%s\n" "$1" >> sessions/r/log.jsonl' _ '{"content":"x","from":'"$bad"'}'
		tail -5 errors.log | grep -q 'EINVAL.*write.*from'
	done
	[ ! -s sessions/r/log.jsonl ]
	[ "$(find rejected -type f | wc -l)" -ge 8 ]
	tail -5 errors.log | grep -q '128 bytes'
	line r '{"content":"y","from":null}'
	line r '{"content":"z","from":{"agent":"x","at":null}}'
}

@test "views of an older version are made anew, and then tell it" {
	mkdir sessions/o
	said o 2023-05-08 Bob 'platypus'
	cd /
	cinta_umount
	sqlite3 "$DB" "UPDATE v_made SET version = 9; DROP VIEW log_messages"
	cinta_mount
	grep -q 'platypus' "$M/sessions/o/transcript.md"
	[ "$(sql "SELECT said_by FROM log_messages")" = Bob ]
	[ "$(cd "$M" && hits 'platypus before:2024')" = sessions/o/messages/000001.md ]
}
