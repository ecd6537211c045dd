"""`freeze`: a script whose parameters and attributes are constants, with what evaluation doesn't need folded away."""
import ast
import copy
import types

import weft
from weft.jit import _allowed, _source
from weft.jit._script import RecursiveScriptModule, ScriptModule, original_class
from weft.jit._trace import TracedModule
from weft.jit._values import Refused
from weft.nn.module import Module
from weft.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

__all__ = ["freeze", "optimize_for_inference", "run_frozen_optimizations"]
NORMS = (weft.nn.BatchNorm1d, weft.nn.BatchNorm2d, weft.nn.BatchNorm3d)
CONVOLUTIONS = (weft.nn.Conv1d, weft.nn.Conv2d, weft.nn.Conv3d, weft.nn.ConvTranspose1d, weft.nn.ConvTranspose2d,
                weft.nn.ConvTranspose3d)
DROPOUTS = (weft.nn.Dropout, weft.nn.Dropout1d, weft.nn.Dropout2d, weft.nn.Dropout3d, weft.nn.AlphaDropout,
            weft.nn.FeatureAlphaDropout)


class FrozenModule(RecursiveScriptModule):
    """What `freeze` gives: it has no parameters, buffers or modules, and only the attributes that were to be kept."""

    def __init__(self, inner, preserved=()):
        super().__init__()
        vars(self).update(_frozen=inner, _preserved=tuple(preserved), training=False,
                          _original_name=inner.original_name)

    def forward(self, *args, **kwargs):
        """Run it.

        >>> import weft
        >>> frozen = weft.jit.freeze(weft.jit.script(weft.nn.ReLU().eval()))
        >>> frozen.forward(weft.tensor([-1.]))
        tensor([0.])
        """
        return self._frozen(*args, **kwargs)

    def train(self, mode=True):
        """Nothing changes: a frozen module is in eval mode for good.

        >>> import weft
        >>> weft.jit.freeze(weft.jit.script(weft.nn.ReLU().eval())).train().training
        False
        """
        return self

    @property
    def code(self):
        """The program of forward.

        >>> import weft
        >>> "ReLU" in weft.jit.freeze(weft.jit.script(weft.nn.ReLU().eval())).code
        True
        """
        return self._frozen.code

    @property
    def graph(self):
        """The program of forward as a graph, to be printed."""
        return self._frozen.graph

    inlined_graph = graph

    def __getattr__(self, name):
        if name in self.__dict__.get("_preserved", ()):
            return getattr(self._frozen, name)
        return super().__getattr__(name)

    def __setattr__(self, name, value):
        if name in self.__dict__.get("_preserved", ()):
            setattr(self._frozen, name, value)
        else:
            super().__setattr__(name, value)


def freeze(mod, preserved_attrs=None, optimize_numerics=True):
    """A copy of a scripted or traced module in eval mode whose parameters and attributes are constants.

    preserved_attrs: names of attributes and methods that stay. Dropout goes away; with optimize_numerics batch norms
    are folded into the convolutions and linear layers before them (results differ by rounding).

    >>> import weft
    >>> from weft import nn
    >>> net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Dropout()).eval()
    >>> frozen = weft.jit.freeze(weft.jit.script(net))
    >>> list(frozen.parameters()), weft.allclose(frozen(weft.ones(1, 1, 3, 3)), net(weft.ones(1, 1, 3, 3)), atol=1e-6)
    ([], True)
    """
    if not isinstance(mod, ScriptModule):
        raise RuntimeError("Freezing expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace "
                           "to script your 'nn.Module'.")
    if isinstance(mod, FrozenModule):
        return mod
    if mod.training:
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() on "
                           "your module before freezing.")
    preserved = list(preserved_attrs or ())
    for name in preserved:
        if not hasattr(mod, name):
            raise RuntimeError(f"Unknown name: {name}")
    inner = copy.deepcopy(mod)
    for parameter in inner.parameters():
        parameter.requires_grad_(False)
    if optimize_numerics:
        fold_norms(inner, {name.partition(".")[0] for name in preserved})
    drop_dropout(inner)
    return FrozenModule(inner, preserved)


def optimize_for_inference(mod, other_methods=None):
    """freeze(mod.eval()): what follows is done when it runs, by capture.

    >>> import weft
    >>> weft.jit.optimize_for_inference(weft.jit.script(weft.nn.ReLU()))(weft.tensor([-1.]))
    tensor([0.])
    """
    if not isinstance(mod, ScriptModule):
        raise RuntimeError("optimize_for_inference expects a ScriptModule as input. Please use torch.jit.script or "
                           "torch.jit.trace to script your 'nn.Module'.")
    return mod if isinstance(mod, FrozenModule) else freeze(mod.eval(), other_methods)


def run_frozen_optimizations(mod, optimize_numerics=True, preserved_methods=None):
    """Nothing is left to do: `freeze` did it.

    >>> import weft
    >>> weft.jit.run_frozen_optimizations(weft.jit.freeze(weft.jit.script(weft.nn.ReLU().eval())))
    """


def drop_dropout(root):
    """Dropout in eval mode gives its input: an Identity takes its place in containers."""
    for module in list(root.modules()):
        if isinstance(module, weft.nn.Sequential):
            for name, child in list(module._modules.items()):
                if isinstance(child, DROPOUTS) and not child.training:
                    module._modules[name] = weft.jit.script(weft.nn.Identity().eval())


def fold_norms(root, kept=()):
    """Fold each batch norm whose only input is a convolution's or linear layer's output into that one. What stands
    under a name in `kept` stays as it is, and so does what other code may look into.
    """
    uses = {}
    for module in root.modules():
        for child in module._modules.values():
            uses[id(child)] = uses.get(id(child), 0) + 1
    for module in _only_called(root, kept):
        for first, second in _pairs(module):
            a, b = module._modules.get(first), module._modules.get(second)
            if module is root and (first in kept or second in kept) or uses.get(id(a)) != 1 or uses.get(id(b)) != 1:
                continue
            folded = _folded(a, b)
            if folded is not None:
                module._modules[first] = weft.jit.script(folded)
                module._modules[second] = weft.jit.script(weft.nn.Identity().eval())


def _only_called(root, kept):
    """The modules of which nothing but their result is used: the root, and what such a one calls and does nothing else
    with.
    """
    found, pending = [], [root]
    while pending:
        module = pending.pop()
        if isinstance(module, TracedModule):
            continue
        found.append(module)
        if _is_sequential(module):
            names = list(module._modules)
        else:
            trees = _trees(module)
            uses, calls = _uses(trees), {}
            for tree in trees:
                for node in ast.walk(tree):
                    name = _called(node, tree, any_number=True)
                    if name is not None:
                        calls[name] = calls.get(name, 0) + 1
            names = [name for name in module._modules if uses.get(name, 0) == calls.get(name, 0) > 0]
        pending += [module._modules[name] for name in names if module._modules[name] is not None
                    and not (module is root and name in kept)]
    return found


def _is_sequential(module):
    return isinstance(module, weft.nn.Sequential) and original_class(module) is weft.nn.Sequential


def _uses(trees):
    """How often each attribute of self stands in a module's methods."""
    uses = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and _is_self(node.value, tree):
                uses[node.attr] = uses.get(node.attr, 0) + 1
    return uses


def _folded(a, b):
    """One layer for a linear one and the batch norm behind it, or None."""
    if not isinstance(b, NORMS) or b.training or b.running_mean is None:
        return None
    plain = original_class(a) if isinstance(a, ScriptModule) else type(a)
    if plain in CONVOLUTIONS and getattr(a, "padding_mode", "zeros") == "zeros":
        fused = fuse_conv_bn_eval(a, b, transpose=plain.__name__.startswith("ConvTranspose"))
    elif plain is weft.nn.Linear and isinstance(b, weft.nn.BatchNorm1d):
        fused = fuse_linear_bn_eval(a, b)
    else:
        return None
    for parameter in fused.parameters():
        parameter.requires_grad_(False)
    return fused


def _pairs(module):
    """(first, second): names of children of which the second gets the first's output, and nobody else does."""
    if _is_sequential(module):
        names = list(module._modules)
        return list(zip(names, names[1:]))
    trees = _trees(module)
    uses = _uses(trees)
    if uses.keys() & WALKERS:
        return []
    found = [pair for tree in trees for pair in (*_nested(tree), *_in_a_row(tree))]
    return [(a, b) for a, b in found if uses.get(a) == uses.get(b) == 1]


WALKERS = {"children", "modules", "named_children", "named_modules", "_modules", "get_submodule", "apply"}


def _trees(module):
    """The methods of a user's module, or nothing where they can't be read."""
    cls = original_class(module)
    if _source.is_layer(cls):
        return []
    if hasattr(module, "_script_class"):
        return [f.tree for f in module._script_class.methods.values()]
    found = []
    for one in cls.__mro__:
        if one is Module or _allowed.home(one).startswith(("weft.jit.", "weft.nn.")) or one is object:
            continue
        for value in vars(one).values():
            function = _source.plain_function(value.fget if isinstance(value, property) else value)
            if isinstance(function, types.FunctionType) and function.__name__ != "__init__":
                try:
                    found.append(_source.read_source(function))
                except Refused:
                    return []
    return found


def _is_self(node, tree):
    return isinstance(node, ast.Name) and bool(tree.args.args) and node.id == tree.args.args[0].arg


def _called(node, tree, any_number=False):
    """"conv" of self.conv(one argument), or of (self.conv).forward(it); None for anything else."""
    if not isinstance(node, ast.Call) or not any_number and (len(node.args) != 1 or node.keywords):
        return None
    target = node.func
    if isinstance(target, ast.Attribute) and target.attr == "forward" and isinstance(target.value, ast.Attribute):
        target = target.value
    return target.attr if isinstance(target, ast.Attribute) and _is_self(target.value, tree) else None


def _nested(tree):
    """self.norm(self.conv(x))"""
    for node in ast.walk(tree):
        outer = _called(node, tree)
        inner = _called(node.args[0], tree) if outer is not None else None
        if inner is not None:
            yield inner, outer


def _in_a_row(tree):
    """x = self.conv(x), and then x = self.norm(x)"""
    for block in ast.walk(tree):
        body = getattr(block, "body", None)
        for one, two in zip(body, body[1:]) if isinstance(body, list) else ():
            if type(one) is not ast.Assign or type(two) is not ast.Assign or len(one.targets) + len(two.targets) != 2:
                continue
            name, again = one.targets[0], two.targets[0]
            first, second = _called(one.value, tree), _called(two.value, tree)
            if first and second and isinstance(name, ast.Name) and isinstance(again, ast.Name) and name.id == again.id \
                    and isinstance(two.value.args[0], ast.Name) and two.value.args[0].id == name.id:
                yield first, second
