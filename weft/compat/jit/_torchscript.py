"""PyTorch's own TorchScript files: an archive of a pickle of the modules, of constants, and of source in a part of
Python, which the language of saved programs runs (_language.py); nothing is given to Python to compile or run.
"""
import ast
import collections
import enum
import zlib

from weft.io.archive import Archive, is_zip
from weft.io.errors import CheckpointFileError
from weft.io.known import Finder
from weft.io.locations import Places
from weft.io.machine import Machine
from weft.io.source import open_source
from weft.io.torch_file import ArchiveStorages
from weft.jit import _language, _saved
from weft.jit._aten_dialect import Aten
from weft.jit._values import EnumClass, FileClass, Instance, Refused, TupleClass
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

ROOT = "__torch__"
LONGEST = _language.LONGEST         # bytes of a source file
LITERAL = (ast.Constant, ast.UnaryOp, ast.unaryop, ast.List, ast.Tuple, ast.Dict, ast.Name, ast.Attribute,
           ast.expr_context)


def load(f, map_location, extra):
    """The module of a TorchScript file, or None if the file is something else."""
    source = open_source(f)
    try:
        if not is_zip(source):
            return None
        archive = Archive(source)
        if "constants.pkl" not in archive:
            return None
        for name in extra or ():
            extra[name] = _text(archive, f"extra/{name}") if f"extra/{name}" in archive else b""
        return File(archive, map_location).read()
    except CheckpointFileError as error:
        raise error.named(source.name) from error.__cause__
    except Refused as error:
        at = f" (line {error.node.lineno})" if hasattr(error.node, "lineno") else ""
        raise RuntimeError(_refusal(error.what + at)) from None
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise _saved.damaged(f"{type(error).__name__}: {str(error)[:200]}") from error
    finally:
        source.close()


def _text(archive, name):
    """A member's bytes; source is packed, and unpacked no further than it may be long."""
    member = archive.members[name]
    if not member.packed:
        return bytes(archive.read(name))
    unpack = zlib.decompressobj(-15)
    try:
        found = unpack.decompress(bytes(archive.source.read(member.start, member.size)), LONGEST)
    except zlib.error as error:
        raise Refused(f"{name[:80]!r} can't be unpacked ({error})") from None
    if not unpack.eof:
        raise Refused(f"{name[:80]!r} is cut off, or longer than {LONGEST} bytes")
    if member.crc and zlib.crc32(found) != member.crc:
        raise Refused(f"{name[:80]!r} isn't what was written: its CRC-32 differs")
    return found


class Raw:
    """An object of a class of the file, as the pickle describes it."""

    __slots__ = ("name", "state")

    def __init__(self, name):
        self.name, self.state = name, None


class RawClass:
    """Such a class, by name."""

    def __init__(self, name):
        self.name = name


def _build(m, thing, state):
    m.pay(len(state) if isinstance(state, (dict, list, tuple)) else 1)
    thing.state = state


def _first(m, value, *rest):
    return value


LISTS = ("build_intlist", "build_tensorlist", "build_doublelist", "build_boollist", "restore_type_tag")


class TorchScriptFinder(Finder):
    """The names that such a pickle may say: those of any checkpoint, the file's own classes, and tags of types."""

    def __init__(self):
        super().__init__()
        self.calls, self.builds, self.found = dict(self.calls), {**self.builds, Raw: _build}, {}

    def __call__(self, name):
        space, _, own = name.rpartition(".")
        if name in self.found:
            return self.found[name]
        if name.startswith(ROOT + "."):
            made = RawClass(name)
            self.calls[id(made)] = lambda m, *args: Raw(name) if not args else _enum_value(name, args)
        elif space == "torch.jit._pickle" and own in LISTS:
            made = RawClass(name)
            self.calls[id(made)] = _first
        else:
            return super().__call__(name)
        self.found[name] = made
        return made


def _enum_value(name, args):
    made = Raw(name)
    made.state = args
    return made


class _Under:
    """An archive whose storages lie in another folder."""

    def __init__(self, archive, folder):
        self.archive, self.folder, self.source = archive, folder, archive.source

    def _moved(self, name):
        return f"{self.folder}/{name[5:]}" if name.startswith("data/") else name

    def __contains__(self, name):
        return self._moved(name) in self.archive

    def member(self, name):
        return self.archive.member(self._moved(name))

    def array(self, name):
        return self.archive.array(self._moved(name))

    def read(self, name):
        return self.archive.read(name)


class Layout:
    """What a class's text says of its objects: which attributes are parameters, buffers, constants."""

    def __init__(self):
        self.parameters, self.buffers, self.constants, self.fields, self.defaults = set(), set(), {}, [], {}
        self.members = {}


class File:
    """One file that is read."""

    def __init__(self, archive, map_location):
        self.archive, self.places = archive, Places(map_location)
        self.layouts, self.made = {}, {}

    def read(self):
        constants = self._pickle("constants", "constants")
        self.constants = [None] * len(constants)
        self.program = _language.Program(Aten(self.constants))
        for name in self.archive.members:
            if name.startswith("code/") and name.endswith(".py"):
                self._source(name)
        self.constants[:] = [self._value(value) for value in constants]
        self.program.build()
        found = self._value(self._pickle("data", "data"))
        if not isinstance(found, Module):
            raise _saved.damaged("what it holds is no module")
        return found

    def _pickle(self, name, folder):
        storages = ArchiveStorages(_Under(self.archive, folder), self.places, None)
        data = self.archive.read(f"{name}.pkl")
        return Machine(data, find=TorchScriptFinder(), stored=storages, whole=self.archive.source.size).run()

    # source

    def _source(self, name):
        text = _text(self.archive, name).decode("utf-8", "replace")
        space = name[len("code/"):-len(".py")].replace("/", ".")
        for node in _language.parse(text, name[:200]).body:
            if isinstance(node, ast.FunctionDef):
                self.program.define(node, f"{space}.{node.name}")
            elif isinstance(node, ast.ClassDef):
                self._class(node, f"{space}.{node.name}")
            elif not isinstance(node, (ast.Expr, ast.Pass, ast.Import)):
                raise Refused(f"{name[:80]} has a {type(node).__name__} outside of functions and classes", node)

    def _class(self, node, name):
        layout = self.layouts[name] = Layout()
        methods = {}
        for part in node.body:
            if isinstance(part, ast.FunctionDef):
                methods[part.name] = _language.Function(f"{node.name}.{part.name}", part, self.program)
            elif isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                layout.fields.append(part.target.id)
                if part.value is not None:
                    layout.constants[part.target.id] = self._constant(part.value)
            elif isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                self._assigned(layout, part.targets[0].id, part.value)
        base = node.bases[0].id if node.bases and isinstance(node.bases[0], ast.Name) else ""
        if base == "NamedTuple":
            fields = [_saved._identifier(f) for f in layout.fields]
            defaults = [layout.constants[f] for f in fields if f in layout.constants]
            made = TupleClass(node.name, collections.namedtuple(_saved._identifier(node.name), fields,
                                                                defaults=defaults))
        elif base == "Enum":
            members = {_saved._identifier(n): v for n, v in layout.members.items()}
            made = EnumClass(node.name, enum.Enum(_saved._identifier(node.name), members))
        else:
            made = FileClass(node.name, methods, constants=layout.constants)
        self.program.add_class(name, made)

    def _assigned(self, layout, name, value):
        if name in ("__parameters__", "__buffers__"):
            found = layout.parameters if name == "__parameters__" else layout.buffers
            found.update([e.value for e in value.elts if isinstance(e, ast.Constant)])
        elif not name.startswith("__"):
            layout.members[name] = self._constant(value)

    def _constant(self, node):
        """A constant that a class's text has: a literal, or a device."""
        for part in ast.walk(node):
            device = isinstance(part, ast.Call) and _language.dotted(part.func) == "torch.device"
            if not device and not isinstance(part, LITERAL):
                raise Refused(f"a constant of a class is a {type(part).__name__}", node)
        return _language.Maker(self.program, None, ()).expression(node)({})

    # values

    def _value(self, value):
        """What a pickled value is, objects of the file's classes included; without recursion into modules' depth."""
        return _Values(self).of(value)


class _Values:
    """Turns the raw objects of one pickle into values. What holds what is bounded by MOST_NESTED."""

    def __init__(self, file):
        self.file, self.made = file, file.made

    def of(self, value, depth=0):
        if depth > _saved.MOST_NESTED:
            raise Refused("objects stand too deep inside each other")
        kind = type(value)
        if kind in (list, tuple):
            parts = [self.of(v, depth + 1) for v in value]
            return parts if kind is list else tuple(parts)
        if kind is dict:
            return {self.of(k, depth + 1): self.of(v, depth + 1) for k, v in value.items()}
        if kind is not Raw:
            return value
        if id(value) not in self.made:
            self.made[id(value)] = None         # a module that holds itself
            self.made[id(value)] = (value, self._object(value, depth))
        found = self.made[id(value)]
        if found is None:
            raise Refused("an object holds itself")
        return found[1]

    def _object(self, raw, depth):
        cls = self.file.program.classes.get(raw.name)
        if cls is None:
            raise Refused(f"there is no class {raw.name[:80]!r}")
        if isinstance(cls, EnumClass):
            return cls.kind(*[self.of(v, depth + 1) for v in raw.state])
        if isinstance(cls, TupleClass):
            return cls.kind(*[self.of(v, depth + 1) for v in raw.state])
        layout = self.file.layouts[raw.name]
        is_module = "training" in layout.fields or layout.parameters or layout.buffers or "forward" in cls.methods
        state = raw.state if type(raw.state) is dict else {}
        values = {name: self.of(v, depth + 1) for name, v in state.items()}
        made = self._module(cls, layout, values) if is_module else self._instance(cls, values)
        if "__setstate__" in cls.methods and type(raw.state) is not dict:
            cls.methods["__setstate__"].run([made, self.of(raw.state, depth + 1)], {})
        return made

    def _instance(self, cls, values):
        made = Instance(cls)
        made.fields.update(values)
        return made

    def _module(self, cls, layout, values):
        made = _saved.Loaded.__new__(_saved.Loaded)
        Module.__setstate__(made, {**vars(Module()), "training": values.pop("training", True) is True,
                                   "_original_name": cls.name})
        own = vars(made)
        own["_script_class"], own["_attributes"] = cls, dict(layout.constants)
        values.pop("_is_full_backward_hook", None)
        for name, value in values.items():
            if isinstance(value, Module):
                own["_modules"][name] = value
            elif name in layout.parameters and isinstance(value, (Tensor, type(None))):
                own["_parameters"][name] = _parameter(value, self.made)
            elif name in layout.buffers and isinstance(value, (Tensor, type(None))):
                own["_buffers"][name] = value
            else:
                own["_attributes"][name] = value
        return made


def _parameter(value, made):
    """One Parameter for each tensor of the file, however many modules have it."""
    if value is None or isinstance(value, Parameter):
        return value
    found = made.get(("parameter", id(value)))
    if found is None:
        found = made[("parameter", id(value))] = (value, Parameter(value.detach(), value.requires_grad))
    return found[1]


def _refusal(what):
    from weft.core.errors import message  # only where something failed
    return message(f"jit.load: this TorchScript file can't be run here: {what}",
                   "export it anew with torch.jit.trace, or save torch.jit.load(path).state_dict() in PyTorch and "
                   "load that into a model which your program makes")
