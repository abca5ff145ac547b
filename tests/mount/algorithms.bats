# SPDX-License-Identifier: MIT
# cinta algorithms: versions listed and compared on questions of a file, of the arguments, of the
# memory; metrics written beside a running mount, and nothing else; what is refused, with words.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	cinta_mount
	mkdir "$M/algorithms/memory"
}
teardown() { cinta_teardown; }

# version NAME STATUS RECENCY IMPORTANCE RELEVANCE FREQUENCY
version() {
	printf '{\n  "status": "%s",\n  "config": {"scoring": {"weights": {"recency": %s, "importance": %s, "relevance": %s, "frequency": %s}}}\n}\n' \
		"$2" "$3" "$4" "$5" "$6" > "$M/algorithms/memory/$1.json"
}
# memory NAME IMPORTANCE TEXT
memory() { printf -- '---\nimportance: %s\n---\n%s\n' "$2" "$3" > "$M/memories/fact/$1.md"; }

# One that matters and hardly speaks of mangos, one that does and does not matter.
fill() {
	memory dear 0.9 'mango, and a great many other things that are all of them no fruit at all'
	memory near 0.1 'mango mango mango'
	memory tea 0.5 'tea with milk'
	version 1.0 active 0 1 0 0
	version 2.0 experiment 0 0 1 0
}
compare() { run "$CINTA" algorithms compare "$@"; }

@test "the one that answers better is told, by the order each would give" {
	fill
	printf 'mango\tmemories/fact/near.md\ntea\tmemories/fact/tea.md\r\n' > "$T/q"
	compare "$DB" memory -q "$T/q"
	[ $status -eq 0 ]
	grep -qF 'algorithms/memory: 1.0 (active) and 2.0 (experiment)' <<< "$output"
	grep -qF "2 questions ($T/q), 2 with results, 2 with expected ones" <<< "$output"
	grep -qE '^recall@10 +1.000 +1.000$' <<< "$output"
	grep -qE '^MRR@10 +0.750 +1.000$' <<< "$output"
	grep -qE '^nDCG@10 +0.815 +1.000$' <<< "$output" # (1 + 1 / log2 3) / 2
	grep -qE '^better on +0 +1$' <<< "$output"
	grep -qF 'overlap@10 1.000, rank correlation -1.000' <<< "$output"
	grep -qF 'same order on 1 of 2, another first result on 1' <<< "$output"
	grep -qF 'first of 1.0: memories/fact/dear.md' <<< "$output"
	grep -qF 'first of 2.0: memories/fact/near.md' <<< "$output"
	compare -k 1 -v 2.0,1.0.json -q - "$DB" memory < "$T/q"
	[ $status -eq 0 ]
	grep -qF '2.0 (experiment) and 1.0 (active)' <<< "$output"
	grep -qE '^recall@1 +1.000 +0.500$' <<< "$output"
	grep -qF 'overlap@1 0.500' <<< "$output"
}

@test "comparing writes nothing and counts no use" {
	fill
	before=$(wc -l < "$M/.cinta/tape.jsonl")
	compare "$DB" memory mango tea 'nothing of the kind'
	[ $status -eq 0 ]
	grep -qF '3 questions (the arguments), 2 with results, 0 with expected ones' <<< "$output"
	[ "$(wc -l < "$M/.cinta/tape.jsonl")" -eq "$before" ]
	cinta_umount
	[ "$(sqlite3 "$DB.side" 'SELECT count(*) FROM access')" -eq 0 ]
}

@test "its own questions: answers, and what users said" {
	fill
	compare "$DB" memory
	[ $status -eq 1 ]
	[[ "$output" == *'this memory holds no question'*'-q'* ]]
	echo friday > "$M/answers/when is there mango.md"
	mkdir "$M/sessions/s"
	printf '%s\n' '{"role":"user","content":"any mango?"}' '{"role":"user","content":"any mango?"}' \
		'{"role":"assistant","content":"yes"}' >> "$M/sessions/s/log.jsonl"
	compare "$DB" memory
	[ $status -eq 0 ]
	grep -qF '2 questions (answers/ and messages of users), 2 with results' <<< "$output"
}

@test "-w writes the results into both documents, and nothing else" {
	fill
	sed -i 's/"status"/"metrics": {"mine": 0.50},\n  "status"/' "$M/algorithms/memory/1.0.json"
	cp "$M"/algorithms/memory/[12].0.json "$T"
	compare -w -o owner=eva "$DB" memory mango
	[ $status -eq 0 ]
	wait_for 5 grep -q comparison "$M/algorithms/memory/2.0.json"
	python3 - "$T" "$M/algorithms/memory" <<-'PY'
		import json, sys
		for name, other in (("1.0", "2.0"), ("2.0", "1.0")):
		    old = open(f"{sys.argv[1]}/{name}.json").read()
		    new = open(f"{sys.argv[2]}/{name}.json").read()
		    a, b = json.loads(old), json.loads(new)
		    c = b["metrics"].pop("comparison")
		    assert c["with"] == other and c["questions"] == 1 and c["k"] == 10, c
		    assert c["tau"] == -1 and c["overlap"] == 1 and c["us_a_question"] >= 0, c
		    if "metrics" not in a:
		        assert not b.pop("metrics")
		    assert a == b
		    # byte for byte what was there, around what is new
		    start = next(i for i in range(len(old)) if old[i] != new[i])
		    assert new.endswith(old[start:]), new
	PY
	history=$(cat "$M/algorithms/memory/1.0.json@log")
	[ "$(wc -l <<< "$history")" -eq 3 ]
	[[ "$(tail -1 <<< "$history")" == *eva:cinta* ]]
	# again: the member is replaced, not added
	compare -w "$DB" memory mango tea
	[ $status -eq 0 ]
	grep -c . <(grep -o comparison "$M/algorithms/memory/1.0.json") | grep -qx 1
	[ "$(sql "SELECT group_concat(status || ':' || json_extract(metrics, '\$.comparison.questions'), ' ') FROM cto_algorithms")" = 'active:2 experiment:2' ]
	[ "$(sql "SELECT json_extract(metrics, '\$.mine') FROM cto_algorithms WHERE version = '1.0'")" = 0.5 ]
	cinta_umount
	"$CINTA" verify --all "$DB"
}

@test "without an active version: against the numbers in use" {
	memory dear 0.9 mango
	version 2.0 experiment 0 0 1 0
	compare -w "$DB" memory mango
	[ $status -eq 0 ]
	grep -qF 'algorithms/memory: in use and 2.0 (experiment)' <<< "$output"
	wait_for 5 grep -qF '"with": "in use"' "$M/algorithms/memory/2.0.json"
}

@test "who was superseded is expected as who stands for it" {
	fill
	printf -- '---\nsuperseded_by: near\n---\nan old mango\n' > "$M/memories/fact/old.md"
	printf -- '---\nstatus: deleted\n---\nmango\n' > "$M/memories/fact/gone.md"
	printf 'mango\tmemories/fact/old.md\tmemories/fact/near.md\nmango\tmemories/fact/gone.md\n' > "$T/q"
	compare "$DB" memory -k 1 -q "$T/q"
	[ $status -eq 0 ]
	grep -qE '^recall@1 +0.000 +0.500$' <<< "$output"
}

@test "the same numbers twice are said to be the same" {
	memory dear 0.9 mango
	version 1.0 active 0 1 0 0
	version 2.0 experiment 0 1 0 0
	compare "$DB" memory mango
	[ $status -eq 0 ]
	grep -qF 'both have the same numbers' <<< "$output"
	[[ "$output" != *'differ most'* ]]
}

@test "list: a line a version" {
	fill
	mkdir "$M/algorithms/context"
	echo '{"status":"draft","config":{"window":8}}' > "$M/algorithms/context/v1.json"
	run "$CINTA" algorithms list "$DB"
	[ $status -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ "${lines[0]}" =~ ^context\ +v1\ +draft\ +-\ +20 ]]
	[[ "${lines[2]}" =~ ^memory\ +2.0\ +experiment\ +scoring\ +20 ]]
}

# refused STATUS WORDS ARGUMENTS…
refused() {
	local want=$1 words=$2
	shift 2
	run --separate-stderr "$CINTA" algorithms "$@"
	[ "$status" -eq "$want" ] && [ -z "$output" ] && [[ "$stderr" == cinta:*"$words"* ]] && return
	echo "algorithms $*: status $status, not $want; $output$stderr"
	return 1
}

@test "what cannot be compared, and what is no command line" {
	memory dear 0.9 mango
	refused 1 'there is no algorithm memory' compare "$DB" memory mango
	version 1.0 active 0 1 0 0
	refused 1 'no version that is an experiment' compare "$DB" memory mango
	version 2.0 experiment 0 0 1 0
	version 3.0 experiment 0 0 1 0
	refused 1 'several experiments' compare "$DB" memory mango
	refused 1 'has no version 4.0' compare -v 1.0,4.0 "$DB" memory mango
	refused 1 'one version, not two' compare -v 1.0,1.0 "$DB" memory mango
	mkdir "$M/algorithms/context"
	echo '{"status":"active","config":{"window":8}}' > "$M/algorithms/context/1.json"
	echo '{"status":"experiment","config":{"window":9}}' > "$M/algorithms/context/2.json"
	refused 1 'only algorithms that score memories can be compared' compare "$DB" context mango
	refused 1 'no such file' compare "$T/none.db" memory mango
	refused 2 'say which algorithm' compare "$DB"
	refused 2 'a number from 1 to 20' compare -k 21 "$DB" memory mango
	refused 2 'a number from 1 to 20' compare -k x "$DB" memory mango
	refused 2 'name two versions' compare -v 1.0 "$DB" memory mango
	refused 2 'not both' compare -q "$T/q" "$DB" memory mango
	refused 2 'unknown option -x' compare -x "$DB" memory
	refused 2 'needs a value' compare "$DB" memory -q
	refused 2 'say `list` or `compare`' tell "$DB"
}

@test "hostile files of questions" {
	fill
	refused 1 'No such file' compare -q "$T/none" "$DB" memory
	refused 1 'Is a directory' compare -q "$T" "$DB" memory
	: > "$T/q"
	refused 1 'there is no question in it' compare -q "$T/q" "$DB" memory
	printf '\n \t\n\r\n' > "$T/q"
	refused 1 'there is no question in it' compare -q "$T/q" "$DB" memory
	printf 'tea\nte\377a\n' > "$T/q"
	refused 1 'line 2: invalid UTF-8' compare -q "$T/q" "$DB" memory
	printf 'tea\nte\0a\n' > "$T/q"
	refused 1 'line 2: a NUL byte' compare -q "$T/q" "$DB" memory
	{ echo tea; head -c 4097 /dev/zero | tr '\0' a; } > "$T/q"
	refused 1 'line 2: the line has more than 4096 bytes' compare -q "$T/q" "$DB" memory
	head -c 5000000 /dev/zero | tr '\0' '\n' > "$T/q"
	refused 1 '4 MiB or more' compare -q "$T/q" "$DB" memory
	yes mango | head -10001 > "$T/q"
	refused 1 'line 10001: more than 10000 questions' compare -q "$T/q" "$DB" memory
	for path in memories/fact/none.md memories/fact memories notes/x.md /memories/fact/tea.md ../x \
		memories/fact/tea memories/../memories/fact/tea.md "memories/fact/$(printf %03000d 0).md"; do
		printf 'tea\n\ntea\t%s\n' "$path" > "$T/q"
		refused 1 'line 3: ' compare -q "$T/q" "$DB" memory
	done
	# words that mean something elsewhere are words here
	printf '%s\n' '"' "'; DROP TABLE tape;--" 'a OR b NEAR(c' '*' '-mango' 'in:memories tea' $'\e[2J' '%s%n' > "$T/q"
	compare -q "$T/q" "$DB" memory
	[ $status -eq 0 ]
	[[ "$output" != *$'\e'* ]]
	head -c 100000 /dev/urandom > "$T/q"
	compare -q "$T/q" "$DB" memory
	[ $status -eq 1 ]
}

@test "a memory that cannot be written is compared, not written" {
	fill
	cinta_umount
	version_of() { "$CINTA" algorithms list "$DB" | wc -l; }
	[ "$(version_of)" -eq 2 ]
	compare -w "$DB" memory mango # without a mount
	[ $status -eq 0 ]
	cp "$DB" "$T/old.db" # a copy without the rest of what was signed is a rollback
	cinta_mount
	memory more 0.5 more
	cinta_umount
	cp "$T/old.db" "$DB"
	compare "$DB" memory mango
	[ $status -eq 0 ]
	compare -w "$DB" memory mango
	[ $status -eq 1 ]
	[[ "$output" == *'leave -w out'* ]]
}

@test "two that write metrics, and an editor, at once: each version is whole" {
	fill
	for i in 1 2 3; do "$CINTA" algorithms compare -w "$DB" memory mango > "$T/out$i" & done
	for i in 1 2 3 4 5; do
		version 2.0 experiment 0 0.1 0.9 0
	done
	wait
	for i in 1 2 3; do grep -q '^overlap' "$T/out$i"; done
	n=$(wc -l < "$M/algorithms/memory/2.0.json@log")
	wait_for 5 test -e "$M/algorithms/memory/2.0.json@$n" # what another process wrote is known in a second
	for ((i = 1; i <= n; i++)); do
		python3 -c 'import json, sys; assert json.load(sys.stdin)["status"] == "experiment"' \
			< "$M/algorithms/memory/2.0.json@$i"
	done
	[ "$(sql "SELECT group_concat(status) FROM cto_algorithms")" = active,experiment ]
}
