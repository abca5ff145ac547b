# SPDX-License-Identifier: MIT
# Helpers for tests/seeds: `load ../lib.sh`, `load seeds.sh`.  A file mounts one memory for all its
# tests; each uses a session and names of its own.
# shellcheck shell=bash

HERE=$CINTA_SOURCE/tests/mount

seeds_setup() { cinta_setup && chmod 755 "$T" && cinta_mount "$@" && export T DB M; }
# clocked_setup OPTION…: a mount whose clock `later TIME` sets forward
clocked_setup() {
	cinta_setup && echo +0 > "$T/clock" && export T DB M
	by_clock FAKETIME_TIMESTAMP_FILE="$T/clock" FAKETIME_NO_CACHE=1 "$CINTA" mount "$@" "$DB" "$M"
}
later() { clock_to "$1"; }
setup() { cd "$M"; }
teardown() { cd /; }

# line SESSION JSON…: lines of its log, by one write each; the session is made
line() {
	local session=$1 json
	shift
	[ -d "sessions/$session" ] || mkdir "sessions/$session"
	for json; do printf '%s\n' "$json" >> "sessions/$session/log.jsonl"; done
}
# user SESSION TEXT…, assistant SESSION TEXT…: what they say
user() { role=user said "$@"; }
assistant() { role=assistant said "$@"; }
said() {
	local session=$1
	shift
	[ -d "sessions/$session" ] || mkdir "sessions/$session"
	jq -nc --arg r "$role" '$ARGS.positional[] | {role: $r, content: .}' --args "$@" >> "sessions/$session/log.jsonl"
}
# talk SESSION N: so many turns that are alike, by user and assistant in turn
talk() {
	[ -d "sessions/$1" ] || mkdir "sessions/$1"
	seq "$2" | jq -c '{role: (if . % 2 == 1 then "user" else "assistant" end), content: "turn \(.)"}' >> "sessions/$1/log.jsonl"
}
# member N MEMBER FILE: of its line N
member() { sed -n "$1p" "$3" | jq -rc ".$2"; }

# sql TEXT…: asks the database, as another program would, once its views have all that was written
sql() { wait_for 5 caught_up && sqlite3 -bail "$DB" "$@"; }
caught_up() { jq -e '.viewed_upto == .entries' .cinta/status.json > /dev/null; }
hash_of() { printf %s "$1" | sha256sum | cut -c1-64; }
columns() { sql "SELECT group_concat(name, ' ') FROM pragma_table_info('$1')"; }
# indexed QUERY: some rows, and no scan of a table
indexed() {
	[ "$(sql "SELECT count(*) FROM ($1)")" -gt 0 ]
	sql "EXPLAIN QUERY PLAN $1" > "$T/plan"
	not grep -E 'SCAN (t|m|r|tape|v_message|v_ref)( |$)' "$T/plan"
}

# part FILE TITLE: what stands below that heading
part() { awk -v t="## $2" '$0 == t { on = 1; next } /^## / { on = 0 } on' "$1"; }
# paths FILE: the hits of a search, best first
paths() { grep -oE '^[0-9]+\. `[^`]*`' "$1" | cut -d'`' -f2; }
# tokens FILE: as the mount counts them
tokens() {
	mkdir -p notes/counted
	cp "$1" notes/counted/of.md
	sql "SELECT tokens FROM v_version v JOIN v_doc d ON d.id = v.doc WHERE d.name = 'of.md' ORDER BY v.n DESC LIMIT 1"
}
# words N: so many words of a token each, without a newline
words() {
	local all
	# shellcheck disable=SC2046
	all=$(printf ' pear%.0s' $(seq "$1"))
	printf %s "${all# }"
}
# refused TEXT COMMAND: errors.log tells that it was, and why (a shell's `>` does not tell of a close that failed)
refused() {
	local text=$1 before
	shift
	before=$(wc -l < errors.log)
	run bash -c "$*"
	tail -n +$((before + 1)) errors.log > "$T/refusals"
	grep -qiE -- "$text" "$T/refusals" || { echo "$*: $output $(cat "$T/refusals")"; return 1; }
}
# nobody COMMAND: by another user of the machine
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups -- bash -c "cd / && $1"; }
