"""torch.masked.MaskedTensor: values and which of them count. Elementwise functions keep the mask, views change both,
reductions leave out what doesn't count.
"""
import weft
from weft import masked
from weft.core.errors import fail
from weft.tensor.tensor import Tensor

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]
REDUCTIONS = frozenset("sum mean prod amax amin argmax argmin all any var std norm logsumexp median".split())
NORMALIZED = frozenset("softmax log_softmax softmin normalize cumsum cumprod".split())
# functions of the values and of the mask alike
VIEWS = frozenset("""transpose t mT permute reshape view view_as flatten unflatten unsqueeze squeeze expand expand_as
    select narrow movedim swapaxes flip contiguous clone __getitem__ index_select unbind split chunk""".split())
KEPT = frozenset("""detach to float double half bfloat16 long int bool type_as requires_grad_ dropout alias zeros_like
    ones_like empty_like full_like rand_like randn_like _abs_in_place""".split())
_ADVICE = "to_tensor(value) makes a plain tensor of it, get_data() and get_mask() give its parts"


class MaskedTensor(Tensor):
    """A tensor of which only those values count where the mask is True."""

    @staticmethod
    def __new__(cls, data, mask, requires_grad=False):
        _check(data, mask)
        made = Tensor._make_wrapper_subclass(cls, data.shape, dtype=data.dtype)
        made._masked_data = data.detach().clone().requires_grad_(True) if requires_grad else data
        made._masked_mask = mask
        return made

    def __init__(self, data, mask, requires_grad=False):
        pass

    requires_grad = property(lambda self: self._masked_data.requires_grad)
    is_leaf = property(lambda self: self._masked_data.is_leaf)
    grad_fn = property(lambda self: self._masked_data.grad_fn)

    @property
    def grad(self):
        """The gradient, under the same mask, or None."""
        found = self._masked_data.grad
        return None if found is None else MaskedTensor(found, self._masked_mask)

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """Gradients of what it was made of."""
        gradient = gradient.get_data() if isinstance(gradient, MaskedTensor) else gradient
        self._masked_data.backward(gradient, retain_graph, create_graph, inputs)

    def get_data(self):
        """The values, those that don't count among them."""
        return self._masked_data

    def get_mask(self):
        """Which of them count."""
        return self._masked_mask

    def to_tensor(self, value):
        """A plain tensor with `value` where none counts."""
        return self._masked_data.masked_fill(~self._masked_mask, value)

    def tolist(self):
        """Lists with None where none counts."""
        return _listed(self._masked_data.tolist(), self._masked_mask.tolist())

    def item(self):
        """The only value; it must count."""
        return self._masked_data.item()

    def __bool__(self):
        return bool(self._masked_data)

    def __iter__(self):
        return iter(self[i] for i in range(self.shape[0]))

    def __repr__(self, *, tensor_contents=None):
        values, mask = self._masked_data.tolist(), self._masked_mask.tolist()
        if not self.dim():
            return f"MaskedTensor({_shown(values, mask)}, {mask})"
        return "MaskedTensor(\n" + _lines(values, mask, 2) + "\n)"

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name, kwargs = getattr(func, "__name__", ""), kwargs or {}
        if name in REDUCTIONS:
            return _reduced(name, *args, **kwargs)
        if name in NORMALIZED:
            data, mask = args[0]._masked_data, args[0]._masked_mask
            return MaskedTensor(getattr(masked, name)(data, *args[1:], mask=mask, **kwargs), mask)
        if name in VIEWS:
            found = func(args[0]._masked_data, *args[1:], **kwargs)
            mask = func(args[0]._masked_mask, *args[1:], **kwargs)
            return MaskedTensor(found, mask) if isinstance(found, Tensor) else tuple(map(MaskedTensor, found, mask))
        if name in KEPT or getattr(getattr(func, "op", None), "pointwise", False):
            return _elementwise(func, args, kwargs)
        fail(NotImplementedError, f"{name}: weft has no form of it for masked tensors", _ADVICE)


def _check(data, mask):
    for thing, name in ((data, "data"), (mask, "mask")):
        if not isinstance(thing, Tensor) or isinstance(thing, MaskedTensor):
            raise TypeError(f"{name} must be a Tensor, not a {type(thing).__name__}")
    if mask.dtype is not weft.bool:
        raise TypeError("mask must have dtype bool.")
    if data.dim() != mask.dim():
        raise ValueError("data.dim() must equal mask.dim()")
    if data.shape != mask.shape:
        raise ValueError("data.size() must equal mask.size()")


def _elementwise(func, args, kwargs):
    """func of the values; the masks of two of them must be the same."""
    with_mask = [v for v in (*args, *kwargs.values()) if isinstance(v, MaskedTensor)]
    mask = with_mask[0]._masked_mask
    if any(not weft.equal(mask, other._masked_mask) for other in with_mask[1:]):
        fail(ValueError, "Input masks must match: two masked tensors with different masks have no result",
             "choose one mask: masked_tensor(x.get_data(), x.get_mask() & y.get_mask())")
    found = func(*[_data(v) for v in args], **{key: _data(v) for key, v in kwargs.items()})
    if found is with_mask[0]._masked_data:
        return with_mask[0]         # written in place
    if found.shape != mask.shape:
        mask = mask.broadcast_to(found.shape)
    return MaskedTensor(found, mask)


def _data(value):
    return value._masked_data if isinstance(value, MaskedTensor) else value


def _reduced(name, x, dim=None, keepdim=False, **options):
    """A reduction that leaves out what doesn't count; the result counts where anything did."""
    data, mask = x._masked_data, x._masked_mask
    if name in ("all", "any"):
        filled = data.bool().masked_fill(~mask, name == "all")
        found = getattr(filled, name)(*(() if dim is None else (dim, keepdim)))
    else:
        found = getattr(masked, name)(data, *((options.pop("ord", 2),) if name == "norm" else ()), dim=dim,
                                      keepdim=keepdim, mask=mask, **options)
    counts = mask.any() if dim is None else mask.any(dim, keepdim)
    return MaskedTensor(found, counts.reshape(found.shape))


def _listed(values, mask):
    return [_listed(v, m) for v, m in zip(values, mask, strict=True)] if isinstance(mask, list) else \
        values if mask else None


def _shown(value, counts):
    if not counts:
        return "      --"
    return f"{value:8.4f}" if isinstance(value, float) else str(value)


def _lines(values, mask, indent):
    space = " " * indent
    if not isinstance(mask[0] if mask else None, list):
        return f"{space}[{', '.join(map(_shown, values, mask))}]"
    inside = ",\n".join(_lines(v, m, indent + 2) for v, m in zip(values, mask, strict=True))
    return f"{space}[\n{inside}\n{space}]"


def masked_tensor(data, mask, requires_grad=False):
    """A masked tensor of copies of its values: a leaf of the graph."""
    _check(data, mask)
    made = data.detach().clone()
    return MaskedTensor(made, mask.clone(), requires_grad=requires_grad)


def as_masked_tensor(data, mask):
    """A masked tensor of these values, with their history."""
    return MaskedTensor(data, mask)


def is_masked_tensor(obj):
    """Whether something is a masked tensor."""
    return isinstance(obj, MaskedTensor)
