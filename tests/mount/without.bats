# SPDX-License-Identifier: MIT
# cinta ls, cat, append, write, edit and cp: the files of a mount for who has none.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && LOG=sessions/s/log.jsonl; }
teardown() {
	umount "$T/small" 2> /dev/null || true
	cinta_teardown
}

# c VERB…: of this memory
c() { local verb=$1 && shift && "$CINTA" "$verb" -d "$DB" "$@"; }
# refuses PATTERN COMMAND…: status 1, nothing on stdout, the words on stderr
refuses() {
	local words=$1 && shift
	run --separate-stderr "$@"
	echo "$*: $status: $output$stderr"
	[ "$status" -eq 1 ] && [ -z "$output" ] && [[ $stderr == *$words* ]]
}

# names: what a reader can ask for by a name in the mount, listed or not; none that tells the time
names() {
	(cd "$M" && find . -type f ! -path './.cinta/*' -printf '%P\n')
	local s n
	for s in "$M"/sessions/*/; do
		s=sessions/$(basename "$s")
		[ "$s" != sessions/current ] || continue
		for ((n = 1; n <= $(wc -l < "$M/$s/log.jsonl"); n++)); do
			printf "$s/messages/%06d.md\n" "$n"
		done
		printf '%s\n' "$s/context.md" "$s/refs.jsonl" "$s/active.jsonl" "$s/saves.jsonl"
	done
	printf '%s\n' smma/user_profile.md@1 smma/user_profile.md@log 'search/tabs.md' 'search/la planilla.md' \
		facts/facts.jsonl .cinta/tape.jsonl .cinta/pubkey context.md AGENTS.md sessions/current/log.jsonl
}

@test "names of files in a mounted directory, and with a colon, are the memory's; ls takes -la" {
	cinta_mount
	echo 'a note' > "$M/notes/a.md"
	cd "$T"
	ln -s "$M" "$T/link"
	local name
	for name in "$M/notes/a.md" "${M#"$T"/}/notes/a.md" "./${M##*/}/notes/../notes//a.md"; do
		[ "$("$CINTA" cat "$name")" = 'a note' ]
		[ "$("$CINTA" cat -d "$DB" "$name")" = 'a note' ]
	done
	for name in :notes/a.md notes/a.md /notes/a.md; do
		[ "$("$CINTA" cat -d "$DB" "$name")" = 'a note' ]
	done
	cd "$M/notes"
	[ "$("$CINTA" cat a.md)" = 'a note' ]
	echo more | "$CINTA" append -p new/b.md
	[ "$(cat "$M/notes/new/b.md")" = more ]
	[ "$("$CINTA" ls -la1 .. | head -2)" = "$("$CINTA" ls -l "$M" | head -2)" ]
	[ "$("$CINTA" ls "$M")" = "$("$CINTA" ls -d "$DB" :)" ]
	cd "$T"
	mkdir "$T/other"
	"$CINTA" mount -d "$T/other.db" "$T/other"
	"$CINTA" cat "$T/other/README.md" > "$T/page"
	refuses "is a file of" "$CINTA" cat -d "$DB" "$T/other/README.md" || [ "$status" -eq 2 ]
	[[ $stderr == *"is a file of "*other.db*"not of $DB"* ]]
	"$CINTA" umount "$T/other"
}

@test "300 paths: the same bytes by cat with a daemon, by cat without one, and in the mount" {
	"$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB" > "$T/said"
	names > "$T/names"
	[ "$(wc -l < "$T/names")" -ge 300 ]
	local n=0 name
	mkdir "$T/mnt" "$T/with"
	while IFS= read -r name; do
		n=$((n + 1))
		cat "$M/$name" > "$T/mnt/$n"
		c cat "$name" > "$T/with/$n" || { echo "with: $name" && return 1; }
		cmp "$T/mnt/$n" "$T/with/$n" || { echo "with: $name" && return 1; }
	done < "$T/names"
	cinta_umount
	n=0
	while IFS= read -r name; do
		n=$((n + 1))
		c cat "$name" | cmp - "$T/mnt/$n" || { echo "without: $name" && return 1; }
	done < "$T/names"
	[ ! -e "$M/README.md" ]
	verified
}

@test "ls lists what a directory of the mount lists, -l with modes, sizes and links" {
	"$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB" > "$T/said"
	local dirs dir
	mapfile -t dirs < <(cd "$M" && find . -type d ! -path './rejected*' -printf '%P\n' | sed 's/^$/./')
	[ ${#dirs[@]} -gt 30 ]
	for dir in "${dirs[@]}"; do
		(cd "$M/$dir" && ls -U | LC_ALL=C sort) > "$T/mnt"
		c ls "$dir" | diff "$T/mnt" - || { echo "$dir" && return 1; }
	done
	census() { (cd "$M" && LC_ALL=C && for f in *; do
		TZ=UTC stat -c '%A %s %.19y %N' "$f"; done) | sed "s/'//g" | grep -v errors.log; }
	c ls -l | tr -s ' ' | grep -v errors.log > "$T/with"
	census | diff - "$T/with"
	cinta_umount
	c ls -l | tr -s ' ' | grep -v errors.log | diff "$T/with" -
	for dir in "${dirs[@]}"; do c ls "$dir"; done > "$T/without"
	c ls sessions ./sessions/../facts > "$T/two"
	[ "$(head -1 "$T/two")" = sessions: ]
	grep -qx ./sessions/../facts: "$T/two"
	grep -qx work.md "$T/two"
	cinta_mount
	for dir in "${dirs[@]}"; do (cd "$M/$dir" && ls -U | LC_ALL=C sort); done | diff - "$T/without"
	# no path leads out of the memory, by a daemon or without
	refuses 'No such file' c cat ../../../../etc/passwd
	refuses 'No such file' c cat "$T/names"
	c ls ../.. | diff - <(ls -U "$M" | LC_ALL=C sort)
	cinta_umount
	refuses 'No such file' c cat ../../../../etc/passwd
	c ls ../.. | grep -qx README.md
}

# offered: all hostile lines by append, each refused by the line that errors.log has
offered() {
	local in word n=0 before
	before=$(c cat $LOG | sha256sum)
	for in in "$CINTA_SOURCE"/tests/hostile/lines/*.in; do
		n=$((n + 1)) word=$(head -1 "${in%.in}.why")
		[ "$word" != 0 ] && [ -s "$in" ] || continue
		run --separate-stderr "$CINTA" append -d "$DB" $LOG < "$in"
		echo "$in: $status $stderr"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		c cat errors.log | tail -1 > "$T/last"
		grep -q " $word write $LOG " "$T/last"
		[ "$stderr" = "cinta: $LOG: $(sed -E 's/^([^ ]+ ){4}[^ ]+: //' "$T/last")" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
	[ "$n" -ge 100 ]
	[ "$(c cat $LOG | sha256sum)" = "$before" ]
}

@test "bad lines by append, with a daemon and without: nothing stored, the sentence of errors.log" {
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"one"}' | c append -p $LOG
	offered
	cinta_mount
	offered
	[ "$(wc -l < "$M/$LOG")" -eq 1 ]
	cinta_umount
	verified
}

@test "bad documents and places by write, with a daemon and without" {
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"one"}' | c append -p $LOG
	local road
	for road in without with; do
		[ "$road" = without ] || cinta_mount
		refuses "README.md: README.md is cinta's own page" c write README.md < "$CINTA_SOURCE/README.md"
		refuses 'a log' c write sessions/current/log.jsonl <<< '{"role":"user","content":"x"}'
		refuses 'context.md' c write context.md <<< x
		refuses 'facts/stale.md' c write facts/stale.md <<< x
		refuses 'notes/' c write nowhere.md <<< x
		refuses 'identity' c write smma/identity.md <<< x
		refuses 'memories/nokind' c write -p memories/nokind/a.md <<< x
		refuses 'memories/preference/a.md: ' c write memories/preference/a.md <<< $'---\nimportance: [\n---\nx'
		c cat errors.log | tail -1 | grep -q 'EINVAL .* memories/preference/a.md '
		refuses 'notes/b.md: ' c write notes/b.md < <(head -c 3000000 /dev/zero | tr '\0' x)
		refuses 'No such file' c cat notes/b.md
		refuses 'Is a directory' c cat notes
		refuses 'Is a directory' c write notes <<< x
		refuses 'Not a directory' c ls README.md/x
		refuses 'nothing came on standard input' c append notes/a.md < /dev/null
		refuses 'No such file' c append sessions/none/log.jsonl <<< '{"role":"user","content":"x"}'
	done
	cinta_umount
	verified
}

@test "append and write: lines, versions, directories, a megabyte; one memory with and without" {
	"$CINTA" init "$DB" > /dev/null
	local i
	echo '{"role":"user","content":"one"}' | c append -p $LOG
	cinta_mount
	echo '{"role":"user","content":"two"}' | c append $LOG
	cinta_umount
	seq 3 20002 | sed 's/.*/{"role":"user","content":"&"}/' > "$T/lines"
	[ "$(stat -c %s "$T/lines")" -gt 500000 ]
	c append $LOG < "$T/lines"
	[ "$(c cat $LOG | wc -l)" -eq 20002 ]
	[ "$(c cat $LOG | jq -r .id | sort -un | tail -1)" -eq 20002 ]
	c write -p notes/deep/er/a.md <<< one
	cinta_mount
	c write notes/deep/er/a.md <<< two
	printf three | c append notes/deep/er/a.md
	cinta_umount
	printf ' four' | c append notes/deep/er/a.md
	[ "$(c cat notes/deep/er/a.md)" = $'two\nthree four' ]
	[ "$(c cat notes/deep/er/a.md@1)" = one ]
	[ "$(c cat notes/deep/er/a.md@log | wc -l)" -ge 4 ]
	c cat notes/deep/er/a.md@log | grep -q "$(id -un):cinta"
	CINTA_AGENT=robot CINTA_SESSION=7 c write notes/b.md <<< b
	c cat notes/b.md@log | grep -q robot
	c append -o owner=ana notes/b.md <<< c
	c cat notes/b.md@log | grep -q ana:cinta
	head -c 1000000 /dev/zero | tr '\0' x > "$T/big"
	c write notes/big.md < "$T/big"
	c cat notes/big.md | cmp - "$T/big"
	# a refused line in a later piece says what is stored
	{ cat "$T/lines" && echo bad && cat "$T/lines"; } > "$T/mixed"
	refuses 'not a JSON object' c append $LOG < "$T/mixed"
	local said=${stderr##*the } stored
	stored=${said%% lines*}
	[ "$(c cat $LOG | wc -l)" -eq $((20002 + stored)) ]
	verified
}

@test "eight writers and readers at once without a daemon: each waits its turn, nothing is lost" {
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"0"}' | c append -p $LOG
	local w
	for w in 1 2 3 4 5 6 7 8; do
		(for i in 1 2 3 4 5; do
			echo "{\"role\":\"user\",\"content\":\"$w.$i\"}" | c append $LOG && c cat $LOG > /dev/null || exit 1
		done) &
		pids[w]=$!
	done
	for w in 1 2 3 4 5 6 7 8; do wait "${pids[w]}"; done
	[ "$(c cat $LOG | jq -r .content | sort -u | wc -l)" -eq 41 ]
	[ "$(c cat $LOG | wc -l)" -eq 41 ]
	verified
}

@test "a daemon that was killed, one that only reads, one in another mount namespace" {
	cinta_mount
	say s one
	local pid
	pid=$(owner_of "$DB")
	kill -9 "$pid"
	[ "$(c cat $LOG | jq -r .content)" = one ]
	echo '{"role":"user","content":"two"}' | c append $LOG
	"$CINTA" umount -l "$M" || true
	wait_for 10 not owned "$DB"
	cinta_mount -o ro
	[ "$(c cat $LOG | wc -l)" -eq 2 ]
	refuses 'mounted read-only' c append $LOG <<< '{"role":"user","content":"three"}'
	cinta_umount
	[ "$(id -u)" -eq 0 ] || return 0 # a mount namespace is made by root alone
	unshare -m --propagation private "$CINTA" mount "$DB" "$M"
	pid=$(owner_of "$DB")
	[ "$(c cat $LOG | wc -l)" -eq 2 ]
	[ "$(c ls sessions/s | head -1)" = log.jsonl ]
	refuses "process $pid in another mount namespace" c append $LOG <<< '{"role":"user","content":"three"}'
	refuses "process $pid in another mount namespace" c write notes/a.md <<< x
	kill "$pid"
	wait_for 10 not owned "$DB"
	[ "$(c cat $LOG | wc -l)" -eq 2 ]
	verified
}

@test "edit: by the editor, on a copy; what somebody else wrote meanwhile stays" {
	"$CINTA" init "$DB" > /dev/null
	export VISUAL= EDITOR TMPDIR=$T/tmp
	mkdir "$TMPDIR"
	EDITOR='echo new >>' c edit notes/plan.md
	[ "$(c cat notes/plan.md)" = new ]
	EDITOR='sed -i s/new/newer/' c edit notes/plan.md
	[ "$(c cat notes/plan.md)" = newer ]
	# nothing changed: no version
	local versions
	versions=$(c cat notes/plan.md@log | wc -l)
	EDITOR=true c edit notes/plan.md
	[ "$(c cat notes/plan.md@log | wc -l)" -eq "$versions" ]
	rmdir "$TMPDIR"/cinta-edit-* 2> /dev/null && false
	[ -z "$(ls "$TMPDIR")" ]
	EDITOR=false refuses 'failed; nothing was changed' c edit notes/plan.md
	# the memory is free while the editor runs
	printf '#!/bin/sh\necho other | %s write -d %s notes/plan.md\necho mine > "$1"\n' "$CINTA" "$DB" > "$T/slow"
	chmod +x "$T/slow"
	EDITOR=$T/slow refuses 'written by somebody else meanwhile; nothing was changed' c edit notes/plan.md
	[ "$(c cat notes/plan.md)" = other ]
	[ "$(cat "$TMPDIR"/cinta-edit-*/plan.md)" = mine ]
	[[ $stderr == *"your text is in $TMPDIR/cinta-edit-"*/plan.md* ]]
	ls "$TMPDIR" > "$T/kept"
	EDITOR="echo x >" refuses "README.md is cinta's own page" c edit README.md
	head -c 200000 /dev/zero | tr '\0' x | c write notes/long.md
	run bash -c 'ulimit -f 150; EDITOR=true exec "$0" edit -d "$1" notes/long.md' "$CINTA" "$DB" # KiB
	[ "$status" -eq 1 ]
	[[ $output == *'set TMPDIR to a directory that takes the copy'* ]]
	ls "$TMPDIR" | diff "$T/kept" -
	verified
}

@test "cp: of a directory pipes are left out by name; one that was named is read" {
	"$CINTA" init "$DB" > /dev/null
	mkdir "$T/from"
	echo a > "$T/from/a.md"
	mkfifo "$T/from/b.md"
	echo c > "$T/from/c.md"
	refuses "$T/from/b.md is a device, a pipe or a socket" timeout 60 "$CINTA" cp -r -d "$DB" "$T/from" :notes
	[ "$(c ls notes/from | xargs)" = 'a.md c.md' ]
	c cp <(echo piped) :notes/piped.md
	[ "$(c cat notes/piped.md)" = piped ]
}

@test "edit: ^C and ^\\ are the editor's" {
	"$CINTA" init "$DB" > /dev/null
	printf '#!/bin/bash\ntrap "echo kept > \"$1\"; exit 0" %s\nkill -%s 0\nsleep 30\n' INT INT > "$T/int"
	sed 's/INT/QUIT/g' "$T/int" > "$T/quit"
	chmod +x "$T/int" "$T/quit"
	for key in int quit; do
		VISUAL= EDITOR=$T/$key setsid -w "$CINTA" edit -d "$DB" notes/$key.md
		[ "$(c cat notes/$key.md)" = kept ]
	done
}

# edited_by N: so many have their copies
edited_by() { [ "$(find "$TMPDIR" -name new.md | wc -l)" -eq "$1" ]; }

@test "edit: all that may be written, in a mount, too; others' edits of the same time stay" {
	cinta_mount
	export VISUAL= EDITOR TMPDIR=$T/tmp
	mkdir "$TMPDIR" "$M/sessions/s"
	echo '- Likes tea.' >> "$M/facts/preferences.md"
	for path in facts/preferences.md smma/user_profile.md sessions/s/session.md notes/new.md; do
		EDITOR='echo "- Has a boat." >>' c edit $path
		c cat $path | grep 'Has a boat'
	done
	refuses 'sessions/s/log.jsonl: ' env EDITOR='echo x >' "$CINTA" edit -d "$DB" sessions/s/log.jsonl
	# four editors end at the same moment: who is told of no other's edit has not written over it
	local round n
	for round in 1 2 3 4 5 6; do
		for n in 1 2 3 4; do
			EDITOR="until [ -e '$T/go$round' ] || [ ! -d '$T' ]; do sleep 0.01; done; echo $round-$n >>" c edit notes/new.md && echo $round-$n >> "$T/saved" &
		done
		wait_for 10 edited_by 4
		: > "$T/go$round"
		wait
		rm -rf "$TMPDIR"/cinta-edit-*
	done
	[ "$(wc -l < "$T/saved")" -ge 6 ]
	sort "$T/saved" | diff - <(sed 1d "$M/notes/new.md" | sort)
	cinta_umount
	verified
}

@test "cp: out of the memory and into it, files and trees" {
	"$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB" > "$T/said"
	local road
	cp -rL "$M/notes/galpon" "$T/by-mount"
	for road in with without; do
		[ "$road" = with ] || cinta_umount
		c cp -r :notes/galpon "$T/$road"
		diff -r "$T/by-mount" "$T/$road"
		c cp :smma/user_profile.md "$T"
		c cat smma/user_profile.md | cmp - "$T/user_profile.md"
		touch -r "$T/user_profile.md" "$T/ref" # as old as in the memory
		[ "$(TZ=UTC stat -c %.19y "$T/user_profile.md")" = "$(c ls -l smma/user_profile.md | awk '{ print $3, $4 }')" ]
		refuses 'cp -r copies one' c cp :notes "$T/x"
		c cp -r "$T/by-mount" ":notes/$road"
		c cp -r ":notes/$road" "$T/back-$road"
		diff -r "$T/by-mount" "$T/back-$road"
		printf '{"role":"user","content":"%s"}\n' a b > "$T/log.jsonl"
		c cp -p "$T/log.jsonl" ":sessions/cp-$road/log.jsonl"
		[ "$(c cat "sessions/cp-$road/log.jsonl" | jq -r .content | xargs)" = 'a b' ]
		refuses 'No such file' c cp :notes/none "$T/none"
		refuses "README.md is cinta's own page" c cp "$T/user_profile.md" :README.md
	done
	run "$CINTA" cp -d "$DB" a b
	[ "$status" -eq 2 ]
	[[ $output == *'begins with a colon'* ]]
	verified
}

@test "what cat costs beside a daemon: of processor no more than three starts of the program" {
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"one"}' | c append -p $LOG
	cinta_mount
	TIMEFORMAT='%U %S'
	{ time for i in $(seq 50); do "$CINTA" --version > /dev/null; done; } 2> "$T/start"
	{ time for i in $(seq 50); do "$CINTA" cat -d "$DB" $LOG > /dev/null; done; } 2> "$T/time"
	cat "$T/start" "$T/time"
	awk 'NR == 1 { start = $1 + $2 } NR == 2 { exit !($1 + $2 <= 3 * start) }' "$T/start" "$T/time"
	cinta_umount
}

@test "command lines that are wrong" {
	"$CINTA" init "$DB" > /dev/null
	local line
	while IFS='|' read -r line words; do
		eval "set -- $line"
		run "$CINTA" "$@" < /dev/null
		echo "$*: $status $output"
		[ "$status" -eq 2 ]
		[[ $output == *"$words"* ]]
	done <<- 'END'
		cat|name a file of the memory
		cat ''|a name is empty
		append|give one PATH, not 0 words
		write a b|give one PATH, not 2 words
		edit|give one PATH, not 0 words
		cp a|give two words
		cp :a :b|begins with a colon
		ls -z|unknown option -z
		cat -o ro x|ro
	END
	run "$CINTA" cat -d "$T/none.db" README.md
	[ "$status" -eq 1 ]
	[[ $output == *'no such file'* ]]
	run bash -c "'$CINTA' cat -d '$DB' README.md > /dev/full"
	[ "$status" -eq 1 ]
	[[ $output == *'cannot write the output'* ]]
	run bash -c "'$CINTA' cat -d '$DB' README.md README.md | head -1"
	[ "$status" -eq 0 ]
}

@test "a full disk and a read-only place: read all the same, and told what it is" {
	mkdir "$T/small" && mount -t tmpfs -o size=3m tmpfs "$T/small" || skip 'may not mount a tmpfs'
	DB=$T/small/m.db
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"one"}' | c append -p $LOG
	dd if=/dev/zero of="$T/small/fill" bs=4k 2> /dev/null || true
	[ "$(c cat $LOG | jq -r .content)" = one ]
	refuses 'disk full: nothing can be written; make room there' c append $LOG <<< '{"role":"user","content":"two"}'
	rm "$T/small/fill"
	echo '{"role":"user","content":"two"}' | c append $LOG
	mount -o remount,ro "$T/small"
	[ "$(c cat $LOG | jq -r .content | xargs)" = 'one two' ]
	[ "$(c ls sessions)" = $'current\ns' ]
	refuses 'Read-only file system' c append $LOG <<< '{"role":"user","content":"three"}'
	umount "$T/small"
}

@test "a directory that may not be written to: what reads reads, and doctor says it" {
	mkdir "$T/kept"
	DB=$T/kept/m.db
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"the heron"}' | c append -p $LOG
	"$CINTA" backup "$T/kept/copy.db" "$DB"
	cp "$CINTA" "$T/cinta"
	as() { "$@"; }
	if [ "$(id -u)" = 0 ]; then
		chown -R nobody: "$T/kept" "$HOME"
		as() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
	fi
	chmod 755 "$T"
	chmod 555 "$T/kept"
	for db in "$DB" "$T/kept/copy.db"; do
		for words in "search $db heron" "search --json $db heron"; do
			run as "$T/cinta" $words
			echo "$output"
			[ "$status" -eq 0 ]
			[[ $output == *heron* ]]
		done
		for words in 'plot growth' 'algorithms list' sync status verify; do
			run as "$T/cinta" $words "$db"
			echo "$words: $output"
			[ "$status" -eq 0 ]
		done
		run as "$T/cinta" doctor "$db"
		echo "$output"
		[[ $output == *"warn $db can be read; beside it nothing can be made"* ]]
		[ "$(as "$T/cinta" status --json "$db" | jq .read_only)" = true ]
	done
	chmod 755 "$T/kept"
	chmod 400 "$DB"
	run as "$T/cinta" mount "$DB" "$M"
	[ "$status" -eq 1 ]
	[[ $output == *'/dev/fuse'* || $output == *"cannot write $DB: Permission denied; check its owner and mode"* ]]
}

@test "with little memory it is done or refused: no hang, no abort, and what cannot be read is not said to be missing" {
	"$CINTA" init "$DB" > /dev/null
	echo '# x' | c write notes/a.md
	read_all=0 refused=0
	for kib in $(seq 56000 700 120000); do # of addresses: what is enough differs between machines
		for words in 'cat notes/a.md' 'ls notes'; do
			run bash -c 'ulimit -c 0 -v "$1" && shift && exec timeout 20 "$@"' _ "$kib" "$CINTA" ${words% *} -d "$DB" "${words#* }"
			echo "$kib $words: $status: $output"
			[[ $status -eq 0 || ($status -eq 1 && $output == *'Cannot allocate memory'*) || $output == *'Input/output error'* ||
				$output == *'error while loading'* || $output == *'cannot start threads'* ]]
			if [ "$status" -eq 0 ]; then
				[[ $output == '# x' || $output == a.md ]]
				read_all=$((read_all + 1))
			else
				refused=$((refused + 1))
			fi
		done
	done
	echo "$read_all done, $refused refused"
	[ "$read_all" -gt 20 ]
	[ "$refused" -gt 20 ]
}
