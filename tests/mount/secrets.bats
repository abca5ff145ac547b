# SPDX-License-Identifier: MIT
# -o secrets=: a key that is written by mistake is told at once, with the command that takes it out, and not repeated.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	TOKEN=ghp_16C7e42F292c6912E7710c838347Ae178B4a # opens nothing
}
teardown() { cinta_teardown; }

@test "warn: it is stored and told, and what is told takes it out" {
	DB="$T/it's a memory.db"
	cinta_mount
	say x hello "use $TOKEN for the API" bye
	printf 'how to\n\nexport T=%s\n' "$TOKEN" > "$M/notes/deploy.md"
	printf '# Work\n\n- the token is %s\n' "$TOKEN" > "$M/facts/work.md"
	[ "$(grep -c ' SECRET write ' "$M/errors.log")" -eq 3 ]
	not grep -q ghp_ "$M/errors.log"
	[ -z "$(ls "$M/rejected")" ]
	grep "SECRET write sessions/x/log.jsonl $(id -un):bash: line 1: this looks like a GitHub token; it is stored" "$M/errors.log"
	grep "SECRET write notes/deploy.md $(id -un):bash: line 3: this looks like a GitHub token; .*cinta redact -d .* notes/deploy.md@1 --reason" "$M/errors.log"
	# What is told can be typed as it stands, and means this memory.
	grep -o 'cinta redact .* --reason TEXT' "$M/errors.log" | grep -v -e --match | sed "s|^cinta|$CINTA|; s|TEXT|leaked --yes|" > "$T/do"
	[ "$(wc -l < "$T/do")" -eq 2 ]
	bash -e "$T/do"
	[ "$(sed -n 2p "$M/sessions/x/log.jsonl" | grep -c 'redacted: leaked')" -eq 1 ]
	[ "$(cat "$M/notes/deploy.md")" = '[redacted: leaked]' ]
	# What is saved without it is told no more.
	before=$(grep -c SECRET "$M/errors.log")
	echo 'nothing here' > "$M/notes/other.md"
	say x 'ghp_ is how they begin'
	[ "$(grep -c SECRET "$M/errors.log")" -eq "$before" ]
}

@test "refuse: nothing is stored, and what is kept has no secret" {
	cinta_mount -o secrets=refuse
	say x hello
	run bash -c "echo '{\"role\":\"user\",\"content\":\"use $TOKEN now\"}' >> '$M/sessions/x/log.jsonl'"
	[ "$status" -ne 0 ]
	[[ $output == *'Invalid argument'* ]]
	run bash -c "printf 'one\ntwo $TOKEN\n' | dd of='$M/notes/a.md' conv=fsync status=none"
	[ "$status" -ne 0 ]
	[ ! -e "$M/notes/a.md" ]
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 1 ]
	grep -q 'EINVAL write sessions/x/log.jsonl .*line 1: this looks like a GitHub token' "$M/errors.log"
	grep -q 'notes/a.md .*line 2: this looks like a GitHub token' "$M/errors.log"
	cat "$M"/rejected/*log.jsonl | grep -qF 'use [not kept: a GitHub token] now'
	not grep -rqF "$TOKEN" "$M/rejected" "$M/errors.log"
	cinta_umount
	not grep -qaF "$TOKEN" "$DB" "$DB.side"
}

@test "refuse: a secret in escaped quotes of JSON is seen" {
	cinta_mount -o secrets=refuse
	say x hello
	run bash -c "printf '%s\n' '{\"role\":\"user\",\"content\":\"token: \\u201c$TOKEN\\u201d\"}' >> '$M/sessions/x/log.jsonl'"
	[ "$status" -ne 0 ]
	[[ $output == *'Invalid argument'* ]]
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 1 ]
	grep -q 'line 1: this looks like a GitHub token' "$M/errors.log"
	cinta_umount
	not grep -qaF "$TOKEN" "$DB" "$DB.side"
}

@test "refuse: a secret behind a colour, or with what has no width in it, is seen, and kept nowhere" {
	cinta_mount -o secrets=refuse
	say x hello
	local unseen
	for unseen in '\u001b[1;31m' '\u200b' '\ufeff' $'\u200b'; do
		not cat >> "$M/sessions/x/log.jsonl" <<< "{\"role\":\"user\",\"content\":\"key: $unseen${TOKEN::20}$unseen${TOKEN:20} ok\"}"
		not cat >> "$M/sessions/x/log.jsonl" <<< "{\"role\":\"user\",\"content\":\"key$unseen$TOKEN ok\"}"
	done
	not dd of="$M/notes/a.md" conv=fsync status=none <<< $'\e[31m'"$TOKEN"$'\e[0m'
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 1 ]
	[ "$(grep -c 'line 1: this looks like a GitHub token' "$M/errors.log")" -eq 9 ]
	[ "$(cat "$M"/rejected/* | grep -c 'not kept: a GitHub token')" -eq 9 ]
	cinta_umount
	not grep -qaF -e "${TOKEN::20}" -e "${TOKEN:20}" "$DB" "$DB.side"
}

# names: a session, a document, a folder, a block, an answer and a note that rests, all called $TOKEN; each may fail
names() {
	mkdir "$M/sessions/$TOKEN"
	echo text > "$M/notes/$TOKEN.md"
	mkdir "$M/notes/folder $TOKEN"
	echo text > "$M/blocks/rules/$TOKEN.md"
	echo text > "$M/answers/what is $TOKEN?.md"
	echo text > "$M/notes/$TOKEN.other"
	echo text > "$M/notes/plain.md"
	mv "$M/notes/plain.md" "$M/notes/moved $TOKEN.md"
	mkdir "$M/notes/plain"
	mv "$M/notes/plain" "$M/notes/dir $TOKEN"
}

# nowhere WORD: no path of the mount, no line of errors.log and no file of rejected/ has it
nowhere() {
	! find "$M" -path "$M/.cinta" -prune -o -print | grep -qi "$1" && ! grep -rqi "$1" "$M/errors.log" "$M/rejected"
}

@test "warn: a name that holds one is told and not repeated, and goes by --match" {
	cinta_mount
	(set +e; names)
	wait_for 150 grep -q ' SECRET write notes/.*other' "$M/errors.log" # when it has rested
	for line in 'mkdir sessions/[a GitHub token] ' 'write notes/[a GitHub token].md ' \
		'mkdir notes/folder [a GitHub token] ' 'write blocks/rules/[a GitHub token].md ' \
		'write answers/what is [a GitHub token]?.md ' 'rename notes/moved [a GitHub token].md ' \
		'rename notes/dir [a GitHub token] '; do
		grep -F "SECRET $line" "$M/errors.log"
	done
	[ "$(grep -c 'in the name: this looks like a GitHub token; .* cinta redact -d [^ ]*/memory.db --match PATTERN' "$M/errors.log")" -eq 8 ]
	# What stands below such a name, and a file that is refused there.
	printf 'two\n%s\n' "$TOKEN" > "$M/notes/folder $TOKEN/in.md"
	grep -F "SECRET write notes/folder [a GitHub token]/in.md" "$M/errors.log" | grep -F 'line 2: ' | grep -F ' --match PATTERN --reason'
	run bash -c "echo 'no line' >> '$M/sessions/$TOKEN/log.jsonl'"
	[ "$status" -ne 0 ]
	run bash -c "head -c 3000000 /dev/zero > '$M/notes/$TOKEN.md'"
	[ "$status" -ne 0 ]
	grep -qF 'write sessions/[a GitHub token]/log.jsonl' "$M/errors.log"
	ls "$M/rejected" | grep -qF '[a GitHub token].md'
	not grep -rqi "${TOKEN#ghp_}" "$M/errors.log" "$M/rejected"
	not grep -qi "${TOKEN#ghp_}" <(ls "$M/rejected")
	# Whole, as it is: an answer has it in small letters, too.
	"$CINTA" redact --match "$TOKEN" --reason leaked --yes "$DB"
	cinta_umount
	not grep -qaiF "${TOKEN#ghp_}" "$DB" "$DB.side"
	verified
	cinta_mount
	nowhere "${TOKEN#ghp_}"
	[ -d "$M/sessions/redacted-s1" ]
	[ "$(cat "$M"/notes/redacted-d1.md)" = text ]
	[ -f "$M"/blocks/rules/redacted-d*.md ]
	[ -f "$M"/answers/redacted-d*.md ]
}

@test "refuse: no such name is given, and what has one keeps it" {
	cinta_mount
	echo old > "$M/notes/$TOKEN.md"
	cinta_umount
	cinta_mount -o secrets=refuse
	run bash -c "$(declare -f names); TOKEN='$TOKEN' M='$M'; set +e; names"
	[ "$(grep -c 'Invalid argument\|Protocol error' <<< "$output")" -ge 6 ]
	[ "$(grep -c 'EINVAL .* in the name: this looks like a GitHub token; leave it out' "$M/errors.log")" -eq 5 ]
	# of a rename mv takes EINVAL for something else, and renames again: one line each
	[ "$(grep -c 'EPROTO rename .* in the name: this looks like a GitHub token' "$M/errors.log")" -eq 2 ]
	not grep -q 'EINVAL .*notes/\[' <(grep -v other "$M/errors.log")
	[ "$(cat "$M/notes/$TOKEN.md")" = text ]
	[ -f "$M/notes/plain.md" ]
	[ -d "$M/notes/plain" ]
	[ -z "$(ls "$M/blocks/rules")" ]
	[ "$(ls "$M/answers")" = tools ]
	[ "$(ls "$M/sessions")" = current ]
	not grep -qi "${TOKEN#ghp_}" "$M/errors.log"
	# What programs keep for themselves is no memory.
	echo x > "$M/notes/.$TOKEN.md.swp"
}

@test "ctl: a summary or reference that holds one is told, or refused" {
	cinta_mount
	say x one two three
	printf 'pin 3\nsummarize 1-1 %s\nrefer 2 context:%s\n' "$TOKEN" "$TOKEN" > "$T/commands"
	cat "$T/commands" > "$M/sessions/x/ctl"
	[ "$(grep -c "SECRET write sessions/x/ctl .*this looks like a GitHub token; it is stored; .*cinta redact -d [^ ]* [0-9]" "$M/errors.log")" -eq 2 ]
	not grep -q "${TOKEN#ghp_}" "$M/errors.log"
	grep -o 'cinta redact -d [^ ]* [0-9]*' "$M/errors.log" | sed "s|^cinta|$CINTA|; s|\$| --reason leaked --yes|" > "$T/do"
	bash -e "$T/do"
	cinta_umount
	not grep -qaF "${TOKEN#ghp_}" "$DB" "$DB.side"
	verified
	cinta_mount -o secrets=refuse
	say y one two three
	before=$("$CINTA" status --json "$DB" | jq .entries)
	for command in "summarize 1-1 $TOKEN" "summarize_range 1 1 $TOKEN" "refer 2 context:$TOKEN"; do
		run bash -c "printf 'pin 3\n%s\n' '$command' > '$T/commands' && cat '$T/commands' > '$M/sessions/y/ctl'"
		[ "$status" -ne 0 ]
		[[ $output == *'Invalid argument'* ]]
	done
	[ "$("$CINTA" status --json "$DB" | jq .entries)" -eq "$before" ]
	[ "$(grep -c 'EINVAL write sessions/y/ctl .*line 2: this looks like a GitHub token; leave it out' "$M/errors.log")" -eq 3 ]
	not grep -rq "${TOKEN#ghp_}" "$M/errors.log" "$M/rejected"
	echo 'summarize 1-1 nothing of that' > "$M/sessions/y/ctl"
}

@test "ctl: no part of one that is given as a command is repeated" {
	local key=sk-proj-aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zAbCdEfGhIjKlMnOp
	local web=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P
	for mode in warn refuse; do
		cinta_mount -o secrets=$mode
		say $mode one
		for command in "$key" "$web" "prune $key" "reset $web"; do
			run bash -c "echo '$command' > '$M/sessions/$mode/ctl'"
			[ "$status" -ne 0 ]
			[[ $output == *'Invalid argument'* ]]
		done
		[ "$(grep -c "EINVAL write sessions/$mode/ctl .*\*\*\*" "$M/errors.log")" -eq 4 ]
		not grep -q 'sk-proj\|aB3dE6\|eyJ\|hbGci' "$M/errors.log"
		cinta_umount
	done
}

# keys SECRET: offers it as a key in each place whose complaint quotes one, and cut by what stands before it; each fails
keys() {
	local n key
	for n in 0 12 22 32 42 52 62 72; do
		key=$(printf '%.*s' "$n" x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-x-)$1
		printf '{"role":"user","%s":1,"%s":2}\n' "$key" "$key" >> "$M/sessions/x/log.jsonl"
		printf -- '---\n%s: 1\n%s: 2\n---\ntext\n' "$key" "$key" > "$M/blocks/rules/a.md"
	done
}

@test "no part of one that is given as a key or member is repeated" {
	local secret long=$(printf '0aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY%.0s' {1..3})
	for mode in warn refuse; do
		cinta_mount -o secrets=$mode
		say x one two
		for secret in "$TOKEN" "sk-ant-$long" "sk-proj-$long" "AKIAQZ3MJ7XK2LWD5PTV" "xoxb-$long"; do
			keys "$secret" 2> /dev/null || true
		done
		cat "$M/errors.log"
		[ "$(grep -c ' EINVAL .*\[an\? [A-Z][A-Za-z ]*\(key\|token\)\]' "$M/errors.log")" -ge 20 ]
		not grep -qE 'ghp_.|sk-ant-.|sk-proj-.|AKIA.|xoxb-.|aB3dE6|16C7e4|QZ3MJ7' "$M/errors.log"
		cinta_umount
	done
}

@test "refuse: a secret that is part of a longer word, or quoted" {
	cinta_mount -o secrets=refuse
	not mkdir "$M/notes/a-$TOKEN"
	not mkdir "$M/sessions/x_$TOKEN"
	run bash -c "echo text > '$M/notes/key-$TOKEN.md'"
	[ "$status" -ne 0 ]
	printf '> %s\n' '-----BEGIN RSA PRIVATE KEY-----' MIIEowIBAAKCAQEAxyzABCDEFGHIJKLMNOPQRSTUVWXYZ012345 > "$T/key"
	for text in "key_$TOKEN" "token-$TOKEN" "$(cat "$T/key")"; do
		not dd of="$M/notes/a.md" conv=fsync status=none <<< "$text"
	done
	[ ! -e "$M/notes/a.md" ]
	[ "$(grep -c 'EINVAL .* in the name: this looks like a GitHub token' "$M/errors.log")" -eq 3 ]
	[ "$(grep -c 'this looks like' "$M/errors.log")" -eq 6 ]
	not grep -rq "${TOKEN#ghp_}" "$M/errors.log" "$M/rejected"
}

@test "identity: told on the terminal, refused where the last mount refuses" {
	cinta_mount
	cinta_umount
	run bash -c "echo 'my token is $TOKEN' | '$CINTA' identity '$DB'"
	[ "$status" -eq 0 ]
	[[ $output == *'it is stored, and holds what looks like a secret; errors.log tells the line'* ]]
	[[ $output != *ghp_* ]]
	cinta_mount -o secrets=refuse
	grep -q 'SECRET write smma/identity.md .*line 1: this looks like a GitHub token' "$M/errors.log"
	run bash -c "echo 'another, $TOKEN' | '$CINTA' identity '$DB'"
	[ "$status" -eq 1 ]
	[[ $output == *'line 1: this looks like a GitHub token; leave it out, and name where it is kept' ]]
	[ -z "$(ls "$M/rejected")" ]
	[ "$(cat "$M/smma/identity.md@log" | wc -l)" -eq 1 ]
	cinta_umount
	cinta_mount -o secrets=off
	run bash -c "echo 'a third, $TOKEN' | '$CINTA' identity '$DB'"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "import: no session is called after a secret" {
	"$CINTA" init "$DB" > /dev/null
	slack=xoxb-848484848484-929292929292-k3jq8w2m5x7z0p4r6t1v9y8u
	aws=AKIAQYLPMN5HFIQR7XYA
	message() { printf '{"role":"user","content":"%s"}\n' "$1"; }
	message "use $slack ok" > "$T/c.jsonl"
	message "my key $aws" > "$T/d.jsonl"
	# cut where a title ends, it would be no secret any more
	message "$(printf 'x%.0s' {1..70}) $TOKEN" > "$T/e.jsonl"
	message hello > "$T/key-$TOKEN.jsonl"
	printf '{"title":"%s %s","messages":[%s]}' "$(printf 'y%.0s' {1..30})" "$TOKEN" "$(message hi)" > "$T/f.json"
	"$CINTA" import -d "$DB" "$T/c.jsonl" "$T/d.jsonl" "$T/e.jsonl" "$T/f.json" "$T/key-$TOKEN.jsonl"
	cinta_mount
	ls "$M/sessions"
	[ -d "$M/sessions/messages-undated-use-a-slack-token-ok" ]
	[ -d "$M/sessions/messages-undated-my-key-an-aws-access-key" ]
	for secret in 848484848484 qylpmn5hf 16C7e42F29; do
		not grep -qi "$secret" <(ls "$M/sessions" "$M/rejected")
		not grep -qi "$secret" "$M/errors.log"
		not grep -rqi "^title.*$secret" "$M"/sessions/*/session.md
	done
	grep -q 'SECRET write sessions/messages-undated-use-a-slack-token-ok/log.jsonl ' "$M/errors.log"
}

@test "import: refused where the last mount refuses, with the line; not looked at where that is off" {
	cinta_mount -o secrets=refuse
	cinta_umount
	printf '{"role":"user","content":"%s"}\n' "use $TOKEN" hello "and key_$TOKEN" > "$T/c.jsonl"
	python3 - "$TOKEN" "$T/long.jsonl" <<-'END'
	import json, sys
	text = "a " * 65530 + sys.argv[1] + " b" * 70000 # two pieces, the border within it
	print(json.dumps({"role": "user", "content": text}), file=open(sys.argv[2], "w"))
	END
	mkdir -p "$T/v/a-$TOKEN"
	printf 'one\ntwo %s\n' "$TOKEN" > "$T/v/bad.md"
	echo fine | tee "$T/v/good.md" > "$T/v/a-$TOKEN/in.md"
	# whose messages wait for later forms of themselves, and have lines of their own
	sed "s/How many lines has the list/My key is $TOKEN, how many/" "$BATS_TEST_DIRNAME"/import/session-2025*.jsonl > "$T/session-2025-06-07T08-09-0a1b2c3d.jsonl"
	line=$(grep -n "$TOKEN" "$T"/session-2025*.jsonl | head -1 | cut -d: -f1)
	run "$CINTA" import -n -d "$DB" "$T/c.jsonl"
	[ "$status" -eq 0 ]
	[[ $output == *'1 conversations, 1 messages, 0 notes; 0 were here; 2 left out'* ]]
	run "$CINTA" import --session "x $TOKEN" -d "$DB" "$T/c.jsonl" "$T/long.jsonl" "$T/v" "$T"/session-2025*.jsonl
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'c.jsonl:1: left out: this looks like a GitHub token; take it out'* ]]
	[[ $output == *'c.jsonl:3: left out: this looks like a GitHub token; take it out'* ]]
	[[ $output == *'long.jsonl:1: left out: this looks like a GitHub token'* ]]
	[[ $output == *'bad.md: line 2: this looks like a GitHub token'* ]]
	[[ $output == *'in.md: in the name: this looks like a GitHub token'* ]]
	[[ $output == *'--session NAME, which looks like a secret'* ]]
	[[ $output == *"0a1b2c3d.jsonl:$line: left out: this looks like"* ]]
	not grep -qaF "${TOKEN#ghp_}" "$DB" "$DB.side"
	verified
	cinta_mount -o secrets=refuse
	grep -rlq hello "$M"/sessions/messages-undated-hello*/log.jsonl
	[ "$(cat "$M"/notes/v/good.md)" = fine ]
	[ "$(find "$M/notes/v" -type f | wc -l)" -eq 1 ]
	[ ! -s "$M/errors.log" ]
	cinta_umount
	cinta_mount -o secrets=off
	cinta_umount
	run "$CINTA" import -d "$DB" "$T/c.jsonl"
	[[ $output == *'1 conversations, 2 messages, 0 notes; 1 were here' ]]
	cinta_mount
	not grep -q SECRET "$M/errors.log"
}

@test "off: nobody looks; another word is refused" {
	run "$CINTA" mount -o secrets=maybe "$DB" "$M"
	[ "$status" -eq 2 ]
	[[ $output == *'not warn, refuse or off'* ]]
	cinta_mount -o secrets=off
	say x "use $TOKEN"
	not grep -q SECRET "$M/errors.log"
}
