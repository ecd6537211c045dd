"""Where the parts of a spread tensor lie: mesh, placements and whole shape, and the arithmetic of them."""
import math

from weft.core.errors import fail
from weft.distributed.mesh import DeviceMesh
from weft.distributed.placements import Partial, Placement, Replicate, Shard


class Layout:
    """A mesh, a placement for each of its dimensions, and the whole tensor's shape; it never changes.

    A tensor's dimension that several dimensions of the mesh cut is cut by the first of them, each part by the next.
    """

    __slots__ = ("mesh", "placements", "shape")

    def __init__(self, mesh, placements, shape):
        self.mesh, self.placements, self.shape = mesh, tuple(placements), tuple(shape)

    def __eq__(self, other):
        return (isinstance(other, Layout) and self.placements == other.placements and self.shape == other.shape
                and same_mesh(self.mesh, other.mesh))

    __hash__ = None

    def placed(self, placements):
        """The same tensor, spread otherwise."""
        return Layout(self.mesh, placements, self.shape)

    @property
    def numel(self):
        return math.prod(self.shape)

    def own_part(self):
        """(shape of this rank's part, where it begins in the whole); a rank outside of the mesh has nothing."""
        place = self.mesh.get_coordinate()
        if place is None:
            return (0,) if self.shape else (), (0,) * len(self.shape)
        return self.part_at(place)

    def part_at(self, place):
        """The same for the rank at a place of the mesh."""
        shape, start = list(self.shape), [0] * len(self.shape)
        for m, placement in enumerate(self.placements):
            if placement.is_shard():
                d = placement.dim
                first, size = piece(shape[d], self.mesh.size(m), place[m])
                shape[d], start[d] = size, start[d] + first
        return tuple(shape), tuple(start)


def piece(n, parts, i):
    """(first, how many) of part i where n things are cut as `chunk` does: the last parts may be smaller, or empty."""
    each = -(-n // parts)
    first = min(i * each, n)
    return first, min(each, n - first)


def same_mesh(a, b):
    return a is b or a == b


def placements_of(given, mesh, ndim, who):
    """Placements as a program gives them: one for each dimension of the mesh, with dimensions from 0 on."""
    if given is None:
        return (Replicate(),) * mesh.ndim
    given = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    if len(given) != mesh.ndim:
        fail(ValueError, f"{who}: `placements` must have the same length as `device_mesh.ndim`! Found placements "
             f"length: {len(given)}, and device_mesh.ndim: {mesh.ndim}.", "give one placement for each mesh dimension")
    return tuple([checked(p, ndim, who) for p in given])


def checked(placement, ndim, who):
    if not isinstance(placement, Placement):
        fail(TypeError, f"{who}: a placement is Shard(dim), Replicate() or Partial(), not {placement!r}")
    if not placement.is_shard():
        return placement
    dim = placement.dim + ndim if placement.dim < 0 else placement.dim
    if not 0 <= dim < ndim:
        fail(ValueError, f"{who}: {placement} of a tensor with {ndim} dimensions", f"Shard(0) to Shard({ndim - 1})")
    return placement if dim == placement.dim else Shard(dim)


def mesh_of(mesh, who):
    if not isinstance(mesh, DeviceMesh):
        fail(TypeError, f"{who}: device_mesh must be a DeviceMesh, not {type(mesh).__name__}",
             'init_device_mesh("cpu", (n,)) makes one')
    return mesh


def dual(placements):
    """How a gradient is spread whose tensor is spread so: every summand has the whole gradient."""
    return tuple([Replicate() if p.is_partial() else p for p in placements])


def whole_shape(local, mesh, placements):
    """The whole shape of a tensor, from a part of it, where all ranks' parts are alike."""
    shape = list(local)
    for m, placement in enumerate(placements):
        if placement.is_shard():
            shape[placement.dim] *= mesh.size(m)
    return tuple(shape)


def replicated(mesh):
    return (Replicate(),) * mesh.ndim


def has_partial(placements):
    return any([isinstance(p, Partial) for p in placements])
