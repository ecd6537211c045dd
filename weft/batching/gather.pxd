cimport cython
from weft.batching.record cimport Entry, Outside, Value
from weft.core.runtime cimport pointer_hash
from weft.kernels.native cimport binary_into, references

cdef class Made:
    cdef public object array
    cdef public object grad
    cdef public tuple form
    cdef public bint own
    cdef public bint wants
    cpdef object add(self, object grad)
    cpdef object buffer(self)
    cpdef object add_row(self, Py_ssize_t row, object grad)

cdef class Route:
    cdef public list parts
    cdef public list outside
    cdef public bint shared
    @cython.locals(made=Made)
    cpdef bint wants(self) except -1
    @cython.locals(made=Made)
    cpdef object back(self, object grad, list parents)

cpdef object add_into(object target, object grad)
@cython.locals(entry=Entry, same=cython.bint, i=cython.Py_ssize_t, n=cython.Py_ssize_t, route=Route, sources=list)
cpdef tuple stacked(list entries, Py_ssize_t at, object parents)
@cython.locals(v=Value, made=Made)
cdef object one(object source, Route route, object parents)
@cython.locals(v=Value, found=Made)
cdef object all_in_one(list sources, object node)
@cython.locals(v=Value, start=cython.Py_ssize_t, n=cython.Py_ssize_t, i=cython.Py_ssize_t)
cdef object rows_of(Made made, list sources, Route route)
@cython.locals(v=Value, made=Made, i=cython.Py_ssize_t, n=cython.Py_ssize_t, inside=cython.bint)
cdef object mixed(list sources, Route route, object parents)
@cython.locals(entry=Entry, v=Value, i=cython.Py_ssize_t, k=cython.Py_ssize_t, row=cython.Py_ssize_t)
cpdef object place(list entries, list mades, object node, bint is_stack)
@cython.locals(entry=Entry, v=Value, own=cython.long)
cpdef list still_held(list entries)
