"""torch.nn: layers, their functions, parameters."""
from weft.nn import functional as functional
from weft.nn import init as init
from weft.nn import utils as utils
from weft.nn.module import Module as Module
from weft.nn.modules import *  # noqa: F403
from weft.nn.parameter import Buffer as Buffer
from weft.nn.parameter import Parameter as Parameter
