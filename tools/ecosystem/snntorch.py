"""snntorch: spiking networks."""
# pip install snntorch --no-deps
import snntorch
import torch
from snntorch import spikegen, surrogate


def network():
    """a leaky layer and a synaptic one over five moments: spikes, and gradients by a surrogate"""
    first, leaky = torch.nn.Linear(4, 6), snntorch.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid())
    second, synaptic = torch.nn.Linear(6, 3), snntorch.Synaptic(alpha=0.8, beta=0.9, learn_beta=True)
    memory, (current, voltage) = leaky.init_leaky(), synaptic.init_synaptic()
    spikes = []
    for moment in 3 * torch.randn(5, 2, 4):
        spike, memory = leaky(first(moment), memory)
        spike, current, voltage = synaptic(second(spike), current, voltage)
        spikes.append(spike + voltage)
    torch.stack(spikes).sum().backward()
    return spikes, first.weight.grad, second.weight.grad


def encoded():
    """numbers as spikes: by rate and by latency"""
    x = torch.rand(3, 4)
    return spikegen.rate(x, num_steps=6), spikegen.latency(x, num_steps=6, tau=5, threshold=0.01)
