cimport cython
from weft.core.operation cimport Operation
from weft.core.runtime cimport matcher

cdef class Matcher:
    cdef public bint knows_calls
    cpdef object match(self, Operation op, list values, int bits)
    cpdef bint drops_grad(self, object tensor) except -1
    cpdef object match_call(self, Operation op, object x, object y, object z, int bits)
    cpdef object learn_call(self, Operation op, object x, object y, object z, object made)

@cython.locals(asked=Matcher)
cpdef object match(Operation op, list values, int bits)
@cython.locals(asked=Matcher)
cpdef bint drops_grad(object tensor) except -1
@cython.locals(asked=Matcher)
cpdef object match_call(Operation op, object x, object y, object z, int bits)
@cython.locals(asked=Matcher)
cpdef object learn_call(Operation op, object x, object y, object z, object made)
