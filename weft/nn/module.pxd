cimport cython
from weft.core.runtime cimport current_module, set_current_module

@cython.freelist(64)
cdef class Running:
    cdef public object module
    cdef public object type
    cdef public object caller

@cython.locals(made=Running)
cdef object enter(object module, object caller)
