"""Sparse tensors without PyTorch: every op given one, layouts, gradients of both orders, optimizers, files, errors."""
import copy
import io
import pickle

import numpy as np
import pytest
from test_derived import CASES, OPS, arguments

import weft
from weft.ops.sparse.rules import EACH, IN_PLACE, RULES

LAYOUTS = ["sparse_coo", "sparse_csr", "sparse_csc"]


def dense(t):
    return t.to_dense() if isinstance(t, weft.Tensor) else t


def sample(rng, rows=4, columns=3, count=5):
    """(indices, values) of which some are of one place."""
    index = np.stack([rng.integers(0, rows, count), rng.integers(0, columns, count)])
    index[:, -1] = index[:, 0]
    return weft.tensor(index), weft.tensor(rng.normal(size=count))


# no op may take the stand-in of a sparse tensor for its values

ALLOWED = (NotImplementedError, RuntimeError, TypeError, ValueError, IndexError, AttributeError)


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
def test_every_op_refuses_a_sparse_tensor_or_is_right(layout):
    """Each op's samples with one operand sparse: an error, or what the dense tensor gives."""
    right = set()
    for name, i in CASES:
        args, keywords = arguments(name, i)
        for at, value in enumerate(args):
            if not isinstance(value, weft.Tensor) or value.dim() not in (2, 3) or name.startswith("_"):
                continue
            try:
                made = value.to_sparse(layout=getattr(weft, layout))
                weft.manual_seed(0)
                found = OPS[name].public(*args[:at], made, *args[at + 1:], **keywords)
            except ALLOWED:
                continue
            weft.manual_seed(0)
            wanted = OPS[name].public(*args[:at], value.clone(), *args[at + 1:], **keywords)
            same(found, wanted, f"{name} {i} argument {at}")
            right.add(name)
    assert {"mm", "matmul", "mul", "sum", "sqrt", "clone"} <= right


def same(found, wanted, text):
    if isinstance(wanted, (tuple, list)):
        assert len(found) == len(wanted), text
        for a, b in zip(found, wanted):
            same(a, b, text)
    elif isinstance(wanted, weft.Tensor):
        assert found.shape == wanted.shape and found.dtype is wanted.dtype, text
        np.testing.assert_allclose(dense(found).detach().numpy(), wanted.detach().numpy(), rtol=1e-12, err_msg=text)


def test_every_method_refuses_a_sparse_tensor_or_has_its_own():
    """What takes no argument, as a method: nothing may give zeros for want of the values."""
    full = weft.tensor([[0.0, 0.5], [0.25, 0.0]])
    for name in dir(weft.Tensor):
        if name in ("__init_subclass__", "__subclasshook__", "__sizeof__", "__new__", "__delattr__", "__class__", "cuda"):
            continue
        s = full.to_sparse()
        try:
            found, wanted = getattr(s, name), getattr(full, name)
            found, wanted = (found(), wanted()) if callable(found) else (found, wanted)
        except Exception as error:
            assert isinstance(error, ALLOWED), f"{name}: {error!r}"
            continue
        if isinstance(found, weft.Tensor) and isinstance(wanted, weft.Tensor) and "empty" not in name and name != "new":
            assert weft.equal(dense(found), dense(wanted)), name


def test_rules_are_for_ops_that_exist():
    names = {op.public.__name__ for op in OPS.values()} | set(dir(weft.Tensor)) | set(dir(weft))
    unknown = [name for name in RULES if name not in names and not hasattr(weft.Tensor, name.rstrip("_"))]
    assert set(unknown) <= {"_rdiv", "linear", "alias", EACH, IN_PLACE}


# layouts

@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
@pytest.mark.parametrize("shape", [(3, 4), (1, 1), (0, 3), (3, 0), (5, 1)])
def test_layouts_into_each_other(layout, other, shape):
    x = weft.tensor(np.random.default_rng(0).integers(-1, 2, shape).astype(float))
    s = x.to_sparse(layout=getattr(weft, layout)).to_sparse(layout=getattr(weft, other))
    assert s.layout is getattr(weft, other) and (s.to_dense() == x).all() and s._nnz() == int((x != 0).sum())


@pytest.mark.parametrize("block", [(2, 2), (1, 3), (4, 1), (4, 6)])
def test_blocks(block):
    x = weft.tensor(np.random.default_rng(0).integers(-1, 2, (4, 6)).astype(float))
    for name in ("sparse_bsr", "sparse_bsc"):
        s = x.to_sparse(layout=getattr(weft, name), blocksize=block)
        assert (s.to_dense() == x).all() and (s.to_sparse_csr().to_dense() == x).all() and (s.t().to_dense() == x.t()).all()
        assert weft.allclose(s @ x.t(), x @ x.t()) and tuple(s.values().shape[1:3]) == block


def test_coalesce_sums_and_sorts():
    rng = np.random.default_rng(0)
    index, values = sample(rng, count=40)
    s = weft.sparse_coo_tensor(index, values, (4, 3))
    made = s.coalesce()
    assert made.is_coalesced() and not s.is_coalesced() and made._nnz() == len(set(map(tuple, index.t().tolist())))
    wanted = np.zeros((4, 3))
    np.add.at(wanted, tuple(index.numpy()), values.numpy())
    np.testing.assert_allclose(made.to_dense().numpy(), wanted)
    np.testing.assert_allclose(s.to_dense().numpy(), wanted)
    keys = made.indices()[0] * 3 + made.indices()[1]
    assert (keys[1:] > keys[:-1]).all()


def test_values_share_memory():
    s = weft.eye(2).to_sparse()
    s._values().mul_(3)
    assert s.to_dense().tolist() == [[3, 0], [0, 3]]
    s.indices()[1, 0] = 1       # what was worked out of the index is worked out again
    assert (s @ weft.eye(2)).tolist() == [[0, 3], [0, 3]]


# gradients: of the values, of a sparse leaf, of the dense operand, to second order

FUNCTIONS = {
    "mm": lambda s, x, y: weft.sparse.mm(s, x), "csr": lambda s, x, y: s.to_sparse_csr() @ x,
    "csc": lambda s, x, y: s.to_sparse_csc() @ x, "dense @ s": lambda s, x, y: y.t() @ s,
    "add": lambda s, x, y: y + s, "mul": lambda s, x, y: (s * y).to_dense(), "s*s": lambda s, x, y: (s * s).to_dense(),
    "s@s": lambda s, x, y: weft.sparse.mm(s, s.t()).to_dense(), "addmm": lambda s, x, y: weft.addmm(y[:, :2], s, x),
    "sum": lambda s, x, y: weft.sparse.sum(s, 0).to_dense(), "tanh": lambda s, x, y: s.tanh().to_dense(),
    "softmax": lambda s, x, y: weft.sparse.softmax(s, 1).to_dense(), "row": lambda s, x, y: s[1].to_dense(),
    "log_softmax": lambda s, x, y: weft.sparse.log_softmax(s, 0).to_dense(), "t": lambda s, x, y: s.t().to_dense(),
    "rows": lambda s, x, y: s.index_select(0, weft.tensor([1, 1, 3])).to_dense(), "cat": lambda s, x, y:
    weft.cat([s, s * 2]).to_dense(), "pow": lambda s, x, y: (s ** 3).to_dense(), "mask": lambda s, x, y:
    y.sparse_mask(s).to_dense(), "mean": lambda s, x, y: weft.sparse.mm(s.to_sparse_csr(), x, "mean"),
    "amax": lambda s, x, y: weft.sparse.mm(s.to_sparse_csr(), x, "amax"), "sampled": lambda s, x, y:
    weft.sparse.sampled_addmm(s.to_sparse_csr(), y[:, :2], x.t()).to_dense(), "to_sparse": lambda s, x, y:
    y.to_sparse().to_dense() * 2, "slice": lambda s, x, y: s[1:3].to_dense(), "clone": lambda s, x, y:
    s.clone().to_dense(), "blocks": lambda s, x, y:
    s.to_sparse_bsr((2, 3)) @ x,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_both_orders(name):
    function = FUNCTIONS[name]
    index, values = sample(np.random.default_rng(1), count=6)
    x = weft.tensor(np.random.default_rng(2).normal(size=(3, 2)), requires_grad=True)
    y = weft.tensor(np.random.default_rng(3).normal(size=(4, 3)), requires_grad=True)
    values.requires_grad_()

    def run(v, x, y):
        return function(weft.sparse_coo_tensor(index, v, (4, 3)), x, y)
    assert weft.autograd.gradcheck(run, (values, x, y))
    assert weft.autograd.gradgradcheck(run, (values, x, y), fast_mode=True)


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n not in ("to_sparse", "mask")])
def test_gradient_of_a_sparse_leaf(name):
    """It is sparse, in the leaf's places, and is what the dense leaf's gradient is there."""
    index, values = sample(np.random.default_rng(1), count=6)
    x, y = weft.tensor(np.random.default_rng(2).normal(size=(3, 2))), weft.ones(4, 3).double()
    leaf = weft.sparse_coo_tensor(index, values, (4, 3)).coalesce().detach().requires_grad_()
    FUNCTIONS[name](leaf, x, y).pow(2).sum().backward()
    again = leaf.detach().values().clone().requires_grad_()
    FUNCTIONS[name](weft.sparse_coo_tensor(leaf.detach().indices(), again, (4, 3)), x, y).pow(2).sum().backward()
    assert leaf.grad.is_sparse and weft.allclose(leaf.grad.coalesce().values(), again.grad)
    FUNCTIONS[name](leaf, x, y).pow(2).sum().backward()     # a second one is added
    assert leaf.grad.is_sparse and weft.allclose(leaf.grad.coalesce().values(), 2 * again.grad)


def test_hooks_retained_gradients_and_grad():
    w = weft.tensor([1.0, 2.0], requires_grad=True)
    s = weft.sparse_coo_tensor([[0, 1], [1, 0]], w, (2, 2))
    s.retain_grad()
    seen = []
    s.register_hook(lambda g: seen.append(g.layout))
    loss = (s @ weft.ones(2, 2)).pow(2).sum()
    loss.backward(retain_graph=True)
    kept = s.grad.to_dense()
    (g,) = weft.autograd.grad(loss, s)
    assert g.is_sparse and s.grad.is_sparse and seen[-1] is weft.sparse_coo and (kept == g.to_dense()).all()
    assert not s.is_leaf and s.requires_grad and not s.detach().requires_grad
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_a_custom_function_takes_and_gives_sparse_tensors():
    class Spmm(weft.autograd.Function):
        @staticmethod
        def forward(ctx, indices, values, shape, b):
            a = weft.sparse_coo_tensor(indices, values, shape)
            ctx.save_for_backward(a, b)
            return weft.matmul(a, b)

        @staticmethod
        def backward(ctx, g):
            a, b = ctx.saved_tensors
            rows, columns = a._indices()
            return None, (g @ b.t())[rows, columns], None, a.t() @ g

    class Scale(weft.autograd.Function):
        @staticmethod
        def forward(ctx, s):
            return s * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2
    w, b = weft.tensor([1.0, 2.0], requires_grad=True), weft.ones(2, 2, requires_grad=True)
    Spmm.apply(weft.tensor([[0, 1], [1, 0]]), w, (2, 2), b).sum().backward()
    assert w.grad.tolist() == [2, 2] and b.grad.tolist() == [[2, 2], [1, 1]]
    Scale.apply(weft.sparse_coo_tensor([[0, 1], [1, 0]], w, (2, 2))).to_dense().sum().backward()
    assert w.grad.tolist() == [4, 4]


# types

@pytest.mark.parametrize("dtype", [weft.float16, weft.bfloat16, weft.float32, weft.int64, weft.int32, weft.complex64])
def test_products_of_every_type(dtype):
    rng = np.random.default_rng(0)
    a = weft.tensor(rng.integers(-2, 3, (5, 4))).to(dtype)
    b = weft.tensor(rng.integers(-2, 3, (4, 3))).to(dtype)
    for layout in LAYOUTS:
        made = weft.sparse.mm(a.to_sparse(layout=getattr(weft, layout)), b)
        wanted = a.to(weft.complex128) @ b.to(weft.complex128)
        assert made.dtype is dtype and (made.to(weft.complex128) == wanted).all()


def test_nan_and_infinity():
    s = weft.tensor([[float("nan"), 0], [float("inf"), 1]]).to_sparse()
    assert s._nnz() == 3 and s.isnan().to_dense().tolist() == [[True, False], [False, False]]
    found = s @ weft.tensor([[1.0], [0.0]])
    assert np.isnan(found[0].item()) and np.isinf(found[1].item())
    assert weft.sparse.softmax(weft.tensor([[-float("inf"), 1.0]]).to_sparse(), 1).to_dense().tolist() == [[0, 1]]


@pytest.mark.parametrize("threads", [1, 2])
def test_product_by_the_kernel_and_by_numpy(threads):
    """Long rows, empty rows, and more columns than a register has."""
    rng = np.random.default_rng(0)
    before = weft.get_num_threads()
    weft.set_num_threads(threads)
    try:
        for width in (1, 3, 16, 67):
            a = rng.normal(size=(300, 50)) * (rng.random((300, 50)) < 0.1)
            b = rng.normal(size=(50, width))
            np.testing.assert_allclose((weft.tensor(a).to_sparse() @ weft.tensor(b)).numpy(), a @ b, rtol=1e-12, atol=1e-12)
    finally:
        weft.set_num_threads(before)


# layers and optimizers

def table(**options):
    weft.manual_seed(0)
    return weft.nn.Embedding(6, 3, **options)


def test_embedding_gives_a_sparse_gradient():
    layer, other = table(sparse=True, padding_idx=2), table(padding_idx=2)
    words = weft.tensor([[1, 1], [4, 2]])
    for emb in (layer, other):
        emb(words).pow(2).sum().backward()
    grad = layer.weight.grad
    assert grad.is_sparse and grad._nnz() == 3 and not grad.is_coalesced() and grad.shape == (6, 3)
    assert weft.allclose(grad.to_dense(), other.weight.grad)
    layer(words).pow(2).sum().backward()
    assert layer.weight.grad.is_sparse and weft.allclose(layer.weight.grad.to_dense(), 2 * other.weight.grad)
    layer.weight.sum().backward()       # and a dense one makes it dense
    assert not layer.weight.grad.is_sparse and weft.allclose(layer.weight.grad, 2 * other.weight.grad + 1)


def test_a_sparse_gradient_added_to_a_dense_one():
    layer = table(sparse=True)
    layer.weight.sum().backward()
    layer(weft.tensor([0])).sum().backward()
    assert layer.weight.grad.tolist() == [[2.0] * 3] + [[1.0] * 3] * 5
    layer.zero_grad()
    (layer.weight.sum() + layer(weft.tensor([0])).sum()).backward()
    assert layer.weight.grad.tolist() == [[2.0] * 3] + [[1.0] * 3] * 5


def test_a_sparse_gradient_is_nobody_elses():
    """The bias gets the same incoming gradient: a write to one must not reach the other."""
    layer, bias = table(sparse=True), weft.zeros(2, 3, requires_grad=True)
    (layer(weft.tensor([0, 1])) + bias).sum().backward()
    layer.weight.grad._values().zero_()
    assert (bias.grad == 1).all()


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_embedding_bag_gives_a_sparse_gradient(mode):
    made = []
    for sparse in (True, False):
        weft.manual_seed(0)
        bag = weft.nn.EmbeddingBag(6, 3, mode=mode, sparse=sparse, padding_idx=1)
        out = bag(weft.tensor([1, 2, 4, 4]), weft.tensor([0, 3]))
        out.pow(2).sum().backward()
        made.append((out, dense(bag.weight.grad)))
        assert bag.weight.grad.is_sparse is sparse
    assert weft.allclose(made[0][0], made[1][0]) and weft.allclose(made[0][1], made[1][1])
    with pytest.raises(ValueError, match="max mode"):
        weft.nn.EmbeddingBag(6, 3, mode="max", sparse=True)(weft.tensor([[1]]))


STEPS = {"SGD": [dict(lr=0.1), dict(lr=0.1, momentum=0.9), dict(lr=0.1, momentum=0.9, nesterov=True), dict(maximize=True)],
         "Adagrad": [dict(lr=0.1), dict(lr=0.1, lr_decay=0.1), dict(maximize=True)],
         "SparseAdam": [dict(lr=0.1), dict(betas=(0.5, 0.9)), dict(maximize=True)]}


@pytest.mark.parametrize("name, options", [(n, o) for n, rows in STEPS.items() for o in rows])
def test_optimizers_step_as_with_dense_gradients(name, options):
    """All rows are used in every step, so that a dense gradient means the same."""
    layers = [table(sparse=True), table()]
    optimizers = [getattr(weft.optim, name)(layer.parameters(), **options) for layer in layers]
    for step in range(4):
        words = weft.tensor([0, 1, 2, 3, 4, 5, step])
        for layer, optimizer in zip(layers, optimizers):
            optimizer.zero_grad()
            (layer(words) * weft.arange(3.0)).pow(2).sum().backward()
            optimizer.step()
    assert weft.allclose(layers[0].weight, layers[1].weight, atol=1e-6)


@pytest.mark.parametrize("name", STEPS)
def test_optimizers_leave_other_rows_alone(name):
    layer = table(sparse=True)
    optimizer = getattr(weft.optim, name)(layer.parameters(), lr=0.1)
    before = layer.weight.detach().clone()
    for _ in range(2):
        optimizer.zero_grad(set_to_none=False)
        layer(weft.tensor([4, 4, 1])).sum().backward()
        optimizer.step()
    moved = (layer.weight != before).any(1).tolist()
    assert moved == [False, True, False, False, True, False]
    state = io.BytesIO()
    weft.save(optimizer.state_dict(), state)
    state.seek(0)
    getattr(weft.optim, name)(layer.parameters(), lr=0.1).load_state_dict(weft.load(state))


@pytest.mark.parametrize("name", ["Adam", "AdamW", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD",
                                  "Adafactor", "Muon"])
def test_other_optimizers_refuse_sparse_gradients(name):
    layer = table(sparse=True)
    layer(weft.tensor([0])).sum().backward()
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        getattr(weft.optim, name)(layer.parameters()).step()


def test_weight_decay_and_clipping_refuse_sparse_gradients():
    layer = table(sparse=True)
    layer(weft.tensor([0])).sum().backward()
    with pytest.raises(RuntimeError, match="not supported"):
        weft.optim.SGD(layer.parameters(), weight_decay=0.1).step()
    with pytest.raises(RuntimeError, match="weight_decay"):
        weft.optim.Adagrad(layer.parameters(), weight_decay=0.1).step()
    for clip in (weft.nn.utils.clip_grad_norm_, weft.nn.utils.clip_grad_value_):
        with pytest.raises(NotImplementedError, match="dense tensor|sparse"):
            clip(layer.parameters(), 1.0)


def test_grad_scaler_unscales_sparse_gradients():
    layer, scaler = table(sparse=True), weft.amp.GradScaler("cpu", init_scale=8.0)
    optimizer = weft.optim.SGD(layer.parameters(), lr=1.0)
    before = layer.weight.detach().clone()
    scaler.scale(layer(weft.tensor([3])).sum()).backward()
    scaler.step(optimizer)
    assert weft.allclose(before[3] - layer.weight[3], weft.ones(3))


# modules and files

class Net(weft.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("adjacency", weft.eye(3).to_sparse())
        self.register_buffer("rows", weft.eye(3).to_sparse_csr())
        self.w = weft.nn.Parameter(weft.eye(3).to_sparse())

    def forward(self, x):
        return self.adjacency @ x + self.rows @ x + self.w @ x


def test_modules_keep_sparse_buffers_and_parameters():
    net, other = Net(), Net()
    other.adjacency._values().mul_(5)
    assert not other.load_state_dict(net.state_dict()).missing_keys
    assert (other.adjacency.to_dense() == weft.eye(3)).all()
    net(weft.ones(3, 2)).sum().backward()
    assert net.w.grad.is_sparse and isinstance(net.w, weft.nn.Parameter) and [n for n, _ in net.named_parameters()] == ["w"]
    weft.optim.SGD(net.parameters(), lr=0.5).step()
    assert (net.w.detach().to_dense() == 0).all()
    twin = copy.deepcopy(net).double()
    assert twin.rows.dtype is twin.w.dtype is weft.float64 and isinstance(twin.w, weft.nn.Parameter)
    assert twin.adjacency is not net.adjacency and twin.w.requires_grad


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("old", [False, True])
def test_files(layout, old):
    s = weft.tensor([[0.0, 1.5], [2.0, 0.0]], dtype=weft.float64).to_sparse(layout=getattr(weft, layout))
    file = io.BytesIO()
    weft.save({"s": s, "u": weft.sparse_coo_tensor([[0, 0]], [1, 2], (3,)), "net": Net().state_dict()}, file,
              _use_new_zipfile_serialization=not old)
    file.seek(0)
    found = weft.load(file)
    assert found["s"].layout is s.layout and found["s"].dtype is s.dtype and (found["s"].to_dense() == s.to_dense()).all()
    assert found["u"]._nnz() == 2 and not found["u"].is_coalesced()
    assert not Net().load_state_dict(found["net"]).missing_keys


@pytest.mark.parametrize("old", [False, True])
def test_a_file_whose_indices_lie_outside_is_refused(old):
    s = weft.eye(3).to_sparse()
    s._indices()[0, 0] = 7
    file = io.BytesIO()
    weft.save(s, file, _use_new_zipfile_serialization=not old)
    file.seek(0)
    with pytest.raises(RuntimeError, match="size is 3 but found index 7"):
        weft.load(file)


def test_pickles_and_copies():
    s = weft.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (3,), requires_grad=True)
    for made in (pickle.loads(pickle.dumps(s)), copy.deepcopy(s), copy.copy(s)):
        assert made.requires_grad and made._nnz() == 2 and made.detach().to_dense().tolist() == [3, 0, 0]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(s * 2)


# errors and checks

@pytest.mark.parametrize("make, text", [
    (lambda: weft.sparse_coo_tensor([[0], [5]], [1.0], (2, 2)), "size is 2 but found index 5"),
    (lambda: weft.sparse_coo_tensor([[0], [-1]], [1.0], (2, 2)), "negative index -1"),
    (lambda: weft.sparse_coo_tensor([[0, 1]], [1.0], (2,)), "same nnz"),
    (lambda: weft.sparse_csr_tensor([0, 2, 1], [0], [1.0], (2, 2)), "== nnz"),
    (lambda: weft.sparse_csr_tensor([0, 2, 1, 2], [0, 1], [1.0, 2.0], (3, 2)), "must not fall"),
    (lambda: weft.sparse_csr_tensor([0, 1, 2], [0, 2], [1.0, 2.0], (2, 2)), "0 <= col_indices < 2"),
    (lambda: weft.sparse_csr_tensor([0, 1], [0], [1.0], (2, 2)), "number of rows"),
    (lambda: weft.sparse_coo_tensor(size=(2**40, 2**40)), "more places"),
    (lambda: weft.eye(2).to_sparse().values().item(), None),
    (lambda: weft.eye(2).to_sparse() @ weft.ones(3, 2), "cannot be multiplied"),
])
def test_bad_indices_are_refused_at_once(make, text):
    with pytest.raises(RuntimeError, match=text):
        make()


def test_all_checks_when_asked():
    def unsorted(**options):
        return weft.sparse_csr_tensor([0, 2, 2], [1, 0], [1.0, 2.0], (2, 2), **options)
    assert unsorted().to_dense().tolist() == [[2, 1], [0, 0]]
    check = weft.sparse.check_sparse_tensor_invariants
    with pytest.raises(RuntimeError, match="sorted and distinct"):
        unsorted(check_invariants=True)
    with check():
        assert check.is_enabled()
        with pytest.raises(RuntimeError, match="sorted and distinct"):
            unsorted()
        unsorted(check_invariants=False)
    assert not check.is_enabled()
    check.enable()
    try:
        with pytest.raises(RuntimeError, match="sorted and distinct"):
            check(True)(unsorted)()
    finally:
        check.disable()


def test_what_has_no_rule_says_what_to_do():
    with pytest.raises(NotImplementedError, match=r"exp: there is no rule for sparse tensors[\s\S]*fix: give it x.to_dense"):
        weft.eye(2).to_sparse().exp()
    with pytest.raises(NotImplementedError, match="needs a dense tensor"):
        weft.eye(2).to_sparse()._array
    for name in ("spsolve", "to_sparse_semi_structured"):
        with pytest.raises(NotImplementedError, match="weft has no torch.sparse"):
            getattr(weft.sparse, name)(1)
    with pytest.raises(AttributeError, match=r"use torch.sparse.mm"):
        weft.smm


class Graphs(weft.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return (weft.eye(3) * (i + 1)).to_sparse()


@pytest.mark.parametrize("workers", [0, 1])
def test_a_loader_stacks_sparse_samples(workers):
    batches = list(weft.utils.data.DataLoader(Graphs(), batch_size=2, num_workers=workers))
    assert all(b.is_sparse for b in batches) and batches[1].to_dense().sum((1, 2)).tolist() == [9, 12]


def test_elementwise_ops_that_give_zero_for_zero():
    s = weft.tensor([[0.0, -2.0], [3.0, 0.0]]).to_sparse()
    assert (s > 0).to_dense().tolist() == [[False, False], [True, False]]
    assert s.clamp(-1, 1).to_dense().tolist() == [[0, -1], [1, 0]] and weft.nn.functional.relu(s).to_dense().sum() == 3
    for call in (lambda: s.cos(), lambda: s < 1, lambda: s.clamp(1, 2), lambda: s + 1, lambda: s == 0, lambda: s ** -1):
        with pytest.raises(RuntimeError, match="sparse"):
            call()


def test_vmap_checkpoint_and_capture_know_sparse_operands():
    s, x = weft.tensor([[0.0, 2.0], [3.0, 0.0]]).to_sparse(), weft.ones(4, 2, requires_grad=True)
    assert weft.func.vmap(lambda v: weft.mv(s, v))(x).tolist() == [[2, 3]] * 4
    weft.utils.checkpoint.checkpoint(lambda v: s @ v.t(), x, use_reentrant=False).sum().backward()
    assert x.grad.tolist() == [[3, 2]] * 4
    step = weft.jit.capture(lambda v: (s @ v).sum())
    assert [step(weft.ones(2, 2)).item() for _ in range(3)] == [10] * 3


def test_check_numerics_names_the_product_of_sparse_tensors():
    s = weft.tensor([[0.0, 3e38], [1.0, 0.0]]).to_sparse()
    with weft.check_numerics(), pytest.raises(FloatingPointError, match="sparse_addmm made Inf"):
        s @ weft.full((2, 2), 10.0)
    with weft.check_numerics(), pytest.raises(FloatingPointError, match="sampled_addmm made Inf"):
        weft.sparse.sampled_addmm(s.to_sparse_csr(), weft.full((2, 1), 3e38), weft.full((1, 2), 3e38), beta=0.0)


def test_sspaddmm_has_the_elements_of_both():
    a = weft.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]])
    d, s = weft.arange(9.0).reshape(3, 3), weft.eye(3).to_sparse()
    made = weft.sspaddmm(s, a.to_sparse(), d, beta=2, alpha=3)
    assert made._nnz() == 9 and made._indices().tolist() == [[0, 1, 2, 0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2, 0, 1, 2]]
    assert weft.equal(made.to_dense(), 2 * weft.eye(3) + 3 * (a @ d))
    assert weft.equal(s.sspaddmm(a.to_sparse(), d).to_dense(), weft.eye(3) + a @ d)
    with pytest.raises(RuntimeError, match="expected 'mat1' to have sparse layout"):
        weft.sspaddmm(s, a, d)
