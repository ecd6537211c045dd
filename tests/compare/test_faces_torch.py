"""What a walk over the graph shows: names, edges and `_saved_...` as PyTorch has them, where weft's ops are others."""
import gc

import pytest
import torch

import weft

pytestmark = pytest.mark.filterwarnings("ignore")


def walk(node, depth=0):
    """Names, saved names and values that aren't tensors, and the same of the parents."""
    if node is None or depth > 6:
        return None
    saved = {}
    for name in dir(node):
        if name.startswith("_saved_"):
            value = getattr(node, name)
            saved[name] = [float(v) for v in value.detach().flatten()] if hasattr(value, "detach") else \
                tuple(value) if isinstance(value, (list, tuple)) else value
    return type(node).__name__, saved, [walk(parent, depth + 1) for parent, _ in node.next_functions]


def rounded(tree):
    if isinstance(tree, float):
        return round(tree, 5)
    if isinstance(tree, dict):
        return {key: rounded(value) for key, value in tree.items()}
    return type(tree)(map(rounded, tree)) if isinstance(tree, (list, tuple)) else tree


def values(library, *shape):
    made = library.arange(float(torch.Size(shape).numel())).reshape(shape).sin()
    return made.requires_grad_()


def layer(library, bias):
    made = library.nn.Linear(4, 3, bias=bias)
    with library.no_grad():
        made.weight.copy_(values(library, 3, 4))
    if bias:
        library.nn.init.zeros_(made.bias)
    return made


CASES = {
    **{f"linear {shape} {bias}": lambda t, shape=shape, bias=bias: layer(t, bias)(values(t, *shape))
       for shape in [(4,), (2, 4), (2, 3, 4)] for bias in (True, False)},
    "linear of a constant": lambda t: layer(t, True)(values(t, 2, 4).detach()),
    "linear with a frozen weight": lambda t: t.nn.functional.linear(values(t, 2, 4), values(t, 3, 4).detach()),
    "sum": lambda t: values(t, 2, 3).sum(), "sum along": lambda t: values(t, 2, 3).sum(1, keepdim=True),
    "sum along two": lambda t: values(t, 2, 3).sum((0, 1)), "mean": lambda t: values(t, 2, 3).mean(),
    "mean along": lambda t: values(t, 2, 3).mean(0), "prod": lambda t: values(t, 2, 3).prod(),
    "prod along": lambda t: values(t, 2, 3).prod(1), "add": lambda t: values(t, 3) + 1,
    "add scaled": lambda t: t.add(values(t, 3), values(t, 3), alpha=2),
    "sub": lambda t: values(t, 3) - values(t, 3), "pow": lambda t: values(t, 3) ** 2,
    "pow of tensors": lambda t: values(t, 3).exp() ** values(t, 3), "pow of a number": lambda t: 2.0 ** values(t, 3),
    "square": lambda t: values(t, 3).square(), "mm": lambda t: values(t, 2, 3) @ values(t, 3, 2),
    "squeeze": lambda t: values(t, 2, 1).squeeze(), "squeeze one": lambda t: values(t, 2, 1).squeeze(1),
    "squeeze some": lambda t: values(t, 2, 1).squeeze((1,)), "view": lambda t: values(t, 2, 3).view(6),
    "expand": lambda t: values(t, 2, 1).expand(2, 3),
    "gelu": lambda t: t.nn.functional.gelu(values(t, 3)), "log1p": lambda t: values(t, 3).log1p(),
    "cross_entropy": lambda t: t.nn.functional.cross_entropy(values(t, 2, 3), t.tensor([0, 2])),
    "conv2d": lambda t: t.nn.functional.conv2d(values(t, 1, 2, 5, 5), values(t, 3, 2, 3, 3), values(t, 3), 2, 1),
}


@pytest.mark.parametrize("case", CASES)
def test_a_walk_shows_what_pytorch_shows(case):
    ours, theirs = CASES[case](weft), CASES[case](torch)
    found, wanted = walk(ours.grad_fn), walk(theirs.grad_fn)
    assert rounded(found) == rounded(wanted)
    assert repr(ours.grad_fn).split(" ")[0] == repr(theirs.grad_fn).split(" ")[0]


@pytest.mark.parametrize("case", ["linear (2, 4) True", "cross_entropy", "pow", "sum"])
def test_the_name_stays_after_a_backward(case):
    ours, theirs = CASES[case](weft), CASES[case](torch)
    assert ours.grad_fn.name() == theirs.grad_fn.name()
    ours.sum().backward()
    assert ours.grad_fn.name() == theirs.grad_fn.name()


def test_parts_are_one_object_while_they_are_held_and_take_no_hooks():
    node = layer(weft, True)(values(weft, 2, 4)).grad_fn
    turned = node.next_functions[2][0]
    assert turned is node.next_functions[2][0] and turned.name() == "TBackward0"
    with pytest.raises(RuntimeError, match="part of LinearBackward0, which runs as one"):
        turned.register_hook(print)


def test_a_look_at_a_node_keeps_nothing_alive():
    x = values(weft, 2, 4)
    made = layer(weft, True)(x.exp()).sum()
    gc.disable()
    try:
        node = made.grad_fn.next_functions[0][0]
        shown = weft.autograd.graph.Node
        before = node.next_functions
        assert isinstance(before[2][0], shown)
        import weakref
        gone = weakref.ref(node)
        del node, before, made
        assert gone() is None
    finally:
        gc.enable()
