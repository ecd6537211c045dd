"""The few names of PyTorch's compiled core that programs reach for."""
# made by tools/stubs.py
from enum import Enum as Enum
from typing import Any
from weft.tensor.tensor import Tensor

from weft.ops.random.generators import Generator as Generator
from weft.tensor.tensor import Tensor as TensorBase
from weft.core.modes import no_override as DisableTorchFunctionSubclass
from weft.core.modes import no_override as DisableTorchFunction
class Graph:
    place: str
    fix: str

class Value:
    place: str
    fix: str

class Node:
    place: str
    fix: str

class ScriptFunction:
    place: str
    fix: str

class ScriptModule:
    place: str
    fix: str

class PyTorchFileReader:
    place: str
    fix: str

class PyTorchFileWriter:
    place: str
    fix: str

class DispatchKey(Enum):
    Undefined = 0
    CPU = 1
    CUDA = 2
    Meta = 3
    Autograd = 4
    AutogradCPU = 5
    AutogradCUDA = 6
    CompositeExplicitAutograd = 7
    CompositeImplicitAutograd = 8
    AutocastCPU = 9
    AutocastCUDA = 10
    AutocastXPU = 11
    Python = 12

class DispatchKeySet:
    keys: Any
    def __init__(self, key: Tensor) -> None: ...
    def __or__(self, other: Tensor) -> Any: ...
    def has(self, key: Tensor) -> bool: ...

