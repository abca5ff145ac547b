# SPDX-License-Identifier: MIT
# Where a mount says rm=retire, deleting a document retires it: an entry says so, nothing is gone.
# In notes/ `status: retired` does the same, in any mount.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount -o rm=retire
	cd "$M"
}
teardown() {
	cd /
	cinta_teardown
}

# is_away PATH WORD: listed, found and shown nowhere, and its history stays
is_away() {
	wait_for 5 not test -e "$1"
	[ -z "$(ls "${1%/*}" | grep -xF "${1##*/}")" ]
	not grep -q "$1" "search/$2.md"
	not grep -q "$2" <(sed 1d "context/what about $2.md")
	not grep -rq "$2" notes memories blocks
	grep -q . "$1@log"
	grep -q "$2" "$1@1"
}

@test "rm retires: lists, search and contexts are without it, its history stays, the past has it" {
	mkdir -p notes/a
	echo 'the wombat sleeps' > notes/a/w.md
	echo 'the wombat wakes' > notes/a/w.md
	echo 'another wombat' > notes/a/x.md
	grep -q 'notes/a/w.md' search/wombat.md
	wait_for 5 grep -q wombat 'context/what about wombat.md'
	sleep 1.1
	then=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	sleep 1.1
	before=$(wc -l < .cinta/tape.jsonl)
	rm notes/a/w.md notes/a/x.md
	[ "$(wc -l < .cinta/tape.jsonl)" -eq $((before + 2)) ]
	tail -2 .cinta/tape.jsonl | grep -c '"kind":"retire"' | grep -qx 2
	is_away notes/a/w.md wombat
	[ "$(wc -l < notes/a/w.md@log)" -eq 2 ]
	[ "$(cat notes/a/w.md@2)" = 'the wombat wakes' ]
	[ "$(cat ".cinta/at/$then/notes/a/w.md")" = 'the wombat wakes' ]
	[ ! -s errors.log ]
	run ! rm notes/a/w.md
	# made again it is the same document
	echo 'the wombat is back' > notes/a/w.md
	[ "$(wc -l < notes/a/w.md@log)" -eq 3 ]
	[ "$(cat notes/a/w.md@3)" = 'the wombat is back' ]
	grep -q 'notes/a/w.md' search/wombat.md
	# with the same bytes, too
	rm notes/a/w.md
	printf 'the wombat is back\n' > notes/a/w.md.tmp
	mv notes/a/w.md.tmp notes/a/w.md
	[ "$(cat notes/a/w.md)" = 'the wombat is back' ]
	[ -e notes/a/w.md@4 ]
	cd /
	cinta_umount
	"$CINTA" rebuild "$DB"
	verified
	"$CINTA" mount "$DB" "$M"
	[ "$(ls "$M/notes/a")" = w.md ] && [ "$(wc -l < "$M/notes/a/x.md@log")" -eq 1 ]
}

@test "each kind of document; a section is empty again, a log and a list stay" {
	mkdir -p memories/fact algorithms/context
	echo 'a numbat' > memories/fact/k.md
	echo 'numbat rule' > blocks/rules/r.md
	echo '{"status":"active","config":{"window":3}}' > algorithms/context/v9.json
	echo profile > smma/user_profile.md
	echo because > 'answers/why numbat.md'
	mkdir sessions/s
	echo '{"content":"hi"}' >> sessions/s/log.jsonl
	echo '- a fact' > facts/work.md
	rm memories/fact/k.md blocks/rules/r.md algorithms/context/v9.json smma/user_profile.md 'answers/why numbat.md'
	is_away memories/fact/k.md numbat
	is_away blocks/rules/r.md numbat
	[ ! -e algorithms/context/v9.json ]
	[ ! -e 'answers/why numbat.md' ]
	[ -e smma/user_profile.md ]
	[ ! -s smma/user_profile.md ]
	[ "$(cat smma/user_profile.md@1)" = profile ]
	not grep -q 'numbat rule' context.md blocks/.active.md
	for f in sessions/s/log.jsonl facts/work.md smma/identity.md README.md sessions/s/transcript.md; do
		run ! rm -f "$f"
		[ -e "$f" ]
	done
	echo anew > smma/user_profile.md
	[ "$(wc -l < smma/user_profile.md@log)" -eq 2 ]
	cd /
	cinta_umount
	verified
}

@test "a folder whose documents are retired goes, and mkdir brings it back with their history" {
	mkdir -p notes/a/b
	echo one > notes/a/b/c.md
	echo two > notes/a/d.md
	run ! rmdir notes/a/b
	[[ $output == *'not empty'* ]]
	rm -r notes/a
	[ -z "$(ls notes)" ]
	mkdir notes/a
	[ -z "$(ls notes/a)" ]
	[ "$(cat notes/a/d.md@1)" = two ]
	mkdir notes/a/b
	echo three > notes/a/b/c.md
	[ "$(wc -l < notes/a/b/c.md@log)" -eq 2 ]
	[ "$(cat notes/a/b/c.md@1)" = one ]
	mv notes/a/b/c.md notes/a/moved.md
	rmdir notes/a/b
	cd /
	cinta_umount
	"$CINTA" rebuild "$DB"
	verified
	cinta_mount
	[ "$(find "$M/notes" -type f)" = "$M/notes/a/moved.md" ]
}

@test "a folder that was removed and made again at once takes files, whatever else the kernel does" {
	"$CINTA" mount -o rm=retire "$DB" "$T/other"
	busy=()
	for n in 1 2 3 4 5 6; do
		timeout "$(many 60 3600)" sh -c 'while :; do :; done' 3>&- > /dev/null 2>&1 &
		busy+=($!)
	done
	run -0 python3 -c 'import os, shutil, sys
for n in range(int(sys.argv[2])):
    os.makedirs(sys.argv[1])
    for name in "ab":
        with open(f"{sys.argv[1]}/{name}.md", "x") as f:
            f.write(f"{n}\n")
    shutil.rmtree(sys.argv[1])' "$M/notes/again" "$(many 200 2000)"
	kill "${busy[@]}"
	"$CINTA" umount "$T/other"
}

@test "other mounts see it at once, and keep to their own rule; without the option it is refused" {
	mkdir "$T/other"
	"$CINTA" mount "$DB" "$T/other"
	echo text > notes/w.md
	[ "$(cat "$T/other/notes/w.md")" = text ]
	run ! rm "$T/other/notes/w.md"
	tail -1 errors.log | grep 'EPERM unlink notes/w.md' | grep -q 'status: retired'
	rm notes/w.md
	wait_for 5 not test -e "$T/other/notes/w.md"
	run ! cat "$T/other/notes/w.md"
	[ "$(cat "$T/other/notes/w.md@1")" = text ]
	echo again > "$T/other/notes/w.md"
	[ "$(cat notes/w.md)" = again ]
	[ "$(wc -l < notes/w.md@log)" -eq 2 ]
	"$CINTA" umount "$T/other"
	mkdir "$T/third"
	run "$CINTA" mount -o rm=delete "$DB" "$T/third"
	[ "$status" -eq 2 ] && [[ $output == *'rm=delete: not refuse or retire'* ]]
}

@test "status: retired in a note's front matter retires it, also in its first version; without it it is back" {
	printf 'the quoll sings\n' > notes/q.md
	printf -- '---\nstatus: retired\n---\nthe quoll sings\n' > notes/q.md
	is_away notes/q.md quoll
	[ "$(head -2 notes/q.md@2 | tail -1)" = 'status: retired' ]
	mkdir notes/f
	printf -- '---\ntitle: x\nstatus: "retired"\n---\nfirst quoll\n' > notes/f/first.md
	is_away notes/f/first.md quoll
	[ "$(wc -l < notes/f/first.md@log)" -eq 1 ]
	printf 'the quoll is here\n' > notes/f/first.md
	[ "$(cat notes/f/first.md)" = 'the quoll is here' ]
	[ "$(wc -l < notes/f/first.md@log)" -eq 2 ]
	# saved again as retired it stays so; elsewhere, and in a text, the words mean nothing
	printf -- '---\nstatus: retired\n---\nthe quoll sang\n' > notes/q.md
	wait_for 5 not test -e notes/q.md
	[ "$(wc -l < notes/q.md@log)" -eq 3 ]
	printf 'status: retired\n' > notes/plain.md
	printf -- '---\nstatus: [broken\n---\nretired\n' > notes/broken.md
	printf -- '---\nstatus: retiring, retired\n---\n' > notes/almost.md
	[ "$(ls notes | tr '\n' ' ')" = 'almost.md broken.md f plain.md ' ]
	mv notes/plain.md notes/q.md
	[ "$(cat notes/q.md)" = 'status: retired' ]
	cd /
	cinta_umount
	"$CINTA" rebuild "$DB"
	verified
}

@test "what is being written when it is retired is saved, as its next version" {
	echo one > notes/w.md
	python3 - <<- 'P'
		import os
		with open('notes/w.md', 'a') as f:
		    f.write('two\n')
		    f.flush()
		    os.unlink('notes/w.md')
		    assert not os.path.exists('notes/w.md')
	P
	[ "$(cat notes/w.md)" = "$(printf 'one\ntwo')" ]
	[ "$(wc -l < notes/w.md@log)" -eq 2 ]
	exec 9< notes/w.md
	rm notes/w.md
	[ "$(cat <&9)" = "$(printf 'one\ntwo')" ]
	exec 9<&-
	[ ! -e notes/w.md ]
}

@test "many make, retire and make again at once: one document a name, and no version lost" {
	mkdir notes/c "$T/other"
	"$CINTA" mount -o rm=retire "$DB" "$T/other"
	local w n
	for w in 1 2 3; do
		(cd "$([ $((w % 2)) = 1 ] && echo "$M" || echo "$T/other")" && for n in $(seq 15); do
			echo "$w $n" > "notes/c/$((n % 2)).md"
			rm -f "notes/c/$((n % 2)).md" || true
		done 2> /dev/null || true) & # who was slower is told so
		pids[w]=$!
	done
	wait "${pids[@]}"
	echo last > notes/c/0.md
	echo last > notes/c/1.md
	[ "$(ls notes/c | tr '\n' ' ')" = '0.md 1.md ' ] || { ls notes/c; false; }
	"$CINTA" umount "$T/other"
	cd /
	cinta_umount
	verified
	[ "$(sql "SELECT count(*) FROM v_doc WHERE folder = 0")" -eq 2 ]
}
