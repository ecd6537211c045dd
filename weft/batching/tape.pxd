cimport cython
from weft.autograd.graph cimport Node
from weft.batching.gather cimport Made, Route
from weft.batching.kinds cimport Kind, Outside, Slot
from weft.batching.table cimport Table, Value
from weft.core.runtime cimport mode_bits, set_mode_bits
from weft.tensor.tensor cimport Memory, Tensor, alias, wrap

cdef class Step:
    cdef public list outs, mades, leaves, routes
    cdef public object at
    cdef public bint direct, ran, stack
    cdef public tuple span

cdef class Tape(Node):
    cdef public object session
    cdef public Table table
    cdef public bint whole
    cdef public int first_made, last_made, shift, length
    cdef public list steps, places, runs, known, keeps, held
    cdef public dict outputs, numbers, earlier
    cdef public set gone
    cpdef object source(self, int number)
    cpdef object tensor(self, object source)
    cpdef object array(self, object source)
    @cython.locals(t=Tensor)
    cpdef int number(self, object source) except -2
    cpdef object run_groups(self, list groups, object report)
    @cython.locals(kind=Kind, n=cython.int, at=cython.int, end=cython.int)
    cdef object run_group(self, int first, int start, int stop, object report)
    @cython.locals(slot=cython.int, route=Route, is_stack=cython.bint, any_stacked=cython.bint, graph=cython.bint)
    cdef bint run_batch(self, Kind kind, int first, int start, int stop) except -1
    cdef bint run_rows(self, Kind kind, int first, int start, int stop) except -1
    @cython.locals(entry=cython.int, kind=Kind, slot=cython.int, route=Route)
    cdef object run_one(self, int at)
    @cython.locals(t=Tensor)
    cdef Tensor leaf(self, object array, Route route, bint wants, list leaves, list routes)
    cdef object note_cut(self, Route route)
    cdef object placed(self, int first, int start, int stop, list outs, list leaves, list routes, bint is_stack)
    @cython.locals(kind=Kind, made=Made, t=Tensor, graph=cython.bint, k=cython.int, at=cython.int)
    cdef list mades_of(self, int first, int start, int stop, list outs, bint is_stack)
    @cython.locals(step=Step, t=Tensor, m=Made)
    cdef object note_step(self, int first, int start, int stop, list outs, list mades, list leaves, list routes,
                          bint is_stack)
    cpdef list run(self, object grad)
    cpdef void free(self) noexcept

@cython.locals(made=Made, route=Route, node=Node)
cdef object run_back(Step step, list found, bint keep)
cdef list outputs_of(object made)
cdef list filled(list template, list inputs, object free, int free_at)
cdef object fill(object value, list inputs)
