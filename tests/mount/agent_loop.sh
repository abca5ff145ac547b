#!/bin/bash
# SPDX-License-Identifier: MIT
# agent_loop.sh MEMORY TURNS WORK: an agent without a model.  It goes through a task of TURNS
# turns with cat, grep, >>, > and ctl alone: before each reply it reads context.md, does what the
# dashboard tells, pins what the user wants kept and looks up originals.  WORK gets
# what it saw: contexts/N.md, alerts, cleared, originals/N.  Called by agent_loop.bats.
set -eu
memory=$1 turns=$2 work=$3
cd "$memory"
session=sessions/ship
dashboard=smma/dashboard.md
mkdir "$session"
mkdir -p "$work/contexts" "$work/originals"
: > "$work/alerts" > "$work/cleared"
echo "Task: prepare release 2.0 of the ship's log." > smma/current_task.md
n=0

# say ROLE CONTENT [MEMBERS]: one message; n is its number
say() {
	printf '{"role":"%s","content":"%s"%s}\n' "$1" "$2" "${3:+,$3}" >> "$session/log.jsonl"
	n=$((n + 1))
}
alert() { grep -q "^- ALERT: .*$1" "$dashboard"; }
command_told() { grep '^      ' "$dashboard" | cat; }
# obey WHAT TEXT: does as the dashboard tells; the alert must go
obey() {
	local line
	line=$(command_told)
	line=${line/TEXT/$2}
	echo "$n $1: ${line#"${line%%[! ]*}"}" >> "$work/alerts"
	eval "$line"
	alert "$1" || echo "$n $1" >> "$work/cleared"
}
# the original of a message, whatever the window says
recall() { cat "$session/messages/$(printf %06d "$1").md" > "$work/originals/$1"; }

for ((turn = 1; turn <= turns; turn++)); do
	subject=part$((turn % 7))
	say user "Please check $subject of the release, step $turn: what is its state, and what is left to do there before we ship?"
	if ((turn % 40 == 5)); then
		say user "Keep in mind: the port of $subject is $((7000 + turn))."
		echo "pin $n" > "$session/ctl"
		pinned=$n
	fi
	if ((turn % 25 == 10)); then
		for try in 1 2 3; do say tool "cannot open $subject, try $try" '"tool":"build","error":"exit 2"'; done
	else
		say tool "$subject is at step $turn" '"tool":"build"'
	fi
	cat "$session/context.md" > "$work/contexts/$turn.md"
	# the most urgent comes first, and its command is the one that is told
	for ((again = 0; again < 20; again++)); do
		alert 'the context is above' || break
		obey 'the context is above' "topic: release; outcome: parts checked up to turn $turn"
	done
	if alert 'failed 3 times'; then
		obey 'failed 3 times' ''
		echo "- build of $subject fails: missing file (turn $turn)" >> smma/agent_notes.md
	fi
	if ((turn % 20 == 0)); then
		recall "$((turn / 2))"
		recall "${pinned:-1}"
		grep -c "part" "$session/transcript.md" > /dev/null
		echo "Step $turn of $turns is done." > smma/current_task.md
		cat "$session/context.md" > "$work/contexts/$turn.md"
	fi
	say assistant "Step $turn: $subject is checked and fine; I noted it and go on with the next part of the release."
done
echo "$n" > "$work/messages"
