cimport cython
from weft.autograd.graph cimport Node, Plan, next_seq
from weft.core.runtime cimport mode_bits
from weft.ops.core.apply cimport Op, needs_grad
from weft.tensor.tensor cimport Tensor, wrap_view

cdef int GRAD_OFF, INFERENCE, SAVED_HOOKS, WATCH, SLOW
@cython.locals(out=Tensor, node=Node, bits=cython.int)
cpdef object view_at(Op op, Tensor x, tuple index)
cpdef bint is_plain_slice(slice item)
cpdef object checked_slice(slice item)
