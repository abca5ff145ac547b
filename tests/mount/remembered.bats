# SPDX-License-Identifier: MIT
# The part Remembered of a context: memories for what is asked, by score, and their uses.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

memory() { # TYPE KEY FRONT TEXT
	printf -- '---\n%b---\n%s\n' "$3" "$4" > "memories/$1/$2.md"
}
ask() { printf '{"role":"user","content":"%s"}\n' "$1" >> sessions/current/log.jsonl; }
# part: what stands under Remembered in a page
part() { sed -n '/^## Remembered/,/^## [^R]/p' "$1"; }
keys() { part "$1" | grep -oE '^\*\*memories/[^*]*' | sed 's|.*/||; s|\.md$||' | tr '\n' ' '; }
config() {
	mkdir -p algorithms/context
	printf '{"status":"active","config":%s}' "$1" > "algorithms/context/v$((++version)).json"
}
uses() { sed -nE "s;.*memories/fact/$1.md.*· (never used|used [0-9]+ times?).*;\1;p" memories/top.md; }

@test "memories for the newest message, by score; found does not say them again" {
	memory fact light 'importance: 0.1\n' 'The zeppelin, the zeppelin and again the zeppelin.'
	memory decision heavy 'importance: 1.0\n' 'We keep the zeppelin in the hangar by the river, whatever it costs.'
	memory fact other '' 'Something else altogether.'
	ask 'Where is the zeppelin?'
	cat context.md > "$T/page"
	[ "$(keys "$T/page")" = 'heavy light ' ]
	[ "$(grep -c 'in the hangar' "$T/page")" -eq 1 ]
	[ "$(keys 'context/where is the zeppelin.md')" = 'heavy light ' ]
	grep -qE '^\*\*memories/decision/heavy\.md\*\* [0-9-]{10}: We keep' "$T/page"
	config '{"remembered_tokens":0}'
	not grep -q '^## Remembered' context.md
	grep -q 'in the hangar' context.md # as what is found
	config '{"remembered_tokens":40}'
	[ "$(keys context.md)" = 'heavy ' ]
	ask 'Does the quokka of the garden eat enough lettuce?'
	not grep -q '^## Remembered' context.md
}

@test "live ones alone, an heir in its forerunner's place; of a long one its summary, or what matches" {
	memory fact gone 'status: deleted\n' 'The walrus of Oslo.'
	memory fact over 'expires_at: 2020-01-01\n' 'The walrus of Bergen.'
	memory fact old 'superseded_by: new\n' 'The walrus of Tromso.'
	memory fact new '' 'The animal of Kiruna.'
	long=$(printf 'word %s and more, ' $(seq 200))
	memory fact middle '' "$long The walrus sings at noon. $long"
	memory fact told 'summary: All about a beast.\n' "walrus $long"
	ask 'Tell me about the walrus.'
	cat context.md > "$T/page"
	[ "$(keys "$T/page" | tr ' ' '\n' | sort | xargs)" = 'middle new told' ]
	part "$T/page" | grep 'middle.md' | grep -q '… .*The walrus sings at noon.*tokens more: cat memories/fact/middle.md\]$'
	part "$T/page" | grep 'told.md' | grep -q ': All about a beast\. … \[[0-9]* tokens more'
	not grep -qE 'Oslo|Bergen|Tromso' "$T/page"
}

@test "to stand in a context that is opened is one use; to be listed or read again is none" {
	memory fact one '' 'The armadillo is fine.'
	ask 'How is the armadillo?'
	ls -lL context.md sessions/current/context.md > /dev/null
	[ "$(uses one)" = 'never used' ]
	cat context.md context.md context.md > /dev/null
	[ "$(uses one)" = 'used 1 time' ]
	ask 'And the armadillo now?'
	cat context.md > /dev/null
	[ "$(uses one)" = 'used 2 times' ]
	cat 'context/how is the armadillo.md' > /dev/null
	[ "$(uses one)" = 'used 3 times' ]
	# the answer refers to the memory that was shown
	printf '{"role":"assistant","content":"fine"}\n' >> sessions/current/log.jsonl
	hash=$(tail -1 memories/fact/one.md@log | cut -f7)
	tail -1 sessions/current/log.jsonl | grep -q "$hash"
}
