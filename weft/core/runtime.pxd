cpdef object user_code()
cpdef int user_offset() noexcept
cpdef int mode_bits() noexcept
cpdef int set_mode_bits(int bits) noexcept
cpdef object weakly(object value)
cpdef object running()
cpdef object matcher()
cpdef object set_matcher(object matcher)
cpdef object set_running(object path)
cpdef object kept()
cpdef object keep(object value)
cpdef Py_hash_t pointer_hash(object x) noexcept
