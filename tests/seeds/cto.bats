# SPDX-License-Identifier: MIT
# CTO Schema v2.0 (docs/seeds.md, 001): blocks, memories, algorithms.
bats_require_minimum_version 1.5.0
load ../lib.sh
load seeds.sh

setup_file() { clocked_setup -o server=DECK,agent=mi_agente; }
teardown_file() { cinta_teardown; }

# block CATEGORY/CODE FRONT TEXT, memory TYPE/KEY FRONT TEXT
block() { printf -- '---\n%b---\n%s\n' "$2" "$3" > "blocks/$1.md"; }
memory() { printf -- '---\n%b---\n%s\n' "$2" "$3" > "memories/$1.md"; }
# parts KEY: what top.md says of a memory: score, recency, importance, relevance, frequency
parts() { grep -A2 -F "memories/$1.md" memories/top.md | tr '\n' ' '; }
part_of() { parts "$1" | sed -nE "s/.*$2 ([0-9.]+).*/\1/p"; }
# algorithm CODE/VERSION JSON
algorithm() { mkdir -p "algorithms/${1%/*}" && printf '%s' "$2" > "algorithms/$1.json"; }

@test "001.01 §blocks: the 18 columns of a block" {
	[ "$(columns cto_blocks)" = 'id hash code name session_hash owner_id block_type category content embedding priority scope server_code agent_code token_count status created_at updated_at' ]
	block rules/system_rules 'name: Reglas\npriority: 90\nblock_type: legacy\nowner: ana\n' 'Regla global uno.'
	sql -json "SELECT * FROM cto_blocks WHERE code = 'system_rules'" | jq -e '.[0] | .name == "Reglas" and .priority == 90 and .block_type == "legacy"
		and .category == "rules" and .scope == "global" and .status == "active" and (.hash | length == 64) and (.owner_id | length == 64) and (.created_at <= .updated_at)'
}

@test "001.02 §blocks: a code and a text stand among live blocks once" {
	block rules/unica '' 'Responder en español.'
	refused 'blocks/rules/unica.md is active and has this code' "printf 'Otra cosa.' > blocks/persona/unica.md"
	refused 'blocks/rules/unica.md is active and has this text' "printf -- '---\npriority: 3\n---\n\nResponder en español.' > blocks/persona/otra.md"
	[ ! -e blocks/persona/unica.md ]
	[ ! -e blocks/persona/otra.md ]
	block persona/otra 'status: inactive\n' 'Responder en español.' # waits
	refused 'has this text' "printf 'Responder en español.\n' > blocks/persona/otra.md"
	block rules/unica 'priority: 7\n' 'Responder en español.' # the same block, and moved
	mv blocks/rules/unica.md blocks/knowledge/unica.md
	block rules/distinta '' 'Otro texto.'
	refused 'blocks/knowledge/unica.md is active and has this code' 'mv blocks/rules/distinta.md blocks/rules/unica.md'
	block rules/distinta-2 '' 'Otro texto, corregido.' # and onto a block: instead of it
	mv blocks/rules/distinta-2.md blocks/rules/distinta.md
	block knowledge/unica 'status: deprecated\n' 'Responder en español.'
	block persona/otra '' 'Responder en español.'
	[ "$(grep -c 'Responder en español' blocks/.active.md)" -eq 1 ]
	block persona/otra 'status: inactive\n' 'Responder en español.'
}

@test "001.03 §blocks: five categories, three states; the highest priority is first, only active ones are given" {
	for category in persona rules capabilities instructions knowledge; do block $category/de-$category '' "Bloque de $category."; done
	run ! mkdir blocks/otra
	block rules/alta 'priority: 95\n' 'Prioridad alta.'
	block rules/inactiva 'status: inactive\n' 'Bloque inactivo.'
	block rules/vieja 'status: deprecated\n' 'Bloque retirado.'
	refused 'status' "printf -- '---\nstatus: zombie\n---\nx\n' > blocks/rules/zombie.md"
	[ "$(grep -nE 'Prioridad alta|Regla global|Bloque de' blocks/.active.md | head -2 | sed 's/.*://' | tr '\n' ' ')" = 'Prioridad alta. Regla global uno. ' ]
	[ "$(grep -c '^Bloque de' blocks/.active.md)" -eq 5 ]
	not grep -qE 'inactivo|retirado' blocks/.active.md
}

@test "001.04 §Scopes: global for all, server for one server, agent for one agent" {
	block rules/deck 'scope: server:DECK\n' 'Solo en DECK.'
	block rules/corp 'scope: server:CORP\n' 'Solo en CORP.'
	block persona/mio 'scope: agent:mi_agente\n' 'Solo mi agente.'
	block persona/otro 'scope: agent:otro\n' 'Solo otro agente.'
	[ "$(sql "SELECT server_code || scope FROM cto_blocks WHERE code = 'deck'")" = DECKserver ]
	user scopes hola
	grep -q 'Solo en DECK' context.md
	grep -q 'Solo mi agente' context.md
	not grep -qE 'Solo en CORP|Solo otro' context.md
}

@test "001.05 §Scopes: session for one session" {
	user one hola
	user two hola
	block instructions/esta 'scope: session:one\n' 'Solo esta sesión.'
	grep -q 'Solo esta' sessions/one/context.md
	not grep -q 'Solo esta' sessions/two/context.md
}

@test "001.06 §get_active_blocks: by scope, server and agent" {
	not grep -q 'Solo' blocks/.active.md
	grep -q 'Solo en DECK' blocks/.active/server=DECK.md
	grep -q 'Regla global' blocks/.active/server=DECK.md
	not grep -qE 'CORP|mi agente' blocks/.active/server=DECK.md
	grep -q 'Solo mi agente' blocks/.active/agent=mi_agente.md
	[ "$(grep -c Solo blocks/.active/server=DECK/agent=mi_agente.md)" -eq 2 ]
}

@test "001.07 §blocks: token_count is of the content, without front matter" {
	printf 'Cuatro palabras en español.\n' > blocks/rules/plana.md
	plain=$(sql "SELECT token_count FROM cto_blocks WHERE code = 'plana'")
	[ "$plain" -ge 4 ]
	block rules/plana 'name: Un nombre bastante largo para una regla\npriority: 3\n' 'Cuatro palabras en español.'
	[ "$(sql "SELECT token_count FROM cto_blocks WHERE code = 'plana'")" = "$plain" ]
	block rules/plana 'status: inactive\n' 'Cuatro palabras en español.'
}

@test "001.08 §memory: the columns of a memory" {
	[ "$(columns cto_memory)" = 'id hash session_hash block_hash owner_id type content summary importance confidence embedding embedding_model access_count_v2 last_access source_hash expires_at status superseded_by related_to metadata owner_type created_at updated_at' ]
	mkdir sessions/origen
	memory fact/completa 'summary: corta\nimportance: 0.9\nconfidence: 0.8\nowner: ana\nowner_type: user\nsession: origen\nrelated_to: [otra]\nmetadata: {a: 1}\nexpires_at: 2099-01-01\n' 'Texto completo.'
	sql -json "SELECT * FROM cto_memory WHERE content LIKE '%Texto completo%'" | jq -e '.[0] | .type == "fact" and .summary == "corta" and .importance * 1 == 0.9
		and .confidence * 1 == 0.8 and .owner_type == "user" and .status == "active" and (.expires_at | startswith("2099-01-01")) and (.session_hash | length == 64) and (.metadata | fromjson.a == 1)'
}

@test "001.09 §memory: five types; importance and confidence from 0 to 1; four states" {
	for type in preference decision fact entity temporal; do memory $type/de-$type 'importance: 0.01\n' "Memoria de $type."; done
	run ! mkdir memories/otro
	refused importance "printf -- '---\nimportance: 1.5\n---\nx\n' > memories/fact/mal.md"
	refused confidence "printf -- '---\nconfidence: -0.1\n---\nx\n' > memories/fact/mal.md"
	refused status "printf -- '---\nstatus: zombie\n---\nx\n' > memories/fact/mal.md"
	[ "$(sql "SELECT count(DISTINCT type) FROM cto_memory")" = 5 ]
}

@test "001.10 §memory: what has expired is not chosen, and marked where it is searched for" {
	memory temporal/reunion "expires_at: $(date -ud '-1 day' +%F)\n" 'La reunión del ornitorrinco.'
	memory temporal/otra "expires_at: $(date -ud '+9 days' +%F)\n" 'La cena del ornitorrinco.'
	[ "$(paths search/ornitorrinco.md | tr '\n' ' ')" = 'memories/temporal/otra.md memories/temporal/reunion.md ' ]
	grep -q 'reunion.*expired' search/ornitorrinco.md
	grep -q cena 'context/qué hace el ornitorrinco.md'
	not grep -q reunión <(part 'context/qué hace el ornitorrinco.md' Found)
	not grep -q reunion memories/top.md
}

@test "001.11 §memory: what is superseded gives way to its heir" {
	memory decision/use-k8s '' 'Se usa kubernetes para el marsupial.'
	memory decision/use-compose 'status: superseded\nsuperseded_by: use-k8s\n' 'Se usa compose para el marsupial.'
	[ "$(sql "SELECT (SELECT 'k8s' FROM cto_memory n WHERE n.id = o.superseded_by AND n.content LIKE '%kubernetes%') FROM cto_memory o WHERE status = 'superseded'")" = k8s ]
	[ "$(paths search/marsupial.md | head -1)" = memories/decision/use-k8s.md ]
	not grep -q compose <(part 'context/qué se usa para el marsupial.md' Found)
	not grep -q use-compose memories/top.md
}

@test "001.12 §memory: uses are counted, and when the last was" {
	memory entity/usada '' 'La cacatúa vive arriba.'
	memory entity/sin-uso '' 'El tucán vive abajo.'
	cat search/cacatúa.md search/'cacatúa arriba.md' > "$T/hits"
	counted() { [ "$(sql "SELECT access_count_v2 || (last_access > created_at) FROM cto_memory WHERE content LIKE '%cacatúa%'")" = 21 ]; }
	wait_for 15 counted
	[ "$(sql "SELECT access_count_v2 || coalesce(last_access, 'nunca') FROM cto_memory WHERE content LIKE '%tucán%'")" = 0nunca ]
}

@test "001.14 §Configuración: score = 0.20 recency + 0.40 importance + 0.30 relevance + 0.10 frequency" {
	memory fact/puntos 'importance: 0.8\n' 'El casuario corre.'
	# relevance is 0 where nothing is asked
	parts fact/puntos | python3 -c 'import re, sys
line = sys.stdin.read()
part = {k: float(v) for k, v in re.findall("(score|recency|importance|relevance|frequency) ([0-9.]+)", line)}
assert part["importance"] == 0.8 and part["relevance"] == 0 and part["recency"] > 0.99 and 0 <= part["frequency"] <= 1, part
assert abs(part["score"] - (0.2 * part["recency"] + 0.4 * 0.8 + 0.1 * part["frequency"])) < 0.002, part'
}

@test "001.15 §calculate_memory_score: with a question the score has its relevance" {
	grep -A2 'fact/puntos' 'memories/search/el casuario corre.md' | tr '\n' ' ' | python3 -c 'import re, sys
line = sys.stdin.read()
part = {k: float(v) for k, v in re.findall("(score|recency|importance|relevance|frequency) ([0-9.]+)", line)}
assert part["relevance"] == 1, part
assert abs(part["score"] - (0.2 * part["recency"] + 0.4 * 0.8 + 0.3 + 0.1 * part["frequency"])) < 0.002, part'
}

@test "001.16 §search_memories: for a question, of one owner, so many, above a least similarity" {
	for i in 1 2 3; do memory fact/lemur$i 'owner: ana\n' "El lémur número $i salta."; done
	memory fact/lemur4 'owner: eva\n' 'El lémur salta.'
	memory fact/lemur5 'owner: ana\n' 'Un texto largo sobre otras cosas que nada tienen que ver con este asunto, y que nombra de paso a un lémur entre muchas palabras.'
	[ "$(paths 'memories/search/lémur salta.md' | wc -l)" -eq 5 ]
	[ "$(paths 'memories/search/lémur salta owner:eva.md')" = memories/fact/lemur4.md ]
	[ "$(paths 'memories/search/lémur salta limit:2.md' | wc -l)" -eq 2 ]
	not grep -q lemur5 'memories/search/lémur salta min:0.6.md'
	[ "$(paths 'memories/search/lémur salta min:0.3.md' | wc -l)" -ge 4 ]
	grep -q 'No active memory' memories/search/zzyzx.md
}

@test "001.17 §embedding: vectors of 1,536 numbers, compared by cosine" {
	mkdir "$T/server" "$T/v"
	python3 "$HERE/embedding_server.py" "$T/server" < /dev/null > "$T/server/log" 2>&1 3>&- &
	wait_for 30 test -e "$T/server/port"
	"$CINTA" mount -o "embedding=http://127.0.0.1:$(cat "$T/server/port"),embedding_model=text-embedding-3-small,embedding_dims=1536" "$T/v.db" "$T/v" || true
	printf 'The automobile is in the garage.\n' > "$T/v/memories/fact/car.md"
	asked() { grep -q '"dimensions": *1536' "$T/server/requests"; }
	wait_for 20 asked
	grep -q '"model": *"text-embedding-3-small"' "$T/server/requests"
	cinta_umount "$T/v"
	kill %1
}

@test "001.18 §algorithms: activated_at and deprecated_at are when that was done" {
	at() { sql "SELECT coalesce($1, 'nunca') FROM cto_algorithms WHERE code = 'fechas' AND version = '$2'"; }
	algorithm fechas/1.0.0 '{"status":"draft","config":{}}'
	[ "$(at activated_at 1.0.0)/$(at deprecated_at 1.0.0)" = nunca/nunca ]
	algorithm fechas/1.0.0 '{"status":"active","config":{}}'
	active=$(at updated_at 1.0.0)
	[ "$(at activated_at 1.0.0)" = "$active" ]
	algorithm fechas/1.0.0 '{"status":"active","config":{},"description":"otra"}'
	[ "$(at activated_at 1.0.0)" = "$active" ] # as it was: saving it again activates nothing
	algorithm fechas/1.1.0 '{"status":"active","config":{}}'
	[ "$(at deprecated_at 1.0.0)" = "$(at activated_at 1.1.0)" ]
	[ "$(at activated_at 1.0.0)" = "$active" ]
	algorithm fechas/1.2.0 '{"status":"draft","config":{},"activated_at":"2020-01-02T03:04:05Z"}'
	[[ "$(at activated_at 1.2.0)" == 2020-01-02* ]]
}

@test "001.19 §algorithms: versions of a code with a parent; one of them is active" {
	algorithm prueba/2.0.0 '{"name":"Prueba","status":"active","config":{"version":"2.0.0"}}'
	algorithm prueba/2.1.0 '{"status":"draft","parent_version":"2.0.0","config":{}}'
	algorithm prueba/2.2.0 '{"status":"active","parent_version":"2.0.0","config":{}}'
	[ "$(sql "SELECT group_concat(version || status, ' ') FROM (SELECT * FROM cto_algorithms WHERE code = 'prueba' ORDER BY version)")" = '2.0.0deprecated 2.1.0draft 2.2.0active' ]
	[ "$(sql "SELECT (SELECT p.version FROM cto_algorithms p WHERE p.id = a.parent_id) FROM cto_algorithms a WHERE code = 'prueba' AND version = '2.2.0'")" = 2.0.0 ]
	refused status "echo '{\"status\":\"zombie\"}' > algorithms/prueba/3.0.0.json"
}

@test "001.20 §algorithms: an experiment is compared with the active one, and the metrics are kept" {
	algorithm memory/1 '{"status":"active","config":{"scoring":{"weights":{"recency":0.2,"importance":0.4,"relevance":0.3,"frequency":0.1}}}}'
	algorithm memory/2 '{"status":"experiment","config":{"scoring":{"weights":{"recency":0.0,"importance":0.0,"relevance":1.0,"frequency":0.0}}}}'
	"$CINTA" algorithms compare -w -d "$DB" memory 'lémur salta'
	[ "$(sql "SELECT count(*) FROM cto_algorithms WHERE code = 'memory' AND json_extract(metrics, '$.comparison.questions') = 1")" = 2 ]
	[ "$(sql "SELECT status FROM cto_algorithms WHERE code = 'memory' AND version = '2'")" = experiment ]
}

@test "001.21 §Configuración: the weights and rates of the active version are those that count; they sum to 1" {
	refused 'sum' "echo '{\"status\":\"active\",\"config\":{\"scoring\":{\"weights\":{\"recency\":0.6,\"importance\":0.4,\"relevance\":0.3,\"frequency\":0.5}}}}' > algorithms/memory/3.json"
	algorithm memory/3 '{"status":"active","config":{"scoring":{"weights":{"recency":0,"importance":1,"relevance":0,"frequency":0}}}}'
	parts fact/puntos | grep -qE 'score 0\.800'
	algorithm memory/4 '{"status":"active","config":{"scoring":{"weights":{"recency":0.2,"importance":0.4,"relevance":0.3,"frequency":0.1}}}}'
	not grep -qE 'score 0\.800' <(parts fact/puntos)
}

@test "001.22 §Configuración: of selection, compression, extraction and embedding what acts does, and what does nothing is told" {
	algorithm context/2.0.0 '{"status":"active","config":{"version":"2.0.0","extraction":{"enabled":true,"async":true,"batch_size":10},"selection":{"strategy":"priority","token_budget":8000,"priority_order":["system","core"]},"compression":{"strategy":"progressive","keep_first":3,"keep_last":10},"embedding":{"provider":"openai","dimension":1536}}}'
	talk selected 12
	[ "$(grep -cE '^\*\*#[0-9]+' sessions/selected/context.md)" -eq 10 ]
	tail -1 sessions/selected/context.md > "$T/x"
	grep -q 'at most 8,000' sessions/selected/dashboard.md
	grep 'UNUSED.*context/2.0.0' errors.log | tee "$T/unused"
	for name in extraction selection.strategy selection.priority_order compression.strategy compression.keep_first embedding; do grep -qF "$name" "$T/unused"; done
	not grep -qE 'token_budget|keep_last' "$T/unused"
	algorithm context/2.0.1 '{"status":"active","config":{}}'
	algorithm memory/bare '{"status":"experiment","weights":{"recency":0.2,"importance":0.4,"relevance":0.3,"frequency":0.1},"decay_rates":{"fact":0.1}}'
	not grep -q 'UNUSED.*memory/bare' errors.log
}

@test "001.23 §Verificar: code, version and status of the algorithms that are installed" {
	sql 'SELECT code, version, status FROM cto_algorithms' | grep -qx 'prueba|2.2.0|active'
	sql 'SELECT code, version, status FROM cto_algorithms' | grep -qx 'prueba|2.0.0|deprecated'
	"$CINTA" algorithms list -d "$DB" | grep -qE 'prueba +2.2.0 +active'
}

@test "001.24 §blocks: active blocks are injected into the conversations, each up to 400 tokens, 900 together" {
	user injected hola
	part sessions/injected/context.md Instructions | grep -q 'Regla global uno'
	block rules/larga 'priority: 99\n' "$(words 2000)"
	user injected 'otra vez'
	shown=$(part sessions/injected/context.md Instructions | grep -o pear | wc -l)
	[ "$shown" -ge 350 ]
	[ "$shown" -le 400 ]
	block rules/larga 'priority: 99\nstatus: inactive\n' "$(words 2000)"
}

@test "001.13 §memory: recency decays by the type's rate: 0.01, 0.05, 0.10, 0.05 and 0.50 a day" {
	local type # made now: a slow machine takes minutes to come here, which count
	for type in preference decision fact entity temporal; do memory $type/diez-$type 'importance: 0.99\n' "Diez días de $type."; done
	later +10d
	recency() { [ "$(part_of "$1/diez-$1" recency)" = "$2" ] || { parts "$1/diez-$1"; return 1; }; }
	recency preference 0.905
	recency decision 0.607
	recency fact 0.368
	recency entity 0.607
	recency temporal 0.007
}
