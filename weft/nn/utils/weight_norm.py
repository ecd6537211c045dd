"""Weight normalisation in its older form, by a hook: a weight as a length `_g` times a direction `_v`."""
import warnings

from weft.nn.parameter import Parameter, is_lazy
from weft.nn.utils.reparametrized import undo
from weft.tensor.names import FUNCTIONS

__all__ = ["WeightNorm", "weight_norm", "remove_weight_norm"]


def norm_except_dim(v, pow=2, dim=0):
    """The norms over all dimensions but one, kept for broadcasting; of everything when dim is -1."""
    if dim == -1:
        return FUNCTIONS["linalg.vector_norm"](v, pow)
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return FUNCTIONS["linalg.vector_norm"](v, pow, others, keepdim=True) if others else v.abs()


def scaled(v, g, dim):
    """The weight of length g and direction v."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """The hook that computes the weight before every forward."""

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module):
        """The weight from its length and direction."""
        return scaled(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    @staticmethod
    def apply(module, name, dim):
        """Replace the parameter `name` by its length and direction."""
        warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of "
                      "`torch.nn.utils.parametrizations.weight_norm`.", FutureWarning,
                      stacklevel=3)
        if any(isinstance(hook, WeightNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError("The module passed to `WeightNorm` can't have uninitialized parameters. "
                             "Make sure to run the dummy forward before applying weight normalization")
        hook = WeightNorm(name, dim)
        delattr(module, name)
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module):
        """Put the weight back as one parameter."""
        weight = self.compute_weight(module)
        for name in (self.name, self.name + "_g", self.name + "_v"):
            delattr(module, name)
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module, name="weight", dim=0):
    """Express a parameter as its length, per index of `dim`, and its direction: `name_g` and `name_v`.

    >>> import weft
    >>> layer = weft.nn.utils.weight_norm(weft.nn.Linear(3, 2))
    >>> layer.weight_g.shape, layer.weight_v.shape
    (torch.Size([2, 1]), torch.Size([2, 3]))
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name="weight"):
    """Undo weight_norm.

    >>> import weft
    >>> layer = weft.nn.utils.weight_norm(weft.nn.Linear(3, 2))
    >>> [name for name, _ in weft.nn.utils.remove_weight_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    if not undo(module, lambda hook: isinstance(hook, WeightNorm) and hook.name == name):
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    return module
