cimport cython
from weft.batching.table cimport Table, Value
from weft.kernels.native cimport binary, binary_into

cdef class Made:
    cdef public object array
    cdef public object grad
    cdef public tuple form
    cdef public object starts
    cdef public list shapes
    cdef public Py_ssize_t unit
    cpdef object piece(self, Py_ssize_t row)
    cdef public bint graph
    cdef public bint own
    cdef public bint wants
    cdef public bint foreign
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

cdef class Joined(Route):
    cdef public Py_ssize_t unit
    @cython.locals(made=Made)
    cpdef object back(self, object grad, list parents)

cpdef object add_into(object target, object grad)
@cython.locals(route=Route)
cpdef tuple stacked(Table table, int start, int stop, int slot, object tape)
@cython.locals(route=Route, made=Made, found=tuple)
cpdef tuple sourced(Table table, int start, int stop, int slot, object tape)
@cython.locals(made=Made)
cdef object one(int number, Route route, Table table, object tape)
@cython.locals(made=Made)
cdef object mixed(Py_ssize_t n, list pieces, list outside, Route route, Table table, object tape)
@cython.locals(made=Made)
cdef bint has_pieces(tuple found, Table table) except -1
@cython.locals(made=Made, route=Joined, found=tuple)
cpdef tuple joined(Table table, int start, int stop, int slot, object trail, object tape)
