# SPDX-License-Identifier: MIT
# `cinta mcp` beside what the protocol's makers publish: their client, and their conformance suite.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() {
	cinta_setup
	unset AI_AGENT CLAUDE_CODE_SESSION_ID CODEX_THREAD_ID OPENCODE CINTA_AGENT CINTA_SESSION
	"$CINTA" init "$DB" > /dev/null
	BRIDGE=
}
teardown() {
	[ -z "$BRIDGE" ] || kill "$BRIDGE" 2> /dev/null || true
	cinta_teardown
}

@test "@modelcontextprotocol/sdk's client: tools, resources, many calls at once; mounted and not" {
	(cd "$CLIENTS" && timeout 120 node "$CINTA_SOURCE/tests/clients/mcp.mjs" "$CINTA" "$DB")
	"$CINTA" verify "$DB" | grep -q '^OK'
	DB=$T/other.db
	cinta_mount
	(cd "$CLIENTS" && timeout 120 node "$CINTA_SOURCE/tests/clients/mcp.mjs" "$CINTA" "$DB")
	cinta_umount
	"$CINTA" verify "$DB" | grep -q '^OK'
}

# Of the suite those scenarios that ask for no test tool, prompt or file of its own server.  What is
# expected to fail within them asks for such a thing, too.
@test "the conformance suite: what it can ask of any server, in both generations" {
	local scenario
	PATH=$CLIENTS/node_modules/.bin:$PATH # its Node is newer than Debian's
	node "$CINTA_SOURCE/tests/clients/bridge.mjs" 8898 "$CINTA" mcp -d "$DB" 3>&- &
	BRIDGE=$!
	listens() { (: < /dev/tcp/127.0.0.1/8898) 2> /dev/null; }
	wait_for 10 listens
	conforms() {
		echo "== $1 $2"
		(cd "$T" && NO_COLOR=1 timeout 120 conformance server --url http://127.0.0.1:8898/mcp --spec-version "$1" --scenario "$2" \
			--expected-failures "$CINTA_SOURCE/tests/clients/mcp-not-ours.yml") > "$T/said" 2>&1 || { cat "$T/said" && return 1; }
		grep Passed "$T/said"
	}
	for scenario in server-initialize ping tools-list resources-list; do conforms 2025-11-25 $scenario; done
	for scenario in server-stateless tools-list resources-list caching sep-2164-resource-not-found; do conforms 2026-07-28 $scenario; done
}
