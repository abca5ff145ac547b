#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The mount's README.md: its commands run as they stand, in their order, on an empty memory and
# on the example, and do what it says.

load ../lib.sh
setup() { cinta_setup && mkdir "$T/bin" && ln -s "$CINTA" "$T/bin/cinta" && PATH=$T/bin:$PATH; }
teardown() { cd / && cinta_teardown; }

commands() { sed -n '/^## What is where/,/^EPERM/d; s/^    //p' README.md; }

# follow: each command succeeds and complains of nothing
follow() {
	local n=0
	commands > "$T/commands"
	while IFS= read -r line; do
		n=$((n + 1))
		bash -e -o pipefail -c "$line" > "$T/out-$n" 2> "$T/err" < /dev/null && [ ! -s "$T/err" ] || {
			echo "$line: $(cat "$T/err"); $(tail -1 errors.log)"
			return 1
		}
	done < "$T/commands"
	[ "$n" -ge 18 ]
}

# said N TEXT: the N-th command printed it
said() { grep -q -- "$2" "$T/out-$1" || { cat "$T/out-$1"; return 1; }; }

did() {
	local n
	n=$(grep -n '^cat .search/' "$T/commands")
	said "${n%%:*}" 'facts/work.md'
	n=$(grep -n '^grep' "$T/commands")
	said "${n%%:*}" 'facts/work.md:.*No deploys on Fridays'
	n=$(grep -n '^cinta verify' "$T/commands")
	said "${n%%:*}" '^OK: '
	n=$(grep -n '^sh .cinta/verify' "$T/commands")
	said "${n%%:*}" '^OK'
	[ "$(cat notes/deploy.md@2)" = 'Deploy: make ship.' ]
	wait_for 5 not test -e notes/deploy.md # retired
	not grep -q 'No deploys on Fridays' facts/work.md
	grep -q 'write the release notes' smma/current_task.md
	[ "$(cat sessions/current/summaries/*1-*2.md)" = 'Agreed: no deploys on Fridays.' ]
}

@test "as they stand, on an empty memory" {
	cinta_mount
	cd "$M"
	follow
	did
	grep -q 'No deploys' sessions/current/transcript.md
	[ ! -s errors.log ]
}

@test "as they stand, on the example" {
	"$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB"
	cd "$M"
	follow
	did
	tail -1 sessions/jornada/log.jsonl | grep -q Noted
}

@test "a database of an odd name is named as a shell takes it" {
	DB="$T/it's a \$memory.db"
	cinta_mount
	cd "$M"
	grep -qF 'cinta verify '"'$T/it'\\''s a \$memory.db'" README.md
	follow && did
}
