# SPDX-License-Identifier: MIT
# What is retired stays retired: no context brings it back; a search marks it, and has it last.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mount_with_clock
	cd "$M"
}
teardown() {
	cd /
	cinta_teardown
}

# later TIME: +25h
later() {
	clock_to "$1"
	say clock "another minute $1" # what was kept until the minute ends is made anew
	sleep 1.2
}

# order FILE: the paths of its hits, best first, with what is said of them
order() { sed -nE 's/^ *[0-9]+\. `([^`]*)`.*Z( · \*\*([^*]*)\*\*( `([^`]*)`)?)?  $/\1 \3 \5/p' "$1" | sed 's/ *$//'; }

memories() {
	mkdir -p memories/decision blocks/rules
	printf -- '---\nsummary: compose\n---\nAlpha runs on docker-compose, the alpha way.\n' > memories/decision/use-compose.md
	printf -- '---\nsummary: orchestration\n---\nWe run it on kubernetes.\n' > memories/decision/use-k8s.md
	printf -- '---\nstatus: superseded\nsuperseded_by: use-k8s\n---\nAlpha runs on docker-compose, the alpha way.\n' \
		> memories/decision/use-compose.md
	printf -- '---\nexpires_at: %s\n---\nThe alpha meeting is at noon.\n' "$(date -ud +5days +%FT%TZ)" > memories/temporal/meeting.md
	printf -- '---\nstatus: deleted\n---\nThe alpha quark secret.\n' > memories/fact/secret.md
	printf 'Alpha lives on.\n' > memories/fact/lives.md
	printf -- '---\nstatus: deprecated\n---\nAlpha quark rule of old.\n' > blocks/rules/old.md
	printf 'Alpha quark rule of today.\n' > blocks/rules/new.md
}

@test "facts at 29, 31, 91 and 181 days: in contexts only what is live, in a search marked and last" {
	printf -- '- alpha kubernetes is a high fact\n- alpha kubernetes is a medium fact *(medium)*\n- alpha kubernetes is a low fact *(low)*\n' > facts/work.md
	say talk "What about alpha kubernetes, I ask again"
	page='context/what about alpha kubernetes.md'
	for day in 29:111 31:110 91:100 181:000; do
		later "+${day%:*}d"
		say talk "What about alpha kubernetes on day ${day%:*}"
		for p in "$page" context.md; do
			cat "$p" > "$T/page"
			i=0
			for fact in high medium low; do
				want=${day#*:} want=${want:i:1} i=$((i + 1))
				got=$(grep -c "alpha kubernetes is a $fact fact" "$T/page") || true
				[ "$((got > 0))" = "$want" ] || { echo "$p day $day $fact: $got"; cat "$T/page"; false; }
			done
		done
	done
	cat 'search/alpha kubernetes fact in:facts.md' > "$T/page"
	[ "$(order "$T/page" | sort | uniq -c | tr -s ' ')" = ' 3 facts/work.md stale' ] || { cat "$T/page"; false; }
	later +100d
	[ "$(order 'search/alpha kubernetes fact in:facts.md' | sort | tr '\n' ,)" = 'facts/work.md,facts/work.md aged,facts/work.md aged,' ]
	[ "$(order 'search/alpha kubernetes fact in:facts status:aged.md' | wc -l)" -eq 2 ]
	order 'search/alpha kubernetes fact in:facts.md' | head -1 | grep -qx 'facts/work.md'
}

@test "a superseded memory is answered by its heir, and what is retired comes last" {
	memories
	cat 'search/alpha docker-compose way in:memories.md' > "$T/page"
	[ "$(order "$T/page" | head -1)" = memories/decision/use-k8s.md ] || { cat "$T/page"; false; }
	grep -q 'memories/decision/use-compose.md superseded by memories/decision/use-k8s.md' <(order "$T/page")
	[ "$(order search/alpha.md | grep -n ' ' | head -1 | cut -d: -f1)" -gt "$(order search/alpha.md | grep -nv ' ' | tail -1 | cut -d: -f1)" ]
	order search/quark.md | grep -qx 'memories/fact/secret.md deleted'
	order search/quark.md | grep -qx 'blocks/rules/old.md deprecated'
	[ "$(order search/quark.md | head -1)" = blocks/rules/new.md ]
	later +6d
	order search/alpha.md | grep -qx 'memories/temporal/meeting.md expired'
	for q in 'alpha docker-compose' 'quark' 'alpha meeting noon'; do
		cat "context/$q.md" > "$T/page"
		! grep -E 'docker-compose, the|secret|rule of old|is at noon' "$T/page" || { echo "$q"; cat "$T/page"; false; }
	done
	grep -q 'We run it on kubernetes' 'context/alpha docker-compose.md'
	# its heir was found in its place
	grep -q 'memories/decision/use-k8s.md.*We run it on kubernetes' 'context/docker-compose.md'
	say talk "What do we know of the alpha docker-compose quark meeting?"
	not grep -E 'docker-compose, the|secret|rule of old|is at noon' context.md
	grep -q 'We run it on kubernetes' context.md
}

@test "status: asks for some of them, in pages, links and JSON" {
	memories
	later +6d
	[ "$(order 'search/alpha status:live in:memories.md' | sort | tr '\n' ,)" = memories/decision/use-k8s.md,memories/fact/lives.md, ]
	[ "$(order 'search/alpha status:superseded.md')" = 'memories/decision/use-compose.md superseded by memories/decision/use-k8s.md' ]
	[ "$(order 'search/alpha status:expired,deleted.md' | sort | tr '\n' ,)" = 'memories/fact/secret.md deleted,memories/temporal/meeting.md expired,' ]
	[ "$(order 'search/alpha status:deprecated.md')" = 'blocks/rules/old.md deprecated' ]
	[ -z "$(order 'search/alpha status:aged.md')" ]
	grep -q 'there is no status:dead' 'search/alpha status:dead.md'
	grep -q '^Asked: alpha · status: live, expired$' 'search/alpha status:expired status:live.md'
	readlink 'search/alpha status:superseded/'* | grep -q use-compose.md
	"$CINTA" search --json "$DB" 'alpha status:superseded' | grep -q '"status":"superseded","superseded_by":"memories/decision/use-k8s.md"'
	# a chain of three, a circle, an heir that is retired as well
	printf -- '---\nsuperseded_by: b\n---\nomega one\n' > memories/fact/a.md
	printf -- '---\nsuperseded_by: c\n---\nomega two\n' > memories/fact/b.md
	printf 'tau three\n' > memories/fact/c.md
	[ "$(order search/omega.md | head -1)" = memories/fact/c.md ]
	[ "$(order search/omega.md | sort | sed 's/ by .*c.md//' | tr '\n' ,)" = 'memories/fact/a.md superseded,memories/fact/b.md superseded,memories/fact/c.md,' ]
	printf -- '---\nstatus: deleted\n---\ntau three\n' > memories/fact/c.md
	[ "$(order search/omega.md | sort | tr '\n' ,)" = 'memories/fact/a.md superseded,memories/fact/b.md superseded,' ]
	printf -- '---\nsuperseded_by: a\n---\ntau three\n' > memories/fact/c.md
	[ "$(order search/omega.md | head -1)" = memories/fact/c.md ]
}

@test "many retired ones do not take the room of the live" {
	mkdir -p memories/fact
	for i in $(seq 30); do printf -- '---\nstatus: deleted\n---\nzebra zebra zebra %s\n' "$i" > "memories/fact/gone$i.md"; done
	for i in $(seq 12); do printf 'A zebra among many other things that stand here number %s\n' "$i" > "memories/fact/here$i.md"; done
	cat search/zebra.md > "$T/page"
	[ "$(order "$T/page" | grep -c 'here[0-9]*.md$')" -eq 12 ]
	[ "$(order "$T/page" | wc -l)" -eq 20 ]
	[ "$(order "$T/page" | tail -8 | grep -c deleted)" -eq 8 ]
}

@test "uses are counted for the live alone" {
	memories
	for i in 1 2 3; do cat "search/alpha docker compose $i.md" > /dev/null; done
	cat 'context/alpha docker compose.md' > /dev/null
	cd /
	cinta_umount
	[ "$(sql "SELECT max(access_count_v2) FROM cto_memory WHERE status <> 'active'")" -eq 0 ]
	[ "$(sql "SELECT access_count_v2 FROM cto_memory WHERE summary = 'orchestration'")" -eq 4 ]
}
