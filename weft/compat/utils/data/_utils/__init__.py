"""PyTorch's old address of the collation functions."""
from weft.utils.data import collate as collate
from weft.utils.data import fetch as fetch
from weft.utils.data import worker as worker
