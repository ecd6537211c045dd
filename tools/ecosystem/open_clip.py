"""open_clip_torch: contrastive models of random weights."""
# pip install open_clip_torch --no-deps
# pip install ftfy regex timm
import open_clip
import torch
from open_clip.loss import ClipLoss, SigLipLoss
from open_clip.model import CLIP, CLIPTextCfg, CLIPVisionCfg


def _model():
    return CLIP(embed_dim=16, vision_cfg=CLIPVisionCfg(layers=2, width=32, head_width=8, patch_size=8, image_size=32),
                text_cfg=CLIPTextCfg(context_length=12, vocab_size=60, width=32, heads=4, layers=2))


def training():
    """CLIP with its loss and with SigLIP's: three steps"""
    net, seen = _model(), []
    images, words = torch.randn(4, 3, 32, 32), torch.randint(1, 60, (4, 12))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for loss_of in (ClipLoss(), ClipLoss(), SigLipLoss()):
        optimizer.zero_grad()
        image, text, scale = net(images, words)[:3]
        loss = loss_of(image, text, scale) if isinstance(loss_of, ClipLoss) else loss_of(image, text, scale,
                                                                                        torch.tensor(-5.0))
        loss.backward()
        optimizer.step()
        seen.append(loss)
    return seen, image, text


def named():
    """`create_model` of RN50's kind, small; the transform of its pictures"""
    net = open_clip.create_model("RN50", pretrained=None, force_image_size=64).eval()
    with torch.no_grad():
        return net.encode_image(torch.randn(1, 3, 64, 64))
