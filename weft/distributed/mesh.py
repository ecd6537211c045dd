"""DeviceMesh: the ranks of a job as an array, with a group for each of its rows."""
import math

import numpy as np

from weft.distributed.groups import (
    GroupMember,
    ProcessGroup,
    get_rank,
    get_world_size,
    init_process_group,
    is_initialized,
    new_group,
)
from weft.tensor.tensor import wrap

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """Ranks as an array of one or more dimensions, which may have names.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> mesh = weft.distributed.init_device_mesh("cpu", (1, 1), mesh_dim_names=("data", "model"))
    >>> mesh.shape, mesh["model"].size()
    ((1, 1), 1)
    >>> weft.distributed.destroy_process_group()
    """

    def __init__(self, device_type, mesh, *, mesh_dim_names=None, _groups=None, _root=None):
        if not is_initialized():
            init_process_group()
        self.device_type = device_type
        self._root = self if _root is None else _root       # the mesh that this one is a part of
        self._ranks = np.asarray(getattr(mesh, "_array", mesh), np.int64)
        self.mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        if self.mesh_dim_names is not None and len(self.mesh_dim_names) != self._ranks.ndim:
            raise RuntimeError(f"DeviceMesh: {len(self.mesh_dim_names)} names for {self._ranks.ndim} dimensions")
        if len(set(self._ranks.ravel().tolist())) != self._ranks.size or self._ranks.max(initial=0) >= get_world_size():
            raise RuntimeError(f"DeviceMesh cannot have duplicate values or ranks above {get_world_size() - 1}, but "
                               f"found {self._ranks.tolist()}")
        self._groups = self._make_groups() if _groups is None else _groups

    def _make_groups(self):
        """For each dimension the group of this rank's row; all ranks make all groups."""
        own = []
        for dim in range(self._ranks.ndim):
            mine = GroupMember.NON_GROUP_MEMBER
            for row in np.moveaxis(self._ranks, dim, -1).reshape(-1, self._ranks.shape[dim]).tolist():
                made = GroupMember.WORLD if row == list(range(get_world_size())) else new_group(row)
                mine = made if get_rank() in row else mine
            own.append(mine)
        return own

    @property
    def mesh(self):
        """The ranks as a tensor.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).mesh
        tensor([0])
        >>> weft.distributed.destroy_process_group()
        """
        return wrap(self._ranks.copy())

    @property
    def shape(self):
        """How many ranks there are in each dimension.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).shape
        (1,)
        >>> weft.distributed.destroy_process_group()
        """
        return self._ranks.shape

    @property
    def ndim(self):
        """The number of dimensions.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).ndim
        1
        >>> weft.distributed.destroy_process_group()
        """
        return self._ranks.ndim

    def size(self, mesh_dim=None):
        """How many ranks there are, in all or in one dimension.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).size()
        1
        >>> weft.distributed.destroy_process_group()
        """
        return self._ranks.size if mesh_dim is None else self._ranks.shape[self._number(mesh_dim)]

    def _number(self, dim):
        if isinstance(dim, str):
            if dim not in (self.mesh_dim_names or ()):
                raise KeyError(f"Invalid mesh_dim_name {dim}. The names are {self.mesh_dim_names}")
            return self.mesh_dim_names.index(dim)
        return dim

    def get_group(self, mesh_dim=None):
        """The group of this rank's row along a dimension, which a mesh of one needn't name.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).get_group().size()
        1
        >>> weft.distributed.destroy_process_group()
        """
        if mesh_dim is None and self.ndim > 1:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions\n  fix: say which, "
                               "get_group(mesh_dim=...)")
        return self._groups[0 if mesh_dim is None else self._number(mesh_dim)]

    def get_all_groups(self):
        """The groups of all dimensions.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> len(weft.distributed.DeviceMesh("cpu", [0]).get_all_groups())
        1
        >>> weft.distributed.destroy_process_group()
        """
        return list(self._groups)

    def get_rank(self):
        """This process's number among all.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).get_rank()
        0
        >>> weft.distributed.destroy_process_group()
        """
        return get_rank()

    def get_coordinate(self):
        """Where this rank stands; None outside of the mesh.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [[0]]).get_coordinate()
        [0, 0]
        >>> weft.distributed.destroy_process_group()
        """
        found = np.argwhere(self._ranks == get_rank())
        return found[0].tolist() if len(found) else None

    def get_local_rank(self, mesh_dim=None):
        """This rank's number along a dimension.

        >>> import weft
        >>> weft.distributed.init_process_group("gloo")
        >>> weft.distributed.DeviceMesh("cpu", [0]).get_local_rank()
        0
        >>> weft.distributed.destroy_process_group()
        """
        group = self.get_group(mesh_dim)
        return group.rank() if isinstance(group, ProcessGroup) else -1

    def __getitem__(self, names):
        """The mesh of some dimensions, in which this rank is."""
        numbers = [self._number(name) for name in ((names,) if isinstance(names, str) else names)]
        place = self.get_coordinate()
        cut = tuple(slice(None) if d in numbers else place[d] for d in range(self.ndim))
        kept = [d for d in range(self.ndim) if d in numbers]
        part = np.transpose(self._ranks[cut], [kept.index(d) for d in numbers])
        return DeviceMesh(self.device_type, part, mesh_dim_names=[self.mesh_dim_names[d] for d in numbers],
                          _groups=[self._groups[d] for d in numbers], _root=self._root)

    def __repr__(self):
        named = f", mesh_dim_names={self.mesh_dim_names}" if self.mesh_dim_names else ""
        return f"DeviceMesh('{self.device_type}', {self._ranks.tolist()}{named})"

    def __eq__(self, other):
        return (isinstance(other, DeviceMesh) and self.mesh_dim_names == other.mesh_dim_names
                and self.shape == other.shape and bool((self._ranks == other._ranks).all()))

    def __hash__(self):
        return hash((self._ranks.tobytes(), self.shape, self.mesh_dim_names))


def init_device_mesh(device_type, mesh_shape, *, mesh_dim_names=None, backend_override=None):
    """All ranks in rows, as an array of the shape given.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> weft.distributed.init_device_mesh("cpu", (1,), mesh_dim_names=("data",))
    DeviceMesh('cpu', [0], mesh_dim_names=('data',))
    >>> weft.distributed.destroy_process_group()
    """
    if not is_initialized():
        init_process_group()
    if math.prod(mesh_shape) != get_world_size():
        raise RuntimeError(f"init_device_mesh: a mesh of {tuple(mesh_shape)} needs {math.prod(mesh_shape)} processes, "
                           f"there are {get_world_size()}")
    if mesh_dim_names is not None and len(set(mesh_dim_names)) != len(mesh_dim_names):
        raise RuntimeError("Each mesh_dim_name must be unique.")
    ranks = np.arange(get_world_size()).reshape(tuple(mesh_shape))
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names)
