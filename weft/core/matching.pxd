cimport cython
from weft.core.operation cimport Operation
from weft.core.runtime cimport matcher

cdef class Matcher:
    cpdef object match(self, Operation op, list values, int bits)

@cython.locals(asked=Matcher)
cpdef object match(Operation op, list values, int bits)
