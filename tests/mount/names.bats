# SPDX-License-Identifier: MIT
# Names: what was accepted is there a day later; what would not be kept is refused when it is made,
# and errors.log says where it belongs; what tools make beside a document comes and goes.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mount_with_clock
	cd "$M"
	mkdir sessions/s
	say s one
}
teardown() {
	cd /
	cinta_teardown
}

# later TIME: +25h
later() {
	clock_to "$1"
	touch "$M/smma/workspace/sign" # something that the ticks after it must leave
	sleep 3
}

# What a person or an agent writes, a path a line: 65 names.
natural() {
	cat << 'END'
facts/food.md
facts/health.md
facts/todo.txt
facts/work.md
facts/stale.txt
facts/people.json
smma/plan.md
smma/user_preferences.md
smma/lessons.md
smma/todo.txt
smma/state.json
smma/user profile.md
smma/workspace/anything
sessions/s/decisions.md
sessions/s/notes.txt
sessions/s/todo.md
sessions/s/data.json
sessions/s/more.jsonl
sessions/s/summaries/today.md
blocks/rules/be-kind.md
blocks/rules/be kind.md
blocks/persona/me.txt
blocks/knowledge/data.json
memories/preference/tea.txt
memories/preference/tea.md
memories/fact/my dog.md
memories/fact/dog.json
components/plu/ana.md
components/plu/ana.txt
components/plu/ana maria.md
algorithms/foo.json
algorithms/readme.md
answers/where is the office.md
answers/office.txt
notes/plan.md
notes/My plan
notes/2026
notes/v1.2
notes/notes-2026.11.22
notes/deadbeef
notes/config.production
notes/cinta.1
notes/README
notes/todo
notes/TODO.txt
notes/Makefile
notes/two words.txt
notes/sedentary
notes/meeting 3
notes/22.11.2026
notes/a+b
notes/¿qué?
notes/ñandú
notes/C++
notes/foo.7z
notes/a.tar.gz
notes/-dash
notes/_under
notes/.env
notes/.gitignore
notes/.editorconfig
notes/recipe (copy)
notes/recipe (copy).md
notes/0001
notes/libfoo.so.6
END
}

accepted_stands() {
	while read -r path; do
		case $path in answers/*) continue ;; esac # these are kept a day, and for good at @1
		cmp "$path" "$T/copy.$(echo "$path" | md5sum | cut -c1-32)"
	done < "$T/accepted"
}

@test "65 natural names: accepted and there 25 hours later, or refused with the place" {
	[ "$(natural | sort -u | wc -l)" -eq 65 ]
	while read -r path; do
		case $path in
		*.json) text='{"name":"x"}' ;;
		*) text="- tea: $path" ;;
		esac
		before_it=$(refusals)
		if echo "$text" 2> /dev/null >> "$path"; then
			echo "$path" >> "$T/accepted"
			cp "$path" "$T/copy.$(echo "$path" | md5sum | cut -c1-32)"
		else
			echo "$path" >> "$T/refused"
			tail -n +$((before_it + 1)) errors.log |
				grep -qE 'EPERM create .*: a file of this name would not be kept here; .*(name it|append to|add a line|mkdir)'
		fi
	done < <(natural)
	cat "$T/refused"
	[ "$(grep -c ^notes/ "$T/accepted")" -eq 31 ]
	[ "$(wc -l < "$T/refused")" -eq 23 ]
	later +25h
	accepted_stands
	cd /
	cinta_umount
	mount_with_clock
	cd "$M"
	accepted_stands
	[ -s 'answers/where is the office.md@1' ]
	# All of notes/ but dot names is on the tape.
	while read -r path; do [ -s "$path@1" ]; done < <(grep '^notes/[^.]' "$T/accepted")
	[ ! -e notes/.env@1 ]
	cd /
	cinta_umount
	verified
}

@test "git, an editor's vault and dot files in notes/ work on after 25 hours" {
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	echo one > notes/plan.md
	git -C notes init -q
	git -C notes add plan.md
	git -C notes commit -qm one
	mkdir -p notes/.obsidian notes/.claude/skills
	echo '{}' > notes/.obsidian/app.json
	echo s > notes/.claude/skills/s.md
	find notes | sort > "$T/before"
	later +25h
	find notes | sort | diff "$T/before" -
	git -C notes fsck --strict
	[ "$(git -C notes log --oneline | wc -l)" -eq 1 ]
	echo two > notes/plan.md
	git -C notes commit -qam two
	later +50h
	[ "$(git -C notes log --oneline | wc -l)" -eq 2 ]
	rm -rf notes/.git notes/.obsidian notes/.claude
	[ "$(ls -A notes)" = plan.md ]
}

@test "temporary names of tools: made, written, renamed and removed everywhere, gone a day later" {
	mkdir algorithms/pick
	entries=$(sql 'SELECT count(*) FROM tape')
	for dir in smma facts sessions/s sessions/s/summaries blocks/rules memories/fact components/plu \
		algorithms algorithms/pick answers notes; do
		for name in .foo.md.swp .foo.md.swo .foo.md.swx 4913 foo.md~ foo_md.swp .foo.md.un~ \
			foo.md.save foo.md.save.1 '#foo.md#' tmpa8f0Zx DEADJOE foo.md.XXXXiTW8h2 \
			.foo.md.kak.a8f0Zx sedS6hEX4 XXl0JhSI foo.md.gawk.k2R9Qp CuJzyEj3 foo.md.oXXXXXX \
			foo.md.orig foo.md.rej foo.md.bak .foo.md.a8f0Zx .goutputstream-A8F0ZX foo.md.tmp \
			tmpk_3j2h4g foo.md.3830540380 foo.md.tmp-0123456789abcdef .foo.md.tmp \
			foo.md.0123456789abcdef0123456789abcdef.tmp 000000; do
			echo x > "$dir/$name"
			mv "$dir/$name" "$dir/.other.tmp"
			[ "$(cat "$dir/.other.tmp")" = x ]
			rm "$dir/.other.tmp"
		done
		ln -s user@host.1 "$dir/.#foo.md"
		rm "$dir/.#foo.md"
		mkdir "$dir/foo.md.lock"
		rmdir "$dir/foo.md.lock"
		echo x > "$dir/.foo.md.swp"
	done
	[ "$(sql 'SELECT count(*) FROM tape')" = "$entries" ]
	later +25h
	[ -z "$(find . -name '.foo.md.swp')" ]
	[ "$(sql 'SELECT count(*) FROM tape')" = "$entries" ]
}

@test "a name that looks like none is a note after a minute, at unmount, and after a crash" {
	echo one > 'notes/My plan'
	[ ! -e 'notes/My plan@1' ]
	later +2m
	wait_for 30 test -e 'notes/My plan@1'
	[ "$(cat 'notes/My plan@1')" = one ]
	echo two > notes/2026
	cd /
	cinta_umount
	cinta_mount
	cd "$M"
	[ "$(cat notes/2026@1)" = two ]
	grep -q root "notes/2026@log" || grep -q "$(id -un)" notes/2026@log
}

@test "what a program has left, and what has no place where it is, is told after a minute" {
	echo x > notes/report.save
	echo x > facts/food
	echo x > smma/todo
	echo text > notes/a.md
	cp notes/a.md notes/a.md~ # what editors keep beside a document is their own
	cp notes/a.md notes/a.md.bak
	touch notes/.a.md.swp
	later +2m
	told() { [ "$(grep -c ' SCRATCH ' errors.log)" -eq 3 ]; }
	wait_for 30 told
	grep -q 'SCRATCH create notes/report.save .* it goes after 24 hours; to keep it, rename it' errors.log
	grep -q 'SCRATCH create facts/food .* add a line to work.md' errors.log
	grep -q 'SCRATCH create smma/todo .* name it NAME.md' errors.log
	mv notes/report.save notes/report.md
	[ "$(cat notes/report.md@1)" = x ]
}
