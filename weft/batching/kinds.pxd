from weft.core.runtime cimport pointer_hash
from weft.ops.core.apply cimport Op
from weft.tensor.tensor cimport Tensor, wrap

cdef class Kind:
    cdef public Op op
    cdef public list template, slots, outs, outputs
    cdef public int n_outs
    cdef public int free
    cdef public bint many
    cdef public bint same
    cdef public bint view
    cdef public object alone
    cdef public object single
    cdef public object rule
    cdef public object rows
    cdef public list counts
    cdef public bint gathered
    cdef public object link
    cdef public bint sums
    cdef public Kind leader
    cdef public double cost
    cdef public long table

cdef class Out:
    cdef public object form
    cdef public Py_hash_t number
    cdef public dict notes
    cdef public bint inexact

cdef class Slot:
    cdef public int at
    cdef public Tensor like
    cdef public Py_hash_t form

cdef class Outside:
    cdef public Tensor tensor
    cdef public object array
    cdef public object live
    cdef public Py_hash_t form
    cdef public long share
    cdef public bint wants
    cdef public long table
    cdef public int number
