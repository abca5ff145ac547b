# SPDX-License-Identifier: MIT
# Everything that would take memory away or change it: a documented errno, a line
# in errors.log, and not one byte, name, mode or time of the tree is another.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	say x alpha beta
	echo '{"content":"gamma","thread":"t"}' >> "$M/sessions/x/log.jsonl"
	say 'y z' delta
	before=$(census "$M")
	log=$M/sessions/x/log.jsonl
}
teardown() { cinta_teardown; }

unchanged() {
	local now
	now=$(census "$M")
	[ "$now" = "$before" ] && return
	diff <(echo "$before") <(echo "$now")
	return 1
}

# refused OP COMMAND…: it fails with EPERM, errors.log gets lines about OP, nothing changes
refused() {
	local op=$1 before_it
	before_it=$(refusals)
	shift
	run timeout 20 "$@"
	echo "$*: $status: $output"
	[ "$status" -ne 0 ]
	[ "$status" -ne 124 ]
	[[ $output == *'Operation not permitted'* ]]
	[ "$(refusals)" -gt "$before_it" ]
	tail -n +$((before_it + 1)) "$M/errors.log" | grep -qE "Z EPERM $op .+: .+; .+"
	unchanged
}

# tried COMMAND…: whatever it answers, nothing changes
tried() {
	run timeout 20 "$@"
	echo "$*: $status: $output"
	[ "$status" -ne 124 ]
	unchanged
}

@test "rm, rmdir, unlink, rm -rf, find -delete" {
	refused unlink rm "$log"
	refused unlink rm -f "$M/README.md"
	refused unlink unlink "$M/AGENTS.md"
	refused unlink rm "$M/sessions/current"
	refused rmdir rmdir "$M/sessions/x"
	refused rmdir rmdir "$M/sessions"
	refused rmdir rmdir "$M/threads/t"
	refused unlink rm -rf "$M/sessions/x"
	refused unlink rm -rf "$M/.cinta"
	refused unlink find "$M" -mindepth 1 -name '*.jsonl' -delete
	refused unlink python3 -c 'import shutil, sys; shutil.rmtree(sys.argv[1])' "$M/sessions"
}

@test "> log.jsonl, truncate, cp onto it, sed -i, tee" {
	refused truncate bash -c '> "$0"' "$log"
	refused truncate truncate -s 0 "$log"
	refused truncate truncate -s 1000000 "$log"
	refused truncate truncate -s -1 "$log"
	refused truncate cp /etc/hostname "$log"
	refused truncate tee "$log"
	refused rename sed -i s/alpha/omega/ "$log"
	refused 'open|truncate' tee "$M/sessions/x/transcript.md"
	refused 'open|truncate' tee -a "$M/threads/t/log.jsonl"
	refused 'open|truncate' tee -a "$M/README.md"
	tried truncate -s +0 "$log"
	[ "$status" -eq 0 ]
}

@test "dd conv=notrunc, pwrite: a log is not written over; offered bytes are kept" {
	refused write dd if=/dev/zero of="$log" bs=10 count=1 conv=notrunc
	refused write bash -c 'echo "{\"content\":\"over\"}" 1<> "$0"' "$log"
	refused write python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
os.pwrite(fd, b"{\"content\":\"over\"}\n", 20)' "$log"
	grep -q '"over"' "$M"/rejected/*-log.jsonl
	# Aimed at the end it is an append like any other, with or without O_APPEND.
	python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_WRONLY)
end = os.lseek(fd, 0, os.SEEK_END)
assert os.pwrite(fd, b"{\"content\":\"end\"}\n", end) == 18' "$log"
	[ "$(contents "$log" | tail -1)" = end ]
}

@test "mv, ln, ln -s" {
	refused rename mv "$log" "$M/sessions/x/old.jsonl"
	refused rename mv "$M/sessions/x" "$M/sessions/w"
	refused rename mv -T "$M/sessions/x" "$M/sessions/y z"
	refused rename mv "$M/threads/t" "$M/threads/u"
	refused rename mv "$M/sessions/y z/log.jsonl" "$log"
	refused 'rename|unlink' mv "$log" "$T/away.jsonl"
	refused link ln "$log" "$M/sessions/x/second"
	refused symlink ln -s /etc/passwd "$M/sessions/evil"
	refused 'symlink|unlink' ln -sfn x "$M/sessions/current"
}

@test "new names anywhere but sessions/" {
	refused mkdir mkdir "$M/more"
	refused mkdir mkdir "$M/sessions/x/more"
	refused mkdir mkdir "$M/threads/more"
	refused mkdir mkdir "$M/.cinta/more"
	refused create touch "$M/new"
	refused create touch "$M/sessions/new.md"
	refused create bash -c 'echo x > "$0"' "$M/blocks/note.md"
	refused mkdir mkdir "$M/blocks/more" "$M/blocks/rules/more" "$M/smma/more"
	refused open bash -c 'echo x > "$0"' "$M/smma/identity.md"
	refused create bash -c 'echo x > "$0"' "$M/sessions/x/note.txt"
	# In a session as beside documents a tool's file may come and go: it never reaches the tape.
	entries=$(sql 'SELECT count(*) FROM tape')
	tried bash -c 'echo x > "$0" && mv "$0" "$0.bak" && rm "$0.bak"' "$M/sessions/x/note.tmp"
	[ "$status" -eq 0 ]
	[ "$(sql 'SELECT count(*) FROM tape')" = "$entries" ]
	refused mknod mkfifo "$M/sessions/x/pipe"
	refused mknod python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$M/sock"
}

@test "chmod, chown, touch and utimens of what is there succeed and change nothing" {
	for c in 'chmod 777' 'chmod 000' 'chown 0:0' touch 'touch -d 1999-01-01' 'touch -c'; do
		tried $c "$log" "$M/README.md" "$M/sessions/x"
		[ "$status" -eq 0 ]
	done
}

@test "tools that mean to delete: git clean, rsync --delete, shred -u, zip -m, gio trash" {
	mkdir "$T/empty"
	refused unlink rsync -a --delete "$T/empty/" "$M/sessions/"
	refused 'unlink|rmdir' rsync -a --delete --force "$T/empty/" "$M/"
	refused write shred -u "$log"
	if command -v zip; then
		tried zip -m "$T/x.zip" "$log"
		[[ $output == *'error deleting'* ]]
	fi
	refused unlink tar -C "$M" --remove-files -cf "$T/x.tar" sessions
	if command -v gio; then
		tried gio trash "$log"
		[ "$status" -ne 0 ]
	fi
	git init -q "$T/git"
	tried git --git-dir="$T/git/.git" --work-tree="$M" clean -dffx
	[ "$status" -ne 0 ]
	tried git --git-dir="$T/git/.git" --work-tree="$M" checkout --force --detach
	tried python3 -c 'import os, sys; os.replace(sys.argv[1], sys.argv[2])' /dev/null "$log"
	[ "$status" -ne 0 ]
	cinta_umount
	verified
}

@test "documents: no rm, no mv away, no link; old versions stay as they were" {
	mkdir -p "$M/notes/a b/c"
	echo uno > "$M/notes/a b/c/n.md"
	echo dos > "$M/notes/a b/c/n.md"
	echo regla > "$M/blocks/rules/r1.md"
	echo yo > "$M/smma/user_profile.md"
	before=$(census "$M")
	note="$M/notes/a b/c/n.md"
	refused unlink rm "$note"
	refused unlink rm -rf "$M/notes" "$M/blocks"
	refused rmdir rmdir "$M/notes/a b/c"
	refused rmdir rmdir "$M/blocks/rules"
	refused 'rename|unlink' mv "$note" "$T/away.md"
	refused rename mv "$note" "$M/smma/workspace/n"
	refused rename mv "$note" "$M/blocks/rules/n.md"
	refused rename mv "$note" "$M/notes/n.md~"
	refused rename mv "$M/notes/a b" "$M/smma/workspace/"
	refused rename mv "$M/notes/a b" "$M/notes/.hidden"
	refused rename mv "$M/blocks/rules/r1.md" "$M/notes/r1.md"
	refused link ln "$note" "$M/notes/second.md"
	refused symlink ln -s n.md "$M/notes/link.md"
	refused 'open|truncate' tee "$note@1"
	refused 'open|truncate' tee -a "$note@log"
	refused unlink rm "$note@1"
	refused unlink find "$M" -mindepth 1 -name '*.md' -delete
	refused unlink cp --remove-destination /etc/hostname "$note"
	refused unlink tar -C "$M" --remove-files -cf "$T/x.tar" notes
	mkdir "$T/empty"
	refused 'unlink|rmdir' rsync -a --delete --force "$T/empty/" "$M/notes/"
	git init -q "$T/git"
	tried git --git-dir="$T/git/.git" --work-tree="$M" clean -dffx
	[ "$status" -ne 0 ]
	# The one way out of sight, an editor's backup, is not for ever.
	mv "$note" "$note.bak"
	rm "$note.bak"
	[ ! -e "$note" ]
	wait_for 8 test -e "$note"
	unchanged
	[ "$(cat "$note@1")" = uno ]
	cinta_umount
	verified
}

@test "what was refused may be taken out of rejected/: it is not memory" {
	run bash -c 'echo "a secret, by mistake" >> "$0"' "$log"
	[ "$status" -ne 0 ]
	file=$(echo "$M"/rejected/*-log.jsonl)
	grep -q 'a secret' "$file"
	refused 'open|truncate' tee -a "$file"
	rm "$file"
	[ -z "$(ls "$M/rejected")" ]
	unchanged
}

@test "the name of what was refused is UTF-8, and told as it is, however long it was" {
	local n name
	for n in 98 99 100 101; do
		name=$(printf 'é%.0s' $(seq $n)).txt
		run bash -c 'head -c 1100000 /dev/zero | tr "\0" a > "$1"' - "$M/notes/$name"
		name=x$name
		run bash -c 'head -c 1100000 /dev/zero | tr "\0" a > "$1"' - "$M/notes/$name"
	done
	[ "$(ls "$M/rejected" | grep -vc why)" -eq 8 ]
	ls "$M/rejected" | iconv -f UTF-8 -t UTF-8 > "$T/names"
	grep -v '\.why$' "$T/names" | while read -r name; do
		grep -qF "kept as rejected/$name" "$M/errors.log"
		[ -s "$M/rejected/$name" ]
	done
}

@test "errors.log tells time, errno, operation, path, author, reason and advice" {
	run rm "$log"
	tail -1 "$M/errors.log" | grep -E \
		'^[0-9]{4}-[0-9-]{5}T[0-9:.]{15}Z EPERM unlink sessions/x/log.jsonl [^ ]+:rm: memory is never deleted; .+$'
	[ "$(stat -c %s "$M/errors.log")" -eq "$(wc -c < "$M/errors.log")" ]
}

@test "the longest paths stand whole in errors.log, in the reason and on the tape" {
	local dir=notes n line
	cd "$M/notes"
	for n in a b c d e f g h i j k l m n o; do # 15 * 241 bytes, and the name
		n=$(printf "$n%.0s" {1..240})
		mkdir "$n"
		cd "$n"
		dir=$dir/$n
	done
	echo deep > here.md
	before_it=$(wc -l < "$M/errors.log")
	run rm here.md
	[[ $output == *'Operation not permitted'* ]]
	run rmdir "../$n"
	[ $status -ne 0 ]
	not head -c 1100000 /dev/zero > big.md
	mv here.md there.md
	line() { tail -n +$((before_it + 1)) "$M/errors.log" | grep -F " $1 $2 "; }
	[[ $(line unlink "$dir/here.md") == *": "*"; "* ]]
	[[ $(line rmdir "$dir") == *": "*"; "* ]]
	line=$(tail -n +$((before_it + 1)) "$M/errors.log" | grep -F " $dir/big.md ")
	[[ $line == *'bytes, at most 1048576; split it'*'kept as rejected/'* ]]
	why=$(cat "$M"/rejected/*big.md.why)
	[[ $why == EFBIG*" $dir/big.md: "*'at most 1048576; split it'* ]]
	grep -qF "\\\"path\\\":\\\"$dir/here.md\\\"" "$M/.cinta/tape.jsonl"
	grep -qF "\\\"path\\\":\\\"$dir/there.md\\\"" "$M/.cinta/tape.jsonl"
	grep -qF "\\\"path\\\":\\\"$dir\\\"" "$M/.cinta/tape.jsonl"
}
