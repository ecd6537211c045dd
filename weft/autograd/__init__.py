"""The graph and its differentiation: what `torch.autograd` offers."""
from weft.autograd import anomaly_mode, function, functional, grad_mode, graph, graph_api, variable
from weft.autograd.anomaly import detect_anomaly, set_detect_anomaly
from weft.autograd.api import backward, grad
from weft.autograd.function import Function
from weft.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from weft.autograd.variable import Variable
from weft.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled

for _name in graph_api.__all__:
    setattr(graph, _name, getattr(graph_api, _name))

__all__ = ["Function", "GradcheckError", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad",
           "function", "functional", "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph", "inference_mode",
           "no_grad", "set_detect_anomaly", "set_grad_enabled", "variable"]


def __getattr__(name):      # imported when first used
    if name in ("profiler", "profiler_util"):
        import importlib
        return importlib.import_module("weft.autograd." + name)
    raise AttributeError(f"module 'weft.autograd' has no attribute '{name}'")
