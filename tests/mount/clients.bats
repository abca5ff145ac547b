# SPDX-License-Identifier: MIT
# Several mounts of one memory, each with a session, an author and blocks of its own.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

message() { printf '{"role":"%s","content":"%s"}\n' "$2" "$3" >> "$1/smma/session_log.jsonl"; }

@test "two agents, two mounts: each has its own current session and author" {
	cinta_mount -o session=ana,owner=ana
	mkdir "$M/sessions/ana" "$M/sessions/bob" "$T/bob" "$T/all"
	"$CINTA" mount -o session=bob,owner=bob "$DB" "$T/bob"
	"$CINTA" mount "$DB" "$T/all"
	for i in 1 2 3; do
		message "$M" user "from ana $i"
		message "$T/bob" user "from bob $i"
	done
	[ "$(jq -r '.author[:4] + .content' "$M/sessions/ana/log.jsonl" | tr '\n' ' ')" = "ana:from ana 1 ana:from ana 2 ana:from ana 3 " ]
	[ "$(jq -r '.author[:4] + .content' "$M/sessions/bob/log.jsonl" | tr '\n' ' ')" = "bob:from bob 1 bob:from bob 2 bob:from bob 3 " ]
	[ "$(readlink "$M/sessions/current") $(readlink "$T/bob/sessions/current")" = "ana bob" ]
	grep -q '^Session: ana' "$M/context.md"
	grep -q '^Session: bob' "$T/bob/context.md"
	grep -q 'ana' "$M/dashboard.md"
	# who gave none follows what was written last, through whatever mount
	[ "$(readlink "$T/all/sessions/current")" = bob ]
	message "$M" user more
	wait_for 5 test "$(readlink "$T/all/sessions/current")" = ana
	[ "$(readlink "$T/bob/sessions/current")" = bob ]
	grep -q "sessions/bob/messages" "$T/bob/search/session:current from.md"
	not grep -q "sessions/ana/messages" "$T/bob/search/session:current from.md"
	echo mine > "$T/bob/notes/x.md"
	grep -q 'bob:' "$M/notes/x.md@log"
}

@test "a mount's session that is not there yet is there when it was made" {
	cinta_mount -o session=later
	[ ! -e "$M/sessions/later" ]
	mkdir "$M/sessions/later"
	[ "$(readlink "$M/sessions/current")" = later ]
	message "$M" user hello
	grep -q hello "$M/context.md"
}

@test "blocks of a server and an agent stand in the contexts of their mount alone" {
	cinta_mount -o server=DECK,agent=claude
	mkdir "$M/sessions/s" "$T/two"
	"$CINTA" mount -o agent=codex "$DB" "$T/two"
	printf -- '---\nscope: server:DECK\n---\nOn deck.\n' > "$M/blocks/rules/deck.md"
	printf -- '---\nscope: agent:claude\n---\nFor claude.\n' > "$M/blocks/rules/claude.md"
	printf -- '---\nscope: agent:codex\n---\nFor codex.\n' > "$M/blocks/rules/codex.md"
	printf '{"role":"user","content":"hi"}\n' >> "$M/sessions/s/log.jsonl"
	for page in context.md "context/what now.md"; do
		grep -q 'On deck' "$M/$page"
		grep -q 'For claude' "$M/$page"
		not grep -q 'For codex' "$M/$page"
		grep -q 'For codex' "$T/two/$page"
		not grep -q 'For claude' "$T/two/$page"
		not grep -q 'On deck' "$T/two/$page"
	done
}

@test "each session has its dashboard" {
	cinta_mount
	for s in a b; do
		mkdir "$M/sessions/$s"
		printf '{"role":"user","content":"hi %s"}\n' $s >> "$M/sessions/$s/log.jsonl"
	done
	grep -q 'Session a\|session a\|sessions/a\| a ' "$M/sessions/a/dashboard.md"
	not cmp -s "$M/sessions/a/dashboard.md" "$M/sessions/b/dashboard.md"
	cmp "$M/sessions/b/dashboard.md" "$M/dashboard.md"
	[ -z "$(ls "$M/sessions/a" | grep dashboard)" ]
}

@test "what cannot be a session, an author or a code is refused, and nothing is mounted" {
	cinta_mount
	mkdir "$T/two"
	for words in session=a/b session=.x session=current "owner=$(printf 'x%.0s' $(seq 129))" \
		server=far-too-long-a-code-for-a-server agent="$(printf 'x%.0s' $(seq 51))"; do
		run "$CINTA" mount -o "$words" "$DB" "$T/two"
		[ "$status" -eq "$([[ $words == session=* ]] && echo 2 || echo 1)" ]
		echo "$words: $output"
		[ -n "$output" ]
	done
	[ "$(mounts_below "$T" | wc -l)" -eq 1 ]
	cinta_umount
	run "$CINTA" mount -o session=a/b "$DB" "$M"
	[ "$status" -eq 2 ]
	[[ $output == *session* ]]
	[ -z "$(mounts_below "$T")" ]
}

@test "a thread's context tells of its last sessions, and nobody else's" {
	cinta_mount
	for s in one two three four other; do
		mkdir "$M/sessions/$s"
		thread=roof
		[ $s != other ] || thread=garden
		jq -nc --arg t $thread --arg s $s '{role:"user",thread:$t,content:"Decidí usar tejas de \($s) para el techo. ¿Cuánto cuestan?"},
			{role:"assistant",thread:$t,content:"The tiles of \($s) cost 40 a metre."},
			{role:"tool",tool:"shop",thread:$t,content:"offer of \($s)"}' >> "$M/sessions/$s/log.jsonl"
	done
	page=$M/threads/roof/context.md
	grep -q '^Thread: roof' "$page"
	[ "$(grep -oE '^\*\*sessions/[a-z]+ 1–2\*\* \(by rule\)' "$page" | cut -d/ -f2 | cut -d' ' -f1 | tr '\n' ' ')" = "two three four " ]
	grep -q 'offer of four' "$page"
	not grep -q '^## Conversation' "$page"
	not grep -q '^\*\*sessions/other 1–2' "$page"
	grep -q '^## Instructions' "$page"
	[ -z "$(ls "$M/threads/roof" | grep context)" ]
	[ "$(stat -c %a "$page")" = 400 ]
	run ! cat "$M/threads/none/context.md"
}
