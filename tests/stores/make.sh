#!/bin/bash
# SPDX-License-Identifier: MIT
# Freezes a memory made by today's cinta as `NAME.sql` (the dump), `NAME.vkey` (the public part of its key)
# and `NAME.log` (session uno's log.jsonl as it read then): tests/stores/make.sh CINTA NAME.  Run once for each
# released format; what it wrote is never made again.  Needs /dev/fuse and sqlite3.
set -eu
cinta=$(realpath "$1") out=$(cd "$(dirname "$0")" && pwd)/$2
[ ! -e "$out.sql" ] || { echo "$out.sql is frozen" >&2; exit 1; }
dir=$(mktemp -d /var/tmp/cinta-freeze.XXXXXX)
trap 'fusermount3 -qu "$dir/m" || true; rm -rf "$dir"' EXIT
export XDG_CONFIG_HOME=$dir/config XDG_DATA_HOME=$dir/data
mkdir "$dir/m"
"$cinta" mount -o owner=ana "$dir/memory.db" "$dir/m"
mkdir "$dir/m/sessions/uno" "$dir/m/sessions/dos"
{
	echo '{"role":"user","content":"Recordá que la obra empieza el lunes","thread":"obra","hashtags":["obra","fechas"]}'
	echo '{"role":"assistant","content":"Anotado: **lunes**.","refs":[{"type":"context","ref":1}],"players":["bea"]}'
	echo '{"role":"tool","content":"ok\n\n\ttab","tool":"calendar","attachments":{"a":[1,2.5,null]},"id":"own"}'
	echo '{"content":"日本 😀 \u00f1","ambient":{"place":"taller"},"owner":"plu/bob","flag":"roja","location":"patio"}'
} >> "$dir/m/sessions/uno/log.jsonl"
for i in $(seq 70); do
	echo "{\"role\":\"user\",\"content\":\"dos $i\",\"thread\":\"obra\",\"refs\":[{\"type\":\"secretary\",\"ref\":\"uno/2\"}]}"
done >> "$dir/m/sessions/dos/log.jsonl"
cat "$dir/m/.cinta/pubkey" > "$out.vkey"
cat "$dir/m/sessions/uno/log.jsonl" > "$out.log"
"$cinta" umount "$dir/m"
sqlite3 "$dir/memory.db" 'PRAGMA wal_checkpoint(TRUNCATE)' > /dev/null
{
	sqlite3 "$dir/memory.db" .dump
	printf 'PRAGMA application_id=%s;\nPRAGMA user_version=%s;\n' \
		"$(sqlite3 "$dir/memory.db" 'PRAGMA application_id')" "$(sqlite3 "$dir/memory.db" 'PRAGMA user_version')"
} > "$out.sql"
ls -l "$out".*
