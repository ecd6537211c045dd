cimport cython
from weft.ops.core.body cimport Body

@cython.locals(n=cython.int, at=cython.int, i=cython.int, values=list)
cpdef list bind(Body op, tuple args, dict kwargs)
cpdef tuple as_given(Body op, list values)
