"""Collectives of Python objects. They are pickled, and only the processes of one job, which run one program, read them.
"""
import pickle

import numpy as np

from weft.distributed.buffers import as_bytes, parts
from weft.distributed.collectives import member, root_of
from weft.distributed.work import Call, finish

__all__ = ["all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list"]


def exchange(call, own):
    """Every rank's bytes, on every rank."""
    group = call.group
    call.announce()
    call.compare()
    n, sizes = group.size(), np.empty(group.size(), np.int64)
    finish(group.main.Iallgatherv(as_bytes(np.array([own.size], np.int64)), parts(sizes, [1] * n)), call)
    everything = np.empty(sizes.sum(), np.uint8)
    finish(group.main.Iallgatherv(as_bytes(own), parts(everything, sizes.tolist())), call)
    return np.split(everything, np.cumsum(sizes)[:-1])


def packed(thing):
    return np.frombuffer(pickle.dumps(thing), np.uint8).copy()


def unpacked(data):
    return pickle.loads(data.tobytes())


def from_root(call, root, own):
    """The root's bytes, on every rank."""
    group = call.group
    call.announce()
    call.compare()
    size = np.array([0 if own is None else own.size], np.int64)
    finish(group.main.Ibcast(as_bytes(size), root), call)
    data = np.empty(size[0], np.uint8) if own is None else own
    finish(group.main.Ibcast(as_bytes(data), root), call)
    return data


def all_gather_object(object_list, obj, group=None):
    """Every rank's object comes to every rank, into the list; pickled, between the processes of one job.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [None]
    >>> weft.distributed.all_gather_object(parts, {"loss": 0.5})
    >>> parts
    [{'loss': 0.5}]
    >>> weft.distributed.destroy_process_group()
    """
    found = member(group, "all_gather_object")
    if found is None:
        return
    if len(object_list) < found.size():
        raise ValueError(f"all_gather_object: object_list has {len(object_list)} places for {found.size()} processes")
    for i, data in enumerate(exchange(Call(found, "all_gather_object"), packed(obj))):
        object_list[i] = unpacked(data)


def gather_object(obj, object_gather_list=None, dst=None, group=None, group_dst=None):
    """Every rank's object comes to rank `dst`, into its list; pickled, between the processes of one job.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [None]
    >>> weft.distributed.gather_object("here", parts)
    >>> parts
    ['here']
    >>> weft.distributed.destroy_process_group()
    """
    found = member(group, "gather_object")
    if found is None:
        return
    root = root_of(found, dst, group_dst, "gather_object", "dst")
    if (found.rank() == root) != bool(object_gather_list):
        raise ValueError("Argument ``gather_list`` must be specified on destination rank." if found.rank() == root else
                         "Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    everything = exchange(Call(found, "gather_object", f"dst={found.ranks[root]}"), packed(obj))
    if found.rank() == root:
        object_gather_list[:found.size()] = [unpacked(data) for data in everything]


def broadcast_object_list(object_list, src=None, group=None, device=None, group_src=None):
    """The list's objects become those of rank `src`; pickled, between the processes of one job.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> objects = ["settings", 3]
    >>> weft.distributed.broadcast_object_list(objects, src=0)
    >>> objects
    ['settings', 3]
    >>> weft.distributed.destroy_process_group()
    """
    found = member(group, "broadcast_object_list")
    if found is None:
        return
    root = root_of(found, src, group_src, "broadcast_object_list", "src")
    own = packed(list(object_list)) if found.rank() == root else None
    call = Call(found, "broadcast_object_list", f"{len(object_list)} objects src={found.ranks[root]}")
    data = from_root(call, root, own)
    if own is None:
        object_list[:] = unpacked(data)


def scatter_object_list(scatter_object_output_list, scatter_object_input_list=None, src=None, group=None,
                        group_src=None):
    """Every rank gets its object of rank `src`'s list, as the first of its own; pickled, between processes of one job.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> own = [None]
    >>> weft.distributed.scatter_object_list(own, ["task"])
    >>> own
    ['task']
    >>> weft.distributed.destroy_process_group()
    """
    found = member(group, "scatter_object_list")
    if found is None:
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    root = root_of(found, src, group_src, "scatter_object_list", "src")
    own = None
    if found.rank() == root:
        if scatter_object_input_list is None or len(scatter_object_input_list) != found.size():
            raise ValueError("source rank must provide non-None scatter_object_input_list, an object for each of the "
                             f"{found.size()} processes")
        own = packed([pickle.dumps(thing) for thing in scatter_object_input_list])
    call = Call(found, "scatter_object_list", f"src={found.ranks[root]}")
    scatter_object_output_list[0] = pickle.loads(unpacked(from_root(call, root, own))[found.rank()])
