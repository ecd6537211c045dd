from weft.kernels.native cimport copied as copied_small
from weft.kernels.native cimport dims, is_complex, is_half, matmul as native_product, shape as shape_of
from weft.ops.index.arrays cimport contiguous
from weft.tensor.tensor cimport Tensor, wrap

cpdef object _gradients(Tensor g, Tensor x, Tensor weight, object bias_shape, tuple needs)
cdef tuple _arrays_of_gradients(object g, object x, object weight, object bias_shape, bint for_x, bint for_weight,
                                bint for_bias)
cpdef object _rows(object x)
