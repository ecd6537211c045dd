# compiled, hot
"""The backward engine: run the newest node first, hand its gradients to its parents, let go of it.

A node's sequence number is greater than its parents', so taking the greatest pending number is a topological order;
no counting of dependencies and no recursion is needed.
"""
import threading

from weft.autograd import factors, rows
from weft.autograd.graph import Node
from weft.core.errors import message, where
from weft.core.modes import ANOMALY, FUNCTION, GRAD_OFF, GRADIENTS, NUMERICS, TAKE, WATCH, local
from weft.core.runtime import mode_bits, set_mode_bits
from weft.core.seam import tell_assigned
from weft.kernels.blocks import LARGE
from weft.kernels.codes import BINARY
from weft.kernels.fast import finite
from weft.kernels.native import (
    binary_into,
    held_once,
    keeps_alone,
    only_here,
    overlaps,
    references,
    same_place,
    same_type,
)
from weft.tensor.tensor import OPS, Tensor, needs_grad

ADD = BINARY["add"]
LOOK = ANOMALY | WATCH      # who wants to see the nodes run
SEAM = WATCH | TAKE         # every sum is an op then
FREED = 0                   # the newest node whose backward has run without keeping the graph; only for an error's text
PLACES = threading.Lock()   # held by the run that has the nodes' places for gradients
_leaf_lock = threading.RLock()


class Run:
    """One call of backward."""

    def __init__(self, keep, create, accumulate):
        self.first = None       # the pending node of the greatest sequence number, if it isn't in the heap
        self.heap = []          # the other pending nodes, the greatest number on top
        # the gradient of a pending node's output, a list of them for several outputs: it lies in the node itself for
        # the one run that has the places (`claim`), for others that work at the same time here
        self.has_places = False
        self.pending = {}
        self.leaves = {}        # leaf -> its gradient so far
        # leaf -> True: its gradient so far is a sum that nobody else holds, so it is added to in place
        self.summed = {}
        self.foreign = {}       # id -> array that others hold too, so a leaf must not keep it as its own
        self.needed = None      # nodes on a way to the wanted inputs; None is all
        self.wanted = None      # (node, output) or leaf -> True: wanted inputs
        self.found = {}         # the same -> gradient
        self.keep = keep
        self.create = create
        self.accumulate = accumulate
        self.callbacks = []     # called when this backward is done
        self.waiting = None     # [(first use, leaf)], rising: leaves to finish as soon as their first use has run
        self.numerics = None    # what check_numerics looks for, None when it is off
        self.spent = None       # an array that only the running node held: a rule may put its result there
        self.given = None       # the roots' gradients
        self.freed_before = 0   # the newest node that earlier runs freed, for the error of a second backward

    def more(self):
        """Whether a node is pending."""
        return self.first is not None or len(self.heap) > 0

    def push(self, node):
        heap = self.heap
        above = self.first
        if above is None:       # most often what has just been reached comes next, and needn't go through the heap
            if len(heap) > 0:
                above = heap[0]
            if above is None or above.seq < node.seq:
                self.first = node
                return
        elif above.seq < node.seq:
            self.first = node
            node = above
        i = len(heap)
        heap.append(node)
        while i > 0:
            up = (i - 1) >> 1
            above = heap[up]
            if above.seq >= node.seq:
                break
            heap[i] = above
            i = up
        heap[i] = node

    def pop(self):
        top = self.first
        if top is not None:
            self.first = None
            return top
        heap = self.heap
        last = heap.pop()
        n = len(heap)
        if n == 0:
            return last
        top = heap[0]
        i = 0
        child = 1
        while child < n:
            a = heap[child]
            if child + 1 < n:
                b = heap[child + 1]
                if b.seq > a.seq:
                    child += 1
                    a = b
            if last.seq >= a.seq:
                break
            heap[i] = a
            i = child
            child = 2 * i + 1
        heap[i] = last
        return top

    def deliver(self, parent, out, grad):
        """Add a gradient to what waits for a node's output, or for a leaf."""
        if not isinstance(parent, Node):
            self.deliver_leaf(parent, grad)
            return
        if self.needed is not None and parent not in self.needed:
            return
        node = parent
        held = node.pending if self.has_places else self.pending.get(node)
        if node.n_outputs == 1:
            if held is None:
                self.push(node)
            else:
                grad = added(held, grad)
            if self.has_places:
                node.pending = grad
            else:
                self.pending[node] = grad
            return
        if held is None:
            self.push(node)
            held = [None] * node.n_outputs
            if self.has_places:
                node.pending = held
            else:
                self.pending[node] = held
        slots = held
        slots[out] = grad if slots[out] is None else added(slots[out], grad)

    def deliver_leaf(self, leaf, grad):
        if self.wanted is not None and leaf not in self.wanted:
            return
        held = self.leaves.get(leaf)
        if held is None:
            self.leaves[leaf] = grad
            return
        if is_apart(held) or is_apart(grad):
            self.leaves[leaf] = added(held, grad)
            return
        own = leaf in self.summed
        if own and type(grad) is Tensor and mode_bits() & SEAM == 0:
            total, t = held, grad
            if t._owed is None and total._owed is None and binary_into(ADD, total._form, t._form):
                return
        made = added(held, grad, own)
        if made is not held:
            self.leaves[leaf] = made
        if not own and not self.create and type(made) is Tensor:
            self.summed[leaf] = True

    def drain(self):
        while self.more():
            node = self.pop()
            grad = self.take(node)
            if grad is not None:
                self.run_node(node, grad, references(grad) == 1)

    def take(self, node):
        """The gradient with which a node is to run; None when nothing further is needed from it."""
        if self.has_places:
            grad = node.pending
            node.pending = None
        else:
            grad = self.pending.pop(node)
        if self.waiting is not None:
            self.finish_early(node.seq)
        if node.extra is not None or self.wanted is not None:
            try:
                grad = self.before(node, grad)
            except Exception as error:      # of a hook
                add_forward_line(error, node)
                raise
        return grad

    def run_node(self, node, grad, alone=False):
        """Run a node and hand its gradients to its parents. alone: nobody but the caller holds the gradient."""
        bits = mode_bits()
        if bits & WATCH:
            tell_before(node, grad)
        try:
            grads = self.run_thriftily(node, grad, alone, bits) if node.plan is not None and node.plan.thrifty else None
            if grads is not None:
                pass
            elif self.wanted is None or type(node) is not Node:
                grads = node.run(grad)
            else:
                grads = node.run_for(grad, [self.leads_to(parent) for parent in node.parents])
            if node.extra is not None:
                grads = self.after(node, grads, grad)
        except Exception as error:
            add_forward_line(error, node)
            raise
        if bits & LOOK:
            look(node, grad, grads, bits)
        if self.numerics is not None:
            self.check_finite(node, grad, grads)
        if not self.keep:
            node.free()
        parents = node.parents
        for i in range(len(parents)):
            if parents[i] is not None and grads[i] is not None:
                out = 0 if node.outs is None else node.outs[i]
                self.deliver(parents[i], out, grads[i])
        return grads

    def run_thriftily(self, node, grad, alone, bits):
        """The gradients in memory that nobody needs after this node, None where there is none: the slope of an
        elementwise function times the gradient in the gradient's own, an input's gradient in that of the input.
        """
        if bits & SEAM or bits & LOOK or self.keep or self.create or node.extra is not None or node.packed \
                or node.specs is not None or self.numerics is not None or self.wanted is not None or node.saved is None:
            return None
        plan = node.plan
        if plan.spends >= 0:
            return self.run_over(node, grad)
        t, x = grad, node.saved[plan.slope_at]
        if not alone or type(t) is not Tensor or not self.is_free(t) or type(x) is not Tensor or x._owed is not None:
            return None
        for at, wanted in plan.slope_if:
            if node.saved[at] != wanted:
                return None
        node.unpack()       # whether it was written to since
        return [grad] if same_place(t._form, x._form) and binary_into(plan.slope, t._form, x._form) else None

    def run_over(self, node, grad):
        """Run a node whose rule may put the gradient of an input where the input is, if nobody else holds that."""
        at = node.plan.spends
        if not only_here(node.saved[at]):
            return None
        x = node.saved[at]
        if type(x) is not Tensor or not self.is_free(x) or x._form.nbytes < LARGE:
            return None
        self.spent = x._form
        try:
            return node.run(grad)
        finally:
            self.spent = None

    def is_free(self, t):
        """Whether no other tensor, array or user shares a tensor's memory."""
        return t._owed is None and t._memory_record is None and held_once(t._form) and id(t._form) not in self.foreign

    def check_finite(self, node, grad, grads):
        """check_numerics: whether this node made a NaN or an infinity."""
        for g in grads:
            if g is not None:
                t = g
                if t._owed is None and finite(t._form) is not True:
                    self.numerics.backward(node, grad, grads)
                    return

    def before(self, node, grad):
        """Hooks and wanted gradients of a node's outputs; None when nothing further is needed from this node."""
        slots = [grad] if node.n_outputs == 1 else grad
        leads_on = True
        if node.extra is not None:
            self.run_tensor_hooks(node, slots)
            for out, holder in node.extra.get("retain", {}).items():
                t = holder()
                if t is not None and slots[out] is not None:
                    self.keep_grad(t, slots[out])
        if self.wanted is not None:
            for out in range(node.n_outputs):
                if slots[out] is not None and (node, out) in self.wanted:
                    self.found[node, out] = slots[out]
            leads_on = node in self.needed and self.leads_on(node)
        if node.extra is not None:
            for hook in list(node.extra.get("prehooks", {}).values()):
                self.mark_foreign(slots)
                changed = hook(tuple(slots))
                if changed is not None:
                    slots[:] = replaced(hook, slots, changed)
                    self.mark_foreign(slots)
        if not leads_on:
            return None
        return slots[0] if node.n_outputs == 1 else slots

    def leads_on(self, node):
        """Whether a wanted input lies beyond this node."""
        return any([self.leads_to(parent) for parent in node.parents])

    def leads_to(self, parent):
        """Whether a wanted input lies at or beyond a node's parent."""
        return parent is not None and (parent in self.needed if isinstance(parent, Node) else parent in self.wanted)

    def run_tensor_hooks(self, node, slots):
        for out, hooks in node.extra.get("tensor_hooks", {}).items():
            for hook in list(hooks.values()):
                if slots[out] is not None:
                    self.mark_foreign((slots[out],))
                    changed = hook(slots[out])
                    if changed is not None:
                        slots[out] = checked(hook, slots[out], changed)
                        self.mark_foreign((changed,))

    def after(self, node, grads, grad):
        outs = (grad,) if node.n_outputs == 1 else tuple(grad)
        for hook in list(node.extra.get("hooks", {}).values()):
            self.mark_foreign(grads)
            self.mark_foreign(outs)
            changed = hook(tuple(grads), outs)
            if changed is not None:
                grads = replaced(hook, grads, changed)
                self.mark_foreign(grads)
        return grads

    def mark_foreign(self, grads):
        for g in grads:
            if g is not None:
                t = g
                if t._owed is not None:
                    factors.bring(t)
                self.foreign[id(t._form)] = t._form

    def own(self, grad, like):
        """A gradient that a leaf may keep and change: not shared with anybody, laid out like the leaf."""
        if is_apart(grad):
            return grad.clone() if self.create else grad.detach().clone()
        if self.create:
            return grad.clone() if grad._form.base is not None or id(grad._form) in self.foreign else grad
        t = grad
        if t._owed is not None:
            factors.bring(t)
        if t._owed is not None and like.flags.c_contiguous:
            kept = rows.rows_behind(grad)
            if kept is not None:
                return rows.as_tensor(kept.copy())
        if keeps_alone(t._form, like) and id(t._form) not in self.foreign:
            self.foreign[id(t._form)] = t._form
            return t if t._made_by is None else t.detach()
        if not t._on_meta and overlaps(like):       # an expanded leaf: each element has a gradient of its own
            return grad.detach().clone()
        if mode_bits() & SEAM:      # the copy is an op, too
            return OPS.copy_strided(grad, like.shape, like.strides)
        return OPS.copy_like(grad, like)

    def keep_grad(self, t, grad):
        """Add to the `.grad` of a tensor that is no leaf."""
        if is_apart(t):
            kept = self.own(grad, grad._form)
        else:
            kept = self.own(grad, t._array)
        t._grad = kept if t._grad is None else t._grad + kept
        if mode_bits() & WATCH:
            tell_assigned(t, "grad", t._grad)

    def finish_leaves(self):
        """Run the leaves' hooks, then give each leaf its gradient."""
        for leaf, grad in self.leaves.items():
            self.finish_leaf(leaf, grad)

    def finish_early(self, seq):
        """Finish the leaves that no node before `seq` uses: their hooks may then free the gradient."""
        while self.waiting and self.waiting[-1][0] > seq:
            leaf = self.waiting.pop()[1]
            if leaf in self.leaves:
                self.finish_leaf(leaf, self.leaves.pop(leaf))

    def finish_leaf(self, leaf, grad):
        t = grad
        if t._owed is not None:
            factors.bring(t)
        if self.numerics is not None and leaf in self.summed:
            self.numerics.leaf(self, leaf, grad)
        grad = self.leaf_hooks(leaf, grad)
        if mode_bits() & WATCH:
            for watcher in local.watchers:
                watcher.leaf(leaf, grad)
        if self.wanted is not None and self.wanted.get(leaf):
            self.found[leaf] = grad
        if self.accumulate:
            self.accumulate_leaf(leaf, grad)

    def leaf_hooks(self, leaf, grad):
        extra = leaf._seldom
        if extra is None:
            return grad
        for hook in list(extra.get("hooks", {}).values()):
            self.mark_foreign((grad,))
            changed = hook(grad)
            if changed is not None:
                grad = checked(hook, grad, changed)
                self.mark_foreign((grad,))
        if self.accumulate:     # the hooks of the leaf's AccumulateGrad
            for hook in list(extra.get("node_prehooks", {}).values()):
                self.mark_foreign((grad,))
                changed = hook((grad,))
                if changed is not None:
                    grad = replaced(hook, (grad,), changed)[0]
                    self.mark_foreign((grad,))
        return grad

    def accumulate_leaf(self, leaf, grad):
        t = grad
        if not same_type(t._form, leaf._form):
            grad = grad.to(leaf.dtype)
        with _leaf_lock:
            if leaf._grad is None:
                leaf._grad = self.own(grad, leaf._form if leaf._owed is None else
                                      grad._form if is_apart(leaf) else leaf._array)
                grad = leaf._grad       # what the hooks of its node are given
                if mode_bits() & WATCH:
                    tell_assigned(leaf, "grad", grad)
            elif self.create:
                leaf._grad = leaf._grad + grad
            elif is_apart(leaf._grad):
                leaf._grad = grad + leaf._grad      # sparse with sparse stays so, and dense with sparse is dense
            elif not (is_owed(leaf._grad) or is_owed(grad)) or not accumulated(leaf._grad, grad):
                leaf._grad = OPS.iadd(leaf._grad, grad)
        extra = leaf._seldom
        if extra is None:
            return
        for hook in list(extra.get("post_accumulate", {}).values()):
            if hook(leaf) is not None:
                raise RuntimeError("Tensor post accumulate grad hooks should return None.\n  fix: let the hook change "
                                   "the tensor's .grad in place, and return nothing")
        for hook in list(extra.get("node_hooks", {}).values()):
            hook((), (grad,))


def is_apart(t):
    """Whether a tensor has no array of values: a sparse one."""
    if type(t) is Tensor:
        return False
    other = t
    return other._owed is not None and not other._owed.readable


def added(a, b, own=False):
    """The sum of two gradients; a sparse one is added to a dense one. own: nobody else holds the first one."""
    if is_apart(a):
        return b + a
    if is_owed(a) or is_owed(b):
        total = factors.added(a, b, own)
        if total is None:
            total = rows.added(a, b, own)
        if total is not None:
            return total
    return a + b


def is_owed(grad):
    """Whether a gradient may be kept as rows (autograd/rows.py), and nobody looks on who minds."""
    t = grad
    return t._owed is not None and (mode_bits() & SEAM == 0 or mode_bits() & TAKE and not local.taker.minds_rows)


def accumulated(total, grad):
    """Whether a gradient was added to a leaf's in place as rows."""
    if mode_bits() & TAKE and rows.rows_behind(grad) is not None:
        local.taker.writing(total)
    return rows.accumulated(total, grad)


def checked(hook, grad, changed):
    """What a hook returned in place of a gradient."""
    name = getattr(hook, "__name__", type(hook).__name__)
    if not isinstance(changed, Tensor):
        raise TypeError(f"expected Variable, but hook '{name}' returned '{type(changed).__name__}'")
    if grad is not None and changed._form.shape != grad._form.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value: it got {list(grad._form.shape)} and returned "
                           f"{list(changed._form.shape)}")
    if grad is not None and changed._form.dtype != grad._form.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {grad.dtype} got {changed.dtype})")
    return changed


def replaced(hook, grads, changed):
    """What a node's hook returned in place of its gradients."""
    changed = list(changed) if isinstance(changed, (tuple, list)) else [changed]
    if len(changed) != len(grads):
        name = getattr(hook, "__name__", type(hook).__name__)
        raise RuntimeError(f"hook '{name}' has returned an incorrect number of values (got {len(changed)}, but "
                           f"expected {len(grads)})")
    return [None if new is None else checked(hook, old, new) for old, new in zip(grads, changed)]


def want(run, inputs):
    """Restrict a run to the ways that lead to `inputs`."""
    run.wanted = {}
    for t in inputs:
        node = t.grad_fn
        run.wanted[t if node is None else (node, t._made_nr)] = True


def reach(run, roots):
    """Find the nodes from which a wanted input can be reached."""
    order, stack, seen = [], [r for r in roots if isinstance(r, Node)], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        order.append(node)
        stack.extend(p for p in node.parents if isinstance(p, Node) and p not in seen)
    order.sort(key=_seq)
    wanted_nodes = {key[0] for key in run.wanted if isinstance(key, tuple)}
    needed = set()
    for node in order:      # parents come before their children
        if node in wanted_nodes or any(p in needed if isinstance(p, Node) else p in run.wanted
                                       for p in node.parents if p is not None):
            needed.add(node)
    run.needed = needed


def _seq(node):
    return node.seq


EARLY = {"wanted": False}       # whether any leaf ever had a post-accumulate hook


def first_uses(roots):
    """The leaves with post-accumulate hooks, each with the smallest sequence number among the nodes that use it."""
    uses, stack, seen = {}, [r for r in roots if isinstance(r, Node)], set()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        for parent in node.parents:
            if isinstance(parent, Node):
                stack.append(parent)
            elif parent is not None and parent._seldom is not None and parent._seldom.get("post_accumulate"):
                uses[parent] = min(node.seq, uses.get(parent, node.seq))
    return sorted([(seq, leaf) for leaf, seq in uses.items()], key=_first) or None


def _first(pair):
    return pair[0]


def edge_of(root):
    """(node or leaf, output number) that a backward begins at; a node that stands for a whole graph stays as it is."""
    if isinstance(root, Tensor) and root._owed is None:
        node = root._made_by if needs_grad(root) else None      # brought up to date
    else:
        node = root.grad_fn
    return (root, 0) if node is None else (node, root._made_nr)


def prepare(roots, grads, keep, create, inputs, accumulate):
    """A run that is ready to `enter`; see `backward`."""
    run = Run(keep, create, accumulate)
    run.edges = [edge_of(root) for root in roots]
    if inputs is not None:
        want(run, inputs)
        reach(run, [edge[0] for edge in run.edges])
    run.mark_foreign(grads)
    if EARLY["wanted"]:
        run.waiting = first_uses([edge[0] for edge in run.edges])
    if mode_bits() & GRADIENTS:
        run.numerics = local.numerics
    run.freed_before = FREED
    return run


def enter(run):
    """Make a run this thread's own; what comes back is for `leave`."""
    before = mode_bits(), local.run
    local.run = run
    bits = before[0] & ~NUMERICS       # a rule's ops are checked as a whole, by the node
    bits &= ~FUNCTION       # the rules' ops are nobody's calls
    set_mode_bits(bits & ~GRAD_OFF if run.create else bits | GRAD_OFF)
    return before


def leave(before):
    bits, local.run = before
    set_mode_bits(bits)


def start(run, grads):
    """Hand the roots' gradients to their nodes."""
    global FREED
    run.given = grads
    for (parent, out), grad in zip(run.edges, grads, strict=True):
        run.deliver(parent, out, grad)
    if not run.keep and run.more():
        newest = run.heap[0] if run.first is None else run.first
        FREED = newest.seq


def claim(run):
    """Let a run have the places for gradients in the nodes, unless another one is at work that has them."""
    run.has_places = PLACES.acquire(False)


def give_up(run):
    """Leave no gradient in a node, and the places to others."""
    if run.has_places:
        while run.more():       # it failed
            node = run.pop()
            node.pending = None
        PLACES.release()


def finish(run, inputs):
    """Give the leaves, or the wanted inputs, what was found."""
    run.finish_leaves()
    found = None
    if inputs is not None:
        found = [run.found.get(_key(t)) for t in inputs]
        if run.accumulate:
            keep_found(run, inputs, found)
    while run.callbacks:
        run.callbacks.pop(0)()
    return found


def backward(roots, grads, keep, create, inputs=None, accumulate=True):
    """Run backward from `roots` with their gradients; gives back the gradients of `inputs` (None where unreachable).

    roots: tensors that require grad; grads: a tensor for each; inputs: the tensors to stop at, or None for all leaves.
    """
    run = prepare(roots, grads, keep, create, inputs, accumulate)
    before = enter(run)
    claim(run)
    try:
        start(run, grads)
        run.drain()
        return finish(run, inputs)
    finally:
        give_up(run)
        leave(before)


def keep_found(run, inputs, found):
    """`backward(inputs=...)` fills the .grad of computed tensors too."""
    for t, grad in zip(inputs, found, strict=True):
        if grad is not None and t.grad_fn is not None and isinstance(t, Tensor):
            run.keep_grad(t, grad)


def _key(t):
    return t if t.grad_fn is None else (t.grad_fn, t._made_nr)


def add_forward_line(error, node):
    """Every error inside backward says which forward line it belongs to."""
    line = where(node)
    if getattr(error, "_weft_line", False) or not line:
        return
    text = f"  in the backward of {node.own_name()}, made by {line}"
    # which shows its text in quotes
    if error.args and isinstance(error.args[0], str) and not isinstance(error, KeyError):
        if line not in error.args[0]:
            error.args = (f"{error.args[0]}\n{text}", *error.args[1:])
    elif hasattr(error, "add_note"):
        error.add_note(text)        # Python 3.11
    try:
        error._weft_line = True
    except AttributeError:
        pass


def tell_before(node, grad):
    for watcher in local.watchers:
        watcher.backward_before(node, grad)


def look(node, grad, grads, bits):
    """Tell the watchers what a node made; in anomaly mode, look for NaN."""
    if bits & WATCH:
        for watcher in local.watchers:
            watcher.backward_after(node, grad, grads)
    if bits & ANOMALY:
        check_nan(node, grads)


def check_nan(node, grads):
    """Anomaly mode: a NaN in a gradient names the node and the line that made it."""
    if not local.anomaly_check_nan:
        return
    for i, g in enumerate(grads):
        if g is not None and (g._array != g._array).any():
            raise RuntimeError(message(f"Function '{node.own_name()}' returned nan values in its {i}th output.",
                                       fix="look at the inputs of that line: log(0), 0/0, sqrt at 0 or an overflow",
                                       at=where(node)))
