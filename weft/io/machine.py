"""A machine for pickle's opcodes that can only build data.

Python's unpickler imports whatever a file names and calls it. This one knows no import: a name is looked up in a table
(`known.py`, and what the user allowed), a call is a call of an entry of that table, and everything else is building
containers.

What it allocates and what it does is bounded by the length of the stream: lengths are checked against what is left, and
everything that a few bytes can ask for is paid from one of three budgets:

- `pay`: elements that are copied, hashed or looked at again, two for each byte;
- `spend`: bytes of Python objects, which are larger than the instruction that makes them, 64 for each byte;
- `copy`: bytes of numbers that are copied, two for each byte of the whole file.

Keys whose hashes are alike make a dict slow, and numbers can be chosen so that they are: only a few may be.
"""
import struct
from collections import Counter, OrderedDict, defaultdict

from weft.core import device as devices
from weft.core import dtype as dtypes
from weft.core.size import Size
from weft.io.errors import CheckpointFileError, bad, cut
from weft.tensor.tensor import Tensor

LONGEST_NAME, LONGEST_INTEGER, LONGEST_KEY = 1000, 65536, 1000      # characters, bytes, elements
MOST_ARGUMENTS, MOST_OPEN, MOST_ALIKE = 16, 20_000, 64      # of a call; marks; keys with one hash
LONG_KEY, LARGE_KEY = 256, 2**60        # texts and integers from here on cost time to hash or can be alike
LIST, DICT, SET, TUPLE, ENTRY, MEMBER, ORDERED, NUMBERS = 112, 88, 240, 64, 80, 96, 160, 160   # bytes that each takes
MOST_CHAINED = 1000     # Python frees a defaultdict in a defaultdict by recursion, and crashes when there are too many
PLAIN = {str, bytes, int, float, bool, complex, type(None)}
DICTS = (dict, OrderedDict, Counter, defaultdict)
# Python 2's names
OLD_MODULES = {"__builtin__": "builtins", "copy_reg": "copyreg", "exceptions": "builtins"}
OLD_NAMES = {"builtins.unicode": "builtins.str", "builtins.long": "builtins.int"}


class _FromUser(Exception):
    """An error raised by a class or function that the user allowed; it's theirs to see as it is."""

    def __init__(self, error):
        self.error = error


def full_name(module, name):
    """The name by which the table knows a global."""
    found = f"{OLD_MODULES.get(module, module)}.{name}"
    return OLD_NAMES.get(found, found)


class Machine:
    """Runs one pickle in `data` from `at`; `find(name)` gives a global, `calls` what each may be called with,
    `stored(id)` a storage.
    """

    def __init__(self, data, at=0, *, find, stored, encoding="utf-8", whole=0):
        self.data, self.at, self.end = data, at, len(data)
        self.find, self.stored, self.encoding = find, stored, encoding
        self.stack, self.marks = [], []
        self.memo, self.apart = [], {}      # what is remembered: in order, as is usual, and under other numbers
        self.alike = {}                     # hash -> the key that has it, or the list of those that have
        self.chained = 0
        length = self.end - at
        self.left, self.room = 2 * length + 4096, 64 * length + (4 << 20)
        self.copies = 2 * max(length, whole) + 4096

    def run(self):
        """The object that the stream describes; `at` is then behind its end."""
        try:
            return self._run()
        except _FromUser as failure:
            raise failure.error from failure.error.__cause__
        except (CheckpointFileError, MemoryError):
            raise
        except Exception as error:
            raise bad(f"the pickle in it is damaged near byte {self.at} ({type(error).__name__}: "
                      f"{_short(error)})") from error

    def _run(self):
        data, end = self.data, self.end
        while self.at < end:
            code = data[self.at]
            self.at += 1
            if code == STOP:
                return self.stack.pop()
            row = TABLE[code]
            if row is None:
                raise bad(f"the pickle in it has the instruction {code} at byte {self.at - 1}, which no checkpoint "
                          f"needs")
            take, do = row
            if take is None:
                do(self)
            else:
                do(self, take(self))
        raise cut("the pickle in it ends before its last instruction")

    # reading arguments

    def take(self, n):
        """The next n bytes."""
        start, stop = self.at, self.at + n
        if stop > self.end:
            raise cut(f"the pickle in it says that {n} bytes follow byte {start}, but there are {self.end - start}")
        self.at = stop
        return self.data[start:stop]

    def line(self):
        stop = self.data.find(b"\n", self.at, self.at + LONGEST_NAME)
        if stop < 0:
            if self.end - self.at < LONGEST_NAME:
                raise cut("the pickle in it ends in the middle of a name")
            raise bad(f"the pickle in it has a name without an end at byte {self.at}")
        found = bytes(self.data[self.at:stop])
        self.at = stop + 1
        return found.decode("utf-8", "replace")

    def pay(self, n):
        """Take n elements from the budget of copies and hashes."""
        self.left -= n
        if self.left < 0:
            raise _bomb()

    def spend(self, n):
        """Take n bytes of objects from their budget."""
        self.room -= n
        if self.room < 0:
            raise _bomb()

    def copy(self, n):
        """Take n bytes of numbers from their budget."""
        self.copies -= n
        if self.copies < 0:
            raise _bomb()

    # the stack

    def items(self):
        """What stands above the last mark."""
        found, self.stack = self.stack, self.marks.pop()
        return found

    def key(self, key):
        """A key of a dict or member of a set, if hashing it is quick and runs no foreign code."""
        kind = type(key)
        if kind is str or kind is bytes:
            if len(key) > LONG_KEY:
                self.pay(len(key) >> 4)
            return key
        if kind is int:
            if -LARGE_KEY < key < LARGE_KEY:
                return key
            self.pay(key.bit_length() >> 8)
        elif kind in PLAIN:
            if kind is not float and kind is not complex:
                return key
        elif kind in (tuple, Size):
            if self._tuple_key(key):        # of texts: their hashes can't be chosen
                return key
        elif kind is frozenset:
            self.pay(len(key))
            if any(type(member) not in PLAIN for member in key):
                raise bad("it has a set of sets as a key")
        elif isinstance(key, (dtypes.dtype, devices.device, Tensor)) or self.allowed(kind):
            return key
        else:
            raise bad(f"it has a {kind.__name__} as a key")
        self._unlike(key)
        return key

    def _tuple_key(self, key):
        """Check a tuple; whether it is of texts only."""
        pending, count, texts = [key], 0, True
        while pending:
            for member in pending.pop():
                count += 1
                kind = type(member)
                if kind is str or kind is bytes:
                    count += len(member) >> 8
                elif kind in (tuple, Size):
                    pending.append(member)
                elif kind in PLAIN:
                    texts = False
                    if kind is int:
                        count += member.bit_length() >> 8
                elif not isinstance(member, (dtypes.dtype, devices.device)):
                    raise bad(f"it has a tuple with a {kind.__name__} in it as a key")
                if count > LONGEST_KEY:
                    raise bad(f"it has a tuple of more than {LONGEST_KEY} elements as a key")
        if count > 8:
            self.pay(count)
        return texts

    def _unlike(self, key):
        """Refuse keys that were chosen to have one hash: each new one would be compared with all that came before."""
        code = hash(key)
        first = self.alike.setdefault(code, key)
        if first is key:
            return
        if type(first) is not list:
            if first == key:
                return
            self.alike[code] = first = [first]      # a list is no key itself
        if key not in first:
            first.append(key)
            if len(first) > MOST_ALIKE:
                raise bad(f"it has more than {MOST_ALIKE} different keys with the same hash, which makes a dict slow",
                          "don't use this file: it was made to keep the program busy")

    def allowed(self, thing):
        """Whether the user allowed a class or function."""
        return any(thing is one for one in self.find.user.values())

    # what instructions do

    def push_global(self, module, name):
        if type(module) is not str or type(name) is not str or len(module) + len(name) > LONGEST_NAME:
            raise bad("it names a global by something that isn't a name")
        self.stack.append(self.find(full_name(module, name)))

    def call(self, function, args):
        """A call of something in the table, or of what the user allowed."""
        if type(args) is not tuple:
            raise bad(f"it calls something with a {type(args).__name__} instead of a tuple of arguments")
        if len(args) > MOST_ARGUMENTS:      # they are unpacked for every call, and a call may be of few bytes
            self.pay(len(args))
        known = self.find.calls.get(id(function))
        if known is not None:
            return known(self, *args)
        if self.allowed(function):
            self.spend(DICT + SET)
            return _guarded(function, *args)
        raise bad(f"it calls {_name_of(function)}, which is not a function that rebuilds data", "don't trust this file")

    def new(self, cls, args, options=None):
        """An instance as `cls.__new__` makes it, for the classes in the table and those that the user allowed."""
        if type(args) is not tuple or options is not None and type(options) is not dict:
            raise bad("it makes an object with something that isn't a tuple of arguments")
        self.pay(len(args) // MOST_ARGUMENTS * MOST_ARGUMENTS + len(options or ()))
        known = self.find.calls.get(id(cls))
        if known is not None and not options:
            return known(self, *args)
        if isinstance(cls, type) and (self.allowed(cls) or self.find.is_layer(cls)):
            self.spend(DICT + SET)
            return _guarded(cls.__new__, cls, *args, **(options or {}))
        raise bad(f"it makes a {_name_of(cls)}, which is not a class that holds data", "don't trust this file")

    def build(self, state):
        """Give the object on top of the stack its state."""
        thing = self.stack[-1]
        known = self.find.builds.get(type(thing))
        if known is not None:
            known(self, thing, state)
        elif self.allowed(type(thing)):
            _guarded(_set_state, thing, state)
        elif self.find.is_layer(type(thing)):
            self.find.build_layer(self, thing, state)
        else:
            raise bad(f"it gives a state to a {type(thing).__name__}, which has none", "don't trust this file")

    def extend(self, items):
        target = self.stack[-1]
        if type(target) is list:
            target.extend(items)
        elif self.allowed(type(target)):
            _guarded(_extend, target, items)
        else:
            raise bad(f"it appends to a {type(target).__name__}")

    def set_items(self, items):
        target = self.stack[-1]
        if len(items) % 2:
            raise bad("it has a key without a value")
        if type(target) not in DICTS and not self.allowed(type(target)):
            raise bad(f"it sets items of a {type(target).__name__}")
        self.spend(ENTRY * (len(items) // 2 + 1))
        pairs = [(self.key(items[i]), items[i + 1]) for i in range(0, len(items), 2)]
        if type(target) is defaultdict:
            self.chain([value for _, value in pairs])
        if type(target) in DICTS:
            for key, value in pairs:
                target[key] = value
        else:
            _guarded(_set_items, target, pairs)

    def chain(self, values):
        """Count the defaultdicts among the values of one."""
        self.chained += sum([type(value) is defaultdict for value in values])
        if self.chained > MOST_CHAINED:
            raise bad("it has a defaultdict in a defaultdict in a defaultdict, too deep for Python to free",
                      "don't use this file")

    def make_set(self, kind, items):
        self.pay(len(items))
        self.spend(SET + MEMBER * len(items))
        return kind([self.key(item) for item in items])

    def persist(self):
        self.room -= NUMBERS
        if self.room < 0:
            raise _bomb()
        self.stack.append(self.stored(self.stack.pop()))

    def remember(self, index):
        memo = self.memo
        if index == len(memo):
            memo.append(self.stack[-1])
        elif index < len(memo):
            memo[index] = self.stack[-1]
        else:
            self.spend(ENTRY + TUPLE)
            self.apart[index] = self.stack[-1]

    def recall(self, index):
        try:
            self.stack.append(self.memo[index])
        except IndexError:
            self.stack.append(self.apart[index])


def _bomb():
    return bad("it is built to expand to much more than it holds (the same data is copied again and again, or a few "
               "bytes make large objects)", "don't use this file: it was made to exhaust memory or time")


def _short(error):
    text = str(error)
    return text if len(text) <= 200 else text[:197] + "..."


def _name_of(thing):
    return f"{thing.__module__}.{thing.__qualname__}" if hasattr(thing, "__qualname__") else f"a {type(thing).__name__}"


def _guarded(function, *args, **options):
    try:
        return function(*args, **options)
    except Exception as error:
        raise _FromUser(error) from error


def _set_state(thing, state):
    """What Python's unpickler does with a state."""
    setter = getattr(thing, "__setstate__", None)
    if setter is not None:
        setter(state)
        return
    slots = None
    if isinstance(state, tuple) and len(state) == 2:
        state, slots = state
    if state:
        vars(thing).update(state)
    for name, value in (slots or {}).items():
        setattr(thing, name, value)


def _extend(target, items):
    for item in items:
        target.append(item)


def _set_items(target, items):
    for key, value in items:
        target[key] = value


# the instructions: how an argument is read, and what is done

def _number(layout):
    size, unpack = struct.calcsize(layout), struct.Struct(layout).unpack
    return lambda m: unpack(m.take(size))[0]


def _counted(layout):
    """Bytes behind their number."""
    length = _number(layout)

    def take(m):
        n = length(m)
        if n < 0:
            raise bad("the pickle in it has a negative length")
        return bytes(m.take(n))
    return take


def _integer(m, data):
    if len(data) > LONGEST_INTEGER:
        raise bad(f"the pickle in it has an integer of {len(data)} bytes")
    m.stack.append(int.from_bytes(data, "little", signed=True))


def _old_string(m, data):
    m.stack.append(data if m.encoding == "bytes" else data.decode(m.encoding))


def _text(m, data):
    m.stack.append(data.decode("utf-8", "surrogatepass"))


def _push(m, value):
    m.stack.append(value)


def _mark(m):
    if len(m.marks) >= MOST_OPEN:
        raise bad(f"the pickle in it opens more than {MOST_OPEN} containers in one another")
    m.marks.append(m.stack)
    m.stack = []


def _empty_list(m):
    m.spend(LIST)
    m.stack.append([])


def _empty_dict(m):
    m.spend(DICT)
    m.stack.append({})


def _empty_set(m):
    m.spend(SET)
    m.stack.append(set())


def _tuple_of(n):
    def do(m):
        if len(m.stack) < n:
            raise bad("the pickle in it takes more from the stack than there is")
        m.room -= TUPLE         # `spend`, where it is asked for most often
        if m.room < 0:
            raise _bomb()
        m.stack[-n:] = [tuple(m.stack[-n:])]
    return do


def _tuple(m):
    found = m.items()
    m.room -= TUPLE
    if m.room < 0:
        raise _bomb()
    m.stack.append(tuple(found))


def _list(m):
    found = m.items()
    m.spend(LIST)
    m.stack.append(found)


def _dict(m):
    found = m.items()
    _empty_dict(m)
    m.set_items(found)


def _set_item(m):
    value = m.stack.pop()
    key = m.stack.pop()
    m.set_items([key, value])


def _append(m):
    m.extend([m.stack.pop()])


def _add_items(m):
    found = m.items()
    if type(m.stack[-1]) is not set:
        raise bad(f"it adds members to a {type(m.stack[-1]).__name__}")
    m.stack[-1].update(m.make_set(list, found))


def _frozen_set(m):
    found = m.items()
    m.stack.append(m.make_set(frozenset, found))


def _stack_global(m):
    name = m.stack.pop()
    m.push_global(m.stack.pop(), name)


def _line_global(m):
    module = m.line()
    m.push_global(module, m.line())


def _reduce(m):
    args = m.stack.pop()
    m.stack[-1] = m.call(m.stack[-1], args)


def _new(m):
    args = m.stack.pop()
    m.stack[-1] = m.new(m.stack[-1], args)


def _new_ex(m):
    options = m.stack.pop()
    args = m.stack.pop()
    m.stack[-1] = m.new(m.stack[-1], args, options)


def _build(m):
    state = m.stack.pop()
    m.build(state)


def _pop(m):
    if m.stack:
        m.stack.pop()
    else:
        m.items()


def _protocol(m, version):
    if version > 5:
        raise bad(f"it is a pickle of protocol {version}; 2 to 5 are known", "save it with protocol 2")


STOP = ord(".")
TABLE = [None] * 256


def _fill(rows):
    for code, take, do in rows:
        TABLE[ord(code) if isinstance(code, str) else code] = (take, do)


_u1, _u2, _u4, _u8 = map(_number, ("<B", "<H", "<I", "<Q"))
_fill([
    (0x80, _u1, _protocol), (0x95, _u8, lambda m, n: None), ("(", None, _mark), ("0", None, _pop),
    ("1", None, lambda m: m.items()), ("2", None, lambda m: m.stack.append(m.stack[-1])),
    ("N", None, lambda m: m.stack.append(None)), (0x88, None, lambda m: m.stack.append(True)),
    (0x89, None, lambda m: m.stack.append(False)), ("K", _u1, _push), ("M", _u2, _push), ("J", _number("<i"), _push),
    ("G", _number(">d"), _push), (0x8a, _counted("<B"), _integer), (0x8b, _counted("<i"), _integer),
    ("X", _counted("<I"), _text), (0x8c, _counted("<B"), _text), (0x8d, _counted("<Q"), _text),
    ("U", _counted("<B"), _old_string), ("T", _counted("<i"), _old_string),
    ("C", _counted("<B"), _push), ("B", _counted("<I"), _push), (0x8e, _counted("<Q"), _push),
    (0x96, _counted("<Q"), lambda m, data: m.stack.append(bytearray(data))),
    (")", None, lambda m: m.stack.append(())), (0x85, None, _tuple_of(1)), (0x86, None, _tuple_of(2)),
    (0x87, None, _tuple_of(3)), ("t", None, _tuple), ("]", None, _empty_list), ("l", None, _list),
    ("a", None, _append), ("e", None, lambda m: m.extend(m.items())),
    ("}", None, _empty_dict), ("d", None, _dict), ("s", None, _set_item),
    ("u", None, lambda m: m.set_items(m.items())), (0x8f, None, _empty_set),
    (0x90, None, _add_items), (0x91, None, _frozen_set), ("h", _u1, Machine.recall),
    ("j", _u4, Machine.recall), ("q", _u1, Machine.remember), ("r", _u4, Machine.remember),
    (0x94, None, lambda m: m.remember(len(m.memo) + len(m.apart))), ("c", None, _line_global),
    (0x93, None, _stack_global),
    ("R", None, _reduce), (0x81, None, _new), (0x92, None, _new_ex), ("b", None, _build), ("Q", None, Machine.persist),
])
