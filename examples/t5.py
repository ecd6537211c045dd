"""T5 (Raffel et al. 2019): every task is text in, text out, and one network does them all.

    python examples/t5.py [--quick] [--seed N]

Shows: tasks named by a prefix (`reverse: loom`, `sort: loom`, `plural: loom`, `count o: loom`), positions as a learnt
bias by distance in the attention, shared by all layers, RMS norms, and writing one letter at a time.
Data:  questions, made here
Time:  15 s
Score: answers right at least 88 %, seen 94; --quick 15, seen 31.8
"""
import random

from common import Progress, run

import weft as torch
from weft import nn

F = nn.functional
LETTERS = "_^: abcdefghijklmnopqrstuvwxyz0123456789"         # _ fills up and ends an answer, ^ starts it
NUMBER = {letter: k for k, letter in enumerate(LETTERS)}
QUESTION, ANSWER = 20, 10


def make_word():
    return "".join(random.choice("bdfgklmnprstw") + random.choice("aeiou") for _ in range(random.randint(2, 3)))


def make_pair():
    """A question and its answer."""
    word, task = make_word(), random.choice(["reverse", "sort", "plural", "count"])
    if task == "count":
        letter = random.choice(word)
        return f"count {letter}: {word}", str(word.count(letter))
    answers = {"reverse": word[::-1], "sort": "".join(sorted(word)), "plural": word + "s"}
    return f"{task}: {word}", answers[task]


def encode(texts, length):
    return torch.tensor([[NUMBER[letter] for letter in text.ljust(length, "_")] for text in texts])


class Bias(nn.Module):
    """What a distance between two places adds to the attention's scores: (heads, T, S)."""

    def __init__(self, heads, furthest=24):
        super().__init__()
        self.furthest, self.table = furthest, nn.Embedding(2 * furthest + 1, heads)

    def forward(self, t, s):
        distance = torch.arange(s) - torch.arange(t).unsqueeze(1)
        return self.table(distance.clamp(-self.furthest, self.furthest) + self.furthest).permute(2, 0, 1)


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = [nn.Linear(size, size, bias=False) for _ in range(4)]

    def forward(self, x, memory, bias):
        """x (N, T, size) looks at memory (N, S, size); bias (N or 1, heads or 1, T, S)."""
        q, k, v = [layer(states).unflatten(2, (self.heads, -1)).transpose(1, 2)             # (N, heads, T or S, D)
                   for layer, states in ((self.q, x), (self.k, memory), (self.v, memory))]
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return self.out(seen.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Self-attention, in the decoder attention to the question, and two linear layers; each beside a shortcut."""

    def __init__(self, size, heads, decodes):
        super().__init__()
        self.norm1, self.look = nn.RMSNorm(size), Attention(size, heads)
        self.norm2, self.look_back = (nn.RMSNorm(size), Attention(size, heads)) if decodes else (None, None)
        self.norm3 = nn.RMSNorm(size)
        self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.ReLU(), nn.Linear(4 * size, size))

    def forward(self, x, bias, memory=None, filled=None):
        normed = self.norm1(x)
        x = x + self.look(normed, normed, bias)
        if self.look_back is not None:
            x = x + self.look_back(self.norm2(x), memory, filled)
        return x + self.mlp(self.norm3(x))


class T5(nn.Module):
    def __init__(self, size=64, heads=4, layers=2):
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), size)
        self.encoder_bias, self.decoder_bias = Bias(heads), Bias(heads)
        self.encoder = nn.ModuleList(Layer(size, heads, False) for _ in range(layers))
        self.decoder = nn.ModuleList(Layer(size, heads, True) for _ in range(layers))
        self.norm, self.last_norm, self.out = nn.RMSNorm(size), nn.RMSNorm(size), nn.Linear(size, len(LETTERS))

    def forward(self, question, before):
        """question (N, S), before (N, T): the answer up to each place -> logits of what follows (N, T, letters)."""
        never = torch.tensor(-1e9)
        filled = torch.where(question == 0, never, 0.0)[:, None, None]                      # (N, 1, 1, S)
        ahead = torch.full((before.shape[1],) * 2, -1e9).triu(1)                            # (T, T)
        memory, bias = self.letters(question), self.encoder_bias(*[question.shape[1]] * 2) + filled
        for layer in self.encoder:
            memory = layer(memory, bias)
        memory, states = self.norm(memory), self.letters(before)
        bias = (self.decoder_bias(*[before.shape[1]] * 2) + ahead).unsqueeze(0)
        for layer in self.decoder:
            states = layer(states, bias, memory, filled)
        return self.out(self.last_norm(states))

    @torch.no_grad()
    def answer(self, question):
        written = torch.full((len(question), 1), NUMBER["^"])
        for _ in range(ANSWER):
            written = torch.cat([written, self(question, written)[:, -1:].argmax(2)], 1)
        return ["".join(LETTERS[k] for k in row).split("_")[0] for row in written[:, 1:].tolist()]


def main(given):
    net = T5(size=32) if given.quick else T5()
    steps = 150 if given.quick else 400
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps)
    with Progress(range(steps), "training", unit="step") as bar:
        for _ in bar:
            questions, answers = zip(*[make_pair() for _ in range(64)])
            wanted, before = encode(answers, ANSWER), encode(["^" + answer for answer in answers], ANSWER)
            loss = F.cross_entropy(net(encode(questions, QUESTION), before).flatten(0, 1), wanted.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            bar.show(loss=loss.item())
    questions, answers = zip(*[make_pair() for _ in range(400)])
    given_answers = net.answer(encode(questions, QUESTION))
    for question, answer in list(zip(questions, given_answers))[:6]:
        print(f"  {question:18s} -> {answer}")
    return 100 * sum(a == b for a, b in zip(given_answers, answers)) / len(answers)


if __name__ == "__main__":
    run(main, __doc__)
