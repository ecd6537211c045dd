"""denoising-diffusion-pytorch: diffusion of pictures."""
# pip install denoising-diffusion-pytorch
import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet


def diffusion():
    """a small U-Net: two training steps, then a picture in ten steps and one by DDIM in five"""
    diffusion = GaussianDiffusion(Unet(dim=8, dim_mults=(1, 2), flash_attn=False), image_size=16, timesteps=10)
    optimizer, losses = torch.optim.SGD(diffusion.parameters(), 1e-2), []
    for _ in range(2):
        optimizer.zero_grad()
        loss = diffusion(torch.rand(2, 3, 16, 16))
        loss.backward()
        optimizer.step()
        losses.append(loss)
    diffusion.eval()
    picture = diffusion.sample(batch_size=1)
    diffusion.is_ddim_sampling, diffusion.sampling_timesteps = True, 5
    return losses, picture, diffusion.sample(batch_size=1)
