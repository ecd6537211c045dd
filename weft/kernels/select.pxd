from libc.stdint cimport intptr_t

cpdef object topk(object a, intptr_t k, int axis, bint largest, bint sorted)
cpdef object kthvalue(object a, intptr_t k, int axis, bint keepdim)
cpdef object mode(object a, int axis, bint keepdim)
