"""Every op that has samples, for several examples inside `autobatch`: values and gradients are those of the loop."""
import numpy as np
import pytest
from test_derived import CASES, OPS, arguments, first, fixed_places, tensors_of

import weft
from weft import autobatch

EXAMPLES = 3


def differentiable(t):
    return t.is_floating_point() or t.is_complex()


def with_history(value):
    """A tensor that an op has made: one that is owed inside the region."""
    if isinstance(value, weft.Tensor):
        return value * 1 if value.requires_grad else value
    return type(value)(with_history(v) for v in value) if type(value) in (list, tuple) else value


def outcome(name, examples):
    """Values and gradients of the op on all examples, each on its own."""
    weft.manual_seed(3)
    leaves = [t for given, _, own in examples for t in own]
    for t in leaves:
        t.grad = None
    results, total = [], None
    for given, keywords, _ in examples:
        made = first(OPS[name].call(tuple(with_history(v) for v in given), dict(keywords)))
        for o in made:
            if o.requires_grad:
                part = ((o.abs() if o.is_complex() else o) * 1.5).sum()
                total = part if total is None else total + part
        results.append(made)
    if total is not None:
        total.backward()
    return [[o.detach().clone() for o in made] for made in results], [t.grad for t in leaves]


@pytest.mark.parametrize("name,i", CASES)
def test_batched(name, i):
    compare(name, i, False)


@pytest.mark.slow
@pytest.mark.parametrize("name,i", CASES)
def test_batched_with_shared_parameters(name, i):
    compare(name, i, True)


def compare(name, i, shared):
    """shared: all but the first tensor are the same ones in every example, as parameters are."""
    fixed, examples, old = fixed_places(name, i), [], []
    for k in range(EXAMPLES):
        given, keywords = arguments(name, i, seed=str(k))
        if shared and examples:
            at = next((j for j, a in enumerate(given) if tensors_of([a])), 0)
            given = [a if j == at else b for j, (a, b) in enumerate(zip(given, examples[0][0], strict=True))]
        own = [t for j, a in enumerate(given) if j not in fixed for t in tensors_of([a]) if differentiable(t)]
        examples.append((given, keywords, own))
        old.append([t.detach().clone() for t in tensors_of(given)])
    for _, _, own in examples:
        for t in own:
            t.requires_grad_()

    def again():
        with weft.no_grad():
            for (given, _, _), values in zip(examples, old, strict=True):
                for t, value in zip(tensors_of(given), values, strict=True):
                    t.copy_(value)
    again()
    expected = outcome(name, examples)
    again()
    with autobatch(always=True):
        found = outcome(name, examples)
    for mine, theirs in [*zip(expected[0], found[0], strict=True), (expected[1], found[1])]:
        for a, b in zip(mine, theirs, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                assert a.shape == b.shape and a.dtype == b.dtype and a.stride() == b.stride()
                np.testing.assert_allclose(b.detach().numpy(), a.detach().numpy(), rtol=1e-6, atol=1e-9)
