cimport cython
from weft.core.collector cimport came, went
from weft.core.cuts cimport note_detached, note_taken
from weft.core.matching cimport drops_grad
from weft.core.operation cimport Operation
from weft.core.place cimport here
from weft.core.runtime cimport mode_bits, pointer_hash
from weft.kernels.native cimport let_go

@cython.freelist(1024)
cdef class Memory:
    cdef public long version
    cdef public object root
    cdef public object written
    cdef public bint outside
    cdef public dict extra
    cpdef object mark(self)
    cpdef object mark_at(self, object place)

@cython.trashcan(True)
@cython.freelist(512)
cdef class View:
    cdef public Tensor source
    cdef public Operation op
    cdef public list values
    cdef public int out
    cdef public long version
    cdef public int kind

cdef class Operators:
    cdef public Operation add, sub, rsub, mul, div, neg, matmul, pow, rpow, floordiv, rfloordiv, mod, rmod, rdiv, abs
    cdef public Operation alias         # the same tensor as a view
    cdef public Operation eq, ne, lt, le, gt, ge, bit_and, bit_or, bit_xor, invert, lshift, rshift
    cdef public object iadd, isub, imul, idiv, ipow, imatmul, ifloordiv, imod, iand, ior, ixor, ilshift, irshift
    cdef public object getitem, setitem, iterate, contains, transpose, rmatmul, rlshift, rrshift
    cdef public object item, refresh, tensor_repr, construct, set_data, set_requires_grad, check_grad, run_inplace
    cdef public object write_values, copy_like, copy_strided, from_outside
    cdef public object graft            # (x, out): the node of `out` becomes the history of x
    cdef public object summary          # of an nn.Module
    cdef public object ask_mode         # (function, args, kwargs): what a TorchFunctionMode gives for the call
    cdef public object signature_of, docstring_of       # of an op, of its function

@cython.trashcan(True)
@cython.freelist(2048)
cdef class Tensor:
    cdef public object _form        # an array: the values, or while they are owed (or never come: meta) a stand-in
    cdef public object _owed        # the Promise of the values; None when they are there
    cdef public object _made_by
    cdef public int _made_nr
    cdef public bint _wants_grad
    cdef public bint _on_meta
    cdef public bint _inference
    cdef public object _grad
    cdef public Memory _memory_record
    cdef public View _view_of
    cdef public object _seldom
    cdef void* _dict_slot
    cdef object __weakref__
    cpdef long _writes(self) noexcept
    cpdef Memory _own_memory_record(self)

@cython.locals(t=Tensor)
cpdef Tensor wrap(object array)
@cython.locals(t=Tensor)
cpdef Tensor without_values(object spec, object owed=*)
cdef int need_tensor(Tensor t) except -1
cpdef object settle(Tensor t)
cpdef object lay_out(Tensor t, object spec)
cpdef object describe(Tensor t)
cpdef object lay_again(Tensor t, Tensor source)
@cython.locals(t=Tensor)
cpdef Tensor detached(Tensor source)
@cython.locals(t=Tensor)
cpdef Tensor alias(Tensor source)
@cython.locals(t=Tensor)
cpdef Tensor wrap_view(object array, Tensor source, Operation op, list values, int out, int kind)
@cython.locals(view=View)
cpdef object tie(Tensor t, Tensor source, Operation op, list values, int out, int kind)
cpdef bint is_plain(object x) noexcept
@cython.locals(t=Tensor)
cpdef bint is_ready(object x) noexcept
cdef object node_now(Tensor t)
@cython.locals(view=View)
cpdef bint needs_grad(Tensor t) except -1
cdef object PARAMETER
cdef int FUNCTION, MATCH, WATCH
cdef Operators _ops

cdef extern from *:
    Py_ssize_t DICT_SLOT "offsetof(struct __pyx_obj_4weft_6tensor_6tensor_Tensor, _dict_slot)"
