cdef class Operation:
    cdef public str name
    cpdef object call1(self, object x)
    cpdef object call2(self, object x, object y)
    cpdef object call(self, tuple args, dict kwargs)
    cpdef object call_values(self, list values)
    cpdef object compute(self, list values)
    cpdef object fit(self, object grad, object spec)
