"""Where a model's values would be quantized and back: before `prepare` and `convert` both change nothing, in PyTorch,
too.
"""
from weft.nn.module import Module


class QuantStub(Module):
    """The value as it is."""

    def __init__(self, qconfig=None):
        super().__init__()

    def forward(self, x):
        return x


class DeQuantStub(QuantStub):
    """The value as it is."""
