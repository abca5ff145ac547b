# SPDX-License-Identifier: MIT
# The process: starting, stopping, sharing a database, mount points, exit statuses.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

fuse_type() { stat -f -c %T "$1"; }
no_trace() { [ -z "$(mounts_below "$T")" ] && ! owned "$DB"; }

@test "mount returns when the mount answers, umount when the daemon is gone" {
	cinta_mount
	[ "$(fuse_type "$M")" = fuseblk ] || [ "$(fuse_type "$M")" = fuse ]
	[ "$(ls -A "$M" | grep -c README.md)" -eq 1 ]
	pid=$(owner_of "$DB")
	kill -0 "$pid"
	cinta_umount
	wait_for 5 not kill -0 "$pid" 2> /dev/null
	no_trace
}

@test "mountinfo names type and database" {
	DB="$T/a b,c\\d.db"
	cinta_mount
	findmnt -n -o FSTYPE "$M" | grep -x fuse.cinta
	"$CINTA" status "$DB" | grep -F "$M"
	[ "$("$CINTA" status --json "$DB" | python3 -c 'import json,sys; print(json.load(sys.stdin)["mounts"][0])')" = "$M" ]
	cinta_umount
	no_trace
}

@test "the default database is below XDG_DATA_HOME" {
	"$CINTA" mount "$M"
	[ -s "$XDG_DATA_HOME/cinta/memory.db" ]
	[ "$(stat -c %a "$XDG_DATA_HOME/cinta")" = 700 ]
	[ "$(stat -c %a "$XDG_DATA_HOME/cinta/memory.db")" = 600 ]
	cinta_umount
}

@test "the daemon keeps no pipe of its caller open" {
	timeout 20 bash -c '"$0" mount "$1" "$2" 2>&1 | cat' "$CINTA" "$DB" "$M"
	pid=$(owner_of "$DB")
	# It is not dumpable: root alone sees what it has open.  That it ended its pipe was seen above.
	[ "$(id -u)" = 0 ] || { not ls "/proc/$pid/fd" && cinta_umount && return; }
	[ "$(readlink "/proc/$pid/cwd")" = / ]
	[ "$(readlink "/proc/$pid/fd/0")" = /dev/null ]
	[ "$(readlink "/proc/$pid/fd/2")" = "$DB.log" ]
	run ! grep -E 'pipe:' <(ls -l "/proc/$pid/fd" | grep -E ' [0-2] -> ')
	cinta_umount
}

@test "a first mount that cannot say where all is has mounted all the same" {
	"$CINTA" mount "$DB" "$M" > /dev/full 2> "$T/said"
	grep 'cannot write the output' "$T/said"
	cinta_umount
}

@test "a mount whose caller closed standard descriptors keeps its lock" {
	for closed in '2>&-' '<&-' '>&-' '<&- >&- 2>&-'; do
		rm -f "$DB"*
		bash -c "\"\$@\" $closed" - "$CINTA" mount "$DB" "$M"
		pid=$(owner_of "$DB")
		[ -n "$pid" ]
		echo '{"role":"user","content":"hi"}' >> "$M/sessions/current/log.jsonl"
		cinta_umount
	done
	# what cannot be read or written is an error still
	not "$CINTA" status "$DB" >&-
	not "$CINTA" append sessions/x/log.jsonl <&-
}

@test "SIGTERM, SIGINT and SIGHUP unmount and stop" {
	for signal in TERM INT HUP; do
		cinta_mount
		kill -"$signal" "$(owner_of "$DB")"
		wait_for 10 no_trace
		"$CINTA" verify "$DB"
	done
}

@test "kill -9 leaves a dead mount, which the next mount takes over" {
	cinta_mount
	mkdir "$M/sessions/x"
	echo '{"role":"user","content":"still here"}' >> "$M/sessions/x/log.jsonl"
	kill -9 "$(owner_of "$DB")"
	wait_for 5 not owned "$DB"
	run ! ls "$M"
	run "$CINTA" doctor "$M"
	[ "$status" -eq 1 ]
	[[ $output == *"fail $M: its daemon died"* ]]
	run cinta_mount
	[ "$status" -eq 0 ]
	[[ $output == *"took over $M"* ]]
	grep -q 'still here' "$M/sessions/x/log.jsonl"
	cinta_umount
	no_trace
}

@test "umount takes a dead mount away" {
	cinta_mount
	kill -9 "$(owner_of "$DB")"
	wait_for 5 not owned "$DB"
	cinta_umount
	no_trace
}

@test "a second mount is served by the first one's process" {
	cinta_mount
	pid=$(owner_of "$DB")
	mkdir "$T/two"
	"$CINTA" mount -o ro "$DB" "$T/two"
	[ "$(owner_of "$DB")" = "$pid" ]
	mkdir "$M/sessions/x"
	echo '{"role":"user","content":"seen by both"}' >> "$M/sessions/x/log.jsonl"
	grep -q 'seen by both' "$T/two/sessions/x/log.jsonl"
	run ! mkdir "$T/two/sessions/y"
	cinta_umount "$M"
	[ "$(owner_of "$DB")" = "$pid" ]
	grep -q 'seen by both' "$T/two/sessions/x/log.jsonl"
	cinta_umount "$T/two"
	no_trace
}

@test "a link to a database that is not there yet is a name of that database" {
	mkdir "$T/real" "$T/two"
	DB=$T/real/x.db
	ln -s real/x.db "$T/link.db"
	ln -s "$T/link.db" "$T/far.db"
	"$CINTA" mount "$T/far.db" "$M"
	[ "$(mounts_below "$T" | wc -l)" -eq 1 ]
	echo off the tape > "$M/smma/workspace/a"
	"$CINTA" mount "$T/link.db" "$T/two"
	[ "$(cat "$T/two/smma/workspace/a")" = 'off the tape' ]
	cinta_umount "$T/two"
	cinta_umount
	[ -e "$DB.side" ]
	[ ! -e "$T/link.db.side" ]
	[ ! -e "$T/far.db.side" ]
	ln -s nowhere/x.db "$T/none.db"
	run ! "$CINTA" mount "$T/none.db" "$M"
	[[ $output == *'No such file or directory'* ]]
}

@test "two mounts started at once share one process" {
	mkdir "$T/two"
	"$CINTA" mount "$DB" "$M" 3>&- &
	"$CINTA" mount "$DB" "$T/two" 3>&-
	wait $!
	[ "$(mounts_below "$T" | wc -l)" -eq 2 ]
	[ "$("$CINTA" status "$DB" | grep -c '^mounts')" -eq 2 ]
	cinta_umount "$M"
	cinta_umount "$T/two"
	no_trace
}

@test "a running daemon refuses what is set when it starts" {
	cinta_mount
	mkdir "$T/two"
	for words in origin=x tokens=estimate key_dir="$T"; do
		run "$CINTA" mount -o "$words" "$DB" "$T/two"
		[ "$status" -eq 1 ]
		[[ $output == *"${words%%=*}="* ]]
	done
	[ "$(mounts_below "$T" | wc -l)" -eq 1 ]
	cinta_umount
}

@test "the control socket: ours alone, bounded, deaf to nonsense" {
	cinta_mount
	sock=$(sed -n 2p "$DB.lock")
	[ "$(stat -c '%a %u' "$(dirname "$sock")")" = "700 $(id -u)" ]
	[ "$(basename "$sock")" = "$(printf %s "$DB" | sha256sum | cut -c1-16).sock" ]
	python3 - "$sock" <<-'PY'
		import json, socket, sys
		def ask(data):
		    s = socket.socket(socket.AF_UNIX); s.settimeout(8); s.connect(sys.argv[1])
		    try:
		        s.sendall(data)
		    except BrokenPipeError:
		        pass
		    try:
		        return s.recv(65536)
		    except ConnectionResetError:
		        return b""
		for bad in (b"\n", b"[]\n", b"{}\n", b'{"verb":"mount"}\n', b'{"verb":"stop","dir":"/x"}\n',
		            b'{"verb":"mount","dir":"x"}\n', b'{"verb":"mount","dir":"/nowhere/at/all"}\n',
		            b'{"verb":"mount","dir":7}\n', b"\xff\n", b"[" * 60000 + b"\n"):
		    answer = json.loads(ask(bad))
		    assert answer.get("error") and "ok" not in answer, (bad[:40], answer)
		ask(b"x" * 200000)
		silent = socket.socket(socket.AF_UNIX); silent.connect(sys.argv[1])
		assert "error" in json.loads(ask(b"{}\n"))  # after the silent one timed out
	PY
	[ -e "$M/README.md" ]
	cinta_umount
	[ ! -e "$sock" ]
}

@test "mount points that will not do are refused, and nothing is left" {
	refused() { # PATTERN ARGUMENTS…
		local want=$1
		shift
		run "$CINTA" mount "$@"
		[ "$status" -eq "${status_wanted:-1}" ]
		[[ $output == *"$want"* ]]
		no_trace
	}
	refused 'make its parent with mkdir -p' "$DB" "$T/none/below"
	[ ! -e "$T/none" ]
	touch "$T/file"
	status_wanted=2 refused 'not a directory' "$DB" "$T/file"
	mkdir "$T/full"
	touch "$T/full/x"
	refused 'not empty' "$DB" "$T/full"
	refused 'would hide the database' "$DB" "$T"
	refused 'No such file' "$T/none/x.db" "$M"
	printf 'this is a text, and not a database at all: %04096d' 0 > "$T/text.db"
	run "$CINTA" mount "$T/text.db" "$M"
	[ "$status" -eq 1 ]
	no_trace
	"$CINTA" mount -o nonempty "$DB" "$T/full"
	run "$CINTA" mount "$DB" "$T/full"
	[ "$status" -eq 1 ]
	[[ $output == *'mounted already'* ]]
	run "$CINTA" mount "$T/other.db" "$T/full/sessions"
	[ "$status" -eq 1 ]
	[[ $output == *'inside the memory'* ]]
	[ "$(mounts_below "$T" | wc -l)" -eq 1 ]
	cinta_umount "$T/full"
}

@test "umount says who keeps a mount busy" {
	cinta_mount
	sleep 60 < "$M/README.md" 3>&- &
	sleeper=$!
	wait_for 5 test "/proc/$sleeper/fd/0" -ef "$M/README.md"
	run "$CINTA" umount "$M"
	[ "$status" -eq 1 ]
	[[ $output == *"pid $sleeper (sleep)"* ]]
	kill $sleeper
	wait $sleeper || true
	cinta_umount
	no_trace
	run cinta_umount
	[ "$status" -eq 1 ]
	[[ $output == *'not mounted by cinta'* ]]
}

@test "-f stays in front until it is told to stop" {
	"$CINTA" mount -f "$DB" "$M" 3>&- &
	wait_for 10 test -e "$M/README.md"
	named() { [ "$(owner_of "$DB")" = $! ]; }
	wait_for 5 named # it answers before it says who it is
	kill $!
	wait $!
	no_trace
}

@test "options: escapes, unknown words, missing values" {
	run "$CINTA" mount -o ro,colour=red "$DB" "$M"
	[ "$status" -eq 2 ]
	[[ $output == *'unknown option `colour`'*session=* ]]
	for words in session= session ro=yes; do
		run "$CINTA" mount -o "$words" "$DB" "$M"
		[ "$status" -eq 2 ]
	done
	"$CINTA" mount -o 'key_dir='"$T"'/a\,b' "$DB" "$M"
	[ -d "$T/a,b" ]
	cinta_umount
}

@test "exit statuses: 0 fine, 1 fault, 2 usage, 3 unverifiable" {
	for words in '' nonsense 'mount' 'mount -x a' 'umount' 'verify --vkey' 'status a b' 'init -o ro x'; do
		# shellcheck disable=SC2086
		run "$CINTA" $words
		[ "$status" -eq 2 ]
	done
	for verb in mount umount init verify status rebuild doctor pubkey; do
		run "$CINTA" $verb --help
		[ "$status" -eq 0 ]
		[[ $output == "usage: cinta $verb "* ]]
	done
	run "$CINTA" verify "$T/none.db"
	[ "$status" -eq 1 ]
	"$CINTA" init "$DB"
	"$CINTA" verify "$DB"
	mv "$HOME/.config/cinta/keys" "$T/away"
	run "$CINTA" verify "$DB"
	[ "$status" -eq 3 ]
	[ "$(stat -c %s "$DB")" -gt 0 ]
	run bash -c '"$0" status "$1" > /dev/full' "$CINTA" "$DB"
	[ "$status" -eq 1 ]
}

@test "init never changes what is there; its key is private; pubkey prints it" {
	vkey=$("$CINTA" init -o origin=cinta/test "$DB")
	[[ $vkey == cinta/test+* ]]
	[ "$("$CINTA" pubkey "$DB")" = "$vkey" ]
	[ "$(stat -c %a "$HOME/.config/cinta/keys/cinta%2Ftest.pem")" = 600 ]
	"$CINTA" pubkey --pem "$DB" > "$T/pub.pem"
	openssl pkey -in "$HOME/.config/cinta/keys/cinta%2Ftest.pem" -pubout | cmp - "$T/pub.pem"
	before=$(sha256sum < "$DB")
	run "$CINTA" init "$DB"
	[ "$status" -eq 1 ]
	[ "$(sha256sum < "$DB")" = "$before" ]
}

@test "rebuild needs the database for itself" {
	cinta_mount
	run "$CINTA" rebuild "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *"process $(owner_of "$DB")"* ]]
	cinta_umount
	"$CINTA" rebuild "$DB"
	"$CINTA" verify --all "$DB"
}

@test "doctor: a key others can read, and a foreign key, are faults" {
	"$CINTA" init "$DB"
	key=$(echo "$HOME"/.config/cinta/keys/*.pem)
	"$CINTA" doctor "$DB" | grep 'is private and fits'
	chmod 644 "$key"
	run "$CINTA" doctor "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *'has mode 644'* ]]
	openssl genpkey -algorithm ed25519 -out "$key"
	chmod 600 "$key"
	run "$CINTA" doctor "$DB"
	[ "$status" -eq 1 ]
	[[ $output == *'not the one the tape names'* ]]
}

@test "an ordinary user mounts through fusermount3" {
	[ "$(id -u)" -eq 0 ] || skip 'every other test here runs as one already'
	mode=$(stat -c %a /dev/fuse)
	chmod 666 /dev/fuse
	chmod 755 "$T"
	mkdir "$T/user" "$T/user/memory"
	chown -R nobody "$T/user"
	cp "$CINTA" "$T/cinta"
	chmod 755 "$T/cinta"
	as() { env -i PATH="$PATH" HOME="$T/user" setpriv --reuid nobody --clear-groups "$@"; }
	run as "$T/cinta" mount "$T/user/m.db" "$T/user/memory"
	echo "$output"
	chmod "$mode" /dev/fuse
	[ "$status" -eq 0 ]
	as mkdir "$T/user/memory/sessions/x"
	as sh -c 'echo "{\"content\":\"mine\"}" >> "$1"' - "$T/user/memory/sessions/x/log.jsonl"
	as grep -q mine "$T/user/memory/sessions/x/log.jsonl"
	as "$T/cinta" umount "$T/user/memory"
	[ -z "$(mounts_below "$T/user")" ]
	run ! owned "$T/user/m.db"
}

@test "status says what the daemon says, whoever asks" {
	cinta_mount -o tokens=estimate,key_dir="$T/keys"
	run env HOME="$T/elsewhere" XDG_CONFIG_HOME= "$CINTA" status "$DB"
	[ "$status" -eq 0 ]
	[[ $output == *'read_only       no'*'trouble         none'* ]]
	[[ $output == *'tokenizer       estimate'* ]]
	mv "$T/keys" "$T/gone"
	cinta_umount
	# Nobody to be asked: what the file says.
	run env HOME="$T/elsewhere" XDG_CONFIG_HOME= "$CINTA" status "$DB"
	[[ $output == *'trouble         no key'* ]]
}

@test "status of a daemon that is stopped says so, and what the file says" {
	cinta_mount
	pid=$(owner_of "$DB")
	kill -STOP "$pid"
	run timeout 60 "$CINTA" status "$DB"
	kill -CONT "$pid"
	[ "$status" -eq 0 ]
	[[ $output == *"process $pid, which serves this, does not answer"* ]]
	[[ $output == *"daemon          $pid"* ]]
}
