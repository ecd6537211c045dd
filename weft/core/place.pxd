cimport cython
from weft.core.runtime cimport running, user_code, user_offset

@cython.freelist(64)
cdef class Place:
    cdef public object code
    cdef public object module
    cdef public int lasti
    cpdef object move_here(self)

@cython.locals(made=Place)
cpdef Place here()
@cython.locals(made=Place)
cpdef Place at(object code, int lasti=*, object module=*)
