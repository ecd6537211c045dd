"""geoopt: parameters on manifolds."""
# pip install geoopt
import geoopt
import torch


def hyperbolic():
    """points in the Poincare ball: distances, four steps of Riemannian Adam"""
    ball = geoopt.PoincareBall()
    points = geoopt.ManifoldParameter(0.1 * torch.randn(3, 2), manifold=ball)
    optimizer, losses = geoopt.optim.RiemannianAdam([points], lr=0.1), []
    for _ in range(4):
        optimizer.zero_grad()
        loss = ball.dist0(points).sum() + ball.dist(points, torch.full((3, 2), 0.3)).sum()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses, points


def on_a_sphere():
    """a random walk by SGD on a sphere and on matrices with orthonormal columns"""
    found = []
    for manifold, shape in ((geoopt.Sphere(), (4,)), (geoopt.Stiefel(), (4, 2))):
        p = geoopt.ManifoldParameter(manifold.projx(torch.randn(shape)), manifold=manifold)
        optimizer, target = geoopt.optim.RiemannianSGD([p], lr=0.1, momentum=0.5), torch.randn(shape)
        for _ in range(4):
            optimizer.zero_grad()
            (p - target).pow(2).sum().backward()
            optimizer.step()
        found.append(p)
    return found
