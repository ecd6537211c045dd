cimport cython
from weft.jit.match cimport Arg, Event, Owed, Run
from weft.kernels.native cimport only_here
from weft.ops.core.apply cimport Op, view_kind
from weft.tensor.tensor cimport Memory, Tensor, View, lay_again, settle, tie, wrap
from weft.autograd.graph cimport Node

@cython.locals(event=Event, values=list, i=cython.int)
cpdef object execute(Run run)
cpdef object write(Tensor target, Tensor source)
@cython.locals(t=Tensor, k=cython.int, op=Op)
cdef object run_event(Run run, Event event, list values)
@cython.locals(t=Tensor)
cdef object settle_all(list values)
@cython.locals(t=Tensor, owed=Owed)
cdef object fill(Run run, int slot, object array)
@cython.locals(op=Op, values=list, arg=Arg, k=cython.int, regs=list)
cdef object run_body(Run run, Event event)
@cython.locals(t=Tensor)
cdef object value_of(Run run, list regs, Arg arg)
@cython.locals(t=Tensor, event=Event, k=cython.int)
cdef object hand_over(Run run, Event event, list values)
cdef int SLOT, EXT, LIST, REG, BACKWARD, WRITE
cdef object GHOST
