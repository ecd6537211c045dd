"""Shapes and types of all values of a graph, by running it."""
from typing import Any, NamedTuple

import weft
from weft.fx.interpreter import Interpreter
from weft.fx.node import map_aggregate

__all__ = ["ShapeProp", "TensorMetadata"]


class TensorMetadata(NamedTuple):
    """What is known of a tensor without its values."""
    shape: Any
    dtype: Any
    requires_grad: bool
    stride: tuple
    memory_format: Any
    is_quantized: bool = False
    qparams: dict = {}


def _extract_tensor_metadata(result, include_contiguity=True):
    formats = (weft.contiguous_format, weft.channels_last, weft.channels_last_3d) if include_contiguity else ()
    order = next((f for f in formats if _is_in(result, f)), None)
    return TensorMetadata(result.shape, result.dtype, result.requires_grad, result.stride(), order)


def _is_in(x, order):
    if order is weft.channels_last and x.dim() != 4 or order is weft.channels_last_3d and x.dim() != 5:
        return False
    return x.is_contiguous(memory_format=order)


class ShapeProp(Interpreter):
    """Runs a graph on example inputs and writes into every node's meta what came out: `tensor_meta` and `type`."""

    def __init__(self, gm, fake_mode=None):
        super().__init__(gm)

    def run_node(self, n):
        result = super().run_node(n)
        tensors = []

        def told(value):
            if isinstance(value, weft.Tensor):
                tensors.append(value)
                return _extract_tensor_metadata(value)
            return value

        meta = map_aggregate(result, told)
        if tensors:
            n.meta["tensor_meta"] = meta
        n.meta["type"] = type(result)
        return result

    def propagate(self, *args):
        """Run it; gives the output."""
        return super().run(*args)
