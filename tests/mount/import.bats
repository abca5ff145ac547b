# SPDX-License-Identifier: MIT
# cinta import: what other programs keep becomes sessions and notes, once.  The sources in import/ hold
# what real ones do: forks by parallel calls, regenerated answers, half surrogates, half lines, null titles.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && "$CINTA" init "$DB" > /dev/null && HERE=$BATS_TEST_DIRNAME/import; }
teardown() { cinta_teardown; }

take() { run --separate-stderr "$CINTA" import "$@" "$DB"; echo "$output" "$stderr"; }
says() { [[ $output == *": $1 conversations, $2 messages, $3 notes; $4 were here"* ]]; }

# dump SESSION: what of its messages a reader goes by
dump() {
	jq -c '[.role, (.content | if utf8bytelength > 200 then "\(utf8bytelength) bytes" else . end), .tool, .call,
		.error, .thread, (.from | del(.agent, .session))]' "$M/sessions/$1/log.jsonl"
}
# same SESSION: as it was written down
same() { dump "$1" | diff "$HERE/expected/$1" -; }
entries() { "$CINTA" status --json "$DB" | jq .entries; }

@test "Claude Code: forks by parallel calls, repeated and machine-made lines, half lines" {
	take "$HERE/claude.jsonl"
	[ "$status" -eq 0 ]
	says 1 9 0 1
	[[ $stderr == *"claude.jsonl:18: left out:"* ]]
	not grep -q 'half a li' "$DB"
	cinta_mount
	same claude-code-2025-03-04-mend-the-shop-s-checkout
	[ "$(wc -l < "$M/threads/shop/log.jsonl")" -eq 9 ]
	grep -qx 'conversation: "5f1c2d3e-aaaa-4bbb-8ccc-0123456789ab"' "$M/sessions/claude-code-2025-03-04-mend-the-shop-s-checkout/session.md"
	# which the import made, not that conversation
	[ "$(cat "$M"/sessions/claude-code*/saves.jsonl)" = '' ]
	grep -q '^## 1 · user .* 2025-03-04 10:00:01 UTC · imported' "$M"/sessions/claude-code*/transcript.md
	grep -q claude-code "$M/search/checkout before:2025-04.md"
	# nobody has said anything here yet
	[ "$(readlink "$M/sessions/current")" = .new ]
	cinta_umount
	verified
}

@test "Claude Code: integers of any size are kept as they are written" {
	sed 's/"input": {/&"id": 18446744073709551615, "at": 7, /' "$HERE/claude.jsonl" > "$T/c.jsonl"
	take --tools full "$T/c.jsonl"
	[ "$status" -eq 0 ]
	says 1 9 0 1
	cinta_mount
	[ "$(grep -o '{\\"id\\":\\"18446744073709551615\\",\\"at\\":7,' "$M"/sessions/claude*/log.jsonl | wc -l)" = 2 ]
}

@test "Claude Code: what was given up by going back is pruned, at once and when it grows; no more" {
	local before
	take "$HERE/claude-back.jsonl"
	[ "$status" -eq 0 ]
	says 1 13 0 0
	[[ $output == *'4 were taken back and are pruned' ]]
	cinta_mount
	same claude-code-2025-04-05-which-files-are-there
	cp "$HERE/claude-back.jsonl" "$T/c.jsonl"
	before=$(entries)
	take "$T/c.jsonl"
	says 1 0 0 13
	[ "$(entries)" -eq "$before" ]
	ctl=$(echo "$M"/sessions/claude-code*/ctl)
	grep -qx 'pruned      4: 8-11' "$ctl"
	tail -n 2 "$HERE/claude-back.jsonl" | sed 's/b16/b18/; s/b17/b19/; s/b16/b18/; s/empty one/oldest one/' >> "$T/c.jsonl"
	take "$T/c.jsonl"
	says 1 2 0 13
	[[ $output == *'2 were taken back and are pruned' ]]
	wait_for 30 grep -qx 'pruned      6: 8-13' "$ctl"
	before=$(entries)
	take "$T/c.jsonl"
	[ "$(entries)" -eq "$before" ]
	# what is sent to a model has one of the three
	"$CINTA" export --messages anthropic "$(basename "$(dirname "$ctl")")" "$DB" > "$T/sent.json"
	grep -q 'Two files' "$T/sent.json"
	grep -q 'oldest one' "$T/sent.json"
	not grep -q 'wrong one\|empty one' "$T/sent.json"
	cinta_umount
	verified
}

@test "Codex: what its events say again is passed by; a turn that was rolled back is pruned" {
	cp "$HERE"/rollout-*.jsonl "$T/r.jsonl"
	take "$T/r.jsonl"
	[ "$status" -eq 0 ]
	says 1 6 0 0
	cinta_mount
	same codex-2025-05-06-count-the-lines
	printf '%s\n' '{"timestamp":"2025-05-06T08:00:00Z","ordinal":16,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Wrong turn"}]}}' \
		'{"timestamp":"2025-05-06T08:00:01Z","ordinal":17,"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Gone astray"}]}}' >> "$T/r.jsonl"
	take "$T/r.jsonl"
	says 1 2 0 6
	echo '{"timestamp":"2025-05-06T08:00:02Z","ordinal":18,"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":1}}' >> "$T/r.jsonl"
	take "$T/r.jsonl"
	says 1 0 0 8
	[[ $output == *'2 were taken back and are pruned' ]]
	wait_for 30 grep -qx 'pruned      2: 7-8' "$M"/sessions/codex*/ctl
	before=$(entries)
	take "$T/r.jsonl"
	[ "$(entries)" -eq "$before" ]
	cinta_umount
	verified
}

@test "Gemini: a message that comes again, calls, another rewound; older files as one object" {
	cp "$HERE"/session-2025-06-07*.jsonl "$T/s.jsonl"
	head -n 4 "$T/s.jsonl" > "$T/part.jsonl" # a call has not ended
	take "$T/part.jsonl"
	[ "$status" -eq 0 ]
	says 1 5 0 0
	take "$T/s.jsonl"
	[ "$status" -eq 0 ]
	says 1 5 0 5
	[[ $output == *'2 were taken back and are pruned' ]]
	take "$T/s.jsonl"
	says 1 0 0 10
	not grep -q 'secret thought' "$DB"
	local before
	before=$(entries)
	jq -s '{sessionId: .[0].sessionId, projectHash: .[0].projectHash, startTime: .[0].startTime,
		messages: [.[] | select(.type and .id != "m4" and .id != "m5")]}' "$T/s.jsonl" > "$T/session-old.json"
	take "$T/session-old.json"
	says 1 0 0 8
	[ "$(entries)" -eq "$before" ]
	jq -c '.kind? |= if . then "subagent" else . end | .sessionId? |= if . then "sub" else . end' "$T/s.jsonl" > "$T/sub.jsonl"
	take "$T/sub.jsonl"
	[[ $output == *' 0 messages, '* ]]
	cinta_mount
	same gemini-cli-2025-06-07-how-many-lines-has-the-list
	cinta_umount
	verified
}

@test "ChatGPT: the way to the current node, from JSON and from the zip; an edited one is pruned" {
	take "$HERE/conversations.json"
	[ "$status" -eq 0 ]
	says 3 10 0 0
	[[ $output == *'1 were taken back and are pruned'* ]]
	cinta_mount
	for s in chatgpt-2023-11-14-hardy-begonias chatgpt-2020-09-13-no-title-at-all chatgpt-1970-01-01-a-circle; do same "$s"; done
	cp "$HERE/conversations-edited.json" "$T/conversations.json"
	echo '{"user":"me"}' > "$T/user.json"
	(cd "$T" && zip -q export.zip conversations.json user.json)
	take "$T/export.zip"
	[ "$status" -eq 0 ]
	says 2 2 0 8
	[[ $output == *'4 were taken back and are pruned'* ]]
	[[ $stderr == *'export.zip:user.json: left out:'* ]]
	begonias=$M/sessions/chatgpt-2023-11-14-hardy-begonias
	wait_for 30 grep -q 'A boliviensis' "$begonias/log.jsonl"
	wait_for 30 grep -qx 'pruned      5: 2 4-7' "$begonias/ctl"
	# the older export again: it knows nothing of what came later, and takes nothing back
	before=$(entries)
	take "$HERE/conversations.json"
	says 3 0 0 10
	[ "$(entries)" -eq "$before" ]
	# one that has lost its way is there, and nothing of it is given up
	python3 - "$HERE/conversations.json" "$T/conversations.json" "$T/lost.json" "$T/grown.json" <<-'END'
	import json, sys
	lost, grown = json.load(open(sys.argv[1]))[:1], json.load(open(sys.argv[2]))[:1]
	lost[0].update(conversation_id="lost", title="Lost", current_node="nowhere")
	grown[0]["mapping"]["x1"] = {"parent": "a1", "message": {"id": "x1", "author": {"role": "user"},
		"content": {"content_type": "text", "parts": ["Grown beside"]}}}
	json.dump(lost, open(sys.argv[3], "w"))
	json.dump(grown, open(sys.argv[4], "w"))
	END
	take "$T/lost.json"
	says 1 7 0 0
	[[ $output != *pruned* ]]
	# a branch that grew beside the shown one, and is the same whenever it comes
	take "$T/grown.json"
	says 1 1 0 9
	[[ $output == *'1 were taken back and are pruned' ]]
	cinta_umount
	verified
}

@test "archives: all that tar packs, names in any script; none of a pipe" {
	local a n=0
	mkdir -p "$T/in/chats"
	said() { echo "[{\"role\":\"user\",\"content\":\"$1\"}]"; }
	said uno > "$T/in/chats/conversación.json"
	said dos > "$T/in/chats/話.json"
	said tres > "$T/in/$(printf 'niño' | iconv -t latin1).json"
	tar -C "$T/in" -cf "$T/a.tar" .
	tar -C "$T/in" --format=pax -czf "$T/a.tgz" .
	python3 -c 'import bz2, lzma, sys
for packs, end in (bz2, ".bz2"), (lzma, ".xz"):
    open(sys.argv[1] + end, "wb").write(packs.compress(open(sys.argv[1], "rb").read()))' "$T/a.tar"
	(cd "$T/in" && zip -qr ../a.zip .)
	for a in "$T"/a.*; do
		take -n "$a"
		[ "$status" -eq 0 ] && says 3 3 0 0 && n=$((n + 1))
	done
	[ "$n" -eq 5 ]
	for a in "$T/a.tar" "$T/a.tgz"; do
		run --separate-stderr "$CINTA" import - -d "$DB" < <(cat "$a")
		[ "$status" -eq 1 ]
		[[ $stderr == *'standard input: is an archive, which can only be read as a file; '* ]]
	done
	take "$T/a.tar"
	cinta_mount
	[ "$(cat "$M"/sessions/*/log.jsonl | jq -r .content | sort | xargs)" = 'dos tres uno' ]
	grep -q 'a.tar:./chats/話.json' "$M"/sessions/*/session.md
}

@test "archives: texts become the notes that those of the unpacked directory would" {
	mkdir -p "$T/vault/sub" "$T/vault/.obsidian" "$T/vault/node_modules/x"
	echo one > "$T/vault/A note.md"
	echo two > "$T/vault/sub/deep.md"
	for f in .obsidian/look .dot node_modules/x/README sub/empty; do echo hidden > "$T/vault/$f.md"; done
	: > "$T/vault/sub/empty.md"
	(cd "$T" && zip -qr vault.zip vault)
	tar -C "$T/vault" -czf "$T/vault.tar.gz" .
	python3 -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as z:
    z.writestr("../out.md", "out")
    z.writestr("/root.md", "root")
    z.writestr("big.md", "x" * 1100000)
    z.writestr("__MACOSX/._big.md", "x")' "$T/odd.zip"
	take -n "$T/vault.zip"
	says 0 0 2 0
	take "$T/vault.zip"
	[ "$status" -eq 0 ]
	says 0 0 2 0
	for again in vault.tar.gz vault.zip vault; do
		take -n "$T/$again"
		says 0 0 0 2
		take "$T/$again"
		says 0 0 0 2
	done
	mkdir "$T/many"
	cp "$T/vault.zip" "$T/many/other.zip"
	take "$T/many"
	[ "$status" -eq 0 ]
	says 0 0 0 0
	take "$T/odd.zip"
	[[ $stderr == *'odd.zip:big.md'* ]]
	cinta_mount
	[ "$(cd "$M/notes" && find . -type f | sort | tr '\n' ' ')" = './odd/root.md ./vault/A note.md ./vault/sub/deep.md ' ]
	[ "$(cat "$M/notes/vault/sub/deep.md")" = two ]
}

@test "Claude.ai: blocks, attachments, an empty name; projects and memories become notes" {
	mkdir "$T/garden"
	cp "$HERE"/claude-ai.json "$HERE"/projects.json "$HERE"/memories.json "$T/garden"
	take "$T/garden"
	[ "$status" -eq 0 ]
	says 2 6 5 0
	cinta_mount
	same claude-ai-2024-02-03-plan-the-terrace
	same claude-ai-2023-02-03-old-form
	[ "$(find "$M/notes" -type f -printf '%P\n' | LC_ALL=C sort | tr '\n' '|')" = \
		'garden/House - garden/beds.md|garden/House - garden/instructions.md|garden/House - garden/list|garden/House/memories.md|garden/memories.md|' ]
	[ "$(cat "$M/notes/garden/memories.md")" = 'Has a terrace.' ]
}

@test "arrays of messages of OpenAI and Anthropic, and a line each" {
	take "$HERE/openai.json"
	[ "$status" -eq 0 ]
	says 1 6 0 0
	[[ $stderr == *'a message whose role is none'* ]]
	take "$HERE/anthropic.json"
	says 1 4 0 0
	jq -c '.[]' "$HERE/anthropic.json" > "$T/anthropic.jsonl"
	take "$T/anthropic.jsonl" # the same file's name, the same messages
	says 1 0 0 4
	cinta_mount
	same messages-undated-weather-in-lima
	same messages-undated-hello-there
}

@test "a conversation a line: equal instructions and answers join none; grown, again, as lines" {
	local system='{"role":"system","content":"You are helpful."}' ok='{"role":"assistant","content":"ok"}' s u
	user() { echo "{\"role\":\"user\",\"content\":\"$1\"}"; }
	said() { jq -r .content "$M/sessions/messages-undated-$1/log.jsonl" | paste -sd '|'; }
	printf '{"messages":[%s]}\n' "$system,$(user apple),$ok" "$system,$(user pear),$ok" > "$T/t.jsonl"
	take "$T/t.jsonl"
	[ "$status" -eq 0 ]
	says 2 6 0 0
	take "$T/t.jsonl"
	says 2 0 0 6
	# grown; and one that begins as another and goes on otherwise is that one
	printf '{"messages":[%s]}\n' "$system,$(user apple),$ok,$(user more),$ok" "$system,$(user pear),$ok" \
		"$system,$(user pear),$(user other)" > "$T/t.jsonl"
	take "$T/t.jsonl"
	says 2 3 0 8
	# the first of them as lines: instructions wait for what is said
	mkdir "$T/lines"
	printf '%s\n' "$system" > "$T/lines/t.jsonl"
	take "$T/lines/t.jsonl"
	[ "$status" -eq 0 ]
	says 0 0 0 0
	[[ $stderr == *'t.jsonl:1: left out: instructions alone'* ]]
	printf '%s\n' "$(user apple)" "$ok" >> "$T/lines/t.jsonl"
	take "$T/lines/t.jsonl"
	says 1 0 0 3
	# instructions beside the messages, and developers'
	for s in '"system":"Be brief.","messages":[' '"messages":[{"role":"developer","content":"Be brief."},'; do
		for u in plum fig; do echo "{$s$(user "$u"),$ok]}"; done
	done > "$T/brief.jsonl"
	take "$T/brief.jsonl"
	says 4 12 0 0
	# one that has names of its own
	printf '%s\n' "{\"id\":\"x\",\"messages\":[$system]}" "{\"id\":\"y\",\"messages\":[$system]}" > "$T/ids.jsonl"
	take "$T/ids.jsonl"
	says 2 2 0 0
	cinta_mount
	[ "$(said apple)" = 'You are helpful.|apple|ok|more|ok' ]
	[ "$(said pear)" = 'You are helpful.|pear|ok|other' ]
	cinta_umount
	verified
}

@test "a conversation a line has its own time, and its own calls" {
	printf '{"messages":[{"role":"user","content":"%s","timestamp":"%s"},{"role":"assistant","content":null%s},{"role":"tool","tool_call_id":"c1","content":"18"}]}\n' \
		first 2024-01-02T00:00:00Z ',"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]' \
		second 2025-03-04T00:00:00Z '' > "$T/t.jsonl"
	take "$T/t.jsonl"
	[ "$status" -eq 0 ]
	cinta_mount
	jq -e 'select(.role == "tool" and .content == "18") | .tool == "weather"' "$M/sessions/messages-2024-01-02-first/log.jsonl"
	jq -e 'select(.role == "tool") | .content == "18" and .tool != "weather"' "$M/sessions/messages-2025-03-04-second/log.jsonl"
}

@test "folders of notes, and the memory of MCP's server; an edit here is not undone" {
	mkdir -p "$T/vault/.obsidian" "$T/vault/sub/deep" "$T/vault/node_modules"
	echo '# A' > "$T/vault/A note.md"
	echo '# deep' > "$T/vault/sub/deep/x.md"
	echo '{"a":1}' > "$T/vault/.obsidian/app.json"
	echo no > "$T/vault/node_modules/README.md"
	echo '# rules' > "$T/vault/AGENTS.md"
	echo bin > "$T/vault/picture.png"
	cp "$HERE/memory.jsonl" "$T/vault/memory.jsonl"
	take "$T/vault"
	[ "$status" -eq 0 ]
	says 0 0 5 0
	cinta_mount
	[ "$(cd "$M/notes/vault" && find . -type f | sort | tr '\n' ' ')" = './A note.md ./AGENTS.md ./Ana.md ./Shop.md ./sub/deep/x.md ' ]
	diff "$HERE/expected/Ana.md" "$M/notes/vault/Ana.md"
	echo '# mine' > "$M/notes/vault/A note.md"
	take "$T/vault"
	says 0 0 0 5
	[ "$(cat "$M/notes/vault/A note.md")" = '# mine' ]
	echo '# A, newer' > "$T/vault/A note.md"
	take "$T/vault"
	says 0 0 1 4
	wait_for 30 grep -qx '# A, newer' "$M/notes/vault/A note.md"
	take "$T/vault/AGENTS.md"
	says 0 0 0 1
	# what was retired or renamed here stays so
	echo more > "$T/vault/sub/more.md"
	echo away > "$T/vault/away.md"
	take "$T/vault"
	says 0 0 2 5
	"$CINTA" umount "$M"
	"$CINTA" mount -o rm=retire "$DB" "$M"
	rm "$M/notes/vault/away.md"
	mv "$M/notes/vault/Ana.md" "$M/notes/vault/Ana B.md"
	printf -- '---\nstatus: retired\n---\n# rules\n' > "$M/notes/vault/AGENTS.md"
	mv "$M/notes/vault/sub/deep" "$M/notes/vault/deep"
	rm -r "$M/notes/vault/sub" # with more.md
	before=$(entries)
	take "$T/vault"
	says 0 0 0 7
	[ "$(entries)" -eq "$before" ]
	[ "$(cd "$M/notes/vault" && find . -type f | sort | tr '\n' ' ')" = './A note.md ./Ana B.md ./Shop.md ./deep/x.md ' ]
	# a folder that was removed is that folder still
	echo new > "$T/vault/sub/new.md"
	rm "$T/vault/away.md"
	take "$T/vault"
	says 0 0 1 6
	wait_for 30 test -e "$M/notes/vault/sub/new.md"
	[ "$(ls "$M/notes/vault/sub")" = new.md ]
	[ "$(cat "$M/notes/vault/sub/more.md@1")" = more ]
	# by a link, it is that directory; what is linked in it stays outside
	echo '# linked' > "$T/linked.md"
	ln -s "$T/linked.md" "$T/vault/linked.md"
	ln -s vault "$T/link"
	take "$T/link"
	[ "$status" -eq 0 ] && says 0 0 0 7
}

@test "twice, grown, by four at once, mounted or not: nothing is doubled" {
	take "$HERE/claude.jsonl"
	before=$(entries)
	take "$HERE/claude.jsonl"
	says 1 0 0 10
	[ "$(entries)" -eq "$before" ]
	cinta_mount
	log=$(echo "$M"/sessions/claude-code*/log.jsonl)
	[ "$(wc -l < "$log")" -eq 9 ]
	sed '/^this is no JSON/,$d' "$HERE/claude.jsonl" > "$T/c.jsonl"
	for i in $(seq 300); do
		printf '{"type":"user","sessionId":"5f1c2d3e-aaaa-4bbb-8ccc-0123456789ab","uuid":"v%d","timestamp":"2025-03-05T00:00:00Z","message":{"role":"user","content":"more %d"}}\n' "$i" "$i"
	done >> "$T/c.jsonl"
	for i in 1 2 3 4; do "$CINTA" import "$T/c.jsonl" "$M" > "$T/out$i" 2>&1 & done
	wait
	cat "$T"/out?
	[ $(($(sed 's/.*conversations, \([0-9]*\) messages.*/\1/' "$T"/out? | paste -sd+))) -eq 300 ]
	wait_for 30 eval '[ "$(wc -l < "$log")" -eq 309 ]'
	[ "$(jq -r .content "$log" | sort | uniq -d | wc -l)" -eq 0 ]
	cinta_umount
	verified
}

@test "-n writes nothing; --tools none and full; what fails is told, and the rest is taken in" {
	before=$(entries)
	take -n "$HERE/claude.jsonl"
	[[ $output == 'Would take in: 1 conversations, 9 messages'* ]]
	[ "$(entries)" -eq "$before" ]
	echo '{"a":1}' > "$T/other.json"
	head -c 2000 "$HERE/conversations.json" > "$T/cut.json"
	take --tools none "$T/other.json" "$T/cut.json" "$HERE/claude.jsonl"
	[ "$status" -eq 1 ]
	says 1 5 0 1
	[[ $output == *'2 sources failed' ]]
	[[ $stderr == *'other.json: it holds no conversation'* ]]
	[[ $stderr == *'cut.json: its JSON ends in the middle'* ]]
	take --tools full "$HERE/claude.jsonl"
	says 1 4 0 6
	cinta_mount
	jq -r 'select(.role == "tool") | .content' "$M"/sessions/*/log.jsonl | grep -qx 'é\{2000\}'
	not "$CINTA" import --tools some "$HERE/claude.jsonl"
	run "$CINTA" import
	[ "$status" -eq 2 ]
}

@test "a word that names nothing, a database or a pipe: nothing is taken in, anywhere" {
	echo '[{"role":"user","content":"the heron is grey"}]' > "$T/api.json"
	mkdir "$T/none"
	mkfifo "$T/pipe.json"
	mkdir -p "$XDG_DATA_HOME/cinta"
	"$CINTA" init > /dev/null # the default memory
	default() { "$CINTA" status --json | jq .entries; }
	local here there words
	here=$(entries) there=$(default)
	refused() {
		run --separate-stderr timeout 20 "$CINTA" import "${@:2}"
		echo "$status: $output$stderr"
		[ "$status" -eq 1 ] && [ -z "$output" ] && [ "$(wc -l <<< "$stderr")" -eq 1 ] &&
			[[ $stderr == *"$1"*'nothing was taken in; '* ]]
	}
	refused 'memroy.db: No such file' "$T/api.json" "$T/memroy.db"
	refused 'memroy.db: No such file' --follow "$T/api.json" "$T/memroy.db"
	refused 'api.jsn: No such file' "$T/api.json" "$T/api.jsn" "$DB"
	refused 'api.jsn: No such file' -n "$T/api.jsn" "$T/api.json"
	refused 'none: no memory is mounted there' "$T/api.json" "$T/none"
	refused 'memory.db: is a database' "$DB"
	refused 'memory.db: is a database' "$DB" "$T/api.json"
	refused 'pipe.json: is a device, a pipe' "$T/pipe.json"
	refused 'null: is a device' "$T/api.json" /dev/null "$DB"
	refused '-: is a database' - < "$DB"
	refused ': No such file' '' "$T/api.json"
	[ "$(entries)" -eq "$here" ]
	[ "$(default)" -eq "$there" ]
	# what a shell holds open is no such pipe
	take <(cat "$T/api.json")
	[ "$status" -eq 0 ] && says 1 1 0 0
}

@test "long texts become several messages; secrets are told; a name is nobody's twice" {
	python3 - "$T/long.json" <<-'END'
	import json, sys
	talk = [{"role": "user", "content": "ñ" * 200000}, {"role": "assistant", "content": "key AKIAQYLPMN5HFIQR7XYA here"}]
	json.dump(talk, open(sys.argv[1], "w"))
	json.dump([{"role": "user", "content": "ñ" * 200000 + "!"}], open(sys.argv[1] + "2.json", "w"))
	END
	take "$T/long.json" "$T/long.json2.json"
	[ "$status" -eq 0 ]
	says 2 9 0 0
	[[ $output == *'1 hold what looks like secrets'* ]]
	cinta_mount
	[ "$(find "$M/sessions" -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 2 ]
	log=$(grep -l AKIA "$M"/sessions/*/log.jsonl)
	[ "$(jq -rj 'select(.role == "user") | .content' "$log" | wc -m)" -eq 200000 ]
	grep -q 'SECRET.*sessions/.*cinta redact' "$M/errors.log"
}

@test "what was redacted is not taken in again" {
	take "$HERE/claude.jsonl"
	"$CINTA" redact --yes --reason 'not to be kept' --match 'I look at both files' "$DB"
	before=$(entries)
	take "$HERE/claude.jsonl"
	says 1 0 0 10
	[ "$(entries)" -eq "$before" ]
	not grep -q 'I look at both files' "$DB"
}

@test "--exact: a whole memory, the same entries and hashes, into a new file only" {
	take "$HERE/claude.jsonl" "$HERE/conversations.json"
	mkdir "$T/other"
	: > "$T/other/new.db"
	run "$CINTA" import --exact "$DB" "$T/other/new.db"
	echo "$output"
	[ "$status" -eq 0 ]
	columns='seq, stream, stream_seq, hex(prev), time_us, kind, author, hex(body_hash), hex(leaf_hash), hex(salt), body'
	[ "$(sqlite3 "$DB" "SELECT $columns FROM tape")" = "$(sqlite3 "$T/other/new.db" "SELECT $columns FROM tape")" ]
	"$CINTA" verify --all "$T/other/new.db"
	before=$(sha256sum < "$T/other/new.db")
	not "$CINTA" import --exact "$DB" "$T/other/new.db"
	[ "$(sha256sum < "$T/other/new.db")" = "$before" ]
	not "$CINTA" import --exact "$HERE/openai.json" "$T/none.db"
	# nothing is made of a memory that somebody changed
	sqlite3 "$DB" "DROP TRIGGER tape_redact; UPDATE tape SET body = replace(body, 'checkout', 'checkers')"
	not "$CINTA" import --exact "$DB" "$T/none.db"
	[ ! -e "$T/none.db" ]
	# and mounted it goes on
	M=$T/two
	mkdir "$M"
	"$CINTA" mount "$T/other/new.db" "$M"
	mkdir "$M/sessions/s"
	echo '{"role":"user","content":"on"}' >> "$M/sessions/s/log.jsonl"
	"$CINTA" umount "$M"
	"$CINTA" verify --all "$T/other/new.db"
}
