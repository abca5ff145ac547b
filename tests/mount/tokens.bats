# SPDX-License-Identifier: MIT
# -o tokens: what counts the tokens of messages and documents.  The numbers are tiktoken's.
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() { cinta_setup; }
teardown() { cinta_teardown; }

text='Recordá: los índices están en /var/lib/postgres, 我们明天见 🚀'
counted() { grep -oE '"token_count":[0-9]+' "$M/sessions/$1/log.jsonl" | tail -1 | cut -d: -f2; }

# with NAME COUNT [OPTION…]: a mount that counts like that, and says so
with() {
	local name=$1 count=$2
	shift 2
	cinta_mount "$@"
	say s "$text"
	[ "$(counted s)" = "$count" ]
	grep -q "\"tokenizer\": \"$name\"" "$M/.cinta/status.json"
	"$CINTA" status "$DB" | grep -qE "^tokenizer +$name\$"
	cinta_umount
	"$CINTA" status --json "$DB" | grep -q "\"tokenizer\":\"$name\""
}

@test "o200k_base unless something else is said; what is counted stays" {
	with o200k_base 20
	with cl100k_base 24 -o tokens=cl100k_base
	with estimate 22 -o tokens=estimate
	with o200k_base 20 -o tokens=o200k_base
	with o200k_base 20
	cinta_mount
	grep -oE '"token_count":[0-9]+' "$M/sessions/s/log.jsonl" | cut -d: -f2 | tr '\n' ' ' |
		grep -x '20 24 22 20 20 '
	verified
}

@test "the text is counted, not the way it is written; special tokens are text" {
	cinta_mount
	say s '\u00e1\ud83d\ude80' 'á🚀' '<|endoftext|>' "it's" ''
	grep -oE '"token_count":[0-9]+' "$M/sessions/s/log.jsonl" | cut -d: -f2 | tr '\n' ' ' |
		grep -x '3 3 7 1 0 '
}

@test "documents and limits are counted by it" {
	local newest="SELECT tokens FROM v_version ORDER BY seq DESC LIMIT 1"
	yes '谢谢' | head -400 > "$T/in"
	cinta_mount
	cp "$T/in" "$M/smma/user_profile.md"
	cinta_umount
	[ "$(sql "$newest")" = 800 ]
	cinta_mount -o tokens=cl100k_base
	echo more >> "$T/in"
	run ! cp "$T/in" "$M/smma/user_profile.md"
	grep -q 'EFBIG .* 2002 tokens, at most 1500' "$M/errors.log"
	printf '谢谢' | "$CINTA" identity "$DB" # counts as the mount does
	cinta_umount
	[ "$(sql "$newest")" = 4 ]
}

@test "a megabyte of one letter does not stop the mount" {
	cinta_mount
	mkdir "$M/sessions/s"
	(printf '{"content":"'; head -c 1040000 /dev/zero | tr '\0' a; echo '"}') > "$T/in"
	timeout 20 dd if="$T/in" of="$M/sessions/s/log.jsonl" bs=2M oflag=append conv=notrunc status=none
	[ "$(counted s)" = 130000 ]
}

@test "an unknown name is refused, and a second mount cannot choose" {
	run -2 cinta_mount -o tokens=gpt2
	[[ $output == *'tokens=gpt2: not o200k_base, cl100k_base, estimate or FILE.tiktoken'* ]]
	run -2 cinta_mount -o tokens
	cinta_mount
	mkdir "$T/two"
	run -1 "$CINTA" mount -o tokens=estimate "$DB" "$T/two"
	[[ $output == *'tokens= is set when it starts'* ]]
}
