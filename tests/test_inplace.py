"""Writing in place: what history it leaves, what it refuses, which lines its errors name."""
import numpy as np
import pytest

import weft


def leaf(n=4):
    return weft.tensor(np.arange(1., n + 1).tolist(), requires_grad=True)


def grad_of(build, n=4):
    x = leaf(n)
    build(x).sum().backward()
    return None if x.grad is None else x.grad._array.tolist()


def scaled(x):
    h = x * 1
    h.mul_(3).add_(1)
    return h


def by_itself(x):
    h = x * 1
    h.mul_(h)
    return h


def by_a_leaf_that_wants_its_gradient(x):
    h = weft.ones(4)
    h.mul_(x)
    h.mul_(x)
    return h


def part(x):
    h = x * 1
    h[1:3].mul_(5)
    return h


def part_of_part(x):
    h = x * 1
    h[1:][1:].mul_(5)
    return h


def part_seen_through_another(x):
    h = x * 1
    v, w = h[:3], h.view(2, 2)
    v.mul_(5)
    return w


def base_seen_through_view(x):
    h = x * 1
    v = h[1:]
    h.mul_(3)
    return v


def assigned(x):
    h = weft.zeros(4)
    h[1] = x[0] * 2
    h[2:] = x[:2] * 3
    return h


def replaced(x):
    h = x * 1
    h[:2] = 7.
    return h


def zeroed(x):
    h = x * 1
    h.zero_()
    return h


def transposed(x):
    h = (x * 1).view(2, 2)
    h.t()[0].mul_(10)
    return h


CASES = [(scaled, [3, 3, 3, 3]), (by_itself, [2, 4, 6, 8]), (by_a_leaf_that_wants_its_gradient, [2, 4, 6, 8]),
         (part, [1, 5, 5, 1]), (part_of_part, [1, 1, 5, 5]), (part_seen_through_another, [5, 5, 5, 1]),
         (base_seen_through_view, [0, 3, 3, 3]), (assigned, [5, 3, 0, 0]), (replaced, [0, 0, 1, 1]),
         (zeroed, [0, 0, 0, 0]), (transposed, [10, 1, 10, 1])]


@pytest.mark.parametrize("build, wanted", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_gradients(build, wanted):
    assert grad_of(build) == wanted


def test_second_order_through_a_view():
    x = leaf()
    h = x * x
    h[1:3] = x[:2] * x[:2] * x[:2]
    g, = weft.autograd.grad((h * h).sum(), x, create_graph=True)
    second, = weft.autograd.grad(g.sum(), x)
    v = x._array
    wanted = np.array([12, 0, 0, 12]) * v ** 2 + np.array([30, 30, 0, 0]) * v ** 4
    assert np.allclose(second._array, wanted)


def test_versions_are_shared():
    h = weft.ones(4)
    v, d = h[1:], h.detach()
    v.add_(1)
    d.add_(1)
    assert h._version == v._version == d._version == 2
    h.data.add_(1)
    assert h._version == 2


REFUSED = [
    (lambda x: x.add_(1), "a leaf Variable that requires grad is being used in an in-place operation"),
    (lambda x: x[:2].add_(1), "a view of a leaf Variable that requires grad"),
    (lambda x: x.__setitem__(0, 1.), "leaf Variable that requires grad"),
    (lambda x: (x * 1).chunk(2)[0].add_(1), "returns multiple views"),
    (lambda x: (x * 1).chunk(2)[0][:1].add_(1), "returns multiple views"),
    (lambda x: weft.ones(1).expand(3).add_(1), "single memory location"),
    (lambda x: weft.ones(4, dtype=weft.int64).add_(1.5), "can't be cast"),
    (lambda x: weft.ones(4).add_(weft.ones(2, 4)), "doesn't match the broadcast shape"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_refused_and_not_written(number):
    write, text = REFUSED[number]
    x = leaf()
    with pytest.raises(RuntimeError, match=text):
        write(x)
    assert x._array.tolist() == [1, 2, 3, 4] and x._version == 0


def test_view_made_without_grad():
    h = leaf() * 1
    with weft.no_grad():
        v = h[:2]
        v.add_(1)
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        v.add_(1)
    assert not v.requires_grad


def test_leaf_written_under_no_grad():
    x = leaf()
    with weft.no_grad():
        x.add_(1)
        x[0] = 10.
    (x * x).sum().backward()
    assert x.grad._array.tolist() == [20, 6, 8, 10]


def test_overwritten_input_names_both_lines():
    h = leaf() * 1
    saved = (h * h).sum()
    h[0] = 5.
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as error:
        saved.backward()
    text = str(error.value)
    assert "saved = (h * h).sum()" in text and "h[0] = 5." in text and "version 0" in text and "version 1" in text


def test_overwritten_output_names_both_lines():
    y = leaf().exp()
    y.add_(1)
    with pytest.raises(RuntimeError, match="saved its output") as error:
        y.sum().backward()
    assert "y = leaf().exp()" in str(error.value) and "y.add_(1)" in str(error.value)


def test_what_only_needs_shapes_may_be_overwritten():
    x = leaf()
    h = x * 1
    y = h.sum() + h.view(2, 2).sum(0).sum() + h[None].expand(3, 4).sum()
    h.add_(1)
    y.backward()
    assert x.grad._array.tolist() == [5, 5, 5, 5]


def test_data_replaces_memory_and_keeps_history():
    x = leaf()
    x.data = weft.ones(2)
    (x * 3).sum().backward()
    assert x.grad._array.tolist() == [3, 3]
    with weft.no_grad():
        x.data[0] = 5.
    assert x._array.tolist() == [5, 1]


def test_numbers_before_the_tensors_that_they_scale():
    """The signatures of old, which third-party optimizers still use."""
    one, eye = weft.ones(2), weft.eye(2)
    with pytest.warns(UserWarning, match="deprecated"):
        assert (weft.zeros(2).add_(.5, one).tolist() == [.5, .5] and weft.sub(weft.zeros(2), .5,
                                                                              one).tolist() == [-.5, -.5])
        assert (weft.zeros(2).addcmul_(.5, one, one).tolist() == [.5, .5]
                and weft.addcdiv(one, .5, one, one).tolist() == [1.5, 1.5])
        assert weft.addmm(.5, eye, 2, eye, eye).tolist() == eye.addmm(.5, 2, eye, eye).tolist() == [[2.5, 0], [0, 2.5]]
    with pytest.raises(TypeError):
        weft.add(one, one, one)


@pytest.mark.parametrize("name", "add sub mul div pow floor_divide remainder bitwise_and bitwise_left_shift".split())
def test_an_operand_that_is_no_number(name):
    """It was an AttributeError about NotImplementedType."""
    with pytest.raises(TypeError):
        getattr(weft.ones(2, dtype=weft.int64), name + "_")("one")
    with pytest.raises(TypeError):
        getattr(weft.ones(2, dtype=weft.int64), name + "_")(object())


def test_augmented_assignment_of_a_string():
    x = weft.ones(2)
    with pytest.raises(TypeError, match="'Tensor' and 'str'"):
        x += "one"
    with pytest.raises(TypeError):
        "one" << weft.ones(2, dtype=weft.int64)


def test_a_meta_tensor_has_nothing_to_write():
    with pytest.raises(RuntimeError, match="on the same device"):
        weft.ones(2).add_(weft.ones(2, device="meta"))


def test_abs_in_place_of_complex():
    with pytest.raises(RuntimeError, match="In-place abs is not supported for complex"):
        weft.tensor([3 + 4j]).abs_()
    assert weft.tensor([-1., 2.]).absolute_().tolist() == [1, 2] == weft.abs_(weft.tensor([-1., 2.])).tolist()
