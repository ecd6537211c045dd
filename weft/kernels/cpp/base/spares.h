// Small arrays that a tensor was the last to hold, kept whole for the next one of their type and shape. What NumPy does
// to make an array and to free it takes longer than most small ops take to fill it.
#pragma once
#include <Python.h>

#include <cstdint>

namespace weft {

// Only for arrays of less than this: NumPy's memory, not the cache's, whose figures so stay true.
constexpr int64_t SPARE_BELOW = 1024;

void spares_start();                                                    // after import_array
PyObject* spare_array(int nd, const intptr_t* shape, int type);         // null where there is none
// An array, or anything else, whose holder is about to drop it; a second reference is the caller's own.
void let_go(PyObject* array);
void spares_empty();

}  // namespace weft
