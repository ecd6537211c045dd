from weft.kernels.native cimport spread as spread_view
