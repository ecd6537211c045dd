"""Part 2 and 3, 2.1 (the flow chart): A and B are added, then a sigmoid; the graph that ran, read out."""
import torch

A = torch.tensor([1.0, -1.0], requires_grad=True)
B = torch.tensor([0.5, 2.0], requires_grad=True)
C = A + B
output = torch.sigmoid(C)

names = {id(A): "A", id(B): "B"}


def arrows(node):
    """Lines like those of the article's chart, from the result back to the leaves."""
    for parent, _ in node.next_functions:
        leaf = getattr(parent, "variable", None)
        yield f"{names[id(leaf)] if leaf is not None else parent.name()} --> {node.name()}"
        yield from arrows(parent)


print("\n".join(arrows(output.grad_fn)))
print(output)
