from weft.kernels.native cimport in_one_piece

cpdef object contiguous(object array)
