#!/bin/sh
# SPDX-License-Identifier: MIT
# The package on a bare Debian: built from a tarball, without a word of lintian, installed, mounted
# by mount(8) as root and by a user's line of fstab, run as its unit runs it, and purged.  Called
# by tests/debian/run -s, inside the chroot, as root.
set -eu
export DEBIAN_FRONTEND=noninteractive
die() { echo "package: $*" >&2; exit 1; }
# quiet NAME COMMAND…: its output only if it fails
quiet() {
	name=$1
	shift
	"$@" > "/tmp/$name" 2>&1 || { tail -40 "/tmp/$name"; die "$name failed"; }
}
unset WERROR

quiet update apt-get -q update
quiet make apt-get -qy install --no-install-recommends make
quiet build make -C /source deb
cd /source/build/dist
quiet tools apt-get -qy install --no-install-recommends lintian reuse bash-completion zsh fish systemd
lintian --allow-root --fail-on error,warning --suppress-tags bad-distribution-in-changes-file \
	cinta_*.changes > /tmp/lintian 2>&1 || { cat /tmp/lintian; die 'lintian'; }
[ ! -s /tmp/lintian ] || { cat /tmp/lintian; die 'lintian has something to say'; }
(cd cinta-*/ && rm -rf debian/cinta debian/.debhelper build && quiet reuse reuse lint)

quiet install apt-get -qy install ./cinta_*_*.deb mount
ldd /usr/bin/cinta | grep -q libcurl && die 'libcurl is linked'
for recommended in openssl sqlite3; do
	command -v $recommended > /dev/null || die "$recommended is not recommended"
done
cinta --version | grep -q '^cinta [0-9]'
[ "$(readlink -f /sbin/mount.cinta)" = /usr/bin/cinta ] || die 'no helper of mount(8)'
ln -sfn ../proc/self/mounts /etc/mtab # systemd's tmpfiles make it; fusermount3 reads it
bash -n /usr/share/bash-completion/completions/cinta
zsh -n /usr/share/zsh/vendor-completions/_cinta
fish -n /usr/share/fish/vendor_completions.d/cinta.fish
# The user manager's unit: its own words; what it says of the chroot's other units is not ours.
mkdir -p /run/user/0
XDG_RUNTIME_DIR=/run/user/0 systemd-analyze verify --user --man=no \
	/usr/lib/systemd/user/cinta@memory.service 2>&1 | grep 'cinta@' && die 'systemd-analyze'
[ -c /dev/fuse ] || { echo 'package: no /dev/fuse, nothing was mounted'; exit 0; }

# By mount(8): as the package's own test does, and by a user's line of fstab.
quiet smoke sh /source/mount/packaging/debian/tests/smoke
useradd -m alice
mkdir /home/alice/memory && chown alice: /home/alice/memory
echo '/home/alice/alice.db /home/alice/memory cinta user,noauto,nofail 0 0' >> /etc/fstab
cat > /tmp/fstab-session <<'END'
set -eu
mount ~/memory
echo '{"role":"user","content":"hola"}' >> ~/memory/sessions/current/log.jsonl
grep -q '"author":"alice:' ~/memory/sessions/current/log.jsonl
umount ~/memory
cinta verify ~/alice.db | grep '^OK'
END
quiet by-fstab su alice -s /bin/sh -c 'sh -x /tmp/fstab-session'

# As its unit runs it; the manager is one that listens.
quiet unit su alice -c 'python3 /source/tests/debian/unit.py /usr/lib/systemd/user/cinta@.service work'

sha256sum /home/alice/.local/share/cinta/work.db /home/alice/alice.db \
	/home/alice/.config/cinta/keys/*.pem > /tmp/before
quiet purge apt-get -qy purge cinta
sha256sum --quiet -c /tmp/before || die 'purge touched a memory or a key'
[ -z "$(find / -xdev -path /proc -prune -o -path /source -prune -o -path /home -prune -o \
	-path /var/lib/dpkg -prune -o -path /tmp -prune -o -name '*cinta*' -print)" ] || die 'purge left something'
echo "measured: $(du -k /source/build/dist/cinta_*.deb | cut -f1) KB the package, on $(. /etc/os-release && echo "$PRETTY_NAME")"
echo 'package: fine'
