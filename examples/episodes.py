"""A policy with a memory that learns from episodes of different length, written for one episode at a time.

    python examples/episodes.py [--quick] [--seed N] [--rounds 120] [--episodes 64] [--off]

The T-maze: a sign at the entrance says left or right; then comes a corridor of unknown length, and at its end the
walker must turn as the sign said. It sees the sign only once, so it has to remember. It learns by REINFORCE: walk, then
make the steps of good episodes likelier. Episodes end when they end, so no two graphs are alike; `weft.autobatch()`
runs the steps of all of them together, and `--off` the same program without.

Shows: a memory that is learned from a reward at the end, in loops that end when the maze says so.
Data:  walks in a maze, made here
Time:  5 s
Score: right turns at least 95 %, seen 100; --quick 40, seen 51.2
"""
import contextlib
import random
import time

from common import Progress, run

import weft as torch
from weft import nn

FORWARD, LEFT, RIGHT = range(3)


class Maze:
    """One walk: `see()` gives (left sign, right sign, corridor, junction), `go(action)` a reward."""

    def __init__(self, rng):
        self.length, self.sign = rng.randint(2, 9), rng.choice((LEFT, RIGHT))
        self.at, self.steps, self.done = 0, 0, False

    def see(self):
        first = self.at == 0
        return (float(first and self.sign == LEFT), float(first and self.sign == RIGHT),
                float(0 < self.at < self.length), float(self.at == self.length))

    def go(self, action):
        self.steps += 1
        if self.at == self.length and action != FORWARD:
            self.done = True
            return 1.0 if action == self.sign else -1.0
        if self.at < self.length and action == FORWARD:
            self.at += 1
            return 0.0
        self.done = self.steps > 3 * self.length
        return -0.1         # a wall


class Policy(nn.Module):
    """What was seen goes into a memory, and the memory says what is likely to be done."""

    def __init__(self, hidden=24):
        super().__init__()
        self.memory, self.choice, self.start = nn.GRUCell(4, hidden), nn.Linear(hidden, 3), torch.zeros(1, hidden)

    def forward(self, seen, state):
        """(log-probabilities of the actions (1, 3), the next state)."""
        state = self.memory(seen, state)
        return self.choice(state).log_softmax(1), state


def walk(policy, rng):
    """One episode: (what was seen and done at each step, reward)."""
    maze, state, steps, total = Maze(rng), policy.start, [], 0.0
    with torch.no_grad():
        while not maze.done:
            seen = torch.tensor([maze.see()])
            scores, state = policy(seen, state)
            action = rng.choices(range(3), scores.exp()[0].tolist())[0]
            steps.append((seen, action))
            total += maze.go(action)
    return steps, total


def loss_of(policy, steps, advantage):
    """Less, the likelier the steps of an episode that was better than others; and a little for keeping an open mind."""
    state, loss = policy.start, 0.0
    for seen, action in steps:
        scores, state = policy(seen, state)
        loss = loss - advantage * scores[0, action] + 0.01 * (scores * scores.exp()).sum()
    return loss


def learn(policy, opt, rng, episodes, off):
    """Walk some episodes, then one step; (share of the walks that were right, region)."""
    walks = [walk(policy, rng) for _ in range(episodes)]
    usual = sum(reward for _, reward in walks) / episodes
    region = contextlib.nullcontext() if off else torch.autobatch()
    opt.zero_grad()
    with region:
        loss = sum(loss_of(policy, steps, torch.tensor(reward - usual)) for steps, reward in walks) / episodes
        loss.backward()
    nn.utils.clip_grad_norm_(policy.parameters(), 1.0)
    opt.step()
    return sum(reward > 0.5 for _, reward in walks) / episodes, region


def main(given):
    rng, policy = random.Random(given.seed), Policy()
    opt = torch.optim.Adam(policy.parameters(), lr=0.01)
    rounds, start, shares = 30 if given.quick else given.rounds, time.perf_counter(), []
    with Progress(range(rounds), "rounds") as bar:
        for _ in bar:
            share, region = learn(policy, opt, rng, given.episodes, given.off)
            shares.append(share)
            bar.show(right=share)
    seconds = time.perf_counter() - start
    last = shares[-10:]
    print(f"{rounds} rounds of {given.episodes} episodes, {rounds * given.episodes / seconds:.0f} episodes/s: "
          f"{100 * shares[0]:.0f} % right at first, {100 * sum(last) / len(last):.0f} % at the end")
    if not given.off:
        print(region.report())
    return 100 * sum(last) / len(last)


if __name__ == "__main__":
    run(main, __doc__, rounds=120, episodes=64, off=False)
