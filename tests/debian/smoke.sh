#!/bin/sh
# SPDX-License-Identifier: MIT
# The first minute on a bare Debian: what a user without sudo, root, and a user with sudo see of
# `make run`, and then the session of README.md.  Called by tests/debian/run, inside, as root.
set -eu
die() { echo "smoke: $*" >&2; exit 1; }
has() { grep -q -- "$1" "$2" || { cat "$2" >&2; die "'$1' is not in what it said"; }; }
size() { dpkg-query -W -f '${Installed-Size}\n' | awk '{ s += $1 } END { print int(s / 1024) }'; }
installed() { dpkg-query -W -f '${binary:Package}\n' | sort; }
installed > /tmp/bare
packages=$(wc -l < /tmp/bare) before=$(size)

# `make` is what somebody who reads the README has.
apt-get -q update > /dev/null
apt-get -qy install --no-install-recommends make > /dev/null 2>&1
useradd -m alice
ln -sfn ../proc/self/mounts /etc/mtab # systemd's tmpfiles make it; fusermount3 reads it
cp -a /source /home/alice/cinta && chown -R alice: /home/alice/cinta

# Without sudo: the exact command, and root runs it as it stands.
su alice -c 'cd ~/cinta && make run' > /tmp/told 2>&1 && die 'make run without packages succeeded'
has 'Run this as root' /tmp/told
command=$(sed -n 's/^  \(apt-get update && .*\)/\1/p' /tmp/told)
eval "$command" > /tmp/apt 2>&1 || { tail -20 /tmp/apt; die "its command failed: $command"; }
echo "measured: $(($(dpkg-query -W | wc -l) - packages)) packages, $(($(size) - before)) MB installed," \
	"$(sed -n 's/^Need to get \([0-9.,]* .B\).*/\1/p' /tmp/apt) to get, on $(. /etc/os-release && echo "$PRETTY_NAME")"

# All is there: neither apt nor the network is asked.
printf '#!/bin/sh\necho touched >> /tmp/touched\nexit 1\n' > /usr/local/bin/apt-get
chmod 755 /usr/local/bin/apt-get
if [ -c /dev/fuse ]; then run=run; else run=all; fi
make -C /source -j2 $run > /tmp/run 2>&1 || { tail -30 /tmp/run; die 'make run as root'; }
cp -a /source/build /home/alice/cinta/ && chown -R alice: /home/alice/cinta/build
su alice -c "cd ~/cinta && make $run" > /tmp/run.alice 2>&1 ||
	{ tail -30 /tmp/run.alice; die 'make run as a user'; }
[ ! -e /tmp/touched ] || die 'make run asked apt though all was there'
rm /usr/local/bin/apt-get

# A session without a mount, then, where there is a device, with one: root and the user.
cat > /tmp/session <<'END'
set -eu
cinta=$PWD/build/cinta
$cinta --version
$cinta init ~/bare.db > /dev/null
printf '# Who I am\n' | $cinta identity ~/bare.db
$cinta search ~/bare.db identity > /dev/null || [ $? = 1 ]
$cinta status ~/bare.db > /dev/null
$cinta verify --all ~/bare.db | grep -q '^OK'
$cinta cat -d ~/bare.db smma/identity.md | grep -q 'Who I am'
echo 'kept without a mount' | $cinta write -d ~/bare.db notes/a.md
[ "$($cinta cat -d ~/bare.db notes/a.md)" = 'kept without a mount' ]
[ -c /dev/fuse ] || exit 0
m=$PWD/memory
mkdir $m/sessions/x
echo '{"role":"user","content":"hi, we move to PostgreSQL"}' >> $m/sessions/x/log.jsonl
tail -1 $m/sessions/x/log.jsonl | grep -q '"id":1,.*"content":"hi, we move'
grep -rl PostgreSQL $m/threads | grep -q transcript.md
cat "$m/search/why PostgreSQL.md" | grep -q sessions/
echo '- asks for short answers' >> $m/smma/user_profile.md
sed -i 's/short/very short/' $m/smma/user_profile.md
grep -q 'very short' $m/smma/user_profile.md
if diff $m/smma/user_profile.md@2 $m/smma/user_profile.md > /dev/null; then exit 1; fi
if rm $m/sessions/x/log.jsonl 2> /dev/null; then exit 1; fi
tail -1 $m/errors.log | grep -q log.jsonl
$cinta verify .memory/memory.db | grep -q '^OK'
$cinta umount $m
$cinta verify --all .memory/memory.db | grep -q '^OK'
python3 tests/mount/typed.py README.md # word for word
$cinta verify | grep -q '^OK'
END
(cd /source && sh -x /tmp/session > /tmp/out 2>&1) || { tail -30 /tmp/out; die 'the session as root'; }
su alice -c 'cd ~/cinta && sh -x /tmp/session' > /tmp/out.alice 2>&1 ||
	{ tail -30 /tmp/out.alice; die 'the session as a user'; }

# With sudo, bare again: `make run` gets all by itself; then the session.
installed | comm -13 /tmp/bare - > /tmp/added
xargs apt-get -qy purge < /tmp/added > /tmp/apt 2>&1 || { tail -20 /tmp/apt; die 'bare again'; }
[ "$(installed)" = "$(cat /tmp/bare)" ] || { installed | diff /tmp/bare -; die 'not bare again'; }
apt-get -qy install --no-install-recommends make > /dev/null 2>&1
sh /source/tests/debian/sudo.sh bob
cp -a /source /home/bob/cinta
(cd /home/bob/cinta && rm -rf build memory .memory) && chown -R bob: /home/bob/cinta
su - bob -c "cd ~/cinta && make $run" > /tmp/run.bob 2>&1 < /dev/null ||
	{ tail -30 /tmp/run.bob; die 'make run with sudo'; }
has '^Installing them with sudo' /tmp/run.bob
su - bob -c 'cd ~/cinta && sh -x /tmp/session' > /tmp/out.bob 2>&1 ||
	{ tail -30 /tmp/out.bob; die 'the session with sudo'; }
echo 'smoke: fine'
