cimport cython
from weft.jit.assemble cimport Part
from weft.jit.kernels cimport run_calls
from weft.jit.match cimport Arg, Owed, Run
from weft.kernels.native cimport binary, unary, view
from weft.ops.core.apply cimport Op
from weft.tensor.calls cimport call_arrays
from weft.tensor.tensor cimport Memory, Tensor, View, lay_again, settle, wrap

cdef class Instruction:
    cdef public object step
    cdef public Op op
    cdef public int call
    cdef public int code
    cdef public list template
    cdef public list sources
    cdef public list outs
    cdef public int n_outs
    cdef public bint many
    cdef public list fills
    cdef public list drops
    cdef public int waiting
    cdef public list parts
    cdef public list free
    cdef public list calls
    cdef public list cells
    cdef public bint tried
    cdef public bint alone
    cdef public dict known

cdef class Plan:
    cdef public object graph
    cdef public list instructions
    cdef public int n_values
    cdef public list stages
    cdef public list first
    cdef public list parts
    cdef public list cells
    cdef public list loads
    cdef public list numbers
    cdef public list targets
    cdef public bint is_new
    cdef public object block
    cdef public set filled
    cdef public dict programs
    cdef public int tries
    cdef public bint busy
    cdef public bint noting
    cdef public bint alone

@cython.locals(t=Tensor)
cdef object value_of(Arg a, Run run, list values)
cpdef object run_plan(Plan plan, Run run, list waiting)
@cython.locals(now=Instruction, part=Part, k=cython.int, slot=cython.int, cells=list, whole=cython.bint, t=Tensor)
cdef object run_parts(Plan plan, Run run, list waiting)
cdef object ran_alone(Plan plan, Instruction now, list cells)
@cython.locals(now=Instruction, i=cython.int)
cdef object run_segment(Plan plan, Part part, Run run, list cells, list waiting)
@cython.locals(now=Instruction, k=cython.int, slot=cython.int, values=list)
cdef object run_singly(Plan plan, Run run, list waiting)
@cython.locals(t=Tensor, call=cython.int, first=cython.bint, i=cython.int, k=cython.int, template=list, ready=list,
               part=Instruction)
cdef object run_one(Instruction now, Run run, list values, list waiting)
@cython.locals(ready=list)
cdef list arguments(Instruction now, Run run, list values, list waiting)
cdef object keep(Instruction now, object made, list values)
@cython.locals(t=Tensor, owed=Owed)
cdef object fill(Run run, int slot, object array)
cdef int CONST, EXT, FREE, FUSED, LIST, OP, SLOT, VALUE, WHOLE, WRITE, LOOP1, LOOP2, VIEW, FORWARD, WORK
