# SPDX-License-Identifier: MIT
# Editors with a screen, driven by keys: each opens a document, saves it twice and
# quits.  What must hold is in editors/editors.sh; a missing editor is a failure.
# shellcheck disable=SC2034 # editors.sh has the variables
bats_require_minimum_version 1.5.0
load ../lib.sh
load editors/editors.sh

setup() { editors_setup; }
teardown() { editors_teardown; }

VI=(G o LINE see:LINE '<Escape>' gone:INSERT) # it is in insert mode when it is told to leave it
QUIT=(:q '<Enter>')

# vim's message has the number of lines
vims() { EDIT=("${VI[@]}" "$2" '<Enter>' "see:${3:-COUNTL, [0-9]+B written}"); session "$1"; }

@test "vim" { vims 'vim.basic NAME' :w; }
@test "vim, backupcopy=yes" { vims 'vim.basic -c "set backupcopy=yes" NAME' :w; }
@test "vim, backupcopy=no" { vims 'vim.basic -c "set backupcopy=no" NAME' :w; }
@test "vim, nobackup nowritebackup" { vims 'vim.basic -c "set nobackup nowritebackup" NAME' :w; }
@test "vim, nowritebackup noswapfile :w!" { vims 'vim.basic -n -c "set nowritebackup" NAME' :w!; }
@test "vim, backup" { keeps NAME~; vims 'vim.basic -c "set backup" NAME' :w; }
@test "vim, undofile undodir=." { keeps .NAME.un~; vims 'vim.basic -c "set undofile undodir=." NAME' :w; }
@test "vim.tiny" { vims 'vim.tiny NAME' :w; }
@test "neovim" { vims 'nvim NAME' :w 'COUNTL, [0-9]+B written'; }

@test "nano" {
	EDIT=('<M-/>' LINE '<C-s>' 'see:Wrote COUNT lines') QUIT=('<C-x>')
	session 'nano NAME'
}

@test "nano -B" {
	keeps NAME~
	EDIT=('<M-/>' LINE '<C-s>' 'see:Wrote COUNT lines') QUIT=('<C-x>')
	session 'nano -B NAME'
}

emacses() {
	EDIT=('<M->>' LINE '<Enter>' see:LINE '<C-x>' '<C-s>' 'see:Wrote ') QUIT=('<C-x>' '<C-c>')
	session "$1"
}

@test "emacs" { keeps NAME~; emacses 'emacs -nw NAME'; }
@test "emacs, backup-by-copying" { keeps NAME~; emacses 'emacs -nw --eval "(setq backup-by-copying t)" NAME'; }
@test "emacs, file-precious-flag" { keeps NAME~; emacses 'emacs -nw --eval "(setq file-precious-flag t)" NAME'; }
@test "emacs, no backups" { emacses 'emacs -nw --eval "(setq make-backup-files nil)" NAME'; }
@test "mg" { keeps NAME~; emacses 'mg NAME'; }
@test "jed" { keeps NAME~; emacses 'jed NAME'; }

@test "micro" {
	EDIT=('<C-End>' LINE '<Enter>' '<C-s>' 'see:Saved NAME') QUIT=('<C-q>')
	session 'micro NAME'
}

@test "joe" {
	keeps NAME~
	EDIT=('<C-k>' v LINE '<Enter>' '<C-k>' d 'see:Name of file' '<Enter>' 'see:File NAME saved') QUIT=('<C-k>' q)
	session 'joe NAME'
}

@test "ne" {
	EDIT=('<C-k>' see:Command 'MoveEOF' '<Enter>' LINE '<Enter>' '<C-s>' see:[Ss]aved) QUIT=('<C-q>')
	session 'ne NAME'
}

KAK=(g e o LINE see:LINE '<Escape>' gone:insert :w '<Enter>')
@test "kakoune" { EDIT=("${KAK[@]}"); session 'kak NAME'; }
@test "kakoune, writemethod replace" { EDIT=("${KAK[@]}"); session 'kak -e "set global writemethod replace" NAME'; }
@test "vis" { litters '.NAME.vis.*'; EDIT=("${VI[@]}" :w '<Enter>'); session 'vis NAME'; }
@test "vis, savemethod inplace" {
	EDIT=("${VI[@]}" see:LINE ':set savemethod inplace' '<Enter>' :w '<Enter>')
	session 'vis NAME'
}
@test "busybox vi" { EDIT=("${VI[@]}" 'gone:^I ' :w '<Enter>' 'see:COUNTL, [0-9]+C'); session 'busybox vi NAME'; }

@test "vim :wq and :x; :x with nothing changed is no version" {
	opens 'vim.basic foo.md'
	play see:alpha "${VI[@]//LINE/beta}" :wq '<Enter>'
	saved "$B"
	closed
	opens 'vim.basic foo.md'
	play see:beta "${VI[@]//LINE/gamma}" :x '<Enter>'
	saved "$C"
	closed
	opens 'vim.basic foo.md'
	play see:gamma :x '<Enter>'
	closed
	# nor are the same bytes again
	if mounted; then
		opens 'vim.basic foo.md'
		play see:gamma :wq '<Enter>'
		closed
	fi
}

@test "vim :e! after a save, :w of a part to another name" {
	opens 'vim.basic foo.md'
	play see:alpha ':1,1w foo.part~' '<Enter>' 'see:foo.part~. .New. 1L' \
		"${VI[@]//LINE/beta}" :w '<Enter>' 'see:3L, [0-9]+B written' ':e!' '<Enter>' 'see:3L, [0-9]+B'
	saved "$B"
	is "$DIR/foo.part~" "${A%alpha*}"
	play :q '<Enter>'
	KEPT=foo.part~
	closed
}

@test "two vims on one document: the second is warned, the first saves" {
	opens 'vim.basic foo.md' first
	play see:alpha "${VI[@]//LINE/beta}" see:beta
	wait_for 5 test -s "$DIR/.foo.md.swp"
	opens 'vim.basic foo.md' second
	play see:E325 'see:Swap file ".foo.md.swp" already exists|Found a swap file'
	press -l q
	play 'see:^EXIT=' 'see:^EXIT=1|^EXIT=0'
	PANE=first
	play :w '<Enter>' 'see:3L, [0-9]+B written'
	saved "$B"
	play :q '<Enter>'
	closed
}

@test "two vims on one document: both save, the second is told of the change" {
	opens 'vim.basic -n foo.md' first
	play see:alpha
	opens 'vim.basic -n foo.md' second
	play see:alpha "${VI[@]//LINE/other}" see:other
	PANE=first
	play "${VI[@]//LINE/beta}" :w '<Enter>' 'see:3L, [0-9]+B written'
	saved "$B"
	play :q '<Enter>' 'see:^EXIT=0'
	PANE=second
	play :w '<Enter>' 'see:WARNING: The file has been changed' y 'see:3L, [0-9]+B written'
	saved "${A}other"$'\n'
	play :q '<Enter>' 'see:^EXIT=0'
	tmux -S "$T/tmux" kill-server
	! mounted || REFUSALS=$(wc -l < "$M/errors.log") # it may note the conflict
	clean
}

@test "vim killed before it saved: vim -r has the text, the document the old one" {
	opens 'vim.basic foo.md'
	play see:alpha "${VI[@]//LINE/beta}" ':preserve' '<Enter>' 'see:File preserved'
	killed
	[ -s "$DIR/.foo.md.swp" ]
	holds "$DOC" "$A"
	opens 'vim.basic -r foo.md' recovering
	play 'see:Recovery completed' 'see:Press ENTER' '<Enter>' see:beta :w! '<Enter>' 'see:3L, [0-9]+B written'
	saved "$B"
	play :q '<Enter>'
	KEPT=.foo.md.swp
	closed
}

@test "emacs killed before it saved: the auto-save file has the text" {
	opens 'emacs -nw foo.md'
	play see:alpha '<M->>' beta '<Enter>' see:beta '<M-x>' 'see:M-x' do-auto-save '<Enter>' 'see:Auto-saving...done'
	killed
	is "$DIR/#foo.md#" "$B"
	[ -L "$DIR/.#foo.md" ]
	rm "$DIR/#foo.md#" "$DIR/.#foo.md"
	tmux -S "$T/tmux" kill-server
	clean
}

@test "emacs and vim at once: emacs asks before it writes over a changed document" {
	opens 'emacs -nw foo.md' emacs
	play see:alpha
	opens 'vim.basic -n foo.md' vim
	play see:alpha "${VI[@]//LINE/beta}" :wq '<Enter>' 'see:^EXIT=0'
	saved "$B"
	PANE=emacs
	play '<M->>' other 'see:changed on disk|really edit' '<C-g>' 'see:alpha' '<C-x>' '<C-c>'
	closed
}
