cimport cython
from weft.core.runtime cimport mode_bits
from weft.kernels.native cimport matmul, same_type
from weft.kernels.rows cimport count, joined, width
from weft.tensor.tensor cimport Tensor, settle, wrap

cdef int OFF, BATCH, LOOKED_AT
cdef object FLOAT, DOUBLE, SINGLE

@cython.freelist(512)
cdef class Factors:
    cdef public object owner
    cdef public object array
    cdef public object start
    cdef public list rows
    cdef public list lefts
    cdef public list rights
    cdef public Py_ssize_t count, m
    @cython.locals(lefts=list, rights=list)
    cpdef object dense(self)
    cpdef object take_apart(self)

@cython.final
cdef class Form:
    cdef public Py_ssize_t m, n
    cdef public bint single
    cdef public object array

@cython.locals(bits=cython.int)
cpdef Tensor of_rows(Tensor left, Tensor right)
@cython.locals(bits=cython.int)
cpdef Tensor of_columns(Tensor left, Tensor right)
@cython.locals(m=cython.Py_ssize_t, n=cython.Py_ssize_t, size=cython.Py_ssize_t, left_shape=tuple, right_shape=tuple,
               factors=Factors, t=Tensor)
cdef Tensor of_arrays(object left, object right, bint batch)
cdef list FORMS
@cython.locals(form=Form, at=cython.Py_ssize_t)
cdef object form_of(Py_ssize_t m, Py_ssize_t n, bint single)
@cython.locals(factors=Factors)
cpdef Factors factors_behind(Tensor grad)
cpdef object bring(Tensor grad)
@cython.locals(copy=Factors)
cpdef Tensor added(Tensor a, Tensor b, bint own)
cpdef object add(Factors mine, Factors other)
