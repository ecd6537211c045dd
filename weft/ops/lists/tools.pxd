cimport cython
from weft.core.runtime cimport mode_bits
from weft.kernels.native cimport is_complex, same_layout
from weft.tensor.tensor cimport is_plain, needs_grad
from weft.tensor.tensor cimport Memory, Tensor

cdef int GRAD_OFF, SLOW
@cython.locals(t=Tensor, bits=cython.int)
cpdef bint is_quiet(object xs, object ys=*, object zs=*) except -1
@cython.locals(t=Tensor, arrays=list)
cpdef object arrays_of(object tensors)
@cython.locals(t=Tensor, arrays=list)
cpdef object real_arrays(object tensors)
@cython.locals(a=Tensor, b=Tensor)
cpdef bint all_match(object first, object second) except -1
@cython.locals(t=Tensor, record=Memory)
cpdef object count_writes(object ws, object xs=*, object ys=*, object zs=*)
