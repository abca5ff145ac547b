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
	cinta_mount
	say x hello "use $TOKEN for the API" bye
	printf 'how to\n\nexport T=%s\n' "$TOKEN" > "$M/notes/deploy.md"
	printf '# Work\n\n- the token is %s\n' "$TOKEN" > "$M/facts/work.md"
	[ "$(grep -c ' SECRET write ' "$M/errors.log")" -eq 3 ]
	! grep -q ghp_ "$M/errors.log"
	[ -z "$(ls "$M/rejected")" ]
	grep "SECRET write sessions/x/log.jsonl $(id -un):bash: line 1: this looks like a GitHub token; it is stored" "$M/errors.log"
	grep "SECRET write notes/deploy.md $(id -un):bash: line 3: this looks like a GitHub token; .*cinta redact 'notes/deploy.md@1'" "$M/errors.log"
	# What is told can be typed.
	grep -o 'cinta redact [^-]* --reason' "$M/errors.log" | sed "s|^cinta|$CINTA|; s|\$| leaked --yes $DB|" > "$T/do"
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
	[ "$status" -ne 0 ] && [[ $output == *'Invalid argument'* ]]
	run bash -c "printf 'one\ntwo $TOKEN\n' | dd of='$M/notes/a.md' conv=fsync status=none"
	[ "$status" -ne 0 ]
	[ ! -e "$M/notes/a.md" ]
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq 1 ]
	grep -q 'EINVAL write sessions/x/log.jsonl .*line 1: this looks like a GitHub token' "$M/errors.log"
	grep -q 'notes/a.md .*line 2: this looks like a GitHub token' "$M/errors.log"
	cat "$M"/rejected/*log.jsonl | grep -qF 'use [not kept: a GitHub token] now'
	! grep -rqF "$TOKEN" "$M/rejected" "$M/errors.log"
	cinta_umount
	! grep -qaF "$TOKEN" "$DB" "$DB.side"
}

@test "off: nobody looks; another word is refused" {
	run "$CINTA" mount -o secrets=maybe "$DB" "$M"
	[ "$status" -eq 2 ] && [[ $output == *'not warn, refuse or off'* ]]
	cinta_mount -o secrets=off
	say x "use $TOKEN"
	! grep -q SECRET "$M/errors.log"
}
