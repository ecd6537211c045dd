"""Which function runs for which kind of tensor."""
import functools

import weft
from weft.vision import tv_tensors
from weft.vision._pillow import is_picture

KERNELS = {}        # (name of a function, class): what it does to such a tensor
KINDS = (tv_tensors.BoundingBoxes, tv_tensors.KeyPoints, tv_tensors.Mask)


def is_pure_tensor(inpt):
    """Whether this is a tensor that says nothing of what it is.

    >>> import weft
    >>> weft.vision.transforms.v2.functional.is_pure_tensor(weft.zeros(2))
    True
    """
    return isinstance(inpt, weft.Tensor) and not isinstance(inpt, tv_tensors.TVTensor)


def _kernel(name, kind):
    return next((KERNELS[name, base] for base in kind.__mro__ if (name, base) in KERNELS), None)


def by_kind(function):
    """A function on pictures that hands other tensors to their kernels, and wraps what comes out as what went in."""
    name = function.__name__

    @functools.wraps(function)
    def call(inpt, *args, **kwargs):
        if not isinstance(inpt, weft.Tensor) and not is_picture(inpt):
            raise TypeError(f"{name} got a {type(inpt).__name__}\n  fix: give a tensor, one of tv_tensors, or an image "
                            "of Pillow's")
        if not isinstance(inpt, tv_tensors.TVTensor):
            return function(inpt, *args, **kwargs)
        kernel = _kernel(name, type(inpt))
        if kernel is not None:
            made = kernel(inpt, *args, **kwargs)
            return made if isinstance(made, (tv_tensors.TVTensor, tuple)) else tv_tensors.wrap(made, like=inpt)
        if isinstance(inpt, KINDS):
            return inpt
        made = function(inpt.as_subclass(weft.Tensor), *args, **kwargs)
        if isinstance(made, tuple):
            return tuple(tv_tensors.wrap(part, like=inpt) for part in made)
        return tv_tensors.wrap(made, like=inpt) if isinstance(made, weft.Tensor) else made

    return call


def register_kernel(functional, tv_tensor_cls):
    """A decorator: what a function of this module does to a class of your own.

    >>> import weft
    >>> from weft.vision import tv_tensors
    >>> from weft.vision.transforms.v2 import functional as F
    >>> class Depth(tv_tensors.TVTensor): pass
    >>> @F.register_kernel(F.hflip, Depth)
    ... def flip_depth(inpt):
    ...     return inpt.as_subclass(weft.Tensor).flip(-1)
    >>> F.hflip(weft.arange(3.).as_subclass(Depth)).tolist()
    [2.0, 1.0, 0.0]
    """
    name = functional if isinstance(functional, str) else functional.__name__

    def keep(kernel):
        KERNELS[name, tv_tensor_cls] = kernel
        return kernel

    return keep
