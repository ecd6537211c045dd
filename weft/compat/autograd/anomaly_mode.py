"""PyTorch's module name for anomaly mode."""
from weft.autograd.anomaly import detect_anomaly, set_detect_anomaly

__all__ = ["detect_anomaly", "set_detect_anomaly"]
