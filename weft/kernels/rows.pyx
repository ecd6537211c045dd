# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""Rows of one matrix beside those of another: what the gradients of tables and of weights are kept as. `rows.py` is the
plain twin.
"""
cimport numpy as cnp
from libc.string cimport memcpy

cnp.import_array()


cpdef Py_ssize_t count(object a) noexcept:
    """How many elements an array has."""
    return cnp.PyArray_SIZE(<cnp.ndarray>a)


cdef inline bint _is_row(cnp.ndarray x):
    """Whether an array of a floating type has one row, which isn't empty."""
    cdef int nd = cnp.PyArray_NDIM(x), kind = cnp.PyArray_TYPE(x)
    if kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE or not cnp.PyArray_ISBEHAVED_RO(x):
        return False
    return nd > 0 and cnp.PyArray_DIMS(x)[nd - 1] > 0 and cnp.PyArray_SIZE(x) == cnp.PyArray_DIMS(x)[nd - 1]


cdef void _put_row(char* to, cnp.ndarray x) noexcept:
    """Write the elements of one row, in their order."""
    cdef Py_ssize_t i, n = cnp.PyArray_SIZE(x), size = cnp.PyArray_ITEMSIZE(x)
    cdef Py_ssize_t step = cnp.PyArray_STRIDES(x)[cnp.PyArray_NDIM(x) - 1]
    if step == size or n == 1:
        memcpy(to, cnp.PyArray_DATA(x), n * size)
        return
    for i in range(n):
        memcpy(to + i * size, <char*>cnp.PyArray_DATA(x) + i * step, size)


cpdef Py_ssize_t width(object a) noexcept:
    """The length of an array's last dimension, 1 for one without dimensions."""
    cdef int nd = cnp.PyArray_NDIM(<cnp.ndarray>a)
    return cnp.PyArray_DIMS(<cnp.ndarray>a)[nd - 1] if nd else 1


cpdef object copied_row(object a):
    """A copy (1, n) of an array of one row, (n,) or (.., 1, n), of a floating type; None for others."""
    cdef cnp.ndarray x = <cnp.ndarray>a, made
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef cnp.npy_intp dims[2]
    if not _is_row(x):
        return None
    dims[0], dims[1] = 1, cnp.PyArray_SIZE(x)
    made = cnp.PyArray_SimpleNew(2, dims, kind)
    _put_row(<char*>cnp.PyArray_DATA(made), x)
    return made


cpdef object joined(object a, object b, Py_ssize_t least):
    """The elements of two rows, (.., 1, m) and (.., 1, n), of one floating type in an array of its own (m + n,); None
    for others, and where m * n is below `least`.
    """
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>b, made
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef cnp.npy_intp size
    if not _is_row(x) or not _is_row(y) or kind != cnp.PyArray_TYPE(y) \
            or cnp.PyArray_SIZE(x) * cnp.PyArray_SIZE(y) < least:
        return None
    size = cnp.PyArray_SIZE(x) + cnp.PyArray_SIZE(y)
    made = cnp.PyArray_SimpleNew(1, &size, kind)
    _put_row(<char*>cnp.PyArray_DATA(made), x)
    _put_row(<char*>cnp.PyArray_DATA(made) + cnp.PyArray_SIZE(x) * cnp.PyArray_ITEMSIZE(x), y)
    return made
