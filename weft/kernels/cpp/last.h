// Images whose channels lie innermost: kernels work on them as (samples, ..., channels).
#pragma once
#include <algorithm>

#include "border.h"

namespace weft {

// A new array (samples, ..., channels) as (samples, channels, ...), which owns its memory: a view of it would be copied
// where it becomes somebody's gradient.
inline PyObject* outer_channels(PyObject* made) {
    auto* array = reinterpret_cast<PyArrayObject*>(made);
    const int nd = PyArray_NDIM(array);
    std::rotate(PyArray_DIMS(array) + 1, PyArray_DIMS(array) + nd - 1, PyArray_DIMS(array) + nd);
    std::rotate(PyArray_STRIDES(array) + 1, PyArray_STRIDES(array) + nd - 1, PyArray_STRIDES(array) + nd);
    PyArray_UpdateFlags(array, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    return made;
}

}  // namespace weft
