# SPDX-License-Identifier: MIT
# Every way we know to make a memory vanish, by tools that mean it and by tools that
# do not.  After each, every version of every document is still there: under its
# name, or as NAME@N of what stands there now.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

# One mount for all: what one test leaves the next must find.
setup_file() {
	cinta_setup
	export T DB M
	export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t
	export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
	cinta_mount
	(
		cd "$M" || exit 1
		for section in user_profile project_context current_task agent_notes; do
			echo "# $section" > smma/$section.md
		done
		echo 'never lie' > blocks/rules/truth.md
		echo 'tea' > memories/preference/drink.md
		mkdir algorithms/pick
		echo '{"name":"pick"}' > algorithms/pick/1.json
		mkdir -p notes/sub/deep notes/other
		for n in 1 2 3; do echo "a, the ${n}th" > notes/a.md; done
		echo b > notes/b.md
		echo c > notes/sub/c.md
		echo d > notes/sub/deep/d.txt
		echo e > notes/other/e.md
	)
	say x alpha beta
	cat "$M/sessions/x/log.jsonl" > "$T/log"
}
teardown_file() { cinta_teardown; }

setup() {
	cd "$M" || return 1
	# an earlier test that failed may have moved these
	mkdir -p notes/sub/deep notes/other
	for name in notes/a.md notes/b.md notes/sub/c.md notes/other/e.md blocks/rules/truth.md; do
		[ -e "$name" ] || echo "$name" > "$name"
	done
	"$HERE/memories.py" remember "$M" "$T/before"
	said=$(refusals)
}

log_stands() { cmp -s "$M/sessions/x/log.jsonl" "$T/log"; }
memories() { "$HERE/memories.py" "$1" "$M" "$T/before" > "$T/out" 2>&1; }
# A hidden document comes back within 6 seconds.
settled() { wait_for 7 memories "$1" || { cat "$T/out" && return 1; }; }

# tell STATUS: what the last command answered
tell() { echo "status $status: $output"; }

# refused COMMAND…: it fails, errors.log says why, all stands as it was
refused() {
	run timeout 30 "$@"
	tell
	[ "$status" -ne 0 ]
	[ "$status" -ne 124 ]
	[ "$(refusals)" -gt "$said" ]
	memories stand || { cat "$T/out" && return 1; }
	log_stands
}

# stands COMMAND…: whatever it answers, all stands as it was, 6 seconds later at most
stands() {
	run timeout 30 "$@"
	tell
	[ "$status" -ne 124 ]
	settled stand
	log_stands
}

# kept COMMAND…: whatever it answers, every version is still there
kept() {
	run timeout 30 "$@"
	tell
	[ "$status" -ne 124 ]
	settled check
	log_stands
}

# For python3 -c: os, and rename2(from, to, flags) as the kernel has it.
PYTHON='import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def rename2(a, b, flags):
    if libc.renameat2(-100, a.encode(), -100, b.encode(), flags):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), a)
'

@test "rm, rm -f, unlink" {
	refused rm notes/a.md
	refused rm -f smma/user_profile.md
	refused unlink blocks/rules/truth.md
	refused rm -f memories/preference/drink.md algorithms/pick/1.json
	refused rm sessions/x/log.jsonl
}

@test "rm -rf, rmdir" {
	refused rm -rf notes
	refused rm -rf smma blocks memories algorithms
	refused rmdir notes/sub/deep
	refused rmdir algorithms/pick
}

@test "find -delete, shutil.rmtree" {
	refused find notes -mindepth 1 -delete
	refused python3 -c "$PYTHON"'import shutil; shutil.rmtree("notes")'
	refused python3 -c "$PYTHON"'import shutil; shutil.rmtree("blocks/rules")'
}

@test "shred -u, wipe and unlink" {
	kept shred -u -n 1 notes/b.md
	kept shred -u -n 1 -z blocks/rules/truth.md
}

@test "truncate, > and cp /dev/null: a version, not a loss" {
	kept truncate -s 0 notes/a.md
	kept bash -c '> notes/a.md'
	echo again > notes/a.md
	kept cp /dev/null notes/a.md
	[ ! -s notes/a.md ]
	grep -q '2th' notes/a.md@2
	kept truncate -s 3 notes/other/e.md
	kept dd if=/dev/zero of=notes/other/e.md bs=1 count=4
}

@test "mv of a log to a scratch name, then rm" {
	refused mv sessions/x/log.jsonl sessions/x/.log.swp
	refused mv sessions/x/log.jsonl notes/log.jsonl
	refused mv sessions/x notes/x
	refused mv sessions/x sessions/.x
}

@test "mv to a scratch name of another directory" {
	refused mv notes/a.md blocks/rules/.a.swp
	refused mv notes/a.md notes/sub/a.md~
	refused mv smma/user_profile.md notes/.profile.tmp
	refused mv blocks/rules/truth.md blocks/persona/.truth
}

@test "mv into a scratch directory" {
	mkdir notes/.~tmp~ blocks/rules/.x
	refused mv notes/a.md notes/.~tmp~/
	refused mv notes/a.md notes/.~tmp~/.a.md.swp
	refused mv blocks/rules/truth.md blocks/rules/.x/truth.md
	refused mv notes/sub notes/.~tmp~/sub
	rmdir notes/.~tmp~ blocks/rules/.x
}

@test "mv into .Trash-0" {
	mkdir -p notes/.Trash-0/files
	refused mv notes/a.md notes/.Trash-0/files/a.md
	refused mv notes/sub notes/.Trash-0/files/sub
	rm -r notes/.Trash-0
	run mkdir .Trash-0
	[ "$status" -ne 0 ]
}

@test "mv into smma/workspace" {
	refused mv smma/agent_notes.md smma/workspace/agent_notes.md
	refused mv smma/agent_notes.md smma/workspace/
	refused mv notes/a.md smma/workspace/a.md
	refused mv notes/sub smma/workspace/sub
}

@test "mv out of the mount: the copy is made, the memory stays" {
	refused mv notes/a.md "$T/a.md"
	refused mv notes/sub "$T/sub"
}

@test "gio trash" {
	refused gio trash notes/a.md
	refused gio trash notes/sub
	refused gio trash smma/user_profile.md
}

@test "zip -m" {
	stands zip -q -m "$T/a.zip" notes/a.md
	stands zip -q -r -m "$T/sub.zip" notes/sub
}

@test "tar --remove-files" {
	refused tar -cf "$T/a.tar" --remove-files notes/a.md notes/sub
}

@test "rsync --delete, --remove-source-files, --delete-excluded" {
	mkdir "$T/empty"
	refused rsync -a --delete "$T/empty/" notes/
	refused rsync -a --remove-source-files notes/ "$T/taken/"
	refused rsync -a --delete --delete-excluded --exclude='*' "$T/empty/" notes/sub/
	kept rsync -a --delete --backup --suffix=.bak "$T/empty/" notes/
	kept rsync -a --delete --backup --backup-dir=.old "$T/empty/" notes/
}

@test "git clean -fdx, git checkout, git rm, git stash" {
	cd notes
	stands git init -q .
	stands git clean -q -f -d -x -e nothing
	stands git add a.md b.md
	stands git commit -q -m one
	echo changed > a.md
	"$HERE/memories.py" remember "$M" "$T/before"
	kept git checkout -q -- a.md
	stands git rm -q -f a.md
	kept git stash -q
	kept git reset -q --hard
	cd ..
	stands rm -rf notes/.git
}

@test "mv DOC DOC~ and rm DOC~: it comes back" {
	stands bash -c 'mv notes/a.md notes/a.md~ && rm notes/a.md~
		mv smma/user_profile.md smma/user_profile.md~ && rm smma/user_profile.md~
		mv blocks/rules/truth.md blocks/rules/.t && mv blocks/rules/.t notes/.t && rm notes/.t
		mv notes/b.md notes/.b.tmp && mv notes/.b.tmp smma/workspace/b && rm smma/workspace/b
		! ls notes/a.md smma/user_profile.md blocks/rules/truth.md notes/b.md 2> /dev/null'
	[ "$status" -eq 0 ]
}

@test "mv DOC SCRATCH, then a link, a directory, a pipe or a folder of its name" {
	mkdir -p notes/h
	for n in 1 2 3 4 5 6; do echo "$n" > notes/h/$n.md; echo "${n}b" > notes/h/$n.md; done
	"$HERE/memories.py" remember "$M" "$T/before"
	stands bash -c 'cd notes/h
		mv 1.md .1 && ! ln -s /etc/passwd 1.md
		mv 2.md .2 && ! mkdir 2.md
		mv 3.md .3 && ! mkfifo 3.md
		mv 4.md .4 && ! mv -T ../other 4.md
		mkdir .d; mv 5.md .5 && ! mv -T .d 5.md
		ln -s /etc/passwd .l; mv 6.md .6 && ! mv -T .l 6.md
		rm -rf .[1-6] .d .l'
	[ "$status" -eq 0 ]
}

@test "mv DOC SCRATCH, then another document of its name" {
	mkdir -p notes/g
	echo one > notes/g/1.md
	echo two > notes/g/2.md
	"$HERE/memories.py" remember "$M" "$T/before"
	kept bash -c 'cd notes/g; mv 1.md .1 && mv 2.md 1.md; rm -f .1'
	[ "$(cat notes/g/1.md)" = two ]
	[ "$(cat notes/g/1.md@1)" = one ]
}

@test "mv DOC DOC2: history follows" {
	kept mv notes/b.md notes/b2.md
	[ "$status" -eq 0 ]
	[ ! -e notes/b.md ]
	kept mv notes/b2.md notes/sub/b.md
	[ "$status" -eq 0 ]
	kept mv notes/sub/b.md notes/b.md
	[ -e notes/b.md@log ]
	kept mv blocks/rules/truth.md blocks/persona/truth.md
	[ "$status" -eq 0 ]
	kept mv blocks/persona/truth.md blocks/rules/truth.md
}

@test "mv DOC onto another: both histories stay" {
	for n in 1 2 3; do echo "p$n" > notes/p.md; done
	for n in 1 2; do echo "q$n" > notes/q.md; done
	kept mv notes/p.md notes/q.md
	[ "$status" -eq 0 ]
	[ "$(cat notes/q.md)" = p3 ]
	[ "$(cat notes/q.md@1)" = q1 ]
	[ "$(cat notes/q.md@2)" = q2 ]
	[ "$(cat notes/q.md@3)" = p3 ]
	[ ! -e notes/p.md ]
	grep -q '"retire"' .cinta/tape.jsonl
}

@test "the older versions of a document that was moved onto another are under its old name" {
	for n in 1 2 3; do echo "r$n" > notes/r.md; done
	echo s > notes/s.md
	mv notes/r.md notes/s.md
	[ "$(cat notes/r.md@1)" = r1 ]
	[ "$(cat notes/r.md@2)" = r2 ]
	[ "$(wc -l < notes/r.md@log)" -eq 3 ]
}

@test "mv of a folder over a folder, over a document, into itself" {
	there=$(ls notes/other)
	stands mv -T notes/sub notes/other
	stands mv -T notes/sub notes/a.md
	stands mv notes/sub notes/sub/deep
	stands mv notes/sub blocks/rules/sub
	stands mv notes/sub .
	[ "$(ls notes/other)" = "$there" ]
	mkdir notes/void
	kept mv -T notes/sub notes/void
	kept mv notes/sub notes/sub2
	kept mv notes/sub2 notes/sub
}

@test "a scratch directory with a memory folder's name" {
	mkdir notes/.s
	stands mv -T notes/.s 'notes/my folder'
	[ ! -e 'notes/my folder' ]
	rm -rf 'notes/my folder' notes/.s
	mkdir notes/.s
	stands mv -T notes/.s notes/sub
	stands mv -T notes/.s notes/v1.0
	rm -rf notes/.s notes/v1.0
}

@test "a folder moved under a scratch directory's name" {
	mkdir notes/.s
	mv -T notes/.s notes/v1.0 || rmdir notes/.s
	kept mv -T notes/other notes/v1.0
	kept mv -T notes/v1.0 notes/other
	rm -rf notes/v1.0
	mkdir -p notes/other
}

@test "ln -f, ln -sf, ln -sfn over a document" {
	echo x > notes/.x
	refused ln -f notes/.x notes/a.md
	refused ln -f notes/a.md notes/b.md
	stands ln -sf /etc/passwd notes/a.md
	[ ! -L notes/a.md ]
	stands ln -sfn /etc notes/sub
	refused ln notes/a.md notes/.hard
	rm notes/.x
}

@test "cp, install, tar x and unzip over documents" {
	echo other > "$T/other.md"
	kept cp "$T/other.md" notes/b.md
	kept cp --remove-destination "$T/other.md" notes/a.md
	kept cp -f -s "$T/other.md" notes/a.md
	kept install -m 600 "$T/other.md" smma/agent_notes.md
	mkdir -p "$T/new/sub"
	echo tarred > "$T/new/a.md"
	echo tarred > "$T/new/sub/c.md"
	tar -C "$T/new" -cf "$T/new.tar" .
	kept tar -C notes -xf "$T/new.tar"
	kept tar -C notes -xf "$T/new.tar" --unlink-first
	kept tar -C notes -xf "$T/new.tar" --recursive-unlink
	(cd "$T/new" && zip -q -r "$T/new.zip" .)
	kept python3 -c "$PYTHON"'import zipfile; zipfile.ZipFile(sys.argv[1]).extractall("notes")' "$T/new.zip"
}

@test "os.replace by an empty file" {
	kept python3 -c "$PYTHON"'open("notes/.e", "w").close(); os.replace("notes/.e", "notes/a.md")'
	[ "$status" -eq 0 ]
	[ ! -s notes/a.md ]
	kept python3 -c "$PYTHON"'open("notes/.e", "w").close(); os.replace("notes/.e", "notes/sub")'
	rm -f notes/.e
	kept python3 -c "$PYTHON"'os.replace("/dev/null", "notes/a.md")'
}

@test "renameat2 NOREPLACE, EXCHANGE, WHITEOUT" {
	echo x > notes/.x
	stands python3 -c "$PYTHON"'rename2("notes/.x", "notes/a.md", 1)'
	[[ $output == *'File exists'* ]]
	stands python3 -c "$PYTHON"'rename2("notes/.x", "notes/a.md", 2)'
	stands python3 -c "$PYTHON"'rename2("notes/a.md", "notes/.x", 2)'
	stands python3 -c "$PYTHON"'rename2("notes/a.md", "notes/b.md", 2)'
	stands python3 -c "$PYTHON"'rename2("notes/sub", "notes/other", 2)'
	stands python3 -c "$PYTHON"'rename2("notes/a.md", "notes/w.md", 4)'
	rm notes/.x
}

@test "O_TRUNC, O_TMPFILE, ftruncate, fallocate and a writer that dies" {
	kept python3 -c "$PYTHON"'os.close(os.open("notes/a.md", os.O_RDWR | os.O_TRUNC))'
	echo full > notes/a.md
	"$HERE/memories.py" remember "$M" "$T/before"
	kept python3 -c "$PYTHON"'f = os.open("notes/a.md", os.O_RDWR); os.ftruncate(f, 0); os.kill(os.getpid(), 9)'
	kept fallocate -p -o 0 -l 3 notes/b.md
	kept fallocate -c -o 0 -l 1 notes/b.md
	kept python3 -c "$PYTHON"'os.open("notes", os.O_TMPFILE | os.O_RDWR)'
}

@test "chmod 0, chown, chattr, touch -d, setfattr" {
	stands chmod 0 notes/a.md
	stands chmod -R 777 notes
	stands chown 12:12 notes/a.md
	stands touch -d @0 notes/a.md
	stands chattr -i notes/a.md
	stands setfattr -n user.x -v y notes/a.md
}

@test "mv of the directories that are always there" {
	refused mv smma notes/smma
	refused mv notes old
	refused mv blocks/rules blocks/old
	refused mv algorithms/pick algorithms/pack
	refused mv memories/preference notes/preference
	stands mv notes/sub notes/.sub
	stands mv notes/sub 'notes/sub~'
}

@test "a program's sync clients: rename to .part, .deleted, conflict copies" {
	kept mv notes/a.md 'notes/a (conflict).md'
	kept mv 'notes/a (conflict).md' notes/a.md
	stands bash -c 'mkdir notes/.stversions; mv notes/a.md notes/.stversions/a~2026.md'
	rm -r notes/.stversions
}

@test "seventy documents hidden at once" {
	mkdir -p notes/many
	for n in $(seq 70); do echo "$n" > "notes/many/n$n.md"; done
	"$HERE/memories.py" remember "$M" "$T/before"
	stands bash -c 'cd notes/many; for n in $(seq 70); do mv n$n.md .n$n; rm .n$n; done'
}

@test "at the end the tape holds, and a new mount shows the same" {
	"$HERE/memories.py" remember "$M" "$T/before"
	cd /
	cinta_umount
	verified
	cinta_mount
	"$HERE/memories.py" stand "$M" "$T/before"
	log_stands
	find "$M/notes" "$M/smma" "$M/blocks" -name '.*' -print
	[ -z "$(find "$M/notes" "$M/smma" "$M/blocks" -name '.*' -print)" ]
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	cinta_umount 2> /dev/null || umount -l "$M" 2> /dev/null || true
	cinta_mount
	"$HERE/memories.py" stand "$M" "$T/before"
}
