# SPDX-License-Identifier: MIT
# records/accountant.jsonl and secretary.jsonl: appended like a session's log, of
# any object, never changed, and what references point at; codes of components.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	A=$M/records/accountant.jsonl S=$M/records/secretary.jsonl
}
teardown() {
	# shellcheck disable=SC2086
	kill ${tail:-} 2> /dev/null || true
	cinta_teardown
}

# field NAME: of the JSON line on stdin
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
hash_of() { printf %s "$1" | sha256sum | cut -c1-64; }

@test "two logs are there, empty, from the beginning" {
	[ "$(ls -A "$M/records")" = $'accountant.jsonl\nsecretary.jsonl' ]
	[ "$(stat -c '%s %a' "$A" "$S")" = $'0 600\n0 600' ]
	[ -z "$(cat "$A")" ]
	[ ! -e "$M/records/else.jsonl" ]
	lsattr "$A" | grep -q '^[^ ]*a[^ ]* '
}

@test "a line comes back with id, time, author and hashes around its own bytes" {
	echo ' {"cuenta":"caja chica", "monto":-1200.50,"role":["any"],"content":{}} ' >> "$A"
	grep -F '"cuenta":"caja chica", "monto":-1200.50,"role":["any"],"content":{},' "$A"
	grep -E '^\{"id":1,"timestamp":"[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z","author":"[^"]+:bash",' "$A"
	grep -E ',"prev_hash":null,"hash":"[0-9a-f]{64}"\}$' "$A"
	printf '{"n":2}\n{"n":3,"id":"A-77","hash":"x"}\n{}' >> "$A"
	[ "$(wc -l < "$A")" -eq 4 ]
	[ "$(sed -n 3p "$A" | field source)" = "{'id': 'A-77', 'hash': 'x'}" ]
	[ "$(sed -n 4p "$A" | field prev_hash)" = "$(sed -n 3p "$A" | field hash)" ]
	[ ! -s "$S" ]
	echo '{"acta":1}' >> "$S"
	[ "$(field id < "$S")" -eq 1 ]
	[ "$(stat -c %s "$A")" -eq "$(wc -c < "$A")" ]
	# By themselves they are no session, thread or message.
	[ "$(readlink "$M/sessions/current")" = .new ]
	[ "$(sql "SELECT count(*) FROM log_messages")" -eq 0 ]
	[ "$(sql "SELECT group_concat(DISTINCT stream || ' ' || kind) FROM tape WHERE stream LIKE 'r_'")" = 'r1 record,r2 record' ]
	grep -c '"stream":"r1"' "$M/.cinta/tape.jsonl" | grep -qx 4
	cinta_umount
	verified
}

@test "what is no object is refused with its reason, all lines of a write or none" {
	echo '{"n":1}' >> "$A"
	before=$(census "$M")
	for bad in 'nonsense' '[1]' '{"a":1,"a":2}' $'{"a":"\xff"}' '{"a":1} x' ' ' "{\"a\":$(printf '[%.0s' {1..64})$(printf ']%.0s' {1..64})}"; do
		run -1 bash -c 'printf "{\"n\":2}\n%s\n{\"n\":3}\n" "$2" > "$1.tmp"; cat "$1.tmp" >> "$0"' "$A" "$T/x" "$bad"
		[[ $output == *'Invalid argument'* ]]
		tail -1 "$M/errors.log" | grep -q ' EINVAL write records/accountant.jsonl [^ ]*:cat: line 2: .*; '
		kept=$(tail -1 "$M/errors.log" | sed -n 's/.*kept as \(rejected\/.*\)/\1/p')
		[[ $kept == *-accountant.jsonl ]]
		cmp "$M/$kept" "$T/x.tmp"
	done
	run -1 bash -c 'head -c 1100000 /dev/zero | tr "\0" x >> "$0"' "$S"
	[[ $output == *'File too large'* ]]
	[ "$(census "$M")" = "$before" ]
	python3 -c 'print("{\"a\":\"" + "x" * ((1 << 20) - 8) + "\"}")' >> "$S"
	[ "$(stat -c %s "$S")" -gt 1048576 ]
}

@test "nothing takes a record away" {
	echo '{"n":1}' >> "$A"
	before=$(census "$M")
	for c in 'rm records/accountant.jsonl' 'rm -rf records' 'rmdir records' 'mv records r' 'mv records/accountant.jsonl records/x.jsonl' \
		'mv records/accountant.jsonl .x.swp' 'mv records/secretary.jsonl records/accountant.jsonl' 'truncate -s 0 records/accountant.jsonl' \
		'truncate -s 9999 records/accountant.jsonl' 'dd if=README.md of=records/accountant.jsonl bs=1 count=9 seek=3 conv=notrunc' \
		'cp README.md records/accountant.jsonl' 'ln -f README.md records/accountant.jsonl' 'ln -sf README.md records/accountant.jsonl' \
		'touch records/new' 'mkdir records/new' 'sed -i s/1/2/ records/accountant.jsonl' 'shred -u records/accountant.jsonl'; do
		run bash -c 'cd "$0" && '"$c" "$M"
		echo "$c: $status: $output"
		[ "$status" -ne 0 ]
		[ "$(census "$M")" = "$before" ]
	done
	tail -n 20 "$M/errors.log" | grep -q 'EPERM unlink records/accountant.jsonl '
}

@test "four writers, a reader, tail -f and a read-only mount: every line once and at once" {
	mkdir "$T/ro"
	"$CINTA" mount -o ro "$DB" "$T/ro"
	tail -n +1 -f "$A" > "$T/tail" 3>&- &
	tail=$!
	python3 - "$A" "$T/ro/records/accountant.jsonl" <<-'PY'
		import json, multiprocessing as mp, os, sys
		ready = mp.Barrier(5) # docs/guarantees.md: who opens a log before any writer has
		def write(w):
		    fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
		    ready.wait()
		    for n in range(1000):
		        os.write(fd, b'{"w":%d,"n":%d,"x":"%s"}\n' % (w, n, b"x" * (n % 90)))
		    os.close(fd)
		writers = [mp.Process(target=write, args=(w,)) for w in range(4)]
		for w in writers: w.start()
		ready.wait()
		at = 0
		while any(w.is_alive() for w in writers):
		    data = open(sys.argv[1], "rb").read()
		    assert len(data) >= at and b"\0" not in data and (not data or data.endswith(b"\n")), (
		        at, len(data), data.find(b"\0"), data[-100:])
		    at = len(data)
		for w in writers:
		    w.join()
		    assert w.exitcode == 0
		lines = [json.loads(l) for l in open(sys.argv[1])]
		assert [l["id"] for l in lines] == list(range(1, 4001))
		for w in range(4):
		    assert [l["n"] for l in lines if l["w"] == w] == list(range(1000))
		# Between appends: at once, in both mounts.
		for n in range(300):
		    with open(sys.argv[1], "ab") as f: f.write(b'{"last":%d}\n' % n)
		    for path in sys.argv[1:]:
		        data = open(path, "rb").read()
		        assert b'"last":%d,' % n in data[-300:], (path, n)
		        assert os.stat(path).st_size == len(data)
	PY
	all_of_it() { [ "$(wc -l < "$T/tail")" -ge 4300 ]; }
	wait_for 20 all_of_it
	kill $tail
	cmp "$T/tail" "$A"
	tail -c 1000 "$A" | cmp - <(tail -c 1000 "$T/ro/records/accountant.jsonl")
	before=$(sha256sum < "$A")
	cinta_umount "$T/ro"
	cinta_umount
	"$CINTA" rebuild "$DB"
	verified
	cinta_mount
	[ "$(sha256sum < "$A")" = "$before" ]
	echo '{"after":1}' >> "$A"
	[ "$(tail -1 "$A" | field id)" -eq 4301 ]
	[ "$(stat -c %s "$A")" -eq "$(wc -c < "$A")" ]
}

@test "a line that was acknowledged survives kill -9 of the daemon" {
	for i in 1 2 3; do
		echo "{\"n\":$i}" >> "$S"
		kill -9 "$(owner_of "$DB")"
		umount -l "$M"
		cinta_mount
		[ "$(wc -l < "$S")" -eq $i ]
		[ "$(stat -c %s "$S")" -eq "$(wc -c < "$S")" ]
	done
	cinta_umount
	verified
}

@test "a message refers to a record by number or by hash" {
	printf '{"n":1}\n{"n":2}\n' >> "$A"
	echo '{"acta":1}' >> "$S"
	two=$(sed -n 2p "$A" | field hash)
	say x first
	echo '{"content":"see","refs":[{"type":"accountant","ref":2},{"type":"secretary","ref":"1"},{"type":"context","ref":1},{"type":"accountant","ref":3}]}' >> "$M/sessions/x/log.jsonl"
	echo '{"n":3}' >> "$A"
	echo "{\"content\":\"again\",\"refs\":[{\"type\":\"accountant\",\"ref\":\"$two\"}]}" >> "$M/sessions/x/log.jsonl"
	refs=$(python3 -c 'import json, sys
for line in open(sys.argv[1]): print(json.loads(line)["ref_hash"])' "$M/sessions/x/refs.jsonl")
	[ "$refs" = "$two
$(field hash < "$S")
$(sed -n 1p "$M/sessions/x/log.jsonl" | field hash)
$(hash_of 3)
$two" ]
	[ "$(sql "SELECT group_concat(ref_hash, char(10)) FROM log_message_refs")" = "$refs" ]
	[ "$(sql "SELECT count(*) FROM log_message_refs r JOIN tape t ON lower(hex(t.leaf_hash)) = r.ref_hash WHERE t.kind = 'record'")" -eq 3 ]
}

@test "a code names the component there was when the message was written" {
	mkdir "$M/sessions/x"
	line='{"content":"c","owner":"maria","players":["plu:maria","maria"],"hashtags":["casa"],"flag":"es","items":["broca"],"location":"taller"}'
	echo "$line" >> "$M/sessions/x/log.jsonl"
	# Each save follows the message before: nothing later changes what that one said.
	for c in plu/maria hsu/casa flu/es itx/broca lou/taller; do
		echo "# $c" > "$M/components/$c.md"
	done
	echo "$line" >> "$M/sessions/x/log.jsonl"
	[ -z "$(cat "$M/sessions/x/refs.jsonl")" ] # the views have seen it
	column() { sql "SELECT $1 FROM log_messages ORDER BY id LIMIT 1 OFFSET $2"; }
	[ "$(column owner_id 0)" = "$(hash_of components/ply/maria.md)" ]
	[ "$(column owner_id 1)" = "$(hash_of components/plu/maria.md)" ]
	[ "$(column players_id 0)" = "[\"$(hash_of components/plu/maria.md)\",\"$(hash_of components/ply/maria.md)\"]" ]
	[ "$(column flag_id 1)" = "$(hash_of components/flu/es.md)" ]
	[ "$(column loc_id 1)" = "$(hash_of components/lou/taller.md)" ]
	[ "$(column item_id 1)" = "[\"$(hash_of components/itx/broca.md)\"]" ]
	[ "$(sql "SELECT label FROM log_message_index WHERE field = 'hashtags' ORDER BY message_id" | tr '\n' ' ')" = \
		'components/hst/casa.md components/hsu/casa.md ' ]
	[ "$(sql "SELECT c.code FROM log_messages m JOIN components c ON c.id = m.owner_id")" = maria ]
	cinta_umount
	verified
	"$CINTA" rebuild "$DB"
	[ "$(column owner_id 0)" = "$(hash_of components/ply/maria.md)" ]
	verified
}
