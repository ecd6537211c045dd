"""Static optimisation, layout: where the numbers lie is free; channels last, the same results."""
import weft
from weft import nn

weft.manual_seed(0)

net = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 8, 1)).eval()
x = weft.randn(2, 16, 12, 12)
with weft.no_grad():
    usual = net(x)
    last = x.to(memory_format=weft.channels_last)
    print("strides:", x.stride(), "->", last.stride())
    other = net.to(memory_format=weft.channels_last)(last)
print("the layout goes through:", other.is_contiguous(memory_format=weft.channels_last))
print("the same results:", weft.allclose(usual, other, atol=1e-5))
