cimport cython
from weft.batching.record cimport Entry, Kind, Outside, Value
from weft.core.runtime cimport pointer_hash
from weft.kernels.native cimport references
from weft.tensor.tensor cimport Tensor

@cython.locals(entry=Entry, other=Entry, v=Value, stack=list, found=list)
cpdef list needed(list values, long mark)
@cython.locals(entry=Entry, v=Value, t=Tensor, i=cython.Py_ssize_t)
cpdef object let_go(list entries)
@cython.locals(entry=Entry, v=Value, level=cython.int, depth=cython.int, at=cython.int)
cpdef list levels_of(list entries, bint whole)
@cython.locals(kind=Kind, key=list)
cdef object key_of(Entry entry)
@cython.locals(entry=Entry, other=Entry, k=cython.Py_ssize_t, best=cython.Py_ssize_t, mean=cython.double,
               least=cython.double, waiting=cython.Py_ssize_t, ready=list, depths=list, counts=list, group=list)
cpdef list groups_of(list entries, int level)
