# SPDX-License-Identifier: MIT
# SMMA 1.0 (docs/seeds.md, 003): an agent that keeps its own window.
bats_require_minimum_version 1.5.0
load ../lib.sh
load seeds.sh

setup_file() { seeds_setup -o limit=10000; }
teardown_file() { cinta_teardown; }

board() { cat "sessions/$1/dashboard.md"; }
shown() { sed -nE 's/^\*\*#([0-9]+) .*/\1/p' "sessions/$1/context.md" | tr '\n' ' '; }

@test "003.01 §1B: a message has id, role, content, timestamp and token_count" {
	user attributes 'hello world'
	jq -e '.id == 1 and .role == "user" and .content == "hello world" and (.timestamp | test("^20.*Z$")) and .token_count == 2' sessions/attributes/log.jsonl
}

@test "003.02 §1B: is_summary; the window as a list of objects" {
	talk listed 12
	printf 'prune 2\nsummarize 4-9 topic: birds\npin 11\n' > sessions/listed/ctl
	[ "$(jq -rc '[.id, .is_summary]' sessions/listed/active.jsonl | tr '\n' ' ')" = '[1,false] [3,false] ["4-9",true] [10,false] [11,false] [12,false] ' ]
	jq -es 'all(has("id") and has("role") and has("content") and has("timestamp") and (.token_count > 0) and (.is_summary | type == "boolean"))' sessions/listed/active.jsonl
	[ "$(jq -r 'select(.is_summary).content' sessions/listed/active.jsonl)" = 'topic: birds' ]
	[ "$(jq -r 'select(.pinned).content' sessions/listed/active.jsonl)" = 'turn 11' ]
	echo 'restore 5' > sessions/listed/ctl # stands beside its summary
	[ "$(jq -rc .id sessions/listed/active.jsonl | tr '\n' ' ')" = '1 3 4-9 5 10 11 12 ' ]
	echo reset > sessions/listed/ctl
	[ "$(jq -s 'map(select(.is_summary | not)) | length' sessions/listed/active.jsonl)" = 12 ]
	run ! bash -c 'echo x >> sessions/listed/active.jsonl'
}

@test "003.03 §1C: the tape keeps all, whatever the agent takes out of its window" {
	talk tape 8
	cp sessions/tape/log.jsonl "$T/before"
	printf 'prune 1-3\nsummarize 4-6 four to six\n' > "$T/commands"
	cat "$T/commands" > sessions/tape/ctl
	cmp sessions/tape/log.jsonl "$T/before"
	grep -q 'turn 2' sessions/tape/messages/000002.md
	grep -q 'turn 5' sessions/tape/messages/000005.md
	[ "$(shown tape)" = '7 8 ' ]
}

@test "003.04 §2: tokens used of the limit with per cent, active messages, an alert; in the context, too" {
	talk board 24
	board board | grep -qE '^- Context: [0-9,]+ / 8,000 tokens \([0-9.]+ %\)$'
	board board | grep -q '^- Active messages: 24 of 24'
	board board | grep -q '^- Alerts: none$'
	board board | grep -q '^- Recommended action: none. Go on.$'
	sed -n '/^## Memory$/,$p' sessions/board/context.md | grep -qE '^- Context: [0-9,]+ / 8,000'
	tail -1 sessions/board/context.md | grep -q 'Recommended action: none'
}

@test "003.05 §3: prune_messages takes messages out of the window, by their ids" {
	talk prune 6
	echo 'prune_messages [3, 4]' > sessions/prune/ctl
	[ "$(shown prune)" = '1 2 5 6 ' ]
	echo 'prune 6' > sessions/prune/ctl
	[ "$(shown prune)" = '1 2 5 ' ]
	refused . 'echo "prune 99" > sessions/prune/ctl'
}

@test "003.06 §3: summarize_range puts one summary in the place of a range" {
	talk range 12
	echo 'summarize_range 1 8 eight turns of the range' > sessions/range/ctl
	[ "$(shown range)" = '9 10 11 12 ' ]
	grep -q 'eight turns of the range' sessions/range/context.md
	grep -q 'eight turns' sessions/range/summaries/1-8.md
	user range last
	grep -q '1-8' smma/action_log.md
	board range | grep -q 'Active messages: 5 of 13 (0 pruned, 8 summarized in 1'
}

@test "003.07 §3: recall_original brings back the exact content of what was pruned or summarized" {
	line recall "$(jq -nc '{role:"tool",content:"  exact\n\ttext ñ “quoted” \u0001\n"}')" '{"content":"b"}'
	printf 'prune 1\n' > sessions/recall/ctl
	awk 'n >= 2; /^---$/ { n++ }' sessions/recall/messages/000001.md > "$T/recalled"
	grep -q '	text ñ “quoted”' "$T/recalled"
	[ "$(jq -r 'select(.id == 1) | .content' sessions/recall/log.jsonl)" = "$(printf '  exact\n\ttext ñ “quoted” \001')" ]
	refused 'messages/' 'echo "recall_original 1" > sessions/recall/ctl'
}

@test "003.08 §3: commit_to_ltm keeps key, content and tags beyond the session" {
	printf -- '---\ntags: [deploy, lesson]\n---\nNever deploy the numbat on a Friday.\n' > memories/decision/numbat.md
	[ "$(paths 'search/deploy numbat.md' | head -1)" = memories/decision/numbat.md ]
	grep -q '^tags: \[deploy, lesson\]' memories/decision/numbat.md
	refused 'memories/' 'mkdir -p sessions/ltm && echo "commit_to_ltm k text" > sessions/ltm/ctl'
}

@test "003.09 §3: search_ltm finds what is meant, where a model is, and by its words and their forms" {
	printf 'The doctors of the wombat are in Calle Mayor.\n' > memories/entity/wombat.md
	grep -q 'memories/entity/wombat.md' 'memories/search/doctor wombats.md'
	mkdir "$T/server" "$T/v"
	python3 "$HERE/embedding_server.py" "$T/server" < /dev/null > "$T/server/log" 2>&1 3>&- &
	wait_for 30 test -e "$T/server/port"
	"$CINTA" mount -o "embedding=http://127.0.0.1:$(cat "$T/server/port"),embedding_model=toy" "$T/v.db" "$T/v"
	printf 'The physician is in Calle Mayor.\n' > "$T/v/memories/entity/physician.md"
	printf 'The weather is fine.\n' > "$T/v/memories/entity/weather.md"
	found() { [ "$(sed -nE 's/^1\. `([^`]*)`.*/\1/p' "$T/v/search/doctor in:memories.md")" = memories/entity/physician.md ]; }
	wait_for 20 found
	cinta_umount "$T/v"
	kill %1
}

@test "003.10 §5: the pressure is used / safe limit, which is 80 % of the model's" {
	user pressure "$(words 1999)"
	used=$(board pressure | sed -nE 's|^- Context: ([0-9,]+) / 8,000 tokens \(([0-9.]+) %\)|\1 \2|p' | tr -d ,)
	[ "${used#* }" = "$(python3 -c "print('%.1f' % (100 * ${used% *} / 8000))")" ]
	[ "${used% *}" -ge 1999 ]
}

@test "003.11 §4: above 70 % the agent is told to summarize the first steps, by a command that works" {
	mapfile -t said < <(seq -f "%g $(words 300)" 20)
	user seventy "${said[@]}"
	board seventy | grep -qE 'ALERT: the context is above (50|70) %'
	board seventy | grep -qE '^- Memory pressure: (high|medium)'
	board seventy | grep -q '^- Recommended action: summarize'
	command=$(board seventy | sed -n 's/^      //p' | head -1)
	[[ $command == *"summarize 1-"* ]]
	bash -c "${command//TEXT/topic: first steps}"
	not grep -q '70 %' <(board seventy | grep ALERT)
}

@test "003.12 §4: a tool that failed three times: its tries are to be pruned, by a command that works" {
	user fails 'build it'
	for i in 1 2; do line fails "{\"role\":\"tool\",\"tool\":\"make\",\"error\":true,\"content\":\"try $i\"}"; done
	not grep -q 'failed' <(board fails | grep ALERT)
	line fails '{"role":"tool","tool":"make","error":{"code":2},"content":"try 3"}'
	board fails | grep -q 'ALERT: make failed 3 times in a row'
	bash -c "$(board fails | sed -n 's/^      //p' | head -1)"
	[ "$(shown fails)" = '1 ' ]
	not grep -q 'make failed' <(board fails)
}

@test "003.13 §6: ids count up by one, and are unique in a session" {
	talk ids 5
	for i in $(seq 5); do printf '{"content":"by %s"}\n' "$i" >> sessions/ids/log.jsonl & done
	wait
	[ "$(jq .id sessions/ids/log.jsonl | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 9 10 ' ]
	line ids '{"id":77,"content":"own id"}'
	[ "$(tail -1 sessions/ids/log.jsonl | jq -c '[.id, .source.id]')" = '[11,77]' ]
}

@test "003.14 §6: a person resets the window: all is active again, pins stay" {
	talk reset 10
	printf 'pin 1\nprune 2-4\nsummarize 5-7 x\nwindow 2\n' > "$T/commands"
	cat "$T/commands" > sessions/reset/ctl
	[ "$(shown reset)" = '1 9 10 ' ]
	echo reset > sessions/reset/ctl
	board reset | grep -q 'Active messages: 10 of 10 (0 pruned, 0 summarized in 0, 1 pinned)'
	[ "$(shown reset | wc -w)" -ge 8 ]
	[ -z "$(ls sessions/reset/summaries)" ]
}

@test "003.15 §6: the agent is told to see itself as the architect of its own information" {
	grep -q 'architect of your own information' smma/identity.md
	grep -q 'architect of your own information' context.md
}
