"""PyTorch's place for these."""
from weft.nn.modules.shaping import ChannelShuffle as ChannelShuffle
