"""Native kernels and their NumPy twins: arrays in, arrays out."""
