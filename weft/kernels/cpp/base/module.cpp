// weft.kernels._base: threads, memory, the processor and OpenBLAS; compiled for any processor of the architecture.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL weft_base_numpy
#include <dlfcn.h>
#include <numpy/arrayobject.h>

#include <cstring>

#include "../host.h"
#include "../offers.h"
#include "board.h"
#include "memory.h"
#include "pool.h"
#include "pulse.h"
#include "spares.h"

namespace weft {
namespace {

Host table{};
PyObject* handler_capsule = nullptr;
void (*blas_set)(int) = nullptr;

// arrays in cached memory: NumPy frees them through the handler that they carry

void* handler_malloc(void*, size_t size) { return memory_take(size); }
void* handler_calloc(void*, size_t n, size_t size) {
    void* block = memory_take(n * size);
    if (block) std::memset(block, 0, n * size);
    return block;
}
void handler_free(void*, void* block, size_t) { memory_give(block); }
void* handler_realloc(void*, void* block, size_t size) {
    void* grown = memory_take(size);
    if (grown && block) {
        const size_t had = memory_size(block);
        memory_open(block);
        std::memcpy(grown, block, had < size ? had : size);
        memory_give(block);
    }
    return grown;
}
PyDataMem_Handler handler = {"weft", 1, {nullptr, handler_malloc, handler_calloc, handler_realloc, handler_free}};

constexpr size_t CACHED_FROM = SPARE_BELOW;     // below, NumPy's own cache of small blocks is as quick

thread_local Offers offers;

Offers* own_offers() { return &offers; }

bool is_such(PyObject* offered, int nd, const intptr_t* shape, int type) {
    auto* a = reinterpret_cast<PyArrayObject*>(offered);
    if (PyArray_NDIM(a) != nd || PyArray_TYPE(a) != type) return false;
    for (int d = 0; d < nd; d++)
        if (PyArray_DIMS(a)[d] != shape[d]) return false;
    return true;
}

void* made_array(int nd, const intptr_t* shape, int type) {
    PyArray_Descr* descr = PyArray_DescrFromType(type);
    if (!descr) return nullptr;
    size_t bytes = size_t(PyDataType_ELSIZE(descr));
    for (int d = 0; d < nd; d++)
        if (__builtin_mul_overflow(bytes, size_t(shape[d]), &bytes)) { Py_DECREF(descr); return PyErr_NoMemory(); }
    if (bytes < CACHED_FROM)
        return PyArray_NewFromDescr(&PyArray_Type, descr, nd, const_cast<intptr_t*>(shape), nullptr, nullptr, 0,
                                    nullptr);
    void* block = memory_take(bytes);
    if (!block) { Py_DECREF(descr); return PyErr_NoMemory(); }
    PyObject* made = PyArray_NewFromDescr(&PyArray_Type, descr, nd, const_cast<intptr_t*>(shape), nullptr, block,
                                          NPY_ARRAY_CARRAY, nullptr);
    if (!made) { memory_give(block); return nullptr; }
    auto* fields = reinterpret_cast<PyArrayObject_fields*>(made);
    Py_INCREF(handler_capsule);
    fields->mem_handler = handler_capsule;
    PyArray_ENABLEFLAGS(reinterpret_cast<PyArrayObject*>(made), NPY_ARRAY_OWNDATA);
    return made;
}

void* new_array(int nd, const intptr_t* shape, int type) {
    if (offers.left) {
        PyObject* offered = *offers.next++;
        offers.left--;
        if (offered && is_such(offered, nd, shape, type)) { Py_INCREF(offered); return offered; }
    }
    void* made = spare_array(nd, shape, type);
    if (!made) made = made_array(nd, shape, type);
    if (offers.noted) offers.noted->push_back(made);
    return made;
}

const char* best_instruction_set() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return "v4";
    if (__builtin_cpu_supports("x86-64-v3")) return "v3";
    if (__builtin_cpu_supports("x86-64-v2")) return "v2";
    return "reference";
#elif defined(__aarch64__)
    return "arm64";
#else
    return "reference";
#endif
}

// Python's side

// NumPy's own products and factorisations run on OpenBLAS's threads: their number follows ours
PyObject* load_blas(PyObject*, PyObject* path) {
    const char* name = PyUnicode_AsUTF8(path);
    if (!name) return nullptr;
    void* library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    void* set = library ? dlsym(library, "scipy_openblas_set_num_threads64_") : nullptr;
    if (set) blas_set = reinterpret_cast<void (*)(int)>(set);
    return PyBool_FromLong(set != nullptr);
}
PyObject* set_blas_threads(PyObject*, PyObject* n) {
    const long count = PyLong_AsLong(n);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    if (blas_set && count >= 1) blas_set(int(count));
    Py_RETURN_NONE;
}

PyObject* instruction_set(PyObject*, PyObject*) { return PyUnicode_FromString(best_instruction_set()); }
PyObject* get_threads(PyObject*, PyObject*) { return PyLong_FromLong(pool_threads()); }
PyObject* set_threads(PyObject*, PyObject* n) {
    const long count = PyLong_AsLong(n);
    if (count == -1 && PyErr_Occurred()) return nullptr;
    pool_set_threads(int(count > 1024 ? 1024 : count));
    Py_RETURN_NONE;
}
PyObject* stats(PyObject*, PyObject*) {
    const MemoryStats s = memory_stats();
    return Py_BuildValue("{sLsLsLsLsLsL}", "in_use", s.in_use, "cached", s.cached, "peak", s.peak, "limit", s.limit,
                         "requests", s.requests, "hits", s.hits);
}
PyObject* empty_cache(PyObject*, PyObject*) {
    spares_empty();
    Py_BEGIN_ALLOW_THREADS memory_empty();
    Py_END_ALLOW_THREADS Py_RETURN_NONE;
}
PyObject* set_limit(PyObject*, PyObject* n) {
    const long long bytes = PyLong_AsLongLong(n);
    if (bytes == -1 && PyErr_Occurred()) return nullptr;
    memory_set_limit(bytes);
    Py_RETURN_NONE;
}
PyObject* reset_peak(PyObject*, PyObject*) {
    memory_reset_peak();
    Py_RETURN_NONE;
}
PyObject* empty(PyObject*, PyObject* args) {        // empty(shape, type number): an array in cached memory
    PyObject* shape;
    int type;
    if (!PyArg_ParseTuple(args, "O!i", &PyTuple_Type, &shape, &type)) return nullptr;
    intptr_t dims[NPY_MAXDIMS];
    const Py_ssize_t nd = PyTuple_GET_SIZE(shape);
    if (nd > NPY_MAXDIMS) return PyErr_Format(PyExc_ValueError, "at most %d dimensions", NPY_MAXDIMS);
    for (Py_ssize_t i = 0; i < nd; i++) {
        dims[i] = PyLong_AsSsize_t(PyTuple_GET_ITEM(shape, i));
        if (dims[i] < 0) return PyErr_Occurred() ? nullptr : PyErr_Format(PyExc_ValueError, "negative dimension");
    }
    return static_cast<PyObject*>(new_array(int(nd), dims, type));
}
PyObject* start_pulse(PyObject*, PyObject* args) {      // (socket, rank, tick, limit, grace, files to write to)
    PulseSettings wanted;
    PyObject* files;
    if (!PyArg_ParseTuple(args, "iidddO!", &wanted.link, &wanted.rank, &wanted.tick, &wanted.limit, &wanted.grace,
                          &PyTuple_Type, &files))
        return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(files); i++) {
        wanted.tell.push_back(int(PyLong_AsLong(PyTuple_GET_ITEM(files, i))));
        if (PyErr_Occurred()) return nullptr;
    }
    return PyBool_FromLong(pulse_start(wanted));
}
PyObject* stop_pulse(PyObject*, PyObject*) {
    pulse_stop();
    Py_RETURN_NONE;
}

// the board's lines lie at the front of a writable buffer that processes share
struct Lines {
    Py_buffer view{};
    BoardLine* at = nullptr;
    explicit Lines(PyObject* shared, int n) {
        if (PyObject_GetBuffer(shared, &view, PyBUF_WRITABLE)) return;
        if (n < 1 || size_t(view.len) < size_t(n) * sizeof(BoardLine) || uintptr_t(view.buf) % alignof(BoardLine))
            PyErr_SetString(PyExc_ValueError, "the board is too small, or not aligned");
        else
            at = static_cast<BoardLine*>(view.buf);
    }
    ~Lines() { PyBuffer_Release(&view); }
};
PyObject* arrive(PyObject*, PyObject* args) {           // (board, n, own number, call's number, code)
    PyObject* shared;
    int n, own;
    unsigned count, code;
    if (!PyArg_ParseTuple(args, "OiiII", &shared, &n, &own, &count, &code)) return nullptr;
    const Lines lines(shared, n);
    if (!lines.at) return nullptr;
    if (own < 0 || own >= n) return PyErr_Format(PyExc_ValueError, "number %d of %d", own, n);
    board_arrive(lines.at + own, count, code);
    Py_RETURN_NONE;
}
PyObject* await_all(PyObject*, PyObject* args) {        // (board, n, call's number, us to spin, us to sleep)
    PyObject* shared;
    int n;
    unsigned count;
    double spin, sleep;
    if (!PyArg_ParseTuple(args, "OiIdd", &shared, &n, &count, &spin, &sleep)) return nullptr;
    const Lines lines(shared, n);
    if (!lines.at) return nullptr;
    bool all = board_wait(lines.at, n, count, 0, 0);
    if (!all && spin + sleep > 0) {
        Py_BEGIN_ALLOW_THREADS all = board_wait(lines.at, n, count, spin, sleep);
        Py_END_ALLOW_THREADS
    }
    return PyBool_FromLong(all);
}
PyObject* agreed(PyObject*, PyObject* args) {           // (board, n, call's number)
    PyObject* shared;
    int n;
    unsigned count;
    if (!PyArg_ParseTuple(args, "OiI", &shared, &n, &count)) return nullptr;
    const Lines lines(shared, n);
    return lines.at ? PyLong_FromLong(board_same(lines.at, n, count)) : nullptr;
}

PyMethodDef methods[] = {
    {"load_blas", load_blas, METH_O, "Find OpenBLAS's thread control in this library; whether it is there."},
    {"set_blas_threads", set_blas_threads, METH_O, "Set how many threads OpenBLAS uses."},
    {"instruction_set", instruction_set, METH_NOARGS, "The best set of kernels that this processor can run."},
    {"get_threads", get_threads, METH_NOARGS, "How many threads a kernel may use."},
    {"set_threads", set_threads, METH_O, "Set how many threads a kernel may use."},
    {"memory_stats", stats, METH_NOARGS, "What the memory cache holds, in bytes."},
    {"empty_cache", empty_cache, METH_NOARGS, "Give cached memory back to the system."},
    {"set_cache_limit", set_limit, METH_O, "Set how many bytes the cache may hold."},
    {"reset_peak", reset_peak, METH_NOARGS, "Count the peak from now."},
    {"empty", empty, METH_VARARGS, "An uninitialised array in cached memory."},
    {"start_pulse", start_pulse, METH_VARARGS, "Tell a server that this process lives, from a thread; see pulse.h."},
    {"stop_pulse", stop_pulse, METH_NOARGS, "Let nothing that the server says end this process any more."},
    {"arrive", arrive, METH_VARARGS, "Count a call on the board, with its code; see board.h."},
    {"await_all", await_all, METH_VARARGS, "Whether all have come so far; waits for some microseconds."},
    {"agreed", agreed, METH_VARARGS, "Whether all gave the same code for a call (2), or but for its last bit (1)."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef def = {PyModuleDef_HEAD_INIT,
                   "_base",
                   "Threads, memory, the processor and OpenBLAS.",
                   -1,
                   methods,
                   nullptr,
                   nullptr,
                   nullptr,
                   nullptr};

}  // namespace
}  // namespace weft

PyMODINIT_FUNC PyInit__base() {
    using namespace weft;
    import_array();
    pool_start();
    memory_start();
    spares_start();
    handler_capsule = PyCapsule_New(&handler, "mem_handler", nullptr);
    PyObject* module = PyModule_Create(&def);
    if (!handler_capsule || !module) return nullptr;
    table.run = pool_run;
    table.threads = pool_threads;
    table.take = memory_take;
    table.give = memory_give;
    table.new_array = new_array;
    if (PyModule_AddIntConstant(module, "board_line", sizeof(BoardLine)) < 0) return nullptr;
    if (PyModule_AddObject(module, "host", PyCapsule_New(&table, "weft.host", nullptr)) < 0) return nullptr;
    PyObject* lent = PyCapsule_New(reinterpret_cast<void*>(&own_offers), "weft.offers", nullptr);
    if (PyModule_AddObject(module, "offers", lent) < 0) return nullptr;
    lent = PyCapsule_New(reinterpret_cast<void*>(&let_go), "weft.let_go", nullptr);
    if (PyModule_AddObject(module, "let_go", lent) < 0) return nullptr;
    return module;
}
