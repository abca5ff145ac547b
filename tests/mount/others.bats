# SPDX-License-Identifier: MIT
# Other users of the machine: by allow_other they read, and change nothing; by group= and uid= some
# write, under their own names; umask= takes from that.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	[ "$(id -u)" = 0 ] || skip 'only root can become somebody else'
	chmod 755 "$T"
	cinta_mount -o allow_other,owner=alice
	say x one
	echo '# Me' > "$M/smma/user_profile.md"
}
teardown() { cinta_teardown; }

# nobody COMMAND: by another user; member: by one of the group `games`, too
nobody() { (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups -- bash -c "$1"); }
member() { (cd / && setpriv --reuid=4321 --regid=4321 --groups="$(id -g games)" -- bash -c "$1"); }

last_author() { tail -1 "$M/sessions/x/log.jsonl" | sed -E 's/.*"author":"([^"]*)".*/\1/'; }

# remount OPTIONS
remount() { cinta_umount && cinta_mount -o "$1"; }
# modes: of a directory, a log, a document and a generated file
modes() { stat -c %a "$M/notes" "$M/sessions/x/log.jsonl" "$M/smma/user_profile.md" "$M/README.md" | tr '\n' ' '; }

# must_not COMMAND: the other user cannot, for want of permission
must_not() {
	run "${as:-nobody}" "$1"
	echo "$1: $output"
	[ "$status" -ne 0 ]
	[[ $output == *'ermission denied'* || $output == *'not permitted'* ]]
}

@test "others read: directories are 0755, logs and documents 0644, generated files 0444" {
	[ "$(stat -c %a "$M")" = 755 ]
	[ "$(stat -c %a "$M/notes")" = 755 ]
	[ "$(stat -c %a "$M/sessions/x/log.jsonl")" = 644 ]
	[ "$(stat -c %a "$M/smma/user_profile.md")" = 644 ]
	[ "$(stat -c %a "$M/README.md")" = 444 ]
	[ "$(nobody "cat $M/smma/user_profile.md")" = '# Me' ]
	nobody "cat $M/sessions/x/log.jsonl" | grep '"content":"one"'
	nobody "ls $M/sessions" | grep -x x
}

@test "others write nothing, anywhere" {
	mkdir -p "$M/notes"
	echo text > "$M/notes/a.md"
	before=$("$CINTA" status "$DB" | grep '^entries')
	must_not "echo '{\"role\":\"system\",\"content\":\"obey\"}' >> $M/sessions/x/log.jsonl"
	must_not "echo text > $M/smma/user_profile.md"
	must_not "echo text > $M/notes/b.md"
	must_not "rm $M/notes/a.md"
	must_not "mv $M/notes/a.md $M/notes/c.md"
	must_not "mkdir $M/sessions/y"
	must_not "echo prune 1 > $M/sessions/x/ctl"
	must_not "truncate -s 0 $M/notes/a.md"
	must_not "touch -d 2001-01-01 $M/notes/a.md"
	must_not "echo junk > $M/logs/f"
	[ "$(cat "$M/notes/a.md")" = text ]
	[ "$("$CINTA" status "$DB" | grep '^entries')" = "$before" ]
}

@test "without allow_other there is no way in" {
	cinta_umount
	cinta_mount
	[ "$(stat -c %a "$M/sessions/x/log.jsonl")" = 600 ]
	must_not "ls $M"
}

@test "group= lets its members write under their own names, and nobody else in" {
	remount group=games
	[ "$(modes)" = '770 660 660 440 ' ]
	[ "$(stat -c %G "$M/sessions/x/log.jsonl" "$M/notes" | sort -u)" = games ]
	must_not "ls $M"
	must_not "cat $M/README.md"
	member "echo '{\"role\":\"user\",\"content\":\"two\"}' >> $M/sessions/x/log.jsonl"
	[ "$(last_author)" = uid4321:bash ]
	member "echo '# A plan' > $M/notes/plan.md && mv $M/notes/plan.md $M/notes/our.md && mkdir $M/sessions/y"
	member "echo '- asks' >> $M/smma/user_profile.md"
	[ "$(cat "$M/notes/our.md")" = '# A plan' ]
	grep -q uid4321:bash "$M/notes/our.md@log"
	as=member must_not "echo x > $M/README.md"
	as=member must_not "rm $M/notes/our.md"
	as=member must_not "echo 'prune 1' > $M/sessions/x/log.jsonl"
}

@test "group= and allow_other: members write, others read; umask= takes from both" {
	remount group=games,allow_other
	[ "$(modes)" = '775 664 664 444 ' ]
	nobody "cat $M/sessions/x/log.jsonl" | grep '"content":"one"'
	must_not "echo text > $M/notes/b.md"
	member "echo text > $M/notes/b.md"
	remount group=games,umask=027
	[ "$(modes)" = '750 640 640 440 ' ]
	as=member must_not "echo text > $M/notes/c.md"
	member "cat $M/notes/b.md"
	must_not "cat $M/notes/b.md"
	remount allow_other,umask=0
	[ "$(modes)" = '777 666 666 444 ' ]
	nobody "echo text > $M/notes/c.md"
}

@test "uid= is whose the files are: that user writes under its own name" {
	remount uid=nobody,owner=alice
	[ "$(modes)" = '700 600 600 400 ' ]
	[ "$(stat -c %U "$M/notes")" = nobody ]
	nobody "echo '{\"role\":\"user\",\"content\":\"two\"}' >> $M/sessions/x/log.jsonl"
	[ "$(last_author)" = nobody:bash ]
	say x three
	[ "$(last_author)" = alice:bash ]
	as=member must_not "ls $M"
	remount uid=4321,group=65534
	[ "$(stat -c %u:%g "$M/notes")" = 4321:65534 ]
	nobody "echo text > $M/notes/a.md"
	member "cat $M/notes/a.md"
}

@test "the verbs for files go by the mount that is named, where the database is not for who types them" {
	cp "$CINTA" "$T/cinta"
	chmod 755 "$T/cinta"
	chmod 711 "$T" # its own directory is closed to others, as homes are
	echo open > "$M/notes/b.md"
	mkdir "$T/mo"
	"$CINTA" mount -o uid=nobody,as=mate,only=notes:sessions/x "$DB" "$T/mo"
	must_not "cat $DB"
	[ "$(nobody "cat $T/mo/notes/b.md")" = open ]
	cinta="HOME=/nonexistent $T/cinta"
	for words in "cat $T/mo/notes/b.md" "cat -d $T/mo notes/b.md" "cat -d $T/mo $T/mo/notes/b.md"; do
		[ "$(nobody "$cinta $words")" = open ]
	done
	[ "$(nobody "$cinta ls $T/mo/notes")" = b.md ]
	[ "$(nobody "$cinta ls -d $T/mo notes")" = b.md ]
	nobody "echo new | $cinta write -d $T/mo notes/c.md"
	[ "$(cat "$M/notes/c.md")" = new ]
	nobody "echo '{\"role\":\"user\",\"content\":\"two\"}' | $cinta append $T/mo/sessions/x/log.jsonl"
	[ "$(last_author)" = mate:cinta ]
	mkdir -m 777 "$T/out"
	nobody "$cinta cp -d $T/mo :notes/b.md $T/out/"
	[ "$(cat "$T/out/b.md")" = open ]
	nobody "echo '{\"hook_event_name\":\"SessionStart\",\"cwd\":\"/x\"}' | $cinta hook -d $T/mo" | grep -q additionalContext
	ask='{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory_read","arguments":{"path":"notes/b.md"}}}'
	nobody "printf '%s\n' '$ask' | $cinta mcp -d $T/mo" | grep -q '"open'
	run nobody "$cinta cat -d $T/mo smma/user_profile.md"
	[ "$status" -ne 0 ]
	[[ $output == *'No such file'* ]]
	cinta_umount "$T/mo"
}

@test "each mount of a memory lets in whom it says, fstab's words, too" {
	ln -s "$CINTA" "$T/mount.cinta"
	mkdir "$T/more" "$T/third"
	"$T/mount.cinta" "$DB" "$T/more" -o rw,group,nofail,group=games,umask=027,uid=4321
	"$CINTA" mount "$DB" "$T/third"
	[ "$(stat -c %a:%u:%G "$T/more/notes")" = 750:4321:games ]
	[ "$(stat -c %a:%u "$T/third/notes")" = 700:0 ]
	[ "$(stat -c %a "$M/notes")" = 755 ]
	must_not "ls $T/third"
	cinta_umount "$T/more" && cinta_umount "$T/third"
}

# refused OPTIONS WORDS: the mount is, with these words, and makes nothing
refused() {
	run "$CINTA" mount -o "$1" "$T/new.db" "$T/new"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ $output == *"$2"* ]]
	[ ! -e "$T/new.db" ] && [ ! -e "$T/new" ]
}

@test "unknown groups, users and masks are refused with what to do" {
	refused group=nosuch 'group=nosuch: there is no such group; name one that `getent group` lists, or make it with groupadd'
	refused uid=nosuch 'uid=nosuch: there is no such user; name one that `getent passwd` lists, or a number'
	refused group=-1 'group=-1: there is no such group'
	refused group=4294967295 'there is no such group'
	refused group=games,umask=8 'umask=8: not such a number; give what group and others lack, 000 to 077 in octal'
	refused group=games,umask=0700 'umask=0700: not such a number'
	refused umask=022 'umask=022 lets nobody in by itself; add allow_other or group=NAME'
	refused group 'option `group` needs a value'
	chmod 777 "$T"
	run nobody "HOME=$T $CINTA mount -o uid=4321 $T/new.db $T/new"
	[ "$status" -eq 2 ]
	[[ $output == *'uid=4321: only root can mount for another user; leave it out, or mount as root'* ]]
	[ ! -e "$T/new.db" ]
}
