"""Part 6, program 13: the sigmoid as a Function of one's own."""
import torch

torch.manual_seed(0)


class SigmoidFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 1 / (1 + torch.exp(-input))

    @staticmethod
    def backward(ctx, grad_output):
        input, = ctx.saved_tensors
        grad_input = grad_output * (1 - torch.sigmoid(input)) * torch.sigmoid(input)
        return grad_input


x = torch.randn(1, 10, requires_grad=True)      # wrong in the article: no requires_grad, backward() then raises
sigmoid_output = SigmoidFunction.apply(x)
sigmoid_output.backward(torch.randn(1, 10))
print(x.grad)
print(torch.autograd.gradcheck(SigmoidFunction.apply, (x.double(),)))
