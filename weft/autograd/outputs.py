"""What a custom Function returns, tied to its node: fresh tensors, inputs as they are, inputs written to, views."""
from weft.core import dtype as dtypes
from weft.core.errors import fail
from weft.core.operation import Operation
from weft.core.place import here
from weft.tensor.tensor import OPS, Tensor, alias, wrap, wrap_view

CUSTOM_VIEW = 3     # View.kind of what a Function returned; see tensor.py for the others
INFERENCE_VIEW = 4  # of what was made in inference mode


def tie(ctx, node, inputs, outputs):
    """The outputs as the caller gets them: tied to the node, inputs that come back as views of themselves."""
    dirty, constant = ctx._dirty, ctx._non_differentiable
    for t in dirty:
        if not among(t, outputs):
            raise RuntimeError("Some elements marked as dirty during the forward method were not returned as output. "
                               "The inputs that are modified inplace must all be outputs of the Function.")
    made, specs, tied_all = [], [], []
    for k, out in enumerate(outputs):
        spec, tied = None, False
        twin = _first_place(out, outputs, k)
        if twin is not None:        # returned twice: one tensor, of the first place
            out, spec = made[twin], specs[twin]
        elif isinstance(out, Tensor):
            form = out._form if is_apart(out) else out._array
            spec = (form.shape, form.dtype)
            tied = (node is not None and (form.dtype.kind in "fc" or out.dtype is dtypes.bfloat16)
                    and not among(out, constant))
            out = _tie_one(node, k, out, inputs, among(out, dirty), tied)
        made.append(out)
        specs.append(spec)
        tied_all.append(tied)
    if node is not None:
        node.n_outputs, node.out_specs, node.tied = len(outputs), tuple(specs), tied_all
    return made


def is_apart(t):
    """Whether a tensor has no array of values: a sparse one."""
    return type(t) is not Tensor and t._owed is not None and not t._owed.readable


def _first_place(out, outputs, k):
    """Where among the first k outputs this tensor stands already, or None."""
    if isinstance(out, Tensor):
        for i in range(k):
            if outputs[i] is out:
                return i
    return None


def among(t, tensors):
    """Whether a tensor is one of these, the object itself."""
    for other in tensors:
        if other is t:
            return True
    return False


def _tie_one(node, k, out, inputs, is_dirty, tied):
    if is_dirty:
        return _tie_dirty(node, k, out, tied)
    if is_apart(out):
        out = out.detach() if among(out, inputs) or out._made_by is not None or out._wants_grad else out
    elif among(out, inputs):
        # tied, it is a view of itself, through which nothing may be written
        out = wrap_view(out._array, out, IDENTITY, [out], 0, CUSTOM_VIEW) if tied else alias(out)
    elif out._made_by is not None or out._wants_grad:
        out = alias(out)        # made with grad mode on inside the forward: its own history ends here
    elif tied and out._view_of is not None:
        if any([out._memory_record is t._memory_record for t in inputs]):
            out._view_of.kind, out._view_of.version = CUSTOM_VIEW, out._memory_record.version
        else:
            out._view_of = None        # of something that only the forward knew
    if tied:
        out._made_by, out._made_nr = node, k
    return out


def _tie_dirty(node, k, out, tied):
    storage = out._own_memory_record()
    if not tied:
        storage.version += 1
        return out
    if out._wants_grad:
        fail(RuntimeError, f"{node.name()}: a leaf Variable that requires grad has been used in an in-place operation.",
             "write under no_grad(), or clone() it first")
    if out._view_of is not None and out._view_of.base()._wants_grad:
        fail(RuntimeError, f"{node.name()}: a view of a leaf Variable that requires grad is being used in an in-place "
             f"operation.",
             "write under no_grad(), or clone() the leaf first")
    storage.version += 1
    storage.written = here()
    written = wrap(out._array)
    written._made_by, written._made_nr = node, k
    OPS.graft(out, written)
    return out


class _Identity(Operation):
    """Stands for 'the input itself' in a chain of views."""

    node_name = "Function"

    def call(self, args, kwargs):
        return args[0]


IDENTITY = _Identity()
