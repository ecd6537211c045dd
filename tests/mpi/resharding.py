"""fully_shard lets go of whole values after a module's forward: how much memory a model of many blocks takes, measured;
the gradients are those of a model that keeps them.
"""
import tracemalloc

import weft
import weft.distributed as dist
from weft import nn
from weft.distributed.fsdp import fully_shard

BLOCKS, WIDTH = 8, 256
BLOCK = 4 * WIDTH * WIDTH       # bytes of a block's weight


def model(reshard):
    weft.manual_seed(0)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.Tanh()) for _ in range(BLOCKS)])
    for block in net:
        fully_shard(block, reshard_after_forward=reshard)
    return fully_shard(net)


def live():
    """Bytes that arrays hold: NumPy's own, and those of weft's kernels."""
    return tracemalloc.get_traced_memory()[0] + weft.memory.stats()["in_use"]


def measured(net):
    """Weights' worth of memory that came with a forward, and at most in its backward; the gradients."""
    x, seen = weft.ones(2, WIDTH), []
    for block in net:           # looked at wherever the backward comes to a block
        block.register_forward_hook(lambda m, args, made: made.register_hook(lambda g: seen.append(live())) and None)
    net(x).sum().backward()     # buffers of the first time
    net.zero_grad()
    begun = live()
    out = net(x)
    after = live() - begun
    seen.clear()
    out.sum().backward()
    return after / BLOCK, (max(seen) - begun) / BLOCK, [p.grad.full_tensor() for p in net.parameters()]


def main():
    dist.init_process_group("gloo")
    tracemalloc.start()
    kept, freed = measured(model(False)), measured(model(True))
    print("weights' worth after the forward:", round(kept[0], 1), round(freed[0], 1),
          "at most in the backward:", round(kept[1], 1), round(freed[1], 1), flush=True)
    assert kept[0] > BLOCKS - 1 and freed[0] < 1                    # all blocks' weights, or none
    assert freed[1] < kept[1] - BLOCKS + 3                          # of them at most two are there again
    for a, b in zip(kept[2], freed[2]):
        weft.testing.assert_close(a, b, rtol=0, atol=0)
    misuse()
    print(f"all right {dist.get_world_size()}\n", end="", flush=True)     # in one piece: both ranks say so


def misuse():
    """A parameter that is written to between the forward and its backward is told of."""
    net = fully_shard(nn.Linear(4, 4), reshard_after_forward=True)
    out = net(weft.ones(1, 4).requires_grad_())
    with weft.no_grad():
        net.weight.mul_(2)
    try:
        out.sum().backward()
    except RuntimeError as error:
        assert "the parameter weight" in str(error), error
    else:
        raise AssertionError("nothing was said")


if __name__ == "__main__":
    main()
