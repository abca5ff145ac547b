# SPDX-License-Identifier: MIT
# A copy of the files comes back: cp, tar and rsync put each document and each line of a log into a
# fresh memory (docs/backup.md).
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	M2=$T/again
	mkdir "$M2"
	fill
}
teardown() { cinta_teardown; }

line() { printf '%s\n' "$2" >> "$M/sessions/$1/log.jsonl"; }

# documents of each kind, logs with all sorts of lines, a history
fill() {
	mkdir -p "$M/sessions/"{x,'y z',empty} "$M/notes/a/b" "$M/memories/fact" "$M/algorithms/context"
	line x '{"role":"user","content":"recordá que prefiero té"}'
	line x '{"role":"assistant","content":"lo recuerdo ñ 日本","thread":"t u","any":[1,2.50,"\u00e9"]}'
	line x '{"content":"said long ago","from":{"at":"2023-05-08T10:00:00Z","author":"Bob"}}'
	line 'y z' '{"content":"in t","thread":"t u","refs":[{"type":"context","ref":"x"}]}'
	head -c 1048000 /dev/zero | tr '\0' w | sed 's/.*/{"content":"&"}/' >> "$M/sessions/y z/log.jsonl"
	printf -- '---\ntitle: The x\nowner: ana\n---\nOf x.\n' > "$M/sessions/x/session.md"
	echo 'of the first' > "$M/sessions/x/summaries/1-1.md"
	echo '{"amount":3}' >> "$M/records/accountant.jsonl"
	echo one > "$M/notes/a/b/c.md"
	echo two > "$M/notes/a/b/c.md"
	head -c 3000 /dev/urandom > "$M/notes/a/bytes.txt"
	echo profile > "$M/smma/user_profile.md"
	echo off > "$M/smma/workspace/file"
	echo '- uses vim' > "$M/facts/work.md"
	echo block > "$M/blocks/rules/r.md"
	echo key > "$M/memories/fact/k.md"
	echo '{"status":"experiment","config":{}}' > "$M/algorithms/context/v2.json"
	echo because > "$M/answers/why that.md"
	echo 'You keep the copies.' | "$CINTA" identity "$DB"
	wait_for 10 grep -q té "$M/facts/preferences.md"
}

# again [OPTION…]: a fresh memory
again() { "$CINTA" mount "$@" "$T/again.db" "$M2"; }

# what docs/backup.md says is made
made_list() { bash -c "$(sed -n 's/^\$ \(printf .*\) > made.list$/\1/p' "$BATS_TEST_DIRNAME/../../docs/backup.md")"; }

# what of a tree is not made: documents, lists, logs
kept() {
	(cd "$1" && find . -type f ! -path './threads/*' ! -path './rejected/*' ! -path ./README.md ! -path ./errors.log \
		! -path ./context.md ! -name transcript.md ! -path ./smma/action_log.md ! -path ./smma/dashboard.md \
		! -path ./smma/identity.md ! -path ./facts/facts.jsonl ! -path ./facts/stale.md | LC_ALL=C sort)
}

# what was said, when and by whom, whatever the tape adds: the first line of a copy of copies
said() {
	jq -c 'def first: if .source.source.hash then .source | first else . end;
		def time: first | .source.timestamp // .timestamp; def by: first | .source.author // .author;
		[time, by, (del(.id, .timestamp, .author, .token_count, .source, .prev_hash, .hash))]' "$1"
}

# came_back COPY: documents and lists byte for byte, logs line for line
came_back() {
	local f
	[ "$(kept "$1")" = "$(kept "$M2")" ] || { diff <(kept "$1") <(kept "$M2"); return 1; }
	kept "$1" > "$T/kept"
	[ "$(wc -l < "$T/kept")" -gt 20 ]
	while read -r f; do
		case $f in
		*/log.jsonl | ./records/*) diff <(said "$1/$f") <(said "$M2/$f") > "$T/differs" ;;
		*) cmp "$1/$f" "$M2/$f" > "$T/differs" ;;
		esac || { echo "$f: $(head -c 500 "$T/differs")"; return 1; }
	done < "$T/kept"
	[ "$(wc -l < "$M2/sessions/x/log.jsonl")" -eq 3 ]
	[ "$(wc -l < "$M2/sessions/y z/log.jsonl")" -eq 2 ]
	"$CINTA" verify --all "$T/again.db"
}

# as_it_was: transcripts, threads, search and facts tell of the restored as of what it is a copy of
as_it_was() {
	grep -q '^## 3 · message · "Bob", by .* · 2023-05-08 10:00:00 UTC · imported$' "$M2/sessions/x/transcript.md"
	[ "$(grep -c . "$M2/threads/t u/log.jsonl")" -eq 2 ]
	local at
	at=$(sed -n 's/^## 1 · user · .* · \(.*\) UTC.*/\1/p' "$1/sessions/x/transcript.md")
	grep -q "^## 1 · user · \"$(id -un):.*\", by .* · $at UTC · imported$" "$M2/sessions/x/transcript.md"
	not grep -q '"owner"' "$M2/sessions/x/log.jsonl" # session.md's defaults are of later than these lines
	[ "$(cat "$M2/facts/preferences.md")" = "$(cat "$1/facts/preferences.md")" ]
	grep -q 'sessions/x' "$M2/search/long ago.md"
}

@test "a copy has no dangling link, and diff finds it equal to the mount, also later" {
	cinta_umount
	mount_with_clock
	cp -a "$M" "$T/copy"
	[ -z "$(find "$T/copy" -xtype l)" ]
	diff -r "$M" "$T/copy"
	local later
	for later in +2m +1h; do # pages that are kept for a minute are made anew
		clock_to "$later"
		sleep 1.2
		diff -r "$M" "$T/copy"
	done
	[ -s "$T/copy/context.md" ] && [ -s "$T/copy/smma/dashboard.md" ] && [ -s "$T/copy/smma/action_log.md" ]
}

@test "who copies or searches the tree has not shown the context to anybody" {
	cp -a "$M" "$T/copy"
	grep -r nothing "$M" || true
	line x '{"role":"assistant","content":"nobody showed me anything"}'
	not grep -q '"refs"' "$M/sessions/x/log.jsonl"
	cat "$M/context.md" > /dev/null
	line x '{"role":"assistant","content":"now I know"}'
	[ "$(tail -1 "$M/sessions/x/log.jsonl" | jq '.refs | length > 0')" = true ]
}

@test "cp -a: every document, every line; of what is made it says so" {
	cp -a "$M" "$T/copy"
	again
	run cp -a "$T/copy/." "$M2/"
	[ -z "$(grep -E 'log.jsonl|session.md|summaries|records|notes|facts/[pwd]' <<< "$output" | grep -vE 'threads/|smma/session_log')" ]
	came_back "$T/copy"
	as_it_was "$T/copy"
}

@test "tar, and a tar of the files that are kept, which ends with 0" {
	cp -a "$M" "$T/copy"
	tar -C "$M" -cf "$T/all.tar" .
	again
	tar -C "$M2" -xf "$T/all.tar" || true
	came_back "$T/copy"
	as_it_was "$T/copy"
	cinta_umount "$M2"
	rm -f "$T"/again.db*
	again
	# as docs/backup.md says it
	made_list | sed 's/^/./' > "$T/made.tar"
	tar -C "$M" --anchored --exclude-from "$T/made.tar" -cf "$T/kept.tar" .
	tar -C "$M2" --anchored --exclude ./smma/identity.md -xf "$T/kept.tar"
	tar -xOf "$T/kept.tar" ./smma/identity.md | "$CINTA" identity "$T/again.db"
	[ "$(cat "$M2/smma/identity.md")" = 'You keep the copies.' ]
	came_back "$T/copy"
	as_it_was "$T/copy"
	[ ! -s "$M2/errors.log" ]
}

@test "rsync -a, and again: nothing is left to do" {
	rsync -a "$M/" "$T/copy/"
	again
	rsync -a "$T/copy/" "$M2/" || true
	came_back "$T/copy"
	cinta_umount "$M2"
	rm -f "$T"/again.db*
	again
	made_list > "$T/made.list"
	rsync -a --exclude-from "$T/made.list" "$T/copy/" "$T/listed/"
	rsync -a --exclude /smma/identity.md "$T/listed/" "$M2/"
	"$CINTA" identity "$T/again.db" < "$T/listed/smma/identity.md"
	[ "$(cat "$M2/smma/identity.md")" = 'You keep the copies.' ]
	came_back "$T/copy"
	as_it_was "$T/copy"
	[ ! -s "$M2/errors.log" ]
}

@test "a copy of what was put back says still who said it, and when" {
	cp -a "$M" "$T/copy"
	again
	cp -a "$T/copy/." "$M2/" 2> /dev/null || true
	cp -a "$M2" "$T/second"
	cinta_umount "$M2"
	rm -f "$T"/again.db*
	again
	cp -a "$T/second/." "$M2/" 2> /dev/null || true
	as_it_was "$T/copy"
	came_back "$T/second"
}

@test "a log takes a file once, whole or not at all" {
	cp "$M/sessions/x/log.jsonl" "$T/log"
	again
	mkdir "$M2/sessions/s"
	cp "$T/log" "$M2/sessions/s/.new"
	mv "$M2/sessions/s/.new" "$M2/sessions/s/log.jsonl"
	[ "$(wc -l < "$M2/sessions/s/log.jsonl")" -eq 3 ]
	[ ! -e "$M2/sessions/s/.new" ]
	cp "$T/log" "$M2/sessions/s/.new"
	run ! mv "$M2/sessions/s/.new" "$M2/sessions/s/log.jsonl"
	[ "$(wc -l < "$M2/sessions/s/log.jsonl")" -eq 3 ]
	tail -1 "$M2/errors.log" | grep -q 'lines are added to a log'
	run ! cp --remove-destination "$T/log" "$M2/sessions/s/log.jsonl"
	run ! truncate -s 0 "$M2/sessions/s/log.jsonl"
	# a line that is none
	mkdir "$M2/sessions/bad"
	{ cat "$T/log" && echo nonsense; } > "$M2/sessions/bad/.new"
	run ! mv "$M2/sessions/bad/.new" "$M2/sessions/bad/log.jsonl"
	[ ! -s "$M2/sessions/bad/log.jsonl" ]
	tail -1 "$M2/errors.log" | grep -q 'line 4'
	[ -e "$M2/sessions/bad/.new" ]
	# nothing onto nothing
	: > "$M2/sessions/bad/.empty"
	mv "$M2/sessions/bad/.empty" "$M2/sessions/bad/log.jsonl"
	cp "$T/log" "$M2/records/.tmp"
	mv "$M2/records/.tmp" "$M2/records/secretary.jsonl"
	[ "$(wc -l < "$M2/records/secretary.jsonl")" -eq 3 ]
	run ! touch "$M2/records/other.jsonl" "$M2/records/new"
	"$CINTA" verify --all "$T/again.db"
}

@test "a summary that comes before its log waits for its messages" {
	cp -a "$M/sessions/x" "$T/x"
	again
	python3 - "$T/x" "$M2/sessions/x" <<- 'P'
		import os, shutil, sys
		src, dst = sys.argv[1:]
		os.mkdir(dst)
		for name in ('summaries', 'session.md', 'log.jsonl'):
		    if name == 'summaries':
		        shutil.copytree(f'{src}/{name}', f'{dst}/{name}', dirs_exist_ok=True)
		    else:
		        shutil.copy2(f'{src}/{name}', f'{dst}/{name}')
	P
	[ "$(cat "$M2/sessions/x/summaries/1-1.md")" = 'of the first' ]
	kept_there() { grep -q 'of the first' "$M2/sessions/x/context.md"; }
	wait_for 10 kept_there
	rm -f "$M2/sessions/x/summaries/1-1.md" || true
	[ "$(cat "$M2/sessions/x/summaries/1-1.md")" = 'of the first' ]
	# who makes no copy is told at once
	mkdir "$M2/sessions/s"
	run ! bash -c 'echo early > "$0"' "$M2/sessions/s/summaries/1-1.md"
	tail -1 "$M2/errors.log" | grep -q 'there is no message 1'
}

@test "what is just made is there for everybody, and for cp at the second look" {
	mkdir "$M/sessions/n"
	[ -f "$M/sessions/n/log.jsonl" ]
	[ -f "$M/sessions/n/transcript.md" ]
	[ -d "$M/sessions/n/summaries" ]
	python3 - "$M/sessions" <<- 'P'
		import os, sys
		os.chdir(sys.argv[1])
		os.mkdir('p')
		assert sorted(os.listdir('p')) == ['log.jsonl', 'session.md', 'summaries', 'transcript.md']
		open('p/log.jsonl', 'a').write('{"content":"a line"}\n')
		assert 'a line' in open('p/transcript.md').read()  # never hidden once there is a line
		assert 'a line' in open('p/log.jsonl').read()
		os.mkdir('o')
		os.close(os.open('o/log.jsonl', os.O_WRONLY | os.O_APPEND))
		assert os.path.exists('o/transcript.md') and os.path.isdir('o/summaries')
		open('/proc/self/comm', 'w').write('cp')
		os.mkdir('q')
		os.path.exists('q/session.md')
		assert os.path.exists('q/session.md')
		os.close(os.open('q/log.jsonl', os.O_WRONLY | os.O_CREAT | os.O_EXCL))
		try:
		    os.close(os.open('q/log.jsonl', os.O_WRONLY | os.O_CREAT | os.O_EXCL))
		    assert False
		except FileExistsError:
		    pass
	P
	rm "$M/smma/project_context.md"
	[ -f "$M/smma/project_context.md" ]
	run ! rm "$M/smma/user_profile.md"
}
