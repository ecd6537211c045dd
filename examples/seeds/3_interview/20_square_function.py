"""Part 8, question 20: the square as a Function of one's own."""
import torch
from torch.autograd import Function

torch.manual_seed(0)


class MyCustomOperation(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input ** 2

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output * 2 * input
        return grad_input


x = torch.randn(3, 3, requires_grad=True)       # wrong in the article: no requires_grad
y = MyCustomOperation.apply(x)
y.backward(torch.randn(3, 3))
print(x.grad)
