"""Training steps of whole networks: zero_grad, forward, loss, backward, optimizer; time and peak memory."""
import networks
from measure import by_turns
from rows import Inputs, Row


def quickest(T, make, params):
    """An optimizer: for torch the quickest of its three ways (fused, foreach, a loop), measured."""
    if T.__name__ != "torch":
        return make(params)
    found = []
    copies = [p.detach().clone().requires_grad_() for p in params]      # a step with weight decay changes them
    for p in copies:
        p.grad = T.zeros_like(p)
    for way in (dict(fused=True), dict(foreach=True), dict(foreach=False)):
        try:
            found.append((by_turns([make(copies, **way).step], seconds=0.2, rounds=3)[0], way))
        except (TypeError, RuntimeError, ValueError):     # not every optimizer has a fused way
            continue
    return make(params, **min(found, key=lambda pair: pair[0])[1])


def step_of(T, net, loss_of, make_optimizer):
    """The function that is timed: one training step; gives the loss."""
    optimizer = quickest(T, make_optimizer, list(net.parameters()))

    def run():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss.detach()
    return run


def mnist(T, batch=64):
    T.manual_seed(0)
    net, new = networks.mnist_cnn(T), Inputs(T)
    x, labels = new.normal(batch, 1, 28, 28), new.integers(10, batch)
    return step_of(T, net, lambda: T.nn.functional.nll_loss(net(x), labels), lambda p,
                   **way: T.optim.Adadelta(p, lr=1.0, **way))


def resnet(T, batch=32):
    T.manual_seed(0)
    net, new = networks.resnet18(T), Inputs(T)
    x, labels = new.normal(batch, 3, 32, 32), new.integers(10, batch)
    return step_of(T, net, lambda: T.nn.functional.cross_entropy(net(x), labels),
                   lambda p, **way: T.optim.SGD(p, lr=0.01, momentum=0.9, weight_decay=5e-4, **way))


def gpt(layers, width, heads, batch, length):
    def make(T):
        T.manual_seed(0)
        net, new = networks.gpt(T, layers, width, heads, length), Inputs(T)
        ids, targets = new.integers(65, batch, length), new.integers(65, batch, length)
        return step_of(T, net, lambda: T.nn.functional.cross_entropy(net(ids).view(-1, 65), targets.view(-1)),
                       lambda p, **way: T.optim.AdamW(p, lr=1e-3, **way))
    return make


def language_model(T, batch=20, length=35, vocabulary=2000, width=200):
    T.manual_seed(0)
    net, new = networks.lstm_lm(T, vocabulary, width), Inputs(T)
    ids, targets = new.integers(vocabulary, length, batch), new.integers(vocabulary, length * batch)
    state = (T.zeros(2, batch, width), T.zeros(2, batch, width))
    return step_of(T, net, lambda: T.nn.functional.cross_entropy(net(ids, state)[0].view(-1, vocabulary), targets),
                   lambda p, **way: T.optim.SGD(p, lr=0.1, **way))


# dropout makes the two draw from their streams; the first losses agree all the same
ROWS = [Row(name, make, 0.8, "training", memory=True) for name, make in [
    ("MNIST CNN, batch 64, training step", mnist),
    ("ResNet-18 on 32x32, batch 32, training step", resnet),
    ("GPT 4 layers of 128, batch 12, length 64, training step", gpt(4, 128, 4, 12, 64)),
    ("GPT 6 layers of 384, batch 16, length 256, training step", gpt(6, 384, 6, 16, 256)),
    ("LSTM language model, 2 layers of 200, training step", language_model),
]]
