# SPDX-License-Identifier: MIT
# The first minute: context.md without a session, the eight sections of smma/.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

@test "context.md of an empty memory says who the agent is and how to begin; what it says runs" {
	grep -q 'architect of your own information' context.md
	run cat context.md
	[ "$status" -eq 0 ]
	bash -c "$(tail -1 context.md)"
	grep -q "^Session: $(readlink sessions/current)" context.md
	grep -q 'architect of your own information' context.md
	not grep -q 'Nobody has written' context.md
}

@test "facts, notes to oneself and blocks stand in it before there is a session" {
	echo '- prefers tea' > facts/preferences.md
	echo 'finish the roof' > smma/current_task.md
	printf -- '---\nname: Manners\n---\nBe brief.\n' > blocks/rules/manners.md
	grep -q 'prefers tea' context.md
	grep -q 'finish the roof' context.md
	grep -q 'Be brief' context.md
	"$CINTA" identity "$DB" <<< 'You are Ada.'
	wait_for 5 grep -q 'You are Ada' context.md
	not grep -q architect context.md
	[ "$(cat smma/identity.md)" = 'You are Ada.' ]
}

@test "ls smma lists the eight sections; generated ones are files, so that a copy has them" {
	[ "$(ls smma | tr '\n' ' ')" = "action_log.md agent_notes.md current_task.md dashboard.md identity.md project_context.md session_log.jsonl user_profile.md workspace " ]
	[ ! -L smma/dashboard.md ]
	[ ! -L smma/action_log.md ]
	[ ! -L context.md ]
	[ "$(readlink dashboard.md)" = smma/dashboard.md ]
	mkdir sessions/s
	echo '{"role":"user","content":"quokka"}' >> sessions/s/log.jsonl
	grep -q quokka smma/action_log.md
	[ "$(grep -rl quokka . | sort | tr '\n' ' ')" = './context.md ./sessions/s/log.jsonl ./sessions/s/transcript.md ./smma/action_log.md ' ]
	grep -q 'pressure' dashboard.md
}

@test "a section is empty until its first save, and then a document" {
	[ "$(stat -c %s%F smma/user_profile.md)" = '0regular empty file' ]
	[ ! -e smma/user_profile.md@log ]
	printf 'one\n' >> smma/user_profile.md
	printf 'two\n' >> smma/user_profile.md
	[ "$(cat smma/user_profile.md)" = "$(printf 'one\ntwo')" ]
	[ "$(wc -l < smma/user_profile.md@log)" -eq 2 ]
	# by a temporary file, as editors and tools save
	printf 'task\n' > smma/current_task.md.tmp
	mv smma/current_task.md.tmp smma/current_task.md
	[ "$(cat smma/current_task.md)" = task ]
	# a backup first, as vim has it
	cp smma/agent_notes.md smma/agent_notes.md~
	mv smma/agent_notes.md smma/agent_notes.md~
	printf 'note\n' > smma/agent_notes.md
	[ "$(cat smma/agent_notes.md)" = note ]
	[ "$(ls smma | grep -c .)" -ge 9 ]
	[ "$(ls smma | sort | uniq -d)" = '' ]
	run ! mv smma/project_context.md notes/x.md
	run ! rm smma/agent_notes.md
	rm smma/project_context.md # nobody has written it: nothing is lost, and it is there again
	[ -f smma/project_context.md ]
	run ! bash -c 'echo x > smma/identity.md'
	tail -1 errors.log | grep -q 'cinta identity'
	[ "$("$CINTA" verify --all "$DB" > /dev/null; echo $?)" -eq 0 ]
}

@test "a section that was saved survives a new mount; the empty ones come back" {
	echo kept > smma/agent_notes.md
	cd /
	cinta_umount
	cinta_mount
	cd "$M"
	[ "$(cat smma/agent_notes.md)" = kept ]
	[ "$(ls smma | grep -c .)" -eq 9 ]
	# at the first write of another mount
	mkdir "$T/m2"
	"$CINTA" mount "$DB" "$T/m2"
	[ ! -s "$T/m2/smma/user_profile.md" ]
	echo there > "$T/m2/smma/user_profile.md"
	[ "$(cat smma/user_profile.md)" = there ]
	exec 5< smma/project_context.md
	echo other > "$T/m2/smma/project_context.md"
	[ -z "$(cat <&5)" ]
	[ "$(cat smma/project_context.md)" = other ]
	exec 5<&-
}
