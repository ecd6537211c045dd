"""How values of several processes become one: PyTorch's names, and MPI's operations for each kind of elements."""
import enum
import functools

import numpy as np

__all__ = ["ReduceOp"]


class ReduceOp(enum.IntEnum):
    """How values of several processes become one.

    >>> import weft
    >>> weft.distributed.init_process_group("gloo")
    >>> x = weft.ones(2)
    >>> _ = weft.distributed.all_reduce(x, op=weft.distributed.ReduceOp.SUM)
    >>> x
    tensor([1., 1.])
    >>> weft.distributed.destroy_process_group()
    """
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)


ReduceOp.RedOpType = ReduceOp       # PyTorch's other name for it


class Premultiplied:
    """A sum of values that are multiplied first."""

    def __init__(self, factor):
        self.factor, self.name = factor, f"PREMUL_SUM({factor})"


def _make_nccl_premul_sum(factor):
    return Premultiplied(factor)


NATIVE = {"float32": "FLOAT", "float64": "DOUBLE", "complex64": "C_FLOAT_COMPLEX", "complex128": "C_DOUBLE_COMPLEX",
          "bool": "C_BOOL", **{f"{u}int{n}": f"{u.upper()}INT{n}_T" for u in ("", "u") for n in (8, 16, 32, 64)}}
HALVES = ("float16", "bfloat16")
OPERATIONS = {ReduceOp.SUM: "SUM", ReduceOp.AVG: "SUM", ReduceOp.PRODUCT: "PROD", ReduceOp.MIN: "MIN",
              ReduceOp.MAX: "MAX", ReduceOp.BAND: "BAND", ReduceOp.BOR: "BOR", ReduceOp.BXOR: "BXOR"}
OF_BOOLS = {ReduceOp.SUM: "LOR", ReduceOp.PRODUCT: "LAND", ReduceOp.MIN: "LAND", ReduceOp.MAX: "LOR",
            ReduceOp.BAND: "LAND", ReduceOp.BOR: "LOR", ReduceOp.BXOR: "LXOR"}
UFUNCS = {"SUM": np.add, "PROD": np.multiply, "MIN": np.minimum, "MAX": np.maximum, "BAND": np.bitwise_and,
          "BOR": np.bitwise_or, "BXOR": np.bitwise_xor, "LAND": np.logical_and, "LOR": np.logical_or,
          "LXOR": np.logical_xor}


class Reduction:
    """One reduction of arrays of one type: what is done before, by MPI, and after."""

    def __init__(self, op, dtype, size):
        self.before = self.after = None         # factors
        if isinstance(op, Premultiplied):
            self.before, op = op.factor, ReduceOp.SUM
        self.kind = op = named(op)
        if op == ReduceOp.AVG:
            self.after = size
        self.half = dtype.name in HALVES
        self.operation = OF_BOOLS.get(op) if dtype.name == "bool" else OPERATIONS.get(op)
        if not self.half and dtype.name not in NATIVE:
            self.operation = None
        if dtype.kind == "c" and op not in (ReduceOp.SUM, ReduceOp.AVG, ReduceOp.PRODUCT):
            self.operation = None
        if op in (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR) and dtype.kind not in "iub":
            self.operation = None
        if self.operation is None:
            raise RuntimeError(f"ReduceOp.{op.name} of {dtype.name} values: there is no such reduction\n"
                               "  fix: SUM, PRODUCT, MIN, MAX of real numbers; SUM, PRODUCT of complex ones; BAND, "
                               "BOR, BXOR of integers")
        self.type = NATIVE.get(dtype.name)

    def prepare(self, array):
        if self.before is not None:
            np.multiply(array, np.asarray(getattr(self.before, "_array", self.before)).astype(array.dtype), out=array)

    def settle(self, array):
        """Divide by the number of processes, for a mean."""
        if self.after is not None and array.dtype.kind in "iu":
            array[...] = np.trunc(array / self.after).astype(array.dtype)
        elif self.after is not None:
            np.divide(array, array.dtype.type(self.after), out=array)

    def join(self, rows, out):
        """What MPI does, for the values of all processes, (processes, n), in their order."""
        if self.half:
            out[...] = self.fold(rows)
            return
        join = UFUNCS[self.operation]
        join(rows[0], rows[1], out=out)
        for row in rows[2:]:
            join(out, row, out=out)

    def fold(self, parts):
        """Halves of several processes, (processes, n), as one row; summed as float32 and rounded once."""
        wide = UFUNCS[self.operation].reduce(parts.astype(np.float32), axis=0)
        return (wide / self.after if self.after is not None else wide).astype(parts.dtype)


@functools.lru_cache(maxsize=256)
def reduction(op, dtype, size):
    """A Reduction, which is kept: making one takes longer than a small message."""
    return Reduction(op, dtype, size)


def named(op):
    """ReduceOp.SUM for itself, 0 or "sum"."""
    if isinstance(op, str) and op.upper() in ReduceOp.__members__:
        return ReduceOp[op.upper()]
    try:
        return ReduceOp(op)
    except (ValueError, TypeError):
        raise ValueError(f"{op!r} is no ReduceOp\n  fix: weft.distributed.ReduceOp.SUM, AVG, PRODUCT, MIN, MAX, BAND, "
                         "BOR or BXOR") from None


def __getattr__(name):
    """`torch.distributed.reduce_op.SUM`, as older programs write it."""
    if name not in ("SUM", "PRODUCT", "MIN", "MAX"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import warnings  # only for older programs
    warnings.warn("`torch.distributed.reduce_op` is deprecated, please use `torch.distributed.ReduceOp` instead",
                  FutureWarning, stacklevel=2)
    return getattr(ReduceOp, name)
