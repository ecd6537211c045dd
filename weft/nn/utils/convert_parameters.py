"""All parameters as one vector, and back."""
from collections.abc import Iterable

from weft.tensor.names import FUNCTIONS


def parameters_to_vector(parameters):
    """The entries of all parameters, one after the other.

    >>> import weft
    >>> weft.nn.utils.parameters_to_vector(weft.nn.Linear(2, 3).parameters()).shape
    torch.Size([9])
    """
    return FUNCTIONS["cat"]([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    """Let the parameters be the parts of a vector, whose memory they then share.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 1)
    >>> weft.nn.utils.vector_to_parameters(weft.ones(3), layer.parameters())
    >>> layer.bias
    Parameter containing:
    tensor([1.], requires_grad=True)
    """
    if not hasattr(vec, "view_as"):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    if not isinstance(parameters, Iterable):
        raise TypeError(f"expected an iterable of parameters, got {type(parameters).__name__}")
    parameters = list(parameters)
    if sum(p.numel() for p in parameters) > vec.numel():
        raise RuntimeError(f"the parameters have {sum(p.numel() for p in parameters)} entries, the vector "
                           f"{vec.numel()}")
    at = 0
    for p in parameters:
        n = p.numel()
        p.data = vec[at:at + n].view_as(p).data
        at += n
