#!/bin/bash
# SPDX-License-Identifier: MIT
# The program is built as Debian hardens its own: what an attacker finds in it is of little
# use.  Reads $CINTA and the objects beside it with readelf.  TAP.
set -u
cinta=${CINTA:-build/cinta} objects=${cinta%/*}
n=0 bad=0
# is NAME COMMAND…: a case
is() {
	local name=$1
	shift
	n=$((n + 1))
	if "$@" > /dev/null 2>&1; then echo "ok $n $name"; else echo "not ok $n $name" && bad=1; fi
}
header() { readelf -hlW "$cinta"; }
dynamic() { readelf -dW "$cinta"; }
imports() { readelf --dyn-syms -W "$cinta" | grep -F UND; }
all_marked() { # each object says that it bears CET; the linker drops the mark for crt1.o of Debian
	local o
	while read -r o; do
		readelf -nW "$o" | grep -qF 'IBT, SHSTK' || return 1
	done < <(find "$objects"/{mount,fs,store,render} -name '*.o')
	[ -e "$objects/mount/main.o" ]
}

is 'it is position independent' eval 'header | grep -q "Type:.*DYN"'
is 'relocations are read-only after the start' eval 'header | grep -q GNU_RELRO'
is 'all symbols are bound at the start' eval 'dynamic | grep -qE "BIND_NOW|FLAGS_1.*NOW"'
is 'the stack is not executable' eval 'header | grep "GNU_STACK" | grep -q "RW "'
is 'stacks are guarded' eval 'imports | grep -q __stack_chk_fail'
is 'sizes of buffers are checked' eval 'imports | grep -qE "__(snprintf|memcpy|read|vsnprintf)_chk"'
case $(uname -m) in
x86_64) is 'indirect jumps and returns are marked' all_marked ;;
esac
echo "1..$n"
exit $bad
