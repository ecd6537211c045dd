"""Messages from one process to another. Each carries a note of what it is, so that a receiver with another tensor gets
an error that names both sides.
"""
import pickle

import numpy as np

from weft.core.errors import where
from weft.distributed import world
from weft.distributed.buffers import Received, as_bytes, need_tensor, sent
from weft.distributed.collectives import member, root_of
from weft.distributed.groups import group_or_world
from weft.distributed.work import Call, Work, finish

__all__ = ["send", "recv", "isend", "irecv", "P2POp", "batch_isend_irecv", "send_object_list", "recv_object_list"]
NOTE = 512      # bytes of a message's note


def note_of(tensor, call):
    """What is sent, from where: NOTE bytes."""
    text = pickle.dumps((tensor.dtype.name, tensor.numel(), list(tensor.shape)[:8], (where(call.place) or "")[:200]))
    return np.frombuffer(text.ljust(NOTE), np.uint8).copy()


def other_of(group, rank, group_rank, who, name):
    if group_rank is None and rank is None:
        raise ValueError(f"{who}: {name} or group_{name} must be given")
    other = root_of(group, rank, group_rank, who, name)
    if other == group.rank():
        raise ValueError(f"{who}: Invalid {name} rank: {name} rank should not be the same as the rank of the current "
                         "process.")
    return other


def isend(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Begin to send a tensor to rank `dst`; leave it unchanged until the Work is done.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.isend(weft.ones(1), 0)
    Traceback (most recent call last):
    ValueError: isend: Invalid dst rank: dst rank should not be the same as the rank of the current process.
    >>> weft.distributed.destroy_process_group()
    """
    return _send(tensor, dst, group, tag, group_dst, "isend")


def send(tensor, dst=None, group=None, tag=0, group_dst=None):
    """Send a tensor to rank `dst`, which receives it with `recv`.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.send(weft.ones(1), 0)
    Traceback (most recent call last):
    ValueError: send: Invalid dst rank: dst rank should not be the same as the rank of the current process.
    >>> weft.distributed.destroy_process_group()
    """
    work = _send(tensor, dst, group, tag, group_dst, "send")
    if work is not None:
        work.wait()


def _send(tensor, dst, group, tag, group_dst, who):
    need_tensor(tensor, who)
    found = member(group, who)
    if found is None:
        return None
    other = other_of(found, dst, group_dst, who, "dst")
    call = Call(found, who, f"{tensor.dtype.name} {list(tensor.shape)} to rank {found.ranks[other]}")
    return Work(call, _sending(found, tensor, other, tag, call), [tensor])


def _sending(group, tensor, other, tag, call):
    first = group.aside.Isend(as_bytes(note_of(tensor, call)), other, tag)
    yield group.second.Isend(as_bytes(sent(tensor)), other, tag)
    yield first


def irecv(tensor, src=None, group=None, tag=0, group_src=None):
    """Begin to receive a tensor from rank `src`, or from any.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.irecv(weft.ones(1), 0)
    Traceback (most recent call last):
    ValueError: irecv: Invalid src rank: src rank should not be the same as the rank of the current process.
    >>> weft.distributed.destroy_process_group()
    """
    return _receive(tensor, src, group, tag, group_src, "irecv")


def recv(tensor, src=None, group=None, tag=0, group_src=None):
    """Receive a tensor from rank `src`, or from any; which one it came from.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.recv(weft.ones(1), 0)
    Traceback (most recent call last):
    ValueError: recv: Invalid src rank: src rank should not be the same as the rank of the current process.
    >>> weft.distributed.destroy_process_group()
    """
    work = _receive(tensor, src, group, tag, group_src, "recv")
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


def _receive(tensor, src, group, tag, group_src, who):
    need_tensor(tensor, who)
    found = member(group, who)
    if found is None:
        return None
    if src is None and group_src is None and found.size() == 1:
        raise ValueError(f"{who}: there is no other process to receive from")
    other = None if src is None and group_src is None else other_of(found, src, group_src, who, "src")
    said = "any rank" if other is None else f"rank {found.ranks[other]}"
    call = Call(found, who, f"{tensor.dtype.name} {list(tensor.shape)} from {said}")
    return Work(call, _receiving(found, tensor, other, tag, call), [tensor])


def _receiving(group, tensor, other, tag, call):
    MPI, note, status = world.started.mpi, np.empty(NOTE, np.uint8), Source()
    target = Received(tensor)
    # the tensor's own message is asked for at once where it is known who sends it: he may wait for that
    values = None if other is None else group.second.Irecv(as_bytes(target.array), other, tag)
    yield status.of(group.aside.Irecv(as_bytes(note), MPI.ANY_SOURCE if other is None else other, tag), other)
    call.source = group.ranks[status.rank]
    dtype, count, shape, line = pickle.loads(note.tobytes())
    if (dtype, count) != (tensor.dtype.name, tensor.numel()):
        raise RuntimeError(f"{call.name}: rank {call.source} sends {dtype} {shape}, rank {group.global_rank()} expects "
                           f"{tensor.dtype.name} {list(tensor.shape)}\n  rank {call.source}: {line}\n  rank "
                           f"{group.global_rank()}: {where(call.place)}\n  fix: make both tensors the same")
    yield group.second.Irecv(as_bytes(target.array), status.rank, tag) if values is None else values
    target.keep()


class Source:
    """A request that notes who sent the message."""

    def of(self, request, rank):
        self.request, self.rank = request, rank
        self.status = world.started.mpi.Status()
        return self

    def Test(self):
        if not self.request.Test(self.status):
            return False
        self.rank = self.status.Get_source()
        return True


class P2POp:
    """A message for batch_isend_irecv: isend or irecv, a tensor, the other rank.

    >>> import weft
    >>> dist = weft.distributed
    >>> dist.init_process_group("gloo")
    >>> dist.P2POp(dist.isend, weft.ones(2), 0).peer
    0
    >>> dist.destroy_process_group()
    """

    def __init__(self, op, tensor, peer=None, group=None, tag=0, group_peer=None):
        if op not in (isend, irecv):
            raise RuntimeError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                               "``torch.distributed.irecv``.")
        need_tensor(tensor, "P2POp")
        self.op, self.tensor, self.group, self.tag = op, tensor, group, tag
        self.peer = peer if group_peer is None else group_or_world(group).ranks[group_peer]


def batch_isend_irecv(p2p_op_list):
    """Begin several messages at once; a Work for each.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.batch_isend_irecv([])
    Traceback (most recent call last):
    ValueError: batch_isend_irecv: takes a list of P2POp with at least one
    >>> weft.distributed.destroy_process_group()
    """
    if not p2p_op_list or not all(isinstance(p, P2POp) for p in p2p_op_list):
        raise ValueError("batch_isend_irecv: takes a list of P2POp with at least one")
    return [p.op(p.tensor, p.peer, p.group, p.tag) for p in p2p_op_list]


def send_object_list(object_list, dst=None, group=None, device=None, group_dst=None, use_batch=False):
    """Send objects to rank `dst`, pickled: only between the processes of one job, which trust each other.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.send_object_list([1], 0)
    Traceback (most recent call last):
    ValueError: send_object_list: Invalid dst rank: dst rank should not be the same as the rank of the current process.
    >>> weft.distributed.destroy_process_group()
    """
    found = member(group, "send_object_list")
    if found is None:
        return
    other = other_of(found, dst, group_dst, "send_object_list", "dst")
    call = Call(found, "send_object_list", f"to rank {found.ranks[other]}")
    data = np.frombuffer(pickle.dumps(list(object_list)), np.uint8).copy()
    requests = [found.aside.Isend(as_bytes(np.array([data.size], np.int64)), other, OBJECTS),
                found.second.Isend(as_bytes(data), other, OBJECTS)]
    for request in requests:
        finish(request, call)


OBJECTS = 32002         # the tag of lists of objects


def recv_object_list(object_list, src=None, group=None, device=None, group_src=None, use_batch=False):
    """Receive objects from rank `src`, or from any, into a list of as many; which rank they came from.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.recv_object_list([None], 0)
    Traceback (most recent call last):
    ValueError: recv_object_list: Invalid src rank: src rank should not be the same as the rank of the current process.
    >>> weft.distributed.destroy_process_group()
    """
    found = member(group, "recv_object_list")
    if found is None:
        return -1
    anybody = src is None and group_src is None
    other = None if anybody else other_of(found, src, group_src, "recv_object_list", "src")
    call = Call(found, "recv_object_list")
    size, source = np.empty(1, np.int64), Source()
    rank = world.started.mpi.ANY_SOURCE if other is None else other
    finish(source.of(found.aside.Irecv(as_bytes(size), rank, OBJECTS), other), call)
    data = np.empty(size[0], np.uint8)
    finish(found.second.Irecv(as_bytes(data), source.rank, OBJECTS), call)
    objects = pickle.loads(data.tobytes())
    if len(objects) != len(object_list):
        raise RuntimeError(f"recv_object_list: rank {found.ranks[source.rank]} sends {len(objects)} objects, the list "
                           f"has {len(object_list)} places")
    object_list[:] = objects
    return found.ranks[source.rank]
