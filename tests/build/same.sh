#!/bin/bash
# SPDX-License-Identifier: MIT
# Equal sources give equal bytes: the program is built in two directories, once with the
# objects elsewhere, without git, and compared.  Without optimization, which takes half the time.
# TAP.
set -eu
cd "$(dirname "$0")/../.."
base=$(mktemp -d "${CINTA_TEST_BASE:-/var/tmp}/cinta-same.XXXXXX")
trap 'rm -rf "$base"' EXIT
mkdir -p "$base/one" "$base/another, deeper/two" "$base/objects"
build() { # DIRECTORY [MAKE-WORD…]
	local dir=$1
	shift
	cp -a Makefile fs store render mount "$dir"
	env -u MAKEFLAGS -u CPPFLAGS GIT_DIR=/nonexistent \
		make -s -C "$dir" -j2 CFLAGS=-O0 CPPFLAGS=-D_FORTIFY_SOURCE=0 "$@" all >&2
}
build "$base/one"
build "$base/another, deeper/two" B="$base/objects"
if cmp "$base/one/build/cinta" "$base/objects/cinta" >&2; then
	echo 'ok 1 two directories, equal programs'
else
	echo 'not ok 1 two directories, equal programs'
	exit 1
fi
if strings -a "$base/one/build/cinta" | grep -F "$base" >&2; then
	echo 'not ok 2 no directory of the builder is in the program'
	exit 1
fi
echo 'ok 2 no directory of the builder is in the program'
echo 1..2
