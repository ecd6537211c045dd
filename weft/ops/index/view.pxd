cimport cython
from weft.core.runtime cimport mode_bits
from weft.kernels.native cimport basic
from weft.ops.core.apply cimport Op
from weft.ops.core.record cimport record_short
from weft.tensor.tensor cimport Tensor, needs_grad, wrap_view

cdef int GRAD_OFF, SLOW
cpdef object view_of_any(Op op, Tensor x, tuple index)
@cython.locals(out=Tensor, bits=cython.int)
cpdef object view_at(Op op, Tensor x, tuple index)
