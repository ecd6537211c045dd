cimport cython
from weft.kernels.native cimport call as call_list, strided
from weft.tensor.calls cimport call_arrays

cdef class Call:
    cdef public object function
    cdef public list template
    cdef public list places
    cdef public list cells
    cdef public int n_made

@cython.locals(now=Call, args=list, i=cython.int, places=list)
cpdef list run_calls(list calls, list cells, list results)
