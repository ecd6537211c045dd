"""torch.distributed._functional_collectives: collectives that give new tensors, with gradients. They are finished when
they return, so there is nothing to wait for.
"""
from weft.distributed import ReduceOp, get_world_size
from weft.distributed import functional as _functional
from weft.tensor.names import FUNCTIONS


def _op(name):
    return getattr(ReduceOp, name.upper()) if isinstance(name, str) else name


def wait_tensor(tensor):
    """The tensor itself."""
    return tensor


def all_reduce(self, reduceOp, group, tag=""):
    """The reduction of all ranks' tensors."""
    return _functional.all_reduce(self, _op(reduceOp), group)


def all_gather_tensor(self, gather_dim, group, tag=""):
    """All ranks' tensors, joined along a dimension."""
    return FUNCTIONS["cat"](list(_functional.all_gather(self.contiguous(), group)), gather_dim)


def reduce_scatter_tensor(self, reduceOp, scatter_dim, group, tag=""):
    """This rank's part, along a dimension, of the reduction of all ranks' tensors."""
    parts = [part.contiguous() for part in self.chunk(get_world_size(group), scatter_dim)]
    return _functional.reduce_scatter(parts[0].detach(), parts, _op(reduceOp), group)


def all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag=""):
    """`self` cut along the first dimension, a part for each rank, and what comes from them."""
    rows = self.shape[0] if output_split_sizes is None else sum(output_split_sizes)
    return _functional.all_to_all_single(self.new_empty((rows, *self.shape[1:])), self, output_split_sizes,
                                         input_split_sizes, group)


all_gather_tensor_autograd, reduce_scatter_tensor_autograd = all_gather_tensor, reduce_scatter_tensor
all_to_all_single_autograd = all_to_all_single
