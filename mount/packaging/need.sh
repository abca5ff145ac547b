#!/bin/sh
# SPDX-License-Identifier: MIT
# need.sh PURPOSE PACKAGE…: installs what is missing of these Debian packages, and nothing else.
#
# `make run`, `make test` and `make bench` call it.  When all is there it says nothing and asks
# neither apt nor the network.  As an ordinary user it goes through sudo; without sudo it prints
# the command for root and fails.
set -u
purpose=$1
shift

if ! command -v dpkg-query > /dev/null; then
	echo "this is no Debian: $purpose it takes what these packages hold: $*" >&2
	exit 0
fi
missing=$(for p; do
	case $(dpkg-query -W -f '${db:Status-Abbrev}' "$p" 2> /dev/null) in
	ii*) ;;
	*) printf ' %s' "$p" ;;
	esac
done)
[ -n "$missing" ] || exit 0

set -f # the words of $install are names of packages
install="apt-get install -y --no-install-recommends$missing"
by_hand() {
	echo "Run this as root, then make again:"
	echo "  apt-get update && $install"
	exit 1
} >&2
echo "$purpose these packages are missing:$missing"
root=
if [ "$(id -u)" != 0 ]; then
	command -v sudo > /dev/null || by_hand
	root=sudo
	echo "Installing them with sudo."
fi
root="$root env DEBIAN_FRONTEND=noninteractive"
# A machine that never asked its mirror knows no package; one that asked long ago knows old ones.
apt-get -qq -s install --no-install-recommends $missing > /dev/null 2>&1 || $root apt-get -q update
$root $install || { $root apt-get -q update && $root $install; } || by_hand
