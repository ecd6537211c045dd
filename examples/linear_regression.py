"""Linear regression: gradient descent finds the weights that made the data.

    python examples/linear_regression.py [--quick] [--seed N]

Shows: a tensor that requires a gradient, a loss, `backward()`, and a step written by hand, without nn or optim.
Data:  1,000 points, made here
Time:  1 s
Score: largest error at most 0.02, seen 0.0049; --quick 0.05, seen 0.012
"""
from common import Progress, run

import weft as torch


def make_points(count, weights, bias, noise=0.1):
    """x (count, features) and y = x w + b + noise, (count,)."""
    x = torch.randn(count, len(weights))
    return x, x @ weights + bias + noise * torch.randn(count)


def main(given):
    true_weights, true_bias = torch.tensor([2.0, -3.4, 0.5, 1.7]), 4.2
    x, y = make_points(200 if given.quick else 1000, true_weights, true_bias)
    weights = torch.zeros(4, requires_grad=True)
    bias = torch.zeros((), requires_grad=True)
    rate = 0.1
    with Progress(range(50 if given.quick else 300), "descent", unit="step") as bar:
        for _ in bar:
            guess = x @ weights + bias                  # (N,)
            loss = ((guess - y) ** 2).mean()
            loss.backward()
            with torch.no_grad():                       # the step itself is no part of the graph
                for parameter in (weights, bias):
                    parameter -= rate * parameter.grad
                    parameter.grad = None
            bar.show(loss=loss.item())
    print(f"weights {[round(w, 3) for w in weights.tolist()]}, bias {bias.item():.3f}")
    print(f"made of {[round(w, 3) for w in true_weights.tolist()]}, bias {true_bias:.3f}")
    return max((weights - true_weights).abs().max().item(), abs(bias.item() - true_bias))


if __name__ == "__main__":
    run(main, __doc__)
