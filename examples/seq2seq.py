"""A sequence-to-sequence network with attention (Bahdanau et al. 2014) rewrites dates.

    python examples/seq2seq.py [--quick] [--seed N]

Shows: an encoder that reads `Tuesday, 3 March 1987`, and a decoder that writes `1987-03-03` letter by letter, looking
back at the letters that matter. At the end it prints where it looked.
Data:  dates, made here
Time:  23 s
Score: dates right at least 98 %, seen 99.6; --quick 40, seen 91.8
"""
import datetime
import random

from common import Progress, run

import weft as torch
from weft import nn

STYLES = ["%A, %d %B %Y", "%B %d, %Y", "%d %b %Y", "%d/%m/%Y", "%b %d %Y", "%A %d.%m.%Y"]
LETTERS = "_ ,-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"      # _ fills up, and starts an answer
NUMBER = {letter: k for k, letter in enumerate(LETTERS)}


def encode(texts, length):
    """(N, length) numbers, filled up with 0."""
    return torch.tensor([[NUMBER[letter] for letter in text.ljust(length, "_")] for text in texts])


def decode(numbers):
    return "".join(LETTERS[k] for k in numbers)


def make_dates(count):
    """Questions (count, 28) and answers (count, 10)."""
    days = [datetime.date(1900, 1, 1) + datetime.timedelta(days=random.randrange(73000)) for _ in range(count)]
    return (encode([day.strftime(random.choice(STYLES)) for day in days], 28),
            encode([day.isoformat() for day in days], 10))


class Attention(nn.Module):
    """Which of the encoder's states matter to the decoder's state: v . tanh(W state + U encoded)."""

    def __init__(self, hidden):
        super().__init__()
        self.of_state, self.of_encoded = nn.Linear(hidden, hidden), nn.Linear(2 * hidden, hidden)
        self.score = nn.Linear(hidden, 1)

    def forward(self, state, encoded, filled):
        """state (N, H), encoded (N, S, 2H), filled (N, S) -> what was seen (N, 2H), the weights (N, S)."""
        scores = self.score((self.of_state(state).unsqueeze(1) + self.of_encoded(encoded)).tanh()).squeeze(2)
        weights = scores.masked_fill(filled, float("-inf")).softmax(1)
        return (weights.unsqueeze(1) @ encoded).squeeze(1), weights


class Seq2Seq(nn.Module):
    def __init__(self, hidden=64, size=32):
        super().__init__()
        self.embedding = nn.Embedding(len(LETTERS), size)
        self.encoder = nn.GRU(size, hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * hidden, hidden)
        self.attention = Attention(hidden)
        self.decoder = nn.GRUCell(size + 2 * hidden, hidden)
        self.out = nn.Linear(3 * hidden, len(LETTERS))

    def forward(self, questions, answers=None, length=10):
        """questions (N, S) -> logits (N, length, letters), weights (N, length, S).

        With answers (N, length) each letter is guessed from the true ones before it, else from the guesses.
        """
        encoded, last = self.encoder(self.embedding(questions))         # (N, S, 2H), (2, N, H)
        state = self.bridge(torch.cat([last[0], last[1]], 1)).tanh()    # (N, H)
        filled, letter = questions == 0, torch.zeros_like(questions[:, 0])
        all_logits, all_weights = [], []
        for t in range(length):
            seen, weights = self.attention(state, encoded, filled)
            state = self.decoder(torch.cat([self.embedding(letter), seen], 1), state)
            logits = self.out(torch.cat([state, seen], 1))
            letter = logits.argmax(1) if answers is None else answers[:, t]
            all_logits.append(logits)
            all_weights.append(weights)
        return torch.stack(all_logits, 1), torch.stack(all_weights, 1)


def show_attention(net, question):
    """For each letter of the answer the letters that it looked at most."""
    logits, weights = net(question.unsqueeze(0))
    text = decode(question.tolist()).rstrip("_")
    print(f"\n{text!r} -> {decode(logits[0].argmax(1).tolist())!r}")
    for letter, row in zip(decode(logits[0].argmax(1).tolist()), weights[0]):
        print(f"  {letter}  " + "".join(" .:+#"[min(4, int(5 * weight))] for weight in row[:len(text)].tolist()))


def main(given):
    net = Seq2Seq(hidden=32 if given.quick else 64)
    steps, size = (180, 32) if given.quick else (700, 64)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1e-2, total_steps=steps)
    with Progress(range(steps), "training", unit="step") as bar:
        for _ in bar:
            questions, answers = make_dates(size)
            logits, _ = net(questions, answers)
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), answers.flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            bar.show(loss=loss.item())
    with torch.no_grad():
        questions, answers = make_dates(500)
        guesses = net(questions)[0].argmax(2)                           # (500, 10)
        show_attention(net, questions[0])
        return 100 * (guesses == answers).all(1).float().mean()


if __name__ == "__main__":
    run(main, __doc__)
