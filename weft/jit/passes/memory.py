"""How much memory a graph's values take at a time, and making cheap ones again instead of keeping them.

A value is there from its step to its last reader, or to the end if it is handed out; a view keeps what it looks at.
"""
from weft.jit.kinds import EXT, FUSED, OP, SLOT, VALUE, WHOLE, WRITE
from weft.jit.passes.share import renamed
from weft.jit.path import arg, numbers_in
from weft.jit.reuse import taken_over
from weft.kernels.blocks import block_bytes

CHEAP = ("norm", "activation", "pointwise", "shape")     # kinds of ops whose result costs little more than reading it


class Lives:
    """When each value is there. last: value -> its last reader's place (len(steps) for what is handed out); root: a
    view's value -> the value whose memory it is.
    """

    def __init__(self, graph):
        self.graph, self.end = graph, len(graph.steps)
        self.root, self.made, self.last = {}, {}, {}
        for i, step in enumerate(graph.steps):
            reads = list(numbers_in(step.args, VALUE))
            views = step.op is not None and (step.op.is_view or step.op.maybe_view)
            for k in step.outs:
                self.root[k] = self.root[reads[0]] if views and reads and step.args[0].kind == VALUE else \
                    None if views else k
                self.made[k] = self.last[k] = i
            for k in reads:
                self.read(k, i)
        for k in graph.kept():
            self.read(k, self.end)

    def read(self, k, at):
        self.last[k] = max(self.last[k], at)
        root = self.root[k]
        if root is not None:
            self.last[root] = max(self.last[root], at)

    def at_a_time(self):
        """The bytes that are there while each step runs."""
        change = [0] * (self.end + 2)
        gone = {k: min(self.last[k], self.end) + 1 for k, root in self.root.items() if root == k}
        for i, step in enumerate(self.graph.steps):
            dying = {k for k in numbers_in(step.args, VALUE) if self.root[k] == k and self.last[k] == i}
            gone.update(dict.fromkeys(taken_over(step, dying, self.graph.specs).values(), i))   # a result lies there
        for k, after in gone.items():
            size = block_bytes(self.graph.specs[k].nbytes)
            change[self.made[k]] += size
            change[after] -= size
        total, found = 0, []
        for one in change[:self.end]:
            total += one
            found.append(total)
        return found


def peak_bytes(graph):
    """The most memory that the graph's values take at a time; what comes from outside is not counted."""
    return max(Lives(graph).at_a_time(), default=0)


def within(graph, budget):
    """The graph with values made again where they are read, until its peak is within `budget`: bytes, or a fraction of
    its peak; as near as that comes where it isn't enough. Only what is cheap to make is made again, and what it is made
    of is there anyway.
    """
    if type(budget) is float:
        budget *= peak_bytes(graph)
    first = {k: k for k in range(len(graph.specs))}     # a value that was made again -> the one that it is
    left = readers(graph)       # else two values that one step reads could be put before each other for ever
    while True:
        lives = Lives(graph)
        bytes_at = lives.at_a_time()
        peak = max(bytes_at, default=0)
        if peak <= budget:
            return graph
        top = bytes_at.index(peak)
        found = [one for one in candidates(graph, lives, top) if left[first[graph.steps[one[1]].outs[0]]] > 0]
        if not found:
            return graph
        _, i, before = max(found, key=lambda one: one[0])
        for k, of in enumerate(graph.steps[i].outs, len(graph.specs)):
            first[k] = first[of]
        left[first[graph.steps[i].outs[0]]] -= 1
        graph = made_again(graph, i, before)


def readers(graph):
    """For the first value of each step, how many steps read what it gives."""
    found = dict.fromkeys(range(len(graph.specs)), 0)
    maker = {k: step.outs[0] for step in graph.steps for k in step.outs}
    for step in graph.steps:
        for k in {maker[k] for k in numbers_in(step.args, VALUE)}:
            found[k] += 1
    return found


def candidates(graph, lives, top):
    """(bytes, the step to make again, the place before which) of values that only wait while step `top` runs."""
    written = [i for i, s in enumerate(graph.steps) if s.kind in (WHOLE, WRITE)]
    kept = graph.kept()
    for i, step in enumerate(graph.steps[:top]):
        if step.kind != OP or step.unusual or step.has_effect() or step.op.kind not in CHEAP or step.op.is_view \
                or step.op.maybe_view or not kept.isdisjoint(step.outs):
            continue
        waiting = [k for k in step.outs if lives.last[k] > top]
        if not waiting or any([k for k in lives.root if k not in step.outs and lives.root[k] in step.outs]):
            continue
        places = [j for j in range(top, lives.end)
                  if not set(numbers_in(graph.steps[j].args, VALUE)).isdisjoint(waiting)]
        if not places or places[0] == top:
            continue
        inputs = list(numbers_in(step.args, VALUE))
        if any([lives.last[lives.root[k] if lives.root[k] is not None else k] < places[0] for k in inputs]):
            continue        # what it is made of would have to be kept instead
        if any([i < w < places[0] for w in written]) and list(outside_in(step.args)):
            continue
        yield sum([graph.specs[k].nbytes for k in waiting]), i, places[0]


def outside_in(args):
    """The arguments that are memory from outside, which may be written to."""
    return [k for kind in (EXT, SLOT) for k in numbers_in(args, kind)]


def made_again(graph, i, before):
    """The graph with step i run once more before the step `before`, for it and those after it; or only there, if no
    other reads what it gives.
    """
    step, specs = graph.steps[i], list(graph.specs)
    names = {}
    for k in step.outs:
        names[k] = arg(VALUE, len(specs))
        specs.append(graph.specs[k])
    again = step.having(step.args, outs=[names[k].index for k in step.outs])
    between = {k for one in graph.steps[:before] for k in numbers_in(one.args, VALUE)}
    steps = [one for one in graph.steps[:before] if one is not step or not between.isdisjoint(step.outs)] + [again]
    for later in graph.steps[before:]:
        untouched = later.kind == FUSED or names.keys().isdisjoint(numbers_in(later.args, VALUE))
        steps.append(later if untouched else later.having([renamed(a, names) for a in later.args]))
    return type(graph)(steps, specs, graph.results).verify()
