cimport cython
from weft.autograd.graph cimport Node
from weft.batching.kinds cimport Kind, Out, Outside, Slot
from weft.batching.table cimport Table, Value, same_bytes
from weft.core.matching cimport Matcher
from weft.core.operation cimport Operation
from weft.core.runtime cimport mode_bits, pointer_hash, running, user_code, user_offset
from weft.kernels.native cimport held_once, same_strides
from weft.ops.core.apply cimport Op, view_kind
from weft.tensor.tensor cimport Memory, Tensor, View, is_plain, needs_grad, settle, tie, wrap

cdef class Call:
    cdef Op op
    cdef Kind kind
    cdef Py_hash_t x
    cdef Py_hash_t form
    cdef object y
    cdef object z
    cdef bint turned
    cdef int only
    cdef bint graph

cdef class Recorder(Matcher):
    cdef public object session
    cdef public Table table
    cdef public dict seen
    cdef list near
    cdef public Outside last        # that was seen, for its form
    cdef public list recent
    cdef public list calls
    cdef public bint closed
    cdef public bint others
    cdef public bint graph
    cdef public long graph_ops
    cdef unsigned long long key
    cdef bint wants
    cdef bint loose
    @cython.locals(own=Op, kind=Kind, table=Table, inputs=list, free=cython.longlong, first=cython.int,
                   before=cython.int, place=cython.Py_ssize_t)
    cpdef object match(self, Operation op, list values, int bits)
    @cython.locals(call=Call, kind=Kind, place=cython.Py_ssize_t, first=cython.int, values=list, k=cython.int)
    cpdef object match_call(self, Operation op, object x, object y, object z, int bits)
    @cython.locals(kind=Kind, before=cython.int, fits=cython.bint)
    cdef bint is_call(self, Call call, Operation op, Tensor x, object y, object z, int bits) except -1
    @cython.locals(call=Call, kind=Kind, out=Tensor, place=cython.Py_ssize_t)
    cpdef object learn_call(self, Operation op, object x, object y, object z, object made)
    @cython.locals(known=Outside, v=Value)
    cdef object number_of(self, Tensor t)
    cdef Py_hash_t form_here(self, Tensor t) except -1
    @cython.locals(kind=Kind, before=cython.int, k=cython.Py_ssize_t)
    cdef Kind find(self, Py_ssize_t place, Op op, list values)
    @cython.locals(at=cython.ulonglong, i=cython.Py_ssize_t, n=cython.Py_ssize_t)
    cdef Py_ssize_t place_of(self, Op op, list values) except -1
    @cython.locals(slot=Slot, i=cython.Py_ssize_t, n=cython.Py_ssize_t)
    cdef bint fits(self, Kind kind, list values) except -1
    @cython.locals(slot=Slot, i=cython.Py_ssize_t)
    cdef bint part_fits(self, object part, object value) except -1
    @cython.locals(v=Value, known=Outside)
    cdef bint puts(self, Tensor t, Py_hash_t form) except -1
    @cython.locals(table=Table)
    cdef int put_value(self, Value v) except -1
    @cython.locals(table=Table)
    cdef int put_outside(self, Outside x) except -1
    cdef int put(self, Kind kind, list inputs) except -1
    @cython.locals(parts=list, i=cython.Py_ssize_t, n=cython.Py_ssize_t, t=Tensor)
    cpdef object key_of(self, Op op, list values, list inputs)
    cdef object part_of(self, object value, list inputs)
    @cython.locals(v=Value, known=Outside)
    cdef Py_hash_t form_of(self, Tensor t, list inputs) except -1
    @cython.locals(kind=Kind, made=Tensor)
    cdef Value cut(self, Value v, Tensor t)
    @cython.locals(place=cython.Py_ssize_t, found=Outside)
    cdef Outside known(self, Tensor t)
    cpdef object forget(self)
    @cython.locals(record=Memory)
    cdef Outside see_own(self, Tensor t)
    @cython.locals(known=Outside, last=Outside, base=Tensor, record=Memory, outside=cython.bint)
    cdef Outside see(self, Tensor t)
    @cython.locals(wants=cython.bint)
    cdef int note(self, Kind kind, long long free, int bits) except -1
    @cython.locals(k=cython.int, first=cython.int)
    cpdef list answer(self, Kind kind, list values, list inputs, long long free, int bits)
    cpdef bint is_own(self, Tensor t) noexcept
    @cython.locals(t=Tensor, out=Out, wants=cython.bint)
    cdef Tensor owe(self, int number, Kind kind, int k, list values, int bits)

@cython.locals(at=cython.ulonglong)
cdef Py_ssize_t place_of_call(Operation op, Tensor x, object y, object z) except -1
cdef unsigned long long with_form(unsigned long long at, Tensor t) noexcept
cdef Py_ssize_t near_place(Tensor t) noexcept
cdef Py_ssize_t NEAR
cdef Py_ssize_t slot_of(unsigned long long at) noexcept
@cython.locals(t=Tensor)
cdef bint is_free(Kind kind, list values) except -1
cdef unsigned long long mixed(unsigned long long key, unsigned long long more) noexcept
cdef unsigned long long WORD, FACTOR, FACTOR_2, PLACE_FACTOR
cdef int GRAD_OFF, INFERENCE, NUMERICS, SAVED_HOOKS, ASIDE
cdef object GHOST, SELECT, NOTHING
cdef dict KINDS
cdef bint is_still(Outside known) except -1
