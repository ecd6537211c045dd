from weft.core.runtime cimport mode_bits, set_matcher, set_mode_bits
from weft.jit.execute cimport execute, held_outputs
from weft.jit.match cimport Run, is_alone, start
from weft.kernels.native cimport only_here

cdef int GRAD_OFF, INFERENCE, MATCH, TAKE, WATCH, BACKWARD, RENAME, WRITE
