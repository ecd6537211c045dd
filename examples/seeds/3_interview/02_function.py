"""Part 1, question 2: a node of one's own: a Function with forward and backward."""
import torch
import torch.autograd as autograd


class MyFunction(autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        # wrong in the article: grad_output * (x + y), one gradient for two inputs, and that of neither
        return grad_output * y, grad_output * x


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([4.0, 5.0, 6.0], requires_grad=True)

z = MyFunction.apply(x, y)

z.backward(torch.tensor([1.0, 1.0, 1.0]))
print(x.grad)
print(y.grad)
print(autograd.gradcheck(MyFunction.apply, (x.double(), y.double())))
