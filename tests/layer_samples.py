"""Layers as the `_samples` of their classes say: built in weft or in PyTorch, with their inputs, and called."""
import inspect
import zlib

import numpy as np
from sample_values import Maker

import weft
from weft import nn
from weft.ops.core.samples import Make
from weft.tensor.nested import tensors_in

LAYERS = {name: getattr(nn, name) for name in sorted(nn.modules.__all__)
          if isinstance(getattr(nn, name), type) and issubclass(getattr(nn, name), nn.Module)
          and getattr(nn, name) is not nn.Module}
CASES = [(name, i) for name, cls in LAYERS.items() for i in range(len(vars(cls).get("_samples", ())))]
CALLED = [(name, i) for name, i in CASES if LAYERS[name]._samples[i][2] is not None]


def maker(name, i, library=weft, dtype=np.float64):
    """What makes a sample's values: numbers on both sides of 0, since most layers have a kink there."""
    rng = np.random.default_rng(zlib.crc32(f"{name}{i}".encode()))
    return Maker(rng, dtype, library, low=-1.2, high=1.2)


def construct(name, i, library=weft, as_layer=None, **more):
    """A new layer, as its class makes it; or one of another class, `as_layer`, from the same arguments."""
    args, settings, _ = LAYERS[name]._samples[i]
    make = maker(name, i, library)

    def given(value):
        return make.make(value) if isinstance(value, Make) else value
    settings = {key: given(value) for key, value in settings.items()}
    return getattr(library.nn, as_layer or name)(*[given(value) for value in args], **settings, **more)


def layer_of(name, i, dtype=weft.float64):
    """A layer that was called once, so that lazy ones know their sizes and norms have seen a batch, with parameters
    that are no zeros and ones.
    """
    layer = construct(name, i).double()
    if LAYERS[name]._samples[i][2] is not None:
        args, keywords = inputs_of(name, i)
        weft.manual_seed(0)
        layer(*args, **keywords)
    rng = np.random.default_rng(i)
    with weft.no_grad():
        for p in layer.parameters():
            p.copy_(weft.tensor(rng.uniform(-0.8, 0.8, tuple(p.shape))))
    return layer.to(dtype)


def inputs_of(name, i, dtype=weft.float64, library=weft):
    """(positional, keyword) inputs of a sample, those with a fraction in `dtype`."""
    make = maker(name, i, library)
    inputs = list(LAYERS[name]._samples[i][2])
    keywords = inputs.pop() if inputs and isinstance(inputs[-1], dict) else {}

    def made(value):
        return converted(make.make(value), dtype)
    return [made(value) for value in inputs], {key: made(value) for key, value in keywords.items()}


def converted(value, dtype):
    """Tensors with a fraction in a type, others as they are."""
    if type(value) in (list, tuple):
        return type(value)(converted(v, dtype) for v in value)
    data = value.data if hasattr(value, "batch_sizes") else value
    return value.to(dtype) if hasattr(data, "is_floating_point") and data.is_floating_point() else value


def wanted_inputs(name, i, args):
    """The inputs that a gradient is wanted of: floating ones but for those that the sample calls fixed or built."""
    found = []
    for value, sample in zip(args, LAYERS[name]._samples[i][2]):
        if not (isinstance(sample, Make) and sample.kind in ("fixed", "built", "data")):
            found += [t for t in tensors_in(value) if t.is_floating_point()]
    return found


def is_in_place(layer):
    return any(getattr(m, "inplace", False) for m in layer.modules())


def call(layer, given, seed=0):
    """The tensors that a layer gives: always the same random numbers, its statistics left as they were. A container
    that can't be called gives its state.
    """
    if given is None:
        return list(layer.state_dict().values())
    args, keywords = given
    if is_in_place(layer):
        args = [a.clone() if isinstance(a, weft.Tensor) else a for a in args]
    before = [(b, b.clone()) for b in layer.buffers()]
    weft.manual_seed(seed)
    try:
        return list(tensors_in(layer(*args, **keywords)))
    finally:
        with weft.no_grad():
            for buffer, kept in before:
                if not buffer.is_meta and not weft.equal(buffer, kept):
                    buffer.copy_(kept)


def given_to(name, i, dtype=weft.float64):
    return None if LAYERS[name]._samples[i][2] is None else inputs_of(name, i, dtype)


def takes_device(cls):
    return "device" in inspect.signature(cls.__init__).parameters
