# SPDX-License-Identifier: MIT
# Threads: the same messages by subject, across sessions.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; cinta_mount; }
teardown() { cinta_teardown; }

in_thread() { # SESSION THREAD CONTENT
	[ -d "$M/sessions/$1" ] || mkdir "$M/sessions/$1"
	printf '{"role":"user","content":"%s","thread":"%s"}\n' "$3" "$2" >> "$M/sessions/$1/log.jsonl"
}

@test "a thread is made by its first message and holds those of all sessions, in order" {
	[ -z "$(ls "$M/threads")" ]
	run ! stat "$M/threads/tools"
	in_thread a tools one
	[ "$(ls "$M/threads")" = tools ]
	in_thread b tools two
	say a aside
	in_thread a tools three
	in_thread b 'otra cosa' ñ
	[ "$(contents "$M/threads/tools/log.jsonl" | tr '\n' ' ')" = 'one two three ' ]
	[ "$(contents "$M/threads/otra cosa/log.jsonl")" = ñ ]
	[ "$(ls "$M/threads" | wc -l)" -eq 2 ]
	run ! grep -q aside "$M/threads/tools/log.jsonl"
	# The lines are the very lines of the sessions' logs, and say of which.
	for s in a b; do grep -hE '"thread":"tools"' "$M/sessions/$s/log.jsonl" | sed "s/,\"prev_hash\"/,\"session\":\"$s\"&/"; done | sort > "$T/lines"
	sort "$M/threads/tools/log.jsonl" | cmp - "$T/lines"
	[ "$(grep -oE '^## [^ ]*' "$M/threads/tools/transcript.md" | tr '\n' ' ')" = '## a/1 ## b/1 ## a/3 ' ]
	[ "$(grep -oE '^## [^ ]*' "$M/sessions/a/transcript.md" | tr '\n' ' ')" = '## 1 ## 2 ## 3 ' ]
}

@test "a thread that was looked at follows each line at once" {
	in_thread a t 0
	for n in $(seq 60); do
		cat "$M/threads/t/log.jsonl" > "$T/log"
		cat "$M/threads/t/transcript.md" > "$T/text"
		[ "$(wc -l < "$T/log")" -eq "$n" ]
		in_thread $((n % 2)) t "number $n"
		[ "$(wc -l < "$M/threads/t/log.jsonl")" -eq $((n + 1)) ]
		tail -1 "$M/threads/t/log.jsonl" | grep -q "number $n\""
		grep -q "number $n\$" "$M/threads/t/transcript.md"
		[ "$(stat -c %s "$M/threads/t/transcript.md")" -gt "$(stat -c %s "$T/text")" ]
	done
	cinta_umount
	verified
}

@test "many threads in one write, and again after a mount" {
	mkdir "$M/sessions/s"
	ls "$M/threads"
	for n in $(seq 500); do printf '{"content":"%d","thread":"t%d"}\n' "$n" $((n % 100)); done > "$T/lines"
	cat "$T/lines" >> "$M/sessions/s/log.jsonl"
	[ "$(ls "$M/threads" | wc -l)" -eq 100 ]
	[ "$(cat "$M"/threads/*/log.jsonl | wc -l)" -eq 500 ]
	[ "$(contents "$M/threads/t7/log.jsonl" | tr '\n' ' ')" = '7 107 207 307 407 ' ]
	cat "$M"/threads/*/log.jsonl | sha256sum > "$T/sum"
	cinta_umount
	cinta_mount
	cat "$M"/threads/*/log.jsonl | sha256sum | cmp - "$T/sum"
	run bash -c 'echo x >> "$0"' "$M/threads/t7/log.jsonl"
	[ "$status" -ne 0 ]
}

@test "readers of a growing thread never see half a line" {
	in_thread a t 0
	python3 - "$M" <<-'PY'
		import json, os, subprocess, sys, time
		root = sys.argv[1]
		writers = [subprocess.Popen([sys.executable, "-c", """
		import os, sys
		fd = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND)
		for n in range(1500):
		    os.write(fd, (f'{{"content":"{sys.argv[2]} {n} ' + 'x' * (n % 300) + '","thread":"t"}\\\\n').encode())
		""".replace("\\\\n", "\\n"), root + "/sessions/a/log.jsonl", str(w)]) for w in range(2)]
		last = 0
		while True:
		    over = all(w.poll() is not None for w in writers)
		    data = open(root + "/threads/t/log.jsonl", "rb").read()
		    assert b"\0" not in data and data.endswith(b"\n") and len(data) >= last
		    for line in data[max(0, last - 1):].split(b"\n")[1 if last else 0:-1]:
		        json.loads(line)
		    last = len(data)
		    if over: break
		assert all(w.returncode == 0 for w in writers)
		lines = [json.loads(l)["content"].split()[:2] for l in open(root + "/threads/t/log.jsonl")]
		for w in "01":
		    assert [int(l[1]) for l in lines[1:] if l[0] == w] == list(range(1500))
	PY
}

@test "a thread's context has the tool results that wait, with who wrote them" {
	in_thread a rain 'will it rain on the terrace tomorrow?'
	printf '{"role":"tool","tool":"radar","content":"rain at noon","thread":"rain"}\n' \
		>> "$M/sessions/a/log.jsonl"
	sed -n '/^## Tool results/,$p' "$M/threads/rain/context.md" > "$T/thread"
	sed -n '/^## Tool results/,$p' "$M/sessions/a/context.md" > "$T/session"
	grep -q '^rain at noon$' "$T/thread"
	head=$(grep '^\*\*#2 tool radar · ' "$T/thread")
	grep -qxF "$head" "$T/session"
	printf '{"role":"assistant","content":"yes, at noon","thread":"rain"}\n' \
		>> "$M/sessions/a/log.jsonl"
	run ! grep -q '^## Tool results' "$M/threads/rain/context.md"
}
