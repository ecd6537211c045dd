cimport cython
from weft.core.operation cimport Operation
from weft.core.runtime cimport matcher

cdef class Matcher:
    cpdef object match(self, Operation op, list values, int bits)
    cpdef bint drops_grad(self, object tensor) except -1

@cython.locals(asked=Matcher)
cpdef object match(Operation op, list values, int bits)
@cython.locals(asked=Matcher)
cpdef bint drops_grad(object tensor) except -1
