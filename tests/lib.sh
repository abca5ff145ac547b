# SPDX-License-Identifier: MIT
# Helpers for the .bats files: `load ../lib.sh`.  A test gets a directory of its own,
# $T, outside of /tmp (editors treat /tmp specially), with a fresh HOME, a
# database $DB and a mount point $M; teardown leaves no mount and no process.
# shellcheck shell=bash

CINTA=${CINTA:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/build/cinta}

cinta_setup() {
	T=$(mktemp -d "${CINTA_TEST_BASE:-/var/tmp}/cinta-test.XXXXXX")
	DB=$T/memory.db M=$T/memory
	export HOME=$T/home XDG_CONFIG_HOME=$T/home/.config XDG_DATA_HOME=$T/home/.local/share
	export XDG_RUNTIME_DIR=$T/run
	mkdir -p "$M" "$HOME" && mkdir -m 700 "$XDG_RUNTIME_DIR"
}

# mounts_below DIR: our mount points there, the newest first
mounts_below() {
	awk -v d="$1/" '{ for (i = 7; i < NF; i++) if ($i == "-") break
		if ($(i + 1) == "fuse.cinta" && index($5, d) == 1) print $5 }' /proc/self/mountinfo | tac
}

# owner_of DB: the pid of the live process that owns it, or nothing
owner_of() {
	[ -e "$1.lock" ] || return 0
	flock -n "$1.lock" true || head -1 "$1.lock"
}

# wait_for SECONDS COMMAND…: until it succeeds; six times as long, for machines that others use
wait_for() {
	local end=$((SECONDS + 6 * $1))
	shift
	until "$@"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}
# many SHORT LONG: how often a loop runs; the long way in `make test-long`
many() { echo "$([ -n "${CINTA_LONG:-}" ] && echo "$2" || echo "$1")"; }
not() { ! "$@"; }
# by_clock NAME=VALUE… COMMAND…: by libfaketime's clock, as FAKETIME or FAKETIME_TIMESTAMP_FILE say.  A
# program that is killed leaves libfaketime's shared memory, named after its pid, and one that gets the same
# pid later would find it there ("sem_open: File exists"): what the dead left goes first.
by_clock() {
	local fake left
	fake=$(find /usr/lib /usr/local/lib -name libfaketimeMT.so.1 2> /dev/null | head -1)
	[ -n "$fake" ] || { echo 'no libfaketime' && return 1; }
	for left in /dev/shm/*faketime_s*_*; do
		[ -e "/proc/${left##*_}" ] || rm -f "$left" 2> /dev/null || true
	done
	env LD_PRELOAD="$fake" FAKETIME_DONT_FAKE_MONOTONIC=1 "$@"
}
# clock_to TIME: what libfaketime reads next, +25h; whole, for it ends a program that finds less
clock_to() { echo "$1" > "$T/clock.new" && mv "$T/clock.new" "$T/clock"; }
owned() { [ -n "$(owner_of "$1")" ]; }

# clean_below DIR: takes away every mount and every daemon of a database there
clean_below() {
	local m lock pid
	for m in $(mounts_below "$1"); do
		umount -l "$m" 2> /dev/null || fusermount3 -uzq "$m" || true
	done
	while IFS= read -r lock; do
		pid=$(owner_of "${lock%.lock}")
		[ -z "$pid" ] || kill -9 "$pid" 2> /dev/null || true
	done < <(find "$1" -xdev -name '*.lock' -type f 2> /dev/null)
}

cinta_teardown() {
	[ -n "${T:-}" ] || return 0
	# what the daemon said, beside what failed
	[ -n "${BATS_TEST_COMPLETED:-}" ] || [ ! -s "$DB.log" ] || sed 's/^/daemon: /' "$DB.log"
	clean_below "$T"
	rm -rf --one-file-system "$T"
}

# For tests that work inside of a mount: setup and teardown.
inside_setup() { cinta_setup && cinta_mount && cd "$M"; }
inside_teardown() { cd / && cinta_teardown; }

cinta_mount() { "$CINTA" mount "$@" "$DB" "$M"; }
# What a daemon has to write when it ends may take its time where others use the disk; so may
# programs that were told to end.
cinta_umount() {
	local said tries
	for ((tries = 0; tries < 300; tries++)); do
		said=$("$CINTA" umount "${1:-$M}" 2>&1) && return
		[[ $said == *'in use by'* ]] || break
		sleep 0.1
	done
	echo "$said"
	[[ $said == *'is still busy'* ]] || return
	wait_for 20 not owned "$DB" || { threads_of "$(owner_of "$DB")" && return 1; }
}

# threads_of PID: what each thread waits for, of a process that should have ended
threads_of() {
	local task
	for task in "/proc/$1/task/"*; do
		echo "$(cat "$task/comm" "$task/wchan" "$task/syscall" 2> /dev/null | tr '\n\0' '  ')"
	done
	! command -v gdb > /dev/null || gdb -p "$1" -batch -ex 'thread apply all bt 14' 2> /dev/null |
		awk '/^Thread/ { printf "\n%s %s:", $2, $6 } /^#/ { printf " %s", $3 == "in" || $4 == "in" ? $(NF > 4 ? 4 : 3) : $2 } END { print "" }'
}
