"""All layers. Files that are not named here are PyTorch's places for them."""
from weft.nn.module import Module as Module
from weft.nn.modules.activation import *  # noqa: F403
from weft.nn.modules.adaptive import *  # noqa: F403
from weft.nn.modules.attention import *  # noqa: F403
from weft.nn.modules.container import *  # noqa: F403
from weft.nn.modules.conv import *  # noqa: F403
from weft.nn.modules.dropout import *  # noqa: F403
from weft.nn.modules.embedding import *  # noqa: F403
from weft.nn.modules.lazy import *  # noqa: F403
from weft.nn.modules.linear import *  # noqa: F403
from weft.nn.modules.linear_loss import *  # noqa: F403
from weft.nn.modules.loss import *  # noqa: F403
from weft.nn.modules.norm import *  # noqa: F403
from weft.nn.modules.pooling import *  # noqa: F403
from weft.nn.modules.rnn import *  # noqa: F403
from weft.nn.modules.shaping import *  # noqa: F403

__all__ = [name for name in globals() if name[0].isupper()]


def __getattr__(name):
    import importlib
    places = ("batchnorm", "channelshuffle", "distance", "flatten", "fold", "instancenorm", "module", "normalization",
              "padding", "pixelshuffle", "sparse", "transformer", "upsampling", "utils")
    if name in places:
        return importlib.import_module("weft.nn.modules." + name)
    raise AttributeError(f"module 'weft.nn.modules' has no attribute '{name}'")
