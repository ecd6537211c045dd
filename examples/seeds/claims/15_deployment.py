"""Deployment: a trained model as a file, loaded without its class, and served with shapes it was not traced with."""
import os
import tempfile

import weft
from weft import nn

weft.manual_seed(0)

net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).eval()
x = weft.randn(3, 4)

with tempfile.TemporaryDirectory() as folder:
    whole = os.path.join(folder, "model.pt")
    weft.jit.save(weft.jit.trace(net, (x,)), whole)     # graph and weights; data only, nothing in it is run
    served = weft.jit.load(whole)
    print("the same:", weft.equal(served(x), net(x)), "| other sizes:", tuple(served(weft.randn(7, 4)).shape))

    weights = os.path.join(folder, "model.safetensors")
    weft.save(net.state_dict(), weights)                # or the weights alone, in a form that others read too
    other = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    other.load_state_dict(weft.load(weights))
    print("from the weights:", weft.equal(other(x), net(x)))

# inference: no graph is kept, and what runs is one plan
serve = weft.compile(net)
with weft.inference_mode():
    for _ in range(4):
        answer = serve(x)
print("compiled:", weft.equal(answer, net(x)), "| needs a gradient:", answer.requires_grad)
