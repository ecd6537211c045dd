"""stable-baselines3: reinforcement learning."""
# pip install stable-baselines3
import gymnasium
import numpy as np
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC


def _learned(model, steps):
    model.learn(steps)
    return [p.detach() for p in model.policy.parameters()]


def ppo():
    """PPO on CartPole: 128 steps, saved and loaded, predictions"""
    model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, batch_size=32, n_epochs=2, seed=0, device="cpu")
    weights = _learned(model, 128)
    model.save("ppo")
    again = PPO.load("ppo", device="cpu")
    seen = np.linspace(-0.1, 0.1, 20).reshape(5, 4).astype("float32")
    return weights, model.predict(seen, deterministic=True)[0], again.predict(seen, deterministic=True)[0]


def a2c():
    """A2C on CartPole: 60 steps"""
    return _learned(A2C("MlpPolicy", "CartPole-v1", seed=0, device="cpu"), 60)


def dqn():
    """DQN on CartPole: 120 steps"""
    return _learned(DQN("MlpPolicy", "CartPole-v1", seed=0, learning_starts=40, batch_size=16, device="cpu"), 120)


def sac():
    """SAC on Pendulum: 60 steps"""
    return _learned(SAC("MlpPolicy", "Pendulum-v1", seed=0, learning_starts=40, batch_size=16, device="cpu"), 60)


def pictures():
    """PPO with `CnnPolicy` on made-up pictures: 32 steps"""
    class Pictures(gymnasium.Env):
        observation_space = gymnasium.spaces.Box(0, 255, (36, 36, 3), np.uint8)
        action_space = gymnasium.spaces.Discrete(2)

        def reset(self, seed=None, options=None):
            self.random, self.count = np.random.default_rng(seed or 0), 0
            return self.random.integers(0, 255, (36, 36, 3)).astype("uint8"), {}

        def step(self, action):
            self.count += 1
            return (self.random.integers(0, 255, (36, 36, 3)).astype("uint8"), float(action == 1), self.count > 9,
                    False, {})
    model = PPO("CnnPolicy", Pictures(), n_steps=32, batch_size=16, n_epochs=1, seed=0, device="cpu")
    model.learn(32)
    return torch.stack([p.detach().norm() for p in model.policy.parameters()])
