from weft.core.runtime cimport mode_bits

cdef int ANOMALY, AUTOCAST, GRAD_OFF, NUMERICS, SAVED_HOOKS, TAKE, WATCH, ELSEWHERE
