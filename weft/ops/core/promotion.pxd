cimport cython
from weft.kernels.native cimport is_half, is_inexact, number, same_type
from weft.tensor.tensor cimport Tensor, wrap

@cython.locals(t=Tensor)
cpdef object alike(object op, list values)
@cython.locals(changed=list)
cpdef list promote(object op, list values)
cpdef object number_array(object v, object target)
