# SPDX-License-Identifier: MIT
"""count.py MOUNT FILE…: exact tokens of each file, as another memory counts them that is mounted
at MOUNT with a session `count`; a line each."""
import json
import sys

log = sys.argv[1] + "/sessions/count/log.jsonl"
for name in sys.argv[2:]:
    text = open(name, newline="", encoding="utf-8").read()
    with open(log, "a", encoding="utf-8") as out:
        out.write(json.dumps({"content": text}) + "\n")
    last = open(log, encoding="utf-8").read().splitlines()[-1]
    print(json.loads(last)["token_count"])
