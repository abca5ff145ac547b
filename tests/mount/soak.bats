# SPDX-License-Identifier: MIT
# Mixed clients for a while; half an hour in `make test-long`.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

@test "mixed clients: nothing is lost, and the daemon holds no more at the end" {
	mkdir "$T/ro"
	cinta_mount
	"$CINTA" mount -o ro "$DB" "$T/ro"
	run python3 "$HERE/soak.py" "$(many 20 1800)" "$M" "$T/ro" "$(owner_of "$DB")"
	echo "$output" | sed 's/^/# /'
	[ "$status" -eq 0 ]
	# each write that returned is a line
	[ "$(grep '^append' <<< "$output" | awk '{ sum += $3 } END { print sum }')" -eq \
		"$(sed -n 's/^lines //p' <<< "$output")" ]
	cinta_umount
	run -0 "$CINTA" verify --all "$DB"
	[[ $output == OK:* ]]
}
