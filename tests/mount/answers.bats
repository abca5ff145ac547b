# SPDX-License-Identifier: MIT
# answers/: write an answer to cache it, read a question to get it back, or ENOENT.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

entries() { wc -l < .cinta/tape.jsonl; }
LINE='[Retrieved from an earlier conversation]'

@test "a question has one answer, however it is spelled" {
	local n
	run cat 'answers/What is the capital of France?.md'
	[[ $output = *'No such file'* ]]
	n=$(entries)
	echo Paris. > 'answers/What is the capital of France?.md'
	[ "$(entries)" -eq $((n + 2)) ]
	[ "$(cat 'answers/what is the capital of france.md')" = Paris. ]
	[ "$(cat 'answers/Please,  what IS the capital of Francé.md')" = Paris. ]
	[ "$(ls answers)" = $'tools\nwhat is the capital of france.md' ]
	[ "$(grep -rl Paris. answers)" = 'answers/what is the capital of france.md' ]
	echo 'Paris, since 987.' > 'answers/WHAT IS THE CAPITAL OF FRANCE.md'
	[ "$(cat 'answers/What is the capital of France?.md')" = 'Paris, since 987.' ]
	[ "$(cat 'answers/what is the capital of france.md@1')" = Paris. ]
	[ "$(wc -l < 'answers/What is the capital of France?.md@log')" -eq 2 ]
	[ "$(entries)" -eq $((n + 3)) ]
	[ "$(stat -c %s 'answers/What is the capital of France?.md')" -eq 18 ]
	cd /
	cinta_umount
	"$CINTA" verify --all "$DB"
	"$CINTA" rebuild "$DB"
	cinta_mount
	[ "$(cat "$M/answers/what is the capital of France.md")" = 'Paris, since 987.' ]
}

@test "another wording is answered after a line that says so; another question is not" {
	local q
	echo 'Port 5432.' > 'answers/Which port does the Postgres server in Lyon use?.md'
	[ "$(cat 'answers/Which port does the Postgres server in the Lyon use.md')" = "$LINE"$'\nPort 5432.' ]
	for q in 'Which port does the Postgres server in Lyon not use?' 'Which port does the Postgres server in Bonn use?' \
		'Which port does the Postgres 9 server in Lyon use?' 'Which port does the Oracle server in Lyon use?' \
		'Which port will the Postgres server in Lyon never use?' 'Which 2 ports does the Postgres server in Lyon use?'; do
		run cat "answers/$q.md"
		echo "$q: $output"
		[[ $output = *'No such file'* ]]
	done
	[ "$(ls answers | wc -l)" -eq 2 ]
	# Its own answer does not touch the other.
	echo 'Port 6543.' > 'answers/Which port does the Postgres server in the Lyon use.md'
	[ "$(cat 'answers/Which port does the Postgres server in the Lyon use.md')" = 'Port 6543.' ]
	[ "$(cat 'answers/Which port does the Postgres server in Lyon use.md')" = 'Port 5432.' ]
}

@test "what passes is not cached, and says why" {
	local q n
	n=$(entries)
	for q in '¿Qué hora es?' 'What is the weather in Lyon now?' 'who is on call today' 'qué decidimos recién' '???' '- -'; do
		run bash -c 'echo x > "answers/$1.md"' - "$q"
		[ "$status" -ne 0 ]
		[[ $output = *'Invalid argument'* ]]
		tail -n 1 errors.log | grep -q 'EINVAL create answers/'
		echo x > answers/.tmp
		run mv answers/.tmp "answers/$q.md"
		[ "$status" -ne 0 ]
		rm answers/.tmp
		run cat "answers/$q.md"
		[[ $output = *'No such file'* ]]
	done
	[ "$(entries)" -eq "$n" ]
	[ "$(ls answers)" = tools ]
}

@test "answers of tools are found by their exact name" {
	echo 3 > 'answers/tools/wc -l A.txt.md'
	[ "$(cat 'answers/tools/wc -l A.txt.md')" = 3 ]
	[ ! -e 'answers/tools/wc -L A.txt.md' ]
	[ ! -e 'answers/tools/wc -l a.txt.md' ]
	[ ! -e 'answers/wc -l A.txt.md' ]
	[ "$(ls answers/tools)" = 'wc -l A.txt.md' ]
}

@test "names of all sorts" {
	local name n=0 names=('¿Cuál es el código postal de Málaga?' 'C++ or C#?' 'What is 3.5 * 2?' "what's Ana's e-mail" '日本の首都はどこ?'
		'a' '-rf' '*' 'what is "x"' $'tab\there' 'Straße' 'İstanbul ne?' "$(printf 'w%.0s' {1..252})" 'identity' 'What is x.md' '50%')
	for name in "${names[@]}"; do
		if echo "$name" > "answers/$name.md"; then
			[ "$(cat "answers/$name.md")" = "$name" ]
			n=$((n + 1))
		fi
	done
	[ "$n" -ge 13 ]
	# Each is listed under a name that leads to it.
	find answers -maxdepth 1 -type f -print0 | while IFS= read -r -d '' name; do
		[ -s "$name" ] || { echo "lost: $name"; false; }
	done
	run touch "answers/$(printf 'w%.0s' {1..256})"
	[[ $output = *'too long'* ]]
	run bash -c 'echo x > answers/$(printf "\xff").md'
	cat errors.log
	[ "$(find answers -maxdepth 1 -type f -name '*.md' | wc -l)" -ge 12 ]
}

@test "editors and tools save answers as they save documents" {
	local q='answers/Who maintains the build of the parser in Lyon?.md' other='answers/Who maintains a build of the parser in Lyon?.md'
	echo Ana > "$q"
	sed -i s/Ana/Eva/ "$q"
	[ "$(cat "$q")" = Eva ]
	cp "$q" "$T/copy"
	echo Zoe >> "$T/copy"
	cp "$T/copy" "$q"
	[ "$(cat "$q")" = $'Eva\nZoe' ]
	rsync -a "$T/copy" "$q" 2> /dev/null || cp "$T/copy" "$q"
	if command -v vim > /dev/null; then
		vim -Nu NONE -es -c 'set backup writebackup backupcopy=no' -c '%s/Eva/Ida/' -c 'wq' "$q" < /dev/null
		[ "$(head -n 1 "$q")" = Ida ]
		# what is retrieved, too
		vim -Nu NONE -es -c 'set backup writebackup backupcopy=no' -c '%s/Ida/Noa/' -c 'wq' "$other" < /dev/null
		[ "$(sed -n 2p "$other")" = Noa ]
		[ "$(head -n 1 "$q")" = Ida ]
	fi
	[ "$(find answers -maxdepth 1 -name 'who maintains the build of the parser in lyon.md' | wc -l)" -eq 1 ]
	run rm "$q"
	[ "$status" -ne 0 ]
	run mv "$q" 'answers/Another question.md'
	[ "$status" -ne 0 ]
	run mv "$q" logs/
	[ "$status" -ne 0 ]
	[ -s "$q" ]
	echo shorter > answers/.new
	mv answers/.new "$q"
	[ "$(cat "$q")" = shorter ]
}

@test "many who ask and answer at once" {
	local i pids=()
	for i in {1..6}; do
		(
			for j in {1..25}; do
				echo "by $i" > "answers/What is the shared value of key k?.md"
				echo "$i $j" > "answers/What is value $j of writer $i?.md"
				cat 'answers/what is the shared value of key K.md' > /dev/null
			done
		) &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i"; done
	[[ $(cat 'answers/what is the shared value of key k.md') = by\ [1-6] ]]
	[ "$(find answers -maxdepth 1 -name '*.md' | wc -l)" -eq 151 ]
	[ "$(cat 'answers/what is value 25 of writer 6.md')" = '6 25' ]
	[ "$(wc -l < 'answers/what is the shared value of key k.md@log')" -eq 150 ]
}
