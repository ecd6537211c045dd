"""pytorch-msssim: how alike two pictures are."""
# pip install pytorch-msssim
import torch
from pytorch_msssim import MS_SSIM, SSIM, ms_ssim, ssim


def alike():
    """SSIM and MS-SSIM of random pictures, as functions and as losses with gradients"""
    torch.manual_seed(0)
    x, y = torch.rand(2, 3, 176, 176), torch.rand(2, 3, 176, 176, requires_grad=True)
    loss = 1 - SSIM(data_range=1, size_average=True, channel=3)(x, y)
    loss = loss + 1 - MS_SSIM(data_range=1, size_average=True, channel=3)(x, y)
    loss.backward()
    return ssim(x, y.detach(), data_range=1, size_average=False), ms_ssim(x, y.detach(), data_range=1), loss.detach(), \
        y.grad[0, 0, :4, :4]
