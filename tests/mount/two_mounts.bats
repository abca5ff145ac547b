# SPDX-License-Identifier: MIT
# A writer in one mount and readers in another, read-only one of the same memory:
# a line is seen in both as soon as its write has returned, in a storm too; and
# another process that appends to the database itself is noticed.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mkdir "$T/ro"
	cinta_mount
	"$CINTA" mount -o ro "$DB" "$T/ro"
}
teardown() {
	# shellcheck disable=SC2086
	kill ${storm:-} ${one:-} ${two:-} ${three:-} ${readers:-} 2> /dev/null || true
	cinta_teardown
}

@test "each line is seen in both mounts when its write has returned" {
	python3 "$HERE/seen_at_once.py" "$M" "$T/ro" "${CINTA_ROUNDS:-$(many 2000 8000)}"
	cinta_umount "$T/ro"
	cinta_umount
	verified
}

all_of_it() { [ "$(wc -l < "$1")" -ge "$2" ]; }

@test "a storm of appends: no NUL byte, no short line, no old size, tail -f sees all" {
	lines=${CINTA_STORM:-$(many 6000 600000)}
	mkdir "$M/sessions/first"
	python3 "$HERE/storm.py" "$M" "$T/ro" "$lines" 3>&- &
	storm=$!
	wait_for 30 test -e "$M/sessions/storm/log.jsonl"
	tail -n +1 -f "$M/sessions/storm/log.jsonl" > "$T/tail.rw" 3>&- &
	one=$!
	tail -n +1 -f "$T/ro/sessions/storm/log.jsonl" > "$T/tail.ro" 3>&- &
	two=$!
	wait $storm
	wait_for 60 all_of_it "$T/tail.rw" "$lines"
	wait_for 60 all_of_it "$T/tail.ro" "$lines"
	kill $one $two
	cmp "$T/tail.rw" "$M/sessions/storm/log.jsonl"
	"$HERE/grown.py" "$T/tail.ro" "$T/ro/sessions/storm/log.jsonl"
	wait $one $two || true
	cinta_umount "$T/ro"
	cinta_umount
	verified
}

# Many readers in both mounts once waited for each other for ever: each held one of the store's few
# reading connections and wanted a second.  CINTA_READS: how many times each reads all.
@test "many readers of messages/ in both mounts: nobody waits for ever" {
	python3 -c 'for n in range(400): print("{\"role\":\"user\",\"content\":\"number %d %s\"}" % (n, "x" * 3000))' > "$T/lines"
	mkdir "$M/sessions/x"
	cat "$T/lines" >> "$M/sessions/x/log.jsonl"
	for n in 1 2 3 4 5 6 7 8; do
		root=$M
		[ $((n % 2)) = 0 ] && root=$T/ro
		timeout -k 1 60 python3 "$HERE/read_messages.py" "$root/sessions/x/messages" "$n" "${CINTA_READS:-8}" 3>&- &
		readers="${readers:-} $!"
	done
	for pid in $readers; do wait "$pid"; done
	readers=
	cinta_umount "$T/ro"
	cinta_umount
	verified
}

@test "the read-only mount refuses every change with EROFS" {
	say x one
	before=$(census "$T/ro")
	for c in 'rm sessions/x/log.jsonl' 'mkdir sessions/y' 'touch sessions/x/f' 'rmdir sessions/x' 'truncate -s 0 sessions/x/log.jsonl' \
		'mv sessions/x sessions/y' 'chmod 777 README.md' 'ln -s a b' 'tee -a sessions/x/log.jsonl'; do
		run bash -c 'cd "$0" && $1 < /dev/null' "$T/ro" "$c"
		echo "$c: $output"
		[ "$status" -ne 0 ]
		[[ $output == *'Read-only file system'* ]]
	done
	[ "$(census "$T/ro")" = "$before" ]
}

@test "names made in one mount are in the other, though it had looked for them" {
	for n in 1 2 3 4 5 6 7 8; do
		[ "$(ls "$T/ro/sessions" | wc -l)" -eq "$n" ] # the sessions and `current`
		run ! stat "$T/ro/sessions/s$n/log.jsonl"
		mkdir "$M/sessions/s$n"
		[ -f "$T/ro/sessions/s$n/log.jsonl" ]
		[ -d "$M/sessions/s$n" ]
		say "s$n" hello
		[ "$(contents "$T/ro/sessions/s$n/log.jsonl")" = hello ]
		[ "$(readlink "$T/ro/sessions/current")" = "s$n" ]
	done
}

# in_order LOG NAME COUNT: that writer's lines are all there, in its order
in_order() { contents "$1" | grep "^$2 " | cmp - <(seq -f "$2 %.0f" 0 $(($3 - 1))); }

@test "processes that append to the database itself, beside writers in the mount" {
	libs="fuse3 sqlite3 libcrypto jansson zlib"
	cc -std=c17 -D_GNU_SOURCE -I"$HERE/../.." -o "$T/foreign" "$HERE/foreign.c" \
		"$(dirname "$CINTA")/libstore.a" $(pkg-config --cflags --libs $libs) -lstemmer -lpthread -lm
	say x begin
	for root in "$M" "$T/ro"; do # so that the kernel holds all of it
		cat "$root"/sessions/x/{log.jsonl,transcript.md,session.md} > /dev/null
		ls -l "$root/threads" "$root/sessions/x"
	done
	"$T/foreign" "$DB" s1 single 1
	seen() { grep -q '"single 0"' "$1/sessions/x/log.jsonl" && grep -q 'single 0' "$1/threads/far/transcript.md"; }
	wait_for 30 seen "$M"
	wait_for 30 seen "$T/ro"
	"$T/foreign" "$DB" s1 one 1500 3>&- &
	one=$!
	"$T/foreign" "$DB" s1 two 1500 3>&- &
	two=$!
	python3 "$HERE/crowd_writer.py" "$M/sessions/x/log.jsonl" 1500 3>&- &
	three=$!
	"$HERE/crowd_writer.sh" "$M/sessions/x/log.jsonl" 300
	wait $one
	wait $two
	wait $three
	all() { [ "$(wc -l < "$1/sessions/x/log.jsonl")" -eq 4802 ]; }
	wait_for 30 all "$M"
	wait_for 30 all "$T/ro"
	cmp "$M/sessions/x/log.jsonl" "$T/ro/sessions/x/log.jsonl"
	in_order "$M/sessions/x/log.jsonl" one 1500
	in_order "$M/sessions/x/log.jsonl" two 1500
	in_order "$M/sessions/x/log.jsonl" shell 300
	[ "$(wc -l < "$M/threads/far/log.jsonl")" -eq 3001 ]
	[ "$(stat -c %s "$T/ro/sessions/x/transcript.md")" -eq "$(wc -c < "$T/ro/sessions/x/transcript.md")" ]
	cinta_umount "$T/ro"
	cinta_umount
	verified
}

@test "pages that change by themselves are new in the read-only mount, too" {
	mkdir "$M/sessions/x"
	for n in $(seq 100 140); do # of the same size: only the bytes tell
		say x "message number $n"
		for page in sessions/x/context.md smma/dashboard.md .cinta/metrics; do
			until # what is signed meanwhile changes it, too
				cat "$M/$page" > "$T/one"
				cat "$T/ro/$page" > "$T/other"
				cmp -s "$T/one" "$M/$page"
			do :; done
			cmp "$T/one" "$T/other"
		done
		echo "text $n" > "$M/logs/f"
		[ "$(cat "$T/ro/logs/f")" = "text $n" ]
	done
}
