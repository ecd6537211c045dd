"""torch.ao: weft has no quantized kernels; packages import its names to compare with."""
