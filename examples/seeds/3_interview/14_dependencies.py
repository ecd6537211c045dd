"""Part 7, question 14 (no sample there): who depends on whom, as the graph records it."""
import torch

a = torch.tensor(2.0, requires_grad=True)
b = a * 3
c = a + b
d = b * c

# a node knows the nodes that it was made from; backward goes through them in reverse, each after all that use it
for name, tensor in (("d", d), ("c", c), ("b", b), ("a", a)):
    node = tensor.grad_fn
    made_from = [parent.name() for parent, _ in node.next_functions if parent is not None] if node else "a leaf"
    print(name, node.name() if node else None, made_from)
d.backward()
print(a.grad)       # d = 3 a (a + 3 a) = 12 a^2, whose derivative is 24 a
