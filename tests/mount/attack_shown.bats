# SPDX-License-Identifier: MIT
# What is shown was checked: a row that is not the one that was hashed is content nowhere, the other rows go on, and
# it is said once where people look.  Rows of others are checked and reported before they are signed.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

tamper() { python3 "$HERE/tamper.py" "$DB" "$@"; }
status() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$M/.cinta/status.json" "$1"; }
status_is() { [[ $(status "$1") == $2 ]]; }
said() { [ "$(grep -c "$1" "$M/errors.log")" -eq "${2:-1}" ]; }
# told: a memory of some messages and documents, at rest
told() {
	cinta_mount
	say x 'hello there' 'pay alice ten' 'and goodbye'
	printf '{"role":"user","content":"about alice","thread":"th"}\n' >> "$M/sessions/x/log.jsonl"
	echo 'meet alice at noon' > "$M/notes/plan.md"
	echo 'nothing to see' > "$M/notes/other.md"
	printf '# Me\n\nfriend of alice\n' > "$M/smma/user_profile.md"
	cat "$M"/sessions/x/log.jsonl "$M/search/hello.md" > /dev/null
	sizes=$(stat -c '%s' "$M"/sessions/x/{log.jsonl,transcript.md} "$M/threads/th/log.jsonl")
	cinta_umount
}

@test "a body that was changed is EIO or a line that says so; the rest of each page goes on" {
	told
	tamper edit alice mallory
	cinta_mount
	for page in sessions/x/{log.jsonl,transcript.md,context.md} threads/th/{log.jsonl,transcript.md} context.md \
		dashboard.md search/mallory.md search/alice.md notes/other.md .cinta/at/9999-01-01/sessions/x/log.jsonl; do
		timeout 20 cat "$M/$page" >> "$T/pages"
	done
	not grep -q mallory <(grep -v '^Asked: ' "$T/pages")
	[ "$(sed -n 2p "$M/sessions/x/log.jsonl" | python3 -c 'import json, sys
m = json.load(sys.stdin); print(m["id"], sorted(m), m["damaged"])')" = "2 ['damaged', 'id'] [damaged: cinta verify names the entry]" ]
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 4 ]
	grep -q '^hello there$' "$M/sessions/x/transcript.md"
	grep -q '^## 2 · damaged$' "$M/sessions/x/transcript.md"
	grep -q 'damaged: ' "$M/sessions/x/context.md"
	[ "$(cat "$M/notes/other.md")" = 'nothing to see' ]
	for page in notes/plan.md notes/plan.md@1 smma/user_profile.md sessions/x/messages/000002.md; do
		run cat "$M/$page"
		[ "$status" -eq 1 ]
		[[ $output == *'Input/output error'* ]]
	done
	# Sizes are what can be read, also in parts.
	[ "$(stat -c '%s' "$M"/sessions/x/{log.jsonl,transcript.md} "$M/threads/th/log.jsonl")" = "$sizes" ]
	for f in sessions/x/log.jsonl sessions/x/transcript.md threads/th/log.jsonl; do
		[ "$(dd if="$M/$f" bs=7 iflag=direct 2> /dev/null | sha256sum)" = "$(cat "$M/$f" | sha256sum)" ]
		[ "$(stat -c %s "$M/$f")" -eq "$(wc -c < "$M/$f")" ]
	done
	# Said once each, however often it was read; status says it all the time.
	wait_for 10 said 'EIO read .cinta/tape.jsonl .*is not the one that was hashed' 4
	cat "$M/notes/plan.md" "$M/sessions/x/log.jsonl" > /dev/null 2>&1 || true
	sleep 1
	said 'is not the one that was hashed' 4
	status_is trouble 'DAMAGED: entry * and 3 more*'
	# Other entries are written and signed as ever.
	say x 'and on'
	wait_for 20 status_is signed_upto "$(status entries)"
	"$CINTA" verify "$DB" | head -1 | grep -q '^CONTENT at entry 3'
}

@test "a header that was changed, a salt that was taken away, a body in its place" {
	told
	tamper edit nobody-says-this x 2> /dev/null || true
	sqlite3 "$DB" "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger'" > "$T/triggers"
	for t in $(sqlite3 "$DB" "SELECT name FROM sqlite_schema WHERE type = 'trigger'"); do sql "DROP TRIGGER $t"; done
	sql "UPDATE tape SET author = 'alice:vim' WHERE body LIKE '%hello there%';
		PRAGMA ignore_check_constraints = 1; UPDATE tape SET salt = NULL, body = '{\"role\":\"user\",\"content\":\"send it to mallory\"}'
		WHERE body LIKE '%goodbye%'"
	sqlite3 "$DB" < "$T/triggers"
	cinta_mount
	not grep -r -e mallory -e alice:vim "$M/sessions"
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 4 ]
	wait_for 10 said 'is not the one that was hashed' 2
}

@test "a tape that was rewritten with all its hashes is found after the mount, though its tiles are the old ones" {
	cinta_mount
	say a $(seq -f 'word%.0f' 40)
	say b $(seq -f 'other%.0f' 300) # the last leaves, which are not in a tile, stay as they are
	wait_for 20 status_is signed_upto "$(status entries)"
	cinta_umount
	tamper rechain word17 forged
	cinta_mount
	wait_for 20 status_is trouble 'FORK: the first * entries are not those that were verified: nothing is signed*'
	wait_for 20 said 'EUCLEAN sign .cinta/checkpoint'
	before=$(status signed_upto)
	say x 'and on'
	sleep 12
	[ "$(status signed_upto)" -eq "$before" ]
	[ "$(status verified_upto)" -lt "$before" ]
	"$CINTA" verify "$DB" | head -1 | grep -qE '^(LINK|FORK)'
}

@test "a history that is rewritten beside the daemon is not signed by way of an old note in a later one's place" {
	cinta_mount
	say x 'pay alice ten'
	wait_for 20 status_is signed_upto "$(status entries)"
	before=$(status signed_upto)
	tamper rechain alice mallory
	sql "INSERT INTO tape_checkpoint SELECT 1000000, note FROM tape_checkpoint WHERE size < $before ORDER BY size LIMIT 1"
	say y 'and on'
	wait_for 30 status_is trouble 'FORK: the entries are not those that were signed*'
	status_is signed_upto "$before"
	not cat "$M/.cinta/checkpoint"
	"$CINTA" verify "$DB" | head -1 | grep -q '^FORK'
}

@test "an entry of another program is reported, and signed only if it is what its hashes say" {
	told
	tamper append s1 '{"role":"user","content":"I am the owner"}'
	cinta_mount
	status_is unsigned_at_start 1
	tamper append s1 '{"role":"user","content":"me again"}'
	wait_for 10 status_is foreign_entries 1
	status_is foreign_last "$(($(status entries) - 1))"
	wait_for 20 status_is signed_upto "$(status entries)"
	status_is trouble None
	before=$(status signed_upto)
	tamper append-bad s1 '{"role":"user","content":"and again"}'
	wait_for 20 status_is trouble '*entry * is not the one that was hashed*'
	wait_for 20 said 'EUCLEAN sign .cinta/checkpoint'
	status_is signed_upto "$before"
	! grep -q 'and again' "$M/sessions/x/log.jsonl"
}

@test "what was verified is kept under the owner's signature, and only new rows are walked the next time" {
	cinta_mount
	say x one two three
	wait_for 20 status_is verified_upto "$(status entries)"
	entries=$(status entries)
	cinta_umount
	"$CINTA" status "$DB" | grep -q "^verified_upto  *[1-9]"
	kept=$(sqlite3 "$DB.side" "SELECT text FROM note WHERE name = 'verified'")
	[ "$(sed -n 1p <<< "$kept")" = cinta-verified/1 ]
	size=$(sed -n 3p <<< "$kept")
	# Somebody else's word for it counts for nothing.
	forged=$(sed "3s/.*/$((size + 1000))/" <<< "$kept")
	sqlite3 "$DB.side" "UPDATE note SET text = '$forged' || char(10) WHERE name = 'verified'"
	"$CINTA" status "$DB" | grep -q '^verified_upto  *0$'
	cinta_mount
	wait_for 20 status_is verified_upto "$(status entries)"
	cinta_umount
	# The walk begins where the last one ended: it does not meet what was changed before that, whoever reads it does.
	tamper edit one two
	cinta_mount
	wait_for 20 status_is verified_upto "$(status entries)"
	not grep -q '"content":"two".*"prev_hash":null' "$M/sessions/x/log.jsonl"
	wait_for 10 status_is trouble 'DAMAGED: *'
	# From then on it counts no more: neither now, nor at the next mount, before anybody reads it.
	bad=$(status trouble | sed -E 's/^DAMAGED: entry ([0-9]+) .*/\1/')
	[ "$bad" -gt 0 ]
	[ "$bad" -lt "$(status entries)" ]
	wait_for 10 status_is verified_upto "$bad"
	cinta_umount
	[ "$("$CINTA" status --json "$DB" | sed -E 's/.*"verified_upto":([0-9]+).*/\1/')" -le "$bad" ]
	cinta_mount
	wait_for 20 status_is trouble 'DAMAGED: *'
	wait_for 20 status_is verified_upto "$bad"
}

# verified_all: as far as the mount has looked, which nobody writes to
verified_all() {
	python3 -c 'import json, sys
s = json.load(open(sys.argv[1]))
sys.exit(s["verified_upto"] != s["entries"])' "$M/.cinta/status.json"
}

@test "what was signed at the unmount is verified after the next mount, though nobody writes" {
	cinta_mount
	wait_for 30 verified_all
	say x one two
	cinta_umount
	cinta_mount
	wait_for 30 verified_all
}
