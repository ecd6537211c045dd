"""Where random numbers come from: Generator, the global one, and its state."""

from weft.core import device as devices
from weft.core import random as draw
from weft.kernels import rng
from weft.ops.core.registry import FUNCTIONS
from weft.ops.create.constants import CPU, public
from weft.tensor.tensor import Tensor, wrap


class Generator(draw.Generator):
    """A source of random numbers with its own seed.

    >>> import weft
    >>> g = weft.Generator().manual_seed(7)
    >>> g.initial_seed()
    7
    """

    def __init__(self, device="cpu"):
        found = devices.of(device)
        if found is not CPU:
            raise RuntimeError(f"Generator: {found} has no random numbers\n  fix: use Generator('cpu')")
        super().__init__()
        self.device = CPU

    def get_state(self):
        """The state as a tensor of bytes.

        >>> import weft
        >>> weft.Generator().get_state().shape
        torch.Size([5056])
        """
        return wrap(super().get_state())

    def set_state(self, new_state):
        """Continue from a state that get_state gave.

        >>> import weft
        >>> g = weft.Generator()
        >>> state = g.get_state()
        >>> x = weft.rand(2, generator=g)
        >>> weft.equal(x, weft.rand(2, generator=g.set_state(state)))
        True
        """
        super().set_state(new_state._array if isinstance(new_state, Tensor) else new_state)
        return self

    def clone_state(self):
        """A new generator that will draw the same numbers.

        >>> import weft
        >>> g = weft.Generator().manual_seed(0)
        >>> twin = g.clone_state()
        >>> weft.equal(weft.rand(2, generator=g), weft.rand(2, generator=twin))
        True
        """
        clone = Generator()
        clone.set_state(self.get_state())
        return clone

    def graphsafe_get_state(self):
        """A new generator that will draw the same numbers, as clone_state.

        >>> import weft
        >>> g = weft.Generator().manual_seed(7)
        >>> g.graphsafe_get_state().initial_seed()
        7
        """
        return self.clone_state()

    def __reduce__(self):
        return Generator, (self.device,), (self.initial_seed(), None, self.get_state())     # as PyTorch's

    def __setstate__(self, saved):
        Generator.__init__(self)
        state = saved["state"] if isinstance(saved, dict) else saved[-1]        # a dict in older pickles
        self.set_state(state)

    def __repr__(self):
        return f"<torch.Generator device={self.device} seed={self.initial_seed()}>"


if rng.Engine is not None:
    draw.install(rng.Engine)


class DefaultGenerator(Generator):
    """The global generator. In a thread that has a generator of its own (`draw.draw_from`) it stands for that one."""

    def manual_seed(self, seed):
        """Restart from a seed."""
        Generator.manual_seed(draw.current(), seed)
        return self

    def initial_seed(self):
        """The seed this generator was last started from."""
        return Generator.initial_seed(draw.current())

    def get_state(self):
        """The state as a tensor of bytes."""
        return Generator.get_state(draw.current())

    def set_state(self, new_state):
        """Continue from a state that get_state gave."""
        Generator.set_state(draw.current(), new_state)
        return self

    def __reduce__(self):
        return _copied, (self.get_state(),)     # a copy is one like any other


def _copied(state):
    return Generator().set_state(state)


default_generator = draw.set_default(DefaultGenerator())  # the array layer's too: all draw from one stream
FUNCTIONS["Generator"], FUNCTIONS["default_generator"] = Generator, default_generator


def source(generator, who):
    """The generator to draw from."""
    if generator is None or generator is default_generator:
        return draw.current()
    if not isinstance(generator, draw.Generator):
        raise TypeError(f"{who}(): argument 'generator' must be a torch.Generator, not {type(generator).__name__}")
    return generator


def manual_seed(seed):
    """Restart the global generator from a seed; the generator comes back.

    >>> import weft
    >>> _ = weft.manual_seed(0)
    >>> weft.initial_seed()
    0
    """
    return default_generator.manual_seed(int(seed))


def seed():
    """Restart the global generator from a seed of the operating system's, which comes back.

    >>> import weft
    >>> weft.seed() == weft.initial_seed()
    True
    """
    return default_generator.seed()


def initial_seed():
    """The seed that the global generator was started from.

    >>> import weft
    >>> _ = weft.manual_seed(3)
    >>> weft.initial_seed()
    3
    """
    return default_generator.initial_seed()


def get_rng_state():
    """The global generator's state, a tensor of bytes.

    >>> import weft
    >>> state = weft.get_rng_state()
    >>> x = weft.rand(2)
    >>> weft.set_rng_state(state)
    >>> weft.equal(x, weft.rand(2))
    True
    """
    return default_generator.get_state()


def set_rng_state(new_state):
    """Continue from a state that get_rng_state gave.

    >>> import weft
    >>> _ = weft.manual_seed(3)
    >>> state = weft.get_rng_state()
    >>> _ = weft.manual_seed(4)
    >>> weft.set_rng_state(state)
    >>> weft.initial_seed()
    3
    """
    default_generator.set_state(new_state)


for _function in (manual_seed, seed, initial_seed, get_rng_state, set_rng_state):
    public(_function)
