"""Layers made wider or narrower, together with the layers that take their output.

A change of a layer's units is a *map*: for every new unit the old one that it came from, or -1. The layer's rows, the
statistics and factors of norms that follow, and the columns of the next layer are all taken along the same map, and so
is the state of the optimizer (weft/nn/edits.py, `note_origin`). New units of state hold what the optimizer starts with.
"""
import copy
from dataclasses import dataclass, field

import numpy as np

from weft.core.modes import no_grad
from weft.nn import modules as layers
from weft.nn.edits import EDITS, note_origin
from weft.nn.modules.conv import _ConvNd
from weft.nn.modules.norm import _NormBase
from weft.nn.modules.rnn import RNNBase
from weft.nn.parameter import Parameter, is_lazy
from weft.ops.create.data import tensor
from weft.tensor.tensor import Tensor, wrap

HOW = ("zeros", "copies", "random")
# what hands each unit or channel on as it is
SEES_THROUGH = (layers.Identity, layers.Dropout, layers.Dropout1d, layers.Dropout2d, layers.Dropout3d,
                layers.AlphaDropout, layers.FeatureAlphaDropout, layers.Flatten, layers.Upsample,
                layers.LocalResponseNorm)
ELEMENTWISE = tuple(getattr(layers, name) for name in (
    "ReLU ReLU6 ELU SELU CELU GELU SiLU Mish Sigmoid LogSigmoid Tanh Hardtanh Hardswish Hardsigmoid Hardshrink "
    "Softshrink Tanhshrink Softplus Softsign LeakyReLU RReLU Threshold MaxPool1d MaxPool2d MaxPool3d AvgPool1d "
    "AvgPool2d AvgPool3d AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d "
    "AdaptiveMaxPool3d LPPool1d LPPool2d LPPool3d ZeroPad1d ZeroPad2d ZeroPad3d ReflectionPad1d ReflectionPad2d "
    "ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ConstantPad1d ConstantPad2d ConstantPad3d "
    "CircularPad1d CircularPad2d CircularPad3d").split() if hasattr(layers, name))


@dataclass
class Change:
    """What shall become of one layer: maps of the dimensions of its tensors, and its new settings."""
    layer: object
    tensors: dict = field(default_factory=dict)     # name -> {dimension: map}
    settings: dict = field(default_factory=dict)    # name -> value
    # name -> what new entries hold, an array of the new shape; zeros if not there
    fill: dict = field(default_factory=dict)
    scale: dict = field(default_factory=dict)       # name -> (dimension, factors): Net2Net's shares of copied units


# which dimension of which tensor

def _owns(layer, *names):
    return [name for name in names if isinstance(getattr(layer, name, None), Tensor)]


def outputs(layer):
    """{tensor: dimension of the units}, and how many units, of a layer that makes them."""
    if isinstance(layer, (layers.Linear, layers.Bilinear)):
        return dict.fromkeys(_owns(layer, "weight", "bias"), 0), layer.out_features
    if isinstance(layer, _ConvNd):
        if layer.groups != 1:
            raise ValueError(f"a convolution in {layer.groups} groups can't be resized by itself: its units are bound "
                             f"to its inputs")
        found = dict.fromkeys(_owns(layer, "weight", "bias"), 0)
        return (found | {"weight": 1} if layer.transposed else found), layer.out_channels
    if isinstance(layer, layers.Embedding):
        return {"weight": 1}, layer.embedding_dim
    raise TypeError(f"{type(layer).__name__} can't be widened or pruned\n  fix: give a Linear, a convolution or an "
                    f"Embedding")


def _output_change(layer, units):
    found, n = outputs(layer)
    setting = ("out_channels" if isinstance(layer, _ConvNd) else "embedding_dim" if isinstance(layer, layers.Embedding)
               else "out_features")
    return Change(layer, {name: {dim: units} for name, dim in found.items()}, {setting: len(units)}), n


def _is_depthwise(layer):
    return isinstance(layer, _ConvNd) and layer.groups > 1 and layer.groups == layer.in_channels == layer.out_channels


def _each_change(layer, units, n, how):
    """A layer that treats every unit by itself: a norm, PReLU, a depthwise convolution. None if it isn't one."""
    size = len(units)
    if isinstance(layer, _NormBase):
        _expect(layer, layer.num_features, n)
        names = _owns(layer, "weight", "bias", "running_mean", "running_var")
        change = Change(layer, {name: {0: units} for name in names}, {"num_features": size})
        change.fill = {name: np.ones(size) for name in names if name in ("weight", "running_var")}
        return change
    if isinstance(layer, layers.PReLU):
        if layer.num_parameters == 1:
            return Change(layer)
        _expect(layer, layer.num_parameters, n)
        return Change(layer, {"weight": {0: units}}, {"num_parameters": size}, {"weight": np.full(size, 0.25)})
    if _is_depthwise(layer):
        _expect(layer, layer.in_channels, n)
        return Change(layer, {name: {0: units} for name in _owns(layer, "weight", "bias")},
                      {"in_channels": size, "out_channels": size, "groups": size},
                      _starting(layer, units, "out_channels"))
    if isinstance(layer, (layers.LayerNorm, layers.RMSNorm, layers.GroupNorm)):
        return _mixing_change(layer, units, n, how)
    return None


def _mixing_change(layer, units, n, how):
    """A norm over several units: what it computes changes with their number."""
    if how in ("zeros", "copies"):
        raise ValueError(f"{type(layer).__name__} mixes all units, so that new ones change what the others become\n  "
                         f"fix: pass how='random'")
    grouped = isinstance(layer, layers.GroupNorm)
    if grouped:
        _expect(layer, layer.num_channels, n)
        if len(units) % layer.num_groups:
            raise ValueError(f"{len(units)} channels can't be split into the {layer.num_groups} groups of {layer}")
        settings = {"num_channels": len(units)}
    else:
        _expect(layer, layer.normalized_shape[-1], n)
        settings = {"normalized_shape": (*layer.normalized_shape[:-1], len(units))}
    last = 0 if grouped else len(layer.normalized_shape) - 1
    names = _owns(layer, "weight", "bias")
    shape = (len(units),) if grouped else settings["normalized_shape"]
    return Change(layer, {name: {last: units} for name in names}, settings, {"weight": np.ones(shape)}
                  if "weight" in names else {})


def _expect(layer, has, wanted):
    if has != wanted:
        raise ValueError(f"{layer} takes {has} units, the layer before it makes {wanted}")


def _input_change(layer, units, n, how):
    """A layer that takes the units as its inputs; None if it isn't one that is known."""
    size = len(units)
    if isinstance(layer, (layers.Linear,)):
        block, rest = divmod(layer.in_features, n)
        if rest or not block:
            raise ValueError(f"{layer} takes {layer.in_features} features, which is not a multiple of the {n} units "
                             f"before it")
        # of a flattened image, channel by channel
        columns = [u * block + k if u >= 0 else -1 for u in units for k in range(block)]
        change = Change(layer, {"weight": {1: columns}}, {"in_features": len(columns)})
    elif isinstance(layer, _ConvNd):
        if layer.groups != 1:
            raise ValueError(f"{layer} works in groups: its inputs can't be resized")
        _expect(layer, layer.in_channels, n)
        columns, change = units, Change(layer, {"weight": {0 if layer.transposed else 1: units}}, {"in_channels": size})
    elif isinstance(layer, RNNBase):
        _expect(layer, layer.input_size, n)
        names = [name for name in layer._parameters if name.startswith("weight_ih_l0")]
        columns, change = units, Change(layer, {name: {1: units} for name in names}, {"input_size": size})
    else:
        return None
    if how == "random":
        change.fill = {name: _draw(getattr(layer, name), dims) for name, dims in change.tensors.items()}
    elif how == "copies":
        shares = np.bincount([c for c in columns if c >= 0], minlength=1)
        factors = np.array([1.0 / shares[c] for c in columns])
        change.scale = {name: (next(iter(dims)), factors) for name, dims in change.tensors.items()}
    return change


def _draw(value, maps):
    """Random entries of the size of those that are there: uniform with the same mean square."""
    shape = [len(maps[d]) if d in maps else s for d, s in enumerate(value.shape)]
    spread = float((value.detach().double() ** 2).mean()) ** 0.5 * 3 ** 0.5 if value.numel() else 0.0
    return value.detach().new_empty(shape).uniform_(-spread, spread)._array


def _starting(layer, units, setting):
    """What a new layer of this kind and the new size starts with, for its own new rows."""
    made = copy.copy(layer)
    made.__dict__["_parameters"] = dict(layer._parameters)
    found = {}
    names, _ = (dict.fromkeys(_owns(layer, "weight", "bias"), 0), 0) if _is_depthwise(layer) else outputs(layer)
    made.__dict__[setting] = len(units)
    for name, dim in names.items():
        old = getattr(layer, name)
        shape = [len(units) if d == dim else s for d, s in enumerate(old.shape)]
        found[name] = made._parameters[name] = Parameter(old.detach().new_empty(shape), False)
    made.reset_parameters()
    return {name: p._array for name, p in found.items()}


# which layers follow

def _flat(module):
    """The layers of nested Sequentials, in order."""
    if isinstance(module, layers.Sequential):
        return [leaf for child in module for leaf in _flat(child)]
    return [module]


def _after(model, layer):
    """The layers that come after one in the outermost Sequential around it."""
    found = None
    for module in model.modules():
        if isinstance(module, layers.Sequential):
            row = _flat(module)
            if any(each is layer for each in row) and (found is None or len(row) > len(found)):
                found = row
    if found is None:
        return None
    if sum(each is layer for each in found) > 1:
        raise ValueError("the layer is used more than once in its Sequential\n  fix: resize the layers one by one with "
                         "followers=[...]")
    return found[next(i for i, each in enumerate(found) if each is layer) + 1:]


def _followers(model, layer, given):
    """The layers that must change with this one."""
    if given is not None:
        return [model.get_submodule(f) if isinstance(f, str) else f for f in ([given] if isinstance(given, str)
                                                                              else given)]
    row = _after(model, layer)
    advice = "\n  fix: name the layers that take its output: followers=['bn1', 'fc2'], or () if there are none"
    if row is None:
        raise ValueError(f"{layer} doesn't stand in a Sequential, so it can't be seen what takes its output" + advice)
    found = []
    for each in row:
        if isinstance(each, SEES_THROUGH + ELEMENTWISE) and not isinstance(each, layers.PReLU):
            continue
        found.append(each)
        if isinstance(each, (layers.Linear, RNNBase)) or isinstance(each, _ConvNd) and not _is_depthwise(each):
            return found
        if (not isinstance(each, (_NormBase, layers.PReLU, layers.LayerNorm, layers.RMSNorm, layers.GroupNorm))
            and not _is_depthwise(each)):
            raise ValueError(f"it can't be seen what {type(each).__name__} does with the units of {layer}" + advice)
    raise ValueError(f"no layer after {layer} in its Sequential takes its units" + advice)


def _plan(model, layer, units, how, followers):
    """The changes of a layer and of all that follow, checked."""
    following = _followers(model, layer, followers)
    for each in (layer, *following):
        _check_ordinary(each)
    own, n = _output_change(layer, units)
    if how != "copies":
        setting = next(iter(own.settings))
        own.fill = _starting(layer, units, setting) if any(u < 0 for u in units) else {}
    changes = [own]
    for each in following:
        change = _each_change(each, units, n, how) or _input_change(each, units, n, how)
        if change is None:
            raise TypeError(f"{type(each).__name__} can't be resized with the layer before it\n  fix: give Linear, "
                            f"convolution or norm layers")
        changes.append(change)
    _check_shared(model, changes)
    return changes


def _check_ordinary(layer):
    """Refuse tensors that are computed, or have no size yet."""
    for name in _owns(layer, "weight", "bias"):
        if name not in layer._parameters:
            raise ValueError(f"{name} of {type(layer).__name__} is computed (parametrized, normalised or pruned)\n  "
                             f"fix: remove that first")
        if is_lazy(layer._parameters[name]):
            raise ValueError(f"{layer} has no size yet\n  fix: run the model once before")


def _check_shared(model, changes):
    for change in changes:
        for name in change.tensors:
            value = getattr(change.layer, name)
            count = sum(p is value for module in model.modules() for p in module._parameters.values())
            if isinstance(value, Parameter) and count > 1:
                raise ValueError(f"{name} of {change.layer} is tied to another parameter\n  fix: untie(model, path) "
                                 f"first")


# doing it

def _apply(changes):
    for change in changes:
        for name, maps in change.tensors.items():
            _resize(change.layer, name, maps, change.fill.get(name), change.scale.get(name))
        for name, value in change.settings.items():
            change.layer.__dict__[name] = value
    EDITS.count += 1


def _taken(array, maps, fill):
    """An array along the maps; new entries from `fill`, an array of the new shape, or zero."""
    for dim, units in maps.items():
        units = np.asarray(units, np.int64)
        array = np.take(array, np.maximum(units, 0), axis=dim) if array.shape[dim] else np.zeros(
            [len(units) if d == dim else s for d, s in enumerate(array.shape)], array.dtype)
    for dim, units in maps.items():
        new = np.flatnonzero(np.asarray(units) < 0)
        if new.size:
            where = (slice(None),) * dim + (new,)
            array[where] = 0 if fill is None else fill[where]
    return array


def _resize(layer, name, maps, fill, scale):
    """Replace a parameter or buffer by one of the mapped size, without a gradient, and note where it came from."""
    old = getattr(layer, name)
    array = np.array(_taken(old.detach()._array, maps, fill), order="C")
    if scale is not None:
        dim, factors = scale
        array *= factors.reshape([-1 if d == dim else 1 for d in range(array.ndim)]).astype(array.dtype)
    if not isinstance(old, Parameter):
        layer._buffers[name] = wrap(array)
        return
    made = Parameter(wrap(array), requires_grad=old.requires_grad)
    note_origin(made, old, tuple(_once(maps[d]) if d in maps else None for d in range(old.dim())))
    layer._parameters[name] = made


def _once(units):
    """A map in which every old unit is taken once: copies of it have a state of their own, which starts clean."""
    seen, made = set(), []
    for u in units:
        made.append(-1 if u in seen else u)
        seen.add(u)
    return made


# the public ones

def widen(model, path, features, *, followers=None, how="zeros"):
    """Give the Linear, convolution or Embedding at `path` more units, and all that take its output more inputs.

    how="zeros" (what the model computes stays the same): new units start as those of a new layer, the next layer
    doesn't listen to them yet; "copies" (the same): new units are copies of random ones, which share their influence;
    "random": new entries everywhere. `followers` are the paths of the norms and layers that take the output; in a
    Sequential they are found.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 3), weft.nn.ReLU(), weft.nn.Linear(3, 1))
    >>> weft.nn.utils.surgery.widen(net, "0", 8)
    >>> net[0], net[2]
    (Linear(in_features=2, out_features=8, bias=True), Linear(in_features=8, out_features=1, bias=True))
    """
    if how not in HOW:
        raise ValueError(f"how must be one of {', '.join(HOW)}, not {how!r}")
    layer = model.get_submodule(path)
    _, n = outputs(layer)
    extra = int(features) - n
    if extra < 0:
        raise ValueError(f"widen: {layer} has {n} units, more than {features}\n  fix: prune_units(model, '{path}', "
                         f"...)")
    copied = tensor(0).new_empty(extra).random_(0, n).tolist() if how == "copies" and n else [-1] * extra
    changes = _plan(model, layer, [*range(n), *copied], how, followers)
    with no_grad():
        _apply(changes)


def prune_units(model, path, units=None, *, amount=None, norm=2, followers=None):
    """Take units out of the layer at `path`, and the inputs for them out of all that take its output; the numbers of
    those taken out.

    Either `units` lists them, or `amount`, a number or a fraction, says how many of those with the smallest weights (by
    this norm).

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Linear(2, 4), weft.nn.ReLU(), weft.nn.Linear(4, 1))
    >>> weft.nn.utils.surgery.prune_units(net, "0", [1])
    [1]
    >>> net[0], net[2]
    (Linear(in_features=2, out_features=3, bias=True), Linear(in_features=3, out_features=1, bias=True))
    """
    layer = model.get_submodule(path)
    found, n = outputs(layer)
    if (units is None) == (amount is None):
        raise ValueError("prune_units: give either units or amount")
    if units is None:
        units = _smallest(layer.weight.detach(), found["weight"], n, amount, norm)
    gone = {int(u) + (n if int(u) < 0 else 0) for u in units}
    if any(not 0 <= u < n for u in gone):
        raise IndexError(f"prune_units: {layer} has units 0 to {n - 1}, got {sorted(map(int, units))}")
    if len(gone) == n:
        raise ValueError(f"prune_units: nothing would be left of {layer}\n  fix: remove(model, '{path}')")
    changes = _plan(model, layer, [u for u in range(n) if u not in gone], "pruned", followers)
    with no_grad():
        _apply(changes)
    return sorted(gone)


def _smallest(weight, dim, n, amount, norm):
    if isinstance(amount, float) and not 0 <= amount <= 1 or amount < 0:
        raise ValueError(f"amount must be a number of units, or a fraction from 0 to 1, not {amount}")
    count = round(amount * n) if isinstance(amount, float) else int(amount)
    rows = weight.movedim(dim, 0).reshape(n, -1).double()
    return rows.norm(norm, dim=1).argsort(stable=True)[:count].tolist()


def resize_embedding(model, path, num_embeddings):
    """Give the Embedding at `path` more or fewer rows; a Linear with the same weight (a tied output layer) goes along,
    with its bias.

    >>> import weft
    >>> net = weft.nn.Sequential(weft.nn.Embedding(10, 4))
    >>> _ = weft.nn.utils.surgery.resize_embedding(net, "0", 12)
    >>> net[0]
    Embedding(12, 4)
    """
    table = model.get_submodule(path)
    if not isinstance(table, (layers.Embedding, layers.EmbeddingBag)):
        raise TypeError(f"resize_embedding: '{path}' is a {type(table).__name__}, not an Embedding")
    n, weight = table.num_embeddings, table.weight
    if table.padding_idx is not None and table.padding_idx >= num_embeddings:
        raise ValueError(f"resize_embedding: row {table.padding_idx} is the padding and must stay")
    rows = [i if i < n else -1 for i in range(int(num_embeddings))]
    sharing = [m for m in model.modules() if m is not table and any(p is weight for p in m._parameters.values())]
    others = [m for m in sharing if not isinstance(m, (layers.Embedding, layers.EmbeddingBag, layers.Linear))]
    if others:
        raise TypeError(f"resize_embedding: the weight is tied to a {type(others[0]).__name__}\n  fix: untie it first")
    fill = weight.detach().new_empty((len(rows), weight.size(1))).normal_()._array
    with no_grad():
        _resize(table, "weight", {0: rows}, fill, None)
        table.__dict__["num_embeddings"] = len(rows)
        for m in sharing:
            m._parameters["weight"] = table.weight
            m.__dict__["out_features" if isinstance(m, layers.Linear) else "num_embeddings"] = len(rows)
            if getattr(m, "bias", None) is not None:
                _resize(m, "bias", {0: rows}, None, None)
    EDITS.count += 1
