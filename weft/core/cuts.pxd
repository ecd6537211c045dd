cimport cython
from weft.core.place cimport Place, here
from weft.core.runtime cimport keep, kept

cdef class Cuts:
    cdef public object off
    cdef public Place detached
    cdef public Place taken
    cdef public str latest

@cython.locals(found=Cuts)
cpdef Cuts cuts()
@cython.locals(found=Cuts)
cpdef object note_off(object place)
cdef Place moved(Place place)
@cython.locals(found=Cuts)
cpdef object note_detached()
@cython.locals(found=Cuts)
cpdef object note_taken()
