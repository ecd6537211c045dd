"""torch.quasirandom: points that fill a cube more evenly than random ones."""
from weft.quasirandom.sobol import SobolEngine as SobolEngine

__all__ = ["SobolEngine"]
