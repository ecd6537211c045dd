"""Static optimisation, simplification: what nobody reads is not computed; a norm is folded into its convolution."""
import weft
from weft import fx, nn
from weft.nn.utils import fuse_conv_bn_eval

weft.manual_seed(0)


def wasteful(x):
    unused = (x @ x).exp()      # nobody reads it
    return x + 1


fast = weft.compile(wasteful)
for _ in range(5):
    fast(weft.ones(4, 4))
print("steps that run:", len(fast.graphs()[-1].steps))

# the graph of a trained network, rewritten: Conv - BatchNorm - Dropout becomes one convolution
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Dropout(0.2), nn.ReLU())
net(weft.randn(16, 3, 8, 8))        # some statistics
net.eval()
x = weft.randn(2, 3, 8, 8)
traced = fx.symbolic_trace(net)
nodes = [str(node.target) for node in traced.graph.nodes if node.op == "call_module"]
traced.add_module("0", fuse_conv_bn_eval(net[0], net[1]))
for node in list(traced.graph.nodes):
    if node.op == "call_module" and node.target in ("1", "2"):
        node.replace_all_uses_with(node.args[0])
        traced.graph.erase_node(node)
traced.recompile()
left = [str(node.target) for node in traced.graph.nodes if node.op == "call_module"]
print("layers called:", nodes, "->", left)
print("the same results:", weft.allclose(traced(x), net(x), atol=1e-5))
