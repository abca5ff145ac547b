#!/bin/sh
# SPDX-License-Identifier: MIT
# sudo.sh USER: makes a user who may do all by sudo, without a password.  Called by the other
# scripts of this folder, inside, as root.
set -eu
DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends sudo > /dev/null 2>&1
useradd -m -s /bin/bash "$1"
echo "$1 ALL=(ALL) NOPASSWD: ALL" > "/etc/sudoers.d/$1"
chmod 440 "/etc/sudoers.d/$1"
