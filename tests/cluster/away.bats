# SPDX-License-Identifier: MIT
# A server that goes, dies, or does not answer: what was acknowledged is there, what was refused is
# not, and what nobody could know is told later.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${writers:-} ${proxy:-} 2> /dev/null || true
	"$PGBIN/pg_isready" -q -h "$PG" -p "$PGPORT" || pg_start
	cinta_teardown
}

fails_with() { # ERRNO COMMAND…: a Python expression that writes
	python3 -c 'import errno, sys
try: exec(sys.argv[2])
except OSError as e: sys.exit(0 if errno.errorcode[e.errno] == sys.argv[1] else f"{e}")
sys.exit("nothing was refused")' "$@"
}
append_to() { echo "import os; os.write(os.open('$1', os.O_WRONLY | os.O_APPEND), b'{\"role\":\"user\",\"content\":\"$2\"}\n')"; }
log_has() { grep -q "$2" "$T/$1/errors.log"; }

@test "without its server a memory is read, says so, takes nothing; and goes on by itself" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno hola
	echo one > "$T/a/notes/x.md"
	pg_stop
	fails_with EHOSTDOWN "$(append_to "$T/a/sessions/uno/log.jsonl" lost)"
	fails_with EHOSTDOWN "f = open('$T/a/notes/x.md', 'w'); f.write('two'); f.close()"
	fails_with EHOSTDOWN "import os; os.mkdir('$T/a/sessions/due')"
	[ "$(cat "$T/a/notes/x.md")" = one ]
	grep -q hola "$T/a/sessions/uno/log.jsonl"
	[ "$(wc -l < "$T/a/sessions/uno/log.jsonl")" = 1 ]
	run -0 cat "$T/a/.cinta/sync"
	[[ ${lines[1]} == 'behind: the server cannot be asked since 20'* ]]
	grep -q '"trouble": "server: ' "$T/a/.cinta/status.json"
	[ "$(jq -r .behind_since "$T/a/.cinta/status.json")" != null ]
	wait_for 10 log_has a 'EHOSTDOWN follow'
	log_has a 'EHOSTDOWN write sessions/uno/log.jsonl .*not stored: its server cannot be reached'
	cat "$T"/a/rejected/*-log.jsonl | grep -q lost
	[ "$(cat "$T"/a/rejected/*-x.md)" = two ]
	run -1 on a "$CINTA" sync -d "$T/a"
	run -1 on a "$CINTA" doctor "$URL"
	[[ $output == *'fail '*'see that the server runs'*'ok '*replica.db* ]]
	# it is mounted, too, and says so
	umount_on a
	run -0 mount_on a
	[[ $output == *'server: '*'cannot be asked'* ]]
	[ "$(cat "$T/a/notes/x.md")" = one ]
	run -1 on b "$CINTA" mount "$URL" "$T/b"
	pg_start
	wait_for 10 log_has a 'SETTLED follow .*answers again'
	line a uno again
	synced a
	[ "$(jq -r .trouble "$T/a/.cinta/status.json")" = null ]
	umount_on a
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 2 ]
	whole a
}

# unanswered MODE: a write of b that is sent and has no answer; its text is $text.  Where the daemon's
# own question of each second came first, it knows that nobody answers, and sends nothing.
unanswered() {
	local try
	for try in 1 2 3 4 5 6 7 8; do
		text=perhaps$try
		echo "$1" > "$T/mode.new"
		fails_with EREMOTEIO "import os; f = os.open('$T/b/sessions/uno/log.jsonl', os.O_WRONLY | os.O_APPEND)
os.rename('$T/mode.new', '$T/mode'); os.write(f, b'{\"role\":\"user\",\"content\":\"$text\"}\n')" && return
		mode pass
		wait_for 20 synced b
	done
	return 1
}

@test "a write that had no answer is unknown, and settled when the server answers: stored after all" {
	on a "$CINTA" init "$URL"
	through_proxy
	mount_on b "$FAR"
	line b uno begin
	unanswered swallow
	log_has b 'EREMOTEIO write sessions/uno/log.jsonl .*may be stored, or not; wait for the line SETTLED'
	cat "$T"/b/rejected/*-log.jsonl | grep -q $text
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 2 ]
	mode pass
	wait_for 20 log_has b 'SETTLED write .*stored after all, as entry [0-9]*; do not write it again'
	grep -q $text "$T/b/sessions/uno/log.jsonl"
	line b uno end
	umount_on b
	whole b
}

@test "the same, of what never came: it is not stored, and never will be" {
	on a "$CINTA" init "$URL"
	through_proxy
	mount_on b "$FAR"
	line b uno begin
	unanswered mute
	mode pass
	wait_for 20 log_has b 'SETTLED write .*not stored, and never will be; write it again'
	line b uno end
	run -0 grep -c . "$T/b/sessions/uno/log.jsonl"
	[ "$output" = 2 ]
	umount_on b
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 2 ]
	whole b
}

@test "cut connections, killed backends and servers: acknowledged is stored, once, in one order" {
	on a "$CINTA" init "$URL"
	through_proxy
	mount_on a
	mount_on b "$FAR"
	line a uno begin
	echo 'ok begin' > "$T/notes.0"
	synced a b
	writers=
	for m in a b; do
		for w in 1 2; do
			"$BATS_TEST_DIRNAME/writer.py" "$T/$m/sessions/uno/log.jsonl" "$T/notes.$m$w" "$m$w" 0 "$T/stop" 3>&- &
			writers+=" $!"
		done
	done
	for ((i = 0; i < $(many 6 500); i++)); do
		sleep 0.3
		mode cut
		sleep 0.1
		mode pass
		case $((i % 3)) in
		0) query "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cinta'" > /dev/null ;;
		# one that is killed has the server end all others and begin anew
		1) pid=$(query "SELECT pid FROM pg_stat_activity WHERE application_name = 'cinta' LIMIT 1")
			[ -z "$pid" ] || kill -9 "$pid" || true ;;
		2) pg_stop immediate; pg_start ;;
		esac
		wait_for 20 "$PGBIN/pg_isready" -q -h "$PG" -p "$PGPORT"
	done
	touch "$T/stop" # they write to the last round, however fast the machine is
	all_ended
	writers=
	wait_for 20 synced a b
	"$BATS_TEST_DIRNAME/check.py" "$T/a/sessions/uno/log.jsonl" "$T"/notes.* >&3
	cmp "$T/a/.cinta/tape.jsonl" "$T/b/.cinta/tape.jsonl"
	umount_on a
	umount_on b
	whole a b
}

@test "a daemon that is killed, again and again: what it acknowledged is there" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	line a uno begin
	echo 'ok begin' > "$T/notes.0"
	synced a b
	writers=
	for m in a b; do
		"$BATS_TEST_DIRNAME/writer.py" "$T/$m/sessions/uno/log.jsonl" "$T/notes.$m" "$m" "$(many 150 10000)" 3>&- &
		writers+=" $!"
	done
	for ((i = 0; i < $(many 4 200); i++)); do
		sleep 0.5
		kill -9 "$(owner_of "$(replica a)")"
		wait_for 20 mount_on a
	done
	all_ended
	writers=
	wait_for 20 synced a b
	"$BATS_TEST_DIRNAME/check.py" "$T/b/sessions/uno/log.jsonl" "$T"/notes.* >&3
	umount_on a
	umount_on b
	whole a b
}
