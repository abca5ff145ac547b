# SPDX-License-Identifier: MIT
# Makes many changes of all sorts in a mount and, at some moments, copies it:
# past_changes.py MOUNT COPIES CHANGES MOMENTS SEED.  COPIES/TIME/tree is what could be read
# right after the change of that time, COPIES/TIME/refs/NAME a session's refs.jsonl.
import json, os, random, re, subprocess, sys

mount, copies = sys.argv[1:3]
changes, moments, seed = map(int, sys.argv[3:6])
dice = random.Random(seed)
os.chdir(mount)
sessions, notes, folders = [], [], ["notes"]
WORDS = "alba barco casa dado eje faro gato hilo isla jugo kilo luna mapa nido ola pan".split()


def word():
    return dice.choice(WORDS) + str(dice.randrange(40))


def text():
    lines = dice.randrange(1, 40 if dice.randrange(20) else 4000)
    return "".join(f"{word()} {word()} ñ {dice.random()}\n" for _ in range(lines))


def put(path, data):
    with open(path, "w") as f:
        f.write(data)


def make_session():
    name = word()
    if name not in sessions:
        os.mkdir("sessions/" + name)
        sessions.append(name)


def say():
    if not sessions:
        return make_session()
    lines = ""
    for _ in range(dice.choice([1, 1, 1, 2, 7])):
        m = {"role": "user", "content": text()[:2000]}
        if dice.randrange(3) == 0:
            m["thread"] = dice.choice(WORDS)
        if dice.randrange(4) == 0:
            m["refs"] = [{"type": "context", "ref": word()}, {"type": "secretary", "ref": 1}]
        lines += json.dumps(m, ensure_ascii=False) + "\n"
    fd = os.open(f"sessions/{dice.choice(sessions)}/log.jsonl", os.O_WRONLY | os.O_APPEND)
    os.write(fd, lines.encode())
    os.close(fd)


def record():
    with open(f"records/{dice.choice(['accountant', 'secretary'])}.jsonl", "a") as f:
        f.write(json.dumps({"content": word()}) + "\n")


def note():
    path = f"{dice.choice(folders)}/{word()}.md" if not notes or dice.randrange(2) else dice.choice(notes)
    put(path, text())
    if path not in notes:
        notes.append(path)


def note_atomically():
    if not notes:
        return note()
    path = dice.choice(notes)
    put(path + ".3830540380", text())
    os.rename(path + ".3830540380", path)


def move_note():
    if not notes:
        return note()
    old = dice.choice(notes)
    new = f"{dice.choice(folders)}/{word()}.md"
    os.rename(old, new)  # onto another one, too: that gets a version, the old name goes
    notes.remove(old)
    if new not in notes:
        notes.append(new)


def folder():
    path = f"{dice.choice(folders)}/{word()}"
    if path not in folders:
        os.mkdir(path)
        folders.append(path)


def move_folder():
    old = dice.choice(folders)
    new = f"{os.path.dirname(old)}/{word()}"
    if old == "notes" or new in folders:
        return folder()
    os.rename(old, new)
    for names in folders, notes:
        names[:] = [new + n[len(old):] if (n + "/").startswith(old + "/") else n for n in names]


def typed():
    place = dice.choice(["blocks/rules", "blocks/persona", "memories/fact", "memories/decision", "components/plx"])
    put(f"{place}/{dice.choice(WORDS)}.md", f"# {word()}\n\n{word()} {word()}\n")


def section():
    put(f"smma/{dice.choice(['user_profile', 'project_context', 'current_task', 'agent_notes'])}.md", f"# {word()}\n")


def session_page():
    if sessions:
        put(f"sessions/{dice.choice(sessions)}/session.md", f"---\ntitle: {word()}\n---\n{word()}\n")


def algorithm():
    code = dice.choice(WORDS[:3])
    if not os.path.isdir("algorithms/" + code):
        os.mkdir("algorithms/" + code)
    put(f"algorithms/{code}/{dice.randrange(1, 4)}.json", json.dumps({"config": {"window": dice.randrange(9)}}))


def refused():
    if sessions and dice.randrange(2):
        fd = os.open(f"sessions/{dice.choice(sessions)}/log.jsonl", os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, f"no {word()}\n".encode())
        except OSError:
            pass
        os.close(fd)
    elif notes:
        os.unlink(dice.choice(notes))


KINDS = [(make_session, 4), (say, 40), (record, 6), (note, 14), (note_atomically, 6), (move_note, 8), (folder, 5),
         (move_folder, 3), (typed, 8), (section, 5), (session_page, 2), (algorithm, 3), (refused, 4)]


def last_line(path):
    with open(path, "rb") as f:
        size = f.seek(0, 2)
        f.seek(max(0, size - (1 << 20)))
        return f.read().decode(errors="replace").rstrip("\n").split("\n")[-1]


def newest():
    """Time of the newest change, entry or refusal, as .cinta/at wants it."""
    us = json.loads(last_line(".cinta/tape.jsonl"))["time_us"]
    when = subprocess.run(["date", "-u", "-d", f"@{us // 1000000}", f"+%Y-%m-%dT%H:%M:%S.{us % 1000000:06d}Z"],
                          capture_output=True, text=True, check=True).stdout.strip()
    return max(when, last_line("errors.log")[:27])


done = {}
at = set(dice.sample(range(changes // 50, changes), moments))
for n in range(changes):
    make = dice.choices([k for k, _ in KINDS], [w for _, w in KINDS])[0]
    try:
        make()
        done[make.__name__] = done.get(make.__name__, 0) + 1
    except OSError as e:
        done[make.__name__ + " " + str(e.strerror)] = done.get(make.__name__ + " " + str(e.strerror), 0) + 1
    if n in at:
        when = newest()
        os.makedirs(f"{copies}/{when}/refs")
        subprocess.run(["cp", "-a", ".", f"{copies}/{when}/tree"], check=True)
        for name in sessions:
            with open(f"sessions/{name}/refs.jsonl", "rb") as f, open(f"{copies}/{when}/refs/{name}", "wb") as g:
                g.write(f.read())
print(done)
assert all(done.get(k.__name__) for k, _ in KINDS if k is not refused), "a sort of change was never made"
