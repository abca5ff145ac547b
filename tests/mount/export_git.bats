# SPDX-License-Identifier: MIT
# cinta export --git: an entry a commit, files where they stand, and on from there.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && G=$T/repository; }
teardown() { cinta_teardown; }

git_in() { git -C "$G" "$@"; }
head_seq() { git_in log -1 --format='%(trailers:key=Cinta-Seq,valueonly)' main | head -1; }
entries() { sqlite3 "$DB" 'SELECT count(*) FROM tape'; }

@test "documents and facts are there whatever numbers their bodies hold" {
	cinta_mount
	printf -- '---\nmetadata: {span: 18446744073709551615}\n---\nlong\n' > "$M/memories/fact/span.md"
	printf -- '- a fact\n' > "$M/facts/work.md"
	: > "$M/facts/work.md"
	"$CINTA" export --git "$G" "$M"
	cmp <(git_in cat-file blob main:memories/fact/span.md) "$M/memories/fact/span.md"
	[ -z "$(git_in ls-tree -r --name-only main facts | grep -v text.md)" ]
}

@test "a commit an entry, by its author at its time; documents as they are and were" {
	cinta_mount
	say 'a "b"' 'prefiero té' two
	mkdir -p "$M/notes/dir/sub"
	printf 'one\n' > "$M/notes/dir/my \"plan\" é.md"
	printf 'two\n' >> "$M/notes/dir/my \"plan\" é.md"
	head -c 3000 /dev/urandom > "$M/notes/dir/sub/bin.md"
	mv "$M/notes/dir" "$M/notes/dos"
	mv "$M/notes/dos/sub/bin.md" "$M/notes/b.md"
	echo gone > "$M/notes/old.md"
	printf -- '---\nstatus: retired\n---\ngone\n' > "$M/notes/old.md"
	echo 'prune 2' > "$M/sessions/a \"b\"/ctl"
	# whatever git's own variables say
	GIT_DIR=/nonexistent "$CINTA" export --git "$G" "$M" > "$T/said"
	[ "$(git_in rev-list --count main)" -eq "$(entries)" ]
	grep -q "$(entries) commits, up to entry $(($(entries) - 1))" "$T/said"
	git_in fsck --strict
	cmp <(git_in cat-file blob 'main:notes/dos/my "plan" é.md') "$M/notes/dos/my \"plan\" é.md"
	cmp <(git_in cat-file blob main:notes/b.md) "$M/notes/b.md"
	not git_in cat-file -e main:notes/old.md
	not git_in cat-file -e main:notes/dir
	[ "$(git_in log --format=%s -- 'notes/dir/my "plan" é.md' | wc -l)" -eq 3 ]
	[ "$(git_in cat-file blob 'main:sessions/a "b"/messages/000/000001.json' | jq -r .content)" = 'prefiero té' ]
	[ "$(git_in cat-file blob 'main:sessions/a "b"/window/000/000001.json' | jq -r .op)" = prune ]
	grep -rq 'prefiero té' <(git_in grep -h '' main -- facts)
	# author, time and hash are the entry's
	diff <(sqlite3 "$DB" "SELECT author || ' ' || (time_us / 1000000) || ' ' || seq || ' ' || lower(hex(leaf_hash)) FROM tape ORDER BY seq") \
		<(git_in log --reverse --format='%an %at %(trailers:key=Cinta-Seq,valueonly,separator=) %(trailers:key=Cinta-Hash,valueonly,separator=)' main)
	cmp <(git_in cat-file tag "$(git_in tag | tail -n 1)" | sed '1,/^$/d') "$DB.checkpoint"
	[ -z "$(find "$G" -perm /077 ! -type l)" ]
}

@test "it goes on behind the last commit, of the same memory only" {
	cinta_mount
	say uno 'I prefer tabs'
	"$CINTA" export --git "$G" "$M"
	say uno more
	echo x > "$M/notes/x.md"
	"$CINTA" export --git "$G" "$M"
	"$CINTA" export --git "$G" "$M" | grep -q ': 0 commits'
	cinta_umount
	[ "$(git_in rev-list --count main)" -eq "$(entries)" ]
	[ "$(head_seq)" -eq $(($(entries) - 1)) ]
	# the same history as in one go
	"$CINTA" export --git "$T/again" "$DB"
	[ "$(git -C "$T/again" rev-parse main)" = "$(git_in rev-parse main)" ]
	"$CINTA" init "$T/other.db" > /dev/null
	for i in $(seq 30); do echo "{\"role\":\"user\",\"content\":\"$i\"}"; done > "$T/thirty.jsonl"
	"$CINTA" import "$T/thirty.jsonl" "$T/other.db"
	before=$(git_in rev-parse main)
	run -1 "$CINTA" export --git "$G" "$T/other.db"
	[[ $output == *'another memory'* ]]
	[ "$(git_in rev-parse main)" = "$before" ] && [ -z "$(find "$G" -name '*crash*')" ]
}

@test "--since a number or a date; what is not ours is left alone" {
	cinta_mount
	say uno one two
	last=$(($(entries) - 1))
	"$CINTA" export --git "$T/late" --since "$last" "$M"
	[ "$(git -C "$T/late" rev-list --count main)" -eq $(($(entries) - last)) ]
	"$CINTA" export --git "$T/day" --since "$(date -u -d yesterday +%F)" "$M"
	[ "$(git -C "$T/day" rev-list --count main)" -eq "$(entries)" ]
	"$CINTA" export --git "$T/never" --since "$(date -u -d tomorrow +%FT%TZ)" "$M" | grep -q ': 0 commits'
	run -2 "$CINTA" export --git "$T/bad" --since yesterday "$M"
	run -2 "$CINTA" export --tape --since 3 "$M"
	mkdir "$T/full"
	touch "$T/full/x"
	run -1 "$CINTA" export --git "$T/full" "$M"
	[[ $output == *'holds files'* ]]
	[ "$(ls "$T/full")" = x ]
	[ "$(wc -l <<< "$output")" -eq 1 ]
	# a repository of a person's, and an empty directory within one
	git init -q -b main "$T/own"
	git -C "$T/own" -c user.name=a -c user.email=b commit -q --allow-empty -m mine
	run -1 "$CINTA" export --git "$T/own" "$M"
	[[ $output == *'none that an export made'* ]]
	mkdir "$T/own/in"
	"$CINTA" export --git "$T/own/in" "$M"
	[ "$(git -C "$T/own" rev-list --count main)" -eq 1 ]
	run -1 env PATH=/nonexistent "$CINTA" export --git "$T/none" "$M"
	[[ $output == *'install git'* ]]
	if [ "$(id -u)" -eq 0 ]; then
		git init -q --bare "$T/theirs"
		chown -R nobody "$T/theirs"
		run -1 "$CINTA" export --git "$T/theirs" "$M"
		[[ $output == *"$T/theirs belongs to nobody, and git works in nobody else's repository; "* ]]
		[ "$(wc -l <<< "$output")" -eq 1 ]
	fi
}

@test "--since leaves no gap behind what is there; an empty directory by any name; no bare one by chance" {
	"$CINTA" init "$DB" > /dev/null
	thirty() { "$CINTA" import --session "$1" <(printf '{"role":"user","content":"%s"}\n' $(seq -f "$1%g" 30)) "$DB"; }
	thirty a
	mkdir "$G" "$T/here"
	ln -s "$G" "$T/link"
	"$CINTA" export --git "$T/link" "$DB"
	[ -z "$(find "$G" -perm /077)" ]
	last=$(head_seq)
	thirty b
	sleep 1
	now=$(date -u +%FT%TZ)
	thirty c
	for since in $((last + 2)) "$now"; do
		run -1 "$CINTA" export --git "$G" --since "$since" "$DB"
		[[ $output == *"$G ends with entry $last: "* ]]
		[ "$(head_seq)" -eq "$last" ]
	done
	"$CINTA" export --git "$G" --since $((last + 1)) "$DB"
	[ "$(git_in rev-list --count main)" -eq "$(entries)" ]
	git config --global safe.bareRepository explicit
	(cd "$T/here" && "$CINTA" export --git . "$DB" && "$CINTA" export --git "$PWD" "$DB")
	[ "$(git --git-dir "$T/here" rev-list --count main)" -eq "$(entries)" ]
}

# A mount that is stopped answers nobody: what is refused is refused before it is asked.
@test "a directory that is not ours is refused before anything is waited for" {
	cinta_mount
	say uno one
	mkdir "$T/full"
	touch "$T/full/x"
	git init -q -b main "$T/own"
	git -C "$T/own" -c user.name=a -c user.email=b commit -q --allow-empty -m mine
	kill -STOP "$(owner_of "$DB")"
	for dir in full own; do
		run timeout 60 "$CINTA" export --git "$T/$dir" "$DB"
		echo "$output"
		[ "$status" -eq 1 ]
		[[ $output == *"$T/$dir"* ]]
	done
	kill -CONT "$(owner_of "$DB")"
}
