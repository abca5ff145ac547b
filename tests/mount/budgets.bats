# SPDX-License-Identifier: MIT
# How much of what a context shows: parameters of algorithms/context, and what never is cut.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	cinta_mount
	S=$M/sessions/work
	C=$S/context.md
	mkdir "$S"
}
teardown() { cinta_teardown; }

user() { printf '{"role":"user","content":"%s"}\n' "$1" >> "${2:-$S}/log.jsonl"; }
config() { mkdir -p "$M/algorithms/context" && printf '{"status":"active","config":%s}' "$1" > "$M/algorithms/context/v$((++version)).json"; }
rules() { for ((i = 1; i <= $1; i++)); do echo "- rule number $i: always check the work of step $i before step $((i + 1)) is begun"; done; }

@test "identity is shown whole, with window and facts beside it" {
	rules 79 | "$CINTA" identity "$DB"
	echo '- the deployment runs on k8s' > "$M/facts/projects.md"
	for name in user_profile agent_notes current_task; do
		for ((k = 0; k < 120; k++)); do echo "$name line $k of what is to be known"; done > "$M/smma/$name.md"
	done
	for i in 1 2 3 4 5 6; do user "message $i about the deployment: $(printf 'some words %.0s' {1..40})"; done
	[ "$(grep -c '^- rule number' "$C")" -eq 79 ]
	[ "$(grep -c '^\*\*#' "$C")" -ge 4 ]
	grep -q '^## State' "$C"
}

@test "sections up to their budgets, where there is room; each one's most can be set" {
	for ((k = 0; k < 200; k++)); do echo "line $k of the project's context"; done > "$M/smma/project_context.md"
	user hello
	[ "$(grep -c '^line [0-9]* of the project' "$C")" -lt 140 ]
	config '{"total_tokens":100000}'
	user again
	[ "$(grep -c '^line [0-9]* of the project' "$C")" -eq 200 ]
	config '{"total_tokens":100000,"section_max":{"project_context":100}}'
	user 'and again'
	[ "$(grep -c '^line [0-9]* of the project' "$C")" -lt 20 ]
	cp "$M/smma/project_context.md" "$T/more"
	echo more >> "$T/more"
	not cp "$T/more" "$M/smma/project_context.md" # its file as well
	grep -q 'at most 100' "$M/errors.log"
	config '{"block_tokens":40,"blocks_tokens":40}'
	rules 30 > "$M/blocks/rules/long.md"
	user 'once more'
	[ "$(grep -c '^- rule number' "$C")" -le 3 ]
}

@test "without a session as with one, no page is above its total, and no sections is none" {
	DB=$T/other.db M=$T/other
	mkdir "$M"
	"$CINTA" mount "$DB" "$M" > /dev/null
	echo '- [ ] the only thing to do' > "$M/smma/current_task.md"
	config '{"total_tokens":500}'
	printf 'pear %.0s' {1..430} | "$CINTA" identity "$DB"
	[ "$(sed -n 's|^- context.md: at most \([0-9]*\) tokens.*|\1|p' "$M/dashboard.md")" = 500 ]
	tail -n 1 "$M/context.md" | grep -qF 'sessions/current/log.jsonl'
	mkdir "$T/count"
	"$CINTA" mount "$T/count.db" "$T/count" > /dev/null
	mkdir "$T/count/sessions/count"
	[ "$(python3 "$BATS_TEST_DIRNAME/count.py" "$T/count" "$M/context.md")" -le 500 ]
	config '{"sections_tokens":0}'
	not grep -q '^## State\|the only thing' "$M/context.md"
	grep -q '^Left out: 1 section\.' "$M/context.md"
	config '{"sections_tokens":20}'
	grep -q 'the only thing' "$M/context.md"
}

@test "members that do nothing are told, the version is kept" {
	config '{"windw":5,"window":999,"total_tokens":5000}'
	grep -q 'UNUSED.*algorithms/context/v1.json.*windw: unknown; window: not within 1 to 32' "$M/errors.log"
	grep -q windw "$M/algorithms/context/v1.json"
	config '{"window":5}'
	[ "$(grep -c UNUSED "$M/errors.log")" -eq 1 ]
}

@test "what comes first is the same, byte for byte, in all turns and sessions" {
	rules 5 | "$CINTA" identity "$DB"
	printf -- '---\npriority: 10\n---\nthe house rule' > "$M/blocks/rules/house.md"
	printf -- '---\npriority: 99\nfor_tool: grep\n---\nhow grep is used' > "$M/blocks/capabilities/grep.md"
	mkdir "$M/sessions/other"
	user one
	prefix() { sed '/^the house rule$/q' "$1"; }
	prefix "$C" > "$T/first"
	grep -q 'house rule' "$T/first"
	for i in 1 2 3; do printf '{"role":"tool","tool":"grep","content":"%s"}\n' "$i" >> "$S/log.jsonl"; done
	user 'an entirely different topic' "$M/sessions/other"
	prefix "$C" | cmp - "$T/first"
	prefix "$M/sessions/other/context.md" | cmp - "$T/first"
	grep -q 'how grep is used' "$M/sessions/other/context.md"
}

@test "the newest message is there, cut to what blocks and pins leave, and so is a tool's result" {
	python3 -c "print('id ' * 1900)" | "$CINTA" identity -d "$DB"
	for i in 1 2 3; do python3 -c "print('rule$i alpha$i ' * 90)" > "$M/blocks/rules/b$i.md"; done
	python3 -c "print('word ' * 1400)" > "$M/smma/user_profile.md"
	mkdir "$M/sessions/s"
	python3 -c 'import json
for i in range(6): print(json.dumps({"role": "user", "pinned": True, "content": f"pin{i} " + "sail boat harbour " * 100}))
print(json.dumps({"role": "user", "content": "NEWEST " + "sail " * 800}))' >> "$M/sessions/s/log.jsonl"
	grep -A9 NEWEST "$M/context.md"
	grep -q pin5 "$M/context.md"
	grep -q 'rule1 alpha1' "$M/context.md"
	echo '{"role":"tool","tool":"ls","content":"NOTHING THERE"}' >> "$M/sessions/s/log.jsonl"
	grep -q 'NOTHING THERE' "$M/context.md"
	grep -q NEWEST "$M/context.md"
}
