from weft.kernels.native cimport extreme_all, extreme_axis
