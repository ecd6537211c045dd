"""Stores of keys: in memory, in a file, over sockets, under a prefix; from threads and from hostile clients."""
import contextlib
import datetime
import socket
import threading

import pytest

import weft
import weft.distributed as dist

SOON = datetime.timedelta(milliseconds=50)


def make(kind, tmp_path):
    if kind == "tcp":
        return dist.TCPStore("127.0.0.1", 0, 1, True)
    if kind == "file":
        return dist.FileStore(str(tmp_path / "keys"), 1)
    return dist.PrefixStore("p", dist.HashStore()) if kind == "prefix" else dist.HashStore()


@pytest.fixture(params=["hash", "file", "tcp", "prefix"])
def store(request, tmp_path):
    return make(request.param, tmp_path)


def test_what_every_store_does(store):
    store.set("text", "täxt")
    store.set("bytes", b"\x00\xff")
    assert store.get("text") == "täxt".encode() and store.get("bytes") == b"\x00\xff"
    assert [store.add("n", 2), store.add("n", -5), store.get("n")] == [2, -3, b"-3"]
    store.append("log", "a"), store.append("log", "bc")
    assert store.get("log") == b"abc"
    assert store.compare_set("who", "", "one") == b"one" and store.compare_set("who", "one", "two") == b"two"
    assert store.compare_set("who", "one", "three") == b"two" and store.compare_set("gone", "x", "y") == b"x"
    assert store.check(["text", "n"]) and not store.check(["text", "nothing"])
    assert store.delete_key("text") and not store.delete_key("text") and not store.check(["text"])
    store.multi_set(["a", "b"], ["1", b""])
    assert store.multi_get(["b", "a"]) == [b"", b"1"]
    assert isinstance(store, dist.Store)


def test_who_waits_is_told_and_who_waits_in_vain_too(store):
    threading.Timer(0.05, store.set, ("late", "1")).start()
    store.wait(["late"], datetime.timedelta(seconds=20))
    with pytest.raises(dist.DistStoreError, match="wait timeout after 50ms, keys: never"):
        store.wait(["never"], SOON)
    store.set_timeout(SOON)
    assert store.timeout == SOON
    with pytest.raises(dist.DistStoreError, match="never"):
        store.get("never")
    with pytest.raises(TypeError, match="timedelta"):
        store.wait(["late"], 3)
    with pytest.raises(TypeError, match="texts and bytes"):
        store.set("x", 3)
    store.set("word", "abc")
    with pytest.raises(ValueError, match="no number"):
        store.add("word", 1)


@pytest.mark.parametrize("kind", ["hash", "file", "tcp"])
def test_counts_of_many_threads_add_up(kind, tmp_path):
    first = make(kind, tmp_path)

    def count():
        own = first if kind == "hash" else dist.FileStore(str(tmp_path / "keys")) if kind == "file" else \
            dist.TCPStore("127.0.0.1", first.port, None, False)
        for _ in range(20):
            own.add("n", 1)
    threads = [threading.Thread(target=count) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert first.add("n", 0) == 120


def test_a_tcp_store_listens_only_where_it_is_told_and_survives_nonsense():
    store = dist.TCPStore("127.0.0.1", 0, 1, True)
    assert store._server.listening.getsockname()[0] == "127.0.0.1"
    for said in (b"GET / HTTP/1.1\r\n\r\n" * 9, b"\xff" * 64, b"\x01\0\0\0" + b"\xff" * 8,
                 b"\x02\0\0\0\x03\0\0\0\0\0\0\0run"):
        with socket.create_connection(("127.0.0.1", store.port)) as link, contextlib.suppress(OSError):
            link.sendall(said)      # it may hang up on us at any time
            link.shutdown(socket.SHUT_WR)
            while link.recv(100):
                pass
    store.set("alive", "yes")
    assert store.get("alive") == b"yes"
    with pytest.raises(dist.DistStoreError, match="can't be listened at"):
        dist.TCPStore("127.0.0.1", store.port, 1, True)
    with pytest.raises(dist.DistStoreError, match="nobody answers"):
        dist.TCPStore("127.0.0.1", 1, None, False, SOON)
    with pytest.raises(dist.DistStoreError, match="1 of 2 processes"):
        dist.TCPStore("127.0.0.1", 0, 2, True, SOON)


def test_a_file_that_is_no_store_is_refused(tmp_path):
    (tmp_path / "notes").write_bytes(b"some notes of mine, not keys")
    with pytest.raises(dist.DistStoreError, match="not a store's file"):
        dist.FileStore(str(tmp_path / "notes")).get("x")
    assert (tmp_path / "notes").read_bytes() == b"some notes of mine, not keys"


def test_the_names_are_pytorchs():
    from weft.distributed import distributed_c10d
    for name in "FileStore HashStore PrefixStore Store TCPStore".split():
        assert getattr(distributed_c10d, name) is getattr(weft.distributed, name)
