"""Layers made wider or narrower, together with the layers that take their output."""
# made by tools/stubs.py
from collections.abc import Sequence
from typing import Any
from weft._typing import Path
from weft.nn.module import Module
from weft.tensor.tensor import Tensor

class Change:
    layer: object
    tensors: dict
    settings: dict
    fill: dict
    scale: dict
    def __init__(self, layer: object, tensors: dict = ..., settings: dict = ..., fill: dict = ..., scale: dict = ...) -> None: ...
    def __eq__(self, other: object) -> bool: ...

def outputs(layer: Module) -> Any: ...
def widen(model: Module, path: Path, features: int, *, followers: Sequence[Module] | None = None, how: str = 'zeros') -> None: ...
def prune_units(model: Module, path: Path, units: Sequence[int] | Tensor | None = None, *, amount: int | float | None = None, norm: int = 2, followers: Sequence[Module] | None = None) -> list[Any]: ...
def resize_embedding(model: Module, path: Path, num_embeddings: int) -> None: ...
