"""torch.nn: layers, their functions, parameters."""
from weft.core.namespace import parts as _parts
from weft.nn import functional as functional
from weft.nn import init as init
from weft.nn import modules as modules
from weft.nn import parameter as parameter
from weft.nn import utils as utils
from weft.nn.module import Module as Module
from weft.nn.modules import *  # noqa: F403
from weft.nn.parameter import Buffer as Buffer
from weft.nn.parameter import Parameter as Parameter
from weft.nn.parameter import UninitializedBuffer as UninitializedBuffer
from weft.nn.parameter import UninitializedParameter as UninitializedParameter

__getattr__, __dir__ = _parts(globals(), "_reduction _steps attention common_types grad parallel",
                              {"DataParallel": "weft.nn.parallel.data_parallel",
                               "factory_kwargs": "weft.nn.modules.utils"})
