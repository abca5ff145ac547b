# SPDX-License-Identifier: MIT
# Another process changes the memory beside a mount: what its entries are about is new at once, all
# else stays in the kernel's cache; names are given once; sessions/current stays this mount's.
# alone: it compares what two greps cost
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cc -std=c17 -D_GNU_SOURCE -I"$HERE/../.." -o "$T/elsewhere" "$HERE/elsewhere.c" \
		"$(dirname "$CINTA")/libstore.a" $(pkg-config --cflags --libs fuse3 sqlite3 libcrypto jansson zlib) -lstemmer -lpthread -lm
	cinta_mount
	mkdir -p "$T/ro"
}
teardown() {
	kill ${far:-} 2> /dev/null || true
	cinta_teardown
}

far() { "$T/elsewhere" "$DB" "$@"; }
ro_too() { "$CINTA" mount -o ro "$DB" "$T/ro"; }
# cpu: what the daemon has used, in microseconds
cpu() { cat "/proc/$(owner_of "$DB")/task/"*/schedstat | awk '{ sum += $1 } END { printf "%.0f\n", sum / 1000 }'; }
# greps N: what N warm greps over the notes cost the daemon
greps() {
	local before n
	before=$(cpu)
	for ((n = 0; n < $1; n++)); do
		grep -r 'nowhere to be found' "$T/ro/notes" > /dev/null || true
	done
	echo $(($(cpu) - before))
}
# idle TENTHS: what the daemon costs when nobody asks
idle() {
	local before
	before=$(cpu)
	sleep "$(($1 / 10)).$(($1 % 10))"
	echo $(($(cpu) - before))
}

@test "lines elsewhere, twenty a second: a warm grep of other files asks for nothing anew" {
	mkdir "$M/sessions/x"
	say x begin
	count=$(many 500 2000)
	for ((n = 0; n < count; n++)); do echo "note number $n" > "$M/notes/n$n.md"; done
	ro_too
	greps 2 > /dev/null
	quiet=$(greps 5)
	"$T/elsewhere" "$DB" say s1 100000 50 3>&- &
	far=$!
	grew() { [ "$(wc -l < "$T/ro/sessions/x/log.jsonl")" -gt "$1" ]; }
	wait_for 30 grew 5
	start=$SECONDS
	before=$(cpu)
	for n in 1 2 3 4 5; do grep -r 'nowhere to be found' "$T/ro/notes" > /dev/null || true; sleep 0.5; done
	busy=$(($(cpu) - before))
	own=$(idle $(((SECONDS - start) * 10 + 10))) # the writer's rows cost the daemon something whoever reads
	echo "five greps: $quiet us quiet; $busy us beside the writer, of which $own us are the writer's rows"
	lines=$(wc -l < "$T/ro/sessions/x/log.jsonl")
	wait_for 30 grew "$lines"
	kill "$far"
	# A file of which the kernel lets go costs 60 us and more to be read again; the writer's rows cost
	# a third more in one second than in another.
	[ $((busy - own)) -lt $((quiet + count * 5 * 20)) ]
	cinta_umount "$T/ro"
	cinta_umount
	verified
}

@test "documents made, saved, moved elsewhere: the new bytes, the new name, and no old one" {
	ro_too
	one=$(far make one.md first)
	there() { [ "$(cat "$2/notes/one.md" 2> /dev/null)" = "$1" ]; }
	for root in "$M" "$T/ro"; do wait_for 30 there first "$root"; done
	ls "$M/notes" "$T/ro/notes" > /dev/null
	far save "$one" second
	for root in "$M" "$T/ro"; do wait_for 30 there second "$root"; done
	far move "$one" two.md
	gone() { [ "$(ls "$1/notes")" = two.md ] && not test -e "$1/notes/one.md" && [ "$(cat "$1/notes/two.md")" = second ]; }
	for root in "$M" "$T/ro"; do wait_for 30 gone "$root"; done
	far make one.md other > /dev/null
	for root in "$M" "$T/ro"; do wait_for 30 there other "$root"; done
	[ "$(cat "$T/ro/notes/two.md")" = second ]
}

@test "one name, two makers: one document, or a refusal; never a name that nobody gave" {
	count=$(many 150 3000)
	for ((n = 0; n < count; n++)); do echo from > "$M/notes/from$n.md"; done
	far moves from both "$count" > "$T/moved" 3>&- &
	far=$!
	for ((n = 0; n < count; n++)); do
		echo "mine $n" > "$M/notes/both$n.md" || exit 1
	done
	wait "$far"
	ls "$M/notes" | not grep -F '+d'
	[ "$(ls "$M/notes" | grep -c '^both')" -eq "$count" ]
	[ "$(ls "$M/notes" | wc -l)" -eq $((2 * count - $(cat "$T/moved"))) ]
	for ((n = 0; n < count; n++)); do grep -qx "mine $n" "$M/notes/both$n.md"; done
	cinta_umount
	verified
}

@test "sessions/current is what was written to here, after a remount too" {
	say other one
	say mine two
	[ "$(readlink "$M/sessions/current")" = mine ]
	far say s1 3 0
	far_is_here() { [ "$(wc -l < "$M/sessions/other/log.jsonl")" -eq 4 ]; }
	wait_for 30 far_is_here
	[ "$(readlink "$M/sessions/current")" = mine ]
	cinta_umount
	cinta_mount
	[ "$(readlink "$M/sessions/current")" = mine ]
	cinta_umount
	rm -f "$DB.side"
	cinta_mount # nothing says what was written here: the newest of all
	[ "$(readlink "$M/sessions/current")" = other ]
	say mine three
	[ "$(readlink "$M/sessions/current")" = mine ]
}
