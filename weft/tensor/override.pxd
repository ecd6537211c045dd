cpdef bint overridden(object args, object kwargs) except -1
