"""nn.utils beside PyTorch's: one body, run with both, on the same weights."""
import warnings

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch")
LIBS = (weft, torch)
import torch.nn.utils.prune  # noqa: E402


def number(shape, seed=0):
    return np.random.default_rng(seed).standard_normal(tuple(shape)).astype(np.float32)


def fill(lib, module):
    for i, p in enumerate([*module.parameters(), *module.buffers()]):
        if p.is_floating_point():
            p.data = lib.tensor(np.abs(number(p.shape, i)) if "var" in str(i) else number(p.shape, i))
    return module


def net(lib):
    return fill(lib, lib.nn.Sequential(lib.nn.Linear(3, 4), lib.nn.ReLU(), lib.nn.Linear(4, 2)))


def with_grads(lib, scale=1.0):
    made = net(lib)
    for i, p in enumerate(made.parameters()):
        p.grad = lib.tensor(number(p.shape, i + 20) * np.float32(scale))
    return made


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "detach"):
        return value.detach().numpy()
    return value


def check(a, b, tolerance=1e-5):
    if isinstance(a, dict):
        assert list(a) == list(b)
        a, b = list(a.values()), list(b.values())
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            check(x, y, tolerance)
    elif isinstance(a, np.ndarray):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    else:
        assert a == b


def both(case, *args, tolerance=1e-5):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [plain(case(lib, *args)) for lib in LIBS]
    check(found[0], found[1], tolerance)


# clipping

@pytest.mark.parametrize("kind", [2.0, 1.0, float("inf"), 3, 0.5, -float("inf")])
@pytest.mark.parametrize("limit", [0.5, 100.0])
@pytest.mark.parametrize("foreach", [None, True, False])
def test_clip_norm(kind, limit, foreach):
    def case(lib):
        model = with_grads(lib)
        total = lib.nn.utils.clip_grad_norm_(model.parameters(), limit, kind, foreach=foreach)
        return total, [p.grad for p in model.parameters()]
    both(case)


def test_clip_others():
    def case(lib):
        model = with_grads(lib)
        lib.nn.utils.clip_grad_value_(model.parameters(), 0.3)
        one = with_grads(lib)[0].weight
        total = lib.nn.utils.clip_grad_norm_(one, 0.1)
        norm = lib.nn.utils.get_total_norm([p.grad for p in model.parameters()])
        lib.nn.utils.clip_grads_with_norm_(model.parameters(), 0.2, norm)
        nothing = lib.nn.utils.clip_grad_norm_([lib.ones(2)], 1.0)
        return [p.grad for p in model.parameters()], one.grad, total, norm, nothing
    both(case)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_clip_with_a_bad_gradient(bad):
    def case(lib):
        model = with_grads(lib)
        model[0].weight.grad[0, 0] = bad
        total = lib.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        return total, [p.grad for p in model.parameters()]
    both(case)


def test_clip_types():
    def case(lib, kind):
        p = lib.nn.Parameter(lib.ones(3, dtype=getattr(lib, kind)))
        p.grad = lib.tensor([3.0, 4.0, 12.0], dtype=getattr(lib, kind))
        total = lib.nn.utils.clip_grad_norm_([p], 1.0)
        return total.to(lib.complex128 if kind.startswith("complex") else lib.float64), str(total.dtype), p.grad.to(
            lib.complex128 if kind.startswith("complex") else lib.float64)
    for kind in ("float64", "float16", "bfloat16", "complex64"):
        both(case, kind, tolerance=1e-2)


# reparametrized

def test_weight_norm():
    for dim in (0, 1, None):
        def case(lib, dim=dim):
            layer = fill(lib, lib.nn.Linear(3, 4))
            lib.nn.utils.weight_norm(layer, dim=dim)
            out = layer(lib.tensor(number((2, 3))))
            out.square().sum().backward()
            grads = {k: p.grad for k, p in layer.named_parameters()}
            state = dict(layer.state_dict())
            lib.nn.utils.remove_weight_norm(layer)
            return out, grads, state, dict(layer.state_dict()), repr(layer)
        both(case)


def test_new_weight_norm_and_old_states():
    def case(lib):
        layer = lib.nn.utils.parametrizations.weight_norm(fill(lib, lib.nn.Conv1d(3, 4, 2)))
        out = layer(lib.tensor(number((2, 3, 5))))
        out.square().sum().backward()
        old = lib.nn.utils.weight_norm(fill(lib, lib.nn.Conv1d(3, 4, 2)))
        layer.load_state_dict(old.state_dict())
        return out, {k: p.grad for k, p in layer.named_parameters()}, dict(layer.state_dict()), repr(layer)
    both(case)


@pytest.mark.parametrize("form", ["old", "new"])
def test_spectral_norm(form):
    def case(lib):
        module = lib.nn.utils if form == "old" else lib.nn.utils.parametrizations
        layer = module.spectral_norm(fill(lib, lib.nn.Conv2d(2, 3, 2)))
        state = {k: lib.tensor(number(v.shape, i)) for i, (k, v) in enumerate(layer.state_dict().items())}
        layer.load_state_dict(state)
        outs = [layer(lib.tensor(number((1, 2, 4, 4)))) for _ in range(3)]
        outs[-1].square().sum().backward()
        after = {k: v.clone() for k, v in layer.state_dict().items()}
        layer.eval()
        outs.append(layer(lib.tensor(number((1, 2, 4, 4)))))
        return outs, {k: p.grad for k, p in layer.named_parameters()}, after
    both(case, tolerance=1e-4)


def test_parametrize():
    def case(lib):
        P = lib.nn.utils.parametrize

        class Symmetric(lib.nn.Module):
            def forward(self, x):
                return x.triu() + x.triu(1).transpose(-1, -2)

            def right_inverse(self, x):
                return x.triu()

        class Exponential(lib.nn.Module):
            def forward(self, x):
                return x.exp()

            def right_inverse(self, x):
                return x.log()

        class Pair(lib.nn.Module):
            def forward(self, a, b):
                return a @ b

            def right_inverse(self, x):
                return x[:, :1].clone(), lib.ones(1, x.shape[1])
        layer = fill(lib, lib.nn.Linear(3, 3))
        P.register_parametrization(layer, "weight", Symmetric())
        first = layer.weight.clone()
        P.register_parametrization(layer, "weight", Exponential())
        layer.weight = lib.tensor(np.exp(number((3, 3)) + number((3, 3)).T))
        notes = [P.is_parametrized(layer), P.is_parametrized(layer, "bias"), type(layer).__name__,
                 P.type_before_parametrizations(layer).__name__, repr(layer), list(layer.state_dict()),
                 [k for k, _ in layer.named_parameters()]]
        with P.cached():
            notes.append(layer.weight is layer.weight)
        layer(lib.ones(1, 3)).sum().backward()
        grad = layer.parametrizations.weight.original.grad
        values = [first, layer.weight, layer.parametrizations.weight.original, grad]
        P.remove_parametrizations(layer, "weight")
        notes += [type(layer).__name__, list(layer.state_dict())]
        other = P.register_parametrization(fill(lib, lib.nn.Linear(3, 3)), "weight", Pair())
        values += [layer.weight, other.weight]
        notes += [list(other.state_dict())]
        copied = P.transfer_parametrizations_and_params(other, lib.nn.Linear(3, 3))
        values.append(copied.weight)
        return notes, values
    both(case)


@pytest.mark.parametrize("lib", LIBS, ids=["weft", "torch"])
def test_parametrize_errors(lib):
    P = lib.nn.utils.parametrize

    class Wrong(lib.nn.Module):
        def forward(self, x):
            return x[:1]
    layer = lib.nn.Linear(3, 3)
    weight = layer.weight
    for attempt, kind in ((lambda: P.register_parametrization(layer, "weight", Wrong()), ValueError),
                          (lambda: P.register_parametrization(layer, "nothing", Wrong()), ValueError),
                          (lambda: P.remove_parametrizations(layer, "weight"), ValueError)):
        with pytest.raises(kind):
            attempt()
    assert layer.weight is weight
    P.register_parametrization(layer, "weight", Wrong(), unsafe=True)
    assert layer.weight.shape == (1, 3)
    with pytest.raises(RuntimeError):
        layer.weight = lib.ones(3, 3)


# pruned by masks

PRUNED = {
    "l1": lambda lib, m: lib.nn.utils.prune.l1_unstructured(m, "weight", 0.3),
    "l1 number": lambda lib, m: lib.nn.utils.prune.l1_unstructured(m, "weight", 5),
    "scores": lambda lib, m: lib.nn.utils.prune.l1_unstructured(m, "weight", 5,
                                                                importance_scores=lib.tensor(number((4, 3, 2, 2), 9))),
    "ln": lambda lib, m: lib.nn.utils.prune.ln_structured(m, "weight", 0.5, n=2, dim=0),
    "ln last": lambda lib, m: lib.nn.utils.prune.ln_structured(m, "weight", 1, n=float("inf"), dim=-1),
    "identity": lambda lib, m: lib.nn.utils.prune.identity(m, "bias"),
    "mask": lambda lib, m: lib.nn.utils.prune.custom_from_mask(m, "bias", lib.tensor([1, 0, 1, 0])),
    "twice": lambda lib, m: lib.nn.utils.prune.ln_structured(lib.nn.utils.prune.l1_unstructured(m, "weight", 0.4),
                                                             "weight", 0.5, n=1, dim=1),
    "thrice": lambda lib, m: lib.nn.utils.prune.custom_from_mask(lib.nn.utils.prune.l1_unstructured(
        lib.nn.utils.prune.l1_unstructured(m, "weight", 0.4), "weight", 0.5), "weight",
                                                                 lib.tensor(np.arange(48).reshape(4, 3, 2, 2) % 2)),
}


@pytest.mark.parametrize("name", PRUNED)
def test_prune(name):
    def case(lib):
        layer = fill(lib, lib.nn.Conv2d(3, 4, 2))
        PRUNED[name](lib, layer)
        out = layer(lib.tensor(number((1, 3, 4, 4))))
        out.square().sum().backward()
        grads = {k: p.grad for k, p in layer.named_parameters()}
        state, pruned = dict(layer.state_dict()), lib.nn.utils.prune.is_pruned(layer)
        which = "bias" if "bias_orig" in state else "weight"
        lib.nn.utils.prune.remove(layer, which)
        return out, grads, state, pruned, lib.nn.utils.prune.is_pruned(layer), dict(layer.state_dict())
    both(case)


def test_prune_globally_and_at_random():
    def case(lib):
        model = net(lib)
        prune = lib.nn.utils.prune
        prune.global_unstructured([(model[0], "weight"), (model[2], "weight")], prune.L1Unstructured, amount=0.5)
        lib.manual_seed(3)
        other = net(lib)
        prune.random_unstructured(other[0], "weight", 4)
        prune.random_structured(other[2], "weight", 1, dim=0)
        return dict(model.state_dict()), dict(other.state_dict())
    both(case)


@pytest.mark.parametrize("lib", LIBS, ids=["weft", "torch"])
def test_prune_errors(lib):
    prune = lib.nn.utils.prune
    for attempt, kind in ((lambda m: prune.l1_unstructured(m, "weight", -1), ValueError),
                          (lambda m: prune.l1_unstructured(m, "weight", 99), ValueError),
                          (lambda m: prune.l1_unstructured(m, "weight", "x"), TypeError),
                          (lambda m: prune.ln_structured(m, "bias", 1, 2, 0), ValueError),
                          (lambda m: prune.remove(m, "weight"), ValueError)):
        layer = lib.nn.Linear(3, 4)
        with pytest.raises(kind):
            attempt(layer)
        assert sorted(layer.state_dict()) == ["bias", "weight"]


# the rest

def test_vectors_fusion_and_formats():
    def case(lib):
        model, utils = net(lib), lib.nn.utils
        vector = utils.parameters_to_vector(model.parameters())
        utils.vector_to_parameters(vector * 2, model.parameters())
        conv, bn = fill(lib, lib.nn.Conv2d(3, 4, 2, bias=False)).eval(), fill(lib, lib.nn.BatchNorm2d(4)).eval()
        bn.running_var.abs_()
        x = lib.tensor(number((2, 3, 5, 5)))
        fused = utils.fuse_conv_bn_eval(conv, bn)
        deconv = fill(lib, lib.nn.ConvTranspose2d(3, 4, 2)).eval()
        fused2 = utils.fusion.fuse_conv_bn_eval(deconv, bn, transpose=True)
        line, bn1 = fill(lib, lib.nn.Linear(3, 4)).eval(), fill(lib, lib.nn.BatchNorm1d(4)).eval()
        bn1.running_var.abs_()
        fused3 = utils.fuse_linear_bn_eval(line, bn1)
        for made, plain_ in ((fused(x), bn(conv(x))), (fused2(x), bn(deconv(x))),
                             (fused3(x[:, :, 0, 0]), bn1(line(x[:, :, 0, 0])))):
            assert (made - plain_).abs().max() < 1e-4
        last = utils.convert_conv2d_weight_memory_format(lib.nn.Sequential(conv), lib.channels_last)[0].weight
        skipped = utils.skip_init(lib.nn.Linear, 3, 4)
        return (vector, dict(model.state_dict()), dict(fused.state_dict()), dict(fused2.state_dict()),
                dict(fused3.state_dict()), last.stride(), list(skipped.weight.shape), skipped.weight.requires_grad)
    both(case, tolerance=1e-4)


def test_packed_sequences():
    def case(lib):
        R = lib.nn.utils.rnn
        parts = [lib.tensor(number((n, 2), n)) for n in (3, 5, 2)]
        packed = R.pack_sequence(parts, enforce_sorted=False)
        first = R.pack_sequence(sorted(parts, key=len, reverse=True))
        padded, lengths = R.pad_packed_sequence(packed, batch_first=True, padding_value=-1.0, total_length=6)
        again = R.pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        left = R.pad_sequence(parts, batch_first=True, padding_value=2.0, padding_side="left")
        right = R.pad_sequence(parts)
        return (list(packed), list(first)[:2], padded, lengths, list(again), left, right,
                R.unpad_sequence(right.clone(), lib.tensor([3, 5, 2])), R.unpack_sequence(packed),
                packed.double().data, packed.to(lib.float64).data, packed.is_cuda,
                R.invert_permutation(lib.tensor([2, 0, 1])), packed.long().data, packed.int().data,
                packed.short().data, packed.char().data, packed.byte().data.abs(), packed.is_pinned())
    both(case)


@pytest.mark.parametrize("lib", LIBS, ids=["weft", "torch"])
def test_packed_sequence_errors(lib):
    R, x = lib.nn.utils.rnn, lib.ones(4, 2, 1)
    for attempt, kind in ((lambda: R.pack_padded_sequence(x, [2, 3]), RuntimeError),
                          (lambda: R.pack_padded_sequence(x, [3, 0]), RuntimeError),
                          (lambda: R.pack_padded_sequence(x, [3]), RuntimeError),
                          (lambda: R.pad_packed_sequence(R.pack_padded_sequence(x, [3, 2]), total_length=1),
                           ValueError), (lambda: R.pad_sequence([]), RuntimeError),
                          (lambda: R.pad_sequence([x], padding_side="up"), RuntimeError)):
        with pytest.raises(kind):
            attempt()


def test_adaptive_softmax():
    def case(lib, bias, value):
        layer = fill(lib, lib.nn.AdaptiveLogSoftmaxWithLoss(6, 12, [3, 7], div_value=value, head_bias=bias))
        x = lib.tensor(number((5, 6)), requires_grad=True)
        target = lib.tensor([0, 2, 5, 11, 7])
        out, loss = layer(x, target)
        loss.backward()
        one, _ = layer(x[0].detach(), target[0])
        return (out, loss, x.grad, {k: p.grad for k, p in layer.named_parameters()}, layer.log_prob(x),
                layer.predict(x), one, repr(layer), list(layer.state_dict()))
    both(case, True, 2.0)
    both(case, False, 4.0)


@pytest.mark.parametrize("lib", LIBS, ids=["weft", "torch"])
def test_adaptive_softmax_errors(lib):
    for cutoffs in ([], [3, 3], [7, 3], [0, 3], [20], [3.5]):
        with pytest.raises(ValueError):
            lib.nn.AdaptiveLogSoftmaxWithLoss(4, 10, cutoffs)
    layer = lib.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3])
    for x, y in ((lib.ones(2, 4), lib.tensor([1, 10])), (lib.ones(2, 4), lib.tensor([1])),
                 (lib.ones(2, 3, 4), lib.ones(2, 3).long())):
        with pytest.raises(RuntimeError):
            layer(x, y)


def test_linear_cross_entropy():
    def case(lib, sizes, bias, smoothing):
        layer = fill(lib, lib.nn.LinearCrossEntropyLoss(5, 4, out_features=sizes, bias=bias, label_smoothing=smoothing,
                                                        weight=lib.tensor([1.0, 2.0, 0.5, 1.0])))
        x = lib.tensor(number((3, 5)), requires_grad=True)
        loss = layer(x, lib.tensor(np.arange(3 * int(np.prod(sizes))).reshape(3, *sizes) % 4))
        loss.backward()
        soft = layer(x, lib.tensor(np.abs(number((3, 4, *sizes)))))
        return loss, soft, x.grad, {k: p.grad
                                    for k, p in layer.named_parameters()}, repr(layer), list(layer.state_dict())
    both(case, (), False, 0.0)
    both(case, (2, 3), True, 0.1)
