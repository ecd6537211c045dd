"""Spectral normalisation in its older form, by a hook: a weight divided by an estimate of its largest singular value.
"""
from weft.core.modes import no_grad
from weft.nn.functional import normalize
from weft.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from weft.nn.parameter import Parameter, is_lazy
from weft.nn.utils.reparametrized import undo

__all__ = ["SpectralNorm", "spectral_norm", "remove_spectral_norm"]


def as_matrix(weight, dim):
    """(size of dim, the rest)."""
    if dim != 0:
        weight = weight.permute(dim, *[d for d in range(weight.dim()) if d != dim])
    return weight.reshape(weight.size(0), -1)


def power_iterate(matrix, u, v, steps, eps):
    """Improve u and v, in place, towards the singular vectors of the largest singular value."""
    with no_grad():
        for _ in range(steps):
            v.copy_(normalize(matrix.t().mv(u), dim=0, eps=eps))
            u.copy_(normalize(matrix.mv(v), dim=0, eps=eps))


class SpectralNorm:
    """The hook that computes the weight before every forward."""

    _version = 1

    def __init__(self, name="weight", n_power_iterations=1, dim=0, eps=1e-12):
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.name, self.dim, self.n_power_iterations, self.eps = name, dim, n_power_iterations, eps

    def reshape_weight_to_matrix(self, weight):
        """(size of dim, the rest)."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module, do_power_iteration):
        """The weight divided by its norm; in training the estimate gets better with every call."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = as_matrix(weight, self.dim)
        if do_power_iteration:
            power_iterate(matrix, u, v, self.n_power_iterations, self.eps)
            u, v = u.clone(), v.clone()     # the graph keeps these; the buffers are written again next time
        return weight / u.dot(matrix.mv(v))

    def remove(self, module):
        """Put the normalised weight in the place of the original one."""
        with no_grad():
            weight = self.compute_weight(module, False)
        for end in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module, module.training))

    @staticmethod
    def apply(module, name, n_power_iterations, dim, eps):
        """Replace the parameter `name`."""
        if any(isinstance(hook, SpectralNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made, weight = SpectralNorm(name, n_power_iterations, dim, eps), module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError("The module passed to `SpectralNorm` can't have uninitialized parameters. "
                             "Make sure to run the dummy forward before applying spectral normalization")
        with no_grad():
            h, w = as_matrix(weight, dim).shape
            u, v = (normalize(weight.new_empty(n).normal_(0, 1), dim=0, eps=eps) for n in (h, w))
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(SpectralNormStateDictHook(made))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(made))
        return made


class SpectralNormLoadStateDictPreHook:
    """States of before version 1 have the weight but not v, which follows from it."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version")
        key = prefix + self.fn.name
        if version is not None and version >= 1:
            return
        if version is None and key not in state_dict and all(key + end in state_dict for end in ("_orig", "_u", "_v")):
            return
        lacking = [key + end for end in ("_orig", "", "_u") if key + end not in state_dict]
        if lacking:
            missing_keys.extend(lacking if strict else ())
            return
        with no_grad():
            original, u = state_dict[key + "_orig"], state_dict[key + "_u"]
            sigma = (original / state_dict.pop(key)).mean()
            matrix = self.fn.reshape_weight_to_matrix(original)
            v = (matrix.t() @ matrix).pinverse() @ matrix.t() @ u
            state_dict[key + "_v"] = v * (sigma / u.dot(matrix.mv(v)))


class SpectralNormStateDictHook:
    """Writes the version into the state's notes."""

    def __init__(self, fn):
        self.fn = fn

    def __call__(self, module, state_dict, prefix, local_metadata):
        notes, key = local_metadata.setdefault("spectral_norm", {}), self.fn.name + ".version"
        if key in notes:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        notes[key] = self.fn._version


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a parameter by its largest singular value, as estimated by power iterations, before every forward.

    >>> import weft
    >>> weft.nn.utils.spectral_norm(weft.nn.Linear(2, 3)).weight.shape
    torch.Size([3, 2])
    """
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module, name="weight"):
    """Undo spectral_norm, keeping the normalised weight.

    >>> import weft
    >>> layer = weft.nn.utils.spectral_norm(weft.nn.Linear(3, 2))
    >>> [name for name, _ in weft.nn.utils.remove_spectral_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    if not undo(module, lambda hook: isinstance(hook, SpectralNorm) and hook.name == name):
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for key, hook in list(hooks.items()):
            if isinstance(hook, (SpectralNormStateDictHook, SpectralNormLoadStateDictPreHook)) and hook.fn.name == name:
                del hooks[key]
                break
    return module
