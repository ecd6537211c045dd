"""The safetensors format: a JSON header (name, type, shape, place), then the numbers. Read by mapping the file into
memory.

The functions are those of `safetensors.torch`: save_file, load_file, save, load, save_model, load_model, safe_open.
"""
import json
import math
import os

import numpy as np

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.io.atomic import replacing
from weft.io.errors import AGAIN, CheckpointFileError
from weft.io.rebuild import MOST_BYTES, MOST_DIMS, meta_tensor
from weft.io.source import BytesSource, open_source
from weft.kernels.native import address
from weft.tensor.layout import root_of
from weft.tensor.tensor import Memory, Tensor, wrap

LONGEST_HEADER = 100_000_000
# by the order in which upstream sorts them: the widest first, so that all lie where they may
NAMES = {"U64": dtypes.uint64, "I64": dtypes.int64, "F64": dtypes.float64, "C64": dtypes.complex64,
         "F32": dtypes.float32, "U32": dtypes.uint32, "I32": dtypes.int32, "BF16": dtypes.bfloat16,
         "F16": dtypes.float16, "U16": dtypes.uint16, "I16": dtypes.int16, "I8": dtypes.int8, "U8": dtypes.uint8,
         "BOOL": dtypes.bool_}
CODES = {d: name for name, d in NAMES.items()}


class SafetensorError(CheckpointFileError):
    """A file is not in the safetensors format, or says of its tensors what can't be."""


def _bad(what, fix=AGAIN):
    return SafetensorError(what, fix)


# the header

class Header:
    """What a file says of its tensors: name -> (dtype, shape, start, stop), places counted from the file's start."""

    def __init__(self, source):
        if source.size < 8:
            raise _bad(f"it has {source.size} bytes, too few for a safetensors file")
        length = int.from_bytes(source.read(0, 8), "little")
        if length > LONGEST_HEADER:
            raise _bad(f"its header should have {length} bytes; a safetensors header has at most {LONGEST_HEADER}")
        if length > source.size - 8:
            raise _bad(f"its header should have {length} bytes, but the file ends after {source.size - 8} of them")
        self.data, self.end = 8 + length, source.size
        found = _parse(source.read(8, length))
        self.metadata = _check_metadata(found.pop("__metadata__", None))
        self.tensors = {name: self._entry(name, entry) for name, entry in found.items()}
        self._check_places()

    def _entry(self, name, entry):
        said = name[:80]
        if type(entry) is not dict or set(entry) != {"dtype", "shape", "data_offsets"}:
            raise _bad(f"tensor {said!r} is not described by dtype, shape and data_offsets")
        code, shape, places = entry["dtype"], entry["shape"], entry["data_offsets"]
        dtype = NAMES.get(code) if type(code) is str else None
        if dtype is None:
            raise _bad(f"tensor {said!r} is of type {str(code)[:20]!r}, which weft doesn't have",
                       "convert it first, for example to BF16 or F32")
        if type(shape) is not list or len(shape) > MOST_DIMS or any(type(n) is not int or n < 0 for n in shape):
            raise _bad(f"tensor {said!r} has a shape that isn't one")
        if type(places) is not list or len(places) != 2 or any(type(n) is not int or n < 0 for n in places):
            raise _bad(f"tensor {said!r} has data_offsets that aren't two places")
        start, stop = self.data + places[0], self.data + places[1]
        if not start <= stop <= self.end:
            raise _bad(f"tensor {said!r} should lie at bytes {start} to {stop}, but the file has {self.end}")
        if (math.prod(n or 1 for n in shape) * dtype.itemsize > MOST_BYTES or math.prod(shape) * dtype.itemsize != stop
            - start):
            raise _bad(f"tensor {said!r} of shape {shape[:8]} and {dtype} doesn't have the {stop - start} bytes that "
                       f"it is given")
        return dtype, tuple(shape), start, stop

    def _check_places(self):
        """No holes and nothing twice: a file can't hide anything, nor be larger or smaller than it says."""
        last = self.data
        for name, (_, _, start, stop) in sorted(self.tensors.items(), key=lambda item: item[1][2:]):
            if start != last:
                raise _bad(f"tensor {name[:80]!r} starts at byte {start}, but the one before it ends at {last}: "
                           f"tensors "
                           + ("overlap" if start < last else "leave a hole"))
            last = stop
        if last != self.end:
            raise _bad(f"its tensors end at byte {last}, but the file has {self.end}: it is cut off or something was "
                       f"appended")


def _parse(data):
    if not data.startswith(b"{"):
        raise _bad("its header doesn't begin with {, so it is not a safetensors file")
    try:
        found = json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, SafetensorError):
            raise
        raise _bad(f"its header is no JSON text ({type(error).__name__})") from None
    return found


def _once(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _bad("its header has the same name twice")
    return found


def _no_constant(name):
    raise _bad(f"its header has the number {name}")


def _check_metadata(metadata):
    if metadata is None:
        return None
    if type(metadata) is not dict or any(type(v) is not str for v in metadata.values()):
        raise _bad("its __metadata__ is not text by name")
    return metadata


# reading

def _tensor(memory, dtype, shape, start, stop):
    """A tensor in the memory of the file; a copy where it doesn't lie as its type must."""
    part = memory[start:stop]
    if not part.size:
        return wrap(np.empty(shape, dtype.np))
    if address(part) % dtype.itemsize:
        part = np.array(part)
    made = wrap(part.view(dtype.np).reshape(shape))
    made._memory_record = Memory()
    made._memory_record.root = part
    return made


def _is_meta(device):
    return devices.of(device) is devices.META


def load_file(filename, device="cpu"):
    """All tensors of a file by name. They are read when used; writing to them doesn't change the file."""
    with safe_open(filename, device=device) as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def load(data, device="cpu"):
    """All tensors of a file's bytes."""
    header = Header(BytesSource(data))
    if _is_meta(device):
        return {name: meta_tensor(shape, dtype) for name, (dtype, shape, _, _) in header.tensors.items()}
    memory = np.frombuffer(bytearray(data), np.uint8)       # a copy, to be written to
    return {name: _tensor(memory, *entry) for name, entry in header.tensors.items()}


class safe_open:
    """A file whose tensors are taken one by one.

    >>> import tempfile, weft
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({"a": weft.arange(6).view(2, 3)}, folder + "/x.safetensors")
    ...     with safe_open(folder + "/x.safetensors") as file:
    ...         print(file.keys(), file.get_slice("a")[:, 1])
    ['a'] tensor([1, 4])
    """

    def __init__(self, filename, framework="pt", device="cpu"):
        if framework not in ("pt", "torch", "pytorch", "weft", "np", "numpy"):
            raise SafetensorError(f"safe_open: framework {framework!r} is not known", "use 'pt' or 'np'")
        self._numpy, self._meta = framework in ("np", "numpy"), _is_meta(device)
        source = open_source(filename)
        try:
            self._header = Header(source)
            self._memory = np.memmap(source.path, np.uint8, mode="c").view(np.ndarray)
        except CheckpointFileError as error:
            raise error.named(source.name) from None
        finally:
            source.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._memory = None

    def keys(self):
        """The tensors' names."""
        return sorted(self._header.tensors)

    def offset_keys(self):
        """The tensors' names, in the order in which they lie in the file."""
        return sorted(self._header.tensors, key=lambda name: self._header.tensors[name][2:])

    def metadata(self):
        """The text that was saved with the tensors, by name; None without."""
        return None if self._header.metadata is None else dict(self._header.metadata)

    def get_tensor(self, name):
        """One tensor."""
        dtype, shape, start, stop = self._entry(name)
        if self._meta:
            return meta_tensor(shape, dtype)
        made = _tensor(self._memory, dtype, shape, start, stop)
        return made._array if self._numpy else made

    def get_slice(self, name):
        """One tensor, of which only the part that is then indexed is read."""
        dtype, shape, _, _ = self._entry(name)
        return _Slice(self, name, dtype, shape)

    def _entry(self, name):
        if self._memory is None:
            raise SafetensorError("File is closed", "use it inside `with safe_open(...)`")
        if name not in self._header.tensors:
            raise SafetensorError(f"File does not contain tensor {name}", "its tensors are in keys()")
        return self._header.tensors[name]


class _Slice:
    """A tensor in a file, not read yet."""

    def __init__(self, file, name, dtype, shape):
        self._file, self._name, self._dtype, self._shape = file, name, dtype, shape

    def get_shape(self):
        return list(self._shape)

    def get_dtype(self):
        return CODES[self._dtype]

    def __getitem__(self, index):
        return self._file.get_tensor(self._name)[index]


# writing

def save_file(tensors, filename, metadata=None):
    """Write tensors by name to a file, which is replaced as a whole when everything is written."""
    parts = _file_parts(tensors, metadata)
    with replacing(filename) as file:
        for part in parts:
            file.write(part)


def save(tensors, metadata=None):
    """The bytes of a file with these tensors."""
    return b"".join(_file_parts(tensors, metadata))


def _file_parts(tensors, metadata):
    _check_tensors(tensors)
    if (metadata is not None and (not isinstance(metadata, dict) or any(type(v) is not str or type(k) is not str
                                                                        for k, v in metadata.items()))):
        raise TypeError("save: metadata must be a dict of text by name")
    order = list(CODES)
    names = sorted(tensors, key=lambda name: (order.index(tensors[name].dtype), name))
    header, at = {} if metadata is None else {"__metadata__": metadata}, 0
    for name in names:
        t = tensors[name]
        header[name] = {"dtype": CODES[t.dtype], "shape": list(t.shape), "data_offsets": [at, at + t._form.nbytes]}
        at += t._form.nbytes
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > LONGEST_HEADER:
        raise _bad(f"save: the header would have {len(text)} bytes, more than readers take",
                   "save fewer tensors in one file")
    arrays = [np.ascontiguousarray(tensors[name]._array).reshape(-1).view(np.uint8) for name in names]
    return [len(text).to_bytes(8, "little"), text, *map(memoryview, arrays)]


def _check_tensors(tensors):
    if not isinstance(tensors, dict):
        raise ValueError(f"save: expected a dict of [str, Tensor] but received {type(tensors).__name__}\n  fix: give "
                         f"it a state_dict(); for "
                         "anything else use a .pt file")
    for name, t in tensors.items():
        if not isinstance(name, str) or not isinstance(t, Tensor):
            raise ValueError(f"save: {name!r} is a {type(t).__name__}, and safetensors holds tensors by name only\n  "
                             f"fix: leave it out, or "
                             "use a .pt file")
        if t._on_meta:
            raise ValueError(f"save: {name!r} has no data (it is on meta)\n  fix: give it memory first, for example "
                             f"with to_empty")
        if t.dtype not in CODES:
            raise ValueError(f"save: {name!r} is of {t.dtype}, which safetensors can't hold\n  fix: convert it, or use "
                             f"a .pt file")
        if not t._form.flags.c_contiguous:
            raise ValueError(f"You are trying to save a non contiguous tensor: `{name}` which is not allowed\n  fix: "
                             f"save "
                             "its contiguous()")
    shared = _shared(tensors)
    if shared:
        raise RuntimeError(f"Some tensors share memory, this will lead to duplicate memory on disk and potential "
                           f"differences when loading them again: {shared}\n  fix: use save_model(model, path), which "
                           f"keeps one of each and remembers the others, "
                           "or clone() them, or use a .pt file, where they stay tied")


def _shared(tensors):
    """The names of tensors that overlap in memory, in groups."""
    found, end, group = [], -1, []
    spans = sorted((address(t._array), address(t._array) + t._form.nbytes, name) for name, t in tensors.items()
                   if t._form.nbytes)
    for start, stop, name in spans:
        if start < end:
            group.append(name)
        else:
            group = [name]
            found.append(group)
        end = max(end, stop)
    return [sorted(g) for g in found if len(g) > 1]


# whole models: tied weights once

def _kept_names(state):
    """name -> the name under which the same tensor is written; ValueError for what overlaps without being the same."""
    kept = {}
    for group in _shared(state):
        places = {(address(state[n]._array), state[n]._form.nbytes, state[n]._form.shape, state[n]._form.strides)
                  for n in group}
        if len(places) > 1:
            raise RuntimeError(f"Error while trying to find names to remove to save state dict, but found no suitable "
                               f"name to keep for saving amongst: {group}\n  fix: clone() those that are parts of "
                               f"others, or use a .pt file")
        whole = [n for n in group if root_of(state[n]).nbytes == state[n]._form.nbytes] or group
        kept.update({n: whole[0] for n in group if n != whole[0]})
    return kept


def save_model(model, filename, metadata=None, force_contiguous=True):
    """Write a model's state; of weights that are tied one is written, the others' names go to the metadata."""
    state = dict(model.state_dict())
    if force_contiguous:
        state = {name: t.contiguous() for name, t in state.items()}
    kept = _kept_names(state)
    metadata = {**(metadata or {}), **{name: kept[name] for name in sorted(kept) if name not in (metadata or {})}}
    save_file({name: t for name, t in state.items() if name not in kept}, filename, metadata or None)


def load_model(model, filename, strict=True, device="cpu"):
    """Load a file that save_model wrote into a model; (missing names, unexpected names)."""
    state = load_file(os.fspath(filename), device)
    tied = _kept_names(dict(model.state_dict()))
    missing, unexpected = map(list, model.load_state_dict(state, strict=False))
    present = set(state)
    groups = {}
    for name, kept in tied.items():
        groups.setdefault(kept, {kept}).add(name)
    for group in groups.values():
        if group & present:
            missing = [name for name in missing if name not in group]
    if strict and (missing or unexpected):
        raise RuntimeError(f"Error(s) in loading state_dict for {type(model).__name__}: missing {sorted(missing)}, "
                           f"unexpected {sorted(unexpected)}\n  fix: make the model that was saved, or pass "
                           f"strict=False")
    return missing, unexpected
