cdef class Part:
    cdef public list instructions
    cdef public object segment
    cdef public list fills
    cdef public list drops
    cdef public list writers
    cdef public list taken
