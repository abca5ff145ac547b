# SPDX-License-Identifier: MIT
# A session's window as an agent works on it: with echo, cat and >.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	S=$M/sessions/work
	mkdir "$S"
	for i in $(seq 1 20); do printf '{"role":"user","content":"message %d","n":%d}\n' "$i" "$i"; done >> "$S/log.jsonl"
}
teardown() { cinta_teardown; }

# state NAME: what ctl says of it
state() { sed -n "s/^$1  *//p" "$S/ctl"; }
# does COMMAND…: written to ctl, a line each, in one write (bash's printf makes one a line)
does() {
	printf '%s\n' "$@" > "$T/commands"
	cat "$T/commands" > "$S/ctl"
}
ops() { sql "SELECT count(*) FROM tape WHERE stream = 'c1'"; }
kept() { ls "$M/rejected" | grep -v '\.why$' || true; }
# refused ERRNO WORDS LINE…: nothing is stored, errors.log says why, rejected/ has the lines
refused() {
	local code=$1 words=$2 before after
	shift 2
	before=$(ops) after=$(kept | wc -l)
	run does "$@"
	[ "$status" -ne 0 ]
	[ "$(ops)" -eq "$before" ]
	tail -n 1 "$M/errors.log" | grep -F " $code write sessions/work/ctl " | grep -F -- "$words"
	[ "$(kept | wc -l)" -eq $((after + 1)) ]
	printf '%s\n' "$@" | cmp - "$M/rejected/$(kept | tail -n 1)"
}

@test "ctl says what there is and how to use it; > does what >> does" {
	[ "$(state messages) $(state active) $(state window)" = "20 20 auto" ]
	grep -q '^    prune 3 4 7-9 ' "$S/ctl"
	[ "$(stat -c '%a %s' "$S/ctl")" = "600 $(wc -c < "$S/ctl")" ]
	echo prune 3 > "$S/ctl"
	echo "prune 4 7-9" >> "$S/ctl"
	echo "prune 12" | tee "$S/ctl" > "$T/out"
	echo "prune 13" | dd of="$S/ctl" status=none
	python3 -c 'import sys; f = open(sys.argv[1], "r+"); f.write("window 6\npin 1\n"); f.close()' "$S/ctl"
	[ "$(state pruned)" = "7: 3-4 7-9 12-13" ]
	[ "$(state active) $(state window) $(state pinned)" = "13 6 1: 1" ]
	does "restore 3 4" "unpin 1" "window auto" "" "# a remark" "prune 5"
	[ "$(state pruned) $(state window) $(state pinned)" = "6: 5 7-9 12-13 auto 0" ]
	[ "$(ops)" -eq 10 ]
	run truncate -s 100 "$S/ctl"
	[ "$status" -ne 0 ]
	[ "$(sql "SELECT author FROM tape WHERE stream = 'c1' LIMIT 1")" = "$(id -un):bash" ]
	verified
}

@test "a line without its newline waits for the close; lines may come in pieces" {
	printf 'prune 3' > "$S/ctl"
	[ "$(state pruned)" = "1: 3" ]
	python3 - "$S/ctl" <<- 'END'
		import os, sys
		f = os.open(sys.argv[1], os.O_WRONLY)
		for piece in (b"pru", b"ne 4\nprune", b" 5", b"\n"):
		    assert os.write(f, piece) == len(piece)
		os.close(f)
	END
	[ "$(state pruned)" = "3: 3-5" ]
}

@test "what cannot be is refused, all lines of it, with its line and what to do" {
	does "pin 2"
	refused EINVAL "line 1: \`prun\` is no command; one of: prune restore" "prun 3"
	refused EINVAL "line 3: there is no message 21: the session has 20" "prune 3" "" "prune 21"
	refused EPERM "line 1: pinned messages stay in the window: 2; leave them, or first: unpin IDS" "prune 1-3"
	refused EPERM "line 2: pinned messages stay in the window: 9" "pin 9" "prune 9"
	refused EPERM "pinned messages stay in the window: 2" "summarize 1-3 x"
	does "summarize 4-6 x"
	refused EEXIST "4-6 is summarized already" "summarize 6-8 y"
	refused EEXIST "line 2: a summary is written once, and 10-12 is summarized already" "summarize 10-12 a" "summarize 11-13 b"
	refused EINVAL "window: takes a number of turns from 1 to 64, or auto: \`65\`" "window 65"
	refused EFBIG "4097 bytes, at most 4096" "summarize 10-11 $(head -c 4096 /dev/zero | tr '\0' x)"
	refused EFBIG "a command is longer than 16384 bytes" "prune$(yes ' 3' | head -n 9000 | tr -d '\n')"
	does "reset" "summarize 6-8 y" "unpin 2" "prune 2"
	[ "$(state summaries) $(state pruned)" = "1: 6-8 1: 2" ]
	verified
}

@test "the names of other memories' tools: the same, or which file does it" {
	does "prune_messages [3, 4]" "summarize_range 10 12 key: value"
	[ "$(state pruned) $(state summaries)" = "2: 3-4 1: 10-12" ]
	[ "$(cat "$S/summaries/10-12.md")" = "key: value" ]
	refused EINVAL "cat messages/000003.md" "recall_original 3"
	refused EINVAL "write the file: smma/NAME.md" "save_to_disk notes.md text"
	refused EINVAL "cat smma/NAME.md" "load_from_disk notes.md"
	refused EINVAL "write smma/user_profile.md" "edit_section profile text"
	refused EINVAL "write memories/TYPE/KEY.md" "commit_to_ltm key text"
	refused EINVAL "cat search/QUERY.md" "search_ltm query"
}

@test "a summary is a file: written once, read as written, gone with a reset" {
	printf 'topic: build\ndecisions: none, año' > "$T/text"
	cp "$T/text" "$S/summaries/3-9.md"
	cmp "$T/text" "$S/summaries/3-9.md"
	cmp "$T/text" "$S/summaries/000003-000009.md"
	echo "by rename" > "$S/summaries/tmp"
	mv "$S/summaries/tmp" "$S/summaries/000010-000011.md"
	python3 -c 'import os, sys
f = open(sys.argv[1], "w"); f.write("by python\n"); f.flush(); os.fsync(f.fileno()); f.close()' "$S/summaries/12-12.md"
	vim -es -c 'normal iby vim' -c wq "$S/summaries/14-15.md" < /dev/null
	[ "$(ls "$S/summaries" | sort -n | tr '\n' ' ')" = "3-9.md 10-11.md 12-12.md 14-15.md " ]
	[ "$(cat "$S/summaries/"1*.md | tr '\n' ' ')" = "by rename by python by vim " ]
	[ "$(stat -c '%a %s' "$S/summaries/3-9.md")" = "400 $(wc -c < "$T/text")" ]
	[ "$(state summarized)" = 12 ]
	local before
	before=$(ops)
	for name in 3-9 000003-000009 9-13 1-20 2-3 0-2 5-4 19-21; do
		run cp "$T/text" "$S/summaries/$name.md"
		[ "$status" -ne 0 ]
		run mv "$T/text" "$S/summaries/$name.md"
		[ "$status" -ne 0 ]
		[ -s "$T/text" ]
	done
	echo other > "$S/summaries/tmp"
	run mv "$S/summaries/tmp" "$S/summaries/3-9.md"
	[ "$status" -ne 0 ]
	[ "$(cat "$S/summaries/tmp")" = other ]
	for bad in '' ' \n\t' 'a\377b' 'a\000b'; do
		printf "$bad" > "$S/summaries/tmp"
		run mv "$S/summaries/tmp" "$S/summaries/17-18.md"
		[ "$status" -ne 0 ]
	done
	: > "$S/summaries/17-18.md" # told by the last close, which nobody asks for
	wait_for 5 grep -q "EINVAL release sessions/work/summaries/17-18.md $(id -un):bash: a summary cannot be empty" "$M/errors.log"
	run rm -f "$S/summaries/3-9.md"
	[ "$status" -ne 0 ]
	run mv "$S/summaries/3-9.md" "$S/summaries/1-2.md"
	[ "$status" -ne 0 ]
	run truncate -s 0 "$S/summaries/3-9.md"
	[ "$status" -ne 0 ]
	[ "$(ops)" -eq "$before" ]
	cmp "$T/text" "$S/summaries/3-9.md"
	grep -q "EPERM open sessions/work/summaries/3-9.md .*: a summary is written once; summarize other messages; echo reset > ctl" "$M/errors.log"
	rm "$S/summaries/tmp"
	does reset
	[ -z "$(ls "$S/summaries")" ]
	run cat "$S/summaries/3-9.md"
	[ "$status" -ne 0 ]
	echo anew > "$S/summaries/3-9.md"
	[ "$(cat "$S/summaries/3-9.md")" = anew ]
	verified
}

@test "pinned by the message itself; restored beside its summary; the original whatever happens" {
	echo '{"role":"user","content":"keep me","pinned":true}' >> "$S/log.jsonl"
	cp -r "$S/messages" "$T/messages"
	[ "$(ls "$T/messages" | wc -l)" -eq 21 ]
	cp "$S/log.jsonl" "$T/log"
	cp "$S/transcript.md" "$T/transcript"
	refused EPERM "pinned messages stay in the window: 21" "prune 20-21"
	does "prune 2" "summarize 5-9 five to nine" "restore 7" "unpin 21" "prune 21"
	[ "$(state active) $(state pruned) $(state summarized)" = "15 2: 2 21 4" ]
	does "pin 21 8"
	[ "$(state active) $(state pinned) $(state summarized)" = "17 2: 8 21 3" ]
	diff -r "$T/messages" "$S/messages"
	cmp "$T/log" "$S/log.jsonl"
	cmp "$T/transcript" "$S/transcript.md"
	does "prune 7" "reset"
	[ "$(state active) $(state pinned) $(state summaries)" = "21 2: 8 21 0" ]
	diff -r "$T/messages" "$S/messages"
}

@test "the action log is the window: summaries for their ranges, no pruned messages, bounded" {
	local log=$M/smma/action_log.md
	does "prune 2-3" "summarize 5-9 five to nine" "restore 7" "pin 1"
	[ "$(grep '^## ' "$log" | cut -d ' ' -f 2 | tr '\n' ' ')" = "1 4 5-9 7 10 11 12 13 14 15 16 17 18 19 20 " ]
	grep -q '^## 1 · user · .* · pinned$' "$log"
	grep -q '^## 5-9 · summary · ' "$log"
	grep -qx 'five to nine' "$log"
	not grep -qx 'message 3' "$log"
	grep -qx 'Session work: 14 of 20 messages are active, 2 pruned, 4 summarized.' "$log"
	[ "$(stat -Lc %s "$log")" -eq "$(wc -c < "$log")" ]
	for i in $(seq 21 260); do printf '{"role":"tool","content":"message %d","tool":"sh","error":"no"}\n' "$i"; done >> "$S/log.jsonl"
	[ "$(grep -c '^## ' "$log")" -eq 200 ]
	grep -qx 'Left out here: all before message 61; see sessions/work/transcript.md.' "$log"
	grep -q '^## 260 · tool · .* UTC · tool sh · error$' "$log"
	say other hello
	grep -qx 'Session other: 1 of 1 messages are active, 0 pruned, 0 summarized.' "$log"
	[ -z "$(ls "$S" | grep ctl)" ]
	run tee "$log" < /dev/null
	[ "$status" -ne 0 ]
}

@test "who reads in another mount sees the window as it is" {
	mkdir "$T/ro"
	"$CINTA" mount -o ro "$DB" "$T/ro"
	local r=$T/ro/sessions/work
	for i in 1 2 3; do
		does "prune $i"
		[ "$(cat "$r/ctl")" = "$(cat "$S/ctl")" ]
		echo "text $i" > "$S/summaries/$((10 + i))-$((10 + i)).md"
		[ "$(ls "$r/summaries" | wc -l)" -eq "$i" ]
		[ "$(cat "$r/summaries/$((10 + i))-$((10 + i)).md")" = "text $i" ]
		[ "$(cat "$T/ro/smma/action_log.md")" = "$(cat "$M/smma/action_log.md")" ]
		say work "more $i"
		[ "$(cat "$r/ctl")" = "$(cat "$S/ctl")" ]
		[ "$(cat "$T/ro/smma/action_log.md")" = "$(cat "$M/smma/action_log.md")" ]
	done
	does reset
	[ -z "$(ls "$r/summaries")" ]
	[ "$(cat "$r/ctl")" = "$(cat "$S/ctl")" ]
	run bash -c "echo prune 1 > '$r/ctl'"
	[ "$status" -ne 0 ]
}

@test "as it was at a time; the same after a remount and a rebuild" {
	does "prune 2-3" "summarize 5-9 five to nine" "restore 7" "window 4"
	local t
	sleep 1.1
	t=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	mkdir "$T/then"
	cp "$S/ctl" "$M/smma/action_log.md" "$T/then"
	cp -r "$S/summaries" "$T/then"
	sleep 1.1
	does "reset" "prune 10-12"
	say work more
	local past=$M/.cinta/at/$t
	cmp "$T/then/ctl" "$past/sessions/work/ctl"
	cmp "$T/then/action_log.md" "$past/smma/action_log.md"
	diff -r "$T/then/summaries" "$past/sessions/work/summaries"
	[ "$(cat "$past/sessions/work/summaries/005-9.md")" = "five to nine" ]
	run bash -c "echo prune 1 > '$past/sessions/work/ctl'"
	[ "$status" -ne 0 ]
	[ "$(cat "$M/.cinta/at/2099-01-01/sessions/work/ctl")" = "$(cat "$S/ctl")" ]
	cp "$S/ctl" "$T/ctl"
	cinta_umount
	"$CINTA" rebuild "$DB"
	cinta_mount
	cmp "$T/ctl" "$S/ctl"
	cmp "$T/then/ctl" "$past/sessions/work/ctl"
	verified
}

@test "many who work on one window at once: each operation whole, none lost" {
	for w in 1 2 3 4; do
		(for i in $(seq 1 25); do
			printf 'pin %d\nunpin %d\nprune %d\nrestore %d\n' $((w * 4)) $((w * 4)) $((w * 4)) $((w * 4)) > "$S/ctl" || exit 1
		done) &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do wait "$pid"; done
	[ "$(ops)" -eq 400 ]
	[ "$(state active) $(state pinned)" = "20 0" ]
	for w in 1 2 3 4 5 6; do (echo "writer $w" > "$S/summaries/5-9.md" || true) 2> /dev/null & done
	wait
	[ "$(sql "SELECT count(*) FROM tape WHERE stream = 'c1'")" -eq 401 ]
	grep -qE '^writer [1-6]$' "$S/summaries/5-9.md"
	verified
}

@test "a name in summaries/ is listed once, whoever else wants it" {
	run mkdir "$S/summaries/3-4.md"
	[ "$status" -ne 0 ]
	tail -n 1 "$M/errors.log" | grep -F ' EPERM mkdir sessions/work/summaries/3-4.md ' | grep -F 'write a file'
	[ -z "$(ls "$S/summaries")" ]
	# A child's copy of the descriptor would save when it ends: so all in one process.
	python3 - "$S" <<- 'end'
		import errno, os, sys
		os.chdir(sys.argv[1])
		name = "summaries/5-6.md"
		fd = os.open(name, os.O_WRONLY | os.O_CREAT)
		os.write(fd, b"mine")
		assert os.listdir("summaries") == ["5-6.md"]
		with open("ctl", "w") as ctl:
		    ctl.write("summarize 5-6 theirs\n")
		assert os.listdir("summaries") == ["5-6.md"], os.listdir("summaries")
		assert open(name).read() == "theirs\n", open(name).read()
		try:
		    os.close(fd)
		    raise SystemExit("saved twice")
		except OSError as e:
		    assert e.errno == errno.EEXIST, e
	end
	[ "$(ls "$S/summaries")" = 5-6.md ]
	[ "$(cat "$S/summaries/5-6.md")" = theirs ]
	[ "$(cat "$M/rejected/$(kept | tail -n 1)")" = mine ]
}
