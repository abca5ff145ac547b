# SPDX-License-Identifier: MIT
# What editors.bats and editors-batch.bats have in common: a document with the
# text A that a tool makes B and then C, and what must hold after each save: the
# bytes, one version more, nothing left beside it, no complaint.
#
# CINTA_EDITORS_DOCUMENTS='PATH…' has them edit other documents than these two.
# CINTA_EDITORS_DIR=DIR takes a plain directory instead of a mount: what fails
# there too is wrong in these tests.  Versions and errors.log are then not looked at.
# shellcheck shell=bash

HERE=$BATS_TEST_DIRNAME/editors
A=$'# Ñandú\nalpha\n' B=${A}$'beta\n' C=${B}$'gamma\n'
COMPLAINT='E[0-9]+:|W[0-9]+:|[Ee]rror|ERROR|[Ww]arning|WARNING|[Cc]annot|CANNOT|[Cc]an.t |[Ff]ailed|FAILED'
COMPLAINT+='|[Dd]enied|[Rr]efused|not permitted|No such|not supported|[Rr]ead-?only'

read -ra DOCUMENTS <<< "${CINTA_EDITORS_DOCUMENTS:-notes/foo.md smma/user_profile.md}"
BACKUP='' WARNS='' LITTER=''

mounted() { [ -z "${CINTA_EDITORS_DIR:-}" ]; }

editors_setup() {
	cinta_setup
	export LC_ALL=C.UTF-8 TERM=screen
	unset EXINIT VIMINIT EDITOR VISUAL TMUX
	if mounted; then
		cinta_mount
		ELSEWHERE=$T
	else
		M=$(mktemp -d "$CINTA_EDITORS_DIR/editors.XXXXXX")
		ELSEWHERE=$(mktemp -d /dev/shm/editors.XXXXXX)
		: > "$M/errors.log"
	fi
	ELSEWHERE=$ELSEWHERE/elsewhere
	mkdir -p "$M/notes" "$M/smma" "$ELSEWHERE" "$XDG_CONFIG_HOME" "$XDG_DATA_HOME"
	export T M A B C ELSEWHERE NEW=$ELSEWHERE/new
	document notes/foo.md
}

editors_teardown() {
	[ -z "${T:-}" ] || tmux -S "$T/tmux" kill-server 2> /dev/null || true
	mounted || rm -rf "$M" "${ELSEWHERE%/elsewhere}"
	cinta_teardown
}

# document PATH: the one that is edited from now on, with the text A
document() {
	export DOC=$M/$1
	DIR=${DOC%/*} NAME=${DOC##*/} FROM=0
	KEPT=${BACKUP//NAME/$NAME}
	if [ ! -e "$DOC" ] || ! is "$DOC" "$A"; then
		! mounted || [ ! -e "$DOC@log" ] || FROM=$(versions)
		printf %s "$A" > "$DOC"
	elif mounted; then
		FROM=$(($(versions) - 1))
	fi
	SEEN=("$A")
	LISTING=$(listing) REFUSALS=$(wc -l < "$M/errors.log")
	counted
}

listing() { LC_ALL=C ls -A "$DIR"; }
versions() { wc -l < "$DOC@log"; }

# keeps NAME~: the backup the tool is known to leave beside a document NAME
keeps() { BACKUP=$1; }

# warns: the tool tries to unlink or link the document, may say that it could not,
# and goes on
warns() { WARNS=1; }

# litters .NAME.*: what the tool forgets there when it meets no ACLs and saves in place
litters() { LITTER=$1; }

# is FILE TEXT: byte for byte (and the size says so)
is() {
	local text LC_ALL=C
	! { IFS= read -r -d '' text < "$1"; } 2> /dev/null && [ "$text" = "$2" ] && [ "$(stat -c %s "$1")" -eq "${#2}" ]
}
holds() { wait_for "${3:-20}" is "$1" "$2" || { echo "$1 is not as saved:"; cat -A "$1"; return 1; }; }

# counted: there are the versions since `document` that were saved, no more
counted() {
	mounted || return 0
	wait_for 5 there_are "${#SEEN[@]}" || { echo "not ${#SEEN[@]} versions after $FROM:"; cat "$DOC@log"; return 1; }
}
there_are() { [ "$(versions)" -eq $((FROM + $1)) ]; }

# history_is: and each has its bytes
history_is() {
	counted
	local i
	for i in "${!SEEN[@]}"; do
		! mounted || holds "$DOC@$((FROM + i + 1))" "${SEEN[i]}" 0
	done
}

# saved TEXT: it is the document, and one version
saved() {
	holds "$DOC" "$1"
	SEEN+=("$1")
	counted
}

# clean: nothing is beside the document but the backups in KEPT, which can be removed
clean() {
	local want
	want=$(printf '%s\n' "$LISTING" "$KEPT" | sed '/^$/d' | LC_ALL=C sort)
	wait_for 3 listed "$want" || { echo "listed, not wanted or missing:"; diff <(echo "$want") <(listing); return 1; }
	[ -z "$KEPT" ] || rm "$DIR/$KEPT"
	listed "$LISTING" || { listing; return 1; }
	holds "$DOC" "${SEEN[-1]}" 0
	history_is
	[ -n "$WARNS" ] || [ "$(grep -vc " ENOENT " "$M/errors.log")" -eq "$REFUSALS" ] || { tail -3 "$M/errors.log"; return 1; }
}
listed() { [ "$(listing)" = "$1" ]; }

# silent FILE: what a tool said is no complaint
silent() { ! grep -E "$COMPLAINT" "$1" || { cat "$1"; return 1; }; }

# --- tools without a screen ---

# edits COMMAND: a shell command that makes the bytes of $NEW of $DOC, which they
# are but for the last $LINE; done twice, on each of the documents
edits() {
	local path text before
	for path in "${DOCUMENTS[@]}"; do
		document "$path"
		for text in "$B" "$C"; do
			before=${SEEN[-1]}
			edit "$1" "$text"
			[ -z "$KEPT" ] || holds "$DIR/$KEPT" "$before" 0
			clean
		done
	done
}

# edit COMMAND TEXT: one such save
edit() {
	printf %s "$2" > "$NEW"
	rc=0
	LINE=$(tail -1 "$NEW") NAME=$NAME HERE=$HERE bash -c "$1" > "$T/said" 2>&1 3>&- || rc=$?
	[ $rc -eq 0 ] || { echo "exit status $rc:"; cat "$T/said"; return 1; }
	[ -n "$WARNS" ] || silent "$T/said"
	saved "$2"
}

# refused COMMAND: it does what a memory does not allow (most unlink before they
# write).  There it must fail and say so, the old version stands, errors.log tells;
# in a plain directory it is a save like the others.
refused() {
	local path
	for path in "${DOCUMENTS[@]}"; do
		document "$path"
		if mounted; then refused_here "$1"; else edit "$1" "$B"; fi
		clean
	done
}
refused_here() {
	KEPT=''
	printf %s "$B" > "$NEW"
	! LINE=beta NAME=$NAME HERE=$HERE bash -c "$1" > "$T/said" 2>&1 3>&- ||
		{ echo 'exit status 0:'; cat "$T/said"; return 1; }
	[ -s "$T/said" ]
	holds "$DOC" "$A" 0
	[ "$(wc -l < "$M/errors.log")" -gt "$REFUSALS" ] || { echo 'nothing in errors.log'; return 1; }
	REFUSALS=$(wc -l < "$M/errors.log")
}

# --- tools with a screen: tmux, 80 columns, 24 lines, a server of the test's own ---

# opens COMMAND [PANE]: in the document's directory, as a user would
opens() {
	PANE=${2:-one}
	tmux -S "$T/tmux" -f /dev/null new-session -d -s "$PANE" -x 80 -y 24 -c "$DIR" \
		"$1; echo EXIT=\$?; exec sleep 300" 3>&-
	tmux -S "$T/tmux" set-option -g escape-time 0 3>&-
}
screen() { tmux -S "$T/tmux" capture-pane -p -t "$PANE" > "$T/screen" 2> /dev/null; }
shows() { screen && grep -qE -- "$1" "$T/screen"; }
press() { tmux -S "$T/tmux" send-keys -t "$PANE" "$@"; }

# play STEP…: <Key> presses it, see:REGEX and gone:REGEX wait for the screen, all
# else is typed
play() {
	local step
	for step; do
		case $step in
		see:*) wait_for 20 shows "${step#see:}" ;;
		gone:*) wait_for 20 not shows "${step#gone:}" ;;
		\<*\>) step=${step#<} && press "${step%>}" ;;
		*) press -l -- "$step" ;;
		esac || { echo "at $step the screen is:"; cat "$T/screen"; return 1; }
	done
}

# killed: the editor, by SIGKILL
killed() {
	kill -9 "$(pgrep -P "$(tmux -S "$T/tmux" list-panes -t "$PANE" -F '#{pane_pid}')")"
	play 'see:EXIT=137$'
}

# calm: no complaint on the screen
calm() { screen && silent "$T/screen"; }

# closed: the editor ended well, without a complaint, and left nothing
closed() {
	play 'see:^EXIT='
	shows '^EXIT=0$' || { cat "$T/screen"; return 1; }
	calm
	tmux -S "$T/tmux" kill-server
	# shellcheck disable=SC2086 # a pattern
	[ -z "$LITTER" ] || ! mounted || (cd "$DIR" && rm ${LITTER//NAME/$NAME})
	clean
}

# session COMMAND STEPS: one editor, both saves.  The steps for one save are in the
# array EDIT, those to end in QUIT; LINE in them is the line to add, COUNT the
# number of lines then, NAME the file.
session() {
	local path line count
	for path in "${DOCUMENTS[@]}"; do
		document "$path"
		opens "${1//NAME/$NAME}"
		play see:alpha
		count=2
		for line in beta gamma; do
			count=$((count + 1))
			EDITS=("${EDIT[@]//LINE/$line}") && EDITS=("${EDITS[@]//NAME/$NAME}")
			play "${EDITS[@]//COUNT/$count}"
			saved "${SEEN[-1]}$line"$'\n'
			calm
		done
		play "${QUIT[@]}"
		closed
	done
}
