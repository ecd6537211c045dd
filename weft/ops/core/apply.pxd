cimport cython
from weft.core.matching cimport learn_call, match, match_call
from weft.core.place cimport Place, here
from weft.core.runtime cimport mode_bits
from weft.kernels.native cimport binary, copied, is_complex, is_half, is_inexact, is_real, unary, view
from weft.ops.core.bind cimport as_given, bind
from weft.ops.core.body cimport Body
from weft.ops.core.record cimport mask_of, record_many, record_one, record_short
from weft.tensor.calls cimport call_arrays
from weft.tensor.override cimport overridden
from weft.tensor.tensor cimport Memory, Tensor, View, is_plain, lay_out, needs_grad, settle, wrap, wrap_view

cdef int FUNCTION, GRAD_OFF, INFERENCE, NO_OVERRIDE, WATCH, TAKE, NUMERICS, SLOW, SPECIAL, SEAM, DETOUR, AUTOCAST, MATCH

cdef class Op(Body):
    @cython.locals(a=Tensor, b=Tensor, out=Tensor, bits=cython.int, mask=cython.int, x_plain=cython.bint,
                   y_plain=cython.bint)
    cpdef object call2(self, object x, object y)
    @cython.locals(a=Tensor, out=Tensor, bits=cython.int)
    cpdef object call1(self, object x)
    @cython.locals(matched=cython.bint)
    cdef object call_seen(self, object x, object y, int bits)
    @cython.locals(a=Tensor, out=Tensor, code=cython.int)
    cdef object to_number(self, object x, object y, int bits)
    @cython.locals(matched=cython.bint)
    cdef object call1_seen(self, object x, int bits)
    cpdef object composed(self, object x, object y)
    cdef bint has_loop_alone(self) noexcept
    @cython.locals(a=Tensor, b=Tensor, given=cython.int, i=cython.int)
    cdef object by_loop(self, list values)
    cpdef object call_operator(self, object x, object y)
    cpdef object call(self, tuple args, dict kwargs)
    cpdef object call_values(self, list values)
    @cython.locals(t=Tensor, out=Tensor, bits=cython.int, mask=cython.longlong, bit=cython.longlong,
                   given=cython.longlong, unusual=cython.bint, meta=cython.bint)
    cpdef object compute(self, list values)
    @cython.locals(t=Tensor, out=Tensor)
    cdef object short_view(self, list values, int bits)
    @cython.locals(t=Tensor, ready=list)
    cpdef object work(self, list values, bint unusual)
    cdef object gave_back(self, list values, int bits)
    @cython.locals(out=Tensor, outs=list)
    cpdef object finish_many(self, list values, object results, int bits, long long mask)
    cdef object finish_written(self, list values, int bits)
    @cython.locals(out=Tensor)
    cpdef object finish_special(self, list values, list outs, int bits)
    cdef bint seen_before(self, list values, int bits) except -1
    @cython.locals(out=Tensor, outs=list, mask=cython.longlong, many=cython.bint)
    cdef object without_values(self, list values, int bits, bint taken)
    @cython.locals(t=Tensor)
    cdef object count_writes(self, list values)
    @cython.locals(t=Tensor, bits=cython.int)
    cdef object reshaped(self, object grad, tuple shape)

cdef object DTYPE, NOTHING

cpdef int view_kind(Op op, int bits) except -1
cdef bint wants_grad(Tensor t) except -1
cpdef bint holds_meta(list values) except -1
@cython.locals(t=Tensor)
cpdef object conj_of(object value)
cpdef bint shares_memory(object made, object source) except -1
