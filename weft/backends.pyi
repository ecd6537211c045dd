"""PyTorch's backend switches, as far as they concern a CPU."""
# made by tools/stubs.py

