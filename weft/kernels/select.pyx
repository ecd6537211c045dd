# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""topk, kthvalue and mode in C++, with PyTorch's choice among equal elements: arrays in, (values, indices) out, or None.

`select.py` beside this file is its twin in plain Python, which takes nothing, so that the NumPy code of `ops/sort.py` runs.
"""
cimport numpy as cnp
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, intptr_t, uint8_t
cnp.import_array()

import numpy as np

cdef extern from "select.h" namespace "weft" nogil:
    void topk_rows "weft::topk"[T](const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t step, intptr_t k,
                                   bint largest, bint sorted) except +
    void kth_rows "weft::kthvalue"[T](const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t step, intptr_t k) except +
    void mode_rows "weft::mode"[T](const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t step) except +

cdef extern from "numpy/arrayobject.h":
    object PyArray_SimpleNew(int nd, cnp.npy_intp* dims, int typenum)

cdef struct Job:
    int kind
    intptr_t outer, n, step
    void* x
    void* values
    int64_t* places


cdef tuple _prepare(object a, int axis, intptr_t length, bint keep, Job* job):
    """(the array in one piece, values, indices), with `length` in the axis's place or that axis gone; None for what isn't taken."""
    cdef cnp.npy_intp dims[32]
    cdef int d, nd, put = 0
    if not cnp.PyArray_CheckExact(a):
        return None
    cdef cnp.ndarray x = <cnp.ndarray>a, values, places
    nd = cnp.PyArray_NDIM(x)
    job.kind = cnp.PyArray_TYPE(x)
    if nd > 32 or axis >= nd or cnp.PyArray_SIZE(x) == 0 or job.kind not in (
            cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_INT64, cnp.NPY_INT32, cnp.NPY_INT16, cnp.NPY_INT8, cnp.NPY_UINT8, cnp.NPY_BOOL):
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(x) or not cnp.PyArray_ISBEHAVED_RO(x):
        x = np.array(x, x.dtype.newbyteorder("="), order="C")
    job.outer = job.step = 1
    job.n = cnp.PyArray_DIMS(x)[axis]
    for d in range(nd):
        if d < axis:
            job.outer *= cnp.PyArray_DIMS(x)[d]
        elif d > axis:
            job.step *= cnp.PyArray_DIMS(x)[d]
        if d != axis or keep:
            dims[put] = length if d == axis else cnp.PyArray_DIMS(x)[d]
            put += 1
    values = PyArray_SimpleNew(put, dims, job.kind)
    places = PyArray_SimpleNew(put, dims, cnp.NPY_INT64)
    job.x, job.values, job.places = cnp.PyArray_DATA(x), cnp.PyArray_DATA(values), <int64_t*>cnp.PyArray_DATA(places)
    return x, values, places


cpdef object topk(object a, intptr_t k, int axis, bint largest, bint sorted):
    """The k greatest (least) along an axis and where they stand; 1 <= k <= its length."""
    cdef Job job
    if k <= 0:
        return None
    held = _prepare(a, axis, k, True, &job)
    if held is None:
        return None
    with nogil:
        if job.kind == cnp.NPY_FLOAT:
            topk_rows(<const float*>job.x, <float*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
        elif job.kind == cnp.NPY_DOUBLE:
            topk_rows(<const double*>job.x, <double*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
        elif job.kind == cnp.NPY_INT64:
            topk_rows(<const int64_t*>job.x, <int64_t*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
        elif job.kind == cnp.NPY_INT32:
            topk_rows(<const int32_t*>job.x, <int32_t*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
        elif job.kind == cnp.NPY_INT16:
            topk_rows(<const int16_t*>job.x, <int16_t*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
        elif job.kind == cnp.NPY_INT8:
            topk_rows(<const int8_t*>job.x, <int8_t*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
        else:
            topk_rows(<const uint8_t*>job.x, <uint8_t*>job.values, job.places, job.outer, job.n, job.step, k, largest, sorted)
    return held[1], held[2]


cpdef object kthvalue(object a, intptr_t k, int axis, bint keepdim):
    """The k-th least (from 0) along an axis, and where it stands."""
    cdef Job job
    held = _prepare(a, axis, 1, keepdim, &job)
    if held is None:
        return None
    with nogil:
        if job.kind == cnp.NPY_FLOAT:
            kth_rows(<const float*>job.x, <float*>job.values, job.places, job.outer, job.n, job.step, k)
        elif job.kind == cnp.NPY_DOUBLE:
            kth_rows(<const double*>job.x, <double*>job.values, job.places, job.outer, job.n, job.step, k)
        elif job.kind == cnp.NPY_INT64:
            kth_rows(<const int64_t*>job.x, <int64_t*>job.values, job.places, job.outer, job.n, job.step, k)
        elif job.kind == cnp.NPY_INT32:
            kth_rows(<const int32_t*>job.x, <int32_t*>job.values, job.places, job.outer, job.n, job.step, k)
        elif job.kind == cnp.NPY_INT16:
            kth_rows(<const int16_t*>job.x, <int16_t*>job.values, job.places, job.outer, job.n, job.step, k)
        elif job.kind == cnp.NPY_INT8:
            kth_rows(<const int8_t*>job.x, <int8_t*>job.values, job.places, job.outer, job.n, job.step, k)
        else:
            kth_rows(<const uint8_t*>job.x, <uint8_t*>job.values, job.places, job.outer, job.n, job.step, k)
    return held[1], held[2]


cpdef object mode(object a, int axis, bint keepdim):
    """The most frequent element along an axis, and where it stands."""
    cdef Job job
    held = _prepare(a, axis, 1, keepdim, &job)
    if held is None:
        return None
    with nogil:
        if job.kind == cnp.NPY_FLOAT:
            mode_rows(<const float*>job.x, <float*>job.values, job.places, job.outer, job.n, job.step)
        elif job.kind == cnp.NPY_DOUBLE:
            mode_rows(<const double*>job.x, <double*>job.values, job.places, job.outer, job.n, job.step)
        elif job.kind == cnp.NPY_INT64:
            mode_rows(<const int64_t*>job.x, <int64_t*>job.values, job.places, job.outer, job.n, job.step)
        elif job.kind == cnp.NPY_INT32:
            mode_rows(<const int32_t*>job.x, <int32_t*>job.values, job.places, job.outer, job.n, job.step)
        elif job.kind == cnp.NPY_INT16:
            mode_rows(<const int16_t*>job.x, <int16_t*>job.values, job.places, job.outer, job.n, job.step)
        elif job.kind == cnp.NPY_INT8:
            mode_rows(<const int8_t*>job.x, <int8_t*>job.values, job.places, job.outer, job.n, job.step)
        else:
            mode_rows(<const uint8_t*>job.x, <uint8_t*>job.values, job.places, job.outer, job.n, job.step)
    return held[1], held[2]
