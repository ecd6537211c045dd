"""torch.onnx.errors: what an export may raise."""


class OnnxExporterError(RuntimeError):
    """An export that failed."""


class UnsupportedOperatorError(OnnxExporterError):
    """An op that the format doesn't have."""


class SymbolicValueError(OnnxExporterError):
    """A value that could not be worked out."""
