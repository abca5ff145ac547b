# SPDX-License-Identifier: MIT
# docs/seeds.md has each of the 124 requirements once, and says of each what its test is called, or where else it is done.
bats_require_minimum_version 1.5.0

# rows: ID|SECTION: REQUIREMENT|WHERE
rows() { sed -nE 's/^\| ([0-9]{3}\.[0-9]{2}) \| (§[^|]*[^| ]) \| ([^|]*[^| ]) \| ([^|]*[^| ]) \|$/\1|\2: \3|\4/p' "$CINTA_SOURCE/docs/seeds.md"; }
# tests: the same of the tests
tests() {
	local file
	for file in "$CINTA_SOURCE"/tests/seeds/*.bats; do
		sed -nE "s,^@test \"([0-9]{3}\.[0-9]{2}) (§.*)\" \{\$,\1|\2|\`tests/seeds/${file##*/}\`,p" "$file" | sed 's/\\"/"/g'
	done | sort
}

@test "124 of 124 requirements are accounted for" {
	for seed in 000:30 001:24 002:36 003:15 004:19; do
		seq -f "${seed%:*}.%02g" "${seed#*:}"
	done > "$BATS_TEST_TMPDIR/all"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/all")" -eq 124 ]
	rows | cut -d'|' -f1 | diff "$BATS_TEST_TMPDIR/all" -
}

@test "each test is a row, in the row's words, and each row that names a file is a test" {
	diff <(rows | grep '`tests/seeds/[a-z]*\.bats`$') <(tests)
	[ "$(tests | wc -l)" -ge 114 ]
}
