"""piq: measures of pictures."""
# pip install piq
import piq
import torch


def measures():
    """nine measures of two pictures, in float64"""
    x, y = torch.rand(1, 3, 64, 64).double(), torch.rand(1, 3, 64, 64).double()
    functions = (piq.ssim, piq.psnr, piq.gmsd, piq.vif_p, piq.mdsi, piq.haarpsi, piq.fsim, piq.vsi, piq.dss)
    return [f(x, y, data_range=1.0) for f in functions]


def resized():
    """`srsim`, whose resizing is in float32 whatever it is given"""
    return piq.srsim(torch.rand(1, 3, 64, 64), torch.rand(1, 3, 64, 64), data_range=1.0)


def losses():
    """losses with gradients"""
    x, y, found = torch.rand(1, 3, 64, 64, dtype=torch.float64, requires_grad=True), torch.rand(1, 3, 64, 64), []
    y = y.double()
    for loss in (piq.SSIMLoss(), piq.GMSDLoss(), piq.HaarPSILoss(), piq.TVLoss()):
        x.grad = None
        value = loss(x, y) if not isinstance(loss, piq.TVLoss) else loss(x)
        value.backward()
        found += [value, x.grad]
    return found
