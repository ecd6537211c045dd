"""torch.distributed.rendezvous: from an address to a store in which processes meet."""
import os
from urllib.parse import parse_qs, urlparse

from weft.distributed.stores import FileStore
from weft.distributed.tcp_store import TCPStore

_handlers = {}


def register_rendezvous_handler(scheme, handler):
    """Say what answers addresses that begin so."""
    if scheme in _handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    _handlers[scheme] = handler


def rendezvous(url, rank=-1, world_size=-1, **kwargs):
    """(store, rank, world size) of an address: env://, tcp://host:port or file:///path, with ?rank=0&world_size=2."""
    found = urlparse(url)
    asked = {key: values[0] for key, values in parse_qs(found.query).items()}
    if found.scheme in _handlers:
        yield from _handlers[found.scheme](url, **kwargs)
        return
    names = {"rank": "RANK", "world_size": "WORLD_SIZE"} if found.scheme == "env" else {}
    own = [given if given != -1 else asked.get(name, os.environ.get(names.get(name, ""), None))
           for name, given in (("rank", rank), ("world_size", world_size))]
    if None in own:
        raise ValueError(f"Error initializing torch.distributed using {found.scheme}:// rendezvous: rank or world size "
                         f"parameter missing\n  fix: {url}?rank=0&world_size=2")
    rank, size = int(own[0]), int(own[1])
    yield _store(found, rank, size), rank, size


def _store(found, rank, size):
    if found.scheme == "file":
        return FileStore(found.path, size)
    if found.scheme == "tcp":
        return TCPStore(found.hostname, found.port, size, rank == 0)
    if found.scheme == "env":
        return TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), size, rank == 0)
    raise RuntimeError(f"No rendezvous handler for {found.scheme}://\n  fix: env://, tcp://host:port or file:///path")
