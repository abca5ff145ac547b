#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh USER: `make test` on a bare Debian, as root or as a user with sudo: it gets its packages
# itself.  Called by tests/debian/run --test, inside, as root.
set -eu
user=$1
apt-get -q update > /dev/null
apt-get -qy install --no-install-recommends make > /dev/null 2>&1
ln -sfn ../proc/self/mounts /etc/mtab # systemd's tmpfiles make it; fusermount3 reads it
[ "$user" != root ] || exec make -C /source test
sh /source/tests/debian/sudo.sh "$user"
cp -a /source "/home/$user/cinta" && chown -R "$user:" "/home/$user/cinta"
exec su "$user" -c 'cd ~/cinta && make test'
