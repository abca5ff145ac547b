# SPDX-License-Identifier: MIT
# memories/search/QUERY.md: memories for some words, by score, with its parts.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

memory() { # TYPE KEY FRONT TEXT
	printf -- '---\n%b---\n%s\n' "$3" "$4" > "memories/$1/$2.md"
}
paths() { grep -oE '^[0-9]+\. `[^`]*`' "memories/search/$1.md" | cut -d'`' -f2; }
first() { paths "$1" | head -1; }

@test "by score, not by words alone: what matters comes before what merely says it more often" {
	memory fact aaa 'importance: 0.1\n' 'zeppelin zeppelin zeppelin'
	memory fact bbb 'importance: 1.0\n' 'the zeppelin, and many other things besides it that fill a line'
	memory fact ccc '' 'something else altogether'
	[ "$(first zeppelin)" = memories/fact/bbb.md ]
	[ "$(paths zeppelin | wc -l)" -eq 2 ]
	grep -qE 'score [0-9.]+ ' memories/search/zeppelin.md
	grep -q 'relevance 1.000' memories/search/zeppelin.md
	grep -q '^Asked: zeppelin$' memories/search/zeppelin.md
	[ "$(paths 'zeppelin min:0.99' | wc -l)" -eq 1 ]
	grep -q 'min: 0.99' 'memories/search/zeppelin min:0.99.md'
	[ "$(paths 'zeppelin limit:1' | wc -l)" -eq 1 ]
	grep -q 'No active memory' 'memories/search/quuxly.md'
	[ -z "$(ls -A memories/search)" ]
	[ -z "$(ls memories | grep search)" ]
}

@test "owner: keeps to one player's; what is retired is not among them, an heir answers" {
	memory fact ana 'owner_id: ana\n' 'quokka of ana'
	memory fact bob 'owner_id: bob\n' 'quokka of bob'
	[ "$(paths 'quokka owner:ana')" = memories/fact/ana.md ]
	[ "$(paths 'quokka' | wc -l)" -eq 2 ]
	[ "$(paths 'owner:bob')" = memories/fact/bob.md ]
	memory fact new '' 'kangaroos instead'
	memory fact bob 'owner_id: bob\nstatus: superseded\nsuperseded_by: new\n' 'quokka of bob'
	[ "$(paths quokka | sort | tr '\n' ' ')" = 'memories/fact/ana.md memories/fact/new.md ' ]
	memory fact ana 'owner_id: ana\nstatus: deleted\n' 'quokka of ana'
	not grep -q 'memories/fact/ana' memories/search/quokka.md
}

@test "to be found is a use; a filter that is none is told" {
	memory fact one '' 'armadillo'
	cat memories/search/armadillo.md > "$T/1"
	grep -q 'never used' "$T/1"
	sleep 1.1
	grep -q 'used 1 time' memories/search/armadillo.md
	for q in 'x min:2' 'x min:' 'x min:much' 'x limit:0' 'x limit:1000' 'x limit:x'; do
		cat "memories/search/$q.md" > "$T/page"
		[ "$q" = 'x min:' ] || grep -q 'This was not searched for' "$T/page"
	done
	cat "memories/search/\`*# <b>.md" > "$T/page"
	not grep -q '[^\\]<b>' "$T/page"
}

@test "KEY.md@score: the four parts of one memory, also of one that is retired" {
	memory decision k8s 'importance: 0.9\n' 'kubernetes for the deployment'
	memory fact other '' 'nothing of the kind'
	cat memories/search/kubernetes.md memories/search/kubernetes.md > /dev/null
	cat 'memories/search/the deployment.md' > /dev/null
	cat memories/decision/k8s.md@score > "$T/score"
	grep -q '^# Score of `memories/decision/k8s.md`$' "$T/score"
	grep -qE '^score 0\.660 = 0\.20 × recency 1\.000 \+ 0\.40 × importance 0\.900 \+ 0\.30 × relevance 0\.000 \+ 0\.10 × frequency 1\.000$' "$T/score"
	grep -qE '^- recency: exp\(-0\.05 × 0\.00 days\), of a decision last used 20' "$T/score"
	grep -qE '^- frequency: log\(1 \+ [23]\) / log\(1 \+ [23]\),' "$T/score"
	grep -q '^- status: live$' "$T/score"
	grep -q 'frequency 0.000$' memories/fact/other.md@score
	memory decision k8s 'importance: 0.9\nsuperseded_by: fact/other\n' 'kubernetes for the deployment'
	grep -q '^- status: superseded by `memories/fact/other.md`, so it is not chosen$' memories/decision/k8s.md@score
	[ "$(stat -c %s memories/fact/other.md@score)" -eq "$(cat memories/fact/other.md@score | wc -c)" ]
	not cat notes/x.md@score
	not sh -c 'echo x > memories/fact/other.md@score'
	not sh -c 'echo x > memories/fact/new.md@score'
	[ -z "$(ls memories/fact | grep score)" ]
}
