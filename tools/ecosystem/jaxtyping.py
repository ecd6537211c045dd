"""jaxtyping: shapes and types in annotations, checked."""
# pip install jaxtyping beartype
import torch
from beartype import beartype
from jaxtyping import Bool, Float, Int, jaxtyped


@jaxtyped(typechecker=beartype)
def _scores(x: Float[torch.Tensor, "batch features"], w: Float[torch.Tensor, "features classes"],  # noqa: F722, F821
            mask: Bool[torch.Tensor, "batch"]) -> Int[torch.Tensor, "batch"]:  # noqa: F722, F821
    return (x @ w).argmax(-1).masked_fill(mask, -1)


def checked():
    """annotated shapes and types of a function, right and wrong"""
    torch.manual_seed(0)
    x, w, mask = torch.randn(4, 3), torch.randn(3, 5), torch.tensor([True, False, False, True])
    wrong = []
    for bad in ((x.double().long(), w, mask), (x, w.T, mask), (x, w, mask[:2])):
        try:
            _scores(*bad)
        except Exception as error:
            wrong.append(type(error).__name__)
    return _scores(x, w, mask), wrong, isinstance(x, Float[torch.Tensor, "4 3"]), \
        isinstance(x, Int[torch.Tensor, "..."])
