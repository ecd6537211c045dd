"""PyTorch's old address of the collation functions."""
import re

from weft.utils.data.collate import *  # noqa: F403
from weft.utils.data.collate import collate_tensor_fn as collate_tensor_fn

np_str_obj_array_pattern = re.compile(r"[SaUO]")      # kinds of NumPy arrays that no tensor can be made of
