"""A sparse tensor's text, as PyTorch prints it."""
from weft.core import dtype as dtypes
from weft.ops.sparse.parts import BY_ROWS, COO
from weft.tensor.printing import _with_facts, array_str


def text_of(s):
    """The text of a sparse tensor."""
    parts = s._owed
    if parts.layout is COO:
        names = ("indices",)
    else:
        names = ("crow_indices", "col_indices") if parts.layout in BY_ROWS else ("ccol_indices", "row_indices")
    lines = [f"{name}=tensor({_numbers(value, len(name) + 15)})"
             for name, value in zip((*names, "values"), (*parts.index, parts.values))]
    facts = [f"size={parts.shape}", f"nnz={parts.nnz}", *_facts(s, parts)]
    if parts.layout is COO:
        lines.append(facts.pop(0))      # the size begins a line of its own
    return _with_facts("tensor(" + ",\n       ".join(lines), facts, 7) + ")"


def _numbers(t, indent):
    shape = t._form.shape
    if 0 in shape:
        return f"[], size={tuple(shape)}"
    return array_str(t._array if t._form.dtype.kind != "V" else t.float()._array, indent)


def _facts(s, parts):
    kind = s.dtype
    usual = dtypes.default.dtype
    plain = {dtypes.float32: dtypes.complex64, dtypes.float64: dtypes.complex128}.get(usual)
    if kind not in (usual, plain, dtypes.int64, dtypes.bool_):
        yield f"dtype={kind}"
    yield f"layout={parts.layout}"
    if s.grad_fn is not None:
        yield f"grad_fn=<{s.grad_fn.name()}>"
    elif s.requires_grad:
        yield "requires_grad=True"
