"""Parameters that are computed: `register_parametrization(layer, "weight", module)` makes layer.weight = module(the
original weight).

The layer's class is replaced by one of its own, on which the tensor is a property; the original lies in
layer.parametrizations.
"""
import copy
from collections.abc import Sequence
from contextlib import contextmanager

from weft.core.modes import no_grad
from weft.nn.modules.container import ModuleDict, ModuleList
from weft.nn.parameter import Parameter
from weft.tensor.tensor import Tensor

__all__ = ["cached", "ParametrizationList", "register_parametrization", "is_parametrized", "remove_parametrizations",
           "type_before_parametrizations", "transfer_parametrizations_and_params"]


class _Cache:
    """Values that are kept while at least one `cached()` is open."""
    depth, values = 0, {}


@contextmanager
def cached():
    """Within this, every parametrized tensor is computed once.

    >>> import weft
    >>> class Positive(weft.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = weft.nn.Linear(2, 1)
    >>> _ = weft.nn.utils.parametrize.register_parametrization(layer, 'weight', Positive())
    >>> with weft.nn.utils.parametrize.cached():
    ...     same = layer.weight is layer.weight
    >>> same
    True
    """
    _Cache.depth += 1
    try:
        yield
    finally:
        _Cache.depth -= 1
        if not _Cache.depth:
            _Cache.values = {}


def _register(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _set(tensor, value):
    """Let a tensor, which optimizers may hold, have this value, shape included."""
    with no_grad():
        tensor.data = value.detach().clone()


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, the first one applied first, with the original tensor or tensors.

    >>> import weft
    >>> class Doubled(weft.nn.Module):
    ...     def forward(self, x):
    ...         return x * 2
    >>> layer = weft.nn.Linear(2, 1)
    >>> _ = weft.nn.utils.parametrize.register_parametrization(layer, "weight", Doubled())
    >>> len(layer.parametrizations.weight), weft.equal(layer.weight, layer.parametrizations.weight.original * 2)
    (1, True)
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, kind = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not isinstance(new, Tensor) and not isinstance(new, Sequence):
            raise ValueError(f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                             f"{type(new).__name__}")
        self.is_tensor, self.ntensors = isinstance(new, Tensor), 1 if isinstance(new, Tensor) else len(new)
        if self.is_tensor:
            if original.dtype != new.dtype:
                raise ValueError("When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                                 f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}")
            if original.device != new.device:
                raise ValueError("When `right_inverse` outputs one tensor, it may not change the device.\n"
                                 f"original.device: {original.device}\nright_inverse(original).device: {new.device}")
            before = original.data
            if original is not new:
                _set(original, new)
            _register(self, "original", original)
        else:
            before = None
            for i, each in enumerate(new):
                if not isinstance(each, Tensor):
                    raise ValueError(f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                                     f"Got element {i} of the sequence with type {type(each).__name__}.")
                if isinstance(original, Parameter):
                    each = Parameter(each, original.requires_grad)
                each.requires_grad_(original.requires_grad)
                _register(self, f"original{i}", each)
        if not unsafe:
            try:
                self._check(shape, kind)
            except Exception:
                if before is not None:
                    original.data = before
                raise

    def _check(self, shape, kind):
        made = self()
        if not isinstance(made, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
        for what, own, new in (("dtype", kind, made.dtype), ("shape", shape, made.shape)):
            if own != new:
                raise ValueError(f"Registering a parametrization may not change the {what} of the tensor, unless "
                                 f"`unsafe` flag is enabled.\nunparametrized {what}: {own}\nparametrized {what}: {new}")

    def right_inverse(self, value):
        """Let the originals be such that the parametrized tensor has this value.

        >>> import weft
        >>> class Doubled(weft.nn.Module):
        ...     def forward(self, x):
        ...         return x * 2
        ...     def right_inverse(self, x):
        ...         return x / 2
        >>> layer = weft.nn.Linear(2, 1)
        >>> _ = weft.nn.utils.parametrize.register_parametrization(layer, "weight", Doubled())
        >>> layer.parametrizations.weight.right_inverse(weft.ones(1, 2))
        >>> layer.parametrizations.weight.original.tolist(), layer.weight.tolist()
        ([[0.5, 0.5]], [[1.0, 1.0]])
        """
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                if not isinstance(value, Tensor):
                    raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
                self._expect("original", value)
                _set(self.original, value)
                return
            if not isinstance(value, Sequence):
                raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
            if len(value) != self.ntensors:
                raise ValueError(f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got a "
                                 f"sequence of length {len(value)}.")
            for i, each in enumerate(value):
                if not isinstance(each, Tensor):
                    raise ValueError(f"`right_inverse` must return a sequence of tensors. Got element {i} of type "
                                     f"{type(each).__name__}")
                self._expect(f"original{i}", each)
            for i, each in enumerate(value):
                _set(getattr(self, f"original{i}"), each)

    def _expect(self, name, value):
        kind = getattr(self, name).dtype
        if kind != value.dtype:
            raise ValueError(f"The tensor returned by `right_inverse` has dtype {value.dtype} while `{name}` has dtype "
                             f"{kind}")

    def forward(self):
        first, *rest = self
        made = (first(self.original) if self.is_tensor
                else first(*(getattr(self, f"original{i}") for i in range(self.ntensors))))
        for module in rest:
            made = module(made)
        return made


# the class of a parametrized module

def _getstate(self):
    raise RuntimeError("Serialization of parametrized modules is only supported through state_dict().\n"
                       "  fix: save module.state_dict(), and load it into a module with the same parametrizations")


def _deepcopy(self, memo):
    if id(self) in memo:
        return memo[id(self)]
    cls = type(self)        # the copy has a class of its own, so that its parametrizations can be removed alone
    own = type(cls.__name__, cls.__bases__,
               {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")})
    memo[id(self)] = made = own.__new__(own)
    made.__setstate__(copy.deepcopy(self.__dict__, memo))
    return made


def _new_class(module):
    cls = type(module)
    body = {"__getstate__": _getstate, "__module__": cls.__module__}
    if not hasattr(cls, "__deepcopy__"):
        body["__deepcopy__"] = _deepcopy
    # as in PyTorch: a property of one module only needs a class of its own, and others hold this very module
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), body)


def _new_property(module, name):
    def read(self):
        made = self.parametrizations[name]
        if not _Cache.depth:
            return made()
        key = (id(self), name)
        if key not in _Cache.values:
            _Cache.values[key] = made()
        return _Cache.values[key]

    def write(self, value):
        self.parametrizations[name].right_inverse(value)
    setattr(type(module), name, property(read, write))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Let a parameter or buffer of a module be computed by `parametrization` from what it was; several are applied one
    after the other.

    Has it a `right_inverse`, the tensor can be assigned to, and keeps its value now.

    >>> import weft
    >>> class Symmetric(weft.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).mT
    >>> layer = weft.nn.utils.parametrize.register_parametrization(weft.nn.Linear(3, 3), "weight", Symmetric())
    >>> weft.equal(layer.weight, layer.weight.mT)
    True
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        made = module.parametrizations[tensor_name]
        if not unsafe:
            _check_next(module, tensor_name, parametrization)
        made.append(parametrization)
        made.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _new_class(module)
            module.parametrizations = ModuleDict()
        _new_property(module, tensor_name)
        module.parametrizations._modules[tensor_name] = made
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    return module


def _check_next(module, name, parametrization):
    """Refuse a further parametrization that doesn't give what it gets."""
    own = getattr(module, name)
    made = parametrization(own)
    if not isinstance(made, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
    for what in ("dtype", "shape"):
        if getattr(made, what) != getattr(own, what):
            raise ValueError(f"Registering a parametrization may not change the {what} of the tensor, unless the "
                             f"`unsafe` flag is enabled.\nmodule.{name}.{what}: "
                             f"{getattr(own, what)}\nparametrization(module.{name}).{what}: {getattr(made, what)}")
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        back = parametrization.right_inverse(made)
    except NotImplementedError:
        return
    if not isinstance(back, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
    for what in ("dtype", "shape"):
        if getattr(back, what) != getattr(own, what):
            raise ValueError(f"The tensor returned by parametrization.right_inverse must have the same {what} as "
                             f"module.{name}, unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: "
                             f"{getattr(own, what)}\nreturned {what}: {getattr(back, what)}")


def is_parametrized(module, tensor_name=None):
    """Whether a module has a parametrized tensor, or that one.

    >>> import weft
    >>> class Positive(weft.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = weft.nn.Linear(2, 1)
    >>> _ = weft.nn.utils.parametrize.register_parametrization(layer, 'weight', Positive())
    >>> weft.nn.utils.parametrize.is_parametrized(layer, 'weight')
    True
    """
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make the tensor an ordinary one again: with the computed value, or with the original one.

    >>> import weft
    >>> class Positive(weft.nn.Module):
    ...     def forward(self, x):
    ...         return x.exp()
    >>> layer = weft.nn.Linear(2, 1)
    >>> _ = weft.nn.utils.parametrize.register_parametrization(layer, 'weight', Positive())
    >>> _ = weft.nn.utils.parametrize.remove_parametrizations(layer, 'weight')
    >>> weft.nn.utils.parametrize.is_parametrized(layer)
    False
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    made = module.parametrizations[tensor_name]
    if made.is_tensor:
        original = made.original
        if leave_parametrized:
            with no_grad():
                _set(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in "
                         "terms of a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The module's class without what parametrizations made of it.

    >>> import weft
    >>> layer = weft.nn.utils.parametrizations.weight_norm(weft.nn.Linear(2, 1))
    >>> type(layer).__name__, weft.nn.utils.parametrize.type_before_parametrizations(layer).__name__
    ('ParametrizedLinear', 'Linear')
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Give another module the parametrizations, and the originals, of one tensor or of all that are parametrized.

    >>> import weft
    >>> old = weft.nn.utils.parametrizations.weight_norm(weft.nn.Linear(2, 1))
    >>> new = weft.nn.Linear(2, 1)
    >>> _ = weft.nn.utils.parametrize.transfer_parametrizations_and_params(old, new)
    >>> weft.equal(old.weight, new.weight)
    True
    """
    if not is_parametrized(from_module):
        return to_module
    for name in from_module.parametrizations if tensor_name is None else [tensor_name]:
        source = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization, unsafe=source.unsafe)
        target = to_module.parametrizations[name]
        for key in ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]:
            setattr(target, key, getattr(source, key))
    return to_module
