# SPDX-License-Identifier: MIT
# Older versions are packed by themselves: what they say stays the same, everywhere.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && cinta_mount; }
teardown() { cinta_teardown; }

# text N: a version's, some 6 KiB
text() { seq 1 400 | sed "s/^/version $1, line /"; }
versions() { for ((v = 1; v <= $1; v++)); do text $v > "$M/notes/plan.md"; done; }
# packed [WHERE]: bodies that are
packed() { sql "SELECT count(*) FROM tape WHERE typeof(body) = 'blob' ${1:-}"; }
are_packed() { [ "$(packed)" -eq "$1" ]; }

@test "all but the newest, in much less room; each reads as it was said, now and after a mount" {
	versions 6
	wait_for 10 are_packed 5
	[ "$(sql "SELECT typeof(body) FROM tape WHERE kind = 'document' ORDER BY seq DESC LIMIT 1")" = text ]
	[ "$(sql "SELECT sum(length(body)) * 8 < sum(body_len) FROM tape WHERE typeof(body) = 'blob'")" = 1 ]
	for again in '' yes; do
		for ((v = 1; v <= 6; v++)); do cmp <(text $v) "$M/notes/plan.md@$v"; done
		[ "$(grep -c . "$M/notes/plan.md@log")" -eq 6 ]
		[ "$(jq -r 'select(.kind == "document") | .body | fromjson | .text' "$M/.cinta/tape.jsonl" | sha256sum)" = \
			"$(for ((v = 1; v <= 6; v++)); do text $v && echo; done | sha256sum)" ]
		[ -n "$again" ] || { cinta_umount && cinta_mount; }
	done
	[ ! -s "$M/errors.log" ]
	[ "$("$CINTA" status --json "$DB" | jq -r '.trouble // ""')" = '' ]
	text 3 | "$CINTA" write -d "$DB" notes/plan.md # a version again: an old one is no reason to write nothing
	cmp <(text 3) "$M/notes/plan.md@7"
	wait_for 10 are_packed 6
	cinta_umount
	verified
}

@test "versions that are longer than what is packed at once" {
	long() { seq $((200 * $1)) $((200 * $1 + 90000)) | sed 's/$/ and more/' | head -c 1000000; }
	for ((v = 1; v <= 6; v++)); do long $v > "$M/notes/plan.md"; done
	wait_for 20 are_packed 5
	for ((v = 1; v <= 6; v++)); do cmp <(long $v) "$M/notes/plan.md@$v"; done
	cinta_umount
	verified
}

@test "what is short, said once or no document stays as it is" {
	echo one > "$M/notes/short.md"
	echo two > "$M/notes/short.md"
	text 1 > "$M/notes/once.md"
	mkdir "$M/sessions/uno"
	for i in 1 2 3; do jq -nc --arg t "$(text $i)" '{role: "user", content: $t}' >> "$M/sessions/uno/log.jsonl"; done
	versions 2
	wait_for 10 are_packed 1
	sleep 1
	are_packed 1
}

@test "others prove it: verify.sh, a second verifier, a file without its views; a changed byte is found" {
	versions 4
	wait_for 10 are_packed 3
	cp "$M/.cinta/verify.sh" "$M/.cinta/pubkey" "$T"
	cinta_umount
	sh "$T/verify.sh" "$DB" "$T/pubkey"
	"$CINTA" rebuild --compact "$DB"
	[ "$(packed)" -eq 3 ]
	verified
	sqlite3 -bail "$DB" "DROP TRIGGER tape_redact; UPDATE tape SET body = CAST(substr(body, 1, 60) || x'00' ||
		substr(body, 62) AS BLOB) WHERE seq = (SELECT min(seq) FROM tape WHERE typeof(body) = 'blob')"
	run -1 "$CINTA" verify "$DB"
	[[ $output == *FORMAT* || $output == *CONTENT* ]]
	run -1 sh "$T/verify.sh" "$DB" "$T/pubkey"
	[[ $output == *FORMAT* || $output == *CONTENT* ]]
}

@test "a packed version is found by redact --match, and is gone" {
	echo 'the word is xylograph' > "$M/notes/plan.md"
	{ echo 'the word is xylograph' && text 1; } > "$M/notes/plan.md"
	versions 2
	wait_for 10 are_packed 2
	"$CINTA" redact --yes --reason 'a leak' --match xylograph "$DB"
	for v in 1 2; do grep -q 'redacted: a leak' "$M/notes/plan.md@$v"; done
	cmp <(text 1) "$M/notes/plan.md@3"
	[ "$(packed)" -eq 0 ] # it was packed with the first of them for a dictionary
	cinta_umount
	verified
}

@test "a file of the first schema is packed when it is mounted; who only reads it changes nothing" {
	whole() { "$CINTA" verify --all --vkey "$(cat "$CINTA_SOURCE/tests/stores/tape1-schema1.vkey")" "$DB"; }
	cinta_umount
	DB=$T/first.db
	sqlite3 -init /dev/null "$DB" < "$CINTA_SOURCE/tests/stores/tape1-schema1.sql" > /dev/null
	sqlite3 "$DB" 'PRAGMA journal_mode = WAL' > /dev/null
	[ "$(sql 'PRAGMA user_version')" = 1 ]
	whole
	cinta_mount -o ro
	cat "$M"/sessions/*/log.jsonl > "$T/logs"
	cinta_umount
	[ "$(sql 'PRAGMA user_version')" = 1 ]
	cinta_mount
	cat "$M"/sessions/*/log.jsonl | cmp "$T/logs" -
	[ "$(sql 'PRAGMA user_version')" = 1 ] # there was nothing to pack
	versions 3
	wait_for 10 are_packed 2
	[ "$(sql 'PRAGMA user_version')" = 2 ]
	cmp <(text 1) "$M/notes/plan.md@1"
	echo after >> "$M/notes/plan.md"
	cinta_umount
	whole
	run ! sqlite3 -bail "$DB" "UPDATE tape SET body = 'x' WHERE seq = 1"
	run ! sqlite3 -bail "$DB" "UPDATE tape SET body = x'00', author = 'x' WHERE seq = 1"
}

@test "writers, and a kill between: nothing is lost, and it goes on where it was" {
	versions 40 &
	for ((v = 1; v <= 40; v++)); do text $v > "$M/notes/other.md"; done
	wait $!
	kill -9 "$(owner_of "$DB")"
	cinta_mount
	wait_for 20 are_packed 78
	for ((v = 1; v <= 40; v++)); do cmp <(text $v) "$M/notes/other.md@$v"; cmp <(text $v) "$M/notes/plan.md@$v"; done
	cinta_umount
	verified
}

@test "salvage finds packed entries in pages that damage has cut off, and says whose text is lost with another" {
	versions 20
	wait_for 10 are_packed 19
	cinta_umount
	cp "$DB" "$T/first.db"
	cp "$DB" "$T/second.db"
	head -c 512 /dev/zero | tr '\0' '\377' | dd of="$T/first.db" bs=1 seek=4096 conv=notrunc status=none # the tree's root
	run "$CINTA" rebuild --salvage "$T/new.db" "$T/first.db"
	[[ $output == *' 22 entries, 0 missing; verify says OK'* ]]
	"$CINTA" verify --all "$T/new.db"
	page=$(sqlite3 "$DB" "SELECT pageno FROM dbstat WHERE name = 'tape' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1") ||
		skip 'this sqlite3 has no dbstat'
	head -c 64 /dev/zero | tr '\0' '\377' | dd of="$T/second.db" bs=1 seek=$(((page - 1) * 4096)) conv=notrunc status=none
	run "$CINTA" rebuild --salvage "$T/other.db" "$T/second.db"
	echo "$output"
	[[ $output == *'cannot be read'* ]]
}
