// The extension of one instruction set, or of the kernels for any (any/): collects the kernels of the files that it is
// built of.
#define WEFT_MODULE_FILE
#include "border.h"

#include <cstring>
#include <utility>
#include <vector>

namespace weft {

const Host* host = nullptr;
Kernel* Kernel::first = nullptr;
Export* Export::first = nullptr;
int bfloat16_number = -1;

// ml_dtypes, which brings the type, may be loaded at any time: its number is found out with its first array.
static bool is_bfloat16(PyArrayObject* a, int number) {
    if (number == bfloat16_number) return true;
    if (bfloat16_number >= 0 || number < NPY_USERDEF) return false;
    const char* name = PyArray_DESCR(a)->typeobj->tp_name;
    const char* dot = std::strrchr(name, '.');
    if (std::strcmp(dot ? dot + 1 : name, "bfloat16") != 0) return false;
    bfloat16_number = number;
    return true;
}

int type_of(PyArrayObject* a) {
    const int number = PyArray_TYPE(a);
    switch (number) {
        case NPY_FLOAT: return F32;
        case NPY_DOUBLE: return F64;
        case NPY_HALF: return F16;
        case NPY_INT64: return I64;
        case NPY_INT32: return I32;
        case NPY_INT16: return I16;
        case NPY_INT8: return I8;
        case NPY_UINT8: return U8;
        case NPY_BOOL: return BOOL;
        default: return is_bfloat16(a, number) ? BF16 : OTHER;
    }
}

int number_of(int type) {
    static const int numbers[] = {NPY_FLOAT, NPY_DOUBLE, NPY_HALF,  -1,       NPY_INT64, NPY_INT32,
                                  NPY_INT16, NPY_INT8,   NPY_UINT8, NPY_BOOL, NPY_VOID};
    return type == BF16 ? bfloat16_number : numbers[type];
}

bool view_of(PyObject* object, Array& into) {
    if (!PyArray_CheckExact(object)) return false;
    auto* a = reinterpret_cast<PyArrayObject*>(object);
    if (PyArray_NDIM(a) > MAX_DIMS || !PyArray_ISBEHAVED_RO(a)) return false;
    into.object = a;
    into.data = static_cast<char*>(PyArray_DATA(a));
    into.type = type_of(a);
    into.nd = PyArray_NDIM(a);
    into.size = 1;
    for (int d = 0; d < into.nd; d++) {
        into.shape[d] = PyArray_DIMS(a)[d];
        into.stride[d] = PyArray_STRIDES(a)[d];
        into.size *= into.shape[d];
    }
    into.contiguous = PyArray_IS_C_CONTIGUOUS(a);
    if (into.contiguous) {      // a dimension of length 1 may have any stride, 0 too: kernels see the dense ones
        intptr_t step = PyArray_ITEMSIZE(a);
        for (int d = into.nd - 1; d >= 0; d--) {
            into.stride[d] = step;
            step *= into.shape[d];
        }
    }
    return true;
}

bool read_one(PyObject* o, int64_t& to) {
    if (!PyLong_Check(o)) return false;
    int overflow = 0;
    to = PyLong_AsLongLongAndOverflow(o, &overflow);
    return overflow == 0;
}

bool read_one(PyObject* o, double& to) {
    if (PyFloat_Check(o)) { to = PyFloat_AS_DOUBLE(o); return true; }
    if (!PyLong_Check(o)) return false;
    to = PyLong_AsDouble(o);
    if (to == -1.0 && PyErr_Occurred()) { PyErr_Clear(); return false; }
    return true;
}

bool read_one(PyObject* o, bool& to) {
    if (!PyBool_Check(o)) return false;
    to = o == Py_True;
    return true;
}

bool read_one(PyObject* o, Ints& to) {
    if (PyLong_Check(o)) { to.count = 1; return read_one(o, to.value[0]); }
    if (!PyTuple_Check(o) && !PyList_Check(o)) return false;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    if (n > MAX_DIMS) return false;
    to.count = int(n);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!read_one(PySequence_Fast_GET_ITEM(o, i), to.value[i])) return false;
    return true;
}

PyObject* results(std::initializer_list<PyObject*> made) {
    PyObject* tuple = PyTuple_New(Py_ssize_t(made.size()));
    bool whole = tuple != nullptr;
    for (PyObject* m : made) whole = whole && m != nullptr;
    if (!whole) {
        for (PyObject* m : made) Py_XDECREF(m);
        Py_XDECREF(tuple);
        return nullptr;
    }
    Py_ssize_t i = 0;
    for (PyObject* m : made) PyTuple_SET_ITEM(tuple, i++, m);
    return tuple;
}

static PyObject* start(PyObject*, PyObject* args) {
    PyObject* capsule;
    int bfloat16;
    if (!PyArg_ParseTuple(args, "Oi", &capsule, &bfloat16)) return nullptr;
    host = static_cast<const Host*>(PyCapsule_GetPointer(capsule, "weft.host"));
    if (!host) return nullptr;
    bfloat16_number = bfloat16;
    Py_RETURN_NONE;
}

// Which kernels an op's function calls, and with what: a captured plan asks once (weft/jit/kernels.py). While somebody
// watches, every kernel's entry in the module's table is a `seen`, which tells him; else nothing is in the way.
static std::vector<PyMethodDef> methods;
static std::vector<PyCFunction> kernels;
static PyObject* watcher = nullptr;
static unsigned long watching = 0;      // the thread that watches: the others' calls pass

using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
static Fast fast_of(PyCFunction f) { return reinterpret_cast<Fast>(reinterpret_cast<void (*)()>(f)); }

static PyObject* tell(const char* name, PyObject* module, PyObject* const* args, Py_ssize_t n, PyObject* made) {
    PyObject* given = PyTuple_New(n);
    PyObject* function = PyObject_GetAttrString(module, name);
    PyObject* told = nullptr;
    if (given && function) {
        for (Py_ssize_t i = 0; i < n; i++) { Py_INCREF(args[i]); PyTuple_SET_ITEM(given, i, args[i]); }
        PyObject* hold = watcher;
        Py_INCREF(hold);
        told = PyObject_CallFunctionObjArgs(hold, function, given, made, nullptr);
        Py_DECREF(hold);
    }
    Py_XDECREF(given);
    Py_XDECREF(function);
    if (!told) { Py_DECREF(made); return nullptr; }
    Py_DECREF(told);
    return made;
}

template <size_t I> static PyObject* seen(PyObject* module, PyObject* const* args, Py_ssize_t n) {
    PyObject* made = fast_of(kernels[I])(module, args, n);
    if (!made || !watcher || PyThread_get_thread_ident() != watching) return made;
    return tell(methods[I].ml_name, module, args, n, made);
}
constexpr size_t MOST_KERNELS = 256;
template <size_t... I> static const Fast* doors(std::index_sequence<I...>) {
    static const Fast table[] = {seen<I>...};
    return table;
}

// watch(f): f(kernel, args, result) for what this thread calls; None: nobody watches
static PyObject* watch(PyObject*, PyObject* who) {
    Py_XDECREF(watcher);
    watcher = who == Py_None ? nullptr : who;
    Py_XINCREF(watcher);
    watching = PyThread_get_thread_ident();
    const Fast* door = doors(std::make_index_sequence<MOST_KERNELS>());
    for (size_t i = 0; i < kernels.size(); i++) {
        const auto seen_by = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(door[i]));
        methods[i].ml_meth = watcher ? seen_by : kernels[i];
    }
    Py_RETURN_NONE;
}

}  // namespace weft

#define WEFT_JOIN(a, b) a##b
#define WEFT_INIT(name) WEFT_JOIN(PyInit_, name)

PyMODINIT_FUNC WEFT_INIT(WEFT_MODULE)() {
    import_array();
    auto& methods = weft::methods;
    for (weft::Kernel* k = weft::Kernel::first; k; k = k->next) {
        methods.push_back(k->def);
        weft::kernels.push_back(k->def.ml_meth);
    }
    if (weft::kernels.size() > weft::MOST_KERNELS) {
        PyErr_SetString(PyExc_ImportError, "more kernels than MOST_KERNELS in module.cpp");
        return nullptr;
    }
    methods.push_back({"start", weft::start, METH_VARARGS, nullptr});
    methods.push_back({"watch", weft::watch, METH_O, nullptr});
    methods.push_back({nullptr, nullptr, 0, nullptr});
    static PyModuleDef def = {PyModuleDef_HEAD_INIT,
                              "kernels",
                              "The C++ kernels for one instruction set.",
                              -1,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr,
                              nullptr};
    def.m_methods = methods.data();
    PyObject* module = PyModule_Create(&def);
    for (weft::Export* e = weft::Export::first; module && e; e = e->next)
        if (PyModule_AddObject(module, e->name, PyCapsule_New(const_cast<void*>(e->table), e->name, nullptr)) < 0)
            return nullptr;
    return module;
}
