cpdef Py_ssize_t count(object a) noexcept
cpdef Py_ssize_t width(object a) noexcept
cpdef object copied_row(object a)
cpdef object joined(object a, object b, Py_ssize_t least)
