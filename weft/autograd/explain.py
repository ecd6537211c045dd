"""What to say when a backward needs values that an earlier one freed: the tensor that ties the two steps together, and
its line.
"""
from weft.autograd.graph import Node, Packed
from weft.core.errors import message, where
from weft.core.modes import local
from weft.tensor.tensor import Tensor

WHAT = ("Trying to backward through the graph a second time: an earlier backward used the values that {name} saved, "
        "and after they have already been freed they can't be used again")
KEEP = "Specify retain_graph=True in the first backward() or grad()"


def explain_freed(node):
    """The text of the error for a node that has no saved values any more."""
    what = WHAT.format(name=node.own_name())
    tie = _tie(local.run, node) if local.run is not None else None
    if tie is None:
        return message(what, fix=f"{KEEP}, or compute the loss anew before the second one", at=where(node)
                       or "an unknown line")
    made, used = tie
    return message(
        what, at=where(node) or "an unknown line",
        fix=f"the tensor that ties this step to the last one\n"
            f"       was made by           {where(made) or 'an unknown line'}\n"
            f"       and is used again by  {where(used) or 'an unknown line'}\n"
            f"       detach() it between the steps; or, if the gradient is to flow through both: {KEEP}")


def _tie(run, node):
    """(the node that made the tying tensor, the node of this step that used it); None when the same graph ran twice."""
    path = _path([edge[0] for edge in run.edges if isinstance(edge[0], Node)], node)
    if path is None or len(path) == 1:
        return None
    # it ran in this step, so its values were there
    ran = max((i for i, step in enumerate(path[:-1]) if _held(step)), default=-1)
    if ran < 0 and path[0].seq <= run.freed_before:
        return None
    at = next((i for i in range(max(ran + 1, 1), len(path)) if path[i].seq <= run.freed_before), len(path) - 1)
    return path[at], path[at - 1]


def _held(node):
    """Whether a node that just ran had tensors saved, which its backward frees."""
    if node.plan is None:
        ctx = getattr(node, "ctx", None)
        return ctx is not None and ctx._saved != ()
    return node.plan.n_saved > 0 and (node.saved is None or any(isinstance(v, (Tensor, Packed)) for v in node.saved))


def _path(roots, node):
    """A way from one of the roots to a node; sequence numbers fall along it."""
    above = dict.fromkeys(roots)
    stack = list(above)
    while stack:
        step = stack.pop()
        if step is node:
            path = [step]
            while above[path[-1]] is not None:
                path.append(above[path[-1]])
            return path[::-1]
        for parent in step.parents:
            if isinstance(parent, Node) and parent not in above and parent.seq >= node.seq:
                above[parent] = step
                stack.append(parent)
    return None
