"""torch.version: what programs print about their environment."""
from weft._version import __version__ as __version__

cuda = hip = xpu = rocm = git_version = None
debug = False
