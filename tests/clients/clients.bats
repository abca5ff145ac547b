# SPDX-License-Identifier: MIT
# The real Claude Code, Codex and OpenCode, without a network, against a model that says what it is told
# to: set up by `cinta agent-setup`, they are given the context and their sessions are taken in, once.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	export PATH=$CLIENTS/node_modules/.bin:$PATH
	unset AI_AGENT CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID OPENCODE CINTA_AGENT CINTA_SESSION CLAUDE_CONFIG_DIR CODEX_HOME
	mkdir -p "$HOME/.claude" "$HOME/.codex" "$T/work/boat"
	"$CINTA" init "$DB" > /dev/null
	echo '{"role":"user","content":"The mast is of spruce.","thread":"boat"}' | "$CINTA" append -d "$DB" -p sessions/s/log.jsonl
}
teardown() { cinta_teardown; }

# alone TURNS COMMAND…: with a model, and nothing of the network but that
alone() {
	echo "$1" > "$T/turns.json"
	shift
	TURNS=$T/turns.json REQUESTS=$T/requests.jsonl MODEL=$CINTA_SOURCE/tests/clients/model.py \
		timeout 200 unshare --net bash -c '
		ip link set lo up && cd "$1" && shift
		python3 "$MODEL" 8899 "$TURNS" "$REQUESTS" & model=$!
		for i in $(seq 200); do (: < /dev/tcp/127.0.0.1/8899) 2> /dev/null && break; sleep 0.1; done
		"$@" < /dev/null; status=$?
		kill $model
		exit $status' bash "$T/work/boat" "$@"
}
claude_says() {
	ANTHROPIC_BASE_URL=http://127.0.0.1:8899 ANTHROPIC_API_KEY=none IS_SANDBOX=1 DISABLE_AUTOUPDATER=1 \
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 alone "$1" claude -p "$2" --output-format json --allowedTools Bash "${@:3}"
}
codex_says() {
	cat > "$HOME/.codex/config.toml" <<- 'END'
		model = "told"
		model_provider = "told"
		[model_providers.told]
		name = "told"
		base_url = "http://127.0.0.1:8899/v1"
		wire_api = "responses"
		env_key = "TOLD_KEY"
	END
	TOLD_KEY=none alone "$1" codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox \
		--dangerously-bypass-hook-trust "$2"
}
opencode_says() {
	local config=$XDG_CONFIG_HOME/opencode/opencode.json
	mkdir -p "${config%/*}"
	[ -e "$config" ] || echo '{}' > "$config"
	jq '.model = "told/told" | .provider.told = {npm: "@ai-sdk/anthropic", name: "told", models: {told: {name: "told", tool_call: true}},
		options: {baseURL: "http://127.0.0.1:8899/v1", apiKey: "none"}}' "$config" > "$T/config"
	cp "$T/config" "$config"
	OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_AUTOUPDATE=1 alone "$1" opencode run "${@:3}" "$2"
}
boat() { "$CINTA" cat -d "$DB" threads/boat/log.jsonl | jq -r 'select(.from) | "\(.from.agent) \(.role) \(.tool // "-") \(.content | split("\n")[0])"'; }
boat_is() { [ "$(boat)" = "$1" ]; }
# told WORDS: the model was given the context, and in it these
told() { jq -c '[.. | strings | select(contains("cinta:context"))]' "$T/requests.jsonl" | grep -q "$1"; }

@test "Claude Code: context given, the session taken in with its tool, gone on with, never twice" {
	"$CINTA" agent-setup -d "$DB" --write claude
	claude_says '[{"text":"Let me plane it.","call":{"name":"Bash","input":{"command":"echo planed > mast","description":"plane"}}},{"text":"The mast is planed."}]' 'What is the mast of?'
	[ "$(cat "$T/work/boat/mast")" = planed ]
	told spruce
	first='claude-code user - What is the mast of?
claude-code assistant - Let me plane it.
claude-code assistant Bash Bash {"command":"echo planed > mast","description":"plane"}
claude-code tool Bash (Bash completed with no output)
claude-code assistant - The mast is planed.'
	boat
	wait_for 10 boat_is "$first"
	claude_says '[{"text":"It was planed."}]' 'And now?' --continue
	boat
	wait_for 10 boat_is "$first
claude-code user - And now?
claude-code assistant - It was planed."
	[ "$("$CINTA" ls -d "$DB" sessions | grep -c '^claude-code-')" -eq 1 ]
	"$CINTA" import -d "$DB" "$HOME/.claude/projects" | grep -q ' 0 messages, '
	"$CINTA" agent-setup -d "$DB" --remove claude
	[ ! -e "$HOME/.claude/settings.json" ]
	"$CINTA" verify "$DB" | grep -q '^OK'
}

@test "Codex: context given, the session taken in with its tool, while the memory is mounted and followed" {
	"$CINTA" agent-setup -d "$DB" --write codex
	cinta_mount -o follow=codex
	codex_says '[{"text":"Looking.","call":{"name":"exec_command","input":{"cmd":"echo afloat > boat"}}},{"text":"She is afloat."}]' 'How is the boat?'
	[ "$(cat "$T/work/boat/boat")" = afloat ]
	told spruce
	boat
	whole() { [ "$(boat | grep -c '^codex ')" -eq 5 ] && boat | grep -q '^codex assistant - She is afloat.'; }
	wait_for 10 whole
	boat | grep -q '^codex user - How is the boat?'
	boat | grep -q '^codex assistant exec_command '
	boat | grep -q '^codex tool exec_command '
	cinta_umount
	"$CINTA" import -d "$DB" "$HOME/.codex/sessions" | grep -q ' 0 messages, '
	[ "$(boat | sort | uniq -d | wc -l)" -eq 0 ]
	"$CINTA" agent-setup -d "$DB" --remove codex
	[ ! -e "$HOME/.codex/hooks.json" ]
	"$CINTA" verify "$DB" | grep -q '^OK'
}

@test "Claude Code that nobody set up: followed, its session is there; a fact says in which it was told" {
	cinta_mount -o follow=claude
	claude_says '[{"text":"Oak it is."}]' 'From now on I prefer oak for masts.'
	claude_is() { boat_is 'claude-code user - From now on I prefer oak for masts.
claude-code assistant - Oak it is.'; }
	wait_for 10 claude_is
	wait_for 10 grep -q 'prefer oak' "$M/facts/preferences.md"
	local fact session
	fact=$(jq -r 'select(.fact | contains("oak")) | .id' "$M/facts/facts.jsonl")
	session=$(ls "$M/sessions" | grep '^claude-code-')
	grep -q "$session" "$M/.cinta/html/fact/$fact.html"
	[ "$(jq -r 'select(.fact | contains("oak")).said_in' "$M/facts/facts.jsonl")" = "sessions/$session/messages/000001.md" ]
	# and a list names the conversation in which its agent's tool saved it
	claude_says '[{"text":"Noted.","call":{"name":"Bash","input":{"command":"echo \"- The mast is of oak\" >> '"$M"'/facts/work.md","description":"note"}}},{"text":"Done."}]' 'Note it.' --continue
	[ "$(cut -f6,7 "$M/facts/work.md@log")" = "claude-code"$'\t'"sessions/$session" ]
	jq -e 'select(.path == "facts/work.md") | .version == 1 and .added == 1' "$M/sessions/$session/saves.jsonl"
	grep -q "^conversation: \"$(basename "$HOME"/.claude/projects/*/*.jsonl .jsonl)\"" "$M/sessions/$session/session.md"
	cinta_umount
	"$CINTA" verify "$DB" | grep -q '^OK'
}

@test "OpenCode: context given, its session taken in from its database, gone on with, never twice" {
	cinta_mount -o follow=opencode
	mkdir -p "$XDG_CONFIG_HOME/opencode"
	"$CINTA" agent-setup -d "$DB" --write opencode
	opencode_says '[{"text":"Let me plane it.","call":{"name":"bash","input":{"command":"echo planed > mast","description":"plane"}}},{"text":"The mast is planed."}]' 'Planed?'
	[ "$(cat "$T/work/boat/mast")" = planed ]
	grep -q spruce "$T/requests.jsonl"
	first='opencode user - Planed?
opencode assistant - Let me plane it.
opencode assistant bash bash {"command":"echo planed > mast","description":"plane"}
opencode tool bash (no output)
opencode assistant - The mast is planed.'
	boat
	wait_for 10 boat_is "$first"
	"$CINTA" cat -d "$DB" threads/boat/log.jsonl | jq -se '[.[] | select(.from) | .from.at] | length == 5 and . == sort'
	opencode_says '[{"text":"It was planed."}]' 'Still?' --continue
	boat
	wait_for 10 boat_is "$first
opencode user - Still?
opencode assistant - It was planed."
	[ "$(ls "$M/sessions" | grep -c '^opencode-')" -eq 1 ]
	"$CINTA" agent-setup -d "$DB" --remove opencode
	cinta_umount
	"$CINTA" import -d "$DB" "$XDG_DATA_HOME/opencode" | grep -q ' 0 messages, '
	not grep -q "$M" "$XDG_CONFIG_HOME/opencode/opencode.json"
	"$CINTA" verify "$DB" | grep -q '^OK'
}

@test "Claude Code with the plugin directory alone: context given, the session taken in" {
	mkdir -p "$T/bin" "$XDG_DATA_HOME/cinta" && ln -s "$CINTA" "$T/bin/cinta" && PATH=$T/bin:$PATH
	"$CINTA" init > /dev/null # the default memory
	echo '{"role":"user","content":"The mast is of spruce.","thread":"boat"}' | "$CINTA" append -p sessions/s/log.jsonl
	local plugin=$CINTA_SOURCE/mount/packaging/claude-plugin
	claude plugin validate "$plugin"
	claude_says '[{"text":"Of spruce."}]' 'What is the mast of?' --plugin-dir "$plugin"
	told spruce
	jq -e '[.tools[]?.name] | any(test("memory_search"))' "$T/requests.jsonl" > /dev/null
	kept() { "$CINTA" cat threads/boat/log.jsonl | grep -q 'Of spruce.'; }
	wait_for 10 kept
}
