cimport cython
from weft.autograd.graph cimport Node
from weft.core.runtime cimport running, user_code, user_offset
from weft.tensor.tensor cimport Tensor

cdef class Log:
    cdef public list entries
    cdef public bint detailed, stack
    cdef public object op
    cdef public long long start
    cpdef before(self, op, values)
    cpdef enter(self, op, values)
    @cython.locals(t=Tensor, node=Node, seq=cython.long)
    cpdef after(self, op, values, list outs)
    @cython.locals(n=Node)
    cpdef backward_before(self, node, grad)
    @cython.locals(n=Node)
    cpdef backward_after(self, node, grad, grads)

@cython.locals(t=Tensor)
cpdef details_of(op, values, outs, bint stack)
@cython.locals(t=Tensor)
cpdef tuple snapshot(values)
@cython.locals(t=Tensor)
cpdef made_bytes(op, values, outs)
