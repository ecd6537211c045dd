"""x-transformers: transformers with many options."""
# pip install x-transformers
import torch
from x_transformers import (
    AutoregressiveWrapper,
    Decoder,
    Encoder,
    TransformerWrapper,
    ViTransformerWrapper,
    XTransformer,
)


def _steps(net, *inputs, **named):
    optimizer, seen = torch.optim.Adam(net.parameters(), 1e-3), []
    for _ in range(3):
        optimizer.zero_grad()
        loss = net(*inputs, **named)
        loss.backward()
        optimizer.step()
        seen.append(loss)
    return seen


def decoder():
    """a decoder with rotary positions, flash attention and GLU: three steps, then greedy generation"""
    net = AutoregressiveWrapper(TransformerWrapper(num_tokens=50, max_seq_len=32, attn_layers=Decoder(
        dim=32, depth=2, heads=4, rotary_pos_emb=True, attn_flash=True, ff_glu=True)))
    seen = _steps(net, torch.randint(0, 50, (2, 16)))
    net.eval()
    return seen, net.generate(torch.randint(0, 50, (1, 4)), 10, temperature=0.0)


def options():
    """ALiBi, RMSNorm, talking heads, qk-norm, memory tokens: three steps each"""
    made = (dict(alibi_pos_bias=True), dict(use_rmsnorm=True, attn_pre_talking_heads=True), dict(attn_qk_norm=True),
            dict(rel_pos_bias=True, ff_swish=True), dict(sandwich_norm=True))
    return [_steps(AutoregressiveWrapper(TransformerWrapper(num_tokens=50, max_seq_len=32, num_memory_tokens=2,
                                                            attn_layers=Decoder(dim=32, depth=2, heads=4, **o))),
                   torch.randint(0, 50, (2, 12))) for o in made]


def both():
    """`XTransformer` (encoder and decoder): three steps; a ViT: forward"""
    net = XTransformer(dim=32, enc_num_tokens=40, enc_depth=1, enc_heads=2, enc_max_seq_len=16, dec_num_tokens=40,
                       dec_depth=1, dec_heads=2, dec_max_seq_len=16, tie_token_emb=True)
    seen = _steps(net, torch.randint(0, 40, (2, 8)), torch.randint(0, 40, (2, 10)))
    vit = ViTransformerWrapper(image_size=16, patch_size=4, num_classes=5,
                               attn_layers=Encoder(dim=32, depth=1, heads=2))
    return seen, vit(torch.randn(2, 3, 16, 16))
