"""Distributed autograd: a backward through calls in other processes.

Where a tensor that requires gradients is sent, the sender keeps it; the receiver has a leaf in its place. A context
(one forward and its backwards) has both on every worker, by the number of the message. A backward goes in two sweeps.
The first finds out which messages lie on the way: it follows the graph from the roots to leaves that were received, and
asks their senders to go on. The second carries gradients the same way; a message's leaves are complete, and go back to
their sender, when everything that leads to them has been there. Messages only lead to earlier ones, so it ends.
Gradients of parameters are kept in the context, not in `.grad`, for many contexts may use a parameter at once.
"""
import itertools
import threading

from weft.autograd.api import backward as run_backward
from weft.autograd.api import grad as run_grad
from weft.core.errors import fail
from weft.core.futures import Future, collect_all
from weft.core.modes import enable_grad, no_grad
from weft.distributed.rpc.current import agent_now, number_of
from weft.distributed.rpc.functions import async_execution

__all__ = ["backward", "context", "get_gradients"]


class _Thread(threading.local):
    def __init__(self):
        self.context = None     # the one that this thread's calls belong to


thread = _Thread()
_contexts, _lock = {}, threading.Lock()
_counter = itertools.count()


class Context:
    """What one worker knows of a forward: messages by number, gradients by parameter."""

    def __init__(self, number):
        self.id, self.lock = number, threading.RLock()
        self.sent, self.received, self.origin = {}, {}, {}      # origin: id of a received leaf -> its message
        self.gradients, self.sweeps, self.known = {}, {}, set()

    def note_sent(self, tensors):
        """Keep tensors that go to another worker; the number under which their gradients come."""
        number = number_of(_counter)
        with self.lock:
            self.sent[number] = tensors
        return number

    def note_received(self, number, worker, leaves):
        """Keep leaves that came from a worker; what the program sees of them."""
        with self.lock:
            self.received[number] = (worker, leaves)
            self.origin.update({id(leaf): number for leaf in leaves})
        with enable_grad():
            return [leaf.clone() for leaf in leaves]        # not leaves, so that they may be written to

    def add(self, leaf, grad):
        before = self.gradients.get(leaf)
        self.gradients[leaf] = grad if before is None else before + grad


class Sweep:
    """One backward on one worker. reach: the leaves that each source leads to; waiting: how many sources a received
    message still waits for; sums: gradients of received leaves.
    """

    def __init__(self):
        self.reach, self.waiting, self.sums = {}, {}, {}


def context_of(number, make=False):
    with _lock:
        if make:
            return _contexts.setdefault(number, Context(number))
        if number not in _contexts:
            raise RuntimeError(f"Could not find autograd context with id: {number}")
        return _contexts[number]


def context_if_any(number):
    with _lock:
        return _contexts.get(number)


class context:
    """A forward and its backward over several workers; its number is what `backward` and optimizers take. Calls that
    are made inside belong to it.

    >>> import weft
    >>> from weft.distributed import autograd, rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> x = weft.ones(2, requires_grad=True)
    >>> with autograd.context() as number:
    ...     loss = rpc.rpc_sync("alone", weft.mul, (x, 3.0)).sum()
    ...     autograd.backward(number, [loss])
    ...     autograd.get_gradients(number)[x]
    tensor([3., 3.])
    >>> rpc.shutdown()
    """

    def __enter__(self):
        agent_now()
        if thread.context is not None:
            fail(RuntimeError, f"dist_autograd.context: this thread is inside context {thread.context.id} already",
                 "leave that one first")
        thread.context = context_of(number_of(_counter), make=True)
        return thread.context.id

    def __exit__(self, *error):
        found, thread.context = thread.context, None
        release(found.id)


def release(number):
    """Forget a context, here and wherever its calls went."""
    with _lock:
        found = _contexts.pop(number, None)
    agent = agent_now(needed=False)
    if found is not None and agent is not None:
        for worker in found.known:
            agent.tell(worker, ("release", number))


def forget_all():
    with _lock:
        _contexts.clear()


def get_gradients(context_id):
    """The gradients that a context's backwards have made on this worker, by parameter.

    >>> import weft
    >>> from weft.distributed import autograd, rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> with autograd.context() as number:
    ...     autograd.get_gradients(number)
    {}
    >>> rpc.shutdown()
    """
    found = context_of(context_id)
    with found.lock:
        return dict(found.gradients)


def backward(context_id, roots, retain_graph=False):
    """Compute the gradients of the roots' sum on all workers that took part; `get_gradients` has them. The graph
    lives as long as the context.

    >>> import weft
    >>> from weft.distributed import autograd, rpc
    >>> rpc.init_rpc("alone", rank=0, world_size=1)
    >>> x = weft.ones(2, requires_grad=True)
    >>> with autograd.context() as number:
    ...     autograd.backward(number, [(x * x).sum()])
    ...     autograd.get_gradients(number)[x]
    tensor([2., 2.])
    >>> rpc.shutdown()
    """
    found = context_of(context_id)
    if not roots:
        raise RuntimeError("No tensors provided for gradient computation.")
    for root in roots:
        if not root.requires_grad:
            raise RuntimeError("requires_grad not set on root")
        if root.numel() != 1:
            raise RuntimeError(f"{root} is not a scalar, all roots need to be scalar")
    sweep = number_of(_counter)
    expect(found, sweep, "roots", roots).wait()
    deliver(found, sweep, "roots", roots, [None] * len(roots)).wait()
    with found.lock:
        found.sweeps.pop(sweep, None)


def leaves_behind(outs):
    """The leaves that a backward from these tensors comes to."""
    found, seen, waiting = {}, set(), [t.grad_fn for t in outs if t.grad_fn is not None]
    found.update({id(t): t for t in outs if t.grad_fn is None})
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found[id(leaf)] = leaf
        waiting += [before for before, _ in node.next_functions if before is not None]
    return list(found.values())


def expect(found, sweep, source, outs):
    """The first sweep on one worker; a Future that is done when all messages that lie behind know of it too."""
    leaves = leaves_behind(outs)
    with found.lock:
        state = found.sweeps.setdefault(sweep, Sweep())
        state.reach[source] = leaves
        behind = {found.origin[id(leaf)] for leaf in leaves if id(leaf) in found.origin}
        new = [message for message in behind if message not in state.waiting]
        for message in behind:
            state.waiting[message] = state.waiting.get(message, 0) + 1
    return together([agent_now().call(found.received[message][0], expected, (found.id, sweep, message), timeout=0)
                     for message in new])


@async_execution
def expected(context_id, sweep, message):
    """Asked by the receiver of a message."""
    found = context_of(context_id)
    return expect(found, sweep, message, found.sent[message])


def deliver(found, sweep, source, outs, grads):
    """The second sweep on one worker: from tensors with their gradients to the leaves; what is complete goes on."""
    with found.lock:
        state, complete = found.sweeps[sweep], []
        pairs = [(t, grad) for t, grad in zip(outs, grads) if source == "roots" or grad is not None]
        leaves = state.reach[source]
        made = local_gradients(leaves, *zip(*pairs)) if pairs else [None] * len(leaves)
        for leaf, grad in zip(leaves, made):
            message = found.origin.get(id(leaf))
            if message is None and grad is not None:
                found.add(leaf, grad)
            elif grad is not None:
                before = state.sums.get(id(leaf))
                state.sums[id(leaf)] = grad if before is None else before + grad
        for message in {found.origin[id(leaf)] for leaf in leaves if id(leaf) in found.origin}:
            state.waiting[message] -= 1
            if not state.waiting[message]:
                worker, received = found.received[message]
                complete.append((worker, message, [state.sums.pop(id(leaf), None) for leaf in received]))
    return together([agent_now().call(worker, delivered, (found.id, sweep, message, sums), timeout=0)
                     for worker, message, sums in complete])


@async_execution
def delivered(context_id, sweep, message, grads):
    """Called by the receiver of a message, with the gradients of all that it got."""
    found = context_of(context_id)
    return deliver(found, sweep, message, found.sent[message], grads)


_swapping = threading.Lock()


def local_gradients(leaves, outs, grads):
    """The gradients of leaves on this worker; None for those that have none."""
    grads = None if grads[0] is None else list(grads)
    with no_grad():
        if not any([leaf._seldom is not None and leaf._seldom.get("post_accumulate") for leaf in leaves]):
            return run_grad(list(outs), leaves, grads, retain_graph=True, allow_unused=True) if leaves else []
        with _swapping:         # DistributedDataParallel and its like wait at the leaves for .grad
            before = [leaf.grad for leaf in leaves]
            for leaf in leaves:
                leaf.grad = None
            try:
                run_backward(list(outs), grads, retain_graph=True)
                return [leaf.grad for leaf in leaves]
            finally:
                for leaf, grad in zip(leaves, before):
                    leaf.grad = grad


def together(futures):
    """A Future of all, which has the first one's error."""
    made = Future()

    def finish(done):
        try:
            made.set_result([future.wait() for future in done.value()][:0])
        except Exception as error:
            made.set_exception(error)
    collect_all(futures).add_done_callback(finish)
    return made
