#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a service manager hears (sd_notify) of `cinta mount -f`.

load ../lib.sh
setup() { cinta_setup; }
teardown() { cinta_teardown; }

# listen SOCKET FILE: keeps every datagram, a line each, with its sender's process
listen() {
	python3 -c 'import socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
name = sys.argv[1]
s.bind("\0" + name[1:] if name[0] == "@" else name)
s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
while True:
    data, extra, _, _ = s.recvmsg(8192, 1024)
    pid = struct.unpack("3i", extra[0][2])[0]
    print(pid, data.decode().replace("\n", " "), file=open(sys.argv[2], "a"), flush=True)' "$1" "$2" 3>&- &
	LISTENER=$!
	wait_for 10 grep -qF -- "$1" /proc/net/unix
}
told() { grep -qE -- "$1" "$T/said" 2> /dev/null; }
times_told() { [ "$(grep -cE -- "$1" "$T/said")" -ge "$2" ]; }

@test "ready when the mount answers, alive while it does, stopping at SIGTERM" {
	for socket in "$T/notify" "@$T/abstract"; do
		rm -f "$T/said"
		listen "$socket" "$T/said"
		NOTIFY_SOCKET=$socket WATCHDOG_USEC=600000 "$CINTA" mount -f "$DB" "$M" 3>&- &
		pid=$!
		wait_for 10 told "^$pid READY=1 STATUS=mounted on $M$"
		[ -e "$M/README.md" ]
		wait_for 10 times_told "^$pid WATCHDOG=1" 3
		kill "$pid"
		wait "$pid"
		wait_for 10 told "^$pid STOPPING=1"
		kill "$LISTENER"
	done
}

@test "a watchdog of another process, or none: it does not bark" {
	listen "$T/notify" "$T/said"
	NOTIFY_SOCKET=$T/notify WATCHDOG_USEC=300000 WATCHDOG_PID=1 "$CINTA" mount -f "$DB" "$M" 3>&- &
	pid=$!
	wait_for 10 told READY=1
	sleep 1
	not told WATCHDOG
	kill "$pid"
	wait "$pid"
	kill "$LISTENER"
}

@test "a daemon in the background has no manager" {
	listen "$T/notify" "$T/said"
	NOTIFY_SOCKET=$T/notify cinta_mount
	cinta_umount
	[ ! -e "$T/said" ]
	kill "$LISTENER"
}

@test "a socket that nobody listens to, or that is none, stops nothing" {
	for socket in "$T/nobody" relative "$(printf '/%0200d' 1)" ''; do
		NOTIFY_SOCKET=$socket WATCHDOG_USEC=x "$CINTA" mount -f "$DB" "$M" 3>&- &
		pid=$!
		wait_for 10 test -e "$M/README.md"
		kill "$pid"
		wait "$pid"
	done
}
