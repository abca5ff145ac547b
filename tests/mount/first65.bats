#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What an agent types in its first ten minutes, having read the page alone: each command does
# what it says, or is refused at once with words that lead to one that works; what was accepted is
# still there after a day.  A line of the table: `=` what is done, or `!` the words of the
# refusal in errors.log; then the command; then, behind ` => `, a file that holds a text from
# then on.

load ../lib.sh
load more.sh
setup() {
	cinta_setup
	mount_with_clock
	cd "$M"
	mkdir "$T/bin" && ln -s "$CINTA" "$T/bin/cinta" && PATH=$T/bin:$PATH
}
teardown() { cd / && cinta_teardown; }

table() {
	cat <<'END'
= ls -la
= cat README.md
= cat AGENTS.md
= cat context.md
= cat dashboard.md
= cat smma/user_profile.md
= cat smma/identity.md
= ls -R
= find . -name '*.md'
= cat facts/*.md
= echo '{"role":"user","content":"I live in Lima."}' >> sessions/current/log.jsonl => sessions/current/log.jsonl: I live in Lima
= printf '%s\n' '{"role":"assistant","content":"Noted.","thread":"about-me"}' >> sessions/current/log.jsonl => threads/about-me/transcript.md: Noted
= mkdir sessions/planning
= echo '{"role":"user","content":"plan the trip"}' >> sessions/planning/log.jsonl => sessions/planning/transcript.md: plan the trip
= jq -c . sessions/current/log.jsonl || cat sessions/current/log.jsonl
= wc -l sessions/*/log.jsonl
= echo '- lives in Lima' >> facts/personal.md => facts/personal.md: lives in Lima
= echo '- likes tea' | tee -a facts/preferences.md => facts/preferences.md: likes tea
= echo '# User' > smma/user_profile.md => smma/user_profile.md: # User
= echo '- speaks Spanish' >> smma/user_profile.md => smma/user_profile.md: speaks Spanish
= echo '- [ ] book the flight' > smma/current_task.md => smma/current_task.md: book the flight
= sed -i 's/\[ \]/[x]/' smma/current_task.md => smma/current_task.md: [x] book
= echo 'things I learnt' > smma/agent_notes.md => smma/agent_notes.md: things I learnt
= echo plan > smma/plan.md => smma/plan.md: plan
= echo scratch > smma/workspace/tmp.txt
= rm smma/workspace/tmp.txt; echo again > smma/workspace/draft.txt => smma/workspace/draft.txt: again
= echo 'a note' > notes/trip.md
= mkdir -p notes/projects/lima && echo 'visa' > notes/projects/lima/visa.md => notes/projects/lima/visa.md: visa
= echo x > 'notes/My plan' => notes/My plan: x
= echo x > notes/2026 => notes/2026: x
= echo x > notes/v1.2 => notes/v1.2: x
= echo '{"a":1}' > notes/data.json => notes/data.json: "a"
= echo 'k: v' > notes/config.yaml => notes/config.yaml: k: v
= echo x > notes/.hidden => notes/.hidden: x
= cp README.md notes/how-to.md => notes/how-to.md: This folder is your memory
= mv notes/trip.md notes/journey.md => notes/journey.md: a note
= ln -s journey.md smma/workspace/link
= touch notes/empty.md
= printf -- '---\nsummary: tea\nimportance: 0.8\n---\nLikes green tea.\n' > memories/preference/tea.md => memories/preference/tea.md: green tea
= echo 'Lima' > memories/fact/home.md => memories/fact/home.md: Lima
= echo 'be brief' > blocks/rules/brief.md => blocks/rules/brief.md: be brief
= echo '42' > 'answers/what is the answer?.md'
= cat 'search/tea.md'
= cat 'search/where does the user live.md'
= ls search/tea/
= grep -rn tea facts memories
= cat 'context/where does the user live.md'
= echo 'prune 1' > sessions/current/ctl
= cat sessions/current/ctl
= echo 'The user plans a trip.' > sessions/planning/summaries/1-1.md || cat sessions/planning/ctl
= cat sessions/current/messages/000001.md
= cat smma/user_profile.md@1 smma/user_profile.md@log
= ls .cinta/at/$(date -u +%F)/
= python3 -c 'open("notes/from-python.txt", "w").write("hello")' => notes/from-python.txt: hello
= echo log > logs/run.txt
= cinta search "$DB" tea
= cinta verify "$DB"
! no place => echo x > todo.md
! fixed|DOMAIN|work|has a place|place => echo '- likes tea' >> facts/food.md
! preference|TYPE|place => echo x > memories/tea.md
! place|CODE|\.md => echo '{}' > memories/fact/tea.json
! never deleted|retire => rm notes/journey.md
! never deleted|retire => rm -rf sessions/planning
! JSON => echo 'hello' >> sessions/current/log.jsonl
! JSON|content => echo '{"text":"hi"}' >> sessions/current/log.jsonl
! role => echo '{"role":"human","content":"hi"}' >> sessions/current/log.jsonl
! grows|append|>> => echo '{"role":"user","content":"over"}' > sessions/current/log.jsonl
! generated|append => echo x >> context.md
! identity => echo 'I am root' > smma/identity.md
! mkdir sessions => mkdir stuff
! summar|current|place|name => echo x > sessions/planning/todo.md
! thread => mkdir threads/new
! keeps its name|new session => mv sessions/planning sessions/trip
END
}

@test "each does what it says, or is refused with words; all of it is there a day later" {
	n=0
	: > "$T/kept"
	while IFS= read -r line; do
		n=$((n + 1))
		seen=$(wc -l < errors.log)
		case $line in
		'= '*)
			command=${line#= } kept=
			case $command in *' => '*) kept=${command##* => } command=${command%% => *} ;; esac
			DB=$DB bash -c "$command" > "$T/out" 2> "$T/err" < /dev/null || {
				echo "$n: $command: $(cat "$T/err"); $(tail -1 errors.log)"
				return 1
			}
			[ "$(wc -l < errors.log)" -eq "$seen" ] || { echo "$n: $command: $(tail -1 errors.log)"; return 1; }
			[ -z "$kept" ] || printf '%s\n' "$kept" >> "$T/kept"
			;;
		'! '*)
			command=${line#*=> } words=${line#! } words=${words%% => *}
			! bash -c "$command" > "$T/out" 2> "$T/err" < /dev/null || { echo "$n: $command: was accepted"; return 1; }
			[ "$(wc -l < errors.log)" -gt "$seen" ] || { echo "$n: $command: $(cat "$T/err"): no words"; return 1; }
			tail -n +$((seen + 1)) errors.log | grep -qiE -- "$words" || { echo "$n: $command: $(tail -1 errors.log)"; return 1; }
			;;
		esac
	done < <(table)
	[ "$n" -ge 65 ]
	all_kept
	# A day and an hour later: nothing that was accepted has gone by itself.
	clock_to +25h
	sleep 3
	all_kept
	cd /
	cinta_umount
	cinta_mount
	cd "$M"
	sleep 2
	all_kept
	"$CINTA" verify --all "$DB" | grep -q '^OK'
}

all_kept() {
	local file text
	while IFS= read -r line; do
		file=${line%%: *} text=${line#*: }
		case $file in sessions/current/*) grep -rqF -- "$text" sessions/*/log.jsonl ;; *) grep -qF -- "$text" "$file" ;; esac ||
			{ echo "$file: no '$text' any more"; return 1; }
	done < "$T/kept"
}
