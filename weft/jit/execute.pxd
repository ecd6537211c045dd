cimport cython
from weft.jit.match cimport Arg, Event, Owed, Run
from weft.jit.plan cimport Plan, run_plan
from weft.kernels.native cimport only_here, references
from weft.ops.core.apply cimport Op, view_kind
from weft.tensor.tensor cimport Memory, Tensor, View, tie
from weft.autograd.graph cimport Node

@cython.locals(event=Event, since=Event, plan=Plan, i=cython.int)
cpdef object execute(Run run)
@cython.locals(event=Event, at=Event, t=Tensor, k=cython.int, held=list)
cdef Plan plan_for(Run run, Event since, list events)
cpdef object write(Tensor target, Tensor source)
@cython.locals(t=Tensor, k=cython.int)
cpdef object hand_over(Run run, Event event, list values)
cdef object GHOST
