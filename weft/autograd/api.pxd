from weft.core.runtime cimport mode_bits
from weft.tensor.tensor cimport detached, is_plain, is_ready
