from weft.kernels.native cimport sum_all, sum_axis

cpdef object small_sum(object x, object dim, bint keepdim, bint mean)
