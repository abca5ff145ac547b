# SPDX-License-Identifier: MIT
# The memory as tables on the server: the queries of the user's documents, in psql, with the results
# that the files show.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${proxy:-} 2> /dev/null || true
	cinta_teardown
}
filled() { [ "$(query "SELECT upto = (SELECT next FROM tape.head) FROM tape.tables")" = t ]; }
hash_of() { printf '%s' "$1" | sha256sum | cut -c1-64; }
block() { mkdir -p "$T/a/blocks/${1%/*}" && printf -- "---\n$2---\n$3\n" > "$T/a/blocks/$1.md"; }
memory() { printf -- "---\n$2---\n$3\n" > "$T/a/memories/$1.md"; }

# a memory written through a mount
write_all() {
	local log=$T/a/sessions/s1/log.jsonl
	mkdir "$T/a/sessions/s1"
	echo '{"role":"user","content":"hola","owner":"ana","players":["bot","eva"],"hashtags":["decision"],"ambient":{"server":"DECK"}}' >> "$log"
	echo '{"amount":3}' >> "$T/a/records/accountant.jsonl"
	first=$(head -1 "$log" | jq -r .hash)
	echo "{\"role\":\"assistant\",\"content\":\"it's \\\\ \\\"ñ\\\"\",\"thread\":\"hilo\",\"owner\":\"bot\",\"refs\":[{\"type\":\"context\",\"ref\":\"$first\"},{\"type\":\"accountant\",\"ref\":1}]}" >> "$log"
	block rules/global 'priority: 90\n' 'Regla global'
	block rules/deck 'scope: server\nserver_code: DECK\npriority: 70\n' 'Solo en DECK'
	block rules/corp 'scope: server\nserver_code: CORP\n' 'Solo en CORP'
	block persona/mine 'scope: agent\nagent_code: mi_agente\n' 'Solo mi agente'
	block rules/off 'status: inactive\n' 'Fuera'
	memory fact/casuario 'importance: 0.8\nowner: ana\n' 'El casuario corre.'
	memory preference/te 'importance: 0.3\nsuperseded_by: cafe\nexpires_at: 2099-01-01\n' 'Prefiere té.'
	echo '- uses vim' > "$T/a/facts/work.md"
	printf -- '---\nname: Ana\n---\nAna.\n' > "$T/a/components/ply/ana.md"
	wait_for 30 filled
}

# newest KIND: the number of the last entry of that kind
newest() { query "SELECT max(seq) FROM tape.entry WHERE kind = '$1'"; }
# take NUMBER: the owner redacts that entry, on machine a
take() { on a "$CINTA" redact -d "$(replica a)" --yes --reason 'by mistake' "$1"; }
append_waits() { [ "$(query "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%tape.append%' AND wait_event_type = 'Lock'")" -ge 1 ]; }
# lock_table TABLE [IN … MODE]: until $T/enough is there; $locker is who holds it
lock_table() {
	rm -f "$T/enough"
	(echo "BEGIN; LOCK TABLE $*;"; while [ -d "$T" ] && [ ! -e "$T/enough" ]; do sleep 0.1; done; echo 'COMMIT;') |
		"$PGBIN/psql" -h "$PG" -p "$PGPORT" -U cinta -d "$DBNAME" -X -q 3>&- &
	locker=$!
	is_locked() { [ "$(query "SELECT count(*) FROM pg_locks WHERE relation = '$1'::regclass AND granted AND mode IN ('ShareLock', 'AccessExclusiveLock')")" = 1 ]; }
	wait_for 10 is_locked "$1"
}
unlock_table() {
	touch "$T/enough"
	wait "$locker"
}

@test "000: messages with their columns, their references, and flow 3" {
	on a "$CINTA" init "$URL"
	mount_on a
	write_all
	[ "$(query "SELECT hash, prev_hash, role, content FROM log.messages ORDER BY id")" = \
		"$(jq -r '[.hash, .prev_hash // "", .role, .content] | join("|")' "$T/a/sessions/s1/log.jsonl")" ]
	[ "$(query "SELECT session_hash, owner_id, players_id[2], hashtags[1], ambient->>'server' FROM log.messages ORDER BY id LIMIT 1")" = \
		"$(hash_of sessions/s1)|$(hash_of components/ply/ana.md)|$(hash_of components/ply/eva.md)|$(hash_of components/hst/decision.md)|DECK" ]
	[ "$(query "SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM log.messages ORDER BY id LIMIT 1")" = \
		"$(head -1 "$T/a/sessions/s1/log.jsonl" | jq -r .timestamp)" ]
	# flow 3, as it stands there
	run -0 query "SELECT
		m.content,
		m.owner_id,
		array_agg(r.ref_hash ORDER BY r.position) as context_refs
		FROM log.messages m
		LEFT JOIN log.message_refs r ON m.hash = r.message_hash
		WHERE m.session_hash = '$(hash_of sessions/s1)'
		GROUP BY m.id, m.content, m.owner_id
		ORDER BY m.created_at"
	[ "${lines[0]}" = "hola|$(hash_of components/ply/ana.md)|{NULL}" ]
	[ "${lines[1]}" = "it's \\ \"ñ\"|$(hash_of components/ply/bot.md)|{$(jq -rs 'map(.ref_hash) | join(",")' "$T/a/sessions/s1/refs.jsonl")}" ]
	[ "$(query "SELECT string_agg(ref_type::text, ' ' ORDER BY position) FROM log.message_refs")" = 'context accountant' ]
	[ "$(query "SELECT log.sha256('sessions/s1')")" = "$(hash_of sessions/s1)" ]
	# immutable, for whoever it is
	for sql in "UPDATE log.messages SET content = 'x'" 'DELETE FROM log.message_refs' 'TRUNCATE log.messages' \
		"INSERT INTO log.messages (id, hash, session_hash, owner_id, content) VALUES (9, 'h', 's', 'o', 'c')"; do
		run ! query "$sql"
		[[ $output == *'the log is immutable'* ]]
	done
	umount_on a
}

@test "001: blocks that are active, scores, memories that are near, algorithms" {
	on a "$CINTA" init "$URL"
	mount_on a
	write_all
	codes() { query "SELECT string_agg(code, ' ') FROM cto.get_active_blocks($1)"; }
	[ "$(codes "'global'")" = global ]
	[ "$(codes "'server', 'DECK'")" = deck ]
	[ "$(codes "'agent', NULL, 'mi_agente'")" = mine ]
	[ "$(query "SELECT content FROM cto.get_active_blocks('server', 'DECK')")" = "$(sed -n '/^---$/,/^---$/!p' "$T/a/blocks/rules/deck.md")" ]
	[ "$(query 'SELECT count(*) FROM cto.blocks')" = 5 ]
	[ "$(query "SELECT type, importance, status, superseded_by IS NULL, expires_at::date FROM cto.memory WHERE content LIKE '%té%'")" = 'preference|0.3|active|t|2099-01-01' ]
	# the score is the one that the files show
	score=$(query "SELECT cto.calculate_memory_score(id) FROM cto.memory WHERE content LIKE 'El casuario%'")
	shown=$(grep -A2 -F memories/fact/casuario.md "$T/a/memories/top.md" | tr '\n' ' ' | sed -nE 's/.*score ([0-9.]+).*/\1/p')
	python3 -c 'import sys; a, b = map(float, sys.argv[1:]); assert abs(a - b) < 0.002, (a, b)' "$score" "$shown"
	# a question's relevance, where there is an embedding
	# (of as many numbers as pgvector's column wants, where that is installed)
	vector() { echo "(ARRAY[$1]::real[] || array_fill(0::real, ARRAY[1534]))"; }
	query "UPDATE cto.memory SET embedding = $(vector 0.6,0.8) WHERE content LIKE 'El casuario%'"
	run -0 query "SELECT rtrim(content, chr(10)), round(similarity::numeric, 2), round(score::numeric, 2) FROM cto.search_memories($(vector 0.6,0.8), '$(hash_of components/ply/ana.md)', 20, 0.3)"
	[ "$output" = 'El casuario corre.|1.00|0.82' ]
	[ -z "$(query "SELECT content FROM cto.search_memories($(vector 0.8,-0.6), NULL, 20, 0.3)")" ]
	# what has an heir gives way to it
	memory fact/antes 'importance: 0.9\nowner: ana\nsuperseded_by: casuario\n' 'Ningún casuario vuela.'
	wait_for 30 filled
	query "UPDATE cto.memory SET embedding = $(vector 0.6,0.8), embedding_model = 'm' WHERE content LIKE '%casuario%'"
	[ "$(query "SELECT rtrim(content, chr(10)) FROM cto.search_memories($(vector 0.6,0.8))")" = 'El casuario corre.' ]
	[ "$(query "SELECT domain, fact, confidence FROM cto.facts")" = 'work|uses vim|high' ]
	[ "$(query "SELECT table_name, code, name FROM cto.components")" = 'ply|ana|Ana' ]
	mkdir -p "$T/a/algorithms/context"
	echo '{"status":"active","config":{"scoring":{"weights":{"recency":0,"importance":1,"relevance":0,"frequency":0}}}}' > "$T/a/algorithms/context/v2.json"
	wait_for 30 filled
	[ "$(query 'SELECT code, version, status FROM cto.algorithms')" = 'context|v2|active' ]
	[ "$(query "SELECT cto.calculate_memory_score(id) FROM cto.memory WHERE content LIKE 'El casuario%'")" = 0.8 ]
	# what is too small or too large for a double is an error to PostgreSQL: in nobody's score
	[ "$(query "SELECT count(cto.calculate_memory_score(id, NULL, now() + interval '9000 years')) = count(*) FROM cto.memory")" = t ]
	echo '{"status":"active","config":{"scoring":{"weights":{"recency":1e-320,"importance":1,"relevance":0,"frequency":0},"decay_rates":{"fact":1e300}}}}' > "$T/a/algorithms/context/v3.json"
	printf -- '---\nimportance: 5e-324\n---\nlittle\n' > "$T/a/memories/fact/little.md"
	wait_for 30 filled
	[ "$(query "SELECT version FROM cto.algorithms WHERE status = 'active'")" = v3 ]
	[ "$(query "SELECT importance > 0, cto.calculate_memory_score(id, NULL, now() + interval '9 years') < 1e-9 FROM cto.memory WHERE content LIKE 'little%'")" = 't|t' ]
	umount_on a
}

@test "the tables follow what changes, lose what is redacted, and come again; readers may read them" {
	on a "$CINTA" init "$URL"
	mount_on a
	write_all
	echo '- uses emacs' > "$T/a/facts/work.md"
	line a s1 secretword
	wait_for 30 filled
	[ "$(query "SELECT count(*) FROM cto.facts WHERE retracted_at IS NOT NULL")" = 1 ]
	[ "$(query "SELECT count(*) FROM log.messages")" = 3 ]
	n=$(query "SELECT id FROM log.messages WHERE content = 'secretword'")
	take "$n"
	[ "$(query "SELECT count(*) FROM log.messages WHERE content LIKE '%secretword%'")" = 0 ]
	wait_for 40 filled
	[ "$(query 'SELECT count(*) FROM cto.blocks')" = 5 ]
	[ "$(query "SELECT content FROM log.messages WHERE id = $n")" = '' ]
	umount_on a
	# another machine takes over
	query "UPDATE tape.lease SET until = now()"
	mount_on b
	line b s1 more
	wait_for 40 filled
	[ "$(query "SELECT count(*) FROM log.messages")" = 4 ]
	query "CREATE ROLE reader_$DBNAME LOGIN"
	query "SELECT tape.admit('reader_$DBNAME', 'read')"
	[ "$("$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "reader_$DBNAME" -d "$DBNAME" -X -q -A -t -c 'SELECT count(*) FROM log.messages')" = 4 ]
	run "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "reader_$DBNAME" -d "$DBNAME" -X -q -c 'CREATE TEMP TABLE z (i integer)' \
		-c 'CREATE TRIGGER t AFTER INSERT ON z EXECUTE FUNCTION cto.send_again()'
	[[ $output == *'permission denied for function cto.send_again'* ]]
	umount_on b
}

@test "the tables follow by the second while one writes much and never rests" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno first
	wait_for 30 filled
	local before writer
	before=$(query 'SELECT upto FROM tape.tables')
	python3 -c 'import os, sys, time
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
for i in range(180):
    os.write(fd, b"{\"role\":\"user\",\"content\":\"much\"}\n" * 100)
    time.sleep(0.05)' "$T/a/sessions/uno/log.jsonl" &
	writer=$!
	wait_for 60 eval '[ "$(query "SELECT next FROM tape.head")" -gt $((before + 6000)) ]'
	wait_for 30 eval '[ "$(query "SELECT upto FROM tape.tables")" -gt $((before + 3000)) ]'
	kill -0 "$writer"
	wait "$writer"
	umount_on a
}

@test "a table is sent whole where something of it has changed, and where it was emptied" {
	on a "$CINTA" init "$URL"
	mount_on a
	write_all
	# each version of a row has the transaction that wrote it
	written() { query "SELECT string_agg(xmin::text, ' ' ORDER BY id) FROM cto.$1"; }
	local facts blocks n
	facts=$(written facts) blocks=$(written blocks)
	for n in 1 2 3; do
		line a s1 "more $n"
		wait_for 30 filled
	done
	[ "$(written facts)" = "$facts" ]
	[ "$(written blocks)" = "$blocks" ]
	echo '- uses nano' >> "$T/a/facts/work.md"
	wait_for 30 filled
	[ "$(written facts)" != "$facts" ]
	[ "$(written blocks)" = "$blocks" ]
	# emptied by a redaction, with the same rows before and after; and when another machine has had them meanwhile
	n=$(query "SELECT id FROM log.messages WHERE content = 'more 2'")
	take "$n"
	wait_for 40 filled
	[ "$(query 'SELECT count(*) FROM cto.blocks')" = 5 ]
	[ "$(query 'SELECT count(*) FROM cto.facts')" = 2 ]
	query "BEGIN; SET LOCAL cinta.filling = 'on'; DELETE FROM cto.facts; UPDATE tape.tables SET upto = upto - 1; COMMIT"
	line a s1 'and more'
	wait_for 40 filled
	[ "$(query 'SELECT count(*) FROM cto.facts')" = 2 ]
	# by hand: comes again, but for an embedding, which stays
	query "UPDATE cto.memory SET embedding = array_fill(0.5::real, ARRAY[1536])"
	[ "$(query 'SELECT count(*) FROM cto.memory')" -gt 0 ]
	query "UPDATE cto.blocks SET embedding = array_fill(0.5::real, ARRAY[1536])"
	n=$(query 'SELECT count(*) FROM cto.memory')
	echo 'something else' > "$T/a/memories/fact/else.md"
	sed -i 's/^priority: 70$/priority: 3/' "$T/a/blocks/rules/deck.md"
	wait_for 40 filled
	[ "$(query 'SELECT count(*), count(*) FILTER (WHERE embedding IS NULL) FROM cto.memory')" = "$((n + 1))|1" ]
	[ "$(query "SELECT priority, embedding IS NOT NULL FROM cto.blocks WHERE code = 'deck'")" = '3|t' ]
	[ "$(query 'SELECT count(*) FROM cto.blocks WHERE embedding IS NULL')" = 0 ]
	n=$(query 'SELECT changes FROM tape.tables')
	query "DELETE FROM cto.facts; UPDATE cto.blocks SET content = 'tampered'"
	[ "$(query 'SELECT changes FROM tape.tables')" = $((n + 2)) ]
	wait_for 40 filled
	[ "$(query 'SELECT count(*) FROM cto.facts')" = 2 ]
	[ "$(query "SELECT count(*), count(*) FILTER (WHERE content = 'tampered') FROM cto.blocks")" = '5|0' ]
	query 'TRUNCATE cto.memory'
	wait_for 40 filled
	[ "$(query 'SELECT count(*) FROM cto.memory')" -gt 0 ]
	# one of many rows changes: it is written again, and those beside it
	for n in $(seq 40); do memory "fact/m$n" 'importance: 0.5\n' "Memory $n."; done
	wait_for 40 filled
	written memory | tr ' ' '\n' > "$T/before"
	memory fact/m20 'importance: 0.6\n' 'Memory 20.'
	wait_for 40 filled
	n=$(written memory | tr ' ' '\n' | diff "$T/before" - | grep -c '^>')
	[ "$n" -ge 1 ]
	[ "$n" -le 8 ]
	[ "$(query "SELECT importance FROM cto.memory WHERE content LIKE 'Memory 20.%'")" = 0.6 ]
	umount_on a
}

@test "who has locked a table holds up no writer, and is named" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 first
	wait_for 30 filled
	lock_table log.messages
	waiting=0
	for ((i = 0; i < 40; i++)); do
		line a s1 "line $i"
		sleep 0.1
		waiting=$((waiting + $(query "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%tape.fill%' AND wait_event_type = 'Lock' AND clock_timestamp() - query_start > interval '1.5 s'")))
	done
	grep 'locked a table' "$T/a/errors.log"
	[ "$waiting" = 0 ]
	# messages cannot come; all else does not wait for them
	block rules/new 'priority: 90\n' 'Nueva'
	wait_for 10 eval '[ "$(query "SELECT code FROM cto.get_active_blocks('"'global'"')")" = new ]'
	unlock_table
	wait_for 30 filled
	[ "$(query 'SELECT count(*) FROM log.messages')" = 41 ]
	# nor does a redaction wait for that, with all who write: it says so, and nothing is taken out
	lock_table log.messages
	n=$(newest message)
	run take "$n"
	[[ $status -eq 1 && $output == *'somebody has locked a table on the server: nothing is taken out'* ]]
	unlock_table
	[ "$(query "SELECT body IS NOT NULL FROM tape.entry WHERE seq = $n")" = t ]
	take "$n"
	umount_on a
}

@test "a redaction while the tables are filled: what it takes does not come back by rows that were read before" {
	local filler n end
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 first
	echo '- uses vim' > "$T/a/facts/work.md"
	wait_for 30 filled
	filler=$(query "SELECT mount FROM tape.lease WHERE what = 'tables'") known=$(query 'SELECT changes FROM tape.tables')
	# by hand what the machine does: it has read the row, and sends it while another redacts
	mkfifo "$T/by-hand"
	"$PGBIN/psql" -h "$PG" -p "$PGPORT" -U cinta -d "$DBNAME" -X -q -A -t -v ON_ERROR_STOP=1 < "$T/by-hand" 3>&- > "$T/by-hand.out" 2>&1 &
	exec 9> "$T/by-hand"
	echo "BEGIN; SELECT tape.fill($filler, 'log_message_refs', $(query 'SELECT next FROM tape.head'), $known, '[]');" >&9
	wait_for 10 eval '[ "$(query "SELECT count(*) FROM pg_locks WHERE relation = '"'tape.tables'"'::regclass AND mode = '"'RowShareLock'"'")" -ge 1 ]'
	line a s1 'the secret'
	n=$(newest message)
	row="[{\"id\": $n, \"hash\": \"h\", \"session_hash\": \"s\", \"owner_id\": \"o\", \"content\": \"the secret\"}]"
	end=$(query 'SELECT next FROM tape.head')
	echo "SELECT tape.fill($filler, 'log_messages', $end, $known, '$row');" >&9
	take "$n" 9>&- 3>&- > "$T/redacted" 2>&1 &
	redacting=$!
	wait_for 10 append_waits
	echo 'COMMIT;' >&9
	exec 9>&-
	wait "$redacting"
	[ -z "$(tr -d '\n' < "$T/by-hand.out")" ] # both were taken: no code
	# and when it comes behind the redaction
	for what in log_messages upto; do
		run query "SELECT tape.fill($filler, '$what', $end, $known, '[]')"
		[[ $status -eq 0 && $output == *'the tables were changed since'* ]]
		run query "SELECT tape.fill($filler, '$what', $end, (SELECT changes FROM tape.tables), '[]')"
		[[ $status -eq 0 && $output == *'a redaction came since'* ]]
	done
	[ "$(query "SELECT count(*) FROM log.messages WHERE content LIKE '%secret%'")" = 0 ]
	wait_for 40 filled
	[ "$(query "SELECT count(*), count(*) FILTER (WHERE content LIKE '%secret%') FROM log.messages")" = '2|0' ]
	[ "$(query 'SELECT count(*) FROM cto.facts')" = 1 ]
	not grep -q 'cannot be filled' "$T/a/errors.log"
	umount_on a
	whole a
}

# as_here MACHINE: messages and references are those of its own views
as_here() {
	local server here
	server=$(query 'SELECT id, hash, session_hash, thread_hash, content FROM log.messages ORDER BY id'
		query 'SELECT id, message_hash, ref_hash, thread_hash FROM log.message_refs ORDER BY id')
	here=$(sqlite3 "$(replica "$1")" "SELECT id, hash, session_hash, thread_hash, coalesce(content, '') FROM log_messages ORDER BY id" \
		"SELECT id, message_hash, ref_hash, thread_hash FROM log_message_refs ORDER BY id")
	[ "$server" = "$here" ] || { diff <(echo "$server") <(echo "$here"); return 1; }
}

@test "what is redacted leaves the tables with all that named it: references of a message, a session in its messages" {
	on a "$CINTA" init "$URL"
	mount_on a
	write_all
	as_here a
	refs() { query "SELECT count(*) FROM log.message_refs${1:+ WHERE message_id = $1}"; }
	[ "$(refs)" = 2 ]
	first=$(newest message)
	line a secretsess 'in it'
	echo '{"role":"user","content":"two","thread":"hilo","refs":[{"type":"context","ref":1},{"type":"context","ref":"secretsess/1"}]}' >> "$T/a/sessions/s1/log.jsonl"
	second=$(newest message)
	wait_for 40 filled
	as_here a
	[ "$(refs)" = 4 ]
	# added later, to a message that is there
	echo 'refer 3 accountant:1' > "$T/a/sessions/s1/ctl"
	wait_for 40 filled
	as_here a
	[ "$(refs "$second")" = 3 ]
	take "$(newest context)"
	wait_for 40 filled
	as_here a
	[ "$(refs "$second")" = 2 ]
	# a message with references that is not the last one: those behind it get other numbers
	take "$first"
	echo '{"role":"user","content":"three","refs":[{"type":"context","ref":1},{"type":"context","ref":3}]}' >> "$T/a/sessions/s1/log.jsonl"
	wait_for 40 filled
	as_here a
	[ "$(refs)" = 4 ]
	take "$(newest session)"
	wait_for 40 filled
	as_here a
	# a document and a fact stay as what they are, without their text: an heir is one
	memory fact/heir 'importance: 0.9\nsummary: secret\nmetadata: {"k": "secret"}\n' secret
	take_later=$(newest document)
	memory fact/before 'superseded_by: heir\n' 'what was before'
	echo '- secret' > "$T/a/facts/personal.md"
	take "$(newest fact.add)"
	take "$take_later"
	wait_for 40 filled
	columns='id, type, content, summary, metadata, status, hash'
	diff <(query "SELECT $columns FROM cto.memory ORDER BY id") <(sqlite3 "$(replica a)" "SELECT $columns FROM cto_memory ORDER BY id")
	[ "$(query "SELECT count(*), count(content) FROM cto.memory WHERE NOT cto.stands(id) OR content IS NULL")" = '2|1' ]
	columns="id, domain, fact, source, retracted_at IS NULL"
	diff <(query "SELECT $columns FROM cto.facts ORDER BY id" | sed 's/|t$/|1/; s/|f$/|0/') <(sqlite3 "$(replica a)" "SELECT $columns FROM facts ORDER BY id")
	[ "$(query "SELECT count(*) FROM log.messages WHERE session_hash = '$(hash_of sessions/secretsess)'")" = 0 ]
	umount_on a
}

@test "a row that fits into no table of the server is named, and all others come" {
	on a "$CINTA" init "$URL"
	mount_on a
	write_all
	mkdir -p "$T/a/algorithms/context"
	echo '{"status":"active","config":{"x":1e-20000}}' > "$T/a/algorithms/context/v2.json"
	memory fact/odd 'metadata: {"k": 1e-20000}\n' 'A number that PostgreSQL has not.'
	wait_for 40 filled
	[ "$(query 'SELECT code, config IS NULL FROM cto.algorithms')" = 'context|t' ]
	[ "$(query "SELECT metadata IS NULL FROM cto.memory WHERE content LIKE 'A number%'")" = t ]
	# what this server takes for no fact
	query "ALTER TABLE cto.facts ADD CHECK (fact <> 'fact 70')"
	seq -f '- fact %.0f' 200 > "$T/a/facts/projects.md"
	block rules/more 'priority: 9\n' 'Otra'
	line a s1 more
	wait_for 40 filled
	n=$(query "SELECT count(*) FROM cto.facts WHERE domain = 'projects'")
	[ "$n" = 199 ]
	[ "$(query 'SELECT count(*) FROM cto.blocks')" = 6 ]
	[ "$(grep -c 'a row of facts has no place' "$T/a/errors.log")" = 1 ]
	# a redaction empties all: they come again, but for that one
	take "$(newest message)"
	wait_for 40 filled
	[ "$(query "SELECT count(*) FROM cto.facts WHERE domain = 'projects'")" = "$n" ]
	query "ALTER TABLE cto.facts DROP CONSTRAINT facts_fact_check; DELETE FROM cto.facts WHERE fact = 'fact 1'"
	wait_for 40 filled
	[ "$(query "SELECT count(*) FROM cto.facts WHERE domain = 'projects'")" = 200 ]
	# long messages, more of them than go at once
	python3 -c 'import json
for i in range(14): print(json.dumps({"role": "user", "content": "x" * 900_000}))' > "$T/large"
	cat "$T/large" >> "$T/a/sessions/s1/log.jsonl"
	wait_for 60 filled
	[ "$(query 'SELECT count(*), sum(length(content)) FROM log.messages WHERE length(content) > 500000')" = '14|12600000' ]
	umount_on a
}

@test "a redaction in the middle of the first filling: nothing that it emptied stays empty" {
	on a "$CINTA" init "$URL"
	lock_table cto.components IN SHARE MODE
	mount_on a
	line a s1 secret
	block rules/global 'priority: 90\n' 'Regla global'
	memory fact/casuario 'importance: 0.8\n' 'El casuario corre.'
	echo '- uses vim' > "$T/a/facts/work.md"
	counts() { query 'SELECT (SELECT count(*) FROM cto.blocks), (SELECT count(*) FROM cto.memory), (SELECT count(*) FROM cto.facts)'; }
	wait_for 20 eval '[ "$(counts)" = "1|1|1" ]'
	[ "$(query 'SELECT upto FROM tape.tables')" = 0 ]
	n=$(newest message)
	take "$n" 3>&- > "$T/redacted" 2>&1 &
	redacting=$!
	wait_for 10 append_waits
	unlock_table
	wait "$redacting"
	wait_for 40 filled
	[ "$(counts)" = '1|1|1' ]
	# by hand, while a machine sends the same: its note of how far it is does not cover that
	filler=$(query "SELECT mount FROM tape.lease WHERE what = 'tables'") known=$(query 'SELECT changes FROM tape.tables')
	query "UPDATE cto.facts SET fact = 'tampered'"
	run query "SELECT tape.fill($filler, 'upto', (SELECT next FROM tape.head), $known, '1')"
	[[ $status -eq 0 && $output == *'the tables were changed since'* ]]
	wait_for 40 filled
	[ "$(query 'SELECT fact FROM cto.facts')" = 'uses vim' ]
	umount_on a
}

@test "what fails while the tables are filled leaves no text of the memory in the server's own log" {
	on a "$CINTA" init "$URL"
	[ "$(query 'SHOW log_min_error_statement')" = panic ]
	query "ALTER DATABASE $DBNAME RESET log_min_error_statement"
	mount_on a
	line a s1 first
	wait_for 30 filled
	lock_table log.messages
	line a s1 supersecretword
	wait_for 20 grep -q 'locked a table' "$T/a/errors.log"
	unlock_table
	query "ALTER TABLE cto.facts ADD CHECK (fact <> 'supersecretword')"
	echo '- supersecretword' > "$T/a/facts/work.md"
	wait_for 30 filled
	wait_for 20 grep -q 'a row of facts has no place' "$T/a/errors.log"
	# a machine's process there that is killed while it fills
	query "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3); RETURN NULL; END'"
	query 'CREATE TRIGGER slow AFTER INSERT ON cto.facts EXECUTE FUNCTION slow()'
	echo '- supersecretword and more' >> "$T/a/facts/work.md"
	fills() { query "SELECT pid FROM pg_stat_activity WHERE query LIKE 'SELECT tape.fill(%' AND state = 'active' AND wait_event = 'PgSleep'" | grep .; }
	wait_for 20 fills
	kill -KILL "$(fills)"
	wait_for 30 query 'DROP TRIGGER slow ON cto.facts'
	wait_for 60 filled
	run ! query "SELECT 'seen in the log'::integer"
	grep -q 'seen in the log' "$PG/log"
	run -1 grep supersecretword "$PG/log"
	umount_on a
}

@test "what an administrator took out of the tape without a signature is not filled in again" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 keep-me
	n=$(newest message)
	first=$(head -1 "$T/a/sessions/s1/log.jsonl" | jq -r .hash)
	line a s1 other
	echo '{"content":"keep-me, too","thread":"keep-me","hashtags":["keep-me"],"flag":"keep-me","refs":[{"type":"context","ref":"keep-me"}]}' >> "$T/a/sessions/s1/log.jsonl"
	n+=" $(newest message)"
	memory fact/keep-me 'importance: 0.5\n' keep-me
	n+=" $(newest document)"
	printf -- '---\nname: Ana\n---\nkeep-me\n' > "$T/a/components/ply/ana.md"
	n+=" $(newest document)"
	echo '- keep-me' > "$T/a/facts/work.md"
	n+=" $(newest fact.add)"
	memory fact/stays 'importance: 0.5\n' stays
	wait_for 30 filled
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (77, 'x', 'y', 'z')"
	call=0
	for seq in $n; do
		query "SELECT tape.append(77, $((++call)), 0, 0, '{-1}', '{0}', '{0}', '{1}', '{tape}', '{tape.redact}', '{x:y}',
			ARRAY['\x00112233445566778899aabbccddeeff'::bytea], ARRAY[(SELECT convert_to('{\"seq\":$seq,\"leaf\":\"'
				|| encode(leaf_hash, 'hex') || '\"}', 'UTF8') FROM tape.entry WHERE seq = $seq)])" > /dev/null
		[ "$(query "SELECT body IS NULL FROM tape.entry WHERE seq = $seq")" = t ]
	done
	line a s1 more
	wait_for 30 filled
	[ "$(query "SELECT string_agg(content, ' ' ORDER BY id) FROM log.messages")" = ' other  more' ]
	[ "$(query "SELECT hash FROM log.messages ORDER BY id LIMIT 1")" = "$first" ]
	# nor what could be guessed from a hash of it
	[ "$(query 'SELECT count(*) FROM log.message_refs')" = 0 ]
	[ "$(query "SELECT count(thread_hash), count(flag_id), max(array_length(hashtags, 1)) FROM log.messages")" = '0|0|' ]
	[ "$(query "SELECT count(*), count(content), count(hash) FROM cto.memory")" = '2|1|1' ]
	for table in memory components facts; do
		[ "$(query "SELECT count(*) FROM cto.$table t WHERE t::text LIKE '%keep-me%' OR t::text LIKE '%Ana%'")" = 0 ]
	done
	# the machines keep it: nobody signed that
	grep -q keep-me "$T/a/sessions/s1/log.jsonl"
	grep -q keep-me "$T/a/facts/work.md"
	umount_on a
}

@test "a memory stands there as in the files: heirs that are not there, itself, a circle" {
	on a "$CINTA" init "$URL"
	mkdir "$T/a"
	on a "$CINTA" mount -o rm=retire "$URL" "$T/a"
	memory fact/ghost 'superseded_by: 99999\n' 'ghost bird'
	memory fact/self 'superseded_by: self\n' 'self bird'
	memory fact/c1 'superseded_by: c2\n' 'c1 bird'
	memory fact/c2 'superseded_by: c1\n' 'c2 bird'
	memory fact/c1 'superseded_by: c2\n' 'c1 bird again'
	memory fact/tail 'superseded_by: c1\n' 'tail bird'
	memory fact/young 'importance: 0.5\nrelated_to: [c1, fact/c2, 99999, preference/none]\n' 'young bird'
	memory fact/old 'superseded_by: young\n' 'old bird'
	memory fact/left 'superseded_by: gone\n' 'left bird'
	memory fact/gone 'importance: 0.5\n' 'gone bird'
	memory fact/left 'superseded_by: gone\n' 'left bird again'
	rm "$T/a/memories/fact/gone.md"
	wait_for 40 filled
	ids() { query "SELECT id FROM cto.memory WHERE content LIKE '$1 bird%'"; }
	[ "$(query "SELECT related_to FROM cto.memory WHERE content LIKE 'young%'")" = "{$(ids c1),$(ids c2),99999}" ]
	[ "$(query "SELECT superseded_by FROM cto.memory WHERE content LIKE 'tail%'")" = "$(ids c1)" ]
	query "UPDATE cto.memory SET embedding = array_fill(0.5::real, ARRAY[1536])"
	run -0 query "SELECT string_agg(DISTINCT split_part(content, ' ', 1), ' ') FROM cto.search_memories(array_fill(0.5::real, ARRAY[1536]), NULL, 99)"
	[ "$output" = "$(grep -oE 'fact/[a-z0-9]+' "$T/a/memories/top.md" | cut -c6- | LC_ALL=C sort | paste -sd' ')" ]
	[[ " $output " == *' ghost '*' self '* && " $output " != *' tail '* && " $output " != *' old '* ]]
	umount_on a
}

@test "who falls behind does not keep the work of filling, nor a version that has gone" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 first
	wait_for 30 filled
	umount_on a
	read -r filler version end <<< "$(query "SELECT l.mount, t.version, t.upto FROM tape.lease l, tape.tables t WHERE what = 'tables'" | tr '|' ' ')"
	lease() { query "SELECT until FROM tape.lease WHERE what = 'tables'"; }
	upto() { query "SELECT upto FROM tape.tables_upto($1, $2, $3)"; }
	# it has seen no more than the tables have, and the tape is longer: it stays who fills, but not for longer
	query 'UPDATE tape.tables SET upto = upto - 1'
	local until=$(lease)
	[ "$(upto "$filler" "$version" $((end - 1)))" = $((end - 1)) ]
	[ "$(lease)" = "$until" ]
	[ "$(upto "$filler" "$version" "$end")" = $((end - 1)) ]
	[ "$(lease)" != "$until" ]
	# one that has seen less than they have
	[ "$(upto "$filler" "$version" $((end - 2)))" = -1 ]
	# another takes over: what was sent by the one before is not known to it, nor to that one when it comes back
	changes() { query 'SELECT changes FROM tape.tables'; }
	n=$(changes)
	for who in 6 6 "$filler"; do
		[ "$who" = 6 ] || query "UPDATE tape.lease SET until = now() - interval '1 second'"
		[ "$who" != 6 ] || query "UPDATE tape.lease SET until = now() - interval '1 second' WHERE mount = $filler"
		[ "$(upto "$who" "$version" "$end")" = $((end - 1)) ]
	done
	[ "$(changes)" = $((n + 2)) ]
	# any version, from whoever may write; and more entries than there are
	[ "$(upto "$filler" 9223372036854775807 "$end")" = 0 ]
	query "SELECT tape.fill($filler, 'upto', $end, changes, '999999') FROM tape.tables"
	[ "$(query 'SELECT upto = next FROM tape.tables, tape.head')" = t ]
	query "UPDATE tape.lease SET until = now() - interval '10 minutes'"
	[ "$(upto 5 "$version" "$end")" = -1 ]
	query "UPDATE tape.lease SET until = now() - interval '2 hours'"
	mount_on a
	line a s1 second
	wait_for 30 eval '[ "$(query "SELECT count(*) FROM log.messages")" = 2 ]'
	[ "$(query 'SELECT version FROM tape.tables')" = "$version" ]
	umount_on a
}

@test "who cannot fill lets another: it does not keep the work, and says so" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 first
	wait_for 30 filled
	filler=$(query "SELECT mount FROM tape.lease WHERE what = 'tables'")
	query "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
			IF EXISTS (SELECT FROM tape.lease WHERE what = 'tables' AND mount = $filler) THEN RAISE 'not you' USING ERRCODE = '58030'; END IF;
			RETURN NEW; END \$\$;
		CREATE TRIGGER no BEFORE INSERT ON cto.facts FOR EACH ROW EXECUTE FUNCTION no()"
	mount_on b
	echo '- uses vim' > "$T/b/facts/work.md"
	wait_for 90 filled
	[ "$(query "SELECT mount <> $filler FROM tape.lease WHERE what = 'tables'")" = t ]
	[ "$(query 'SELECT fact FROM cto.facts')" = 'uses vim' ]
	[ "$(grep -c 'the tables on the server cannot be filled' "$T/a/errors.log")" = 1 ]
	umount_on a && umount_on b
}

@test "over a slow line the tables are filled in smaller parts, and who writes waits no longer than one takes" {
	on b "$CINTA" init "$URL"
	for i in {1..12}; do
		python3 -c 'import json, sys
for i in range(25): print(json.dumps({"role": "user", "content": "%s %d " % (sys.argv[1], i) + "x" * 8000}))' "$i"
	done | on b "$CINTA" append -p -d "$URL" sessions/s1/log.jsonl
	through_proxy
	mount_on a "$FAR"
	mode 'slow 250000'
	line a s1 begin
	wait_for 120 filled &
	local waiting=$! longest=0 start n=0
	while kill -0 "$waiting" 2> /dev/null; do
		start=$(date +%s%N)
		line a s1 "more $((n++))"
		took=$((($(date +%s%N) - start) / 1000000))
		longest=$((took > longest ? took : longest))
		[ "$n" -lt 20 ] || break
		sleep 0.5
	done
	wait "$waiting"
	echo "longest wait: $longest ms, $n lines"
	[ "$longest" -lt 9000 ]
	[ "$(query 'SELECT count(*) FROM log.messages')" -gt 300 ]
	not grep -q 'fill' "$T/a/errors.log"
	mode pass
	umount_on a
	kill "$proxy"
}

@test "a table of somebody's own that refers to a row keeps that row, and nothing else from its place" {
	on a "$CINTA" init "$URL"
	mount_on a
	memory fact/kept 'importance: 0.5\n' 'kept bird'
	memory fact/other 'importance: 0.5\n' 'other bird'
	wait_for 30 filled
	query 'CREATE TABLE mine (memory bigint REFERENCES cto.memory(id))'
	query "INSERT INTO mine SELECT id FROM cto.memory WHERE content LIKE 'kept%'"
	memory fact/kept 'importance: 0.5\n' 'kept bird, changed'
	memory fact/other 'importance: 0.5\n' 'other bird, changed'
	line a s1 more
	wait_for 40 filled
	[ "$(query "SELECT count(*) FROM log.messages WHERE content = 'more'")" = 1 ]
	[ "$(query "SELECT string_agg(btrim(content, E'\\n'), '; ' ORDER BY content) FROM cto.memory")" = 'kept bird; other bird, changed' ]
	grep -q 'a row of cto_memory has no place' "$T/a/errors.log"
	# what a trigger refuses is left out alone
	query "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS \$\$ BEGIN
			IF NEW.fact LIKE '%vim%' THEN RAISE 'no vim here'; END IF; RETURN NEW; END \$\$;
		CREATE TRIGGER no BEFORE INSERT ON cto.facts FOR EACH ROW EXECUTE FUNCTION no()"
	printf -- '- uses vim\n- uses emacs\n' > "$T/a/facts/work.md"
	line a s1 third
	wait_for 40 filled
	[ "$(query 'SELECT fact FROM cto.facts')" = 'uses emacs' ]
	[ "$(query "SELECT count(*) FROM log.messages WHERE content = 'third'")" = 1 ]
	# a redaction of it is refused in words, with nothing taken
	run ! take "$(newest message)"
	[[ $output == *'nothing is taken out'* ]]
	[ "$(query "SELECT count(*) FROM tape.entry WHERE body IS NULL")" = 0 ]
	query 'DROP TABLE mine; DROP TABLE cto.facts'
	# nor does a table that is not there keep anything from going, or coming, or a role
	take "$(newest message)"
	[ "$(query "SELECT count(*) FROM tape.entry WHERE body IS NULL")" = 1 ]
	line a s1 fourth
	wait_for 40 filled
	[ "$(query "SELECT count(*) FROM log.messages WHERE content = 'fourth'")" = 1 ]
	query 'DROP SCHEMA cto CASCADE; DROP SCHEMA log CASCADE'
	line a s1 fifth
	take "$(newest message)"
	[ "$(query "SELECT count(*) FROM tape.entry WHERE body IS NULL")" = 2 ]
	wait_for 40 filled
	query "CREATE ROLE other_$DBNAME; SELECT tape.admit('other_$DBNAME'); SELECT tape.dismiss('other_$DBNAME')"
	umount_on a
}

@test "who stays in the middle of a question keeps no machine from connecting, nor a writer waiting" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 begin
	wait_for 30 filled
	query "INSERT INTO tape.mount (id, host, place, version, seen) VALUES (5, 'x', 'y', 'z', now() - interval '40 days')"
	rm -f "$T/enough"
	(echo "BEGIN; SELECT tape.hello(6, 'h', 'p', 'v'); UPDATE tape.lease SET until = until WHERE what = 'tables';"
		while [ -d "$T" ] && [ ! -e "$T/enough" ]; do sleep 0.1; done; echo 'COMMIT;') |
		"$PGBIN/psql" -h "$PG" -p "$PGPORT" -U cinta -d "$DBNAME" -X -q > /dev/null 3>&- &
	locker=$!
	is_idle() { [ "$(query "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'")" = 1 ]; }
	wait_for 10 is_idle
	mount_on b
	local longest=0 start took
	for i in {1..25}; do
		start=$(date +%s%N)
		line a s1 "more $i"
		took=$((($(date +%s%N) - start) / 1000000))
		longest=$((took > longest ? took : longest))
		sleep 0.5
	done
	echo "longest wait: $longest ms"
	[ "$longest" -lt 3000 ]
	unlock_table
	wait_for 60 filled
	umount_on a && umount_on b
}

@test "where the database has a schema log or cto of its own, that stays as it is" {
	query 'CREATE SCHEMA log; CREATE TABLE log.messages (mine text)'
	on a "$CINTA" init "$URL"
	mount_on a
	line a s1 x
	sleep 2
	[ "$(query 'SELECT count(*) FROM log.messages')" = 0 ]
	[ "$(query 'SELECT count(*) FROM tape.tables')" = 0 ]
	umount_on a
	whole a
}
