"""TCPStore: keys in one process's memory, which others read and write over sockets.

A message is a number of fields, each with its length before it: action, key, values. The answer is one byte (0 nothing
there, 1 a value, 2 an error) and a field. A server listens on the address that it is given, and on no other.
"""
import socket
import struct
import threading
import time

from weft.core.errors import fail
from weft.distributed.stores import TIMEOUT, DistStoreError, HashStore, Store, seconds_of

__all__ = ["TCPStore"]
ACTIONS = frozenset("set get add append compare_set delete count has".split())
LARGEST, MANY = 1 << 30, 1 << 16       # of a field, in bytes; of fields
NOTHING, VALUE, ERROR = 0, 1, 2


def receive(link, size):
    """So many bytes; None where the other side has gone."""
    parts = []
    while size:
        part = link.recv(min(size, 1 << 20))
        if not part:
            return None
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send_fields(link, fields):
    link.sendall(struct.pack("<I", len(fields)) + b"".join([struct.pack("<Q", len(f)) + f for f in fields]))


def receive_fields(link):
    """The fields of a message; None where the other side has gone, or talks in another way."""
    head = receive(link, 4)
    if head is None:
        return None
    fields = []
    count, = struct.unpack("<I", head)
    for _ in range(count if count <= MANY else 0):
        head = receive(link, 8)
        size = LARGEST + 1 if head is None else struct.unpack("<Q", head)[0]
        field = receive(link, size) if size <= LARGEST else None
        if field is None:
            return None
        fields.append(field)
    return fields or None


class Server:
    """Answers for a store in this process's memory; a thread for each who asks."""

    def __init__(self, host, port):
        self.store = HashStore()
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        self.listening = socket.create_server((host, port), family=family, backlog=512)
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self.accept, name="weft TCPStore", daemon=True).start()

    def accept(self):
        while True:
            try:
                link, _ = self.listening.accept()
            except OSError:     # closed
                return
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(link,), name="weft TCPStore", daemon=True).start()

    def close(self):
        """Leave the address to others; who is connected is still answered."""
        self.listening.shutdown(socket.SHUT_RDWR)       # the thread that accepts wakes up
        self.listening.close()

    def serve(self, link):
        with link:
            try:
                while (fields := receive_fields(link)) is not None:
                    kind, answer = self.answer(fields)
                    send_fields(link, [bytes([kind]), answer])
            except OSError:     # whoever asked has gone
                return

    def answer(self, fields):
        action, *rest = [fields[0].decode("ascii", "replace"), *fields[1:]]
        try:
            if action not in ACTIONS or not rest:
                raise ValueError("this is no question to a TCPStore")
            if action == "has":
                return VALUE, b"1" if self.store._has([key.decode() for key in rest]) else b"0"
            found = self.store._change(action, rest[0].decode(), *rest[1:])
            return (NOTHING, b"") if found is None else (VALUE, found)
        except (ValueError, IndexError) as error:
            return ERROR, str(error).encode()


class TCPStore(Store):
    """Keys that processes share over sockets: the one with is_master=True keeps them and listens at `host_name`, port
    `port` (0: any that is free; `store.port` says which); the others connect to it.

    >>> import weft
    >>> server = weft.distributed.TCPStore("127.0.0.1", 0, 1, True)
    >>> client = weft.distributed.TCPStore("127.0.0.1", server.port, 1, False)
    >>> client.set("a", "1")
    >>> server.get("a")
    b'1'
    """

    def __init__(self, host_name, port=29500, world_size=None, is_master=False, timeout=TIMEOUT, wait_for_workers=True,
                 multi_tenant=False, master_listen_fd=None, use_libuv=True):
        super().__init__()
        if master_listen_fd is not None:
            fail(NotImplementedError, "TCPStore(master_listen_fd=...)", "leave it out, port=0 takes a free one")
        self._seconds = seconds_of(timeout, self._seconds)
        self.host, self.world_size, self.is_master = host_name, world_size, is_master
        self._server = self._serve(host_name, port) if is_master else None
        self.port = self._server.port if is_master else port
        self._turn = threading.Lock()
        self._link = self._connect()
        if world_size is not None and wait_for_workers:
            self._meet(world_size)

    def _serve(self, host, port):
        try:
            return Server(host, port)
        except OSError as error:
            raise DistStoreError(f"TCPStore: {host}:{port} can't be listened at ({error})\n  fix: another port, or 0 "
                                 "for any that is free") from error

    def _connect(self):
        until = time.monotonic() + self._seconds
        while True:
            try:
                link = socket.create_connection((self.host, self.port), timeout=max(until - time.monotonic(), 0.001))
            except OSError as error:
                if time.monotonic() >= until:
                    raise DistStoreError(f"TCPStore: nobody answers at {self.host}:{self.port} in {self._seconds} s "
                                         f"({error})\n  fix: one process makes it with is_master=True") from error
                time.sleep(0.05)
                continue
            link.settimeout(None)
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return link

    def _meet(self, world_size):
        """The master waits until all have come."""
        self.add("weft/came", 1)
        until = time.monotonic() + self._seconds
        while self.is_master and self.add("weft/came", 0) < world_size:
            if time.monotonic() >= until:
                fail(DistStoreError, f"TCPStore: {self.add('weft/came', 0)} of {world_size} processes came within "
                     f"{self._seconds} seconds", "start them all, or give wait_for_workers=False")
            time.sleep(0.01)

    def _ask(self, *fields):
        with self._turn:
            try:
                send_fields(self._link, fields)
                answer = receive_fields(self._link)
            except OSError:
                answer = None
        if answer is None or len(answer) != 2:
            fail(DistStoreError, f"TCPStore: the store at {self.host}:{self.port} has gone",
                 "the process with is_master=True must outlive the others")
        kind = answer[0][0]
        if kind == ERROR:
            fail(ValueError, answer[1].decode())
        return answer[1] if kind == VALUE else None

    def _change(self, action, key, *values):
        return self._ask(action.encode(), key.encode(), *values)

    def _has(self, keys):
        return self._ask(b"has", *[key.encode() for key in keys]) == b"1"
