#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Saves documents and checks what is read, for save_kill.bats and save_crowd.bats.

A text says what it is: "v NAME NUMBER", a body of lines that NUMBER decides, and
the hash of all that at its end.  A version that is mixed, cut or empty cannot
pass for a whole one.

	save_writer.py killed DIR NOTES        s0.md … s3.md in DIR are whole, as new as the last save
	                                       that NOTES says has returned
	save_writer.py kill DIR NOTES          the same; then goes on saving them until a save fails, and
	                                       notes each that begins and each that has returned
	save_writer.py crowd DIR NAME COUNT    COUNT saves of shared.md, in place and by rename in turn
	save_writer.py read DIR DONE           reads shared.md until the file DONE is there: whole, and
	                                       never an older version after a newer one
	save_writer.py history DIR COUNT       all versions of shared.md are whole, COUNT of them in
	                                       all and none twice
"""
import hashlib
import os
import sys
import time


def text(name, number):
	body = f"v {name} {number}\n" + f"line {number} of {name}\n" * (number * 7919 % 200)
	return (body + hashlib.sha256(body.encode()).hexdigest() + "\n").encode()


def whole(data):
	"""The name and number of a text; an error if it is not one."""
	told = f"not whole: {data[:80]!r} … {data[-80:]!r}"
	assert len(data) > 65 and hashlib.sha256(data[:-65]).hexdigest().encode() == data[-65:-1], told
	_, name, number = data[:data.index(b"\n")].decode().split(" ")
	return name, int(number)


def put(path, data, sync):
	fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
	try:
		half = len(data) // 2
		os.write(fd, data[:half])
		os.write(fd, data[half:])
		if sync:
			os.fsync(fd)
	finally:
		os.close(fd)


def save(path, data, how):
	"""how: bit 0 by a temporary file and rename, bit 1 with fsync"""
	if how & 1:
		folder, name = os.path.split(path)
		temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
		put(temporary, data, how & 2)
		os.rename(temporary, path)
	else:
		put(path, data, how & 2)


def killed(folder, notes):
	"""The newest number of all that began."""
	saved, began = {}, {}
	with open(notes) as f:
		for line in f:
			word, name, number = line.split()
			(saved if word == "saved" else began)[name] = int(number)
	for name in began:
		path = f"{folder}/{name}.md"
		if not os.path.exists(path):
			assert name not in saved, f"{name}: {saved[name]} was saved and nothing is there"
			continue
		with open(path, "rb") as f:
			got, number = whole(f.read())
		assert got == name, f"{got} is in {name}"
		assert saved.get(name, 0) <= number <= began[name], \
			f"{name}: {number} is there, {saved.get(name)} was saved, {began[name]} began"
	return max(began.values(), default=0)


def kill(folder, notes):
	number = killed(folder, notes)
	notes = os.open(notes, os.O_WRONLY | os.O_APPEND)
	try:
		while True:
			number += 1
			name = f"s{number % 4}"
			os.write(notes, f"began {name} {number}\n".encode())
			save(f"{folder}/{name}.md", text(name, number), number // 4)
			os.write(notes, f"saved {name} {number}\n".encode())
	except OSError:
		pass


def crowd(folder, name, count):
	for number in range(int(count)):
		save(f"{folder}/shared.md", text(name, number), number & 1)


def read(folder, done):
	newest, seen = {}, 0
	while not os.path.exists(done):
		with open(f"{folder}/shared.md", "rb") as f:
			name, number = whole(f.read())
		assert number >= newest.get(name, -1), f"{name} {number} after {newest[name]}"
		newest[name] = number
		seen += 1
		time.sleep(0.004)
	print(seen)


def history(folder, count):
	with open(f"{folder}/shared.md@log") as f:
		rows = f.read().splitlines()
	assert len(rows) == int(count), f"{len(rows)} versions"
	last, n = {}, 0
	for n, row in enumerate(rows, 1):
		assert row.split("\t")[0] == str(n)
		with open(f"{folder}/shared.md@{n}", "rb") as f:
			data = f.read()
		name, number = whole(data)
		assert number == last.get(name, -1) + 1, f"{name} {number} after {last.get(name)}"
		last[name] = number
		assert hashlib.sha256(data).hexdigest() in row
	with open(f"{folder}/shared.md", "rb") as f:
		assert f.read() == data


globals()[sys.argv[1]](*sys.argv[2:])
