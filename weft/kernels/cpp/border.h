// The border to Python: NumPy arrays in, NumPy arrays out, None for a case that a kernel doesn't take (the NumPy
// reference then runs).
//
//     KERNEL(softmax) {                               // fast.softmax(x, axis, log) in Python; args, n are the
//     arguments
//         Array x; int64_t axis; bool log;
//         if (!read(args, n, x, axis, log) || x.type != F32) return not_taken();
//         PyObject* out = new_array(x);               // same shape and type, C-contiguous, from the caching allocator
//         if (!out) return nullptr;
//         Unlocked gil(x.size);                       // the GIL is released where the work is worth it
//         ...
//         return out;
//     }
//
// A kernel never raises for a shape it doesn't like: it returns not_taken(), and the op's own checks speak in the
// user's terms.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL weft_kernels_numpy
#ifndef WEFT_MODULE_FILE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <unistd.h>

#include <stdexcept>

#include "host.h"

namespace weft {

constexpr int MAX_DIMS = 8;
enum Type { F32, F64, F16, BF16, I64, I32, I16, I8, U8, BOOL, OTHER };
constexpr int ITEM_SIZE[] = {4, 8, 2, 2, 8, 4, 2, 1, 1, 1, 0};
constexpr bool is_half(int type) { return type == F16 || type == BF16; }

// An array as kernels see it: strides in bytes; contiguous means C order without gaps.
struct Array {
    PyArrayObject* object = nullptr;
    char* data = nullptr;
    int type = OTHER, nd = 0;
    int64_t size = 0;
    bool contiguous = false;
    intptr_t shape[MAX_DIMS], stride[MAX_DIMS];
    template <class T> T* as() const { return reinterpret_cast<T*>(data); }
    // an argument that was None leaves the Array empty
    explicit operator bool() const { return object != nullptr; }
};

extern int bfloat16_number;     // NumPy's number for ml_dtypes.bfloat16

int type_of(PyArrayObject* a);
int number_of(int type);        // NumPy's number for a Type
// false for anything but an aligned native array of at most 8 dimensions
bool view_of(PyObject* object, Array& into);

// Arguments: Array (None leaves it empty), int64_t, double, bool, PyObject* (borrowed), std::array-like int64_t[N]
// through Ints a tuple or list of ints, or one int
struct Ints { int count = 0; int64_t value[MAX_DIMS]; int64_t operator[](int i) const { return value[i]; } };

inline bool read_one(PyObject* o, Array& to) { return o == Py_None || view_of(o, to); }
bool read_one(PyObject* o, int64_t& to);
bool read_one(PyObject* o, double& to);
bool read_one(PyObject* o, bool& to);
bool read_one(PyObject* o, Ints& to);
inline bool read_one(PyObject* o, PyObject*& to) { to = o; return true; }

// All arguments, in order; false (no Python error set) when their number or kinds don't fit.
template <class... To> inline bool read(PyObject* const* args, Py_ssize_t n, To&... to) {
    if (n != Py_ssize_t(sizeof...(to))) return false;
    Py_ssize_t i = 0;
    return (read_one(args[i++], to) && ...);
}

inline PyObject* not_taken() { Py_RETURN_NONE; }
// New C-contiguous arrays in aligned, uninitialised memory; null with a Python MemoryError set when there is none.
inline PyObject* new_array(int nd, const intptr_t* shape, int type) {
    return static_cast<PyObject*>(host->new_array(nd, shape, number_of(type)));
}
inline PyObject* new_array(const Array& like) { return new_array(like.nd, like.shape, like.type); }
inline Array array_of(PyObject* made) { Array a; view_of(made, a); return a; }
template <class T>
inline T* data_of(PyObject* made) {
    return static_cast<T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
}
// a tuple of results; takes over the references; null (all released) if one of them is null
PyObject* results(std::initializer_list<PyObject*> made);

// Takes the GIL again. When the interpreter ends, Python ends every other thread that asks for it, by unwinding its
// stack: no destructor lets that through, it would be an abort. Such a thread sleeps until the process is gone.
inline void lock_again(PyThreadState* state) {
    try { PyEval_RestoreThread(state); } catch (...) { for (;;) pause(); }
}

// Releases the GIL while in scope, where the work (in elements or multiply-adds) is worth it.
struct Unlocked {
    PyThreadState* state;
    explicit Unlocked(int64_t work) : state(work > 20000 ? PyEval_SaveThread() : nullptr) {}
    ~Unlocked() { if (state) lock_again(state); }
    Unlocked(const Unlocked&) = delete;
};

struct Kernel {     // each KERNEL adds itself to the module's functions
    PyMethodDef def;
    Kernel* next;
    static Kernel* first;
    Kernel(const char* name, PyCFunction f) : def{name, f, METH_FASTCALL, nullptr}, next(first) { first = this; }
};

struct Export {     // a table of C functions for the compiled core, as a capsule `_<name>` of the module
    const char* name;
    const void* table;
    Export* next;
    static Export* first;
    Export(const char* name, const void* table) : name(name), table(table), next(first) { first = this; }
};

template <PyObject* (*f)(PyObject* const*, Py_ssize_t)>
PyObject* guarded(PyObject*, PyObject* const* args, Py_ssize_t n) {
    try {
        return f(args, n);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    } catch (const std::length_error&) {        // more elements than a vector can have
        return PyErr_NoMemory();
    }
}

#define KERNEL(name)                                                                                          \
    static PyObject* name##_kernel(PyObject* const* args, Py_ssize_t n);                                      \
    static ::weft::Kernel name##_entry(                                                                       \
        #name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&::weft::guarded<name##_kernel>))); \
    static PyObject* name##_kernel([[maybe_unused]] PyObject* const* args, [[maybe_unused]] Py_ssize_t n)

}  // namespace weft
