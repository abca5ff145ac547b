# SPDX-License-Identifier: MIT
# cinta mcp: JSON lines in, JSON lines out, in both generations of the protocol, and what no client
# should send.  The protocol's own clients drive it in tests/clients/mcp.bats.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	unset AI_AGENT CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID OPENCODE CINTA_AGENT CINTA_SESSION
	"$CINTA" init "$DB" > /dev/null
}
teardown() { cinta_teardown; }

mcp() { timeout 60 "$CINTA" mcp -d "$DB" "$@"; }
# asks METHOD [PARAMS]: one request, its answer
asks() { jq -nc --arg m "$1" --argjson p "${2:-{\}}" '{jsonrpc:"2.0",id:7,method:$m,params:$p}' | mcp; }
# tool NAME [ARGUMENTS]: what the model reads; fails as the tool does
tool() {
	local answer
	answer=$(jq -nc --arg n "$1" --argjson a "${2:-{\}}" '{jsonrpc:"2.0",id:1,method:"tools/call",params:{name:$n,arguments:$a}}' | mcp "${@:3}")
	jq -rj '.result.content[0].text // .error.message' <<< "$answer"
	[ "$(jq .result.isError <<< "$answer")" = false ]
}
c() { local verb=$1 && shift && "$CINTA" "$verb" -d "$DB" "$@"; }
modern='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

@test "a handshake: the client's version if it is known, else the newest that has one" {
	local v
	for v in 2025-11-25 2025-06-18 2025-03-26 2024-11-05; do
		asks initialize "{\"protocolVersion\":\"$v\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}" > "$T/answer"
		jq -e --arg v "$v" '.result.protocolVersion == $v and .result.serverInfo.name == "cinta" and .result.capabilities.tools and .result.capabilities.resources' "$T/answer"
	done
	for v in 2026-07-28 1999-01-01; do
		[ "$(asks initialize "{\"protocolVersion\":\"$v\"}" | jq -r .result.protocolVersion)" = 2025-11-25 ]
	done
	[ "$(asks ping | jq -c .result)" = '{}' ]
	[ "$(asks prompts/list | jq .error.code)" = -32601 ]
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' | mcp > "$T/answer"
	[ ! -s "$T/answer" ]
}

@test "without a handshake: each request says its version, each result what it is" {
	asks server/discover "{$modern}" > "$T/answer"
	jq -e '.result | .resultType == "complete" and .supportedVersions[0] == "2026-07-28" and .cacheScope == "private" and .ttlMs >= 0
		and ._meta["io.modelcontextprotocol/serverInfo"].name == "cinta"' "$T/answer"
	asks tools/list "{$modern}" | jq -e '.result.resultType == "complete" and (.result.tools | length) == 6'
	asks tools/call "{\"name\":\"memory_read\",\"arguments\":{\"path\":\"README.md\"},$modern}" | jq -e '.result | .resultType == "complete" and .isError == false and (has("ttlMs") | not)'
	[ "$(asks server/discover | jq .error.code)" = -32602 ]
	[ "$(asks tools/list "{${modern/clientCapabilities/other}}" | jq .error.code)" = -32602 ]
	[ "$(asks initialize "{$modern}" | jq .error.code)" = -32601 ]
	[ "$(asks ping "{$modern}" | jq .error.code)" = -32601 ]
	asks tools/list "{${modern/2026-07-28/2031-01-01}}" | jq -e '.error.code == -32022 and .error.data.requested == "2031-01-01" and (.error.data.supported | index("2026-07-28"))'
	[ "$(asks resources/read "{\"uri\":\"cinta:///no.md\",$modern}" | jq .error.code)" = -32602 ]
	asks subscriptions/listen "{\"notifications\":{\"toolsListChanged\":true},$modern}" > "$T/answer"
	jq -e '.method == "notifications/subscriptions/acknowledged" and .params._meta["io.modelcontextprotocol/subscriptionId"] == 7 and .params.notifications == {}' "$T/answer"
	[ "$(wc -l < "$T/answer")" -eq 1 ]
}

@test "six tools in at most 600 tokens, as cinta counts them; three of them with -o ro" {
	asks tools/list | jq -c .result.tools > "$T/tools"
	[ "$(jq length "$T/tools")" -eq 6 ]
	jq -c '{role:"user",content:tojson}' "$T/tools" | c append -p sessions/count/log.jsonl
	c cat sessions/count/log.jsonl | jq .token_count
	[ "$(c cat sessions/count/log.jsonl | jq .token_count)" -le 600 ]
	asks initialize '{"protocolVersion":"2025-11-25"}' | jq -c '{role:"user",content:.result.instructions}' | c append sessions/count/log.jsonl
	[ "$(c cat sessions/count/log.jsonl | tail -1 | jq .token_count)" -le 80 ]
	[ "$(echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' | mcp -o ro | jq -c '[.result.tools[].name]')" = '["memory_context","memory_search","memory_read"]' ]
	run tool memory_write '{"path":"notes/a.md","text":"a"}' -o ro
	[ "$status" -ne 0 ] && [[ $output == *'Unknown tool'* ]]
}

@test "write, edit, append, log, search, context, window: mounted and not" {
	local way
	for way in without with; do
		[ $way = without ] || cinta_mount
		[ "$(tool memory_write "{\"path\":\"notes/$way/deploy.md\",\"text\":\"Deploy on Mondays.\n\"}")" = "Saved notes/$way/deploy.md" ]
		tool memory_write "{\"path\":\"/notes/$way/deploy.md\",\"old\":\"Mondays\",\"new\":\"Tuesdays\"}"
		tool memory_write "{\"path\":\"notes/$way/deploy.md\",\"append\":\"Watch the log.\"}"
		[ "$(c cat "notes/$way/deploy.md")" = $'Deploy on Tuesdays.\nWatch the log.' ]
		[ "$(tool memory_read "{\"path\":\"notes/$way/deploy.md\",\"lines\":\"2\"}")" = 'Watch the log.' ]
		tool memory_read "{\"path\":\"notes/$way\"}" | grep -qx deploy.md
		tool memory_read '{"path":""}' | grep -qx notes/
		tool memory_log "{\"session\":\"talk-$way\",\"messages\":[{\"role\":\"user\",\"content\":\"The $way mast is of spruce.\",\"thread\":\"boat\"},{\"role\":\"assistant\",\"content\":\"Noted.\"}]}"
		[ "$(c cat "sessions/talk-$way/log.jsonl" | jq -c '[.id,.role,.content]')" = "[1,\"user\",\"The $way mast is of spruce.\"]
[2,\"assistant\",\"Noted.\"]" ]
		tool memory_search "{\"query\":\"$way mast spruce/wood\",\"limit\":1}" > "$T/found"
		grep -q "talk-$way" "$T/found"
		tool memory_context '{"question":"what is the mast of?"}' | grep -q spruce
		tool memory_context "{\"session\":\"talk-$way\"}" | grep -q spruce
		tool memory_context | grep -q .
		tool memory_window "{\"session\":\"talk-$way\",\"commands\":[\"prune 1\"]}" > "$T/window"
		c cat "sessions/talk-$way/ctl" | diff - "$T/window"
		c cat "sessions/talk-$way/active.jsonl" | not grep -q 'is of spruce'
		[ $way = without ] || cinta_umount
	done
	"$CINTA" verify "$DB" | grep -q '^OK'
}

@test "a search has its limit, also where the query leaves a quote open" {
	local n
	for n in 1 2 3; do
		tool memory_log "{\"session\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":\"the 5\\\" pipe, number $n\"}]}"
	done
	tool memory_search '{"query":"5\" pipe","limit":2}' > "$T/found"
	[ "$(grep -c '^[0-9]*\. ' "$T/found")" -eq 2 ]
	not grep -q 'by its words' "$T/found"
}

@test "numbers in what is logged stay what they are; one over 64 bits is refused by name" {
	tool memory_log '{"session":"n","messages":[{"role":"user","content":"x","metadata":{"a":0.1,"b":[1e300,-2.5],"c":7}},{"role":"user","content":"y","metadata":{"a":0.30000000000000004}}]}'
	c cat sessions/n/log.jsonl > "$T/log"
	cat "$T/log"
	grep -F '{"a":0.1,"b":[1e300,-2.5],"c":7}' "$T/log"
	grep -F '{"a":0.30000000000000004}' "$T/log"
	echo '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":123456789012345678901}}' | mcp | jq -e '.error | .code == -32700 and (.message | contains("64 bits"))'
}

# edits NAME FILE FROM: a server that changes thirty lines of FILE one by one, as two edit it
edits() {
	local n
	for n in $(seq "$3" 2 60); do
		printf '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"memory_write","arguments":{"path":"%s","old":"line %02d:\\n","new":"line %02d: %s\\n"}}}\n' "$n" "$2" "$n" "$n" "$1"
	done | mcp | grep -c 'Saved'
}

@test "two that change other lines of a document lose none of them, mounted and not" {
	local way
	for way in without with; do
		[ $way = without ] || cinta_mount
		printf 'line %02d:\n' $(seq 60) | c write -p notes/$way.md
		edits one notes/$way.md 1 > "$T/one" &
		edits two notes/$way.md 2 > "$T/two"
		wait $!
		[ "$(cat "$T/one" "$T/two" | xargs)" = '30 30' ]
		[ "$(c cat notes/$way.md | grep -c 'one\|two')" -eq 60 ]
		not grep CONFLICT <(c cat errors.log)
	done
	# who holds the lock for long is not waited for, and what comes between is told
	printf 'a\nb\n' > "$M/notes/held.md"
	exec 9< "$M/notes/held.md"
	flock 9
	tool memory_write '{"path":"notes/held.md","old":"a","new":"c"}'
	exec 9<&-
	[ "$(cat "$M/notes/held.md")" = $'c\nb' ]
}

@test "a refusal is the sentence of errors.log, and the tool's, not the protocol's" {
	cinta_mount
	not tool memory_write '{"path":"README.md","text":"mine"}' > "$T/said"
	grep -q 'README.md: ' "$T/said"
	grep -qF "$(sed 's/^README.md: //' "$T/said")" "$M/errors.log"
	not tool memory_log '{"messages":[{"role":"robot","content":"x"}]}' | grep -q 'role'
	for path in memories/recipes/tea.md facts/food/tea.md; do # the folder, not the file, is refused
		not tool memory_write "{\"path\":\"$path\",\"text\":\"x\"}" > "$T/said"
		grep -qF "$path: this directory is not made here; make sessions" "$T/said"
	done
	not tool memory_read '{"path":"notes/none.md"}' | grep -q 'notes/none.md: .*; memory_read of "notes" lists what is there'
	not tool memory_read '{"path":"facts/a/b.md"}' | grep -q '; memory_read of "facts" lists'
	not tool memory_context '{"session":"none"}' | grep -q '; memory_read of "sessions" lists'
	not tool memory_read '{"path":"none.md"}' | grep -q '; memory_read of "" lists'
	not tool memory_read '{"path":"../../etc/passwd"}' | grep -q passwd
	not tool memory_write '{"path":"notes/a.md","text":"a","append":"b"}' | grep -q 'Give text'
	not tool memory_write '{"path":"notes/a.md","txt":"a"}' | grep -q 'takes no txt'
	not tool memory_write '{"path":7,"text":"a"}' | grep -q 'path must be of type string'
	not tool memory_write '{"text":"a"}' | grep -q 'path is missing'
	not tool memory_write '{"path":"notes/a\u0000b.md","text":"a"}' | grep -q 'without NUL'
	tool memory_write '{"path":"notes/twice.md","text":"one one"}'
	not tool memory_write '{"path":"notes/twice.md","old":"one","new":"two"}' | grep -q 'more than once'
	not tool memory_write '{"path":"notes/twice.md","old":"three","new":"two"}' | grep -q 'does not occur'
	not tool memory_log '{"session":"a/b","messages":[{"role":"user","content":"x"}]}' | grep -q 'session: '
	not tool memory_log '{"messages":[]}' | grep -q empty
	not tool memory_search '{"query":"a","limit":0}' | grep -q '1 to 100'
	not tool memory_window '{"commands":["dance"],"session":"none"}' | grep -q 'sessions/none/ctl: '
	tool memory_log '{"messages":[{"role":"user","content":"x"}]}'
	not tool memory_window '{"commands":["dance"]}' | grep -q 'dance.*is no command'
	not tool memory_read '{"path":"README.md","lines":"x"}' | grep -q 'lines: '
	[ "$(cat "$M/notes/twice.md")" = 'one one' ]
	not tool delete_everything | grep -q 'Unknown tool'
}

@test "resources: two listed, a template for the rest, bytes that are no text as base64" {
	asks resources/list | jq -e '[.result.resources[].uri] == ["cinta:///context.md","cinta:///README.md"]'
	asks resources/templates/list | jq -e '.result.resourceTemplates[0].uriTemplate == "cinta:///{+path}"'
	for uri in %FF notes/%C3 %C3%28.md; do
		asks resources/read "{\"uri\":\"cinta:///$uri\"}" | jq -e '.error | .code == -32002 and (.message | startswith("Resource not found"))'
	done
	c write -p 'notes/a b/ñ.md' <<< 'words'
	asks resources/read '{"uri":"cinta:///notes/a%20b/%C3%B1.md"}' | jq -e '.result.contents == [{"uri":"cinta:///notes/a%20b/%C3%B1.md","mimeType":"text/markdown","text":"words\n"}]'
	printf 'a\377b' | c write notes/bytes.md
	[ "$(asks resources/read '{"uri":"cinta:///notes/bytes.md"}' | jq -r '.result.contents[0].blob' | base64 -d | xxd -p)" = 61ff62 ]
	not tool memory_read '{"path":"notes/bytes.md"}' | grep -q 'no text'
	local uri
	for uri in file:///etc/passwd cinta:///no.md cinta:///%zz cinta:///a%00b cinta:/// cinta:///notes cinta:///../../etc/passwd; do
		asks resources/read "{\"uri\":\"$uri\"}" | jq -e --arg u "$uri" '.error.code == -32002 and .error.data.uri == $u'
	done
	[ "$(asks tools/list '{"cursor":"x"}' | jq .error.code)" = -32602 ]
}

@test "garbage, half lines, batches, ids of all kinds, floods: each is answered, and it goes on" {
	{
		printf 'garbage\n\n   \r\n{"jsonrpc":"2.0","id":1\n[]\n17\n"x"\nnull\n{}\n\xff\xfe\n'
		echo '{"jsonrpc":"1.0","id":2,"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":null,"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":3,"method":7}'
		echo '{"jsonrpc":"2.0","id":4,"method":"ping","params":[1]}'
		echo '{"jsonrpc":"2.0","id":5,"id":6,"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":99999999999999999999999999,"method":"ping"}'
		echo '{"jsonrpc":"2.0","id":1,"result":{}}'
		echo '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
		echo '{"jsonrpc":"2.0","method":"no/such"}'
		printf '%100000s\n' | tr ' ' '['
		head -c 5000000 /dev/zero | tr '\0' 'x'; echo
		echo '{"jsonrpc":"2.0","id":"last","method":"ping"}'
	} | mcp > "$T/answers"
	jq -c '[.id, .error.code]' "$T/answers" > "$T/codes"
	cat "$T/codes"
	diff "$T/codes" - <<- 'END'
		[null,-32700]
		[null,-32700]
		[null,-32600]
		[null,-32600]
		[null,-32600]
		[null,-32600]
		[null,-32600]
		[null,-32700]
		[2,-32600]
		[null,-32600]
		[null,-32600]
		[3,-32600]
		[4,-32600]
		[null,-32700]
		[null,-32700]
		[null,-32700]
		[null,-32600]
		["last",null]
	END
	local id="i$(head -c 100000 /dev/zero | tr '\0' 'd')"
	echo "[{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"a\"},{\"jsonrpc\":\"2.0\",\"id\":\"$id\",\"method\":\"ping\"},3]" | mcp |
		jq -e --arg id "$id" 'length == 3 and .[0].id == 1.5 and .[1].id == $id and .[2].error.code == -32600'
	printf '{"jsonrpc":"2.0","id":8,"method":"ping"}' | mcp | jq -e '.id == 8 and .result == {}'
	(printf '{"jsonrpc":"2.0",'; sleep 0.3; printf '"id":9,"method":"ping"}\n{"json'; sleep 0.3; printf 'rpc":"2.0","id":10,"method":"ping"}\n') | mcp | jq -s -e 'map(.id) == [9,10]'
}

@test "what cannot be read or written is told; a client that has gone is not" {
	local ping='{"jsonrpc":"2.0","id":1,"method":"ping"}'
	run bash -c '"$0" mcp -d "$1" <<< "$2" > /dev/full' "$CINTA" "$DB" "$ping"
	[ "$status" -eq 1 ]
	[[ $output == 'cinta: cannot write the output: No space left on device' ]]
	run bash -c '"$0" mcp -d "$1" <&-' "$CINTA" "$DB"
	[ "$status" -eq 1 ]
	[[ $output == 'cinta: cannot read standard input: '* ]]
	run bash -c '(sleep 1; echo "$2") | { "$0" mcp -d "$1"; echo "status $?" >&2; } | true' "$CINTA" "$DB" "$ping"
	[ "$output" = 'status 0' ]
}

@test "halves of characters are mended, so the request is answered" {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":{"path":"notes/cut.md","text":"a\ud83d b\ude00 \ud83d\ude00 \\ud83d"}}}' | mcp | jq -e '.result.isError == false'
	[ "$(c cat notes/cut.md)" = 'a� b� 😀 \ud83d' ]
}

@test "who wrote: the client's name as program, its agent by the environment; others may mount meanwhile" {
	exec 5> >(mcp > "$T/answers")
	echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"kite-client","version":"1"}}}' >&5
	wait_for 10 grep -q '"id":1' "$T/answers"
	cinta_mount
	echo '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_write","arguments":{"path":"notes/by.md","text":"x\n"}}}' >&5
	wait_for 10 grep -q '"id":2' "$T/answers"
	grep -q 'Saved' "$T/answers"
	exec 5>&-
	cat "$M/notes/by.md@log"
	grep -q ':kite-client' "$M/notes/by.md@log"
	grep -q 'mcp' "$M/notes/by.md@log"
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_write","arguments":{"path":"notes/by.md","text":"y\n"}}}' | CINTA_AGENT=kite CINTA_SESSION=s17 mcp | grep -q Saved
	tail -1 "$M/notes/by.md@log" | grep -q 'kite.*s17'
}

@test "a file is read in pieces of 64 KiB, whole characters, by lines" {
	seq 20000 | c write notes/long.md
	tool memory_read '{"path":"notes/long.md"}' > "$T/first"
	local next
	next=$(sed -n 's/.*go on with lines \([0-9]*\)-.*/\1/p' "$T/first")
	[ "$next" -gt 1000 ]
	[ "$(sed '/^$/,$d' "$T/first" | tail -1)" -eq $((next - 1)) ]
	tool memory_read "{\"path\":\"notes/long.md\",\"lines\":\"$next-\"}" | head -1 | grep -qx "$next"
	[ "$(tool memory_read '{"path":"notes/long.md","lines":"7-9"}' | paste -sd,)" = 7,8,9 ]
	tool memory_read '{"path":"notes/long.md","lines":"30000-"}' | grep -q 'it has 20000 lines'
	head -c 70000 /dev/zero | sed 's/\x0/ñ/g' | c write notes/wide.md
	tool memory_read '{"path":"notes/wide.md"}' | grep -q 'cut here'
}

# on PATH FIRST: reads on as it is told to until the end; the lines it began at, in $T/told and $T/shown what it read
on() {
	local next=$2 began=
	: > "$T/shown"
	while [ -n "$next" ] && [ ${#began} -lt 60 ]; do
		began+="$next "
		tool memory_read "{\"path\":\"$1\",\"lines\":\"$next-\"}" > "$T/told"
		cat "$T/told" >> "$T/shown"
		next=$(sed -n 's/.*go on with lines \([0-9]*\)-.*/\1/p' "$T/told")
	done
	echo "$began"
}

@test "a line that is longer than what is given is said to be, and got behind" {
	wide() { head -c "$1" /dev/zero | tr '\0' x; }
	{ seq 6; wide 200000; echo; seq 8 9; } | c write notes/long.md
	[ "$(on notes/long.md 1)" = '1 7 8 ' ]
	[ "$(on notes/long.md 7)" = '7 8 ' ]
	grep -q 'line 7 is longer than the 64 KiB that are given; go on with lines 8-' "$T/shown"
	[ "$(head -1 "$T/shown" | wc -c)" -eq 65537 ]
	[ "$(tail -2 "$T/shown" | paste -sd,)" = 8,9 ]
	# which ends within what is read at once; begins near its end, in the middle of a character; is the last
	{ echo; wide 100000; echo; echo end; } | c write notes/middle.md
	[ "$(on notes/middle.md 2)" = '2 3 ' ]
	grep -q 'line 2 is longer' "$T/shown"
	{ wide 131000; printf '\nx'; printf 'ñ%.0s' {1..60000}; printf '\nend'; } | c write notes/near.md
	[ "$(on notes/near.md 2)" = '2 3 ' ]
	grep -q 'line 2 is longer' "$T/shown"
	[ "$(grep -o ñ "$T/shown" | wc -l)" -eq 32768 ]
	{ echo one; wide 200000; } | c write notes/last.md
	[ "$(on notes/last.md 1)" = '1 2 3 ' ]
	grep -q 'it has 2 lines' "$T/told"
}
