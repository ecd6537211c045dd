"""The memory format of convolutions' weights."""
# made by tools/stubs.py
from weft._typing import MemoryFormat
from weft.nn.module import Module

def convert_conv2d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module: ...
def convert_conv3d_weight_memory_format(module: Module, memory_format: MemoryFormat) -> Module: ...
