from weft.kernels.native cimport in_one_piece, number

cpdef object contiguous(object array)
