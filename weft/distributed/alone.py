"""torch.distributed for a script that runs alone: a group of one process, in which every collective is what it is for
one.

The same script that a launcher would start many times runs here by itself; a launcher's WORLD_SIZE above 1 is refused.
"""
import os

from weft.tensor.tensor import Tensor

__all__ = ["is_available", "is_initialized", "is_nccl_available", "is_mpi_available", "is_torchelastic_launched",
           "init_process_group", "destroy_process_group", "get_rank", "get_world_size", "get_backend", "barrier",
           "all_reduce", "reduce", "broadcast", "all_gather", "gather", "scatter", "all_gather_object",
           "broadcast_object_list", "Backend", "ReduceOp", "ProcessGroup", "GroupMember", "group"]
# what only several processes need (weft.distributed.absent)
MANY_CLASSES = "FileStore HashStore P2POp PrefixStore Store TCPStore Work".split()
MANY_FUNCTIONS = """all_gather_into_tensor all_to_all all_to_all_single batch_isend_irecv gather_object get_global_rank
    irecv isend monitored_barrier new_group new_subgroups recv reduce_scatter reduce_scatter_tensor scatter_object_list
    send""".split()

_group = {}


class ProcessGroup:
    """The one process.

    >>> import weft
    >>> weft.distributed.ProcessGroup().size()
    1
    """

    def size(self):
        """How many processes there are.

        >>> import weft
        >>> weft.distributed.ProcessGroup().size()
        1
        """
        return 1

    def rank(self):
        """This one's number.

        >>> import weft
        >>> weft.distributed.ProcessGroup().rank()
        0
        """
        return 0


class GroupMember:
    """The group of all processes, once there is one.

    >>> import weft
    >>> weft.distributed.GroupMember.WORLD is None
    True
    """
    WORLD, NON_GROUP_MEMBER = None, -100


group = GroupMember


def _get_default_group():
    _check()
    return GroupMember.WORLD


class Backend(str):
    """The name of a way in which processes talk, in small letters.

    >>> import weft
    >>> weft.distributed.Backend("GLOO"), weft.distributed.Backend.NCCL
    ('gloo', 'nccl')
    """
    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, FAKE = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl", "fake"

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


class ReduceOp:
    """How values of several processes become one.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.all_reduce(x, op=weft.distributed.ReduceOp.SUM)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    SUM, AVG, PRODUCT, MIN, MAX = "sum", "avg", "product", "min", "max"
    BAND, BOR, BXOR, PREMUL_SUM = "band", "bor", "bxor", "premul_sum"


def is_available():
    """False: there are no groups of several processes; one of this process alone can be made all the same.

    >>> import weft
    >>> weft.distributed.is_available()
    False
    """
    return False


def is_initialized():
    """Whether init_process_group was called.

    >>> import weft
    >>> weft.distributed.is_initialized()
    False
    """
    return bool(_group)


def is_nccl_available():
    """False: there are no GPUs.

    >>> import weft
    >>> weft.distributed.is_mpi_available()
    False
    """
    return False


is_mpi_available = is_nccl_available


def is_torchelastic_launched():
    """False: no launcher started this process.

    >>> import weft
    >>> weft.distributed.is_torchelastic_launched()
    False
    """
    return False


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """Make the group of this one process.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo", rank=0, world_size=1)
    >>> weft.distributed.is_initialized()
    True
    >>> weft.distributed.destroy_process_group()
    """
    if _group:
        raise ValueError("trying to initialize the default process group twice!")
    size = int(os.environ.get("WORLD_SIZE", 1)) if world_size == -1 else world_size
    if size != 1:
        raise RuntimeError(f"init_process_group(): {size} processes were asked for, and weft.distributed is for a "
                           f"script that runs alone\n"
                           "  fix: start one process, without a launcher (weft uses all cores in it)")
    _group["backend"] = backend or "gloo"
    GroupMember.WORLD = ProcessGroup()


def destroy_process_group(group=None):
    """Forget the group.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.destroy_process_group()
    >>> weft.distributed.is_initialized()
    False
    """
    _group.clear()
    GroupMember.WORLD = None


def _check():
    if not _group:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")


def get_rank(group=None):
    """0: the one process.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_rank()
    0
    >>> weft.distributed.destroy_process_group()
    """
    _check()
    return 0


def get_world_size(group=None):
    """1: the number of processes.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_world_size()
    1
    >>> weft.distributed.destroy_process_group()
    """
    _check()
    return 1


def get_backend(group=None):
    """The backend that was asked for.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.get_backend()
    'gloo'
    >>> weft.distributed.destroy_process_group()
    """
    _check()
    return _group["backend"]


def barrier(group=None, async_op=False, device_ids=None):
    """Wait for all: there is nobody to wait for.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.barrier() is None
    True
    >>> weft.distributed.destroy_process_group()
    """
    _check()


def _alone(tensor, peer, what):
    """Checks of a collective that leaves the one process's tensor as it is."""
    _check()
    if not isinstance(tensor, Tensor):
        raise TypeError(f"Invalid function argument. Expected parameter `tensor` of type torch.Tensor in {what}, not "
                        f"{type(tensor).__name__}")
    if peer not in (None, 0):
        raise ValueError(f"{what}: rank {peer} is not in a group of one process")


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False):
    """The tensor reduced over all processes: itself.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.all_reduce(x)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    _alone(tensor, None, "all_reduce")


def reduce(tensor, dst=0, op=ReduceOp.SUM, group=None, async_op=False):
    """The tensor stays what it is: there is one process.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.reduce(x, dst=0)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    _alone(tensor, dst, "reduce")


def broadcast(tensor, src=0, group=None, async_op=False):
    """The tensor stays what it is: there is one process.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.broadcast(x, src=0)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    _alone(tensor, src, "broadcast")


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Each process's tensor, in a list of one.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [weft.zeros(2)]
    >>> _ = weft.distributed.all_gather(parts, weft.ones(2))
    >>> parts
    [tensor([1., 1.])]
    >>> weft.distributed.destroy_process_group()
    """
    _alone(tensor, None, "all_gather")
    if len(tensor_list) != 1:
        raise ValueError(f"all_gather: the list has {len(tensor_list)} tensors for a group of one process")
    tensor_list[0].copy_(tensor)


def gather(tensor, gather_list=None, dst=0, group=None, async_op=False):
    """Copy the tensor into the list's one place.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [weft.zeros(2)]
    >>> _ = weft.distributed.gather(weft.ones(2), parts)
    >>> parts
    [tensor([1., 1.])]
    >>> weft.distributed.destroy_process_group()
    """
    all_gather(gather_list, tensor) if gather_list is not None else _alone(tensor, dst, "gather")


def scatter(tensor, scatter_list=None, src=0, group=None, async_op=False):
    """Copy the list's one tensor into the tensor.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.zeros(2)
    >>> _ = weft.distributed.scatter(x, [weft.ones(2)])
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    _alone(tensor, src, "scatter")
    if not scatter_list or len(scatter_list) != 1:
        raise ValueError("scatter: the list must have one tensor for a group of one process")
    tensor.copy_(scatter_list[0])


def all_gather_object(object_list, obj, group=None):
    """Put the object into the list's one place.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> parts = [None]
    >>> weft.distributed.all_gather_object(parts, {"loss": 0.5})
    >>> parts
    [{'loss': 0.5}]
    >>> weft.distributed.destroy_process_group()
    """
    _check()
    object_list[0] = obj


def broadcast_object_list(object_list, src=0, group=None, device=None):
    """The list stays what it is: there is one process.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> objects = ["settings", 3]
    >>> weft.distributed.broadcast_object_list(objects, src=0)
    >>> objects
    ['settings', 3]
    >>> weft.distributed.destroy_process_group()
    """
    _check()
