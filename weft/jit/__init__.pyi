"""torch.jit's decorators, for programs that script their functions: in weft they run as the Python that they are."""
# made by tools/stubs.py

