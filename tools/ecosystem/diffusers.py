"""diffusers: networks of random weights and schedulers."""
# pip install diffusers
# pip install transformers
import torch
from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    DDPMPipeline,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    EulerDiscreteScheduler,
    UNet2DConditionModel,
    UNet2DModel,
)


def _unet():
    return UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32),
                       norm_num_groups=8, down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                       up_block_types=("AttnUpBlock2D", "UpBlock2D"))


def unet():
    """`UNet2DModel`: three training steps on noise of a `DDPMScheduler`"""
    net, noise_of = _unet(), DDPMScheduler(num_train_timesteps=100)
    optimizer, losses = torch.optim.AdamW(net.parameters(), lr=1e-4), []
    for _ in range(3):
        clean, noise, when = torch.randn(2, 3, 16, 16), torch.randn(2, 3, 16, 16), torch.randint(0, 100, (2,))
        loss = torch.nn.functional.mse_loss(net(noise_of.add_noise(clean, noise, when), when).sample, noise)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss)
    return losses


def conditional():
    """`UNet2DConditionModel` with cross-attention: loss and gradients"""
    net = UNet2DConditionModel(sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, norm_num_groups=8,
                               block_out_channels=(16, 32), cross_attention_dim=12, attention_head_dim=4,
                               down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                               up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"))
    out = net(torch.randn(2, 4, 8, 8), torch.tensor([3, 60]), encoder_hidden_states=torch.randn(2, 5, 12)).sample
    out.pow(2).mean().backward()
    return out, torch.stack([p.grad.norm() for p in net.parameters() if p.grad is not None])


def autoencoder():
    """`AutoencoderKL`: encode, sample, decode; loss and gradients"""
    net = AutoencoderKL(block_out_channels=(8, 16), down_block_types=("DownEncoderBlock2D",) * 2, norm_num_groups=4,
                        up_block_types=("UpDecoderBlock2D",) * 2, latent_channels=2)
    x = torch.randn(1, 3, 16, 16)
    latent = net.encode(x).latent_dist
    out = net.decode(latent.sample()).sample
    (torch.nn.functional.mse_loss(out, x) + 1e-3 * latent.kl().mean()).backward()
    return out, latent.mean, torch.stack([p.grad.norm() for p in net.parameters()])


def samplers():
    """DDPM, DDIM, Euler, DPM-Solver: six steps each"""
    net, got = _unet().eval(), []
    for kind in (DDPMScheduler, DDIMScheduler, EulerDiscreteScheduler, DPMSolverMultistepScheduler):
        torch.manual_seed(1)
        steps = kind(num_train_timesteps=100)
        steps.set_timesteps(6)
        x = torch.randn(1, 3, 16, 16) * steps.init_noise_sigma
        with torch.no_grad():
            for t in steps.timesteps:
                x = steps.step(net(steps.scale_model_input(x, t), t).sample, t, x).prev_sample
        got.append(x)
    return got


def pipeline():
    """`DDPMPipeline`: made, saved, loaded, a picture in four steps"""
    pipe = DDPMPipeline(_unet().eval(), DDPMScheduler(num_train_timesteps=100))
    pipe.set_progress_bar_config(disable=True)
    pipe.save_pretrained("pipe")
    again = DDPMPipeline.from_pretrained("pipe")
    again.set_progress_bar_config(disable=True)
    return [p(num_inference_steps=4, output_type="np", generator=torch.Generator().manual_seed(3)).images
            for p in (pipe, again)]
