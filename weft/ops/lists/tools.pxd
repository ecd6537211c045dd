cimport cython
from weft.core.runtime cimport mode_bits
from weft.tensor.tensor cimport Memory, Tensor, is_plain, needs_grad

cdef int GRAD_OFF, SLOW
@cython.locals(t=Tensor, bits=cython.int)
cpdef bint is_quiet(object xs, object ys=*, object zs=*) except -1
@cython.locals(t=Tensor, arrays=list)
cpdef object arrays_of(object tensors)
@cython.locals(t=Tensor, record=Memory)
cpdef object count_writes(object ws, object xs=*, object ys=*, object zs=*)
