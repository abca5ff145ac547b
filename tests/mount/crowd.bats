# SPDX-License-Identifier: MIT
# Four processes write at once while others read: every line once, in each
# writer's order, none torn, and `tail -f` saw them all.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; cinta_mount; COUNT=${CINTA_CROWD:-$(many 5000 100000)}; }
teardown() {
	# shellcheck disable=SC2086
	kill ${tail:-} ${reader:-} 2> /dev/null || true
	cinta_teardown
}

# write_all LOG…: the four writers, each to its LOG (the last one given counts for the rest)
write_all() {
	local logs=("$@") i=0 pids=()
	for how in "sh crowd_writer.sh" "python3 crowd_writer.py" "node crowd_writer.mjs" "perl crowd_writer.pl"; do
		${how% *} "$HERE/${how#* }" "${logs[i]:-${logs[-1]}}" "$COUNT" 3>&- &
		pids+=($!)
		i=$((i + 1))
	done
	for pid in "${pids[@]}"; do wait "$pid" || return 1; done
}

all_of_it() { [ "$(wc -l < "$1")" -ge "$2" ]; }

@test "four processes into one session, with tail -f, grep -c and wc -l beside" {
	mkdir "$M/sessions/x"
	log=$M/sessions/x/log.jsonl
	tail -n +1 -f "$log" > "$T/tail" 3>&- &
	tail=$!
	(last=0
	while [ ! -e "$T/over" ]; do
		now=$(wc -l < "$log") whole=$(grep -c '"hash":"[0-9a-f]\{64\}"}$' "$log") later=$(wc -l < "$log")
		[ "$last" -le "$now" ] && [ "$now" -le "$whole" ] && [ "$whole" -le "$later" ] ||
			echo "$last $now $whole $later" >> "$T/wrong"
		last=$later
		echo . >> "$T/rounds"
	done) 3>&- &
	reader=$!
	write_all "$log"
	touch "$T/over"
	wait $reader
	[ ! -e "$T/wrong" ] || { cat "$T/wrong"; false; }
	[ "$(wc -l < "$T/rounds")" -ge 3 ]
	"$HERE/crowd_check.py" "$log" shell="$COUNT" python="$COUNT" node="$COUNT" perl="$COUNT"
	wait_for 15 all_of_it "$T/tail" $((4 * COUNT))
	kill $tail
	cmp "$T/tail" "$log"
	[ "$(grep -c '^' "$M/errors.log")" -eq 0 ]
	cinta_umount
	verified
}

@test "each size told while a log grows is the end of a line" {
	mkdir "$M/sessions/x"
	say x first
	"$HERE/line_ends.py" "$M/sessions/x/log.jsonl" $((4 * COUNT))
}

@test "four processes into four sessions and a shared thread's readers" {
	COUNT=$((COUNT / 2))
	mkdir "$M"/sessions/{a,b,c,d}
	write_all "$M"/sessions/{a,b,c,d}/log.jsonl
	"$HERE/crowd_check.py" "$M/sessions/a/log.jsonl" shell="$COUNT"
	"$HERE/crowd_check.py" "$M/sessions/b/log.jsonl" python="$COUNT"
	"$HERE/crowd_check.py" "$M/sessions/c/log.jsonl" node="$COUNT"
	"$HERE/crowd_check.py" "$M/sessions/d/log.jsonl" perl="$COUNT"
	[ "$(wc -l < "$M/.cinta/tape.jsonl")" -eq $((4 * COUNT + 5)) ]
	cinta_umount
	verified
}

@test "a crowd of mkdir: each name once" {
	for i in 1 2 3 4; do
		(for n in $(seq 50); do mkdir "$M/sessions/s$n" 2> /dev/null && echo "$n"; done > "$T/made.$i") 3>&- &
	done
	wait
	[ "$(cat "$T"/made.* | sort -n | uniq | wc -l)" -eq 50 ]
	[ "$(cat "$T"/made.* | wc -l)" -eq 50 ]
	[ "$(find "$M/sessions" -mindepth 1 -maxdepth 1 -type d | wc -l)" -eq 50 ]
	cinta_umount
	verified
}
