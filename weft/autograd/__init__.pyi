"""The graph and its differentiation: what `torch.autograd` offers."""
# made by tools/stubs.py

from weft.autograd import graph as graph
from weft.autograd import forward_ad as forward_ad
from weft.autograd import function as function
from weft.autograd import functional as functional
from weft.autograd.anomaly import detect_anomaly as detect_anomaly
from weft.autograd.anomaly import set_detect_anomaly as set_detect_anomaly
from weft.autograd.api import backward as backward
from weft.autograd.api import grad as grad
from weft.autograd.function import Function as Function
from weft.autograd.gradcheck import gradcheck as gradcheck
from weft.autograd.gradcheck import GradcheckError as GradcheckError
from weft.autograd.gradcheck import gradgradcheck as gradgradcheck
from weft.core.modes import enable_grad as enable_grad
from weft.core.modes import inference_mode as inference_mode
from weft.core.modes import no_grad as no_grad
from weft.core.modes import set_grad_enabled as set_grad_enabled
from weft.autograd import profiler as profiler
from weft.autograd import grad_mode as grad_mode
from weft.autograd.variable import Variable as Variable
from weft.autograd import anomaly_mode as anomaly_mode
from weft.autograd import variable as variable
