# SPDX-License-Identifier: MIT
# cinta agent-setup: what is put into others' settings, and taken out again.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	"$CINTA" init "$DB" > /dev/null
	unset CLAUDE_CONFIG_DIR CODEX_HOME
	CLAUDE=$HOME/.claude/settings.json
	mkdir -p "$HOME/.claude" "$HOME/.codex" "$HOME/.gemini" "$XDG_CONFIG_HOME/opencode"
}
teardown() { cinta_teardown; }

agent() { run --separate-stderr "$CINTA" agent-setup -d "$DB" "$@"; echo "$*: $status: $output$stderr"; }

@test "settings in many layouts: ours is added behind what is there, and taken out byte for byte" {
	[ "$(python3 "$CINTA_SOURCE/tests/mount/agent_setup.py" "$CINTA" "$DB" "$(many 120 3000)")" = "$(many 120 3000)" ]
}

@test "no file: it is made, and goes with the last entry; a link stays one" {
	local name file
	while read -r name file; do
		[ ! -e "$HOME/$file" ]
		agent --write "$name"
		[ "$status" -eq 0 ]
		jq -e '.hooks | length >= 3' "$HOME/$file"
		agent --remove "$name"
		[ "$status" -eq 0 ]
		[ ! -e "$HOME/$file" ]
		agent --remove "$name"
		[ "$status" -eq 0 ]
		[[ $output == *"nothing of cinta's is there"* ]]
	done <<< $'claude .claude/settings.json\ncodex .codex/hooks.json\ngemini .gemini/settings.json'
	mkdir "$T/dotfiles"
	echo '{"model": "x"}' > "$T/dotfiles/s.json"
	ln -s "$T/dotfiles/s.json" "$CLAUDE"
	agent --write claude
	[ -L "$CLAUDE" ]
	jq -e .hooks.Stop "$T/dotfiles/s.json"
	agent --remove claude
	[ -L "$CLAUDE" ]
	[ "$(cat "$CLAUDE")" = '{"model": "x"}' ]
	CLAUDE_CONFIG_DIR=$T/elsewhere agent --write claude
	[ "$status" -eq 1 ] && [[ $stderr == *"there is no $T/elsewhere: start Claude Code once"* ]]
}

@test "what it prints is what it writes, and what was written runs" {
	agent claude
	[ "$status" -eq 0 ]
	[ ! -e "$CLAUDE" ]
	[[ $output == *cleanupPeriodDays* ]]
	sed -n '/^{/,/^}/p' <<< "$output" > "$T/printed"
	agent --write claude
	cmp "$T/printed" "$CLAUDE"
	echo '{"role":"user","content":"The mast is of spruce.","thread":"boat"}' | "$CINTA" append -d "$DB" -p sessions/s/log.jsonl
	echo '{"hook_event_name":"SessionStart","cwd":"/w/boat"}' |
		env -i PATH=/usr/bin:/bin HOME="$HOME" sh -c "$(jq -r '.hooks.SessionStart[0].hooks[0].command' "$CLAUDE")" |
		jq -r .hookSpecificOutput.additionalContext | grep -q spruce
	# another database takes the place of the first, names with blanks and quotes too
	local odd="$T/it's a memory.db"
	"$CINTA" init "$odd" > /dev/null
	"$CINTA" agent-setup -d "$odd" --write claude
	jq -e '.hooks.Stop | length == 1' "$CLAUDE"
	sh -c "set -- $(jq -r '.hooks.Stop[0].hooks[0].command' "$CLAUDE" | sed 's/ # cinta agent-setup$//'); printf '%s\n' \"\$@\"" | tail -1 | grep -qxF "$odd"
	jq -e '.hooks.SessionEnd[0].hooks[0].timeout == 10' "$CLAUDE"
	"$CINTA" agent-setup -d "$odd" --write gemini
	jq -e '.hooks.AfterAgent[0].hooks[0] | .timeout == 10000 and .name == "cinta"' "$HOME/.gemini/settings.json"
	# formatted anew by the agent itself, it is found all the same
	jq --indent 4 '{model: "m"} + .' "$CLAUDE" > "$T/anew"
	cp "$T/anew" "$CLAUDE"
	agent --remove claude
	[ "$(jq -c . "$CLAUDE")" = '{"model":"m"}' ]
}

@test "OpenCode is told the page of the mount" {
	local file=$XDG_CONFIG_HOME/opencode/opencode.json
	agent --write opencode
	[ "$status" -eq 1 ]
	[[ $stderr == *'mount the memory first'* ]]
	[ ! -e "$file" ]
	cinta_mount
	printf '{\n  "instructions": ["CONTRIBUTING.md"]\n}' > "$file"
	agent --write opencode
	[ "$(jq -c .instructions "$file")" = "[\"CONTRIBUTING.md\",\"$M/./context.md\"]" ]
	agent --remove opencode
	[ "$(cat "$file")" = $'{\n  "instructions": ["CONTRIBUTING.md"]\n}' ]
	cinta_umount
}

@test "the mount that is named is what the agent gets, where it is one of its own" {
	cinta_mount
	mkdir "$T/mo"
	run "$CINTA" agent-setup -d "$M" claude # a mount that shows the file as it is need not stay
	[[ $output == *"cinta hook -d $DB #"* && $output == *"cinta mcp -d $DB"* && $output == *"@$M/context.md"* ]]
	"$CINTA" mount -o as=mate,only=notes "$DB" "$T/mo"
	run "$CINTA" agent-setup -d "$T/mo" claude
	[[ $output == *"cinta hook -d $T/mo #"* && $output == *"cinta mcp -d $T/mo"* && $output == *"@$T/mo/context.md"* ]]
	[[ $output != *"$DB"* ]]
	"$CINTA" agent-setup -d "$T/mo" --write opencode
	[ "$(jq -r '.instructions[0]' "$XDG_CONFIG_HOME/opencode/opencode.json")" = "$T/mo/./context.md" ]
	cinta_umount
	run "$CINTA" agent-setup -d "$T/mo/" gemini # alone, and something is hidden
	[[ $output == *"cinta hook -d $T/mo #"* && $output != *"$DB"* ]]
	cinta_umount "$T/mo"
}

@test "--remove needs neither the memory nor a mount of it, and takes nothing of others" {
	local file=$XDG_CONFIG_HOME/opencode/opencode.json name
	cinta_mount
	echo '{"instructions": ["/elsewhere/context.md"]}' > "$file"
	for name in claude codex gemini opencode; do agent --write "$name"; done
	cinta_umount
	rm -rf "$DB"*
	for name in claude codex gemini opencode; do
		run "$CINTA" agent-setup --remove "$name"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output != *'nothing of'* ]]
	done
	[ ! -e "$CLAUDE" ]
	[ ! -e "$HOME/.codex/hooks.json" ]
	[ ! -e "$HOME/.gemini/settings.json" ]
	[ "$(cat "$file")" = '{"instructions": ["/elsewhere/context.md"]}' ]
	agent --remove opencode
	[ "$status" -eq 0 ] && [[ $output == *"nothing of cinta's is there"* ]]
}

@test "what cannot be changed is refused and left as it is" {
	local text words
	while IFS='|' read -r text words; do
		printf '%s' "$text" > "$CLAUDE"
		agent --write claude
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == *"$CLAUDE: "*"$words"*'nothing was changed'* ]]
		[ "$(cat "$CLAUDE")" = "$text" ]
	done <<- 'END'
		|
		{"a":1|
		// comment {"a":1}|
		[1]|not a JSON object
		{"a":1,"a":2}|duplicate
		{"hooks":[]}|"hooks" is no object
		{"hooks":{"Stop":{}}}|"Stop" is no array
		{"a":1} {}|
	END
	ls -A "$HOME/.claude" | diff - <(echo settings.json)
	# a FIFO is not waited for, and what a link to nothing should lead to is not made
	rm "$CLAUDE"
	mkfifo "$CLAUDE"
	agent --write claude
	[ "$status" -eq 1 ]
	[[ $stderr == *'not supported'*'nothing was changed'* ]]
	rm "$CLAUDE"
	ln -s nowhere.json "$CLAUDE"
	agent --write claude
	[ "$status" -eq 1 ]
	[[ $stderr == *'No such file'*'nothing was changed'* ]]
	[ -L "$CLAUDE" ]
	rm "$CLAUDE"
	run "$CINTA" agent-setup -d "$DB" emacs
	[ "$status" -eq 2 ]
	[[ $output == *'not claude, codex, opencode or gemini'* ]]
	run "$CINTA" agent-setup -d "$DB"
	[ "$status" -eq 2 ]
	run "$CINTA" agent-setup -d "$DB" --write --remove claude
	[ "$status" -eq 2 ]
	[[ $output == *'not both'* ]]
	run "$CINTA" agent-setup -d "$T/none.db" claude
	[ "$status" -eq 1 ]
	run env -u HOME "$CINTA" agent-setup -d "$DB" claude
	[ "$status" -eq 1 ] && [[ $output == *'HOME is not set'* ]]
}

@test "doctor tells when Claude Code deletes its transcripts" {
	told() { "$CINTA" doctor "$DB" | grep 'Claude Code deletes'; }
	not told
	mkdir "$HOME/.claude/projects"
	told | grep -qxF "warn Claude Code deletes its transcripts after 30 days — put \"cleanupPeriodDays\": 3650 into $CLAUDE, and take them in: cinta import $HOME/.claude/projects"
	echo '{"cleanupPeriodDays": 90}' > "$CLAUDE"
	told | grep -q 'after 90 days'
	echo '{"cleanupPeriodDays": 3650}' > "$CLAUDE"
	not told
}

@test "the lines that put the page into its instructions run, whatever the mount is called" {
	local dir="$T/my mem's"
	mkdir "$dir"
	"$CINTA" mount "$DB" "$dir"
	agent codex
	eval "$(grep AGENTS.md <<< "$output")"
	agent claude
	eval "$(grep CLAUDE.md <<< "$output")"
	[ "$(readlink "$HOME/.codex/AGENTS.md")" = "$dir/context.md" ]
	[ "$(cat "$HOME/.claude/CLAUDE.md")" = "@$dir/context.md" ]
	"$CINTA" umount "$dir"
}

@test "how an agent is told of cinta mcp is printed, and what is printed runs" {
	local name line
	for name in claude codex gemini; do
		agent "$name"
		line=$(grep "^  $name mcp add " <<< "$output")
		[[ $line == *" $CINTA mcp -d $DB" ]]
		echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | sh -c "$CINTA${line#*"$CINTA"}" | grep -q '"result":{}'
	done
}
