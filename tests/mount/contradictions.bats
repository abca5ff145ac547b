# SPDX-License-Identifier: MIT
# What a user says later about the same thing: facts end, are confirmed, or are asked about.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	cinta_mount
	F=$M/facts
	mkdir "$M/sessions/s"
}
teardown() { cinta_teardown; }

says() { printf '{"role":"user","content":"%s"}\n' "$@" >> "$M/sessions/s/log.jsonl"; }
lists() { grep -qF -- "$2" "$F/$1.md"; }
gone() { ! lists "$@"; }
# of_fact TEXT KEY: that member of the fact in facts.jsonl
of_fact() { python3 -c 'import json, sys
for line in open(sys.argv[1]):
    f = json.loads(line)
    if f["fact"] == sys.argv[2]: print(f.get(sys.argv[3]))' "$F/facts.jsonl" "$1" "$2"; }

@test "one employer, one home: the new one takes the place of the old, linked" {
	says 'I work at a fintech company' 'Vivo en Córdoba'
	wait_for 10 lists personal 'Vivo en Córdoba'
	says 'I work at a healthcare company now' 'Me mudé a Rosario'
	wait_for 10 lists personal 'Me mudé a Rosario'
	[ "$(sed -n '/^- /p' "$F/work.md")" = '- I work at a healthcare company now' ]
	[ "$(sed -n '/^- /p' "$F/personal.md")" = '- Me mudé a Rosario' ]
	[ "$(of_fact 'I work at a healthcare company now' supersedes)" = "$(of_fact 'I work at a fintech company' id)" ]
}

@test "what is used for one thing; what is denied; what is said again" {
	says 'Decidí usar k8s en vez de docker-compose para el deployment' 'I always use vim' 'Prefiero respuestas directas'
	wait_for 10 lists preferences directas
	says 'Decidí usar docker-compose para el deployment' "I don't use vim anymore" 'Recordá que prefiero respuestas directas'
	wait_for 10 gone preferences 'I always use vim'
	[ "$(sed -n '/^- /p' "$F/decisions.md")" = '- usar docker-compose para el deployment' ]
	wait_for 10 test "$(of_fact 'Prefiero respuestas directas' confirmations)" = 1
	[ "$(grep -c directas "$F/facts.jsonl")" = 1 ]
}

@test "what ends a fact of another list is linked across them" {
	echo '- uso Kafka para los eventos' > "$F/projects.md"
	says 'Decidimos no usar Kafka para los eventos'
	wait_for 10 lists decisions Kafka
	wait_for 10 gone projects Kafka
	[ "$(of_fact 'uso Kafka para los eventos' superseded_by)" = "$(of_fact 'no usar Kafka para los eventos' id)" ]
}

@test "also is no replacement, another purpose no contradiction" {
	says 'Trabajo en el hospital italiano' 'We decided to use Redis for the cache'
	wait_for 10 lists decisions Redis
	says 'También trabajo en una clínica' 'We decided to use SQLite for the orders'
	wait_for 10 lists decisions SQLite
	lists work italiano
	lists work clínica
	lists decisions Redis
}

@test "a kill between the steps: begun again, nothing twice" {
	local i
	for i in 1 2 3; do
		says "I live in Boston$i"
		wait_for 10 lists personal "Boston$i"
		says "I live in Denver$i"
		kill -9 "$(owner_of "$DB")"
		wait_for 10 not owned "$DB"
		umount -l "$M" 2> /dev/null || fusermount3 -uzq "$M" || true
		cinta_mount
		wait_for 10 lists personal "Denver$i"
		wait_for 10 gone personal "Boston$i"
		[ "$(grep -c "in Denver$i" "$F/facts.jsonl")" = 1 ]
	done
}

@test "what nobody can tell is asked: an alert, two lines, a command for each answer" {
	local D=$M/dashboard.md
	printf -- '- our team meets every Tuesday at 10 (room [4] / "big")\n- drinks tea\n' > "$F/work.md"
	sleep 0.01
	says 'hola'
	grep -q '^- Alerts: none' "$D"
	echo '- our team meets every Friday at 10 (room [4] / "big")' >> "$F/work.md"
	grep -q '^- ALERT: two facts may contradict' "$D"
	answer() { sed -n "/^$1/,/^      /s/^      //p" "$D" > "$T/answer"; [ -s "$T/answer" ]; cd "$M"; bash "$T/answer"; cd /; }
	cp "$F/work.md" "$T/both"
	answer 'The second holds'
	gone work Tuesday
	lists work Friday
	grep -q '^- Alerts: none' "$D"
	cp "$T/both" "$F/work.md"
	grep -q '^- ALERT: two' "$D"
	answer 'Both do'
	lists work Tuesday
	lists work Friday
	grep -q '^- Alerts: none' "$D"
	echo '- our team meets every Monday at 10 (room [4] / "big")' >> "$F/work.md"
	answer 'The first holds'
	gone work Monday
}

@test "to decide is what to do, where nothing is more urgent; a context says so, too" {
	local D=$M/dashboard.md C=$M/context.md act='- Recommended action: decide which of the two facts holds'
	local line="sed -n '/^## To decide/,\$p' dashboard.md" i
	command_of() { sed -n '/^- Recommended action/,/^## /s/^      //p' "$D"; }
	says 'hola'
	echo '- our team meets every Tuesday at 10' > "$F/work.md"
	grep -qx -- '- Recommended action: none. Go on.' "$D"
	tail -1 "$C" | grep -qx -- '- Recommended action: none. Go on.'
	echo '- our team meets every Friday at 10' >> "$F/work.md"
	grep -qF -- "$act" "$D"
	[ "$(command_of)" = "$line" ]
	(cd "$M" && sh -c "$line") | cmp - <(sed -n '/^## To decide/,$p' "$D")
	grep -qx -- '- ALERT: two facts may contradict each other' "$C"
	[ "$(tail -1 "$C")" = "$(grep -F -- "$act" "$D"): \`$line\`" ]
	for i in 1 2 3; do printf '{"role":"tool","tool":"make","error":"exit 2","content":"no %s"}\n' $i >> "$M/sessions/s/log.jsonl"; done
	grep -q '^- ALERT: two facts' "$D"
	[[ $(command_of) == *prune* ]]
	tail -1 "$C" | grep -q prune
	# a mount that hides something has no page of the whole memory
	mkdir "$T/g"
	"$CINTA" mount -o as=g,hide=sessions/t "$DB" "$T/g"
	[ ! -e "$T/g/dashboard.md" ]
	not grep -q 'may contradict' "$T/g/context.md"
	"$CINTA" umount "$T/g"
}

@test "the commands are right in each shell, whatever the facts hold" {
	local D=$M/dashboard.md shell said
	answer() { sed -n "/^$1/,/^      /s/^      //p" "$D" > "$T/answer"; [ -s "$T/answer" ]; (cd "$M" && $shell "$T/answer"); }
	cat > "$T/both" <<- 'END'
		- path C:\new\tab%d\c of "Ana's" $HOME `id` !! [a]*/b one value
		- path C:\new\tab%d\c of "Ana's" $HOME `id` !! [a]*/b two value
	END
	for shell in sh bash zsh 'busybox sh' dash; do
		command -v ${shell%% *} > /dev/null || continue
		for said in 'Both do' 'The second holds' 'The first holds'; do
			: > "$F/work.md"
			cp "$T/both" "$F/work.md"
			grep -q '^- ALERT: two facts' "$D"
			answer "$said"
			grep -q '^- Alerts: none' "$D" || { echo "$shell: $said"; cat "$T/answer" "$F/work.md"; return 1; }
			case $said in
			Both*) sed '/^- /!d' "$F/work.md" | cmp - "$T/both" ;;
			*second*) sed '/^- /!d' "$F/work.md" | cmp - <(sed -n 2p "$T/both") ;;
			*first*) sed '/^- /!d' "$F/work.md" | cmp - <(sed -n 1p "$T/both") ;;
			esac
		done
	done
}

@test "different things are not asked about" {
	for ((i = 1; i <= 22; i++)); do echo "- decided to buy the thing$i number $i from vendor N$i"; done > "$F/decisions.md"
	printf -- '- likes tea\n- likes coffee\n' > "$F/preferences.md"
	says 'hola'
	grep -q '^- Alerts: none' "$M/dashboard.md"
}

@test "each pair is asked about once it is there, the newest first, until none is left" {
	local D=$M/dashboard.md days day
	days='Monday Tuesday Wednesday Thursday'
	for day in $days; do echo "- the office is cleaned on $day afternoon" >> "$F/work.md"; done
	says 'hola'
	# asked STATED DENIED: these two are what the page asks about
	asked() { [ "$(sed -n '/^## To decide/,$s/^- the office is cleaned on \([A-Z][a-z]*\) .*/\1/p' "$D" | tr '\n' ' ')" = "$1 $2 " ]; }
	asked Wednesday Thursday
	sed -i '/Wednesday/d' "$F/work.md"
	asked Tuesday Thursday
	"$CINTA" umount "$M"
	cinta_mount
	asked Tuesday Thursday
	echo '- the office is cleaned on Friday afternoon' >> "$F/work.md"
	asked Thursday Friday
	sed -i '/Thursday/d; /Friday/d' "$F/work.md"
	asked Monday Tuesday
	sed -i '/Monday/d' "$F/work.md"
	grep -q '^- Alerts: none' "$D"
}
