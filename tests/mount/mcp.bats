# SPDX-License-Identifier: MIT
# The clients that agents come with: the MCP filesystem server and the memory tool of
# Anthropic's SDK, unchanged, from the npm registry.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

# Installed once, as package-lock.json has them, into the build directory.
setup_file() {
	local lock=$BATS_TEST_DIRNAME/mcp/package-lock.json
	MODULES=${CINTA_BUILD:-$(dirname "${CINTA:-$BATS_TEST_DIRNAME/../../build/cinta}")}/mcp
	export MODULES
	mkdir -p "$MODULES"
	cmp -s "$lock" "$MODULES/installed" && return
	cp "$BATS_TEST_DIRNAME"/mcp/package*.json "$MODULES/"
	(cd "$MODULES" && timeout 200 npm ci --ignore-scripts --no-audit --no-fund) >&3 2>&3 || return 1
	cp "$lock" "$MODULES/installed"
}

setup() {
	cinta_setup
	cinta_mount
}
teardown() { cinta_teardown; }

@test "@modelcontextprotocol/server-filesystem: each of its tools" {
	timeout 120 node "$HERE/mcp/filesystem.mjs" \
		"$MODULES/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js" "$M"
	cinta_umount
	verified
}

@test "@anthropic-ai/sdk's memory tool with rm=retire: all of it, delete too" {
	cinta_umount
	cinta_mount -o rm=retire
	timeout 120 node "$HERE/mcp/memory.mjs" "$MODULES/node_modules/@anthropic-ai/sdk" "$M" retire
	[ -z "$(grep 'unlink\|rmdir' "$M/errors.log")" ]
	cinta_umount
	verified
}

@test "@anthropic-ai/sdk's memory tool: all but delete, which says why" {
	timeout 120 node "$HERE/mcp/memory.mjs" "$MODULES/node_modules/@anthropic-ai/sdk" "$M"
	cinta_umount
	verified
}
