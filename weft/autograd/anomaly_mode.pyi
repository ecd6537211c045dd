"""PyTorch's module name for anomaly mode."""
# made by tools/stubs.py

from weft.autograd.anomaly import detect_anomaly as detect_anomaly
from weft.autograd.anomaly import set_detect_anomaly as set_detect_anomaly
