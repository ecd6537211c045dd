"""torch.quasirandom: points that fill a cube more evenly than random ones."""
# made by tools/stubs.py

from weft.quasirandom.sobol import SobolEngine as SobolEngine
