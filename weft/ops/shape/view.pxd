cimport cython
from weft.kernels.native cimport strided
from weft.kernels.native cimport transpose as swap

@cython.locals(d=cython.Py_ssize_t)
cpdef Py_ssize_t at(object dim, Py_ssize_t ndim) except -1
