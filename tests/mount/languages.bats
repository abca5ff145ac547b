# SPDX-License-Identifier: MIT
# A text is found by other forms of its words, in its own language; what finds nothing is asked again.
bats_require_minimum_version 1.5.0
load ../lib.sh

setup() { inside_setup; }
teardown() { inside_teardown; }

says() { mkdir -p sessions/s && printf '{"role":"user","content":"%s"}\n' "$@" >> sessions/s/log.jsonl; }
finds() { grep -qE '^1\. .*(messages|facts)/' "search/$1.md" && grep -qi "$2" "search/$1.md"; }

@test "Spanish, German, French and Portuguese by their own stems; names across them" {
	says 'Soy alérgica a la penicilina, lo sabés.' 'Vivo en Córdoba con mi perro.' \
		'Estamos ahorrando para las vacaciones de la familia.' \
		'Die Zeitungen sind für den Nachbarn, nicht für uns.' \
		'Les journaux sont arrivés pour les voisins.' \
		'As crianças não foram para a escola.' 'The children are running to PostgreSQL.'
	finds 'alergias' penicilina
	finds 'alérgico' penicilina
	finds 'ALERGICA' penicilina
	finds '¿En qué ciudad vivimos?' Córdoba
	finds 'perros' Córdoba
	finds '¿cuánto ahorramos?' vacaciones
	finds 'Zeitung' Nachbarn
	finds 'journal arriver' voisins
	finds 'criança' escola
	finds 'run child' PostgreSQL
	finds 'PostgreSQL' children
	grep -q '\*\*alérgica\*\*' 'search/alérgico.md'
}

@test "an ending is known by its accent: perdió is perdimos, and perdón is not" {
	in_session() { mkdir -p "sessions/$1" && printf '{"role":"user","content":"%s"}\n' "$2" >> "sessions/$1/log.jsonl"; }
	# first QUESTION WORD…: the first hits are these, in any order
	first() {
		local asked=$1 word
		shift
		for word; do sed -nE '/^[0-9]+\. /{n;p}' "search/$asked.md" | head -$# | grep -qi "$word"; done
	}
	in_session a 'Al final no perdimos ni una sola llave.'
	in_session b 'Se perdio lo que estaba en el galpon viejo.'
	in_session c 'Ellos vendían herramientas los domingos.'
	for other in 1 2 3; do
		in_session "p$other" "Perdón por la demora del lunes $other."
		in_session "v$other" "El vendaval del martes $other fue muy fuerte."
	done
	for asked in '¿Qué se perdió?' 'que se perdio'; do first "$asked" llave galpon; done
	for asked in '¿Qué perdieron?' 'perder'; do first "$asked" llave; done
	for asked in '¿Qué vendía?' 'quien vendia' 'vender' 'vendieron'; do first "$asked" domingos; done
}

@test "a title that is not quoted right is asked by its words, and the page says so" {
	says 'We watched Eternal Sunshine of a Spotless Mind at home.'
	finds 'When did we watch "Eternal Sunshine of the Spotless Mind"?' Spotless
	grep -q '^Nothing has exactly what is quoted; by its words' 'search/When did we watch "Eternal Sunshine of the Spotless Mind"?.md'
	not grep -q 'exactly what is quoted' 'search/"Spotless Mind".md'
	grep -q Spotless 'context/When did we watch "Eternal Sunshine of the Spotless Mind"?.md'
}

@test "words that nothing has are asked by how they begin" {
	says 'La traductora trabaja de noche.'
	finds traduzco traductora
	grep -q '^Nothing has these words; by words that begin as they do' search/traduzco.md
	grep -q traductora context/traduzco.md
	grep -q '^No hits' search/xylophone.md
	grep -q '^No hits' 'search/"xylophone music".md'
}

@test "an index of another version is made anew by itself" {
	says 'Soy alérgica a la penicilina, lo sabés.'
	finds alergias penicilina
	cd /
	cinta_umount
	sqlite3 "$DB.search" 'UPDATE state SET version = 1'
	cinta_mount
	cd "$M"
	finds alergias penicilina
	[ "$(sqlite3 "$DB.search" 'SELECT version FROM state')" -gt 1 ]
}
