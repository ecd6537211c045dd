cimport cython
from weft.autograd.graph cimport Node, Plan
from weft.core.runtime cimport mode_bits, set_mode_bits
from weft.kernels.native cimport binary_into, held_once, keeps_alone, only_here, references, same_place, same_type
from weft.tensor.tensor cimport Memory, Tensor, alias

@cython.final
cdef class Run:
    cdef public Node first
    cdef public list heap
    cdef public bint has_places
    cdef public dict pending
    cdef public dict leaves
    cdef public dict summed
    cdef public dict foreign
    cdef public set needed
    cdef public dict wanted
    cdef public dict found
    cdef public bint keep
    cdef public bint create
    cdef public bint accumulate
    cdef public list callbacks
    cdef public list waiting
    cdef public list edges
    cdef public list given
    cdef public object numerics
    cdef public object spent
    cdef public long freed_before
    @cython.locals(heap=list, i=cython.Py_ssize_t, up=cython.Py_ssize_t, above=Node)
    cdef void push(self, Node node)
    cpdef bint more(self) noexcept
    @cython.locals(heap=list, i=cython.Py_ssize_t, n=cython.Py_ssize_t, child=cython.Py_ssize_t, top=Node, last=Node,
                   a=Node, b=Node)
    cpdef Node pop(self)
    @cython.locals(slots=list, node=Node)
    cdef object deliver(self, object parent, int out, object grad)
    @cython.locals(total=Tensor, t=Tensor, own=bint)
    cdef object deliver_leaf(self, Tensor leaf, object grad)
    @cython.locals(node=Node)
    cpdef object drain(self)
    cpdef object take(self, Node node)
    @cython.locals(parents=tuple, i=cython.int, out=cython.int, grads=list, bits=cython.int)
    cpdef object run_node(self, Node node, object grad, bint alone=*)
    @cython.locals(plan=Plan, t=Tensor, x=Tensor)
    cdef list run_thriftily(self, Node node, object grad, bint alone, int bits)
    @cython.locals(at=cython.int, x=Tensor)
    cdef list run_over(self, Node node, object grad)
    cdef bint is_free(self, Tensor t) except -1
    @cython.locals(t=Tensor)
    cdef object check_finite(self, Node node, object grad, list grads)
    @cython.locals(t=Tensor)
    cpdef object mark_foreign(self, object grads)
    @cython.locals(t=Tensor)
    cpdef object own(self, object grad, object like)
    cpdef object finish_leaves(self)
    @cython.locals(t=Tensor)
    cpdef object finish_leaf(self, Tensor leaf, object grad)
    cpdef object leaf_hooks(self, Tensor leaf, object grad)
    @cython.locals(t=Tensor)
    cpdef object accumulate_leaf(self, Tensor leaf, object grad)

cdef int FUNCTION, GRAD_OFF
cdef int ANOMALY
cdef int WATCH
cdef int NUMERICS
cdef int GRADIENTS
cdef long FREED
cdef object claim(Run run)
@cython.locals(node=Node)
cdef object give_up(Run run)
cdef int LOOK
cdef int SEAM, TAKE
cdef int ADD
cdef long LARGE

@cython.locals(other=Tensor)
cdef bint is_apart(object t) except -1
cdef object added(object a, object b, bint own=*)
@cython.locals(t=Tensor)
cdef bint is_owed(object grad) except -1
cpdef Run prepare(list roots, list grads, bint keep, bint create, object inputs, bint accumulate)
cpdef tuple enter(Run run)
cpdef object leave(tuple before)
@cython.locals(newest=Node)
cpdef object start(Run run, list grads)
cpdef object finish(Run run, object inputs)
