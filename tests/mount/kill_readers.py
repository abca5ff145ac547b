#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""kill_readers.py CINTA DIR ROUNDS SIGNAL [LIMIT]: kills the daemon under load, again and again.

Each round mounts a memory at DIR/memory (and read-only at DIR/reading), lets two
programs append, two save, and six read through the page cache, sends SIGNAL to
the daemon, and mounts again with a plain `cinta mount`: at once, or when the
supervisor has had its time, or without a supervisor, which was killed as well.
A mount that with a look at a file takes more than LIMIT seconds (2) is counted as
slow; one of 20 seconds, one that is refused, or a process that cannot end, as
frozen.  Then all that was acknowledged is looked for.

Prints what it counted; exits 0 if nothing was frozen, slow or lost.  A line a
round goes to DIR/rounds.

With STUCK for SIGNAL: kills daemon and supervisor until a thread of the daemon is
left in the kernel, leaves that as it is, and prints the daemon's process id.
"""
import fcntl
import glob
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

CINTA, DIR, ROUNDS = sys.argv[1], sys.argv[2], int(sys.argv[3])
SIGNAL = getattr(signal, "SIG" + sys.argv[4], signal.SIGKILL)
LIMIT = float(sys.argv[5]) if len(sys.argv) > 5 else 2.0
DB, M, R = f"{DIR}/memory.db", f"{DIR}/memory", f"{DIR}/reading"
LOG = "sessions/x/log.jsonl"
READERS, FROZEN_S = 6, 20
WAYS = ("at once", "later", "alone")
STUCK = b"was waiting in the kernel"
AGAIN = "CINTA_AGAIN" in os.environ  # a mount that is refused is tried again
GUARDED = "CINTA_GUARDED" in os.environ  # no supervisor is killed


def child(work, *args):
	pid = os.fork()
	if pid == 0:
		null = os.open("/dev/null", os.O_RDWR)
		for fd in range(3):  # who waits for our output must not wait for what is stuck
			os.dup2(null, fd)
		try:
			work(*args)
		except OSError:
			pass  # the daemon is dead
		os._exit(0)
	return pid


def append(name, notes):
	out = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
	log = os.open(f"{M}/{LOG}", os.O_WRONLY | os.O_APPEND)
	n = 0
	while True:
		text = f"{name}-{n}-" + "x" * (n % 90)
		os.write(log, f'{{"role":"user","content":"{text}"}}\n'.encode())
		os.write(out, text.encode() + b"\n")
		n += 1


def body(number):
	text = f"v {number}\n" + f"line {number}\n" * (number * 7919 % 300)
	return (text + hashlib.sha256(text.encode()).hexdigest() + "\n").encode()


def save(path, number, notes):
	"""Whole versions with rising numbers; notes what began and what has returned."""
	out = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
	while True:
		number += 1
		os.write(out, f"began {number}\n".encode())
		fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
		os.write(fd, body(number))
		os.close(fd)
		os.write(out, f"saved {number}\n".encode())


def read(n):
	"""Cached pages: by the read-only mount, and by a descriptor that stays open."""
	files = [f"{R}/{LOG}", f"{R}/sessions/x/transcript.md", f"{R}/notes/a.md", f"{M}/{LOG}"]
	kept = os.open(f"{(R, M)[n % 2]}/{LOG}", os.O_RDONLY)
	at = random.Random(n)
	while True:
		with open(files[0 if n < 4 else at.randrange(4)], "rb", buffering=0) as f:
			while f.read(1 << 17):
				pass
		size = os.fstat(kept).st_size
		for _ in range(8):
			os.pread(kept, 1 << 16, max(0, size - at.randrange(1 << 17)))


def run(*args, patience=FROZEN_S):
	"""Exit status, -1 when it does not end."""
	p = subprocess.Popen([CINTA, *args], stdout=subprocess.DEVNULL, stderr=open(f"{DIR}/said", "ab"))
	try:
		return p.wait(patience)
	except subprocess.TimeoutExpired:
		p.kill()
		return -1


def owner():
	with open(DB + ".lock") as f:
		return int(f.readline())


def owned():
	with open(DB + ".lock") as f:
		try:
			fcntl.flock(f, fcntl.LOCK_SH | fcntl.LOCK_NB)
		except OSError:
			return True
	return False


def reap(pids, seconds):
	"""True when all have ended."""
	end = time.monotonic() + seconds
	left = set(pids)
	while left and time.monotonic() < end:
		for pid in list(left):
			if os.waitpid(pid, os.WNOHANG)[0]:
				left.discard(pid)
		time.sleep(0.005)
	return not left


notes_read = set()  # notes that were read once


class Tally:
	acked = saves = slow = lost = 0
	worst = 0.0
	seconds = []
	by_guard = by_mount = 0


def look(round_, notes, saved):
	"""Everything acknowledged in this round is there; returns the newest saves."""
	with open(f"{M}/{LOG}", "rb") as f:
		f.seek(0, os.SEEK_END)
		f.seek(max(0, f.tell() - (16 << 20)))
		lines = f.read().split(b"\n")
	tag = f"r{round_}".encode()
	there = [json.loads(line)["content"] for line in lines
		if line.startswith(b"{") and b'"' + tag in line]
	assert len(there) == len(set(there)), "a line twice"
	for path in notes:
		if os.path.exists(path):
			with open(path) as f:
				acked = f.read().split()
			os.unlink(path)
			missing = set(acked) - set(there)
			Tally.acked += len(acked)
			Tally.lost += len(missing)
	for name, path in saved.items():
		began = done = 0
		if os.path.exists(path):
			with open(path) as f:
				for line in f:
					word, number = line.split()
					if word == "saved":
						done = int(number)
						Tally.saves += 1
					began = int(number)
			os.unlink(path)
		if not began:
			continue
		try:
			with open(f"{M}/notes/{name}.md", "rb") as f:
				data = f.read()
			notes_read.add(name)
		except FileNotFoundError:  # the first save had begun, no more
			Tally.lost += done > 0 or name in notes_read
			continue
		number = int(data[2:data.index(b"\n")])
		if data != body(number) or not done <= number <= began:
			Tally.lost += 1
		numbers[name] = max(numbers[name], began)


def load(n):
	"""Mounts for reading, too, and sets the programs to work."""
	assert run("mount", "-o", "ro", DB, R) == 0, "the read-only mount"
	notes = [f"{DIR}/acked.{i}" for i in range(2)]
	saved = {name: f"{DIR}/saved.{name}" for name in ("a", "b")}
	pids = [child(append, f"r{n}.{i}", notes[i]) for i in range(2)]
	pids += [child(save, f"{M}/notes/{name}.md", numbers[name], saved[name]) for name in saved]
	pids += [child(read, i) for i in range(READERS)]
	time.sleep(random.uniform(0.15, 0.4))
	return pids, notes, saved


def get_stuck(n):
	"""True when the daemon is dead and a thread of it is not."""
	pid = owner()
	pids, _, saved = load(n)
	os.kill(supervisor(pid), signal.SIGKILL)
	os.kill(pid, SIGNAL)
	time.sleep(0.3)
	for _ in range(15):  # one that only waits for the disk ends meanwhile
		if len(glob.glob(f"/proc/{pid}/task/*")) <= 1:
			break
		time.sleep(0.1)
	else:
		print(pid)
		return True
	reap(pids, FROZEN_S)
	for name, path in saved.items():
		numbers[name] += 100000
	assert run("mount", DB, M) == 0
	return False


def one(n):
	"""A round; False when something is frozen."""
	pid = owner()
	pids, notes, saved = load(n)
	way = n % (2 if GUARDED else 3)
	guard = supervisor(pid)
	if way == 2:
		os.kill(guard, signal.SIGKILL)
	os.kill(pid, SIGNAL)
	if way == 1:
		time.sleep(0.4)
	began = time.monotonic()
	while SIGNAL == signal.SIGTERM and owned() and time.monotonic() - began < FROZEN_S:
		time.sleep(0.01)  # until then it is mounted, and a mount is refused
	status = run("mount", DB, M)
	while status > 0 and AGAIN and time.monotonic() - began < FROZEN_S:
		status = run("mount", DB, M)
	took = time.monotonic() - began
	if status == 0:
		with open(f"{M}/{LOG}", "rb") as f:
			f.read(100)
		took = time.monotonic() - began
	for child_pid in pids:  # by its name a file is found in the new mount, too
		os.kill(child_pid, signal.SIGKILL)
	ended = reap(pids, FROZEN_S)
	Tally.worst = max(Tally.worst, took)
	Tally.seconds.append(took)
	Tally.slow += took > LIMIT
	with open(f"{DIR}/rounds", "a") as f:
		f.write(f"{n} {WAYS[way]} status {status} took {took:.3f} ended {ended}\n")
	if status or not ended:
		for task in glob.glob(f"/proc/{pid}/task/*"):
			with open(task + "/stat") as f, open(task + "/wchan") as w:
				print("the dead daemon's thread", f.read().split()[:3], "waits in", w.read())
		with open(f"{DIR}/said") as f:
			print(f.read()[-500:])
		return False
	look(n, notes, saved)
	with open(f"{DIR}/said", "rb") as f:
		by_mount = f.read().count(STUCK)
	with open(DB + ".log", "rb") as f:
		by_guard = f.read().count(STUCK)
	Tally.by_mount, Tally.by_guard = by_mount, max(by_guard, Tally.by_guard)
	return True


def supervisor(pid):
	with open(f"/proc/{pid}/task/{pid}/children") as f:
		for child_pid in f.read().split():
			with open(f"/proc/{child_pid}/comm") as comm:
				if comm.read().strip() == "cinta-guard":
					return int(child_pid)
	assert "CINTA_AGAIN" in os.environ, "no supervisor"
	return pid


numbers = {"a": 0, "b": 0}
for path in (M, R):
	os.makedirs(path, exist_ok=True)
frozen = done = 0
assert run("mount", DB, M) == 0, "the first mount"
os.mkdir(f"{M}/sessions/x")
with open(f"{M}/{LOG}", "a") as f:
	for i in range(400):
		f.write('{"role":"user","content":"%s"}\n' % ("begin " * 40))
if sys.argv[4] == "STUCK":
	sys.exit(0 if any(get_stuck(n) for n in range(ROUNDS)) else 1)
for done in range(1, ROUNDS + 1):
	if not one(done):
		frozen += 1
		break
	if done % 50 == 0 and subprocess.run([CINTA, "verify", DB], stdout=subprocess.DEVNULL).returncode:
		print("verify finds a fault after round", done)
		frozen += 1
		break
for path in (M, R):
	subprocess.run(["umount", "-f", path] if frozen else [CINTA, "umount", path], stderr=subprocess.DEVNULL)
print(f"{done} rounds of SIG{sys.argv[4]}: {frozen} frozen, {Tally.lost} lost of {Tally.acked} lines "
	f"acknowledged and {Tally.saves} saves, {Tally.slow} slower than {LIMIT} s; median "
	f"{sorted(Tally.seconds)[len(Tally.seconds) // 2]:.2f} s, worst {Tally.worst:.2f} s; stuck threads "
	f"freed by the supervisor {Tally.by_guard}, by mount {Tally.by_mount}")
sys.exit(1 if frozen or Tally.lost or Tally.slow else 0)
