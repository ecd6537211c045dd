"""torch.backends.quantized: there are no quantized kernels."""
engine, supported_engines = "none", ["none"]
