cimport cython
from weft.core.place cimport here
from weft.core.runtime cimport mode_bits
from weft.kernels.native cimport overlaps
from weft.ops.core.apply cimport Op
from weft.ops.core.bind cimport bind
from weft.ops.core.record cimport mask_of
from weft.tensor.override cimport overridden
from weft.tensor.tensor cimport Memory, Tensor

cdef int GRAD_OFF, NO_OVERRIDE, NUMERICS
@cython.locals(bits=cython.int, values=list)
cpdef object call(Op op, tuple args, dict kwargs)
@cython.locals(bits=cython.int, values=list)
cpdef object call_in_place(Op op, Op plain, object carry, tuple args, dict kwargs)
cpdef object check_list(str name, object given, str what)
cpdef object check_pair(str name, object first, object other, str what)
cpdef object check_numbers(str name, object first, object value, str what)
cpdef bint holds_tensors(object given)
@cython.locals(t=Tensor, bits=cython.int)
cpdef object may_write(object tensors, str name, bint fills)
@cython.locals(t=Tensor)
cpdef object count_writes(object tensors)
@cython.locals(t=Tensor, mixed=cython.bint)
cpdef list of_one_type(list values)
