"""Captured steps: weft's `compile`, following the Python code or replaying without it, beside torch's eager step."""
import rows_models
import rows_training
from rows import Inputs, Row

BYTES = 4 * 4_000_000


def captured(make, **options):
    """The same step, captured where the module is weft; recorded, and found to pay, before it is timed. Its first
    results (a recorded call, and two that are followed) are those that are compared: in twelve steps of training in
    float32, rounding grows to 4e-3 of a loss (ResNet-18; in float64 the two agree to 2e-15).
    """
    def made(T):
        run = make(T) if T.__name__ == "torch" else T.compile(make(T), **options)
        run.first = [run() for _ in range(3)]
        for _ in range(9):
            run()
        return run
    return made


def chain(T):
    """Ten elementwise ops on 4 M floats."""
    x = Inputs(T).normal(4_000_000)

    def run():
        with T.no_grad():
            y = (x * 2.0 + 1.0).tanh() * x - 0.5
            return (y.relu() / 3.0 + x).sigmoid() * x
    return run


def cell_loop(T):
    """LSTMCell over 64 steps in a Python loop, batch 16, with Adam."""
    T.manual_seed(0)
    cell, new = T.nn.LSTMCell(32, 64), Inputs(T)
    xs, zero = new.normal(64, 16, 32), T.zeros(16, 64)

    def loss():
        h = c = zero
        for x in xs:
            h, c = cell(x, (h, c))
        return h.square().mean()
    return rows_training.step_of(T, cell, loss, lambda p, **way: T.optim.Adam(p, **way))


STEPS = [
    ("MLP 4-64-64-2, Adam step", rows_models.mlp_step, 0.05, True),
    ("LSTMCell over 64 steps in a loop, Adam step", cell_loop, 0.12, True),
    ("MNIST CNN, batch 64, training step", rows_training.mnist, 0.4, False),
    ("ResNet-18 on 32x32, batch 32, training step", rows_training.resnet, 0.4, False),
    ("GPT 4 layers of 128, batch 12, length 64, training step", rows_training.gpt(4, 128, 4, 12, 64), 0.75, False),
    ("GPT 6 layers of 384, batch 16, length 256, training step", rows_training.gpt(6, 384, 6, 16, 256), 0.75, False),
]
ROWS = [Row("10 elementwise ops on 4 M floats, captured", captured(chain), 0.2, "capture", bytes=2 * BYTES),
        Row("LSTMCell over 64 steps in a loop, Adam step, eager", cell_loop, 0.3, "capture", small=True),
        *[Row(f"{name}, captured", captured(make), goal, "capture", small=small) for name, make, goal, small in STEPS],
        *[Row(f"{name}, replayed", captured(make, replay=True), goal, "capture", small=small)
          for name, make, goal, small in STEPS]]
