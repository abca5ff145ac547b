#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The first minute: the first line makes its session, and mkdir alone changes nothing.

load ../lib.sh
setup() { inside_setup; }
teardown() { inside_teardown; }

say() { printf '{"role":"user","content":"%s"}\n' "$1"; }
today() { date -u +%Y-%m-%d; }
entries() { sqlite3 "$DB" 'SELECT count(*) FROM tape'; }

@test "the first line makes a session with the day's name" {
	[ "$(readlink sessions/current)" = .new ]
	[ "$(ls -A sessions)" = current ]
	[ "$(ls sessions/current/ | tr '\n' ' ')" = 'log.jsonl transcript.md ' ]
	[ ! -s smma/session_log.jsonl ]
	before=$(today)
	say hello >> sessions/current/log.jsonl
	after=$(today)
	name=$(readlink sessions/current)
	[ "$name" = "$before" ] || [ "$name" = "$after" ]
	say again >> smma/session_log.jsonl
	[ "$(wc -l < "sessions/$name/log.jsonl")" -eq 2 ]
	grep -q hello sessions/current/transcript.md
	[ "$(ls sessions | wc -l)" -eq 2 ]
	cd /
	cinta_umount
	run "$CINTA" verify --all "$DB"
	[[ $output == OK* ]]
}

@test "a first line that is refused makes nothing" {
	before=$(entries)
	run bash -c 'echo hello >> sessions/current/log.jsonl'
	[ "$status" -ne 0 ]
	grep -q 'EINVAL write sessions/current/log.jsonl' errors.log
	grep -q hello rejected/*-log.jsonl
	run bash -c 'rm sessions/current/log.jsonl; : > sessions/current/notes.md'
	[ "$status" -ne 0 ]
	grep -q 'EPERM unlink sessions/current/log.jsonl' errors.log
	[ "$(ls -A sessions)" = current ]
	[ "$(entries)" = "$before" ]
}

@test "mkdir alone is not current; the session last written to is" {
	mkdir sessions/deploys sessions/other
	[ "$(readlink sessions/current)" = .new ]
	say a >> sessions/deploys/log.jsonl
	mkdir sessions/third
	[ "$(readlink sessions/current)" = deploys ]
	say b >> sessions/current/log.jsonl
	[ "$(wc -l < sessions/deploys/log.jsonl)" -eq 2 ]
	say c >> sessions/other/log.jsonl
	[ "$(readlink sessions/current)" = other ]
	cd /
	cinta_umount
	cinta_mount
	cd "$M"
	[ "$(readlink sessions/current)" = other ]
	[ "$(readlink ".cinta/at/$(date -u -d tomorrow +%Y-%m-%d)/sessions/current")" = other ]
}

@test "one that mkdir made under the day's name takes it" {
	mkdir "sessions/$(today)"
	say a >> sessions/current/log.jsonl
	[ "$(wc -l < "sessions/$(readlink sessions/current)/log.jsonl")" -eq 1 ]
	[ "$(ls sessions | wc -l)" -le 3 ] # a day may have ended in between
}

@test "a command without a session: what makes one is said, and then it works" {
	run ! bash -c "echo 'summarize 1-1 one line' > sessions/current/ctl"
	[[ $(tail -1 errors.log) == *'there is no session yet; echo '* ]]
	bash -c "$(tail -1 errors.log | sed -E 's/.*yet; (echo .*) makes one.*/\1/')"
	echo 'summarize 1-1 one line' > sessions/current/ctl
}

@test "-o session=NAME: the first line makes that one" {
	cd /
	cinta_umount
	cinta_mount -o session=deploys
	cd "$M"
	say a >> sessions/current/log.jsonl
	[ "$(readlink sessions/current)" = deploys ]
	[ "$(wc -l < sessions/deploys/log.jsonl)" -eq 1 ]
}

@test "many first lines at once, by two mounts: one session, none lost" {
	mkdir "$T/other"
	"$CINTA" mount "$DB" "$T/other"
	for i in $(seq 20); do
		say "$i" >> sessions/current/log.jsonl &
		say "$i too" >> "$T/other/sessions/current/log.jsonl" &
	done
	wait
	[ "$(wc -l < sessions/current/log.jsonl)" -eq 40 ]
	[ "$(wc -l < "$T/other/sessions/current/log.jsonl")" -eq 40 ]
	"$CINTA" umount "$T/other"
}

@test "a descriptor opened before the first line goes on in its session" {
	exec 7>> sessions/current/log.jsonl
	say one >&7
	name=$(readlink sessions/current)
	mkdir sessions/other
	say elsewhere >> sessions/other/log.jsonl
	say two >&7
	exec 7>&-
	[ "$(wc -l < "sessions/$name/log.jsonl")" -eq 2 ]
	[ "$(wc -l < sessions/other/log.jsonl)" -eq 1 ]
}
