"""JAX and tinygrad on some rows, where they are installed. Their API is not PyTorch's, so these are written out.

    make("jax", "matmul 1024") -> the function that is timed, or None
"""
import importlib
import importlib.metadata

import numpy as np

NAMES = ("jax", "tinygrad")
M4 = 4 << 20
# row's name -> (kind, sizes of the inputs)
SHARED = {
    "matmul 256": ("matmul", [(256, 256)] * 2), "matmul 1024": ("matmul", [(1024, 1024)] * 2),
    "matmul 2048": ("matmul", [(2048, 2048)] * 2), "add, 4 M floats": ("add", [(M4,)] * 2),
    "exp, 4 M floats": ("exp", [(M4,)]), "tanh, 4 M floats": ("tanh", [(M4,)]), "gelu, 4 M floats": ("gelu", [(M4,)]),
    "softmax (2048, 1024)": ("softmax", [(2048, 1024)]), "x + y, no gradient": ("add", [(8, 8)] * 2),
    "conv2d 3x3 (32,64,32,32)->64": ("conv", [(32, 64, 32, 32), (64, 64, 3, 3)]),
}


def _arrays(shapes):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(s).astype(np.float32) for s in shapes]


def _jax(kind, shapes):
    jax = importlib.import_module("jax")
    jnp = jax.numpy
    functions = {
        "matmul": lambda a, b: a @ b, "add": lambda a, b: a + b, "exp": jnp.exp, "tanh": jnp.tanh,
        "gelu": lambda x: jax.nn.gelu(x, approximate=False), "softmax": lambda x: jax.nn.softmax(x, -1),
        "conv": lambda x, w: jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)))}
    inputs = [jnp.asarray(a) for a in _arrays(shapes)]
    compiled = jax.jit(functions[kind])
    return lambda: compiled(*inputs).block_until_ready()


def _tinygrad(kind, shapes):
    tinygrad = importlib.import_module("tinygrad")
    functions = {
        "matmul": lambda a, b: a @ b, "add": lambda a, b: a + b, "exp": lambda x: x.exp(), "tanh": lambda x: x.tanh(),
        "gelu": lambda x: x.gelu(), "softmax": lambda x: x.softmax(-1), "conv": lambda x, w: x.conv2d(w, padding=1)}
    inputs = [tinygrad.Tensor(a).realize() for a in _arrays(shapes)]
    compiled = tinygrad.TinyJit(lambda *given: functions[kind](*given).realize())
    device = tinygrad.Device[tinygrad.Device.DEFAULT]

    def run():
        out = compiled(*inputs)
        device.synchronize()
        return out
    for _ in range(3):      # the third call is the first that is captured
        run()
    return run


MAKERS = {"jax": _jax, "tinygrad": _tinygrad}


def installed():
    """{name: version} of those that can be imported and can add two arrays (tinygrad wants a C compiler of its own
    choice).
    """
    return {name: importlib.metadata.version(name) for name in NAMES if make(name, "x + y, no gradient") is not None}


def make(library, row_name):
    """The function of a row in a library; None where it isn't written or can't be made."""
    if row_name not in SHARED:
        return None
    try:
        run = MAKERS[library](*SHARED[row_name])
        run()
        return run
    except Exception:       # absent, or present and broken: not this benchmark's matter
        return None
