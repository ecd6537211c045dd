"""`save` and `load`: PyTorch's names, and whichever format the file is in."""
import io
import os
import warnings

import numpy as np

from weft.io import legacy, safetensors, sniff, torch_file
from weft.io.archive import Archive, is_zip
from weft.io.atomic import replacing
from weft.io.errors import CheckpointFileError, TruncatedFileError, bad
from weft.io.known import UnknownGlobal, layer_of
from weft.io.options import SHARED, get_default_mmap_options
from weft.io.safetensors import save_file
from weft.io.scan import unsafe_names
from weft.io.source import is_path, open_source
from weft.utils.serialization import config

SUFFIX = ".safetensors"
HEAD = 1024


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False):
    """Write an object (tensors, state dicts, numbers, text, and dicts, lists, tuples and sets of them) to a file or a
    file object.

    A file is replaced as a whole when everything is written. PyTorch reads it with weights_only=True. A path that ends
    in `.safetensors` is written in that format.

    >>> import io, weft
    >>> file = io.BytesIO()
    >>> weft.save({"w": weft.ones(2), "step": 3}, file)
    >>> _ = file.seek(0)
    >>> weft.load(file)
    {'w': tensor([1., 1.]), 'step': 3}
    """
    if isinstance(pickle_protocol, bool) or not isinstance(pickle_protocol, int):
        raise TypeError(f"save: pickle_protocol must be an int, not {type(pickle_protocol).__name__}")
    if not is_path(f):
        if not callable(getattr(f, "write", None)):
            raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
        _writer(_use_new_zipfile_serialization)(obj, _completely(f.write))
        if callable(getattr(f, "flush", None)):
            f.flush()
        return
    if os.fspath(f).endswith(SUFFIX):
        save_file(obj, f)
        return
    write = _writer(_use_new_zipfile_serialization)
    with replacing(f) as file:
        write(obj, file.write)


def _completely(write):
    """A raw file may take only a part of what it is given."""
    def out(data):
        data = memoryview(data)
        while len(data):
            taken = write(data)
            if not isinstance(taken, int) or taken >= len(data):
                return
            data = data[taken:]
    return out


def _writer(new):
    return torch_file.write if new else legacy.write


def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """Read what `save` or PyTorch's `torch.save` wrote, or a safetensors file. Nothing in a file is ever executed.

    map_location: 'cpu', 'meta' (shapes without data), a dict of names or a function (storage, name) -> storage.
    mmap: leave the tensors in the file and read them when used; writing to them doesn't change the file.
    weights_only=False also builds models of weft's own layers; classes of your own need
    `weft.serialization.add_safe_globals`.

    >>> import weft
    >>> weft.save({"w": weft.ones(2)}, "model.pt")
    >>> weft.load("model.pt")
    {'w': tensor([1., 1.])}
    """
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified\n  fix: leave "
                           "pickle_module out")
    mmap = _default_mmap() if mmap is None else mmap
    if mmap and not is_path(f):
        raise ValueError("f must be a file path in order to use the mmap argument")
    encoding = pickle_load_args.pop("encoding", "utf-8")
    if pickle_load_args:
        warnings.warn(f"load: {', '.join(pickle_load_args)} has no meaning here", stacklevel=2)
    source = open_source(f)
    try:
        options = {"map_location": map_location, "encoding": encoding, "layers": weights_only is False}
        return _load(source, f, bool(mmap), options)
    except CheckpointFileError as error:
        _list_refused(error, source, weights_only is False)
        raise error.named(source.name) from error.__cause__
    finally:
        source.close()


def _load(source, f, mmap, options):
    head = source.read(0, min(source.size, HEAD))
    if is_zip(source):
        archive = _checkpoint(source)
        return torch_file.read(archive, mapped=_mapped(source) if mmap else None, **options)
    if source.path is not None and source.path.endswith(SUFFIX) or _is_safetensors(head, source.size):
        return _load_safetensors(source, options["map_location"])
    if head[:1] != b"\x80" or not head.startswith(legacy.START[:2]) and sniff.describe(head, source.size):
        raise _no_checkpoint(head, source.size)
    if mmap:
        raise bad("mmap can only be used with files of the zip format, and this one is of PyTorch before 1.6",
                  "load it without mmap, and save it again")
    data = source.everything()
    result, end = legacy.read(data, **options)
    if hasattr(f, "seek") and not is_path(f):       # several may stand in one file
        _continue_at(f, end, source.size)
    return result


def _list_refused(error, source, whole):
    """Where a name was refused, say all that would be, so that they needn't be met one by one."""
    if not isinstance(error, UnknownGlobal):
        return
    try:
        names = [name for name in unsafe_names(source) if not whole or layer_of(name) is None]
    except CheckpointFileError:
        return
    if len(names) > 1:
        error.what += f". All that it names and may not: {', '.join(names[:20])}" + (", ..." if len(names) > 20 else "")


def _continue_at(f, end, size):
    can = getattr(f, "seekable", None)
    if can() if can is not None else hasattr(f, "seek"):        # an object with only the methods that are needed
        f.seek(end - size, io.SEEK_END)


def _no_checkpoint(head, size):
    found = sniff.describe(head, size)
    if found is None:
        return bad("it is not a checkpoint: it begins like none of the formats that are known (PyTorch's .pt, "
                   "safetensors)", sniff.SAVED)
    kind = CheckpointFileError if size else TruncatedFileError
    return kind(f"the file is {found[0]}", found[1])


def _checkpoint(source):
    """The archive, if it is a checkpoint."""
    archive = Archive(source)
    if "constants.pkl" in archive:
        raise bad("it is a TorchScript program", "read it with weft.jit.load(path)")
    if "data.pkl" not in archive:
        raise bad("it is " + sniff.describe_zip(archive.members)[0], sniff.describe_zip(archive.members)[1])
    return archive


def _mapped(source):
    """The whole file as an array; what is written to it stays in this process, unless the user asked for MAP_SHARED."""
    return np.memmap(source.path, np.uint8, mode="r+" if get_default_mmap_options() == SHARED else "c").view(np.ndarray)


def _is_safetensors(head, size):
    return len(head) > 8 and head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= size - 8


def _load_safetensors(source, map_location):
    if isinstance(map_location, dict) or callable(map_location):
        raise RuntimeError("Loading safetensors file with dict or callable map_location is not supported.\n  fix: give "
                           "a device or its name")
    device = "cpu" if map_location is None else map_location
    if source.path is not None:
        return safetensors.load_file(source.path, device)
    return safetensors.load(source.read(0, source.size), device)


def _default_mmap():
    return config.load.mmap
