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
	cd / && cinta_umount
	sqlite3 "$DB.search" 'UPDATE state SET version = 1'
	cinta_mount && cd "$M"
	finds alergias penicilina
	[ "$(sqlite3 "$DB.search" 'SELECT version FROM state')" -gt 1 ]
}
