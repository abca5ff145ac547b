#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Mounts the example memory and fills it the way a user would: mkdir, >> and cp.
# `make run` calls this after the build; it may be run again at any time, from any directory.
#
#     docs/example/run.sh [DIRECTORY [DATABASE]]      (default: memory .memory/memory.db)
#
# It must never write to the database but through the mount, and never append
# a session that is already there.

set -u

die()
{
	printf 'run.sh: %s\n' "$*" >&2
	exit 1
}

here=$(cd "$(dirname "$0")" && pwd) || die "cannot find the directory of $0"
root=$(cd "$here/../.." && pwd) || die "cannot find the project above $here"
cinta=${CINTA:-$root/build/cinta}
dir=${1:-$root/memory}
db=${2:-$root/.memory/memory.db}

[ -x "$cinta" ] || die "$cinta is not built yet: run \`make\` first"

# True if something is mounted there, even if it no longer answers (then stat would fail).
mounted()
{
	where=$(cd "$(dirname "$1")" && pwd -P)/$(basename "$1")
	# mountinfo writes a backslash as \134 and a space as \040
	WHERE=$(printf '%s' "$where" | sed 's/\\/\\134/g; s/ /\\040/g') \
	awk '$5 == ENVIRON["WHERE"] { found = 1 } END { exit !found }' /proc/self/mountinfo
}

mkdir -p "$(dirname "$dir")" "$(dirname "$db")" || die "cannot make the directories"

# Mount again rather than keep what is there: it may be served by an older build.
if mounted "$dir" && ls "$dir" >/dev/null 2>&1; then
	if ! "$cinta" umount "$dir"; then
		[ -d "$dir/sessions" ] || die "$dir is mounted, and it is not a memory"
		echo "run.sh: $dir is in use; going on with the mount that is there" >&2
	fi
fi
if ! mounted "$dir" || ! ls "$dir" >/dev/null 2>&1; then
	[ -d "$dir" ] || mounted "$dir" || mkdir "$dir" || die "cannot make $dir"
	"$cinta" mount "$db" "$dir" ||
		die "cannot mount $dir; \`$cinta doctor $dir\` says what is missing"
fi
[ -d "$dir/sessions" ] || die "$dir is mounted but shows no sessions"

# In order of time, so that `sessions/current` ends at the last one.  A file is
# far below 128 KiB, so cat hands it over in one write: all of it or nothing.
for name in arranque planillas dos-mostradores respaldo mudanza jornada; do
	source=$here/$name.jsonl
	session=$dir/sessions/$name
	[ -r "$source" ] || die "cannot read $source"
	[ -d "$session" ] || mkdir "$session" || die "cannot make the session $name"
	if [ -s "$session/log.jsonl" ]; then
		echo "$name: already there, $(wc -l < "$session/log.jsonl") messages"
		continue
	fi
	cat "$source" >> "$session/log.jsonl" ||
		die "$name was not appended; see the end of $dir/errors.log"
	want=$(wc -l < "$source")
	have=$(wc -l < "$session/log.jsonl")
	[ "$have" -ge "$want" ] || die "$name has $have messages instead of $want"
	echo "$name: appended, $have messages"
done

# Documents are saved as any program saves them; what is there already stays as it is.
saved=0
for source in $(cd "$here/documents" && find . -type f | sort); do
	target=$dir/$source
	[ -e "$target@1" ] && continue # a section is there before it is saved
	mkdir -p "$(dirname "$target")" && cp "$here/documents/$source" "$target" ||
		die "$source was not saved; see the end of $dir/errors.log"
	saved=$((saved + 1))
done
echo "documents: $saved saved"

show=$dir
[ "$(pwd -P)/memory" = "$(cd "$dir" && pwd -P)" ] && show=memory
cat <<TRY

The memory is mounted at $dir.  Try:

  cat $show/README.md
  ls $show/sessions $show/threads
  tail -1 $show/sessions/jornada/log.jsonl
  less $show/sessions/respaldo/transcript.md
  grep -rn PostgreSQL $show/threads
  cat $show/facts/decisions.md
  cat $show/context.md $show/dashboard.md
  cat "$show/search/why PostgreSQL.md"; cat "$show/context/which backup do we keep.md"
  cat $show/sessions/current/ctl
  sed -i 's/03:30/04:00/' $show/smma/project_context.md
  cat $show/smma/project_context.md@log; diff $show/smma/project_context.md@1 $show/smma/project_context.md
  echo '{"role":"user","content":"hi"}' >> $show/sessions/current/log.jsonl
  rm $show/sessions/arranque/log.jsonl; tail -1 $show/errors.log
  $cinta verify $db
  $cinta umount $dir
TRY
