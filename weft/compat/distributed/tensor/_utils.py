"""torch.distributed.tensor._utils: where the parts of a DTensor lie."""
from weft._absent import absent_functions as _functions
from weft.distributed.dtensor.layout import Layout, placements_of

_functions("compute_global_tensor_info", globals(), "DTensor.from_local(part, mesh, placements, shape=whole)")


def compute_local_shape_and_global_offset(global_shape, mesh, placements):
    """(shape of this rank's part, where it begins)"""
    shape = tuple(global_shape)
    return Layout(mesh, placements_of(placements, mesh, len(shape), "compute_local_shape"), shape).own_part()


def compute_local_shape(global_shape, mesh, placements):
    """The shape of this rank's part."""
    return compute_local_shape_and_global_offset(global_shape, mesh, placements)[0]
