# SPDX-License-Identifier: MIT
# The power goes: what an fsync answered for is there, and the tape is whole, whatever the disk did
# with what was not synced.  CINTA_CUTS=N: so many cuts; CINTA_SEED chooses them.
load ../lib.sh

setup() {
	cinta_setup
	HERE=$BATS_TEST_DIRNAME/cuts
	mkdir -m 700 "$T/disk"
	DB=$T/disk/memory.db
	cc -std=c17 -D_GNU_SOURCE -O1 -shared -fPIC -o "$T/record.so" "$HERE/record.c"
}
teardown() { cinta_teardown; }

# recorded COMMAND…: what it does to the disk goes into the journal
recorded() { CUT_DIR=$T/disk CUT_LOG=$T/journal LD_PRELOAD=$T/record.so "$@"; }

@test "power cuts at any moment of a memory's life: nothing that was synced is lost" {
	cinta_mount
	cinta_umount
	cp -a "$T/disk" "$T/before"
	cuts=${CINTA_CUTS:-$(many 60 1000)} seed=${CINTA_SEED:-$RANDOM}
	recorded "$CINTA" mount "$DB" "$M"
	python3 "$HERE/cuts.py" work "$M" "$T/journal" "$T/notes" "$(many 120 400)"
	cinta_umount
	wait_for 10 not owned "$DB"
	# a second life over the same files: opening and closing are cut too
	recorded "$CINTA" mount "$DB" "$M"
	cinta_umount
	wait_for 10 not owned "$DB"
	CINTA=$CINTA python3 "$HERE/cuts.py" cut "$T/before" "$T/journal" "$T/notes" "$T/cut" "$cuts" "$seed"
	# what the last cut left can be used
	DB=$T/cut/memory.db
	cinta_mount
	echo '{"role":"user","content":"after"}' >> "$M/sessions/s0/log.jsonl"
	tail -1 "$M/sessions/s0/log.jsonl" | grep -q after
	cinta_umount
	"$CINTA" verify --all "$DB"
}
