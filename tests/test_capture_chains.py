"""Random programs of elementwise ops, masks and reductions, captured against eager, to the bit: values and gradients, broadcast
operands, slices and transposes, one thread and two. A failing program is printed with its number.
"""
import random

import numpy as np
import pytest

import weft
from weft.nn import functional as F

UNARY = ["exp", "tanh", "sigmoid", "relu", "neg", "abs", "square", "sqrt", "sin"]
TYPES = [weft.float32, weft.float32, weft.float64, weft.bfloat16, weft.float16]
SHAPES = [(3, 70), (2, 3, 65), (5, 4, 130), (1, 64), (7, 33), (40, 100), (2, 1500), (1, 1), (64, 3), (300, 257)]


class Writer:
    """Writes a program line by line. values, masks: the names that later lines may read."""

    def __init__(self, draw):
        self.draw, self.lines, self.values, self.masks = draw, [], ["a", "b", "c", "d"], []
        for i in range(draw.randint(3, 14)):
            kind = draw.choice([self.unary, self.binary, self.binary, self.reversed, self.compared, self.mixed, self.chosen, self.filled,
                                self.bounded, self.reduced])
            text, is_mask = kind()
            self.lines.append(f"v{i} = {text}")
            (self.masks if is_mask else self.values).append(f"v{i}")
        ends = ["{}", "{}.sum()", "{}.mean(-1)", "{}.sum(0)", "{}.amax()"]
        made = self.values[4:] or ["a"]
        self.results = ", ".join(draw.choice(ends).format(v) for v in draw.sample(made, min(len(made), draw.randint(1, 3))))

    def value(self):
        return self.draw.choice(self.values[-5:] + self.values[:4])

    def either(self):
        return self.draw.choice([self.value(), self.value(), str(self.draw.choice([0.5, 2, -1, 1.5, 0]))])

    def mask(self):
        return self.draw.choice(self.masks) if self.masks else f"({self.value()} > 0)"

    def unary(self):
        return f"{self.value()}.{self.draw.choice(UNARY)}()", False

    def binary(self):
        return f"{self.value()} {self.draw.choice('+-*/')} {self.either()}", False

    def reversed(self):
        return f"{self.draw.choice([1, 2.5, 0])} - {self.value()}", False

    def compared(self):
        return f"{self.value()} {self.draw.choice(['>', '<', '>=', '==', '!='])} {self.either()}", True

    def mixed(self):
        return self.draw.choice([(f"{self.mask()} {self.draw.choice('&|')} ~{self.mask()}", True),
                                 (f"{self.mask()}.to(a.dtype) * {self.value()}", False)])

    def chosen(self):
        return f"weft.where({self.mask()}, {self.value()}, {self.either()})", False

    def filled(self):
        return f"{self.value()}.expand(shape).masked_fill({self.mask()}, {self.draw.choice(['0.0', '-1', '-np.inf'])})", False

    def bounded(self):
        return self.draw.choice([f"{self.value()}.clamp({self.draw.choice([-1, 0])}, {self.draw.choice([1, 0.5])})",
                                 f"F.leaky_relu({self.value()}, 0.1)", f"weft.minimum({self.value()}, {self.value()})"]), False

    def reduced(self):
        how, dim = self.draw.choice(["sum", "mean", "amax", "amin"]), self.draw.choice(["0", "-1", "(0, 1)", "1"])
        return f"{self.value()}.expand(shape).{how}({dim}, keepdim=True)", False

    def program(self, grad):
        back = ["total = sum([o.sum() for o in outs if o.requires_grad])", "if not isinstance(total, int):", "    total.backward()"]
        body = [*self.lines, f"outs = [{self.results}]", *(back if grad else []), "return [o.detach() for o in outs]"]
        return "\n".join(["def program(a, b, c, d):", *["    " + line for line in body]])


def inputs_of(shape, dtype, draw, rng):
    """A whole operand, a row, a column, and any; some with infinities and NaN, some that are parts of larger ones."""
    def new(size):
        made = weft.tensor(rng.standard_normal(size), dtype=dtype)
        for i, v in enumerate((0.0, -0.0, np.inf, np.nan, 1.0, -1.0)):
            if made.numel() > 50 and draw.random() < 0.5:
                made.view(-1)[i::53] = v
        return made
    made = [new(shape), new(shape[1:]), new((*shape[:-1], 1)), new(draw.choice([(), (1,), shape]))]
    if draw.random() < 0.4:
        made[0] = new((*shape[:-1], 2 * shape[-1] + 3))[..., 2:2 + shape[-1]]
    if draw.random() < 0.2:
        made[3] = new(shape[::-1]).permute(*reversed(range(len(shape))))
    return made


def same(a, b):
    if a is None or b is None:
        return a is b
    longer = [d for d, n in enumerate(a.shape) if n > 1]
    if a.dtype != b.dtype or a.shape != b.shape or [a.stride(d) for d in longer] != [b.stride(d) for d in longer]:
        return False
    a, b = a.detach().double().numpy(), b.detach().double().numpy()
    known = a == a
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[known]), np.signbit(b[known]))


@pytest.mark.parametrize("start", range(0, 400, 40))
def test_random_chains_are_eager_to_the_bit(start):
    before = weft.get_num_threads()
    try:
        for number in range(start, start + 40):
            draw, rng = random.Random(number), np.random.default_rng(number)
            shape, dtype, grad = draw.choice(SHAPES), draw.choice(TYPES), draw.random() < 0.5
            text = Writer(draw).program(grad)
            space = {"weft": weft, "F": F, "np": np, "shape": shape}
            exec(text, space)
            given, captured = inputs_of(shape, dtype, draw, rng), weft.jit.capture(space["program"])
            weft.set_num_threads(draw.choice([1, 2]))
            for _ in range(3):
                made = []
                for run in (space["program"], captured):
                    leaves = [x.detach().requires_grad_(grad) for x in given]
                    made.append([*run(*leaves), *[x.grad for x in leaves]])
                assert all(map(same, *made)), f"program {number} of shape {shape}, {dtype}:\n{text}"
    finally:
        weft.set_num_threads(before)
