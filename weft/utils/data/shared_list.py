"""Lists that forked workers read without writing to them.

A forked process shares its parent's memory until one of them writes to it. Merely looking at a Python object writes:
its count of references is part of it. So a worker that walks through a list of a million strings ends up with a copy of
them all. A SharedList reads the original objects without counting, and gives new ones with the same contents.
"""
import collections.abc
import copy
import ctypes
import operator
import sys

LONG = 10_000               # a list this long in a dataset is shared
PLAIN = (str, bytes, int, float, bool, type(None))

READABLE = sys.implementation.name == "cpython"      # elsewhere lists stay as they are


def _function(name, result, *arguments):
    made = getattr(ctypes.pythonapi, name)
    # an own prototype: those of ctypes.pythonapi belong to everybody
    return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(made, ctypes.c_void_p).value)


if READABLE:
    _address, _place, _new = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.py_object
    _item = _function("PyList_GetItem", _address, _address, _place)          # borrowed: nothing is counted
    _tuple_item = _function("PyTuple_GetItem", _address, _address, _place)
    _tuple_size = _function("PyTuple_Size", _place, _address)
    _encoded = _function("PyUnicode_AsEncodedString", _new, _address, ctypes.c_char_p, ctypes.c_char_p)
    _bytes_start = _function("PyBytes_AsString", _address, _address)
    _bytes_size = _function("PyBytes_Size", _place, _address)
    _int = _function("PyLong_AsLongLongAndOverflow", ctypes.c_longlong, _address, ctypes.POINTER(ctypes.c_int))
    _float = _function("PyFloat_AsDouble", ctypes.c_double, _address)
    _type_at = object.__basicsize__ - ctypes.sizeof(ctypes.c_void_p)         # an object ends with its type
    STR, BYTES, INT, FLOAT, TUPLE = id(str), id(bytes), id(int), id(float), id(tuple)
    SINGLES = {id(value): value for value in (None, True, False)}
    _overflow = ctypes.c_int()


class _CannotCopy(Exception):
    """Not an object of the few immutable types."""


def _copy(address):
    """A new object equal to the one at an address, which is not written to."""
    if address in SINGLES:
        return SINGLES[address]
    kind = ctypes.c_void_p.from_address(address + _type_at).value
    if kind == STR:
        return _encoded(address, b"utf-8", b"surrogatepass").decode("utf-8", "surrogatepass")
    if kind == INT:
        value = _int(address, ctypes.byref(_overflow))
        if not _overflow.value:
            return value
    if kind == TUPLE:
        return tuple([_copy(_tuple_item(address, i)) for i in range(_tuple_size(address))])
    if kind == FLOAT:
        return _float(address)
    if kind == BYTES:
        return ctypes.string_at(_bytes_start(address), _bytes_size(address))
    raise _CannotCopy


class SharedList(collections.abc.MutableSequence):
    """A list for reading, whose original is left untouched; the first change makes it a list of its own."""

    __slots__ = ("_original", "_address", "_length", "_own")

    def __init__(self, original):
        self._original, self._own = original, None
        self._address, self._length = id(original), len(original)

    @property
    def __class__(self):        # isinstance(names, list) holds as it did
        return list

    def _read(self, i):
        try:
            return _copy(_item(self._address, i))
        except _CannotCopy:
            return self._original[i]

    def _mine(self):
        """The list to change."""
        if self._own is None:
            self._own = list(self)
            self._length = None
        return self._own

    # reading

    def __len__(self):
        return self._length if self._own is None else len(self._own)

    def __getitem__(self, index):
        if self._own is not None:
            return self._own[index]
        if isinstance(index, slice):
            return [self._read(i) for i in range(*index.indices(self._length))]
        i = operator.index(index)
        i = i + self._length if i < 0 else i
        if not 0 <= i < self._length:
            raise IndexError("list index out of range")
        return self._read(i)

    def __iter__(self):
        i = 0
        while i < len(self):
            yield self[i]
            i += 1

    def copy(self):
        return list(self)

    # searching goes through the original: it is quick, and who does it wants that more than the memory

    def _searched(self):
        return self._original if self._own is None else self._own

    def __contains__(self, value):
        return value in self._searched()

    def index(self, value, *between):
        return self._searched().index(value, *between)

    def count(self, value):
        return self._searched().count(value)

    def __eq__(self, other):
        return (len(self) == len(other) and all(a == b for a, b in zip(self, other)) if isinstance(other, list)
                else NotImplemented)

    def __lt__(self, other):
        return list(self) < list(other)

    def __gt__(self, other):
        return list(self) > list(other)

    def __le__(self, other):
        return list(self) <= list(other)

    def __ge__(self, other):
        return list(self) >= list(other)

    __hash__ = None

    def __add__(self, other):
        return list(self) + list(other) if isinstance(other, list) else NotImplemented

    def __radd__(self, other):
        return list(other) + list(self) if isinstance(other, list) else NotImplemented

    def __mul__(self, times):
        return list(self) * times

    __rmul__ = __mul__

    def __repr__(self):
        return repr(list(self))

    def __reduce__(self):
        return list, (list(self),)

    def __copy__(self):
        return list(self)

    def __deepcopy__(self, memo):
        return copy.deepcopy(list(self), memo)

    # changing

    def __setitem__(self, index, value):
        self._mine()[index] = value

    def __delitem__(self, index):
        del self._mine()[index]

    def insert(self, index, value):
        self._mine().insert(index, value)

    def sort(self, *, key=None, reverse=False):
        self._mine().sort(key=key, reverse=reverse)

    def reverse(self):
        self._mine().reverse()

    def clear(self):
        self._own = []

    def __imul__(self, times):
        self._own = self._mine() * times
        return self


# where a dataset has such lists

def worth_sharing(value):
    """Whether a value is a long list that starts with objects which can be read without counting."""
    return type(value) is list and len(value) >= LONG and _simple(value[0])


def _simple(value):
    return all(map(_simple, value)) if type(value) is tuple else type(value) in PLAIN


def share_lists(dataset):
    """The dataset with SharedLists in the place of its long lists, those of datasets inside it too. For a forked
    worker's copy.
    """
    if not READABLE:
        return dataset
    if worth_sharing(dataset):
        return SharedList(dataset)
    seen, todo = set(), [dataset]
    while todo:
        holder = todo.pop()
        if id(holder) in seen:
            continue
        seen.add(id(holder))
        for name, value in _parts(holder):
            if worth_sharing(value):
                _replace(holder, name, SharedList(value))
            elif _may_hold(value):
                todo.append(value)
    return dataset


def _parts(holder):
    if type(holder) is dict:
        return list(holder.items())
    if type(holder) in (list, tuple):
        return list(enumerate(holder)) if len(holder) <= 64 else []
    return list(getattr(holder, "__dict__", {}).items())


def _may_hold(value):
    """Whether to look inside: small containers, and objects of ordinary classes that stand for data."""
    if type(value) in (dict, list, tuple):
        return len(value) <= 64
    return (hasattr(value, "__getitem__") and isinstance(getattr(value, "__dict__", None), dict)
            and not isinstance(value, type))


def _replace(holder, name, value):
    if type(holder) in (dict, list):
        holder[name] = value
    elif type(holder) is not tuple:
        vars(holder)[name] = value
