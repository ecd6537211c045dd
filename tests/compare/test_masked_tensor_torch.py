"""torch.masked.MaskedTensor beside PyTorch's prototype."""
import pytest
import torch

import weft

pytestmark = pytest.mark.filterwarnings("ignore")
CASES = ["{m}", "{m}.sum()", "{m}.sum(1)", "{m}.mean(1)", "{m}.mean()", "{m}.amax(1)", "{m}.amin()", "{m}.prod(0)",
         "{m}.exp()", "{m} + {m}", "{m} * 2", "{m} - d", "{m} > 1", "{m} == {m}", "{m}.transpose(0, 1)",
         "{m}.reshape(3, 2)", "{m}[0]", "{m}.softmax(-1)", "{m}.unsqueeze(0)", "{m}.all(1)", "{m}.abs_()",
         "{m}.detach()", "{m}.contiguous()", "t.masked.masked_tensor(t.tensor([1, 2]), t.tensor([True, False]))",
         "t.masked.as_masked_tensor(d, k).cos()", "{m}.sum(1, keepdim=True)", "{m}.neg()", "{m}.to(t.float64)"]


def run(library, expression):
    d = library.arange(6.0).reshape(2, 3)
    k = library.tensor([[True, False, True], [False, False, False]])
    return eval(expression.format(m="m"), {"t": library, "d": d, "k": k, "m": library.masked.masked_tensor(d, k)})


@pytest.mark.parametrize("expression", CASES)
def test_masked_tensors_print_as_pytorchs(expression):
    ours, theirs = run(weft, expression), run(torch, expression)
    assert repr(ours) == repr(theirs)
    assert tuple(ours.shape) == tuple(theirs.shape) and str(ours.dtype) == str(theirs.dtype)
    assert ours.get_mask().tolist() == theirs.get_mask().tolist()
    assert ours.to_tensor(0).flatten().tolist() == pytest.approx(theirs.to_tensor(0).flatten().tolist())


def test_gradients_are_masked():
    def gradient(library):
        x = library.masked.masked_tensor(library.tensor([1.0, 2, 3]), library.tensor([True, False, True]),
                                         requires_grad=True)
        x.exp().sum().backward()
        return repr(x.grad)
    assert gradient(weft) == gradient(torch)


@pytest.mark.parametrize("expression, error", [
    ("m + t.masked.masked_tensor(d, ~k)", ValueError), ("t.masked.masked_tensor(d, k.float())", TypeError),
    ("t.masked.masked_tensor(d, k[0])", ValueError)])
def test_errors_are_pytorchs(expression, error):
    for library in (weft, torch):
        with pytest.raises(error, match="mask"):
            run(library, expression)


def test_what_has_no_form_says_so():
    with pytest.raises(NotImplementedError, match="(?s)svd.*masked.*to_tensor"):
        weft.linalg.svd(run(weft, "m"))
