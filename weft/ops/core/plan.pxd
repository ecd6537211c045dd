from weft.ops.core.body cimport Body

cpdef index_rules(Body op)
