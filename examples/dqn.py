"""DQN (Mnih et al. 2013): a network learns the worth of each action, and balances a pole.

    python examples/dqn.py [--quick] [--seed N]

Shows: Q-learning with a memory of what happened, a second, slow network for the goals, and ever fewer random actions;
double Q-learning, in which one network chooses the next action and the other says what it is worth. Solved is a mean of
475 of 500 steps over 100 episodes.
Data:  CartPole
Time:  10 s
Score: steps of 500 at least 475, seen 500; --quick 60, seen 191.8
"""
import collections
import random

import cartpole
from common import Progress, run

import weft as torch
from weft import nn


def q_network(hidden=64):
    """States (N, 4) -> the worth of both actions (N, 2)."""
    return nn.Sequential(nn.Linear(4, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2))


def learn(net, slow, optimizer, memory, size=64, discount=0.99):
    """One step on remembered moments (state, action, reward, next state, fell)."""
    states, actions, rewards, afterwards, falls = zip(*random.sample(memory, size))
    worth = net(torch.tensor(states)).gather(1, torch.tensor(actions).unsqueeze(1)).squeeze(1)      # (N,)
    with torch.no_grad():
        afterwards = torch.tensor(afterwards)
        best = net(afterwards).argmax(1, keepdim=True)                  # the net chooses, the slow one judges
        later = slow(afterwards).gather(1, best).squeeze(1)
        goals = torch.tensor(rewards) + discount * later * (1 - torch.tensor(falls))
    loss = nn.functional.smooth_l1_loss(worth, goals)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 10.0)
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(slow.parameters(), net.parameters()):       # a hundredth nearer with each step
            old.lerp_(new, 0.01)


def main(given):
    world, test_world = cartpole.make(given.seed), cartpole.make(given.seed + 1)
    net, slow = q_network(), q_network()
    slow.load_state_dict(net.state_dict())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    memory = collections.deque(maxlen=20_000)

    @torch.no_grad()
    def act(state):
        return net(torch.tensor(state, dtype=torch.float32)).argmax().item()

    steps, length, best, kept = 3000 if given.quick else 25_000, 0, 0.0, net.state_dict()
    state = world.reset()[0]
    with Progress(range(steps), "training", unit="step") as bar:
        for step in bar:
            chance = max(0.02, 1 - step / (0.2 * steps))                # of a random action
            action = random.randrange(2) if random.random() < chance else act(state)
            after, reward, fell, out_of_time, _ = world.step(action)
            # out of time is no fall: what would have come is worth as much as ever
            memory.append((tuple(map(float, state)), action, reward, tuple(map(float, after)), float(fell)))
            state, length = after, length + 1
            if fell or out_of_time:
                bar.show(length=length)
                state, length = world.reset()[0], 0
            if step >= 500:
                learn(net, slow, optimizer, memory)
            if step % 1000 == 999:                                      # it may forget again: the best one is kept
                mean = cartpole.episodes(test_world, act, 5 if given.quick else 10)
                bar.show(mean=mean)
                if mean >= best:
                    best, kept = mean, {name: value.clone() for name, value in net.state_dict().items()}
                if mean >= cartpole.STEPS:
                    break
    net.load_state_dict(kept)
    return cartpole.episodes(test_world, act, 10 if given.quick else 100)


if __name__ == "__main__":
    run(main, __doc__)
