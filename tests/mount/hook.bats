# SPDX-License-Identifier: MIT
# cinta hook: what a coding agent runs.  It never stops or delays the agent, whatever the memory does.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && HERE=$BATS_TEST_DIRNAME/import; }
teardown() { cinta_teardown; }

# event NAME [MEMBER VALUE]…: as the agents send it
event() {
	local args=(--arg hook_event_name "$1") members='hook_event_name:$hook_event_name'
	shift
	while [ $# -gt 0 ]; do
		args+=(--arg "$1" "$2") members+=",$1:\$$1"
		shift 2
	done
	jq -nc "${args[@]}" "{session_id:\"s-1\",$members}"
}
# hook EVENT…: its status is 0; what is on stdout is empty or one JSON object
hook() {
	event "$@" > "$T/event"
	run --separate-stderr "$CINTA" hook -d "$DB" < "$T/event"
	echo "$1: $status: ${output:0:200}$stderr"
	[ "$status" -eq 0 ]
	[ -z "$output" ] || jq -e . <<< "$output" > /dev/null
}
start() {
	hook SessionStart cwd "$1" source startup
	jq -ej 'select(keys == ["hookSpecificOutput"]).hookSpecificOutput | select(.hookEventName == "SessionStart").additionalContext' <<< "$output" > "$T/context"
	[ "$(head -1 "$T/context")" = '<!-- cinta:context -->' ]
}
messages() { "$CINTA" cat -d "$DB" "$1" 2> /dev/null | wc -l; }
has() { [ "$(messages "$1")" -eq "$2" ]; }
SHOP=threads/shop/log.jsonl

# two projects; the last word is of the other one
two_projects() {
	"$CINTA" init "$DB" > /dev/null
	printf '{"role":"user","content":"%s","thread":"%s"}\n' 'The mast is of spruce.' boat |
		"$CINTA" append -d "$DB" -p sessions/one/log.jsonl
	printf '{"role":"user","content":"%s","thread":"%s"}\n' 'Decision: the till is red.' shop2 |
		"$CINTA" append -d "$DB" -p sessions/two/log.jsonl
}

@test "SessionStart: the context of the project, not of whoever wrote last; with a mount, without, with a dead and a hung one" {
	two_projects
	local state pid
	for state in without with hung killed; do
		case $state in
		with) cinta_mount ;;
		hung) pid=$(owner_of "$DB"); kill -STOP "$pid" ;;
		killed) kill -CONT "$pid"; kill -9 "$pid" ;;
		esac
		echo "$state"
		start "$T/work/boat/"
		"$CINTA" cat -d "$DB" threads/boat/context.md 2> /dev/null | diff <(tail -n +2 "$T/context") - || [ "$state" = hung ]
		grep -q spruce "$T/context"
		not grep -q 'till is red' <(sed '/^## Facts/,/^## /d' "$T/context")
		start "$T/work/unheard-of"
		grep -q '^## Instructions' "$T/context"
		not grep -q spruce "$T/context"
		start /
		grep -q '^## Instructions' "$T/context"
	done
}

@test "Stop, PreCompact, SessionEnd, and Gemini's names: the transcript is taken in, once, as it grows" {
	"$CINTA" init "$DB" > /dev/null
	local name part
	for part in Stop:5 AfterAgent:9 PreCompact:12 PreCompress:15 SessionEnd:18; do
		name=${part%:*}
		head -n "${part#*:}" "$HERE/claude.jsonl" > "$T/t.jsonl"
		hook "$name" transcript_path "$T/t.jsonl"
		[ -z "$output" ]
		cp "$T/t.jsonl" "$T/t2.jsonl"
		wait_for 10 "$CINTA" import -d "$DB" "$T/t2.jsonl" # what the hook may still do is done twice
	done
	wait_for 10 has "$SHOP" 9
	hook Stop transcript_path "$HERE/claude.jsonl"
	sleep 0.5
	has "$SHOP" 9
	[ "$("$CINTA" cat -d "$DB" "$SHOP" | jq -r .from.id | sort | uniq | wc -l)" -ge 5 ]
	[ "$("$CINTA" cat -d "$DB" "$SHOP" | jq -c '[.from.agent,.from.session,.from.id,.from.part]' | sort | uniq -d | wc -l)" -eq 0 ]
	verified
}

@test "an event may hold any number and any byte" {
	"$CINTA" init "$DB" > /dev/null
	printf '{"hook_event_name":"Stop","session_id":"s-1","n":18446744073709551615,"said":"a\\u0000b","transcript_path":"%s"}' \
		"$HERE/claude.jsonl" | "$CINTA" hook -d "$DB"
	wait_for 30 has "$SHOP" 9
}

@test "Gemini's transcript, which does not say where it was held: the event does" {
	"$CINTA" init "$DB" > /dev/null
	hook AfterAgent transcript_path "$(echo "$HERE"/session-2025-06-07*.jsonl)" cwd /work/lists
	wait_for 10 has threads/lists/log.jsonl 10
	hook SessionEnd transcript_path "$(echo "$HERE"/session-2025-06-07*.jsonl)" cwd /work/lists
	start /elsewhere/lists
	grep -q '42 lines' "$T/context"
}

@test "beside a mount, and when it was killed: the mount shows it, the next one too" {
	cinta_mount
	hook Stop transcript_path "$HERE/claude.jsonl"
	shown() { [ "$(wc -l < "$M/$SHOP")" -eq 9 ]; }
	wait_for 10 shown
	kill -9 "$(owner_of "$DB")"
	hook SessionEnd transcript_path "$(echo "$HERE"/rollout-*.jsonl)"
	taken() { "$CINTA" ls -d "$DB" sessions | grep -q '^codex-'; }
	wait_for 10 taken
	verified
}

@test "Codex that names no transcript: it is found by the session's id" {
	"$CINTA" init "$DB" > /dev/null
	export CODEX_HOME=$T/codex
	mkdir -p "$CODEX_HOME/sessions/2025/05/06"
	cp "$HERE"/rollout-*.jsonl "$CODEX_HOME/sessions/2025/05/06/"
	echo '{"hook_event_name":"Stop","session_id":"019a0000-1111-7222-8333-abcdefabcdef","transcript_path":null}' |
		"$CINTA" hook -d "$DB"
	taken() { "$CINTA" ls -d "$DB" sessions | grep -q '^codex-'; }
	wait_for 10 taken
	# a name is no pattern
	run --separate-stderr "$CINTA" hook -d "$DB" <<< '{"hook_event_name":"Stop","session_id":"*","transcript_path":null}'
	[ "$status" -eq 0 ] && [[ $stderr == *'names no transcript'* ]]
}

@test "four hooks at once: no line twice, none lost" {
	"$CINTA" init "$DB" > /dev/null
	local i
	jq -nc 'range(400) | {type:"user",uuid:"u\(.)",sessionId:"big",cwd:"/w/crowd",timestamp:"2025-03-04T10:00:00Z",message:{role:"user",content:"line \(.)"}}' > "$T/big.jsonl"
	event Stop transcript_path "$T/big.jsonl" > "$T/event"
	for i in 1 2 3 4; do
		"$CINTA" hook -d "$DB" < "$T/event" &
		pids[i]=$!
	done
	for i in 1 2 3 4; do wait "${pids[i]}"; done
	wait_for 20 has threads/crowd/log.jsonl 400
	"$CINTA" import -d "$DB" "$T/big.jsonl"
	has threads/crowd/log.jsonl 400
	[ "$("$CINTA" cat -d "$DB" threads/crowd/log.jsonl | jq -r .content | sort -u | wc -l)" -eq 400 ]
	verified
}

@test "what takes long: the agent does not wait for it, and all of it comes" {
	"$CINTA" init "$DB" > /dev/null
	jq -nc 'range(20000) | {type:"user",uuid:"u\(.)",sessionId:"huge",cwd:"/w/huge",timestamp:"2025-03-04T10:00:00Z",message:{role:"user",content:"line \(.)"}}' > "$T/huge.jsonl"
	event SessionEnd transcript_path "$T/huge.jsonl" > "$T/event"
	# nothing of it keeps the agent's pipes open when it has gone
	timeout 30 "$CINTA" hook -d "$DB" < "$T/event" 2>&1 | timeout 30 cat > "$T/said"
	[ ! -s "$T/said" ]
	# who starts meanwhile has a context all the same
	start /w/huge
	wait_for 120 has threads/huge/log.jsonl 20000
}

@test "an agent that has gone before its answer: the status is 0" {
	two_projects
	event SessionStart cwd /home/kai/boat source startup > "$T/event"
	mkfifo "$T/answer"
	{ exec 8<> "$T/answer" && exec 9> "$T/answer"; }
	exec 8>&-
	"$CINTA" hook -d "$DB" < "$T/event" >&9 2> "$T/said"
	exec 9>&-
	grep 'Broken pipe' "$T/said"
}

@test "whatever is wrong, the status is 0 and nothing is on standard output" {
	"$CINTA" init "$DB" > /dev/null
	mkfifo "$T/fifo"
	local words input
	while IFS='|' read -r input words; do
		run --separate-stderr "$CINTA" hook -d "$DB" < <(printf %s "${input//'$T'/$T}")
		echo "$input: $status $output $stderr"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		[[ $stderr == *"$words"* ]]
	done <<- 'END'
		|an agent runs this
		nonsense|an agent runs this
		[1]|an agent runs this
		{"hook_event_name":"Stop|an agent runs this
		{}|
		{"hook_event_name":7}|
		{"hook_event_name":"PostToolUse","tool_name":"Bash"}|
		{"hook_event_name":"Stop"}|names no transcript
		{"hook_event_name":"Stop","transcript_path":"/nowhere/x.jsonl"}|No such file
		{"hook_event_name":"Stop","transcript_path":"/dev"}|is no plain file
		{"hook_event_name":"Stop","transcript_path":"/dev/zero"}|is no plain file
		{"hook_event_name":"Stop","transcript_path":"$T/fifo"}|is no plain file
	END
	run --separate-stderr "$CINTA" hook -x
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[[ $stderr == *'unknown option -x'* ]]
	run --separate-stderr "$CINTA" hook a b
	[ "$status" -eq 0 ]
	[[ $stderr == *'with -d'* ]]
	hook SessionStart cwd /w
	rm "$DB"
	hook SessionStart cwd /w
	[ -z "$output" ]
	[[ $stderr == *'no such file'* ]]
	[ ! -e "$DB" ]
	echo 'no memory' > "$DB"
	hook SessionStart cwd /w
	[ -z "$output" ]
	[ -n "$stderr" ]
	hook Stop transcript_path "$HERE/claude.jsonl"
	[ -z "$output" ]
	[ "$(cat "$DB")" = 'no memory' ]
}

@test "an agent that keeps its end open is answered; the cost of an answer" {
	two_projects
	# the writer stays: the hook must not wait for the end
	mkfifo "$T/pipe"
	sleep 60 > "$T/pipe" &
	local sleeper=$!
	{ event SessionStart cwd "$T/work/boat" && exec sleep 60; } > "$T/pipe" &
	local writer=$!
	timeout 20 "$CINTA" hook -d "$DB" < "$T/pipe" > "$T/answer"
	kill "$sleeper" "$writer"
	jq -r .hookSpecificOutput.additionalContext "$T/answer" | grep -q spruce
	cinta_mount
	event SessionStart cwd "$T/work/boat" > "$T/event"
	TIMEFORMAT='%U %S'
	{ time for i in $(seq 20); do "$CINTA" hook -d "$DB" < "$T/event" > /dev/null; done; } 2> "$T/time"
	cat "$T/time"
	awk '{ exit !(($1 + $2) / 20 <= 0.1) }' "$T/time"
	cinta_umount
	{ time for i in $(seq 10); do "$CINTA" hook -d "$DB" < "$T/event" > /dev/null; done; } 2> "$T/time"
	cat "$T/time"
	awk '{ exit !(($1 + $2) / 10 <= 0.3) }' "$T/time"
}
