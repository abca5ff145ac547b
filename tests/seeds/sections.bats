# SPDX-License-Identifier: MIT
# SMMA v2 (docs/seeds.md, 004): the context as a desk of eight sections.
bats_require_minimum_version 1.5.0
load ../lib.sh
load seeds.sh

setup_file() { seeds_setup; }
teardown_file() { cinta_teardown; }

@test "004.10 §4: the sections are there from the first minute" {
	[ "$(ls smma | tr '\n' ' ')" = 'action_log.md agent_notes.md current_task.md dashboard.md identity.md project_context.md session_log.jsonl user_profile.md workspace ' ]
	grep -q architect context.md
	for name in user_profile project_context current_task agent_notes; do [ ! -s smma/$name.md ]; [ -f smma/$name.md ]; done
}

@test "004.01 §2: eight sections, each read where the context is read" {
	"$CINTA" identity "$DB" <<< 'Section one.'
	echo 'Section three.' > smma/user_profile.md
	echo 'Section four.' > smma/project_context.md
	echo 'Section five.' > smma/current_task.md
	echo 'Section six.' > smma/agent_notes.md
	user eight 'section seven'
	echo 'section eight' > smma/workspace/open.txt
	wait_for 5 grep -q 'Section one' context.md
	[ "$(grep -oE '^(Section (one|three|four|five|six)\.|section seven|- Memory pressure)' context.md | tr '\n' '|')" \
		= 'Section one.|Section three.|Section four.|Section five.|Section six.|section seven|- Memory pressure|' ]
	grep -q 'section seven' smma/action_log.md
	grep -q '^- Workspace: about [1-9]' smma/dashboard.md
	rm smma/workspace/open.txt
}

@test "004.02 §2: 1,000–2,000 tokens of identity, 1,500 of the user, 5,000 of the project, 3,000 of the task, 2,000 of notes" {
	mkdir -p algorithms/context
	echo '{"status":"active","config":{"total_tokens":100000}}' > algorithms/context/wide.json
	for most in user_profile:1500 project_context:5000 current_task:3000 agent_notes:2000; do
		words "${most#*:}" > "$T/most"
		cp "$T/most" "smma/${most%:*}.md"
		words $((${most#*:} + 20)) > "$T/more"
		refused "${most#*:}" "cp '$T/more' smma/${most%:*}.md"
		cmp "smma/${most%:*}.md" "$T/most"
		user budgets "what of ${most%:*}"
		[ "$(grep -o pear context.md | wc -l)" -eq "${most#*:}" ]
		: > "smma/${most%:*}.md"
	done
	words 1999 | "$CINTA" identity "$DB"
	whole() { [ "$(part context.md Instructions | grep -o pear | wc -l)" -eq 1999 ]; }
	wait_for 5 whole
	words 2100 > "$T/more"
	run ! "$CINTA" identity "$DB" < "$T/more"
	"$CINTA" identity "$DB" <<< 'Section one.'
	echo '{"status":"active","config":{}}' > algorithms/context/plain.json
}

@test "004.03 §9: the most of each section can be set" {
	echo '{"status":"active","config":{"section_max":{"project_context":120,"agent_notes":3000}}}' > algorithms/context/most.json
	words 150 > "$T/more"
	refused 'at most 120' "cp '$T/more' smma/project_context.md"
	words 2900 > "$T/notes"
	cp "$T/notes" smma/agent_notes.md
	cmp smma/agent_notes.md "$T/notes"
	: > smma/agent_notes.md
	echo '{"status":"active","config":{}}' > algorithms/context/plain.json
}

@test "004.04 §2: identity is read, the dashboard made, three to six are written by agent and person" {
	words 10 > "$T/mine.md"
	for how in 'echo hack > smma/identity.md' "cp '$T/mine.md' smma/identity.md" "cp '$T/mine.md' smma/.x.swp; mv smma/.x.swp smma/identity.md" \
		'mv smma/agent_notes.md smma/identity.md' 'rm smma/identity.md' 'echo x > dashboard.md' 'echo x > smma/dashboard.md'; do
		refused . "$how"
	done
	grep -q 'Section one' smma/identity.md
	for name in user_profile project_context current_task agent_notes; do
		echo "$name by >" > smma/$name.md
		sed -i 's/by >/by sed/' smma/$name.md
		grep -q "$name by sed" smma/$name.md
	done
}

@test "004.05 §3.2: the dashboard says tokens, state, sections loaded and what to do" {
	user board hola
	for line in '^- Context: [0-9,]+ / 160,000 tokens \([0-9.]+ %\)$' '^- Memory pressure: low \(act above 50 %\)$' '^- Sections on disk loaded: 5/5$' '^- Recommended action: none\. Go on\.$'; do
		grep -qE "$line" dashboard.md || { cat dashboard.md; return 1; }
	done
	: > smma/agent_notes.md
	grep -q '^- Sections on disk loaded: 4/5$' dashboard.md
	cat dashboard.md > "$T/board"
	[ "$(tokens "$T/board")" -le 300 ]
}

@test "004.06 §3.2: the threshold is 50 % and can be set" {
	echo '{"status":"active","config":{"threshold":30}}' > algorithms/context/threshold.json
	grep -q 'act above 30 %' dashboard.md
	echo '{"status":"active","config":{"threshold":0}}' > algorithms/context/threshold.json
	grep -q 'UNUSED.*threshold' errors.log
	grep -q 'act above 50 %' dashboard.md
	mkdir "$T/o"
	"$CINTA" mount -o threshold=30 "$T/o.db" "$T/o"
	grep -q 'act above 30 %' "$T/o/dashboard.md"
	cinta_umount "$T/o"
	run ! "$CINTA" mount -o threshold=0 "$T/o.db" "$T/o"
	echo '{"status":"active","config":{}}' > algorithms/context/plain.json
}

@test "004.07 §3.2: the safe limit is 80 % of the model's" {
	grep -qE '^- Context: [0-9,]+ / 160,000 ' dashboard.md
	echo '{"status":"active","config":{"safe":0.5}}' > algorithms/context/safe.json
	grep -qE '^- Context: [0-9,]+ / 100,000 ' dashboard.md
	echo '{"status":"active","config":{}}' > algorithms/context/plain.json
}

@test "004.08 §4: .smma/ has the five files and session_log.jsonl, under these names" {
	ln -s "$M/smma" "$T/.smma"
	for name in identity.md user_profile.md project_context.md current_task.md agent_notes.md session_log.jsonl; do [ -f "$T/.smma/$name" ]; done
	echo 'by the link' > "$T/.smma/user_profile.md"
	grep -q 'by the link' context.md
}

@test "004.09 §4: session_log.jsonl takes and gives id, timestamp, role, content, token_count" {
	user log before
	echo '{"role":"tool","content":"by the section"}' >> smma/session_log.jsonl
	tail -1 smma/session_log.jsonl | jq -e '.id == 2 and .role == "tool" and .content == "by the section" and .token_count == 3 and (.timestamp | test("^20.*Z$"))'
	tail -1 sessions/log/log.jsonl | grep -q 'by the section'
	refused . ': > smma/session_log.jsonl'
	refused . 'rm smma/session_log.jsonl'
}

@test "004.11 §5: save_to_disk: a text of the agent's own stays, with its versions" {
	echo 'lesson one of the axolotl' > smma/lessons.md
	echo 'lesson two of the axolotl' > smma/lessons.md
	[ "$(cat smma/lessons.md@1)" = 'lesson one of the axolotl' ]
	[ "$(paths search/axolotl.md)" = smma/lessons.md ]
	words 2100 > "$T/more"
	refused 2000 "cp '$T/more' smma/lessons.md"
	refused 'smma/NAME.md' 'mkdir -p sessions/tools; echo "save_to_disk lessons.md x" > sessions/tools/ctl'
}

@test "004.12 §5: load_from_disk: it is read by its name, and comes into the context when it is asked for" {
	[ "$(cat smma/lessons.md)" = 'lesson two of the axolotl' ]
	refused 'cat smma/NAME.md' 'echo "load_from_disk lessons.md" > sessions/tools/ctl'
	user load 'what was the lesson of the axolotl?'
	part context.md Found | grep -q 'lesson two of the axolotl'
}

@test "004.13 §5: edit_section: writing the file is the edit, and is in the context at once" {
	refused 'user_profile.md' 'echo "edit_section user_profile x" > sessions/tools/ctl'
	for name in user_profile project_context current_task agent_notes; do
		echo "- edited $name now" > smma/$name.md
		grep -q "^- edited $name now" context.md
	done
}

@test "004.14 §3.5: subtasks done are counted and shown" {
	printf '## Tarea Actual\n- Objetivo: OAuth2\n- Subtareas: [x] Analizar [ ] Diseñar [ ] Implementar\n' > smma/current_task.md
	grep -qx -- '- Subtasks done: 1/3' dashboard.md
	printf -- '- [x] one\n- [x] two\n- [ ] three\n- [ ] four\n' > smma/current_task.md
	grep -qx -- '- Subtasks done: 2/4' dashboard.md
	grep -q '^- \[x\] two' context.md
}

@test "004.15 §7: whom to trust: what was said, then files, then summaries, then what is inferred" {
	sed -n 3p context.md | grep -qE 'first what was said .*then files .*then summaries, last what is marked inferred'
}

@test "004.16 §8: what a person has pinned no agent takes out" {
	talk keeps 6
	line keeps '{"role":"user","content":"the budget is 5,000","pinned":true}'
	local agent='env CINTA_AGENT=helper CINTA_SESSION=s1'
	echo 'pin 2' > sessions/keeps/ctl
	$agent sh -c 'echo "pin 4" > sessions/keeps/ctl'
	for words in 'unpin 2' 'unpin 7' 'unpin 4 7'; do
		refused 'a person has pinned these, not an agent: [27]' "$agent sh -c 'echo $words > sessions/keeps/ctl'"
	done
	refused 'pinned messages stay' "$agent sh -c 'echo prune 2 > sessions/keeps/ctl'"
	grep -q '^pinned .*: 2 4 7$' sessions/keeps/ctl
	$agent sh -c 'echo "unpin 4" > sessions/keeps/ctl' # its own
	$agent sh -c 'echo "pin 2" > sessions/keeps/ctl'   # which makes it no agent's
	refused 'not an agent: 2' "$agent sh -c 'echo unpin 2 > sessions/keeps/ctl'"
	$agent sh -c 'echo "pin 5" > sessions/keeps/ctl'
	echo 'pin 5' > sessions/keeps/ctl # both: a person's, too
	refused 'not an agent: 5' "$agent sh -c 'echo unpin 5 > sessions/keeps/ctl'"
	echo 'unpin 2 5 7' > sessions/keeps/ctl
	$agent sh -c 'echo "prune 2 7" > sessions/keeps/ctl'
	grep -q '^pruned .*: 2 7$' sessions/keeps/ctl && grep -q '^pinned *0$' sessions/keeps/ctl
}

@test "004.17 §8: all is text that a person reads, and who changed it is told" {
	for f in smma/user_profile.md smma/identity.md sessions/log/log.jsonl dashboard.md context.md; do
		iconv -f utf-8 -t utf-8 "$f" > "$T/text"
		not grep -q '[^[:print:][:space:]]' "$T/text"
	done
	tail -1 smma/user_profile.md@log | grep -q "$(id -un):bash"
	[ "$(wc -l < smma/user_profile.md@log)" -ge 4 ]
}

@test "004.18 §9: the model's own tokenizer" {
	# The vocabulary of o200k_base as the file that its maker publishes: it must count as the one within.
	python3 - "$CINTA_SOURCE" "$T/own.tiktoken" <<-'PY'
		import base64, sys
		sys.dont_write_bytecode = True
		sys.path.insert(0, sys.argv[1] + '/store/tokens')
		import ranks
		with open(sys.argv[2], 'w') as f:
		    for token, rank, _ in ranks.unpack(sys.argv[1] + '/store/tokens/ranks.bin')[1]:
		        if rank != ranks.ABSENT:
		            print(base64.b64encode(token).decode(), rank, file=f)
	PY
	mkdir "$T/own"
	"$CINTA" mount -o tokens="$T/own.tiktoken" "$T/own.db" "$T/own"
	mkdir "$T/own/sessions/s" sessions/tokens
	for text in 'Recordá: los índices están en /var/lib/postgres, 我们明天见 🚀' "I'm sure it's 12,345.67 %" '        x' \
		'internationalization_of_everything(y)' 'ÁRBOL árbol Árbol' 'https://example.org/a/b?c=d#e'; do
		for log in "$T/own/sessions/s" sessions/tokens; do
			jq -nc --arg t "$text" '{content:$t}' >> "$log/log.jsonl"
		done
	done
	[ "$(jq .token_count "$T/own/sessions/s/log.jsonl")" = "$(jq .token_count sessions/tokens/log.jsonl)" ]
	grep -q '"tokenizer": "own"' "$T/own/.cinta/status.json"
	cinta_umount "$T/own"
	# Another vocabulary, of single bytes and three more.
	python3 - "$T/few.tiktoken" <<-'PY'
		import base64, sys
		tokens = [bytes([i]) for i in range(256)] + [b'ab', b'abab', b' ab']
		open(sys.argv[1], 'w').write(''.join(f'{base64.b64encode(t).decode()} {i}\n' for i, t in enumerate(tokens)))
	PY
	"$CINTA" mount -o tokens="$T/few.tiktoken" "$T/own.db" "$T/own"
	printf '{"content":"%s"}\n' abab 'abab ab' 'ab xy' ababc >> "$T/own/sessions/s/log.jsonl"
	[ "$(tail -4 "$T/own/sessions/s/log.jsonl" | jq .token_count | tr '\n' ' ')" = '1 2 4 2 ' ]
	cinta_umount "$T/own"
	printf 'YQ== 1\nYQ== 2\n' > "$T/twice.tiktoken"
	printf 'YQ== x\n' > "$T/rank.tiktoken"
	printf '!! 1\n' > "$T/base64.tiktoken"
	: > "$T/empty.tiktoken"
	mkfifo "$T/fifo.tiktoken"
	for bad in missing twice rank base64 empty fifo; do
		run "$CINTA" mount -o tokens="$T/$bad.tiktoken" "$T/none.db" "$T/none"
		[ "$status" -eq 2 ]
		[[ $output == *tokens=:* ]]
		[ ! -e "$T/none.db" ]
	done
}

@test "004.19 §4: no vector database: text alone is kept, and all is found without a model" {
	[ ! -e "$DB.vectors" ]
	[ "$(jq .embedding .cinta/status.json)" = null ]
	paths search/axolotl.md | grep -qx smma/lessons.md
}
