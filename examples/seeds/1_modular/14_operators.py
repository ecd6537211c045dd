"""Part 3, 3.2 to 3.4: operators are functions; calling them builds the graph, backward() gives the gradients."""
import torch

torch.manual_seed(0)

# wrong in the article: no requires_grad, so that there was nothing to compute a gradient of
x = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.float32, requires_grad=True)
y = torch.randn(2, 3, requires_grad=True)

add = torch.add
sub = torch.sub
mul = torch.mul
div = torch.div

result_add = add(x, y)
result_sub = sub(x, y)
result_mul = mul(x, y)
result_div = div(x, y)

print(result_add)
print(result_sub)
print(result_mul)
print(result_div)


# wrong in the article: a graph needs no Function class, an ordinary function does
def add_and_sub(x, y):
    return add(x, y) - sub(x, y)


output = add_and_sub(x, y)
print(output)

# wrong in the article: output.backward() on six numbers; a scalar has a gradient, so they are summed
output.sum().backward()
print(x.grad)       # (x + y) - (x - y) = 2 y: x has no influence
print(y.grad)
