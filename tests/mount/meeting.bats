# SPDX-License-Identifier: MIT
# Programs that meet on one name while it is being saved: nobody's bytes are lost.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mkdir "$T/second"
	cinta_mount
	"$CINTA" mount "$DB" "$T/second"
}
teardown() { cinta_teardown; }

meet() { timeout 60 python3 "$BATS_TEST_DIRNAME/meeting.py" "$M" "$T/second" "$1"; }

@test "who reads a new file that is being written does not save it" { meet reader_of_a_new_file; }
@test "two who make one document, one by renaming: both versions stay" { meet two_make_one; }
@test "appending through the descriptor that made the file" { meet append_through_the_maker; }
@test "appending through a document that was renamed onto another, and to a first session.md" {
	meet append_through_a_rename
}
@test "removing a new document while it is written keeps its bytes" { meet removed_while_written; }
@test "writing to the backup of a hidden document is no save of it" { meet backup_is_not_the_document; }
@test "scratch ages by its changes, not by the times it was given" { meet old_times; }
@test "a file made in one mount is listed in the other" { meet seen_in_the_other_mount; }
@test "a child that closes what it inherited saves nothing" { meet child_closes_what_it_inherited; }
@test "nobody waits for ever where an exec closes what is being written" { meet exec_closes_what_it_inherited; }
@test "two who make one new document at once: both texts, neither mixed nor empty" { meet two_newborns; }
@test "truncating a file that became a document since it was looked up" { meet cut_through_an_old_look; }
@test "a private mapping opened after a save shows that save" { meet private_mapping; }
