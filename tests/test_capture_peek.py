"""Values that are read in the middle of a graph: masks, lengths, counters. The rest of the call is followed on."""
import pytest
from test_capture import agree

import weft
from weft import nn
from weft.nn import functional as F


def followed(make, calls=8, arguments=lambda i: (i,), **options):
    captured = agree(make, calls, arguments, **options)
    assert not captured.breaks, captured.explain()
    return captured


def test_a_mask_that_is_looked_at_between_two_layers():
    def make():
        first, second = nn.Linear(4, 4), nn.Linear(4, 2)
        optimizer = weft.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)

        def step(i):
            optimizer.zero_grad()
            x = weft.full((3, 4), float(i))
            mask = x > 3
            h = first(x)
            if mask.all():                          # no gradient belongs to it; h has an open graph
                h = h * 2
            h = h.masked_fill(mask, 0.5)            # and it is used again
            loss = second(h).square().mean()
            loss.backward()
            optimizer.step()
            return loss, mask, [p.detach().clone() for p in first.parameters()]
        return step
    captured = followed(make)
    assert len(captured.structures) == 2


def test_a_graph_that_leaves_after_a_mask_was_looked_at():
    def make():
        w = weft.randn(4, 4, requires_grad=True)

        @weft.jit.capture
        def forward(x):
            keep = x.sum(1) > 0
            h = x @ w
            if not keep.any():
                return h.tanh(), keep
            return (h * keep[:, None]).tanh(), keep

        def step(i):
            w.grad = None
            y, keep = forward(weft.full((3, 4), float(i - 4)))
            y.sum().backward()
            return y.detach(), keep, w.grad
        step.forward = forward
        return step
    weft.manual_seed(0)
    step = make()
    for i in range(8):
        step(i)
    assert not step.forward.breaks, step.forward.explain()
    agree(make, 8, lambda i: (i,))


def test_lengths_that_are_read_and_a_value_of_an_input():
    def make():
        w = weft.randn(4, requires_grad=True)
        limit = weft.tensor(3.0)

        def step(i):
            w.grad = None
            x = weft.full((4,), float(i))
            y = x * w
            lengths = (x * 2).int().tolist()
            k = limit.item()                        # of a tensor from outside, which nothing waits to write to
            loss = (y * lengths[0] * k).sum()
            loss.backward()
            return loss, lengths, w.grad
        return step
    agree(make, 8, lambda i: (i,))


@pytest.mark.parametrize("line", ["state.add_(1)", "state[0] = 5", "view.mul_(2)", "state.copy_(x)", "bn(x)",
                                  "state += x"])
def test_what_waits_to_be_written_is_written_before_it_is_read(line):
    def make():
        w = weft.randn(4, requires_grad=True)
        state = weft.zeros(4)
        scope = {"state": state, "view": state[1:],
                 "bn": lambda x: F.batch_norm(x[:, None], state[:1], state[1:2], training=True)}

        def step(i):
            w.grad = None
            x = weft.full((4,), float(i)) + 0.5
            y = x * w
            before = (state * 2).sum() > 3
            exec(line, {**scope, "x": x})
            after = (state * 2).sum() > 3
            if after:
                y = y * 2
            read = state[0].item(), bool(before), bool(after), float(scope["view"][0])
            y.sum().backward()
            return w.grad, read, state.clone()
        return step
    agree(make, 8, lambda i: (i,))


def test_views_and_aliases_of_what_was_read_share_its_memory():
    def make():
        w = weft.randn(3, requires_grad=True)

        def step(i):
            w.grad = None
            y = w * 2
            m = weft.full((3,), float(i)) + 1
            v, d = m[1:], m.detach()
            read = m.sum().item(), v.tolist()
            e = m.detach()
            y.sum().backward()
            m.add_(1)
            v.mul_(2)
            d[0] = 7
            return m, v, d, e, read, w.grad, m._version == d._version == e._version
        return step
    agree(make, 8, lambda i: (i,))


def test_a_value_that_has_a_graph_or_was_drawn_ends_the_following_as_ever():
    def make():
        w = weft.randn(3, requires_grad=True)

        def step(i):
            w.grad = None
            y = w * weft.dropout(weft.ones(3), 0.5, True)
            drawn = weft.bernoulli(weft.full((3,), 0.5)).sum().item()
            value = y.sum().item()
            y.sum().backward()
            return drawn, value, w.grad
        return step
    assert agree(make, 8, lambda i: (i,)).breaks


def test_a_read_in_the_middle_is_not_replayed():
    w = weft.ones(3, requires_grad=True)

    def step(x):
        w.grad = None
        y = x * w
        if (x > 1).all():
            y = y * 10
        y.sum().backward()
        return y.detach()
    captured = weft.jit.capture(step, replay=True)
    for i in (0, 0, 0, 2, 0, 2, 2):
        assert captured(weft.full((3,), float(i))).tolist() == [i * (10 if i > 1 else 1)] * 3
    assert captured.replayed == 0 and "a value is read in the middle" in captured.explain()


def test_a_call_that_only_reads_and_an_error_behind_a_value():
    captured = weft.jit.capture(lambda x: bool((x > 0).all()))
    for x in (weft.ones(2), -weft.ones(2), weft.ones(2), -weft.ones(2)):
        assert captured(x) == (x > 0).all().item()

    def make():
        w = weft.randn(3, requires_grad=True)
        table = weft.arange(4.0)

        def step(i):
            w.grad = None
            y = w * 2
            try:
                picked = table[weft.tensor([i % 5])] > 1        # out of range for 4
                y = y * (2 if picked.all() else 3)
            except IndexError as error:
                y = y + len(str(error).split("\n")[0])
            y.sum().backward()
            return y.detach(), w.grad
        return step
    agree(make, 12, lambda i: (i,))
