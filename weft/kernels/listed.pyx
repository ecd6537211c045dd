# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""Arrays of lists of Python numbers, read as they stand, without NumPy's search for what they might be. `listed.py` is
the plain twin, which takes nothing.
"""
cimport numpy as cnp
from cpython.float cimport PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t PySequence_Fast_GET_SIZE(PyObject* sequence)
    PyObject** PySequence_Fast_ITEMS(PyObject* sequence)

cdef extern from "numpy/arrayobject.h":
    object PyArray_SimpleNew(int nd, cnp.npy_intp* dims, int typenum)

cdef enum:
    DEEPEST = 8
cdef Py_ssize_t MOST = 1 << 24      # elements; a list that stands in itself or in many places has soon more


cdef inline bint _is_sequence(PyObject* x) noexcept:
    return type(<object>x) is list or type(<object>x) is tuple


cdef inline bint _put(char* to, PyObject* x, object kind, int code) noexcept:
    """Write one number, if it is of the kind that all must be, and fits."""
    cdef int overflow = 0
    cdef int64_t whole
    if type(<object>x) is not kind:
        return False
    if kind is float:
        if code == cnp.NPY_FLOAT:
            (<float*>to)[0] = <float>PyFloat_AS_DOUBLE(<object>x)
        else:
            (<double*>to)[0] = PyFloat_AS_DOUBLE(<object>x)
        return True
    if kind is bool:
        to[0] = <object>x is True
        return True
    whole = PyLong_AsLongLongAndOverflow(<object>x, &overflow)
    if overflow:
        return False
    if code == cnp.NPY_INT64:
        (<int64_t*>to)[0] = whole
    elif code == cnp.NPY_DOUBLE:
        (<double*>to)[0] = <double>whole
    else:
        (<float*>to)[0] = <float><double>whole
    return True


cdef bint _fill(char* to, PyObject* data, int nd, cnp.npy_intp* dims, Py_ssize_t part, object kind, int code) noexcept:
    """Write a list of nd dimensions, `part` bytes for each of its elements; False if it isn't of this shape."""
    cdef Py_ssize_t i
    cdef PyObject** items
    if not _is_sequence(data) or PySequence_Fast_GET_SIZE(data) != dims[0]:
        return False
    items = PySequence_Fast_ITEMS(data)
    for i in range(dims[0]):
        if nd == 1:
            if not _put(to + i * part, items[i], kind, code):
                return False
        elif not _fill(to + i * part, items[i], nd - 1, dims + 1, part // dims[1], kind, code):
            return False
    return True


cpdef object listed(object data, object floats, object want):
    """The array of a list or tuple (of lists, of ...) of numbers that are all float, all int or all bool; floats: the
    type of floats if none is wanted. None for whatever else.
    """
    cdef PyObject* at = <PyObject*>data
    cdef cnp.npy_intp dims[DEEPEST]
    cdef cnp.ndarray made
    cdef Py_ssize_t size = 1
    cdef int nd = 0, code
    while _is_sequence(at):
        if nd == DEEPEST or PySequence_Fast_GET_SIZE(at) == 0:
            return None
        dims[nd] = PySequence_Fast_GET_SIZE(at)
        size *= dims[nd]
        nd += 1
        if size > MOST:
            return None
        at = PySequence_Fast_ITEMS(at)[0]
    if nd == 0:
        return None
    kind = type(<object>at)
    if kind is float:
        code = (<cnp.dtype>(floats if want is None else want)).type_num
        if code != cnp.NPY_FLOAT and code != cnp.NPY_DOUBLE:
            return None
    elif kind is int:
        code = cnp.NPY_INT64 if want is None else (<cnp.dtype>want).type_num
        if code != cnp.NPY_INT64 and code != cnp.NPY_FLOAT and code != cnp.NPY_DOUBLE:
            return None
    elif kind is bool and (want is None or (<cnp.dtype>want).type_num == cnp.NPY_BOOL):
        code = cnp.NPY_BOOL
    else:
        return None
    if want is not None and not cnp.PyDataType_ISNOTSWAPPED(<cnp.dtype>want):
        return None
    made = PyArray_SimpleNew(nd, dims, code)
    size = cnp.PyArray_NBYTES(made) // dims[0]
    return made if _fill(<char*>cnp.PyArray_DATA(made), <PyObject*>data, nd, dims, size, kind, code) else None
