"""PyTorch's place for these."""
from weft.nn.modules.linear_loss import LinearCrossEntropyOptions as LinearCrossEntropyOptions
