# SPDX-License-Identifier: MIT
# `cinta doctor` by each condition it knows: what it says then that it did not say before, line by
# line, and what to do is a command or an act, never another look by itself.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	mkdir "$M/sessions/x"
	for i in $(seq 60); do echo "{\"content\":\"line $i of words\"}"; done >> "$M/sessions/x/log.jsonl"
	cinta_umount
	KEY=$(echo "$HOME"/.config/cinta/keys/*.pem)
	cp -a "$DB" "$T/good.db"
	cp -a "$DB.checkpoint" "$T/good.checkpoint"
	cp -a "$KEY" "$T/good.pem"
	plainly > "$T/healthy"
}
teardown() {
	[ -z "${deaf:-}" ] || { kill "$deaf" && wait "$deaf" || true; } 2> /dev/null
	cinta_teardown
}

# plainly [WORD]: what it says, without what is of this machine and this minute
plainly() {
	"$CINTA" doctor "${1:-$DB}" > "$T/said" 2>&1 || true
	# Other memories on this machine come and go.
	grep -vE "^(ok|warn|fail) +/.*( answers | does not answer|: its daemon died)" <(sed "s,$T/,T/,g" "$T/said") > "$T/ours"
	sed -e "s,${KEY/#$T/T},KEY,g" -e "s,T/\(disk/\)\?memory.db,DB,g" -e 's/[0-9]* MiB free/N MiB free/' \
		-e "s,process [0-9]*,process N,; s,kill [0-9]*,kill N,; s,cinta/[0-9a-f]\{16\},ORIGIN,g" "$T/ours"
}
again() {
	rm -rf "$DB" "$DB"-* "$DB".[!l]*
	cp -a "$T/good.db" "$DB"
	cp -a "$T/good.checkpoint" "$DB.checkpoint"
	cp -a "$T/good.pem" "$KEY"
}

# told LINE…: exactly these lines are new, in this order
told() {
	local new
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
	[ "$new" = "$(printf '%s\n' "$@")" ] || { echo "$new"; return 1; }
}

@test "a healthy memory: each line is ok; none sends to the doctor" {
	run "$CINTA" doctor "$DB"
	echo "$output"
	not grep '^fail' "$T/healthy"
	grep -q '^ok   no page of the file is damaged$' "$T/healthy"
	grep -q '^ok   key KEY is private and fits$' "$T/healthy"
	run plainly "$T/nothing/here"
	[[ $output == *'fail T/nothing/here: No such file or directory — name a directory or a database that is there; cinta mount DB DIR makes one' ]]
}

@test "a directory that mount refuses is not ok" {
	mkdir "$T/full" "$T/empty"
	echo x > "$T/full/x"
	run "$CINTA" doctor "$T/full"
	[ "$status" -eq 1 ]
	[[ $output == *"fail nothing can be mounted on it: $T/full is not empty — choose an empty directory, or -o nonempty"* ]]
	run "$CINTA" doctor "$T/empty"
	[ "$status" -eq 0 ]
	[[ $output == *"ok   $T/empty is an empty directory, nothing is mounted on it"* ]]
	if [ "$(id -u)" = 0 ]; then # what others may not write to they cannot mount on
		cp "$CINTA" "$T/cinta"
		chmod 755 "$T" "$T/empty" "$T/cinta"
		run setpriv --reuid nobody --regid nogroup --clear-groups "$T/cinta" doctor "$T/empty"
		[ "$status" -eq 1 ]
		[[ $output == *"$T/empty may not be written to by you"*' — choose a directory of your own'* ]]
	fi
	run "$CINTA" doctor "$T/home" # the default memory would be hidden
	[ "$status" -eq 1 ]
}

@test "DB.side that another user may not read" {
	[ "$(id -u)" -eq 0 ] || skip 'becomes another user'
	install -m 600 /dev/null "$DB.side"
	install -m 755 "$CINTA" "$T/anybodys"
	chmod 755 "$T"
	chmod 644 "$DB"
	run setpriv --reuid nobody --regid nogroup --clear-groups "$T/anybodys" doctor "$DB"
	[[ $output == *"warn $DB.side: Permission denied — chmod u+rw $DB.side"* ]]
	chmod 644 "$DB.side"
	run setpriv --reuid nobody --regid nogroup --clear-groups "$T/anybodys" doctor "$DB"
	[[ $output != *"$DB.side"* ]]
}

@test "the file: its mode, pages, a log, what a rebuild left, a garbled header" {
	chmod 644 "$DB"
	told 'warn DB is open to other users (mode 644) — if that is not meant: chmod 600 DB'
	again
	python3 "$HERE/pages.py" "$DB" v_line leaf all > /dev/null || python3 "$HERE/pages.py" "$DB" v_message leaf all
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
	[[ $new == 'fail the file is damaged: '*' — cinta umount its mounts, then: cinta rebuild DB' ]]
	"$CINTA" rebuild "$DB"
	told
	again
	"$CINTA" rebuild --keep "$DB"
	told "ok   the file before the last rebuild is kept, $(stat -c %s "$DB.before-rebuild") bytes — if the memory is as it should be: rm DB.before-rebuild"
	again
	touch "$DB.rebuilt-0123abcd"
	told 'warn 1 file of a rebuild that was killed — rm DB.rebuilt-*'
	again
	python3 "$HERE/pages.py" "$DB" tape internal 0 > /dev/null
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p' | head -1)
	echo "$new"
	[[ $new == 'fail '*'cinta rebuild '* && $new != *doctor* ]]
}

@test "the key: gone, open, another one" {
	rm "$KEY"
	told 'warn no key for ORIGIN: nothing is signed — copy back the key that this tape was made with: KEY' \
		'warn key KEY: No such file or directory — nothing new is signed; copy the key back, or name its directory: -o key_dir=DIR'
	again
	chmod 644 "$KEY"
	told "warn key open to others: nothing is signed; type: chmod 600 'KEY' (as its owner) — chmod 600 KEY" \
		'fail key KEY has mode 644, so others could have signed — chmod 600 KEY'
	again
	openssl genpkey -algorithm ed25519 -out "$KEY" 2> /dev/null
	chmod 600 "$KEY"
	told 'warn the key of ORIGIN is not the one its genesis names: nothing is signed — copy back the key that this tape was made with: KEY' \
		'fail key KEY is not the one the tape names — copy back the key that this tape was made with'
}

@test "the checkpoint beside it: gone, torn, ahead of the rows, of another history; a body that is gone" {
	rm "$DB.checkpoint"
	told 'warn DB.checkpoint: No such file or directory — copy it back if you can; else the next mount writes it anew'
	again
	head -c 70 "$T/good.checkpoint" > "$DB.checkpoint"
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
	[[ $new == 'fail FORK: the sidecar is not a checkpoint'*' — if nobody forged it: mv DB.checkpoint DB.checkpoint.bad, and mount anew' ]]
	again
	cinta_mount
	say x more
	cinta_umount
	cp "$DB.checkpoint" "$T/newer"
	again
	cp "$T/newer" "$DB.checkpoint"
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
	echo "$new"
	[[ $new == 'fail ROLLBACK: '*' — put the newer file back; if the older one is meant: mv DB.checkpoint DB.checkpoint.old' ]]
	again
	sql "DROP TRIGGER tape_redact; UPDATE tape SET leaf_hash = zeroblob(32) WHERE seq = 9; $(sqlite3 "$T/good.db" "SELECT sql FROM sqlite_schema WHERE name = 'tape_redact'")"
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p' | head -1)
	echo "$new"
	[[ $new == 'fail FORK: '*' — restore a copy of DB' ]]
	for note in "size + 50, note" "size - 1, replace(note, char(10) || size || char(10), char(10) || (size - 1) || char(10))"; do
		again
		sql "INSERT INTO tape_checkpoint SELECT $note FROM tape_checkpoint ORDER BY size DESC LIMIT 1;
			$([[ $note == *+* ]] || echo "DROP TRIGGER tape_checkpoint_keep; DELETE FROM tape_checkpoint WHERE size = (SELECT max(size) FROM tape_checkpoint); $(sqlite3 "$T/good.db" "SELECT sql FROM sqlite_schema WHERE name = 'tape_checkpoint_keep'")")"
		rm "$DB.checkpoint"
		new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p' | grep FORK)
		echo "$new"
		[[ $new == 'fail FORK: the newest checkpoint is not '*' — restore a copy of DB, or leave that note out: cinta rebuild --salvage NEW.db DB' ]]
	done
	again
	sql 'UPDATE tape SET body = NULL, salt = NULL WHERE seq = 9'
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p' | head -1)
	echo "$new"
	[[ $new == 'fail REDACTED-UNPROVED: '*' — restore a copy, or sign that it went: cinta redact --reason TEXT ENTRY DB' ]]
}

@test "DB.side: a page that is damaged, a file that is none; mounted or not, and moved away" {
	for how in page none place; do
		again
		cinta_mount
		python3 -c 'import sys
for i in range(40): open(sys.argv[1] + f"/smma/workspace/{i}.txt", "w").write("words " * 2000)' "$M"
		cinta_umount
		told
		case $how in
		page) printf '%4096s' x | dd of="$DB.side" bs=4096 seek=8 conv=notrunc status=none ;;
		none) echo 'no database' > "$DB.side" ;;
		place)
			rm "$DB.side"
			mkdir "$DB.side"
			told 'warn DB.side is no file: errors.log, rejected/ and files off the tape have no place — nothing of the memory is in it, and it is made anew: mv DB.side DB.side.bad'
			rmdir "$DB.side"
			ln -s "${DB##*/}.side" "$DB.side"
			told 'warn DB.side is no file: errors.log, rejected/ and files off the tape have no place — nothing of the memory is in it, and it is made anew: mv DB.side DB.side.bad'
			rm "$DB.side"
			continue
			;;
		esac
		new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
		[[ $new == 'warn DB.side is damaged ('*'): errors.log, rejected/ and files off the tape are in it — nothing of the memory is in it, and it is made anew: mv DB.side DB.side.bad' ]] || { echo "$new"; return 1; }
		[[ $new != *'***'* ]]
		cinta_mount
		"$CINTA" doctor "$M" | grep -q "^warn .*$DB.side is damaged"
		mv "$DB.side" "$DB.side.bad"
		wait_for 10 eval '! "$CINTA" doctor "$M" | grep -q "side is damaged"'
		cinta_umount
		told
	done
}

@test "who owns it: a process without a mount, one that died, a mount whose daemon died" {
	exec 7> "$DB.lock"
	flock 7
	echo $$ >&7
	told 'warn process N owns it without a mount in sight — if it stays: kill N'
	exec 7>&-
	cinta_mount
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
	echo "$new"
	grep -qx 'fail T/memory: its daemon died — `cinta mount` there takes over, `cinta umount` removes it' <<< "$new"
	"$CINTA" umount "$M"
	new=$(plainly | diff "$T/healthy" - | sed -n 's/^> //p')
	[[ $new == '' || $new == 'ok   not mounted, '*' bytes wait in the write-ahead log — nothing is lost: the next mount takes the log in' ]]
}

@test "a disk that is nearly full" {
	[ "$(id -u)" -eq 0 ] || skip 'mounts a disk of its own: for root'
	mkdir "$T/disk"
	mount -t tmpfs -o size=8m cinta-test "$T/disk"
	cp "$DB" "$T/disk/memory.db"
	DB=$T/disk/memory.db
	grep -qx 'fail N MiB free beside the database — appends are about to fail with ENOSPC: remove files on the disk that df DB names' <(plainly)
	umount "$T/disk"
}

@test "what is said of each trouble names what to do, and no line sends back to the doctor" {
	again
	for how in mode key checkpoint; do
		case $how in
		mode) chmod 640 "$DB" ;;
		key) rm -f "$KEY" ;;
		checkpoint) echo torn > "$DB.checkpoint" ;;
		esac
		plainly > "$T/all"
		while IFS= read -r line; do
			[[ $line == *' — '?* && ${line##* — } != *doctor* ]]
		done < <(grep -E '^(warn|fail)' "$T/all")
	done
}

@test "a daemon that answers nothing: doctor says so, and who reads what it prints comes to its end" {
	[ "$(id -u)" -eq 0 ] || skip 'mounts with mount(2): for root'
	mkdir "$T/deaf"
	"$BATS_TEST_DIRNAME/deaf.py" "$T/deaf" > "$T/mounted" 3>&- &
	deaf=$!
	wait_for 20 test -s "$T/mounted"
	timeout 120 "$CINTA" doctor "$DB" 2>&1 3>&- | timeout 130 cat > "$T/all"
	# a fault, but not of the memory that was named
	grep -q "^warn $T/deaf does not answer: Connection timed out — end its daemon" "$T/all"
	run timeout 120 "$CINTA" doctor "$T/deaf" 3>&-
	[ "$status" -eq 1 ]
	[[ $output == *"fail $T/deaf does not answer: Connection timed out — end its daemon"* ]]
	kill "$deaf"
	wait "$deaf" || true
	deaf=
	umount -l "$T/deaf"
}
