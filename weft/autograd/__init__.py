"""The graph and its differentiation: what `torch.autograd` offers."""
from weft.autograd import forward_ad, function, functional, graph, graph_api
from weft.autograd.anomaly import detect_anomaly, set_detect_anomaly
from weft.autograd.api import backward, grad
from weft.autograd.function import Function
from weft.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from weft.core.modes import enable_grad, inference_mode, no_grad, set_grad_enabled
from weft.core.namespace import parts as _parts

for _name in graph_api.__all__:
    setattr(graph, _name, getattr(graph_api, _name))
graph.__all__ = [*graph_api.__all__, "AccumulateGrad", "RemovableHandle"]

__all__ = ["Function", "GradcheckError", "Variable", "anomaly_mode", "backward", "detect_anomaly", "enable_grad",
           "forward_ad", "function", "functional", "grad", "grad_mode", "gradcheck", "gradgradcheck", "graph",
           "inference_mode",
           "no_grad", "set_detect_anomaly", "set_grad_enabled", "variable"]
__getattr__, __dir__ = _parts(globals(), "anomaly_mode grad_mode profiler profiler_util variable",
                              {"Variable": "weft.autograd.variable",
                               "set_multithreading_enabled": "weft.autograd.grad_mode",
                               "_unsafe_preserve_version_counter": "weft.autograd.grad_mode"})
