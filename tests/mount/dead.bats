# SPDX-License-Identifier: MIT
# A daemon that dies while readers of cached pages wait for it: a thread of it may be
# stuck in the kernel, and everything that touches the mount with it.  What is left
# comes free by itself or with the next plain `cinta mount`.
# CINTA_ROUNDS=N: so many rounds; 24, in make test-long 1000.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; ROUNDS=${CINTA_ROUNDS:-$(many 24 1000)}; }
teardown() {
	[ "$(id -u)" -ne 0 ] || umount -f "$T"/*/memory "$T"/*/reading "$M" 2> /dev/null || true
	cinta_teardown
}

# guard_of PID: the supervisor of a daemon
guard_of() { pgrep -P "$1" -x cinta-guard; }
# gone PID: none of its threads is left; its parent may not have heard of it yet
gone() {
	[ "$(ls "/proc/$1/task" 2> /dev/null | wc -l)" -le 1 ] &&
		{ [ ! -e "/proc/$1" ] || grep -q '^State:.Z' "/proc/$1/status"; }
}
# can_abort: the kernel lets us abort a connection
can_abort() { [ "$(id -u)" -eq 0 ] || mountpoint -q /sys/fs/fuse/connections; }

# rounds SIGNAL N: in $T/SIGNAL
rounds() {
	mkdir "$T/$1"
	python3 "$HERE/kill_readers.py" "$CINTA" "$T/$1" "$2" "$1" 3>&- | tee -a "${CINTA_COUNTS:-/dev/null}"
	[ "${PIPESTATUS[0]}" -eq 0 ]
}

# stuck: a mount whose daemon and supervisor are dead, with a thread left in the kernel
stuck() {
	mkdir "$T/stuck"
	DB=$T/stuck/memory.db M=$T/stuck/memory
	DEAD=$(python3 "$HERE/kill_readers.py" "$CINTA" "$T/stuck" 200 STUCK 3>&-)
	[ -n "$DEAD" ]
}

@test "kill -9 under six readers: nothing is frozen, nothing acknowledged is lost" {
	can_abort || skip 'only root may abort connections here'
	rounds KILL "$ROUNDS"
}

@test "a crash under six readers: the same" {
	can_abort || skip 'only root may abort connections here'
	rounds SEGV $(((ROUNDS + 1) / 2))
}

@test "SIGTERM under six readers: the daemon ends, nothing is lost" {
	rounds TERM $(((ROUNDS + 1) / 2))
}

# as_nobody FUSECTL N: as many rounds by an ordinary user; FUSECTL is a command that mounts it, or not
as_nobody() {
	[ "$(id -u)" -eq 0 ] || skip 'the tests above run as one already'
	mkdir "$T/KILL"
	mknod -m 666 "$T/fuse" c 10 229
	chmod 755 "$T"
	cp "$CINTA" "$T/cinta"
	cp "$HERE/kill_readers.py" "$T"
	chmod 755 "$T/cinta" "$T/kill_readers.py"
	chown nobody "$T/KILL"
	unshare -m bash -c 'mount --bind "$1/fuse" /dev/fuse || exit 1
		umount /sys/fs/fuse/connections 2> /dev/null
		eval "$3"
		exec env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME="$1/KILL" $4 \
			setpriv --reuid nobody --clear-groups \
			python3 "$1/kill_readers.py" "$1/cinta" "$1/KILL" "$2" KILL' - "$T" "$2" "$1" "${3:-}" 3>&- |
		tee -a "${CINTA_COUNTS:-/dev/null}"
	[ "${PIPESTATUS[0]}" -eq 0 ]
}

@test "an ordinary user's dead daemon needs no root" {
	as_nobody 'mount -t fusectl none /sys/fs/fuse/connections' "$ROUNDS"
}

@test "an ordinary user's dead daemon needs no fusectl, if its supervisor lives" {
	as_nobody true "$ROUNDS" CINTA_GUARDED=1
}

@test "status, doctor and umount never wait for a dead daemon's mount" {
	can_abort || skip 'only root may abort connections here'
	stuck
	run timeout 10 "$CINTA" status "$DB"
	[ "$status" -eq 0 ]
	[[ $output == *"process $DEAD, which served this, is dead"* ]]
	[[ $output == *$'\ndaemon          none'* ]]
	run timeout 20 "$CINTA" doctor "$M"
	[ "$status" -eq 1 ]
	[[ $output == *"fail $M: its daemon died"* ]]
	[[ $output == *"process $DEAD owns it and is dead"* ]]
	# The lazy kind takes the name away: what is behind it must have been freed before.
	run timeout 10 "$CINTA" umount -l "$M"
	echo "$output"
	[ "$status" -eq 0 ]
	wait_for 5 gone "$DEAD"
	run ! owned "$DB"
	timeout 10 "$CINTA" mount "$DB" "$M"
	[ "$(owner_of "$DB")" != "$DEAD" ]
	wait_for 10 cinta_umount "$M"
	wait_for 10 cinta_umount "$T/stuck/reading"
	verified
}

@test "a dead daemon's database can be mounted elsewhere" {
	can_abort || skip 'only root may abort connections here'
	stuck
	mkdir "$T/other"
	run timeout 10 "$CINTA" mount "$DB" "$T/other"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"(process $DEAD) died while a thread of it was waiting"* ]]
	[ -s "$T/other/sessions/x/log.jsonl" ]
	run timeout 10 ls "$M"
	[[ $output == *'not connected'* ]]
	# Whoever read in the dead one may not have ended yet.
	for dir in "$M" "$T/stuck/reading" "$T/other"; do wait_for 10 cinta_umount "$dir"; done
	verified
}

@test "a daemon that has been sent its end, and has not got to it, is no owner" {
	cinta_mount
	cinta_umount
	# It holds the lock and cannot be woken, but by SIGKILL: it waits for its child as vfork(2) does.
	python3 - "$DB.lock" 3>&- <<-'PY' &
		import ctypes, fcntl, os, platform, sys, time
		lock = open(sys.argv[1], "r+")
		fcntl.flock(lock, fcntl.LOCK_EX)
		lock.write(f"{os.getpid()}\n\n")
		lock.truncate()
		lock.flush()
		VFORK, CHLD = 0x4000, 17
		clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
		if ctypes.CDLL(None).syscall(clone, VFORK | CHLD, 0, 0, 0, 0) == 0:
		    lock.close()
		    time.sleep(60)
		    os._exit(0)
	PY
	held=$!
	waits() { grep -q '^State:.D' "/proc/$held/status" && pgrep -P "$held" > /dev/null; }
	wait_for 5 waits
	run "$CINTA" status "$DB"
	[[ $output == *$'\ndaemon          '"$held"* ]]
	kill -SEGV "$held"
	waits
	run timeout 10 "$CINTA" status "$DB"
	[[ $output == *"process $held, which served this, is dead"* ]]
	(sleep 1; pkill -9 -P "$held") 3>&- &
	timeout 10 "$CINTA" mount "$DB" "$M"
	wait "$held" || true
	[ "$(owner_of "$DB")" != "$held" ]
}

# stop_worker PID: one of its threads that wait for a request stops, as if it hung
stop_worker() {
	python3 - "$1" 3>&- <<-'PY' &
		import ctypes, os, signal, sys
		libc = ctypes.CDLL(None, use_errno=True)
		pid = sys.argv[1]
		worker = [int(t) for t in os.listdir(f"/proc/{pid}/task")
		          if open(f"/proc/{pid}/task/{t}/wchan").read() == "fuse_dev_do_read"][0]
		SEIZE, INTERRUPT = 0x4206, 0x4207
		for request in (SEIZE, INTERRUPT):
		    if libc.ptrace(request, worker, None, None):
		        sys.exit(os.strerror(ctypes.get_errno()))
		open(f"/proc/{pid}/task/{worker}/stat").read()
		open(os.environ["T"] + "/stopped", "w").close()
		signal.pause()
	PY
	TRACER=$!
	wait_for 5 test -e "$T/stopped"
}

@test "SIGTERM ends the daemon though a thread of it hangs" {
	[ "$(id -u)" -eq 0 ] || skip 'traces a process that may not be traced: for root'
	export T
	cinta_mount
	say x one two
	pid=$(owner_of "$DB")
	guard=$(guard_of "$pid")
	stop_worker "$pid"
	kill -TERM "$pid"
	wait_for 20 not owned "$DB"
	kill -9 $TRACER
	wait $TRACER || true
	wait_for 5 gone "$guard"
	[ -z "$(mounts_below "$T")" ]
	grep -q 'does not end' "$DB.log"
	verified
	"$CINTA" status --json "$DB" |
		python3 -c 'import json, sys; s = json.load(sys.stdin); assert s["signed_upto"] == s["entries"] > 2, s'
}

@test "the supervisor: beside the daemon, without its files, gone with it" {
	[ "$(id -u)" = 0 ] || skip 'its files are for root to see: it is not dumpable'
	cinta_mount
	pid=$(owner_of "$DB")
	guard=$(guard_of "$pid")
	"$CINTA" status "$DB" | grep -x "daemon          $pid"
	run ! grep -qE 'fuse$|memory.db|pipe:' <(ls -l "/proc/$guard/fd")
	[ "$(readlink "/proc/$guard/cwd")" = / ]
	[ "$(ls "/proc/$guard/task" | wc -l)" -eq 1 ]
	before=$(ls "/proc/$guard/fd" | wc -l)
	mkdir "$T/two"
	for n in 1 2 3 4 5; do
		"$CINTA" mount -o ro "$DB" "$T/two"
		cinta_umount "$T/two"
	done
	# The daemon drops what was unmounted when the next one comes.
	[ "$(ls "/proc/$guard/fd" | wc -l)" -le $((before + 1)) ]
	kill -TERM "$guard"
	kill -USR2 "$guard"
	sleep 0.3
	[ -e "$M/README.md" ]
	kill -0 "$guard"
	cinta_umount
	wait_for 5 gone "$guard"
	wait_for 5 gone "$pid"
}

@test "a daemon whose supervisor was killed says so and goes on" {
	cinta_mount
	pid=$(owner_of "$DB")
	kill -9 "$(guard_of "$pid")"
	wait_for 5 grep -q 'frees the mounts .* has gone' "$DB.log"
	say x still
	[ "$(contents "$M/sessions/x/log.jsonl")" = still ]
	run ! guard_of "$pid"
	cinta_umount
	wait_for 5 gone "$pid"
}

@test "-f: Ctrl-C ends the daemon with 0, and its supervisor" {
	set -m
	"$CINTA" mount -f "$DB" "$M" 3>&- &
	front=$!
	set +m
	wait_for 10 test -e "$M/README.md"
	guard=$(guard_of $front)
	kill -INT -- -$front
	wait $front
	wait_for 5 gone "$guard"
	[ -z "$(mounts_below "$T")" ]
	run ! owned "$DB"
}
