from weft.ops.apply cimport conj_of
