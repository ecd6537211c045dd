cimport cython
from weft.core.runtime cimport mode_bits
from weft.ops.core.apply cimport Op
from weft.tensor.tensor cimport is_plain, needs_grad
from weft.ops.index.view cimport view_at
from weft.tensor.tensor cimport Tensor, wrap

cdef int FUNCTION, GRAD_OFF, NO_OVERRIDE, WATCH, SLOW
cdef Op ALIAS, NEW_AXIS, SELECT, SLICE, INDEX_DIM
@cython.locals(made=Op, dots=cython.bint)
cpdef object getitem(Tensor x, object index)
@cython.locals(out=Tensor)
cpdef object at_tensor(Tensor x, Tensor index)
cpdef bint untracked(Tensor x) except -1
