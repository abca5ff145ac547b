# SPDX-License-Identifier: MIT
# What is beside a database is for its owner alone, whatever the umask: the lines
# that were refused stand in DB.side, and the key in a file that others must not read.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() {
	# shellcheck disable=SC2086
	kill ${daemon:-} 2> /dev/null || true
	cinta_teardown
}

# open_to_others: files of the memory that group or others can use
open_to_others() { find "$T" -xdev -maxdepth 1 -type f -perm /077 -printf '%f %m\n' && find "$HOME" -xdev -type f -perm /077 -printf '%f %m\n'; }

is_up() { [ -e "$M/README.md" ]; }

in_front() {
	umask 022
	"$CINTA" mount -f "$DB" "$M" 3>&- > /dev/null 2>&1 &
	daemon=$!
	wait_for 20 is_up
}

use_all() {
	mkdir "$M/sessions/x"
	say x one
	run ! bash -c "echo 'my password is sk-SECRET {not json' >> $M/sessions/x/log.jsonl"
	mkdir -p "$M/notes"
	echo '# A note' > "$M/notes/a.md"
	cat "$M/search/note.md" > "$T/found"
	rm "$T/found"
	wait_for 20 test -e "$DB.checkpoint"
}

@test "mount -f under umask 022: all files are private from birth" {
	in_front
	use_all
	for f in "$DB" "$DB-wal" "$DB.side" "$DB.side-wal" "$DB.search" "$DB.checkpoint" "$DB.lock"; do
		[ -e "$f" ]
	done
	run open_to_others
	[ -z "$output" ]
	cinta_umount
}

@test "files that an older cinta made for all to read are narrowed" {
	umask 022
	cinta_mount
	use_all
	cinta_umount
	chmod 644 "$DB.side" "$DB.search" "$DB.checkpoint"
	: > "$DB.side-wal"
	: > "$DB.side-shm" # as a crash leaves them
	chmod 644 "$DB.side-wal" "$DB.side-shm"
	cinta_mount
	say x two
	cat "$M/search/note.md" > /dev/null
	private() { [ -z "$(open_to_others)" ]; }
	wait_for 20 private
	cinta_umount
}

@test "a key that others can read signs nothing, and status says what to type" {
	cinta_mount
	say x one
	key=$(find "$HOME" -name '*.pem')
	[ "$(stat -c %a "$key")" = 600 ]
	cinta_umount
	chmod 640 "$key"
	cinta_mount
	run cat "$M/.cinta/status.json"
	[[ $output == *"key open to others: nothing is signed; type: chmod 600 '$key'"* ]]
	run ! "$CINTA" doctor "$DB"
	[[ $output == *'mode 640'* ]]
	cinta_umount
	chmod 600 "$key"
	cinta_mount
	run cat "$M/.cinta/status.json"
	[[ $output == *'"trouble": null'* ]]
	cinta_umount
}

@test "a FIFO in the place of DB.side is not waited for" {
	cinta_mount
	cinta_umount
	rm -f "$DB".side*
	mkfifo "$DB.side"
	timeout 20 "$CINTA" mount "$DB" "$M"
	say x one
	[ "$(contents "$M/sessions/x/log.jsonl")" = one ]
	cinta_umount
}
