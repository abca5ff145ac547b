# SPDX-License-Identifier: MIT
# A memory where nothing can be written: a read-only disk, an auditor's copy, another user's file.
# It is mounted with -o ro, verified, searched; and not a byte, a time or a name there changes.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	[ "$(id -u)" -eq 0 ] || skip 'mounts disks of its own: for root'
	mkdir "$T/db" "$T/view"
	DB=$T/db/memory.db
	cinta_mount
	say x 'the quick fox'
	mkdir -p "$M/notes"
	echo 'a fox in a note' > "$M/notes/a.md"
	echo KEY=1 > "$M/notes/.env"
	grep -q fox "$M/search/fox.md"
}
teardown() {
	clean_below "$T"
	umount -l "$T/view" 2> /dev/null || true
	cinta_teardown
}

killed() {
	# what stands beside the memory is kept twice a second
	wait_for 5 grep -q 'KEY=1' "$DB.side-wal"
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	[ -s "$DB-wal" ]
}

# footprint: every name in the view with mode, size, times and bytes
footprint() {
	(cd "$T/view" && find . -printf '%y %m %s %T@ %C@ %p\n' | sort -k6 &&
		find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

# reads AS…: each verb that only reads, by the user that AS becomes
reads() {
	local DB=$T/view/memory.db
	footprint > "$T/before"
	"$@" "$CINTA" status "$DB" > "$T/status"
	grep -q '^entries *[5-9]' "$T/status"
	[[ $("$@" "$CINTA" verify "$DB") == OK* ]]
	[[ $("$@" "$CINTA" verify --all "$DB") == OK* ]]
	"$@" "$CINTA" search "$DB" fox | grep -q 'sessions/x'
	"$@" "$CINTA" doctor "$DB" > "$T/doctor" || true
	grep -q 'checkpoint' "$T/doctor"
	"$@" "$CINTA" mount -o ro "$DB" "$M"
	[ "$(contents "$M/sessions/x/log.jsonl")" = 'the quick fox' ]
	[ "$(cat "$M/notes/a.md")" = 'a fox in a note' ]
	[ "$(cat "$M/notes/.env")" = 'KEY=1' ]
	grep -q fox "$M/search/fox.md"
	cat "$M/errors.log" "$M/context.md" "$M/.cinta/status.json" > /dev/null
	run bash -c 'echo "{\"content\":\"x\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	"$@" "$CINTA" umount "$M"
	footprint | diff "$T/before" -
}

bind_read_only() {
	mount --bind "$T/db" "$T/view"
	mount -o remount,bind,ro "$T/view"
}

@test "a read-only disk, unmounted before" {
	cinta_umount
	bind_read_only
	reads env
}

@test "a read-only disk, with the log that a kill left" {
	killed
	bind_read_only
	reads env
}

@test "a read-only copy of database and log without the index beside them" {
	killed
	rm "$T"/db/*-shm
	bind_read_only
	reads env
}

@test "a copy of the database alone" {
	cinta_umount
	find "$T/db" -name 'memory.db.*' ! -name '*.side' -delete
	bind_read_only
	reads env
}

@test "another user, who may read the files and write nothing" {
	for how in killed cinta_umount; do
		$how
		[ -z "$(mounts_below "$T")" ] || umount -l "$M"
		chmod 711 "$T"
		chmod 755 "$T/db" "$T/home"
		chmod -R a+rX "$T/db" "$HOME"
		chmod 777 "$T/run" "$M"
		mount --bind "$T/db" "$T/view"
		reads_but_mount setpriv --reuid=65534 --regid=65534 --clear-groups --
		umount "$T/view"
		chmod 700 "$T/run"
		cinta_mount
	done
}

# The container's /dev/fuse is root's alone: the verbs, not the mount.
reads_but_mount() {
	local DB=$T/view/memory.db
	footprint > "$T/before"
	"$@" "$CINTA" status "$DB" | grep '^entries *[5-9]'
	vkey=$("$@" "$CINTA" pubkey "$DB")
	[[ $("$@" "$CINTA" verify --vkey "$vkey" "$DB") == OK* ]]
	[[ $("$@" "$CINTA" verify --all --vkey "$vkey" "$DB") == OK* ]]
	"$@" "$CINTA" search "$DB" fox | grep -q 'sessions/x'
	footprint | diff "$T/before" -
}

@test "without -o ro the mount is refused, and says what to type" {
	cinta_umount
	bind_read_only
	run "$CINTA" mount "$T/view/memory.db" "$M"
	[ "$status" -eq 1 ]
	[[ $output == *'mount with -o ro'* ]]
}
