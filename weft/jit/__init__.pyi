"""torch.jit: `script` runs a program as the Python that it is, `trace` keeps what it did as a graph."""
# made by tools/stubs.py

