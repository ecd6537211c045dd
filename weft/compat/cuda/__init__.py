"""torch.cuda: what PyTorch programs ask about CUDA; weft runs on the CPU, so there is none."""
from weft.cuda import amp as amp
from weft.cuda.absent import *  # noqa: F403
