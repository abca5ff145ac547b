# SPDX-License-Identifier: MIT
# Input that must be refused: an errno within a second, the mount alive, the
# listing unchanged (the list is in hostile.py).
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; cinta_mount; say x one; }
teardown() { cinta_teardown; }

@test "hostile input: an errno within a second, nothing changes, the mount lives" {
	ulimit -n 4096
	pid=$(owner_of "$DB")
	python3 "$HERE/hostile.py" "$M" > "$T/out" || { grep -v '^ok' "$T/out"; false; }
	[ "$(grep -c '^ok' "$T/out")" -gt 90 ]
	[ "$(owner_of "$DB")" = "$pid" ]
	say x two
	[ "$(contents "$M/sessions/x/log.jsonl")" = $'one\ntwo' ]
	cinta_umount
	verified
}

@test "names at the limit are names: 255 bytes, spaces, quotes, four scripts" {
	long=$(printf 'ñ%.0s' $(seq 127))x
	for name in "$long" 'a b' "it's \"quoted\"" '日本語' 'עברית' -rf '*' 'a;b|c$(d)' '%s%n' COM1; do
		mkdir -- "$M/sessions/$name"
		echo '{"content":"in it"}' >> "$M/sessions/$name/log.jsonl"
		[ "$(contents "$M/sessions/$name/log.jsonl")" = 'in it' ]
		[ "$(readlink "$M/sessions/current")" = "$name" ]
		grep -q 'in it' "$M/smma/session_log.jsonl"
		ls -- "$M/sessions" | grep -qxF -- "$name"
	done
	cinta_umount
	verified
}

@test "random bytes, a megabyte of them: refused or held, never a crash" {
	pid=$(owner_of "$DB")
	before=$(sha256sum < "$M/sessions/x/log.jsonl")
	for i in 1 2 3 4 5 6 7 8; do
		head -c $((i * 131072)) /dev/urandom > "$T/noise"
		run timeout 5 dd if="$T/noise" of="$M/sessions/x/log.jsonl" oflag=append conv=notrunc bs=64k
		[ "$status" -eq 1 ]
	done
	[ "$(sha256sum < "$M/sessions/x/log.jsonl")" = "$before" ]
	[ "$(owner_of "$DB")" = "$pid" ]
}
