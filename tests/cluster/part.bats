# SPDX-License-Identifier: MIT
# A cable that is pulled: connections stay open and nothing passes.  The other side goes on, who is cut
# off says so and claims nothing, and is there again as soon as the cable is.
bats_require_minimum_version 1.5.0
load ../lib.sh
load pg.sh

teardown() {
	# shellcheck disable=SC2086
	kill ${writers:-} ${proxy:-} 2> /dev/null || true
	cinta_teardown
}

says_behind() { [ "$(jq -r .behind_since "$T/$1/.cinta/status.json")" != null ]; }
is_near() { not says_behind "$1" && synced "$1"; }
not() { ! "$@"; }
ms() { echo $(($(date +%s%N) / 1000000)); }

# asked_while MACHINE END: each answer of sync until then that does not say `behind` has all that was on
# the server when it was asked
asked_while() {
	local before out
	while [ "$(ms)" -lt "$2" ]; do
		before=$(query 'SELECT max(seq) FROM tape.entry')
		out=$(cat "$T/$1/.cinta/sync")
		[[ $out == *behind:* ]] || [ "${out%% *}" -ge "$before" ] || { echo "stale: $out, before it $before"; return 1; }
	done
}

@test "a pulled cable: the other side goes on, nothing stale is called fresh, and it heals by itself" {
	on a "$CINTA" init "$URL"
	through_proxy
	mount_on a
	mount_on b "$FAR"
	line a uno begin
	echo 'ok begin 0' > "$T/notes.0"
	synced a b
	round=1
	writers_on a b
	sleep 1
	mode pull
	began=$(ms)
	asked_while b $((began + $(many 8000 15000)))
	says_behind b
	not says_behind a
	grep -q 'EHOSTDOWN follow' "$T/b/errors.log"
	mode pass
	healed=$(ms)
	wait_for 30 not says_behind b
	healed=$(($(ms) - healed))
	sleep 1
	stop_writers
	wait_for 20 synced a b
	echo "cut off for $(many 8 15) s: the other side stood $(stall "$T"/notes.a?.1) ms at most, healed after $healed ms" >&3
	[ "$(stall "$T"/notes.a?.1)" -lt 5000 ]
	"$BATS_TEST_DIRNAME/check.py" "$T/a/sessions/uno/log.jsonl" "$T"/notes.* >&3
	# each write across it ended as stored, not stored, or unknown and settled by a second line
	unknown=$(grep -c 'EREMOTEIO write' "$T/b/errors.log" || true)
	[ "$(grep -c 'SETTLED write .*the write whose answer' "$T/b/errors.log" || true)" -le "$unknown" ]
	[ "$unknown" = 0 ] || grep -q 'SETTLED write .*the write whose answer' "$T/b/errors.log"
	cmp "$T/a/.cinta/tape.jsonl" "$T/b/.cinta/tape.jsonl"
	umount_on a
	umount_on b
	whole a b
}
