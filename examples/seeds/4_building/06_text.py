"""6.2: sentences, a vocabulary, batches of like length, and an RNN that says which kind a sentence is."""
import os
import random
import tempfile

import torch
import torch.nn as nn
import torch.optim as optim
import torchtext.data

torch.manual_seed(0)
random.seed(0)


class RNN(nn.Module):
    # wrong in the article: the RNN of 4.3 takes vectors; words are numbers until an Embedding makes vectors of them
    def __init__(self, words, classes, width=16):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.rnn = nn.RNN(width, width)
        self.fc = nn.Linear(width, classes)

    def forward(self, text):                # (time, batch)
        out, hidden = self.rnn(self.embed(text))
        return self.fc(out.max(0).values)


def write_sentences(path, count):
    """A table of made sentences: what is praised and what is blamed."""
    praise, blame, things = "good great lovely".split(), "bad poor dull".split(), "film book song play".split()
    with open(path, "w") as file:
        for _ in range(count):
            label, words = random.choice((("praise", praise), ("blame", blame)))
            filler = ["really"] * random.randrange(4)
            file.write(" ".join(["The", random.choice(things), "is", *filler, random.choice(words)]) + f"\t{label}\n")


# wrong in the article: tokenize='spacy' needs spaCy and a model of it; 'basic_english' needs nothing
TEXT = torchtext.data.Field(tokenize=torchtext.data.get_tokenizer("basic_english"), lower=True)
# wrong in the article: a LabelField is built of words (here: praise, blame) and gives int64 by itself
LABEL = torchtext.data.LabelField()
with tempfile.TemporaryDirectory() as folder:
    write_sentences(os.path.join(folder, "train.tsv"), 200)
    # wrong in the article: torchtext.datasets.TextClassification never took fields; a table of one's own does
    data = torchtext.data.TabularDataset(os.path.join(folder, "train.tsv"), format="tsv",
                                         fields=[("text", TEXT), ("label", LABEL)])
# wrong in the article: torchtext.data.utils.random_split never existed; a dataset splits itself
train_data, test_data = data.split(0.8, random_state=random.getstate())
TEXT.build_vocab(train_data, max_size=10000)
LABEL.build_vocab(train_data)
print(len(TEXT.vocab), "words, such as", TEXT.vocab.itos[:5], "and", sorted(LABEL.vocab.itos))

model = RNN(len(TEXT.vocab), len(LABEL.vocab))
optimizer = optim.Adam(model.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()

# wrong in the article: the whole dataset was given to the model; an iterator makes batches of tensors
train_iterator, test_iterator = torchtext.data.BucketIterator.splits(
    (train_data, test_data), batch_size=16, sort_key=lambda example: len(example.text))
for i in range(5):
    for batch in train_iterator:
        optimizer.zero_grad()
        y_pred = model(batch.text)
        loss = criterion(y_pred, batch.label)
        loss.backward()
        optimizer.step()

right = sum((model(batch.text).argmax(1) == batch.label).sum().item() for batch in test_iterator)
print(f"{right} of {len(test_data)} right")
