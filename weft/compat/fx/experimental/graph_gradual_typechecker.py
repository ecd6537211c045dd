"""Shapes of a graph's values from annotations of some of them, without running it: what can't be right is an error."""
import math
import operator

import weft
from weft import nn
from weft.core.errors import fail
from weft.fx.experimental.refinement_types import Equality
from weft.fx.node import Node, map_arg
from weft.fx.paths import found_at
from weft.fx.tensor_type import Dyn, TensorType, is_consistent, is_more_precise

__all__ = ["GraphTypeChecker", "Refine", "broadcast_types"]


# types

def broadcast_types(t1, t2):
    """Two types as broadcasting makes them: of as many dimensions, a 1 being the other one's size."""
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        if Dyn in (t1, t2):
            return t1, t2
        fail(TypeError, f"values of types {t1} and {t2} can't be broadcast", "annotate them with TensorType")
    n = max(len(t1.dims), len(t2.dims))
    pairs = list(zip(_padded(t1, n), _padded(t2, n)))
    return (TensorType(tuple(b if a == 1 else a for a, b in pairs)),
            TensorType(tuple(a if b == 1 else b for a, b in pairs)))


def _padded(kind, n):
    return (1,) * (n - len(kind.dims)) + tuple(kind.dims)


def _joined(node, found):
    """What a node's annotation and the type that was found say together."""
    said = _type_of(node)
    if not is_consistent(said, found):
        fail(TypeError, f"{node} is annotated as {said}, but its type is {found}", "correct the annotation")
    if not (isinstance(said, TensorType) and isinstance(found, TensorType)):
        return said if found is Dyn else found
    return TensorType(tuple(b if a is Dyn else a for a, b in zip(said.dims, found.dims)))


def _type_of(value):
    if isinstance(value, Node):
        return Dyn if value.type is None else value.type
    return type(value)


def _dims(node, counts, who):
    """The dimensions of a node's type; a type that isn't known becomes one of so many unknown dimensions."""
    kind = _type_of(node)
    if kind is Dyn and len(counts) == 1:
        node.type = kind = TensorType((Dyn,) * counts[0])
    if kind is Dyn:
        return None
    if not isinstance(kind, TensorType) or len(kind.dims) not in counts:
        fail(TypeError, f"{who} takes {' or '.join(map(str, counts))} dimensions, {node} is of type {kind}",
             "correct the annotation")
    return tuple(kind.dims)


def _need(size, wanted, who):
    if not is_consistent(size, wanted):
        fail(TypeError, f"{who} takes {wanted} there, the type says {size}", "correct the annotation or the layer")


# functions

def _is_number(kind):
    return kind in (int, float, bool, complex)


def _add(node, called):
    t1, t2 = map(_type_of, node.args[:2])
    if _is_number(t1) or _is_number(t2):
        return t2 if _is_number(t1) else t1
    new1, new2 = broadcast_types(t1, t2)
    node.meta["broadcast"] = (new1, new2) != (t1, t2)
    if not is_consistent(new1, new2):
        fail(TypeError, f"{node}: values of types {t1} and {t2} can't be added", "correct the annotations")
    return new2 if is_more_precise(new1, new2) else new1


def _reshape(node, called):
    given = _type_of(node.args[0])
    found = TensorType(tuple(Dyn if size == -1 else size for size in node.args[1]))
    if given is not Dyn:
        before, after = (math.prod(d for d in kind.dims if d is not Dyn) for kind in (given, found))
        fits = before == after if Dyn not in (*given.dims, *found.dims) else \
            after and before % after == 0 or before and after % before == 0
        if not fits:
            fail(TypeError, f"{node}: {given} can't be reshaped to {found}", "correct the annotation")
    return found


def _transpose(node, called):
    given = _type_of(node.args[0])
    if given is Dyn:
        return Dyn
    dims, (i, j) = list(given.dims), node.args[1:3]
    if not all(-len(dims) <= d < len(dims) for d in (i, j)):
        fail(TypeError, f"{node}: dimensions {i} and {j} of {given}, which has {len(dims)}", "correct the annotation")
    dims[i], dims[j] = dims[j], dims[i]
    return TensorType(tuple(dims))


def _range(node, count):
    """Where a flatten starts and where it ends."""
    args = (*node.args[1:], None, None)
    start = node.kwargs.get("start_dim", 0) if args[0] is None else args[0]
    end = node.kwargs.get("end_dim", -1) if args[1] is None else args[1]
    return start % count, end % count


def _flatten(node, called):
    given = _type_of(node.args[0])
    if given is Dyn:
        return Dyn
    dims = tuple(given.dims)
    start, end = _range(node, len(dims))
    inside = dims[start:end + 1]
    return TensorType((*dims[:start], Dyn if Dyn in inside else math.prod(inside), *dims[end + 1:]))


def _same(node, called):
    given = node.args[0]
    found = _joined(node, _type_of(given))
    given.type = found
    return found


# layers

def _batch_norm(node, layer):
    _need(_dims(node.args[0], (4,), "BatchNorm2d")[1], layer.num_features, "BatchNorm2d")
    found = _joined(node, node.args[0].type)
    _need(found.dims[1], layer.num_features, "BatchNorm2d")
    return found


def _pair(value):
    return tuple(value) if isinstance(value, (tuple, list)) else (value, value)


def _window(size, layer, i):
    """The size that a layer with a window gives for a size, a number or symbol, along height (0) or width (1)."""
    if size is Dyn or layer.padding == "same":
        return size
    padding = 0 if layer.padding == "valid" else _pair(layer.padding)[i]
    dilation, kernel, stride = (_pair(v)[i] for v in (layer.dilation, layer.kernel_size, layer.stride))
    covered = size + 2 * padding - dilation * (kernel - 1) - 1
    if not getattr(layer, "ceil_mode", False):
        return covered // stride + 1
    steps = -(-covered // stride)
    return steps if isinstance(size, int) and steps * stride >= size + padding else steps + 1


def _conv(node, layer):
    n, channels, *sizes = _dims(node.args[0], (4,), "Conv2d")
    _need(channels, layer.in_channels, "Conv2d")
    return TensorType((n, layer.out_channels, *(_window(size, layer, i) for i, size in enumerate(sizes))))


def _max_pool(node, layer):
    dims = _dims(node.args[0], (3, 4), "MaxPool2d")
    if dims is None:
        return Dyn
    return TensorType((*dims[:-2], *(_window(size, layer, i) for i, size in enumerate(dims[-2:]))))


def _adaptive_pool(node, layer):
    dims = _dims(node.args[0], (3, 4), "AdaptiveAvgPool2d")
    if dims is None:
        return Dyn
    sizes = [old if new is None else new for old, new in zip(dims[-2:], _pair(layer.output_size))]
    return TensorType((*dims[:-2], *sizes))


def _linear(node, layer):
    given = _type_of(node.args[0])
    if given is Dyn:
        return Dyn
    _need(given.dims[-1], layer.in_features, "Linear")
    return TensorType((*given.dims[:-1], layer.out_features))


FUNCTIONS = {weft.add: _add, operator.add: _add, operator.iadd: _add, weft.reshape: _reshape,
             weft.transpose: _transpose, weft.flatten: _flatten}
LAYERS = {nn.BatchNorm2d: _batch_norm, nn.Conv2d: _conv, nn.MaxPool2d: _max_pool, nn.ReLU: _same,
          nn.AdaptiveAvgPool2d: _adaptive_pool, nn.Linear: _linear}


class GraphTypeChecker:
    """Writes on each node of a traced module its type, as far as it is known; `env` has types by nodes' names."""

    def __init__(self, env, traced):
        self.env, self.traced = env, traced

    def type_check(self):
        """True; a TypeError says where types can't be."""
        for node in self.traced.graph.nodes:
            self.type_check_node(node)
        return True

    def type_check_node(self, n):
        """The type of one node, which is written on it."""
        if n.type is None:
            n.type = self.env.get(n.name, Dyn)
        if n.op == "output":
            n.type = map_arg(n.args[0], _type_of)
        elif n.op == "get_attr":
            value = found_at(self.traced, n.target)
            n.type = TensorType(tuple(value.shape)) if isinstance(value, weft.Tensor) else Dyn
        elif n.op in ("call_function", "call_module"):
            rule, called = _rule(n, self.traced, FUNCTIONS, LAYERS)
            if rule is None:
                fail(RuntimeError, f"there is no type inference rule for {n.op} {n.target}", "annotate what follows it")
            found = rule(n, called)
            n.type = found if rule is _add else _joined(n, found)
        elif n.op == "call_method":
            fail(RuntimeError, f"there is no type inference rule for the method {n.target}",
                 "call the function of that name")
        return n.type


def _rule(node, traced, functions, layers):
    if node.op == "call_function":
        return functions.get(node.target), node.target
    layer = traced.get_submodule(node.target)
    return layers.get(type(layer)), layer


# equations between dimensions

def _add_equations(node):
    types = [_type_of(value) for value in (*node.args[:2], node)]
    if not all(isinstance(kind, TensorType) for kind in types):
        return
    n = len(types[2].dims)
    for a, b, out in zip(*(_padded(kind, n) for kind in types)):
        if a == b or a == 1 or b == 1:
            yield Equality(b if a == 1 else a, out)
        elif isinstance(a, int) and isinstance(b, int):
            yield Equality(a, out)


def _flatten_equations(node):
    given, found = node.args[0].type, node.type
    if isinstance(given, TensorType) and isinstance(found, TensorType):
        start, end = _range(node, len(given.dims))
        kept = len(given.dims) - 1 - end
        yield from map(Equality, given.dims[:start], found.dims[:start])
        yield from map(Equality, given.dims[end + 1:], found.dims[len(found.dims) - kept:])


def _transpose_equations(node):
    swapped = _transpose(node, None)
    if isinstance(swapped, TensorType) and isinstance(node.type, TensorType):
        yield from map(Equality, swapped.dims, node.type.dims)


def _equal(dims):
    """Equations of some dimensions of what goes into a node and of what comes out."""
    def equations(node):
        given, found = node.args[0].type, node.type
        if isinstance(given, TensorType) and isinstance(found, TensorType):
            yield from map(Equality, given.dims[dims], found.dims[dims])
    return equations


EQUATIONS = {weft.add: _add_equations, operator.add: _add_equations, operator.iadd: _add_equations,
             weft.flatten: _flatten_equations, weft.transpose: _transpose_equations}
LAYERS_EQUATIONS = {nn.BatchNorm2d: _equal(slice(None)), nn.ReLU: _equal(slice(None)), nn.Conv2d: _equal(slice(1)),
                    nn.MaxPool2d: _equal(slice(-2)), nn.AdaptiveAvgPool2d: _equal(slice(-2)),
                    nn.Linear: _equal(slice(-1))}


class Refine:
    """Symbols in place of unknown dimensions, and in `constraints` what the graph says of them."""

    def __init__(self, traced):
        self.traced, self.constraints = traced, []
        self._next = 0

    def refine(self):
        """Name the unknown dimensions and find the equations between them."""
        import sympy  # only where symbols are asked for
        for node in self.traced.graph.nodes:
            if node.op == "output":
                node.type = map_arg(node.args[0], _type_of)
            elif isinstance(node.type, TensorType):
                node.type = TensorType(tuple(self._symbol(sympy) if d is Dyn else d for d in node.type.dims))
        for node in self.traced.graph.nodes:
            if node.op in ("call_function", "call_module"):
                rule, _ = _rule(node, self.traced, EQUATIONS, LAYERS_EQUATIONS)
                self.constraints.extend(rule(node) if rule is not None else ())
        return True

    def _symbol(self, sympy):
        taken = {str(d) for node in self.traced.graph.nodes if isinstance(node.type, TensorType)
                 for d in node.type.dims if isinstance(d, sympy.Symbol)} if not self._next else ()
        while f"~{self._next}" in taken:
            self._next += 1
        self._next += 1
        return sympy.Symbol(f"~{self._next - 1}")

    def symbolic_relations(self):
        """The height and width of a convolution's result, by those that go into it."""
        import sympy  # only where symbols are asked for
        for node in self.traced.graph.nodes:
            layer = self.traced.get_submodule(node.target) if node.op == "call_module" else None
            if isinstance(layer, nn.Conv2d) and isinstance(node.type, TensorType):
                sizes = [_window(size, layer, i) if isinstance(size, sympy.Expr) else out
                         for i, (size, out) in enumerate(zip(node.args[0].type.dims[2:], node.type.dims[2:]))]
                node.type = TensorType((*node.type.dims[:2], *sizes))
        return True
