#!/bin/bash
# SPDX-License-Identifier: MIT
# Each frozen store opens, proves and reads with today's code as it did when it was made.
# Wants CINTA, the binary; tests/run sets it.  Prints TAP.
set -u
cd "$(dirname "$0")" || exit 1
cinta=${CINTA:?the binary to test}
dir=$(mktemp -d "${CINTA_TEST_BASE:-/var/tmp}/stores.XXXXXX")
trap 'rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME=$dir/config XDG_DATA_HOME=$dir/data
n=0 bad=0

# case WHAT: the status of the command before it
result() {
	local status=$?
	n=$((n + 1))
	[ $status -eq 0 ] && echo "ok $n $1" || { echo "not ok $n $1"; bad=1; }
}
# The views a dump holds, without its bookkeeping: what columns they had then.  Lines of threads
# (kind 2) were shorter: they did not name their session.
views() {
	local t
	for t in v_state v_mark v_name v_group v_line v_message v_tag v_ref log_messages log_message_refs \
		log_message_index; do
		[ -n "${columns[$t]:-}" ] || columns[$t]=$(sqlite3 "$1" "SELECT group_concat(name) FROM pragma_table_info('$t')" |
			sed -E "/^kind,/s/\\b((text_)?(bytes|end))\\b/iif(kind = 2, 0, \"\\1\")/g")
		sqlite3 "$1" "SELECT '$t', ${columns[$t]} FROM $t ORDER BY 1, 2, 3"
	done
}

for dump in *.sql; do
	name=${dump%.sql} db=$dir/${dump%.sql}.db
	sqlite3 "$db" 'PRAGMA journal_mode=WAL' > /dev/null && sqlite3 -init /dev/null "$db" < "$dump" > /dev/null
	result "$name: the dump loads"
	declare -A columns=()
	views "$db" > "$dir/then"
	[ -s "$dir/then" ]
	result "$name: it has views"
	"$cinta" verify --vkey "$(cat "$name.vkey")" "$db" > "$dir/out" 2>&1
	result "$name: verifies with its public key"
	"$cinta" verify --all --vkey "$(cat "$name.vkey")" "$db" > "$dir/out" 2>&1
	result "$name: its views are what the tape says today"
	"$cinta" status "$db" > "$dir/out" 2>&1
	result "$name: status reads it"
	if "$cinta" help 2>&1 | grep -q rebuild || "$cinta" --help 2>&1 | grep -q rebuild; then
		"$cinta" rebuild "$db" > /dev/null 2>&1
		result "$name: rebuilds"
		views "$db" | cmp -s - "$dir/then"
		result "$name: the views are as then"
	fi
	if { : <> /dev/fuse; } 2> /dev/null && [ -z "${CINTA_NO_FUSE:-}" ]; then
		mkdir "$dir/m-$name"
		"$cinta" mount -o ro "$db" "$dir/m-$name" 2> /dev/null && cmp "$dir/m-$name/sessions/uno/log.jsonl" "$name.log"
		result "$name: the log reads as then"
		"$cinta" umount "$dir/m-$name"
	fi
	sqlite3 "$db" "DROP TRIGGER IF EXISTS tape_redact; DROP TRIGGER IF EXISTS tape_keep;
		UPDATE tape SET author = 'x' WHERE seq = 3"
	! "$cinta" verify --vkey "$(cat "$name.vkey")" "$db" > "$dir/out" 2>&1
	result "$name: a changed row is found"
done
[ $n -gt 0 ] || bad=1
echo "1..$n"
exit $bad
