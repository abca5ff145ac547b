# SPDX-License-Identifier: MIT
# Two writers save one document, twenty read it: each version is whole and in the
# history, and no reader sees a part, a mixture, or an older one after a newer one.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
}
teardown() { cinta_teardown; }

@test "thousands of saves by two writers before twenty readers" {
	saves=$(many 5000 50000)
	python3 "$HERE/save_writer.py" crowd "$M/notes" first 1
	readers=()
	for n in $(seq 20); do
		python3 "$HERE/save_writer.py" read "$M/notes" "$T/done" > "$T/read.$n" 2>&1 3>&- &
		readers+=($!)
	done
	python3 "$HERE/save_writer.py" crowd "$M/notes" one "$saves" > "$T/one" 2>&1 3>&- &
	one=$!
	python3 "$HERE/save_writer.py" crowd "$M/notes" two "$saves" > "$T/two" 2>&1 3>&- &
	two=$!
	wait $one || { cat "$T/one"; false; }
	wait $two || { cat "$T/two"; false; }
	touch "$T/done"
	for reader in "${readers[@]}"; do wait "$reader" || { cat "$T"/read.*; false; }; done
	cat "$T"/read.* | tr '\n' ' '
	python3 "$HERE/save_writer.py" history "$M/notes" $((2 * saves + 1))
	[ -z "$(find "$M/notes" -name '.*')" ]
	cinta_umount
	verified
}
