cpdef bint overridden(object args, object kwargs)
