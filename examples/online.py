"""Online learning: a network that learns from each example as it comes keeps up with a world that changes.

    python examples/online.py [--quick] [--seed N] [--data FOLDER]

Shows: a stream of digits, each guessed first and learnt from afterwards (prequential accuracy). Four times without a
word the meaning of the labels changes. A watch on the errors (Page and Hinkley) notices, and raises the rate until the
errors are rare again; a network that stopped learning after the first part is there for comparison.
Data:  MNIST (12,000 pictures)
Time:  3 s
Score: accuracy at least 74 %, seen 76.6; --quick 50, seen 58.7
"""
import copy

from common import Progress, digits, run

import weft as torch
from weft import nn


class PageHinkley:
    """Tells when the errors (0 or 1) have become more frequent than they were."""

    def __init__(self, slack=0.05, limit=12.0):
        self.slack, self.limit = slack, limit
        self.restart()

    def restart(self):
        self.count, self.mean, self.sum, self.least = 0, 0.0, 0.0, 0.0

    def sees(self, error):
        self.count += 1
        self.mean += (error - self.mean) / self.count
        self.sum += error - self.mean - self.slack
        self.least = min(self.least, self.sum)
        return self.sum - self.least > self.limit


class Learner:
    """A network that learns from one example at a time."""

    CALM, ALERT, ALERT_LENGTH = 0.02, 0.05, 300

    def __init__(self):
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=self.ALERT, momentum=0.5)
        self.watch, self.alert, self.alarms = PageHinkley(), self.ALERT_LENGTH, []

    def guess_and_learn(self, picture, label, time):
        """picture (1, 1, 28, 28), label (1,) -> whether the guess, made before, was right."""
        logits = self.net(picture)
        right = logits.argmax().item() == label.item()
        loss = nn.functional.cross_entropy(logits, label)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.alert -= 1
        if self.alert <= 0 and self.watch.sees(not right):
            self.alarms.append(time)
            self.alert = self.ALERT_LENGTH
            self.watch.restart()
        self.optimizer.param_groups[0]["lr"] = self.ALERT if self.alert > 0 else self.CALM
        return right


def main(given):
    pictures, labels = digits(given.data, count=1500 if given.quick else 10_000)
    parts = 2 if given.quick else 5
    length = len(labels) // parts
    learner, frozen, right, frozen_right = Learner(), None, [], []
    with Progress(range(parts * length), "stream", unit="digit") as bar:
        for time in bar:
            part = time // length
            # what is called 3 in the first part is called 4 in the second
            label = (labels[time:time + 1] + part) % 10
            picture = pictures[time:time + 1]
            if time == length:
                frozen = copy.deepcopy(learner.net)
            if frozen is not None:
                with torch.no_grad():
                    frozen_right.append(frozen(picture).argmax().item() == label.item())
            right.append(learner.guess_and_learn(picture, label, time))
            bar.show(last_500=sum(right[-500:]) / len(right[-500:]))
    for part in range(parts):
        of_part = right[part * length:(part + 1) * length]
        print(f"  part {part + 1}: {100 * sum(of_part) / length:.1f} % right, its second half "
              f"{100 * sum(of_part[length // 2:]) / (length - length // 2):.1f} %")
    print(f"  changes at {[k * length for k in range(1, parts)]}, noticed at {learner.alarms}; the frozen network: "
          f"{100 * sum(frozen_right) / len(frozen_right):.1f} % right")
    return 100 * sum(right) / len(right)


if __name__ == "__main__":
    run(main, __doc__)
