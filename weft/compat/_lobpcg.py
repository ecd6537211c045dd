"""torch._lobpcg: PyTorch's place for this."""
import weft

lobpcg = weft.lobpcg
