"""save and load: a nested state, flat, of which every rank writes its part and reads what it needs."""
import io
from collections.abc import Mapping

from weft.core.dtype import BY_NAME
from weft.core.errors import fail
from weft.core.modes import no_grad
from weft.distributed import objects
from weft.distributed.dtensor.tensor import DTensor
from weft.distributed.groups import ProcessGroup, barrier, group_or_world, is_initialized
from weft.distributed.saving.files import CheckpointException, FileSystemReader, FileSystemWriter
from weft.distributed.saving.planner import DefaultLoadPlanner, DefaultSavePlanner, default_planner
from weft.io import api
from weft.ops.create.constants import empty
from weft.tensor.tensor import Tensor

__all__ = ["load", "load_state_dict", "save", "save_state_dict"]


def group_of(process_group, no_dist):
    """Who saves or loads together."""
    return ProcessGroup() if no_dist or not is_initialized() else group_or_world(process_group)


def is_stateful(value):
    return not isinstance(value, (Tensor, type)) and callable(getattr(value, "state_dict", None)) \
        and callable(getattr(value, "load_state_dict", None))


def flat(state):
    """{path: leaf} of a nested state; a path is a tuple of keys and of places in lists."""
    found, pending = {}, [((), state)]
    while pending:
        path, value = pending.pop()
        if isinstance(value, Mapping) and (value or not path):
            pending.extend([((*path, key), v) for key, v in value.items()])
        elif isinstance(value, (list, tuple)) and any([isinstance(v, (Tensor, Mapping, list, tuple)) for v in value]):
            pending.extend([((*path, i), v) for i, v in enumerate(value)])
        else:
            found[path] = value
    return found


def name_of(path):
    return ".".join([str(key) for key in path])


def named(state):
    """{name: (path, leaf)}, each name once."""
    found = {}
    for path, value in flat(state).items():
        name = name_of(path)
        if name in found:
            fail(ValueError, f"checkpoint: two things in this state are called {name!r}", "rename one of the keys")
        found[name] = path, value
    return found


def part_of(tensor, rank):
    """(this rank's part, where it begins), or None where another rank writes it."""
    if not isinstance(tensor, DTensor):
        return (tensor.detach(), (0,) * tensor.dim()) if rank == 0 else None
    layout = tensor._owed.layout
    if any([p.is_partial() for p in layout.placements]):
        fail(ValueError, "checkpoint: a DTensor of summands (Partial) has no values to save", "x.redistribute first")
    place = layout.mesh.get_coordinate()
    if place is None or any([at and p.is_replicate() for at, p in zip(place, layout.placements)]):
        return None
    return tensor._owed.local, layout.own_part()[1]


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False,
         use_collectives=True):
    """Save a state, all ranks together, into a folder: each rank writes its parts of DTensors, rank 0 what all have
    alike. Objects with `state_dict` and `load_state_dict` are saved by those; other values must be data.

    >>> import tempfile, weft
    >>> import weft.distributed.checkpoint as dcp
    >>> state = {"model": weft.nn.Linear(2, 1).state_dict(), "step": 3}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.save(state, checkpoint_id=folder)
    ...     state["step"] = 0
    ...     dcp.load(state, checkpoint_id=folder)
    >>> state["step"]
    3
    """
    default_planner(planner, DefaultSavePlanner)
    writer = storage_of(storage_writer, checkpoint_id, FileSystemWriter, "save")
    group = group_of(process_group, no_dist)
    rank = group.rank()
    state = {key: value.state_dict() if is_stateful(value) else value for key, value in state_dict.items()}
    tensors, where, values, paths = {}, {}, {}, {}
    for name, (path, value) in named(state).items():
        paths[name] = list(path)
        if not isinstance(value, Tensor):
            values[name] = value
            continue
        where[name] = {"shape": list(value.shape), "dtype": value.dtype.name, "parts": []}
        found = part_of(value, rank)
        if found is not None and (found[0].numel() or not value.numel()):
            tensors[name] = found[0].contiguous()
            where[name]["parts"].append([name, list(found[1]), list(found[0].shape)])
    check_data(values)
    if rank == 0:
        writer.begin()
    wait(group)
    file = writer.write_tensors(rank, tensors)
    for entry in where.values():
        entry["parts"] = [[file, *part] for part in entry["parts"]]
    every = [where] if group.size() == 1 else [None] * group.size()
    if group.size() > 1:
        objects.all_gather_object(every, where, group)
    if rank == 0:
        writer.finish(joined(every), values, paths)
    wait(group)


def joined(every):
    """All ranks' notes of what is where, as one."""
    made = {}
    for where in every:
        for name, entry in where.items():
            if name in made and made[name]["shape"] != entry["shape"]:
                fail(ValueError, f"checkpoint: {name} has the shape {entry['shape']} on one rank and "
                     f"{made[name]['shape']} on another", "a part of a larger tensor is saved as a DTensor")
            made.setdefault(name, {**entry, "parts": []})["parts"].extend(entry["parts"])
    return made


def check_data(values):
    """Refuse what could be saved but not loaded without running code."""
    for name, value in values.items():
        kept = io.BytesIO()
        try:
            api.save(value, kept)
            api.load(io.BytesIO(kept.getvalue()))
        except Exception as error:
            raise TypeError(f"checkpoint: {name} is a {type(value).__name__}, which is not data ({error})\n  fix: save "
                            "tensors, numbers, texts, lists and dicts, or give it state_dict and load_state_dict"
                            ) from error


def storage_of(storage, path, kind, who):
    if storage is None:
        if path is None:
            fail(ValueError, f"checkpoint.{who}: it isn't said where", f"{who}(state, checkpoint_id=folder)")
        return kind(path)
    if not isinstance(storage, kind):
        fail(NotImplementedError, f"checkpoint.{who}: a storage of the class {type(storage).__name__}",
             f"{kind.__name__}(folder)")
    storage.reset(path)
    return storage


def wait(group):
    if group.size() > 1:
        barrier(group)


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False):
    """Load a checkpoint into a state, in place: tensors get their values, other values are replaced. The state may be
    spread over other ranks than it was when it was saved.

    >>> import tempfile, weft
    >>> import weft.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.save({"w": weft.arange(3)}, checkpoint_id=folder)
    ...     state = {"w": weft.zeros(3, dtype=weft.long)}
    ...     dcp.load(state, checkpoint_id=folder)
    >>> state["w"]
    tensor([0, 1, 2])
    """
    partly = default_planner(planner, DefaultLoadPlanner).allow_partial_load
    reader = storage_of(storage_reader, checkpoint_id, FileSystemReader, "load")
    wait(group_of(process_group, no_dist))
    metadata = reader.read_metadata()
    states = {key: value.state_dict() if is_stateful(value) else value for key, value in state_dict.items()}
    wanted = named(states)
    missing = [name for name in wanted if name not in metadata["tensors"] and name not in metadata["values"]]
    if missing and not partly:
        fail(CheckpointException, f"Missing key in checkpoint state_dict: {', '.join(missing[:8])}"
             + (f" and {len(missing) - 8} others" if len(missing) > 8 else ""),
             "DefaultLoadPlanner(allow_partial_load=True) leaves them as they are")
    for name, (path, value) in wanted.items():
        if name in metadata["tensors"] and isinstance(value, Tensor):
            fill(value, metadata["tensors"][name], reader, name)
        elif name in metadata["tensors"]:
            put(states, path, whole(metadata["tensors"][name], reader, name))
        elif name in metadata["values"]:
            put(states, path, metadata["values"][name])
    for key, value in state_dict.items():
        if is_stateful(value):
            value.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]


def put(state, path, value):
    """Replace one leaf of a nested state; tuples on the way are made anew."""
    outer = []
    for key in path[:-1]:
        outer.append((state, key))
        state = state[key]
    key = path[-1]
    while isinstance(state, tuple):
        value = type(state)([value if i == key else v for i, v in enumerate(state)])
        state, key = outer.pop()
    state[key] = value


def fill(tensor, entry, reader, name):
    """Copy what the checkpoint has into a tensor, or into this rank's part of a DTensor."""
    if list(tensor.shape) != entry["shape"]:
        fail(CheckpointException, f"{name}: the checkpoint has the shape {entry['shape']}, the state "
             f"{list(tensor.shape)}", "make the model as it was when it was saved")
    own, first = tensor, (0,) * tensor.dim()
    if isinstance(tensor, DTensor):
        own, first = tensor._owed.local, tensor._owed.layout.own_part()[1]
        if tensor.device_mesh.get_coordinate() is None:
            return
    with no_grad():
        if copied(own.detach(), first, entry, reader) != own.numel():
            fail(CheckpointException, f"{name}: the checkpoint has not all of it", "copy the whole folder")


def copied(target, first, entry, reader):
    """Copy the parts that overlap with a region; how many elements that were."""
    count = 0
    for file, key, start, size in entry["parts"]:
        low = [max(a, b) for a, b in zip(first, start)]
        high = [min(a + n, b + m) for a, n, b, m in zip(first, target.shape, start, size)]
        if any([a >= b for a, b in zip(low, high)]):
            continue
        source, goal = reader.part(file, key), target
        if list(source.shape) != list(size):
            fail(CheckpointException, f"{file} has the shape {list(source.shape)} for {key}, not {size}")
        for d, (a, b) in enumerate(zip(low, high)):
            source, goal = source.narrow(d, a - start[d], b - a), goal.narrow(d, a - first[d], b - a)
        goal.copy_(source)
        count += goal.numel()
    return count


def whole(entry, reader, name):
    """A tensor of the checkpoint, where the state has none."""
    made = empty(entry["shape"], dtype=BY_NAME[entry["dtype"]])
    fill(made, entry, reader, name)
    return made


def save_state_dict(state_dict, storage_writer, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """The older name of `save`.

    >>> import tempfile, weft
    >>> import weft.distributed.checkpoint as dcp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dcp.save_state_dict({"w": weft.ones(2)}, dcp.FileSystemWriter(folder))
    """
    save(state_dict, storage_writer=storage_writer, process_group=process_group, no_dist=no_dist, planner=planner)


def load_state_dict(state_dict, storage_reader, process_group=None, coordinator_rank=0, no_dist=False, planner=None):
    """The older name of `load`.

    >>> import weft.distributed.checkpoint as dcp
    >>> dcp.load_state_dict({}, dcp.FileSystemReader("nowhere"))
    Traceback (most recent call last):
    weft.distributed.saving.files.CheckpointException: nowhere is not a checkpoint: it has no .metadata
      ...
    """
    load(state_dict, storage_reader=storage_reader, process_group=process_group, no_dist=no_dist, planner=planner)
