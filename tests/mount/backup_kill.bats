# SPDX-License-Identifier: MIT
# cinta backup that is killed or finds no room: its FILE is a whole memory or is not there, and the
# next one makes it.  And what a clock before 1970 does to all that writes.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() {
	umount -l "$T/disk" 2> /dev/null || true
	cinta_teardown
}

fill() {
	cinta_mount
	say x 'hello there'
	echo 'a note' > "$M/notes/a.md"
	cinta_umount
	mkdir -p "$T/copies"
}

@test "kill -9 at each step: FILE is whole or not there, and the next one makes it" {
	strace -o /dev/null true || skip 'strace may not trace here'
	fill
	copy=$T/copies/copy.db deaths=0
	for call in mkdir unlinkat renameat2 rmdir fsync fdatasync pwrite64; do
		for n in 1 2 3 5 8 12 16 $(many '40 90' "$(seq 20 400)"); do
			rm -f "$copy"
			run strace -f -o /dev/null -e trace=$call -e inject=$call:signal=SIGKILL:when="$n" \
				"$CINTA" backup "$copy" "$DB"
			[ "$status" -ne 0 ] || break
			deaths=$((deaths + 1))
			ls "$T/copies" > "$T/left"
			not grep -vxE 'copy.db|copy.db.unfinished' "$T/left"
			if [ -e "$copy" ]; then
				[[ $("$CINTA" verify "$copy") == OK* ]]
				rm "$copy"
			fi
			rm -f "$copy"-wal "$copy"-shm "$copy.side"
			"$CINTA" backup "$copy" "$DB" > "$T/said"
			grep -q "^$copy: OK" "$T/said"
			[ "$(ls "$T/copies")" = copy.db ]
		done
	done
	echo "$deaths deaths"
	[ $deaths -gt 10 ]
}

@test "two of the same FILE at once: one makes it; what is not ours stays" {
	fill
	mkdir "$T/copies/c.db.unfinished"
	flock "$T/copies/c.db.unfinished" sleep 3 3>&- &
	wait_for 5 not flock -n "$T/copies/c.db.unfinished" true
	run -1 "$CINTA" backup "$T/copies/c.db" "$DB"
	[[ $output == *'another backup is making this file'* ]]
	wait
	"$CINTA" backup "$T/copies/c.db" "$DB"
	[ "$(ls "$T/copies")" = c.db ]
	echo mine > "$T/copies/d.db.unfinished"
	run -1 "$CINTA" backup "$T/copies/d.db" "$DB"
	[ "$(cat "$T/copies/d.db.unfinished")" = mine ]
}

@test "no room: said, and nothing left" {
	[ "$(id -u)" -eq 0 ] || skip 'mounts a disk of its own: for root'
	fill
	mkdir "$T/disk"
	mount -t tmpfs -o size=100k cinta-test "$T/disk"
	run -1 "$CINTA" backup "$T/disk/copy.db" "$DB"
	[[ $output == *'make room'* ]]
	[ -z "$(ls -A "$T/disk")" ]
}

@test "before 1970: what is written has the first date there is" {
	find /usr/lib /usr/local/lib -name libfaketimeMT.so.1 2> /dev/null | grep -q . || skip 'no libfaketime'
	export FAKETIME='@1969-12-31 00:00:00'
	by_clock "$CINTA" init "$DB"
	echo '{"role":"user","content":"one"}' | by_clock "$CINTA" append -p -d "$DB" sessions/x/log.jsonl
	echo text | by_clock "$CINTA" write -d "$DB" notes/a.md
	by_clock "$CINTA" redact --yes --reason 'it was wrong' notes/a.md "$DB"
	verified
	"$CINTA" cat -d "$DB" sessions/x/log.jsonl > "$T/log"
	grep -q '"timestamp":"1970-01-01T00:00:00' "$T/log"
}
