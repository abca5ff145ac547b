#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sources of a content security policy, as C strings: the styles' and the script's hashes.

    hashes.py STYLE.css… SCRIPT.js
"""
import base64
import hashlib
import sys

found = {'css': [], 'js': []}
for path in sys.argv[1:]:
    with open(path, 'rb') as f:
        digest = base64.b64encode(hashlib.sha256(f.read()).digest()).decode()
    found[path.rsplit('.', 1)[1]].append(f"'sha256-{digest}'")
print(f'#define STYLE_HASHES "{" ".join(found["css"])}"')
print(f'#define SCRIPT_HASH "{" ".join(found["js"])}"')
