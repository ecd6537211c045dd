"""CartPole: balance a pole on a cart by pushing it left or right; for dqn.py and policy_gradient.py.

gymnasium's CartPole-v1 where it is installed, else the same equations here (Barto, Sutton and Anderson 1983): a reward
of 1 for each step, until the pole leans more than 12 degrees, the cart has left the track, or 500 steps are done. It is
solved if 100 episodes in a row last 475 steps in the mean.
"""
import math
import random

STEPS, SOLVED = 500, 475


class CartPole:
    """reset(seed=None) -> (state, {}); step(action) -> (state, reward, fell, out of time, {}), as in gymnasium.

    A state is [position, speed, angle, angular speed].
    """

    GRAVITY, CART, POLE, HALF_LENGTH, FORCE, TIME = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
    WIDEST, STEEPEST = 2.4, 12 * math.pi / 180

    def reset(self, seed=None):
        if seed is not None:
            self.random = random.Random(seed)
        self.state, self.steps = [self.random.uniform(-0.05, 0.05) for _ in range(4)], 0
        return self.state, {}

    def step(self, action):
        x, speed, angle, turning = self.state
        force, cos, sin = self.FORCE if action == 1 else -self.FORCE, math.cos(angle), math.sin(angle)
        mass = self.CART + self.POLE
        push = (force + self.POLE * self.HALF_LENGTH * turning ** 2 * sin) / mass
        turn_faster = (self.GRAVITY * sin - cos * push) / (self.HALF_LENGTH * (4 / 3 - self.POLE * cos ** 2 / mass))
        faster = push - self.POLE * self.HALF_LENGTH * turn_faster * cos / mass
        self.state = [x + self.TIME * speed, speed + self.TIME * faster,
                      angle + self.TIME * turning, turning + self.TIME * turn_faster]
        self.steps += 1
        fell = abs(self.state[0]) > self.WIDEST or abs(self.state[2]) > self.STEEPEST
        return self.state, 1.0, fell, self.steps >= STEPS, {}


def make(seed):
    """An environment that has been reset with the seed."""
    try:
        import gymnasium
        world = gymnasium.make("CartPole-v1")
    except ImportError:
        world = CartPole()
    world.reset(seed=seed)
    return world


def episodes(world, act, count):
    """The mean number of steps of so many episodes, where act(state) chooses."""
    total = 0
    for _ in range(count):
        state, ended = world.reset()[0], False
        while not ended:
            state, _, fell, out_of_time, _ = world.step(act(state))
            ended = fell or out_of_time
            total += 1
    return total / count
