# SPDX-License-Identifier: MIT
# Files beside the database that are not what they should be: torn, empty, a directory, a FIFO, not
# to be written.  None is waited for; what is kept there is said not to be kept, and what to do.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	say x one
	echo '# A note' > "$M/notes/a.md" 2> /dev/null || { mkdir "$M/notes" && echo '# A note' > "$M/notes/a.md"; }
	grep -q one "$M/search/one.md"
	wait_for 10 test -e "$DB.checkpoint"
	cinta_umount
}
teardown() {
	chattr -i "$DB".* 2> /dev/null || true
	cinta_teardown
}

# spoil FILE HOW
spoil() {
	rm -rf "$1" "$1"-wal "$1"-shm
	case $2 in
	directory) mkdir "$1" ;;
	fifo) mkfifo "$1" ;;
	empty) : > "$1" ;;
	torn) head -c 5000 /dev/urandom > "$1" ;;
	immutable) : > "$1" && { chattr +i "$1" 2> /dev/null || { rm "$1" && return 1; }; } ;;
	esac
}

# works: the memory reads, takes a line, verifies, is put away; nothing is waited for
works() {
	local before
	before=$(wc -l < "$M/sessions/x/log.jsonl")
	[ "$(cat "$M/notes/a.md")" = '# A note' ]
	timeout 30 bash -c 'echo "{\"content\":\"more\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" -eq $((before + 1)) ]
	timeout 60 grep -q one "$M/search/one.md"
	timeout 30 cat "$M/errors.log" "$M/.cinta/status.json" > /dev/null
}

@test "DB.side, .search, .vectors of any kind: no verb hangs, the memory works" {
	for part in side search vectors; do
		for how in directory fifo empty torn immutable; do
			echo "$part: $how"
			spoil "$DB.$part" $how || continue
			timeout 60 "$CINTA" mount "$DB" "$M"
			works
			timeout 30 "$CINTA" status "$DB" > /dev/null
			timeout 60 "$CINTA" search "$DB" one > /dev/null
			[[ $(timeout 30 "$CINTA" verify --all "$DB") == OK* ]]
			timeout 60 "$CINTA" umount "$M"
			timeout 60 "$CINTA" rebuild "$DB" || [ "$part" = search ]
			timeout 60 "$CINTA" doctor "$DB" > /dev/null || true
			chattr -i "$DB.$part" 2> /dev/null || true
			rm -rf "$DB.$part"
		done
	done
}

told() { grep -q "\"trouble\": \"$1: " "$M/.cinta/status.json"; }
untroubled() { grep -q '"trouble": null' "$M/.cinta/status.json"; }

@test "DB.side that cannot be used: status, errors.log and DB.log say so, and it is mended at once" {
	for how in directory fifo torn; do
		echo "$how"
		spoil "$DB.side" $how
		: > "$DB.log"
		cinta_mount
		run bash -c 'echo "{no json" >> "$0"' "$M/sessions/x/log.jsonl"
		[ "$status" -ne 0 ]
		wait_for 5 told side
		grep -q 'DB.side cannot be used.*move it away' "$M/errors.log"
		wait_for 5 grep -q 'side: DB.side' "$DB.log"
		rm -rf "$DB.side"
		run bash -c 'echo "{no json" >> "$0"' "$M/sessions/x/log.jsonl"
		wait_for 5 untroubled
		grep -q 'EINVAL' "$M/errors.log"
		cinta_umount
	done
}

@test "a sidecar that cannot be written is told, tried again, and written when it can be" {
	for how in directory immutable; do
		echo "$how"
		if [ $how = directory ]; then
			spoil "$DB.checkpoint" $how
		else
			chattr +i "$DB.checkpoint" 2> /dev/null || continue
		fi
		timeout 30 "$CINTA" mount "$DB" "$M"
		say x "$how"
		wait_for 20 told sidecar
		wait_for 5 grep -q 'SIDECAR.*DB.checkpoint cannot be used' "$M/errors.log"
		wait_for 5 grep -q 'sidecar: ' "$DB.log"
		rmdir "$DB.checkpoint" || chattr -i "$DB.checkpoint"
		wait_for 5 untroubled
		[ "$(sed -n 2p "$DB.checkpoint")" -gt 0 ]
		cinta_umount
	done
	verified
}

@test "a torn or empty sidecar: read-only, with what to do, and then all is well" {
	for how in torn empty; do
		spoil "$DB.checkpoint" $how
		run cinta_mount
		echo "$output"
		[ "$status" -eq 0 ]
		grep -q 'FORK.*move DB.checkpoint away and mount anew' "$M/.cinta/status.json"
		run bash -c 'echo "{\"content\":\"no\"}" >> "$0"' "$M/sessions/x/log.jsonl"
		[[ $output == *'Read-only file system'* ]]
		cinta_umount
		mv "$DB.checkpoint" "$T/kept"
		cinta_mount
		say x again
		cinta_umount
		verified
	done
}

@test "an emptied or lost file beside its log: nobody makes another there, nor takes the log away" {
	cinta_mount
	echo kept > "$M/notes/a.md"
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	"$CINTA" umount "$M"
	[ -s "$DB-wal" ]
	"$CINTA" init "$T/other.db" > /dev/null
	"$CINTA" export --tape "$T/other.db" > "$T/lines"
	cp -a "$DB" "$T/file"
	cp -a "$DB-wal" "$T/log"
	"$CINTA" doctor "$DB" || :
	cmp "$DB" "$T/file"
	cmp "$DB-wal" "$T/log"
	for how in empty gone; do
		[ $how = gone ] && rm "$DB" || : > "$DB"
		for verb in doctor status verify rebuild init; do
			run ! "$CINTA" $verb "$DB"
			cmp "$DB-wal" "$T/log"
			[ $how = gone ] || [[ $output == *'empty or gone, and its -wal is of a memory that was there'* ]]
		done
		for verb in "import --exact $T/other.db" "import --exact $T/lines" "rebuild --salvage"; do
			[ "$verb" != 'rebuild --salvage' ] && set -- "$DB" || set -- "$DB" "$T/other.db"
			run -1 "$CINTA" $verb "$@"
			[[ $output == *'is there, of another memory; name another file, or move it away'* ]]
			cmp "$DB-wal" "$T/log"
			[ $how = gone ] || [ -f "$DB" ]
		done
		run -1 "$CINTA" mount "$DB" "$M"
		[[ $output == *'empty or gone, and its -wal is of a memory that was there; put the file, or a copy, back'* ]]
	done
	cp -a "$T/file" "$DB"
	cinta_mount
	[ "$(cat "$M/notes/a.md")" = kept ]
}

@test "a FIFO for a sidecar, a lock, a log, a -wal: nothing is waited for" {
	for part in .checkpoint .log -wal .lock; do
		echo "$part"
		rm -rf "$DB$part"
		mkfifo "$DB$part"
		timeout 30 "$CINTA" verify "$DB" > /dev/null || [ $? -ne 124 ]
		timeout 30 "$CINTA" status "$DB" > /dev/null || [ $? -ne 124 ]
		run timeout 30 "$CINTA" mount "$DB" "$M"
		echo "$output"
		if [ "$status" -eq 0 ]; then
			works
			cinta_umount
		else
			[ "$status" -eq 1 ]
			[[ $output == *remove* || $output == *doctor* || $output == *check* ]]
		fi
		rm -f "$DB$part"
	done
	cinta_mount
	works
	cinta_umount
	verified
}

@test "verify of a copy changes no byte, and leaves no file beside it" {
	local copy=$T/copies/copy.db as
	mkdir "$T/copies"
	for as in verify 'verify --all'; do
		cp "$DB" "$copy"
		sha256sum "$copy" > "$T/sum"
		# shellcheck disable=SC2086
		[[ $("$CINTA" $as "$copy") == OK* ]]
		sha256sum --quiet -c "$T/sum"
		[ "$(ls "$T/copies")" = copy.db ]
	done
	# a copy with its log: what is read from there stays there
	cinta_mount
	echo more >> "$M/notes/a.md"
	cp "$DB" "$copy"
	cp "$DB-wal" "$copy-wal"
	cinta_umount
	[ -s "$copy-wal" ]
	sha256sum "$copy" "$copy-wal" > "$T/sum"
	[[ $("$CINTA" verify --all "$copy") == OK* ]]
	sha256sum --quiet -c "$T/sum"
}
