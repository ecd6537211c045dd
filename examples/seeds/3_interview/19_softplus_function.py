"""Part 7, program 19: softplus as a Function of one's own."""
import torch
from torch.autograd import Function

torch.manual_seed(0)


class SoftplusFunction(Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return torch.log(1 + torch.exp(input))

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        # wrong in the article: * (1 + exp(-x)); the derivative is 1 / (1 + exp(-x)), the sigmoid
        grad_input = grad_output / (1 + torch.exp(-input))
        return grad_input


x = torch.randn(1, 10, requires_grad=True)      # wrong in the article: no requires_grad
softplus_output = SoftplusFunction.apply(x)
softplus_output.backward(torch.randn(1, 10))
print(x.grad)
print(torch.autograd.gradcheck(SoftplusFunction.apply, (x.double(),)))
