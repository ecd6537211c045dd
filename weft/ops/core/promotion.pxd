cimport cython
from weft.kernels.native cimport is_half, is_inexact, number, same_type
from weft.ops.core.body cimport Body
from weft.tensor.tensor cimport Tensor, wrap

@cython.locals(t=Tensor, i=cython.int)
cpdef object alike(Body op, list values)
@cython.locals(changed=list, t=Tensor, i=cython.int)
cpdef list promote(Body op, list values)
cpdef object number_array(object v, object target)
