cpdef object call_arrays(object function, list values, Py_ssize_t n_positional, tuple names)
