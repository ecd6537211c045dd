// Arrays that a captured plan has ready for what the next kernel makes (weft/jit/segment.pyx): each `new_array` of this
// thread takes the next one instead of memory from the cache, if it has the type and shape that are asked for.
#pragma once
#include <Python.h>

#include <vector>

namespace weft {

struct Offers {
    PyObject** next = nullptr;    // null: memory from the cache
    Py_ssize_t left = 0;
    std::vector<void*>* noted = nullptr;        // where every array that is made is noted, while somebody wants to know
};

}  // namespace weft
