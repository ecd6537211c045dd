"""torch.sparse's functions."""
import weft.ops.sparse  # noqa: F401  (which puts them into the table)
from weft.core.namespace import fill as _fill
from weft.core.namespace import refuse as _refuse
from weft.tensor.names import FUNCTIONS

_fill(globals(), FUNCTIONS, "sparse")


def _absent(name, fix):
    def function(*args, **kwargs):
        raise NotImplementedError(f"weft has no torch.sparse.{name}\n  fix: {fix}")
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "NotImplementedError: weft doesn't have it."
    return function


_GONE = {"spsolve": "solve its to_dense() with torch.linalg.solve", "to_sparse_semi_structured": "use dense tensors",
         "as_sparse_gradcheck": "check the gradients of the values with gradcheck"}
for _name, _fix in _GONE.items():
    globals()["_" + _name] = _absent(_name, _fix)
_missing = _refuse(globals())


def __getattr__(name):
    return globals()["_" + name] if name in _GONE else _missing(name)
