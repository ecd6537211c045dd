from weft.kernels.native cimport binary
