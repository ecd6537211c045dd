"""Policy gradient (REINFORCE, Williams 1992, with a critic): a network learns which actions lead to long balance.

    python examples/policy_gradient.py [--quick] [--seed N]

Shows: a distribution over actions, actions drawn from it, and a loss that makes those likelier which came out better
than the critic had expected. The graph of an episode is as long as the episode. Solved is a mean of 475 of 500 steps
over 100 episodes.
Data:  CartPole
Time:  5 s
Score: steps of 500 at least 475, seen 499.2; --quick 60, seen 373.2
"""
import cartpole
from common import Progress, run

import weft as torch
from weft import nn
from weft.distributions import Categorical


class ActorCritic(nn.Module):
    """States (N, 4) -> logits of the actions (N, 2), and what reward is expected from here on (N,)."""

    def __init__(self, hidden=64):
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 2))
        self.critic = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 1))

    def forward(self, states):
        return self.actor(states), self.critic(states).squeeze(-1)


def play(net, world):
    """One episode: the states (T, 4), actions (T,), rewards [T], and whether the pole fell."""
    states, actions, rewards = [], [], []
    state, fell, out_of_time = world.reset()[0], False, False
    while not (fell or out_of_time):
        states.append(torch.tensor(state, dtype=torch.float32))
        with torch.no_grad():
            action = Categorical(logits=net.actor(states[-1])).sample()
        state, reward, fell, out_of_time, _ = world.step(action.item())
        actions.append(action)
        rewards.append(reward)
    return torch.stack(states), torch.stack(actions), rewards, fell


def returns_of(rewards, discount=0.99, after=0.0):
    """What came after each step, later rewards counting less (T,)."""
    returns, total = [], after
    for reward in reversed(rewards):
        total = reward + discount * total
        returns.append(total)
    return torch.tensor(returns[::-1])


def learn(net, optimizer, states, actions, rewards, fell):
    logits, expected = net(states)
    # an episode that ran out of time would have gone on: the critic says how
    returns = returns_of(rewards, after=0.0 if fell else 100 * expected[-1].item())
    better = returns / 100 - expected.detach()                  # than the critic thought, in hundreds of steps
    policy = Categorical(logits=logits)
    better = (better - better.mean()) / (better.std() + 1e-6)
    loss = (-policy.log_prob(actions) * better).mean() - 0.01 * policy.entropy().mean()
    loss = loss + nn.functional.mse_loss(expected, returns / 100)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()


def main(given):
    world, test_world = cartpole.make(given.seed), cartpole.make(given.seed + 1)
    net = ActorCritic()
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)

    @torch.no_grad()
    def act(state):
        return net.actor(torch.tensor(state, dtype=torch.float32)).argmax().item()

    mean_length = 0.0
    with Progress(range(100 if given.quick else 600), "training", unit="episode") as bar:
        for episode in bar:
            states, actions, rewards, fell = play(net, world)
            learn(net, optimizer, states, actions, rewards, fell)
            mean_length += 0.05 * (len(rewards) - mean_length)
            bar.show(length=len(rewards), mean=mean_length)
            if mean_length > 450 and episode % 10 == 0 and cartpole.episodes(test_world, act, 10) == cartpole.STEPS:
                break
    return cartpole.episodes(test_world, act, 10 if given.quick else 100)


if __name__ == "__main__":
    run(main, __doc__)
