"""Convolutions beside PyTorch's: values and gradients."""
import numpy as np
import pytest

torch = pytest.importorskip("torch")

import weft  # noqa: E402
import weft.nn.functional as F  # noqa: E402

CASES = [
    ("conv1d", (4, 6, 50), (8, 3, 5), 8, dict(padding="same", groups=2)),
    ("conv2d", (4, 16, 16, 16), (24, 16, 3, 3), 24, dict(padding=1)),
    ("conv2d", (4, 3, 33, 32), (16, 3, 7, 7), 16, dict(padding=3, stride=2)),
    ("conv2d", (4, 16, 14, 14), (16, 1, 3, 3), 16, dict(padding=1, stride=2, groups=16)),
    ("conv2d", (4, 8, 14, 14), (16, 8, 4, 2), 16, dict(padding="same", dilation=(1, 3))),
    ("conv3d", (2, 6, 5, 8, 8), (8, 6, 3, 3, 3), 8, dict(padding=1)),
    ("conv_transpose1d", (4, 6, 20), (6, 4, 5), 8, dict(stride=3, groups=2, output_padding=2)),
    ("conv_transpose2d", (4, 16, 7, 7), (16, 8, 4, 4), 8, dict(stride=2, padding=1)),
    ("conv_transpose3d", (2, 4, 3, 4, 4), (4, 5, 3, 3, 3), 5, dict(stride=2, padding=1, output_padding=1, dilation=1)),
]


@pytest.mark.parametrize("name, x, w, out, options", CASES)
def test_values_and_gradients(name, x, w, out, options):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in (x, w, (out,))]
    results = []
    for library, functional in ((torch, torch.nn.functional), (weft, F)):
        inputs = [library.tensor(a).requires_grad_() for a in arrays]
        made = getattr(functional, name)(*inputs, **options)
        (made * made).sum().backward()
        results.append([made.detach().numpy(), *[t.grad.numpy() for t in inputs]])
    for theirs, ours in zip(*results):
        assert np.abs(theirs - ours).max() < 3e-5 * np.abs(theirs).max()


BILINEAR = {"conv1d": ((1, 2, 5), (2, 2, 2)), "conv2d": ((1, 2, 4, 4), (2, 2, 2, 2)),
            "conv3d": ((1, 1, 3, 3, 3), (2, 1, 2, 2, 2)), "conv_transpose1d": ((1, 2, 4), (2, 2, 2)),
            "conv_transpose2d": ((1, 2, 3, 3), (2, 1, 2, 2)), "conv_transpose3d": ((1, 1, 2, 2, 2), (1, 2, 2, 2, 2)),
            "linear": ((3, 2), (4, 2)), "matmul": ((2, 3, 2), (2, 4)), "bmm": ((2, 3, 2), (2, 2, 4)), "mv": ((3, 2), (2,)),
            "outer": ((3,), (2,)), "kron": ((2, 2), (1, 3)), "mul": ((3, 2), (2,)), "div": ((3, 2), (2,)),
            "tensordot": ((2, 3, 2), (3, 2, 2)), "linalg.solve": ((3, 3), (3, 2)), "linalg.cross": ((2, 3), (2, 3)),
            "linalg.vecdot": ((2, 3), (2, 3)), "dot": ((3,), (3,)), "vdot": ((3,), (3,))}


@pytest.mark.parametrize("name", BILINEAR)
def test_products_of_complex_numbers_to_second_order(name):
    """The convolutions' double backward was conjugated: a rule of their weight's gradient conjugated the wrong factor."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s) + 1j * rng.standard_normal(s) for s in BILINEAR[name]]
    found = []
    for lib in (torch, weft):
        function = lib.nn.functional if name.startswith("conv") or name == "linear" else lib
        for part in name.split("."):
            function = getattr(function, part)
        inputs = [lib.tensor(a, requires_grad=True) for a in arrays]
        out = function(*inputs)

        def weighed(tensors, seed, lib=lib):
            weights = np.random.default_rng(seed)
            return sum((t * lib.tensor(weights.standard_normal(tuple(t.shape)) + 1j * weights.standard_normal(
                tuple(t.shape)))).sum().real for t in tensors)
        first = lib.autograd.grad(weighed([out], 1), inputs, create_graph=True)
        second = lib.autograd.grad(weighed(first, 2), inputs)
        found.append([t.detach().resolve_conj().numpy() for t in (out, *first, *second)])
    for want, made in zip(*found, strict=True):
        np.testing.assert_allclose(made, want, rtol=1e-9, atol=1e-10)
