cimport cython
from weft.ops.core.apply cimport Op

@cython.locals(made=Op, body=dict, names=list)
cpdef object op(object cls)
cdef object _fill_signature(Op made, dict body, frozenset tags)
cdef object _fill_rules(Op made, dict body, frozenset tags)
cdef object _fill_effects(Op made, dict body)
cdef tuple _slots(Op made, str named)
cdef object _publish(Op made, object cls, list names, frozenset tags)
