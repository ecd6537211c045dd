from weft.autograd.factors cimport of_columns, of_rows
from weft.kernels.native cimport same_type
from weft.ops.core.apply cimport Op
from weft.tensor.tensor cimport Tensor

cdef Op PRODUCT
cdef object of_matrices(Tensor x, Tensor y)
