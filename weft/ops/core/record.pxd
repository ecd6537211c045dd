cimport cython
from weft.autograd.graph cimport Node, Plan, next_seq
from weft.core.runtime cimport mode_bits, set_mode_bits
from weft.kernels.native cimport is_inexact, same_layout, same_type, shape, spec
from weft.ops.core.body cimport Body
from weft.tensor.tensor cimport Memory, Tensor, alias, needs_grad

cdef int GRAD_OFF, SAVED_HOOKS, SHAPE

@cython.locals(plan=Plan, node=Node)
cpdef object record_short(Body op, int mask, object x, object y, Tensor out)
@cython.locals(plan=Plan, node=Node)
cpdef object record_one(Body op, long long mask, list values, Tensor out)
@cython.locals(plan=Plan, node=Node, t=Tensor, first=Tensor, k=cython.int)
cpdef object record_many(Body op, long long mask, list values, list outs)
@cython.locals(plan=Plan)
cdef Plan plan_of(Body op, long long mask, list values)
@cython.locals(node=Node)
cdef Node begin(Body op, Plan plan)
@cython.locals(node=Node, parents=list, slots=tuple, n=cython.int, i=cython.int)
cdef Node start(Body op, Plan plan, long long mask, list values, Tensor first)
cdef object complete(Node node, Py_ssize_t n)
cdef object edge_of(Body op, Node node, Py_ssize_t at, object value, Tensor first)
cdef object add_edge(Body op, Node node, Py_ssize_t at, Tensor t, Tensor first)
@cython.locals(plan=Plan, saved=tuple, i=cython.int, slot=cython.int, dirty=cython.bint)
cdef object save(Body op, Node node, object x, object y, list values, Tensor first, list outs)
cdef tuple versions_of(tuple saved)
@cython.locals(t=Tensor)
cdef object version_in(object value)
cdef object value_of(Body op, int slot, object x, object y, list values, Tensor first, list outs)
@cython.locals(t=Tensor)
cdef bint was_written(Body op, object value) except -1
cdef tuple numbers_and_shapes(Plan plan, object x, object y, list values)
cdef object number_or_shape(int slot, object x, object y, list values)
cdef Plan with_counts(Body op, Plan plan, list values)
@cython.locals(mask=cython.longlong, bit=cython.longlong)
cpdef long long mask_of(list values) except -1
cpdef object edge(Tensor t)
cpdef tuple spec_of(Tensor t)
@cython.locals(t=Tensor, last=Tensor, found=list)
cdef tuple specs_of(list outs)
@cython.locals(t=Tensor)
cpdef object shape_of(object value)
@cython.locals(t=Tensor)
cpdef bint written(object values) except -1
