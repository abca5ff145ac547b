# SPDX-License-Identifier: MIT
# cinta import: databases of other programs, further formats, and a tape into a memory that has more already.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup && "$CINTA" init "$DB" > /dev/null && SOURCE=$BATS_TEST_DIRNAME/import; }
teardown() { cinta_teardown; }

take() { run --separate-stderr "$CINTA" import "$@" -d "$DB"; echo "$output" "$stderr"; }
says() { [[ $output == *": $1 conversations, $2 messages, $3 notes; $4 were here"* ]]; }
dump() { "$CINTA" cat -d "$DB" "sessions/$1/log.jsonl" | jq -c '[.role, .content, .tool, .call, .error, .thread, (.from | del(.agent, .session))]'; }
same() { dump "$1" | diff "$SOURCE/expected/$1" -; }
entries() { "$CINTA" status --json "$DB" | jq .entries; }

@test "OpenCode: its database while it is open; a turn that goes on waits, a reverted one is pruned" {
	mkdir "$T/opencode"
	oc=$T/opencode/opencode.db
	# as while it runs: all stands in the log beside the file
	sqlite3 -cmd '.dbconfig no_ckpt_on_close on' "$oc" < "$SOURCE/opencode.sql"
	[ -s "$oc-wal" ]
	take "$T/opencode"
	[ "$status" -eq 0 ]
	says 1 7 0 0
	same opencode-2025-03-04-mast-talk
	not grep -q 'secret thought\|among subagents' "$DB"
	sqlite3 "$oc" "UPDATE message SET data = json_set(data, '$.time.completed', 1741082404000) WHERE id = 'msg_3';
		UPDATE part SET data = json_set(data, '$.text', 'It is of spruce.') WHERE id = 'prt_31'"
	take "$oc"
	says 1 1 0 7
	dump opencode-2025-03-04-mast-talk | grep -q 'It is of spruce.'
	sqlite3 "$oc" "UPDATE session SET \"revert\" = '{\"messageID\":\"msg_3\"}' WHERE id = 'ses_1'"
	take "$oc"
	says 1 0 0 7
	[[ $output == *'1 were taken back and are pruned' ]]
	before=$(entries)
	take "$oc"
	[ "$(entries)" -eq "$before" ]
	sqlite3 "$T/other.db" 'CREATE TABLE x (y)'
	take "$T/other.db"
	[ "$status" -eq 1 ]
	[[ $stderr == *'no program that is known'* ]]
	head -c 5000 "$oc" > "$T/half.db"
	take "$T/half.db"
	[ "$status" -eq 1 ]
	verified
}

@test "OpenCode is followed" {
	mkdir -p "$HOME/.local/share/opencode"
	oc=$HOME/.local/share/opencode/opencode.db
	cinta_mount -o follow=opencode
	sqlite3 "$oc" < "$SOURCE/opencode.sql"
	there() { [ "$(wc -l < "$M/threads/boat/log.jsonl")" -eq "$1" ]; } 2> /dev/null
	wait_for 20 there 7
	sqlite3 "$oc" "UPDATE message SET data = json_set(data, '$.time.completed', 1741082404000) WHERE id = 'msg_3'"
	wait_for 20 there 8
}

@test "AgentFS, the Agents SDK, Letta's .af, Cursor: once" {
	sqlite3 "$T/agentfs.db" < "$SOURCE/agentfs.sql"
	sqlite3 "$T/sdk.db" < "$SOURCE/agents-sdk.sql"
	mkdir -p "$T/garden" "$T/cursor/c-1"
	cp "$SOURCE/garden.af" "$T/garden"
	cp "$SOURCE/cursor.jsonl" "$T/cursor/c-1/c-1.jsonl"
	take "$T/agentfs.db" "$T/sdk.db" "$T/garden" "$T/cursor"
	[ "$status" -eq 0 ]
	says 4 18 1 0
	for s in agentfs-2025-03-04-082400 messages-2025-03-04-weather-in-lima letta-2025-03-04-gardener cursor-undated-mend-the-shop; do same "$s"; done
	[ "$("$CINTA" cat -d "$DB" notes/garden/human.md)" = 'Has a terrace.' ]
	take "$T/agentfs.db" "$T/sdk.db" "$T/garden" "$T/cursor"
	says 4 0 0 19
	verified
}

@test "a tape into a memory that has more: whose, when and what it was; again, grown, and by another way" {
	other=$T/other.db
	"$CINTA" init "$other" > /dev/null
	"$CINTA" import -d "$other" "$SOURCE/claude.jsonl"
	"$CINTA" mount "$other" "$M"
	say uno 'I prefer tabs for indentation.'
	echo '{"role":"user","content":"all","thread":"boat","players":["ana"],"attachments":{"a":[1]},"mine":1.50}' >> "$M/sessions/uno/log.jsonl"
	mkdir "$M/notes/sub"
	echo '# plan' > "$M/notes/sub/plan.md"
	# one text, now and once before; a folder, a file and a text that have other names now; three that are gone
	for text in one two one; do echo "# $text" > "$M/notes/twice.md"; done
	mkdir "$M/notes/was"
	echo '# deep' > "$M/notes/was/deep.md"
	mv "$M/notes/was" "$M/notes/is"
	echo '# old' > "$M/notes/old.md"
	mv "$M/notes/old.md" "$M/notes/new.md"
	echo '# new' > "$M/notes/new.md"
	echo '# moved' > "$M/notes/moved.md"
	mv "$M/notes/moved.md" "$M/notes/elsewhere.md"
	printf -- '# gone\n' | tee "$M/notes/gone.md" > "$M/notes/over.md"
	mv "$M/notes/over.md" "$M/notes/onto.md"
	printf -- '---\nstatus: retired\n---\n# gone\n' > "$M/notes/gone.md"
	wait_for 30 grep -q tabs "$M/facts/preferences.md"
	hash=$(jq -r 'select(.content == "all") | .hash' "$M/sessions/uno/log.jsonl")
	echo '{"role":"user","content":"here first"}' | "$CINTA" append -d "$DB" -p sessions/mine/log.jsonl
	# a mount's own lines, which have no seal
	cp "$M/.cinta/tape.jsonl" "$T/lines.jsonl"
	take "$T/lines.jsonl"
	[ "$status" -eq 0 ]
	says 2 11 7 0
	cinta_umount
	"$CINTA" export --tape "$other" > "$T/tape.jsonl"
	take "$T/tape.jsonl"
	says 2 0 0 18
	take "$other"
	says 2 0 0 18
	# what the agent itself has is what the tape had
	take "$SOURCE/claude.jsonl"
	says 1 0 0 10
	log=$("$CINTA" ls -d "$DB" sessions | grep '^cinta-.*-uno$')
	"$CINTA" cat -d "$DB" "sessions/$log/log.jsonl" | tail -n 1 > "$T/line"
	jq -e --arg hash "$hash" --arg origin "$(sqlite3 "$other" "SELECT json_extract(body, '$.origin') FROM tape WHERE seq = 0")" \
		'.thread == "boat" and .players == ["ana"] and .attachments == {"a": [1]} and .mine == 1.5 and .from.id == $hash and
		.from.session == $origin + "/s2" and (.from.author | contains("bash")) and .from.at' "$T/line"
	for note in 'elsewhere.md moved' 'is/deep.md deep' 'new.md new' 'onto.md gone' 'sub/plan.md plan' 'twice.md one'; do
		[ "$("$CINTA" cat -d "$DB" "notes/$(basename "$T")/notes/${note% *}")" = "# ${note#* }" ]
	done
	[ "$("$CINTA" ls -d "$DB" "notes/$(basename "$T")/notes" | tr -d / | tr '\n' ' ')" = 'elsewhere.md is new.md onto.md sub twice.md ' ]
	"$CINTA" cat -d "$DB" "notes/$(basename "$T")/facts/preferences.md" | grep -q '^- .*tabs'
	# grown
	echo '{"role":"user","content":"more"}' | "$CINTA" append -d "$other" sessions/uno/log.jsonl
	take "$other"
	says 2 1 0 18
	# changed or cut: nothing of it
	before=$(entries)
	sed 's/both files/good files/' "$T/tape.jsonl" > "$T/bad.jsonl"
	take "$T/bad.jsonl"
	[ "$status" -eq 1 ]
	[[ $stderr == *'nothing of it was taken in'* ]]
	sqlite3 "$other" "DROP TRIGGER tape_redact; UPDATE tape SET body = replace(body, 'checkout', 'checkers')"
	take "$other"
	[ "$status" -eq 1 ]
	[ "$(entries)" -eq "$before" ]
	verified
}

@test "a tape into a memory: lines that say when and by whom they were, numbers of any size" {
	other=$T/other.db
	"$CINTA" mount "$other" "$M"
	mkdir "$M/sessions/uno"
	printf '%s\n' '{"role":"user","content":"old saying","timestamp":"2020-01-02T03:04:05Z","author":"Bob"}' \
		'{"role":"user","content":"ours","from":{"at":"2021-02-03","author":"Ana"},"timestamp":"2020-01-02T03:04:05Z"}' \
		'{"role":"user","content":"big","n":123456789012345678901234567890,"s":"\u00f1","x":1.50}' >> "$M/sessions/uno/log.jsonl"
	mkdir "$M/sessions/dos"
	head -n 1 "$M/sessions/uno/log.jsonl" >> "$M/sessions/dos/log.jsonl" # as cp -a does
	printf -- '---\nn: 123456789012345678901234567890\n---\n# big\n' > "$M/notes/big.md"
	cinta_umount
	take "$other"
	[ "$status" -eq 0 ]
	says 2 4 1 0
	cinta_mount
	[ "$(cat "$M"/sessions/cinta-*/log.jsonl | jq -r '[.content, .from.author, .from.at[:10]] | join(" ")' | grep -v ^big | sort | xargs)" = \
		'old saying Bob 2020-01-02 old saying Bob 2020-01-02 ours Ana 2021-02-03' ]
	grep -q '^## 1 .*Bob.* 2020-01-02 03:04:05' "$M"/sessions/cinta-*/transcript.md
	grep -q '"n":123456789012345678901234567890,"s":"\\u00f1","x":1.50,' "$M"/sessions/cinta-*/log.jsonl
	grep -q '# big' "$M/notes/$(basename "$T")/notes/big.md"
	cinta_umount
	take "$other"
	says 2 0 0 5
}

@test "a tape into a memory: an error keeps its words, a part out of range comes once, no text is told" {
	other=$T/other.db
	"$CINTA" mount "$other" "$M"
	mkdir "$M/sessions/uno"
	printf '%s\n' '{"role":"tool","content":"failed","tool":"bash","error":"exit 7"}' \
		'{"role":"user","content":"far","from":{"agent":"x","session":"y","id":"z","part":12345678901234567890}}' \
		'{"role":"user","content":"below","from":{"agent":"x","session":"y","id":"w","part":-5}}' \
		'{"role":"assistant","content":"","tool_calls":[{"id":"c1"}]}' >> "$M/sessions/uno/log.jsonl"
	cinta_umount
	take "$other"
	[ "$status" -eq 0 ]
	says 2 3 0 0
	[[ $stderr == *'a message without a text'* ]]
	take "$other"
	says 2 0 0 3
	cinta_mount
	[ "$(jq -r .error "$M"/sessions/cinta-*-uno/log.jsonl)" = 'exit 7' ]
	[ "$(jq .from.part "$M"/sessions/x-*/log.jsonl | xargs)" = '0 0' ]
	cinta_umount
	verified
}

@test "an older copy of the memory itself: only what was written there since; what was redacted stays so" {
	"$CINTA" mount "$DB" "$M"
	mkdir "$M/sessions/uno"
	printf '{"role":"user","content":"%s"}\n' 'the word is hunter2hunter2' 'we sail on monday' >> "$M/sessions/uno/log.jsonl"
	echo '# plan' > "$M/notes/plan.md"
	echo '# old' > "$M/notes/old.md"
	echo '- likes tea' >> "$M/facts/personal.md"
	cinta_umount
	"$CINTA" backup "$T/copy.db" "$DB"
	seq=$("$CINTA" export --tape "$DB" | jq -r 'select(.body // "" | contains("hunter2")) | .seq')
	"$CINTA" redact --yes --reason "a test" "$seq" "$DB"
	"$CINTA" mount "$DB" "$M"
	mv "$M/notes/old.md" "$M/notes/new.md"
	cinta_umount
	before=$(entries)
	take "$T/copy.db"
	[ "$status" -eq 0 ]
	says 0 0 0 4
	"$CINTA" export --tape "$T/copy.db" > "$T/copy.jsonl"
	take "$T/copy.jsonl"
	says 0 0 0 4
	[ "$(entries)" -eq "$before" ]
	echo '{"content":"said in the copy"}' | "$CINTA" append -d "$T/copy.db" sessions/uno/log.jsonl
	"$CINTA" write -d "$T/copy.db" notes/plan.md <<< '# another plan'
	take "$T/copy.db"
	says 1 1 1 3
	cinta_mount
	not grep -r hunter2 "$M/sessions" "$M/notes"
	[ "$(cat "$M/notes/plan.md")" = '# plan' ]
	[ "$(cat "$M"/notes/cinta-test.*/notes/plan.md)" = '# another plan' ]
}

@test "a text of more values than there is room for is left out, and what stands beside it is not" {
	python3 - "$T" <<- 'END'
		import sys
		line = '{"role":"user","content":"%s"}\n'
		many = '{"role":"user","content":[' + '{},' * 3_000_000 + '{}]}'
		with open(sys.argv[1] + '/many.jsonl', 'w') as f:
		    f.write(line % 'first' + many + '\n' + line % (',' * 100) + line % 'last' + many)
	END
	run --separate-stderr bash -c 'ulimit -v 1000000; exec "$0" import "$1" -d "$2"' "$CINTA" "$T/many.jsonl" "$DB"
	echo "$output" "$stderr"
	[[ $output$stderr == *'it has more values than are taken in'* ]]
	[ "$("$CINTA" ls -d "$DB" sessions | wc -l)" -ge 1 ]
	[ "$(sqlite3 -readonly "$DB" "SELECT count(*) FROM tape WHERE kind = 'message'")" -eq 3 ]
	verified
}
