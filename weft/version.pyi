"""torch.version: what programs print about their environment."""
# made by tools/stubs.py

