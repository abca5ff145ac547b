# SPDX-License-Identifier: MIT
# tape.append() as the server's owner may call it by hand: what a call gives, what it refuses, and what it never stores.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() { cinta_teardown; }

salt="'\\x00112233445566778899aabbccddeeff'::bytea"
# call NUMBER HAVE EXPECTS SINCES SAIDS REQUESTS STREAMS KINDS AUTHORS BODY…: its rows
call() {
	local bodies salts b
	for b in "${@:10}"; do bodies+=", $b" salts+=", $salt"; done
	query "SELECT seq, stream, stream_seq, encode(prev, 'hex'), encode(leaf_hash, 'hex'), author, convert_from(body, 'UTF8'), first, stored, refused
		FROM tape.append(77, $1, $2, 0, '$3', '$4', '$5', '$6', '$7', '$8', '$9', ARRAY[${salts:2}]::bytea[], ARRAY[${bodies:2}]::bytea[])"
}
begin() {
	on a "$CINTA" init "$URL"
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (77, 'x', 'y', 'z')"
	next=$(query 'SELECT next FROM tape.head')
}
# stands NEXT CALL: so many entries, the last call that counted
stands() { [ "$(query 'SELECT h.next, m.call, (SELECT count(*) FROM tape.entry) FROM tape.head h, tape.mount m WHERE m.id = 77')" = "$1|$2|$1" ]; }

@test "each entry follows the last of its stream, in one call and over several" {
	begin
	run -0 call 1 "$next" '{-1}' '{0}' '{0}' '{1,1,1,1}' '{s1,s2,s1,s1}' '{note,note,note,note}' '{x:y,x:y,x:y,x:y}' "'a'" "'b'" "'c'" "'d'"
	[ "${#lines[@]}" = 5 ]
	run -0 call 2 "$((next + 4))" '{-1}' '{0}' '{0}' '{1,1}' '{s2,s1}' '{note,note}' '{x:y,x:y}' "'e'" "'f'"
	stands "$((next + 6))" 2
	query "SELECT seq - $next, stream, stream_seq, prev = coalesce((SELECT e.leaf_hash FROM tape.entry e WHERE e.stream = o.stream
		AND e.stream_seq = o.stream_seq - 1), decode(repeat('00', 32), 'hex')) FROM tape.entry o WHERE stream IN ('s1', 's2') ORDER BY seq" > "$T/chain"
	diff "$T/chain" <(printf '%s\n' '0|s1|0|t' '1|s2|0|t' '2|s1|1|t' '3|s1|2|t' '4|s2|1|t' '5|s1|3|t')
	# and a machine takes them
	on b "$CINTA" sync "$URL"
	[ "$(sqlite3 "$(replica b)" 'SELECT count(*) FROM tape')" = "$((next + 6))" ]
}

@test "a request sees what those before it in the same call have stored" {
	begin
	# a name has come
	run -0 call 1 "$next" '{-1,-1}' "{0,$next}" '{0,0}' '{1,2}' '{documents,x1}' '{document.make,note}' '{x:y,x:y}' "'{}'" "'{}'"
	[[ ${lines[-1]} == *"|$next|1|{2}" ]]
	# an agent's message
	run -0 call 2 "$((next + 1))" '{-1,-1}' '{0,0}' "{0,$((next + 1))}" '{1,2}' '{s1,s1}' '{message,message}' '{x:y,x:y}' "'{\"from\":1}'" "'{}'"
	[[ ${lines[-1]} == *"|$((next + 1))|1|{2}" ]]
	# so many entries are expected of the stream; a refused request's later entries go with it
	run -0 call 3 "$((next + 2))" '{0,0,1}' '{0,0,0}' '{0,0,0}' '{1,2,2,3}' '{s5,s5,s6,s5}' '{note,note,note,note}' '{x:y,x:y,x:y,x:y}' "'a'" "'b'" "'c'" "'d'"
	[[ ${lines[-1]} == *"|$((next + 2))|2|{2}" ]]
	stands "$((next + 4))" 3
	[ "$(query "SELECT string_agg(convert_from(body, 'UTF8'), ',' ORDER BY seq) FROM tape.entry WHERE stream IN ('s5', 's6')")" = a,d ]
}

@test "a call counts once: sent again it gives the same, and none is left out" {
	begin
	call 1 "$next" '{-1,0}' '{0,0}' '{0,0}' '{1,2}' '{s1,s1}' '{note,note}' '{x:y,x:y}' "'a'" "'b'" > "$T/first"
	call 1 "$next" '{-1,0}' '{0,0}' '{0,0}' '{1,2}' '{s1,s1}' '{note,note}' '{x:y,x:y}' "'a'" "'b'" > "$T/again"
	diff "$T/first" "$T/again"
	[ "$(tail -1 "$T/again" | cut -d '|' -f 8-)" = "$next|1|{2}" ]
	stands "$((next + 1))" 1
	run ! call 3 "$next" '{-1}' '{0}' '{0}' '{1}' '{s1}' '{note}' '{x:y}' "'c'"
	[[ $output == *'out of order'* ]]
	stands "$((next + 1))" 1
	# nothing asked for is a call, too
	run -0 query "SELECT first, stored, refused FROM tape.append(77, 2, 0, 0, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') WHERE first IS NOT NULL"
	[ "$output" = "$((next + 1))|0|{}" ]
	stands "$((next + 1))" 2
}

@test "others' entries come before ours, with their bodies, unless they are many" {
	begin
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (78, 'x', 'y', 'z')"
	query "SELECT tape.append(78, 1, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s2}', '{note}', '{x:z}', ARRAY[$salt], ARRAY['theirs']::bytea[])" > /dev/null
	run -0 call 1 "$next" '{-1}' '{0}' '{0}' '{1}' '{s1}' '{note}' '{x:y}' "'ours'"
	[ "${#lines[@]}" = 3 ]
	[[ ${lines[0]} == "$next|s2|0|"*'|x:z|theirs|||' && ${lines[1]} == "$((next + 1))|s1|0|"*'|x:y||||' && ${lines[2]} == "|||||||$((next + 1))|1|{}" ]]
	query "SELECT tape.append(78, i, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s2}', '{note}', '{x:z}', ARRAY[$salt], ARRAY['theirs']::bytea[])
		FROM generate_series(2, 202) i" > /dev/null
	run -0 call 2 "$((next + 2))" '{-1}' '{0}' '{0}' '{1}' '{s1}' '{note}' '{x:y}' "'ours'"
	[[ ${#lines[@]} = 2 && ${lines[0]} == "$((next + 203))|s1|1|"* ]]
}

@test "calls come in turn: who waits goes on from what the one before has stored, and is woken once" {
	begin
	query "INSERT INTO tape.mount (id, host, place, version) SELECT i, 'x', 'y', 'z' FROM generate_series(1, 5) i"
	# append MOUNT [COMMAND]: a call of it, in a transaction that ends behind the command
	append() { query "BEGIN; SELECT seq - $next, stream, first - $next FROM tape.append($1, 1, $next, 0, '{-1}', '{0}', '{0}', '{1}', '{s1}', '{note}', '{x:y}',
		ARRAY[$salt], ARRAY['$1']::bytea[]); ${2:-} COMMIT"; }
	waiting() { [ "$(query "SELECT count(*) FROM pg_locks WHERE relation = 'tape.turn'::regclass AND NOT granted")" = "$1" ]; }
	append 1 'SELECT pg_sleep(4);' > "$T/call.1" 3>&- &
	sleep 0.5
	for i in 2 3 4 5; do
		append $i > "$T/call.$i" 3>&- &
		wait_for 3 waiting $((i - 1))
	done
	# nobody waits for a row or for a transaction
	[ "$(query "SELECT count(*) FROM pg_locks WHERE NOT granted")" = 4 ]
	wait
	for i in 1 2 3 4 5; do
		for ((j = 0; j < i; j++)); do echo "$j|s1|"; done > "$T/wanted"
		echo "||$((i - 1))" >> "$T/wanted"
		diff "$T/wanted" <(grep '|' "$T/call.$i")
	done
	[ "$(query "SELECT string_agg(convert_from(body, 'UTF8'), '' ORDER BY seq) FROM tape.entry WHERE stream = 's1'")" = 12345 ]
	[ "$(query "SELECT count(*) FROM tape.entry a JOIN tape.entry b ON b.stream = 's1' AND b.prev = a.leaf_hash")" = 4 ]
}

@test "who holds the row of one mount keeps the others from nothing" {
	begin
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (78, 'x', 'y', 'z')"
	query 'BEGIN; SELECT tape.show(77, 1); SELECT pg_sleep(4); COMMIT' > /dev/null 3>&- &
	sleep 0.5
	query "SELECT FROM tape.append(77, 1, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s1}', '{note}', '{x:y}', ARRAY[$salt], ARRAY['1']::bytea[])" > /dev/null 3>&- &
	sleep 0.5
	before=$(date +%s%3N)
	query "SELECT FROM tape.append(78, 1, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s1}', '{note}', '{x:y}', ARRAY[$salt], ARRAY['2']::bytea[])" > /dev/null
	[ $(($(date +%s%3N) - before)) -lt 2000 ]
	wait
	[ "$(query "SELECT string_agg(convert_from(body, 'UTF8'), '' ORDER BY seq) FROM tape.entry WHERE stream = 's1'")" = 21 ]
}

@test "what is no entry ends the call, and nothing of it is stored" {
	begin
	long=$(printf 'x%.0s' {1..129})
	while IFS=' ' read -r stream kind author body; do
		run ! call 1 "$next" '{-1}' '{0}' '{0}' '{1,1}' "{s1,${stream//_/ }}" "{note,$kind}" "{x:y,$author}" "'good'" "$body"
		[[ $output == *'entry 2 of call 1 is none'* || $output == *'invalid byte sequence'* ]]
		stands "$next" 0
	done <<- END
		s_1 note x:y 'a'
		sé note x:y 'a'
		"" note x:y 'a'
		NULL note x:y 'a'
		$long note x:y 'a'
		s1 ${long:0:65} x:y 'a'
		s1 "" x:y 'a'
		s1 NULL x:y 'a'
		s1 note $long 'a'
		s1 note NULL 'a'
		s1 note x:é 'a'
		s1 note x:y '\xff'
		s1 note x:y '\x6100'
		s1 note x:y NULL
	END
	salt="'\\x0011'::bytea"
	run ! call 1 "$next" '{-1}' '{0}' '{0}' '{1}' '{s1}' '{note}' '{x:y}' "'a'"
	salt=NULL
	run ! call 1 "$next" '{-1}' '{0}' '{0}' '{1}' '{s1}' '{note}' '{x:y}' "'a'"
	stands "$next" 0
	salt="'\\x00112233445566778899aabbccddeeff'::bytea"
	call 1 "$next" '{-1}' '{0}' '{0}' '{1}' "{${long:0:128}}" "{${long:0:64}}" "{${long:0:128}}" "''"
	stands "$((next + 1))" 1
}

@test "who was not admitted by its own name, or to read, writes nothing, and nobody a body that fits nowhere" {
	begin
	query "CREATE ROLE team_$DBNAME; CREATE ROLE alice_$DBNAME LOGIN IN ROLE team_$DBNAME; CREATE ROLE rita_$DBNAME LOGIN IN ROLE team_$DBNAME;
		CREATE ROLE boss_$DBNAME LOGIN IN ROLE cinta"
	query "SELECT tape.admit('team_$DBNAME', 'write', 'team'), tape.admit('rita_$DBNAME', 'read')" > /dev/null
	as() { "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "$1_$DBNAME" -d "$DBNAME" -X -q -A -t -v ON_ERROR_STOP=1 -c "SELECT author FROM tape.append(77, 1, 0, 0, '{-1}',
		'{0}', '{0}', '{1}', '{s1}', '{note}', '{boss:me}', ARRAY[$salt], ARRAY['x']::bytea[]) WHERE stream = 's1'"; }
	for who in alice rita; do
		run ! as $who
		[[ $output == *"role ${who}_$DBNAME may not write"* ]]
		stands "$next" 0
	done
	query "SELECT tape.admit('alice_$DBNAME', 'write', 'alice')" > /dev/null
	# nor does who may write keep others from it
	run ! "$PGBIN/psql" -h "$PG" -p "$PGPORT" -U "alice_$DBNAME" -d "$DBNAME" -X -c 'BEGIN; LOCK TABLE tape.turn IN ACCESS SHARE MODE'
	[[ $output == *'permission denied for table turn'* ]]
	run -0 as alice
	[ "$output" = alice:boss:me ]
	query "UPDATE tape.mount SET call = 0 WHERE id = 77"
	run -0 as boss
	[ "${lines[-1]}" = boss:me ]
	run ! call 2 "$next" '{-1}' '{0}' '{0}' '{1}' '{s1}' '{note}' '{x:y}' "convert_to(repeat('a', 16777217), 'UTF8')"
	[[ $output == *'entry 1 of call 2 is none'* ]]
}

@test "what has come since is looked for in what has come since, however long the tape is" {
	begin
	query "INSERT INTO tape.entry SELECT $next + i, 's9', i, '\\x00', 0, 'message', 'x:y', 1, '\\x00', '\\x00', $salt, 'x' FROM generate_series(0, 50000) i;
		UPDATE tape.head SET next = $next + 50001; ANALYZE tape.entry"
	# as append() has it planned
	query "LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on; SET client_min_messages = log;
		SET plan_cache_mode = force_generic_plan; SELECT tape.may_come('s9', 50001, $next + 50000, $next + 50000, $next + 50001)" > "$T/plans" 2>&1
	[ "$(grep -c 'Index.* Scan' "$T/plans")" -ge 3 ]
	! grep 'Seq Scan' "$T/plans"
}

@test "a database whose transactions are serializable takes writes of two machines" {
	on a "$CINTA" init "$URL"
	query "ALTER DATABASE $DBNAME SET default_transaction_isolation = serializable"
	mount_on a
	mount_on b
	line a uno begin
	synced a b
	for m in a b; do
		(for ((i = 0; i < 40; i++)); do echo "{\"role\":\"user\",\"content\":\"$m $i\"}" >> "$T/$m/sessions/uno/log.jsonl" || echo refused; done) > "$T/said.$m" 3>&- &
	done
	wait
	[ "$(cat "$T"/said.*)" = '' ]
	synced a b || wait_for 5 synced a b
	[ "$(grep -c . "$T/b/sessions/uno/log.jsonl")" = 81 ]
	umount_on a && umount_on b
}

@test "a message that is no JSON, or does not fit, leaves the tables without it, not empty, and is named" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno before
	query "INSERT INTO tape.mount (id, host, place, version) VALUES (77, 'x', 'y', 'z')"
	query "ALTER TABLE log.messages ADD CHECK (content <> 'odd')"
	for body in 'not json' '{"role":"user","content":"odd"}' '{"role":"user","content":"x","attachments":"none"}'; do
		query "SELECT tape.append(77, m.call + 1, 0, 0, '{-1}', '{0}', '{0}', '{1}', '{s1}', '{message}', '{x:y}', ARRAY[$salt],
			ARRAY[convert_to('$body', 'UTF8')]) FROM tape.mount m WHERE m.id = 77" > /dev/null
	done
	line a uno after
	filled() { [ "$(query "SELECT string_agg(content, ',' ORDER BY id) FROM log.messages")" = before,x,after ]; }
	wait_for 30 filled
	[ "$(query "SELECT attachments IS NULL FROM log.messages WHERE content = 'x'")" = t ]
	for ((i = 0; i < 2; i++)); do grep -q "entry $(query "SELECT min(seq) + $i FROM tape.entry WHERE author = 'x:y'") has no place in the tables" "$T/a/errors.log"; done
	umount_on a
}
