# SPDX-License-Identifier: MIT
# The database's file goes away under its mount: deleted, replaced, linked, without its log.  Within
# a second nothing is taken any more, everybody is told, and `cinta rescue` writes all there was.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	say x one two
	mkdir -p "$M/notes"
	echo '# A note' > "$M/notes/a.md"
	echo draft > "$M/notes/.env"
}
teardown() { cinta_teardown; }

count() { sed -nE "s/^ *\"$1\": ([0-9]+),/\\1/p" "$M/.cinta/status.json"; }
is_told() { grep -q "DATABASE $1" "$M/.cinta/status.json"; }

# taken WORD: status, errors.log and errno say it; what can be read is
stands_still() {
	local began=$SECONDS
	wait_for 1 is_told "$1"
	[ $((SECONDS - began)) -le 10 ]
	grep -q '"read_only": true' "$M/.cinta/status.json"
	run bash -c 'echo "{\"content\":\"lost\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	run bash -c 'echo new > "$0"' "$M/notes/b.md"
	[[ $output == *'Read-only file system'* ]]
	run mkdir "$M/sessions/y"
	[[ $output == *'Read-only file system'* ]]
	run python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDONLY))' "$M/sessions/x/log.jsonl"
	[[ $output == *'Input/output error'* ]]
	wait_for 5 grep -q "DATABASE $1.*cinta rescue DIR NEW.db" "$M/errors.log"
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two ' ]
	[ "$(cat "$M/notes/a.md")" = '# A note' ]
	[ ! -e "$DB.log" ] || wait_for 5 grep -q "DATABASE $1" "$DB.log"
}

# rescued: the new file verifies, has what was there, and can be mounted in the old one's place
rescued() {
	local head
	head=$(tail -1 "$M/sessions/x/log.jsonl")
	"$CINTA" rescue "$M" "$T/new.db" > "$T/said"
	cat "$T/said"
	[ "$(head -1 "$T/said")" = "$T/new.db" ]
	grep -q '^OK' "$T/said"
	[ "$(stat -c %a "$T/new.db")" = 600 ]
	run "$CINTA" rescue "$M" "$T/new.db"
	[ "$status" -eq 1 ]
	[[ $output == *'File exists'* ]]
	cinta_umount
	DB=$T/new.db
	cinta_mount
	[ "$(tail -1 "$M/sessions/x/log.jsonl")" = "$head" ]
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two ' ]
	[ "$(cat "$M/notes/a.md")" = '# A note' ]
	[ "$(cat "$M/notes/.env")" = draft ]
	say x three
	cinta_umount
	verified
}

@test "what was committed in the moment before is shown, of a new session, too" {
	for how in 'os.unlink(db)' 'os.link(db, db + "2")'; do
		python3 - "$M" "$DB" <<-END
			import os, sys
			m, db = sys.argv[1:]
			os.mkdir(m + "/sessions/new")
			fd = os.open(m + "/sessions/new/log.jsonl", os.O_WRONLY | os.O_APPEND)
			os.write(fd, b'{"content":"first"}\n' * 300)
			$how
		END
		wait_for 5 grep -q 'DATABASE' "$M/errors.log"
		[ "$(contents "$M/sessions/new/log.jsonl" | grep -cx first)" -eq 300 ]
		[ "$(grep -cx first "$M/sessions/new/transcript.md")" -eq 300 ]
		[ "$(count entries)" = "$(count viewed_upto)" ]
		cinta_umount
		DB=$T/second.db
		[ -e "$DB" ] || cinta_mount
	done
}

@test "deleted: read-only, told, rescued" {
	rm "$DB"
	stands_still GONE
	stat -f "$M" > "$T/statfs" # it answers: doctor and mount call it dead otherwise
	run timeout 20 "$CINTA" rescue "$M" "$M/notes/y.db"
	[ "$status" -eq 1 ]
	[[ $output == *'lies inside the memory at'* ]]
	rescued
}

@test "deleted with all that stands beside it: rescued by its socket" {
	rm "$DB"*
	stands_still GONE
	mkdir "$T/other"
	"$CINTA" mount "$DB" "$T/other" # another memory in its place, with a lock and a socket of its own
	mkdir "$T/other/sessions/z"
	rescued
	[ -d "$T/other/sessions/z" ]
	cinta_umount "$T/other"
}

@test "moved away: what was moved is whole by itself" {
	mv "$DB" "$T/old.db"
	stands_still GONE
	cinta_umount
	[ ! -s "$DB-wal" ]
	DB=$T/old.db
	verified
	cinta_mount
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two ' ]
	cinta_umount
}

@test "replaced by a backup: neither file is damaged" {
	sqlite3 "$DB" ".backup $T/backup.db"
	say x three
	mv "$DB" "$T/old.db"
	cp "$T/backup.db" "$DB"
	wait_for 1 is_told GONE
	run bash -c 'echo "{\"content\":\"lost\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	sqlite3 "$DB" 'SELECT count(*) FROM tape' > "$T/count" # by another program, while it is mounted
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two three ' ]
	cinta_umount
	cmp "$DB" "$T/backup.db"
	rm "$DB.checkpoint" # of what came after the backup
	verified
	DB=$T/old.db
	verified
	cinta_mount
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two three ' ]
	cinta_umount
}

# Six readers, so that connections are opened after the file has gone, too.
goes_under_readers() {
	sqlite3 "$DB" ".backup $DB.new"
	python3 - "$M" "$DB" <<-END
		import os, sys, time
		m, db = sys.argv[1:]
		log = m + "/sessions/x/log.jsonl"
		whole = open(log).read()
		def reads(n, until):
		    while time.monotonic() < until:
		        said = open(log).read()
		        assert said == whole, said
		        assert "two" in open(m + "/sessions/x/transcript.md").read()
		        assert open(m + "/notes/a.md").read() == "# A note\n"
		        time.sleep(0.003 * n)
		until = time.monotonic() + 1
		children = []
		for n in range(6):
		    children.append(os.fork())
		    if children[-1] == 0:
		        try:
		            reads(n, until)
		            os._exit(0)
		        except Exception as error:
		            print(n, repr(error), flush=True)
		            os._exit(1)
		$1
		sys.exit(any([os.waitpid(child, 0)[1] for child in children]))
	END
	rescued
}

@test "renamed over beside readers: they see all that was there, and so does rescue" {
	goes_under_readers 'os.rename(db + ".new", db)'
}

@test "its log deleted beside readers" {
	goes_under_readers 'os.unlink(db + "-wal")'
}

@test "deleted beside readers" {
	goes_under_readers 'os.unlink(db)'
}

@test "renamed over, as sync tools do" {
	sqlite3 "$DB" ".backup $T/backup.db"
	mv "$T/backup.db" "$DB"
	stands_still GONE
	rescued
}

@test "linked: read-only until the other name has gone; such a file is not mounted" {
	ln "$DB" "$T/link.db"
	stands_still LINKED
	cinta_umount
	run "$CINTA" mount "$T/link.db" "$M"
	[ "$status" -eq 1 ]
	[[ $output == *'2 names'*'hard links'* ]]
	run cinta_mount
	[ "$status" -eq 1 ]
	[[ $output == *'2 names'* ]]
	rm "$T/link.db"
	cinta_mount
	say x three
	cinta_umount
	verified
}

@test "cut short in place: nothing is written any more, and what can be read is saved" {
	for i in $(seq 200); do say x "$i $(head -c 1500 /dev/urandom | base64 -w0)"; done
	cinta_umount
	cp "$DB" "$T/backup.db"
	cinta_mount
	say x last
	sleep 2.2 # maintenance has seen its size
	truncate -s 40960 "$DB"
	wait_for 5 is_told CUT
	wait_for 5 grep -q 'DATABASE CUT.*cinta rescue DIR NEW.db' "$M/errors.log"
	run bash -c 'echo "{\"content\":\"lost\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	run python3 -c 'import os, sys; os.fsync(os.open(sys.argv[1], os.O_RDONLY))' "$M/sessions/x/log.jsonl"
	[[ $output == *'Input/output error'* ]]
	run timeout 60 "$CINTA" rescue "$M" "$T/new.db" # as much as it has in memory
	[ "$status" -le 1 ]
	cinta_umount
	[ "$(stat -c %s "$DB")" -eq 40960 ]
	[ -s "$DB-wal" ] # not copied into what is left
	run "$CINTA" verify "$DB"
	[ "$status" -ne 0 ]
	mv "$T/backup.db" "$DB"
	rm -f "$DB-wal" "$DB-shm" "$DB.checkpoint"
	verified
}

@test "its log cut short in place, or a shorter file copied over it" {
	cinta_umount
	cp "$DB" "$T/old.db"
	cinta_mount
	for i in $(seq 60); do say x "$i $(head -c 1500 /dev/urandom | base64 -w0)"; done
	sleep 0.5
	truncate -s 0 "$DB-wal"
	wait_for 5 is_told CUT
	run bash -c 'echo "{\"content\":\"lost\"}" >> "$0"' "$M/sessions/x/log.jsonl"
	[[ $output == *'Read-only file system'* ]]
	cinta_umount
	run "$CINTA" verify "$DB" # as far as it was copied back; what was signed since is missed
	[[ $output == OK* || $output == ROLLBACK* ]]
	cp "$T/old.db" "$DB"
	rm -f "$DB-wal" "$DB-shm" "$DB.checkpoint"
	cinta_mount
	for i in $(seq 60); do say x "$i $(head -c 1500 /dev/urandom | base64 -w0)"; done
	cinta_umount
	cinta_mount
	say x last
	sleep 0.5
	[ "$(stat -c %s "$T/old.db")" -lt "$(stat -c %s "$DB")" ]
	sqlite3 "$DB" 'PRAGMA wal_checkpoint' > /dev/null
	sleep 0.5
	cat "$T/old.db" > "$DB"
	wait_for 5 is_told CUT
	cinta_umount
}

@test "a file that gets shorter by itself is not cut: a redaction" {
	for i in $(seq 300); do say x "$i $(head -c 1500 /dev/urandom | base64 -w0)"; done
	cinta_umount
	cinta_mount
	sleep 2.2
	size=$(stat -c %s "$DB")
	"$CINTA" redact --match '^[0-9]+ ' --reason test --yes "$DB"
	wait_for 10 grep -q 'redacted: test' "$M/sessions/x/log.jsonl"
	sleep 2.2
	[ "$(stat -c %s "$DB")" -lt "$size" ]
	not grep -q 'DATABASE' "$M/.cinta/status.json" "$M/errors.log"
	say x three
	cinta_umount
}

@test "its side file removed or replaced: what is off the tape is kept anew, at once" {
	mkdir -p "$M/smma/workspace/d"
	echo one > "$M/smma/workspace/d/one"
	sync "$M/smma/workspace/d/one"
	sleep 2.2 # it has settled
	rm "$DB.side"
	wait_for 5 grep -q 'SIDE.*removed or replaced' "$M/errors.log"
	are_kept() { [ "$(sqlite3 "$DB.side" "SELECT count(*) FROM scratch WHERE name IN ('one', '.env')")" -eq 2 ]; }
	wait_for 5 are_kept
	echo two > "$M/smma/workspace/d/two"
	kill -9 "$(owner_of "$DB")"
	cinta_mount
	[ "$(cat "$M/smma/workspace/d/one" "$M/notes/.env")" = "$(printf 'one\ndraft')" ]
	sleep 1.2
	sqlite3 "$T/other.side" 'CREATE TABLE t(x)'
	mv "$T/other.side" "$DB.side"
	wait_for 5 grep -q 'SIDE.*removed or replaced' "$M/errors.log"
	sync "$M/smma/workspace/d/one"
	sleep 1.5
	rm "$DB.side-wal"
	echo three > "$M/smma/workspace/d/three"
	sync "$M/smma/workspace/d/three"
	sleep 1.5
	kill -9 "$(owner_of "$DB")"
	cinta_mount
	[ "$(cat "$M/smma/workspace/d/one" "$M/smma/workspace/d/three")" = "$(printf 'one\nthree')" ]
	rm "$DB.side"* # and at once to the end
	cinta_umount
	cinta_mount
	[ "$(cat "$M/smma/workspace/d/one" "$M/notes/.env")" = "$(printf 'one\ndraft')" ]
	cinta_umount
}

@test "its log deleted: all is copied back" {
	rm "$DB-wal"
	stands_still GONE
	rescued
}

@test "the index of its log deleted: nobody writes over what another has stored" {
	rm "$DB-shm"
	stands_still GONE
	for i in {1..300}; do echo "{\"role\":\"user\",\"content\":\"beside $i\"}"; done > "$T/talk.jsonl"
	"$CINTA" import "$T/talk.jsonl" "$DB"
	cinta_umount
	cinta_mount
	[ "$(contents "$M/sessions/x/log.jsonl" | tr '\n' ' ')" = 'one two ' ]
	[ "$(cat "$M"/sessions/*/log.jsonl | grep -c beside)" -eq 300 ]
	say x four
	cinta_umount
	verified
}

@test "a rescue of what is no mount, or of a live one" {
	run "$CINTA" rescue "$T" "$T/new.db"
	[ "$status" -eq 1 ]
	[[ $output == *'nothing is mounted there'* ]]
	run "$CINTA" rescue "$M"
	[ "$status" -eq 2 ]
	run "$CINTA" rescue "$M" "$T/none/new.db"
	[ "$status" -eq 1 ]
	[[ $output == *'No such file'* ]]
	"$CINTA" rescue "$M" "$T/new.db" | grep -q '^OK'
	say x three
	kill -9 "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	run "$CINTA" rescue "$M" "$T/newer.db"
	[ "$status" -eq 1 ] && [[ $output == *'no process that serves'* ]]
}
