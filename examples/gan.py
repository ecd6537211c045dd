"""A GAN (Goodfellow et al. 2014; Radford et al. 2015): a forger learns digits from a judge who has seen real ones.

    python examples/gan.py [--quick] [--seed N] [--data FOLDER] [--out FOLDER]

Shows: two networks and two optimizers in turn, `detach()` so that the judge's step leaves the forger alone, transposed
convolutions. A network that reads digits (cnn.py's) looks at 1,000 forgeries: the Inception score exp(E KL) is 10 if it
is sure of each of them and all ten digits are there equally often, 1 if it sees no difference. --out draws forgeries.
Data:  MNIST (12,000 pictures)
Time:  40 s
Score: Inception score at least 4, seen 5.2; --quick 1.15, seen 1.36
"""
from cnn import CNN
from common import Progress, digits, picture_path, run
from mlp import train

import weft as torch
from weft import nn
from weft.vision.utils import save_image

F = nn.functional
CODE = 32


def forger(width=24):
    """(N, CODE) -> (N, 1, 28, 28), from -1 to 1."""
    return nn.Sequential(
        nn.Linear(CODE, 2 * width * 7 * 7), nn.Unflatten(1, (2 * width, 7, 7)), nn.BatchNorm2d(2 * width), nn.ReLU(),
        nn.ConvTranspose2d(2 * width, width, 4, stride=2, padding=1), nn.BatchNorm2d(width), nn.ReLU(),   # 14 x 14
        nn.ConvTranspose2d(width, 1, 4, stride=2, padding=1), nn.Tanh())                                  # 28 x 28


def judge(width=24):
    """(N, 1, 28, 28) -> (N, 1): the logit that it is real."""
    return nn.Sequential(
        nn.Conv2d(1, width, 4, stride=2, padding=1), nn.LeakyReLU(0.2),                                   # 14 x 14
        nn.Conv2d(width, 2 * width, 4, stride=2, padding=1), nn.BatchNorm2d(2 * width), nn.LeakyReLU(0.2),  # 7 x 7
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(2 * width * 7 * 7, 1))


def step(forge, judging, optimizers, real):
    """One step of each; their losses."""
    of_forger, of_judge = optimizers
    ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
    fake = forge(torch.randn(len(real), CODE))

    # the judge: real ones are 0.9 real (a little doubt keeps its gradient alive), forged ones are not
    judge_loss = (F.binary_cross_entropy_with_logits(judging(real), 0.9 * ones)
                  + F.binary_cross_entropy_with_logits(judging(fake.detach()), zeros))
    of_judge.zero_grad()
    judge_loss.backward()
    of_judge.step()

    # the forger: the judge should take its work for real
    forger_loss = F.binary_cross_entropy_with_logits(judging(fake), ones)
    of_forger.zero_grad()
    forger_loss.backward()
    of_forger.step()
    return forger_loss.item(), judge_loss.item()


@torch.no_grad()
def inception_score(reader, pictures):
    """exp of the mean divergence between what is read in a picture and what is read in all of them."""
    reader.eval()
    chances = reader(pictures).softmax(1)                           # (N, 10)
    overall = chances.mean(0)
    print("  read as 0 to 9: " + " ".join(f"{100 * share:.0f}%" for share in overall.tolist()))
    return (chances * (chances.clamp(min=1e-12).log() - overall.clamp(min=1e-12).log())).sum(1).mean().exp()


def main(given):
    pictures, labels = digits(given.data, count=3000 if given.quick else None)
    reader = CNN()
    train(reader, pictures, labels, epochs=1 if given.quick else 2, lr=5e-3)
    forge, judging = forger(), judge()
    optimizers = [torch.optim.Adam(net.parameters(), lr=lr, betas=(0.5, 0.999))
                  for net, lr in ((forge, 2e-3), (judging, 5e-4))]
    epochs = 1 if given.quick else 5
    for epoch in range(1, epochs + 1):
        batches = (2 * pictures[torch.randperm(len(pictures))] - 1).split(64)
        with Progress(batches, f"epoch {epoch}/{epochs}", unit="batch") as bar:
            for real in bar:
                forger_loss, judge_loss = step(forge, judging, optimizers, real)
                bar.show(forger=forger_loss, judge=judge_loss)
    forge.eval()
    with torch.no_grad():
        forged = (forge(torch.randn(1000, CODE)) + 1) / 2
    if given.out:
        save_image(forged[:60], picture_path(given, "gan.png"), nrow=12)
    return inception_score(reader, forged)


if __name__ == "__main__":
    run(main, __doc__)
