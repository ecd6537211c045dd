cimport cython
from weft.autograd.graph cimport Node, Plan, next_seq
from weft.core.operation cimport Operation
from weft.core.runtime cimport mode_bits, set_mode_bits
from weft.kernels.native cimport binary, is_complex, is_half, is_inexact, same_layout, same_type, shape, unary, view
from weft.tensor.calls cimport call_arrays
from weft.tensor.tensor cimport Storage, Tensor, View, alias, wrap, wrap_view

cdef int GRAD_OFF, INFERENCE, NO_OVERRIDE, SAVED_HOOKS, WATCH, NUMERICS, SLOW, SPECIAL, SHAPE
cdef object PARAMETER

cdef class Op(Operation):
    cdef public object forward, compose, check, joint, write, shape_rule, returns, public, promotion
    cdef public Op general
    cdef public tuple names, defaults, promoted, outputs, samples, kw_names, rule_names, rule_slots
    cdef public dict aliases, rules, plans
    cdef public list small_plans, quick_plans
    cdef public int n_positional, n_params, binary_code, unary_code, view_code, pack, n_rules
    cdef public bint is_view, maybe_view, multi_view, pointwise, differentiable, keep_half, method
    cdef public str node_name, doc
    cdef public frozenset nondiff
    @cython.locals(a=Tensor, b=Tensor, out=Tensor, bits=cython.int, mask=cython.int, x_plain=cython.bint,
                   y_plain=cython.bint)
    cpdef object call2(self, object x, object y)
    @cython.locals(a=Tensor, out=Tensor, bits=cython.int)
    cpdef object call1(self, object x)
    @cython.locals(bits=cython.int, values=list)
    cdef object watched(self, object x, object y)
    @cython.locals(node=Node, plan=Plan, a=Tensor, b=Tensor)
    cdef object record_small(self, int mask, object x, object y, Tensor out)
    @cython.locals(slot=cython.int, t=Tensor, dirty=cython.bint, i=cython.int, saved=list)
    cdef object save_small(self, Node node, Plan plan, object x, object y, Tensor out)
    cpdef object call_operator(self, object x, object y)
    cpdef object call(self, tuple args, dict kwargs)
    cpdef tuple as_given(self, list values)
    cpdef object call_values(self, list values)
    @cython.locals(n=cython.int, at=cython.int, i=cython.int, values=list)
    cpdef list bind(self, tuple args, dict kwargs)
    @cython.locals(t=Tensor, out=Tensor, bits=cython.int, mask=cython.longlong, bit=cython.longlong,
                   unusual=cython.bint, meta=cython.bint, ready=list, viewed=cython.bint)
    cpdef object compute(self, list values)
    @cython.locals(out=Tensor, outs=list, kind=cython.int)
    cpdef object finish_many(self, list values, object results, bint meta, int bits, long long mask)
    @cython.locals(out=Tensor)
    cpdef object finish_special(self, list values, list outs, int bits)
    @cython.locals(mask=cython.longlong, bit=cython.longlong)
    cpdef long long mask_of(self, list values)
    cpdef Plan plan_for(self, long long mask)
    cpdef Plan small_plan_for(self, int mask)
    @cython.locals(node=Node)
    cpdef object record_one(self, long long mask, list values, Tensor out)
    @cython.locals(node=Node, t=Tensor, k=cython.int)
    cpdef object record(self, long long mask, list values, list outs)
    @cython.locals(node=Node, plan=Plan, parents=list, i=cython.int, t=Tensor)
    cdef Node start_node(self, long long mask, list values, Tensor first)
    @cython.locals(slot=cython.int, saved=list, plan=Plan, i=cython.int)
    cdef object save(self, Node node, list values, list outs)
    @cython.locals(t=Tensor, at=cython.Py_ssize_t)
    cdef object add_parent(self, Node node, list parents, object value, Tensor out)

cpdef bint is_plain(object x)
@cython.locals(view=View)
cpdef bint needs_grad(Tensor t)
@cython.locals(t=Tensor)
cpdef object conj_of(object value)
cpdef object edge(Tensor t)
cpdef tuple spec_of(Tensor t)
cpdef bint overridden(object args, object kwargs)
cpdef bint shares_memory(object made, object source)
@cython.locals(t=Tensor)
cpdef tuple versions_of(list saved)
@cython.locals(t=Tensor)
cpdef bint written(object values)
@cython.locals(t=Tensor)
cpdef object shape_of(object value)

