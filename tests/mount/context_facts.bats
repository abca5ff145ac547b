# SPDX-License-Identifier: MIT
# Which facts stand in a context: those that belong to what is talked about.
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

user() { printf '{"role":"user","content":"%s"}\n' "$1" >> "$S/log.jsonl"; }
facts() { sed -n '/^## Facts/,/^## [^F]/p' "$C" | grep '^- '; }
# desks: 22 decisions that have nothing to do with anything
desks() { for ((i = 1; i <= 22; i++)); do echo "- decided to buy the chair number $i from vendor N$i"; done; }

@test "the fact that is asked for comes first among 23, with its date" {
	echo '- decided k8s over docker-compose for the deployment' > "$M/facts/decisions.md"
	desks >> "$M/facts/decisions.md"
	user '¿Cómo quedó lo que decidimos ayer sobre el deployment?'
	[ "$(facts | head -1)" = "- decided k8s over docker-compose for the deployment (decisions, $(date -u +%F))" ]
	sed -n '/^## Facts/,/^## [^F]/p' "$M/context/¿cómo quedó lo del deployment?.md" | grep -q k8s
}

@test "what matches nothing has the least share only" {
	for ((i = 1; i <= 30; i++)); do echo "- prefers tea of the kind number $i in a cup"; done > "$M/facts/preferences.md"
	user 'compile the kernel module with gcc'
	[ "$(facts | wc -l)" -ge 1 ]
	[ "$(facts | wc -l)" -le 4 ] # 50 tokens
	user 'which tea did I like?'
	[ "$(facts | wc -l)" -ge 6 ] # 150
}

@test "of one subject what was said last comes first" {
	echo '- the deployment of the shop runs on docker-compose' > "$M/facts/projects.md"
	sleep 0.01
	echo '- the deployment of the shop runs on k8s' >> "$M/facts/projects.md"
	desks > "$M/facts/decisions.md"
	user 'the deployment of the shop, docker-compose or what?'
	facts | head -2 > "$T/two"
	[[ $(sed -n 1p "$T/two") == *k8s* ]]
	[[ $(sed -n 2p "$T/two") == *docker-compose* ]]
}

@test "a short message is about what was said before it" {
	echo '- the printer on the second floor needs a driver' > "$M/facts/work.md"
	desks >> "$M/facts/work.md"
	user 'the printer does not print at all today'
	printf '{"role":"assistant","content":"is it on?"}\n' >> "$S/log.jsonl"
	user 'yes'
	facts | head -1 | grep -q printer
}

@test "the domain tips the scales; a size asks no more than the page does" {
	echo '- Rex goes to the vet in March' > "$M/facts/personal.md"
	echo '- Rex is the name of the release in March' > "$M/facts/projects.md"
	user 'the build of the code fails on the branch: is that Rex in March?'
	[ "$(stat -c %s "$C")" -eq "$(wc -c < "$C")" ]
	facts | head -1 | grep -q release
}

@test "a question asserts nothing, and a page without the conversation has what was said in it" {
	echo '- we deploy on Tuesdays' > "$M/facts/work.md"
	sed -n '/^## Facts/,/^## [^F]/p' "$M/context/do we deploy on Tuesdays.md" | grep -q '^- we deploy on Tuesdays'
	grep -q '^Left out: nothing' "$M/context/do we deploy on Tuesdays.md"
	printf '{"role":"user","thread":"t","content":"as ever, we deploy on Tuesdays"}\n' >> "$S/log.jsonl"
	not grep -q '^- we deploy' "$C"
	grep -q '(1 said just now' "$C"
	grep -q '^- we deploy on Tuesdays' "$M/threads/t/context.md"
}
