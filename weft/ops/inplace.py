"""Writing into a tensor that is there already: checks first, then the values, then the history."""
import numpy as np

from weft.autograd.graph import Node, next_seq
from weft.core import dtype as dtypes
from weft.core.errors import Stamp, fail
from weft.core.modes import GRAD_OFF
from weft.core.runtime import mode_bits
from weft.ops.apply import cast, edge, needs_grad, overridden, override
from weft.tensor.tensor import OPS, Tensor, replay, wrap


def check_writable(x, name):
    """Refuse before anything is written: leaves in a graph, views that can't carry history, overlapping memory."""
    for n, stride in zip(x.array.shape, x.array.strides):
        if stride == 0 and n > 1 and not x._meta:
            fail(RuntimeError, f"{name}: unsupported operation: more than one element of the written-to tensor refers to a single "
                 f"memory location (it was expanded)", "clone() it first")
    if x._inference and not mode_bits() & 2:
        fail(RuntimeError, f"{name}: Inplace update to inference tensor outside InferenceMode is not allowed",
             "clone() it first, outside inference_mode")
    if mode_bits() & GRAD_OFF:
        return
    if x._leaf:
        fail(RuntimeError, f"{name}: a leaf Variable that requires grad is being used in an in-place operation.",
             f"write under no_grad(), or use the form without _ and keep its result")
    if x._view is None:
        return
    base = x._view.base()
    if base._leaf:
        fail(RuntimeError, f"{name}: a view of a leaf Variable that requires grad is being used in an in-place operation.",
             "write under no_grad(), or clone() the leaf first")
    if needs_grad(base) or needs_grad(x):
        if x._view.kind == 2:
            fail(RuntimeError, f"{name}: Output {x._view.out} of {x._view.op.node_name} is a view and is being modified inplace. "
                 f"This view is the output of a function that returns multiple views. Such functions do not allow the output "
                 f"views to be modified inplace.", "use the form without _, or index the tensor itself")
        if x._view.kind == 1:
            fail(RuntimeError, f"{name}: A view was created in no_grad mode and is being modified inplace with grad mode enabled.",
                 "make the view outside no_grad(), or write inside it")


def run_inplace(op, x, args, kwargs):
    """`x.op_(...)`."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{op.name}_(): the first argument must be a tensor, not {type(x).__name__}")
    if mode_bits() & 32 == 0 and type(x) is not Tensor and overridden((x, *args), kwargs):
        return override(FUNCTIONS_INPLACE(op), (x, *args), kwargs)
    check_writable(x, op.name + "_")
    if op.write is not None:
        return _write_directly(op, x, args, kwargs)
    out = op.call((x, *args), kwargs)
    return store(x, out, op.name + "_")


def FUNCTIONS_INPLACE(op):
    from weft.ops.registry import FUNCTIONS
    return FUNCTIONS[op.name + "_"]


def _write_directly(op, x, args, kwargs):
    """The op has its own way to fill memory."""
    values = op.bind((x, *args), kwargs)
    arrays = [v.array if isinstance(v, Tensor) else
              [e.array if isinstance(e, Tensor) else e for e in v] if isinstance(v, (list, tuple)) else v for v in values]
    tracking = mode_bits() & GRAD_OFF == 0 and op.differentiable
    mask = op.mask_of(values) if tracking else 0
    made = wrap(x.array)
    if mask:
        op.record_result(mask, values, made)
    if not x._meta:
        op.write(*arrays[:op.n_positional], **dict(zip(op.kw_names, arrays[op.n_positional:])))
    bump(x)
    if tracking:
        graft(x, made)
    return x


def store(x, out, name):
    """Write a result into `x` and give `x` its history."""
    if out.array.shape != x.array.shape:
        fail(RuntimeError, f"{name}: output with shape {list(x.array.shape)} doesn't match the broadcast shape "
             f"{list(out.array.shape)}", "use the form without _, which may grow")
    if out.array.dtype != x.array.dtype:
        if not dtypes.can_cast(out.dtype, x.dtype):
            fail(RuntimeError, f"{name}: result type {out.dtype} can't be cast to the desired output type {x.dtype}",
                 f"use the form without _, or make the tensor {out.dtype} first")
        out = out.to(x.dtype)
    if not x._meta:
        np.copyto(x.array, out.array, casting="unsafe")
    bump(x)
    if mode_bits() & GRAD_OFF == 0:
        graft(x, out)
    return x


def bump(x):
    """Count a write, and remember whose it was."""
    storage = x.storage_record()
    storage.version += 1
    storage.written = Stamp()


def graft(x, out):
    """Make the node of `out` the history of `x`; a write through a view becomes history of its base."""
    if x._view is None:
        x._node, x._out = out._node, out._out
        return
    view = x._view
    base = view.base()
    if out._node is None and not needs_grad(base):
        view.version = x._storage.version
        return
    base._node, base._out = CopySlices(base, view, out), 0


class CopySlices(Node):
    """A write through a view: the base's gradient outside the view goes on, that inside goes to what was written."""

    def __init__(self, base, view, out):
        self.chain = view.chain()       # not the view: it holds the base, whose node this is
        self.geometry = base.array.shape, base.array.strides
        base_edge = edge(base) if base._node is not None else None
        self.parents = (base_edge, out._node)
        self.outs = (base._out if base_edge is not None else 0, out._out)
        self.seq = next_seq()
        self.n_outputs = 1
        self.stamp()

    def name(self):
        return "CopySlices"

    def run(self, grad):
        laid_out = OPS.copy_strided(grad, *self.geometry)
        inside = replay(self.chain, laid_out)
        outside = None
        if self.parents[0] is not None:
            outside = laid_out.clone()
            replay(self.chain, outside).zero_()
        return [outside, None if self.parents[1] is None else inside.clone()]

    def free(self):
        pass


def refresh(t):
    """Bring a view's node up to date after its base was written to."""
    view = t._view
    version = t._storage.version
    if view.version == version or view.kind == 1:
        return
    view.version = version
    base = view.base()
    if not needs_grad(base):
        t._node, t._out = None, 0
        return
    from weft.core.modes import enable_grad
    with enable_grad():
        again = replay(view.chain(), base)
    t._node, t._out = again._node, again._out


def write_values(x, array):
    """Overwrite a tensor's numbers, outside the graph."""
    if not x._meta:
        np.copyto(x.array, cast(array, x.array.dtype) if array.dtype != x.array.dtype else array, casting="unsafe")
    bump(x)


def nearest(x, name):
    """` Did you mean ...?` for a misspelt or missing method."""
    import difflib
    close = difflib.get_close_matches(name, dir(type(x)), n=1)
    return f". Did you mean: '{close[0]}'?" if close else ""


OPS.nearest = nearest
OPS.run_inplace, OPS.refresh, OPS.write_values = run_inplace, refresh, write_values
