cimport cython

cdef long ALIVE, MOST, LIMIT, LEFT

cpdef void came() noexcept
cpdef void went() noexcept
@cython.locals(most=cython.long)
cpdef object choose()
