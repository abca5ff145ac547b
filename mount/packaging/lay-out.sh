#!/bin/sh
# SPDX-License-Identifier: MIT
# lay-out.sh DIRECTORY: the sources as they are released, in a directory that is not there yet.
#
# What tools want at the top of a tree stands here in mount/packaging, and goes there: debian/ for
# dpkg, LICENSES/ and .reuse/ for `reuse lint`.  `make deb` and `make dist` call it.
set -eu
dir=$1
cd "$(dirname "$0")/../.."
here=mount/packaging
version=$(sed -n 's/^VERSION := //p' Makefile)
[ ! -e "$dir" ] || { echo "lay-out.sh: $dir is there already" >&2; exit 1; }
mkdir -p "$dir"
if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
	git ls-files -z --cached --others --exclude-standard
else # a tarball holds what is released
	find . -type f ! -path './build*' ! -path './memory/*' ! -path './.memory/*' -printf '%P\0'
fi | tar -cf - --null -T - | tar -C "$dir" -xf -
rm -rf "$dir/debian" "$dir/LICENSES" "$dir/.reuse"
mkdir "$dir/LICENSES" "$dir/.reuse"
cp LICENSE "$dir/LICENSES/MIT.txt"
cp $here/reuse.dep5 "$dir/.reuse/dep5"
cp -R $here/debian "$dir/debian"
sed -i "s/@VERSION@/$version/; s/@DATE@/$(date -uR -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y docs/changelog.md)}")/" \
	"$dir/debian/changelog"
# The licence's text, as a field of debian/copyright has it.
sed '1,/^Permission/{/^Permission/!d}; s/^$/./; s/^/ /' LICENSE > "$dir/debian/license.tmp"
sed -i -e "/^@LICENSE@$/{r $dir/debian/license.tmp" -e 'd}' "$dir/debian/copyright"
rm "$dir/debian/license.tmp"
