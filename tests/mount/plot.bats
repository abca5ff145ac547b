# SPDX-License-Identifier: MIT
# cinta plot: the example memory at a fixed time, each plot as text and as SVG, against files that
# somebody has looked at (CINTA_GOLDEN=write makes them anew); an empty memory; what is refused.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && as_root; }
teardown() { cinta_teardown; }

ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
PLOTS='growth facts pressure sessions days weeks'

# at_noon COMMAND…: by a clock that stands at noon of 1 December 2026
at_noon() { by_clock TZ=UTC FAKETIME='@2026-12-01 12:00:00' "$@"; }
settled() { [ "$(cat "$M"/facts/*.md | grep -c '^- ')" -ge 13 ]; }

# same FILE NAME: it is what is kept under that name
same() {
	if [ "${CINTA_GOLDEN:-}" = write ]; then cp "$1" "$HERE/plots/$2"; fi
	cmp "$HERE/plots/$2" "$1" || { diff "$HERE/plots/$2" "$1" | head -20; false; }
}

@test "the plots of the example memory are those that are kept" {
	at_noon env CINTA="$CINTA" "$ROOT/docs/example/run.sh" "$M" "$DB" > "$T/said" || { cat "$T/said"; false; }
	wait_for 30 settled
	cinta_umount
	for plot in $PLOTS; do
		at_noon "$CINTA" plot $plot "$DB" > "$T/text"
		same "$T/text" $plot.txt
		at_noon "$CINTA" plot --svg $plot "$DB" > "$T/svg"
		same "$T/svg" $plot.svg
		python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$T/svg"
	done
}

@test "an empty memory has plots without anything in them" {
	"$CINTA" init "$DB"
	for plot in $PLOTS; do
		run -0 "$CINTA" plot $plot "$DB"
		[ ${#lines[@]} -ge 2 ]
		run -0 "$CINTA" plot $plot --svg "$DB"
		[ "${lines[-1]}" = '</svg>' ]
	done
}

@test "a plot beside a mount shows what has just been written, and names as they are safe" {
	cinta_mount
	say '<b>&' 'hello' 'again'
	run -0 "$CINTA" plot sessions "$M"
	grep -qE '<b>& █+ +2$' <<< "$output"
	run -0 "$CINTA" plot --svg sessions "$M"
	grep -qF '>&lt;b&gt;&amp;</text>' <<< "$output"
	not grep -qF '<b>' <<< "$output"
	run -0 "$CINTA" plot pressure -d "$DB"
	grep -qE '^threshold: 50%$' <<< "$output"
}

@test "no wider than it is told to be" {
	cinta_mount
	say "$(printf 'x%.0s' {1..200})" 'hello'
	for plot in $PLOTS; do
		"$CINTA" plot $plot "$DB" | python3 -c 'import sys; sys.exit(any(len(l.rstrip("\n")) > 80 for l in sys.stdin))'
	done
}

@test "what is no plot is refused with those there are" {
	"$CINTA" init "$DB"
	run -2 "$CINTA" plot
	[[ $output == *'say which: growth, facts, pressure, sessions, days or weeks'* ]]
	run -2 "$CINTA" plot grwth "$DB"
	[[ $output == *'did you mean `growth`?'* ]]
	run -2 "$CINTA" plot everything "$DB"
	[[ $output == *'say growth, facts, pressure, sessions, days or weeks'* ]]
	run -2 "$CINTA" plot --svg --text days "$DB"
	[[ $output == *'not both'* ]]
	run -1 "$CINTA" plot days "$T/none.db"
}
