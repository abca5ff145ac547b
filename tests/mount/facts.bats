# SPDX-License-Identifier: MIT
# Lists of facts: edited by anybody, every change an entry, nothing of the past lost.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	F=$M/facts
}
teardown() { cinta_teardown; }

# kinds: the kinds of the entries on the facts' streams, in order
kinds() {
	sqlite3 -readonly "$DB" "SELECT kind FROM tape WHERE stream LIKE 'f%' AND stream GLOB 'f[0-9]*' ORDER BY seq" |
		tr '\n' ' '
}
saves() { wc -l < "$F/$1@log"; }

@test "the lists are there, empty, and an empty save makes no entry" {
	[ "$(cd "$F" && echo *)" = "decisions.md facts.jsonl personal.md preferences.md projects.md stale.md work.md" ]
	[ "$(cat "$F/work.md")" = "# Work" ]
	echo "# Work" > "$F/work.md"
	[ "$(kinds)" = "" ]
	[ "$(saves work.md)" = 0 ]
}

@test "a canonical save reads back identical; other markdown is normalised, not lost" {
	printf '# Work\n\n- fintech, team of 5\n- uses Debian *(medium)*\n' > "$T/canon"
	cp "$T/canon" "$F/work.md"
	cmp "$T/canon" "$F/work.md"
	cp "$T/canon" "$F/work.md"
	[ "$(saves work.md)" = 1 ]
	cat > "$F/projects.md" <<- 'END'
		A paragraph of its own.

		* one *star*
		* [ ] a task with `code` and [a link](http://example.org)
		  - nested
		1. numbered

		> quoted
	END
	for word in 'A paragraph of its own.' 'one \*star\*' '\[ \] a task with `code` and \[a link\](http://example.org)' \
		nested numbered quoted; do
		grep -q -- "$word" "$F/projects.md"
	done
	cp "$F/projects.md" "$T/once"
	cp "$T/once" "$F/projects.md"
	[ "$(saves projects.md)" = 1 ]
}

@test "vim: change one, delete one, add one: these entries, and back with cp" {
	printf -- '- fintech, team of 5\n- uses Debian\n- lives in Rosario\n' > "$F/work.md"
	[ "$(kinds)" = "fact.add fact.add fact.add " ]
	vim -es -c '%s/team of 5/team of 6/' -c 'g/Debian/d' -c 'normal Go- drinks mate' -c wq "$F/work.md" < /dev/null
	[ "$(kinds)" = "fact.add fact.add fact.add fact.retract fact.add fact.add fact.retract " ]
	[ "$(saves work.md)" = 2 ]
	printf '# Work\n\n- fintech, team of 6\n- lives in Rosario\n- drinks mate\n' | cmp - "$F/work.md"
	[ "$(ls -A "$F")" = "$(printf 'decisions.md\nfacts.jsonl\npersonal.md\npreferences.md\nprojects.md\nstale.md\nwork.md')" ]
	cp "$F/work.md@1" "$F/work.md"
	printf '# Work\n\n- fintech, team of 5\n- lives in Rosario\n- uses Debian\n' | cmp - "$F/work.md"
	grep -q '"fact":"fintech, team of 6".*"supersedes":[0-9]' "$F/facts.jsonl"
	[ "$(grep -c . "$F/facts.jsonl")" = 7 ]
}

@test "confidence, twice the same, appending, a temporary file renamed onto the list" {
	printf -- '- a thing *(low)*\n' > "$F/personal.md"
	sed -i 's/(low)/(medium)/' "$F/personal.md"
	[ "$(kinds)" = "fact.add fact.weigh " ]
	printf -- '- a thing *(medium)*\n- a thing *(medium)*\n' > "$F/personal.md"
	[ "$(kinds)" = "fact.add fact.weigh fact.confirm " ]
	printf -- '- new twice\n- other\n- new twice *(low)*\n' > "$F/work.md"
	printf '# Work\n\n- new twice\n- other\n' | cmp - "$F/work.md"
	echo '- other' >> "$F/work.md"
	[ "$(kinds)" = "fact.add fact.weigh fact.confirm fact.add fact.add fact.confirm " ]
	echo '- appended' >> "$F/personal.md"
	printf '# Personal\n\n- a thing *(medium)*\n- appended\n- renamed\n' > "$F/.tmp"
	mv "$F/.tmp" "$F/personal.md"
	printf '# Personal\n\n- a thing *(medium)*\n- appended\n- renamed\n' | cmp - "$F/personal.md"
	[ "$(kinds)" = "fact.add fact.weigh fact.confirm fact.add fact.add fact.confirm fact.add fact.add " ]
}

@test "two who change different facts of one list: both win" {
	printf -- '- one\n- two\n- three\n' > "$F/work.md"
	python3 - "$F/work.md" <<- 'END'
		import os, sys
		path = sys.argv[1]
		ready, go = os.pipe(), os.pipe()
		if not os.fork():  # another editor, that saves last what it made from the first version, too
		    text = open(path, encoding="utf-8").read()
		    os.write(ready[1], b".")
		    os.read(go[0], 1)
		    with open(path + ".tmp", "w", encoding="utf-8") as c:
		        c.write(text + "- five\n")
		    os.rename(path + ".tmp", path)
		    os._exit(0)
		os.read(ready[0], 1)
		a = open(path, "r+", encoding="utf-8")
		b = open(path, "r+", encoding="utf-8")
		text = a.read()
		b.read()
		for f, old, new in ((a, "- one\n", "- one, said Ana\n"), (b, "- three\n", "- four\n")):
		    f.seek(0)
		    f.truncate()
		    f.write(text.replace(old, new))
		a.close()
		b.close()
		os.write(go[1], b".")
		assert os.wait()[1] == 0
	END
	sort "$F/work.md" | grep '^-' > "$T/got"
	printf -- '- five\n- four\n- one, said Ana\n- two\n' | cmp - "$T/got" || { cat "$F/work.md" "$F/work.md@log"; false; }
}

@test "nobody's fact is taken away that its editor had not read, however that saves" {
	cat > "$T/editor.py" <<- 'END'
		import os, sys
		path = sys.argv[1]
		def read():
		    with open(path, encoding="utf-8") as f:
		        return f.read()
		def anew(text):
		    with open(path, "w", encoding="utf-8") as f:
		        f.write(text)
		def cut(text):
		    with open(path, "w+", encoding="utf-8") as f:
		        f.write(text)
		def over(text):
		    with open(path, "r+", encoding="utf-8") as f:
		        f.write(text)
		        f.truncate()
		def renamed(text):
		    with open(path + ".tmp", "w", encoding="utf-8") as f:
		        f.write(text)
		    os.rename(path + ".tmp", path)
		def other(what):
		    assert os.system(f"{what} '{path}'") == 0
		def lines():
		    return sorted(line[2:] for line in read_other().split("\n") if line.startswith("- "))
		def read_other():
		    with os.popen(f"cat '{path}'") as f:
		        return f.read()
		for save in anew, cut, over, renamed:
		    other("printf -- '- alpha\\n- beta\\n' >")
		    text = read()
		    other("echo '- gamma' >>")
		    save(text.replace("- beta\n", "- delta\n"))
		    assert lines() == ["alpha", "delta", "gamma"], (save, lines())
		    # once more without reading: its own it takes back, others' and what they took away stays so
		    save(text + "- wrong idea\n- uses rust\n")
		    other("echo '- epsilon' >>")
		    other("sed -i /alpha/d")
		    save(text + "- uses zig\n")
		    save(text + "- uses go\n")
		    assert lines() == ["beta", "epsilon", "gamma", "uses go"], (save, lines())
	END
	python3 "$T/editor.py" "$F/work.md"
	[[ $(kinds) != *confirm* ]]
	# a shell has read nothing: what it writes is all there is
	echo '- one' > "$F/projects.md"
	echo '- two' >> "$F/projects.md"
	printf -- '- one\n- three\n' > "$F/projects.md"
	printf '# Projects\n\n- one\n- three\n' | cmp - "$F/projects.md"
}

@test "five hundred facts replaced by five hundred others hold nobody up" {
	facts() {
		python3 - "$1" <<- 'END'
			import random, sys
			rng = random.Random(sys.argv[1])
			words = ["".join(rng.choices("abcdefghijklmnopqrst", k=rng.randrange(3, 9))) for _ in range(400)]
			for n in range(500):
			    print("-", *(rng.choice(words) for _ in range(32)))
		END
	}
	cpu() { cat "/proc/$(owner_of "$DB")/task/"*/schedstat | awk '{ sum += $1 } END { printf "%d\n", sum / 1e6 }'; }
	facts one > "$T/one"
	facts two > "$T/two"
	cp "$T/one" "$F/work.md"
	before=$(cpu)
	cp "$T/two" "$F/work.md"
	spent=$(($(cpu) - before))
	echo "$spent ms"
	((spent < 4000)) # each pair by itself: 10,000
	[ "$(grep -c '^- ' "$F/work.md")" = 500 ]
}

@test "what users say for good becomes facts; questions, quotations and assistants do not" {
	mkdir "$M/sessions/s"
	cat >> "$M/sessions/s/log.jsonl" <<- 'END'
		{"role":"user","content":"Recordá que trabajo en fintech, equipo de 5"}
		{"role":"assistant","content":"Remember that I decided to use Perl."}
		{"role":"user","content":"Do you remember that we use Perl?"}
		{"role":"user","content":"Decidí usar Kimi K2.5 como modelo principal"}
	END
	wait_for 10 grep -q Kimi "$F/decisions.md"
	grep -q fintech "$F/work.md"
	not grep -rq Perl "$F"
	# The fact names its message; said again, it is confirmed; denied, it goes.
	seq=$(sqlite3 -readonly "$DB" "SELECT seq FROM tape WHERE stream = 's1' AND stream_seq = 0")
	grep -q "\"fact\":\"trabajo en fintech, equipo de 5\".*\"source_entry\":$seq," "$F/facts.jsonl"
	echo '{"role":"user","content":"Decidí usar Kimi K2.5 como modelo principal."}' >> "$M/sessions/s/log.jsonl"
	echo '{"role":"user","content":"Recordá que ya no trabajo en fintech, equipo de 5"}' >> "$M/sessions/s/log.jsonl"
	wait_for 10 grep -q '"fact":"trabajo en fintech, equipo de 5".*"superseded_by":[0-9]' "$F/facts.jsonl"
	grep -q '"fact":"usar Kimi.*"confirmations":1' "$F/facts.jsonl"
	# After a restart nothing is taken twice.
	before=$(kinds)
	cinta_umount
	rm "$DB.side"
	cinta_mount
	sleep 1.5
	[ "$(kinds)" = "$before" ]
}

@test "the past knows what was believed then" {
	printf -- '- one\n- two\n' > "$F/work.md"
	cp -a "$F" "$T/then"
	t=$(tail -1 "$M/.cinta/tape.jsonl" | sed 's/.*"time_us":\([0-9]*\).*/\1/')
	t=$(date -u -d "@$((t / 1000000))" +%FT%T).$(printf %06d $((t % 1000000)))Z
	printf -- '- one, but another\n' > "$F/work.md"
	echo '- x' > "$F/projects.md"
	diff -r "$T/then" "$M/.cinta/at/$t/facts"
}

@test "what is refused: no UTF-8, too many, removing, moving, making" {
	not bash -c "printf -- '- \\xff\\n' > '$F/work.md'; cat '$F/work.md' | grep -q ." || true
	[ "$(cat "$F/work.md")" = "# Work" ]
	grep -q 'facts/work.md' "$M/errors.log"
	refused() { run "$@"; [ "$status" -ne 0 ]; }
	echo '- x' > "$F/work.md"
	refused rm "$F/work.md"
	refused mv "$F/work.md" "$F/personal.md"
	refused mv "$F/work.md" "$M/notes/work.md"
	grep -q 'EPERM rename facts/work.md .*a list of facts keeps its name' "$M/errors.log"
	refused mkdir "$F/more"
	refused bash -c "echo x > '$F/facts.jsonl'"
	refused bash -c "echo x > '$F/work.md@1'"
	cinta_umount
	verified
}

@test "an editor's backup by renaming is a copy, and the list keeps its name; nothing is refused" {
	echo '- The heron waits.' > "$F/work.md"
	cp "$F/work.md" "$T/was"
	mv "$F/work.md" "$F/work.md~"
	cmp "$T/was" "$F/work.md"
	cmp "$T/was" "$F/work.md~"
	emacs --batch "$F/preferences.md" --eval '(progn (goto-char (point-max)) (insert "- Tea is preferred.\n") (save-buffer))' 2> /dev/null
	grep -q 'Tea is preferred' "$F/preferences.md"
	[ ! -s "$M/errors.log" ]
	# what is there only for a while is no answer to who looks for a list
	not cat "$F/nosuchlist.md" 2> /dev/null
	echo '- x' > "$F/nosuchlist.md" || true
	wait_for 10 grep -q 'facts/nosuchlist.md' "$M/errors.log"
	not grep -q 'work.md~' "$M/errors.log"
}

@test "random edits of random lists: the store's facts are those of a model" {
	timeout "$(many 120 3600)" python3 "$BATS_TEST_DIRNAME/facts_model.py" "$M" "$(many 150 4000)"
	cinta_umount
	verified
}

@test "a list that is held open: what others add meanwhile stays, whoever saves again" {
	echo '- zero' > "$F/work.md"
	exec 7>> "$F/work.md"
	(echo '- one' >&7)
	echo '- two' >> "$F/work.md"
	(echo '- three' >&7)
	echo '- four' >> "$F/work.md"
	(echo '- five' >&7)
	exec 7>&-
	for i in zero one two three four five; do grep -qx -- "- $i" "$F/work.md"; done
	# who writes all of it again, from what it read at the beginning; and who makes the list
	python3 - "$F" <<- 'END'
		import os, sys
		def beside(text):
		    fd = os.open(sys.argv[1] + '/' + name, os.O_WRONLY | os.O_APPEND)
		    os.write(fd, text)
		    os.close(fd)
		def again(fd, text):
		    os.ftruncate(fd, 0)
		    os.pwrite(fd, text, 0)
		    os.fsync(fd)
		for name, flags in ('work.md', os.O_RDWR), ('projects.md', os.O_RDWR | os.O_CREAT):
		    fd = os.open(sys.argv[1] + '/' + name, flags)
		    mine = os.read(fd, 9999)
		    for i in range(3):
		        mine += b'- mine %d\n' % i
		        again(fd, mine)
		        beside(b'- theirs %d\n' % i)
		    again(fd, mine)
		    again(fd, mine + b'- not so\n')
		    again(fd, mine)
		    os.close(fd)
	END
	for list in work projects; do
		for i in 0 1 2; do grep -qx -- "- mine $i" "$F/$list.md"; grep -qx -- "- theirs $i" "$F/$list.md"; done
		not grep -q 'not so' "$F/$list.md"
	done
	[ "$(kinds | tr ' ' '\n' | grep -c retract)" = 2 ]
	[[ $(kinds) != *confirm* ]]
	cinta_umount
	verified
}
