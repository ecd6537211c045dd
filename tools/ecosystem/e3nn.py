"""e3nn: networks that know rotations."""
# pip install e3nn
import torch
from e3nn import o3
from e3nn.nn import BatchNorm, FullyConnectedNet, Gate


def harmonics():
    """spherical harmonics, Wigner matrices, rotations, with gradients"""
    x = torch.randn(5, 3, requires_grad=True)
    y = o3.spherical_harmonics("1x0e+1x1o+1x2e", x, normalize=True)
    y.pow(2).sum(0)[3].backward()
    turn = o3.rand_matrix()
    return y, x.grad, turn, o3.wigner_3j(1, 1, 2), o3.Irreps("1x1o+1x2e").D_from_matrix(turn)


def products():
    """`FullyConnectedTensorProduct`, `Linear`, `FullTensorProduct`: values and gradients

    e3nn compiles the code that it generates with TorchScript.
    """
    product = o3.FullyConnectedTensorProduct("2x0e+1x1o", "1x0e+1x1o", "2x0e+1x1o")
    linear = o3.Linear("2x0e+1x1o", "3x0e+2x1o")
    a, b = torch.randn(4, 5), torch.randn(4, 4)
    out = linear(product(a, b))
    out.pow(2).sum().backward()
    return out, [p.grad for p in product.parameters()], o3.FullTensorProduct("1x1o", "1x1o")(b[:, 1:], b[:, 1:])


def layers():
    """`Gate`, `BatchNorm`, `FullyConnectedNet`"""
    gate = Gate("2x0e", [torch.tanh], "1x0e", [torch.sigmoid], "1x1o")
    x = torch.randn(6, gate.irreps_in.dim)
    return (gate(x), BatchNorm("2x0e+1x1o")(torch.randn(6, 5)),
            FullyConnectedNet([3, 8, 2], torch.relu)(torch.randn(4, 3)))
