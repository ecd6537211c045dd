"""Who of a job still lives: every process tells a server so twice a second, and hears from it who doesn't.

The server is a program of rank 0's (see `pmi`), one line `key=value ...` is a message. From a process come `cmd=watch
rank=1 pid=.. machine=..`, then `cmd=beat`; `cmd=bye` when it will end, or `cmd=hello` when it goes on after all. To it
come `cmd=beat`, `cmd=lost rank=1` (a connection ended without a goodbye), `cmd=silent rank=1 seconds=6`, and `cmd=end`.
Both sides count their own ticks, not seconds: who was stopped, or waited for a busy machine, takes nobody for dead. If
nobody is heard of, the whole job was stopped, and is waited for.

A process beats from a thread of weft's kernels that needs no lock of Python's, or from a Python thread without them.
This file imports nothing of weft's: the server is started without it.
"""
import contextlib
import os
import selectors
import signal
import socket
import threading
import time

TICK = 0.5          # seconds between two beats
LIMIT = 6.0         # seconds of silence
GRACE = 2.0         # seconds: whoever started both sees the first one's end first
MERCY = 1.5         # seconds from the others' end to that of a silent process
LAST = 8.0          # seconds in which a job that lost somebody ends


def limit():
    """Seconds of silence after which a process is given up; 0: never."""
    text = os.environ.get("WEFT_HEARTBEAT", "")
    try:
        return max(0.0, float(text)) if text else LIMIT
    except ValueError:
        raise ValueError(f"WEFT_HEARTBEAT={text}: not a number of seconds\n  fix: after how many seconds of silence a "
                         "process is given up, 0 for never") from None


def words_of(line):
    return dict(word.split("=", 1) for word in line.split(" ") if "=" in word)


def machine():
    """A name for where process numbers mean the same; "" where the system doesn't tell."""
    with contextlib.suppress(OSError), open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip() + os.readlink("/proc/self/ns/pid")
    return ""


class Member:
    """A process that is watched, from the server's side."""

    def __init__(self, link, words):
        self.link, self.rank = link, int(words["rank"])
        self.unread, self.quiet, self.leaving = b"", 0, False
        self.process = None         # a handle of the process, if it is on this machine
        if words.get("machine") and words["machine"] == machine() and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError, ValueError):
                self.process = os.pidfd_open(int(words["pid"]))

    def tell(self, **words):
        with contextlib.suppress(OSError):      # it may be gone, or read nothing for hours
            self.link.send((" ".join([f"{k}={v}" for k, v in words.items()]) + "\n").encode())

    def kill(self):
        if self.process is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self.process, signal.SIGKILL)

    def close(self):
        self.link.close()
        if self.process is not None:
            os.close(self.process)


class Ward:
    """The server's list of those who beat; one thread looks after all of them."""

    def __init__(self, seconds, tick=TICK):
        self.tick, self.most = tick, max(1, round(seconds / tick)) if seconds else None
        self.members, self.lock = [], threading.Lock()
        self.selector = selectors.DefaultSelector()
        self.came, self.reported, self.over = 0, set(), None
        threading.Thread(target=self.run, daemon=True).start()

    def add(self, link, words):
        member = Member(link, words)
        link.setblocking(False)
        with self.lock:
            self.members.append(member)
            self.came += 1
        self.selector.register(link, selectors.EVENT_READ, member)

    def run(self):
        until = time.monotonic() + self.tick
        while True:
            for key, _ in self.selector.select(max(0.0, until - time.monotonic())):
                self.hear(key.data)
            if time.monotonic() >= until:
                until = time.monotonic() + self.tick
                self.count()

    def hear(self, member):
        try:
            found = member.link.recv(4096)
        except BlockingIOError:
            return
        except OSError:
            found = b""
        if not found:
            self.selector.unregister(member.link)
            with self.lock:
                self.members.remove(member)
            if not member.leaving:
                self.report("lost", member.rank)
            member.close()
            return
        member.quiet, member.unread = 0, member.unread + found
        *lines, member.unread = member.unread.split(b"\n")
        for line in lines:
            command = words_of(line.decode("ascii", "replace")).get("cmd")
            member.leaving = command == "bye" or member.leaving and command != "hello"

    def count(self):
        """A tick has passed: who said nothing?"""
        with self.lock:
            members = list(self.members)
        for member in members:
            member.quiet += 1
            member.tell(cmd="beat")
        heard = any([member.quiet <= 2 for member in members])
        for member in members:
            if heard and self.most is not None and member.quiet > self.most and not member.leaving:
                self.report("silent", member.rank, member)

    def report(self, what, rank, member=None):
        """Tell all of it, once; a silent process of this machine is ended when the others have gone."""
        with self.lock:
            news, members = rank not in self.reported, list(self.members)
            self.reported.add(rank)
            self.over = self.over or time.monotonic() + LAST
        if not news:
            return
        seconds = {"seconds": f"{self.most * self.tick:g}"} if what == "silent" else {}
        for other in members:
            other.tell(cmd=what, rank=rank, **seconds)
        if member is not None:
            killing = threading.Timer(MERCY, member.kill)
            killing.daemon = True
            killing.start()

    def failed(self):
        """Whether a job that lost somebody has had its time to end."""
        return self.over is not None and time.monotonic() > self.over

    def end(self):
        """The server has nothing left to do; what is left of a job that failed is ended."""
        with self.lock:
            for member in self.members:
                member.kill() if self.failed() else member.tell(cmd="end")


class Pulse:
    """This process's side: its connection, once there is one."""

    def __init__(self):
        self.link = self.stop_thread = None

    def begin(self, link, rank, seconds, tell, native=None):
        """Beat from now on. tell: the files that the reason of an end is written to; native: weft's kernels."""
        self.link = link
        self.say(f"cmd=watch rank={rank} pid={os.getpid()} machine={machine()}")
        if native is None or not native.start_pulse(link.fileno(), rank, TICK, seconds or 1e6, GRACE, tuple(tell)):
            native = Beats(link, rank, seconds or 1e6, tell)
        self.stop_thread = native.stop_pulse
        os.register_at_fork(after_in_child=self.forget)

    def say(self, line):
        if self.link is not None:
            with contextlib.suppress(OSError):
                self.link.sendall(line.encode() + b"\n")

    def stop(self):
        """This process ends by itself: nothing that is heard ends it any more."""
        if self.stop_thread is not None:
            self.stop_thread()

    def forget(self):
        """In a forked child: its parent's connection must end with the parent."""
        if self.link is not None:
            self.link.close()
        self.link = self.stop_thread = None


class Beats:
    """What the kernels' thread does, in a Python thread."""

    def __init__(self, link, rank, seconds, tell):
        self.link, self.rank, self.most, self.tell = link, rank, round(seconds / TICK), tell
        self.running = True
        threading.Thread(target=self.run, daemon=True).start()

    def stop_pulse(self):
        self.running = False

    def end(self, reason, grace=0.0):
        time.sleep(grace)
        if self.running:
            for file in self.tell:
                with contextlib.suppress(OSError):
                    os.write(file, f"rank {self.rank}: {reason}; this process ends too\n".encode())
            os._exit(1)

    def run(self):
        unread, quiet, selector = b"", 0, selectors.DefaultSelector()
        selector.register(self.link, selectors.EVENT_READ)
        while self.running:
            with contextlib.suppress(OSError):
                self.link.send(b"cmd=beat\n")
            until = time.monotonic() + TICK
            while (left := until - time.monotonic()) > 0 and self.running:
                if selector.select(left):
                    quiet, found = 0, self.receive()
                    if not found:
                        return self.end("the server of rank 0, where the processes meet, has gone", GRACE)
                    *lines, unread = (unread + found).split(b"\n")
                    for line in lines:
                        self.hear(words_of(line.decode()))
            quiet += 1
            if quiet > self.most:
                self.end("nothing is heard of the server of rank 0, where the processes meet: its machine or network "
                         "is gone")

    def receive(self):
        try:
            return self.link.recv(4096)
        except OSError:
            return b""

    def hear(self, words):
        if words.get("cmd") == "end":
            self.running = False
        if words.get("cmd") == "lost":
            self.end(f"rank {words['rank']} has ended without saying goodbye", GRACE)
        if words.get("cmd") == "silent":
            self.end(f"rank {words['rank']} has been silent for {words['seconds']} s: stopped, or its machine or "
                     "network is gone")


def connect(host, port, seconds=30):
    link = socket.create_connection((host, port), timeout=seconds)
    link.settimeout(None)
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return link


pulse = Pulse()
