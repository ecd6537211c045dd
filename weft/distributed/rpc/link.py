"""A connection to another worker: messages of a head and any number of parts, in the order in which they were sent.

On the wire: how many fields, the size of each, the fields; the first is the head, pickled.
"""
import pickle
import queue
import socket
import struct
import threading


class Link:
    """One socket with a thread that writes and one that reads. `heard(head, parts)` is called for each message in the
    reader's thread, `gone()` when the other side ends.
    """

    def __init__(self, connection, heard, gone, name):
        self.connection, self.heard, self.gone = connection, heard, gone
        self.outbox = queue.SimpleQueue()       # what a destructor may put into, in the midst of anything
        self.threads = [threading.Thread(target=work, name=f"weft rpc {name}", daemon=True)
                        for work in (self.write, self.read)]

    def begin(self):
        for thread in self.threads:
            thread.start()

    def send(self, head, parts=()):
        self.outbox.put((head, parts))

    def close(self):
        """Say nothing more, once all is said."""
        self.outbox.put(None)

    def wait(self, seconds):
        """Until both sides have said all."""
        for thread in self.threads:
            thread.join(seconds)
        self.connection.close()

    def write(self):
        try:
            while (message := self.outbox.get()) is not None:
                fields = [pickle.dumps(message[0], 5), *message[1]]
                sizes = struct.pack(f"<I{len(fields)}Q", len(fields), *[len(field) for field in fields])
                self.connection.sendall(sizes + fields[0])
                for field in fields[1:]:
                    self.connection.sendall(field)
            self.connection.shutdown(socket.SHUT_WR)
        except OSError:
            pass        # the reader sees the end too

    def read(self):
        try:
            while (count := self.receive(4)) is not None:
                number, = struct.unpack("<I", count)
                sizes = struct.unpack(f"<{number}Q", self.receive(8 * number))
                fields = [self.receive(size) for size in sizes]
                self.heard(pickle.loads(fields[0]), fields[1:])
        except (OSError, TypeError, struct.error):      # it broke off in the midst of a message
            pass
        finally:
            self.gone()

    def receive(self, size):
        """So many bytes, which may be written to; None at the end."""
        data = bytearray(size)
        view, got = memoryview(data), 0
        while got < size:
            more = self.connection.recv_into(view[got:])
            if not more:
                return None
            got += more
        return data


class Mirror:
    """The link of a worker to itself."""

    def __init__(self, heard):
        self.send = heard
        self.begin = self.close = lambda: None

    def wait(self, seconds):
        pass
