cimport cython
from weft.jit.execute cimport hand_over, tie_views
from weft.jit.match cimport Arg, Event, Run
from weft.jit.plan cimport Plan, run_plan
from weft.kernels.native cimport references, same_place
from weft.tensor.tensor cimport Tensor, is_plain

cdef class Replay:
    cdef public int bits
    cdef public object edits, ways
    cdef public list events
    cdef public bint simple, one, shells, bare
    cdef public list forms, wants, ext, alike, own, own_forms, grads, fresh, grown, kept, handed, waiting, open, plain
    cdef public list marks, counts, opened, own_wants, of_leaves
    cdef public dict place_of, slots, passed
    cdef public set own_ids, aliases
    cdef public Plan plan
    cdef public object given, result
    @cython.locals(t=Tensor, i=cython.int)
    cdef bint finds_its_own(self, object values) except -1

@cython.locals(i=cython.int, made=list)
cdef object given_tensor(Arg a, object value, Run run)
cdef bint all_tensors(object given)
cdef int BACKWARD, EXT, LIST, OP, RENAME, SAME, SLOT, WRITE, INFERENCE
