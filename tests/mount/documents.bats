# SPDX-License-Identifier: MIT
# Documents: what is saved is what is read, one version a save, what is refused
# leaves no trace but its bytes in rejected/ and a line in errors.log.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

# versions DOC: how many it has
versions() { wc -l < "$1@log"; }

# round_trip DOC: the bytes of $T/in go in and come back, at once, as a version, by a new mount
round_trip() {
	cp "$T/in" "$1"
	cmp "$T/in" "$1"
	[ "$(stat -c %s "$1")" -eq "$(stat -c %s "$T/in")" ]
	cmp "$T/in" "$1@$(versions "$1")"
	cp "$T/in" "$T/expected.${1//\//_}"
}

# kept FILE: its bytes are in rejected/
kept() {
	local file
	for file in rejected/*; do cmp -s "$1" "$file" && return; done
	return 1
}

# refused ERROR DOC [PATTERN]: saving $T/in in place and by rename fails, errors.log says
# PATTERN, the bytes are in rejected/, the document is as it was
refused() {
	local error=$1 doc=$2 count before=absent how
	[ ! -e "$doc" ] || before=$(sha256sum < "$doc")
	[ ! -e "$doc@log" ] || count=$(versions "$doc")
	for how in cp mv; do
		rm -f rejected/*
		cat errors.log > "$T/seen"
		if [ $how = cp ]; then
			run cp "$T/in" "$doc"
		else
			cp "$T/in" "$(dirname "$doc")/.new.tmp"
			run mv "$(dirname "$doc")/.new.tmp" "$doc"
			rm -f "$(dirname "$doc")/.new.tmp"
		fi
		echo "$how: $status: $output"
		[ "$status" -ne 0 ]
		# a rename is refused by another errno than EINVAL, which mv takes for something else
		[[ $output =~ $error|'Protocol error'|'Bad message'|'Operation not permitted' ]]
		[[ $output != *'subdirectory of itself'* ]]
		tail -n +$(($(wc -l < "$T/seen") + 1)) errors.log | tee "$T/said"
		grep -qE -e "${3:-.}" "$T/said"
		kept "$T/in"
		if [ "$before" = absent ]; then
			[ ! -e "$doc" ]
		else
			[ "$(sha256sum < "$doc")" = "$before" ]
			[ -z "${count:-}" ] || [ "$(versions "$doc")" -eq "$count" ]
		fi
	done
}

words() { python3 -c 'import sys; print("word " * int(sys.argv[1]))' "$1"; }

@test "round trips, byte for byte, also by a new mount" {
	printf 'one\r\ntwo\r\n' > "$T/in"
	round_trip notes/crlf.md
	round_trip smma/user_profile.md
	printf '\357\273\277---\nname: x\n---\ntext\n' > "$T/in"
	round_trip notes/bom.md
	round_trip blocks/rules/bom.md
	printf 'no newline' > "$T/in"
	round_trip notes/tail.md
	round_trip smma/agent_notes.md
	printf 'a\000b\000' > "$T/in"
	round_trip notes/nul.bin
	head -c 1000000 /dev/urandom > "$T/in"
	round_trip notes/random.dat
	: > "$T/in"
	round_trip notes/empty.md
	round_trip smma/project_context.md
	printf '\n' > "$T/in"
	round_trip notes/newline.md
	printf 'ñandú 🧉 \342\200\256\n' > "$T/in"
	round_trip 'notes/ñandú 🧉.md'
	round_trip 'memories/fact/mate amargo.md'
	printf '{"name": "p",\n\t"config" : {} }\n\n' > "$T/in"
	mkdir algorithms/pick
	round_trip algorithms/pick/1.json
	printf '# \xc2\x85 \t\v\f\x1b[31m\n' > "$T/in"
	round_trip notes/odd.txt
	mkdir 'notes/a b'
	round_trip 'notes/a b/odd.txt'
	cd /
	cinta_umount
	verified
	cinta_mount
	cd "$M"
	for doc in notes/crlf.md smma/user_profile.md blocks/rules/bom.md notes/nul.bin notes/random.dat \
		notes/empty.md 'notes/ñandú 🧉.md' algorithms/pick/1.json 'notes/a b/odd.txt'; do
		cmp "$T/expected.${doc//\//_}" "$doc"
	done
}

@test "one version a save, none for the same bytes" {
	echo one > notes/a.md
	[ "$(versions notes/a.md)" -eq 1 ]
	echo one > notes/a.md
	[ "$(versions notes/a.md)" -eq 1 ]
	cp notes/a.md notes/.a
	mv notes/.a notes/a.md
	[ "$(versions notes/a.md)" -eq 1 ]
	echo two > notes/a.md
	[ "$(versions notes/a.md)" -eq 2 ]
	echo three >> notes/a.md
	[ "$(versions notes/a.md)" -eq 3 ]
	[ "$(tr '\n' ' ' < notes/a.md)" = 'two three ' ]
	echo x > notes/.a
	mv notes/.a notes/a.md
	[ "$(versions notes/a.md)" -eq 4 ]
	python3 -c 'import os, sys
f = os.open(sys.argv[1], os.O_RDWR | os.O_TRUNC)
for i in range(1000): os.write(f, b"%d\n" % i)
os.fsync(f)
os.fsync(f)
os.close(os.dup(f))
os.close(f)' notes/a.md
	[ "$(versions notes/a.md)" -eq 5 ]
	touch notes/a.md
	cat < notes/a.md > /dev/null
	truncate -s "$(stat -c %s notes/a.md)" notes/a.md
	: >> notes/a.md
	[ "$(versions notes/a.md)" -eq 5 ]
	sed -i s/999/nines/ notes/a.md
	[ "$(versions notes/a.md)" -eq 6 ]
	[ "$(grep -c 999 notes/a.md@5)" -eq 1 ]
	[ "$(ls -A notes)" = a.md ]
}

@test "appending, writing in the middle, holes, many at once" {
	for n in $(seq 20); do echo "$n" >> notes/l.md & done
	wait
	[ "$(sort -n notes/l.md | tr '\n' ' ')" = "$(seq -s ' ' 20) " ]
	[ "$(versions notes/l.md)" -le 20 ]
	printf 0123456789 > notes/m.md
	printf abc | dd of=notes/m.md bs=1 seek=4 conv=notrunc 2> /dev/null
	[ "$(cat notes/m.md)" = 0123abc789 ]
	truncate -s 5 notes/m.md
	[ "$(cat notes/m.md)" = 0123a ]
	printf z | dd of=notes/m.md bs=1 seek=8 conv=notrunc 2> /dev/null
	[ "$(od -An -c notes/m.md | tr -d ' \n')" = '0123a\0\0\0z' ]
	[ "$(cat notes/m.md@1)" = 0123456789 ]
}

@test "version N, a time, the log" {
	echo one > notes/a.md
	sleep 1.1
	between=$(date -u +%Y-%m-%dT%H:%M:%SZ)
	sleep 1.1
	echo two > notes/a.md
	[ "$(cat notes/a.md@1)" = one ]
	[ "$(cat notes/a.md@2)" = two ]
	[ ! -e notes/a.md@3 ]
	[ ! -e notes/a.md@0 ]
	[ "$(cat "notes/a.md@$between")" = one ]
	[ "$(cat "notes/a.md@$(date -u +%F)")" = two ]
	[ ! -e notes/a.md@2020-01-01 ]
	[ ! -e notes/a.md@yesterday ]
	awk -F'\t' '{ print $1, $4, $5, $6 }' notes/a.md@log > "$T/log"
	[ "$(sed -n 2p "$T/log")" = "2 +1 -1 4 $(printf 'two\n' | sha256sum | cut -d' ' -f1)" ]
	grep -q 'bash' notes/a.md@log
	run bash -c 'echo x > notes/a.md@1'
	[ "$status" -ne 0 ]
	run rm notes/a.md@1
	[ "$status" -ne 0 ]
	cp notes/a.md@1 notes/a.md
	[ "$(cat notes/a.md)" = one ]
	[ "$(versions notes/a.md)" -eq 3 ]
	[ "$(ls -A notes)" = a.md ]
}

@test "history follows a rename, of a document and of its folder" {
	mkdir notes/f
	echo one > notes/f/a.md
	echo two > notes/f/a.md
	mv notes/f/a.md notes/f/b.md
	[ "$(cat notes/f/b.md@1)" = one ]
	mv notes/f notes/g
	[ "$(cat notes/g/b.md@2)" = two ]
	echo three > notes/g/b.md
	[ "$(cat notes/g/b.md@3)" = three ]
	echo new > notes/g/a.md
	[ "$(cat notes/g/a.md@1)" = new ]
	[ "$(versions notes/g/a.md)" -eq 1 ]
	[ "$(ls -A notes)" = g ]
	echo r > blocks/rules/r.md
	run mv blocks/rules/r.md notes/r.md
	[ "$status" -ne 0 ]
	mv blocks/rules/r.md blocks/persona/s.md
	[ "$(cat blocks/persona/s.md@1)" = r ]
	[ ! -e blocks/rules/r.md ]
}

@test "two writers: the later wins, the other is a version, errors.log tells" {
	echo zero > notes/a.md
	exec 7<> notes/a.md
	echo 'one, meanwhile' > notes/a.md
	echo 'two, from zero' >&7
	exec 7>&-
	grep -q 'two, from zero' notes/a.md
	[ "$(cat notes/a.md@2)" = 'one, meanwhile' ]
	[ "$(versions notes/a.md)" -eq 3 ]
	grep CONFLICT errors.log | grep -q 'version 2, made from version 1'
}

@test "two writers by renaming: told, where the other saved since the temporary file was made" {
	printf 'x 1\nx 2\n' > notes/a.md
	perl -i -pe 's/x 1/A 1/; if ($. == 1) { open(F, ">", "'"$T"'/begun"); sleep 1 }' notes/a.md &
	wait_for 10 test -e "$T/begun"
	sed -i 's/x 2/B 2/' notes/a.md
	wait $!
	[ "$(cat notes/a.md)" = $'A 1\nx 2' ]
	[ "$(cat notes/a.md@2)" = $'x 1\nB 2' ]
	[ "$(grep -c CONFLICT errors.log)" -eq 1 ]
	grep CONFLICT errors.log | grep -q 'version 2, made from version 1'
	# one after the other, by any program, and what is moved from elsewhere: not
	sed -i 's/x 2/C 2/' notes/a.md
	perl -i -pe 's/A/D/' notes/a.md
	echo draft > smma/workspace/draft.txt
	echo again > notes/a.md
	mv smma/workspace/draft.txt notes/a.md
	python3 -c 'import os
for i in range(3):
    with open("notes/.a.md.tmp", "w") as f: f.write(str(i))
    os.rename("notes/.a.md.tmp", "notes/a.md")'
	[ "$(grep -c CONFLICT errors.log)" -eq 1 ]
	[ "$(versions notes/a.md)" -eq 10 ]
}

@test "over a section's limit: EFBIG with the tokens" {
	echo short > smma/user_profile.md
	words 30000 > "$T/in"
	refused 'File too large' smma/user_profile.md 'EFBIG .*[0-9]+ tokens, at most 1500'
	refused 'File too large' smma/current_task.md 'EFBIG .*[0-9]+ tokens, at most 3000'
	refused 'File too large' smma/project_context.md 'EFBIG .*[0-9]+ tokens, at most 5000'
	refused 'File too large' smma/agent_notes.md 'EFBIG .*[0-9]+ tokens, at most 2000'
}

@test "64 MiB into a profile, and more than a document holds into a note" {
	echo short > smma/user_profile.md
	head -c 64M /dev/zero > "$T/in"
	run cp "$T/in" smma/user_profile.md
	[[ $output == *'File too large'* ]]
	[ -s rejected/*-user_profile.md ]
	rm rejected/*-user_profile.md
	head -c 1100000 /dev/zero > "$T/in"
	refused 'File too large' smma/user_profile.md EFBIG
	refused 'File too large' notes/huge.bin EFBIG
	[ -z "$(ls -A notes)" ]
	run truncate -s 1T notes/huge.bin
	[ "$status" -ne 0 ]
	run dd if=/dev/zero of=smma/user_profile.md bs=1 count=1 seek=1G
	[ "$status" -ne 0 ]
	[ "$(cat smma/user_profile.md)" = short ]
	[ "$(ps -o rss= -p "$(owner_of "$DB")")" -lt 1000000 ]
}

@test "bytes that are no text: refused in the typed families, welcome in notes" {
	printf 'ab\377c\n' > "$T/in"
	round_trip notes/latin.txt
	echo fine > smma/user_profile.md
	refused 'Invalid argument' smma/user_profile.md 'byte'
	refused 'Invalid argument' blocks/rules/r.md
	printf 'a\000b\n' > "$T/in"
	refused 'Invalid argument' smma/user_profile.md
	refused 'Invalid argument' memories/fact/k.md
	printf '\355\240\200\n' > "$T/in" # a surrogate
	refused 'Invalid argument' blocks/rules/r.md
	printf '\300\257\n' > "$T/in" # overlong
	refused 'Invalid argument' blocks/rules/r.md
}

@test "front matter that does not parse" {
	echo fine > blocks/rules/r.md
	printf -- '---\nname: x\nand no end\n' > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md 'clos'
	round_trip notes/unclosed.md
	printf -- '---\nname: x\nname: y\n---\n' > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md 'line 3|twice|duplicate'
	printf -- '---\na: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n---\n' > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md 'line 2'
	printf -- '---\n- a\n- b\n---\n' > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md
	printf -- '---\nname: [a\n---\n' > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md
	printf -- '---\nname: !!python/object x\n---\n' > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md
	{ echo ---; for n in $(seq 10000); do echo "k$n: v"; done; echo ---; } > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md '1000|line'
	{ echo ---; printf 'a: '; printf '[%.0s' $(seq 5000); echo; echo ---; } > "$T/in"
	refused 'Invalid argument' blocks/rules/r.md
	[ "$(cat blocks/rules/r.md)" = fine ]
}

@test "fields of the wrong type, out of range, against the path" {
	for fields in 'priority: high' 'priority: [1]' 'status: maybe' 'category: persona' 'code: other'; do
		printf -- '---\n%s\n---\ntext\n' "$fields" > "$T/in"
		refused 'Invalid argument' blocks/rules/r.md "${fields%%:*}"
	done
	for fields in 'importance: 2' 'importance: -0.1' 'importance: lots' 'expires_at: soon' 'status: gone'; do
		printf -- '---\n%s\n---\ntext\n' "$fields" > "$T/in"
		refused 'Invalid argument' memories/fact/k.md "${fields%%:*}"
	done
	mkdir algorithms/pick
	for text in '' '[]' '{"name":1}' '{"status":"best"}' '{"a":1,"a":2}' '{'; do
		echo "$text" > "$T/in"
		refused 'Invalid argument' algorithms/pick/1.json
	done
	printf -- '---\npriority: 90\nstatus: active\nmine: [kept, as is]\n---\ntext\n' > "$T/in"
	round_trip blocks/rules/r.md
}

@test "chmod, chown, touch -d succeed, the time is told, no version is made" {
	echo one > notes/a.md
	chmod 600 notes/a.md
	chmod 0 notes/a.md
	chown "$(id -u):$(id -g)" notes/a.md
	# No calendar has such a time: it becomes the nearest of the years 1 to 9999.
	touch -d "@$((1 << 60))" notes/a.md
	[ "$(stat -c %Y notes/a.md)" = 253402300799 ]
	touch -d "@-$((1 << 60))" notes/a.md
	[ "$(stat -c %Y notes/a.md)" = -62135596800 ]
	touch -d '2001-02-03 04:05:06 UTC' notes/a.md
	[ "$(stat -c %Y notes/a.md)" -eq 981173106 ]
	[ "$(versions notes/a.md)" -eq 1 ]
	echo two > notes/a.md
	[ "$(stat -c %Y notes/a.md)" -gt 1700000000 ]
	ino=$(stat -c %i notes/a.md)
	echo three > notes/.a
	mv notes/.a notes/a.md
	[ "$(stat -c %i notes/a.md)" = "$ino" ]
}

@test "cp -a and rsync -a twice: nothing the second time" {
	mkdir -p "$T/src/sub/deep"
	for n in 1 2 3 4 5; do
		echo "$n" > "$T/src/$n.md"
		echo "sub $n" > "$T/src/sub/$n.txt"
		touch -d "2010-0$n-01 UTC" "$T/src/$n.md" "$T/src/sub/$n.txt"
	done
	echo deep > "$T/src/sub/deep/README"
	rsync -rlt "$T/src/" notes/
	diff -r "$T/src" notes
	[ -z "$(rsync -rlt -i "$T/src/" notes/ | grep '^>f')" ]
	mkdir notes/copy
	cp -a "$T/src/." notes/copy/
	diff -r "$T/src" notes/copy
	[ -z "$(rsync -rlt -i "$T/src/" notes/copy/ | grep '^>f')" ]
	before=$(find notes -type f -exec sh -c 'wc -l < "$1@log"' - {} \; | sort | uniq -c)
	cp -a "$T/src/." notes/copy/
	cp -au "$T/src/." notes/copy/
	rsync -a "$T/src/" notes/
	[ "$(find notes -type f -exec sh -c 'wc -l < "$1@log"' - {} \; | sort | uniq -c)" = "$before" ]
	# Out again, the same.
	cp -a notes/copy "$T/out"
	diff -r "$T/src" "$T/out"
	tar -C notes/copy -cf "$T/out.tar" .
	tar -C "$T/src" -df "$T/out.tar" 2>&1 | grep -v 'ode differs\|Uid\|Gid' | grep -q . && false
	[ -z "$(find notes -name '.*' ! -name .)" ]
}

@test "scratch: links, directories, files without a memory's name" {
	ln -s host.1:2 notes/.#a.md
	[ "$(readlink notes/.#a.md)" = host.1:2 ]
	mkdir notes/.~tmp~
	echo x > notes/.~tmp~/a.md
	[ ! -e notes/.~tmp~/a.md@log ]
	mv notes/.~tmp~/a.md notes/a.md
	[ "$(versions notes/a.md)" -eq 1 ]
	rmdir notes/.~tmp~
	rm notes/.#a.md
	echo y > smma/workspace/anything
	mkdir smma/workspace/dir
	echo z > smma/workspace/dir/user_profile.md
	[ ! -e smma/workspace/dir/user_profile.md@log ]
	rm -r smma/workspace/anything smma/workspace/dir
	for name in 4913 sedS6hEX4 .a.md.swp a.md~ '#a.md#' a.md.tmp a.md.3830540380; do
		echo "$name" > "notes/$name"
		[ ! -e "notes/$name@log" ]
		rm "notes/$name"
	done
	[ "$(ls -A notes)" = a.md ]
	[ "$(ls -A smma)" = "$(ls -A smma | sort)" ]
	grep -c '4913\|sedS6h\|a.md.tmp' .cinta/tape.jsonl && false
	[ -z "$(ls -A smma/workspace)" ]
}

@test "scratch: a directory has the time of the last name that came or went" {
	dir=smma/workspace/dir
	mkdir $dir
	for d in smma/workspace $dir logs; do
		before=$(stat -c %y "$d")
		echo x > "$d/made"
		made=$(stat -c %y "$d")
		[[ $made > $before ]]
		mv "$d/made" "$d/moved"
		moved=$(stat -c %y "$d")
		[[ $moved > $made ]]
		rm "$d/moved"
		[[ $(stat -c %y "$d") > $moved ]]
	done
	then=$(stat -c %y $dir)
	cd /
	"$CINTA" umount "$M"
	cinta_mount
	[ "$(stat -c %y "$M/$dir")" = "$then" ]
	rmdir "$M/$dir"
	python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
try:
	import made_later
except ImportError:
	open(sys.argv[1] + "/made_later.py", "w").close()
import made_later' "$M/smma/workspace"
}

@test "a swap file that was synced survives kill -9 of the daemon" {
	cd /
	python3 -c 'import os, sys
f = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(f, b"what was not saved")
os.fsync(f)
print("synced", flush=True)
os.close(f)' "$M/notes/.a.md.swp"
	ln -s here:1 "$M/notes/.#b.md"
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	cinta_mount
	[ "$(cat "$M/notes/.a.md.swp")" = 'what was not saved' ]
	rm "$M/notes/.a.md.swp"
	mv "$M/notes/.#b.md" "$M/notes/.x" 2> /dev/null || true
	rm -f "$M/notes/.x"
	cinta_umount
	cinta_mount
	[ -z "$(ls -A "$M/notes")" ]
}

@test "a file that only looks like memory: told in errors.log after a minute" {
	echo stray > blocks/rules/notes.rst
	echo tool > blocks/rules/.notes.swp
	echo '- likes tea' | tee facts/personal.md > facts/personal.md~ # what an editor keeps
	touch -d '2 minutes ago' blocks/rules/notes.rst blocks/rules/.notes.swp facts/personal.md~
	wait_for 5 grep -q 'SCRATCH .*blocks/rules/notes.rst' errors.log
	sleep 1.2
	[ "$(grep -c SCRATCH errors.log)" -eq 1 ]
	mv blocks/rules/notes.rst blocks/rules/notes.md
	[ "$(cat blocks/rules/notes.md@1)" = stray ]
	rm blocks/rules/.notes.swp facts/personal.md~
}

@test "a reader keeps what it opened; after a save all see the new one" {
	echo old > notes/a.md
	exec 7< notes/a.md
	cat notes/a.md > /dev/null
	echo 'the new one' > notes/a.md
	[ "$(stat -c %s notes/a.md)" -eq 12 ]
	[ "$(cat notes/a.md)" = 'the new one' ]
	[ "$(cat <&7)" = old ]
	exec 7<&-
	exec 7> notes/a.md # truncated, nothing written yet: the version stands
	[ "$(python3 -c 'print(open("notes/a.md").read(), end="")')" = 'the new one' ]
	echo newest >&7
	exec 7>&-
	[ "$(cat notes/a.md)" = newest ]
}

@test "what is being written has a bound, also over many descriptors; what is closed gives it back" {
	echo text > "$M/notes/a.md"
	run -0 python3 - "$M/notes/a.md" <<- 'END'
		import errno, os, sys
		fds, failed = [], 0
		for i in range(40):
		    fds.append(os.open(sys.argv[1], os.O_WRONLY))
		    try:
		        os.ftruncate(fds[-1], 16 << 20)
		    except OSError as error:
		        failed = error.errno
		        break
		print(len(fds), errno.errorcode[failed])
		for fd in fds:
		    try: os.close(fd)
		    except OSError: pass
	END
	[ "$output" = '33 ENOSPC' ]
	echo more >> "$M/notes/a.md"
	[ "$(cat "$M/notes/a.md")" = "$(printf 'text\nmore')" ]
}

@test "active blocks by more names than are kept: each is found, and shows what was saved since" {
	block() { printf -- '---\nscope: agent:%s\nname: One\n---\n%s\n' "$1" "$2" > "$M/blocks/rules/$1.md"; }
	block first 'The first rule.'
	grep -q 'The first rule' "$M/blocks/.active/agent=first.md"
	python3 -c 'import os, sys
for n in range(2500): os.stat("%s/blocks/.active/agent=name%d.md" % (sys.argv[1], n))
os.stat(sys.argv[1] + "/blocks/.active/server=DECK/agent=first.md")' "$M"
	grep -q 'The first rule' "$M/blocks/.active/agent=first.md"
	block first 'Another rule.'
	grep -q 'Another rule' "$M/blocks/.active/agent=first.md"
	grep -q 'Another rule' "$M/blocks/.active/server=DECK/agent=first.md"
	[ "$(wc -l < "$M/blocks/.active/agent=name1.md")" -eq "$(wc -l < "$M/blocks/.active.md")" ]
}
