# Helpers of the server's tests: a project to play in, the server as a child process, a small stand-in for the runner,
# TAP. Standard library only. TOP_SRCDIR and TOP_BUILDDIR come from "make check".
import atexit, fcntl, hashlib, json, os, re, select, shutil, signal, subprocess, sys, tempfile, threading, time

SRC = os.environ.get("TOP_SRCDIR", ".")
BUILD = os.environ.get("TOP_BUILDDIR", ".")
SERVER = os.path.join(BUILD, "mcp", "agentteams-runner-mcp")
SANITIZED = os.environ.get("TEST_SANITIZED") == "yes"
ALL = "write_file,delete_file,run_command,request_status,read_file_hashed"
NONCE = "0123456789abcdef" * 2
# Generous, since build machines are slow; nothing here measures speed.
PATIENCE = 30.0

n = bad = 0


def result(good, text, *notes):
    global n, bad
    n += 1
    print(("ok" if good else "not ok"), n, "-", text)
    if not good:
        bad += 1
        for note in notes:
            for line in str(note)[:2000].splitlines():
                print("#", line)
    sys.stdout.flush()
    return good


def equal(got, wanted, text):
    return result(got == wanted, text, f"got:    {got!r}", f"wanted: {wanted!r}")


def must_run(layer):
    layers = os.environ.get("AGENTTEAMS_MUST_RUN", "").split(",")
    return "all" in layers or layer in layers


def skip_all(layer, reason):
    if must_run(layer):
        print("1..1\nnot ok 1 - must run here, but:", reason)
        sys.exit(1)
    print("1..0 # SKIP", reason)
    sys.exit(0)


def done():
    print(f"1..{n}")
    sys.exit(1 if bad else 0)


def sha(data):
    return hashlib.sha256(data).hexdigest()


class Project:
    def __init__(self):
        self.top = os.path.realpath(tempfile.mkdtemp(prefix="agentteams-test."))
        atexit.register(self.remove)
        self.home = os.path.join(self.top, "home")
        self.root = os.path.join(self.top, "proj")
        os.mkdir(self.home, 0o700)
        os.mkdir(self.root, 0o755)
        self.write("src/a.py", b"print('hello')\n")
        self.write("hello.txt", b"hello world\n")
        self.write(".env", b"SECRET=hunter2\n")
        self.write(".git/config", b"[core]\nsecret=hunter2\n")
        self.write("app.env", b"SECRET=hunter2\n")
        self.write("state.tfstate.backup", b"hunter2\n")
        with open(os.path.join(self.top, "outside"), "w") as f:
            f.write("hunter2\n")
        for d in (".agentteams-queue/mcp-requests", ".agentteams-queue/requests", ".agentteams-queue/acks"):
            os.makedirs(os.path.join(self.root, d))
        for d in (".agentteams/queue-results", ".agentteams/queue-claimed"):
            os.makedirs(os.path.join(self.root, d), 0o700)
        self.write(".agentteams/secret.txt", b"hunter2\n")

    def path(self, rel):
        return os.path.join(self.root, rel)

    def write(self, rel, data):
        p = self.path(rel)
        os.makedirs(os.path.dirname(p), exist_ok=True)
        with open(p, "wb") as f:
            f.write(data)

    def remove(self):
        subprocess.run(["chmod", "-R", "u+rwX", self.top], stderr=subprocess.DEVNULL)
        shutil.rmtree(self.top, ignore_errors=True)

    def queued(self):
        return [n for n in self.requests() if n.endswith(".json")]

    def requests(self):
        return sorted(os.listdir(self.path(".agentteams-queue/mcp-requests")))


class Server:
    """The server as a harness starts it: pipes, a working folder, an environment."""

    def __init__(self, project, tools=ALL, args=(), program=SERVER, env=None, cwd=None, root=True, agent="producer", pre=None, **popen):
        self.argv = [program, "--agent", agent, "--tools", tools]
        if root:
            self.argv += ["--root", project.root]
        self.argv += list(args)
        if pre:
            self.argv = list(pre) + self.argv
        environment = {"HOME": project.home, "PATH": "/usr/bin:/bin"}
        for k in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
            if k in os.environ:
                environment[k] = os.environ[k]
        environment.update(env or {})
        self.err = tempfile.TemporaryFile()
        kw = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, env=environment, cwd=cwd or project.root)
        kw.update(popen)
        self.p = subprocess.Popen(self.argv, **kw)
        self.pending = b""
        self.lines = []
        atexit.register(self.kill)

    def kill(self):
        if self.p.poll() is None:
            self.p.kill()
            self.p.wait()

    def send_bytes(self, data):
        self.p.stdin.write(data)
        self.p.stdin.flush()

    def send(self, *messages):
        for m in messages:
            self.send_bytes((m if isinstance(m, str) else json.dumps(m)).encode() + b"\n")

    def send_late(self, message):
        """To a server that may have noticed its end already: then nobody reads it."""
        try:
            os.write(self.p.stdin.fileno(), json.dumps(message).encode() + b"\n")
        except BrokenPipeError:
            pass

    def recv(self, timeout=PATIENCE):
        """Next message as an object; None when there is none in time or the output ended."""
        end = time.monotonic() + timeout
        fd = self.p.stdout.fileno()
        while b"\n" not in self.pending:
            if not select.select([fd], [], [], max(0, end - time.monotonic()))[0]:
                return None
            data = os.read(fd, 1 << 20)
            if not data:
                return None
            self.pending += data
        line, self.pending = self.pending.split(b"\n", 1)
        self.lines.append(line)
        return json.loads(line)

    def ask(self, method, params=None, id=None, timeout=PATIENCE):
        self.n = getattr(self, "n", 1000) + 1
        id = self.n if id is None else id
        m = {"jsonrpc": "2.0", "id": id, "method": method}
        if params is not None:
            m["params"] = params
        self.send(m)
        while True:
            r = self.recv(timeout)
            if r is None or r.get("id") == id:
                return r

    def initialize(self, version="2025-06-18"):
        r = self.ask("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return r

    def call(self, tool, arguments, timeout=PATIENCE, meta=None, id=None):
        params = {"name": tool, "arguments": arguments}
        if meta:
            params["_meta"] = meta
        return self.ask("tools/call", params, timeout=timeout, id=id)

    def end(self, timeout=PATIENCE):
        """Closes input, reads the rest, waits; returns (status, remaining messages)."""
        try:
            self.p.stdin.close()
        except BrokenPipeError:
            pass
        rest = []
        while True:
            r = self.recv(timeout)
            if r is None:
                break
            rest.append(r)
        return self.p.wait(timeout), rest

    def stderr(self):
        self.err.seek(0)
        return self.err.read().decode("utf-8", "replace")


def text_of(reply):
    return reply["result"]["content"][0]["text"]


def is_refusal(reply):
    return bool(reply and "result" in reply and reply["result"].get("isError") is True)


def write_args(path="src/new.py", content="x\n", base="absent", **more):
    return dict({"dispatch": NONCE, "path": path, "content": content, "base_sha256": base, "rationale": "a test"}, **more)


class FakeRunner:
    """Holds the runner's lock, beats, claims requests and answers them with what answer(request) returns (None: not
    yet). What a test needs of a runner and no more."""

    def __init__(self, project, answer=None, serve=True, beat=0):
        self.project = project
        self.answer = answer or (lambda id, request: {"ok": True, "kind": request["kind"], "queue_wait_ms": 1, "serve_ms": 1, "result": {"staged": True, "sid": "s1", "path": request["artifact"].get("path")}})
        self.seen = []
        self.lock = open(project.path(".agentteams/runner.lock"), "a")
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        with open(project.path(".agentteams/runner.heartbeat"), "w") as f:
            f.write("%.3f" % (time.time() - beat))
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        if serve:
            self.thread.start()
        atexit.register(self.stop)

    def run(self):
        while not self.stopped.is_set():
            for name in self.project.requests():
                if re.fullmatch(r"[0-9a-f]{32}\.json", name):
                    self.serve(name)
            time.sleep(0.002)

    def claim(self, name):
        claimed = self.project.path(".agentteams/queue-claimed/" + name)
        try:
            os.rename(self.project.path(".agentteams-queue/mcp-requests/" + name), claimed)
        except FileNotFoundError:
            return None
        return claimed

    def serve(self, name):
        claimed = self.claim(name)
        if not claimed:
            return
        with open(claimed) as f:
            request = json.load(f)
        self.seen.append((name[:32], request))
        answer = self.answer(name[:32], request)
        if answer is None:
            return
        os.unlink(claimed)
        self.put(name[:32], answer)

    def put(self, id, answer):
        data = answer if isinstance(answer, bytes) else json.dumps(dict({"id": id}, **answer)).encode()
        temp = self.project.path(f".agentteams/queue-results/.{id}.tmp")
        with open(temp, "wb") as f:
            f.write(data)
        os.rename(temp, self.project.path(f".agentteams/queue-results/{id}.json"))

    def stop(self):
        self.stopped.set()
        if self.thread.is_alive():
            self.thread.join()
        if self.lock:
            self.lock.close()
            self.lock = None
