"""All layers. PyTorch's other places for them stand in weft/compat."""
from weft.core.namespace import parts as _parts
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

__getattr__, __dir__ = _parts(globals(), "batchnorm channelshuffle distance flatten fold instancenorm module "
                              "linear_cross_entropy_options normalization padding pixelshuffle sparse transformer "
                              "upsampling utils")
