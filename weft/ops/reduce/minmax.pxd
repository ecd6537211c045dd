from weft.ops.core.apply cimport Op

cdef Op MAX_ALL, MIN_ALL, MAX_DIM, MIN_DIM
