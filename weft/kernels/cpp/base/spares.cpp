#define PY_SSIZE_T_CLEAN
#include "spares.h"
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define NO_IMPORT_ARRAY
#define PY_ARRAY_UNIQUE_SYMBOL weft_base_numpy
#include <numpy/arrayobject.h>

#include <algorithm>
#include <vector>

namespace weft {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr int64_t ROOM = 0;             // whoever uses an array that was freed is to be found out
#else
constexpr int64_t ROOM = 2 << 20;       // bytes of values at the most
#endif
constexpr int MOST_DIMS = 4, SHELVES = 64, TYPES = NPY_HALF + 1;
constexpr int64_t HEAD = 160;           // of an array, about
constexpr int OWN_FLAGS = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_OWNDATA | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;

// All of one type and shape; used under the GIL only.
struct Shelf {
    int type = -1, nd = 0;
    intptr_t shape[MOST_DIMS] = {};
    int64_t bytes = 0;                  // of one
    uint64_t used = 0;                  // when one was last taken or put here
    std::vector<PyObject*> arrays;

    bool is_for(int n, const intptr_t* wanted, int t) const {
        if (nd != n || type != t) return false;
        for (int d = 0; d < n; d++)
            if (shape[d] != wanted[d]) return false;
        return true;
    }
};

Shelf* const shelves = new Shelf[SHELVES];      // never deleted: tensors may die after static destructors ran
PyArray_Descr* types[TYPES] = {};               // NumPy's own descriptor of each type that may be kept
int64_t held = 0;
uint64_t clock_ = 0;

// The first of the two shelves where arrays of a type and shape may lie.
Shelf* pair_of(int nd, const intptr_t* shape, int type) {
    uint64_t h = uint64_t(type) * 8 + uint64_t(nd);
    for (int d = 0; d < nd; d++) h = h * 0x9E3779B97F4A7C15ull + uint64_t(shape[d]);
    return shelves + ((h * 0x9E3779B97F4A7C15ull) >> 59) * 2;
}
static_assert(SHELVES == 64);

void clear(Shelf& shelf) {
    std::vector<PyObject*> arrays;
    arrays.swap(shelf.arrays);
    held -= int64_t(arrays.size()) * shelf.bytes;
    for (PyObject* array : arrays) Py_DECREF(array);
}

// The shelf for a type and shape: theirs, or the one of the two that was used longest ago.
Shelf& shelf_for(int nd, const intptr_t* shape, int type) {
    Shelf* pair = pair_of(nd, shape, type);
    if (pair[0].is_for(nd, shape, type)) return pair[0];
    if (pair[1].is_for(nd, shape, type)) return pair[1];
    return pair[pair[1].used < pair[0].used];
}

void make_room(const Shelf& wanted) {
    while (held + wanted.bytes > ROOM) {
        Shelf* oldest = nullptr;
        for (int i = 0; i < SHELVES; i++)
            if (!shelves[i].arrays.empty() && &shelves[i] != &wanted && (!oldest || shelves[i].used < oldest->used))
                oldest = &shelves[i];
        if (!oldest) return;
        clear(*oldest);
    }
}

// Whether an array is as `new_array` makes them, and nobody can tell that it lives on.
bool may_stay(PyArrayObject* a) {
    auto* fields = reinterpret_cast<PyArrayObject_fields*>(a);
    const int type = PyArray_TYPE(a), nd = PyArray_NDIM(a);
    if (nd > MOST_DIMS || type >= TYPES || !types[type] || PyArray_DESCR(a) != types[type]) return false;
    if ((PyArray_FLAGS(a) & ~NPY_ARRAY_F_CONTIGUOUS) != OWN_FLAGS || PyArray_BASE(a)) return false;
    if (fields->weakreflist || fields->_buffer_info) return false;
    intptr_t step = PyArray_ITEMSIZE(a);
    for (int d = nd - 1; d >= 0; d--) {
        if (PyArray_STRIDES(a)[d] != step) return false;
        step *= PyArray_DIMS(a)[d];
    }
    return step > 0 && step < SPARE_BELOW;
}

}  // namespace

void spares_start() {
    for (int type = 0; type < TYPES; type++)
        if (type <= NPY_CLONGDOUBLE || type == NPY_HALF) types[type] = PyArray_DescrFromType(type);
}

PyObject* spare_array(int nd, const intptr_t* shape, int type) {
    if (nd > MOST_DIMS) return nullptr;
    Shelf* pair = pair_of(nd, shape, type);
    Shelf& shelf = pair[!pair->is_for(nd, shape, type)];
    if (shelf.arrays.empty() || !shelf.is_for(nd, shape, type)) return nullptr;
    PyObject* array = shelf.arrays.back();
    shelf.arrays.pop_back();
    shelf.used = ++clock_;
    held -= shelf.bytes;
    return array;
}

void let_go(PyObject* object) {
    if (Py_REFCNT(object) > 2 || !PyArray_CheckExact(object)) return;
    auto* a = reinterpret_cast<PyArrayObject*>(object);
    if (!may_stay(a)) return;
    const int type = PyArray_TYPE(a), nd = PyArray_NDIM(a);
    Shelf& shelf = shelf_for(nd, PyArray_DIMS(a), type);
    if (!shelf.is_for(nd, PyArray_DIMS(a), type)) {
        clear(shelf);
        shelf.type = type;
        shelf.nd = nd;
        std::copy_n(PyArray_DIMS(a), nd, shelf.shape);
        shelf.bytes = PyArray_NBYTES(a) + HEAD;
    }
    if (held + shelf.bytes > ROOM) {
        if (int64_t(shelf.arrays.size()) * shelf.bytes >= ROOM / 2) return;     // many die at once: enough of them
        make_room(shelf);
        if (held + shelf.bytes > ROOM) return;
    }
    try {
        shelf.arrays.push_back(object);
    } catch (const std::bad_alloc&) { return; }
    Py_INCREF(object);
    shelf.used = ++clock_;
    held += shelf.bytes;
}

void spares_empty() {
    for (int i = 0; i < SHELVES; i++) clear(shelves[i]);
}

}  // namespace weft
