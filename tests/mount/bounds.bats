# SPDX-License-Identifier: MIT
# One mount per agent: -o as=, only=, ro=, hide=.  What is hidden is told by no name, no byte and no
# search of the mount; what is read-only takes no kind of write; all of it in words.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mkdir "$T/a" "$T/b"
	cinta_mount
}
teardown() { cinta_teardown; }

bounded() { "$CINTA" mount -o "$1" "$DB" "${2:-$T/a}"; }
bounds() { python3 "$HERE/bounds.py" "$@"; }
both_down() {
	cinta_umount "$T/a"
	cinta_umount
	verified
}

@test "nothing of what is hidden is told: each path, each known name, 300 searches" {
	bounds fill "$M"
	bounds paths "$M" > "$T/paths"
	[ "$(wc -l < "$T/paths")" -gt 2000 ]
	run bounds leaks "$M" "$T/paths" # it would find them
	[ "$status" -ne 0 ]
	for kind in notes/private/ notes/open/zqsecretfile sessions/hidden sessions/zqsecret-talk \
		memories/decision blocks/rules facts/personal.md records/secretary answers/ components/plu \
		smma/current_task smma/workspace logs/zqsecret algorithms/zqsecret threads/zqsecret \
		.cinta/tape .cinta/at .cinta/by-hash .cinta/html errors.log rejected/ memories/top context/ \
		blocks/.active facts/facts.jsonl notes/open/came.md@; do
		[[ $output == *"leak: $kind"* ]] || { echo "nothing secret in $kind" && false; }
	done
	[[ $output == *'leak by search: search/'* && $output == *'leak by search/query'* ]]
	bounded "as=agent-7,hide=$(bounds hidden)"
	bounds leaks "$T/a" "$T/paths"
	bounds same "$M" "$T/a"
	bounded "ro,hide=$(bounds hidden)" "$T/b"
	bounds leaks "$T/b" "$T/paths"
	cinta_umount "$T/b"
	bounded 'only=notes/open:sessions/shown:sessions/other,only=memories/fact:blocks/persona:components,ro=facts/work.md,hide=notes/open/zqsecretfile.md:memories/fact/zqsecretkey.md:components/plu' "$T/b"
	bounds leaks "$T/b" "$T/paths"
	bounds same "$M" "$T/b"
	cinta_umount "$T/b"
	both_down
}

@test "what is hidden is as if it were not: ENOENT, and no page of several files" {
	mkdir -p "$M/notes/private/deep" "$M/notes/open" "$M/sessions/x" "$M/sessions/y"
	echo one > "$M/notes/private/deep/a.md"
	echo two > "$M/notes/open/b.md"
	echo '{"role":"user","content":"three cats purr","thread":"t"}' >> "$M/sessions/x/log.jsonl"
	bounded hide=notes/private
	run -1 cat "$T/a/notes/private/deep/a.md"
	[[ $output == *'No such file'* ]]
	[ "$(ls "$T/a/notes")" = open ]
	[ "$(cat "$T/a/notes/open/b.md")" = two ]
	[ "$(cat "$T/a/sessions/current/transcript.md")" = "$(cat "$M/sessions/x/transcript.md")" ]
	for path in .cinta dashboard.md smma/dashboard.md smma/action_log.md rejected \
		sessions/x/dashboard.md sessions/x/refs.jsonl sessions/x/saves.jsonl; do
		[ ! -e "$T/a/$path" ] || { echo "$path" && false; }
		[ -e "$M/$path" ]
	done
	# threads are there while all sessions are, lists of all facts while all lists are
	[ -e "$T/a/threads/t/log.jsonl" ]
	[ -e "$T/a/facts/facts.jsonl" ]
	grep -q three "$T/a/threads/t/context.md"
	grep -q three "$T/a/sessions/x/context.md"
	grep -q three "$T/a/context.md"
	grep -q two "$T/a/context/two.md"
	grep -q notes/private "$M/context/one.md"
	not grep -q notes/private "$T/a/context/one.md"
	cinta_umount "$T/a"
	bounded hide=sessions/x
	[ ! -e "$T/a/facts" ]
	cinta_umount "$T/a"
	bounded hide=sessions/x:facts/work.md,ro=facts
	[ ! -e "$T/a/threads" ]
	[ ! -L "$T/a/sessions/current" ]
	grep -q purr "$M/context/three.md"
	not grep -q purr "$T/a/context/three.md" "$T/a/context.md"
	[ ! -e "$T/a/facts/facts.jsonl" ]
	[ ! -e "$T/a/facts/stale.md" ]
	[ -e "$T/a/facts/personal.md" ]
	[ "$(ls "$T/a/sessions")" = y ]
	both_down
}

@test "context.md opened by a reader is of no hidden session, and says what can be done here" {
	bounded only=notes
	[[ $(cat "$T/a/context.md") == *'Nobody has written to a session yet.' ]]
	cinta_umount "$T/a"
	bounded hide=sessions/x
	[[ $(cat "$T/a/context.md") == *'The first line of a log makes one:'*' >> sessions/current/log.jsonl' ]]
	bash -c "cd '$T/a' && $(tail -1 "$T/a/context.md")"
	mkdir "$M/sessions/x" "$M/notes/open"
	echo 'three cats purr' > "$M/notes/open/cats.md"
	echo '{"role":"user","content":"What of the cats that purr?"}' >> "$M/sessions/x/log.jsonl"
	[[ $(cat "$M/context.md") == *'Session: x'*notes/open/cats.md* ]]
	echo '{"role":"assistant","content":"They do."}' >> "$M/sessions/x/log.jsonl"
	shown=$(wc -l < "$M/sessions/x/refs.jsonl")
	[ "$shown" -gt 0 ]
	cat "$T/a/context.md" > "$T/page"
	not grep -qE 'sessions/x|Session: x|cats' "$T/page"
	[ "$(stat -c %s "$T/a/context.md")" = "$(wc -c < "$T/page")" ]
	[[ $(head -1 "$T/page") == '# Context: no session' ]]
	[[ $(tail -1 "$T/page") == 'This mount does not show the session last written to.'*' sessions/NAME/context.md.' ]]
	echo '{"role":"assistant","content":"Still."}' >> "$M/sessions/x/log.jsonl"
	[ "$(wc -l < "$M/sessions/x/refs.jsonl")" = "$shown" ]
	cinta_umount "$T/a"
	bounded only=notes
	[ "$(cat "$T/a/context.md" | tail -1)" = 'This mount does not show the session last written to.' ]
	both_down
}

@test "a fact does not tell of the hidden session it was said in" {
	mkdir "$M/sessions/x" "$M/sessions/y"
	echo '{"role":"user","content":"Remember that I live in Quilmes","from":{"agent":"spy","session":"conv-7","id":"1"}}' >> "$M/sessions/x/log.jsonl"
	echo '{"role":"user","content":"Remember that I am allergic to oak"}' >> "$M/sessions/y/log.jsonl"
	wait_for 20 grep -q Quilmes "$M/facts/personal.md"
	wait_for 20 grep -q oak "$M/facts/personal.md"
	echo '- saved by an agent' | CINTA_AGENT=spy CINTA_SESSION=conv-7 tee -a "$M/facts/work.md" > /dev/null
	said() { jq -r --arg w "$2" 'select(.fact | contains($w)) | "\(.said_in) \(.from.session)"' "$1/facts/facts.jsonl"; }
	[[ $(said "$M" Quilmes) == 'sessions/x/messages/0'*' null' ]]
	[ "$(said "$M" agent)" = 'null conv-7' ]
	bounded hide=sessions/x,ro=facts
	[ "$(said "$T/a" Quilmes)" = 'null null' ]
	[[ $(said "$T/a" oak) == 'sessions/y/messages/0'*' null' ]]
	not grep -rqE 'conv-7|sessions/x' "$T/a/facts/facts.jsonl"
	[[ $(cut -f 6,7 "$T/a/facts/work.md@log") == $'spy\t-' ]]
	[[ $(cut -f 6,7 "$M/facts/work.md@log") == $'spy\tsessions/x' ]]
	both_down
}

@test "only= shows what it names, the way there, and what all mounts have" {
	mkdir -p "$M/notes/one/in" "$M/notes/other" "$M/sessions/x" "$M/sessions/y"
	echo 1 > "$M/notes/one/in/a.md"
	echo 2 > "$M/notes/other/b.md"
	echo 3 > "$M/notes/one.md"
	for s in x y; do echo '{"role":"user","content":"hi"}' >> "$M/sessions/$s/log.jsonl"; done
	bounded as=agent-7,session=x,only=notes/one:sessions/x,ro=notes/one/in
	[ "$(cd "$T/a" && find . ! -path './sessions/x*' | sort | tr '\n' ' ')" = \
		'. ./AGENTS.md ./README.md ./context ./context.md ./errors.log ./notes ./notes/one ./notes/one/in ./notes/one/in/a.md ./search ./sessions ./sessions/current ' ]
	[ "$(readlink "$T/a/sessions/current")" = x ]
	echo new > "$T/a/notes/one/c.md"
	mkdir "$T/a/notes/one/sub"
	echo '{"role":"user","content":"mine"}' >> "$T/a/sessions/current/log.jsonl"
	grep -q '"author":"agent-7:' "$M/sessions/x/log.jsonl"
	[[ $(cut -f 3 "$M/notes/one/c.md@log") == agent-7:* ]]
	run -1 bash -c "echo no > '$T/a/notes/one/in/a.md'"
	[[ $output == *'Read-only file system'* ]]
	run -1 mkdir "$T/a/notes/other"
	[[ $output == *'Operation not permitted'* ]]
	[[ $(tail -1 "$T/a/errors.log") == *' EPERM mkdir notes/other agent-7:mkdir: this mount does not reach there'* ]]
	both_down
}

# refused ERRNO COMMAND…: in words, too
refused() {
	local code=$1 before after
	before=$(wc -l < "$T/a/errors.log")
	shift
	run bash -c "cd '$T/a' && $*"
	after=$(wc -l < "$T/a/errors.log")
	[ "$status" -ne 0 ] && [[ $(tail -1 "$T/a/errors.log") == *" $code "* ]] && [ "$after" -gt "$before" ] ||
		{ echo "$*: $status $output; $(tail -1 "$T/a/errors.log")" && false; }
}

@test "ro= takes no kind of write, and each has its line" {
	mkdir -p "$M/notes/kept/in" "$M/notes/free" "$M/sessions/x"
	echo 1 > "$M/notes/kept/a.md"
	echo 1 > "$M/notes/kept/in/b.md"
	echo 2 > "$M/notes/free/f.md"
	echo 3 > "$M/notes/kept/link~"
	echo '{"role":"user","content":"hi"}' >> "$M/sessions/x/log.jsonl"
	bounded rm=retire,hide=records:notes/free/gone.md,ro=notes/kept:sessions:facts:smma:notes/free/deep/kept
	cp -r "$M/notes" "$T/before"
	refused EROFS 'echo x > notes/kept/a.md'
	refused EROFS 'echo x >> notes/kept/a.md'
	refused EROFS 'exec 3<> notes/kept/a.md'
	refused EROFS 'echo x > notes/kept/new.md'
	refused EROFS 'truncate -s 0 notes/kept/a.md'
	refused EROFS 'touch notes/kept/a.md'
	refused EROFS 'chmod 600 notes/kept/a.md'
	refused EROFS 'rm -f notes/kept/a.md'
	refused EROFS 'mv notes/kept/a.md notes/free/a.md'
	refused EROFS 'mv -f notes/free/f.md notes/kept/f.md'
	refused EROFS 'mv -f notes/free/f.md notes/kept/a.md'
	refused EROFS 'mv notes/kept notes/moved'
	refused EROFS 'mkdir notes/kept/sub'
	refused EROFS 'rmdir notes/kept/in'
	refused EROFS 'ln -s a.md notes/kept/.link'
	refused EROFS 'ln notes/free/f.md notes/kept/hard.md'
	refused EROFS 'mkfifo notes/kept/fifo'
	refused EROFS 'rm -f notes/kept/link~'
	refused EROFS 'echo "{\"role\":\"user\",\"content\":\"x\"}" >> sessions/x/log.jsonl'
	refused EROFS 'echo prune 1 > sessions/x/ctl'
	refused EROFS 'echo x > sessions/x/summaries/1-1.md'
	refused EROFS 'mkdir sessions/z'
	refused EROFS 'echo "- A fact." > facts/work.md'
	refused EROFS 'echo x > smma/current_task.md'
	refused EROFS 'mkdir smma/workspace/w'
	# a folder with something read-only below it stays where it is; what has a name out of bounds, too
	mkdir -p "$M/notes/free/deep/kept"
	refused EROFS 'mv notes/free/deep notes/elsewhere'
	refused EROFS 'mv notes/free notes/elsewhere'
	refused EPERM 'mv notes/free/f.md notes/free/gone.md'
	run -1 setfattr -n user.x -v y "$T/a/notes/kept/a.md"
	run -1 test -w "$T/a/notes/kept/a.md"
	rmdir "$M/notes/free/deep/kept" "$M/notes/free/deep"
	diff -r "$T/before" "$M/notes"
	[ "$(wc -l < "$M/sessions/x/log.jsonl")" = 1 ]
	# what is not named can be written, and what is read-only read
	echo 4 > "$T/a/notes/free/f.md"
	[ "$(cat "$T/a/notes/kept/a.md")" = 1 ]
	[ "$(cat "$M/notes/free/f.md")" = 4 ]
	both_down
}

@test "without hide= and only= every page is there" {
	echo 1 > "$M/notes/a.md"
	bounded ro=notes
	[ "$(cd "$T/a" && ls -A . .cinta smma)" = "$(cd "$M" && ls -A . .cinta smma)" ]
	run -1 bash -c "echo x > '$T/a/notes/a.md'"
	grep -q 'EROFS open notes/a.md' "$T/a/errors.log" "$M/errors.log"
	cat "$T/a/context.md" > "$T/context"
	both_down
}

@test "what others were refused is not in the mount's errors.log, what it was is in theirs" {
	mkdir -p "$M/sessions/x"
	run -1 bash -c "echo 'no JSON of secrets' >> '$M/sessions/x/log.jsonl'"
	bounded as=agent-7,hide=sessions/x
	[ ! -s "$T/a/errors.log" ]
	run -1 mkdir "$T/a/sessions/x"
	run -1 bash -c "cat '$T/a/notes/lantren.md'"
	[ "$(wc -l < "$T/a/errors.log")" = 1 ]
	grep -q 'EPERM mkdir sessions/x agent-7:mkdir' "$M/errors.log"
	cinta_umount "$T/a"
	bounded as=agent-7,hide=sessions/x
	[ ! -s "$T/a/errors.log" ]
	both_down
}

@test "what is moved out of sight goes, what comes leaves its past behind" {
	mkdir -p "$M/notes/open/sub" "$M/notes/private"
	echo 1 > "$M/notes/open/a.md"
	echo secret > "$M/notes/private/b.md"
	echo told > "$M/notes/private/b.md"
	echo 3 > "$M/notes/open/sub/c.md"
	bounded hide=notes/private
	[ "$(cat "$T/a/notes/open/a.md" "$T/a/notes/open/sub/c.md")" = $'1\n3' ]
	[ "$(cat "$T/a/notes/open/a.md@1")" = 1 ]
	cd "$T/a/notes/open/sub"
	mv "$M/notes/open/a.md" "$M/notes/private/a.md"
	mv "$M/notes/open/sub" "$M/notes/private/sub"
	for moved in "$T/a/notes/open/a.md" "$T/a/notes/open/a.md@1" "$T/a/notes/open/sub/c.md" c.md; do
		run -1 cat "$moved" # at once; a name may be found for a moment more
	done
	for moved in a.md a.md@1 sub; do wait_for 5 not test -e "$T/a/notes/open/$moved"; done
	cd "$T"
	mv "$M/notes/private/b.md" "$M/notes/open/b.md"
	[ "$(cat "$T/a/notes/open/b.md")" = told ]
	for past in @1 @2 @log; do [ ! -e "$T/a/notes/open/b.md$past" ]; [ -e "$M/notes/open/b.md$past" ]; done
	mv "$M/notes/private/a.md" "$M/notes/open/a.md"
	[ "$(cat "$T/a/notes/open/a.md")" = 1 ]
	both_down
}

@test "as= is the author whoever writes; a mistake in the words is told before anything is made" {
	bounded as=agent-7
	echo 1 > "$T/a/notes/a.md"
	[[ $(cut -f 3 "$M/notes/a.md@log") == agent-7:* ]]
	cinta_umount "$T/a"
	cinta_umount
	wrong() {
		run -2 "$CINTA" mount -o "$1" "$T/none.db" "$T/none"
		[[ $output == *"$2"* ]] && [ ! -e "$T/none.db" ] && [ ! -e "$T/none" ] ||
			{ echo "$output" && false; }
	}
	wrong as=a,owner=b 'as= and owner= both say who writes'
	wrong ro,ro=notes 'is read-only everywhere'
	wrong hide=note/private 'there is no note/private'
	wrong hide=notes/../smma 'no path of the memory'
	wrong hide=notes//a 'no path of the memory'
	wrong hide=/ 'no path of the memory'
	wrong only=notes,hide=notes 'it is in hide= and in only= or ro='
	wrong hide=threads/x 'stands in sessions, too'
	wrong only=answers/x.md 'has several names'
	wrong hide= 'option `hide` needs a value'
	wrong only=notes,session=x 'sessions/x is not shown'
	verified
}

@test "the verbs for files and the server of tools go by the mount that is named" {
	mkdir -p "$M/notes/private" "$M/sessions/x"
	echo hushed > "$M/notes/private/a.md"
	echo open > "$M/notes/b.md"
	bounded hide=notes/private:sessions/x,ro=facts
	run -1 "$CINTA" cat "$T/a/notes/private/a.md"
	[[ $output != *hushed* ]]
	[ "$("$CINTA" cat "$M/notes/private/a.md")" = hushed ]
	[ "$("$CINTA" ls "$T/a/notes")" = b.md ]
	[ "$("$CINTA" ls -d "$T/a" notes)" = b.md ]
	run -1 bash -c "echo x | '$CINTA' write '$T/a/notes/private/c.md'"
	run -1 bash -c "echo '- x' | '$CINTA' write '$T/a/facts/work.md'"
	[[ $output == *'read-only'* ]]
	ask() {
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
			"$1" | "$CINTA" mcp -d "$T/a"
	}
	run ask '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{"path":"notes/private/a.md"}}}'
	[[ $output != *hushed* ]]
	run ask '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_search","arguments":{"query":"hushed"}}}'
	[[ $output != *notes/private* ]]
	run ask '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_context","arguments":{"question":"what is hushed and open?"}}}'
	[[ $output != *notes/private* && $output == *notes/b.md* ]]
	run bash -c "echo '{\"hook_event_name\":\"SessionStart\",\"cwd\":\"/x\"}' | '$CINTA' hook -d '$T/a'"
	[ "$status" -eq 0 ]
	[[ $output != *hushed* ]]
	both_down
}
