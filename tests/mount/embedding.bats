# SPDX-License-Identifier: MIT
# -o embedding=URL with a real mount and a small server: what is sent and what never is, search by meaning,
# a server that dies and comes back, options, the key.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	S=$T/server
	mkdir "$S"
	export CINTA_EMBEDDING_KEY=sk-not-to-be-seen
	unset http_proxy https_proxy HTTP_PROXY HTTPS_PROXY all_proxy ALL_PROXY
	serve
}
teardown() {
	stop_server
	cinta_teardown
}

# serve [PORT]: starts the server; it ends with the test
serve() {
	rm -f "$S/port"
	python3 "$HERE/embedding_server.py" "$S" "$@" < /dev/null > "$S/log" 2>&1 3>&- &
	server=$!
	wait_for 30 test -e "$S/port"
	PORT=$(cat "$S/port")
	WITH=embedding=http://127.0.0.1:$PORT,embedding_model=toy
}
stop_server() {
	[ -z "${server:-}" ] || kill -9 "$server" 2> /dev/null || true
	wait "${server:-}" 2> /dev/null || true
	server=
}
mode() { echo "$*" > "$S/mode.new" && mv "$S/mode.new" "$S/mode"; }
# sent: each text that was sent, a line each
sent() {
	[ ! -e "$S/requests" ] || python3 -c 'import json, sys
for line in open(sys.argv[1]):
    for text in json.loads(line)["input"]: print(text.replace("\n", " "))' "$S/requests"
}
metric() { sed -n "s/^cinta_embedding_$1 //p" "$M/.cinta/metrics"; }
is() { [ "$(metric "$1")" = "$2" ]; }
made() { is texts_total "$1" && is missing 0; }
first() { sed -nE 's/^1\. `([^`]*)` .*/\1/p' "$M/search/$1.md"; }
finds() { grep -qF -- "$2" "$M/search/$1.md"; }
by_words() { grep -q '^By words alone: the embedding endpoint did not answer\.$' "$M/search/$1.md"; }
alerts() { grep -c '^- ALERT: ' "$M/dashboard.md"; }

@test "messages, documents and facts are found by what they mean, and nothing is sent twice" {
	cinta_mount -o "$WITH"
	say work 'we sold the old automobile' 'the weather is fine' 'nothing else happened'
	echo 'Our physician is in Calle Mayor.' > "$M/notes/health.md"
	echo '- vacation is in August' >> "$M/facts/personal.md"
	wait_for 20 made 5
	[ "$(first car)" = sessions/work/messages/000001.md ]
	[ "$(first doctor)" = notes/health.md ]
	[ "$(first holiday)" = facts/personal.md ]
	not by_words car
	[ "$(readlink "$M/search/car/01-work-000001.md")" = ../../sessions/work/messages/000001.md ]
	[ "$(sed -n 's/^1\. `\([^`]*\)`.*/\1/p' "$M/sessions/work/search/vehicle.md")" = sessions/work/messages/000001.md ]
	grep -q '"embedding": {' "$M/.cinta/status.json"
	python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["embedding"]
assert e["texts"] == 5 and e["missing"] == 0 and e["up"] and e["dimensions"] == 256, e' "$M/.cinta/status.json"
	[ "$(sent | sort | uniq -d)" = '' ]
	count=$(sent | wc -l)
	cinta_umount
	verified
	cinta_mount -o "$WITH"
	[ "$(first car)" = sessions/work/messages/000001.md ]
	[ "$(first doctor)" = notes/health.md ]
	say work 'a sixth'
	wait_for 20 made 1
	[ "$(sent | wc -l)" = $((count + 1)) ]
	say work 'we sold the old automobile' # the same text again
	sleep 2.5
	[ "$(sent | wc -l)" = $((count + 1)) ]
	cinta_umount
	"$CINTA" rebuild "$DB"
	verified
	cinta_mount -o "$WITH"
	finds car sessions/work/messages/000001.md
	[ "$(sent | wc -l)" = $((count + 1)) ]
	[ "$(refusals)" = 0 ]
}

@test "what is scratch, discarded, rejected or only looked at is never sent" {
	cinta_mount -o "$WITH"
	say work 'seen'
	echo 'not memory' > "$M/logs/a.log"
	echo 'not memory' > "$M/smma/workspace/a.txt"
	echo 'not memory' > "$M/notes/.a.md.swp"
	echo '{"content":3,"not":"memory"}' >> "$M/sessions/work/log.jsonl" || true
	wait_for 20 made 1
	grep -rq seen "$M" || true
	find "$M" > /dev/null
	cat "$M/search/in:facts.md" > /dev/null
	sleep 1.5
	[ "$(sent | sort -u)" = "$(printf 'cinta\nseen')" ]
}

@test "the server dies: words alone, one alert, one line; it comes back: all is made up for" {
	cinta_mount -o "$WITH"
	say work 'we sold the old automobile'
	wait_for 20 made 1
	stop_server
	say work 'the physician called' 'and called again'
	wait_for 20 is up 0
	by_words 'physician'
	finds 'physician' sessions/work/messages/000002.md
	not finds 'doctor' sessions/work/messages/000002.md
	[ "$(alerts)" = 1 ]
	grep -q '^- ALERT: searches go by words alone: the embedding endpoint http://127.0.0.1:[0-9]* cannot be' "$M/dashboard.md"
	for ((i = 0; i < 20; i++)); do by_words "physician $i"; done
	[ "$(grep -c 'ECONNREFUSED embed search cinta:embedder: ' "$M/errors.log")" = 1 ]
	[ "$(refusals)" = 1 ]
	is missing 2
	run -0 --separate-stderr "$CINTA" search --json -o "$WITH" "$DB" physician
	[[ $output == *'messages/000002.md'* ]]
	[[ $stderr == 'cinta: note: the embedding endpoint '*'; the hits are those of the words alone' ]]
	serve "$PORT"
	wait_for 30 is up 1
	wait_for 20 made 3
	wait_for 5 finds 'doctor' sessions/work/messages/000002.md
	not grep -q ALERT "$M/dashboard.md"
	[ "$(refusals)" = 1 ]
}

@test "writes do not wait for it, nor does the end" {
	cinta_mount -o "$WITH"
	mode hang
	say work 'the first'
	asked() { sent | grep -q first; }
	wait_for 20 asked
	for ((i = 0; i < 50; i++)); do say work "line $i"; done
	echo text > "$M/notes/a.md"
	[ "$(wc -l < "$M/sessions/work/log.jsonl")" = 51 ]
	sent | not grep -q line
	start=$SECONDS
	cinta_umount
	[ $((SECONDS - start)) -lt 5 ] # a batch may take a minute
	not owned "$DB"
	mode ok
	cinta_mount -o "$WITH"
	wait_for 20 made 52
	mode hang
	cat "$M/search/a question.md" & # and it waits for its answer when the daemon is killed
	sleep 0.3
	start=$SECONDS
	kill -TERM "$(owner_of "$DB")"
	wait_for 10 not owned "$DB"
	[ $((SECONDS - start)) -lt 5 ]
	wait $! || true
	verified
}

@test "a write finds a thread while questions wait for theirs" {
	cinta_mount -o "$WITH"
	say work 'the first'
	wait_for 20 made 1
	mode hang
	for try in 1 2 3 4; do # on a busy machine they may be over before we look
		pids=()
		rm -f "$T"/over.*
		for i in 1 2 3 4; do
			(echo "question $try $i" >&4 && cat <&4 > "$T/page.$i" && touch "$T/over.$i") 4<> "$M/search/query" &
			pids+=($!)
		done
		sleep 0.2
		say work "while they wait $try"
		sleep 0.3 # or else the answers may just be on their way
		compgen -G "$T/over.*" > /dev/null || meanwhile=yes
		wait "${pids[@]}"
		[ -z "${meanwhile:-}" ] || break
		sleep 6
	done
	[ "$meanwhile" = yes ]
	[ "$(grep -l '^By words alone' "$T"/page.* | wc -l)" = 4 ]
}

@test "the key goes to the server alone" {
	cinta_mount -o "$WITH,summarizer=env > $T/env; echo topic: x"
	say work 1 2 3 4 5 6 7 8 9 10 11 12
	mode 401
	say work 13
	wait_for 20 is up 0
	grep -q 'EACCES embed search .* answers 401: refused: Bearer \*\*\*;' "$M/errors.log"
	grep -q '"auth": "Bearer sk-not-to-be-seen"' "$S/requests"
	pid=$(owner_of "$DB")
	tr '\0' '\n' < "/proc/$pid/environ" | not grep -q not-to-be-seen
	tr '\0' '\n' < "/proc/$pid/cmdline" | not grep -q not-to-be-seen
	wait_for 20 test -s "$T/env"
	not grep -q not-to-be-seen "$T/env"
	not grep -q not-to-be-seen "$M/errors.log" "$M/dashboard.md" "$M/.cinta/status.json" "$M/.cinta/metrics" "$DB.log"
	run "$CINTA" doctor -o "$WITH" "$M"
	[[ $output != *not-to-be-seen* ]]
	cinta_umount
	not grep -qa not-to-be-seen "$DB" "$DB".*
	export CINTA_EMBEDDING_KEY="a b"
	run -1 cinta_mount -o "$WITH"
	[[ $output == *'CINTA_EMBEDDING_KEY holds a blank or a line end; set it to the key alone' ]]
}

@test "cinta search asks it, too, and keeps the answer; without the option it goes by words" {
	cinta_mount -o "$WITH"
	say work 'we sold the old automobile' 'the weather is fine' 'nothing else happened'
	wait_for 20 made 3
	run -0 "$CINTA" search -o "$WITH" "$DB" car
	[[ $output == *'messages/000001.md'* ]]
	run -1 "$CINTA" search "$DB" car
	[[ $output == *'No hits'* ]]
	[[ $output != *'words alone'* ]]
	cinta_umount
	stop_server
	run -0 "$CINTA" search --json -o "$WITH" "$DB" car
	[[ $output == '{"rank":1,'* ]]
}

@test "doctor tries it" {
	cinta_mount -o "$WITH"
	run "$CINTA" doctor -o "$WITH" "$M"
	[[ $output == *'ok   the embedding endpoint gives vectors of 256 dimensions'* ]]
	run "$CINTA" doctor -o "$WITH,embedding_dims=32" "$M"
	[[ $output == *'gives vectors of 32 dimensions'* ]]
	mode dims 7
	run "$CINTA" doctor -o "$WITH" "$M"
	[[ $output == *'gives vectors of 7 dimensions'* ]]
	mode 404
	run -1 "$CINTA" doctor -o "$WITH" "$M"
	[[ $output == *'fail the embedding endpoint http://127.0.0.1:'*' answers 404'* ]]
}

@test "options that are none, and a second mount" {
	for bad in embedding=127.0.0.1:8080 embedding=ftp://127.0.0.1 embedding=http:// "embedding=nonsense" \
		"embedding=http://user:word@127.0.0.1/"; do
		run -2 cinta_mount -o "$bad,embedding_model=m"
		[[ $output == *'cinta: embedding=: '*'; '* ]]
	done
	run -2 cinta_mount -o "embedding=http://127.0.0.1:$PORT"
	[[ $output == *'needs embedding_model=NAME'* ]]
	run -2 cinta_mount -o embedding_model=m
	[[ $output == *'need embedding=URL'* ]]
	for dims in 0 8193 -1 x 3x; do
		run -2 cinta_mount -o "$WITH,embedding_dims=$dims"
		[[ $output == *"embedding_dims=$dims: not a number from 1 to 8192"* ]]
	done
	run -2 "$CINTA" search -o embedding_model=m "$DB" x
	run -2 "$CINTA" search -o session=x "$DB" x
	not owned "$DB"
	cinta_mount
	mkdir "$T/more"
	run -1 "$CINTA" mount -o "$WITH" "$DB" "$T/more"
	[[ $output == *'embedding= is set when it starts'* ]]
}

@test "libcurl is not loaded by who does not need it" {
	[ "$(id -u)" = 0 ] || skip "the daemon's maps are for root to see: it is not dumpable"
	cinta_mount
	not grep -q libcurl "/proc/$(owner_of "$DB")/maps"
	cinta_umount
	cinta_mount -o "$WITH"
	grep -q libcurl "/proc/$(owner_of "$DB")/maps"
}
