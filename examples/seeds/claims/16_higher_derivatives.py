"""Automatic differentiation: the backward is made of ops too, so it has a graph and derivatives of its own."""
import weft

x = weft.tensor(0.5, requires_grad=True)
value = weft.sin(x)
for order in range(4):
    print(order, round(value.item(), 4))
    value, = weft.autograd.grad(value, x, create_graph=True)

# the Hessian of x^T A x is A + A^T
A = weft.tensor([[1.0, 2.0], [0.0, 3.0]])
print(weft.autograd.functional.hessian(lambda v: v @ A @ v, weft.ones(2)))
