#!/bin/sh
# SPDX-License-Identifier: MIT
# crowd_writer.sh LOG COUNT: appends COUNT lines, each opened and closed by >>.
n=0
while [ $n -lt "$2" ]; do
	echo "{\"role\":\"tool\",\"content\":\"shell $n\"}" >> "$1" || exit 1
	n=$((n + 1))
done
