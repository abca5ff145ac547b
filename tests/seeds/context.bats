# SPDX-License-Identifier: MIT
# Arquitectura de Memoria y Contexto (docs/seeds.md, 002): the window, summaries, the prompt, what is cached.
bats_require_minimum_version 1.5.0
load ../lib.sh
load seeds.sh

setup_file() { seeds_setup -o limit=2000,threshold=50; }
teardown_file() { cinta_teardown; }

page() { echo "sessions/$1/context.md"; }
# shown SESSION: the numbers of the messages in its window; summarised SESSION: the ranges told
shown() { sed -nE 's/^\*\*#([0-9]+) .*/\1/p' "$(page "$1")" | tr '\n' ' '; }
summarised() { sed -nE 's/^\*\*([0-9]+–[0-9]+)\*\*.*/\1/p' "$(page "$1")" | tr '\n' ' '; }
tool() { line "$1" "$(jq -nc --arg t "$2" --arg n "$3" '{role:"tool",tool:$t,content:$n}')"; }

@test "002.11 §1.2: a window of 6 turns, 8 where the last two are close (> 0.7), 4 where they are not (< 0.3)" {
	talk close 12
	[ "$(shown close)" = '5 6 7 8 9 10 11 12 ' ]
	user loose 'the garden needs water in summer' 'quarterly revenue exceeded projections' 'guitar strings rusted yesterday' \
		'my passport photo is blurry' 'volcanoes erupt near Iceland' 'bake the bread slowly'
	[ "$(shown loose | wc -w)" -eq 4 ]
	user default 'one two three four' 'one two five six' 'the bridge over the river was painted green' 'the bridge over the river was painted green' \
		'paint costs money' 'painted bridge green over paint' 'paint costs money and time' 'green paint costs more money'
	[ "$(shown default | wc -w)" -eq 6 ]
}

@test "002.12 §2.1: 1,200 tokens of window, 4,000 of the whole" {
	mapfile -t said < <(seq -f "%g $(words 350)" 12)
	user many "${said[@]}"
	part "$(page many)" Conversation > "$T/window"
	[ "$(tokens "$T/window")" -le 1300 ] # and its headings
	[ "$(grep -o pear "$T/window" | wc -l)" -le 1200 ]
	for i in $(seq 15); do line many "$(jq -nc --arg t "pinned $i $(words 300)" '{role:"user",content:$t,pinned:true}')"; done
	for i in 1 2 3 4; do words 900 > blocks/knowledge/larga$i.md; done
	for name in user_profile agent_notes current_task; do words 1400 > smma/$name.md; done
	user many 'pear?'
	cat "$(page many)" > "$T/page"
	[ "$(tokens "$T/page")" -le 4000 ]
	[ "$(tokens "$T/page")" -ge 3000 ]
	for i in 1 2 3 4; do printf -- '---\nstatus: inactive\n---\n' > blocks/knowledge/larga$i.md; done
	for name in user_profile agent_notes current_task; do : > smma/$name.md; done
}

@test "002.13 §2.2: above 3,000 tokens the window is the least one" {
	words 1400 > smma/user_profile.md
	words 1400 > smma/agent_notes.md
	for i in $(seq 10); do line eager "$(jq -nc --arg t "turn $i $(words 60)" '{role:"user",content:$t}')"; done
	[ "$(shown eager | wc -w)" -eq 8 ]
	for i in $(seq 4); do line eager "$(jq -nc --arg t "kept $i $(words 250)" '{role:"user",content:$t,pinned:true}')"; done
	mkdir -p algorithms/context
	echo '{"status":"active","config":{"eager_tokens":2000}}' > algorithms/context/eager.json
	user eager 'turn 11'
	window=$(sed -nE 's/^\*\*#([0-9]+) [^(]*$/\1/p' "$(page eager)" | wc -w)
	[ "$window" -le 4 ]
	echo '{"status":"active","config":{}}' > algorithms/context/plain.json
	: > smma/user_profile.md
	: > smma/agent_notes.md
}

@test "002.14 §2.3: a topic ends at its four phrases, where similarity is below 0.4, and where the domain changes" {
	for phrase in 'Otra cosa: la casa' 'Cambiando de tema, la casa' 'Te quería preguntar sobre la casa' 'Dejando eso de lado, la casa'; do
		s="shift${#phrase}"
		talk "$s" 6
		user "$s" "$phrase"
		assistant "$s" 'claro'
		talk "$s" 8
		[[ $(summarised "$s") == *–6* ]] || { echo "$phrase: $(summarised "$s")"; return 1; }
	done
}

@test "002.15 §2.2: \"cambiemos de tema\" empties the window into summaries" {
	talk flush 12
	user flush 'Cambiemos de tema: hablemos del puerto'
	[ "$(shown flush)" = '13 ' ]
	[[ $(summarised flush) == *–12* ]]
	assistant flush claro
	[ "$(shown flush)" = '13 14 ' ]
}

@test "002.16 §2.1: summaries of 3 turns, at most 4 of at most 50 tokens" {
	mapfile -t said < <(for i in $(seq 40); do echo "The bridge number $i over the river was painted green by Ana, who decided on brush $i for the river bridge paint."; done)
	user segments "${said[@]}"
	[ "$(summarised segments | wc -w)" -eq 4 ]
	# the newest one grows until it has three
	[ "$(summarised segments)" = '22–24 25–27 28–30 31–32 ' ]
	part "$(page segments)" 'Earlier, in short' > "$T/summaries"
	[ "$(tokens "$T/summaries")" -le 260 ] # with their headings
}

@test "002.17 §2.4: a summary is keys and values: topic, discussed, decisions, open questions" {
	user keys 'We talked about the sliding window.' 'We decided that the sliding window has six turns.' 'Which token limit does the sliding window have?'
	talk keys 9
	part "$(page keys)" 'Earlier, in short' > "$T/summaries"
	for key in topic: discussed: decisions: open_questions:; do grep -q "^$key" "$T/summaries"; done
	[ -z "$(grep -vE '^$|^\*\*|^(topic|discussed|outcome|decisions|open_questions):' "$T/summaries")" ]
}

@test "002.18 §2.4: a summary is written once" {
	talk once 12
	printf 'topic: one\ndecisions: [x]\n' > sessions/once/summaries/1-3.md
	refused 'once|already|exists' 'echo again > sessions/once/summaries/1-3.md'
	refused 'already|meets|EEXIST' 'echo "summarize 2-4 again" > sessions/once/ctl'
	refused . 'rm sessions/once/summaries/1-3.md'
	grep -q 'topic: one' sessions/once/summaries/1-3.md
	before=$(part "$(page once)" 'Earlier, in short' | head -3)
	user once more
	[ "$(part "$(page once)" 'Earlier, in short' | head -3)" = "$before" ]
}

@test "002.19 §7: facts are extracted before a turn leaves the window" {
	user leaves 'Recordá que el gato de la casa azul se llama Tango'
	known() { grep -q Tango facts/facts.jsonl; }
	wait_for 5 known
	[ "$(shown leaves)" = '1 ' ]
	jq -e 'select(.fact | contains("Tango")) | .source == "explicit" and (.source_entry > 0)' facts/facts.jsonl
}

@test "002.20 §1.2: turns with semantic_continuity and summarized_at" {
	user turned 'We compile the kernel module with gcc.' 'The kernel module is compiled with gcc again.' 'Grandmother plants tulips on Sunday.'
	jq -es '.[0].semantic_continuity == null and .[1].semantic_continuity > 0.7 and .[2].semantic_continuity < 0.3
		and all(.summarized_at == null)' sessions/turned/active.jsonl
	echo 'summarize 1-2 topic: kernel' > sessions/turned/ctl
	jq -es '.[0].id == "1-2" and .[0].summarized_at == .[0].timestamp and (.[0].summarized_at | test("^20.*Z$")) and .[1].summarized_at == null' sessions/turned/active.jsonl
}

@test "002.21 §3.1: instructions of four blocks, the same bytes in each request" {
	"$CINTA" identity "$DB" <<< 'You are Ada, who works for the workshop.'
	printf -- '---\npriority: 90\n---\nTools: search/, ctl.\n' > blocks/capabilities/tools.md
	printf -- '---\npriority: 80\n---\nNever delete.\n' > blocks/rules/never.md
	printf -- '---\npriority: 70\n---\nAnswer in a list.\n' > blocks/instructions/format.md
	user prefix one
	wait_for 5 grep -q 'You are Ada' "$(page prefix)"
	prefix() { sed '/^Answer in a list/q' "$1"; }
	prefix "$(page prefix)" > "$T/first"
	[ "$(grep -nE 'You are Ada|Tools:|Never delete|Answer in a list' "$T/first" | sed 's/^[0-9]*://' | cut -c1-7 | tr '\n' '|')" = 'You are|Tools: |Never d|Answer |' ]
	tool prefix grep 'a result'
	assistant prefix two
	user elsewhere 'quite another thing'
	prefix "$(page prefix)" | cmp - "$T/first"
	prefix "$(page elsewhere)" | cmp - "$T/first"
}

@test "002.22 §3.2: results of tools that wait for an answer, at most 300 tokens" {
	user results look
	tool results sh "$(words 2400)"
	grep -q '^## Tool results' "$(page results)"
	shown=$(grep -o pear "$(page results)" | wc -l)
	[ "$shown" -ge 200 ]
	[ "$shown" -le 300 ]
	grep -q 'tokens more: cat sessions/results/messages/000002.md' "$(page results)"
	assistant results done
	not grep -q '^## Tool results' "$(page results)"
}

@test "002.23 §4.1: what is too much is taken from summaries first, then from the window" {
	talk cuts 14
	[ "$(summarised cuts | wc -w)" -ge 1 ]
	full=$(shown cuts | wc -w)
	echo '{"status":"active","config":{"total_tokens":600,"found_tokens":0}}' > algorithms/context/small.json
	for total in 600 590 580 570 560 550 540 530 520 510 500; do
		echo "{\"status\":\"active\",\"config\":{\"total_tokens\":$total,\"found_tokens\":0}}" > algorithms/context/small.json
		cat "$(page cuts)" > "$T/cuts"
		[ "$(tokens "$T/cuts")" -le "$total" ]
		# while a summary stands, the window is whole or the least by its own rule
		[ "$(summarised cuts | wc -w)" -eq 0 ] || [ "$(shown cuts | wc -w)" -ge 4 ]
	done
	[ "$full" -eq 8 ]
	grep -q 'turn 14' "$T/cuts"
	echo '{"status":"active","config":{}}' > algorithms/context/plain.json.tmp
	mv algorithms/context/plain.json.tmp algorithms/context/plain2.json
}

@test "002.24 §3.3: tools that were used, a format that was right, examples, facts just said: not again" {
	printf -- '---\nfor_tool: grep\n---\nHow grep is used.\n' > blocks/capabilities/grep.md
	printf -- '---\nfor_format: json\n---\nAnswer in JSON.\n' > blocks/instructions/json.md
	printf -- '---\nexamples: true\n---\nFor example so.\n' > blocks/knowledge/shots.md
	echo '- the ladder is in the shed of the garden' >> facts/projects.md
	user repeat 'begin'
	for text in 'How grep' 'Answer in JSON' 'For example'; do grep -q "$text" "$(page repeat)"; done
	tool repeat grep 'x'
	assistant repeat '{"a": 1}'
	user repeat 'where is the ladder?'
	for text in 'How grep' 'Answer in JSON' 'For example'; do not grep -q "$text" "$(page repeat)"; done
	part "$(page repeat)" Facts | grep -q ladder
	# Not valid any more: the format is told again.
	assistant repeat '{"a": 1'
	user repeat 'the ladder is in the shed of the garden'
	grep -q 'Answer in JSON' "$(page repeat)"
	not grep -q ladder <(part "$(page repeat)" Facts)
}

@test "002.26 §4: of errors only the last, while it is tried again" {
	user errors 'build it'
	for i in 1 2 3; do line errors "{\"role\":\"tool\",\"tool\":\"make\",\"error\":\"exit 2\",\"content\":\"try $i broke\"}"; done
	grep -q 'try 3 broke' "$(page errors)"
	not grep -qE 'try [12] broke' "$(page errors)"
	line errors '{"role":"tool","tool":"make","content":"built"}'
	not grep -q broke "$(page errors)"
}

@test "002.27 §4: of files only the part that matters" {
	{ words 1400; printf '\n\nThe quetzal-42 has its nest in the bell tower.\n\n'; words 1400; } > notes/long.md
	user parts 'where is the nest of the quetzal-42?'
	grep -q 'bell tower' "$(page parts)"
	grep -q 'bell tower' 'context/where is the nest of the quetzal-42.md'
	[ "$(grep -o pear "$(page parts)" | wc -l)" -lt 300 ]
}

@test "002.29 §5.2: nothing is cached that depends on the time or a mood" {
	for question in '¿Qué hora es?' '¿Qué hago ahora?' '¿Qué hay hoy?' '¿Qué decidimos recién?' 'me siento triste' 'what time is it' 'who is on call now' 'what is there today' 'I feel sad'; do
		refused . "echo x > 'answers/$question.md'"
		[ ! -e "answers/$question.md" ]
	done
	[ -z "$(ls answers | grep -v '^tools$')" ]
}

@test "002.30 §5.4: a question in other words (> 0.85) finds its answer, after a line of the system" {
	local question answered='[Retrieved from an earlier conversation]'
	echo 'En Lanús.' > 'answers/¿Dónde está la sede?.md'
	echo 'make deploy' > 'answers/how do we deploy the form to the box.md'
	echo 'Los jueves.' > 'answers/¿Cuándo se prestan las escaleras del galpón?.md'
	for question in 'La sede, ¿dónde está?' '¿Dónde queda la sede?' '¿En dónde se encuentra la sede?'; do
		[ "$(cat "answers/$question.md")" = "$answered"$'\n''En Lanús.' ]
	done
	for question in 'how to deploy the form to the box' 'How can I deploy the form to box?' \
		"What's the way to deploy the form to the box?" 'To the box, how do we deploy the form?'; do
		[ "$(cat "answers/$question.md")" = "$answered"$'\n''make deploy' ]
	done
	[ "$(cat 'answers/Del galpón las escaleras, ¿cuándo se prestan?.md' 2>&1)" != "$answered"$'\n''En Lanús.' ]
	for question in '¿Dónde no está la sede?' '¿Cuándo abre la sede?' '¿Dónde está la sede de Quilmes?' \
		'how should we deploy the form to the box' 'how do we deploy the form to the VPS' 'why do we deploy the form to the box' \
		'¿Quién presta las escaleras del galpón?'; do
		[ ! -e "answers/$question.md" ]
	done
	# What other words of one meaning find, with a model: tests/mount/meaning.bats.
}

@test "002.31 §5.1: vectors of facts are made once, and kept" {
	mkdir "$T/server" "$T/v"
	python3 "$HERE/embedding_server.py" "$T/server" < /dev/null > "$T/server/log" 2>&1 3>&- &
	wait_for 30 test -e "$T/server/port"
	with="embedding=http://127.0.0.1:$(cat "$T/server/port"),embedding_model=toy"
	"$CINTA" mount -o "$with" "$T/v.db" "$T/v"
	echo '- vacation is in August' > "$T/v/facts/personal.md"
	sent() { grep -c 'vacation is in August' "$T/server/requests"; }
	once() { [ "$(sent)" -eq 1 ]; }
	wait_for 20 once
	made() { grep -q '^cinta_embedding_missing 0' "$T/v/.cinta/metrics"; }
	wait_for 20 made
	cinta_umount "$T/v"
	"$CINTA" mount -o "$with" "$T/v.db" "$T/v"
	echo '- a car is in the garage' > "$T/v/facts/work.md"
	grown() { grep -q 'garage' "$T/server/requests"; }
	wait_for 20 grown
	once
	cinta_umount "$T/v"
	kill %1
}

@test "002.32 §5.1: the compiled prompt is a file that stays until a block changes, each version with its number" {
	echo 'Rule of the first version.' > blocks/rules/versioned.md
	cat blocks/.active.md > "$T/active"
	user compiled hola
	cmp blocks/.active.md "$T/active"
	echo 'Rule of the second version.' > blocks/rules/versioned.md
	grep -q 'second version' blocks/.active.md
	[ "$(cat blocks/rules/versioned.md@1)" = 'Rule of the first version.' ]
}

@test "002.33 §5.3: facts are written at once, and all of a save together" {
	n=$(sql 'SELECT count(*) FROM facts')
	printf -- '- batch one of the depot\n- batch two of the depot\n- batch three of the depot\n' >> facts/work.md
	[ "$(grep -c 'batch .* of the depot' facts/facts.jsonl)" -eq 3 ]
	[ "$(sql "SELECT count(*) FROM facts")" -eq $((n + 3)) ]
}

@test "002.35 §6: over 20 turns and more, 80 % fewer tokens than all of the conversation" {
	mapfile -t said < <(seq -f "message %g $(words 350)" 80)
	user savings "${said[@]}"
	all=$(jq -s 'map(.token_count) | add' sessions/savings/log.jsonl)
	cat "$(page savings)" > "$T/page"
	[ "$(tokens "$T/page")" -le $((all / 5)) ]
	saved=$(sed -nE 's/^- context.md: at most ([0-9,]+) tokens; all messages: ([0-9,]+) .*/\1 \2/p' sessions/savings/dashboard.md | tr -d ,)
	[ "${saved#* }" -eq "$all" ]
}

@test "002.36 §9: tokens of each session, an alert above the limit, facts that are live and stale" {
	grep -q '^cinta_session_tokens{session="savings"}' .cinta/metrics
	grep -q '^- ALERT: ' sessions/savings/dashboard.md
	grep -qE '^- Facts: [0-9,]+ live, 0 stale' sessions/savings/dashboard.md
	grep -q '| savings | 80 |' sessions/savings/dashboard.md
}
