"""Arguments of wrong types: a TypeError that names the argument and what it must be, in the user's terms."""
import pytest

import weft
from weft.nn import functional as F

X = weft.ones(2, 3)


@pytest.mark.parametrize("call, told", [
    (lambda: weft.linalg.multi_dot([1, -1]), "argument 'tensors' (position 1) must be tuple of Tensors, but found "
     "element of type int at pos 0"),
    (lambda: weft.sum("x"), "sum(): argument 'input' (position 1) must be Tensor, not str"),
    (lambda: weft.mm(X, None), "mm(): argument 'other' (position 2) must be Tensor, not NoneType"),
    (lambda: weft.add(X, "a"), "add(): argument 'other' (position 2) must be Tensor or number, not str"),
    (lambda: weft.mul([1.0], X), "mul(): argument 'input' (position 1) must be Tensor or number, not list"),
    (lambda: weft.batch_norm(weft.ones(4, 3), None, None, 5, None, True, 0.1, 1e-5, True),
     "batch_norm(): argument 'running_mean' (position 4) must be Tensor, not int"),
    (lambda: weft.atleast_1d(X, (1, 2)), "atleast_1d(): argument 'input' (position 2) must be Tensor, not tuple"),
    (lambda: F.relu([1.0]), "relu(): argument 'input' (position 1) must be Tensor, not list"),
    (lambda: F.linear(X, [[1.0, 2.0, 3.0]]), "must be Tensor, not list"),
    (lambda: F.softmax(None, 0), "must be Tensor, not NoneType"),
])
def test_an_argument_of_a_wrong_type_is_named(call, told):
    with pytest.raises(TypeError) as error:
        call()
    assert told in str(error.value) and "object has no attribute" not in str(error.value)


@pytest.mark.parametrize("call", [
    lambda: X.sum(dim="x"), lambda: X.sum(dim=[[1]]), lambda: X.softmax(dim=None and 0 or "0"),
    lambda: X.transpose("a", 1), lambda: X.reshape("a"), lambda: weft.cat(X, dim=object()), lambda: X.topk("a"),
    lambda: F.dropout(X, p="a"), lambda: F.conv2d(weft.ones(1, 1, 4, 4), weft.ones(1, 1, 2, 2), stride={}),
    lambda: F.cross_entropy(X, "a"), lambda: F.embedding("a", X), lambda: F.layer_norm(X, "a"),
    lambda: weft.stack(3), lambda: weft.full("a", 1.0), lambda: weft.arange("a"), lambda: X.clamp("a"),
    lambda: F.max_pool2d(weft.ones(1, 1, 4, 4), "a"), lambda: F.pad(X, "a"), lambda: F.interpolate(3),
    lambda: weft.where(X, 1, "a"), lambda: X.index_select(0, [0]), lambda: X.gather(0, 3), lambda: X.expand("a"),
])
def test_no_error_tells_of_attributes_that_the_user_never_named(call):
    with pytest.raises(Exception) as error:
        call()
    assert isinstance(error.value, (TypeError, ValueError, RuntimeError, NotImplementedError)), repr(error.value)
    for part in ("object has no attribute", "__index__", "'form'"):
        assert part not in str(error.value)
