"""What AutoAugment and its kin choose from: the operations, how strong they get, and the papers' policies."""
# made by tools/stubs.py
from collections.abc import Sequence
from enum import Enum as Enum
from typing import Any
from weft.tensor.tensor import Tensor

class AutoAugmentPolicy(Enum):
    IMAGENET = 'imagenet'
    CIFAR10 = 'cifar10'
    SVHN = 'svhn'

def policies(policy: Any) -> Any: ...
def space(kind: Any, bins: int | Tensor | Sequence[int], height: int, width: int, all_ops: bool = True, solar: float = 255.0) -> dict[Any, Any]: ...
def apply_op(img: Any, name: str, strength: Any, interpolation: Any, fill: Any) -> Any: ...
def dirichlet(alpha: Any) -> Any: ...
