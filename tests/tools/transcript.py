#!/usr/bin/env python3
# Plays tests/transcripts/*.txt against the server. Lines of a transcript:
#   # text          comment; the first one is the test's name
#   args: A B       further arguments of the server, before the first message
#   > LINE          send LINE and a line feed
#   >x HEX          send these bytes as they are
#   < JSON          the next line of output has to match: every member named here is there and matches ("*" matches
#                   anything, {"~": RE} a text, lists match whole); {"-": ["a"]} inside an object: members that must not be there
#   <none           nothing more is answered to what was sent so far (shown by a ping that overtakes nothing)
#   eof STATUS      close input; the server ends with STATUS and says nothing more
import json, os, re, sys

sys.path.insert(0, os.path.join(os.environ.get("TOP_SRCDIR", "."), "tests", "tools"))
from mcp import *


def matches(got, wanted):
    if wanted == "*":
        return True
    if isinstance(wanted, dict) and list(wanted) == ["~"]:
        return isinstance(got, str) and re.search(wanted["~"], got) is not None
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return False
        return all(not any(x in got for x in v) if k == "-" else k in got and matches(got[k], v) for k, v in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(matches(g, w) for g, w in zip(got, wanted))
    return type(got) is type(wanted) and got == wanted


def play(path):
    name = os.path.basename(path)
    project = Project()
    args, server, pings, title = [], None, 0, None
    steps = 0
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("#"):
            title = title or line[1:].strip()
            continue
        if not line.strip():
            continue
        if line.startswith("args:"):
            args += line[5:].split()
            continue
        if server is None:
            server = Server(project, args=args)
        where = f"{name}:{number}"
        if line.startswith("> "):
            server.send(line[2:])
        elif line.startswith(">x "):
            server.send_bytes(bytes.fromhex(line[3:]))
        elif line.startswith("<none"):
            # dict order and one process: the ping's answer comes after any other
            pings += 1
            server.send({"jsonrpc": "2.0", "id": f"barrier-{pings}", "method": "ping"})
            got = server.recv()
            if got is None or got.get("id") != f"barrier-{pings}":
                return result(False, f"{name}: {title}", f"{where}: unexpected {got}")
        elif line.startswith("< "):
            steps += 1
            got = server.recv()
            if got is None or not matches(got, json.loads(line[2:])):
                return result(False, f"{name}: {title}", f"{where}: got {json.dumps(got)}", f"wanted {line[2:]}", server.stderr())
        elif line.startswith("eof"):
            status, rest = server.end()
            if status != int(line[3:]) or rest:
                return result(False, f"{name}: {title}", f"{where}: status {status}, rest {rest}", server.stderr())
            server = None
        else:
            return result(False, f"{name}: {title}", f"{where}: can't read this line")
    if server is not None:
        return result(False, f"{name}: {title}", "the transcript has no eof")
    return result(steps > 0, f"{name}: {title} ({steps} replies)")


folder = os.path.join(SRC, "tests", "transcripts")
for name in sorted(os.listdir(folder)):
    if name.endswith(".txt"):
        play(os.path.join(folder, name))
done()
