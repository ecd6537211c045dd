cimport cython
from weft.core.runtime cimport mode_bits
from weft.kernels.rows cimport copied_row
from weft.tensor.tensor cimport Tensor, wrap

cdef int GRAD_OFF, LOOKED_AT
cdef Py_ssize_t FEW

@cython.freelist(64)
cdef class Rows:
    cdef public object owner
    cdef public object array
    cdef public tuple shape
    cdef public object dtype
    cdef public list lookups
    cdef public Py_ssize_t count
    cdef public bint apart
    cdef object __weakref__
    cpdef Rows copy(self)
    cpdef object add(self, Rows other)
    cpdef tuple join(self)

cpdef Rows rows_behind(Tensor grad)
cpdef Tensor as_tensor(Rows rows)
cpdef bint pays(tuple shape, Py_ssize_t count, object dtype) except -1
cpdef Tensor of_row(tuple shape, object number, Tensor grad)
@cython.locals(mine=Rows, other=Rows)
cpdef object added(Tensor a, Tensor b, bint own=*)
