# SPDX-License-Identifier: MIT
# Context Manager v8.1, the schema log (docs/seeds.md, 000): messages, references, components.
bats_require_minimum_version 1.5.0
load ../lib.sh
load seeds.sh

# For 000.25: users may give it where fuse.conf lets them, root always.
setup_file() { seeds_setup $([ "$(id -u)" != 0 ] || echo -o allow_other) && cd "$M" && fill; }
teardown_file() { cinta_teardown; }

# fill: the session `whole`, whose first line has all members, beside 120 lines that have some
fill() {
	line whole "$(whole)" '{"role":"assistant","content":"dos"}'
	python3 - "$M" <<-'PY'
		import json, os, sys
		os.mkdir(sys.argv[1] + "/sessions/many")
		with open(sys.argv[1] + "/sessions/many/log.jsonl", "a") as log:
		    for n in range(120):
		        m = {"role": ("user", "assistant")[n % 2], "content": f"line {n}", "owner": f"ply{n % 7}", "thread": f"t{n % 5}",
		             "players": [f"p{n % 11}"], "master_player": f"mp{n % 3}", "flag": f"f{n % 4}", "location": f"l{n % 6}",
		             "items": [f"i{n % 8}"], "hashtags": [f"h{n % 12}"]}
		        if n == 60: m["hashtags"].append("urgente")
		        log.write(json.dumps(m) + "\n")
	PY
}
whole() {
	cat <<-'EOF' | tr -d '\n'
		{"role":"user","content":"uno","thread":"obra","owner":"ana","players":["agente","eva"],"master_player":"jefe",
		"attachments":{"f": "a.png" , "n":1.50},"hashtags":["casa"],"flag":"ES","master_item":"taladro","items":["broca","caja"],
		"location":"taller","ambient":{"timezone":"Europe/Madrid","git_branch":"main"}}
	EOF
}

@test "000.01 §LOG 1: a message has the 18 columns, and what was written stands in them" {
	[[ "$(columns log_messages)" == 'id hash session_hash thread_hash owner_id players_id master_player role content attachments prev_hash hashtags flag_id master_item_id item_id loc_id ambient created_at'* ]]
	sql -json "SELECT * FROM log_messages WHERE content = 'uno'" > "$T/row.json"
	jq -e '.[0] | ([.hash, .session_hash, .thread_hash, .owner_id, .master_player, .flag_id, .master_item_id, .loc_id] | all(length == 64))
		and (.players_id | fromjson | length == 2) and (.item_id | fromjson | length == 2) and (.hashtags | fromjson | length == 1)
		and .role == "user" and (.ambient | fromjson).git_branch == "main" and (.created_at | test("^20.*Z$"))' "$T/row.json"
	[ "$(member 1 items sessions/whole/log.jsonl)" = '["broca","caja"]' ]
}

@test "000.02 §LOG 1: owner_id is never NULL: who writes owns what names no owner" {
	[ "$(sql "SELECT count(*) FROM log_messages WHERE owner_id IS NULL")" = 0 ]
	[ "$(sql "SELECT owner_id FROM log_messages WHERE content = 'dos'")" = "$(hash_of "components/ply/$(id -un).md")" ]
}

@test "000.03 §LOG 1: a role is user, assistant, system or tool; another is refused by name, and kept" {
	for role in user assistant system tool; do line roles "{\"role\":\"$role\",\"content\":\"$role\"}"; done
	[ "$(sql "SELECT group_concat(role) FROM log_messages WHERE content = role")" = user,assistant,system,tool ]
	refused 'not a role; use one of user, assistant, system, tool' "echo '{\"role\":\"planner\",\"content\":\"plan 9\"}' >> sessions/roles/log.jsonl"
	grep -rq 'plan 9' rejected
}

@test "000.04 §LOG 1: attachments and ambient are JSON objects, kept byte for byte; NULL where there is none" {
	grep -qF '"attachments":{"f": "a.png" , "n":1.50}' sessions/whole/log.jsonl
	line null '{"content":"nulo","ambient":null}'
	[ "$(sql "SELECT ambient IS NULL, attachments FROM log_messages WHERE content = 'nulo'")" = '1|{}' ]
	refused 'expected an object' "echo '{\"content\":\"x\",\"ambient\":\"Madrid\"}' >> sessions/null/log.jsonl"
	refused 'expected an object' "echo '{\"content\":\"x\",\"attachments\":[]}' >> sessions/null/log.jsonl"
}

@test "000.05 §Contexto Ambiental: the state at the moment of the message, over what the session says of all" {
	mkdir sessions/ambient
	printf -- '---\nambient: {server: ARCHITECT, locale: es-ES}\n---\n' > sessions/ambient/session.md
	line ambient '{"content":"here"}' '{"content":"there","ambient":{"server":"DECK","git_branch":"main"}}'
	[ "$(member 1 ambient.server sessions/ambient/log.jsonl)" = ARCHITECT ]
	[ "$(member 2 ambient sessions/ambient/log.jsonl)" = '{"server":"DECK","git_branch":"main"}' ]
}

@test "000.06 §LOG 1: created_at is now; when it was said may be given, and counts where time is asked for" {
	before=$(date -u +%FT%T)
	line times '{"content":"zarigüeya nueva"}' '{"content":"zarigüeya vieja","from":{"at":"2025-05-08T10:00:00Z","author":"Eva"}}'
	[ "$(sql "SELECT count(*) FROM log_messages WHERE content LIKE 'zarigüeya%' AND created_at >= '$before'")" = 2 ]
	[ "$(sql "SELECT said_at || said_by FROM log_messages WHERE content = 'zarigüeya vieja'")" = '2025-05-08T10:00:00.000000ZEva' ]
	[ "$(paths 'search/zarigüeya before:2025-06.md')" = sessions/times/messages/000002.md ]
}

@test "000.07 §Cadena: hash is unique, prev_hash the line's before it, NULL in the first of a session" {
	[ "$(sql 'SELECT count(*) - count(DISTINCT hash) FROM log_messages')" = 0 ]
	[ "$(member 1 prev_hash sessions/many/log.jsonl)" = null ]
	jq -r .hash sessions/many/log.jsonl | head -119 > "$T/hashes"
	jq -r .prev_hash sessions/many/log.jsonl | tail -119 | cmp - "$T/hashes"
	"$CINTA" verify "$DB" | grep -q '^OK'
}

@test "000.08 §Cadena: a hash is made with SHA-256, and can be made again with sha256sum" {
	"$CINTA" pubkey --pem "$DB" > "$T/key.pem"
	sh .cinta/verify.sh "$DB" "$T/key.pem" | tee "$T/said" # sqlite3, sha256sum and openssl alone
	grep -q '^OK' "$T/said"
	[ "$(sql "SELECT group_concat(DISTINCT length(hash)) FROM log_messages")" = 64 ]
}

@test "000.09 §Protección: only INSERT: UPDATE and DELETE of a message are refused by triggers" {
	for change in "UPDATE tape SET body = 'x'" 'DELETE FROM tape WHERE seq = 3' "UPDATE OR REPLACE tape SET seq = 2 WHERE seq = 3" \
		"UPDATE log_messages SET content = 'x'" 'DELETE FROM log_messages'; do
		run sqlite3 -bail "$DB" "$change"
		[ "$status" -ne 0 ]
		[[ $output == *'never changes'* || $output == *'only grows'* || $output == *'is a view'* ]]
	done
}

@test "000.10 §Protección: message_refs cannot be changed either, but what made them: the tape" {
	run ! sqlite3 -bail "$DB" "UPDATE log_message_refs SET position = 9"
	[[ $output == *'is a view'* ]]
	run ! sqlite3 -bail "$DB" 'DELETE FROM log_message_refs'
	line guarded '{"content":"a","refs":[{"type":"context","ref":1}]}'
	cp sessions/guarded/refs.jsonl "$T/refs"
	mkdir "$T/copy"
	sql ".backup $T/copy/x.db"
	sqlite3 "$T/copy/x.db" 'DELETE FROM v_ref' # what is derived; the tape has it
	run ! "$CINTA" verify --all "$T/copy/x.db"
	[[ $output == *'v_ref'* ]]
	"$CINTA" rebuild "$T/copy/x.db"
	[ "$(sqlite3 "$T/copy/x.db" 'SELECT count(*) FROM log_message_refs')" = "$(sql 'SELECT count(*) FROM log_message_refs')" ]
}

@test "000.11 §Protección: nothing of the log can be deleted through the mount" {
	line kept '{"content":"queda"}'
	before=$(sha256sum < sessions/kept/log.jsonl)
	for how in 'rm sessions/kept/log.jsonl' ': > sessions/kept/log.jsonl' 'truncate -s 0 sessions/kept/log.jsonl' 'mv sessions/kept/log.jsonl notes/x.md' \
		'mv sessions/kept sessions/gone' 'rmdir sessions/kept' 'rm -r sessions/kept' 'sed -i d sessions/kept/log.jsonl' \
		'dd if=/dev/zero of=sessions/kept/log.jsonl bs=1 count=1 conv=notrunc' 'ln sessions/kept/log.jsonl notes/l.md' 'rm sessions/kept/transcript.md'; do
		refused . "$how"
	done
	[ "$(sha256sum < sessions/kept/log.jsonl)" = "$before" ]
}

@test "000.12 §Índices: session, thread, owner, leader, jurisdiction and place are found by an index" {
	for column in session_hash thread_hash owner_id master_player flag_id loc_id; do
		indexed "SELECT * FROM log_messages WHERE $column = '$(sql "SELECT $column FROM log_messages WHERE content = 'line 60'")'"
	done
}

@test "000.13 §Índices: `hash`, `prev_hash` and `created_at` are found by an index" {
	sql -json "SELECT hash, prev_hash, created_at FROM log_messages WHERE content = 'line 60'" > "$T/sixty.json"
	for column in hash prev_hash created_at; do
		value=$(jq -r ".[0].$column" "$T/sixty.json")
		sql "SELECT content FROM log_messages WHERE $column = '$value'" | grep -qx 'line 60'
		indexed "SELECT * FROM log_messages WHERE $column = '$value'"
	done
}

@test "000.14 §Índices: tags, receivers and items are found by an inverted index" {
	[ "$(sql "SELECT group_concat(DISTINCT field) FROM (SELECT field FROM log_message_index ORDER BY field)")" = hashtags,item_id,players_id ]
	for field in hashtags players_id item_id; do
		hash=$(sql "SELECT ref_hash FROM log_message_index WHERE field = '$field' LIMIT 1")
		indexed "SELECT m.* FROM log_messages m WHERE id IN (SELECT message_id FROM log_message_index WHERE field = '$field' AND ref_hash = '$hash')"
	done
}

@test "000.15 §Índices: by tag, receiver, item, jurisdiction, place and leader, in files as well" {
	[ "$(paths 'search/tag:urgente.md')" = sessions/many/messages/000061.md ]
	[ "$(paths 'search/player:eva.md')" = sessions/whole/messages/000001.md ]
	[ "$(paths 'search/item:taladro.md')" = sessions/whole/messages/000001.md ]
	[ "$(paths 'search/item:broca.md')" = sessions/whole/messages/000001.md ]
	[ "$(paths 'search/flag:ES.md')" = sessions/whole/messages/000001.md ]
	[ "$(paths 'search/at:taller.md')" = sessions/whole/messages/000001.md ]
	[ "$(paths 'search/leader:jefe.md')" = sessions/whole/messages/000001.md ]
	[ "$(paths 'search/leader:mp1 limit:100.md' | wc -l)" -eq 40 ]
}

@test "000.16 §LOG 2: references are context, accountant or secretary, with position and thread" {
	line refs '{"content":"r","thread":"hilo","refs":[{"type":"context","ref":1},{"type":"secretary","ref":2},{"type":"accountant","ref":3}]}' \
		'{"content":"s","refs":[{"type":"context","ref":1}]}'
	[ "$(sql "SELECT group_concat(r.ref_type || r.position) FROM log_message_refs r JOIN log_messages m ON m.hash = r.message_hash WHERE m.content = 'r'")" \
		= context1,secretary2,accountant3 ]
	[ "$(jq -r .ref_type sessions/refs/refs.jsonl | tr '\n' ' ')" = 'context secretary accountant context ' ]
	[ "$(jq -r '.thread_hash | length' sessions/refs/refs.jsonl | sort -u | tr '\n' ' ')" = '0 64 ' ]
	refused 'context, accountant, secretary' "echo '{\"content\":\"x\",\"refs\":[{\"type\":\"banker\",\"ref\":1}]}' >> sessions/refs/log.jsonl"
}

@test "000.17 §LOG 2: the position is the order in which the references are given" {
	line places '{"content":"p","refs":[{"type":"context","ref":"b"},{"type":"context","ref":"a"},{"type":"context","ref":"c"}]}'
	[ "$(jq -r '"\(.position) \(.ref_hash)"' sessions/places/refs.jsonl)" = "1 $(hash_of b)
2 $(hash_of a)
3 $(hash_of c)" ]
}

@test "000.18 §LOG 2: a message refers to one thing once" {
	line once '{"content":"o","refs":[{"type":"context","ref":"b"},{"type":"context","ref":"b"},{"type":"secretary","ref":"b"},{"type":"context","ref":"c"}]}'
	[ "$(jq -r .ref_hash sessions/once/refs.jsonl | tr '\n' ' ')" = "$(hash_of b) $(hash_of c) " ]
	[ "$(sql 'SELECT count(*) FROM (SELECT 1 FROM log_message_refs GROUP BY message_hash, ref_hash HAVING count(*) > 1)')" = 0 ]
}

@test "000.19 §LOG 2: the references of a message are found by an index" {
	line cited '{"content":"citada"}' '{"content":"cita","refs":[{"type":"context","ref":1}]}'
	hash=$(member 2 hash sessions/cited/log.jsonl)
	[ "$(sql "SELECT ref_hash FROM log_message_refs WHERE message_hash = '$hash'")" = "$(member 1 hash sessions/cited/log.jsonl)" ]
	indexed "SELECT * FROM log_message_refs WHERE message_hash = '$hash'"
}

@test "000.20 §Flujo 2: references can be added to a message that is written" {
	line later '{"content":"one"}' '{"content":"two","refs":[{"type":"context","ref":1}]}' '{"content":"three"}'
	local before now kept
	before=$(cat sessions/later/refs.jsonl)
	sleep 1.1
	now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	sleep 1.1
	echo 'refer 2 context:3 accountant:factura-9 context:1 secretary:later/1' > sessions/later/ctl # 1 it has, as message and as later/1
	[ "$(jq -r '"\(.message) \(.ref_type) \(.ref_hash)"' sessions/later/refs.jsonl)" = "2 context $(member 1 hash sessions/later/log.jsonl)
2 context $(member 3 hash sessions/later/log.jsonl)
2 accountant $(hash_of factura-9)" ]
	[ "$(stat -c %s sessions/later/refs.jsonl)" -eq "$(wc -c < sessions/later/refs.jsonl)" ]
	[ "$(cat ".cinta/at/$now/sessions/later/refs.jsonl")" = "$before" ]
	[ "$(sql "SELECT group_concat(ref_type, ' ') FROM (SELECT ref_type FROM log_message_refs WHERE message_hash = '$(member 2 hash sessions/later/log.jsonl)' ORDER BY position)")" = 'context context accountant' ]
	kept=$(cat sessions/later/refs.jsonl)
	for bad in 'refer' 'refer 9 context:1' 'refer 2' 'refer 2 book:1' 'refer 1-2 context:1' 'refer 2 context:' 'refer two context:1'; do
		refused 'refer|no message 9' "echo '$bad' > sessions/later/ctl"
	done
	echo 'refer 2 context:3' > sessions/later/ctl
	[ "$(cat sessions/later/refs.jsonl)" = "$kept" ]
	"$CINTA" verify --all "$DB" | grep -q '^OK'
}

@test "000.21 §Flujo 3: the messages of a session with their references, in order" {
	line flow '{"content":"first","refs":[{"type":"context","ref":"z"},{"type":"context","ref":"a"}]}' '{"content":"second"}'
	[ "$(sql "SELECT content, (SELECT json_group_array(ref_hash) FROM (SELECT ref_hash FROM log_message_refs r WHERE r.message_hash = m.hash ORDER BY position))
		FROM log_messages m WHERE session_hash = (SELECT session_hash FROM log_messages WHERE content = 'first') ORDER BY created_at")" \
		= "first|[\"$(hash_of z)\",\"$(hash_of a)\"]
second|[]" ]
}

@test "000.22 §Referencias: books and the secretary's records are chained logs that messages refer to" {
	for name in accountant secretary; do
		printf '{"asiento":1,"importe":12.50}\n{"asiento":2}\n' >> records/$name.jsonl
		[ "$(member 1 prev_hash records/$name.jsonl)" = null ]
		[ "$(member 2 prev_hash records/$name.jsonl)" = "$(member 1 hash records/$name.jsonl)" ]
		grep -qF '"asiento":1,"importe":12.50' records/$name.jsonl
		refused . ": > records/$name.jsonl"
	done
	line books '{"content":"b","refs":[{"type":"accountant","ref":2},{"type":"secretary","ref":1}]}'
	[ "$(jq -r .ref_hash sessions/books/refs.jsonl)" = "$(member 2 hash records/accountant.jsonl)
$(member 1 hash records/secretary.jsonl)" ]
}

@test "000.23 §Referencias: what is not on the tape yet may be referred to, by its hash for good" {
	line early '{"content":"e","refs":[{"type":"secretary","ref":"acta 99"}]}'
	[ "$(jq -r .ref_hash sessions/early/refs.jsonl)" = "$(hash_of 'acta 99')" ]
	[ "$(sql "SELECT count(*) FROM log_message_refs WHERE ref_hash = '$(hash_of 'acta 99')'")" = 1 ]
}

@test "000.24 §Componentes: the sixteen tables, named by code, by table and code, or by id" {
	for table in ply plu plx hst spe vsn vue hsu flg flu itm itu itx loc lou lox; do
		echo "of $table" > "components/$table/en-$table.md"
		[ "$(sql "SELECT id FROM components WHERE table_name = '$table' AND code = 'en-$table'")" = "$(hash_of "components/$table/en-$table.md")" ]
	done
	echo p > components/plu/ana-maria.md
	id=$(hash_of components/plu/ana-maria.md)
	line named '{"content":"n1","owner":"ana-maria"}' '{"content":"n2","owner":"plu:ana-maria"}' "{\"content\":\"n3\",\"owner\":\"$id\"}"
	[ "$(sql "SELECT DISTINCT owner_id FROM log_messages WHERE content IN ('n1', 'n2', 'n3')")" = "$id" ]
}

@test "000.25 §Componentes: the system's tables are its owner's; nobody else writes them" {
	[ "$(id -u)" = 0 ] || skip 'only root can become somebody else'
	echo Lima > components/ply/empresa.md
	for table in ply hst spe vsn vue flg itm loc plu plx; do
		run ! nobody "echo x > '$M/components/$table/intruso.md'"
		[ ! -e components/$table/intruso.md ]
	done
	run ! nobody "echo x > '$M/components/ply/empresa.md'"
	[ "$(nobody "cat '$M/components/ply/empresa.md'")" = Lima ]
}

@test "000.26 §Visión 5: several agents: each mount has its author and its session, messages name who they are from, to and led by" {
	mkdir "$T/b"
	"$CINTA" mount -o owner=beto,session=de-beto "$DB" "$T/b"
	echo '{"role":"assistant","content":"soy beto","players":["ana"],"master_player":"ana"}' >> "$T/b/smma/session_log.jsonl"
	user mine 'soy yo'
	[ "$(member 1 author sessions/de-beto/log.jsonl)" = beto:bash ]
	[ "$(sql "SELECT owner_id FROM log_messages WHERE content = 'soy beto'")" = "$(hash_of components/ply/beto.md)" ]
	[ "$(readlink sessions/current)" = mine ]
	[ "$(readlink "$T/b/sessions/current")" = de-beto ]
	grep -q 'soy beto' "$T/b/context.md"
	not grep -q 'soy yo' <(part "$T/b/context.md" Conversation)
	cinta_umount "$T/b"
}

@test "000.27 §Visión 5: a line of a thread says which session it is of" {
	line uno '{"role":"user","content":"desde uno","thread":"compartido"}'
	line 'dos "citas"' '{"role":"user","content":"desde dos","thread":"compartido","session":"otra"}'
	jq -es 'map(.id) == [1, 1] and map(.session) == ["uno", "dos \"citas\""]' threads/compartido/log.jsonl
	[ "$(grep '^## ' threads/compartido/transcript.md | cut -d' ' -f1-3)" = $'## uno/1 ·\n## dos "citas"/1' ]
	[ "$(stat -c %s threads/compartido/log.jsonl)" -eq "$(wc -c < threads/compartido/log.jsonl)" ]
	[ "$(stat -c %s threads/compartido/transcript.md)" -eq "$(wc -c < threads/compartido/transcript.md)" ]
	line tres '{"role":"user","content":"sigue","refs":[{"type":"context","ref":"uno/1"}]}'
	[ "$(jq -r .ref_hash sessions/tres/refs.jsonl)" = "$(jq -rs '.[0].hash' threads/compartido/log.jsonl)" ]
}

@test "000.28 §Cadena: a message can be opened by its hash" {
	line opened '{"content":"abierta por su hash"}'
	hash=$(member 1 hash sessions/opened/log.jsonl)
	grep -qx 'file: sessions/opened/messages/000001.md' ".cinta/by-hash/$hash"
	grep -q 'abierta por su hash' ".cinta/by-hash/${hash:0:8}"
	[ "$(paths "search/hash:$hash.md")" = sessions/opened/messages/000001.md ]
	not ls ".cinta/by-hash/$(hash_of nothing)"
}

@test "000.30 §Despliegue: pgcrypto's SHA-256 and pgvector's vectors have their like without PostgreSQL" {
	server="$T/server"
	mkdir "$server"
	python3 "$HERE/embedding_server.py" "$server" < /dev/null > "$server/log" 2>&1 3>&- &
	wait_for 30 test -e "$server/port"
	mkdir "$T/v"
	"$CINTA" mount -o "embedding=http://127.0.0.1:$(cat "$server/port"),embedding_model=toy" "$T/v.db" "$T/v"
	mkdir "$T/v/sessions/s"
	printf '%s\n' '{"content":"The automobile is in the garage."}' '{"content":"The weather is fine."}' >> "$T/v/sessions/s/log.jsonl"
	found() { grep -q 'sessions/s/messages/000001.md' "$T/v/search/car.md"; }
	wait_for 20 found
	[ -e "$T/v.db.vectors" ]
	"$CINTA" umount "$T/v"
	kill %1
}
