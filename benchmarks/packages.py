"""Other people's models, as they are: each function makes one with `import torch` and gives what is timed.

The packages import torch themselves, so that weft and PyTorch need a process each (child.py); weights and inputs are
the same in both, since the random streams are.
"""
import importlib.util

import numpy as np


def absent():
    """The packages that are not installed here."""
    return sorted({package for package, _ in MODELS.values() if importlib.util.find_spec(package) is None})


def _inputs(*shape, high=None, seed=0):
    import torch
    rng = np.random.default_rng(seed)
    made = rng.standard_normal(shape).astype(np.float32) if high is None else rng.integers(0, high, shape)
    return torch.from_numpy(made)


def _step(net, loss_of):
    """A training step with AdamW, in the quickest of the ways that torch has for a CPU; gives the loss."""
    import torch
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4, fused=True)

    def run():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return [loss.detach()]
    return run


def _inference(net, *inputs, result=lambda out: out):
    import torch
    net.eval()

    def run():
        with torch.no_grad():
            return [result(net(*inputs))]
    return run


# transformers

def _gpt2():
    from transformers import GPT2Config, GPT2LMHeadModel
    sizes = dict(n_layer=4, n_head=4, n_embd=128, n_positions=128, vocab_size=1000)
    return GPT2LMHeadModel(GPT2Config(**sizes, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0,
                                      eos_token_id=None, pad_token_id=0))


def gpt2_step():
    net, ids = _gpt2().train(), _inputs(4, 64, high=1000)
    return _step(net, lambda: net(input_ids=ids, labels=ids).loss)


def gpt2_generation():
    import torch
    net, ids = _gpt2().eval(), _inputs(1, 8, high=1000)
    mask = torch.ones_like(ids)
    return lambda: [net.generate(ids, attention_mask=mask, max_new_tokens=24, do_sample=False)]


# timm

def timm_model(name, size, batch, training, **settings):
    def make():
        import timm
        import torch
        net, images = timm.create_model(name, num_classes=10, **settings), _inputs(batch, 3, size, size)
        if not training:
            return _inference(net, images)
        labels = _inputs(batch, high=10)
        net.train()
        return _step(net, lambda: torch.nn.functional.cross_entropy(net(images), labels))
    return make


# diffusers

def _unet():
    from diffusers import UNet2DModel
    return UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(32, 64),
                       norm_num_groups=8, down_block_types=("DownBlock2D", "AttnDownBlock2D"),
                       up_block_types=("AttnUpBlock2D", "UpBlock2D"))


def unet_inference():
    return _inference(_unet(), _inputs(1, 3, 16, 16), 10, result=lambda out: out.sample)


def unet_step():
    import torch
    net, noisy, noise = _unet().train(), _inputs(4, 3, 16, 16), _inputs(4, 3, 16, 16, seed=1)
    times = _inputs(4, high=1000)
    return _step(net, lambda: torch.nn.functional.mse_loss(net(noisy, times).sample, noise))


# torch_geometric

def gcn_step(nodes=1000, edges=5000):
    import torch
    from torch_geometric.nn import GCN
    net, x, labels = GCN(32, 64, 2, 7).train(), _inputs(nodes, 32), _inputs(nodes, high=7)
    graph = _inputs(2, edges, high=nodes, seed=1)
    return _step(net, lambda: torch.nn.functional.cross_entropy(net(x, graph), labels))


# the row's name -> (package, what makes its function)
MODELS = {
    "transformers GPT-2 4x128, batch 4, length 64, step": ("transformers", gpt2_step),
    "transformers GPT-2 4x128, generate 24 tokens": ("transformers", gpt2_generation),
    **{f"timm {name}, {size}x{size}, " + ("batch 8, step" if training else "inference"):
       ("timm", timm_model(name, size, 8 if training else 1, training, **settings))
       for name, size, settings in [("resnet18", 64, {}), ("convnext_atto", 64, {}), ("efficientnet_b0", 64, {}),
                                    ("mobilenetv3_small_100", 64, {}),
                                    ("vit_tiny_patch16_224", 64, {"img_size": 64})]
       for training in (False, True)},
    "diffusers UNet2D 32-64, 16x16, inference": ("diffusers", unet_inference),
    "diffusers UNet2D 32-64, 16x16, batch 4, step": ("diffusers", unet_step),
    "torch_geometric GCN 32-64-7, 1,000 nodes, step": ("torch_geometric", gcn_step),
}
