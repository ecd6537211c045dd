"""normflows: normalizing flows."""
# pip install normflows
import normflows as nf
import torch


def couplings():
    """affine couplings, permutations and a rational-quadratic spline: four steps of Adam, densities, samples"""
    flows = []
    for _ in range(3):
        flows += [nf.flows.AffineCouplingBlock(nf.nets.MLP([1, 8, 8, 2], init_zeros=False)),
                  nf.flows.Permute(2, mode="swap")]
    flows.append(nf.flows.AutoregressiveRationalQuadraticSpline(2, 1, 8))
    model, x = nf.NormalizingFlow(nf.distributions.base.DiagGaussian(2), flows), torch.randn(20, 2)
    optimizer, losses = torch.optim.Adam(model.parameters(), 1e-2), []
    for _ in range(4):
        optimizer.zero_grad()
        loss = model.forward_kld(x)
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses, model.log_prob(x), model.sample(5)
