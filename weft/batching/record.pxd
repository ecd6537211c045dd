cimport cython
from weft.core.matching cimport Matcher
from weft.core.operation cimport Operation
from weft.core.runtime cimport pointer_hash, running, user_code, user_offset
from weft.kernels.native cimport is_inexact
from weft.ops.core.apply cimport Op, view_kind
from weft.autograd.graph cimport Node
from weft.tensor.tensor cimport Memory, Tensor, View, is_plain, needs_grad, settle, tie, wrap

cdef class Kind:
    cdef public Op op
    cdef public list template, slots, forms, ids, notes, inexact, outputs
    cdef public int n_outs
    cdef public int free
    cdef public bint many
    cdef public bint same
    cdef public bint view
    cdef public object alone
    cdef public object single

cdef class Slot:
    cdef public int at
    cdef public Tensor like

@cython.freelist(64)
cdef class Outside:
    cdef public Tensor tensor
    cdef public object array
    cdef public object form
    cdef public long share
    cdef public bint wants

@cython.trashcan(True)
@cython.freelist(256)
cdef class Value:
    cdef public object owner
    cdef public Entry of
    cdef public object array
    cdef public object form
    cdef public int uses
    cdef public bint wants
    cdef public bint held
    cdef public object made
    cdef public Py_ssize_t row
    cdef public object node
    cdef public int nr
    cdef public Value cut
    cdef object __weakref__

@cython.trashcan(True)
@cython.freelist(256)
cdef class Entry(Value):
    cdef public Kind kind
    cdef public list inputs
    cdef public list more
    cdef public object code
    cdef public object module
    cdef public int lasti
    cdef public long free
    cdef public unsigned long key
    cdef public bint graph
    cdef public long mark
    cdef public int level
    cdef public int depth
    cdef public int left
    cdef public list consumers
    cdef public object group

cdef class Recorder(Matcher):
    cdef public object session
    cdef public list pending
    cdef public dict seen
    cdef public bint closed
    cdef public bint others
    cdef public long graph_ops
    @cython.locals(own=Op, kind=Kind, inputs=list, entry_free=cython.long)
    cpdef object match(self, Operation op, list values, int bits)
    @cython.locals(parts=list, i=cython.Py_ssize_t, n=cython.Py_ssize_t, t=Tensor)
    cpdef object key_of(self, Op op, list values, list inputs)
    cdef object part_of(self, object value, list inputs)
    @cython.locals(v=Value, known=Outside)
    cdef object tensor_part(self, Tensor t, list inputs)
    @cython.locals(kind=Kind)
    cdef Value cut(self, Value v, Tensor t)
    @cython.locals(known=Outside, base=Tensor, record=Memory)
    cdef Outside see(self, Tensor t)
    @cython.locals(entry=Entry, v=Value, x=Outside, outs=list, i=cython.Py_ssize_t, k=cython.int,
                   wants=cython.bint, key=cython.ulong)
    cpdef list answer(self, Kind kind, list values, list inputs, long free, int bits)
    @cython.locals(t=Tensor, entry=Entry)
    cdef Tensor owe(self, Value v, Kind kind, int k, list values, int bits)

cdef int GRAD_OFF, INFERENCE, NUMERICS, SAVED_HOOKS, ASIDE
cdef object GHOST, SELECT
cdef dict KINDS
