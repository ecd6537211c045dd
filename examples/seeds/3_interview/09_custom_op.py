"""Part 6, question 8: autograd.Function with one input."""
import torch
from torch.autograd import Function


class MyCustomOp(Function):
    @staticmethod
    def forward(ctx, input):
        # wrong in the article: the input was saved; the derivative of 2 x doesn't need it
        return input * 2

    @staticmethod
    def backward(ctx, grad_output):
        # wrong in the article: grad_output * input; the derivative of 2 x is 2
        return grad_output * 2


input = torch.tensor([1.0], requires_grad=True)     # wrong in the article: no requires_grad, so grad was None
output = MyCustomOp.apply(input)
output.backward(torch.tensor([1.0]))
print(input.grad)
