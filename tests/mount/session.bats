#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The console blocks of README.md and of the pages in docs/, word for word (typed.py).

load ../lib.sh
setup() {
	cinta_setup
	rmdir "$M"
	mkdir "$T/home/cinta"
	cd "$T/home/cinta"
	ln -s "${CINTA%/*}" build
	ln -s "$CINTA_SOURCE/docs" docs
	mkdir "$T/bin" && ln -s "$CINTA" "$T/bin/cinta" && PATH=$T/bin:$PATH
	unset XDG_DATA_HOME XDG_CONFIG_HOME
}
teardown() { cd / && cinta_teardown; }

typed() { python3 "$CINTA_SOURCE/tests/mount/typed.py" "$1"; }

@test "README.md" { typed "$CINTA_SOURCE/README.md"; }

@test "docs/backup.md" { typed docs/backup.md; }

@test "docs/agents.md" { typed docs/agents.md; }

@test "docs/containers.md" {
	unshare --user --map-root-user --mount true 2> /dev/null || skip 'no user namespaces'
	typed docs/containers.md
}

@test "README's picture is of a session that still goes so" {
	python3 -B "$CINTA_SOURCE/docs/example/picture.py" "$T/now.svg" "$CINTA"
	# What changes from one to the next: times, hashes, and who types.
	same() { sed -E 's/[0-9T:.-]{10,}Z?/N/g; s/[0-9]+ entries, signed up to [0-9]+/N/; s/score [0-9.]+/N/; s/[a-z]+:rm/N/' "$1"; }
	diff <(same "$CINTA_SOURCE/docs/session.svg") <(same "$T/now.svg")
	python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$T/now.svg"
	! grep -qE '(href|src|url)' "$T/now.svg"
}
