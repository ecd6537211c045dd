"""Textbook programs, each written for one example: steps inside `autobatch` are those of the plain loop."""
import math
import random

import numpy as np
import pytest

import weft
from weft import autobatch, nn
from weft.nn import functional as F

LENGTHS = (5, 3, 7, 3, 2, 1, 6, 5)
RECIPES = {}


def recipe(make):
    """Register make() -> (module, loss of one example, examples)."""
    RECIPES[make.__name__] = make
    return make


def words(rng, n, most=12):
    return weft.tensor([rng.randrange(most) for _ in range(n)])


def sentences(seed=0, tags=4):
    rng = random.Random(seed)
    return [(words(rng, n), words(rng, n, tags)) for n in LENGTHS]


def random_tree(rng, n, ways=2):
    if n == 1:
        return rng.randrange(12)
    k = rng.randrange(1, n) if n > 1 else 1
    return [random_tree(rng, part, ways) for part in (k, n - k)]


def trees(seed=1):
    rng = random.Random(seed)
    return [(random_tree(rng, n), weft.tensor([rng.randrange(3)])) for n in LENGTHS]


@recipe
def child_sum_tree_lstm():
    class Cell(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(12, 6), nn.Linear(5, 3)
            self.iou_w, self.iou_u = nn.Linear(6, 15), nn.Linear(5, 15, bias=False)
            self.f_w, self.f_u = nn.Linear(6, 5), nn.Linear(5, 5, bias=False)

        def node(self, tree, states):
            children = tree if isinstance(tree, list) else []
            for child in children:
                self.node(child, states)
            x = self.embed(weft.tensor([tree if not children else 0]))
            if children:
                h = weft.cat([states[id(c)]["h"] for c in children])
                c = weft.cat([states[id(c)]["c"] for c in children])
            else:
                h, c = weft.zeros(1, 5), weft.zeros(1, 5)
            i, o, u = (self.iou_w(x) + self.iou_u(h.sum(0, keepdim=True))).chunk(3, 1)
            f = weft.sigmoid(self.f_w(x) + self.f_u(h))
            cell = i.sigmoid() * u.tanh() + (f * c).sum(0, keepdim=True)
            states[id(tree)] = {"c": cell, "h": o.sigmoid() * cell.tanh()}
            return states[id(tree)]["h"]
    model = Cell()
    return model, lambda e: F.cross_entropy(model.out(model.node(e[0], {})), e[1]), trees()


@recipe
def recursive_tensor_network():
    model = nn.ParameterDict({"v": nn.Parameter(weft.randn(4, 8, 8) * 0.1), "w": nn.Parameter(weft.randn(4, 8) * 0.3),
                              "b": nn.Parameter(weft.zeros(4)), "table": nn.Parameter(weft.randn(12, 4)),
                              "out": nn.Parameter(weft.randn(4, 3))})

    def vector(tree):
        if not isinstance(tree, list):
            return model["table"][tree]
        both = weft.cat([vector(part) for part in tree])
        tensor = weft.einsum("i,kij,j->k", both, model["v"], both)
        return weft.tanh(tensor + model["w"] @ both + model["b"])
    return model, lambda e: F.cross_entropy((vector(e[0]) @ model["out"]).unsqueeze(0), e[1]), trees()


@recipe
def shift_reduce_stack_lstm():
    class Parser(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.cell = nn.Embedding(12, 5), nn.LSTMCell(5, 5)
            self.join, self.act, self.start = nn.Linear(10, 5), nn.Linear(15, 2), nn.Parameter(weft.zeros(1, 5))

        def forward(self, sentence, order):
            buffer = [self.embed(w.view(1)) for w in sentence]
            stack, losses = [(self.start, self.start, self.start)], []

            def push(x):
                h, c = self.cell(x, stack[-1][1:])
                stack.append((x, h, c))
            for step in range(2 * len(buffer) - 1):
                below = stack[-2] if len(stack) > 1 else stack[-1]
                top = buffer[0] if buffer else self.start
                scores = F.log_softmax(self.act(weft.cat([stack[-1][1], below[1], top], 1)), 1)
                reduce = len(stack) > 2 and (not buffer or order[step % len(order)].item() % 2 == 1)
                losses.append(-scores[0, int(reduce)])
                if reduce:
                    right, left = stack.pop()[0], stack.pop()[0]
                    push(weft.tanh(self.join(weft.cat([left, right], 1))))
                else:
                    push(buffer.pop(0))
            return weft.stack(losses).sum()
    model = Parser()
    return model, lambda e: model(*e), sentences(2)


@recipe
def attention_translation():
    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.encoder = nn.Embedding(12, 6), nn.LSTM(6, 4, bidirectional=True)
            self.cell, self.out = nn.LSTMCell(14, 8), nn.Linear(16, 12)

        def forward(self, source, target):
            states = self.encoder(self.embed(source).unsqueeze(1))[0].squeeze(1)    # (n, 8)
            h, c, loss = states.mean(0, keepdim=True), weft.zeros(1, 8), 0
            context, last = weft.zeros(1, 8), weft.tensor([0])
            for word in target:
                h, c = self.cell(weft.cat([self.embed(last), context], 1), (h, c))
                weights = F.softmax(states @ h.squeeze(0), dim=0)
                context = weft.bmm(weights.view(1, 1, -1), states.unsqueeze(0)).squeeze(0)
                loss = loss + F.cross_entropy(self.out(weft.cat([h, context], 1)), word.view(1))
                last = word.view(1)
            return loss / len(target)
    model, rng = Translator(), random.Random(3)
    return model, lambda e: model(*e), [(words(rng, n), words(rng, 9 - n)) for n in LENGTHS]


@recipe
def pointer_network():
    class Pointer(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.cell = nn.GRU(2, 5, batch_first=True), nn.GRUCell(2, 5)
            self.w1, self.w2, self.v = nn.Linear(5, 5), nn.Linear(5, 5), nn.Linear(5, 1, bias=False)

        def forward(self, points):
            order = points[:, 0].argsort()
            states, h = self.encoder(points.unsqueeze(0))
            states, h, x, loss = states[0], h[0], weft.zeros(1, 2), 0
            taken = weft.zeros(len(points), dtype=weft.bool)
            for at in order.tolist():
                h = self.cell(x, h)
                scores = self.v(weft.tanh(self.w1(states) + self.w2(h))).squeeze(-1).masked_fill(taken, -math.inf)
                loss = loss - F.log_softmax(scores, -1)[at]
                taken = taken.clone()
                taken[at] = True
                x = points[at].unsqueeze(0)
            return loss
    model = Pointer()
    return model, lambda e: model(e), [weft.randn(n, 2) for n in LENGTHS]


@recipe
def bilstm_crf():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.lstm = nn.Embedding(12, 6), nn.LSTM(6, 3, bidirectional=True)
            self.hidden2tag, self.transitions = nn.Linear(6, 4), nn.Parameter(weft.randn(4, 4))

        def features(self, sentence):
            out, _ = self.lstm(self.embed(sentence).view(len(sentence), 1, -1))
            return self.hidden2tag(out.view(len(sentence), -1))

        def viterbi(self, features):
            score, back = features[0], []
            for step in features[1:]:
                best, at = (score + self.transitions).max(1)
                score = best + step
                back.append(at)
            path = [score.argmax().item()]
            for at in reversed(back):
                path.append(at[path[-1]].item())
            return path[::-1]

        def forward(self, sentence, tags):
            features = self.features(sentence)
            alpha, gold = features[0], features[0, tags[0]]
            for t in range(1, len(sentence)):
                alpha = weft.logsumexp(alpha + self.transitions, 1) + features[t]
                gold = gold + self.transitions[tags[t], tags[t - 1]] + features[t, tags[t]]
            wrong = sum(a != b for a, b in zip(self.viterbi(features.detach()), tags.tolist()))
            return weft.logsumexp(alpha, 0) - gold + 0.01 * wrong
    model = Tagger()
    return model, lambda e: model(*e), sentences(4)


@recipe
def characters_with_convolutions():
    model = nn.ModuleDict({"letters": nn.Embedding(12, 4), "conv": nn.Conv1d(4, 5, 3, padding=1),
                           "lstm": nn.LSTM(5, 4), "out": nn.Linear(4, 3)})

    def loss_of(example):
        spelled, tags = example
        vectors = []
        for word in spelled:
            x = model["conv"](model["letters"](word).t().unsqueeze(0))      # (1, 5, letters)
            vectors.append(x.max(2)[0])
        out, _ = model["lstm"](weft.stack(vectors))
        return F.cross_entropy(model["out"](out.squeeze(1)), tags)
    rng = random.Random(5)
    return model, loss_of, [([words(rng, rng.randrange(1, 6)) for _ in range(n)], words(rng, n, 3)) for n in LENGTHS]


@recipe
def elman_language_model():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 5), "ih": nn.Linear(5, 6), "hh": nn.Linear(6, 6),
                           "out": nn.Linear(6, 12)})

    def loss_of(example):
        sentence, _ = example
        h, losses = weft.zeros(6), []
        for word, after in zip(sentence[:-1], sentence[1:]):
            h = weft.tanh(model["ih"](model["embed"](word)) + model["hh"](h))
            losses.append(F.cross_entropy(model["out"](h), after))
        return weft.stack(losses).mean() if losses else model["hh"](h).sum() * 0
    return model, loss_of, sentences(6)


@recipe
def graph_convolutions():
    model = nn.ModuleDict({"atoms": nn.Embedding(12, 6), "self": nn.Linear(6, 6), "near": nn.Linear(6, 6, bias=False),
                           "norm": nn.LayerNorm(6), "out": nn.Linear(6, 1)})

    def loss_of(example):
        atoms, source, target, y = example
        h = model["atoms"](atoms)
        for _ in range(2):
            sent = model["near"](h)[source]
            h = F.relu(model["norm"](model["self"](h) + weft.zeros_like(h).index_add(0, target, sent)))
        return F.mse_loss(model["out"](h.mean(0)), y)
    rng = random.Random(7)
    return model, loss_of, [(words(rng, n), words(rng, 2 * n, n), words(rng, 2 * n, n), weft.randn(1)) for n in LENGTHS]


@recipe
def memory_network():
    model = nn.ModuleDict({"a": nn.Embedding(12, 5), "c": nn.Embedding(12, 5), "b": nn.Embedding(12, 5),
                           "h": nn.Linear(5, 5, bias=False), "out": nn.Linear(5, 12)})

    def loss_of(example):
        story, question, answer = example
        u = model["b"](question).sum(0)
        for _ in range(3):
            m = weft.stack([model["a"](s).sum(0) for s in story])
            c = weft.stack([model["c"](s).sum(0) for s in story])
            p = F.softmax(m @ u, dim=0)
            u = model["h"](u) + p @ c
        return F.cross_entropy(model["out"](u), answer)
    rng = random.Random(8)
    return model, loss_of, [([words(rng, rng.randrange(1, 5)) for _ in range(n)], words(rng, 3), words(rng, 1)[0])
                            for n in LENGTHS]


@recipe
def triplets():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 6), "lstm": nn.LSTM(6, 5, batch_first=True)})

    def vector(sentence):
        return F.normalize(model["lstm"](model["embed"](sentence).unsqueeze(0))[1][0][-1], dim=-1)

    def loss_of(example):
        a, p, n = [vector(s) for s in example]
        return F.triplet_margin_loss(a, p, n, margin=1.0) + (1 - F.cosine_similarity(a, p)).mean()
    rng = random.Random(9)
    return model, loss_of, [[words(rng, n), words(rng, rng.randrange(1, 6)), words(rng, 3)] for n in LENGTHS]


@recipe
def early_exit():
    model = nn.ModuleDict({"cell": nn.GRUCell(4, 5), "halt": nn.Linear(5, 1), "out": nn.Linear(5, 2)})

    def loss_of(example):
        h = weft.zeros(1, 5)
        for step in example:
            h = model["cell"](step.unsqueeze(0), h)
            p = model["halt"](h).sigmoid()
            if p.item() > 0.5:
                break
        return F.cross_entropy(model["out"](h) * p, weft.tensor([len(example) % 2]))
    return model, loss_of, [weft.randn(n, 4) for n in LENGTHS]


@recipe
def beam_search():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 4), "cell": nn.LSTMCell(4, 6), "out": nn.Linear(6, 12)})

    def loss_of(example):
        sentence, _ = example
        h = model["embed"](sentence).mean(0, keepdim=True)
        beams = [(weft.zeros(()), [0], (F.pad(h, (0, 2)), weft.zeros(1, 6)))]
        for _ in range(3):
            grown = []
            for score, said, state in beams:
                h, c = model["cell"](model["embed"](weft.tensor([said[-1]])), state)
                best, at = F.log_softmax(model["out"](h), -1)[0].topk(2)
                grown += [(score + best[k], [*said, at[k].item()], (h, c)) for k in range(2)]
            beams = sorted(grown, key=lambda b: -b[0].item())[:2]
        return -beams[0][0] + F.relu(beams[1][0] - beams[0][0] + 1)
    return model, loss_of, sentences(10)


@recipe
def reinforce():
    model = nn.ModuleDict({"one": nn.Linear(3, 8), "two": nn.Linear(8, 2)})

    def loss_of(example):
        state, chosen, rewards = example, [], []
        for _ in range(len(example) + 2):
            d = weft.distributions.Categorical(logits=model["two"](F.relu(model["one"](state.mean(0)))))
            action = d.sample()
            chosen.append(d.log_prob(action))
            rewards.append(1.0 if action.item() == 0 else -0.5)
            state = state + 0.1 * (action.item() - 0.5)
        returns = np.cumsum(rewards[::-1])[::-1].copy()
        return sum(-lp * r for lp, r in zip(chosen, returns)) - 0.01 * d.entropy()
    return model, loss_of, [weft.randn(n, 3) for n in LENGTHS]


@recipe
def dropout_and_frozen_batch_norm():
    model = nn.ModuleDict({"one": nn.Linear(4, 6), "norm": nn.BatchNorm1d(6), "two": nn.Linear(6, 3)})
    model["norm"].eval()
    model["norm"].running_mean.copy_(weft.randn(6))

    def loss_of(x):
        h = F.dropout(F.gelu(model["norm"](model["one"](x))), 0.3)
        return (F.dropout(model["two"](h), 0.2) ** 2).mean()
    return model, loss_of, [weft.randn(n, 4) for n in LENGTHS]


@recipe
def bags_of_words():
    model = nn.ModuleDict({"bag": nn.EmbeddingBag(12, 6, mode="sum"), "deep": nn.Linear(6, 6), "out": nn.Linear(6, 3)})

    def loss_of(example):
        sentence, tags = example
        h = model["bag"](sentence.unsqueeze(0))
        return F.nll_loss(F.log_softmax(model["out"](F.relu(model["deep"](h))), -1), tags[:1] % 3)
    return model, loss_of, sentences(11)


@recipe
def attention_of_each_sentence():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 8), "attention": nn.MultiheadAttention(8, 2, batch_first=True),
                           "norm": nn.LayerNorm(8), "out": nn.Linear(8, 4)})

    def loss_of(example):
        sentence, tags = example
        x = model["embed"](sentence).unsqueeze(0)
        y, _ = model["attention"](x, x, x)
        return F.cross_entropy(model["out"](model["norm"](x + y)).squeeze(0), tags)
    return model, loss_of, sentences(12)


@recipe
def transformer_of_each_sentence():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 8), "out": nn.Linear(8, 4), "place": nn.Embedding(8, 8),
                           "layers": nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 2)})

    def loss_of(example):
        sentence, tags = example
        x = model["embed"](sentence) + model["place"](weft.arange(len(sentence)))
        mask = nn.Transformer.generate_square_subsequent_mask(len(sentence))
        return F.cross_entropy(model["out"](model["layers"](x.unsqueeze(0), mask=mask))[0], tags)
    return model, loss_of, sentences(13)


@recipe
def attention_by_hand():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 6), "q": nn.Linear(6, 6), "k": nn.Linear(6, 6),
                           "v": nn.Linear(6, 6), "norm": nn.LayerNorm(6), "up": nn.Linear(6, 12),
                           "down": nn.Linear(12, 6), "out": nn.Linear(6, 4)})

    def loss_of(example):
        sentence, tags = example
        x = model["embed"](sentence)
        for _ in range(2):
            weights = F.softmax(model["q"](x) @ model["k"](x).T / 6 ** 0.5, dim=-1)
            x = model["norm"](x + weights @ model["v"](x))
            x = x + model["down"](F.gelu(model["up"](x)))
        return F.nll_loss(F.log_softmax(model["out"](x), dim=1), tags)
    return model, loss_of, sentences(14)


@recipe
def weighted_losses():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 6, padding_idx=0), "out": nn.Linear(6, 4)})
    weight = weft.tensor([1.0, 2.0, 0.5, 1.5])

    def loss_of(example):
        sentence, tags = example
        scores = model["out"](model["embed"](sentence).tanh())
        tags = weft.where(sentence == 3, weft.tensor(-100), tags)
        return (F.cross_entropy(scores, tags, weight, ignore_index=-100, reduction="sum")
                + F.cross_entropy(scores, tags.clamp(min=0), label_smoothing=0.1)
                + F.binary_cross_entropy_with_logits(scores, F.one_hot(tags.clamp(min=0), 4).double()))
    return model, loss_of, sentences(15)


@recipe
def gradient_penalty():
    model = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))

    def loss_of(x):
        x = x.clone().requires_grad_()
        g, = weft.autograd.grad(model(x).sum(), x, create_graph=True)
        return ((g.norm(dim=1) - 1) ** 2).mean()
    return model, loss_of, [weft.randn(n, 4) for n in LENGTHS]


@recipe
def writes_in_place():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 6), "cell": nn.Linear(12, 6), "out": nn.Linear(6, 4)})

    def loss_of(example):
        sentence, tags = example
        x = model["embed"](sentence)
        kept = weft.zeros(len(sentence), 6)
        h = weft.zeros(6)
        for t in range(len(sentence)):
            h = model["cell"](weft.cat([x[t], h])).tanh_()
            kept[t] = h
        kept += x
        kept.mul_(0.5)
        return F.cross_entropy(model["out"](kept), tags)
    return model, loss_of, sentences(16)


@recipe
def one_row_norms_and_masks():
    model = nn.ModuleDict({"embed": nn.Embedding(12, 6), "gate": nn.Linear(6, 1), "mix": nn.Linear(6, 12),
                           "norm": nn.RMSNorm(6), "out": nn.Linear(6, 4)})

    def loss_of(example):
        sentence, tags = example
        x = model["norm"](model["embed"](sentence)) * model["gate"](model["embed"](sentence)).sigmoid()
        a, b = F.glu(model["mix"](x), -1), model["mix"](x).view(-1, 2, 6).amax(1)
        pooled = weft.cat([a, b]).masked_fill(weft.cat([tags, tags]).unsqueeze(1) == 2, 0.0).sum(0) / len(tags)
        scores = model["out"](a + pooled)
        return (F.log_softmax(scores, -1).gather(1, tags.unsqueeze(1)).squeeze(1) * -1).mean() + scores.logsumexp(1).sum()
    return model, loss_of, sentences(17)


def train(make, inside, steps=3, dtype=weft.float64):
    """Losses, gradients of the last step and parameters."""
    weft.set_default_dtype(dtype)
    try:
        weft.manual_seed(1)
        model, loss_of, examples = make()
        optimizer, losses = weft.optim.Adam(model.parameters(), lr=0.01), []
        for step in range(steps):
            optimizer.zero_grad()
            batch = examples[step % 2:]
            if inside:
                with autobatch(always=inside == "always"):
                    found = [loss_of(e) for e in batch]
                    weft.stack([one.reshape(()) for one in found]).sum().backward()
            else:
                found = [loss_of(e) for e in batch]
                weft.stack([one.reshape(()) for one in found]).sum().backward()
            optimizer.step()
            losses += [one.item() for one in found]
        return (np.array(losses), [p.grad if p.grad is None else p.grad.numpy() for p in model.parameters()],
                [p.detach().numpy() for p in model.parameters()])
    finally:
        weft.set_default_dtype(weft.float32)


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.parametrize("how", ["always", "tried"])
def test_recipe(name, how):
    plain, batched = train(RECIPES[name], None), train(RECIPES[name], how)
    np.testing.assert_allclose(batched[0], plain[0], rtol=1e-6)
    for mine, theirs in zip([*plain[1], *plain[2]], [*batched[1], *batched[2]], strict=True):
        assert (mine is None) == (theirs is None)
        if mine is not None:
            np.testing.assert_allclose(theirs, mine, rtol=1e-6, atol=1e-9)
