"""captum: attributions."""
# pip install captum --no-deps
# pip install matplotlib tqdm packaging
import torch
from captum import attr


def _net():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3)).eval()


def gradients():
    """integrated gradients, saliency, input x gradient, DeepLift, guided backprop, deconvolution, LRP"""
    net, x, none = _net(), torch.randn(4, 6), torch.zeros(4, 6)
    return (attr.IntegratedGradients(net).attribute(x, none, target=1, return_convergence_delta=True),
            attr.Saliency(net).attribute(x.clone().requires_grad_(), target=1),
            attr.InputXGradient(net).attribute(x.clone().requires_grad_(), target=2),
            attr.DeepLift(net).attribute(x, none, target=1),
            attr.GuidedBackprop(net).attribute(x.clone().requires_grad_(), target=0),
            attr.Deconvolution(net).attribute(x.clone().requires_grad_(), target=0),
            attr.LRP(net).attribute(x.clone().requires_grad_(), target=0))


def perturbations():
    """ablation, occlusion, permutation, Shapley samples, gradient SHAP, noise tunnel"""
    net, x = _net(), torch.randn(4, 6)
    return (attr.FeatureAblation(net).attribute(x, target=1), attr.Occlusion(net).attribute(x, (2,), target=1),
            attr.FeaturePermutation(net).attribute(x, target=1),
            attr.ShapleyValueSampling(net).attribute(x, target=1, n_samples=3),
            attr.GradientShap(net).attribute(x, torch.zeros(2, 6), target=1, n_samples=3),
            attr.NoiseTunnel(attr.Saliency(net)).attribute(x, target=1, nt_samples=3))


def layers():
    """layers and neurons: conductance, Grad-CAM, activations, neuron gradients"""
    net, x = _net(), torch.randn(4, 6)
    cnn = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(64, 3))
    return (attr.LayerConductance(net, net[1]).attribute(x, target=1),
            attr.LayerActivation(net, net[0]).attribute(x),
            attr.LayerIntegratedGradients(net, net[0]).attribute(x, target=1),
            attr.LayerGradCam(cnn, cnn[0]).attribute(torch.randn(2, 1, 6, 6), target=0),
            attr.NeuronGradient(net, net[0]).attribute(x, 3))
