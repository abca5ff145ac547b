# SPDX-License-Identifier: MIT
# Searching by what a message names: hashtags, players, items, flag, place, leader.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

hits() { grep -oE '^[0-9]+\. `[^`]*`' "search/$1.md" | grep -oE '[0-9]+\.md' | tr -d 0 | sort | tr '\n' ' '; }

@test "tag: player: item: flag: at: leader:, alone and with words" {
	mkdir sessions/s
	cat >> sessions/s/log.jsonl <<-'END'
		{"content":"the roof leaks","hashtags":["urgente","hsu:casa"],"players":["ana","agent-7"],"flag":"ES","location":"taller"}
		{"content":"the roof is dry","hashtags":["casa"],"items":["taladro","itu/broca"],"master_item":"caja","master_player":"ana"}
		{"content":"urgente: llamar al taller"}
	END
	[ "$(hits 'tag:urgente')" = '1.md ' ]
	[ "$(hits 'tag:casa')" = '1.md 2.md ' ]
	[ "$(hits 'tag:hsu:casa')" = '1.md ' ]
	[ "$(hits 'tag:CASA roof')" = '1.md 2.md ' ]
	[ "$(hits 'player:ana')" = '1.md ' ]
	[ "$(hits 'leader:ana')" = '2.md ' ]
	[ "$(hits 'item:broca')$(hits 'item:caja')$(hits 'item:taladro')" = '2.md 2.md 2.md ' ]
	[ "$(hits 'flag:es at:taller')" = '1.md ' ]
	[ "$(hits 'tag:urgente item:broca')" = '' ]
	[ "$(hits 'tag:nothing')" = '' ]
	grep -q '^Asked: roof · tag: casa$' 'search/roof tag:casa.md'
	grep -q 'is there twice' 'search/tag:a tag:b.md'
	# a message near one that is tagged is no hit by its neighbour
	[ "$(hits 'llamar tag:urgente')" = '1.md ' ] || [ "$(hits 'llamar tag:urgente')" = '' ]
	# all of many tags are found
	jq -nc '{content:"many",hashtags:[range(400)|"hsu:tag\(.)"],players:["nora"]}' >> sessions/s/log.jsonl
	[ "$(hits 'tag:tag0')$(hits 'tag:tag39')$(hits 'tag:hsu:tag399')" = '4.md 4.md 4.md ' ]
	[ "$(hits 'player:nora many')" = '4.md ' ]
	jq -nc '{content:"too many",hashtags:[range(2000)|"more\(.)"]}' > "$T/line" # 1,000 at most
	dd if="$T/line" of=sessions/s/log.jsonl oflag=append conv=notrunc bs=1M status=none
	[ "$(hits 'tag:more900')$(hits 'tag:more1999')" = '5.md ' ]
	"$CINTA" verify --all "$DB"
}

@test "what stands in a tag, a comment or a link's address is found, as grep finds it" {
	mkdir -p "$M/notes" "$M/memories/fact"
	echo 'The Kotlin type is List<Zzyzxw> here' > "$M/notes/kt.md"
	echo 'List<Zzyzxe> v;' > "$M/notes/kt.java"
	echo 'The type Option<Memtype> <!-- zebracomment -->' > "$M/memories/fact/t.md"
	echo 'See [the page](https://example.org/wombatpage).' > "$M/notes/link.md"
	for of in Zzyzxw:kt.md Zzyzxe:kt.java Memtype:t.md zebracomment:t.md wombatpage:link.md; do
		grep -F "${of#*:}" "$M/search/${of%:*}.md"
	done
}
