"""How the rooms of the house know each other: who calls whom, and how a name becomes public.

Imports point down (core, kernels, tensor, autograd, ops, nn, ..., see tests/test_layers.py). Three things go the other
way, each by one means.

**A lower room calls a higher one** through a slot of `OPS` (tensor/tensor.py; the slots' names stand in tensor.pxd).
The higher room fills it when it is loaded, `OPS.getitem = getitem`, the lower one calls `OPS.getitem(x, index)` and
knows nobody above it. Slots and not a dict: the compiled core reads a field of a C struct, and the operators' slots
have a type, so that `a + b` is one C call. What is loaded only when it is used has its slot filled with
`core.namespace.later(module, name)`, a function that loads it when it is first called (`OPS.summary`).

**A function becomes public** by `public`, here: `FUNCTIONS` is the one table from public names, "matmul" or
"linalg.inv", to functions. The modules `weft`, `weft.linalg`, ... are filled from it (core/namespace.py), and inside
the house a function of another family is found in it by name where an import would go round in a circle. Ops are public
by their body (ops/core/registry.py).

**Tensor gets its methods** by `method`, here. Ops are methods by their body, too; what is written out in the class
(tensor/tensor.py) are the fields and Python's operators, whose speed depends on it.

    @public
    @method
    def is_complex(input): ...          # weft.is_complex(x) and x.is_complex()

    method(property(is_meta), "is_meta")
    public(inverse, "inverse", "linalg.inv", method=True)

A module that PyTorch programs import by name stands in weft/compat (its docstring says how it is found); a part that is
loaded when first used is named in the `parts` of its package. An import inside a function is for one of two things:
what is heavy and rarely needed, or a part that itself is made of the one that imports it; the line says which.
"""
from weft.core.runtime import attach
from weft.tensor.calls import seen
from weft.tensor.tensor import Tensor

FUNCTIONS = {}          # public name ("linalg.inv") -> function

# functions that are no ops, about which a TorchFunctionMode is asked (tensor/function_modes.py)
SEEN = frozenset("""zeros ones empty full empty_strided empty_permuted scalar_tensor eye zeros_like ones_like empty_like
    full_like tensor as_tensor asarray frombuffer from_file arange linspace logspace range rand randn randint randperm
    rand_like randn_like randint_like dropout dropout_ feature_dropout feature_dropout_ alpha_dropout alpha_dropout_
    feature_alpha_dropout feature_alpha_dropout_ detach_copy numel is_floating_point is_complex is_signed is_nonzero
    is_inference is_same_size get_device is_conj is_neg result_type can_cast fft.fftfreq fft.rfftfreq hann_window
    hamming_window blackman_window bartlett_window kaiser_window""".split())


def public(function, *names, method=False):
    """Make a function part of the library, under its own name or those given; it comes back."""
    for name in names or (function.__name__.rstrip("_"),):
        FUNCTIONS[name] = seen(function) if name in SEEN and not hasattr(function, "op") else function
        if method:
            attach(Tensor, name, function)
    if not isinstance(function, type):
        first = names[0] if names else function.__name__.rstrip("_")
        found_as(function, first)
        if FUNCTIONS[first] is not function:
            found_as(FUNCTIONS[first], first)
    return function


def found_as(function, name):
    """Write on a function where pickle finds it: as `name` of weft."""
    space, _, own = name.rpartition(".")
    function.__module__ = "weft." + space if space else "weft"
    function.__name__ = function.__qualname__ = own
    return function


def method(value, *names):
    """Make a function, a property, ... an attribute of every tensor, under its own name or those given; it comes back.
    """
    for name in names or (value.__name__,):
        attach(Tensor, name, value)
    return value
