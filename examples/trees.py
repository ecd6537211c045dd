"""A tour in a minute: a model whose graph differs for every example, trained, looked at, and broken on purpose.

    python examples/trees.py

Each example is a random binary tree of numbers; the network must learn the sum of its leaves. The tree *is* the
program: an `if` and a recursion, no padding and no batching, a new graph every time.
"""
import random
import sys
import time

import weft as torch


def grow(rng, depth):
    """A tree as nested pairs with numbers at the leaves."""
    if depth == 0 or rng.random() < 0.3:
        return rng.uniform(-1, 1)
    return grow(rng, depth - 1), grow(rng, depth - 1)


def total(tree):
    return tree if isinstance(tree, float) else total(tree[0]) + total(tree[1])


class Net:
    """Leaves become vectors, pairs of vectors become one, the last vector a number."""

    def __init__(self, width):
        torch.manual_seed(1)
        self.leaf = (torch.randn(1, width) * 0.5).requires_grad_()
        self.join = (torch.randn(2 * width, width) * (0.03 / width) ** 0.5).requires_grad_()
        self.bias = torch.zeros(width, requires_grad=True)
        self.out = (torch.randn(width, 1) * 0.3).requires_grad_()
        self.weights = [self.leaf, self.join, self.bias, self.out]

    def encode(self, tree):
        if isinstance(tree, float):
            return torch.tensor([[tree]]) @ self.leaf
        both = torch.cat([self.encode(tree[0]), self.encode(tree[1])], 1)
        return (both @ self.join + self.bias).tanh() * 4

    def __call__(self, tree):
        return (self.encode(tree) @ self.out).sum()


def train(net, seconds=12.0, rate=0.003):
    rng = random.Random(0)
    mean, square = ([torch.zeros_like(w) for w in net.weights] for _ in range(2))
    start = shown = time.monotonic()
    recent, step = 0.0, 0
    while time.monotonic() - start < seconds:
        tree = grow(rng, 3), grow(rng, 3)
        loss = (net(tree) - total(tree)) ** 2
        for w in net.weights:
            w.grad = None
        loss.backward()
        step += 1
        with torch.no_grad():       # Adam, by hand
            for w, m, s in zip(net.weights, mean, square):
                m.mul_(0.9).add_(w.grad, alpha=0.1)
                s.mul_(0.99).addcmul_(w.grad, w.grad, value=0.01)
                w.addcdiv_(m, s.sqrt().add_(1e-6), value=-rate / (1 + step / 4000))
        recent += (loss.item() - recent) / min(step, 500)
        if time.monotonic() - shown > 1:
            shown = time.monotonic()
            report(f"step {step:6d}  loss {recent:8.4f}  {step / (shown - start):7.0f} trees/s")
    report(f"step {step:6d}  loss {recent:8.4f}  {step / seconds:7.0f} trees/s", last=True)


def report(line, last=False):
    if sys.stdout.isatty():
        print("\r" + line, end="\n" if last else "", flush=True)
    else:
        print(line, flush=True)


def show_graph(net):
    tree = (0.25, (-0.5, 1.0))
    answer = net(tree)
    print(f"\nThe tree {tree} adds up to {total(tree)}; the network says {answer.item():.3f}.")
    print("Its graph, from the result back, each node with the line that made it:")
    node, depth = answer.grad_fn, 0
    while node is not None and depth < 6:
        print(f"  {node.name():16s} {node.line}")
        node = next((n for n, _ in node.next_functions if n is not None), None)
        depth += 1


def break_on_purpose(net):
    print("\nAnd if something is wrong, the error names the line that matters:\n")
    hidden = net.encode((0.5, 0.5))
    squared = hidden * hidden
    hidden.zero_()
    try:
        squared.sum().backward()
    except RuntimeError as error:
        print(error)


def main():
    print(f"weft {torch.__version__}: a tree-shaped model, another graph for every example (Ctrl-C stops)\n")
    net = Net(16)
    try:
        train(net)
    except KeyboardInterrupt:
        print("\nstopped; the weights so far are used below")
    show_graph(net)
    break_on_purpose(net)
    print("\nNext: read examples/trees.py; then `make test`, and docs/inside.md for how it works.")


if __name__ == "__main__":
    main()
