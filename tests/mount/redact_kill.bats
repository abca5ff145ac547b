# SPDX-License-Identifier: MIT
# cinta redact that is killed, or finds no room, in the middle: run again it comes to its end, and
# until then never says that there is nothing left.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	SECRET=sk-live-SECRET-0123456789abcdef
	strace -o /dev/null true || skip 'strace may not trace here'
}
teardown() {
	umount -l "$T/disk" 2> /dev/null || true
	cinta_teardown
}

redact() { "$CINTA" redact --yes --reason 'a leaked key' "$@"; }
holders() { grep -rlaF -- "$SECRET" "$T/w" "$XDG_CONFIG_HOME" 2> /dev/null | sort; }
# fill: a memory with the secret, unmounted, in a directory of its own; kept to begin with again
fill() {
	mkdir "$T/w"
	DB=$T/w/memory.db
	cinta_mount
	say x 'hello there'
	say x "my key is $SECRET"
	printf '{"role":"robot","content":"%s"}\n' "$SECRET" >> "$M/sessions/x/log.jsonl" 2> /dev/null || true
	echo "it is $SECRET" > "$M/notes/a.md"
	cat "$M/search/key.md" > "$T/hits"
	cinta_umount
	cp -a "$T/w" "$T/kept"
	[ -n "$(holders)" ]
}
afresh() {
	rm -rf "$T/w"
	cp -a "$T/kept" "$T/w"
}
# at CALL N WHAT COMMAND…: the Nth such call of each of its threads is WHAT
at() {
	strace -f -o /dev/null -e trace="$1" -e inject="$1:$3:when=$2" "${@:4}"
}
# gone: no byte of it, and the memory holds
gone() {
	[ -z "$(holders)" ] || { holders; return 1; }
	verified
}

# is_half: the bodies are gone, and a byte of it is left.  Of a copy: who opens it tidies up.
is_half() {
	[ -n "$(holders)" ] || return 1
	rm -rf "$T/look"
	cp -a "$T/w" "$T/look"
	[ "$(sqlite3 "$T/look/memory.db" 'SELECT count(*) FROM v_redacted')" -gt 0 ]
}

@test "kill -9 at each step: what runs again takes the rest out, by pattern, path or number" {
	fill
	halves=0
	for call in unlink ftruncate fdatasync pwrite64; do
		first=1 step=$(many 2 1) last=40
		[ $call != pwrite64 ] || first=30 step=$(many 30 1) last=400
		for n in $(seq $first "$step" $last); do
			afresh
			run at $call "$n" signal=SIGKILL "$CINTA" redact --yes --reason 'a leaked key' --match "$SECRET" "$DB"
			[ "$status" -ne 0 ] || break
			is_half || continue
			halves=$((halves + 1))
			run -1 "$CINTA" redact --match "$SECRET" "$DB"
			[[ $output == *'did not come to its end'* ]]
			case $((halves % 3)) in
			0) run -0 redact --match "$SECRET" "$DB" ;;
			1) run -0 redact notes/a.md "$DB" ;;
			2) run -0 redact 3 "$DB" ;;
			esac
			echo "$call $n: $output"
			gone
		done
	done
	echo "$halves halves"
	[ $halves -gt 3 ]
}

@test "without room for the rest it says so, and ends when there is room" {
	[ "$(id -u)" -eq 0 ] || skip 'mounts a disk of its own: for root'
	mkdir "$T/disk"
	fill
	mount -t tmpfs -o size=12m cinta-test "$T/disk"
	rm -r "$T/w"
	cp -a "$T/kept/." "$T/disk"
	ln -s disk "$T/w"
	size=$(stat -c %s "$DB")
	free=$(df --output=avail -B1 "$T/disk" | tail -1)
	head -c $((free - size - 200000)) /dev/zero > "$T/disk/ballast"
	run redact --match "$SECRET" "$DB"
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'the bodies are gone, but not yet all that was made of them'*'make room'* ]]
	rm "$T/disk/ballast"
	redact --match "$SECRET" "$DB" > "$T/said"
	grep -q 'is gone now' "$T/said"
	not grep -rlaF -- "$SECRET" "$T/disk"
	verified
}

@test "what a killed rebuild left goes, too; what one kept is named" {
	fill
	run strace -f -o /dev/null -e trace=fsync -e inject=fsync:signal=SIGKILL:when=1 "$CINTA" rebuild "$DB"
	[ "$status" -ne 0 ]
	grep -qaF -- "$SECRET" "$DB".rebuilt-*
	redact --match "$SECRET" "$DB"
	gone
	not ls "$DB".rebuilt-*
	afresh
	"$CINTA" rebuild --keep "$DB"
	run -0 redact --match "$SECRET" "$DB"
	[[ $output == *"$DB.before-rebuild is from before a rebuild, and is not reached: remove it"* ]]
	rm "$DB.before-rebuild"
	gone
}
