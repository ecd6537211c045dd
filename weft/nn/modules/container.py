"""Modules that hold others: in a row, a list, a dict; and the same for parameters."""
import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from itertools import chain, islice

from weft.nn.edits import EDITS
from weft.nn.module import Module
from weft.nn.parameter import Parameter
from weft.ops.core.samples import built
from weft.tensor.tensor import Tensor

__all__ = ("ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential",)


def _place(index, n, who):
    """An index counted from the front, checked."""
    index = operator.index(index)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range\n  fix: {who} has {n} entries")
    return index % n


class Sequential(Module):
    """Modules called one after the other, each with the last one's output.

    Shape: what the first module takes -> what the last one gives.

    >>> import weft
    >>> from weft import nn
    >>> nn.Sequential(nn.Linear(3, 4), nn.ReLU())(weft.zeros(2, 3)).shape
    torch.Size([2, 4])
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def _key(self, index):
        return next(islice(self._modules, _place(index, len(self), "it"), None))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        self._renumber(list(self._modules.values()))

    def _renumber(self, modules):
        self._modules = {str(i): module for i, module in enumerate(modules)}
        EDITS.count += 1

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def __add__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(list(other))

    def __mul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*list(self) * times)

    __rmul__ = __mul__

    def __imul__(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return self.extend(list(self) * (times - 1))

    def append(self, module):
        """Add a module at the end.

        >>> import weft
        >>> net = weft.nn.Sequential(weft.nn.Linear(2, 1))
        >>> len(net.append(weft.nn.ReLU()))
        2
        """
        self.add_module(str(len(self)), module)
        return self

    def extend(self, sequential):
        """Add several at the end.

        >>> import weft
        >>> net = weft.nn.Sequential(weft.nn.Linear(2, 1))
        >>> len(net.extend([weft.nn.ReLU(), weft.nn.ReLU()]))
        3
        """
        for module in list(sequential):
            self.append(module)
        return self

    def insert(self, index, module):
        """Put a module in before position `index`.

        >>> import weft
        >>> net = weft.nn.Sequential(weft.nn.Linear(2, 1))
        >>> net.insert(0, weft.nn.ReLU())[0]
        ReLU()
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        n = len(self)
        if not -n <= index <= n:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index % n if n and index < 0 else index, module)
        self._renumber(modules)
        return self

    def pop(self, key):
        """Take a module out.

        >>> import weft
        >>> weft.nn.Sequential(weft.nn.ReLU()).pop(0)
        ReLU()
        """
        module = self[key]
        del self[key]
        return module

    _samples = [((built(lambda torch: torch.nn.Linear(3, 2)), built(lambda torch: torch.nn.Tanh())), {}, [(2, 3)]),
                ((built(lambda torch: OrderedDict(first=torch.nn.Linear(2, 2), last=torch.nn.Dropout(0.5))),), {},
                 [(4, 2)]), ((), {}, [(2,)])]


class ModuleList(Module):
    """A list of modules, whose parameters are found.

    >>> import weft
    >>> net = weft.nn.ModuleList([weft.nn.Linear(2, 3), weft.nn.ReLU()])
    >>> len(net), net[1]
    (2, ReLU())
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _key(self, index):
        return str(_place(index, len(self), "the list"))

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(list(self._modules.values())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        self._modules = {str(i): module for i, module in enumerate(self._modules.values())}
        EDITS.count += 1

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return type(self)(chain(self, other))

    def __repr__(self):
        """Runs of equal modules in one line: (0-2): 3 x Linear(...)."""
        groups = []
        for i, text in enumerate(map(repr, self)):
            if groups and groups[-1][2] == text:
                groups[-1][1] = i
            else:
                groups.append([i, i, text])
        if not groups:
            return self._get_name() + "()"
        lines = [f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}" for a, b, text in groups]
        return f"{self._get_name()}(\n  " + "\n  ".join(line.replace("\n", "\n  ") for line in lines) + "\n)"

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def insert(self, index, module):
        """Put a module in before position `index`.

        >>> import weft
        >>> net = weft.nn.ModuleList()
        >>> net.insert(0, weft.nn.ReLU())
        >>> len(net)
        1
        """
        modules = list(self)
        modules.insert(index, module)
        for i, each in enumerate(modules):
            self._modules[str(i)] = each
        EDITS.count += 1

    def append(self, module):
        """Add a module at the end.

        >>> import weft
        >>> len(weft.nn.ModuleList().append(weft.nn.ReLU()))
        1
        """
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Take a module out.

        >>> import weft
        >>> weft.nn.ModuleList([weft.nn.ReLU()]).pop(0)
        ReLU()
        """
        module = self[key]
        del self[key]
        return module

    def extend(self, modules):
        """Add several at the end.

        >>> import weft
        >>> len(weft.nn.ModuleList().extend([weft.nn.ReLU()]))
        1
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    _samples = [((built(lambda torch: [torch.nn.Linear(2, 3), torch.nn.Linear(2, 3), torch.nn.ReLU()]),), {}, None),
                ((), {}, None)]


class ModuleDict(Module):
    """A dict of modules, whose parameters are found.

    >>> import weft
    >>> net = weft.nn.ModuleDict({'first': weft.nn.Linear(2, 3)})
    >>> list(net), net['first'].out_features
    (['first'], 3)
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        if key not in self._modules:
            raise KeyError(key)
        delattr(self, key)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Remove all.

        >>> import weft
        >>> net = weft.nn.ModuleDict({'act': weft.nn.ReLU()})
        >>> net.clear()
        >>> len(net)
        0
        """
        self._modules.clear()
        EDITS.count += 1

    def pop(self, key):
        """Take a module out.

        >>> import weft
        >>> net = weft.nn.ModuleDict({'act': weft.nn.ReLU()})
        >>> net.pop('act')
        ReLU()
        """
        module = self[key]
        del self[key]
        return module

    def keys(self):
        """The names.

        >>> import weft
        >>> net = weft.nn.ModuleDict({'act': weft.nn.ReLU()})
        >>> list(net.keys())
        ['act']
        """
        return self._modules.keys()

    def items(self):
        """(name, module) pairs.

        >>> import weft
        >>> net = weft.nn.ModuleDict({'act': weft.nn.ReLU()})
        >>> list(net.items())
        [('act', ReLU())]
        """
        return self._modules.items()

    def values(self):
        """The modules.

        >>> import weft
        >>> net = weft.nn.ModuleDict({'act': weft.nn.ReLU()})
        >>> list(net.values())
        [ReLU()]
        """
        return self._modules.values()

    def update(self, modules):
        """Add all of a mapping, or of (name, module) pairs.

        >>> import weft
        >>> net = weft.nn.ModuleDict({'act': weft.nn.ReLU()})
        >>> net.update({'other': weft.nn.Tanh()})
        >>> len(net)
        2
        """
        for key, module in _pairs(modules, "ModuleDict"):
            self[key] = module

    _samples = [((built(lambda torch: {"a": torch.nn.Linear(2, 3), "b": torch.nn.BatchNorm1d(2)}),), {}, None),
                ((), {}, None)]


def _pairs(given, who):
    if not isinstance(given, Iterable):
        raise TypeError(f"{who}.update should be called with an iterable of key/value pairs, but got "
                        f"{type(given).__name__}")
    if hasattr(given, "items"):
        return list(given.items())
    pairs = []
    for i, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{who} update sequence element #{i} should be Iterable; is {type(pair).__name__}")
        pair = tuple(pair)
        if len(pair) != 2:
            raise ValueError(f"{who} update sequence element #{i} has length {len(pair)}; 2 is required")
        pairs.append(pair)
    return pairs


class ParameterList(Module):
    """A list of parameters (tensors become parameters, other values stay what they are).

    >>> import weft
    >>> len(weft.nn.ParameterList([weft.ones(2), weft.zeros(3)]))
    2
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)([self[i] for i in range(*index.indices(len(self)))])
        return getattr(self, str(_place(index, len(self), "the list")))

    def __setitem__(self, index, value):
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(_place(index, len(self), "the list")), value)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter([self[i] for i in range(len(self))])

    def __iadd__(self, values):
        return self.extend(values)

    def __dir__(self):
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value):
        """Add a value at the end.

        >>> import weft
        >>> weights = weft.nn.ParameterList([weft.ones(1)])
        >>> len(weights.append(weft.zeros(2)))
        2
        """
        self._size += 1
        self[len(self) - 1] = value
        return self

    def extend(self, values):
        """Add several at the end.

        >>> import weft
        >>> weights = weft.nn.ParameterList([weft.ones(1)])
        >>> len(weights.extend([weft.zeros(2), weft.zeros(3)]))
        3
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({i}): " + _described(value, lambda t: t.dtype) for i, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")

    _samples = [((built(lambda torch: [torch.ones(2, 3), torch.zeros(1)]),), {}, None), ((), {}, None)]


def _described(value, type_of):
    """A line about a value; of tensors, PyTorch's lists show the dtype and its dicts the old name of the type."""
    if isinstance(value, Tensor):
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{kind} containing: [{type_of(value)} of size {'x'.join(map(str, value.shape))}]"
    return f"Object of type: {type(value).__name__}"


class ParameterDict(Module):
    """A dict of parameters (tensors become parameters, other values stay what they are).

    >>> import weft
    >>> list(weft.nn.ParameterDict({'a': weft.ones(2)}))
    ['a']
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key):
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                            f"'{type(key).__name__}'). "
                            "Open an issue on github if you need non-string keys.")
        return key

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, self._attribute(key))

    def __setitem__(self, key, value):
        self._keys[key] = None
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, self._attribute(key), value)

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._attribute(key))

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(list(self._keys))

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A dict of the same values.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1)})
        >>> weights.copy()["a"] is weights["a"]
        True
        """
        return ParameterDict(OrderedDict((k, self[k]) for k in self._keys))

    def setdefault(self, key, default=None):
        """The value of a key, set to `default` if it isn't there.

        >>> import weft
        >>> weights = weft.nn.ParameterDict()
        >>> weights.setdefault("a", weft.ones(2)).tolist()
        [1.0, 1.0]
        """
        if key not in self._keys:
            self[key] = default
        return self[key]

    def clear(self):
        """Remove all.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1)})
        >>> weights.clear()
        >>> len(weights)
        0
        """
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Take a value out.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1)})
        >>> weights.pop("a").tolist(), len(weights)
        ([1.0], 0)
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Take the last pair out.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1), "b": weft.zeros(2)})
        >>> weights.popitem()[0], len(weights)
        ('b', 1)
        """
        key, _ = self._keys.popitem()
        value = self.__dict__.get(key, self._parameters.get(key))
        delattr(self, key)
        return key, value

    def get(self, key, default=None):
        """The value of a key, or `default`.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1)})
        >>> weights.get("a").tolist(), weights.get("b")
        ([1.0], None)
        """
        return self[key] if key in self else default

    def fromkeys(self, keys, default=None):
        """A new dict of these keys.

        >>> import weft
        >>> weft.nn.ParameterDict().fromkeys(["a", "b"], weft.ones(1)).keys()
        dict_keys(['a', 'b'])
        """
        return ParameterDict((k, default) for k in keys)

    def keys(self):
        """The names.

        >>> import weft
        >>> list(weft.nn.ParameterDict({"a": weft.ones(1), "b": weft.zeros(2)}).keys())
        ['a', 'b']
        """
        return self._keys.keys()

    def items(self):
        """(name, value) pairs.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1), "b": weft.zeros(2)})
        >>> [(name, tuple(p.shape)) for name, p in weights.items()]
        [('a', (1,)), ('b', (2,))]
        """
        return [(k, self[k]) for k in self._keys]

    def values(self):
        """The values.

        >>> import weft
        >>> [p.tolist() for p in weft.nn.ParameterDict({"a": weft.ones(1)}).values()]
        [[1.0]]
        """
        return [self[k] for k in self._keys]

    def update(self, parameters):
        """Add all of a mapping, or of (name, value) pairs.

        >>> import weft
        >>> weights = weft.nn.ParameterDict({"a": weft.ones(1)})
        >>> weights.update({"b": weft.zeros(2)})
        >>> list(weights.keys())
        ['a', 'b']
        """
        pairs = _pairs(parameters, "ParameterDict")
        ordered = isinstance(parameters, (OrderedDict, ParameterDict)) or not isinstance(parameters, Mapping)
        for key, value in pairs if ordered else sorted(pairs):
            self[key] = value

    def extra_repr(self):
        return "\n".join(f"  ({k}): " + _described(value, Tensor.type) for k, value in self.items())

    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other):
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other):
        self.update(other)
        return self

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterDict should not be called.")

    _samples = [((built(lambda torch: {"b": torch.ones(2, 3), "a": torch.zeros(1)}),), {}, None), ((), {}, None)]
