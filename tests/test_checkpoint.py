"""Checkpointing: the same gradients as without, with less kept."""
import contextlib
import functools
import gc

import numpy as np
import pytest
from cycles import leaves_cycles

import weft
from weft import nn
from weft.utils._python_dispatch import TorchDispatchMode
from weft.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_early_stop


def leaf(*shape, seed=0):
    return weft.tensor(np.random.default_rng(seed).standard_normal(shape), requires_grad=True)


def block(x, w):
    return (x @ w).tanh() * x.exp()


def gradients(run, *leaves, **more):
    for t in leaves:
        t.grad = None
    out = run()
    out.sum().backward(**more)
    return [None if t.grad is None else t.grad._array.copy() for t in leaves]


def both(plain, checked, *leaves):
    for a, b in zip(gradients(plain, *leaves), gradients(checked, *leaves), strict=True):
        assert (a is None) == (b is None) and (a is None or np.allclose(a, b))


@pytest.mark.parametrize("reentrant", [None, True, False])
def test_same_gradients(reentrant):
    x, w = leaf(3, 3), leaf(3, 3, seed=1)
    both(lambda: block(block(x, w), w),
         lambda: checkpoint(block, checkpoint(block, x, w, use_reentrant=reentrant), w, use_reentrant=reentrant), x, w)


@pytest.mark.parametrize("reentrant", [True, False])
def test_frozen_input(reentrant):
    x, w = leaf(3, 3).detach(), leaf(3, 3, seed=1)
    both(lambda: block(x, w), lambda: checkpoint(block, x, w, use_reentrant=reentrant), w)
    both(lambda: block(x, w), lambda: checkpoint(lambda x: block(x, w), x, use_reentrant=reentrant), w)


def test_several_outputs_and_keywords():
    x, w = leaf(3, 3), leaf(3, 3, seed=1)

    def pair(x, *, w, scale=1, also=None):
        return x @ w * scale, 7, (x * w).exp(), also

    def run(call):
        a, number, b, also = call(pair, x, w=w, scale=3, also=x)
        assert number == 7 and also is x
        return a * 2 + b
    both(lambda: run(lambda f, *args, **kwargs: f(*args, **kwargs)), lambda: run(checkpoint), x, w)


def test_nested():
    x, w = leaf(3, 3), leaf(3, 3, seed=1)

    def nest(depth, x):
        if depth == 0:
            return block(x, w)
        return checkpoint(nest, depth - 1, checkpoint(nest, depth - 1, x) * 0.1)

    def flat(depth, x):
        return block(x, w) if depth == 0 else flat(depth - 1, flat(depth - 1, x) * 0.1)
    both(lambda: flat(3, x), lambda: nest(3, x), x, w)


def test_random_numbers_are_repeated():
    x = leaf(50)

    def noisy(x):
        return x * (weft.rand(50) > 0.5) + (x * weft.rand(50)).exp()
    weft.manual_seed(3)
    plain = gradients(lambda: noisy(x), x)
    after = weft.rand(1).item()
    weft.manual_seed(3)
    checked = gradients(lambda: checkpoint(noisy, x), x)
    assert np.allclose(plain[0], checked[0]) and weft.rand(1).item() == after


def test_random_numbers_not_preserved():
    x = leaf(50)
    seen = []

    def noisy(x):
        seen.append(weft.rand(1).item())
        return x.exp()
    checkpoint(noisy, x, preserve_rng_state=False).sum().backward()
    assert len(seen) == 2 and seen[0] != seen[1]


def test_second_order_and_retained_graph():
    x, w = leaf(3, 3), leaf(3, 3, seed=1)

    def second(call):
        g, = weft.autograd.grad(call(block, x, w).sum(), x, create_graph=True)
        return weft.autograd.grad((g * g).sum(), [x, w])
    for a, b in zip(second(lambda f, *args: f(*args)), second(checkpoint), strict=True):
        assert np.allclose(a._array, b._array)
    y = checkpoint(block, x, w).sum()
    y.backward(retain_graph=True)
    once = x.grad._array.copy()
    y.backward()
    assert np.allclose(x.grad._array, 2 * once)


def test_custom_function_inside():
    class Cube(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * x
            ctx.save_for_backward(x, y)
            return y * x

        @staticmethod
        def backward(ctx, grad_out):
            x, y = ctx.saved_tensors
            return 3 * grad_out * y
    x = leaf(3)
    both(lambda: Cube.apply(x * 2), lambda: checkpoint(lambda x: Cube.apply(x * 2), x), x)


def test_nothing_is_kept_between():
    x = leaf(100)

    def chain(x):
        for _ in range(10):
            x = x.exp().log()
        return x

    def alive():
        gc.collect()
        return sum(type(o) is weft.Tensor for o in gc.get_objects())
    before = alive()
    plain = chain(x)
    with_graph = alive() - before
    del plain
    checked = checkpoint(chain, x)
    assert alive() - before < with_graph / 2
    checked.sum().backward()


def test_early_stop():
    count = []

    def part(x):
        y = x.exp()
        count.append("saved")
        z = y + 1
        count.append("after")
        return z
    x = leaf(3)
    checkpoint(part, x).sum().backward()
    assert count == ["saved", "after"]      # exp had all that was wanted
    count.clear()
    with set_checkpoint_early_stop(False):
        y = checkpoint(part, x)
    y.sum().backward()
    assert count == ["saved", "after", "saved", "after"]


def test_without_grad_it_is_a_plain_call():
    with weft.no_grad():
        assert not checkpoint(block, leaf(3, 3), leaf(3, 3)).requires_grad


def test_a_function_that_does_not_repeat_itself():
    x = leaf(3)
    sizes = iter([3, 2])

    def changing(x):
        return x[:next(sizes)].exp()
    y = checkpoint(changing, x)
    with pytest.raises(CheckpointError, match="different metadata") as error:
        y.sum().backward()
    assert "y = checkpoint(changing, x)" in str(error.value)
    times = iter([2, 1])

    def shrinking(x):
        for _ in range(next(times)):
            x = x.exp()
        return x
    y = checkpoint(shrinking, x)
    with pytest.raises(CheckpointError, match="different number of tensors"):
        y.sum().backward()


def test_written_argument_is_noticed():
    h = leaf(3) * 1
    y = checkpoint(lambda h: h.exp(), h)
    h.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_contexts():
    seen = []

    @contextlib.contextmanager
    def told(name):
        seen.append(name)
        yield
    checkpoint(lambda x: x.exp(), leaf(3), context_fn=lambda: (told("first"), told("second"))).sum().backward()
    assert seen == ["first", "second"]
    with pytest.raises(ValueError, match="determinism_check"):
        checkpoint(lambda x: x, leaf(3), determinism_check="some")


@pytest.mark.parametrize("segments", [1, 2, 3])
def test_sequential(segments):
    x, w = leaf(3, 3), leaf(3, 3, seed=1)
    parts = [functools.partial(block, w=w), weft.tanh, weft.exp, lambda x: x * w]

    def plain():
        y = x
        for part in parts:
            y = part(y)
        return y
    both(plain, lambda: checkpoint_sequential(parts, segments, x), x, w)


def test_no_reference_cycles():
    x, w = leaf(3, 3), leaf(3, 3)
    assert not leaves_cycles(lambda: checkpoint(block, x * 1, w).sum().backward())
    assert not leaves_cycles(lambda: checkpoint(block, x * 1, w))


@pytest.mark.parametrize("early_stop", [True, False])
def test_a_gradient_taken_inside(early_stop):
    """Without early stop, the second run began before the first was over, and its further tensors were refused."""
    def slope(f):
        def of(x):
            with weft.enable_grad():
                found, = weft.autograd.grad(f(x), x, create_graph=True)
            return found
        return of

    def f(x):
        return x.sin().exp().sin()

    def kept_out(f):
        return functools.partial(checkpoint, f)
    x = leaf()
    expected = slope(slope(f))(x).item()
    with set_checkpoint_early_stop(early_stop):
        for run in (slope(kept_out(slope(f))), slope(kept_out(slope(kept_out(f)))),
                    kept_out(slope(slope(kept_out(f))))):
            assert run(x).item() == pytest.approx(expected, rel=1e-12)


def test_a_function_stopped_early_leaves_no_cycle():
    class Copy(weft.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.clone()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]
    x = leaf(3)
    assert not leaves_cycles(lambda: checkpoint(Copy.apply, x).sum().backward())


def test_a_context_that_swallows_the_error():
    def fail(x):
        raise ValueError("failed")
    with pytest.raises(RuntimeError, match="suppressed"):
        checkpoint(fail, leaf(2), context_fn=lambda: (contextlib.suppress(ValueError), contextlib.nullcontext()))


def test_it_is_there_without_being_imported():
    assert weft.utils.checkpoint.checkpoint is checkpoint


# ---- selective ----

def selective(policy, **options):
    return functools.partial(weft.utils.checkpoint.create_selective_checkpoint_contexts, policy, **options)


def counted_policy(chosen, asked):
    def policy(context, op, *args, **kwargs):
        asked.append(str(op))
        return weft.utils.checkpoint.CheckpointPolicy.MUST_SAVE if op in chosen else \
            weft.utils.checkpoint.CheckpointPolicy.PREFER_RECOMPUTE
    return policy


@pytest.mark.parametrize("policy", [
    counted_policy({weft.ops.aten.addmm.default}, []), [weft.ops.aten.mm.default, weft.ops.aten.tanh.default],
    lambda *args, **kwargs: weft.utils.checkpoint.CheckpointPolicy.MUST_SAVE, lambda *args, **kwargs: False])
def test_a_selective_checkpoint_gives_the_same_gradients(policy):
    weft.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Dropout(0.5), nn.Linear(8, 4), nn.Dropout(0.5))
    x = weft.randn(3, 4, requires_grad=True)
    found = []
    for checkpointed in (False, True):
        weft.manual_seed(1)
        x.grad = None
        net.zero_grad()
        y = checkpoint(net, x, use_reentrant=False, context_fn=selective(policy)) if checkpointed else net(x)
        y.sin().sum().backward()
        found.append([x.grad, *(p.grad for p in net.parameters())])
    assert all(weft.equal(a, b) for a, b in zip(*found))


def test_a_selective_checkpoint_computes_what_was_kept_only_once():
    asked, ran = [], []

    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            ran.append(str(func))
            return func(*args, **(kwargs or {}))

    w = weft.ones(2, 2, requires_grad=True)
    y = checkpoint(lambda w: weft.mm(w, w).sin().exp(), w, use_reentrant=False,
                   context_fn=selective(counted_policy({weft.ops.aten.mm.default}, asked)))
    with Count():
        y.sum().backward()
    assert asked == ["aten.mm.default", "aten.sin.default", "aten.exp.default"]     # in the forward only
    assert "aten.sin.default" in ran and "aten.mm.default" not in ran       # mm's gradient is made by other ops


def test_what_a_selective_checkpoint_kept_must_not_be_written_to():
    x = weft.ones(3, requires_grad=True)
    run = functools.partial(checkpoint, lambda x: x.sin().mul_(2).cos(), x, use_reentrant=False)
    with pytest.raises(RuntimeError, match="has been mutated"):
        run(context_fn=selective([weft.ops.aten.sin.default])).sum().backward()
    run(context_fn=selective([weft.ops.aten.sin.default], allow_cache_entry_mutation=True)).sum().backward()
    with pytest.raises(RuntimeError, match="backward an extra time"):
        y = checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False,
                       context_fn=selective([weft.ops.aten.sin.default])).sum()
        y.backward(retain_graph=True)
        y.backward()


@pytest.mark.parametrize("given, error, words", [(2, TypeError, "either a function or a list of ops"),
                                                 ([2], ValueError, "to be an OpOverload"),
                                                 ([weft.ops.aten.sin], ValueError, "specific OpOverload")])
def test_what_is_no_policy_of_a_selective_checkpoint(given, error, words):
    with pytest.raises(error, match=words):
        weft.utils.checkpoint.create_selective_checkpoint_contexts(given)
