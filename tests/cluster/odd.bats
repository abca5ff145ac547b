# SPDX-License-Identifier: MIT
# Machines that are odd: cloned, with a clock that is off, with a full disk; and what two have made of one
# tape is the same, byte for byte, and again when it is made anew.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${writers:-} 2> /dev/null || true
	cinta_teardown
	if mountpoint -q "${SMALL:-/none}"; then umount "$SMALL"; fi
}
sees() { grep -q "$2" "$1" 2> /dev/null; }
# views MACHINE: all tables and rows that are made of the tape, but for the counts of its own readers
views() {
	sqlite3 -bail "$(replica "$1")" ".mode quote" \
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'v\_%' ESCAPE '\' AND name <> 'v_access' ORDER BY name" |
		tr -d "'" | while read -r t; do
			echo "$t"
			sqlite3 -bail "$(replica "$1")" ".mode quote" "SELECT * FROM $t" | LC_ALL=C sort
		done
}

@test "two mounts with four writers each, equal names: both show the same, byte for byte, also made anew" {
	on a "$CINTA" init "$URL"
	mount_on a
	mount_on b
	line a uno begin
	synced a b
	writers=
	for m in a b; do
		for w in 1 2; do
			"$BATS_TEST_DIRNAME/writer.py" "$T/$m/sessions/uno/log.jsonl" "$T/notes.$m$w" "$m$w" "$(many 40 2000)" 3>&- &
			writers+=" $!"
		done
		for w in 3 4; do
			(for ((i = 0; i < $(many 25 600); i++)); do
				echo "$m$w $i" > "$T/$m/notes/n$((i % 7)).md" || echo refused
				mv "$T/$m/notes/n$((i % 7)).md" "$T/$m/notes/m$((i % 5)).md" || echo refused
				mkdir -p "$T/$m/sessions/s$((i % 9))" || echo refused
				echo "- fact $m$w $((i % 4))" >> "$T/$m/facts/work.md" || echo refused
			done > "$T/refused.$m$w" 2>&1) 3>&- &
			writers+=" $!"
		done
	done
	all_ended
	writers=
	echo 'ok begin 0' > "$T/notes.0"
	wait_for 20 synced a b
	"$BATS_TEST_DIRNAME/check.py" "$T/a/sessions/uno/log.jsonl" "$T"/notes.*
	for dir in notes sessions facts; do diff <(ls "$T/a/$dir") <(ls "$T/b/$dir"); done
	[[ $(ls "$T/a/notes") != *+d* ]]
	for f in $(cd "$T/a" && find notes facts -name '*.md'); do cmp "$T/a/$f" "$T/b/$f"; done
	umount_on a
	umount_on b
	whole a b
	views a > "$T/views.a"
	views b > "$T/views.b"
	[ "$(wc -l < "$T/views.a")" -gt 100 ]
	cmp "$T/views.a" "$T/views.b"
	for m in a b; do
		on "$m" "$CINTA" rebuild -q "$(replica "$m")"
		views "$m" | cmp - "$T/views.a"
	done
	whole a b
	mount_on a
	line a uno 'after it was made anew'
	umount_on a
}

@test "a machine that is cloned while it writes: each call counts once, for both" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	cp -a "$T/cache-a" "$T/cache-clone"
	mount_on a
	mount_on clone
	for ((i = 0; i < 15; i++)); do
		line a uno "a$i" &
		line clone uno "c$i"
		wait $!
	done
	wait_for 10 synced a clone
	[ "$(jq -r .content "$T/a/sessions/uno/log.jsonl" | sort -u | wc -l)" = 31 ]
	umount_on a
	umount_on clone
	whole a clone
}

@test "clocks that are an hour off: times are the server's, and go on" {
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	umount_on a
	for off in +1h -1h +1h; do
		echo "{\"content\":\"at $off\"}" | on b by_clock FAKETIME="$off" "$CINTA" append -d "$URL" sessions/uno/log.jsonl
	done
	run -0 query "SELECT bool_and(time_us >= before) FROM (SELECT time_us, lag(time_us, 1, 0::bigint) OVER (ORDER BY seq) AS before FROM tape.entry) q"
	[ "$output" = t ]
	[ "$(query "SELECT max(time_us) / 1000000 <= extract(epoch FROM now()) FROM tape.entry")" = t ]
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 4 ]
	on b "$CINTA" sync -d "$URL"
	whole b
}

@test "a machine whose disk is full takes nothing, reads on, and goes on when there is room" {
	[ "$(id -u)" = 0 ] || skip 'a small disk is mounted by root alone'
	on a "$CINTA" init "$URL"
	mount_on a
	line a uno begin
	SMALL=$T/cache-b
	mkdir "$SMALL"
	mount -t tmpfs -o size=24m tmpfs "$SMALL"
	mount_on b
	line b uno before
	head -c 100m /dev/zero > "$SMALL/fill" 2> /dev/null || true
	run ! line b uno lost
	[ "$(query "SELECT count(*) FROM tape.entry WHERE kind = 'message'")" = 2 ]
	grep -q before "$T/b/sessions/uno/log.jsonl"
	line a uno meanwhile # the other one goes on
	rm "$SMALL/fill"
	wait_for 20 sees "$T/b/sessions/uno/log.jsonl" meanwhile
	line b uno after
	umount_on b
	umount_on a
	whole a b
	umount "$SMALL"
}
