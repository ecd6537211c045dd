from weft.core.runtime cimport mode_bits, set_matcher, set_mode_bits
from weft.jit.execute cimport execute, held_outputs
from weft.jit.match cimport Run, is_alone, start

cdef int GRAD_OFF, INFERENCE, MATCH, TAKE, WATCH, BACKWARD, RENAME, WRITE
