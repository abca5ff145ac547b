# SPDX-License-Identifier: MIT
# cinta export --messages and --tape: a conversation and a whole memory as text, and back again.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && "$CINTA" init "$DB" > /dev/null && SOURCE=$BATS_TEST_DIRNAME/import; }
teardown() { cinta_teardown; }

# said DB: what of all messages a reader goes by, in order
said() {
	sqlite3 "$1" "SELECT body FROM tape WHERE kind = 'message' ORDER BY seq" |
		jq -c '[.role, .content, .tool, .call, .error]'
}
columns='seq, stream, stream_seq, hex(prev), time_us, kind, author, hex(body_hash), hex(leaf_hash), hex(salt), body'
rows() { sqlite3 "$1" "SELECT $columns FROM tape"; }

@test "messages: one that holds an integer of any size is there" {
	printf '{"role":"user","content":"%s","n":%s}\n' one 1 two 18446744073709551615 three -9223372036854775809 |
		"$CINTA" append -d "$DB" -p sessions/a/log.jsonl
	echo 'prune 1' | "$CINTA" append -d "$DB" sessions/a/ctl
	[ "$("$CINTA" export --messages openai a "$DB" | jq -c '[.[].content]')" = '["two","three"]' ]
}

@test "messages: as the APIs take them, calls and results in their places" {
	"$CINTA" import --tools full "$SOURCE/claude.jsonl" "$DB"
	local name=claude-code-2025-03-04-mend-the-shop-s-checkout
	"$CINTA" export --messages openai "$name" "$DB" > "$T/openai.json"
	"$CINTA" export --messages anthropic -d "$DB" "$name" > "$T/anthropic.json"
	[ "$(jq -c '[.[] | .role]' "$T/openai.json")" = '["user","assistant","tool","tool","assistant","user","user"]' ]
	[ "$(jq -c '[.[1].tool_calls[] | [.id, .type, .function.name, (.function.arguments | fromjson | keys[0])]]' "$T/openai.json")" = \
		'[["toolu_1","function","Read","file_path"],["toolu_2","function","Bash","command"]]' ]
	[ "$(jq -c '[.[2:4][].tool_call_id]' "$T/openai.json")" = '["toolu_1","toolu_2"]' ]
	[ "$(jq -c '[.[1].content[] | [.type, .id, (.input // {} | keys[0])]]' "$T/anthropic.json")" = \
		'[["text",null,null],["tool_use","toolu_1","file_path"],["tool_use","toolu_2","command"]]' ]
	[ "$(jq -c '[.[2].content[] | [.type, .tool_use_id, .is_error]]' "$T/anthropic.json")" = \
		'[["tool_result","toolu_1",null],["tool_result","toolu_2",true]]' ]
	# and back: the same words, calls and results
	local api
	for api in openai anthropic; do
		"$CINTA" init "$T/$api.db" > /dev/null
		"$CINTA" import --tools full "$T/$api.json" "$T/$api.db"
		diff <(said "$DB" | jq -c 'if $api == "openai" then .[4] = null else . end' --arg api "$api") <(said "$T/$api.db")
		"$CINTA" import --tools full "$T/$api.json" "$T/$api.db" | grep -q ' 0 messages'
	done
}

@test "messages: what was cut when it was taken in is not cut again" {
	local api name=claude-code-2025-03-04-mend-the-shop-s-checkout
	"$CINTA" import "$SOURCE/claude.jsonl" "$DB"
	said "$DB" | grep -q '114 bytes left out'
	for api in openai anthropic; do
		"$CINTA" export --messages "$api" "$name" "$DB" > "$T/$api.json"
		"$CINTA" init "$T/$api.db" > /dev/null
		"$CINTA" import "$T/$api.json" "$T/$api.db"
		diff <(said "$DB" | jq -c 'if $api == "openai" then .[4] = null else . end' --arg api "$api") <(said "$T/$api.db")
	done
}

@test "messages: a text of many pieces takes time by its length" {
	python3 -c '
import json
for i in range(600):
    print(json.dumps({"role": "user", "content": "ñ" * 10000, "from": {"agent": "a", "session": "s", "id": "m+%d" % i if i else "m"}}))' |
		"$CINTA" append -p -d "$DB" sessions/s/log.jsonl
	(ulimit -t 8 && "$CINTA" export --messages openai s "$DB" > "$T/out")
	[ "$(jq -c '[length, (.[0].content | length)]' "$T/out")" = '[1,6000000]' ]
}

@test "messages: a system's, what is pruned, results without a call, long texts in pieces" {
	cinta_mount
	mkdir "$M/sessions/a"
	printf '%s\n' '{"role":"system","content":"Be kind."}' '{"role":"user","content":"one"}' '{"role":"assistant","content":"wrong"}' \
		'{"role":"tool","tool":"clock","call":"c9","content":"noon"}' '{"role":"assistant","tool":"clock","call":"c1","content":"clock not JSON"}' \
		'{"role":"tool","tool":"clock","call":"c1","content":"ten"}' '{"role":"assistant","content":"right"}' >> "$M/sessions/a/log.jsonl"
	echo 'prune 3' > "$M/sessions/a/ctl"
	[ "$("$CINTA" export --messages openai a "$M" | jq -c '[.[] | [.role, .content]]')" = \
		'[["system","Be kind."],["user","one"],["user","clock: noon"],["assistant",null],["tool","ten"],["assistant","right"]]' ]
	"$CINTA" export --messages anthropic a "$M" > "$T/a.json"
	[ "$(jq -c '[.system, (.messages | length), .messages[2].content[0].input]' "$T/a.json")" = '["Be kind.",5,{"text":"not JSON"}]' ]
	"$CINTA" import --session back "$T/a.json" "$DB"
	grep -q '"role":"system","content":"Be kind."' "$M/sessions/back/log.jsonl"
	python3 -c 'import json; print(json.dumps([{"role": "user", "content": "ñ" * 200000}]))' > "$T/long.json"
	"$CINTA" import --session long "$T/long.json" "$DB"
	[ "$(wc -l < "$M/sessions/long/log.jsonl")" -gt 2 ]
	[ "$("$CINTA" export --messages anthropic long "$M" | jq -r '.[] | .content[].text' | wc -m)" -eq 200001 ]
	run -1 "$CINTA" export --messages openai none "$M"
	[[ $output == *none* ]]
	run -2 "$CINTA" export --messages gemini a "$M"
	run -2 "$CINTA" export --messages openai
	[[ $output == *'takes a SESSION'* ]]
}

@test "messages: a late result stands behind its call; a call without one is a text" {
	cinta_mount
	mkdir "$M/sessions/a"
	cat >> "$M/sessions/a/log.jsonl" <<-'END'
		{"role":"user","content":"one"}
		{"role":"assistant","tool":"clock","call":"c1","content":"clock {}"}
		{"role":"assistant","tool":"clock","call":"c2","content":"clock {\"in\":\"Oslo\"}"}
		{"role":"assistant","tool":"stop","call":"c3","content":"{}"}
		{"role":"tool","tool":"clock","call":"c2","content":"ten"}
		{"role":"assistant","content":"wait"}
		{"role":"user","content":"two"}
		{"role":"assistant","tool":"clock","call":"c4","content":"clock {}"}
		{"role":"tool","tool":"clock","call":"c1","content":"nine"}
		{"role":"tool","tool":"clock","call":"c4","content":"noon"}
		{"role":"assistant","tool":"clock","call":"c5","content":"clock {}"}
	END
	"$CINTA" export --messages openai a "$M" > "$T/openai.json"
	"$CINTA" export --messages anthropic a "$M" > "$T/anthropic.json"
	jq -c '[.[] | [.role, .content // [.tool_calls[].id], .tool_call_id // empty]]' "$T/openai.json" | tee "$T/roles"
	[ "$(cat "$T/roles")" = '[["user","one"],["assistant",["c1","c2"]],["tool","ten","c2"],["tool","nine","c1"],["assistant","stop: {}"],["assistant","wait"],["user","two"],["assistant",["c4"]],["tool","noon","c4"],["assistant","clock {}"]]' ]
	jq -c '[.[] | [.role, (.content[] | .text // .id // .tool_use_id)]]' "$T/anthropic.json" | tee "$T/roles"
	[ "$(cat "$T/roles")" = '[["user","one"],["assistant","c1","c2"],["user","c2","c1"],["assistant","stop: {}"],["assistant","wait"],["user","two"],["assistant","c4"],["user","c4"],["assistant","clock {}"]]' ]
}

@test "tape: the same rows and hashes in a new memory, which goes on" {
	"$CINTA" import "$SOURCE/claude.jsonl" "$SOURCE/conversations.json" "$DB"
	"$CINTA" redact --yes --reason 'not to be kept' --match 'I look at both files' "$DB"
	cinta_mount
	say uno 'prefiero té'
	"$CINTA" export --tape "$M" > "$T/tape.jsonl"
	cinta_umount
	[ "$(tail -n 1 "$T/tape.jsonl" | jq .entries)" -eq $(($(wc -l < "$T/tape.jsonl") - 1)) ]
	: > "$T/new.db"
	run "$CINTA" import --exact "$T/tape.jsonl" "$T/new.db"
	[ "$status" -eq 0 ]
	[[ $output == *"Taken in: $(tail -n 1 "$T/tape.jsonl" | jq .entries) entries"* ]]
	diff <(rows "$DB") <(rows "$T/new.db")
	"$CINTA" verify --all "$T/new.db"
	cmp <("$CINTA" export --tape "$T/new.db" | head -n -1) <(head -n -1 "$T/tape.jsonl")
	"$CINTA" import --exact - "$T/two.db" < "$T/tape.jsonl"
	DB=$T/new.db
	cinta_mount
	say uno 'and on'
	grep -q 'prefiero té' "$M/sessions/uno/log.jsonl"
	cinta_umount
	verified
}

# refused WORDS: tape.bad becomes no memory, and it is said why
refused() {
	run -1 "$CINTA" import --exact "$T/tape.bad" "$T/bad.db"
	[[ $output == *"$1"* ]] || { echo "$output" && return 1; }
	[ -z "$(find "$T" -name 'bad.db*')" ]
}

@test "tape: cut or changed it is refused, and no file is left" {
	"$CINTA" import "$SOURCE/claude.jsonl" "$DB"
	"$CINTA" export --tape "$DB" > "$T/tape.jsonl"
	local n
	n=$(($(wc -l < "$T/tape.jsonl") - 1))
	head -n "$n" "$T/tape.jsonl" > "$T/tape.bad"
	refused 'it is cut'
	head -n -2 "$T/tape.jsonl" > "$T/tape.bad"
	tail -n 1 "$T/tape.jsonl" >> "$T/tape.bad"
	refused 'another number'
	head -c -40 "$T/tape.jsonl" > "$T/tape.bad"
	refused 'cut or changed'
	sed 4d "$T/tape.jsonl" > "$T/tape.bad"
	refused 'entry 3 is missing'
	sed '5s/"author":"./&x/' "$T/tape.jsonl" > "$T/tape.bad"
	refused 'entry 4 is not the one'
	sed 's/both files/good files/' "$T/tape.jsonl" > "$T/tape.bad"
	refused 'is not the one that was hashed'
	sed '6s/"salt":"..../"salt":"0000/' "$T/tape.jsonl" > "$T/tape.bad"
	refused 'entry 5 is not the one'
	sed '$s/"root":"..../"root":"0000/' "$T/tape.jsonl" > "$T/tape.bad"
	refused 'not those its last line is of'
	{ cat "$T/tape.jsonl" && head -n 1 "$T/tape.jsonl"; } > "$T/tape.bad"; refused 'behind the line that ends it'
	# a note that somebody signed for other entries
	sed '$s/\\n\\n— /\\n\\n— x/' "$T/tape.jsonl" > "$T/tape.bad"
	run "$CINTA" import --exact "$T/tape.bad" "$T/bad.db"
	[ "$status" -ne 0 ]
	[ ! -e "$T/bad.db" ]
	: > "$T/tape.bad"
	refused 'holds no entry'
	"$CINTA" import --exact "$T/tape.jsonl" "$T/good.db"
	run -1 "$CINTA" import --exact "$T/tape.jsonl" "$T/good.db"
	[[ $output == *'is there already'* ]]
}
