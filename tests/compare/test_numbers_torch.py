"""Numbers in the places of tensors: every op's samples with some or all of their tensors replaced by numbers are
answered where PyTorch answers, and refused where it refuses.
"""
import itertools

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import test_derived as derived  # noqa: E402
from test_strides_torch import in_torch, torch_function  # noqa: E402

import weft  # noqa: E402


def outcome(function, args, keywords):
    try:
        function(*args, **keywords)
    except Exception as error:
        return type(error)
    return None


def with_numbers(name, i):
    """(a word for the call, weft's function, PyTorch's, weft's arguments, PyTorch's, weft's keywords, PyTorch's)"""
    made = derived.OPS[name]
    args, keywords = derived.arguments(name, i, np.float32)
    places = [k for k, a in enumerate(args) if isinstance(a, weft.Tensor)]
    told = {k: in_torch(v) for k, v in keywords.items()}
    if not 0 < len(places) < 6 or outcome(torch_function(name), [in_torch(a) for a in args], told) is not None:
        return
    for chosen in itertools.product((False, True), repeat=len(places)):
        for number in (2, 1.5, True) if any(chosen) else ():
            spots = {k for k, is_number in zip(places, chosen) if is_number}
            given = [number if k in spots else a.clone() if isinstance(a, weft.Tensor) else a
                     for k, a in enumerate(args)]
            theirs = [a.clone() if isinstance(a, torch.Tensor) else a for a in map(in_torch, given)]
            word = f"{name}({', '.join([repr(a) if k in spots else '.' for k, a in enumerate(given)])})"
            yield word, made.public, torch_function(name), given, theirs, keywords, told
            method = name + "_"
            if "." not in name and 0 not in spots and hasattr(torch.Tensor, method) and hasattr(weft.Tensor, method):
                yield (word.replace("(", "_(", 1), getattr(weft.Tensor, method), getattr(torch.Tensor, method),
                       given, theirs, keywords, told)


# what answers or refuses otherwise than PyTorch, by how the word starts
KNOWN = {
    "compositions, which take a number where the elementwise ops in them do":
        """bilinear( dist( nn.functional.binary_cross_entropy_with_logits( nn.functional.gaussian_nll_loss(
        nn.functional.kl_div( nn.functional.poisson_nll_loss( pairwise_distance( repeat_interleave( svd_lowrank( isin(""",
    "PyTorch multiplies the number, which is documented as a tensor":
        "nn.functional.multilabel_soft_margin_loss(",
}


@pytest.mark.filterwarnings("ignore")
def test_numbers_are_taken_where_pytorch_takes_them():
    """Some 1,000 calls were answered where PyTorch says TypeError: exp(2), atan2(x, 1), addcmul(x, 2, 3)."""
    known = tuple(" ".join(KNOWN.values()).split())
    wrong, found, tried = [], set(), 0
    for name, i in derived.CASES:
        if torch_function(name) is None or name.startswith("_"):
            continue
        for word, ours, theirs, given, for_torch, keywords, told in with_numbers(name, i):
            tried += 1
            want, got = outcome(theirs, for_torch, told), outcome(ours, given, keywords)
            if (want is None) == (got is None):
                continue
            if word.startswith(known):
                found.add(next(k for k in known if word.startswith(k)))
            else:
                wrong.append((word, want, got))
    assert tried > 3000 and not wrong, wrong
    assert found == set(known)
