"""Every op's samples inside a vmap: equal to a loop over the examples, values and gradients, whichever arguments
differ between them.
"""
import numpy as np
import pytest
from test_derived import CASES, OPS, arguments, is_random

import weft
from weft.func import _at_once, _one_by_one, grad
from weft.ops.lanes import Lanes, NeedsLoop

N = 3           # examples


def leaves(value):
    """The tensors of an argument or result."""
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in leaves(v)]
    return [value] if isinstance(value, weft.Tensor) else []


def refilled(value, tensors):
    """The same with other tensors, taken from an iterator."""
    if isinstance(value, (list, tuple)) and not isinstance(value, weft.Size) and leaves(value):
        made = [refilled(v, tensors) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    return next(tensors) if isinstance(value, weft.Tensor) else value


def examples(name, i):
    """(a function of tensors, N examples of them)."""
    made = [arguments(name, i, seed=str(k) if k else "") for k in range(N)]
    (first, keywords), all_tensors = made[0], [leaves((args, list(kw.values()))) for args, kw in made]

    def function(*tensors):
        rest = iter(tensors)
        args = refilled(first, rest)
        named = {key: refilled(v, rest) for key, v in keywords.items()}
        found = leaves(OPS[name].call(tuple(args), named))
        return found
    return function, all_tensors


def close(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-7, atol=1e-9)


def compared(function, tensors, dims):
    """The function at once and one by one; None where its values decide what it does."""
    lanes = Lanes(N, "error")
    try:
        expected = _one_by_one(function, tensors, {}, dims, N, 0, "error")
    except (NotImplementedError, RuntimeError) as error:       # no derivative, or results of several shapes
        assert "derivative for" in str(error) or "equal size" in str(error) or "random" in str(error)
        return
    if not expected:
        return
    try:
        found = _at_once(lanes, function, tensors, {}, dims, 0)
    except NeedsLoop as reason:
        assert reason.owner is lanes
        return
    close(found, expected)


def stacked(all_tensors, batched):
    """Tuples of tensors and their in_dims, where `batched` says which differ between the examples."""
    tensors = tuple(weft.stack([each[k] for each in all_tensors]) if b else all_tensors[0][k]
                    for k, b in enumerate(batched))
    return tensors, [0 if b else None for b in batched]


def usable(name, i):
    args, keywords = arguments(name, i)
    if not leaves((args, list(keywords.values()))) or OPS[name].random >= 0:
        return False
    return not OPS[name].writes and not is_random(name, args, keywords)


@pytest.mark.parametrize("name, i", CASES)
def test_at_once_and_one_by_one(name, i):
    if not usable(name, i):
        pytest.skip("without tensors, or random")
    function, all_tensors = examples(name, i)
    n = len(all_tensors[0])
    for batched in [(True,) * n, *[tuple(k == j for k in range(n)) for j in range(n) if n > 1]]:
        tensors, dims = stacked(all_tensors, batched)
        if [t.shape for t in all_tensors[0]] != [t.shape for t in all_tensors[1]]:
            pytest.skip("samples of several shapes")
        compared(function, tensors, dims)


@pytest.mark.parametrize("name, i", CASES)
def test_gradients_at_once_and_one_by_one(name, i):
    # the part of a loss, whose backward needs what ctc_loss keeps; running statistics, which take no gradient
    if not usable(name, i) or name in ("_ctc_loss", "native_batch_norm"):
        pytest.skip("without tensors, or random")
    function, all_tensors = examples(name, i)
    floats = tuple(k for k, t in enumerate(all_tensors[0]) if t.is_floating_point())
    probe = [t for t in function(*[t.detach().requires_grad_() if k in floats else t
                                   for k, t in enumerate(all_tensors[0])]) if t.requires_grad]
    if not floats or not probe or any(t.is_complex() for t in probe):
        pytest.skip("no gradients")

    def total(*tensors):
        found = [t for t in function(*tensors) if t.requires_grad]
        return sum((t * (1 + weft.arange(t.numel(), dtype=t.dtype).reshape(t.shape)).cos()).sum() for t in found)
    tensors, dims = stacked(all_tensors, (True,) * len(all_tensors[0]))
    compared(grad(total, argnums=floats), tensors, dims)
