cimport cython
from weft.core.runtime cimport running, set_running, weakly

@cython.freelist(1024)
cdef class Running:
    cdef public object module
    cdef public object type
    cdef public object caller

@cython.locals(made=Running)
cdef object enter(object module, object caller)
