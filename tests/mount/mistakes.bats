#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Mistakes at the command line: each is refused with its cause and its cure on one line, at
# once, and leaves no file behind.  A row: exit status | what the line must say (extended
# regular expression) | the command, run by sh in $T.

bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	cd "$T"
	PATH=${CINTA%/*}:$PATH
	mkdir full
	echo x > full/file
	echo 'a letter to nobody' > letter.txt
	: > empty.db
	sqlite3 other.db 'PRAGMA application_id=1; CREATE TABLE t(x)'
	mkfifo pipe.db
	cinta init mine.db > /dev/null
	rmdir memory
}
teardown() { cinta_teardown; }

files() { find "$T" -mindepth 1 | sort; }

# refused STATUS WORDS COMMAND
refused() {
	local status=0 said lines
	said=$(timeout 20 sh -c "$3" 2>&1 > /dev/null < /dev/null) || status=$?
	lines=$(wc -l <<< "$said")
	if [ "$status" -ne "$1" ] || [ "$lines" -ne 1 ] || ! grep -qE -- "$2" <<< "$said" ||
		[[ $said != 'cinta: '* ]] || [ "$(files)" != "$before" ]; then
		echo "$3: status $status, expected $1; it must say: $2"
		echo "$said"
		diff <(echo "$before") <(files)
		return 1
	fi
}

# table: rows from stdin; all are tried, the wrong ones shown
table() {
	local before status words command count=0 bad=0
	before=$(files)
	while IFS='|' read -r status words command; do
		[ -n "$command" ] || continue
		count=$((count + 1))
		refused "$((status))" "$(sed 's/^ *//; s/ *$//' <<< "$words")" "${command# }" || bad=$((bad + 1))
	done
	echo "$count rows, $bad bad"
	[ "$count" -ge "$1" ] && [ $bad -eq 0 ]
}

@test "words that are no command" {
	table 8 <<'END'
2 | `cinta --help` lists the verbs.*cinta mount DIR   | cinta
2 | unknown verb `mont`; did you mean `cinta mount`   | cinta mont memory
2 | did you mean `cinta umount`                       | cinta unmount memory
2 | did you mean `cinta verify`                       | cinta verfy
2 | unknown verb `frobnicate`; `cinta --help`         | cinta frobnicate
2 | to mount there: cinta mount ./memory              | cinta ./memory
2 | unknown option --foo; see `cinta mount --help`    | cinta mount --foo memory
2 | unknown option -x; see `cinta status --help`      | cinta status -x
2 | unknown option --frob; see `cinta status --help`  | cinta status --frob
2 | option -o needs a value; see                      | cinta mount -o
2 | option --vkey needs a value; see                  | cinta verify --vkey
2 | unknown option `colour`; known here: ro           | cinta mount -o colour memory
2 | option `session` needs a value                    | cinta mount -o session= memory
2 | tokens=many: not o200k_base                       | cinta mount -o tokens=many memory
2 | limit=lots: not a number of tokens                | cinta mount -o limit=lots memory
2 | threshold=200: not 1 to 100                       | cinta mount -o threshold=200 memory
2 | limit=200k: .*write it in digits: limit=200000    | cinta mount -o limit=200k memory
2 | unknown option -ro; try -o ro;                    | cinta mount -ro mine.db memory
2 | unknown option --session; try -o session=;        | cinta mount --session mine.db memory
2 | unknown option `allow-other`; try `allow_other`;  | cinta mount -o allow-other mine.db memory
2 | unknown option `secret`; try `secrets=`;          | cinta mount mine.db memory -o secret=refuse
2 | unknown option `frob`; known here: ro             | cinta mount -o frob mine.db memory
2 | ro=, .*: there is no 1; name it from the root     | cinta mount -o ro=1 mine.db memory
2 | option `noexec` takes no value; write noexec alone | cinta mount -o noexec=1 mine.db memory
2 | option `secrets` needs a value; write secrets=    | cinta mount -o secrets mine.db memory
2 | secrets=yes: not warn, refuse or off              | cinta mount -o secrets=yes mine.db memory
2 | session=a/b: .* cannot hold '/'; choose another   | cinta mount -o session=a/b new.db memory
2 | origin "a b" cannot be used; use 1 to 128 visible | cinta mount -o origin='a b' new.db memory
2 | key_dir=letter.txt is no directory; name a dir    | cinta mount -o key_dir=letter.txt new.db memory
2 | unknown option -all; try --all;                   | cinta verify -all mine.db
2 | unknown option --jsno; try --json;                | cinta search --jsno mine.db words
2 | unknown option `orign`; try `origin=`;            | cinta init -o orign=mine new.db
2 | origin "a b" cannot be used; use 1 to 128 visible | cinta init -o origin='a b' new.db
2 | key_dir=letter.txt is no directory; name a dir    | cinta init -o key_dir=letter.txt new.db
2 | unknown option `onwer`; try `owner=`;             | cinta identity -o onwer=me mine.db
2 | unknown verb `version`; did you mean `cinta --version` | cinta version
2 | did you mean `cinta --help`                       | cinta --hlep
2 | say for which shell: cinta --completion bash      | cinta --completion
END
}

@test "the wrong thing to mount, or to mount on" {
	table 14 <<'END'
2 | mount: give \[DB\] DIR, not 0 words               | cinta mount
2 | mount: give \[DB\] DIR, not 3 words               | cinta mount mine.db memory more
2 | give DIR alone beside -d DB                       | cinta mount -d mine.db other.db memory
2 | mine.db is a file, not a directory; say where, too: cinta mount mine.db DIR | cinta mount mine.db
2 | named like a database; say where, too: cinta mount new.db DIR | cinta mount new.db
2 | the database comes first: cinta mount mine.db full | cinta mount full mine.db
1 | letter.txt is no database; name the database      | cinta mount letter.txt memory
1 | other.db is not a tape \(another application      | cinta mount other.db memory
1 | full is a directory, not a database; name a file  | cinta mount full memory
1 | pipe.db is a device, a pipe or a socket.*; name a file | cinta mount pipe.db memory
1 | No such file.*; make its directory with mkdir -p  | cinta mount none/new.db memory
1 | none/memory cannot be made: .*; make its parent with mkdir -p | cinta mount mine.db none/memory
1 | is not empty; choose an empty directory, or -o nonempty | cinta mount mine.db full
1 | new.db is no memory yet.*; leave -o ro out the first time | cinta mount -o ro new.db memory
1 | would hide the database.*; choose another directory | cinta mount mine.db .
1 | letter.txt.*                                       | cinta mount -d letter.txt memory
2 | a word is empty; give \[DB\] DIR: is a variable unset | cinta mount "$NOBODY_SET_THIS"
2 | a word is empty; give \[DB\] DIR                  | cinta mount '' memory
2 | the name behind -d is empty; is a variable unset  | cinta mount -d '' memory
1 | none/: Is a directory; name a file in it          | cinta mount none/ memory
END
}

@test "the wrong database, or none" {
	table 14 <<'END'
1 | no default database .*/cinta/memory.db yet; `cinta mount DIR` makes it | cinta status
1 | no default database .*; `cinta mount DIR` makes it, -d DB | cinta search why
1 | mien.db: no such file; check the path, or name    | cinta verify mien.db
1 | mien.db: no such file; check the path             | cinta status -d mien.db
1 | mien.db: no such file; check the path             | cinta search mien.db words
1 | letter.txt is no database; name                   | cinta verify letter.txt
1 | letter.txt is no database; name                   | cinta pubkey letter.txt
1 | other.db is not a tape                            | cinta rebuild other.db
1 | pipe.db is a device, a pipe                       | cinta status pipe.db
1 | full is a directory, not a database; name a file  | cinta verify full
1 | empty.db is an empty file, not yet a memory; `cinta init | cinta status empty.db
2 | one database at a time, not also other.db         | cinta verify mine.db other.db
2 | one database at a time, not also other.db         | cinta status -d mine.db other.db
2 | search: say for what                              | cinta search -d mine.db
2 | search: -d stands behind a word; options come first: cinta search -d DB WORDS | cinta search mine.db zebra -d other.db
2 | search: -o stands behind a word; options come first | cinta search mine.db zebra -o dictionary=spa-eng
2 | search: --json stands behind a word                | cinta search mine.db zebra --json
1 | mine.db exists, and nothing was changed; name a new file | cinta init mine.db
1 | letter.txt exists, and nothing was changed        | cinta init letter.txt
1 | make its directory with mkdir -p                  | cinta init none/new.db
2 | say `list` or `compare`, not frob                 | cinta algorithms frob
2 | compare: say which algorithm                      | cinta algorithms compare -d mine.db
1 | nothing came on standard input; nothing was changed | cinta identity mine.db
1 | cannot read standard input: Is a directory; give it a text | cinta identity mine.db < full
1 | longer than 2 MiB; give a shorter text            | head -c 3000000 /dev/zero | cinta identity mine.db
1 | the name of the database is empty; is a variable  | cinta status ''
1 | the name of the database is empty; is a variable  | cinta init ''
1 | none/: Is a directory; name a file in it          | cinta init none/
2 | search: say for what                              | cinta search mine.db ''
1 | --vkey: me is not a verifier key; give it as `cinta pubkey` | cinta verify --vkey me mine.db
2 | unknown option --al; see                          | cinta rebuild --al mine.db
END
}

@test "umount of what is none" {
	table 4 <<'END'
2 | umount: give one DIR, not 0 words                 | cinta umount
1 | none: No such file.*; check the path              | cinta umount none
1 | full is not mounted by cinta; `findmnt -t fuse.cinta` | cinta umount full
1 | mine.db is not mounted by cinta; `findmnt -t fuse.cinta` | cinta umount mine.db
2 | the name of DIR is empty; is a variable unset     | cinta umount ''
2 | umount: unknown option -f; see                    | cinta umount -f full
END
}

@test "files of a memory: what is not there, or stands in the way" {
	table 16 <<'END'
1 | nofile: No such file.*; `cinta ls` lists          | cinta cat -d mine.db nofile
1 | notes: Is a directory; `cinta ls` lists it        | cinta cat -d mine.db notes
1 | nofile: No such file.*; `cinta ls` lists          | cinta ls -d mine.db nofile
1 | nofile: No such file.*; `cinta ls` lists          | cinta cp -d mine.db :nofile out
1 | nofile: No such file.*; check the path            | cinta cp -d mine.db nofile :notes/x.md
1 | none/out: No such file.*; check the path          | cinta cp -d mine.db :README.md none/out
1 | a directory on its way is missing: -p of append   | echo a | cinta append -d mine.db nodir/x.md
1 | nodir/x.md: .*; .*                                | echo a | cinta append -p -d mine.db nodir/x.md
1 | a directory on its way is missing: -p             | echo {} | cinta append -d mine.db sessions/nosuch/log.jsonl
1 | a directory on its way is missing: -p             | echo a | cinta write -d mine.db notes/new/b.md
1 | /proc/x: No such file.*; make its parent .*, or choose another place | cinta export --site /proc/x mine.db
1 | /proc/x.db: a lock beside it cannot be made: .*; .*name a database elsewhere | cinta init /proc/x.db
1 | /proc/x.db.lock cannot be used: .*, or name a database elsewhere$ | cinta mount /proc/x.db memory
1 | a server's name begins with postgresql://         | cinta mount mysql://host/x memory
1 | a server's name begins with postgresql://         | cinta init mysql://host/x
1 | no editor `/no/such`.*; set EDITOR to one         | VISUAL= EDITOR=/no/such cinta edit -d mine.db notes/a.md
1 | no editor `nobodys-editor`.*; set EDITOR          | VISUAL= EDITOR='nobodys-editor -w' cinta edit -d mine.db notes/a.md
1 | context.md is cinta's own page.*; `cinta cat`     | VISUAL= EDITOR='echo x >' cinta edit -d mine.db context.md
1 | smma/identity.md is cinta's own page.*cinta identity -d DB < FILE | VISUAL= EDITOR='echo x >' cinta edit -d mine.db smma/identity.md
1 | mine.db has entries up to 0 and is on no server.*; leave --upto out | cinta sync --upto 999999 -d mine.db
END
}

@test "a key that is elsewhere: the warning says where it is looked for" {
	mkdir keys
	run cinta mount -o "key_dir=$T/keys" mine.db memory
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"nothing is signed; copy it back to $T/keys/"*', or name where it is: -o key_dir=' ]]
	cinta umount memory
}

@test "redact of what is not there prints no heading; a pattern that is none says so" {
	for words in 999 '--match zebra'; do
		run --separate-stderr cinta redact $words mine.db
		[ "$status" -eq 1 ]
		[ -z "$output" ]
	done
	run --separate-stderr cinta redact --match '[' mine.db
	[ "$status" -eq 1 ]
	[[ $stderr == *'note: [ is no regular expression, and is looked for as it stands'* ]]
	echo '- the heron' | cinta write -d mine.db notes/a.md
	run --separate-stderr cinta redact --match heron mine.db
	[ "$status" -eq 0 ] && [[ $output == "To be taken out of $T/mine.db:"*'notes/a.md'*'Nothing was changed'* ]]
}

@test "an option behind the words of a search is a word where somebody says so" {
	run cinta search -d mine.db -- zebra -d
	[ "$status" -eq 1 ]
	[[ $output == *'without "d"'* ]]
	run cinta search -d mine.db 'zebra -d'
	[ "$status" -eq 1 ] && [[ $output == *'without "d"'* ]]
}

@test "umount from within: it does not keep the mount in use itself" {
	cinta mount mine.db memory
	(cd memory/notes && exec cinta umount ../../memory)
	not mountpoint -q memory
	cinta mount mine.db memory
	run sh -c 'cd memory && cinta umount ../memory; true'
	[[ $output == *'in use by these'*'cwd'* ]]
	exec 7< memory/README.md # -l: the rest goes with its users, for whom nobody waits
	run cinta umount -l memory
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	owned mine.db
	not mountpoint -q memory
	exec 7<&-
	wait_for 10 not owned mine.db
}

@test "the command that the first mount prints runs as it stands" {
	for name in 'sp dir' "it's" $'line\nend'; do
		mkdir "$name"
		said=$(cinta mount "$name/my mem.db" memory)
		echo "$said"
		[ "$(wc -l <<< "$said")" -eq 5 ]
		eval "$(sed -n 's/^Back up both: `\(.*\)` any time.*/\1/p' <<< "$said")"
		cmp <(sqlite3 COPY.db 'SELECT hash FROM tape') <(sqlite3 "$name/my mem.db" 'SELECT hash FROM tape')
		rm COPY.db
		cinta umount memory
	done
}

@test "redact and rescue of what is not there" {
	table 14 <<'END'
2 | say what: an entry's seq, a path, or --match      | cinta redact
2 | say why, in one line: --reason TEXT               | cinta redact --yes 1 mine.db
2 | mine.db is a database; it comes last: cinta redact 1 mine.db | cinta redact mine.db 1
2 | mine.db is a database; it comes last: cinta redact WHAT      | cinta redact mine.db
2 | the pattern is empty; name what is to go          | cinta redact --match '' mine.db
2 | unknown option --mach; try --match;               | cinta redact --mach x mine.db
1 | there is no entry 999 .*; name what is to go by its path | cinta redact 999 mine.db
1 | nothing holds it; give another pattern            | cinta redact --match zebra mine.db
1 | nothing that can be redacted by its path; as seen from the mount, name a document | cinta redact none.md mine.db
2 | rescue: give DIR and the new file, not 1 words    | cinta rescue full
2 | rescue: a name is empty; is a variable unset      | cinta rescue '' new.db
2 | rescue: unknown option -d; see                    | cinta rescue -d mine.db new.db
1 | full: nothing is mounted there by cinta; name the directory | cinta rescue full new.db
1 | none: No such file.*; name the directory          | cinta rescue none new.db
END
}

@test "help of a verb is asked for in any order" {
	[ "$(cinta help redact)" = "$(cinta redact --help)" ]
	[ "$(cinta help)" = "$(cinta --help)" ]
	[[ $(cinta mount --help) == *'-o secrets='* ]]
	[ "$(cinta verify --al mine.db)" = "$(cinta verify --all mine.db)" ] # a long option, shortened
}

@test "no device: the refused first mount leaves no database and no directory" {
	[ -e /dev/fuse ] && [ "$(id -u)" = 0 ] || skip 'needs root and /dev/fuse'
	before=$(files)
	run unshare -m sh -c 'mount --bind /dev/null /dev/fuse && umount /dev/fuse
		mount -t tmpfs none /dev && exec "$0" mount new.db memory' "$CINTA"
	[ "$status" -eq 1 ]
	[[ $output == *'/dev/fuse: No such file'*'modprobe fuse'* ]]
	[ "$(files)" = "$before" ]
}

@test "DB as a word, by -d, by the directory it is mounted on: the same" {
	cinta mount mine.db memory
	same() { [ "$(cinta "$1" mine.db)" = "$(cinta "$1" "${@:2}")" ]; }
	for verb in status verify pubkey; do # the daemon verifies and signs meanwhile
		wait_for 20 same $verb -d mine.db
		wait_for 20 same $verb memory
	done
	mkdir memory/sessions/x
	echo '{"role":"user","content":"the heron is grey"}' >> memory/sessions/x/log.jsonl
	[[ $(cinta search mine.db grey heron) == *heron* ]]
	[[ $(cinta search -d mine.db grey heron) == *heron* ]]
	[[ $(cinta search memory grey heron) == *heron* ]]
	cinta umount memory
}

@test "an empty file that others could read becomes a private database" {
	chmod 644 empty.db
	cinta init empty.db
	[ "$(stat -c %a empty.db)" = 600 ]
}

@test "without HOME: the system knows where home is" {
	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	run env -i PATH="$PATH" "$CINTA" search none
	[ "$status" -eq 1 ]
	# nothing is made in the home of whoever runs the tests
	[[ $output == *"$home/.local/share/cinta/memory.db"* ]] || [ -e "$home/.local/share/cinta/memory.db" ]
}

@test "without HOME a key is made where home is" {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	cp "$CINTA" cinta
	# the home of whoever runs the tests is covered by ours
	run unshare -m --propagation private sh -c 'mount --bind "$2" "$1" || exit 9
		env -i PATH=/usr/bin:/bin "$3/cinta" init "$3/new.db"' - "$home" "$HOME" "$T"
	[ "$status" -eq 0 ]
	[ "$(ls "$HOME"/.config/cinta/keys/*.pem | wc -l)" -ge 2 ] # that of mine.db, and this one
}

@test "the first mount makes DIR and says where all is; the default database needs no name" {
	run cinta mount memory
	[ "$status" -eq 0 ]
	[[ $output == *"database     $HOME/.local/share/cinta/memory.db"* ]]
	key=$(sed -n 's/^  signing key  //p' <<< "$output")
	[ -f "$key" ]
	[[ $output == *'cinta backup'* ]]
	mkdir memory/sessions/x
	echo '{"role":"user","content":"the heron is grey"}' >> memory/sessions/x/log.jsonl
	[[ $(cinta search grey heron) == *heron* ]]
	cinta umount memory
	run cinta mount memory
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	cinta umount memory
}

@test "mounted in another mount namespace: says by whom and how to end it" {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	mkdir memory
	unshare -m --propagation private "$CINTA" mount mine.db memory
	pid=$(owner_of mine.db)
	[ -n "$pid" ]
	run cinta umount memory
	[ "$status" -eq 1 ]
	[[ $output == *"another mount namespace"*"kill $pid"* ]]
	mkdir second
	run cinta mount mine.db second
	[ "$status" -eq 1 ]
	[[ $output == *"process $pid in another mount namespace"*"kill $pid"* ]]
	kill "$pid"
	wait_for 10 not owned mine.db
	cinta mount mine.db memory
	cinta umount memory
}

@test "what fusermount3 says is passed on" {
	[ "$(id -u)" = 0 ] || skip 'needs root'
	mkdir bin memory
	printf '#!/bin/sh\necho "fusermount3: failed to open /etc/mtab: No such file or directory" >&2\nexit 1\n' \
		> bin/fusermount3
	chmod 755 bin/fusermount3 .
	mknod -m 666 fuse c 10 229 || skip 'cannot make a device'
	chown -R nobody: .
	# in a mount namespace with a device that users may open, as on any desktop
	run unshare -m --propagation private sh -c 'mount --bind fuse /dev/fuse || exit 9
		as() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
		as "$0" mount mine.db memory || exit 8
		as env PATH="$PWD/bin:$PATH" "$0" umount memory; echo "status $?"
		"$0" umount memory' "$CINTA"
	[[ $output == *'failed to open /etc/mtab'*'ln -s ../proc/self/mounts /etc/mtab'*'status 1'* ]]
	[ "$status" -eq 0 ]
}

@test "a FIFO beside the database hangs nothing" {
	for name in log lock checkpoint; do
		rm -f "mine.db.$name"
		mkfifo "mine.db.$name"
		run timeout 20 "$CINTA" status mine.db
		[ "$status" -ne 124 ]
		run timeout 20 "$CINTA" mount mine.db memory
		[ "$status" -ne 124 ]
		[ "$name" != lock ] || [[ $output == *'remove it: it is no plain file'* ]]
		[ "$name" = lock ] || cinta umount memory
		run timeout 20 "$CINTA" verify mine.db
		[ "$status" -ne 124 ]
		rm -f "mine.db.$name"
	done
}

@test "a mount that fails late takes back the memory and the key it made, and no other" {
	[ "$(id -u)" -eq 0 ] || skip 'hides /dev/fuse in a mount namespace: for root'
	find . "$HOME" -type f | sort > "$BATS_TEST_TMPDIR/before"
	run unshare -m --propagation private sh -c 'mount --bind /dev/null /dev/fuse && exec "$0" mount new.db memory' "$CINTA"
	[ "$status" -eq 1 ]
	[[ $output == *'cannot mount at'* ]]
	find . "$HOME" -type f | sort | diff "$BATS_TEST_TMPDIR/before" -
	# One that was there stays, with all it has.
	"$CINTA" init new.db
	sha256sum new.db "$XDG_CONFIG_HOME"/cinta/keys/* > "$BATS_TEST_TMPDIR/sums"
	run unshare -m --propagation private sh -c 'mount --bind /dev/null /dev/fuse && exec "$0" mount new.db memory' "$CINTA"
	[ "$status" -eq 1 ]
	sha256sum -c "$BATS_TEST_TMPDIR/sums"
	"$CINTA" mount new.db memory
	"$CINTA" umount memory
	# And what cannot have a key is no memory.
	mkdir keys
	mount --bind keys keys
	mount -o remount,bind,ro keys
	run "$CINTA" init -o "key_dir=$T/keys" third.db
	umount keys
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *'cannot write the key'* ]]
	[ -z "$(ls third.db* 2> /dev/null)" ]
}

@test "origin= of a memory that has another is refused, its own is not" {
	"$CINTA" init -o origin=example.org/one one.db
	run "$CINTA" mount -o origin=example.org/two one.db memory
	[ "$status" -eq 1 ]
	[[ $output == *'is the tape of example.org/one already, and keeps that origin, not example.org/two; leave origin= out'* ]]
	"$CINTA" mount -o origin=example.org/one one.db memory
	"$CINTA" umount memory
}

@test "--note of a file that is no signed note: said, with a status of its own" {
	"$CINTA" init one.db
	"$CINTA" mount one.db memory
	cp memory/.cinta/checkpoint kept || true
	"$CINTA" umount memory
	cp -f one.db.checkpoint kept
	run "$CINTA" verify --note kept one.db
	[ "$status" -eq 0 ]
	echo 'a shopping list' > list
	: > empty
	head -c 40 kept > torn
	for file in list empty torn one.db; do
		run "$CINTA" verify --note "$file" one.db
		echo "$output"
		[ "$status" -eq 4 ]
		[[ $output == "cinta: --note: $file is no signed note; give a copy of DB.checkpoint"* ]]
	done
	# A note of another tape is one, and tells that tape apart.
	"$CINTA" init two.db
	run "$CINTA" verify --note two.db.checkpoint one.db
	[ "$status" -eq 1 ] && [[ $output == FORK* ]]
}
