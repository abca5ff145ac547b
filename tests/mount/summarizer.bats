# SPDX-License-Identifier: MIT
# -o summarizer=COMMAND with real programs: whose it is, what it reads, what stays of it, and its end.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	S=$M/sessions/work
	C=$S/context.md
}
teardown() { cinta_teardown; }

# talk N: so many turns
talk() {
	[ -d "$S" ] || mkdir "$S"
	for ((i = 1; i <= $1; i++)); do
		printf '{"role":"%s","content":"the harbour and its boats, %s"}\n' \
			"$([ $((i % 2)) = 1 ] && echo user || echo assistant)" "$i" >> "$S/log.jsonl"
	done
}
has() { grep -qF -- "$1" "$C"; }
# program NAME: its text on standard input
program() { cat > "$T/$1" && chmod +x "$T/$1"; }
gone() { ! kill -0 "$1" 2> /dev/null || grep -q '^State:.*Z' "/proc/$1/status" 2> /dev/null; }

@test "a program reads the messages and its summary stays, rebuilt and without it" {
	program count.py <<'PY'
#!/usr/bin/env python3
import json, sys
asked = json.load(sys.stdin)
said = [m["content"].rsplit(" ", 1)[1] for m in asked["messages"]]
json.dump({"topic": "boats " + " ".join(said), "decisions": ["%s %d" % (asked["session"], asked["max_tokens"])]},
          sys.stdout)
PY
	cinta_mount -o "summarizer=$T/count.py"
	talk 20
	wait_for 20 has '**1–3** (by command)'
	has 'topic: boats 1 2 3'
	has 'decisions: [work 50]'
	has 'topic: boats 10 11 12'
	not has '(by rule)'
	[ "$(refusals)" = 0 ]
	[ "$(sqlite3 "$DB" 'SELECT pruned + summaries + summarized FROM v_context')" = 0 ]
	[ -z "$(ls "$S/summaries")" ]
	grep -q '"author":"cinta:summarizer"' "$M/.cinta/tape.jsonl"
	before=$(sed '/^\*\*#/d' "$C")
	cinta_umount
	verified
	"$CINTA" rebuild "$DB"
	verified
	cinta_mount
	[ "$(sed '/^\*\*#/d' "$C")" = "$before" ]
}

@test "of large segments each is summarized once, whole" {
	program range.py <<PY
#!/usr/bin/env python3
import json, sys
asked = json.load(sys.stdin)
open("$T/ranges", "a").write("%d-%d\n" % (asked["first"], asked["last"]))
print("topic: boats")
PY
	cinta_mount -o "summarizer=$T/range.py"
	mkdir -p "$M/algorithms/context"
	echo '{"status":"active","config":{"segment":12}}' > "$M/algorithms/context/v1.json"
	talk 40
	wait_for 20 grep -qx 1-12 "$T/ranges"
	wait_for 20 grep -qx 13-24 "$T/ranges"
	talk 4
	wait_for 20 grep -qx 25-36 "$T/ranges"
	[ "$(sort "$T/ranges" | tr '\n' ' ')" = "1-12 13-24 25-36 " ]
}

@test "it is set when the process starts, and needs a value" {
	cinta_mount
	mkdir "$T/more"
	run -1 "$CINTA" mount -o summarizer=true "$DB" "$T/more"
	[[ $output == *'summarizer= is set when it starts'* ]]
	cinta_umount
	run -2 cinta_mount -o summarizer
	[[ $output == *'needs a value'* ]]
}

@test "a key that is a secret is not repeated, however it is cut" {
	secret=$(printf '0aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY%.0s' {1..3})
	cinta_mount -o "summarizer=echo '{\"of-1-sk-ant-$secret\":1}'"
	talk 20
	wait_for 20 grep -q ' a summary has no "of-1-\[an Anthropic key\]"' "$M/errors.log"
	not grep -q 'sk-ant\|aB3dE6' "$M/errors.log"
}

@test "the daemon's end is the command's, and the mount is free at once" {
	cinta_mount -o "summarizer=echo \$\$ >> $T/pids; sleep 600 & echo \$! >> $T/pids; wait"
	talk 20
	both() { [ "$(cat "$T/pids" 2> /dev/null | wc -l)" -ge 2 ]; }
	wait_for 20 both
	talk 20 # nobody waits for it
	[ "$(wc -l < "$S/log.jsonl")" = 40 ]
	cinta_umount
	wait_for 10 not owned "$DB"
	while read -r pid; do wait_for 10 gone "$pid"; done < "$T/pids"
	verified
}
