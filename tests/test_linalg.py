"""Linear algebra without PyTorch: derivatives by finite differences, factors that multiply back, shapes, types, errors.
"""
import os
import sys

import numpy as np
import pytest

import weft

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from linalg_cases import CASES, operands  # noqa: E402

KINKS = {"matrix_norm 1"}                       # has a second derivative of zero almost everywhere
REAL_ONLY = {"eig"}


def total(tensors, weights):
    """The real part of <weights, tensors>."""
    found = 0
    for t, w in zip(tensors, weights):
        product = weft.tensor(w.conj()) * t
        found = found + (product.real if product.dtype.is_complex else product).sum()
    return found


def noise(rng, array):
    made = rng.standard_normal(array.shape)
    return made + 1j * rng.standard_normal(array.shape) if array.dtype.kind == "c" else made


def flat(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def slope(function, arrays, steps):
    """The derivative of a scalar function along `steps`, by differences."""
    size = 1e-5
    up, down = (float(function([a + sign * size * d for a, d in zip(arrays, steps)])) for sign in (1, -1))
    return (up - down) / (2 * size)


@pytest.mark.parametrize("complex_", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("name", CASES)
def test_first_and_second_derivative_along_a_direction(name, complex_):
    if complex_ and name in REAL_ONLY:
        pytest.skip("real only")
    function, spec = CASES[name]
    arrays = operands(spec, complex_)
    rng = np.random.default_rng(5)
    steps = [noise(rng, a) for a in arrays]
    for i, word in enumerate(spec.split()):     # stay where the function is defined
        if word[0] in "lu":
            steps[i] = (np.tril if word[0] == "l" else np.triu)(steps[i]) * (1 - np.eye(steps[i].shape[-1])) \
                + steps[i].real * np.eye(steps[i].shape[-1])
        if name == "pinv singular":
            u, s, vh = np.linalg.svd(arrays[i])
            steps[i] = arrays[i] @ steps[i] @ arrays[i]     # keeps the rank
    outs = [t for t in flat(function(weft, *[weft.tensor(a, requires_grad=True) for a in arrays])) if t.requires_grad]
    weights = [noise(rng, t.detach().numpy()) for t in outs]

    def value(arrays, requires_grad=False):
        leaves = [weft.tensor(a, requires_grad=True) for a in arrays]
        made = [t for t in flat(function(weft, *leaves)) if t.requires_grad]
        return (total(made, weights), leaves) if requires_grad else total(made, weights)

    def gradients(arrays, graph=False):
        made, leaves = value(arrays, True)
        return weft.autograd.grad(made, leaves, create_graph=graph), leaves

    grads, _ = gradients(arrays)
    along = sum((np.conj(g.numpy()) * d).sum().real for g, d in zip(grads, steps))
    assert along == pytest.approx(slope(value, arrays, steps), rel=2e-4, abs=1e-5)

    second_weights = [noise(rng, a) for a in arrays]
    grads, leaves = gradients(arrays, True)
    if name in KINKS or not any(g.requires_grad for g in grads):
        return
    seconds = weft.autograd.grad(total(grads, second_weights), leaves, allow_unused=True)
    along = sum((np.conj(g.numpy()) * d).sum().real for g, d in zip(seconds, steps) if g is not None)
    expected = slope(lambda arrays: total(gradients(arrays)[0], second_weights), arrays, steps)
    if name != "pinv singular":                 # off the rank's surface the gradient isn't continuous
        assert along == pytest.approx(expected, rel=5e-4, abs=1e-4)


# factors multiply back, in blocks and batches, tall and wide

@pytest.mark.parametrize("complex_", [False, True])
@pytest.mark.parametrize("shape", [(5, 5), (70, 70), (70, 40), (40, 70), (2, 3, 4, 4), (0, 3), (3, 0)])
def test_factors_multiply_back(shape, complex_):
    rng = np.random.default_rng(0)
    array = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if complex_ else 0)
    a = weft.tensor(array)
    p, low, up = weft.linalg.lu(a)
    q, r = weft.linalg.qr(a)
    u, s, vh = weft.linalg.svd(a, full_matrices=False)
    for made in (p @ low @ up, q @ r, (u * s.unsqueeze(-2)) @ vh):
        np.testing.assert_allclose(made.numpy(), array, atol=1e-10)
    if shape[-1] != shape[-2]:
        return
    h = array + array.swapaxes(-2, -1).conj()
    b = weft.tensor(rng.standard_normal(shape[:-1] + (2,)).astype(array.dtype))
    x = weft.linalg.ldl_solve(*weft.linalg.ldl_factor(weft.tensor(h), hermitian=True), b, hermitian=True)
    np.testing.assert_allclose(h @ x.numpy(), b.numpy(), atol=1e-7)
    values, vectors = weft.linalg.eigh(weft.tensor(h))
    np.testing.assert_allclose(((vectors * values.unsqueeze(-2)) @ vectors.mH).numpy(), h, atol=1e-10)
    for upper in (False, True):
        x = weft.linalg.solve_triangular(a, b, upper=upper)
        triangle = np.triu(array) if upper else np.tril(array)
        residual = triangle @ x.numpy() - b.numpy()
        assert np.abs(residual).max() <= 1e-12 * max(1, np.abs(x.numpy()).max()) * np.abs(array).max() * shape[-1]


def test_ldl_takes_two_by_two_pivots():
    a = weft.tensor([[0.0, 1, 2], [1, 0, 3], [2, 3, 0]])
    compact, pivots = weft.linalg.ldl_factor(a)
    assert (pivots.numpy() < 0).any()
    x = weft.linalg.ldl_solve(compact, pivots, weft.tensor([[1.0], [2], [3]]))
    np.testing.assert_allclose((a @ x).numpy(), [[1], [2], [3]], atol=1e-5)


def test_matrix_exp_of_a_rotation_and_of_large_matrices():
    turn = weft.tensor([[0.0, -np.pi / 2], [np.pi / 2, 0]], dtype=weft.float64)
    np.testing.assert_allclose(weft.linalg.matrix_exp(turn).numpy(), [[0, -1], [1, 0]], atol=1e-14)
    assert weft.linalg.matrix_exp(weft.tensor([[300.0]],
                                              dtype=weft.float64)).item() == pytest.approx(np.exp(300.0), rel=1e-10)
    assert np.isnan(weft.linalg.matrix_exp(weft.tensor([[np.nan]])).item())


# einsum against NumPy's

@pytest.mark.parametrize("equation, shapes", [
    ("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,jk->ki", [(2, 3), (3, 4)]), ("ii->", [(3, 3)]), ("ii->i", [(3, 3)]),
    ("iij->ji", [(3, 3, 2)]), ("ij->", [(2, 3)]), ("ij->ji", [(2, 3)]), ("i,j->ij", [(2,), (3,)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]), ("...ij,...jk->...ik", [(2, 1, 3, 4), (5, 4, 2)]),
    ("i...,i...->...", [(3, 2), (3, 2)]), ("ab,bc,cd,da->", [(2, 3), (3, 4), (4, 5), (5, 2)]),
    ("bthd,bshd->bhts", [(2, 3, 2, 4), (2, 5, 2, 4)]), ("abc,cd,de->abe", [(2, 3, 4), (4, 5), (5, 6)]),
    ("i,i,i->", [(3,), (3,), (3,)]), ("ijk,jil->kl", [(2, 3, 4), (3, 2, 5)]), ("a,b,c->cab", [(2,), (3,), (4,)]),
    ("ij,ij->ij", [(2, 3), (2, 3)]), (",ij->ij", [(), (2, 3)]), ("ij,jk->ik", [(0, 3), (3, 2)]),
    ("ij,jk->ik", [(2, 0), (0, 3)]), ("bA,Ab", [(2, 3), (3, 2)]), ("bAa", [(2, 3, 4)]),
])
def test_einsum(equation, shapes):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(s) for s in shapes]
    made = weft.einsum(equation, *[weft.tensor(a) for a in arrays])
    np.testing.assert_allclose(made.numpy(), np.einsum(equation, *arrays), atol=1e-12)


def test_multi_dot_multiplies_in_the_cheapest_order():
    from weft.ops.linalg.basic import _cheapest
    assert _cheapest([10, 100, 5, 50])[0][2] == 1       # (A B) C
    assert _cheapest([50, 5, 100, 10])[0][2] == 0       # A (B C)
    chain = [weft.ones(2, 2)] * 60
    assert weft.linalg.multi_dot(chain).shape == (2, 2)


def test_low_rank_and_leading_eigenpairs():
    rng = np.random.default_rng(0)
    array = rng.standard_normal((30, 4)) @ rng.standard_normal((4, 20))
    u, s, v = weft.svd_lowrank(weft.tensor(array), q=6)
    np.testing.assert_allclose(((u * s) @ v.mT).numpy(), array, atol=1e-8)
    u, s, v = weft.pca_lowrank(weft.tensor(array), q=4)
    np.testing.assert_allclose(((u * s) @ v.mT).numpy(), array - array.mean(0), atol=1e-8)
    b = array.T @ array + np.eye(20)
    a = weft.tensor(array.T @ array)
    values, vectors = weft.lobpcg(a, k=2, B=weft.tensor(b))
    np.testing.assert_allclose((a @ vectors).numpy(), (weft.tensor(b) @ vectors * values).numpy(), atol=1e-8)
    assert weft.vander(weft.tensor([1, 2, 3]), 2).tolist() == [[1, 1], [2, 1], [3, 1]]


# types

@pytest.mark.parametrize("name", ["int8", "uint8", "int32", "int64", "float16", "bfloat16", "float32", "float64",
                                  "complex64"])
def test_products_keep_the_type(name):
    kind = getattr(weft, name)
    a, b = weft.ones(2, 3).to(kind), weft.ones(3, 4).to(kind)
    for made in (a @ b, weft.mm(a, b), a.unsqueeze(0) @ b, a.unsqueeze(0) @ b.unsqueeze(0), a @ b[:, 0], a[0] @ b,
                 weft.addmm(weft.ones(4).to(kind), a, b, beta=0)):
        assert made.dtype is kind and (made.float() == 3).all()


@pytest.mark.parametrize("name, result", [("eig", "complex64"), ("eigvals", "complex64"), ("eigvalsh", "float32"),
                                          ("svdvals", "float32"), ("det", "float32"), ("inv", "float32"),
                                          ("cond", "float32"), ("matrix_rank", "int64")])
def test_result_types(name, result):
    made = getattr(weft.linalg, name)(weft.eye(3))
    assert (made[0] if isinstance(made, tuple) else made).dtype is getattr(weft, result)


def test_results_have_names():
    a = weft.eye(3)
    fields = {"slogdet": "sign logabsdet", "eigh": "eigenvalues eigenvectors", "eig": "eigenvalues eigenvectors",
              "svd": "U S Vh", "qr": "Q R", "lu": "P L U", "lu_factor": "LU pivots", "lu_factor_ex": "LU pivots info",
              "inv_ex": "inverse info", "cholesky_ex": "L info",
              "ldl_factor": "LD pivots", "ldl_factor_ex": "LD pivots info"}
    for name, names in fields.items():
        assert getattr(weft.linalg, name)(a)._fields == tuple(names.split())
    assert weft.svd(a)._fields == ("U", "S", "V")
    assert weft.linalg.lstsq(a, a)._fields == ("solution", "residuals", "rank", "singular_values")
    assert weft.linalg.solve_ex(a, a)._fields == ("result", "info")


def test_addmm_does_not_read_what_is_multiplied_by_zero():
    made = weft.addmm(weft.full((2, 2), float("nan")), weft.ones(2, 3), weft.ones(3, 2), beta=0)
    assert made.tolist() == [[3, 3], [3, 3]]


def test_matmul_saves_only_what_the_gradient_needs():
    x, w = weft.ones(2, 3, requires_grad=True), weft.ones(3, 4)
    assert len((x @ w).grad_fn.saved) == 1


def test_products_of_strange_strides():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((150, 160)), rng.standard_normal((160, 170))
    ta, tb = weft.tensor(a), weft.tensor(b)
    np.testing.assert_allclose((ta[::2, ::2] @ tb[::2, ::3]).numpy(), a[::2, ::2] @ b[::2, ::3])
    np.testing.assert_allclose((tb.T[::2, ::2] @ ta.T[::2, ::3]).numpy(), b.T[::2, ::2] @ a.T[::2, ::3])


# singular and indefinite matrices

def test_inf_and_info_for_singular_members_of_a_batch():
    a = weft.stack([weft.eye(2), weft.zeros(2, 2)])
    made, info = weft.linalg.inv_ex(a)
    assert info.tolist() == [0, 1] and made[0].tolist() == [[1, 0], [0, 1]]
    assert weft.linalg.cholesky_ex(weft.tensor([[1.0, 0], [0, -1]])).info.item() == 2
    assert weft.linalg.lu_factor_ex(weft.tensor([[1.0, 1], [1, 1]])).info.item() == 2
    assert weft.linalg.det(a).tolist() == [1, 0]
    assert weft.linalg.slogdet(a).logabsdet.tolist() == [0, -np.inf]


def test_det_has_a_gradient_at_rank_n_minus_one():
    x = weft.tensor([[1.0, 2], [2, 4]], requires_grad=True)
    weft.linalg.det(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), [[4, -2], [-2, 1]], atol=1e-5)


def test_norm_has_a_zero_gradient_at_zero():
    x = weft.zeros(2, 2, requires_grad=True)
    weft.linalg.norm(x).backward()
    assert x.grad.tolist() == [[0, 0], [0, 0]]


def test_svdvals_have_a_gradient_where_they_repeat():
    x = weft.eye(3, requires_grad=True)
    weft.linalg.matrix_norm(x, "nuc").backward()
    np.testing.assert_allclose(x.grad.numpy(), np.eye(3), atol=1e-6)


# errors

F = weft.ones
ERRORS = [
    (lambda: F(3, 4) @ F(5, 2), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (3x4 and 5x2)"),
    (lambda: F(2, 3, 4) @ F(5, 2), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (6x4 and 5x2)"),
    (lambda: F(3, 4) @ F(3), RuntimeError, "size mismatch, got input (3), mat (3x4), vec (3)"),
    (lambda: F(3) @ F(4), RuntimeError, "inconsistent tensor size"),
    (lambda: F(2, 3, 4) @ F(3, 4, 2), RuntimeError, "must match the size of"),
    (lambda: weft.tensor(1.0) @ F(3), RuntimeError, "both arguments to matmul need to be at least 1D"),
    (lambda: F(3, 3) @ F(3, 3, dtype=weft.float64), RuntimeError, "expected m1 and m2 to have the same dtype"),
    (lambda: F(3, 3) @ 2, TypeError, "must be Tensor, not int"),
    (lambda: weft.mm(F(3), F(3, 3)), RuntimeError, "must be a matrix"),
    (lambda: F(2, 2).bool() @ F(2, 2).bool(), NotImplementedError, "not implemented for 'Bool'"),
    (lambda: weft.bmm(F(2, 3, 4), F(2, 3, 4)), RuntimeError,
     "Expected size for first two dimensions of batch2 tensor to be: [2, 4]"),
    (lambda: weft.addmm(F(5), F(3, 3), F(3, 4)), RuntimeError,
     "The expanded size of the tensor (4) must match the existing size (5)"),
    (lambda: weft.linalg.inv(F(3, 4)), RuntimeError, "must be batches of square matrices"),
    (lambda: weft.linalg.inv(F(3)), RuntimeError, "must have at least 2 dimensions"),
    (lambda: weft.linalg.inv(F(3, 3).long()), RuntimeError, "Expected a floating point or complex tensor"),
    (lambda: weft.linalg.svd(F(3, 3).half()), RuntimeError, "Low precision dtypes not supported"),
    (lambda: weft.linalg.inv(F(2, 2)), weft.linalg.LinAlgError, "The diagonal element 2 is zero"),
    (lambda: weft.linalg.inv(weft.stack([weft.eye(2), F(2, 2)])), weft.linalg.LinAlgError, "(Batch element 1)"),
    (lambda: weft.linalg.solve(F(2, 2), F(2)), weft.linalg.LinAlgError,
     "The solver failed because the input matrix is singular"),
    (lambda: weft.linalg.solve(F(2, 2), F(3)), RuntimeError,
     "Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)"),
    (lambda: weft.linalg.cholesky(weft.tensor([[1.0, 2], [2, 1]])), weft.linalg.LinAlgError,
     "(the leading minor of order 2 is not positive-definite)"),
    (lambda: weft.linalg.svd(weft.full((2, 2), float("nan"))), weft.linalg.LinAlgError, "non-finite values"),
    (lambda: weft.linalg.lu_factor(F(2, 2)), RuntimeError, "U[2,2] is zero"),
    (lambda: weft.linalg.lu(F(2, 2), pivot=False), RuntimeError, "LU without pivoting is not implemented on the CPU"),
    (lambda: weft.linalg.qr(F(2, 2), mode="x"), RuntimeError, "unrecognized mode 'x'"),
    (lambda: weft.linalg.cross(F(4), F(4)), RuntimeError, "must have length 3. Got 4 and 4"),
    (lambda: weft.linalg.matrix_norm(F(2, 2), 3), RuntimeError, "Order 3 not supported"),
    (lambda: weft.linalg.norm(F(2, 2, 2), 2), RuntimeError,
     "If dim is not specified but ord is, the input must be 1D or 2D. Got 3D"),
    (lambda: weft.linalg.matrix_power(F(2, 2), 0.5), TypeError, "must be int, not float"),
    (lambda: weft.linalg.multi_dot([F(2, 3), F(2, 3)]), RuntimeError,
     "tensors 0 and 1 with shapes [2, 3] and [2, 3] cannot be multiplied"),
    (lambda: weft.einsum("ij,jk->ik", F(2, 3), F(4, 5)), RuntimeError, "subscript j has size 4 for operand 1"),
    (lambda: weft.einsum("ij", F(2, 3, 4)), RuntimeError, "does not match the number of dimensions (3) for operand 0"),
    (lambda: weft.einsum("ij->k", F(2, 3)), RuntimeError, "output subscript k does not appear"),
    (lambda: weft.einsum("i1", F(2, 3)), RuntimeError, "invalid subscript given at index 1"),
    (lambda: weft.einsum("ij,jk", F(2, 3)), RuntimeError, "fewer operands were provided"),
    (lambda: weft.tensordot(F(2, 3), F(2, 4)), RuntimeError, "contracted dimensions need to match"),
    (lambda: weft.inner(F(2, 3), F(2, 4)), RuntimeError, "the last dimension must match"),
    (lambda: weft.outer(F(2, 3), F(2)), RuntimeError, "Expected 1-D argument self, but got 2-D"),
    (lambda: weft.trace(F(2)), RuntimeError, "expected a matrix"),
    (lambda: weft.linalg.cholesky(weft.full((2, 2), float("nan"))), weft.linalg.LinAlgError,
     "(the leading minor of order 1"),
    (lambda: weft.linalg.svd(weft.stack([weft.eye(2), weft.full((2, 2), float("nan"))])), weft.linalg.LinAlgError,
     "(Batch element 1): The"),
    (lambda: weft.linalg.eigh(F(2, 2).long()), NotImplementedError, "floating point or complex"),
    (lambda: weft.linalg.lstsq(F(2, 3, 3), F(3)), RuntimeError, "input.dim() must be greater or equal"),
    (lambda: weft.linalg.lu_solve(F(2, 2), F(2).long(), F(2, 1)), RuntimeError,
     "pivots should be a Tensor of scalar type torch.int32"),
    (lambda: weft.linalg.cond(weft.ones(0, 0), 3), RuntimeError, "invalid norm type: 3"),
    (lambda: weft.linalg.cross(F(3), F(3).double()), RuntimeError, "expected scalar type Float but found Double"),
    (lambda: weft.linalg.cross(F(3).bool(), F(3).bool()), NotImplementedError, "not implemented for 'Bool'"),
    (lambda: weft.linalg.vander(F(3).half()), RuntimeError, "but got Half"),
    (lambda: weft.linalg.pinv(F(2, 2), atol=weft.tensor(1j)), RuntimeError,
     "atol tensor of complex type is not supported"),
    (lambda: weft.addr(F(2, 2), F(2), F(2), beta=True), RuntimeError,
     "Boolean beta only supported for Boolean results."),
    (lambda: weft.addr(F(2, 2).int(), F(2).int(), F(2).int(), alpha=1.5), RuntimeError,
     "alpha must not be a floating point number"),
    (lambda: weft.addmm(F(2, 2), F(2, 2), F(2, 2), beta=1j), RuntimeError, "without overflow"),
    (lambda: weft.ormqr(F(3, 2), F(1), F(3, 3)), RuntimeError,
     "tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1])"),
]


@pytest.mark.parametrize("call, kind, text", ERRORS, ids=[e[2][:40] for e in ERRORS])
def test_errors(call, kind, text):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value)


def test_linalg_error_is_a_runtime_error():
    assert issubclass(weft.linalg.LinAlgError, RuntimeError)


# old faults

def test_tensordot_of_integers_broadcasts_a_length_of_one():
    a, b = weft.full((1, 1, 1), 2, dtype=weft.int32), weft.full((2, 1, 2), 3, dtype=weft.int32)
    found = weft.tensordot(a, b, dims=([0, 1], [2, 0]))
    assert found.dtype is weft.int32 and found._array.tolist() == [[24]]


def test_householder_product_of_no_reflectors_stays_in_the_graph():
    h, tau = weft.zeros(3, 0, requires_grad=True), weft.zeros(0, requires_grad=True)
    made = weft.linalg.householder_product(h, tau)
    made.sum().backward()
    assert h.grad._array.shape == (3, 0) and tau.grad._array.shape == (0,)


def test_lstsq_residuals_are_in_the_graph_even_when_there_are_none():
    a, b = weft.eye(3)[:2].requires_grad_(), weft.ones(2, 1)
    assert weft.linalg.lstsq(a, b).residuals.requires_grad and weft.linalg.lstsq(a, b).residuals._array.shape == (0,)


def test_ldl_pivots_complex_numbers_by_the_sum_of_their_parts():
    """|3| > |2 + 2j|, but |2| + |2| > |3|: LAPACK exchanges, and so do we."""
    a = weft.tensor(np.array([[0, 2 + 2j, 3], [2 + 2j, 1, 0], [3, 0, 1]], "c16"))
    factors, pivots = weft.linalg.ldl_factor(a)
    assert pivots._array.tolist()[:2] == [-2, -2]
    b = weft.tensor(np.arange(3) + 1j)[:, None]
    np.testing.assert_allclose((a @ weft.linalg.ldl_solve(factors, pivots, b))._array, b._array, atol=1e-12)


def test_eig_refuses_losses_that_depend_on_the_phase():
    x = weft.tensor([[0.0, -1.0], [1.0, 0.3]], dtype=weft.float64, requires_grad=True)
    weft.linalg.eig(x).eigenvectors.abs().sum().backward()
    with pytest.raises(RuntimeError, match="ill-defined"):
        weft.linalg.eig(x).eigenvectors.imag.sum().backward()


def test_addmm_does_not_keep_what_is_added():
    bias, a = weft.ones(2), weft.ones(2, 2, requires_grad=True)
    held = bias.clone().requires_grad_()
    made = weft.addmm(held, a, a)
    with weft.no_grad():
        held.add_(1)        # its values play no part in the gradient
    made.sum().backward()
    assert held.grad._array.tolist() == [2, 2]
