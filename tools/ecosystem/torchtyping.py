"""torchtyping: shapes in annotations."""
# ruff: noqa: F722, F821  (names of dimensions)
# pip install torchtyping typeguard<3
import torch
from torchtyping import TensorType, patch_typeguard
from typeguard import typechecked

patch_typeguard()


def checks():
    """right shapes pass, wrong ones are refused"""
    @typechecked
    def product(a: TensorType["batch", "in", float], b: TensorType["in", "out"]) -> TensorType["batch", "out"]:
        return a @ b
    said = []
    for a, b in ((torch.ones(2, 3), torch.ones(3, 4)), (torch.ones(2, 3), torch.ones(4, 4))):
        try:
            said.append(product(a, b))
        except TypeError:
            said.append("refused")
    return said
