from weft.ops.core.apply cimport conj_of
