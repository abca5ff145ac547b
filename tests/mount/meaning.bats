# SPDX-License-Identifier: MIT
# What turns and questions mean to an embedding model: windows, topics and answers go by it.
bats_require_minimum_version 1.5.0
load ../lib.sh

LINE='[Retrieved from an earlier conversation]'

setup() {
	cinta_setup
	mkdir "$T/endpoint"
	python3 "$BATS_TEST_DIRNAME/embedding_server.py" "$T/endpoint" 3>&- > "$T/endpoint/log" 2>&1 &
	SERVER=$!
	wait_for 20 test -s "$T/endpoint/port"
}
teardown() {
	kill "$SERVER" 2> /dev/null || true
	cinta_teardown
}

mount_with_model() { cinta_mount -o "embedding=http://127.0.0.1:$(cat "$T/endpoint/port"),embedding_model=test"; }

# Eighty turns that tell what is ordinary, and 24 that say one thing in five words.
say_much() {
	mkdir "$M/sessions/all" "$M/sessions/one"
	python3 - "$M" <<- 'END'
		import json, random, sys
		random.seed(3)
		words = """river stone garden lamp window bread music paper orange silver train mountain letter coffee
		pencil winter forest bridge market candle shadow thunder blanket mirror copper ladder basket""".split()
		with open(sys.argv[1] + "/sessions/all/log.jsonl", "a") as f:
		    for i in range(80):
		        if i % 8 == 0:
		            topic = random.sample(words, 6)
		        f.write(json.dumps({"role": "user", "content": "the " + " and ".join(random.sample(topic, 4))}) + "\n")
		with open(sys.argv[1] + "/sessions/one/log.jsonl", "a") as f:
		    for i in range(24):
		        one = ["car", "automobile", "vehicle", "coche", "auto"][i % 5]
		        f.write(json.dumps({"role": "user", "content": one}) + "\n")
	END
}
# Different texts: so many have got their vector.
all_sent() {
	local texts
	texts=$(sed 's/.*"content": *"\([^"]*\)".*/\1/' "$M"/sessions/{all,one}/log.jsonl | sort -u | wc -l)
	grep -qx "cinta_embedding_texts_total $texts" "$M/.cinta/metrics"
}
shown() { grep -c '^\*\*#' "$M/sessions/one/context.md"; }
summarised() { sed -n 's/^\*\*\([0-9]*–[0-9]*\)\*\*.*/\1/p' "$M/sessions/one/context.md" | paste -sd' '; }

@test "turns of one meaning belong together, whatever their words" {
	cinta_mount
	say_much
	[ "$(shown)" -eq 4 ] # by words, they have nothing in common
	[ "$(summarised)" = '10–12 13–15 16–18 19–20' ]
	cinta_umount
	mount_with_model
	wait_for 30 all_sent
	sleep 1.1 # what the cosines mean is measured once a second, until it is known,
	echo '{"content":"well"}' >> "$M/sessions/all/log.jsonl" # and pages are made when something was said
	[ "$(shown)" -eq 8 ]
	[ "$(summarised)" = '7–9 10–12 13–15 16–16' ]
	cinta_umount
	mount_with_model # the same again, without a word to the model
	sleep 1.1
	sent=$(grep -c '"status": 200' "$T/endpoint/requests")
	[ "$(shown)" -eq 8 ]
	[ "$(grep -c '"status": 200' "$T/endpoint/requests")" -eq "$sent" ]
}

@test "a question of the same meaning finds the answer, another does not" {
	mount_with_model
	say_much
	wait_for 30 all_sent
	sleep 1.1
	cd "$M"
	echo 'On Elm street.' > 'answers/where is the car parked.md'
	[ "$(cat 'answers/where is the automobile parked.md')" = "$LINE"$'\nOn Elm street.' ]
	[ "$(cat 'answers/Where is the vehicle parked?.md')" = "$LINE"$'\nOn Elm street.' ]
	for other in 'where is the automobile not parked' 'where is my automobile parked' 'where is automobile 2 parked' \
		'where was the automobile parked' "where is Ana's automobile parked" 'when is the automobile parked' \
		'where is the physician parked'; do
		run cat "answers/$other.md"
		[[ $output = *'No such file'* ]]
	done
	# what it asked once is known when the model is gone
	kill "$SERVER"
	[ "$(cat 'answers/where is the automobile parked.md')" = "$LINE"$'\nOn Elm street.' ]
	run timeout 10 cat 'answers/where is the auto parked.md'
	[[ $output = *'No such file'* ]]
	cd /
	cinta_umount
	cinta_mount # without a model, words count
	run cat "$M/answers/where is the automobile parked.md"
	[[ $output = *'No such file'* ]]
}
