"""Every way by which a value leaves the graph is told to those who look on, once, with the tensor that is read."""
import copy
import io
import pickle

import numpy as np
import pytest

import weft
from weft.core.seam import Watcher


class Reads(Watcher):
    """Keeps what is read, and how."""

    def __init__(self):
        self.found = []

    def read(self, tensor, how):
        self.found.append((tensor, how))


def vector():
    return weft.tensor([1.0, 2.0, 3.0])


def scalar():
    return weft.tensor(2)


# name -> (how to make the tensor, what reads it, what the watcher is told)
ONE = {
    "item": (scalar, lambda t: t.item(), "item"),
    "item of half": (lambda: weft.tensor(2.0, dtype=weft.bfloat16), lambda t: t.item(), "item"),
    "bool": (scalar, bool, "bool"),
    "if": (scalar, lambda t: 1 if t else 0, "bool"),
    "is_nonzero": (scalar, weft.is_nonzero, "bool"),
    "float": (scalar, float, "float"),
    "int": (scalar, int, "int"),
    "complex": (scalar, complex, "complex"),
    "index": (scalar, lambda t: [1, 2, 3][t], "index"),
    "range": (scalar, lambda t: range(t), "index"),
    "x[t]": (scalar, lambda t: vector()[t], "index"),
    "x[t, None]": (scalar, lambda t: vector()[t, None], "index"),
    "x[t] = v": (scalar, lambda t: vector().__setitem__(t, 5.0), "index"),
    "x[:t]": (scalar, lambda t: vector()[:t], "index"),
    "zeros(t)": (scalar, lambda t: weft.zeros(t), "item"),
    "arange(t)": (scalar, lambda t: weft.arange(t), "item"),
    "full(.., t)": (scalar, lambda t: weft.full((2,), t), "item"),
    "view(t)": (lambda: weft.tensor(3), lambda t: vector().view(t), "index"),
    "expand(2, t)": (lambda: weft.tensor(3), lambda t: vector().expand(2, t), "index"),
    "reshape((t, 1))": (lambda: weft.tensor(3), lambda t: vector().reshape((t, 1)), "index"),
    "repeat(t)": (scalar, lambda t: vector().repeat(t), "index"),
    "tolist": (vector, lambda t: t.tolist(), "tolist"),
    "numpy": (vector, lambda t: t.numpy(), "numpy"),
    "numpy(force)": (lambda: vector().requires_grad_(), lambda t: t.numpy(force=True), "numpy"),
    "np.asarray": (vector, np.asarray, "numpy"),
    "np.sum": (vector, lambda t: np.add.reduce(np.asarray(t)), "numpy"),
    "dlpack": (vector, lambda t: t.__dlpack__(), "dlpack"),
    "np.from_dlpack": (vector, np.from_dlpack, "dlpack"),
    "repr": (vector, repr, "print"),
    "str": (vector, str, "print"),
    "format": (vector, lambda t: f"{t}", "print"),
    "format of a number": (scalar, lambda t: f"{t:.3f}", "item"),
    "equal to itself": (vector, lambda t: weft.equal(t, t), "equal"),
    "tensor(x)": (vector, lambda t: weft.tensor(t), "tensor"),
    "new_tensor": (vector, lambda t: weft.ones(1).new_tensor(t), "new_tensor"),
    "tensor([x])": (scalar, lambda t: weft.tensor([t]), "item"),
    "tensor([parameter])": (lambda: weft.nn.Parameter(weft.tensor(2.0)), lambda t: weft.tensor([t]), "item"),
    "pickle": (vector, pickle.dumps, "pickle"),
    "copy": (vector, copy.copy, "pickle"),
    "deepcopy": (vector, copy.deepcopy, "deepcopy"),
    "save": (vector, lambda t: weft.save(t, io.BytesIO()), "save"),
    "save a parameter": (lambda: weft.nn.Parameter(vector()), lambda t: weft.save(t, io.BytesIO()), "save"),
    "share_memory_": (vector, lambda t: t.share_memory_(), "share_memory_"),
    "apply_": (vector, lambda t: t.apply_(lambda v: v + 1), "apply_"),
    "nonzero": (vector, lambda t: t.nonzero(), "_nonzero"),
    "nonzero as a tuple": (vector, lambda t: t.nonzero(as_tuple=True), "_nonzero"),
    "where(condition)": (vector, weft.where, "_nonzero"),
    "argwhere": (vector, weft.argwhere, "_nonzero"),
    "x[mask]": (lambda: vector() > 1, lambda t: vector()[t], "_index_mask"),
    "x[:, mask]": (lambda: vector() > 1, lambda t: weft.ones(2, 3)[:, t], "_index_mask"),
    "x[mask, index]": (lambda: vector() > 1, lambda t: weft.ones(3, 3)[t, weft.tensor([0, 1])], "_nonzero"),
    "masked_select": (lambda: vector() > 1, lambda t: vector().masked_select(t), "_masked_select"),
    "repeat_interleave": (lambda: weft.tensor([2, 0, 1]), lambda t: vector().repeat_interleave(t), "_repeated_places"),
    "repeat_interleave by one": (scalar, lambda t: vector().repeat_interleave(t), "item"),
    "tensor_split": (lambda: weft.tensor([1, 2]), lambda t: vector().tensor_split(t), "tolist"),
}


@pytest.mark.parametrize("name", ONE)
def test_a_read_is_told_once(name):
    make, act, how = ONE[name]
    t = make()
    with Reads() as reads:
        act(t)
    assert [told for _, told in reads.found] == [how]
    assert reads.found[0][0] is t


def test_both_sides_of_equal_are_read():
    a, b = vector(), vector()
    with Reads() as reads:
        assert weft.equal(a, b)
    assert [(t is a, t is b, how) for t, how in reads.found] == [(True, False, "equal"), (False, True, "equal")]


def test_equal_of_different_shapes_reads_nothing():
    with Reads() as reads:
        assert not weft.equal(vector(), weft.ones(2))
    assert reads.found == []


@pytest.mark.parametrize("act,how", [
    (lambda a: weft.allclose(a, a), "allclose"), (lambda a: 2.0 in a, "bool"), (lambda a: bool((a == a).all()), "bool"),
    (lambda a: max(a.unbind(0)), "bool")], ids=["allclose", "in", "all", "max"])
def test_what_is_computed_first_is_what_is_read(act, how):
    a = vector()
    with Reads() as reads:
        act(a)
    assert {told for _, told in reads.found} == {how}
    assert all(t is not a for t, _ in reads.found)


def test_iteration_reads_only_what_is_taken():
    a = vector()
    with Reads() as reads:
        rows = list(a)
        assert reads.found == []
        assert [float(row) for row in rows] == [1.0, 2.0, 3.0]
    assert [t is row for (t, _), row in zip(reads.found, rows, strict=True)] == [True] * 3


@pytest.mark.parametrize("act", [
    lambda x: x.shape, lambda x: x.dtype, lambda x: x.stride(), lambda x: x.is_contiguous(), lambda x: len(x),
    lambda x: x.numel(), lambda x: x.reshape(2, 3), lambda x: x.to(weft.float64), lambda x: x[0], lambda x: x[1:],
    lambda x: x[:, weft.tensor([0, 1])], lambda x: x.index_select(0, weft.tensor([1])), lambda x: x.clone(),
    lambda x: x.gather(0, weft.tensor([[0, 1]])), lambda x: x.index_add(0, weft.tensor([0]), weft.ones(1, 2)),
    lambda x: x.index_copy(0, weft.tensor([0]), weft.ones(1, 2)), lambda x: x.index_fill(0, weft.tensor([-1]), 1.0),
    lambda x: x.index_reduce(0, weft.tensor([0]), weft.ones(1, 2), "prod"), lambda x: x.scatter(0, LONG, 1.0),
    lambda x: x.take(weft.tensor([0, 4])), lambda x: x.take_along_dim(LONG, 0), lambda x: x.masked_fill(x > 0, 0.0),
    lambda x: x.masked_scatter(x > 9, weft.ones(6)), lambda x: x.index_put((weft.tensor([0]),), weft.ones(2)),
    lambda x: x.__setitem__(x > 9, 0.0), lambda x: weft.where(x > 0, x, 0.0), lambda x: weft.cat([x, x]),
    lambda x: weft.unravel_index(LONG, (2, 3)), lambda x: weft.nonzero_static(x, size=2), lambda x: weft.as_tensor(x),
    lambda x: x.is_shared(), lambda x: x.detach(), lambda x: x.data, lambda x: x.float(), lambda x: hash(x),
    lambda x: weft.stft(x.view(-1), 4, return_complex=True), lambda x: weft.repeat_interleave(x, 2)])
def test_what_reads_nothing_tells_nothing(act):
    x = weft.arange(6.0).view(3, 2)
    with Reads() as reads:
        act(x)
    assert reads.found == []


LONG = weft.tensor([[0, 1]])
