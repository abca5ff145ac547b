# SPDX-License-Identifier: MIT
# The tables of the deployed schemas by the sqlite3 shell: their columns, each
# index answered, the tape's triggers; views made again byte for byte.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; cinta_mount; }
teardown() { cinta_teardown; }

columns() { sql "SELECT group_concat(name, ' ') FROM pragma_table_info('$1')"; }
hash_of() { printf %s "$1" | sha256sum | cut -c1-64; }

fill() {
	python3 - "$M" <<-'PY'
		import json, os, sys
		for s in range(4):
		    os.mkdir(f"{sys.argv[1]}/sessions/s{s}")
		    with open(f"{sys.argv[1]}/sessions/s{s}/log.jsonl", "a") as f:
		        for n in range(300):
		            m = {"role": ("user", "assistant")[n % 2], "content": f"message {s} {n}",
		                 "owner": f"ply{n % 7}", "players": [f"p{n % 11}", f"p{n % 13 + 20}"]}
		            if n % 3 == 0: m["thread"] = f"t{n % 5}"
		            if n % 4 == 0: m["master_player"] = f"mp{n % 3}"
		            if n % 5 == 0: m |= {"flag": f"f{n % 4}", "location": f"l{n % 6}"}
		            if n % 6 == 0: m |= {"master_item": f"i{n % 9}", "items": [f"i{n % 8}", f"i{n % 8 + 10}"]}
		            if n % 7 == 0: m |= {"hashtags": [f"h{n % 12}", f"h{n % 5 + 20}"], "attachments": {"a": n}}
		            if n % 8 == 0: m |= {"ambient": {"place": "here"}, "refs": [
		                {"type": "context", "ref": f"r{n}"}, {"type": "accountant", "ref": f"q{n % 3}"}]}
		            f.write(json.dumps(m) + "\n")
	PY
	cat "$M/threads/t0/log.jsonl" > "$T/t0.jsonl"
}

@test "log_messages and log_message_refs have the schemas' columns, in their order" {
	[ "$(columns log_messages)" = 'id hash session_hash thread_hash owner_id players_id master_player role content attachments prev_hash hashtags flag_id master_item_id item_id loc_id ambient created_at said_at said_by' ]
	[[ "$(columns log_message_refs)" == 'id message_hash ref_hash ref_type position thread_hash'* ]]
	[ "$(columns log_message_index)" = 'field ref_hash label message_id' ]
}

@test "what is written is in them" {
	mkdir "$M/sessions/s"
	cat >> "$M/sessions/s/log.jsonl" <<-'EOF'
		{"role":"user","content":"uno","thread":"t","owner":"ana","players":["agent-7","eva"],"master_player":"ana","attachments":{"f":"a.png"},"hashtags":["casa"],"flag":"ES","master_item":"taladro","items":["broca","caja"],"location":"taller","ambient":{"t":21},"refs":[{"type":"context","ref":"m1"},{"type":"secretary","ref":"m2"}]}
		{"role":"assistant","content":"dos"}
	EOF
	[ "$(grep -c . "$M/sessions/s/refs.jsonl")" -eq 2 ]
	[ "$(sql "SELECT count(*) FROM log_messages")" -eq 2 ]
	sql -json "SELECT * FROM log_messages ORDER BY id" > "$T/rows.json"
	python3 - "$T/rows.json" "$M/sessions/s/log.jsonl" <<-'PY'
		import json, re, sys
		rows, lines = json.load(open(sys.argv[1])), [json.loads(l) for l in open(sys.argv[2])]
		one, two = rows
		assert one["hash"] == lines[0]["hash"] and two["prev_hash"] == one["hash"] and one["prev_hash"] is None
		assert one["session_hash"] == two["session_hash"] and len(one["session_hash"]) == 64
		assert one["content"] == "uno" and one["role"] == "user"
		assert json.loads(one["attachments"]) == {"f": "a.png"} and two["attachments"] == "{}"
		assert json.loads(one["ambient"]) == {"t": 21} and two["ambient"] is None
		assert len(json.loads(one["players_id"])) == 2 and json.loads(two["players_id"]) == []
		assert len(json.loads(one["item_id"])) == 2 and len(json.loads(one["hashtags"])) == 1
		for k in "thread_hash owner_id master_player flag_id master_item_id loc_id".split():
		    assert re.fullmatch("[0-9a-f]{64}", one[k]), k
		    assert two[k] is None or k == "owner_id", k
		assert one["owner_id"] == one["master_player"]
		assert one["created_at"] == lines[0]["timestamp"]
	PY
	[ "$(sql "SELECT group_concat(ref_type || position, ' ') FROM log_message_refs ORDER BY id")" = "$(
		python3 -c 'import json, sys; print(" ".join(r["ref_type"] + str(r["position"]) for r in map(json.loads, open(sys.argv[1]))))' "$M/sessions/s/refs.jsonl")" ]
	[ "$(sql "SELECT message_hash FROM log_message_refs LIMIT 1")" = "$(sql "SELECT hash FROM log_messages LIMIT 1")" ]
}

# answered NAME QUERY: some rows, as many as without any index, and no scan of messages or tape
answered() {
	local count plan
	count=$(sql "SELECT count(*) FROM ($2)")
	plan=$(sql "EXPLAIN QUERY PLAN $2")
	echo "$1: $count rows"
	echo "$plan"
	[ "$count" -gt 0 ] && [ "$count" -lt 1100 ] &&
		! awk '/(MATERIALIZE|CO-ROUTINE) g/ { g = 1 } # of one message, by its key
			/SCAN/ && !(g && / g$/)' <<< "$plan" | grep .
}

@test "each index of the schema is answered without a scan" {
	fill
	value() { sql "SELECT $1 FROM log_messages WHERE $1 IS NOT NULL ORDER BY id DESC LIMIT 1"; }
	for column in session_hash thread_hash owner_id master_player flag_id master_item_id loc_id; do
		answered $column "SELECT * FROM log_messages WHERE $column = '$(value $column)'"
		[ "$(sql "SELECT count(*) FROM log_messages WHERE $column = '$(value $column)'")" -eq \
			"$(sql "SELECT count(*) FROM log_messages WHERE +$column = '$(value $column)' || ''")" ]
	done
	for field in players_id hashtags item_id; do
		hash=$(sql "SELECT ref_hash FROM log_message_index WHERE field = '$field' LIMIT 1")
		answered $field "SELECT m.* FROM log_messages m WHERE id IN
			(SELECT message_id FROM log_message_index WHERE field = '$field' AND ref_hash = '$hash')"
		[ "$(sql "SELECT count(DISTINCT message_id) FROM log_message_index WHERE field = '$field' AND ref_hash = '$hash'")" -eq \
			"$(sql "SELECT count(*) FROM log_messages, json_each($field) WHERE value = '$hash'")" ]
	done
	answered id 'SELECT * FROM log_messages WHERE id = 77'
	ref=$(sql 'SELECT ref_hash FROM log_message_refs LIMIT 1')
	answered ref "SELECT * FROM log_message_refs WHERE ref_hash = '$ref'"
	answered time "SELECT * FROM log_messages WHERE created_at >= (SELECT created_at FROM log_messages WHERE id = 900)"
	answered hash "SELECT * FROM log_messages WHERE hash = (SELECT hash FROM log_messages WHERE id = 900)"
	answered prev "SELECT * FROM log_messages WHERE prev_hash = (SELECT prev_hash FROM log_messages WHERE id = 900)"
}

@test "the tape refuses UPDATE, DELETE, REPLACE and rows out of place" {
	say x one two
	cinta_umount
	before=$(sql .dump | sha256sum)
	no() {
		run -19 sqlite3 "$DB" "$1"
		echo "$1: $output"
		[[ $output == *"$2"* ]]
	}
	no "UPDATE tape SET author = 'eve' WHERE seq = 2" 'never changes'
	no "UPDATE tape SET body = 'x'" 'never changes'
	no "UPDATE OR REPLACE tape SET seq = 2 WHERE seq = 3" 'never changes'
	no "DELETE FROM tape" 'only grows'
	no "DELETE FROM tape WHERE seq = 3" 'only grows'
	no "INSERT OR REPLACE INTO tape SELECT * FROM tape WHERE seq = 2" 'at the end'
	no "REPLACE INTO tape SELECT seq, stream, stream_seq, prev, time_us, kind, 'eve', body_len, body_hash, leaf_hash, salt, body FROM tape WHERE seq = 3" 'at the end'
	no "INSERT INTO tape SELECT seq + 7, stream, stream_seq + 1, leaf_hash, time_us, kind, author, body_len, body_hash, leaf_hash, salt, body FROM tape WHERE seq = 3" 'at the end'
	no "INSERT INTO tape SELECT seq + 1, stream, stream_seq + 1, prev, time_us, kind, author, body_len, body_hash, leaf_hash, salt, body FROM tape WHERE seq = 3" 'at the end'
	no "DELETE FROM tape_checkpoint" 'only grows'
	no "UPDATE tape_checkpoint SET note = 'x'" 'never changes'
	[ "$(sql .dump | sha256sum)" = "$before" ]
	verified
}

# views: all derived tables, every row
views() {
	for t in $(sql "SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'v\\_%' ESCAPE '\\' ORDER BY name"); do
		echo "== $t"
		sql "SELECT * FROM $t"
	done
	for v in log_messages log_message_refs log_message_index; do sql "SELECT * FROM $v"; done
}

@test "rebuild makes the same views, however the tape was batched" {
	fill
	for i in $(seq 40); do # catches up in small steps of its own choice
		say s1 "$i" "$i again"
		[ $((RANDOM % 3)) = 0 ] || cat "$M/sessions/s1/transcript.md" > "$T/transcript"
		[ $((RANDOM % 4)) = 0 ] && sleep 0.12
	done
	cat "$M/.cinta/tape.jsonl" > "$T/tape.jsonl"
	before=$(census "$M")
	cinta_umount
	views > "$T/before"
	[ "$(grep -c . "$T/before")" -gt 3000 ]
	"$CINTA" rebuild "$DB"
	views > "$T/after"
	cmp "$T/before" "$T/after"
	verified
	"$CINTA" rebuild "$DB"
	verified
	cinta_mount
	cmp "$M/.cinta/tape.jsonl" "$T/tape.jsonl"
	diff <(echo "$before") <(census "$M")
}

@test "cto_memory shows how often a memory was used, and when last" {
	printf 'Cherries ripen in June.\n' > "$M/memories/fact/cherry.md"
	printf 'Plums.\n' > "$M/memories/fact/plum.md"
	cat "$M/search/cherries.md" "$M/search/cherry june.md" > /dev/null
	used() { [ "$(sql "SELECT group_concat(access_count_v2) FROM (SELECT * FROM cto_memory ORDER BY id)")" = "$1" ]; }
	wait_for 15 used 2,0 # of each batch, while it is mounted
	[ "$(sql "SELECT last_access > created_at AND last_access LIKE '20__-__-__T__:__:__.______Z' FROM cto_memory WHERE access_count_v2 = 2")" = 1 ]
	[ -z "$(sql "SELECT last_access FROM cto_memory WHERE access_count_v2 = 0")" ]
	cat "$M/search/plums.md" > /dev/null
	cinta_umount
	used 2,1
	"$CINTA" search "$DB" plums > "$T/hits"
	used 2,2
	"$CINTA" rebuild "$DB"
	used 2,2
	"$CINTA" verify --all "$DB"
}
