# SPDX-License-Identifier: MIT
# What the dashboard advises can be pasted, is accepted, and saves what it says, until there is room.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount -o limit=2000
	cd "$M"
	D=$M/smma/dashboard.md
	# A summary of 50 tokens, as the advice reckons: words and a newline.
	TEXT=$(printf ' the%.0s' $(seq 49))
	TEXT=${TEXT# }
}
teardown() {
	cd /
	cinta_teardown
}

used() { sed -nE 's|^- Context: ([0-9,]+) / .*|\1|p' "$D" | tr -d ,; }
above() { grep -q '^- ALERT: the context is above 50 %$' "$D"; }
command_told() { sed -n 's/^      //p' "$D"; }
# lines SESSION COUNT TOKENS: messages of about so many tokens
lines() {
	[ -d "sessions/$1" ] || mkdir "sessions/$1"
	python3 -c 'import json, sys
for i in range(int(sys.argv[1])):
    print(json.dumps({"role": "user", "content": ("pear " * int(sys.argv[2])).strip()}))' "$2" "$3" >> "sessions/$1/log.jsonl"
}

# obey: until the pressure is below the threshold
obey() {
	local before said line step
	for ((step = 0; step < 60; step++)); do
		above || return 0
		before=$(used)
		said=$(sed -nE 's/^- Recommended action: .*saves (about )?([0-9]+) tokens.*/\2/p' "$D")
		line=$(command_told)
		cp "$D" "$T/told"
		[ -n "$said" ] && [ -n "$line" ] || { cat "$D"; return 1; }
		# the same stands in the context, last
		[ "$(tail -n 1 context.md)" = "$(grep '^- Recommended action: ' "$D"): $(tick "$line")" ] || { tail -5 context.md; return 1; }
		bash -ec "${line//TEXT/$TEXT}" || { echo "refused: $line"; tail -1 errors.log; return 1; }
		local got=$((before - $(used)))
		((100 * got >= 95 * said && 100 * got <= 105 * said)) || { echo "$line: said $said, saved $got"; return 1; }
	done
	cat "$D"
	return 1
}
# tick TEXT: a run of code
tick() { printf '`%s`' "$1"; }

@test "short messages, a summary in the middle, pins, prunings, what is shown beside its summary" {
	lines short 180 12
	grep -q '^- Memory pressure: critical' "$D"
	obey
	lines hole 40 30
	echo "summarize 2-5 $TEXT" > sessions/hole/ctl
	above
	obey
	lines pins 60 20
	echo 'pin 3 9-11 20 21 40' > sessions/pins/ctl
	echo 'prune 5 6 30-33' > sessions/pins/ctl
	echo "summarize 12-15 $TEXT" > sessions/pins/ctl
	echo 'restore 13' > sessions/pins/ctl
	obey
	lines long 6 600
	obey
}

@test "files, summaries, pins and at last a new session" {
	lines many 30 90
	for i in $(seq 1 3 24); do echo "summarize $i-$((i + 2)) $TEXT $TEXT $TEXT" > sessions/many/ctl; done
	obey
	head -c 8000 /dev/zero | tr '\0' 'x' > smma/workspace/"it's big"
	mkdir smma/workspace/deep
	head -c 6000 /dev/zero | tr '\0' 'x' > smma/workspace/deep/er
	grep -q '^- Workspace: about 3500 tokens$' "$D"
	# The session's messages go first, then files.
	obey
	[ -z "$(find smma/workspace -type f -size +3k)" ]
	printf 'pear %.0s' $(seq 1400) > smma/user_profile.md
	printf 'plum %.0s' $(seq 1400) > smma/project_context.md
	obey
	grep -q pear notes/user_profile.md || grep -q plum notes/project_context.md
	: > smma/user_profile.md
	: > smma/project_context.md
	lines pinned 10 300
	echo 'pin 1-10' | CINTA_AGENT=bot tee sessions/pinned/ctl > /dev/null
	obey
	grep -q '^pruned  *[1-9]' sessions/pinned/ctl
	lines one 1 3000
	grep -q '^- Recommended action: go on in a new session' "$D"
	bash -ec "$(command_told)"
	[ -d sessions/one-2 ]
	verified
}

@test "what a person has pinned is not to be unpinned: an agent could not" {
	lines kept 4 300
	echo 'pin 1-4' > sessions/kept/ctl
	export CINTA_AGENT=bot
	obey
	grep -q '^- Recommended action: go on in a new session' "$T/told"
	grep -q '^pinned  *4: 1-4$' sessions/kept/ctl
}

@test "random sessions" {
	for seed in $(seq "$(many 6 60)"); do
		RANDOM=$seed
		n=$((RANDOM % 80 + 5))
		lines "r$seed" "$n" $((RANDOM % 60 + 3))
		for k in 1 2 3 4; do
			a=$((RANDOM % n + 1))
			b=$((a + RANDOM % 6))
			case $((RANDOM % 4)) in
			0) echo "pin $a" ;;
			1) echo "prune $a-$b" ;;
			2) echo "summarize $a-$b $TEXT" ;;
			3) echo "restore $a" ;;
			esac > "sessions/r$seed/ctl" 2> /dev/null || true
		done
		obey || { echo "seed $seed"; false; }
	done
}

@test "of failed tries of one tool the last one is shown" {
	mkdir sessions/t
	for i in 1 2; do printf '{"role":"tool","tool":"make","error":"exit 2","content":"try %s broke"}\n' $i >> sessions/t/log.jsonl; done
	printf '{"role":"tool","tool":"ls","error":"exit 1","content":"no such file"}\n' >> sessions/t/log.jsonl
	grep -q 'try 2 broke' context.md
	grep -q 'no such file' context.md
	run ! grep -q 'try 1 broke' context.md
	printf '{"role":"tool","tool":"make","content":"built"}\n' >> sessions/t/log.jsonl
	run ! grep -q 'broke' context.md
	grep -q built context.md
}

@test "metrics of each session, and of the pages that were given" {
	lines a 3 5
	lines 'b "c\d' 2 5
	grep -q '^cinta_session_messages{session="a"} 3$' .cinta/metrics
	grep -qF 'cinta_session_messages{session="b \"c\\d"} 2' .cinta/metrics
	before=$(sed -n 's/^cinta_context_given_tokens_total //p' .cinta/metrics)
	cat context.md > "$T/page"
	[ "$(sed -n 's/^cinta_context_given_tokens_total //p' .cinta/metrics)" -gt "$before" ]
	grep -q '^cinta_context_pages_opened_total [1-9]' .cinta/metrics
	printf -- '- [x] one\n- [ ] two\n- [ ] three\n' > smma/current_task.md
	grep -qx -- '- Subtasks done: 1/3' "$D"
}

@test "without a session: facts, sections and files count, and there is advice" {
	printf -- '- We use Go for the server\n- The build takes a minute\n' > facts/work.md
	echo pears > smma/user_profile.md
	cat "$D"
	grep -qx -- '- Facts: 2 live, 0 stale, 0 about to be' "$D"
	grep -qx -- '- Sections on disk loaded: 1/5' "$D"
	grep -qx 'cinta_facts_live 2' .cinta/metrics
	not above
	printf 'pear %.0s' $(seq 2000) > smma/workspace/a.txt
	above
	cmp dashboard.md "$D"
	[ "$(command_told)" = 'rm smma/workspace/a.txt' ]
	bash -ec "$(command_told)"
	not above
	mkdir sessions/x
	grep -q '^| x | 0 | 0 |$' "$D"
}
