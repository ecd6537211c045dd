cimport cython
from weft.core.runtime cimport mode_bits
from weft.kernels.native cimport matmul
from weft.tensor.tensor cimport Tensor, settle, wrap

cdef int OFF, BATCH, LOOKED_AT
cdef object FLOAT, DOUBLE

cdef class Factors:
    cdef public object owner
    cdef public object array
    cdef public object start
    cdef public list lefts
    cdef public list rights
    cdef public Py_ssize_t count
    @cython.locals(n=cython.Py_ssize_t, lefts=list, rights=list)
    cpdef object dense(self)

@cython.locals(bits=cython.int)
cpdef Tensor of_rows(Tensor left, Tensor right)
@cython.locals(bits=cython.int)
cpdef Tensor of_columns(Tensor left, Tensor right)
@cython.locals(m=cython.Py_ssize_t, n=cython.Py_ssize_t, size=cython.Py_ssize_t, left_shape=tuple, right_shape=tuple,
               factors=Factors, t=Tensor)
cdef Tensor of_arrays(object left, object right, bint batch)
cdef object form_of(Py_ssize_t m, Py_ssize_t n, object kind)
cpdef Factors factors_behind(Tensor grad)
cpdef object bring(Tensor grad)
@cython.locals(copy=Factors)
cpdef Tensor added(Tensor a, Tensor b, bint own)
cpdef object add(Factors mine, Factors other)
