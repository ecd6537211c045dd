"""torch.jit: `script` runs a program as the Python that it is and saves it as data, `trace` keeps what it did."""
# made by tools/stubs.py

