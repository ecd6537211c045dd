"""Pruning by masks: entries of a parameter are held at zero, `name` being computed as `name_mask * name_orig` before
every forward.

To take whole units out of a model, so that it gets smaller, see `nn.utils.surgery.prune_units`.
"""
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable

from weft.nn.utils.convert_parameters import parameters_to_vector
from weft.nn.utils.reparametrized import undo
from weft.ops.create.constants import ones_like, zeros_like
from weft.ops.random.draws import rand, rand_like
from weft.tensor.names import FUNCTIONS

__all__ = ["BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
           "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
           "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove"]


class BasePruningMethod(ABC):
    """A way to choose what is pruned: subclasses define `compute_mask` and PRUNING_TYPE ("unstructured", "structured",
    "global").

    >>> import weft
    >>> class Negative(weft.nn.utils.prune.BasePruningMethod):
    ...     PRUNING_TYPE = "unstructured"
    ...     def compute_mask(self, t, default_mask):
    ...         return default_mask * (t > 0)
    >>> Negative().prune(weft.tensor([1.0, -2.0, 3.0]))
    tensor([1., -0., 3.])
    """

    _tensor_name: str

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """The mask (1: stays) of the entries of t, on top of the mask that there is.

        >>> import weft
        >>> method = weft.nn.utils.prune.L1Unstructured(amount=1)
        >>> method.compute_mask(weft.tensor([3.0, -1.0, 2.0]), default_mask=weft.ones(3))
        tensor([1., 0., 1.])
        """

    def apply_mask(self, module):
        """The parameter with the pruned entries at zero.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 2)
        >>> method = weft.nn.utils.prune.L1Unstructured.apply(layer, "weight", amount=1)
        >>> int((method.apply_mask(layer) == 0).sum())
        1
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        original = getattr(module, self._tensor_name + "_orig")
        return getattr(module, self._tensor_name + "_mask").to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune a parameter of a module, further if it is pruned already; an error leaves the module as it was.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 2)
        >>> _ = weft.nn.utils.prune.L1Unstructured.apply(layer, "weight", amount=0.5)
        >>> int((layer.weight == 0).sum())
        2
        """
        hooks = [(k, h) for k, h in module._forward_pre_hooks.items() if isinstance(h, BasePruningMethod)
                 and h._tensor_name == name]
        if len(hooks) > 1:
            raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. "
                                 f"Use a PruningContainer.")
        method = cls(*args, **kwargs)
        method._tensor_name = name
        own = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != own.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}, got "
                                 f"{importance_scores.shape} vs {own.shape}")
        scores = own if importance_scores is None else importance_scores
        if hooks:
            key, before = hooks[0]
            joint = PruningContainer(*before) if isinstance(before, PruningContainer) else PruningContainer(before)
            joint._tensor_name = name
            joint.add_pruning_method(method)
            method = joint
            mask = method.compute_mask(scores, default_mask=getattr(module, name + "_mask").detach().clone())
            del module._forward_pre_hooks[key]
        else:
            mask = method.compute_mask(scores, default_mask=ones_like(own))
            delattr(module, name)
            module.register_parameter(name + "_orig", own)
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """A tensor with what this method chooses at zero.

        >>> import weft
        >>> weft.nn.utils.prune.L1Unstructured(amount=1).prune(weft.tensor([3.0, -1.0, 2.0]))
        tensor([3., -0., 2.])
        """
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError(f"importance_scores should have the same shape as tensor t, got "
                                 f"{importance_scores.shape} vs {t.shape}")
        default_mask = ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(t if importance_scores is None else importance_scores, default_mask=default_mask)

    def remove(self, module):
        """Make the pruned parameter an ordinary one, zeros included.

        >>> import weft
        >>> layer = weft.nn.Linear(2, 2)
        >>> method = weft.nn.utils.prune.L1Unstructured.apply(layer, "weight", amount=0.5)
        >>> method.remove(layer)
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight']
        """
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight, name = self.apply_mask(module), self._tensor_name
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters[name + "_orig"]
        original.data = weight.data
        delattr(module, name + "_orig")
        delattr(module, name + "_mask")
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several methods, one on top of the other.

    >>> import weft
    >>> layer = weft.nn.Linear(2, 2)
    >>> layer = weft.nn.utils.prune.l1_unstructured(layer, "weight", amount=1)
    >>> layer = weft.nn.utils.prune.l1_unstructured(layer, "weight", amount=1)
    >>> int((layer.weight == 0).sum())
    2
    """

    _tensor_name = None

    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) >= 1 and args[0] is not None:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add one for the same parameter.

        >>> import weft
        >>> first, second = (weft.nn.utils.prune.L1Unstructured(amount=1) for _ in range(2))
        >>> first._tensor_name = second._tensor_name = "weight"
        >>> container = weft.nn.utils.prune.PruningContainer(first)
        >>> container.add_pruning_method(second)
        >>> len(container)
        2
        """
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to "
                             f"PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """The last method's mask of what the others left.

        >>> import weft
        >>> method = weft.nn.utils.prune.L1Unstructured(amount=1)
        >>> method._tensor_name = "weight"
        >>> container = weft.nn.utils.prune.PruningContainer(method)
        >>> container.compute_mask(weft.tensor([1.0, 2.0, 3.0]), weft.tensor([0.0, 1.0, 1.0]))
        tensor([0., 0., 1.])
        """
        method, mask = self._pruning_methods[-1], default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            part = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            part = self._kept_channels(method, t, default_mask)
        elif method.PRUNING_TYPE == "global":
            part = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(dtype=mask.dtype)
        return mask

    @staticmethod
    def _kept_channels(method, t, mask):
        if not hasattr(method, "dim"):
            raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` '
                                 'defined.')
        dim = method.dim + t.dim() if method.dim < 0 else method.dim
        if dim < 0:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {t.dim()}")
        kept = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
        return tuple(kept if d == dim else slice(None) for d in range(t.dim()))


# how many

def _check_amount(amount):
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if amount < 0 or not whole and amount > 1.0:
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


_validate_pruning_amount_init = _check_amount       # PyTorch's names, which pruning methods of one's own use


def _validate_pruning_amount(amount, tensor_size):
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount, tensor_size):
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _count(amount, size):
    """How many of `size` entries or channels."""
    _validate_pruning_amount(amount, size)
    return _compute_nparams_toprune(amount, size)


# methods

class Identity(BasePruningMethod):
    """Prunes nothing, but sets mask and original up.

    >>> import weft
    >>> weft.nn.utils.prune.Identity().prune(weft.tensor([3.0, -1.0]))
    tensor([ 3., -1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone()
        if count:
            mask.view(-1)[self._chosen(t.reshape(-1), count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes random entries.

    >>> import weft
    >>> int((weft.nn.utils.prune.RandomUnstructured(amount=2).prune(weft.ones(5)) == 0).sum())
    2
    """

    def _chosen(self, t, count):
        return rand_like(t).topk(count).indices

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the entries of the smallest magnitude.

    >>> import weft
    >>> weft.nn.utils.prune.L1Unstructured(amount=1).prune(weft.tensor([3.0, -1.0, 2.0]))
    tensor([3., -0., 2.])
    """

    def _chosen(self, t, count):
        return t.abs().topk(count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def compute_mask(self, t, default_mask):
        if t.dim() <= 1:
            raise ValueError(f"Structured pruning can only be applied to multidimensional tensors. Found tensor of "
                             f"shape {t.shape} with {t.dim()} dims")
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if count == 0:
            return default_mask
        mask = zeros_like(t)
        mask[tuple(self._kept(t, size, count) if d == self.dim % t.dim() else slice(None) for d in range(t.dim()))] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes random channels along a dimension.

    >>> import weft
    >>> method = weft.nn.utils.prune.RandomStructured(amount=1, dim=0)
    >>> int((method.prune(weft.ones(3, 2)) == 0).sum())
    2
    """

    def __init__(self, amount, dim=-1):
        _check_amount(amount)
        self.amount, self.dim = amount, dim

    def _kept(self, t, size, count):
        chance = rand(size)
        return chance > chance.kthvalue(count).values

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Prunes the channels of the smallest norm along a dimension.

    >>> import weft
    >>> method = weft.nn.utils.prune.LnStructured(amount=1, n=2, dim=0)
    >>> method.prune(weft.tensor([[3.0, 4.0], [1.0, 1.0]]))
    tensor([[3., 4.],
            [0., 0.]])
    """

    def __init__(self, amount, n, dim=-1):
        _check_amount(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def _kept(self, t, size, count):
        norms = FUNCTIONS["norm"](t, self.n, [d for d in range(t.dim()) if d != self.dim % t.dim()])
        return norms.topk(size - count).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask.

    >>> import weft
    >>> mask = weft.tensor([1.0, 0.0, 1.0])
    >>> weft.nn.utils.prune.CustomFromMask(mask).prune(weft.tensor([3.0, -1.0, 2.0]))
    tensor([3., -0., 2.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError(f"default_mask shape {default_mask.shape} must match self.mask shape "
                                 f"{self.mask.shape}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


# the functions

def identity(module, name):
    """Set the mask up without pruning.

    >>> import weft
    >>> layer = weft.nn.utils.prune.identity(weft.nn.Linear(2, 1), "weight")
    >>> layer.weight_mask
    tensor([[1., 1.]])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Prune random entries: a number, or a fraction of all.

    >>> import weft
    >>> layer = weft.nn.utils.prune.random_unstructured(weft.nn.Linear(2, 2), 'weight', amount=0.5)
    >>> int(layer.weight_mask.sum())
    2
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prune the smallest entries.

    >>> import weft
    >>> layer = weft.nn.utils.prune.l1_unstructured(weft.nn.Linear(2, 2), 'weight', amount=0.5)
    >>> int(layer.weight_mask.sum())
    2
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Prune random channels along `dim`.

    >>> import weft
    >>> layer = weft.nn.utils.prune.random_structured(weft.nn.Linear(2, 2), 'weight', amount=1, dim=0)
    >>> int(layer.weight_mask.sum())
    2
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prune the channels along `dim` whose n-norm is smallest.

    >>> import weft
    >>> layer = weft.nn.utils.prune.ln_structured(weft.nn.Linear(2, 2), 'weight', amount=1, n=2, dim=0)
    >>> int(layer.weight_mask.sum())
    2
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune (module, name) pairs as if they were one tensor.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.Linear(3, 1))
    >>> parts = [(net[0], "weight"), (net[1], "weight")]
    >>> weft.nn.utils.prune.global_unstructured(parts, weft.nn.utils.prune.L1Unstructured, amount=4)
    >>> sum(int((layer.weight == 0).sum()) for layer in net)
    4
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    parameters = list(parameters)
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f'{pruning_method} of type '
                        f"{method.PRUNING_TYPE}")
    values = [getattr(module, name) for module, name in parameters]
    scores = parameters_to_vector([importance_scores.get(pair, value) for pair, value in zip(parameters, values)])
    masks = parameters_to_vector([getattr(m, name + "_mask", ones_like(value))
                                  for (m, name), value in zip(parameters, values)])
    joint = PruningContainer()
    joint._tensor_name = method._tensor_name = "temp"
    joint.add_pruning_method(method)
    parts = joint.compute_mask(scores, masks).split([value.numel() for value in values])
    for (module, name), value, part in zip(parameters, values, parts):
        custom_from_mask(module, name, mask=part.view_as(value))


def custom_from_mask(module, name, mask):
    """Prune by a mask (1: stays).

    >>> import weft
    >>> layer = weft.nn.utils.prune.custom_from_mask(weft.nn.Linear(2, 1), 'bias', weft.zeros(1))
    >>> layer.bias.detach().abs()
    tensor([0.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module, name):
    """Make a pruned parameter an ordinary one, zeros included.

    >>> import weft
    >>> layer = weft.nn.utils.prune.l1_unstructured(weft.nn.Linear(2, 2), 'weight', amount=0.5)
    >>> weft.nn.utils.prune.is_pruned(weft.nn.utils.prune.remove(layer, 'weight'))
    False
    """
    if not undo(module, lambda hook: isinstance(hook, BasePruningMethod) and hook._tensor_name == name):
        raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")
    return module


def is_pruned(module):
    """Whether something in a module is pruned.

    >>> import weft
    >>> weft.nn.utils.prune.is_pruned(weft.nn.Linear(2, 2))
    False
    """
    return any(isinstance(hook, BasePruningMethod) for _, m in module.named_modules()
               for hook in m._forward_pre_hooks.values())
