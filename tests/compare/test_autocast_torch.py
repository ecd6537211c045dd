"""Autocast beside PyTorch's: every op with its samples, in float32 and in a half type, gives the type that it gives
there."""
import os
import sys
import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from layer_samples import CALLED, construct, inputs_of  # noqa: E402
from sample_values import Maker  # noqa: E402

import weft  # noqa: E402
from weft.ops.core.registry import OPS_BY_NAME  # noqa: E402

CALLED = [(name, i) for name, i in CALLED if hasattr(torch.nn, name) and name != "SyncBatchNorm"
          and (name, i) != ("LSTM", 2)]       # projected, see EXACT


def found(library, name):
    """The function or method of a public name."""
    for home in (library, library.Tensor):
        at = home
        for part in name.split("."):
            at = getattr(at, part, None)
        if at is not None:
            return at
    return None


# PyTorch makes these of products, each of which rounds; weft's are ops of their own, which are exact, or (lstm with a
# projection) in one type where PyTorch's h and c differ
EXACT = {"linalg.pinv", "lobpcg", "lstm", "svd_lowrank", "pca_lowrank"}
NAMES = sorted(name for name, op in OPS_BY_NAME.items() if op.samples and name not in EXACT
               and found(torch, name) is not None and found(weft, name) is not None)


def lowered(library, value, dtype):
    """A sample's value with its float64 tensors in another type."""
    if isinstance(value, library.Tensor):
        return value.to(dtype) if value.dtype == library.float64 else value
    if isinstance(value, (list, tuple)) and not isinstance(value, library.Size):
        return type(value)(lowered(library, v, dtype) for v in value)
    return value


def types_of(result):
    """The types in a result, as PyTorch prints them."""
    if isinstance(result, (list, tuple)):
        return [t for r in result for t in types_of(r)]
    return [str(result.dtype)] if hasattr(result, "dtype") else []


def answer(library, name, sample, given, region):
    """The types that a call gives, or the error's type."""
    make = Maker(np.random.default_rng(0), np.float64, library)
    *args, keywords = sample if sample and isinstance(sample[-1], dict) else (*sample, {})
    args = [lowered(library, make.make(a), getattr(library, given)) for a in args]
    keywords = {k: lowered(library, make.make(v), getattr(library, given)) for k, v in keywords.items()}
    try:
        with warnings.catch_warnings(), library.autocast("cpu", dtype=getattr(library, region or "bfloat16"),
                                                         enabled=region is not None):
            warnings.simplefilter("ignore")
            return types_of(found(library, name)(*args, **keywords))
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("name", NAMES)
def test_an_op_gives_the_type_that_it_gives_in_pytorch(name):
    for number, sample in enumerate(OPS_BY_NAME[name].samples):
        for given, region in (("float32", "bfloat16"), ("bfloat16", "bfloat16"), ("float32", "float16"),
                              ("float16", "float16"), ("float64", "bfloat16")):
            theirs = answer(torch, name, sample, given, region)
            if isinstance(theirs, str) or answer(torch, name, sample, given, None) != answer(weft, name, sample, given,
                                                                                             None):
                continue        # not autocast's doing
            assert answer(weft, name, sample, given, region) == theirs, (number, given, region)


@pytest.mark.parametrize("name, i", CALLED)
def test_a_layer_gives_the_types_that_it_gives_in_pytorch(name, i):
    def made(library):
        try:
            layer = construct(name, i, library).float()
            args, keywords = inputs_of(name, i, library.float32, library)
            with warnings.catch_warnings(), library.autocast("cpu"):
                warnings.simplefilter("ignore")
                return types_of(layer(*args, **keywords))
        except Exception as error:
            return type(error).__name__
    theirs = made(torch)
    if isinstance(theirs, str):         # an LSTM where the processor has no bfloat16
        pytest.skip(f"PyTorch's raises {theirs}")
    assert made(weft) == theirs
