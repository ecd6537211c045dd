cimport cython
from weft.jit.match cimport Arg, Event, Owed, Run
from weft.jit.plan cimport Plan, run_plan
from weft.kernels.native cimport only_here, references
from weft.ops.core.apply cimport Op, view_kind
from weft.tensor.tensor cimport Memory, Tensor, View, tie
from weft.autograd.graph cimport Node

@cython.locals(event=Event, plan=Plan, i=cython.int)
cpdef object execute(Run run, object node=*)
@cython.locals(event=Event, t=Tensor, k=cython.int, held=list)
cpdef list held_outputs(Run run, list events)
@cython.locals(at=Event)
cdef Plan plan_for(Run run, object since, list events, object held)
cpdef object write(Tensor target, Tensor source)
cpdef object become(Tensor promised, Tensor real)
@cython.locals(t=Tensor, k=cython.int, source=Event)
cpdef bint hand_over(Run run, Event event) except -1
@cython.locals(t=Tensor, source=Tensor, k=cython.int)
cpdef object tie_views(Run run, Event event, list values)
cdef object GHOST
