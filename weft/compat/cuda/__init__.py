"""torch.cuda: what PyTorch programs ask about CUDA; weft runs on the CPU, so there is none."""
from weft.core.device import stand_ins as _stand_ins
from weft.cuda import amp as amp
from weft.cuda import comm as comm
from weft.cuda import graphs as graphs
from weft.cuda import memory as memory
from weft.cuda import nccl as nccl
from weft.cuda import nvtx as nvtx
from weft.cuda import profiler as profiler
from weft.cuda import random as random
from weft.cuda import streams as streams
from weft.cuda.absent import *  # noqa: F403

_initialized = False        # of the one who asks whether a fork is safe
if _stand_ins():
    from weft.cuda.stand_in import *  # noqa: F403
