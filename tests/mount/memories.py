#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Remembers the documents of a mount and says later whether each is still there.

	memories.py remember MOUNT FILE    every document, with the hash of each of its versions
	memories.py check MOUNT FILE       each of those versions is one of a document that is listed,
	                                   or NAME@N of its old name; prints what is not
	memories.py stand MOUNT FILE       besides, each has its name and newest bytes as before
"""
import hashlib
import json
import os
import sys

ROOTS = ("smma", "blocks", "memories", "components", "algorithms", "notes")


def sha(path):
	with open(path, "rb") as f:
		return hashlib.sha256(f.read()).hexdigest()


def versions(path):
	with open(path + "@log") as f:
		count = sum(1 for _ in f)
	return [sha(f"{path}@{n}") for n in range(1, count + 1)]


def documents(mount):
	"""Path -> hashes of its versions, for every listed file that has a history."""
	found = {}
	for root in ROOTS:
		for folder, _, names in os.walk(os.path.join(mount, root)):
			for name in names:
				path = os.path.join(folder, name)
				if not os.path.islink(path) and os.path.exists(path + "@log"):
					hashes = versions(path)
					assert sha(path) == hashes[-1], f"{path} is not its newest version"
					found[os.path.relpath(path, mount)] = hashes
	return found


def main():
	what, mount, file = sys.argv[1:]
	now = documents(mount)
	if what == "remember":
		with open(file, "w") as f:
			json.dump(now, f)
		return
	with open(file) as f:
		before = json.load(f)
	kept = {h for hashes in now.values() for h in hashes}
	for path in before.keys() - now.keys():  # it gave its name to another, the history is under it
		if os.path.exists(f"{mount}/{path}@log"):
			kept |= set(versions(f"{mount}/{path}"))
	bad = [p for p, hashes in before.items() if not set(hashes) <= kept]
	if what == "stand":
		bad += [p for p, hashes in before.items() if now.get(p, [None])[-1] != hashes[-1]]
	for path in bad:
		print(f"{path}: not there as it was")
	sys.exit(bool(bad))


main()
