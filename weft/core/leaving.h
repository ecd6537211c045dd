// Included before everything else in what Cython writes (tools/builder.py): an error that leaves a compiled function
// goes through `leave` of core/runtime.pyx, which decides whether the function stands in the traceback.
#ifndef WEFT_LEAVING_H
#define WEFT_LEAVING_H
#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>
#include <frameobject.h>
#include <traceback.h>

typedef void (*weft_leaver)(PyFrameObject*);

static inline void weft_add_frame(PyFrameObject* frame) { PyTraceBack_Here(frame); }

// NULL until core.runtime is imported
static inline weft_leaver weft_find_leaver(void) {
    static weft_leaver found = NULL;
    PyObject *kind, *value, *trace, *name, *module, *capsule = NULL;
    if (found) return found;
    PyErr_Fetch(&kind, &value, &trace);
    name = PyUnicode_FromString("weft.core.runtime");
    module = name ? PyImport_GetModule(name) : NULL;
    if (module) capsule = PyObject_GetAttrString(module, "LEAVE");
    if (capsule) found = (weft_leaver)PyCapsule_GetPointer(capsule, "weft.core.runtime.LEAVE");
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    Py_XDECREF(name);
    PyErr_Restore(kind, value, trace);      // clears what went wrong above
    return found;
}

static inline int weft_traceback_here(PyFrameObject* frame) {
    weft_leaver leave = weft_find_leaver();
    if (leave) leave(frame);
    else weft_add_frame(frame);
    return 0;
}
#define PyTraceBack_Here weft_traceback_here

// What Cython calls where an error is caught (tools/builder.py puts it there): `with` gives type, error and traceback
// to __exit__, which takes None for an error without one, but no NULL.
#define weft_catch(kind, value, trace) \
    (__Pyx_GetException(kind, value, trace) < 0 ? -1 : (*(trace) ? 0 : (*(trace) = Py_None, Py_INCREF(Py_None), 0)))
#endif
