"""Whoever looks on sees each write to a tensor, once, and how each new tensor came to be."""
import io

import numpy as np
import pytest

import weft
from weft.core.seam import Watcher


class Log(Watcher):
    """Keeps ops, writes and assignments."""

    def __init__(self):
        self.ops, self.written, self.given, self.values = [], [], [], {}
        self.made = set()
        self.kept = []

    def after(self, op, values, outputs):
        self.ops.append(op)
        self.made.update(id(t) for t in outputs)
        self.values[op.name] = list(values)
        self.kept.extend(outputs)       # so that no id is used twice

    def wrote(self, target, result):
        self.written.append(target)

    def assigned(self, tensor, what, value):
        self.given.append((tensor, what, value))


LONG, MASK, ROW = weft.tensor([[0, 1]]), weft.tensor([[True, False]] * 3), weft.ones(1, 2)
# name -> what writes to x, of shape (3, 2)
WRITES = {
    "add_": lambda x: x.add_(1),
    "+=": lambda x: x.__iadd__(weft.ones(3, 2)),
    "mul_ broadcast": lambda x: x.mul_(weft.ones(2)),
    "add_ alpha": lambda x: x.add_(weft.ones(3, 2), alpha=2),
    "exp_": lambda x: x.exp_(),
    "clamp_": lambda x: x.clamp_(0),
    "zero_": lambda x: x.zero_(),
    "fill_": lambda x: x.fill_(3),
    "fill_ tensor": lambda x: x.fill_(weft.tensor(1.0)),
    "copy_": lambda x: x.copy_(weft.ones(3, 2)),
    "copy_ number": lambda x: x.copy_(2.0),
    "tril_": lambda x: x.tril_(),
    "masked_fill_": lambda x: x.masked_fill_(MASK, 1.0),
    "masked_scatter_": lambda x: x.masked_scatter_(MASK, weft.ones(3)),
    "index_fill_": lambda x: x.index_fill_(0, weft.tensor([-1]), 1.0),
    "put_": lambda x: x.put_(weft.tensor([0]), weft.ones(1)),
    "index_add_": lambda x: x.index_add_(0, weft.tensor([0]), ROW),
    "scatter_add_": lambda x: x.scatter_add_(0, LONG, ROW),
    "index_copy_": lambda x: x.index_copy_(0, weft.tensor([0]), ROW),
    "scatter_": lambda x: x.scatter_(0, LONG, 1.0),
    "index_reduce_": lambda x: x.index_reduce_(0, weft.tensor([0]), ROW, "prod"),
    "scatter_reduce_": lambda x: x.scatter_reduce_(0, LONG, ROW, "amax"),
    "index_put_": lambda x: x.index_put_((weft.tensor([0]),), weft.ones(2)),
    "uniform_": lambda x: x.uniform_(),
    "normal_": lambda x: x.normal_(),
    "random_": lambda x: x.random_(),
    "bernoulli_": lambda x: x.bernoulli_(),
    "exponential_": lambda x: x.exponential_(),
    "cauchy_": lambda x: x.cauchy_(),
    "geometric_": lambda x: x.geometric_(0.5),
    "log_normal_": lambda x: x.log_normal_(),
    "init": lambda x: weft.nn.init.kaiming_uniform_(x),
    "init constant": lambda x: weft.nn.init.constant_(x, 1.0),
    "x[mask] =": lambda x: x.__setitem__(x > 1, 0.0),
    "x[index] =": lambda x: x.__setitem__(weft.tensor([0]), 1.0),
    "apply_": lambda x: x.apply_(lambda v: v + 1),
    "map_": lambda x: x.map_(weft.ones(3, 2), lambda a, b: a + b),
    "out= add": lambda x: weft.add(x, 1, out=x),
    "out= mm": lambda x: weft.mm(weft.ones(3, 4), weft.ones(4, 2), out=x),
    "out= zeros": lambda x: weft.zeros(3, 2, out=x),
    "out= full": lambda x: weft.full((3, 2), 1.0, out=x),
    "out= eye": lambda x: weft.eye(3, 2, out=x),
    "out= arange": lambda x: weft.arange(6.0, out=x),
    "out= linspace": lambda x: weft.linspace(0, 1, 6, out=x),
    "out= rand": lambda x: weft.rand(3, 2, out=x),
    "out= randn": lambda x: weft.randn(3, 2, out=x),
    "out= normal": lambda x: weft.normal(0.0, 1.0, (3, 2), out=x),
    "out= cat": lambda x: weft.cat([ROW, ROW, ROW], out=x),
    "out= gather": lambda x: weft.gather(x, 0, weft.zeros(3, 2).long(), out=x),
}


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_a_write_is_seen_once(name, watched):
    """And nobody who looks on changes what is written."""
    weft.manual_seed(1)
    x = weft.arange(6.0).view(3, 2).clone()
    if not watched:
        WRITES[name](x)
        assert x._version == 1
        return
    with Log() as log:
        WRITES[name](x)
    assert [t is x for t in log.written] == [True], name
    assert log.given == []
    weft.manual_seed(1)
    again = weft.arange(6.0).view(3, 2).clone()
    WRITES[name](again)
    np.testing.assert_array_equal(x.numpy(), again.numpy())
    assert x._version == again._version


VIEWED = {
    "x[0] =": lambda x: x.__setitem__(0, 1.0),
    "x[1:] =": lambda x: x.__setitem__(slice(1, None), weft.ones(2, 2)),
    "x[..., 0] =": lambda x: x.__setitem__((..., 0), [1.0, 2.0, 3.0]),
    "x[:] =": lambda x: x.__setitem__(slice(None), x),
    "fill_diagonal_": lambda x: x.fill_diagonal_(1.0),
    "x[0].add_": lambda x: x[0].add_(1),
    "x.T.zero_": lambda x: x.T.zero_(),
}


@pytest.mark.parametrize("name", VIEWED)
def test_a_write_through_a_view_is_seen_once(name):
    x = weft.arange(6.0).view(3, 2).clone()
    with Log() as log:
        VIEWED[name](x)
    assert len(log.written) == 1 and log.written[0]._memory_record is x._memory_record
    assert log.written[0] is x or log.written[0]._view_of.base() is x


def test_numbers_drawn_into_out_follow_its_memory_when_watched_too():
    made = []
    for watched in (False, True):
        weft.manual_seed(3)
        x = weft.empty(4, 5).t()
        if watched:
            with Log() as log:
                weft.rand(5, 4, out=x)
            assert [op.name for op in log.ops][0] == "_drawn" and log.ops[0].random >= 0
        else:
            weft.rand(5, 4, out=x)
        made.append(x.numpy().copy())
    np.testing.assert_array_equal(*made)


def base():
    return weft.arange(6.0).view(3, 2).clone()


# name -> (what gives x other memory or another shape, what the watcher is told, the value)
OTHER = {
    "unsqueeze_": (lambda x: x.unsqueeze_(0), "unsqueeze_"),
    "squeeze_": (lambda x: x.squeeze_(), "squeeze_"),
    "t_": (lambda x: x.t_(), "t_"),
    "transpose_": (lambda x: x.transpose_(0, 1), "transpose_"),
    "as_strided_": (lambda x: x.as_strided_((2,), (1,)), "as_strided_"),
    "resize_": (lambda x: x.resize_(2, 2), "resize_"),
    "resize_as_": (lambda x: x.resize_as_(weft.ones(2)), "resize_"),
    "set_": (lambda x: x.set_(weft.ones(2)), "set_"),
    "set_()": (lambda x: x.set_(), "set_"),
    "set_ storage": (lambda x: x.set_(weft.ones(4).untyped_storage()), "set_"),
    "data =": (lambda x: setattr(x, "data", weft.ones(2)), "data"),
    "grad =": (lambda x: setattr(x, "grad", base()), "grad"),
}


@pytest.mark.parametrize("name", OTHER)
def test_other_memory_is_told_once(name):
    act, what = OTHER[name]
    x = base()
    with Log() as log:
        act(x)
    assert [(t is x, told) for t, told, _ in log.given] == [(True, what)]
    assert log.written == []


def test_out_that_is_too_small_is_resized_and_written():
    x = weft.empty(0)
    with Log() as log:
        weft.add(weft.ones(2), 1, out=x)
    assert [(t is x, what) for t, what, _ in log.given] == [(True, "resize_")]
    assert [t is x for t in log.written] == [True]


def test_a_parameter_is_a_leaf_that_optimizers_write():
    layer = weft.nn.Linear(2, 2)
    layer(weft.ones(1, 2)).sum().backward()
    with Log() as log, weft.no_grad():
        layer.weight -= 0.1 * layer.weight.grad
    assert [t is layer.weight for t in log.written] == [True]


# how tensors come to be

ARRAY = np.arange(6.0)
X = weft.arange(6.0).view(3, 2)
TURNED = X.t()
CREATED = {
    "zeros": lambda: weft.zeros(2, 3),
    "ones": lambda: weft.ones(2),
    "full": lambda: weft.full((2,), 3.5),
    "empty": lambda: weft.empty(2, 3),
    "empty channels_last": lambda: weft.empty(1, 2, 2, 2, memory_format=weft.channels_last),
    "empty_strided": lambda: weft.empty_strided((2, 3), (1, 2)),
    "empty_permuted": lambda: weft.empty_permuted((2, 3), (1, 0)),
    "scalar_tensor": lambda: weft.scalar_tensor(2),
    "eye": lambda: weft.eye(3),
    "arange": lambda: weft.arange(5),
    "arange float": lambda: weft.arange(0, 1, 0.25),
    "linspace": lambda: weft.linspace(0, 1, 5),
    "logspace": lambda: weft.logspace(0, 1, 5),
    "tril_indices": lambda: weft.tril_indices(3, 3),
    "triu_indices": lambda: weft.triu_indices(3, 3),
    "tensor": lambda: weft.tensor([1.0, 2.0]),
    "tensor number": lambda: weft.tensor(3),
    "as_tensor": lambda: weft.as_tensor([1, 2]),
    "as_tensor array": lambda: weft.as_tensor(ARRAY),
    "from_numpy": lambda: weft.from_numpy(ARRAY),
    "asarray": lambda: weft.asarray(ARRAY),
    "frombuffer": lambda: weft.frombuffer(bytearray(8), dtype=weft.int32),
    "from_dlpack": lambda: weft.from_dlpack(ARRAY),
    "zeros_like": lambda: weft.zeros_like(X),
    "ones_like": lambda: weft.ones_like(TURNED),
    "full_like": lambda: weft.full_like(X, 2.0),
    "empty_like": lambda: weft.empty_like(X),
    "rand_like": lambda: weft.rand_like(X),
    "randn_like": lambda: weft.randn_like(TURNED),
    "new_zeros": lambda: X.new_zeros(2),
    "new_ones": lambda: X.new_ones(2),
    "new_full": lambda: X.new_full((2,), 1),
    "new_empty": lambda: X.new_empty(2),
    "new_tensor": lambda: X.new_tensor([1, 2]),
    "rand": lambda: weft.rand(2, 3),
    "randn": lambda: weft.randn(2),
    "randint": lambda: weft.randint(5, (3,)),
    "randperm": lambda: weft.randperm(5),
    "normal": lambda: weft.normal(0.0, 1.0, (3,)),
    "hann_window": lambda: weft.hann_window(5),
    "fftfreq": lambda: weft.fft.fftfreq(5),
    "nonzero_static": lambda: weft.nonzero_static(X, size=2),
    "unravel_index": lambda: weft.unravel_index(LONG, (2, 3))[0],
}


@pytest.mark.parametrize("name", CREATED)
def test_a_new_tensor_has_an_op_that_can_be_run_again(name):
    weft.manual_seed(5)
    plain = CREATED[name]()
    weft.manual_seed(5)
    with Log() as log:
        made = CREATED[name]()
    assert id(made) in log.made
    assert len(log.ops) == 1
    assert (made.shape, made.dtype, made.stride()) == (plain.shape, plain.dtype, plain.stride())
    if "empty" in name:
        return
    np.testing.assert_array_equal(made.numpy(), plain.numpy())
    op = log.ops[0]
    weft.manual_seed(5)
    again = op.compute(log.values[op.name])
    again = again[0] if isinstance(again, tuple) else again
    np.testing.assert_array_equal(again.numpy(), plain.numpy())


@pytest.mark.parametrize("name", [n for n in CREATED if n.startswith("rand") or n == "normal"])
def test_what_draws_says_from_which_generator(name):
    with Log() as log:
        CREATED[name]()
    op, = log.ops
    assert log.values[op.name][op.random] is weft.default_generator


def test_what_comes_from_outside_keeps_its_source():
    with Log() as log:
        shared, copied = weft.from_numpy(ARRAY), weft.tensor([1.0, 2.0])
        copied.zero_()
    again = [op for op in log.ops if op.name == "_data"]
    assert len(again) == 2
    assert shared.numpy().__array_interface__["data"] == ARRAY.__array_interface__["data"]
    np.testing.assert_array_equal(log.values["_data"][0], [1.0, 2.0])     # not what was written to the tensor later


def test_old_constructors_are_told():
    with Log() as log:
        t = weft.FloatTensor([1.0, 2.0])
    assert [op.name for op in log.ops] == ["_data"]
    assert [(given is t, what) for given, what, _ in log.given] == [(True, "set_")]
    np.testing.assert_array_equal(t.numpy(), [1.0, 2.0])


def test_every_op_that_draws_says_so():
    from weft.ops.core.registry import ALL
    for op in ALL:
        if op.forward is not None and "generator" in op.names:
            assert op.random == op.names.index("generator"), op.name


def test_loading_is_no_op_on_what_was_there():
    layer, file = weft.nn.Linear(2, 2), io.BytesIO()
    weft.save(layer.state_dict(), file)
    file.seek(0)
    state = weft.load(file)
    with Log() as log:
        layer.load_state_dict(state)
    assert {id(t) for t in log.written} == {id(layer.weight), id(layer.bias)} and len(log.written) == 2
