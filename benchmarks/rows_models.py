"""Small models, written once over T: an MLP's training step, a BiLSTM tagger, a TreeLSTM; and optimizer updates alone.
"""
import contextlib

import numpy as np
from measure import by_turns
from rows import Inputs, Row

# Adam's settings, as the fused functions want them
ADAM = dict(lr=1e-3, beta1=0.9, beta2=0.999, weight_decay=0.0, eps=1e-8, amsgrad=False, maximize=False)


def adam_of(T, params):
    """A function that updates the parameters: the quickest of torch.optim.Adam's three ways; weft's own."""
    if hasattr(T, "optim"):
        ways = [dict(fused=True), dict(foreach=True), dict(foreach=False)] if T.__name__ == "torch" else [{}]
        made = [T.optim.Adam(params, **way) for way in ways]
        if len(made) == 1:
            return made[0].step
        for p in params:
            p.grad = T.zeros_like(p)
        times = by_turns([m.step for m in made], seconds=0.1, rounds=3)
        return T.optim.Adam(params, **ways[int(np.argmin(times))]).step
    means, squares = ([T.zeros_like(p).detach() for p in params] for _ in range(2))
    steps = [T.tensor(0.0) for _ in params]

    def step():
        grads = [p.grad for p in params]
        T._foreach_add_(steps, 1)
        T._fused_adam_(params, grads, means, squares, [], steps, **ADAM)
    return step


def mlp_step(T):
    """MLP 4-64-64-2 on a batch of 32: forward, cross-entropy, backward, Adam."""
    new, F = Inputs(T), T.nn.functional
    x, labels = new.normal(32, 4), new.integers(2, 32)
    sizes = (4, 64, 64, 2)
    weights = [new.normal(b, a, grad=True, scale=a ** -0.5) for a, b in zip(sizes, sizes[1:])]
    biases = [T.zeros(b, requires_grad=True) for b in sizes[1:]]
    params = [p for pair in zip(weights, biases) for p in pair]
    update = adam_of(T, params)

    def run():
        for p in params:
            p.grad = None
        h = F.relu(F.linear(x, weights[0], biases[0]))
        h = F.relu(F.linear(h, weights[1], biases[1]))
        F.cross_entropy(F.linear(h, weights[2], biases[2]), labels).backward()
        update()
    return run


def adam_alone(shapes):
    def make(T):
        new = Inputs(T)
        params = [new.normal(*shape, grad=True) for shape in shapes]
        update = adam_of(T, params)
        for p in params:
            p.grad = new.normal(*p.shape)
        return update
    return make


class LSTMCell:
    """A cell out of small ops, as a program would write it that can't use a whole layer."""

    def __init__(self, new, inputs, hidden):
        self.wx, self.wh = new.normal(inputs, 4 * hidden, grad=True,
                                      scale=0.1), new.normal(hidden, 4 * hidden, grad=True, scale=0.1)
        self.b = new.normal(4 * hidden, grad=True, scale=0.1)
        self.params = [self.wx, self.wh, self.b]

    def __call__(self, x, h, c):
        i, f, o, u = (x @ self.wx + h @ self.wh + self.b).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * u.tanh()
        return o.sigmoid() * c.tanh(), c


def together(T):
    """weft batches what is inside by itself; torch runs it as it is."""
    return T.autobatch(always=True) if hasattr(T, "autobatch") else contextlib.nullcontext()


def tagger(T, sentences=4, words=20, vocabulary=2000, size=128, hidden=50, tags=9, at_once=False):
    """A BiLSTM tagger: sentences of different lengths, one at a time, loss and backward."""
    new, F = Inputs(T), T.nn.functional
    table = new.normal(vocabulary, size, grad=True, scale=0.1)
    forward, backward = LSTMCell(new, size, hidden), LSTMCell(new, size, hidden)
    w1, w2 = new.normal(2 * hidden, 32, grad=True, scale=0.1), new.normal(32, tags, grad=True, scale=0.1)
    params = [table, w1, w2, *forward.params, *backward.params]
    texts = [new.integers(vocabulary, words - 6 + 4 * (k % 4)) for k in range(sentences)]
    labels = [new.integers(tags, len(t)) for t in texts]
    zero = T.zeros(1, hidden)

    def states(cell, xs):
        h, c, made = zero, zero, []
        for x in xs:
            h, c = cell(x, h, c)
            made.append(h)
        return made

    def run():
        for p in params:
            p.grad = None
        total = 0.0
        for text, label in zip(texts, labels):
            xs = table[text].split(1)
            there, back = states(forward, xs), states(backward, xs[::-1])[::-1]
            hidden_states = T.cat([T.cat([a, b], 1) for a, b in zip(there, back)])
            loss = F.cross_entropy((hidden_states @ w1).tanh() @ w2, label)
            loss.backward()
            total = total + loss.detach()
        return [total, *[p.grad for p in params[1:]]]

    def run_together():
        for p in params:
            p.grad = None
        with together(T):
            losses = []
            for text, label in zip(texts, labels):
                xs = table[text].split(1)
                there, back = states(forward, xs), states(backward, xs[::-1])[::-1]
                hidden_states = T.cat([T.cat([a, b], 1) for a, b in zip(there, back)])
                losses.append(F.cross_entropy((hidden_states @ w1).tanh() @ w2, label))
            total = sum(losses)
            total.backward()
        return [total.detach(), *[p.grad for p in params[1:]]]
    return run_together if at_once else run


def random_tree(rng, leaves):
    """A binary tree over words: nested pairs, a word's number at the leaves."""
    if leaves == 1:
        return int(rng.integers(0, 1000))
    left = int(rng.integers(1, leaves))
    return random_tree(rng, left), random_tree(rng, leaves - left)


def tree_lstm(T, trees=2, leaves=15, size=100, hidden=100, classes=5, at_once=False):
    """A binary TreeLSTM: every tree another graph, one at a time, loss and backward."""
    new, F = Inputs(T), T.nn.functional
    table = new.normal(1000, size, grad=True, scale=0.1)
    w_leaf = new.normal(size, 3 * hidden, grad=True, scale=0.1)
    u_left, u_right = (new.normal(hidden, 5 * hidden, grad=True, scale=0.1) for _ in range(2))
    bias, w_out = new.normal(5 * hidden, grad=True, scale=0.1), new.normal(hidden, classes, grad=True, scale=0.1)
    params = [table, w_leaf, u_left, u_right, bias, w_out]
    forest = [random_tree(np.random.default_rng(k), leaves + 3 * (k % 4)) for k in range(trees)]
    label = T.tensor([1])

    def states(tree):
        if isinstance(tree, int):
            i, o, u = (table[tree].unsqueeze(0) @ w_leaf).chunk(3, 1)
            c = i.sigmoid() * u.tanh()
            return o.sigmoid() * c.tanh(), c
        (h1, c1), (h2, c2) = states(tree[0]), states(tree[1])
        i, f1, f2, o, u = (h1 @ u_left + h2 @ u_right + bias).chunk(5, 1)
        c = i.sigmoid() * u.tanh() + f1.sigmoid() * c1 + f2.sigmoid() * c2
        return o.sigmoid() * c.tanh(), c

    def run():
        for p in params:
            p.grad = None
        for tree in forest:
            F.cross_entropy(states(tree)[0] @ w_out, label).backward()
        return [p.grad for p in params[1:]]

    def run_together():
        for p in params:
            p.grad = None
        with together(T):
            sum(F.cross_entropy(states(tree)[0] @ w_out, label) for tree in forest).backward()
        return [p.grad for p in params[1:]]
    return run_together if at_once else run


def padded_tagger(T, sentences=64, words=20, vocabulary=2000, size=128, hidden=50, tags=9):
    """The tagger for 64 sentences: weft as it is written for one, torch padded and masked by hand."""
    if hasattr(T, "autobatch"):
        return tagger(T, sentences, words, vocabulary, size, hidden, tags, at_once=True)
    new, F = Inputs(T), T.nn.functional
    table = new.normal(vocabulary, size, grad=True, scale=0.1)
    cells = LSTMCell(new, size, hidden), LSTMCell(new, size, hidden)
    w1, w2 = new.normal(2 * hidden, 32, grad=True, scale=0.1), new.normal(32, tags, grad=True, scale=0.1)
    params = [table, w1, w2, *cells[0].params, *cells[1].params]
    texts = [new.integers(vocabulary, words - 6 + 4 * (k % 4)) for k in range(sentences)]
    labels = [new.integers(tags, len(t)) for t in texts]
    pad = T.nn.utils.rnn.pad_sequence
    length = max(len(t) for t in texts)
    mask = T.tensor([[float(k < len(t)) for t in texts] for k in range(length)])[:, :, None]     # (steps, sentences, 1)

    def states(cell, xs, steps):
        h = c = T.zeros(sentences, hidden)
        made = [None] * length
        for k in steps:
            new_h, new_c = cell(xs[k], h, c)
            h, c = h + mask[k] * (new_h - h), c + mask[k] * (new_c - c)
            made[k] = h
        return T.stack(made)

    def run():
        for p in params:
            p.grad = None
        xs = table[pad(texts)]
        both = T.cat([states(cells[0], xs, range(length)), states(cells[1], xs, range(length - 1, -1, -1))], 2)
        scores = (both @ w1).tanh() @ w2
        losses = F.cross_entropy(scores.flatten(0, 1), pad(labels, padding_value=-1).flatten(), ignore_index=-1,
                                 reduction="none").view(length, sentences)
        total = (losses.sum(0) / mask.sum((0, 2))).sum()
        total.backward()
        return [total.detach(), *[p.grad for p in params[1:]]]
    return run


def at_once(make, n):
    """The same program for n examples, their losses summed."""
    return lambda T: make(T, n, at_once=True)


ROWS = [
    Row("MLP 4-64-64-2, batch 32, Adam step", mlp_step, 0.20, "models", small=True),
    Row("BiLSTM tagger, 4 sentences one at a time", tagger, 0.25, "models", small=True),
    Row("TreeLSTM, 2 trees one at a time", tree_lstm, 0.08, "models", small=True),
    Row("BiLSTM tagger, 64 sentences one at a time", lambda T: tagger(T, 64), None, "models", small=True),
    Row("TreeLSTM, 64 trees one at a time", lambda T: tree_lstm(T, 64), None, "models", small=True),
    Row("BiLSTM tagger, 64 sentences, autobatch", at_once(tagger, 64), 0.15, "models", small=True),
    Row("BiLSTM tagger, 64 sentences, autobatch; torch padded by hand", padded_tagger, None, "models", small=True),
    Row("TreeLSTM, 64 trees, autobatch", at_once(tree_lstm, 64), 0.03, "models", small=True),
    Row("Adam update of the MLP's parameters", adam_alone([(64, 4), (64,), (64, 64), (64,), (2, 64), (2,)]), None,
        "models", small=True),
    Row("Adam update of 100 x 100,000", adam_alone([(100000,)] * 100), None, "models", bytes=28e7),
]
