#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mount/packaging/need.sh: only what is missing, no network when all is there, sudo or words.

setup() {
	T=$(mktemp -d "${CINTA_TEST_BASE:-/var/tmp}/cinta-need.XXXXXX")
	NEED=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/mount/packaging/need.sh
	mkdir "$T/bin"
	for tool in sh cat env; do ln -s "$(command -v $tool)" "$T/bin/$tool"; done
	# dpkg knows what $T/installed lists; apt-get installs, once it has been updated.
	fake dpkg-query 'grep -qx -- "$4" "'"$T"'/installed" && printf "ii " || exit 1'
	fake apt-get 'echo "apt-get $*" >> "'"$T"'/asked"
case "$*" in *update*) : > "'"$T"'/lists" ;; *) [ -e "'"$T"'/lists" ] || exit 100 ;; esac'
	fake id 'echo "${FAKE_UID:-0}"'
	ln -s "$(command -v grep)" "$T/bin/grep"
	printf '%s\n' gcc make > "$T/installed"
	: > "$T/asked"
}
teardown() { rm -rf "$T"; }
fake() { printf '#!/bin/sh\n%s\n' "$2" > "$T/bin/$1" && chmod +x "$T/bin/$1"; }
need() { env PATH="$T/bin" FAKE_UID="${FAKE_UID:-0}" "$NEED" 'To bake bread' "$@"; }

@test "all is there: no word, no apt" {
	run need gcc make
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -s "$T/asked" ]
}

@test "root: says what is missing and why, and installs that alone" {
	run need gcc flour make yeast
	[ "$status" -eq 0 ]
	[[ $output == *'To bake bread these packages are missing: flour yeast'* ]]
	grep -qx 'apt-get install -y --no-install-recommends flour yeast' "$T/asked"
	! grep -q gcc "$T/asked"
}

@test "lists that are there are not fetched again" {
	: > "$T/lists"
	need flour
	! grep -q update "$T/asked"
}

@test "a user with sudo: it is used" {
	fake sudo 'echo "sudo $*" >> "'"$T"'/asked"; exec "$@"'
	FAKE_UID=1000 run need flour
	[ "$status" -eq 0 ]
	grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y .* flour$' "$T/asked"
}

@test "a user without sudo: the exact command, and failure" {
	FAKE_UID=1000 run need flour gcc
	[ "$status" -eq 1 ]
	[[ $output == *'apt-get update && apt-get install -y --no-install-recommends flour'* ]]
	! grep -q 'apt-get install -y' "$T/asked"
}

@test "no Debian: says what it takes, and goes on" {
	rm "$T/bin/dpkg-query"
	run need flour
	[ "$status" -eq 0 ]
	[[ $output == *'no Debian'*flour* ]]
}
