cimport cython
from weft.autograd.graph cimport Node
from weft.jit.match cimport Run
from weft.jit.plan cimport Plan, run_plan
from weft.tensor.tensor cimport Tensor, is_plain

cdef class Leaving(Node):
    cdef public object rehearsal
    cdef public object capture
    cdef public object because
    cdef public object true
    cdef public object visited
    cdef public set freed
    cdef public list given
    cdef public list outputs
    cdef public list versions_then
    cdef public dict edges_of
    cdef public long first
    @cython.locals(t=Tensor, k=cython.int)
    cpdef object take_over(self, Run run)
    @cython.locals(t=Tensor, held=Tensor, i=cython.int)
    cpdef object share(self, Run run)
    @cython.locals(grads=list)
    cpdef list run(self, object grad)
    @cython.locals(t=Tensor)
    cdef bint fits(self, list grads) except -1
    @cython.locals(run=Run, t=Tensor)
    cdef list run_body(self, Plan plan, list grads)
    @cython.locals(t=Tensor, i=cython.int)
    cdef bint must_expand(self, bint create) except -1
    cpdef void free(self) noexcept

@cython.locals(made=Tensor)
cdef Tensor without_history(Tensor t)
cdef int ANOMALY, AUTOCAST, GRAD_OFF, INFERENCE, MATCH, NUMERICS, SAVED_HOOKS, TAKE, WATCH
