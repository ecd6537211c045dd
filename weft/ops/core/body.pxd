from weft.core.operation cimport Operation

cdef int SHAPE

cdef class Body(Operation):
    cdef public object forward, compose, check, joint, write, shape_rule, made_returns, public, promotion, flops, kind
    cdef public object autocast
    cdef public Body general
    cdef public tuple names, defaults, promoted, outputs, samples, kw_names, rule_names, rule_slots
    cdef public tuple writes, reads, lists, numbers_first
    cdef public dict aliases, rules, plans, number_loops
    cdef public Body of_numbers
    cdef public list small_plans, quick_plans
    cdef public int n_positional, n_params, binary_code, unary_code, view_code, pack, n_rules, random, tensor_slots
    cdef public bint is_view, maybe_view, multi_view, pointwise, reduces, differentiable, keep_half, method, fills
    cdef public bint needs_tensor, cuts
    cdef public str node_name, doc, why_no_samples, out_types, returns_as
    cdef public frozenset nondiff
    cdef public int slope, spends
    cpdef object together(self, list outs)
