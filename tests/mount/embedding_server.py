#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An embedding endpoint for tests: embedding_server.py DIR [PORT]

Vectors are made of the text: words through a small table of synonyms, their letters in threes
hashed into DIMS numbers, so that texts with like words are near, and those with like meanings
as far as the table knows.  It ends with its parent.  DIR/mode says how to behave, DIR/requests gets a JSON line for
each request, DIR/port the port when it listens.
"""
import hashlib, json, math, os, re, socket, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIR = sys.argv[1]
DIMS = 256
SYNONYMS = {w: words[0] for words in (
    ("car", "automobile", "vehicle", "coche", "auto"),
    ("doctor", "physician", "medic", "médico"),
    ("money", "cash", "funds", "dinero"),
    ("holiday", "vacation", "vacaciones"),
) for w in words}
STOP = set("a an the of to in on at is are was my our i we you it and or do did how what when where".split())
lock = threading.Lock()


def mode():
    try:
        with open(os.path.join(DIR, "mode")) as f:
            return f.read().split()
    except OSError:
        return []


def vector(text, dims):
    v = [0.0] * dims
    for word in re.findall(r"\w+", text.lower()):
        if word in STOP:
            continue
        word = "^" + SYNONYMS.get(word, word) + "$"
        for i in range(max(1, len(word) - 2)):
            h = hashlib.blake2b(word[i:i + 3].encode(), digest_size=8).digest()
            v[int.from_bytes(h[:4], "big") % dims] += 1 if h[4] & 1 else -1
    length = math.sqrt(sum(x * x for x in v)) or 1
    return [x / length for x in v]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def say(self, status, body, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def note(self, asked, status):
        line = {"path": self.path, "input": asked.get("input"), "model": asked.get("model"),
                "dimensions": asked.get("dimensions"), "status": status,
                "auth": self.headers.get("Authorization")}
        with lock, open(os.path.join(DIR, "requests"), "a") as f:
            f.write(json.dumps(line) + "\n")

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        how, texts = mode() or ["ok"], asked["input"]
        assert asked["encoding_format"] == "float" and isinstance(texts, list)
        status = self.status(how, texts)
        self.note(asked, status)
        try:
            if how[0] == "redirect":
                self.say(302, {}, Location="http://127.0.0.1:1/v1/embeddings")
            elif status != 200:
                self.say(status, {"error": {"message": "refused: %s" % self.headers.get("Authorization")}},
                         **({"Retry_After": "1"} if status == 429 else {}))
            else:
                self.answer(how, asked, texts)
        except OSError:
            pass

    @staticmethod
    def status(how, texts):
        if how[0].isdigit():
            return int(how[0])
        if how[0] == "poison" and any("poison" in t for t in texts):
            return int(how[1])
        if how[0] == "long" and any(len(t.encode()) > int(how[1]) for t in texts):
            return 500
        return 200

    def answer(self, how, asked, texts):
        dims = asked.get("dimensions") or (int(how[1]) if how[0] == "dims" else DIMS)
        data = [{"object": "embedding", "index": i, "embedding": vector(t, dims)} for i, t in enumerate(texts)]
        if how[0] == "slow":
            time.sleep(float(how[1]))
        elif how[0] == "hang":
            while mode()[:1] == ["hang"]:
                time.sleep(0.05)
        elif how[0] == "count":
            data.append(dict(data[0], index=len(data)))
        elif how[0] == "order":
            data.reverse()
        elif how[0] == "index":
            data[0]["index"] = len(data)
        elif how[0] == "nan":
            data[-1]["embedding"][3] = math.nan
        elif how[0] == "notjson":
            return self.say(200, b"<html>hello</html>")
        elif how[0] == "huge":
            return self.huge()
        elif how[0] == "dribble":
            return self.dribble()
        self.say(200, {"object": "list", "data": data, "model": asked["model"],
                       "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    def huge(self):
        self.send_response(200)
        self.send_header("Content-Length", str(1 << 40))
        self.end_headers()
        while True:
            self.wfile.write(b"[" * 65536)

    def dribble(self):
        self.send_response(200)
        self.send_header("Content-Length", "1000000")
        self.end_headers()
        while mode()[:1] == ["dribble"]:
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)
        self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def handle_error(self, request, client_address):
        pass


def end_with_parent(parent):
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    server = Server(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
    with open(os.path.join(DIR, "port.new"), "w") as f:
        f.write("%d\n" % server.server_address[1])
    os.rename(os.path.join(DIR, "port.new"), os.path.join(DIR, "port"))
    server.serve_forever()
