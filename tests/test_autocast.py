"""Autocast on the CPU: which types ops compute in, what is kept, and that nothing of it outlives its region."""
import threading
import warnings

import pytest

import weft
from weft import nn
from weft.core.autocast import state
from weft.core.seam import Watcher

F = nn.functional


def test_products_are_lowered_losses_raised_and_the_rest_left_alone():
    x = weft.ones(2, 2)
    for dtype in (weft.bfloat16, weft.float16):
        with weft.autocast("cpu", dtype=dtype):
            assert (x @ x).dtype is x.mm(x).dtype is F.linear(x, x).dtype is dtype
            assert (x + x).dtype is weft.float32 and (x + x.to(dtype)).dtype is weft.float32
            assert F.mse_loss(x.to(dtype), x.to(dtype)).dtype is weft.float32
            assert weft.cat([x, x.to(dtype)]).dtype is weft.float32
            assert weft.cat([x.to(dtype), x.to(dtype)]).dtype is dtype
    assert (x @ x).dtype is weft.float32


def test_float64_and_integers_are_not_cast():
    with weft.autocast("cpu"):
        assert (weft.ones(2, 2).double() @ weft.ones(2, 2).double()).dtype is weft.float64
        assert (weft.ones(2, 2).long() @ weft.ones(2, 2).long()).dtype is weft.int64


def test_the_other_half_type_has_no_widest():
    with weft.autocast("cpu", dtype=weft.bfloat16), pytest.raises(RuntimeError, match="autocast::prioritize"):
        weft.cat([weft.ones(2).half(), weft.ones(2).half()])


def test_out_and_in_place_keep_their_types():
    x = weft.ones(2, 2)
    with weft.autocast("cpu"):
        assert weft.mm(x, x, out=weft.empty(2, 2)).dtype is weft.float32
        third = weft.full((2, 2), 1 / 3)
        assert x.clone().addmm_(third, third).equal(x.addmm(third, third, out=weft.empty(2, 2)))


def test_nested_regions_and_exceptions_restore_what_was():
    x = weft.ones(2, 2)
    with weft.autocast("cpu", dtype=weft.float16):
        with weft.autocast("cpu", enabled=False):
            assert (x @ x).dtype is weft.float32 and not weft.is_autocast_enabled("cpu")
        with weft.autocast("cpu", dtype=weft.bfloat16):
            assert (x @ x).dtype is weft.get_autocast_dtype("cpu") is weft.bfloat16
        assert (x @ x).dtype is weft.float16
        with pytest.raises(RuntimeError):
            x @ weft.ones(3, 3)
        assert weft.is_autocast_enabled("cpu") and weft.get_autocast_dtype("cpu") is weft.float16
    assert not weft.is_autocast_enabled("cpu") and weft.get_autocast_dtype("cpu") is weft.bfloat16
    with pytest.raises(KeyError), weft.autocast("cpu"):
        raise KeyError
    assert not weft.is_autocast_enabled("cpu")


def test_another_thread_is_not_in_the_region():
    seen = []
    with weft.autocast("cpu"):
        thread = threading.Thread(target=lambda: seen.append((weft.ones(2, 2) @ weft.ones(2, 2)).dtype))
        thread.start()
        thread.join()
    assert seen == [weft.float32]


class Casts(Watcher):
    """Counts the casts that it sees."""

    count = 0

    def after(self, op, values, outs):
        self.count += op.name == "_cast"


@pytest.mark.parametrize("keep, casts", [(True, 3), (False, 4)])
def test_a_weight_is_cast_once_and_watchers_see_it(keep, casts):
    layer, x, seen = nn.Linear(2, 2, bias=False), weft.ones(1, 2), Casts()
    with seen, weft.autocast("cpu", cache_enabled=keep):
        layer(x), layer(x)
    assert seen.count == casts and not state.kept


def test_gradients_reach_the_float32_parameter():
    layer, x = nn.Linear(2, 1, bias=False), weft.tensor([[1.0, 2.0]])
    with weft.autocast("cpu"):
        loss = (layer(x) + layer(x)).sum()
    loss.backward()
    assert layer.weight.grad.dtype is weft.float32 and layer.weight.grad.tolist() == [[2.0, 4.0]]


def test_a_cast_made_under_no_grad_does_not_cut_the_graph():
    layer, x = nn.Linear(2, 2), weft.ones(1, 2)
    with weft.autocast("cpu"):
        with weft.no_grad():
            layer(x)
        layer(x).sum().backward()
    assert layer.weight.grad is not None


def test_a_weight_that_was_written_to_is_cast_again():
    layer, x = nn.Linear(2, 1, bias=False), weft.ones(1, 2)
    with weft.autocast("cpu"):
        layer(x)
        with weft.no_grad():
            layer.weight.fill_(3)
        assert layer(x).item() == 6


def test_it_decorates():
    @weft.autocast("cpu")
    def product(x):
        return x @ x
    assert product(weft.ones(2, 2)).dtype is weft.bfloat16 and not weft.is_autocast_enabled("cpu")


def test_older_names_and_setters():
    with weft.cpu.amp.autocast():
        assert weft.is_autocast_cpu_enabled() and weft.get_autocast_cpu_dtype() is weft.bfloat16
    weft.set_autocast_enabled("cpu", True)
    try:
        assert (weft.ones(1, 1) @ weft.ones(1, 1)).dtype is weft.bfloat16
    finally:
        weft.set_autocast_enabled("cpu", False)
    with pytest.raises(RuntimeError, match="scalarType"):
        weft.get_autocast_dtype("abacus")


def test_cuda_warns_and_does_nothing():
    with pytest.warns(UserWarning, match="CUDA is not available"), weft.autocast("cuda"):
        assert not weft.is_autocast_enabled() and (weft.ones(1, 1) @ weft.ones(1, 1)).dtype is weft.float32
    with pytest.warns(UserWarning, match="only supports"), weft.autocast("cpu", dtype=weft.float32):
        assert not weft.is_autocast_enabled("cpu")


def test_the_cpu_warns_no_more():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with weft.autocast("cpu"):
            pass


def test_custom_functions_cast_their_inputs_and_keep_the_state_for_the_backward():
    seen = []

    class Product(weft.autograd.Function):
        @staticmethod
        @weft.amp.custom_fwd(device_type="cpu")
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x @ x

        @staticmethod
        @weft.amp.custom_bwd(device_type="cpu")
        def backward(ctx, g):
            seen.append(weft.is_autocast_enabled("cpu"))
            return g.float()

    class Precise(Product):
        @staticmethod
        @weft.amp.custom_fwd(device_type="cpu", cast_inputs=weft.float32)
        def forward(ctx, x):
            seen.append((x.dtype, weft.is_autocast_enabled("cpu")))
            return x @ x
    x = weft.ones(2, 2, requires_grad=True)
    with weft.autocast("cpu"):
        made = Product.apply(x)
        precise = Precise.apply(x.bfloat16())
    assert made.dtype is weft.bfloat16 and precise.dtype is weft.float32
    (made.sum() + precise.sum()).backward()
    assert seen == [(weft.float32, False), False, True]


def test_a_checkpoint_repeats_the_region():
    layer, x = nn.Linear(2, 2), weft.ones(1, 2, requires_grad=True)
    with weft.autocast("cpu"):
        out = weft.utils.checkpoint.checkpoint(lambda x: layer(x).tanh(), x, use_reentrant=False)
    out.sum().backward()
    assert out.dtype is weft.bfloat16 and x.grad.dtype is weft.float32
