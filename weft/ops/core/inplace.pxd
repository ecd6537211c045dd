cimport cython
from weft.core.runtime cimport mode_bits, set_mode_bits
from weft.kernels.native cimport binary_into, copy_into, overlaps, same_layout
from weft.ops.core.apply cimport Op
from weft.ops.core.record cimport edge, mask_of, record_one
from weft.tensor.calls cimport call_arrays
from weft.tensor.override cimport overridden
from weft.tensor.tensor cimport Memory, Tensor, alias, needs_grad, wrap

cdef int AUTOCAST, GRAD_OFF, INFERENCE_VIEW, NUMERICS, SLOW, SPECIAL, WATCH, TAKE
cpdef object run_inplace(Op op, object x, object args, object kwargs)
@cython.locals(other=Tensor, bits=cython.int)
cpdef bint quick_write(Op op, Tensor x, object y) except -1
cdef bint watched_write(Op op, Tensor x, object y) except -1
@cython.locals(bits=cython.int)
cdef bint nobody_cares(Tensor x, object args, object kwargs) except -1
cdef object _write_at_once(Op op, Tensor x, object args, object kwargs)
cpdef object bump(Tensor x)
cpdef object check_writable(Tensor x, object name, bint fills=*)
cpdef bint is_expanded(Tensor x) except -1
cpdef object compute(Op op, object x, object args, object kwargs)
@cython.locals(alike=bint)
cpdef object store(Tensor x, Tensor out, object name)
cpdef object write_through(Tensor x, Tensor out)
cpdef Tensor as_it_was(Tensor x)
