# SPDX-License-Identifier: MIT
# An agent works on its memory for 200 turns with cat, grep, >>, > and ctl (agent_loop.sh).
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

@test "200 turns: bounded contexts, advice that works, originals, references" {
	cinta_mount -o limit=6000
	"$HERE/agent_loop.sh" "$M" 200 "$T/work"
	local s=$M/sessions/ship
	# every alert went when its advice was followed, and both kinds came
	grep -q 'failed 3 times' "$T/work/cleared"
	[ "$(grep -c 'the context is above' "$T/work/cleared")" -ge 3 ]
	[ "$(grep -c 'failed 3 times' "$T/work/alerts")" = 8 ]
	[ "$(grep -c 'failed 3 times' "$T/work/cleared")" = 8 ]
	not grep -q '^- ALERT' "$M/smma/dashboard.md"
	[ "$(sed -n 's/^active  *//p' "$s/ctl")" -le 200 ]
	[ "$(cat "$T/work/messages")" -ge 600 ]
	[ "$(ls "$s/summaries" | wc -l)" -ge 3 ]
	[ "$(ls "$T/work/contexts" | wc -l)" = 200 ]
	# contexts stay small and do not grow
	mkdir "$T/count"
	"$CINTA" mount "$T/count.db" "$T/count" > /dev/null
	mkdir "$T/count/sessions/count"
	python3 "$HERE/count.py" "$T/count" $(seq -f "$T/work/contexts/%g.md" 1 200) > "$T/tokens"
	python3 - "$T/tokens" <<- 'END'
		import sys
		t = [int(line) for line in open(sys.argv[1])]
		assert len(t) == 200 and max(t) <= 4000, max(t)
		early, late = sum(t[40:80]) / 40, sum(t[160:]) / 40
		assert late < early * 1.5, (early, late)
	END
	# what was pinned is always there, and the question is
	grep -q '(pinned)' "$T/work/contexts/"{50,100,150,200}.md
	for turn in 1 77 200; do grep -q "step $turn:" "$T/work/contexts/$turn.md"; done
	# originals: byte for byte what the log says, pruned or not
	for f in "$T/work/originals"/*; do
		cmp "$f" "$s/messages/$(printf %06d "$(basename "$f")").md"
	done
	python3 - "$M" "$T/work" <<- 'END'
		import json, os, sys
		memory, work = sys.argv[1:]
		log = [json.loads(line) for line in open(memory + "/sessions/ship/log.jsonl")]
		assert len(log) == int(open(work + "/messages").read())
		answers = [m for m in log if m["role"] == "assistant"]
		assert len(answers) == 200
		for m in answers:
		    assert m.get("refs") and all(r["type"] == "context" for r in m["refs"]), m
		assert not any(m.get("refs") for m in log if m["role"] != "assistant")
		for name in os.listdir(work + "/originals"):
		    page = open(f"{work}/originals/{name}").read()
		    assert page.split("---\n", 2)[2].strip() == log[int(name) - 1]["content"], name
	END
	verified
}
