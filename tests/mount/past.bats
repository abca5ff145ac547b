# SPDX-License-Identifier: MIT
# .cinta/at/TIME: the whole tree as it was.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; cinta_mount; }
teardown() { cinta_teardown; }

# newest: the time of the newest entry, as a name below .cinta/at
newest() {
	tail -n 1 "$M/.cinta/tape.jsonl" | python3 -c 'import sys, json, time
us = json.load(sys.stdin)["time_us"]
print(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(us // 1000000)) + ".%06dZ" % (us % 1000000))'
}
at() { echo "$M/.cinta/at/$1"; }

# forget DIR: of each copy's errors.log what is too old to be kept by now (the newest 1,000 lines are)
forget() {
	local oldest f
	oldest=$(head -n 1 "$M/errors.log" | cut -d' ' -f1)
	for f in "$1"/*/tree/errors.log; do
		awk -v oldest="$oldest" '$1 >= oldest' "$f" > "$T/kept"
		touch -r "$f" "$T/kept"
		cp -p "$T/kept" "$f"
	done
}

# same_as_copies DIR: each copy there is what the mount shows of its time, but for pages of now
same_as_copies() {
	local when name forgotten
	for when in $(ls "$1"); do
		forgotten=() # by these two, which have their times by it
		[ -s "$1/$when/tree/errors.log" ] || forgotten=(! -name errors.log ! -name rejected)
		diff -r --no-dereference -x context.md -x dashboard.md "$1/$when/tree" "$(at "$when")" || return 1
		for name in $(ls "$1/$when/refs"); do
			cmp "$1/$when/refs/$name" "$(at "$when")/sessions/$name/refs.jsonl" || return 1
		done
		diff <(cd "$1/$when/tree" && find . ! -name context.md ! -name dashboard.md "${forgotten[@]}" -printf '%P %T@\n' | sort) \
			<(cd "$(at "$when")" && find . "${forgotten[@]}" -printf '%P %T@\n' | sort) || return 1
	done
}

@test "at 20 moments of many changes: the same as copies taken then, before and after a mount" {
	mkdir "$T/copies"
	python3 "$HERE/past_changes.py" "$M" "$T/copies" "$(many 1000 20000)" 20 "${CINTA_SEED:-7}"
	[ "$(ls "$T/copies" | wc -l)" -eq 20 ]
	forget "$T/copies"
	same_as_copies "$T/copies"
	cinta_umount
	cinta_mount
	same_as_copies "$T/copies"
	cinta_umount
	verified
}

@test "times: shapes, what is none, before the tape, the future" {
	[ -z "$(ls -A "$(at)")" ]
	for name in x 2026 2026-1-1 2026-13-01 2026-02-30 2026-01-01T 2026-01-01Z 2026-01-01T10 2026-01-01T25:00 \
		2026-01-01T10:00:00.Z 2026-01-01T10:00:00.1234567Z ' 2026-01-01' 2026-01-01T10:00:00+01:00; do
		run ! stat "$(at "$name")"
	done
	say a one
	for name in 2099-01-01 2099-01-01T10:00 2099-01-01T10:00Z 2099-01-01T10:00:00 2099-01-01T10:00:00Z \
		2099-01-01T10:00:00.5Z 2099-01-01T10:00:00.123456Z; do
		cmp "$M/sessions/a/log.jsonl" "$(at "$name")/sessions/a/log.jsonl"
	done
	before=$(at 2001-01-01)
	[ -z "$(ls "$before/sessions" "$before/notes" | grep -v :)" ]
	[ "$(ls "$before" | tr '\n' ' ')" = "$(ls "$M" | grep -vx 'context.md\|dashboard.md' | tr '\n' ' ')" ]
	cmp "$M/README.md" "$before/README.md"
	[ ! -e "$before/sessions/current" ]
	[ ! -e "$before/.cinta" ]
	# The future follows.
	say a two
	cmp "$M/sessions/a/log.jsonl" "$(at 2099-01-01)/sessions/a/log.jsonl"
	echo new > "$M/notes/new.md"
	[ "$(cat "$(at 2099-01-01)/notes/new.md")" = new ]
	[ "$(ls "$(at 2099-01-01)/notes")" = new.md ]
	today=$(date -u +%F)
	ls "$(at "$today")/notes"
	echo newer > "$M/notes/newer.md"
	[ "$(ls "$(at "$today")/notes" | wc -l)" -eq 2 ]
}

@test "names, bytes and sessions/current as they were" {
	mkdir "$M/notes/old"
	echo one > "$M/notes/old/a.md"
	say first x
	t1=$(newest)
	mv "$M/notes/old/a.md" "$M/notes/b.md"
	mv "$M/notes/old" "$M/notes/new"
	echo two > "$M/notes/b.md"
	say second y
	t2=$(newest)
	mkdir "$M/sessions/third"
	echo other > "$M/notes/c.md"
	mv "$M/notes/c.md" "$M/notes/b.md"
	[ "$(cat "$(at "$t1")/notes/old/a.md")" = one ]
	[ "$(ls "$(at "$t1")/notes")" = old ]
	[ "$(readlink "$(at "$t1")/sessions/current")" = first ]
	[ "$(cat "$(at "$t2")/notes/b.md")" = two ]
	[ "$(ls "$(at "$t2")/notes" | tr '\n' ' ')" = 'b.md new ' ]
	[ -z "$(ls "$(at "$t2")/notes/new")" ]
	[ "$(readlink "$(at "$t2")/sessions/current")" = second ]
	[ "$(cat "$(at "$t2")/smma/session_log.jsonl" | wc -l)" -eq 1 ]
	[ ! -e "$(at "$t2")/sessions/third" ]
	[ "$(cat "$M/notes/b.md")" = other ]
	grep -q y "$(at "$t2")/sessions/second/messages/000001.md"
	say second z
	[ "$(ls "$(at "$t2")/sessions/second/messages")" = 000001.md ]
	run ! stat "$(at "$t2")/sessions/second/messages/000002.md"
	# What was can be had again.
	cp "$(at "$t1")/notes/old/a.md" "$M/notes/b.md"
	[ "$(cat "$M/notes/b.md")" = one ]
}

@test "ctl as it was, with the time of the last operation on the window" {
	local line
	for i in 1 2 3; do say s "$i"; done
	for line in 'prune 1' 'refer 3 context:2' 'prune 1' 'window auto' 'pin 2' 'refer 3 context:1' reset; do
		echo "$line" > "$M/sessions/s/ctl"
		cp -p "$M/sessions/s/ctl" "$T/ctl.$(newest)"
	done
	[ "$(sed -n 's/^changed //p' "$T"/ctl.* | sort -u | wc -l)" = 5 ]
	for line in "$T"/ctl.*; do
		cmp "$(at "${line##*ctl.}")/sessions/s/ctl" "$line"
		[ "$(stat -c %Y "$(at "${line##*ctl.}")/sessions/s/ctl")" = "$(stat -c %Y "$line")" ]
	done
}

@test "the past cannot be written, and a refusal names the path in it" {
	mkdir "$M/notes/d"
	echo one > "$M/notes/d/a.md"
	say s x
	t=$(newest)
	mv "$M/notes/d/a.md" "$M/notes/d/b.md"
	p=$(at "$t")
	before=$(census "$p")
	for try in 'echo x > "$0/notes/d/a.md"' 'echo x >> "$0/sessions/s/log.jsonl"' 'echo x > "$0/notes/new.md"' \
		'mkdir "$0/notes/x"' 'mkdir "$0/sessions/x"' 'rm "$0/notes/d/a.md"' 'rmdir "$0/notes/d"' \
		'mv "$0/notes/d/a.md" "$0/notes/d/c.md"' 'mv -T "$0/notes/d/a.md" "$1/notes/c.md"' \
		'mv "$1/notes/d/b.md" "$0/notes/"' 'ln "$0/notes/d/a.md" "$1/notes/c.md"' 'ln -s x "$0/notes/l"' \
		'truncate -s 0 "$0/notes/d/a.md"' 'rm "$0/errors.log"' 'mkdir "$0/../2099-02-02"' \
		'mv "$0" "$0/../2026-01-01"' 'rm "$0/sessions/current"' 'mkfifo "$0/f"'; do
		run bash -c "$try" "$p" "$M"
		echo "$try: $output"
		[ "$status" -ne 0 ]
	done
	[ "$(census "$p")" = "$before" ]
	[ ! -e "$M/notes/c.md" ]
	[ -e "$M/notes/d/b.md" ]
	grep -q "EPERM open .cinta/at/$t/notes/d/a.md " "$M/errors.log"
	grep -q "EPERM unlink .cinta/at/$t/notes/d/a.md " "$M/errors.log"
	grep -q "EPERM mkdir .cinta/at/$t/notes/x " "$M/errors.log"
	grep -q "EPERM rename .cinta/at/$t" "$M/errors.log"
	[ ! -s "$p/errors.log" ]
	[ "$(stat -c %a "$p/notes/d/a.md")" = 400 ]
}

@test "refusals and what was offered, as of then" {
	say s x
	run bash -c 'echo bad >> "$0"' "$M/sessions/s/log.jsonl"
	t=$(tail -n 1 "$M/errors.log" | cut -d' ' -f1)
	cp -a "$M" "$T/copy"
	run bash -c 'echo worse >> "$0"' "$M/sessions/s/log.jsonl"
	say s y
	diff -r --no-dereference -x context.md -x dashboard.md "$T/copy" "$(at "$t")"
	[ "$(ls "$(at "$t")/rejected" | wc -l)" -eq 2 ]
	[ "$(ls "$(at 2099-01-01)/rejected" | wc -l)" -eq 4 ]
	# A secret pasted by mistake goes from the past as well.
	rm "$M"/rejected/*log.jsonl
	run bash -c 'cat "$0"/*' "$(at "$t")/rejected"
	[[ $output != *bad* ]]
	run cat "$(at "$t")/rejected/$(ls "$T/copy/rejected" | head -n 1)"
	[ "$status" -ne 0 ]
}

@test "on a read-only mount, and for a long log read at once" {
	python3 -c 'for n in range(20000): print("{\"content\":\"%d %s\"}" % (n, "x" * (n % 90)))' > "$T/lines"
	mkdir "$M/sessions/long"
	head -c 400000 "$T/lines" | sed '$d' >> "$M/sessions/long/log.jsonl"
	cat "$M/sessions/long/log.jsonl" > "$T/log"
	cat "$M/sessions/long/transcript.md" > "$T/text"
	t=$(newest)
	tail -n 5000 "$T/lines" >> "$M/sessions/long/log.jsonl"
	cmp "$T/log" "$(at "$t")/sessions/long/log.jsonl"
	cmp "$T/text" "$(at "$t")/sessions/long/transcript.md"
	mkdir "$T/ro"
	"$CINTA" mount -o ro "$DB" "$T/ro"
	cmp "$T/log" "$T/ro/.cinta/at/$t/sessions/long/log.jsonl"
	cmp "$T/text" "$T/ro/.cinta/at/$t/sessions/long/transcript.md"
	diff -r --no-dereference "$(at "$t")" "$T/ro/.cinta/at/$t"
	say long more
	cmp "$M/sessions/long/log.jsonl" "$T/ro/.cinta/at/2099-01-01/sessions/long/log.jsonl"
}

@test "a page that takes several reads is the one of its time, to its end, also while it changes" {
	python3 -c 'for n in range(1500): print("- Tool %d is kept in room %d of the house by the harbour." % (n, n % 7))' > "$M/facts/work.md"
	cat "$M/facts/facts.jsonl" > "$T/then"
	[ "$(wc -c < "$T/then")" -gt 300000 ]
	t=$(newest)
	(for n in $(seq 50); do echo "- Room $n is closed." >> "$M/facts/work.md"; done) &
	cmp "$T/then" "$(at "$t")/facts/facts.jsonl"
	wait
	t=$(newest)
	cat "$M/facts/facts.jsonl" > "$T/then"
	cmp "$T/then" "$(at "$t")/facts/facts.jsonl"
	# What is redacted goes from one that was made a moment ago.
	cat "$(at "$t")/facts/facts.jsonl" | grep -q 'Tool 1400 is'
	"$CINTA" redact --match 'Tool 1400 is' --reason 'not ours' --yes "$DB"
	run ! grep 'Tool 1400 is' "$(at "$t")/facts/facts.jsonl"
	grep -q 'Tool 1401 is' "$(at "$t")/facts/facts.jsonl"
}

# shown LINES: what the past has now, by two times that are not over, is all there is
shown() {
	local when
	for when in "$later" 2099-01-01; do
		[ "$(wc -l < "$(at "$when")/sessions/s/log.jsonl")" -eq "$1" ]
		[ "$(ls "$(at "$when")/sessions/s/messages" | wc -l)" -eq "$1" ]
		[ "$(ls "$(at "$when")/notes" | wc -l)" -eq "$1" ]
	done
}

@test "a clock that is set back a little: the past shows all that came, and keeps what it showed" {
	cinta_umount
	mount_with_clock
	later=$(date -u -d '+1 hour' +%FT%T)
	for n in 1 2 3 4 5 6; do
		say s "$n"
		echo "$n" > "$M/notes/$n.md"
		shown "$n"
		t[n]=$(newest)
		cp -a "$(at "${t[n]}")" "$T/then$n"
		case $n in
		2) clock_to -60s ;;
		4) # a refusal that is dated ahead of the entries
			clock_to +60s
			run bash -c 'echo bad >> "$0"' "$M/sessions/s/log.jsonl"
			shown 4
			clock_to +0s ;;
		esac
	done
	ahead=$(tail -n 1 "$M/errors.log" | cut -d' ' -f1)
	[ "$(wc -l < "$(at "$ahead")/errors.log")" -eq 1 ]
	for n in 1 2 3 4 5 6; do
		diff -r --no-dereference -x errors.log -x rejected "$T/then$n" "$(at "${t[n]}")"
	done
}
