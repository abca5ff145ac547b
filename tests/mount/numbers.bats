# SPDX-License-Identifier: MIT
# A new document keeps its inode number from creat on: through its first save, a rename, its rest,
# in listings and for who has it open.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mount_with_clock
	cd "$M"
}
teardown() {
	cd /
	cinta_teardown
}

@test "creat, write, fsync, close, dup, rename, listing: one number" {
	python3 - <<'END'
import os
for path in ('notes/a.md', 'smma/plan.md', 'blocks/rules/be-kind.md', 'notes/deep/er/b.md'):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
    first = os.fstat(fd).st_ino
    def same(where, number):
        assert number == first, (path, where, first, number)
    text = b'---\ncode: be-kind\nname: Be kind\n---\nBe kind.\n' if 'blocks' in path else b'text\n'
    os.write(fd, text)
    same('written', os.fstat(fd).st_ino)
    os.fsync(fd)
    same('synced', os.fstat(fd).st_ino)
    same('by its path', os.stat(path).st_ino)
    os.close(os.dup(fd))
    os.write(fd, b'more\n')
    os.close(fd)
    same('closed', os.stat(path).st_ino)
    listed = {e.name: e.inode() for e in os.scandir(os.path.dirname(path))}
    same('listed', listed[os.path.basename(path)])
    with open(path, 'a') as f:
        f.write('and more\n')
        same('saved again', os.fstat(f.fileno()).st_ino)
    same('saved again, by its path', os.stat(path).st_ino)
    if path.startswith('notes'):
        os.rename(path, path + '.new.md')
        same('renamed', os.stat(path + '.new.md').st_ino)
END
}

@test "a new document by a temporary file has the number of that, an old one its own" {
	python3 - <<'END'
import os
for name in ('notes/a.md', 'notes/b.md'):
    with open(name + '.tmp', 'w') as f:
        f.write(name)
    number = os.stat(name + '.tmp').st_ino
    os.rename(name + '.tmp', name)
    assert os.stat(name).st_ino == number
    with open(name + '.tmp', 'w') as f:
        f.write('again')
    os.rename(name + '.tmp', name)
    assert os.stat(name).st_ino == number
numbers = [e.inode() for e in os.scandir('notes')]
assert len(numbers) == len(set(numbers)), numbers
END
}

@test "a name that is a note after a minute keeps its number" {
	mkdir -p notes
	echo text > 'notes/My plan'
	number=$(stat -c %i 'notes/My plan')
	clock_to +2m
	wait_for 20 test -e 'notes/My plan@log'
	[ "$(stat -c %i 'notes/My plan')" = "$number" ]
	clock_to +4m
	sleep 1.5
	[ "$(stat -c %i 'notes/My plan')" = "$number" ]
}

@test "SQLite works in notes/, whatever its database is called" {
	mkdir -p notes
	for db in notes/a.db notes/b.md; do
		sqlite3 -bail "$db" 'CREATE TABLE t(x)' 'INSERT INTO t VALUES(1)' 'BEGIN' \
			'INSERT INTO t VALUES(2)' 'COMMIT' 'SELECT sum(x) FROM t' > "$T/sum"
		[ "$(cat "$T/sum")" = 3 ]
		sqlite3 -bail "$db" 'INSERT INTO t VALUES(3)'
		[ "$(sqlite3 "$db" 'SELECT sum(x) FROM t')" = 6 ]
		[ "$(sqlite3 "$db" 'PRAGMA integrity_check')" = ok ]
	done
}

@test "tar extracts a tree, and again over itself; a link that it cannot make is told" {
	mkdir -p "$T/tree/sub"
	echo one > "$T/tree/one.md"
	echo two > "$T/tree/sub/two.md"
	tar -C "$T/tree" -cf "$T/tree.tar" .
	mkdir -p notes/tree
	for how in --unlink-first --overwrite; do
		tar -C notes/tree $how -xf "$T/tree.tar"
		diff -r "$T/tree" notes/tree
	done
	ln -s ../x.md "$T/tree/link.md"
	tar -C "$T/tree" -cf "$T/links.tar" link.md
	run ! tar -C notes/tree -xf "$T/links.tar"
	[[ $output == *link.md* ]]
	tar -C notes -cf - tree | tar -tf - | grep -q tree/sub/two.md
}
