# SPDX-License-Identifier: MIT
# Appending a line and reading it back, its hash by other programs, what is held
# until close, all lines of a write or none, and tampering that is found.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; cinta_mount; }
teardown() { cinta_teardown; }

# field NAME: of the JSON line on stdin
field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

# put FILE TEXT: exactly one write(2), and no close before it was answered
put() {
	python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
try:
    os.write(fd, sys.argv[2].encode())
except OSError as e:
    sys.exit(e.strerror)' "$1" "$2"
}

@test "a line comes back with id, time, author and hashes around its own bytes" {
	mkdir "$M/sessions/x"
	echo '{"role":"user", "content":"hi \u00e9", "mine":[1.10, {"k":null}]}' >> "$M/sessions/x/log.jsonl"
	[ "$(tail -1 "$M/sessions/x/log.jsonl")" = "$(cat "$M/sessions/x/log.jsonl")" ]
	grep -F '"role":"user", "content":"hi \u00e9", "mine":[1.10, {"k":null}],' "$M/sessions/x/log.jsonl"
	grep -E '^\{"id":1,"timestamp":"[0-9-]{10}T[0-9:]{8}\.[0-9]{6}Z","author":"[^"]+:bash",' "$M/sessions/x/log.jsonl"
	grep -E ',"prev_hash":null,"hash":"[0-9a-f]{64}"\}$' "$M/sessions/x/log.jsonl"
	say x second
	[ "$(tail -1 "$M/sessions/x/log.jsonl" | field prev_hash)" = "$(head -1 "$M/sessions/x/log.jsonl" | field hash)" ]
	[ "$(readlink "$M/sessions/current")" = x ]
	cmp "$M/smma/session_log.jsonl" "$M/sessions/x/log.jsonl"
	grep -q second "$M/sessions/x/transcript.md"
	grep -q second "$M/sessions/x/messages/000002.md"
}

@test "sqlite3 and sha256sum alone make each line's hash" {
	say x one 'dos ñ' three
	say y other
	origin=$(sql "SELECT json_extract(body, '\$.origin') FROM tape WHERE seq = 0")
	for seq in $(sql "SELECT seq FROM tape"); do
		hash=$({ printf '\0'; sql "SELECT 'tape/1'||char(10)||'$origin'||char(10)||seq||char(10)||stream||char(10)||
			stream_seq||char(10)||lower(hex(prev))||char(10)||time_us||char(10)||kind||char(10)||author||char(10)||
			body_len||char(10)||lower(hex(body_hash)) FROM tape WHERE seq = $seq"; } | sha256sum | cut -c1-64)
		[ "$hash" = "$(sql "SELECT lower(hex(leaf_hash)) FROM tape WHERE seq = $seq")" ]
		body=$(sql "SELECT hex(salt)||hex(CAST(body AS BLOB)) FROM tape WHERE seq = $seq" | xxd -r -p | sha256sum | cut -c1-64)
		[ "$body" = "$(sql "SELECT lower(hex(body_hash)) FROM tape WHERE seq = $seq")" ]
	done
	# … and it is the hash the line shows.
	[ "$(sed -n 2p "$M/sessions/x/log.jsonl" | field hash)" = \
		"$(sql "SELECT lower(hex(leaf_hash)) FROM tape WHERE stream = 's1' AND stream_seq = 1")" ]
	cinta_umount
	verified
	[ "$("$CINTA" verify "$DB" | sed -n 's/^entries //p')" -eq 7 ]
}

@test "an old log can be replayed: the system's members go below source" {
	say x one two
	cat "$M/sessions/x/log.jsonl" > "$T/old.jsonl"
	mkdir "$M/sessions/y"
	cat "$T/old.jsonl" >> "$M/sessions/y/log.jsonl"
	python3 - "$T/old.jsonl" "$M/sessions/y/log.jsonl" <<-'PY'
		import json, sys
		old, new = ([json.loads(l) for l in open(f)] for f in sys.argv[1:])
		assert len(old) == len(new) == 2
		for a, b in zip(old, new):
		    assert b["source"] == {k: v for k, v in a.items() if k not in ("role", "content")}, b
		    assert (b["role"], b["content"]) == (a["role"], a["content"])
		    assert b["hash"] != a["hash"] and b["id"] == a["id"]
	PY
	# Again, from the replayed: a source has a source, and nothing is lost.
	cat "$M/sessions/y/log.jsonl" > "$T/newer.jsonl"
	cat "$T/newer.jsonl" >> "$M/sessions/y/log.jsonl"
	[ "$(tail -1 "$M/sessions/y/log.jsonl" | field source | grep -c "'source': {")" -eq 1 ]
	cinta_umount
	verified
}

@test "a last line without its newline is held, and is a line at close" {
	mkdir "$M/sessions/x"
	python3 - "$M/sessions/x/log.jsonl" <<-'PY'
		import os, sys
		def now():
		    return open(sys.argv[1], "rb").read()
		fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
		os.write(fd, b'{"content":"first"}\n{"cont')
		first = now()
		assert first.count(b"\n") == 1 and b'"first"' in first
		os.write(fd, b'ent":"sec')
		os.write(fd, b'ond"}')
		assert now() == first == open(sys.argv[1], "rb").read()
		assert os.stat(sys.argv[1]).st_size == len(first)
		os.close(fd)
		assert now().startswith(first) and now().count(b"\n") == 2 and now().endswith(b"\n")
		# In pieces of a byte, many lines: the same lines.
		fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
		for byte in b'{"content":"3"}\n{"content":"4"}\n{"content":"5"}':
		    os.write(fd, bytes([byte]))
		os.close(fd)
	PY
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'first second 3 4 5 ' ]
}

@test "what is held and no message is refused at close, and the close says so" {
	mkdir "$M/sessions/x"
	run python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.write(fd, b"{\"content\":")
os.close(fd)' "$M/sessions/x/log.jsonl"
	[[ $output == *'Invalid argument'* ]]
	[ ! -s "$M/sessions/x/log.jsonl" ]
	grep -q '{"content":' "$M"/rejected/*-log.jsonl
}

@test "of several lines in one write all are stored or none" {
	mkdir "$M/sessions/x"
	log=$M/sessions/x/log.jsonl
	put "$log" $'{"content":"a"}\n{"content":"b"}\n{"content":"c"}\n'
	[ "$(contents "$log" | tr '\n' ' ')" = 'a b c ' ]
	for bad in $'{"content":"d"}\n{"content":7}\n{"content":"e"}\n' \
		$'nonsense\n{"content":"d"}\n' $'{"content":"d"}\n\n' $'{"content":"d"}\n{"content":"e"} x\n'; do
		before=$(sha256sum < "$log")
		run put "$log" "$bad"
		[ "$status" -eq 1 ]
		[ "$output" = 'Invalid argument' ]
		[ "$(sha256sum < "$log")" = "$before" ]
		kept=$(tail -1 "$M/errors.log" | sed -n 's/.*kept as \(rejected\/.*\)/\1/p')
		[ "$(cat "$M/$kept"; echo .)" = "$bad." ]
	done
	grep -q 'line 2: .*content' "$M/errors.log"
	put "$log" $'{"content":"f"}\n'
	[ "$(tail -1 "$log" | field id)" -eq 4 ]
}

# flip NEEDLE: changes the last byte of it wherever the closed database has it
flip() {
	python3 - "$DB" "$1" <<-'PY'
		import sys
		data = open(sys.argv[1], "rb").read()
		old = sys.argv[2].encode()
		assert data.count(old) >= 1, "not in the file"
		open(sys.argv[1], "wb").write(data.replace(old, old[:-1] + bytes([old[-1] ^ 1])))
	PY
}

@test "a byte changed in the file: verify exits 1 and names the entry" {
	say x alpha needle omega
	cinta_umount
	cp "$DB" "$T/good.db"
	"$CINTA" verify "$DB"
	flip 'content":"needle'
	verdict CONTENT 3
	cp "$T/good.db" "$DB"
	"$CINTA" verify "$DB"
	# The time it was written, its author, its place: another program, triggers gone.
	for change in 'time_us = time_us + 1' "author = 'eve:vim'" "kind = 'session'" 'body_len = body_len + 1' \
		"body_hash = zeroblob(32)" 'salt = randomblob(16)' "body = replace(body, 'user', 'tool')"; do
		cp "$T/good.db" "$DB"
		sql "DROP TRIGGER tape_redact; UPDATE tape SET $change WHERE seq = 3"
		verdict CONTENT 3
	done
	cp "$T/good.db" "$DB"
	sql "DROP TRIGGER tape_redact; UPDATE tape SET prev = randomblob(32) WHERE seq = 3"
	verdict LINK 3
	cp "$T/good.db" "$DB"
	sql "DROP TRIGGER tape_keep; DELETE FROM tape WHERE seq = 3"
	verdict LINK 3
	cp "$T/good.db" "$DB"
	sql "UPDATE tape SET salt = NULL, body = NULL WHERE seq = 3"
	verdict MISSING 3
	cp "$T/good.db" "$DB"
	sql "DROP TRIGGER tape_keep; DELETE FROM tape WHERE seq >= 3"
	run "$CINTA" verify "$DB"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == ROLLBACK* ]]
	cp "$T/good.db" "$DB"
	"$CINTA" verify --all "$DB"
}

@test "a changed view is DERIVED, and rebuild mends it" {
	say x alpha '{' omega
	cinta_umount
	for change in 'UPDATE v_line SET end = end + 1 WHERE n = 1' 'DELETE FROM v_message WHERE seq = 3' \
		"UPDATE v_group SET name = 'z'" 'DROP INDEX v_message_owner' 'DROP TRIGGER tape_keep' \
		"UPDATE v_name SET label = 'eve' WHERE id = 1" 'UPDATE v_state SET tape_bytes = tape_bytes - 1' \
		'DELETE FROM v_mark'; do
		cp "$DB" "$T/good.db"
		sql "$change"
		run "$CINTA" verify "$DB"
		[ "$status" -eq 0 ]
		run "$CINTA" verify --all "$DB"
		echo "$change: $output"
		[ "$status" -eq 1 ]
		[[ ${lines[0]} == DERIVED* ]]
		"$CINTA" rebuild "$DB"
		verified
		cp "$T/good.db" "$DB"
	done
}

@test "the author is the program that writes, not the name of its thread" {
	S=$M/sessions/threads
	mkdir "$S"
	python3 - "$S/log.jsonl" "$M/notes/thread.md" <<'END'
import ctypes, sys, threading
def write():
    ctypes.CDLL(None).prctl(15, b"worker-pool", 0, 0, 0) # PR_SET_NAME
    with open(sys.argv[1], "a") as log:
        log.write('{"role":"user","content":"hi"}\n')
    with open(sys.argv[2], "w") as note:
        note.write("# a note\n")
t = threading.Thread(target=write)
t.start()
t.join()
END
	grep -q '"author":"[^"]*:python3' "$S/log.jsonl"
	not grep -q worker-pool "$S/log.jsonl" "$M/notes/thread.md@log"
	grep -q ':python3' "$M/notes/thread.md@log"
}
