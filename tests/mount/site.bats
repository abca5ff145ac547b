# SPDX-License-Identifier: MIT
# .cinta/html/: each page of the example against a kept one (CINTA_GOLDEN=write makes them anew), all
# that is linked is there, hostile texts stay texts in every kind of page, sizes, names, what changes.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && as_root && H=$M/.cinta/html && export M; }
teardown() { cinta_teardown; }

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
site() { python3 "$HERE/site.py" "$@"; }

# frozen COMMAND…: by a clock that stands still at noon of 1 December 2026
frozen() { by_clock TZ=UTC FAKETIME='2026-12-01 12:00:00' "$@"; }
settled() { [ "$(cat "$M"/facts/*.md | grep -c '^- ')" -ge 13 ]; }

# same PAGE NAME: it is what is kept under that name, but for users, keys, hashes and the numbers of
# facts, which are heard while other entries are written
same() {
	site plain "$H/$1" | sed -e "s/\broot:[a-z]*/somebody:tool/g" -e 's,cinta/[0-9a-f]\{16\},cinta/ORIGIN,g' \
		-e 's,[A-Za-z0-9+/]\{40\,\}=*,HASH,g' \
		-e 's,\(id="\|#\)f[0-9]*,\1fN,g' \
		-e 's,fact/[0-9]*\.html,fact/N.html,g' -e 's,Fact [0-9][0-9]*\b,Fact N,g' \
		-e 's,\(fN"><\(td class="n"\|bdi\)>\)[0-9]*,\1N,g' -e 's,\(<dt>\(signed\|verified\) up to</dt><dd><bdi>\)[0-9]*,\1N,' > "$T/page"
	if [ "${CINTA_GOLDEN:-}" = write ]; then cp "$T/page" "$HERE/site/$2"; fi
	cmp "$HERE/site/$2" "$T/page" || { diff "$HERE/site/$2" "$T/page" | head -20; false; }
}

# what a model is shown before two answers, facts that another replaces or that are stale soon, two versions
# of an algorithm
shown_and_said() {
	mkdir "$M/sessions/shown"
	echo '{"role":"user","content":"remember that the drill is with Irma","from":{"at":"2026-06-20T10:00:00Z"}}' \
		>> "$M/sessions/shown/log.jsonl"
	wait_for 30 grep -rq 'drill is with Irma' "$M/facts"
	say shown 'remember that the ladder is in the shed'
	wait_for 30 grep -rq 'ladder is in the shed' "$M/facts"
	cat "$M/sessions/shown/context.md" > "$T/context"
	echo '{"role":"assistant","content":"I will."}' >> "$M/sessions/shown/log.jsonl"
	echo '{"role":"user","content":"see there","refs":[{"type":"context","ref":"jornada/2"},{"type":"context","ref":"nobody"}]}' \
		>> "$M/sessions/shown/log.jsonl"
	echo 'summarize 1-1 the ladder' > "$M/sessions/shown/ctl"
	cat "$M/sessions/shown/context.md" > "$T/context"
	echo '{"role":"assistant","content":"Seen."}' >> "$M/sessions/shown/log.jsonl"
	mkdir "$M/algorithms/memory"
	echo '{"status":"active","config":{"scoring":{"weights":{"recency":0.6,"importance":0.2,"relevance":0.1,"frequency":0.1}}}}' \
		> "$M/algorithms/memory/1.0.json"
	echo '{"status":"experiment","config":{"scoring":{"weights":{"recency":0.1,"importance":0.9,"relevance":0,"frequency":0}}}}' \
		> "$M/algorithms/memory/2.0.json"
	frozen sed -i 's/cada tres meses/cada dos meses/' "$M/facts/decisions.md"
}

@test "the pages of the example memory are those that are kept" {
	frozen env CINTA="$CINTA" "$ROOT/docs/example/run.sh" "$M" "$DB" > "$T/said" || { cat "$T/said"; false; }
	wait_for 30 settled
	frozen sed -i 's/03:30/04:00/' "$M/smma/project_context.md"
	echo '{"role":"nobody","content":"hi"}' 2> /dev/null >> "$M/sessions/current/log.jsonl" || true
	echo 'prune 5-6' > "$M/sessions/current/ctl"
	shown_and_said
	cinta_umount
	frozen "$CINTA" mount "$DB" "$M"
	for page in index sessions threads facts memories blocks documents context algorithms proof; do
		same $page.html $page.html
	done
	same search.html words.html
	same sessions/jornada.html session.html
	same sessions/shown.html shown.html
	same threads/respaldo.html thread.html
	same "$(grep -o 'fact/[0-9]*\.html' "$H/facts.html" | tail -1)" fact.html
	same doc/smma/project_context.md.html document.html
	same doc/smma/project_context.md@1.html version.html
	same day/2026-10-27.html day.html
	same day/2026-12-01.html written.html
	same 'search/PostgreSQL backup.html' search.html
}

@test "each link of the example leads somewhere, and no page has what we did not mean" {
	"$ROOT/docs/example/run.sh" "$M" "$DB" > /dev/null
	run -0 site crawl "$H"
	echo "$output"
	[ "${output%% *}" -ge 40 ]
}

@test "hostile texts are texts in every kind of page" {
	cinta_mount
	mkdir "$M/sessions/<b>&\"' #?%41" && s="$M/sessions/<b>&\"' #?%41"
	site messages > "$T/lines"
	while IFS= read -r line; do
		echo "$line" >> "$s/log.jsonl" 2> /dev/null || true
	done < "$T/lines"
	stored=$(wc -l < "$s/log.jsonl")
	[ "$stored" -ge 300 ]
	mkdir "$M/notes/<i>" "$M/memories/fact" 2> /dev/null || true
	site save "$M"
	echo 'summarize 2-4 <script>alert(1)</script> [x](javascript:alert(1))' > "$s/ctl"
	echo 'prune 5-6' > "$s/ctl"
	ln -s x "$M/<svg onload=alert(1)>" 2> /dev/null || true # a refusal for index.html
	run site crawl "$H"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${output%% *}" -ge 20 ]
	for query in '<script>alert(1)' '"><img src=x onerror=alert(1)>' 'onerror:' '"' "'" '\' '&lt;' 'in:<b>' 'alert'; do
		cat "$H/search/$query.html" > "$T/index.html"
		run -0 site look "$T" index.html
	done
	# what was said can be read, and not only vanished
	for n in '' /2 /3; do
		cat "$H/sessions/${s##*/}$n.html"
	done > "$T/all.html"
	run -0 site shown "$T" all.html
}

@test "a page of a long session is small, and says where the rest is" {
	cinta_mount
	mkdir "$M/sessions/long"
	python3 -c '
import json
for i in range(10000):
    refs = [{"type": "context", "ref": n} for n in range(max(1, i - 96), i, 2)] if i < 300 else []
    print(json.dumps({"role": "user", "content": "message %d " % i + "word " * (3000 if i % 3 == 0 else 60), **({"refs": refs} if refs else {})}))' |
		split -l 500 --filter 'cat >> "$M/sessions/long/log.jsonl"' -
	[ "$(wc -l < "$M/sessions/long/log.jsonl")" -eq 10000 ]
	for page in long long/2 long/3 long/51 long/100; do
		size=$(cat "$H/sessions/$page.html" | wc -c)
		echo "$page: $size bytes"
		[ "$size" -lt 300000 ]
	done
	mkdir "$M/sessions/lists"
	python3 -c '
import json
for i in range(100):
    print(json.dumps({"role": "user", "content": ("- a\n" if i % 2 else "*\"* ") * 4000}))' >> "$M/sessions/lists/log.jsonl"
	size=$(cat "$H/sessions/lists.html" | wc -c)
	echo "lists: $size bytes"
	[ "$size" -lt 300000 ]
	grep -q 'id="m100"' "$H/sessions/lists.html"
	grep -q '<bdi>Refers to: 48</bdi>' "$H/sessions/long/2.html"
	grep -q '<bdi>Referred to by: more than 6</bdi>' "$H/sessions/long/2.html"
	grep -q 'refs.jsonl has them' "$H/sessions/long/2.html"
	grep -q 'id="m10000"' "$H/sessions/long/100.html"
	grep -q 'bytes more: <code>sessions/long/messages/' "$H/sessions/long/100.html"
	for page in ../day/2026-02-30 ../day/26-01-01 ../day/2026-1-1 ../facts-1 ../facts-0 ../proof-2 ../sessions-9 long/0 long/1 long/101 long/02 long/x sessions 'long@2'; do
		not cat "$H/sessions/$page.html" 2> /dev/null
	done
}

@test "ten times the sessions: index.html costs the same, and each adds 200 bytes at most" {
	cinta_mount
	pid=$("$CINTA" status "$DB" | sed -n 's,^daemon *,,p')
	site fill "$M" 0 40
	read -r small few < <(site cost "$pid" "$H/index.html")
	site fill "$M" 40 400
	read -r large many < <(site cost "$pid" "$H/index.html")
	echo "index.html: $small bytes in $few us, $large bytes in $many us"
	[ $((large - small)) -le $((360 * 200)) ]
	[ "$many" -le $((2 * few + 2000)) ]
}

@test "a page shows what has just been written, and is not written itself" {
	cinta_mount
	say uno hello
	grep -q hello "$M/.cinta/html/sessions/uno.html"
	say uno again
	grep -q again "$M/.cinta/html/sessions/uno.html"
	not grep -q html <(ls "$M/.cinta")
	[ "$(stat -c %a "$M/.cinta/html/index.html")" = 400 ]
	run bash -c 'echo x > "$M/.cinta/html/index.html"'
	[ "$status" -ne 0 ]
	run touch "$M/.cinta/html/new.html"
	[ "$status" -ne 0 ]
}

@test "a page of long texts is small and says so, and cuts between characters" {
	cinta_mount
	mkdir "$M/notes/long"
	python3 - "$M" <<-'END'
		import sys
		m = sys.argv[1]
		def put(path, text):
		    with open(m + "/" + path, "w") as f: f.write(text)
		put("blocks/rules/long.md", "---\nname: long\n---\n" + "- *a*\n" * 170000)
		put("notes/long/é.txt", "x" + "é" * 200000)
		put("notes/long/é.md", "x" + "é" * 200000)
		put("memories/fact/long.md", "---\nsummary: " + "é" * 200 + "\n---\nx\n")
		for c in "ab": put("notes/long/lines.txt", (c + "\n") * 500000)
	END
	for page in blocks memories doc/notes/long/é.txt doc/notes/long/é.md doc/notes/long/lines.txt; do
		cat "$H/$page.html" > "$T/page"
		echo "$page: $(wc -c < "$T/page") bytes"
		[ "$(wc -c < "$T/page")" -lt 2000000 ]
		not grep -q $'\xEF\xBF\xBD' "$T/page"
	done
	grep -q 'What else changed is not shown here' "$T/page"
	grep -q 'bytes more: blocks/rules/long.md' "$H/blocks.html"
	grep -q 'é…' "$H/memories.html"
}

@test "search.html has the names of the newest documents" {
	cinta_mount
	for name in aardvark $(seq 100) zeppelin; do echo x > "$M/notes/$name.md"; done
	grep -q zeppelin "$H/search.html"
	not grep -q aardvark "$H/search.html"
}

@test "what was redacted is on no page" {
	cinta_mount
	say uno 'the word is xylophone'
	echo 'xylophone' > "$M/notes/a.md"
	grep -q xylophone "$M/.cinta/html/sessions/uno.html" "$M/.cinta/html/doc/notes/a.md.html"
	grep -q xylophone "$M/.cinta/html/search/xylophone.html"
	"$CINTA" redact --yes --reason 'a test' --match xylophone "$DB"
	for page in index sessions/uno documents doc/notes/a.md context search/word; do
		cat "$M/.cinta/html/$page.html" > "$T/page" || true
		not grep -q xylophone "$T/page"
	done
}

@test "a session.md that was saved has its page, in the mount and in what is exported" {
	cinta_mount
	mkdir "$M/sessions/s" "$M/sessions/other"
	echo '# Of the session' > "$M/sessions/s/session.md"
	grep -q 'Of the session' "$H/doc/sessions/s/session.md.html"
	grep -q 'href="doc/sessions/s/session.md.html"' "$H/documents.html"
	[ ! -e "$H/doc/sessions/other/session.md.html" ]
	"$CINTA" export --site "$T/exported" -d "$DB"
	grep -q 'Of the session' "$T/exported/doc/sessions/s/session.md@1.html"
}
