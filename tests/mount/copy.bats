# SPDX-License-Identifier: MIT
# Copying a memory out by the tools people use: no error, nothing different, and
# the size a file tells is always the number of bytes one reads.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	say x alpha 'beta ñ 日本' gamma
	say 'y z' delta
	echo '{"content":"in t","thread":"t u","refs":[{"type":"context","ref":"x"}]}' >> "$M/sessions/x/log.jsonl"
	head -c 100000 /dev/zero | tr '\0' w | sed 's/.*/{"content":"&"}/' >> "$M/sessions/y z/log.jsonl"
	run bash -c 'echo nonsense >> "$0"' "$M/sessions/x/log.jsonl"
	run rm "$M/sessions/x/log.jsonl"
}
teardown() { cinta_teardown; }

same() { diff -r "$1" "$2" && [ -z "$(find "$2" -xtype l)" ]; }

@test "cp -a, twice" {
	cp -a "$M" "$T/one"
	cp -a "$M" "$T/two"
	same "$M" "$T/one"
	same "$T/one" "$T/two"
	[ "$(cd "$T/one" && find . -printf '%p %m %y %T@\n' | sort)" = "$(cd "$M" && find . -printf '%p %m %y %T@\n' | sort)" ]
}

@test "tar, twice: the same archive" {
	tar -C "$M" -cf "$T/one.tar" . 2> "$T/said"
	tar -C "$M" -cf "$T/two.tar" . 2>> "$T/said"
	[ ! -s "$T/said" ]
	cmp "$T/one.tar" "$T/two.tar"
	mkdir "$T/out"
	tar -C "$T/out" -xf "$T/one.tar"
	same "$M" "$T/out"
	tar -C "$M" -df "$T/one.tar"
}

@test "rsync -a, twice: the second has nothing to do, after an append what it changed" {
	rsync -a "$M/" "$T/out/"
	same "$M" "$T/out"
	[ -z "$(rsync -ai "$M/" "$T/out/")" ]
	[ -z "$(rsync -aic "$M/" "$T/out/")" ]
	say x more
	rsync -ai "$M/" "$T/out/" > "$T/moved"
	[ "$(grep '^>f' "$T/moved" | sed 's/.* //' | sort | tr '\n' ' ')" = \
		'context.md sessions/x/log.jsonl sessions/x/transcript.md smma/action_log.md smma/dashboard.md ' ]
	same "$M" "$T/out"
}

@test "node, python and zip copy it too" {
	node -e 'require("fs").cpSync(process.argv[1], process.argv[2], {recursive: true, verbatimSymlinks: true})' "$M" "$T/node"
	same "$M" "$T/node"
	python3 -c 'import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2], symlinks=True)' "$M" "$T/python"
	same "$M" "$T/python"
	python3 -c 'import shutil, sys; shutil.make_archive(sys.argv[2], "zip", sys.argv[1])' "$M" "$T/archive"
	(cd "$T" && python3 -m zipfile -t archive.zip)
}

@test "a copy of a copy goes into git" {
	cp -a "$M" "$T/git"
	cd "$T/git"
	git init -q .
	git add -A
	git -c user.name=a -c user.email=a@b commit -qm memory
	[ -z "$(git status --porcelain)" ]
	[ "$(git ls-files | wc -l)" -eq "$(find . -path ./.git -prune -o ! -type d -print | wc -l)" ]
	# and the mount itself can be the work tree of a repository elsewhere
	git init -q "$T/elsewhere"
	git --git-dir="$T/elsewhere/.git" --work-tree="$M" add -A
	[ -z "$(git --git-dir="$T/elsewhere/.git" --work-tree="$M" status --porcelain | grep -v '^A ')" ]
}

@test "st_size is what one reads, of every file, listed or not, in both profiles" {
	mkdir "$T/ro"
	"$CINTA" mount -o ro "$DB" "$T/ro"
	for i in 1 2 3; do
		for root in "$M" "$T/ro"; do
			python3 "$HERE/sizes.py" "$root"
		done
		say x "round $i" 'and ñ'
		run rm "$M/sessions/x/log.jsonl"
		echo '{"content":"'$i'","thread":"t u","refs":[{"type":"secretary","ref":"'$i'"}]}' >> "$M/sessions/y z/log.jsonl"
	done
	cinta_umount "$T/ro"
}

@test "grep -r meets a message in the log and in the transcript; what is active now in two pages more" {
	[ "$(grep -rl alpha "$M" | sed "s,$M/,," | sort | tr '\n' ' ')" = 'sessions/x/log.jsonl sessions/x/transcript.md ' ]
	[ "$(grep -r 'gamma' "$M" | wc -l)" -eq 2 ]
	say x epsilon
	[ "$(grep -rl epsilon "$M" | sed "s,$M/,," | sort | tr '\n' ' ')" = \
		'context.md sessions/x/log.jsonl sessions/x/transcript.md smma/action_log.md ' ]
}
