"""BERT (Devlin et al. 2018): an encoder learns a language by guessing masked words.

    python examples/bert.py [--quick] [--seed N]

Shows: masked-language training (15 % of the words are guessed; of these 80 % are masked, 10 % exchanged, 10 % left),
and that it teaches grammar: in `the keys near the old tree [MASK] rusty` the verb must agree with a word far away, and
not with the nearer one. Nobody told the network what a subject is.
Data:  sentences, made here
Time:  20 s
Score: verbs that agree at least 96 %, seen 99.9; --quick 30, seen 47.7
"""
import random

from common import Progress, run

import weft as torch
from weft import nn

NOUNS = "key dog book star boat poet tree king bird song letter window".split()
PLACES = "near behind above beside under".split()
VERBS = {"is": "are", "was": "were", "looks": "look", "seems": "seem"}
QUALITIES = "old rusty bright small quiet strange red tall".split()
MASK, FILL = "[MASK]", "[FILL]"


def noun_phrase(plural):
    """`the old keys`."""
    quality = [random.choice(QUALITIES)] if random.random() < 0.4 else []
    return ["the", *quality, random.choice(NOUNS) + ("s" if plural else "")]


def make_sentence():
    """The words, the place of the verb, and whether the subject is plural."""
    plural = random.random() < 0.5
    words = noun_phrase(plural)
    for _ in range(random.choice([0, 1, 1, 2])):                # `near the tall trees`: these must not mislead
        words += [random.choice(PLACES), *noun_phrase(random.random() < 0.5)]
    verb = random.choice(list(VERBS))
    return [*words, VERBS[verb] if plural else verb, random.choice(QUALITIES)], len(words), plural


WORDS = [FILL, MASK, "the", *NOUNS, *[noun + "s" for noun in NOUNS], *PLACES, *QUALITIES, *VERBS, *VERBS.values()]
NUMBER = {word: k for k, word in enumerate(WORDS)}
LONGEST = 16


def encode(sentences):
    return torch.tensor([[NUMBER[word] for word in words + [FILL] * (LONGEST - len(words))] for words in sentences])


def mask(tokens):
    """What the network sees (N, T), and which words it is to guess (N, T)."""
    chosen = (torch.rand(tokens.shape) < 0.15) & (tokens != NUMBER[FILL])
    fate = torch.rand(tokens.shape)
    seen = tokens.masked_fill(chosen & (fate < 0.8), NUMBER[MASK])
    exchanged = chosen & (fate >= 0.8) & (fate < 0.9)
    return torch.where(exchanged, torch.randint(2, len(WORDS), tokens.shape), seen), chosen


class BERT(nn.Module):
    """(N, T) words -> (N, T, words) logits."""

    def __init__(self, size=64, heads=4, layers=2):
        super().__init__()
        self.words, self.places = nn.Embedding(len(WORDS), size), nn.Embedding(LONGEST, size)
        layer = nn.TransformerEncoderLayer(size, heads, 4 * size, dropout=0.1, activation="gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.out = nn.Linear(size, len(WORDS))

    def forward(self, tokens):
        states = self.words(tokens) + self.places.weight[:tokens.shape[1]]
        return self.out(self.encoder(states, src_key_padding_mask=tokens == NUMBER[FILL]))


@torch.no_grad()
def agreement(net, count):
    """Of a hundred masked verbs, how many are guessed in the number of the subject."""
    net.eval()
    sentences = [make_sentence() for _ in range(count)]
    tokens, rows = encode([words for words, _, _ in sentences]), torch.arange(count)
    places = torch.tensor([place for _, place, _ in sentences])
    tokens[rows, places] = NUMBER[MASK]
    guesses = [WORDS[k] for k in net(tokens)[rows, places].argmax(1).tolist()]
    for (words, place, _), guess in list(zip(sentences, guesses))[:3]:
        print("  " + " ".join([*words[:place], f"[{guess}]", *words[place + 1:]]))
    right = [guess in (VERBS.values() if plural else VERBS) for guess, (_, _, plural) in zip(guesses, sentences)]
    return 100 * sum(right) / count


def main(given):
    net = BERT(size=32, layers=1) if given.quick else BERT()
    steps, size, rate = (400, 32, 1e-2) if given.quick else (1000, 64, 3e-3)
    optimizer = torch.optim.AdamW(net.parameters(), lr=rate)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps)
    with Progress(range(steps), "training", unit="step") as bar:
        for _ in bar:
            tokens = encode([make_sentence()[0] for _ in range(size)])
            seen, chosen = mask(tokens)
            loss = nn.functional.cross_entropy(net(seen)[chosen], tokens[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            scheduler.step()
            bar.show(loss=loss.item())
    return agreement(net, 300 if given.quick else 1000)


if __name__ == "__main__":
    run(main, __doc__)
