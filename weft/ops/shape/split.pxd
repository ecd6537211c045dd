cimport cython
from weft.kernels.native cimport pieces, slabs
from weft.kernels.native cimport shape as shape_of
from weft.ops.core.apply cimport Op
from weft.ops.shape.view cimport at

@cython.locals(op=Op)
cdef object parts(object x, tuple sizes, object dim)
@cython.locals(shape=tuple, sizes=tuple)
cdef tuple chunk_sizes(object x, object chunks, object dim, str who)
