# SPDX-License-Identifier: MIT
# Arquitectura de Memoria y Contexto (docs/seeds.md, 002): facts, what ages, what lasts a day.
bats_require_minimum_version 1.5.0
load ../lib.sh
load seeds.sh

setup_file() { clocked_setup && cd "$M" && aging; }
teardown_file() { cinta_teardown; }

# What is there from the first day on, and read again when it has aged.
aging() {
	printf -- '- the alpha server has high walls\n- the alpha server has medium windows *(medium)*\n- the alpha server has low doors *(low)*\n' > facts/projects.md
	echo 'Sí.' > 'answers/¿La sede de Lanús tiene ascensor?.md'
	echo '{"ok":true}' > 'answers/tools/ascensor(Lanús).md'
	echo 'traza de la cebra' > logs/run.log
}
live() { jq -r 'select(.known_until == null) | .fact' facts/facts.jsonl; }
is_live() { live | grep -qiE -- "$1"; }
of_fact() { jq -r --arg f "$1" --arg m "$2" 'select(.fact == $f and .known_until == null) | .[$m]' facts/facts.jsonl; }
# in_context WORD: among the facts of a page about the alpha server
in_context() { part sessions/alpha/context.md Facts | grep -q "$1"; }
ask_alpha() { user alpha "¿qué tiene el alpha server a las $1?"; }

@test "002.01 §1.1: a fact has a domain of five, a confidence, and when it was said and last confirmed" {
	user facts 'Trabajo en fintech, equipo de 5' 'Prefiero respuestas directas' 'Decidí usar Kimi K2.5'
	three() { [ "$(live | grep -cE 'fintech|directas|Kimi')" -eq 3 ]; }
	wait_for 10 three
	grep -q fintech facts/work.md
	grep -q directas facts/preferences.md
	grep -q Kimi facts/decisions.md
	[ "$(ls facts | tr '\n' ' ')" = 'decisions.md facts.jsonl personal.md preferences.md projects.md stale.md work.md ' ]
	sql -json "SELECT * FROM facts WHERE fact LIKE '%Kimi%'" | jq -e '.[0] | .domain == "decisions" and .confidence == "high" and .source == "explicit" and .created_at == .last_confirmed_at'
}

@test "002.02 §1.1: a fact is explicit or inferred" {
	local fact='Le gusta el mate amargo'
	printf -- '- %s *(low)* *(inferred)*\n' "$fact" >> facts/preferences.md
	grep -qF -- "- $fact *(low)* *(inferred)*" facts/preferences.md # as it was written
	[ "$(of_fact "$fact" source)" = inferred ]
	[ "$(of_fact "$fact" confidence)" = low ]
	[ "$(sql "SELECT source FROM facts WHERE fact = '$fact'")" = inferred ]
	user inferred '¿Qué sabés del mate amargo?'
	part sessions/inferred/context.md Facts | grep -qF "$fact *(low)* *(inferred)* (preferences"
	sed -i "s/$fact \*(low)\*/$fact/" facts/preferences.md # surer, and inferred still
	[ "$(of_fact "$fact" source)" = inferred ]
	[ "$(of_fact "$fact" confidence)" = high ]
	sed -i "s/$fact \*(inferred)\*/$fact/" facts/preferences.md # somebody says so
	[ "$(of_fact "$fact" source)" = explicit ]
	[ "$(of_fact "$fact" supersedes)" != null ]
	printf -- '- Me gusta el tango viejo *(inferred)*\n' >> facts/preferences.md
	[ "$(of_fact 'Me gusta el tango viejo' source)" = inferred ]
	user inferred 'Me gusta el tango viejo' # by its user's own words
	said() { [ "$(of_fact 'Me gusta el tango viejo' source)" = explicit ]; }
	wait_for 10 said
	[ "$(live | grep -c 'tango viejo')" -eq 1 ]
}

@test "002.03 §1.1: only what is said for good becomes a fact, never what is talked about" {
	user signals 'Recordá que el portón se abre con llave azul' 'Siempre uso tildes en los informes' 'A partir de ahora los informes van los lunes' \
		'¿Siempre se cierra el galpón con candado?' 'Creo que prefiero el candado rojo para el galpón' 'El candado del galpón se oxidó con la lluvia'
	assistant signals 'Decidí cerrar el galpón con candado'
	three() { [ "$(live | grep -ciE 'llave azul|tildes|lunes')" -eq 3 ]; }
	wait_for 10 three
	not is_live candado
}

@test "002.04 §1.1: what contradicts a fact retracts it, and a new one takes its place" {
	user against 'Trabajo en el hospital de Lanús' 'Siempre uso vim para los informes'
	wait_for 10 is_live 'vim para'
	is_live 'hospital de Lanús'
	user against 'Ahora trabajo en la universidad de Quilmes' 'Ya no uso vim para los informes'
	gone() { not is_live '^siempre uso vim' && not is_live 'hospital de Lanús' && is_live Quilmes; }
	wait_for 10 gone
	# soft: it is kept, and linked
	grep -q 'hospital de Lanús' facts/facts.jsonl
	[ "$(sql "SELECT n.fact LIKE '%Quilmes%' FROM facts o JOIN facts n ON n.id = o.superseded_by WHERE o.fact LIKE '%hospital de Lanús%'")" = 1 ]
}

@test "002.05 §1.1: saying it again confirms it" {
	user again 'Prefiero los planos en papel'
	wait_for 10 is_live 'planos en papel'
	before=$(live | grep -c 'planos')
	user again 'Recordá que prefiero los planos en papel'
	confirmed() { [ "$(live | grep planos | while read -r f; do of_fact "$f" confirmations; done)" -ge 1 ]; }
	wait_for 10 confirmed
	[ "$(live | grep -c planos)" -eq "$before" ]
	[ "$(sql "SELECT last_confirmed_at > created_at FROM facts WHERE fact LIKE '%planos%' AND retracted_at IS NULL")" = 1 ]
}

@test "002.09 §1.1: of many facts those stand in a context that belong to what is asked" {
	{ echo '- decided k8s over docker-compose for the deployment'; for i in $(seq 22); do echo "- decided to buy the chair number $i from vendor N$i"; done; } >> facts/decisions.md
	user yesterday '¿Cómo quedó lo que decidimos ayer sobre el deployment?'
	part sessions/yesterday/context.md Facts | grep '^- ' | head -1 | grep -q k8s
}

@test "002.10 §3.2: 50 to 150 tokens of facts" {
	for i in $(seq 40); do echo "- the pelican number $i of the zoo eats $i kilos of fish a day"; done >> facts/projects.md
	user zoo 'what do the pelicans of the zoo eat?'
	part sessions/zoo/context.md Facts | grep '^- ' > "$T/facts"
	[ "$(tokens "$T/facts")" -ge 50 ]
	[ "$(tokens "$T/facts")" -le 150 ]
	user kernel 'compile the kernel module with gcc'
	part sessions/kernel/context.md Facts | grep '^- ' > "$T/facts"
	[ "$(tokens "$T/facts")" -le 60 ]
}

@test "002.28 §5.1: an answer lasts 24 hours, a tool's one hour" {
	later +50m
	[ "$(cat 'answers/tools/ascensor(Lanús).md')" = '{"ok":true}' ]
	later +61m
	[ ! -e 'answers/tools/ascensor(Lanús).md' ]
	later +23h
	[ "$(cat 'answers/la sede de lanus tiene ascensor.md')" = Sí. ]
	[ "$(cat logs/run.log)" = 'traza de la cebra' ] # for the next test
	later +25h
	[ ! -e 'answers/¿La sede de Lanús tiene ascensor?.md' ]
}

@test "002.25 §1.3: logs last 24 hours, and no prompt nor search ever sees them" {
	gone() { [ ! -e logs/run.log ]; }
	wait_for 5 gone
	echo 'traza de la jirafa' > logs/run.log
	user logs '¿qué dice la traza de la jirafa?'
	not grep -q 'run.log' search/jirafa.md
	not grep -q 'traza de la jirafa$' sessions/logs/context.md
	not grep -rq 'run.log' .cinta/tape.jsonl
}

@test "002.06 §1.1: low for 30 days, medium for 90, high for 180" {
	stops=(29d 31d 89d 91d 179d 181d)
	for stop in "${stops[@]}"; do
		later "+$stop"
		ask_alpha "$stop"
		sleep 0.2
		for word in high medium low; do ! in_context $word || echo "$stop $word"; done >> "$T/seen"
	done
	[ "$(cat "$T/seen")" = '29d high
29d medium
29d low
31d high
31d medium
89d high
89d medium
91d high
179d high' ]
}

@test "002.07 §1.1: what is stale never comes back to a prompt, nor what contradicts or is low and old" {
	ask_alpha again
	not grep -qE '(high walls|medium windows|low doors)' sessions/alpha/context.md
	not grep -qE '(high walls|medium windows|low doors)' <(part 'context/what has the alpha server.md' Found)
	not grep -qE '(high walls|medium windows|low doors)' <(part 'context/what has the alpha server.md' Facts)
}

@test "002.08 §1.1: what is stale is marked, and asked for again" {
	sed -n '/^## Stale/,$p' facts/projects.md | grep -q 'high walls'
	grep -q 'high walls' facts/stale.md
	grep -q '^- ALERT: .*stale' dashboard.md
	# Moved up, it is confirmed.
	{ sed '/high walls/d; s/^## Stale/- the alpha server has high walls\n\n&/' facts/projects.md; } > "$T/list"
	cp "$T/list" facts/projects.md
	not grep -q 'high walls' <(sed -n '/^## Stale/,$p' facts/projects.md)
	ask_alpha confirmed
	in_context 'high walls'
}
