from weft.core.runtime cimport mode_bits
from weft.tensor.tensor cimport Tensor, wrap

cdef int INFERENCE, LOOKED_ON
cdef bint is_quiet() except -1
cpdef object shape_of(object size, str who)
cpdef object made_of(object make, object value, object shape, object np_dtype, str who, object device,
                     object requires_grad, object out)
cpdef object all_zeros(object shape, object np_dtype)
cpdef object all_ones(object shape, object np_dtype)
cpdef object uninitialised(object shape, object np_dtype)
