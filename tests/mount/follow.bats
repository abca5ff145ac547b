# SPDX-License-Identifier: MIT
# cinta import --follow: what is written to sources is in the memory soon, once, whatever happens to
# files, directories and the process itself.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && "$CINTA" init "$DB" > /dev/null && mkdir -p "$T/projects/a" "$T/projects/b"; }
teardown() {
	[ -z "${PID:-}" ] || kill "$PID" 2> /dev/null || true
	cinta_teardown
}

follow() { "$CINTA" import --follow -d "$DB" "$@" 2> "$T/follow.err" & PID=$!; }
# line SESSION N: as Claude Code writes it
line() {
	jq -nc --arg s "$1" --arg n "$2" '{type:"user",uuid:"\($s)-\($n)",sessionId:$s,cwd:"/w/\($s)",timestamp:"2025-03-04T10:00:00Z",message:{role:"user",content:"\($s) \($n)"}}'
}
said() { "$CINTA" cat -d "$DB" "threads/$1/log.jsonl" 2> /dev/null | jq -r .content | cut -d' ' -f2 | xargs; }
says() { [ "$(said "$1")" = "$2" ]; }

@test "what is there, what grows, new files and directories, renamed ones; each once" {
	line a 1 > "$T/projects/a/a.jsonl"
	follow "$T/projects"
	wait_for 10 says a '1'
	line a 2 >> "$T/projects/a/a.jsonl"
	wait_for 10 says a '1 2'
	# half a line waits for the rest
	line a 3 | head -c 40 | tr -d '\n' >> "$T/projects/a/a.jsonl"
	sleep 1
	says a '1 2'
	line a 3 | tail -c +41 >> "$T/projects/a/a.jsonl"
	wait_for 10 says a '1 2 3'
	line b 1 > "$T/projects/b/b.jsonl"
	mkdir -p "$T/projects/new/deep"
	line c 1 > "$T/projects/new/deep/c.jsonl"
	line d 1 > "$T/d.tmp"
	mv "$T/d.tmp" "$T/projects/a/d.jsonl"
	wait_for 10 says b 1
	wait_for 10 says c 1
	wait_for 10 says d 1
	line c 2 >> "$T/projects/new/deep/c.jsonl"
	wait_for 10 says c '1 2'
	# rotated: begun anew under its name
	mv "$T/projects/a/a.jsonl" "$T/projects/a/a.old"
	line a 4 > "$T/projects/a/a.jsonl"
	wait_for 10 says a '1 2 3 4'
	# what nobody knows, and a dot name, are passed by; a directory that goes is no trouble
	echo x > "$T/projects/a/x.txt"
	echo '{"x":1}' > "$T/projects/a/x.json"
	line z 1 > "$T/projects/a/.z.jsonl"
	rm -r "$T/projects/new"
	# nor does it wait for what has no end
	mkfifo "$T/projects/a/fifo.jsonl"
	ln -s /dev/zero "$T/projects/a/zero.jsonl"
	line b 2 >> "$T/projects/b/b.jsonl"
	wait_for 10 says b '1 2'
	says z ''
	kill -0 "$PID"
	# a kill and another start
	kill -9 "$PID" && wait "$PID" || true
	line b 3 >> "$T/projects/b/b.jsonl"
	follow "$T/projects"
	wait_for 10 says b '1 2 3'
	line b 4 >> "$T/projects/b/b.jsonl"
	wait_for 10 says b '1 2 3 4'
	says a '1 2 3 4'
	kill "$PID"
	verified
}

@test "a source that is a file, one that is not there yet, texts; a mount may come and go" {
	line a 1 > "$T/projects/a.jsonl"
	mkdir "$T/vault"
	echo one > "$T/vault/n.md"
	follow "$T/projects/a.jsonl" "$T/later" "$T/vault"
	wait_for 10 says a 1
	cinta_mount
	line a 2 >> "$T/projects/a.jsonl"
	shown() { [ "$(wc -l < "$M/threads/a/log.jsonl")" -eq "$1" ]; }
	wait_for 10 shown 2
	mkdir "$T/later"
	line l 1 > "$T/later/l.jsonl"
	wait_for 10 says l 1
	mkdir -p "$T/vault/sub"
	echo two > "$T/vault/sub/m.md"
	wait_for 10 test -e "$M/notes/vault/sub/m.md"
	[ "$(cat "$M/notes/vault/n.md")" = one ]
	cinta_umount
	line a 3 >> "$T/projects/a.jsonl"
	wait_for 10 says a '1 2 3'
	kill "$PID"
	verified
}

@test "a source that is a symbolic link: of a directory, of a file" {
	line a 1 > "$T/projects/a/a.jsonl"
	line b 1 > "$T/projects/b/b.jsonl"
	ln -s projects/a "$T/link"
	ln -s b.jsonl "$T/projects/b/link.jsonl"
	follow "$T/link" "$T/projects/b/link.jsonl"
	wait_for 10 says a 1
	wait_for 10 says b 1
	line a 2 >> "$T/projects/a/a.jsonl"
	line b 2 >> "$T/projects/b/b.jsonl"
	wait_for 10 says a '1 2'
	wait_for 10 says b '1 2'
	# it leads elsewhere now
	line c 1 > "$T/projects/c.jsonl"
	ln -s ../c.jsonl "$T/new"
	mv "$T/new" "$T/projects/b/link.jsonl"
	wait_for 10 says c 1
	line c 2 >> "$T/projects/c.jsonl"
	wait_for 10 says c '1 2'
	kill "$PID"
}

@test "a file is followed by any name, and nothing that stands beside it" {
	cd "$T/projects"
	line a 1 > a.log
	line b 1 > b.jsonl
	follow a.log ./b.jsonl
	wait_for 10 says a 1
	wait_for 10 says b 1
	line z 1 | tee z.jsonl > a.jsonl
	line a 2 >> a.log
	line b 2 >> b.jsonl
	wait_for 10 says a '1 2'
	wait_for 10 says b '1 2'
	says z ''
	# rotated
	mv a.log a.log.1
	sleep 1
	line a 3 > a.log
	wait_for 10 says a '1 2 3'
	line a 4 >> a.log
	wait_for 10 says a '1 2 3 4'
	kill "$PID"
}

@test "directories that are renamed, a source among them, and made anew" {
	mkdir "$T/chats"
	line c 1 > "$T/chats/c.jsonl"
	line a 1 > "$T/projects/a/a.jsonl"
	follow "$T/projects" "$T/chats/" "$T/chats/c.jsonl"
	wait_for 10 says a 1
	wait_for 10 says c 1
	mv "$T/projects/a" "$T/projects/was"
	line a 2 >> "$T/projects/was/a.jsonl"
	wait_for 10 says a '1 2'
	line a 3 >> "$T/projects/was/a.jsonl"
	wait_for 10 says a '1 2 3'
	# out of it, and what comes in its place
	mv "$T/projects/was" "$T/out"
	mkdir "$T/projects/was"
	line z 1 > "$T/out/z.jsonl"
	line a 4 > "$T/projects/was/a.jsonl"
	wait_for 10 says a '1 2 3 4'
	mv "$T/chats" "$T/old"
	mkdir "$T/chats"
	line c 2 > "$T/chats/c.jsonl"
	wait_for 10 says c '1 2'
	line c 3 >> "$T/chats/c.jsonl"
	wait_for 10 says c '1 2 3'
	rm -r "$T/chats"
	mkdir "$T/chats"
	line c 4 > "$T/chats/c.jsonl"
	wait_for 10 says c '1 2 3 4'
	says z ''
	kill "$PID"
}

@test "500 projects, a line each at once: all come" {
	mkdir -p "$T"/projects/p{1..500}
	local i
	for i in $(seq 500); do echo "{\"type\":\"user\",\"uuid\":\"u$i\",\"sessionId\":\"s$i\",\"cwd\":\"/w/all\",\"message\":{\"role\":\"user\",\"content\":\"l $i\"}}" > "$T/projects/p$i/s.jsonl"; done
	follow "$T/projects"
	all() { [ "$("$CINTA" cat -d "$DB" threads/all/log.jsonl 2> /dev/null | wc -l)" -eq "$1" ]; }
	wait_for 30 all 500
	for i in $(seq 500); do echo "{\"type\":\"user\",\"uuid\":\"v$i\",\"sessionId\":\"s$i\",\"cwd\":\"/w/all\",\"message\":{\"role\":\"user\",\"content\":\"m $i\"}}" >> "$T/projects/p$i/s.jsonl"; done
	wait_for 30 all 1000
	kill "$PID"
}

@test "-o follow: the daemon has it done, and it ends with the daemon" {
	export CLAUDE_CONFIG_DIR=$T/claude CODEX_HOME=$T/codex
	mkdir -p "$T/claude/projects/x"
	line a 1 > "$T/claude/projects/x/a.jsonl"
	cinta_mount -o follow=claude:codex
	wait_for 10 says a 1
	line a 2 >> "$T/claude/projects/x/a.jsonl"
	wait_for 10 says a '1 2'
	mkdir -p "$T/codex/sessions/2025/05/06"
	cp "$BATS_TEST_DIRNAME"/import/rollout-*.jsonl "$T/codex/sessions/2025/05/06"
	codex() { ls "$M/sessions" | grep -q '^codex-'; }
	wait_for 10 codex
	followers() { pgrep -f "import --follow -d $DB" > /dev/null; }
	followers
	cinta_umount
	wait_for 10 not followers
	cinta_mount -o follow=claude
	wait_for 10 followers
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not followers
	run "$CINTA" mount -o follow=emacs "$DB" "$T/other"
	[ "$status" -eq 2 ]
	[[ $output == *'follow=emacs: not claude, codex, opencode or gemini'* ]]
	[ ! -e "$T/other" ]
	run "$CINTA" import --follow -n -d "$DB" "$T"
	[ "$status" -eq 2 ] && [[ $output == *'neither -n nor --exact'* ]]
}

@test "-o follow: who takes in is killed, and started again; errors.log and the log say so" {
	export CLAUDE_CONFIG_DIR=$T/claude
	mkdir -p "$T/claude/projects/x"
	line a 1 > "$T/claude/projects/x/a.jsonl"
	cinta_mount -o follow=claude
	wait_for 10 says a 1
	follower() { pgrep -f "import --follow -d $DB"; }
	local was
	was=$(follower)
	kill -9 "$was"
	# it is no zombie meanwhile
	wait_for 10 not test -e "/proc/$was"
	line a 2 >> "$T/claude/projects/x/a.jsonl"
	wait_for 10 says a '1 2'
	[ "$(follower)" != "$was" ]
	wait_for 10 grep -q 'follow sessions.*signal 9 ended it' "$M/errors.log"
	grep -q 'signal 9 ended it; it is started again' "$DB.log"
	cinta_umount
	wait_for 10 not follower
}
