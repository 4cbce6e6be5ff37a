#!/usr/bin/env python3
# Runs a command on a terminal of its own and plays a script against it: python3 playtty.py SCRIPT COMMAND...
# Script words, one a line:  expect TEXT | send TEXT | size ROWS COLS | sleep SECONDS | signal NAME | status N
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

script = open(sys.argv[1]).read().splitlines()
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
seen = b""


def read(seconds):
    global seen
    ready, _, _ = select.select([fd], [], [], seconds)
    if not ready:
        return False
    try:
        more = os.read(fd, 65536)
    except OSError:
        return False
    seen += more
    return bool(more)


def fail(text):
    print("FAILED:", text)
    print("seen:", seen[-2000:])
    os.kill(pid, signal.SIGKILL)
    sys.exit(1)


for line in script:
    word, _, rest = line.partition(" ")
    if word == "expect":
        end = time.time() + 15
        wanted = rest.encode().decode("unicode_escape").encode("latin-1")
        while wanted not in seen:
            if time.time() > end or not read(0.2) and time.time() > end:
                fail("no " + rest)
        seen = seen[seen.index(wanted) + len(wanted):]
    elif word == "send":
        os.write(fd, rest.encode().decode("unicode_escape").encode("latin-1"))
    elif word == "size":
        rows, cols = map(int, rest.split())
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        os.kill(pid, signal.SIGWINCH)
    elif word == "sleep":
        end = time.time() + float(rest)
        while time.time() < end:
            read(0.05)
    elif word == "signal":
        os.kill(pid, getattr(signal, rest))
    elif word == "stopped":
        end = time.time() + 10
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED | os.WNOHANG)
            if status and os.WIFSTOPPED(status):
                break
            read(0.05)
            if time.time() > end:
                fail("not stopped")
    elif word == "mode":  # is the terminal raw or sane?
        flags = termios.tcgetattr(fd)[3]
        raw = not flags & termios.ICANON
        if raw != (rest == "raw"):
            fail("terminal is " + ("raw" if raw else "sane"))
    elif word == "status":
        end = time.time() + 15
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                break
            read(0.1)
            if time.time() > end:
                fail("still running")
        got = os.waitstatus_to_exitcode(status)
        if got != int(rest):
            fail("status %d" % got)
sys.exit(0)
