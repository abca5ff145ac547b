# SPDX-License-Identifier: MIT
# Words of another language, by dictionaries as Debian has them (-o dictionary=).
bats_require_minimum_version 1.5.0
load ../lib.sh
load more.sh

setup() {
	cinta_setup
	mkdir "$T/dict"
	make_dictionary "$T/dict/spa-eng" \
		'cámara /kˈamaɾa/|chamber, camera <n>' \
		'préstamo|1. loan [fin.]|2. (to a friend) lending; borrowing' \
		'escalera|staircase, flight of stairs|   "una escalera" - ladder|see: {peldaño}, rung' \
		'pagar|to pay' 'año bisiesto|leap year' 'perro|dog' '00databaseinfo|kettle'
	cinta_mount -o dictionary="$T/dict/spa-eng"
	cd "$M"
}
teardown() { cd / && cinta_teardown; }

# make_dictionary PATH ENTRY…: its two files; | parts the lines of an entry, the first has the headword
make_dictionary() {
	python3 - "$@" <<-'PY'
		import gzip, sys
		digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
		def number(n):
		    return (number(n // 64) if n >= 64 else '') + digits[n % 64]
		text, index = b'', ''
		for entry in sys.argv[2:]:
		    body = (entry.replace('|', '\n') + '\n').encode()
		    head = entry.split('|')[0].split(' /')[0]
		    index += f'{head}\t{number(len(text))}\t{number(len(body))}\n'
		    text += body
		open(sys.argv[1] + '.index', 'w').write(index)
		gzip.open(sys.argv[1] + '.dict.dz', 'w').write(text)
	PY
}
says() { mkdir -p sessions/s && printf '{"role":"user","content":"%s"}\n' "$@" >> sessions/s/log.jsonl; }
finds() { grep -qE '^1\. ' "search/$1.md" && sed -n '/^1\. /,/^2\. /p' "search/$1.md" | grep -qi "$2"; }
nothing() { grep -q 'No hits' "search/$1.md"; }

@test "a question in Spanish finds what was said in English, and the other way" {
	says 'I can bring the thermal camera.' 'The loan lasts a week.' 'El perro duerme en el patio.' \
		'Paying takes a minute.'
	finds '¿Quién trae la cámara?' 'thermal camera'
	finds 'las cámaras' 'thermal camera' # in any form of it
	finds '¿Cuánto duran los préstamos?' 'a week'
	finds 'where do the dogs sleep' patio
	finds 'pagamos' minute
	grep -q 'thermal camera' 'context/¿Quién trae la cámara?.md'
	"$CINTA" search -d "$DB" -o dictionary="$T/dict/spa-eng" '¿Quién trae la cámara?' | grep -q camera
	"$CINTA" search -d "$DB" -o "dictionary=$T/dict/spa-eng.dict.dz" '¿Quién trae la cámara?' | grep -q camera
	not "$CINTA" search -d "$DB" '¿Quién trae la cámara?'
	cd /
	cinta_umount
	cinta_mount
	cd "$M"
	nothing '¿Quién trae la cámara?'
}

@test "the word itself counts more than what it means, and what is said of a word is no meaning" {
	says 'Camera, camera, camera.' 'La cámara quedó en casa.' 'A ladder and a rung.' 'The year leaps.' 'A kettle.'
	finds 'cámara' 'quedó en casa'
	sed -n '/^2\. /,$p' 'search/cámara.md' | grep -q Camera
	nothing escalera # an example and a reference
	nothing bisiesto # two words
	nothing 00databaseinfo
	says 'The staircase is steep.' 'Lending is a pleasure.'
	finds escalera steep
	finds 'préstamo' pleasure
}

@test "what is no dictionary is refused before anything is made, with what to do" {
	local word
	printf 'x\n' > "$T/dict/bad.index"
	printf 'x' | gzip > "$T/dict/bad.dict.dz"
	printf 'x\tA\tz\n' > "$T/dict/far.index"
	cp "$T/dict/bad.dict.dz" "$T/dict/far.dict.dz"
	head -c 5000000 /dev/zero > "$T/dict/large.index"
	for word in xxx-yyy "$T/dict/bad" "$T/dict/far" "$T/dict/large" '' "$T/dict/spa-eng:" "$(printf 'n%.0s' {1..200})"; do
		run "$CINTA" mount -o "dictionary=$word" "$T/other.db" "$T/other"
		[ "$status" -eq 2 ]
		[[ $output == *dictionary* ]]
		[ ! -e "$T/other.db" ]
		[ ! -e "$T/other" ]
		run "$CINTA" search -d "$DB" -o "dictionary=$word" camera
		[ "$status" -eq 2 ]
	done
	[[ $("$CINTA" mount -o dictionary=xxx-yyy "$T/other.db" "$T/other" 2>&1) == *dict-freedict-* ]]
	mkdir "$T/more"
	run "$CINTA" mount -o dictionary="$T/dict/spa-eng" "$DB" "$T/more" # its owner has its own
	[ "$status" -eq 1 ]
	[[ $output == *'dictionary= is set when it starts'* ]]
}
