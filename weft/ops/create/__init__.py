"""Tensors of constants and of data, and conversions."""
