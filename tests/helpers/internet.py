# SPDX-License-Identifier: MIT
"""A small internet for tests of filtered egress: names, web servers, a server that speaks first, and a record of what
arrived. Runs in a network namespace of its own; ADDR_* below are on its interface.

  internet.py FOLDER     serves until killed; FOLDER holds cert.pem, www/; writes dns.log, tcp.log, ready
"""
import http.server
import os
import socket
import socketserver
import ssl
import struct
import sys
import threading

FOLDER = sys.argv[1]
LOCK = threading.Lock()
PUBLIC, OTHER, PRIVATE, METADATA, NAMES = "93.184.216.34", "93.184.216.35", "10.0.0.5", "169.254.169.254", "93.184.216.53"
SIX = "2606:2800:220:1::34"
ZONE = {
    "a.example": [PUBLIC], "b.example": [OTHER], "git.example": [PUBLIC], "ssh.example": [PUBLIC],
    "private.example": [PRIVATE], "metadata.example": [METADATA], "loop.example": ["127.0.0.1"],
    "mixed.example": [PRIVATE, "127.0.0.1", PUBLIC], "own.example": ["93.184.216.1"], "dead.example": ["93.184.216.99"],
    "closed.example": [PUBLIC], "six.example": [SIX], "mapped.example": ["::ffff:10.0.0.5"], "odd.example": [OTHER],
}
REBIND = [0]


def log(name, text):
    with LOCK, open(os.path.join(FOLDER, name), "a") as f:
        f.write(text + "\n")


def names():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind((NAMES, 53))
    while True:
        d, peer = s.recvfrom(2000)
        i, labels = 12, []
        while d[i]:
            labels.append(d[i + 1:i + 1 + d[i]].decode("latin-1"))
            i += d[i] + 1
        name, kind = ".".join(labels).lower(), struct.unpack(">H", d[i + 1:i + 3])[0]
        log("dns.log", "%s %s" % ({1: "A", 28: "AAAA"}.get(kind, kind), name))
        if name == "silent.example":
            continue
        found = ZONE.get(name)
        if name == "rebind.example":  # a public address once, loopback ever after
            if kind == 1:
                REBIND[0] += 1
            found = [PUBLIC] if REBIND[0] <= 1 else ["127.0.0.1"]
        answers = b""
        count = 0
        for a in found or []:
            family = socket.AF_INET6 if ":" in a else socket.AF_INET
            if (kind == 28) == (family == socket.AF_INET6) and kind in (1, 28):
                raw = socket.inet_pton(family, a)
                answers += b"\xc0\x0c" + struct.pack(">HHIH", kind, 1, 0, len(raw)) + raw
                count += 1
        flags = 0x8180 if found is not None else 0x8183
        s.sendto(d[:2] + struct.pack(">HHHHH", flags, 1, count, 0, 0) + d[12:i + 5] + answers, peer)


class Web(http.server.CGIHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    cgi_directories = ["/cgi"]

    def log_message(self, *args):
        pass

    def setup(self):
        log("tcp.log", "%s %s" % self.request.getsockname()[:2])
        super().setup()

    def answer(self, body, extra=()):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        for k, v in extra:
            self.send_header(k, v)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        log("tcp.log", "request %s %s %s" % (self.command, self.path, self.headers.get("Host")))
        if self.path == "/hello":
            self.answer(b"hello from %s\n" % self.headers.get("Host", "?").encode())
        elif self.path == "/headers":
            self.answer(str(self.headers).encode())
        elif self.path == "/keepalive":  # doesn't do what "Connection: close" asks
            self.answer(b"kept\n", [("Connection", "keep-alive"), ("Keep-Alive", "timeout=60")])
            self.close_connection = False
        else:
            super().do_GET()

    def do_PUT(self):
        self.do_upload()

    def do_POST(self):
        if self.path.startswith("/cgi"):
            super().do_POST()
        else:
            self.do_upload()

    def do_upload(self):
        import hashlib
        h = hashlib.sha256()
        if self.headers.get("Transfer-Encoding") == "chunked":
            while True:
                n = left = int(self.rfile.readline(), 16)
                while left:  # the CGI handler's stream is unbuffered: reads come short
                    b = self.rfile.read(left)
                    h.update(b)
                    left -= len(b)
                self.rfile.readline()
                if n == 0:
                    break
        else:
            left = int(self.headers["Content-Length"])
            while left:
                b = self.rfile.read(min(left, 65536))
                h.update(b)
                left -= len(b)
        self.answer(h.hexdigest().encode() + b"\n")


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256
    address_family = socket.AF_INET

    def server_bind(self):
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "test", self.server_address[1]



class Server6(Server):
    address_family = socket.AF_INET6


def web(address, port, tls):
    server = (Server6 if ":" in address else Server)((address, port), Web)
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(FOLDER, "cert.pem"))
        context.sni_callback = lambda sock, name, ctx: log("tcp.log", "sni %s" % name)
        # The handshake belongs to the connection's thread, not to the one that accepts.
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    return server


def raw(address, port, behave):
    s = socket.socket(socket.AF_INET)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, port))
    s.listen(64)

    def one(c):
        with c:
            log("tcp.log", "%s %s" % (address, port))
            try:
                behave(c)
            except OSError:
                pass

    while True:
        c, _ = s.accept()
        threading.Thread(target=one, args=(c,), daemon=True).start()


def speaks_first(c):
    c.sendall(b"SSH-2.0-test\r\n")
    while True:
        b = c.recv(4096)
        if not b:
            break
        c.sendall(b)
    c.sendall(b"bye\n")


def nonsense(c):
    c.recv(4096)
    c.sendall(b"220 this is no HTTP\r\n\r\n")


def switches(c):
    c.recv(4096)
    c.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nfree")


def hangs_up(c):
    c.recv(4096)


os.chdir(os.path.join(FOLDER, "www"))
jobs = [names]
for address in (PUBLIC, OTHER, PRIVATE, METADATA, SIX):
    jobs.append(web(address, 80, False).serve_forever)
for address in (PUBLIC, OTHER, SIX):
    jobs.append(web(address, 443, True).serve_forever)
for port, behave in ((22, speaks_first), (8081, nonsense), (8082, switches), (8083, hangs_up)):
    jobs.append(lambda port=port, behave=behave: raw(OTHER if port != 22 else PUBLIC, port, behave))
threads = [threading.Thread(target=j, daemon=True) for j in jobs]
for t in threads:
    t.start()
open(os.path.join(FOLDER, "ready"), "w").close()
for t in threads:
    t.join()
