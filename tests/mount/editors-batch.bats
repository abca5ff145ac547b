# SPDX-License-Identifier: MIT
# Tools without a screen that change a document, by every road there is: in place,
# by a temporary file that is renamed, by a backup.  What must hold is in
# editors/editors.sh; a missing tool is a failure.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034 # commands for another shell, variables of editors.sh
bats_require_minimum_version 1.5.0
load ../lib.sh
load editors/editors.sh

setup() { editors_setup; }
teardown() {
	[ -z "${reader:-}" ] || kill "$reader" 2> /dev/null || true
	editors_teardown
}

# --- editors ---

@test "ed" { edits 'printf "\$a\n%s\n.\nw\nq\n" "$LINE" | ed -s "$DOC"'; }
@test "ex" { edits 'printf "\$a\n%s\n.\nwq\n" "$LINE" | ex -s "$DOC"'; }
@test "vim -es" { edits 'vim.basic -es -c "normal Go$LINE" -c wq "$DOC"'; }
@test "vim -es, backupcopy=no" { edits 'vim.basic -es -c "set backupcopy=no" -c "normal Go$LINE" -c wq "$DOC"'; }
@test "vim.tiny -es" { edits 'vim.tiny -es -c "\$copy \$" -c "\$s/.*/$LINE/" -c wq "$DOC"'; }
@test "neovim -es" { edits 'nvim -es -c "normal Go$LINE" -c wq "$DOC"'; }
@test "emacs --batch" {
	keeps NAME~
	edits 'emacs --batch "$DOC" 2> /dev/null \
		--eval "(progn (goto-char (point-max)) (insert \"$LINE\\n\") (save-buffer))"'
}
@test "kak -f" { edits 'kak -n -f "geo$LINE<esc>" "$DOC"'; }

# --- filters in place ---

@test "sed -i" { edits 'sed -i "\$a $LINE" "$DOC"'; }
@test "sed -i.bak" { keeps NAME.bak; edits 'sed -i.bak "\$a $LINE" "$DOC"'; }
@test "sed -i by a relative name" {
	edits 'cd "${DOC%/*}" && sed -i "\$a $LINE" "$NAME"'
}
@test "perl -i" { edits 'perl -i -pe "eof and \$_ .= \"$LINE\n\"" "$DOC"'; }
@test "perl -i.bak: it hopes for a hard link" {
	keeps NAME.bak
	warns
	edits 'perl -i.bak -pe "eof and \$_ .= \"$LINE\n\"" "$DOC"'
}
@test "gawk -i inplace" {
	edits 'gawk -i inplace "{ print } ENDFILE { print \"$LINE\" }" "$DOC"'
}
@test "gawk -i inplace with a backup: it wants a hard link, the old version stands" {
	keeps NAME.bak
	refused 'gawk -i inplace -v inplace::suffix=.bak "{ print } ENDFILE { print \"$LINE\" }" "$DOC" || {
		rm "$DOC.gawk".*; exit 2; }'
}
@test "patch" { edits 'diff -u "$DOC" "$NEW" | patch -s "$DOC"'; }
@test "patch -b" { keeps NAME.orig; edits 'diff -u "$DOC" "$NEW" | patch -sb "$DOC"'; }
@test "git apply: it warns and renames a file of its own" {
	warns
	edits 'cd "${DOC%/*}" && diff -u --label "a/$NAME" --label "b/$NAME" "$NAME" "$NEW" | git apply'
}
@test "sponge" {
	edits '{ cat "$DOC"; echo "$LINE"; } | sponge "$DOC"'
}
@test "sort -o" { edits 'sort -s -k9 -o "$DOC" "$DOC" <(echo "$LINE")'; }

# --- the shell ---

@test ">" { edits 'printf "%s\n" "$(cat "$NEW")" > "$DOC"'; }
@test "> of two programs: the end of each is a save, the last is the whole" {
	printf %s "$B" > "$NEW"
	{ head -c 5 "$NEW"; tail -c +6 "$NEW"; } > "$DOC"
	SEEN+=("${B:0:4}") # in characters
	saved "$B"
	clean
}
@test ">>" { edits 'echo "$LINE" >> "$DOC"'; }
@test "> with noclobber is refused, >| is not" {
	edits 'set -C; ! { cat "$NEW" > "$DOC"; } 2> /dev/null && cat "$NEW" >| "$DOC"'
}
@test "<> writes over from the first byte" { edits 'cat "$NEW" 1<> "$DOC"'; }
@test ">> under flock" { edits 'flock "$DOC" -c "echo $LINE >> $DOC"'; }
@test "tee" { edits 'tee "$DOC" < "$NEW" > /dev/null'; }
@test "tee -a" { edits 'echo "$LINE" | tee -a "$DOC" > /dev/null'; }
@test "dd of=" { edits 'dd if="$NEW" of="$DOC" status=none'; }
@test "dd conv=notrunc" { edits 'dd if="$NEW" of="$DOC" bs=1 conv=notrunc status=none'; }
@test "dd conv=notrunc seek= only the end" {
	edits 'n=$(stat -c %s "$DOC"); dd if="$NEW" of="$DOC" bs=1 skip=$n seek=$n conv=notrunc,fsync status=none'
}
@test "dd oflag=append,sync" {
	edits 'echo "$LINE" | dd of="$DOC" oflag=append,sync conv=notrunc status=none'
}

# --- copies and renames ---

@test "cp" { edits 'cp "$NEW" "$DOC"'; }
@test "cp -a" { edits 'cp -a "$NEW" "$DOC"'; }
@test "cp -b" { keeps NAME~; edits 'cp -b "$NEW" "$DOC"'; }
@test "mv from the same directory" { edits 'cp "$NEW" "$DOC.tmp" && mv "$DOC.tmp" "$DOC"'; }
@test "mv -f of a name without relation" {
	edits 'cp "$NEW" "${DOC%/*}/.x9Qz" && mv -f "${DOC%/*}/.x9Qz" "$DOC"'
}
@test "mv -b" { keeps NAME~; edits 'cp "$NEW" "$DOC.tmp" && mv -b "$DOC.tmp" "$DOC"'; }
@test "a backup by hand, then the new text" {
	keeps NAME.orig
	edits 'mv "$DOC" "$DOC.orig" && cp "$NEW" "$DOC"'
}
@test "a backup renamed back: nothing happened" {
	mv "$DOC" "$DOC~"
	mv "$DOC~" "$DOC"
	clean
}
@test "a backup that is removed with nothing in its place: the document comes back" {
	mounted || return 0
	mv "$DOC" "$DOC~"
	[ ! -e "$DOC" ]
	rm "$DOC~"
	holds "$DOC" "$A"
	clean
}
@test "a reader beside sees a whole version, whoever renames" {
	"$HERE/reader.py" "$DOC" "$T/over" "$A" "$B" "$C" > "$T/read" 3>&- &
	reader=$!
	for way in 'sed -i "\$a $LINE" "$DOC"' 'rsync -a "$NEW" "$DOC"' \
		'perl -i -pe "eof and \$_ .= \"$LINE\n\"" "$DOC"' \
		'"$HERE/rewrites.py" named_temporary "$DOC" "$NEW"' '"$HERE/rewrites.mjs" agent_write "$DOC" "$NEW"'; do
		[ "${SEEN[-1]}" = "$A" ] || edit 'cp "$NEW" "$DOC.tmp" && mv "$DOC.tmp" "$DOC"' "$A"
		edit "$way" "$B"
		edit "$way" "$C"
	done
	touch "$T/over"
	wait $reader || { cat "$T/read"; false; }
	clean
}
@test "rsync -a" { edits 'rsync -a "$NEW" "$DOC"'; }
@test "rsync -a --inplace" { edits 'rsync -a --inplace "$NEW" "$DOC"'; }
@test "rsync -a --backup" { keeps NAME~; warns; edits 'rsync -a --backup "$NEW" "$DOC"'; }
@test "rsync -a --delay-updates: its .~tmp~ goes" { edits 'rsync -a --delay-updates "$NEW" "$DOC"'; }
@test "rsync of a directory, twice: the second has nothing to do" {
	mkdir "$ELSEWHERE/from"
	printf %s "$B" > "$ELSEWHERE/from/foo.md"
	chmod --reference="$DOC" "$ELSEWHERE/from/foo.md"
	rsync -a "$ELSEWHERE/from/" "$DIR/"
	saved "$B"
	rsync -ai "$ELSEWHERE/from/foo.md" "$DIR/" > "$T/said"
	[ ! -s "$T/said" ] || { cat "$T/said"; false; }
	rsync -aic "$ELSEWHERE/from/foo.md" "$DIR/" > "$T/said"
	[ ! -s "$T/said" ]
	clean
}
@test "gio save" { edits 'gio save "$DOC" < "$NEW"'; }
@test "gio save -b" { keeps NAME~; warns; edits 'gio save -b "$DOC" < "$NEW"'; }
@test "gio copy" { edits 'gio copy "$NEW" "$DOC"'; }

# --- what is no save ---

@test "truncate -s: the shorter text is one version" {
	truncate -s "$(printf %s "${A%alpha*}" | wc -c)" "$DOC"
	saved "${A%alpha*}"
	clean
}
@test "truncate -s 0 and > with nothing: the empty text is one version" {
	truncate -s 0 "$DOC"
	saved ''
	printf %s "$B" > "$DOC"
	saved "$B"
	: > "$DOC"
	saved ''
	clean
}
@test "touch, chmod, chown, opening for writing and the same bytes again are no version" {
	touch "$DOC"
	chmod 600 "$DOC"
	chown "$(id -u):$(id -g)" "$DOC"
	: >> "$DOC"
	: <> "$DOC"
	[ -w "$DOC" ]
	if mounted; then
		printf %s "$A" > "$DOC"
		cp "$DOC" "$DOC.tmp"
		mv "$DOC.tmp" "$DOC"
		sed -i '' "$DOC"
	fi
	clean
}
@test "touch -d and cp -p: the time is the one that was set" {
	touch -d '2020-02-02 02:02:02' "$DOC"
	[ "$(stat -c %Y "$DOC")" -eq "$(date -d '2020-02-02 02:02:02' +%s)" ]
	printf %s "$B" > "$NEW"
	touch -d '2021-01-01' "$NEW"
	cp -p "$NEW" "$DOC"
	saved "$B"
	[ "$(stat -c %Y "$DOC")" -eq "$(stat -c %Y "$NEW")" ]
	clean
}

# --- Python and Node.js ---

@test "python: open w" { edits '"$HERE/rewrites.py" open_w "$DOC" "$NEW"'; }
@test "python: open w, line by line" { edits '"$HERE/rewrites.py" open_w_text_by_line "$DOC" "$NEW"'; }
@test "python: closed when the interpreter ends" { edits '"$HERE/rewrites.py" open_at_exit "$DOC" "$NEW"'; }
@test "python: open a" { edits '"$HERE/rewrites.py" open_a "$DOC" "$NEW"'; }
@test "python: open r+" { edits '"$HERE/rewrites.py" open_r_plus "$DOC" "$NEW"'; }
@test "python: pathlib write_text" { edits '"$HERE/rewrites.py" pathlib_write_text "$DOC" "$NEW"'; }
@test "python: os.replace" { edits '"$HERE/rewrites.py" os_replace "$DOC" "$NEW"'; }
@test "python: os.replace of an open file" { edits '"$HERE/rewrites.py" replace_while_open "$DOC" "$NEW"'; }
@test "python: NamedTemporaryFile" { edits '"$HERE/rewrites.py" named_temporary "$DOC" "$NEW"'; }
@test "python: mkstemp, fsync of the directory" {
	edits '"$HERE/rewrites.py" replace_and_sync_directory "$DOC" "$NEW"'
}
@test "python: fileinput inplace" { edits '"$HERE/rewrites.py" fileinput_inplace "$DOC" "$NEW"'; }
@test "python: shutil.copy2" { edits '"$HERE/rewrites.py" shutil_copy "$DOC" "$NEW"'; }
@test "python: shutil.move" { edits '"$HERE/rewrites.py" shutil_move "$DOC" "$NEW"'; }
@test "python: mmap for writing is refused and changes nothing" {
	local way
	for way in memory_mapped memory_mapped_late; do
		document notes/foo.md
		if mounted; then
			printf %s "${A^^}" > "$NEW"
			not "$HERE/rewrites.py" $way "$DOC" "$NEW" 2> "$T/said"
			grep -q 'No such device' "$T/said"
		else
			edit "\"\$HERE/rewrites.py\" $way \"\$DOC\" \"\$NEW\"" "${A^^}"
		fi
		clean
	done
}
@test "python: a byte a write" { edits '"$HERE/rewrites.py" byte_by_byte "$DOC" "$NEW"'; }
@test "python: backwards" { edits '"$HERE/rewrites.py" backwards "$DOC" "$NEW"'; }
@test "python: dup and fork" { edits '"$HERE/rewrites.py" two_descriptors "$DOC" "$NEW"'; }

@test "node: writeFileSync" { edits '"$HERE/rewrites.mjs" writeFileSync "$DOC" "$NEW"'; }
@test "node: writeFile" { edits '"$HERE/rewrites.mjs" writeFile "$DOC" "$NEW"'; }
@test "node: writeFile flush" { edits '"$HERE/rewrites.mjs" writeFile_flush "$DOC" "$NEW"'; }
@test "node: appendFile" { edits '"$HERE/rewrites.mjs" appendFile "$DOC" "$NEW"'; }
@test "node: copyFile" { edits '"$HERE/rewrites.mjs" copyFile "$DOC" "$NEW"'; }
@test "node: fs.cp with force unlinks first" { refused '"$HERE/rewrites.mjs" cp "$DOC" "$NEW"'; }
@test "node: createWriteStream" { edits '"$HERE/rewrites.mjs" createWriteStream "$DOC" "$NEW"'; }
@test "node: as write-file-atomic" { edits '"$HERE/rewrites.mjs" write_file_atomic "$DOC" "$NEW"'; }
@test "node: as atomically" { edits '"$HERE/rewrites.mjs" atomically "$DOC" "$NEW"'; }
@test "node: as steno" { edits '"$HERE/rewrites.mjs" steno "$DOC" "$NEW"'; }
@test "node: as the MCP server's write_file" { edits '"$HERE/rewrites.mjs" mcp_write_file "$DOC" "$NEW"'; }
@test "node: as the MCP server's edit_file" { edits '"$HERE/rewrites.mjs" mcp_edit_file "$DOC" "$NEW"'; }
@test "node: as a coding agent's Write" { edits '"$HERE/rewrites.mjs" agent_write "$DOC" "$NEW"'; }
@test "node: as VS Code" { edits '"$HERE/rewrites.mjs" vscode "$DOC" "$NEW"'; }
@test "node: as VS Code, others reading" { edits '"$HERE/rewrites.mjs" vscode_with_readers "$DOC" "$NEW"'; }

# --- tools that unlink before they write: refused, they say so, the old version stands ---

@test "install" { refused 'install -m 644 "$NEW" "$DOC"'; }
@test "cp --remove-destination" { refused 'cp --remove-destination "$NEW" "$DOC"'; }
@test "mv from another file system" { refused 'mv -f "$NEW" "$DOC"'; }
@test "tar x" {
	refused 'cp "$NEW" "$T/$NAME" && tar -C "$T" -c "$NAME" | tar -C "${DOC%/*}" -x'
}
@test "git checkout" {
	git init -q "$T/repository"
	export GIT_DIR=$T/repository/.git
	refused 'cp "$NEW" "$T/$NAME" && git --work-tree="$T" add "$T/$NAME" &&
		cd "${DOC%/*}" && git --work-tree=. checkout -q -- "$NAME"'
}
@test "rm, unlink, find -delete, mv away, gio trash: refused, the document stays" {
	mounted || return 0
	local command
	for command in 'rm -f "$DOC"' 'unlink "$DOC"' 'mv "$DOC" "$T/away.md"' 'rm -rf "$M/notes"' \
		'find "$DOC" -delete' 'mv "$DOC" "$M/smma/workspace/foo.md"' 'gio trash "$DOC"'; do
		! bash -c "$command" > "$T/said" 2>&1 3>&- || { echo "exit status 0: $command"; false; }
		[ -s "$T/said" ] || { echo "says nothing: $command"; false; }
		holds "$DOC" "$A" 0 || { echo "$command"; false; }
	done
	[ "$(wc -l < "$M/errors.log")" -gt "$REFUSALS" ]
	REFUSALS=$(wc -l < "$M/errors.log")
	clean
}
