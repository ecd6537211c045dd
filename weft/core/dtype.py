"""The element types, and the rules by which they combine."""
import functools

import numpy as np

_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}   # bool < integer < floating < complex


class dtype:
    """An element type, such as `weft.float32`.

    >>> import weft
    >>> weft.float32
    torch.float32
    >>> weft.float32.itemsize, weft.float32.is_floating_point, weft.complex64.is_complex
    (4, True, True)
    """

    def __init__(self, name, np_dtype, *aliases):
        self.name = name
        self.np = np_dtype
        self.aliases = aliases
        self.itemsize = np_dtype.itemsize if np_dtype is not None else 1 if name.startswith("float8") else 2
        kind = "f" if np_dtype is None else np_dtype.kind
        self.category = _CATEGORY[kind]
        self.is_floating_point = kind == "f"
        self.is_complex = kind == "c"
        self.is_signed = bool(kind not in "ub" and name != "float8_e8m0fnu")
        self.is_half = name in ("float16", "bfloat16")

    def to_complex(self):
        """The complex type whose parts have this type's precision.

        >>> import weft
        >>> weft.float32.to_complex()
        torch.complex64
        """
        return {"float64": complex128, "complex128": complex128}.get(self.name, complex64)

    def to_real(self):
        """The real type of this complex type's parts; a real type is its own.

        >>> import weft
        >>> weft.complex64.to_real()
        torch.float32
        """
        return {"complex64": float32, "complex128": float64}.get(self.name, self)

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return self.name if type(self).__module__ == "torch" else (_by_name, (self.name,))      # as PyTorch's there

    def __deepcopy__(self, memo):
        return self

    def __copy__(self):
        return self


def _by_name(name):
    return BY_NAME[name]


class _LazyBFloat16(dtype):
    """bfloat16 lives in ml_dtypes, which is imported when first asked for."""

    @property
    def np(self):
        return _bfloat16_np()

    @np.setter
    def np(self, value):
        pass


class _LazyFloat8(dtype):
    """Types of one byte, for storage, from ml_dtypes, too; what is computed is computed in another type."""

    @property
    def np(self):
        import ml_dtypes  # heavy, only for these
        found = np.dtype(getattr(ml_dtypes, self.name))
        BY_NUMPY[found] = self
        return found

    @np.setter
    def np(self, value):
        pass


class _NameOnly(dtype):
    """A type that programs compare with, and of which no tensor can be made."""

    def __init__(self, name, itemsize, is_complex, *aliases):
        self.name, self.itemsize, self.aliases = name, itemsize, aliases
        self.category = _CATEGORY["c" if is_complex else "i"]
        self.is_floating_point, self.is_complex, self.is_signed, self.is_half = False, is_complex, is_complex, False

    @property
    def np(self):
        raise TypeError(f"weft has no tensors of type {self!r}")


_found_bfloat16 = []
on_bfloat16 = []        # functions told NumPy's number for bfloat16, once it is known


def _bfloat16_np():
    if not _found_bfloat16:
        import ml_dtypes  # heavy, only for bfloat16
        _found_bfloat16.append(np.dtype(ml_dtypes.bfloat16))
        BY_NUMPY[_found_bfloat16[0]] = bfloat16
        for tell in on_bfloat16:
            tell(_found_bfloat16[0].num)
    return _found_bfloat16[0]


float16 = dtype("float16", np.dtype("f2"), "half")
bfloat16 = _LazyBFloat16("bfloat16", None)
float32 = dtype("float32", np.dtype("f4"), "float")
float64 = dtype("float64", np.dtype("f8"), "double")
int8 = dtype("int8", np.dtype("i1"))
int16 = dtype("int16", np.dtype("i2"), "short")
int32 = dtype("int32", np.dtype("i4"), "int")
int64 = dtype("int64", np.dtype("i8"), "long")
uint8 = dtype("uint8", np.dtype("u1"))
uint16 = dtype("uint16", np.dtype("u2"))
uint32 = dtype("uint32", np.dtype("u4"))
uint64 = dtype("uint64", np.dtype("u8"))
bool_ = dtype("bool", np.dtype("?"))
complex64 = dtype("complex64", np.dtype("c8"), "cfloat")
complex128 = dtype("complex128", np.dtype("c16"), "cdouble")

ALL = (bool_, uint8, int8, int16, int32, int64, uint16, uint32, uint64,
       float16, bfloat16, float32, float64, complex64, complex128)
FLOAT8 = tuple(_LazyFloat8(name, None) for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz",
                                                     "float8_e5m2fnuz", "float8_e8m0fnu"))
NAMES_ONLY = (_NameOnly("complex32", 4, True, "chalf"), *(_NameOnly(f"uint{n}", 1, False) for n in range(1, 8)))
BY_NAME = {d.name: d for d in ALL + FLOAT8 + NAMES_ONLY} | {alias: d for d in ALL + NAMES_ONLY for alias in d.aliases}
BY_NUMPY = {d.np: d for d in ALL if d is not bfloat16}


def of_array(np_dtype):
    """The dtype of a NumPy dtype."""
    found = BY_NUMPY.get(np_dtype)
    if found is not None:
        return found
    if np_dtype.name == "bfloat16":
        _bfloat16_np()
        return bfloat16
    if np_dtype.name.startswith("float8_") and np_dtype.name in BY_NAME:
        return BY_NAME[np_dtype.name]
    native = np_dtype.newbyteorder("=") if np_dtype.byteorder not in "=|" else np_dtype
    found = BY_NUMPY.get(native)
    if found is None:
        raise TypeError(f"no tensor type for NumPy's {np_dtype}\n  fix: convert it first, for example with "
                        f".astype(np.float32)")
    return found


def of_type(value):
    """The dtype that a dtype, a Python type or a NumPy type names."""
    if isinstance(value, dtype):
        return value
    if value is float:
        return float64
    if value is int:
        return int64
    if value is bool:
        return bool_
    if value is complex:
        return complex128
    return of_array(np.dtype(value))


class _Default:
    """The type that `weft.tensor(1.0)` gets. told: functions that are called before it changes."""

    def __init__(self):
        self.dtype, self.told = float32, []


default = _Default()


def get_default_dtype():
    """The type of new floating-point tensors.

    >>> import weft
    >>> weft.get_default_dtype()
    torch.float32
    """
    return default.dtype


def set_default_dtype(d):
    """Set the type of floating tensors made from Python numbers.

    >>> import weft
    >>> weft.set_default_dtype(weft.float64)
    >>> weft.tensor(0.5).dtype
    torch.float64
    >>> weft.set_default_dtype(weft.float32)
    """
    d = of_type(d)
    if not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {d}")
    if d is not default.dtype:
        for tell in default.told:
            tell()
        default.dtype = d


def of_scalar(value):
    """The dtype of a Python number."""
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (float, np.floating)):
        return default.dtype
    return default.dtype.to_complex()


def _promote_pair(a, b):
    """The smallest type that both convert to, within PyTorch's lattice."""
    if a is b:
        return a
    if a in FLOAT8 or b in FLOAT8:
        raise RuntimeError(f"Promotion for Float8 Types is not supported, attempted to promote {a} and {b}")
    if a.category < b.category:
        a, b = b, a
    # from here on a's category is at least b's
    if a.category == 3:
        if b.category == 3 or b is float64:
            return complex128 if complex128 in (a, b) or b is float64 else complex64
        return a
    if a.category == 2:
        if b.category < 2:
            return a
        if a.itemsize == b.itemsize:          # float16 with bfloat16
            return float32
        return a if a.itemsize > b.itemsize else b
    if b.category == 0:
        return a
    if a.is_signed == b.is_signed:
        return a if a.itemsize >= b.itemsize else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if unsigned.itemsize < signed.itemsize:
        return signed
    wider = {1: int16, 2: int32, 4: int64}.get(unsigned.itemsize)
    if wider is None or unsigned is not uint8:
        raise RuntimeError(f"Promotion for uint16, uint32, uint64 types is not supported, attempted to promote {a} and "
                           f"{b}")
    return wider


_PAIRS = {}
for _a in ALL:
    for _b in ALL:
        try:
            _PAIRS[_a, _b] = _promote_pair(_a, _b)
        except RuntimeError:
            pass


def promote_types(a, b):
    """The type that combining `a` and `b` gives.

    >>> import weft
    >>> weft.promote_types(weft.int32, weft.float16)
    torch.float16
    """
    if a is b:
        return a
    found = _PAIRS.get((a, b))
    return found if found is not None else _promote_pair(of_type(a), of_type(b))


def result_category(dim_type, zero_type, number_type):
    """Combine the types of dimensioned tensors, zero-dim tensors and numbers (each a dtype or None).

    A lower-priority operand only matters when its category is higher: `float32 tensor * float64 zero-dim` is float32.
    """
    result = dim_type
    for other in (zero_type, number_type):
        if other is None:
            continue
        if result is None:
            result = other
        elif other.category > result.category:
            # a complex operand of lower priority brings its category, not its width
            complex_over_float = other.category == 3 and result.category == 2
            result = result.to_complex() if complex_over_float else promote_types(result, other)
    return result


def can_cast(source, target):
    """Whether an in-place result of type `source` may be written to `target`."""
    return source.category <= target.category


@functools.cache
def _numpy_limits(d):
    if d is bfloat16 or d in FLOAT8:
        import ml_dtypes  # heavy, only for these
        return ml_dtypes.finfo(d.np)
    return np.finfo(d.np)


class finfo:
    """The limits of a floating type.

    >>> import weft
    >>> weft.finfo(weft.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, d=None):
        d = (default.dtype if d is None else of_type(d)).to_real()
        if not d.is_floating_point:
            raise TypeError(f"torch.finfo() requires a floating point input type, got {d}. Use torch.iinfo for "
                            f"integers")
        info = _numpy_limits(d)
        self.bits = d.itemsize * 8
        eps = 0.125 if d.name == "float8_e5m2fnuz" else info.eps        # PyTorch's is that of a type with one more bit
        self.eps, self.max, self.min = float(eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = 1.0 if d in FLOAT8 else float(f"1e-{info.precision}")
        self.dtype = d.name

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """The limits of an integer type.

    >>> import weft
    >>> weft.iinfo(weft.int8).max
    127
    """

    def __init__(self, d):
        d = of_type(d)
        if d.category != 1:
            raise TypeError(f"torch.iinfo() requires an integer input type, got {d}. Use torch.finfo for floating "
                            f"types")
        info = np.iinfo(d.np)
        self.bits, self.max, self.min, self.dtype = info.bits, int(info.max), int(info.min), d.name

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash(self.dtype)

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
