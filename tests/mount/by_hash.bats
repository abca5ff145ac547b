# SPDX-License-Identifier: MIT
# What a hash names: .cinta/by-hash/, the filter hash:, and the indexes of the SQL views.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

hash_of() { sed -n "$2p" "$1" | grep -o '"hash":"[0-9a-f]*"' | tail -1 | cut -d'"' -f4; }

@test "an entry by its hash, or eight digits of it: the file, the line, the entry" {
	say uno 'first' 'second: the hash of this'
	h=$(hash_of sessions/uno/log.jsonl 2)
	cat ".cinta/by-hash/$h" > "$T/page"
	grep -qx 'file: sessions/uno/messages/000002.md' "$T/page"
	grep -qx 'line: 2 of sessions/uno/log.jsonl' "$T/page"
	grep -qx "hash: $h" "$T/page"
	tail -1 "$T/page" | grep -q '^{"role":"user","content":"second: the hash of this"'
	cmp "$T/page" ".cinta/by-hash/${h:0:8}"
	[ "$(stat -c %s ".cinta/by-hash/$h")" -eq "$(wc -c < "$T/page")" ]
	prev=$(sed -n 2p sessions/uno/log.jsonl | grep -o '"prev_hash":"[0-9a-f]*"' | cut -d'"' -f4)
	grep -qx 'line: 1 of sessions/uno/log.jsonl' ".cinta/by-hash/$prev"
	for bad in "${h:0:7}" "${h}0" "${h^^}" x 00000000 "$(echo "$h" | tr 0-9a-f 1-9a-f0)"; do
		[ "$bad" = "$h" ] || not cat ".cinta/by-hash/$bad"
	done
	[ -z "$(ls -A .cinta/by-hash)" ]
}

@test "documents, records, windows, facts: each where it stands" {
	echo one > notes/plan.md
	echo two > notes/plan.md
	echo '{"amount":3}' >> records/accountant.jsonl
	say uno 'first'
	echo 'prune 1' > sessions/uno/ctl
	echo '- a fact' >> facts/work.md
	h=$(head -1 notes/plan.md@log | cut -f7)
	grep -qx 'file: notes/plan.md@1' ".cinta/by-hash/$h"
	mv notes/plan.md notes/done.md
	grep -qx 'file: notes/done.md@1' ".cinta/by-hash/$h"
	grep -qx 'line: 1 of records/accountant.jsonl' ".cinta/by-hash/$(hash_of records/accountant.jsonl 1)"
	file_of() { sed -n 's/^file: //p' ".cinta/by-hash/$(grep "\"kind\":\"$1\"" .cinta/tape.jsonl | tail -1 | grep -o '"hash":"[0-9a-f]*"' | cut -d'"' -f4)"; }
	[ "$(file_of context)" = sessions/uno/ctl ]
	[ "$(file_of fact.add)" = facts/facts.jsonl ]
	[ "$(file_of rename)" = notes/done.md@log ]
	[ "$(file_of session)" = .cinta/tape.jsonl ]
}

@test "hash: in a query finds that text; what is none, or nobody's, is told" {
	say uno 'the giraffe is tall' 'the giraffe is old'
	h=$(hash_of sessions/uno/log.jsonl 2)
	hits() { grep -oE '^[0-9]+\. `[^`]*`' "search/$1.md" | cut -d'`' -f2; }
	[ "$(hits "hash:$h")" = sessions/uno/messages/000002.md ]
	[ "$(hits "giraffe hash:${h:0:9}")" = sessions/uno/messages/000002.md ]
	[ -z "$(hits "tall hash:$h in:facts")" ]
	grep -q "^Asked: hash: ${h:0:9}$" "search/hash:${h:0:9}.md"
	echo 'the giraffe as a note' > notes/g.md
	[ "$(hits "hash:$(head -1 notes/g.md@log | cut -f7)")" = notes/g.md ]
	for bad in hash:123 hash:zzzzzzzz "hash:${h}0" hash:00000000; do
		grep -q 'This was not searched for' "search/$bad.md"
	done
}

@test "SQL by hash, prev_hash, created_at and message_hash uses an index" {
	say uno 'first' 'second' 'third'
	printf '{"role":"user","content":"it refers","refs":[{"type":"context","ref":1}]}\n' >> sessions/uno/log.jsonl
	cat .cinta/status.json sessions/uno/refs.jsonl > /dev/null
	h=$(hash_of sessions/uno/log.jsonl 2)
	wait_for 5 eval '[ "$(sql "select count(*) from log_messages")" -eq 4 ]'
	[ "$(sql "select content from log_messages where hash = '$h'")" = second ]
	[ "$(sql "select content from log_messages where prev_hash = '$h'")" = third ]
	[ "$(sql "select count(*) from log_messages where prev_hash is null")" -eq 1 ]
	[ "$(sql "select content from log_messages where created_at > (select created_at from log_messages where hash = '$h') limit 1")" = third ]
	last=$(hash_of sessions/uno/log.jsonl 4)
	[ "$(sql "select ref_hash from log_message_refs where message_hash = '$last'")" = "$(hash_of sessions/uno/log.jsonl 1)" ]
	for where in "log_messages where hash = 'x'" "log_messages where prev_hash = 'x'" "log_messages where created_at > 'x'" \
		"log_message_refs where message_hash = 'x'"; do
		sql "explain query plan select content_or_ref from (select $([[ $where == *refs* ]] && echo ref_hash || echo content) as content_or_ref from $where)" > "$T/plan"
		cat "$T/plan"
		not grep -qE 'SCAN (t|m|r|h|hp)\b' "$T/plan"
	done
}
