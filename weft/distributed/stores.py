"""Stores of keys that several processes or threads share: in memory, in a file, under a prefix. `tcp_store` has the one
over sockets. Keys are texts, values bytes; nothing in a store is ever run as code.
"""
import datetime
import os
import threading
import time

from weft.core.errors import fail
from weft.tensor.tensor import Tensor

__all__ = ["DistError", "DistStoreError", "FileStore", "HashStore", "PrefixStore", "Store"]
TIMEOUT = datetime.timedelta(seconds=300)
LOOK_AGAIN = 0.01      # seconds between two looks into a file


class DistError(RuntimeError):
    """What goes wrong between processes.

    >>> import weft
    >>> issubclass(weft.distributed.DistStoreError, weft.distributed.DistError)
    True
    """


class DistStoreError(DistError):
    """A store that can't be reached, or a key that nobody set in time.

    >>> import weft
    >>> issubclass(weft.distributed.DistStoreError, RuntimeError)
    True
    """


def as_bytes(value):
    """A value as bytes; a text in UTF-8."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, Tensor):
        fail(TypeError, "a store keeps texts and bytes, not tensors", "weft.distributed.broadcast sends tensors")
    fail(TypeError, f"a store keeps texts and bytes, not {type(value).__name__}")


def seconds_of(timeout, otherwise):
    if timeout is None:
        return otherwise
    if not isinstance(timeout, datetime.timedelta):
        fail(TypeError, f"a timeout is a datetime.timedelta, not {type(timeout).__name__}",
             "datetime.timedelta(seconds=30)")
    return timeout.total_seconds()


class Store:
    """What all stores can do; a subclass has `_change(action, key, *values)` and `_has(keys)`.

    >>> import weft
    >>> issubclass(weft.distributed.TCPStore, weft.distributed.Store)
    True
    """

    def __init__(self):
        self._seconds = TIMEOUT.total_seconds()

    def _change(self, action, key, *values):
        """Do one of set, get, add, append, compare_set, delete, count at once; a key that isn't there: None."""
        raise NotImplementedError(f"{type(self).__name__} has no _change")

    def _has(self, keys):
        """Whether all these keys are there."""
        raise NotImplementedError(f"{type(self).__name__} has no _has")

    @property
    def timeout(self):
        """How long `get` and `wait` wait.

        >>> import weft
        >>> weft.distributed.HashStore().timeout
        datetime.timedelta(seconds=300)
        """
        return datetime.timedelta(seconds=self._seconds)

    def set_timeout(self, timeout):
        """Say how long `get` and `wait` wait.

        >>> import datetime, weft
        >>> store = weft.distributed.HashStore()
        >>> store.set_timeout(datetime.timedelta(seconds=2))
        >>> store.timeout.total_seconds()
        2.0
        """
        self._seconds = seconds_of(timeout, self._seconds)

    def set(self, key, value):
        """Keep a text or bytes under a key.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.set("name", "weft")
        >>> store.get("name")
        b'weft'
        """
        self._change("set", str(key), as_bytes(value))

    def get(self, key):
        """The bytes of a key, once somebody has set it.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.set("n", b"1")
        >>> store.get("n")
        b'1'
        """
        self.wait([key])
        found = self._change("get", str(key))
        if found is None:       # somebody took it away in between
            fail(DistStoreError, f"the key {key!r} was deleted")
        return found

    def add(self, key, amount):
        """Add to a number, which begins at 0; the sum.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.add("count", 2), store.add("count", 3)
        (2, 5)
        """
        return int(self._change("add", str(key), str(int(amount)).encode()))

    def append(self, key, value):
        """Add bytes to the end of a key's.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.append("log", "a"), store.append("log", "b"), store.get("log")
        (None, None, b'ab')
        """
        self._change("append", str(key), as_bytes(value))

    def compare_set(self, key, expected_value, desired_value):
        """Set a key if it has the value that is expected, or isn't there and "" is; what it has then.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.compare_set("who", "", "first"), store.compare_set("who", "", "second")
        (b'first', b'first')
        """
        found = self._change("compare_set", str(key), as_bytes(expected_value), as_bytes(desired_value))
        return as_bytes(expected_value) if found is None else found

    def delete_key(self, key):
        """Take a key away; whether it was there.

        >>> import weft
        >>> weft.distributed.HashStore().delete_key("x")
        False
        """
        return self._change("delete", str(key)) is not None

    def num_keys(self):
        """How many keys there are.

        >>> import weft
        >>> weft.distributed.HashStore().num_keys()
        0
        """
        return int(self._change("count", ""))

    def check(self, keys):
        """Whether all these keys are there, now.

        >>> import weft
        >>> weft.distributed.HashStore().check(["x"])
        False
        """
        return self._has([str(key) for key in keys])

    def wait(self, keys, timeout=None):
        """Come back when all these keys are there.

        >>> import datetime, weft
        >>> weft.distributed.HashStore().wait(["x"], datetime.timedelta(milliseconds=1))
        Traceback (most recent call last):
        weft.distributed.stores.DistStoreError: wait timeout after 1ms, keys: x
          ...
        """
        keys, limit = [str(key) for key in keys], seconds_of(timeout, self._seconds)
        until = time.monotonic() + limit
        while not self._has(keys):
            if time.monotonic() >= until:
                fail(DistStoreError, f"wait timeout after {round(limit * 1000)}ms, keys: {', '.join(keys)}",
                     "did the process that sets them start, and call set?")
            self._pause(min(LOOK_AGAIN, max(until - time.monotonic(), 0)))

    def _pause(self, seconds):
        time.sleep(seconds)

    def multi_get(self, keys):
        """The bytes of several keys.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.multi_set(["a", "b"], ["1", "2"])
        >>> store.multi_get(["b", "a"])
        [b'2', b'1']
        """
        return [self.get(key) for key in keys]

    def multi_set(self, keys, values):
        """Set several keys.

        >>> import weft
        >>> store = weft.distributed.HashStore()
        >>> store.multi_set(["a"], ["1"])
        >>> store.get("a")
        b'1'
        """
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self):
        """True: append, multi_get and multi_set are there.

        >>> import weft
        >>> weft.distributed.HashStore().has_extended_api()
        True
        """
        return True


def changed(table, action, key, values):
    """Do one action on a dict; its answer."""
    old = table.get(key)
    if action == "set":
        table[key] = values[0]
    elif action == "add":
        try:
            table[key] = str(int(old or b"0") + int(values[0])).encode()
        except ValueError:
            fail(ValueError, f"add: the key {key!r} has {old[:40]!r}, which is no number")
    elif action == "append":
        table[key] = (old or b"") + values[0]
    elif action == "compare_set":
        if (b"" if old is None else old) == values[0]:
            table[key] = values[1]
        return table.get(key)
    elif action == "delete":
        return table.pop(key, None)
    elif action == "count":
        return str(len(table)).encode()
    return table.get(key)


class HashStore(Store):
    """Keys in this process's memory, for its threads.

    >>> import weft
    >>> store = weft.distributed.HashStore()
    >>> store.set("a", "1")
    >>> store.num_keys()
    1
    """

    def __init__(self):
        super().__init__()
        self._table, self._news = {}, threading.Condition()

    def _change(self, action, key, *values):
        with self._news:
            found = changed(self._table, action, key, values)
            self._news.notify_all()
            return found

    def _has(self, keys):
        with self._news:
            return all([key in self._table for key in keys])

    def _pause(self, seconds):
        with self._news:
            self._news.wait(seconds)


class FileStore(Store):
    """Keys in a file that several processes on one machine, or on one shared disk, read and write.

    >>> import os, tempfile, weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = weft.distributed.FileStore(os.path.join(folder, "keys"), 1)
    ...     store.set("a", "1")
    ...     weft.distributed.FileStore(os.path.join(folder, "keys"), 1).get("a")
    b'1'
    """

    def __init__(self, file_name, world_size=-1):
        super().__init__()
        self.path, self.world_size = os.fspath(file_name), world_size
        with open(self.path, "ab"):
            pass

    def _locked(self, action, key, values):
        import fcntl  # not on every system
        with open(self.path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            table = _read(file.read(), self.path)
            before = dict(table)
            found = changed(table, action, key, values)
            if table != before:
                file.seek(0)
                file.truncate()
                file.write(b"".join([_framed(k.encode()) + _framed(v) for k, v in table.items()]))
                file.flush()
            return found

    def _change(self, action, key, *values):
        return self._locked(action, key, values)

    def _has(self, keys):
        return all([self._locked("get", key, ()) is not None for key in keys])


def _framed(data):
    return len(data).to_bytes(8, "little") + data


def _read(data, path):
    fields, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at:at + 8], "little")
        if at + 8 + size > len(data):
            fail(DistStoreError, f"{path} is not a store's file, or is cut off", "give FileStore a file of its own")
        fields.append(data[at + 8:at + 8 + size])
        at += 8 + size
    if len(fields) % 2:
        fail(DistStoreError, f"{path} is not a store's file, or is cut off", "give FileStore a file of its own")
    return {key.decode(): value for key, value in zip(fields[::2], fields[1::2])}


class PrefixStore(Store):
    """The keys of another store that begin with a prefix.

    >>> import weft
    >>> store = weft.distributed.HashStore()
    >>> weft.distributed.PrefixStore("epoch0", store).set("a", "1")
    >>> store.get("epoch0/a")
    b'1'
    """

    def __init__(self, prefix, store):
        super().__init__()
        self.prefix, self.underlying_store = prefix, store
        self._seconds = store._seconds

    @property
    def host(self):
        """The address of a store over sockets.

        >>> import weft
        >>> store = weft.distributed.TCPStore("127.0.0.1", 0, is_master=True)
        >>> weft.distributed.PrefixStore("a", store).host
        '127.0.0.1'
        """
        return self.underlying_store.host

    @property
    def port(self):
        """The port of a store over sockets.

        >>> import weft
        >>> store = weft.distributed.TCPStore("127.0.0.1", 0, is_master=True)
        >>> weft.distributed.PrefixStore("a", store).port == store.port
        True
        """
        return self.underlying_store.port

    def _change(self, action, key, *values):
        return self.underlying_store._change(action, key if action == "count" else f"{self.prefix}/{key}", *values)

    def _has(self, keys):
        return self.underlying_store._has([f"{self.prefix}/{key}" for key in keys])

    def _pause(self, seconds):
        self.underlying_store._pause(seconds)
