"""Tensor subclasses keep their class, __torch_function__ sees every op, Parameters act as plain tensors."""
import copy
import pickle

import numpy as np
import pytest

import weft
import weft._C
from weft import _pure, overrides
from weft.nn import Buffer, Parameter


class Tagged(weft.Tensor):
    pass


class More(Tagged):
    pass


class Other(weft.Tensor):
    pass


class Made(weft.Tensor):
    @staticmethod
    def __new__(cls, data, label):
        return weft.Tensor._make_subclass(cls, data)

    def __init__(self, data, label):
        self.label = label


class Sized(weft.Tensor):
    @staticmethod
    def __new__(cls, data, label):
        return super().__new__(cls, data)

    def __init__(self, data, label):
        self.label = label


class Logged(weft.Tensor):
    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(func)
        return super().__torch_function__(func, types, args, kwargs or {})


def tagged(*values):
    return weft.tensor(values or (1.0, 2.0)).as_subclass(Tagged)


# results keep the class

@pytest.mark.parametrize("call", [
    lambda x: x + 1, lambda x: 1 - x, lambda x: x * x, lambda x: weft.ones(2) + x, lambda x: x @ x, lambda x: -x,
    lambda x: x > 1, lambda x: x == x, lambda x: 2 ** x, lambda x: abs(x), lambda x: x.exp(), lambda x: weft.exp(x),
    lambda x: weft.add(x, 1, alpha=2), lambda x: x.reshape(2, 1), lambda x: x.view(-1), lambda x: x[0],
    lambda x: x[:1], lambda x: x[None], lambda x: x[[0, 1]], lambda x: x[x > 1], lambda x: x.to(weft.float64),
    lambda x: x.double(), lambda x: x.detach(), lambda x: x.clone(), lambda x: x.sum(),
    lambda x: x.mean(0, keepdim=True), lambda x: weft.stack([x, x]), lambda x: weft.cat([weft.ones(2), x]),
    lambda x: x.unbind()[0], lambda x: weft.split(x, 1)[1], lambda x: x.reshape(1, 2).max(1).values,
    lambda x: x.new_zeros(2), lambda x: x.new_tensor([1.0]), lambda x: list(x)[0], lambda x: x.softmax(0),
    lambda x: weft.where(x > 0, x, x), lambda x: x.mT
    if x.dim() > 1 else x.unsqueeze(0).mT])
def test_results_keep_the_class(call):
    assert type(call(tagged())) is Tagged


@pytest.mark.parametrize("call", [weft.zeros_like, weft.ones_like, weft.empty_like, lambda x: weft.full_like(x, 2)])
def test_like_functions_keep_the_class(call):
    assert type(call(tagged())) is Tagged


@pytest.mark.parametrize("call", [lambda x: x.numpy(), lambda x: x.tolist(), lambda x: x.sum().item(),
                                  lambda x: x.shape, lambda x: x.dim(), lambda x: x.dtype, lambda x: float(x[0]),
                                  lambda x: len(x)])
def test_what_is_no_tensor_stays_what_it_is(call):
    assert not isinstance(call(tagged()), weft.Tensor)


def test_in_place_keeps_the_object():
    x = first = tagged()
    x += 1
    x.mul_(2)
    x[0] = 9
    assert x is first and x.tolist() == [9, 6] and x.add_(1) is x


def test_out_is_filled():
    out = weft.zeros(2)
    made = weft.add(tagged(), 1, out=out)
    assert (type(made) is Tagged and type(out) is weft.Tensor and out.tolist() == [2, 3]
            and made.data_ptr() == out.data_ptr())


@pytest.mark.parametrize("a, b, expected", [(Tagged, More, More), (More, Tagged, More), (Tagged, weft.Tensor, Tagged),
    (weft.Tensor, More, More)])
def test_the_most_derived_class_wins(a, b, expected):
    assert type(weft.ones(2).as_subclass(a) + weft.ones(2).as_subclass(b)) is expected


def test_unrelated_classes():
    with pytest.raises(TypeError):
        tagged() + weft.ones(2).as_subclass(Other)


def test_gradients_flow_through_subclasses():
    x = weft.ones(2, requires_grad=True)
    y = x.as_subclass(Tagged)
    assert y.grad_fn.name() == "AliasBackward0" and not y.is_leaf
    (y * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]
    leaf = tagged().requires_grad_()
    (leaf * leaf).sum().backward()
    assert leaf.is_leaf and leaf.grad.tolist() == [2, 4]


def test_a_write_through_the_subclass_is_history_of_the_tensor():
    x = weft.ones(2, requires_grad=True)
    base = x * 1
    base.as_subclass(Tagged).mul_(3)
    base.sum().backward()
    assert base.tolist() == [3, 3] and x.grad.tolist() == [3, 3]


def test_as_subclass_shares_memory():
    x = weft.zeros(2)
    x.as_subclass(Tagged)[0] = 1
    assert x.tolist() == [1, 0] and type(tagged().as_subclass(weft.Tensor)) is weft.Tensor
    for wrong in (3, int):
        with pytest.raises(TypeError, match="subclass of Tensor"):
            x.as_subclass(wrong)


# making them

def test_make_subclass():
    x = weft.ones(2)
    y = weft.Tensor._make_subclass(Tagged, x, True)
    assert type(y) is Tagged and y.is_leaf and y.requires_grad and y.data_ptr() == x.data_ptr()
    with pytest.raises(RuntimeError, match="floating point"):
        weft.Tensor._make_subclass(Tagged, weft.arange(2), True)


@pytest.mark.parametrize("cls", [Made, Sized])
def test_a_class_with_its_own_new(cls):
    x = cls(weft.ones(2), "label")
    assert x.label == "label" and x.tolist() == [1, 1] and type(x + 1) is cls and not hasattr(x + 1, "label")
    assert type(x.detach()) is cls and repr(x) == f"{cls.__name__}([1., 1.])"


def test_the_old_constructor():
    assert Tagged([1, 2]).tolist() == [1, 2] and type(Tagged([1, 2])) is Tagged and Tagged(2, 3).shape == (2, 3)


def test_wrapper_subclass_has_no_data():
    x = weft.Tensor._make_wrapper_subclass(Tagged, (2, 3), dtype=weft.float64, requires_grad=True)
    assert type(x) is Tagged and x.shape == (2, 3) and x.dtype is weft.float64 and x.requires_grad


def test_repr():
    assert repr(tagged()) == "Tagged([1., 2.])"
    assert repr(Parameter(tagged())) == "Parameter(Tagged([1., 2.], requires_grad=True))"


@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy, copy.copy])
def test_copies_keep_class_and_attributes(again):
    x = tagged()
    x.note = [1]
    made = again(x)
    assert type(made) is Tagged and made.note == [1] and made.tolist() == [1, 2]


class Stateful(weft.Tensor):
    def __getstate__(self):
        return {"saved": 1}

    def __setstate__(self, state):
        self.loaded = state["saved"]


def test_pickle_uses_the_class_s_own_state():
    assert pickle.loads(pickle.dumps(weft.ones(2).as_subclass(Stateful))).loaded == 1


# __torch_function__

def test_every_op_is_seen():
    x = weft.ones(2).as_subclass(Logged)
    Logged.calls.clear()
    (x + 1).sum()
    x.exp_()
    weft.mean(x, dim=0)
    assert [f.__name__ for f in Logged.calls] == ["add", "sum", "exp_", "mean"] and Logged.calls[-1] is weft.mean


def test_objects_that_are_no_tensors():
    class Duck:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return func.__name__, len(types), kwargs

    assert weft.add(Duck(), 1) == ("add", 1, {})
    assert weft.add(weft.ones(2), Duck(), alpha=2) == ("add", 1, {"alpha": 2})
    assert weft.sum(Duck(), dim=1)[2] == {"dim": 1}


def test_not_implemented_is_a_type_error():
    class No(weft.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    with pytest.raises(TypeError, match="No"):
        weft.mean(weft.ones(2).as_subclass(No))


def test_the_switch():
    with weft._C.DisableTorchFunctionSubclass():
        assert type(tagged() + 1) is weft.Tensor
    assert type(tagged() + 1) is Tagged


def test_overrides_helpers():
    x, plain = tagged(), weft.ones(2)
    assert overrides.has_torch_function((plain, x)) and not overrides.has_torch_function((plain, Parameter(plain), 3))
    assert overrides.has_torch_function_unary(x) and overrides.has_torch_function_variadic(plain, x)
    assert overrides.is_tensor_like(plain) and overrides.is_tensor_like(x) and not overrides.is_tensor_like(3)
    assert overrides.resolve_name(weft.add) == "torch.add" and overrides.resolve_name(len) is None
    assert overrides.is_tensor_method_or_property(weft.Tensor.add) and not overrides.is_tensor_method_or_property(len)
    assert weft.add in overrides.get_overridable_functions()[weft]
    assert weft.is_tensor in overrides.get_ignored_functions()


def test_handle_torch_function():
    def mine(a, b):
        if overrides.has_torch_function((a, b)):
            return overrides.handle_torch_function(mine, (a, b), a, b)
        return a + b

    assert type(mine(tagged(), 1)) is Tagged and type(mine(weft.ones(2), 1)) is weft.Tensor
    wrapped = overrides.wrap_torch_function(lambda a: (a,))(lambda a: a * 2)
    assert type(wrapped(tagged())) is Tagged and wrapped(weft.ones(1)).tolist() == [2]


# Parameter

def test_parameter():
    data = weft.ones(2)
    p = Parameter(data)
    assert isinstance(p, weft.Tensor) and p.requires_grad and p.is_leaf and p.data_ptr() == data.data_ptr()
    assert not Parameter(data, requires_grad=False).requires_grad and not data.requires_grad
    assert Parameter().shape == (0,) and type(p.data) is weft.Tensor and type(p.detach()) is weft.Tensor
    assert not isinstance(data, Parameter) and isinstance(Parameter(p), Parameter)


def test_ops_on_parameters_give_plain_tensors():
    p = Parameter(weft.tensor([1.0, 2.0]))
    for out in (p + 1, 1 + p, p * p, p.exp(), p[0], p.sum(), weft.stack([p, p]), p.view(-1), p.clone()):
        assert type(out) is weft.Tensor
    (p * p).sum().backward()
    assert p.grad.tolist() == [2, 4]
    with weft.no_grad():
        assert p.sub_(p.grad) is p
    assert p.tolist() == [-1, -2]


def test_parameter_of_a_subclass():
    class Special(Parameter):
        pass

    p = Special(weft.ones(2))
    assert (type(p) is Special and isinstance(p, Parameter) and type(p + 1) is weft.Tensor
            and type(p.detach()) is weft.Tensor)
    assert type(p + tagged()) is Tagged and type(tagged() + p) is Tagged
    q = Parameter(tagged())
    assert type(q) is Tagged and isinstance(q, Parameter) and q.requires_grad and q.is_leaf


def test_parameter_copies():
    p = Parameter(weft.tensor([1.0, 2.0]))
    p.grad = weft.ones(2)
    p.note = "x"
    loaded = pickle.loads(pickle.dumps(p))
    assert type(loaded) is Parameter and loaded.requires_grad and loaded.tolist() == [1,
                                                                                      2] and loaded.note == "x" and loaded.grad is None
    first, second = copy.deepcopy([p, p])
    assert first is second and type(first) is Parameter and first.grad is None and first.data_ptr() != p.data_ptr()
    frozen = copy.deepcopy(Parameter(weft.arange(2), requires_grad=False))
    assert not frozen.requires_grad and frozen.dtype is weft.int64


@pytest.mark.parametrize("wrong, kind, text", [([1.0], TypeError, "must be a tensor"),
                                               (np.ones(2), TypeError, "must be a tensor"),
                                               (weft.arange(2), RuntimeError, "floating point")])
def test_parameter_errors(wrong, kind, text):
    with pytest.raises(kind, match=text):
        Parameter(wrong)


def test_buffer():
    b = Buffer(weft.ones(2), persistent=False)
    assert (type(b) is weft.Tensor and isinstance(b, Buffer) and not b.persistent
            and not isinstance(weft.ones(2), Buffer))
    assert not isinstance(b, Parameter)


class Chart(weft.Tensor):
    """Attributes and properties under the names that the house once used itself (MONAI's MetaTensor has some)."""

    @property
    def array(self):
        return self.numpy().tolist()

    form = version = fill = zero = storage_record = memory_record = "mine"


@pytest.mark.parametrize("name", ["_meta", "_node", "_view", "_extra", "_memory", "_out", "_leaf", "form", "value"])
def test_a_subclass_may_keep_anything_under_any_name(name):
    x = weft.ones(2, 3).as_subclass(Chart)
    setattr(x, name, {"spacing": 2})
    y = (x @ weft.ones(3, 2)).sum(0)
    assert y.array == [6, 6] and type(y) is Chart and not x.is_meta
    assert getattr(x, name) == {"spacing": 2} and y.form == y.version == y.fill == "mine"
    x.requires_grad_()
    (x * x)[0].sum().backward()
    assert x.grad.tolist() == [[2, 2, 2], [0, 0, 0]] and getattr(x, name) == {"spacing": 2}


def test_tensor_has_no_public_name_of_its_own_but_documented_ones():
    """A name that is taken can't be a subclass's attribute: what isn't PyTorch's is private, or in the manual."""
    own = {name for name in ("array", "form", "version", "fill", "zero", "memory_record", "rsub") if hasattr(weft.Tensor, name)}
    assert not own


# Python's openness: what programs do to the classes and give instead of them

def test_methods_and_properties_put_on_tensor():
    weft.Tensor.twice, weft.Tensor.rank = lambda self: self * 2, property(lambda self: self.dim())
    plain = weft.Tensor.add
    weft.Tensor.add = lambda self, other: plain(self, other) + 100
    try:
        assert weft.ones(2).twice().tolist() == [2.0, 2.0] and weft.nn.Parameter(weft.ones(1)).rank == 1
        assert weft.ones(1).add(1).item() == 102
    finally:
        weft.Tensor.add = plain
        del weft.Tensor.twice, weft.Tensor.rank
    assert not hasattr(weft.ones(1), "twice") and weft.ones(1).add(1).item() == 2


@pytest.mark.skipif(_pure.PURE, reason="in plain Python a tensor's own fields are in its dict")
def test_a_tensors_dict_can_be_replaced():
    class Tagged(weft.Tensor):
        pass
    for x in (weft.ones(2), weft.ones(2).as_subclass(Tagged), weft.nn.Parameter(weft.ones(2))):
        x.old = 1
        x.__dict__ = {"new": 2}
        assert x.new == 2 and not hasattr(x, "old")
        x.__dict__.update(more=3)
        assert x.more == 3 and x.sum().item() == 2
        with pytest.raises(TypeError):
            x.__dict__ = 3


class Numbers:
    """No Dataset."""

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return weft.tensor(i)


class Order:
    """No Sampler."""

    def __iter__(self):
        return iter([3, 1])

    def __len__(self):
        return 2


class Batches:
    def __iter__(self):
        yield [0, 1]
        yield [2]


class Loader:
    """No DataLoader."""
    dataset, batch_size = [1, 2], 1

    def __iter__(self):
        return iter([weft.ones(3, 2), weft.zeros(3, 2)])


def test_what_only_looks_like_a_dataset_a_sampler_or_a_loader():
    loader = weft.utils.data.DataLoader
    assert [b.tolist() for b in loader(Numbers(), sampler=Order())] == [[3], [1]]
    assert [b.tolist() for b in loader(Numbers(), batch_sampler=Batches())] == [[0, 1], [2]]
    assert [b.tolist() for b in loader(Numbers(), batch_size=2, num_workers=2)] == [[0, 1], [2, 3]]
    assert [b.tolist() for b in loader({0: 1.0, 1: 2.0}, batch_size=2)] == [[1.0, 2.0]]
    assert list(loader("abc", batch_size=2)) == [["a", "b"], ["c"]]
    net = weft.nn.Sequential(weft.nn.BatchNorm1d(2))
    weft.optim.swa_utils.update_bn(Loader(), net)
    assert net[0].num_batches_tracked.item() == 2 and net[0].running_mean.tolist() == [0.5, 0.5]
