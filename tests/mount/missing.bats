#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A name that is not there: errors.log says which was meant, or what there is; nothing is said of
# what programs ask for by themselves, nor of a name that somebody is about to make.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	inside_setup
	mkdir sessions/planning notes/projects
	say planning one
	echo '# Trip' > notes/journey-to-lima.md
	echo x > notes/2026-11-23.md
	echo '- x' > smma/user_profile.md
	echo x > memories/preference/tea.md
	echo x > notes/first-draft.md
	mv notes/first-draft.md notes/projects/plan.md
	echo kept > notes/old-plan.md
	sed -i '1i ---\nstatus: retired\n---' notes/old-plan.md
}
teardown() { inside_teardown; }

# What is asked for, the name that is missing, what the line then says of it.
table() {
	cat << 'END'
notes/journey-to-lma.md | notes/journey-to-lma.md | did you mean notes/journey-to-lima.md?
notes/JOURNEY-to-lima.md | notes/JOURNEY-to-lima.md | did you mean notes/journey-to-lima.md?
notes/journey-to-lima | notes/journey-to-lima | did you mean notes/journey-to-lima.md?
notes/journey.md | notes/journey.md | did you mean notes/journey-to-lima.md?
notes/first-draft.md | notes/first-draft.md | it was renamed: it is notes/projects/plan.md now
notes/old-plan.md | notes/old-plan.md | it was retired; cp old-plan.md@1 old-plan.md brings it back
notes/cooking/x.md | notes/cooking | mkdir -p makes the folder
smma/profile.md | smma/profile.md | did you mean smma/user_profile.md?
facts/preference.md | facts/preference.md | did you mean facts/preferences.md?
facts/food.md | facts/food.md | there are: facts.jsonl stale.md work.md
memories/preferences/tea.md | memories/preferences | did you mean memories/preference?
memories/habit/x.md | memories/habit | there are: preference decision fact entity temporal
memories/preference/teas.md | memories/preference/teas.md | did you mean memories/preference/tea.md?
components/players/ana.md | components/players | there are: ply plu plx
blocks/rule/x.md | blocks/rule | did you mean blocks/rules?
sessions/plannning/log.jsonl | sessions/plannning | did you mean sessions/planning?
sessions/diary/log.jsonl | sessions/diary | mkdir sessions/NAME makes one
sessions/planning/logs.jsonl | sessions/planning/logs.jsonl | did you mean sessions/planning/log.jsonl?
sessions/planning/messages/first.md | sessions/planning/messages/first.md | six digits
sessions/planning/messages/000099.md | sessions/planning/messages/000099.md | there is no such message: the session has 1
threads/visas/log.jsonl | threads/visas | append a message with "thread":"NAME"
README | README | did you mean README.md?
contexts.md | contexts.md | did you mean context.md?
todo_list.md | todo_list.md | free files and folders go below notes/
END
}

# told PATH WORDS: errors.log has one line about PATH, with the words
told() {
	[ "$(grep -cF " ENOENT open $1 " errors.log)" -eq 1 ] &&
		grep -F " ENOENT open $1 " errors.log | grep -qF -- "$2"
}

@test "which name was meant, or what there is" {
	[ "$(table | wc -l)" -eq 24 ]
	n=0
	while IFS='|' read -r asked missing words; do
		missing=${missing# } missing=${missing% } words=${words# }
		# so much is said in a minute; a new mount has a new one
		[ $((n++ % 8)) -ne 7 ] || { cd / && cinta_umount && cinta_mount && cd "$M"; }
		run ! cat "${asked% }"
		wait_for 5 told "$missing" "$words" || { echo "$missing: $words"; cat errors.log; return 1; }
	done < <(table)
	[ "$(grep -c ' ENOENT ' errors.log)" -eq 24 ]
}

@test "what is told to bring a retired note back does, however often it was saved as retired" {
	printf 'one\n' > "notes/my plan.md"
	printf 'two\n' > "notes/my plan.md"
	printf -- '---\nstatus: retired\n---\ntwo\n' > "notes/my plan.md"
	printf -- '---\nstatus: retired\n---\nthree\n' > "notes/my plan.md"
	run ! cat "notes/my plan.md"
	wait_for 5 told "notes/my plan.md" "it was retired; cp 'my plan.md'@2 'my plan.md' brings it back"
	(cd notes && bash -c "$(sed -n 's/.*it was retired; \(cp .*\) brings.*/\1/p' ../errors.log)")
	[ "$(cat "notes/my plan.md")" = two ]
	printf -- '---\nstatus: retired\n---\n' > notes/never.md
	run ! cat notes/never.md
	wait_for 5 told notes/never.md 'it was retired; its history is in its @log'
}

@test "nothing of probes, of other days, and of what is made or refused at once" {
	for name in .git .Trash .Trash-0 .hidden .DS_Store autorun.inf desktop.ini Thumbs.db RCS CVS s.README.md README.md,v _MTN \
		4913 .README.md.swp README.md~ '#README.md#' HEAD package.json CLAUDE.md; do
		run ! cat "$name"
		run ! cat "notes/$name"
		run ! cat "smma/$name"
	done
	run ! cat notes/2026-11-24.md
	run ! cat notes/journey-to-lima.md@9
	run ! cat notes/unlike-all.md
	mkdir sessions/plannin
	echo x > notes/journey-to-lim.md
	echo x > notes/journey-to-lima.md.new
	mv notes/journey-to-lima.md.new notes/journey-to-lima.md
	mkdir notes/project
	mv notes/project notes/archive
	run ! bash -c 'echo x > facts/foods.md'
	[ "$(grep -c 'EPERM create facts/foods.md' errors.log)" -eq 1 ]
	run ! cat notes/journey-to-limo.md # asked for after all the others, so told after them
	wait_for 5 told notes/journey-to-limo.md 'did you mean notes/journey-to-lim'
	cat errors.log
	[ "$(grep -c ' ENOENT ' errors.log)" -eq 1 ]
	# Nobody hears it again in the same hour, nor more than ten lines in a minute.
	for i in $(seq 100); do [ ! -e notes/journey-to-limo.md ]; done
	for c in b c d e f g h i j k l m n o p q r s t; do [ ! -e notes/journey-to-lam$c.md ]; done
	sleep 2
	[ "$(grep -c ' ENOENT ' errors.log)" -eq 10 ]
	verified
}
