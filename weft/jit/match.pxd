cimport cython
from weft.core.matching cimport Matcher
from weft.core.operation cimport Operation
from weft.core.runtime cimport pointer_hash
from weft.kernels.native cimport held_once, references, same_place
from weft.ops.core.apply cimport Op
from weft.autograd.graph cimport Node
from weft.tensor.tensor cimport Memory, Tensor, View, is_plain, needs_grad, settle, wrap

cdef class Arg:
    cdef public int kind
    cdef public int index
    cdef public bint wants
    cdef public bint graph
    cdef public object value
    cdef public list items
    cdef public Py_hash_t seen
    cdef public long stamp

cdef class Event:
    cdef public int kind
    cdef public Op op
    cdef public int bits
    cdef public list args
    cdef public int n_args
    cdef public int first
    cdef public int n_outs
    cdef public list forms
    cdef public list notes
    cdef public list wants
    cdef public list views
    cdef public bint many
    cdef public bint unusual
    cdef public bint whole
    cdef public bint checked
    cdef public object place
    cdef public object body
    cdef public list children
    cdef public Event before
    cdef public object reason
    cdef public dict plans
    cdef public dict leaving
    cdef public long used
    cdef public list written

@cython.freelist(64)
cdef class Owed:
    cdef public object owner
    cdef public object array
    cdef object __weakref__

cdef class Run(Matcher):
    cdef public object session
    cdef public Event at
    cdef public Event done
    cdef public list pending
    cdef public list outs
    cdef public list uses
    cdef public list ext
    cdef public list arrays
    cdef public dict bound
    cdef public dict shared
    cdef public set visited
    cdef public dict zeroed
    cdef public dict renamed
    cdef public list saved
    cdef public list promised
    cdef public set ahead
    cdef public list constants
    cdef public bint closed
    cdef public list binders
    cdef public long chain
    @cython.locals(event=Event, at=Event, n_ext=cython.int)
    cpdef object match(self, Operation op, list values, int bits)
    @cython.locals(event=Event, n_ext=cython.int)
    cpdef bint follow_write(self, Operation op, list values, int bits) except -1
    cpdef bint drops_grad(self, object tensor) except -1
    @cython.locals(event=Event, then=Event, n_ext=cython.int)
    cpdef bint rename(self, Operation op, list values, int bits) except -1
    @cython.locals(owed=Owed, before=cython.int)
    cpdef object follow_rename(self, Event event, Tensor t, Tensor made)
    @cython.locals(i=cython.int, arg=Arg, n=cython.int)
    cdef bint all_fit(self, Event event, list values) except -1
    @cython.locals(t=Tensor, out=Tensor, i=cython.int, items=list)
    cdef bint fits(self, Arg arg, object value, bint whole) except -1
    @cython.locals(n=cython.Py_ssize_t)
    cdef bint binds(self, Arg arg, Tensor t, bint whole) except -1
    @cython.locals(bound=Arg, place=cython.Py_hash_t, i=cython.int)
    cdef bint is_bound(self, Arg arg, object form) except -1
    @cython.locals(made=list, item=Arg, i=cython.int)
    cdef object own_list(self, Arg arg, object value)
    @cython.locals(t=Tensor, owed=Owed)
    cpdef Tensor promise(self, Event event, int k)
    @cython.locals(t=Tensor, owed=Owed)
    cpdef Tensor owe(self, Event event, int k)
    @cython.locals(event=Event, arg=Arg, k=cython.int)
    cpdef object source_of(self, Tensor t)
    @cython.locals(event=Event, t=Tensor, k=cython.int)
    cpdef list open_outputs(self)
    @cython.locals(arg=Arg, t=Tensor)
    cpdef bint owes(self, Event event, object root) except -1
    @cython.locals(t=Tensor, k=cython.int, before=list)
    cpdef object follow_backward(self, Event event)
    @cython.locals(event=Event, events=list)
    cpdef list unrun(self)
    @cython.locals(t=Tensor, k=cython.int)
    cpdef bint overlaps(self, Tensor target) except -1
    @cython.locals(t=Tensor, k=cython.int, i=cython.int, n=cython.int, arg=Arg)
    cdef object answer(self, Event event, list values, int bits)

cpdef bint same_number(object a, object b) except -1
cpdef Run start(Run run, object session, Event root)
cpdef object bring_in(Tensor t)
cpdef bint has_hooks(Tensor t) except -1
@cython.locals(memory=Memory)
cpdef bint is_alone(Tensor x) except -1
cdef int CONST, SLOT, EXT, LIST, FREE, OP, RENAME, SAME, WRITE
cdef int INFERENCE
cdef object GHOST
