"""`backward_steps`: the same backward as `backward()`, one node at a time, in the hands of the user's loop."""
from weft.autograd import engine
from weft.core.seam import snake, title_of


class Step:
    """A node that is about to run: `grad_out` is what came in, `grad_in` (after stepping on) what it handed to its
    parents.

    Everything that a node has (name(), line, module, next_functions, ...) it has too; `node` is the node itself.
    """

    def __init__(self, node, grad):
        self.node = node
        # one for each output, None for those nothing used
        self.grad_out = tuple(grad) if isinstance(grad, list) else (grad,)
        self.grad_in = None         # then one for each parent, None for those that need none

    @property
    def op(self):
        """The op's name, as in weft.graph."""
        return title_of(self.node.op) if self.node.op is not None else snake(self.node.own_name())

    def __getattr__(self, name):
        return getattr(self.node, name)

    def __repr__(self):
        return f"<step {self.node.own_name()}{'' if self.grad_in is None else ', done'}: {self.node.line}>"


class _inside:
    """While the engine works: grad mode, and the run that hooks ask for. Between the steps the user's own modes hold.
    """

    def __init__(self, run):
        self.run = run

    def __enter__(self):
        self.before = engine.enter(self.run)

    def __exit__(self, *exc):
        engine.leave(self.before)


def steps(roots, grads, keep, create, inputs):
    """Yield each node before it runs; the leaves are given their gradients when the last one has run.

    Leaving the loop early gives no leaf a gradient. What has run is freed, unless the graph is kept.
    """
    run = engine.prepare(roots, grads, keep, create, inputs, True)
    inside = _inside(run)
    with inside:
        engine.start(run, grads)
    while run.more():
        with inside:
            node = run.pop()
            grad = run.take(node)
        if grad is None:
            continue
        step = Step(node, grad)
        run.mark_foreign(step.grad_out)     # the user may keep them, so no leaf takes them as its own
        yield step
        with inside:
            step.grad_in = tuple(run.run_node(node, grad))
            run.mark_foreign(step.grad_in)
    with inside:
        engine.finish(run, inputs)
