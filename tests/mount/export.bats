# SPDX-License-Identifier: MIT
# cinta export --site: the mounted pages as files, the same with a daemon and without, twice the same.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && H=$M/.cinta/html; }
teardown() {
	umount "$T/stick" 2> /dev/null || true
	cinta_teardown
}

# mounted PAGE: its bytes in the mount, with the search box of a copy
mounted() { sed 's,search/" data-end="\.html",search.html#q-" data-end="",' "$H/$1"; }

# stick: $T/stick is what a USB stick mostly is
stick() {
	mkdir "$T/stick" && truncate -s 40M "$T/fat" && mkfs.vfat "$T/fat" > /dev/null 2>&1 &&
		mount -o loop "$T/fat" "$T/stick" 2> /dev/null
}

@test "a copy has the bytes of the mounted pages, each that another leads to" {
	"$CINTA_SOURCE/docs/example/run.sh" "$M" "$DB" > /dev/null
	wait_for 30 bash -c "[ \"\$(cat '$M'/facts/*.md | grep -c '^- ')\" -ge 13 ]"
	(cd / && "$CINTA" export --site "$T/copy" "$M") > "$T/said"
	[[ $(cat "$T/said") == "$T/copy/index.html: "*" pages, "*" bytes" ]]
	python3 "$HERE/site.py" crawl "$T/copy"
	local page n=0
	while IFS= read -r page; do
		cmp <(mounted "$page") "$T/copy/$page" || { echo "$page" && return 1; }
		n=$((n + 1))
	done < <(cd "$T/copy" && find . -type f -printf '%P\n')
	[ "$n" -ge 100 ]
	[ "$n" -eq "$(grep -o '[0-9]* pages' "$T/said" | cut -d' ' -f1)" ]
	[ -e "$T/copy/doc/smma/user_profile.md@1.html" ]
	[ -e "$T/copy/search/postgresql.html" ]
	[ -z "$(find "$T/copy" -perm /077)" ]
	cinta_umount
	"$CINTA" export -d "$DB" --site "$T/again"
	diff -r "$T/copy" "$T/again"
	"$CINTA" export --site "$T/third" "$DB"
	diff -r "$T/copy" "$T/third"
	mv "$T/third" "$T/some where else" # all links are relative
	run -0 python3 "$HERE/site.py" crawl "$T/some where else"
	[ "${output%% *}" -eq "$n" ]
	verified
	stick || skip 'no vfat'
	"$CINTA" export --site "$T/stick/copy" "$DB"
	diff -r "$T/copy" "$T/stick/copy"
	run -0 python3 "$HERE/site.py" crawl "$T/stick/copy"
}

@test "what was not signed or verified yet is waited for: two copies are one" {
	cinta_mount
	for i in $(seq 40); do say uno "remember that bicycle $i has a bell"; done
	kill -9 "$(owner_of "$DB")"
	"$CINTA" export --site "$T/a" "$DB"
	"$CINTA" export --site "$T/b" "$DB"
	diff -r "$T/a" "$T/b"
	grep -q '<dt>signed up to</dt><dd><bdi>[1-9]' "$T/a/proof.html"
}

@test "names of any kind are files; what a file system does not take is said" {
	cinta_mount
	mkdir "$M/sessions/a b&c#d?%41é" "$M/sessions/plain"
	echo '{"role":"user","content":"hi"}' >> "$M/sessions/a b&c#d?%41é/log.jsonl"
	"$CINTA" export --site "$T/copy" "$M"
	[ -e "$T/copy/sessions/a b&c#d?%41é.html" ]
	python3 "$HERE/site.py" crawl "$T/copy"
	stick || skip 'no vfat'
	run -1 "$CINTA" export --site "$T/stick/copy" "$M"
	[[ $output == *'takes no such name'* ]]
	[ ! -e "$T/stick/copy/index.html" ]
}

@test "what is wrong with the command is said, and nothing is written" {
	cinta_mount
	say uno hello
	run -2 "$CINTA" export "$M"
	[[ $output == *'say in which form: --site'* ]]
	run -2 "$CINTA" export --site '' "$M"
	run -2 "$CINTA" export --site "$T/x" --site "$T/y" "$M"
	[[ $output == *'one form at a time'* ]]
	run -2 "$CINTA" export --site "$T/x" "$M" "$DB"
	run -1 "$CINTA" export --site "$T/x" "$T/none"
	run -1 "$CINTA" export --site "$T/no/where" "$M"
	[[ $output == *'No such file'* ]]
	mkdir "$T/full"
	touch "$T/full/x"
	run -1 "$CINTA" export --site "$T/full" "$M"
	[[ $output == *'holds files already'* ]]
	[ "$(ls "$T/full")" = x ]
	[ ! -e "$T/x" ]
	mkdir "$T/empty"
	"$CINTA" export --site "$T/empty" "$M"
	run -1 "$CINTA" export --site "$T/empty" "$M"
}
