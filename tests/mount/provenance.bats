# SPDX-License-Identifier: MIT
# Which agent wrote, and in which of its conversations: from the environment into entries, and back.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

# as VARIABLE=VALUE… FILE: a version of FILE, by a program with that environment alone
as() {
	local file=${!#}
	echo "$RANDOM$RANDOM" | env -i PATH="$PATH" "${@:1:$#-1}" tee "$file" > /dev/null
}
last() { tail -1 "$1@log" | cut -f8,9 | tr '\t' ' '; }

@test "a version keeps the agent and the conversation it was saved in" {
	as CLAUDE_CODE_SESSION_ID=5f1c-1 AI_AGENT=claude-code_2-1-197_agent notes/a.md
	[ "$(last notes/a.md)" = 'claude-code 5f1c-1' ]
	as CODEX_THREAD_ID=0199-x CODEX_TOOL_CALL_ID=call_1 notes/a.md
	[ "$(last notes/a.md)" = 'codex 0199-x' ]
	as OPENCODE=1 AGENT=1 notes/a.md
	[ "$(last notes/a.md)" = 'opencode -' ]
	as CINTA_AGENT=reviewer CINTA_SESSION=s/9 CLAUDE_CODE_SESSION_ID=no notes/a.md
	[ "$(last notes/a.md)" = 'reviewer s/9' ]
	as AI_AGENT=some-agent notes/a.md
	[ "$(last notes/a.md)" = 'some-agent -' ]
	as HOME=/ notes/a.md
	[ "$(last notes/a.md)" = '- -' ]
	[ "$(wc -l < notes/a.md@log)" -eq 6 ]
	# saved by renaming a temporary file, as many tools do
	echo x > "$T/b"
	env CINTA_AGENT=mover CINTA_SESSION=m1 cp "$T/b" notes/.b.tmp
	env CINTA_AGENT=mover CINTA_SESSION=m1 mv notes/.b.tmp notes/b.md
	[ "$(last notes/b.md)" = 'mover m1' ]
	env CINTA_AGENT=cutter CINTA_SESSION=c1 truncate -s 0 notes/b.md
	[ "$(last notes/b.md)" = 'cutter c1' ]
	verified
}

@test "what no table can hold is no name" {
	as CINTA_AGENT=$'a\tb' CINTA_SESSION='x y' notes/a.md
	[ "$(last notes/a.md)" = '- -' ]
	as CINTA_AGENT='a"b' CINTA_SESSION="$(printf 'x%.0s' {1..129})" notes/a.md
	[ "$(last notes/a.md)" = '- -' ]
	as CINTA_AGENT="ñ" CINTA_SESSION="$(printf 'x%.0s' {1..128})" notes/a.md
	[ "$(last notes/a.md)" = "- $(printf 'x%.0s' {1..128})" ]
	# more than is looked at stands before them
	seq 40000 > "$T/much"
	# no single variable may be longer than 128 KiB
	as A="$(head -c 120000 "$T/much")" B="$(head -c 120000 "$T/much")" C="$(head -c 120000 "$T/much")" \
		CINTA_AGENT=late notes/a.md
	[ "$(wc -l < notes/a.md@log)" -eq 4 ]
	verified
}

@test "a message keeps them under from, but not in the place of one of its own" {
	mkdir sessions/s
	echo '{"role":"user","content":"hi"}' | CINTA_AGENT=me CINTA_SESSION=7 tee -a sessions/s/log.jsonl > /dev/null
	echo '{"role":"user","content":"ho","from":{"author":"Ana"}}' | CINTA_AGENT=me CINTA_SESSION=7 tee -a sessions/s/log.jsonl > /dev/null
	echo '{"role":"user","content":"hu"}' >> sessions/s/log.jsonl
	[ "$(jq -c .from sessions/s/log.jsonl | tr '\n' ' ')" = '{"agent":"me","session":"7"} {"author":"Ana"} null ' ]
	[ "$(readlink sessions/current)" = s ]
	not grep -q "^## 1 .*imported" sessions/s/transcript.md
	# the first line of all, which makes its session, and one that takes session.md's defaults
	printf -- '---\nflag: red\n---\n' > sessions/s/session.md
	echo '{"content":"hy"}' | CINTA_AGENT=me tee -a sessions/s/log.jsonl > /dev/null
	[ "$(tail -1 sessions/s/log.jsonl | jq -c '[.flag,.from]')" = '["red",{"agent":"me"}]' ]
	verified
}

@test "from a session that holds a conversation to the versions saved in it, and back" {
	as CLAUDE_CODE_SESSION_ID=5f1c-1 notes/a.md
	as CLAUDE_CODE_SESSION_ID=other notes/a.md
	mkdir sessions/talk
	echo '{"role":"user","content":"do it","from":{"agent":"claude-code","session":"5f1c-1","id":"m1"}}' >> sessions/talk/log.jsonl
	as CLAUDE_CODE_SESSION_ID=5f1c-1 notes/b.md
	[ "$(cut -f9 notes/a.md@log | tr '\n' ' ')" = 'sessions/talk other ' ]
	[ "$(last notes/b.md)" = 'claude-code sessions/talk' ]
	[ "$(jq -r '"\(.path)@\(.version) \(.from.session)"' sessions/talk/saves.jsonl | tr '\n' ' ')" = \
		'notes/a.md@1 5f1c-1 notes/b.md@1 5f1c-1 ' ]
	[ "$(jq -r .hash sessions/talk/saves.jsonl | head -1)" = "$(head -1 notes/a.md@log | cut -f7)" ]
	# so with lists of facts: of who saved one, and of who said one to its agent
	echo '- The build takes a minute' | CINTA_AGENT=claude-code CINTA_SESSION=5f1c-1 tee facts/work.md > /dev/null
	[ "$(tail -1 facts/work.md@log | cut -f6,7)" = $'claude-code\tsessions/talk' ]
	[ "$(tail -1 sessions/talk/saves.jsonl | jq -r '"\(.path)@\(.version) \(.added) \(.hash)"')" = \
		"facts/work.md@1 1 $(cut -f5 facts/work.md@log)" ]
	[ "$(jq -c '[.said_in,.from]' facts/facts.jsonl)" = '[null,{"agent":"claude-code","session":"5f1c-1"}]' ]
	[ "$(sql 'SELECT agent, conversation FROM facts')" = 'claude-code|5f1c-1' ]
	echo '{"role":"user","content":"Remember that I live in Quilmes","from":{"agent":"claude-code","session":"5f1c-1","id":"m9"}}' >> sessions/talk/log.jsonl
	wait_for 20 grep -q Quilmes facts/personal.md
	[ "$(jq -r 'select(.domain == "personal").said_in' facts/facts.jsonl)" = sessions/talk/messages/000002.md ]
	grep -q Quilmes "$(jq -r 'select(.domain == "personal").said_in' facts/facts.jsonl)"
	[ "$(cut -f6,7 facts/personal.md@log)" = $'-\t-' ]
	# a message that was taken in makes no session current
	mkdir sessions/mine
	echo '{"role":"user","content":"mine"}' >> sessions/mine/log.jsonl
	echo '{"role":"user","content":"more","from":{"agent":"claude-code","session":"5f1c-1","id":"m2"}}' >> sessions/talk/log.jsonl
	[ "$(readlink sessions/current)" = mine ]
	verified
}
