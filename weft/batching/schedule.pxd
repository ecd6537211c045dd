cimport cython
from weft.batching.record cimport Entry, Kind, Outside, Value
from weft.kernels.native cimport references

cdef class Group:
    cdef public list ready
    cdef public double depth
    cdef public Py_ssize_t count

cdef Entry entry_of(Value value)
@cython.locals(entry=Entry, other=Entry, v=Value, stack=list, found=list, count=cython.Py_ssize_t)
cpdef list needed(list pending, list values, long mark)
@cython.locals(entry=Entry, v=Value, own=cython.long)
cpdef object note_held(list entries, long lists)
@cython.locals(entry=Entry, other=Entry, v=Value, level=cython.int, depth=cython.int, at=cython.int)
cpdef list levels_of(list entries, bint whole)
@cython.locals(entry=Entry, other=Entry, v=Value, group=Group, best=Group, mean=cython.double, least=cython.double,
               waiting=cython.Py_ssize_t, ready=list, loose=list, groups=list)
cpdef list groups_of(list entries, int level)
@cython.locals(entry=Entry, other=Entry, group=Group)
cdef object wake(list ready, list loose)
