"""torch.nested: parts of several lengths in one tensor."""
import pytest

import weft
from weft import nested


def parts():
    return [weft.arange(6.0).reshape(2, 3), weft.ones(1, 3)]


def test_what_it_says_of_itself():
    made = nested.nested_tensor(parts())
    assert made.is_nested and isinstance(made, weft.Tensor) and made.dim() == 3 and made.numel() == 9
    assert made.size(0) == 2 and made.size(-1) == 3 and made.dtype is weft.float32 and len(made.unbind()) == 2
    with pytest.raises(RuntimeError, match="dimension 1 is irregular"):
        made.size(1)
    with pytest.raises(RuntimeError, match="no single shape"):
        _ = made.shape
    with pytest.raises(RuntimeError, match="one number of dimensions"):
        nested.nested_tensor([weft.ones(2), weft.ones(2, 2)])
    assert repr(made) == ("nested_tensor([\n  tensor([[0., 1., 2.],\n          [3., 4., 5.]]),\n"
                          "  tensor([[1., 1., 1.]])\n])")


def test_padding():
    made = nested.nested_tensor(parts())
    padded = nested.to_padded_tensor(made, -1)
    assert padded.shape == (2, 2, 3) and padded[1].tolist() == [[1, 1, 1], [-1, -1, -1]]
    assert made.to_padded_tensor(0, (3, 4, 3)).shape == (3, 4, 3)
    with pytest.raises(RuntimeError, match="too small"):
        made.to_padded_tensor(0, (2, 1, 3))


def test_functions_of_each_part_and_their_gradients():
    made = nested.nested_tensor(parts(), requires_grad=True)
    layer = weft.nn.Linear(3, 2)
    result = weft.softmax(layer(made * 2 + made).relu(), -1)
    for i, part in enumerate(parts()):
        assert weft.equal(result[i], weft.softmax(layer(part * 3).relu(), -1))
    scores = made @ made.transpose(1, 2)
    assert [tuple(part.shape) for part in scores.unbind()] == [(2, 2), (1, 1)]
    assert [tuple(p.shape) for p in made.chunk(3, dim=-1)[0].unbind()] == [(2, 1), (1, 1)]
    (made * made).sum().backward()
    assert made.grad.is_nested and weft.equal(made.grad[0], parts()[0] * 2)
    assert made.mean().item() == pytest.approx(2.0) and made.sum(-1)[0].tolist() == [3, 12]
    assert weft.cat([made, made]).size(0) == 4


def test_what_has_no_meaning_says_so():
    made = nested.nested_tensor(parts())
    with pytest.raises(NotImplementedError, match="(?s)svd.*nested.*to_padded_tensor"):
        weft.linalg.svd(made)
    with pytest.raises(NotImplementedError, match="dimension 0"):
        made.sum(0)
    with pytest.raises(RuntimeError, match="of 1 and 2 parts"):
        made + nested.nested_tensor(parts()[:1])


def test_from_tensors_with_history_and_from_cut_values():
    x = weft.ones(3, 2, requires_grad=True)
    cut = nested.nested_tensor_from_jagged(x, weft.tensor([0, 1, 3]))
    assert [tuple(part.shape) for part in cut.unbind()] == [(1, 2), (2, 2)] and cut.offsets().tolist() == [0, 1, 3]
    (cut * 3).sum().backward()
    assert x.grad.tolist() == [[3, 3]] * 3 and weft.equal(cut.values(), x)
    assert nested.nested_tensor_from_jagged(x, lengths=weft.tensor([2, 1]))[0].shape == (2, 2)
    rows = nested.as_nested_tensor([x[:1] * 2, x])
    rows.sum().backward()
    assert x.grad.tolist() == [[6, 6], [4, 4], [4, 4]]
