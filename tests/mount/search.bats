# SPDX-License-Identifier: MIT
# Search by path: pages, links, search/query, within a session, and nobody who walks the tree asks anything.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	cd "$M" || return 1
	mkdir sessions/deploys sessions/other
}
teardown() {
	cd /
	cinta_teardown
}

say() { # SESSION TEXT [ROLE]
	jq_line "$2" "${3:-user}" >> "sessions/$1/log.jsonl"
}
jq_line() { python3 -c 'import json,sys; print(json.dumps({"role":sys.argv[2],"content":sys.argv[1]}))' "$1" "$2"; }
# all PAGE: paths of its hits.  paths PAGE: of those that have a match themselves, not only their neighbours.
all() { sed -nE 's/^ *[0-9]+\. `([^`]*)` .*/\1/p' "$1"; }
paths() { awk -F '`' '/^ *[0-9]+\. `/ { path = $2; next } path && /\*\*/ { print path } { path = "" }' "$1"; }
hits() { paths "$1" | wc -l; }
fill() {
	say deploys 'Blue green deployment is what the team likes.'
	say deploys 'The rollout begins on Monday.' assistant
	say other 'The printer is out of paper again.'
	echo '- deployment happens with ansible' >> facts/work.md
	echo 'The deployment of the printers.' > notes/printers.md
	printf -- '---\nstatus: active\n---\nDeployment is blue green.\n' > memories/decision/deployment.md
	echo 'A deployment has a person beside it.' > blocks/rules/careful.md
}

@test "a message is found as soon as it is appended, and its path can be read" {
	say deploys 'nothing yet'
	grep -q '^No hits' search/zanzibar.md
	[ -z "$(all search/zanzibar.md)" ]
	for i in 1 2 3 4 5; do
		say deploys "the zanzibar number $i"
		[ "$(hits search/zanzibar.md)" = $i ]
	done
	grep -q 'Asked: zanzibar$' search/zanzibar.md
	grep -qF '**zanzibar**' search/zanzibar.md
	local p n=0
	for p in $(paths search/zanzibar.md); do
		grep -q zanzibar "$p"
		n=$((n + 1))
	done
	[ $n = 5 ]
}

@test "documents, facts and messages are found where they are" {
	fill
	paths search/deployment.md | sort > "$T/got"
	printf '%s\n' blocks/rules/careful.md facts/work.md memories/decision/deployment.md notes/printers.md \
		sessions/deploys/messages/000001.md > "$T/want"
	diff "$T/want" "$T/got"
	# What is saved anew is found as it is now.
	echo 'Only about scanners.' > notes/printers.md
	[ -z "$(paths 'search/deployment in:notes.md')" ]
	[ "$(paths search/scanners.md)" = notes/printers.md ]
	echo '# Work' > facts/work.md
	[ "$(paths 'search/ansible.md')" = "" ]
}

@test "a page says its size, can be copied, and stays as it is while it is open" {
	fill
	local f='search/blue green deployment.md'
	[ "$(stat -c %s "$f")" = "$(wc -c < "$f")" ]
	[ "$(stat -c %s "$f")" = "$(cat "$f" | wc -c)" ]
	cp -p "$f" "$T/copy"
	cmp "$f" "$T/copy"
	tar -C "$M" -cf "$T/a.tar" "$f"
	tar -xOf "$T/a.tar" > "$T/untarred"
	cmp "$T/untarred" "$T/copy"
	exec 4< "$f"
	head -c 10 <&4 > "$T/part"
	say deploys 'another blue green deployment'
	cat <&4 >> "$T/part"
	cmp "$T/part" "$T/copy"
	# What the descriptor says of itself is what it gives.
	run python3 - "$f" <<- 'END'
		import os, sys
		fd = os.open(sys.argv[1], os.O_RDONLY)
		with open("sessions/deploys/log.jsonl", "a") as log:
		    log.write('{"content":"blue green deployment, once more"}\n')
		size = os.fstat(fd).st_size
		got = b""
		while part := os.read(fd, 100):
		    got += part
		sys.exit(0 if size == len(got) and b"once more" not in got else 1)
	END
	[ "$status" = 0 ]
	[ "$(hits "$f")" -ge 4 ]
	! cmp -s "$f" "$T/copy"
}

@test "the links of a query lead to its hits, in a session as well" {
	fill
	mapfile -t there < <(ls search/deployment)
	mapfile -t want < <(all search/deployment.md)
	[ ${#there[@]} -ge 5 ]
	[ ${#there[@]} = ${#want[@]} ]
	[[ ${there[0]} == 01-* && ${there[4]} == 05-* ]]
	ls search/deployment | grep -q -- '-deploys-000001.md$'
	local l n=0
	for l in "${there[@]}"; do
		[ -L "search/deployment/$l" ]
		[ "$(readlink -e "search/deployment/$l")" = "$M/${want[$n]}" ]
		cat "search/deployment/$l" > /dev/null
		n=$((n + 1))
	done
	[ "$(grep -l -i 'deployment' search/deployment/* | wc -l)" = 5 ]
	# find sees links, and does not follow them
	[ "$(find search/deployment -type l | wc -l)" = ${#want[@]} ]
	cat sessions/deploys/search/deployment/* > /dev/null
	[ "$(ls sessions/deploys/search/deployment | head -1)" = 01-deploys-000001.md ]
	[ "$(readlink -e sessions/current/search/printer/01*)" = "$M/sessions/other/messages/000001.md" ]
	[ -z "$(ls search/zanzibar)" ]
	run cat search/deployment/99-x.md
	[ "$status" != 0 ]
	run cat search/deployment/1
	[ "$status" != 0 ]
}

@test "within a session nothing else is found" {
	fill
	say other 'a deployment elsewhere'
	[ "$(paths sessions/deploys/search/deployment.md)" = sessions/deploys/messages/000001.md ]
	grep -q '^Asked in session deploys: deployment' sessions/deploys/search/deployment.md
	[ "$(paths 'search/deployment session:other.md')" = sessions/other/messages/000002.md ]
	[ "$(paths 'search/deployment session:current.md')" = sessions/other/messages/000002.md ]
	grep -q 'another session' 'sessions/deploys/search/deployment session:other.md'
	exec 7<> sessions/deploys/search/query
	echo deployment >&7
	cat <&7 > "$T/asked"
	[ "$(paths "$T/asked")" = sessions/deploys/messages/000001.md ]
	! ls sessions/deploys | grep -q search
}

@test "filters, phrases and negation" {
	fill
	[ "$(paths 'search/deployment in:facts.md')" = facts/work.md ]
	[ "$(paths 'search/deployment in:notes.md')" = notes/printers.md ]
	[ "$(paths 'search/deployment in:blocks,facts.md' | sort | tr '\n' ' ')" = "blocks/rules/careful.md facts/work.md " ]
	[ "$(paths 'search/deployment in:memories.md')" = memories/decision/deployment.md ]
	[ "$(paths 'search/deployment type:decision.md')" = memories/decision/deployment.md ]
	[ "$(all 'search/deployment limit:2.md' | wc -l)" = 2 ]
	grep -q 'first 2 hits' 'search/deployment limit:2.md'
	[ "$(hits 'search/deployment -green.md')" = 3 ]
	[ "$(paths 'search/"green deployment".md')" = sessions/deploys/messages/000001.md ]
	[ "$(hits 'search/deployment -"blue green" -ansible.md')" = 2 ]
	[ "$(paths 'search/rollout role:assistant.md')" = sessions/deploys/messages/000002.md ]
	[ -z "$(all 'search/rollout role:tool.md')" ]
	[ "$(hits "search/deployment by:$(id -un).md")" = 5 ]
	[ -z "$(all 'search/deployment by:nobody-else.md')" ]
	[ "$(hits 'search/deployment after:2026.md')" = 5 ]
	[ -z "$(all 'search/deployment before:2026.md')" ]
	[ -z "$(all 'search/deployment after:9998.md')" ]
	[ "$(hits "search/foo:deployment x:y.md")" -ge 1 ]
}

@test "signs alone find nothing, and the page says why" {
	fill
	say deploys 'an arrow -> deployment'
	for q in '"->"' '"->" "=="' '?!' 'in:messages "->"'; do
		grep -q '^No hits: signs alone' "search/$q.md"
		[ -z "$(ls "search/$q")" ]
	done
	[ "$(hits 'search/deployment "->".md')" -ge 4 ]
	grep -q '^No hits. Ask' search/zanzibar.md
}

@test "what is wrong with a query is said, and nothing is found" {
	fill
	local q
	for q in after:banana before:2026-02-30 limit:0 limit:1001 in:heaven role:king session:nowhere thread:nowhere \
		-session:deploys 'session:deploys session:other' 'after:2026-02 before:2026-01'; do
		grep -q '^This was not searched for: ' "search/deployment $q.md"
		[ -z "$(all "search/deployment $q.md")" ]
		[ -z "$(ls "search/deployment $q")" ]
	done
}

@test "hostile names are words, and answered" {
	fill
	local q long
	for q in "'; DROP TABLE tape; --" 'NEAR(a b, 5)' 'a AND OR NOT b' '*' '"' '""' '"open' "'" '^deployment' '{a b}: c' 'col:*' \
		'%s%n%x' '\x00\0' '$(id)' '`id`' '..' '...' '....md' '-' '--' '-"' ' ' 'a  b' $'tab\there' $'line\nbreak' $'\x01\x02' \
		$'\xff\xfe' $'\xc0\x80' $'\xed\xa0\x80' '🚀 ❤️ 👩‍👩‍👧' 'שלום עולם' $'\u202eevil' 'مرحبا' '部署' '<b>x<b>' '[x](y)' '|' '&amp;' \
		'content:x OR 1=1' 'session:' 'in:' 'limit:' 'after:' ':' '::' 'SELECT * FROM tape' "$(printf 'a%.0s' {1..252})"; do
		[ "$q" = .. ] && continue # the shell's own
		cat "search/$q.md" > "$T/page" || { echo "failed: $q" >&2; return 1; }
		head -1 "$T/page" | grep -qx '# Search'
		[ "$(stat -c %s "search/$q.md")" = "$(wc -c < "$T/page")" ]
		iconv -f UTF-8 -t UTF-8 "$T/page" > /dev/null
	done
	long=$(printf 'a%.0s' {1..253})
	run cat "search/$long.md"
	[[ $status != 0 && $output == *"too long"* ]]
	run cat "search/$(printf 'a%.0s' {1..600})"
	[[ $status != 0 && $output == *"too long"* ]]
	# The same as directories; those with a dot are what programs look for.
	for q in '*' '"open' 'שלום' 'after:banana' "$(printf 'a%.0s' {1..255})"; do ls "search/$q" > /dev/null; done
	run ls search/.git
	[ "$status" != 0 ]
	[ "$(hits search/deployment.md)" = 5 ]
}

@test "no words, and only the most common ones" {
	fill
	say other 'the newest of all'
	[ "$(all search/.md | head -1)" = sessions/other/messages/000002.md ]
	grep -q 'newest first' search/.md
	cat 'search/the of and.md' | head -1 | grep -qx '# Search'
	[ "$(all 'search/in:facts.md')" = facts/work.md ]
}

@test "grep -r, find, tar, rsync, ls -R and du never ask anything" {
	fill
	[ -z "$(ls -A search)" ]
	[ "$(find search)" = search ]
	ls "search/deployment" > /dev/null # asked for by name, and still not listed
	[ "$(find . -path './search/*' -o -path '*/search/*' | wc -l)" = 0 ]
	grep -rl deployment . 2> /dev/null | not grep search/
	tar -cf "$T/a.tar" -C "$M" . 2> /dev/null
	[ "$(tar -tf "$T/a.tar" | grep search)" = ./search/ ]
	rsync -a ./ "$T/copy/"
	[ -z "$(ls -A "$T/copy/search")" ]
	[ "$(ls -R | grep -c '^\./.*search.*:')" = 1 ]
	[ "$(du -a search | wc -l)" = 1 ]
}

@test "search/query: by the shell, python and cat; the next write asks anew" {
	fill
	exec 7<> search/query
	echo 'blue green' >&7
	cat <&7 > "$T/one"
	[ "$(hits "$T/one")" -ge 2 ]
	cmp "$T/one" 'search/blue green.md'
	[ -z "$(cat <&7)" ]
	echo 'out of paper' >&7
	head -3 <&7 | grep -q 'Asked: out of paper$'
	echo printer >&7
	cat <&7 | grep -q 'Asked: printer$'
	exec 7>&-
	[ "$(stat -c %s search/query)" = 0 ]
	[ -z "$(cat search/query)" ]
	# A question in several writes; slashes; a wrong value.
	exec 7<> search/query
	printf 'either/or ' >&7
	printf 'after:banana' >&7
	cat <&7 | grep -q 'after:banana is no date'
	exec 7>&-
	python3 - <<- 'END'
		with open("search/query", "r+b", buffering=0) as f:
		    f.write(b"blue green")
		    first = f.read()
		    f.write(b"printer")
		    part = f.read(7)
		    second = part + f.read()
		assert first == open("search/blue green.md", "rb").read(), first
		assert second == open("search/printer.md", "rb").read(), second
		with open("search/query", "r+") as f:
		    f.write("printer")
		    f.flush()
		    f.seek(0)
		    assert f.read() == second.decode()
		with open("search/query", "w+b", buffering=0) as f, open("search/query", "r+b", buffering=0) as g:
		    f.write(b"printer")
		    g.write(b"blue green")
		    assert f.read() == second and g.read() == first
	END
}

@test "10,000 words through search/query, and more than it takes" {
	fill
	python3 -c 'print("deployment", *("word%d" % i for i in range(10000)))' > "$T/words"
	exec 7<> search/query
	cat "$T/words" >&7
	timeout 20 cat <&7 > "$T/page"
	exec 7>&-
	[ "$(hits "$T/page")" -ge 5 ]
	grep -q '(10001 words)' "$T/page"
	[ "$(wc -c < "$T/page")" -lt 20000 ]
	# as bash writes it: in pieces
	exec 7<> search/query
	echo "$(cat "$T/words")" >&7
	timeout 20 cat <&7 | cmp - "$T/page"
	exec 7>&-
	exec 7<> search/query
	run -1 dd if=/dev/zero of=/dev/fd/7 bs=64k count=5 status=none
	[[ $output == *"File too large"* ]]
	exec 7>&-
	tail -1 errors.log | grep -q 'search/query.*262144'
}

@test "a quotation of more than 64 words is taken as words" {
	fill
	local long
	long=$(seq -f 'word%g' 80 | tr '\n' ' ')
	ask() { exec 7<> search/query && printf '%s' "$1" >&7 && cat <&7 > "$T/page" && exec 7>&-; }
	for q in "\"deployment $long\"" "a 5.25\" disk with the deployment $long" "printer \"deployment $long\""; do
		ask "$q"
		grep -q '^What is quoted is too long for a phrase, and taken as words.$' "$T/page"
		[ "$(hits "$T/page")" -ge 4 ]
	done
	ask "\"blue green\" \"deployment $long\""
	[ "$(hits "$T/page")" = 2 ]
	ask "\"$(seq -f 'word%g' 64 | tr '\n' ' ')\""
	not grep -q 'too long' "$T/page"
	ask "deployment -\"$long\""
	grep -q 'This was not searched for: what a query is to be without has at most 64 words' "$T/page"
}

@test "nothing is written, made, moved or removed there" {
	fill
	local entries
	entries=$(sqlite3 -readonly "$DB" 'SELECT count(*) FROM tape')
	run touch search/deployment.md # times are taken, and mean nothing
	for c in 'rm search/deployment.md' 'rm -r search/deployment' 'mkdir search/foo.md' 'mkdir search/.x' 'touch search/.x' \
		'mv search/deployment.md search/x.md' 'mv notes/printers.md search/x.md' 'ln search/deployment.md search/y.md' \
		'ln -s x search/.y' 'cp notes/printers.md search/deployment.md' 'rm search/query' 'rm search/deployment/01-x' \
		'rmdir search' 'mv search elsewhere' 'rmdir sessions/deploys/search' 'truncate -s 9 search/query' \
		'mkdir sessions/deploys/search/.z'; do
		run $c
		[ "$status" != 0 ] || { echo "went through: $c" >&2; return 1; }
	done
	[ "$(sqlite3 -readonly "$DB" 'SELECT count(*) FROM tape')" = "$entries" ]
	[ "$(hits search/deployment.md)" = 5 ]
}

@test "a read-only mount answers, also after a write through another" {
	fill
	mkdir "$T/ro"
	"$CINTA" mount -o ro "$DB" "$T/ro"
	cmp "$T/ro/search/deployment.md" search/deployment.md
	for i in 1 2 3; do
		say deploys "a deployment of $i"
		cmp "$T/ro/search/deployment.md" search/deployment.md
		[ "$(hits "$T/ro/search/deployment.md")" = $((5 + i)) ]
		[ "$(ls "$T/ro/search/deployment" | wc -l)" = "$(all search/deployment.md | wc -l)" ]
		cat "$T"/ro/search/deployment/* > /dev/null
	done
	run -1 bash -c "echo x > '$T/ro/search/query'"
}

@test "what another process has written is found within a second or two" {
	fill
	all search/quetzal.md
	for i in 1 2 3; do
		echo "The agent is a quetzal$i." | "$CINTA" identity "$DB"
		wait_for 3 grep -q smma/identity.md "search/quetzal$i.md"
		[ -z "$(all "search/quetzal$((i - 1)).md")" ]
	done
}

@test "cinta search says the same, as text and as JSON, mounted or not" {
	fill
	local q
	for q in deployment 'blue green in:messages' '"green deployment"' 'deployment -green'; do
		"$CINTA" search "$DB" $q > "$T/page"
		cmp "$T/page" "search/$q.md"
	done
	"$CINTA" search --json "$DB" deployment > "$T/json"
	python3 - "$T/json" <<- 'END'
		import json, sys, os
		rows = [json.loads(line) for line in open(sys.argv[1])]
		assert [r["rank"] for r in rows] == list(range(1, len(rows) + 1)), rows
		assert sum("**" in r["snippet"] for r in rows) == 5, rows
		assert {r["kind"] for r in rows} == {"message", "document", "fact"}, rows
		for r in rows:
		    assert "deployment" in open(r["path"]).read().lower() or "**" not in r["snippet"], r
		    assert r["time"].endswith("Z") and r["score"] > 0, r
	END
	run -1 "$CINTA" search "$DB" zanzibar
	[[ $output == *"No hits"* ]]
	run -1 --separate-stderr "$CINTA" search --json "$DB" zanzibar
	[ -z "$output" ]
	# behind the first word -h is a word; before it, it asks for help
	run ! grep usage <("$CINTA" search "$DB" deployment -h)
	run -0 "$CINTA" search -d "$DB" -h
	[[ $output == 'usage: cinta search'* ]]
	run -2 "$CINTA" search "$DB" deployment after:banana
	[[ $output == *"after:banana is no date"* ]]
	run -2 "$CINTA" search "$DB"
	run -2 "$CINTA" search --colour "$DB" deployment
	run -1 "$CINTA" search "$T/none.db" deployment
	cat search/deployment.md > "$T/mounted"
	cd /
	cinta_umount
	"$CINTA" search "$DB" deployment | cmp - "$T/mounted"
}

@test "pages are found while others append and search" {
	fill
	for w in 1 2 3; do
		(
			for i in $(seq 12); do
				say deploys "storm$w of $i" || exit 1
				[ "$(hits "search/storm$w limit:1000.md")" = "$i" ] || exit 1
				[ "$(ls "search/storm$w limit:1000" | wc -l)" -ge "$i" ] || exit 1
			done
		) &
	done
	local failed=0
	for j in $(jobs -p); do wait "$j" || failed=1; done
	[ $failed = 0 ]
}

@test "a link's name ends in a whole character" {
	local session link last
	for last in '' a aa aaa; do
		for c in é 世 😀; do
			session=$last$(python3 -c 'import sys; c = sys.argv[1]; print(c * (252 // len(c.encode())))' "$c")
			mkdir "sessions/$session"
			jq_line 'a quokka' user >> "sessions/$session/log.jsonl"
		done
	done
	for link in search/quokka/*; do
		iconv -f UTF-8 -t UTF-8 <<< "$link" > "$T/name"
		grep -q quokka "$link"
	done
	[ "$(ls search/quokka | wc -l)" = 12 ]
}

@test "a link of a long path leads there" {
	local dir=notes name
	for n in a b c d e f g h; do
		dir=$dir/$(printf "$n%.0s" {1..240})
		mkdir "$dir"
	done
	echo 'A xylophone, far down.' > "$dir/here.md"
	name=$(ls search/xylophone)
	[ "$name" = 01-here.md ]
	[ "$(cat "search/xylophone/$name")" = 'A xylophone, far down.' ]
	grep -qF "$dir/here.md" search/xylophone.md
	cat "$(paths search/xylophone.md)" | grep -q xylophone
}

@test "what was just listed is there, also when others write meanwhile" {
	local name
	fill
	for name in $(ls search/deployment); do
		echo "The deployment, once more: deployment $RANDOM" > "notes/$RANDOM.md"
		[ -L "search/deployment/$name" ]
		[ -s "search/deployment/$name" ]
	done
	[ ! -e search/deployment/99-none.md ]
}

@test "a listing is the answer of now, also the next one" {
	local i name
	mkdir "$T/ro"
	"$CINTA" mount -o ro "$DB" "$T/ro"
	for i in 1 2 3 4 5; do
		say deploys "the zanzibar number $i"
		[ "$(ls search/zanzibar | wc -l)" = $i ]
		[ "$(ls "$T/ro/search/zanzibar" | wc -l)" = $i ]
		for name in $(ls search/zanzibar); do
			[[ "$(readlink "search/zanzibar/$name")" == ../../sessions/deploys/messages/00000?.md ]]
			readlink -e "$T/ro/search/zanzibar/$name"
		done
		[ "$(find search/zanzibar -type l | wc -l)" = $i ]
	done
	cd search/zanzibar
	[ "$(ls | wc -l)" = 5 ]
	cat ./* | grep -c 'zanzibar number'
}
