# SPDX-License-Identifier: MIT
# kill -9 of the daemon at random moments: each line whose write returned is
# there, the chain holds, and the mount comes up without help.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

# round N: mounts over what the last one left, writes from three sides, kills.
# What was acknowledged is noted outside of the mount, before the next write.
round() {
	cinta_mount 2> "$T/said"
	[ -d "$M/sessions/x" ] || mkdir "$M/sessions/x"
	python3 "$HERE/acknowledged.py" "$M/sessions/x/log.jsonl" "$T/acked.1" "a$1" 3>&- &
	local one=$!
	python3 "$HERE/acknowledged.py" "$M/sessions/x/log.jsonl" "$T/acked.2" "b$1" 3>&- &
	local two=$!
	wait_for 30 test -s "$T/acked.1"
	sleep "0.0$((RANDOM % 10))"
	kill -9 "$(owner_of "$DB")"
	wait $one $two || true
	wait_for 5 not owned "$DB"
}

@test "many kills: no acknowledged line is lost, none is torn, the chain holds" {
	kills=$(many 100 3000)
	"$CINTA" init "$DB" > "$T/vkey"
	for n in $(seq "$kills"); do
		round "$n"
		cat "$T"/acked.? >> "$T/acked"
		rm "$T"/acked.?
		if [ $((n % 10)) = 0 ]; then
			"$CINTA" verify --vkey "$(cat "$T/vkey")" "$DB" > "$T/verdict" || { cat "$T/verdict"; false; }
		fi
	done
	cinta_mount
	[ "$(sort "$T/acked" | uniq -d | wc -l)" -eq 0 ]
	[ "$(wc -l < "$T/acked")" -gt $((2 * kills)) ]
	contents "$M/sessions/x/log.jsonl" > "$T/there"
	[ "$(sort "$T/there" | uniq -d | wc -l)" -eq 0 ]
	comm -23 <(sort "$T/acked") <(sort "$T/there") > "$T/lost"
	[ ! -s "$T/lost" ] || { echo "lost:"; cat "$T/lost"; false; }
	# What is there beyond was on its way: at most one line a writer and round.
	[ "$(($(wc -l < "$T/there") - $(wc -l < "$T/acked")))" -le $((2 * kills)) ]
	cinta_umount
	verified
}

@test "kill -9 while views catch up and checkpoints are signed" {
	cinta_mount
	mkdir "$M/sessions/x"
	for n in 1 2 3 4 5; do
		python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
for i in range(40):
    os.write(fd, b"".join(b"{\"content\":\"%d\",\"thread\":\"t%d\"}\n" % (i, j % 9) for j in range(100)))
' "$M/sessions/x/log.jsonl"
		cat "$M/threads/t3/transcript.md" > /dev/null &
		sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
		kill -9 "$(owner_of "$DB")"
		wait $! || true
		wait_for 5 not owned "$DB"
		"$CINTA" verify "$DB" > "$T/verdict" || [ $? -eq 3 ]
		cinta_mount
		[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq $((n * 4000)) ]
		[ "$(cat "$M"/threads/*/log.jsonl | wc -l)" -eq $((n * 4000)) ]
	done
	cinta_umount
	verified
}

@test "a writer killed in mid-line leaves no half line" {
	cinta_mount
	say x whole
	python3 -c 'import os, signal, sys
fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
os.write(fd, b"{\"content\":\"second\"}\n{\"content\":\"ha")
os.kill(os.getpid(), signal.SIGKILL)' "$M/sessions/x/log.jsonl" || true
	[ "$(contents "$M/sessions/x/log.jsonl")" = $'whole\nsecond' ]
	say x third
	[ "$(contents "$M/sessions/x/log.jsonl" | tail -1)" = third ]
	grep -q '{"content":"ha$' "$M"/rejected/*-log.jsonl
}

@test "SIGTERM in the middle of writing: what was acknowledged is there" {
	for n in 1 2 3; do
		cinta_mount
		[ -d "$M/sessions/x" ] || mkdir "$M/sessions/x"
		python3 "$HERE/acknowledged.py" "$M/sessions/x/log.jsonl" "$T/acked.$n" "t$n" 3>&- &
		writer=$!
		wait_for 5 test -s "$T/acked.$n"
		kill -TERM "$(owner_of "$DB")"
		sleep 0.2
		kill $writer || true
		wait $writer || true
		wait_for 10 not owned "$DB"
		[ -z "$(mounts_below "$T")" ]
		verified
	done
	cinta_mount
	contents "$M/sessions/x/log.jsonl" | sort > "$T/there"
	[ -z "$(comm -23 <(sort "$T"/acked.*) "$T/there")" ]
}
