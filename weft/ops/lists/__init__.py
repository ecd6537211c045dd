"""One op over lists of tensors."""
