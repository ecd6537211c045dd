# compiled, -O3
"""The graph: a node for each op that ran, with its parents, what it saved, and the user's line."""
import weakref

from weft.core.errors import message, where
from weft.core.modes import GRAD_OFF
from weft.core.runtime import become, mode_bits, pure_fields, running, user_code, user_offset
from weft.tensor.tensor import Tensor, alias

COUNTER = 0
SHAPES = 10000      # slots from here on stand for the shape of parameter slot - SHAPES (ops/core/body.py)
TORCH_NAMES = {"x": "self", "y": "other", "out": "result"}     # of what a node saves
FACES = {}          # op -> function of its node that says how PyTorch shows it (autograd/faces.py)
PARTS = {}          # a name -> the class of nodes of this name that are shown and never run


def next_seq():
    """A number greater than that of every node before: a node's parents always have smaller ones."""
    global COUNTER
    COUNTER += 1
    return COUNTER


def reserve(n):
    """The first of n numbers, the last of which `next_seq` would have given."""
    global COUNTER
    COUNTER += n
    return COUNTER - n + 1


class Rule:
    """One `grad_<input>` rule and where its arguments come from.

    sources: -1 is the gradient of the (only) output, -2-k the gradient of output k, i >= 0 is saved value i.
    """

    def __init__(self, position, count, function, sources):
        self.position = position    # of its first parent among the node's parents
        self.count = count          # how many parents it serves: -1 is one tensor, else a list of that length
        self.function = function
        self.sources = sources
        self.arity = len(sources)

    def call(self, grad, values, node):
        """The gradient that the rule gives at a node."""
        if self.arity == 1 and self.sources[0] == -1:
            return self.function(grad)
        if self.arity == 2 and self.sources[0] == -1 and self.sources[1] >= 0:
            return self.function(grad, values[self.sources[1]])
        if self.arity == 3 and self.sources[0] == -1 and self.sources[1] >= 0 and self.sources[2] >= 0:
            return self.function(grad, values[self.sources[1]], values[self.sources[2]])
        return self.function(*arguments(self.sources, grad, values, node))


def lacks(slots):
    """Whether an output has no gradient."""
    for g in slots:
        if g is None:
            return True
    return False


def with_second(function, value):
    """A rule whose second argument is known beforehand."""
    def bound(grad):
        return function(grad, value)
    return bound


def arguments(sources, grad, values, node):
    """The arguments of a rule: the gradient of an output that nothing used is zeros, None if it never has one."""
    found = []
    for source in sources:
        if source >= 0:
            found.append(values[source])
        elif source == -1:
            found.append(grad)
        elif source == ALL_GRADS:
            slots = grad if isinstance(grad, list) else [grad]
            if lacks(slots):
                op = node.op        # what an op keeps for its own backward is large, and never has a gradient
                slots = [op.zeros(spec) if g is None and k not in op.nondiff else g
                         for k, (g, spec) in enumerate(zip(slots, node.out_specs))]
            found.append(slots)
        elif source == USED_GRADS:
            found.append(grad if isinstance(grad, list) else [grad])
        else:
            k = -2 - source
            g = grad[k] if isinstance(grad, list) else grad
            found.append(g if g is not None else node.op.zeros(node.out_specs[k]))
    return found


def called(function, args):
    """function(*args), without a tuple of them where they are few."""
    if len(args) == 4:
        return function(args[0], args[1], args[2], args[3])
    if len(args) == 5:
        return function(args[0], args[1], args[2], args[3], args[4])
    if len(args) == 6:
        return function(args[0], args[1], args[2], args[3], args[4], args[5])
    return function(*args)


ALL_GRADS = -1000     # the source of a rule that takes the gradients of all outputs as a list
USED_GRADS = -1001    # the same, with None for an output that nothing used


class Plan:
    """For one op and one choice of inputs that need a gradient: what to save and which rules to run."""

    def __init__(self, keep, n_params, rules, joint=None, joint_sources=(), joint_needs=False, lists=False):
        self.keep = keep                # slots: parameters first, then outputs
        self.n_params = n_params
        self.rules = rules
        self.joint = joint              # one rule that gives all gradients at once
        self.joint_sources = joint_sources
        self.joint_needs = joint_needs
        self.n_saved = len(keep)
        self.n_absent = 0               # how many of the last parents the joint rule knows nothing of
        self.counted = {}
        self.light = False              # only numbers and shapes are saved: nothing to check, pack or free
        self.lists = lists              # a parameter is a list of tensors: its rule's count is set for each node
        # what may use memory again (Run.run_thriftily): the native loop that is the rule, for the gradient and a saved
        # value, if others are what they must be, [(place, value)]; and the saved input whose gradient may replace it
        self.thrifty, self.slope, self.slope_at, self.slope_if, self.spends = False, -1, -1, (), -1


class Node:
    """One step of the graph. Public: name(), next_functions, metadata, line, module, saved, register_hook.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> node = (x * 2).grad_fn
    >>> node.name(), node.next_functions[0][0].name()
    ('MulBackward0', 'torch::autograd::AccumulateGrad')
    """

    def place(self):
        """Remember the user's line."""
        self.code = user_code()
        self.lasti = user_offset()
        self.module = running()

    def run(self, grad):
        """The gradients for the parents, given that of the output (a list of them for several outputs)."""
        return self.run_for(grad, None)

    def run_for(self, grad, wanted):
        """The same for those parents only for which `wanted` is true; None is all of them."""
        plan = self.plan
        values = self.unpack() if plan.n_saved else None
        grads = [None] * len(self.parents)
        if plan.joint is not None:
            self._run_joint(grad, values, grads, wanted)
        else:
            for rule in plan.rules:
                if wanted is not None and not any(wanted[rule.position:rule.position + max(rule.count, 1)]):
                    continue
                result = rule.call(grad, values, self)
                if rule.count < 0:
                    grads[rule.position] = result
                else:
                    grads[rule.position:rule.position + rule.count] = result
        if self.specs is not None:
            for i in range(len(grads)):
                spec = self.specs[i]
                if spec is not None and grads[i] is not None:
                    grads[i] = self.op.fit(grads[i], spec)
        return grads

    def _run_joint(self, grad, values, grads, wanted):
        args = arguments(self.plan.joint_sources, grad, values, self)
        if self.plan.joint_needs:
            needs = []
            for i in range(len(self.parents) - self.plan.n_absent):
                needs.append(self.parents[i] is not None and (wanted is None or bool(wanted[i])))
            args.append(tuple(needs))
        i = 0
        for result in called(self.plan.joint, args):
            if self.parents[i] is not None:
                grads[i] = result
            i += 1

    def unpack(self):
        """The saved values, checked against later writes, with their history when the backward is recorded itself."""
        if self.saved is None:
            raise RuntimeError(self.explain_freed())
        plan = self.plan
        if plan.light:
            return self.saved
        plain = mode_bits() & GRAD_OFF != 0
        values = self.saved
        if not plain or self.packed:
            values = list(values)
        for i in range(plan.n_saved):
            if not isinstance(values[i], Tensor):
                if values[i] is None or not self.packed and plan.keep[i] >= SHAPES:
                    continue
                if self.packed and type(values[i]) is Packed:
                    values[i] = values[i].unpack(self, plan.keep[i])
                elif isinstance(values[i], (list, tuple)):
                    self.check_list(values[i], i)
                    if self.packed and any([type(v) is Packed for v in values[i]]):
                        values[i] = [v.unpack(self, plan.keep[i]) if type(v) is Packed else v for v in values[i]]
                continue
            t = values[i]
            if t._memory_record is not None:
                expected = 0 if self.versions is None else self.versions[i]
                if t._memory_record.version != expected:
                    raise RuntimeError(self.explain_overwritten(t, i))
            if not plain:
                slot = plan.keep[i]
                values[i] = self.with_history(t, slot)
        return values

    def check_list(self, values, i):
        """The version check for the tensors in a saved list."""
        known = None if self.versions is None else self.versions[i]
        for k in range(len(values)):
            if isinstance(values[k], Tensor) and values[k]._writes() != (known[k] if known else 0):
                raise RuntimeError(self.explain_overwritten(values[k], i))

    def with_history(self, t, slot):
        """A saved tensor as the forward had it: an output belongs to this node, an input to its parent."""
        if slot >= self.plan.n_params:
            made = alias(t)
            made._made_by, made._made_nr = self, slot - self.plan.n_params
            return made if self.op.differentiable_output(made) else t
        if slot in self.op.rule_slots and not self.plan.lists and self.plan.joint is None:
            at = self.op.rule_slots.index(slot)
            parent = self.parents[at] if at < len(self.parents) else None
            if isinstance(parent, Node) and t._made_by is not parent and t._view_of is None:
                made = alias(t)         # it was detached in place since
                made._made_by, made._made_nr = parent, 0 if self.outs is None else self.outs[at]
                return made
        return t

    def free(self):
        """Let go of what was saved; running the node again is then an error."""
        if self.plan is not None and self.plan.n_saved and not self.plan.light and self.saved is not None:
            for value in self.saved:        # numbers and shapes may stay: such a node can run again
                if isinstance(value, (Tensor, Packed, list)):
                    self.saved = None
                    return

    # for people

    def _shown(self):
        """This node as users see it, of a class that has its name: made when asked for, so recording costs nothing."""
        if type(self) is Node:
            become(self, class_named(self.name()))
        return self

    def _face(self):
        """How PyTorch shows this node, or None if as it is."""
        make = FACES.get(self.op)
        return None if make is None else make(self)

    def own_name(self):
        """The name of the op that runs, for errors and profiles: LinearBackward0, where PyTorch shows AddmmBackward0.

        >>> import weft
        >>> weft.nn.Linear(2, 1)(weft.ones(3, 2)).grad_fn.own_name()
        'LinearBackward0'
        """
        return self.op.node_name if self.op is not None else self.name()

    def name(self):
        """The op's name as PyTorch writes it, such as AddBackward0.

        >>> import weft
        >>> (weft.ones(2, requires_grad=True) + 1).grad_fn.name()
        'AddBackward0'
        """
        cls = type(self)
        if CLASSES.get(cls.__name__) is cls:        # shown before, maybe before it was freed
            return cls.__name__
        face = self._face()
        return self.op.node_name if face is None else face.name

    @property
    def next_functions(self):
        """The parents as (node, output number), as PyTorch gives them; leaves appear as AccumulateGrad.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> [(node.name(), k) for node, k in (x.exp() * x).grad_fn.next_functions]
        [('ExpBackward0', 0), ('torch::autograd::AccumulateGrad', 0)]
        """
        face = self._face()
        edges = self.edges() if face is None or face.parents is None else face.parents
        return tuple((accumulator(p) if isinstance(p, Tensor) else p and p._shown(), 0 if isinstance(p, Tensor) else n)
                     for p, n in edges)

    def edges(self):
        """(parent, output number) as the engine sees them: a parent is a node, a leaf, or None.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> (x * 2).grad_fn.edges()[0][0] is x
        True
        """
        self.see_through()
        return tuple(zip(self.parents, self.outs or (0,) * len(self.parents), strict=True))

    def behind(self, out):
        """(node, output number) that made output `out`: others than this node where it stands for a whole graph."""
        return self, out

    def see_through(self):
        """Let the parents be the nodes of single ops, where one stands for a whole graph (weft/jit/leaving.py)."""
        if not any([isinstance(p, Node) and p.plan is None for p in self.parents]):
            return
        edges = [p.behind(n) if isinstance(p, Node) else (p, n)
                 for p, n in zip(self.parents, self.outs or (0,) * len(self.parents), strict=True)]
        self.parents, self.outs = tuple([p for p, _ in edges]), tuple([n for _, n in edges])

    @property
    def line(self):
        """`file.py:41: code` of the user's line that made this node.

        >>> import weft
        >>> y = weft.ones(2, requires_grad=True) * 2
        >>> y.grad_fn.line
        '...:1...'
        """
        return where(self)

    @property
    def metadata(self):
        """A dict for the user's own notes on this node.

        >>> import weft
        >>> y = weft.ones(2, requires_grad=True) * 2
        >>> y.grad_fn.metadata["note"] = "doubled"
        >>> y.grad_fn.metadata
        {'note': 'doubled'}
        """
        return self.note("metadata", dict)

    @property
    def _sequence_nr(self):
        return self.seq

    def note(self, key, make):
        """An entry of the rarely used extras (hooks, metadata), made when missing."""
        if self.extra is None:
            self.extra = {}
        return self.extra.setdefault(key, make()) if key not in self.extra else self.extra[key]

    def register_hook(self, hook):
        """Call `hook(grad_inputs, grad_outputs)` after this node has run; what it returns replaces grad_inputs.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> y = x * 2
        >>> handle = y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: print(grad_inputs[0]))
        >>> y.sum().backward()
        tensor([2., 2.])
        """
        return add_hook(self.note("hooks", dict), hook)

    def register_prehook(self, hook):
        """Call `hook(grad_outputs)` before this node runs; what it returns replaces grad_outputs.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> y = x * 2
        >>> handle = y.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 10,))
        >>> y.sum().backward()
        >>> x.grad
        tensor([20., 20.])
        """
        return add_hook(self.note("prehooks", dict), hook)

    def __repr__(self):
        return f"<{self.name()} object at {hex(id(self))}>"

    def __getattr__(self, name):
        if name.startswith("_saved_"):
            return self._find_saved(name[len("_saved_"):])
        raise AttributeError(f"{type(self).__name__} has no attribute '{name}'")

    def __dir__(self):
        face = self._face()
        names = self._kept_names() if face is None or face.saved is None else face.saved
        return [*object.__dir__(self), *("_saved_" + name for name in names)]

    def _own_names(self):
        """The body's name for each value that the plan keeps: `x`, or `x_shape` for its shape alone."""
        if self.op is None or self.plan is None:
            return []
        names = self.op.slot_names()
        return [names[slot] if slot < len(names) else names[slot - SHAPES] + "_shape" for slot in self.plan.keep]

    def _kept_names(self):
        """PyTorch's name for each of them: `self`, or `self_sym_sizes` for its shape."""
        own = self._own_names()
        return [TORCH_NAMES.get(name, name) if not name.endswith("_shape") or name in self.op.slot_names()
                else TORCH_NAMES.get(name[:-6], name[:-6]) + "_sym_sizes" for name in own]

    def _find_saved(self, name):
        """The value that was saved under PyTorch's name."""
        if self.plan is not None and self.saved is None and self.plan.n_saved:
            raise RuntimeError(self.explain_freed())
        face = self._face()
        if face is not None and face.saved is not None and name in face.saved:
            value = face.saved[name]
            return value() if callable(value) and not isinstance(value, Tensor) else value
        if self.plan is None:
            raise AttributeError(f"{self.name()} saved no '{name}'")
        for own, value in zip(self._kept_names(), self.unpack() if self.plan.n_saved else (), strict=True):
            if own is not None and own == TORCH_NAMES.get(name, name):
                return value
        raise AttributeError(f"{self.name()} saved no '{name}'")

    # errors that name both lines

    def explain_freed(self):
        """The error of a second backward through a graph that was freed."""
        from weft.autograd.explain import explain_freed  # only needed for the error
        return explain_freed(self)

    def explain_overwritten(self, t, i):
        """The error of a saved tensor that was written to since."""
        expected = 0 if self.versions is None else self.versions[i]
        writer = where(t._memory_record.written) or "an unknown line"
        shape = f"{list(t._form.shape)}"
        slot = self.plan.keep[i]
        which = "its output" if slot >= self.plan.n_params else "an input"
        return message(
            f"one of the variables needed for gradient computation has been modified by an inplace operation: "
            f"{self.own_name()} saved {which} of shape {shape} at version {expected}, and it is at version "
            f"{t._memory_record.version} now",
            fix=f"the value was saved by   {where(self) or 'an unknown line'}\n"
                f"       and overwritten by       {writer}\n"
                f"       use the out-of-place form there, or clone() the tensor before it is overwritten")


pure_fields(Node, code=None, module=None, lasti=0, op=None, plan=None, parents=(), outs=None, saved=None,
            versions=None, specs=None, out_specs=None, seq=0, n_outputs=1, extra=None, packed=False,
            pending=None)


CLASSES = {}        # a node's name -> its class


def class_named(name):
    """The class of the nodes of this name."""
    made = CLASSES.get(name)
    if made is None:
        body = {"__slots__": (), "__doc__": Node.__doc__, "__module__": "builtins"}     # printed as PyTorch's
        made = CLASSES.setdefault(name, type(name, (Node,), body))
    return made


class Packed:
    """A saved tensor that went through a pack hook."""

    def __init__(self, packed, unpack_hook, edge):
        self.packed = packed
        self.unpack_hook = unpack_hook
        self.edge = edge        # (node or leaf, output number) that the tensor came from; None without history

    def unpack(self, node, slot):
        """The tensor again, from the user's unpack hook."""
        value = self.unpack_hook(self.packed)
        if not isinstance(value, Tensor):
            raise TypeError(f"an unpack hook must return a tensor, got {type(value).__name__}")
        if mode_bits() & GRAD_OFF == 0:
            edge = self.edge
            if slot >= node.plan.n_params or edge is not None:
                made = alias(value)
                if slot >= node.plan.n_params:
                    made._made_by, made._made_nr = node, slot - node.plan.n_params
                elif isinstance(edge[0], Tensor):
                    return edge[0] if edge[0]._form is value._form else _as_leaf_edge(made, edge[0])
                else:
                    made._made_by, made._made_nr = edge
                return made
        return value


def _as_leaf_edge(made, leaf):
    """An unpacked copy of a leaf still sends its gradient to that leaf."""
    made._made_by = LeafAlias(leaf)
    return made


class AccumulateGrad(Node):
    """Stands for a leaf in `next_functions`; its hooks live with the leaf.

    >>> import weft
    >>> x = weft.ones(2, requires_grad=True)
    >>> leaf = (x * 2).grad_fn.next_functions[0][0]
    >>> leaf.name(), leaf.variable is x
    ('torch::autograd::AccumulateGrad', True)
    """

    def name(self):
        """The node's name, as PyTorch spells it.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> (x * 2).grad_fn.next_functions[0][0].name()
        'torch::autograd::AccumulateGrad'
        """
        return "torch::autograd::AccumulateGrad"      # as PyTorch; the class is AccumulateGrad

    @property
    def variable(self):
        """The leaf whose gradient it sums up.

        >>> import weft
        >>> x = weft.ones(2, requires_grad=True)
        >>> (x * 2).grad_fn.next_functions[0][0].variable is x
        True
        """
        return self.saved

    @property
    def next_functions(self):
        return ()

    def note(self, key, make):
        extra = self.saved._seldom
        if extra is None:
            extra = self.saved._seldom = {}
        return extra.setdefault("node_" + key, make())


class LeafAlias(Node):
    """Passes its gradient on to a leaf."""

    def __init__(self, leaf):
        self.parents = (leaf,)
        self.seq = next_seq()
        self.n_outputs = 1

    def name(self):
        """The node's name."""
        return "AliasBackward0"

    def run(self, grad):
        return [grad]

    def free(self):
        pass


def accumulator(leaf):
    """The AccumulateGrad of a leaf: one object as long as anybody holds it."""
    if leaf._seldom is None:
        leaf._seldom = {}
    held = leaf._seldom.get("accumulator")
    node = held() if held is not None else None
    if node is None:
        node = AccumulateGrad()
        node.saved, node.seq, node.n_outputs = leaf, 2**62, 1
        leaf._seldom["accumulator"] = weakref.ref(node)
    return node


class RemovableHandle:
    """Takes a hook back: `handle.remove()`, or leave the `with` block.

    >>> import weft
    >>> x = weft.ones(1, requires_grad=True)
    >>> with x.register_hook(print):
    ...     (x * 2).sum().backward()
    tensor([2.])
    >>> (x * 2).sum().backward()
    """

    _next = 0

    def __init__(self, hooks, *, extra_dict=None):
        self.hooks = hooks
        self.id = RemovableHandle._next
        RemovableHandle._next += 1

    def remove(self):
        """Take the hook away.

        >>> import weft
        >>> x = weft.ones(1, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> handle.remove()
        >>> (x * 2).sum().backward()
        >>> x.grad
        tensor([2.])
        """
        self.hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()


def add_hook(hooks, hook):
    """Put a hook into an ordered dict of hooks; the handle takes it back."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
