// Tables of C functions that the compiled core calls without passing through Python; each returns a new reference, None
// for what it doesn't take, or null with a Python error set.
#pragma once
#include <Python.h>

namespace weft {

struct ProductTable { PyObject* (*matmul)(PyObject* a, PyObject* b, bool a_turned, bool b_turned); };

}  // namespace weft
