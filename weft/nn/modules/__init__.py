"""All layers."""
from weft.nn.modules.activation import *  # noqa: F403
from weft.nn.modules.attention import *  # noqa: F403
from weft.nn.modules.container import *  # noqa: F403
from weft.nn.modules.conv import *  # noqa: F403
from weft.nn.modules.dropout import *  # noqa: F403
from weft.nn.modules.embedding import *  # noqa: F403
from weft.nn.modules.lazy import *  # noqa: F403
from weft.nn.modules.linear import *  # noqa: F403
from weft.nn.modules.loss import *  # noqa: F403
from weft.nn.modules.norm import *  # noqa: F403
from weft.nn.modules.pooling import *  # noqa: F403
from weft.nn.modules.rnn import *  # noqa: F403
from weft.nn.modules.shaping import *  # noqa: F403
