#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mount.cinta, the helper of mount(8), and what shells complete.

load ../lib.sh
setup() { cinta_setup && HELPER=$T/mount.cinta && ln -s "$CINTA" "$HELPER"; }
teardown() { cinta_teardown; }

# options_of DIR: as the kernel tells them
options_of() { awk -v d="$1" '$5 == d { print $6 }' /proc/self/mountinfo; }

@test "what fstab gives every filesystem is no option of ours" {
	"$HELPER" "$DB" "$M" -n -o rw,noauto,user=kai,nofail,x-systemd.automount,x-gvfs-hide,relatime,defaults,_netdev,nosymfollow,owner=kai
	echo '{"role":"user","content":"hi"}' >> "$M/sessions/current/log.jsonl"
	grep -q '"author":"kai:' "$M/sessions/current/log.jsonl"
	[[ $(options_of "$M") == rw,nosuid,nodev* ]]
	cinta_umount
	env -i "$HELPER" "$DB" "$M" -o ro,noexec,nosuid,nodev -v
	[[ ,$(options_of "$M"), == ,ro,*,noexec,* ]]
	mkdir "$T/more"
	"$HELPER" "$DB" "$T/more" -o noexec,dev
	[[ ,$(options_of "$T/more"), == ,rw,*,noexec,* ]]
}

@test "what is unknown, too little or too much is refused, and makes nothing" {
	run "$HELPER" "$DB" "$M" -o rw,compress
	[ "$status" -eq 2 ]
	[[ $output == *'unknown option `compress`; known here:'* ]]
	for words in '' "$DB" "$DB $M x" "$DB $M -o" "$DB $M -x"; do
		run "$HELPER" $words
		[ "$status" -eq 2 ]
	done
	run "$HELPER" -f "$DB" "$M"
	[ "$status" -eq 0 ]
	[ ! -e "$DB" ]
}

@test "without HOME, as mount(8) runs it; a comma in a value" {
	env -i PATH="$PATH" "$HELPER" "$DB" "$M" -o 'noatime,owner=a\,b,key_dir='"$T/keys"
	echo '{"role":"user","content":"hi"}' >> "$M/sessions/current/log.jsonl"
	grep -q '"author":"a%2Cb:\|"author":"a,b:' "$M/sessions/current/log.jsonl"
}

@test "mount(8) itself finds it" {
	[ "$(id -u)" = 0 ] || skip 'not root'
	export T DB M CINTA
	unshare --mount --propagation private bash -e -c '
		mkdir "$T/sbin" && cp -a /sbin/mount* "$T/sbin/" 2> /dev/null || true
		ln -sf "$CINTA" "$T/sbin/mount.cinta" && mount --bind "$T/sbin" /sbin
		mount -t cinta -o rw,noauto,nofail "$DB" "$M" && [ -e "$M/README.md" ]
		umount "$M"' 2> "$T/err" || { cat "$T/err"; false; }
}

# complete WORD…: what bash offers for the last one
complete_words() {
	"$CINTA" --completion bash > "$T/completion"
	bash -c '. "$0"; compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cinta; echo "${COMPREPLY[*]}"' \
		"$T/completion" "$@"
}

@test "bash completes verbs, options and the words of -o" {
	[ "$(complete_words cinta mou)" = mount ]
	[ "$(complete_words cinta reb)" = rebuild ]
	[ "$(complete_words cinta verify --v)" = --vkey ]
	[ "$(complete_words cinta mount -o ow)" = owner= ]
	[ "$(complete_words cinta mount -o ro,ow)" = ro,owner= ]
	: > "$T/some.db"
	[ "$(complete_words cinta status "$T/so")" = "$T/some.db" ]
	[ "$(complete_words cinta plot gr)" = growth ]
	[ "$(complete_words cinta plot growth "$T/so")" = "$T/some.db" ]
}

@test "each option of --help is completed by each shell" {
	for shell in bash zsh fish; do
		"$CINTA" --completion $shell > "$T/$shell"
		for verb in $("$CINTA" --help | awk '$1 == "cinta" && $2 ~ /^[a-z]+$/ { print $2 }'); do
			case $shell in
			bash) grep "^	$verb) flags=" "$T/bash" ;;
			zsh) sed -n "/^	$verb)$/,/;;$/p" "$T/zsh" ;;
			fish) grep "seen_subcommand_from $verb'" "$T/fish" ;;
			esac > "$T/of-verb"
			"$CINTA" "$verb" --help | sed -n 's/^  \(-o [a-z_]*\|--*[a-z]*\).*/\1/p' |
				while read -r flag word; do
					name=${word:-$flag}
					[ $shell != fish ] || name=${name##*-}
					grep -q -- "[ '\"-]$name\(['=\[ \"]\|$\)" "$T/of-verb" || { echo "$shell: $verb $flag $word"; exit 1; }
				done
		done
	done
	run "$CINTA" --completion tcsh
	[ "$status" -eq 2 ]
}
