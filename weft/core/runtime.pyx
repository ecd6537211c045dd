# cython: language_level=3
"""What the compiled core takes from C: the user's frame, thread-local mode bits, methods on a built type.

`runtime.py` beside this file is its twin in plain Python, used with WEFT_PURE=1 or without a compiler.
"""
from cpython.object cimport PyTypeObject
from cpython.pycapsule cimport PyCapsule_New
from cpython.ref cimport PyObject, Py_XDECREF, Py_INCREF, Py_XINCREF
from cpython.weakref cimport PyWeakref_NewRef

cdef extern from *:
    """
    #include "frameobject.h"
    static thread_local int weft_bits = 0;
    static thread_local PyObject* weft_module = NULL;
    static thread_local PyObject* weft_matcher = NULL;
    static thread_local PyObject* weft_kept = NULL;

    /* An attribute of a module: Python's own lookup, then the dicts of parameters, buffers and modules, then
       `__getattr__`. Up to 3.11 Python writes the text of an AttributeError before it asks `__getattr__`. */
    #if PY_VERSION_HEX < 0x030C0000
    static PyObject* weft_members[3];
    static PyObject* weft_in_members(PyObject* own, PyObject* name, Py_hash_t hash) {      // a new reference
        for (int i = 0; i < 3; i++) {
            PyObject* members = PyDict_GetItemWithError(own, weft_members[i]);
            if (members == NULL && PyErr_Occurred()) return NULL;
            if (members == NULL || !PyDict_Check(members) || PyDict_GET_SIZE(members) == 0) continue;
            PyObject* found = _PyDict_GetItem_KnownHash(members, name, hash);
            if (found != NULL || PyErr_Occurred()) return Py_XNewRef(found);
        }
        return NULL;
    }
    static PyObject* weft_attribute(PyObject* self, PyObject* name) {
        PyObject** at = _PyObject_GetDictPtr(self);
        PyObject *own = at ? *at : NULL, *found = NULL;
        Py_XINCREF(own);
        Py_hash_t hash = PyObject_Hash(name);
        if (own != NULL && hash != -1 && _PyType_Lookup(Py_TYPE(self), name) == NULL)
            found = Py_XNewRef(_PyDict_GetItem_KnownHash(own, name, hash));     // most often it is no name of the class
        else if (hash != -1)
            found = _PyObject_GenericGetAttrWithDict(self, name, NULL, 1);
        if (found == NULL && own != NULL && !PyErr_Occurred()) found = weft_in_members(own, name, hash);
        Py_XDECREF(own);
        if (found != NULL || PyErr_Occurred()) return found;
        return PyObject_CallMethod(self, "__getattr__", "O", name);
    }
    static void weft_find_members(PyObject* type, PyObject* names) {
        for (int i = 0; i < 3 && weft_members[i] == NULL; i++) {
            weft_members[i] = PyTuple_GET_ITEM(names, i);
            Py_INCREF(weft_members[i]);
        }
        ((PyTypeObject*)type)->tp_getattro = weft_attribute;
        PyType_Modified((PyTypeObject*)type);
    }
    #else
    static void weft_find_members(PyObject*, PyObject*) {}
    #endif
    #if PY_VERSION_HEX < 0x030B0000
    #define WEFT_LASTI(f) ((f)->f_lasti * (int)sizeof(_Py_CODEUNIT))
    #else
    #define WEFT_LASTI(f) PyFrame_GetLasti(f)
    #endif
    #if PY_VERSION_HEX < 0x030B0000
    #define WEFT_GLOBALS(f) Py_NewRef((f)->f_globals)
    #else
    #define WEFT_GLOBALS(f) PyFrame_GetGlobals(f)
    #endif
    #define WEFT_CODE(f) ((PyObject*)PyFrame_GetCode(f))
    /* What runs, without the frame objects that Python makes for whoever asks by its public functions. */
    #if PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030C0000
    #ifndef Py_BUILD_CORE
    #define Py_BUILD_CORE 1
    #endif
    #include "internal/pycore_frame.h"
    #define WEFT_BARE_FRAMES 1
    static inline _PyInterpreterFrame* weft_whole(_PyInterpreterFrame* f) {
        while (f && _PyFrame_IsIncomplete(f)) f = f->previous;
        return f;
    }
    static inline void* weft_top() { return weft_whole(PyThreadState_Get()->cframe->current_frame); }
    static inline void* weft_back(void* f) { return weft_whole(((_PyInterpreterFrame*)f)->previous); }
    static inline PyObject* weft_code(void* f) { return (PyObject*)((_PyInterpreterFrame*)f)->f_code; }
    static inline int weft_lasti(void* f) {
        int at = _PyInterpreterFrame_LASTI((_PyInterpreterFrame*)f);
        return at < 0 ? -1 : at * (int)sizeof(_Py_CODEUNIT);
    }
    #else
    #define WEFT_BARE_FRAMES 0
    static inline void* weft_top() { return NULL; }
    static inline void* weft_back(void*) { return NULL; }
    static inline PyObject* weft_code(void*) { return NULL; }
    static inline int weft_lasti(void*) { return -1; }
    #endif
    #if PY_VERSION_HEX < 0x030A0000
    #error "weft needs Python 3.10 or newer"
    #endif
    // one type only: its own traverse, clear and dealloc are kept here and called after the dict was seen to
    static Py_ssize_t weft_slot;
    static traverseproc weft_old_traverse;
    static inquiry weft_old_clear;
    static destructor weft_old_dealloc;
    static inline PyObject** weft_dict(PyObject* o) { return (PyObject**)((char*)o + weft_slot); }
    static int weft_traverse(PyObject* o, visitproc visit, void* arg) {
        Py_VISIT(*weft_dict(o));
        return weft_old_traverse(o, visit, arg);
    }
    static int weft_clear(PyObject* o) {
        Py_CLEAR(*weft_dict(o));
        return weft_old_clear(o);
    }
    static void weft_dealloc(PyObject* o) {
        if (*weft_dict(o)) {
            PyObject_GC_UnTrack(o);
            Py_CLEAR(*weft_dict(o));
            PyObject_GC_Track(o);
        }
        weft_old_dealloc(o);
    }
    static void weft_give_dict(PyTypeObject* type, Py_ssize_t slot) {
        weft_slot = slot;
        type->tp_dictoffset = slot;
        weft_old_traverse = type->tp_traverse; type->tp_traverse = weft_traverse;
        weft_old_clear = type->tp_clear; type->tp_clear = weft_clear;
        weft_old_dealloc = type->tp_dealloc; type->tp_dealloc = weft_dealloc;
        PyType_Modified(type);
    }
    static void weft_become(PyObject* o, PyObject* type) {     // an instance of a heap type holds its type
        Py_INCREF(type);
        Py_SET_TYPE(o, (PyTypeObject*)type);
    }
    static inline void weft_set_tp_dict(PyObject* type, PyObject* name, PyObject* value) {
        PyTypeObject* t = (PyTypeObject*)type;
        PyDict_SetItem(t->tp_dict, name, value);
        PyType_Modified(t);
    }
    static inline void weft_open(PyObject* type) {
        ((PyTypeObject*)type)->tp_flags &= ~Py_TPFLAGS_IMMUTABLETYPE;
    }
    static int weft_name(PyObject* type, const char* name) {
        char* kept = (char*)PyMem_RawMalloc(strlen(name) + 1);      // for as long as the type, which is for ever
        if (!kept) return -1;
        strcpy(kept, name);
        ((PyTypeObject*)type)->tp_name = kept;
        return 0;
    }
    """
    int weft_bits
    void weft_find_members(object type, object names)
    void weft_add_frame(PyFrameObject*)
    ctypedef struct PyTracebackObject:
        PyTracebackObject* tb_next
        PyFrameObject* tb_frame
    ctypedef struct PyBaseExceptionObject:
        PyObject* context
        PyObject* traceback
    void PyErr_Fetch(PyObject**, PyObject**, PyObject**)
    void PyErr_Restore(PyObject*, PyObject*, PyObject*)
    void PyErr_Clear()
    bint PyExceptionInstance_Check(PyObject*)
    bint PyTraceBack_Check(PyObject*)
    PyObject* WEFT_GLOBALS(PyFrameObject*)
    void weft_give_dict(PyTypeObject* type, Py_ssize_t slot)
    object PyObject_GenericGetDict(object, void*)
    int PyObject_GenericSetDict(object, object, void*) except -1
    PyObject* weft_module
    PyObject* weft_matcher
    PyObject* weft_kept
    PyObject* PyThreadState_GetDict()
    ctypedef struct PyFrameObject:
        pass
    PyFrameObject* PyEval_GetFrame()
    PyFrameObject* PyFrame_GetBack(PyFrameObject*)
    PyObject* WEFT_CODE(PyFrameObject*)
    int WEFT_LASTI(PyFrameObject*)
    bint WEFT_BARE_FRAMES
    void* weft_top()
    void* weft_back(void*)
    PyObject* weft_code(void*)      # borrowed
    int weft_lasti(void*)
    void weft_set_tp_dict(object, object, object)
    void weft_open(object)
    int weft_name(object, const char*)
    void weft_become(object, object)
    ctypedef struct PyCodeObject:
        PyObject* co_filename

COMPILED = True
cdef str HOME = __file__.rsplit("core", 1)[0]
# file name's id -> (whether it is weft's own, the string itself, so that the id stays its own)
cdef dict _own_files = {}
cdef PyObject* _seen_files[64]      # names in that dict, by their address, and whether they are weft's own
cdef bint _seen_own[64]
cdef int _last_offset = 0


cdef bint _is_own(PyObject* code) except -1:
    cdef PyObject* filename = (<PyCodeObject*>code).co_filename
    cdef size_t place = <size_t>filename >> 4 & 63
    if _seen_files[place] != filename:
        _seen_own[place] = _look_up_own(filename)
        _seen_files[place] = filename
    return _seen_own[place]


cdef bint _look_up_own(PyObject* filename) except -1:
    cdef int place
    known = _own_files.get(<Py_ssize_t>filename)
    if known is not None:
        return known[0]
    cdef str path = <str>filename
    own = path.startswith(HOME)
    if len(_own_files) > 20000:
        for place in range(64):
            _seen_files[place] = NULL
        _own_files.clear()
    _own_files[<Py_ssize_t>filename] = (own, path)
    return own


cpdef object user_code():
    """The code object of the user's running function (None without one); `user_offset()` then says where in it."""
    global _last_offset
    cdef void* bare
    if WEFT_BARE_FRAMES:
        bare = weft_top()
        while bare != NULL and _is_own(weft_code(bare)):
            bare = weft_back(bare)
        if bare == NULL:
            return None
        _last_offset = weft_lasti(bare)
        return <object>weft_code(bare)
    cdef PyFrameObject* frame = PyEval_GetFrame()       # borrowed
    cdef PyFrameObject* back
    cdef PyObject* code
    cdef object found
    if frame == NULL:
        return None
    code = WEFT_CODE(frame)                             # a new reference
    if not _is_own(code):
        _last_offset = WEFT_LASTI(frame)
        found = <object>code
        Py_XDECREF(code)
        return found
    Py_XINCREF(<PyObject*>frame)
    while _is_own(code):
        Py_XDECREF(code)
        back = PyFrame_GetBack(frame)                   # a new reference
        Py_XDECREF(<PyObject*>frame)
        if back == NULL:
            return None
        frame = back
        code = WEFT_CODE(frame)
    _last_offset = WEFT_LASTI(frame)
    found = <object>code
    Py_XDECREF(code)
    Py_XDECREF(<PyObject*>frame)
    return found


cpdef int user_offset() noexcept:
    """The offset that the last `user_code()` found; read it at once."""
    return _last_offset


# errors on their way out

cdef bint _full = False             # whether tracebacks show weft's own frames


cdef bint _is_own_frame(PyFrameObject* frame) except -1:
    cdef PyObject* code = WEFT_CODE(frame)
    cdef bint own = _is_own(code)
    Py_XDECREF(code)
    return own


cdef PyTracebackObject* _short(PyTracebackObject* trace) except? NULL:
    """A traceback without weft's own frames; it takes over the reference that it is given, and gives one back."""
    cdef PyTracebackObject* after
    while trace != NULL and _is_own_frame(trace.tb_frame):
        after = trace.tb_next
        Py_XINCREF(<PyObject*>after)
        Py_XDECREF(<PyObject*>trace)
        trace = after
    cdef PyTracebackObject* at = trace
    while at != NULL:
        after = at.tb_next
        if after != NULL and _is_own_frame(after.tb_frame):
            at.tb_next = after.tb_next
            Py_XINCREF(<PyObject*>at.tb_next)
            Py_XDECREF(<PyObject*>after)
        else:
            at = after
    return trace


cdef bint _has_users_frame(PyTracebackObject* trace) except -1:
    while trace != NULL and PyTraceBack_Check(<PyObject*>trace):        # an error that was never raised has None
        if not _is_own_frame(trace.tb_frame):
            return True
        trace = trace.tb_next
    return False


cdef int _forget_inner(PyBaseExceptionObject* error) except -1:
    """What went wrong inside weft, and was caught there to be explained, isn't shown before the explanation; what the
    user's program was handling is.
    """
    cdef PyObject* before = error.context
    cdef PyBaseExceptionObject* inner = <PyBaseExceptionObject*>before
    while inner != NULL and not _has_users_frame(<PyTracebackObject*>inner.traceback):
        inner = <PyBaseExceptionObject*>inner.context
    if <PyObject*>inner != before:
        Py_XINCREF(<PyObject*>inner)
        error.context = <PyObject*>inner
        Py_XDECREF(before)
    return 0


cdef int _hide_callers() except -1:
    """Plain functions of weft that are still running will stand in the traceback: pytest leaves out what says so."""
    cdef PyFrameObject* frame = PyEval_GetFrame()
    cdef PyFrameObject* back
    cdef PyObject* names
    Py_XINCREF(<PyObject*>frame)
    while frame != NULL and _is_own_frame(frame):
        names = WEFT_GLOBALS(frame)
        (<dict><object>names)["__tracebackhide__"] = True
        Py_XDECREF(names)
        back = PyFrame_GetBack(frame)
        Py_XDECREF(<PyObject*>frame)
        frame = back
    Py_XDECREF(<PyObject*>frame)
    return 0


cdef void leave(PyFrameObject* frame) noexcept:
    """An error leaves a compiled function: its frame has no source to show, so it is left out, and so are those of
    weft's plain functions that it came through.
    """
    cdef PyObject* kind
    cdef PyObject* value
    cdef PyObject* trace
    if _full:
        weft_add_frame(frame)
        return
    PyErr_Fetch(&kind, &value, &trace)
    if trace == <PyObject*>None:        # of `weft_catch`
        Py_XDECREF(trace)
        trace = NULL
    try:
        trace = <PyObject*>_short(<PyTracebackObject*>trace)
        if value != NULL and PyExceptionInstance_Check(value):
            _forget_inner(<PyBaseExceptionObject*>value)
        _hide_callers()
    except BaseException:       # no memory: the error matters more than its traceback
        PyErr_Clear()
    PyErr_Restore(kind, value, trace)


LEAVE = PyCapsule_New(<void*>leave, "weft.core.runtime.LEAVE", NULL)


def short_trace(trace):
    """A traceback without weft's own frames."""
    if trace is None:
        return None
    Py_INCREF(trace)
    cdef PyObject* found = <PyObject*>_short(<PyTracebackObject*><PyObject*>trace)
    if found == NULL:
        return None
    made = <object>found
    Py_XDECREF(found)
    return made


def shows_own_frames():
    """Whether tracebacks show weft's own frames."""
    return _full


def show_own_frames(on):
    """Choose whether tracebacks show weft's own frames."""
    global _full
    _full = on


cpdef int mode_bits() noexcept:
    """This thread's mode bits."""
    return weft_bits


cpdef int set_mode_bits(int bits) noexcept:
    """Set this thread's mode bits; the old ones come back."""
    global weft_bits
    cdef int old = weft_bits
    weft_bits = bits
    return old


cpdef object weakly(object value):
    """The weak reference to an object: calling it gives the object, or None once it is gone."""
    return PyWeakref_NewRef(value, None)


cpdef object running():
    """The path of the nn module that is running in this thread, or None."""
    return None if weft_module == NULL else <object>weft_module


cpdef object set_running(object path):
    global weft_module
    cdef object old = None if weft_module == NULL else <object>weft_module
    Py_XDECREF(weft_module)
    if path is None:
        weft_module = NULL
    else:
        Py_INCREF(path)
        weft_module = <PyObject*>path
    return old


cpdef object matcher():
    """Who follows a recorded path in this thread (core/matching.py), or None."""
    return None if weft_matcher == NULL else <object>weft_matcher


cpdef object set_matcher(object matcher):
    """Set it; the caller keeps it alive. The old one comes back."""
    global weft_matcher
    cdef object old = None if weft_matcher == NULL else <object>weft_matcher
    weft_matcher = <PyObject*>NULL if matcher is None else <PyObject*>matcher
    return old


cdef class _Keeper:
    """What a thread keeps, held by Python's own record of the thread."""
    cdef object value

    def __dealloc__(self):
        global weft_kept
        weft_kept = NULL


cpdef object kept():
    """What `keep` was given in this thread, or None."""
    return None if weft_kept == NULL else <object>weft_kept


cpdef object keep(object value):
    """Keep an object for as long as this thread runs."""
    global weft_kept
    cdef PyObject* own = PyThreadState_GetDict()        # borrowed; NULL while the thread ends
    cdef _Keeper keeper = _Keeper()
    keeper.value = value
    if own != NULL:
        (<dict><object>own)["weft"] = keeper
        weft_kept = <PyObject*>value


cpdef Py_hash_t pointer_hash(object x) noexcept:
    """The hash of an object's identity."""
    return <Py_hash_t>(<void*>x) >> 4


def give_dict(cls, Py_ssize_t slot):
    """Let a built type's instances have a dict, in the pointer at `slot`, made when first needed (Cython's own is made
    at once).
    """
    weft_give_dict(<PyTypeObject*>cls, slot)


def dict_of(x):
    """An instance's dict, made when missing."""
    return PyObject_GenericGetDict(x, NULL)


def set_dict_of(x, value):
    """Put another dict in its place; a TypeError for anything else."""
    PyObject_GenericSetDict(x, value, NULL)


def become(x, cls):
    """Make an object one of a subclass that adds nothing to it; Python itself only allows that between its own classes.
    """
    weft_become(x, cls)


def attach(cls, str name, value):
    """Give a built type an attribute, which Python itself only allows on its own classes."""
    if cls.__flags__ & (1 << 9):      # a heap type: the ordinary way
        setattr(cls, name, value)
    else:
        weft_set_tp_dict(cls, name, value)


def open_type(cls):
    """Let users put attributes on a built type, as on any class of Python's."""
    weft_open(cls)


def name_type(cls, str module):
    """Say in which module a class is found: a built type keeps that in its C name."""
    if cls.__flags__ & (1 << 9):
        cls.__module__ = module
    elif weft_name(cls, f"{module}.{cls.__name__}".encode()) < 0:
        raise MemoryError


def pure_fields(cls, **defaults):
    """In plain Python, the fields that the .pxd declares get their defaults here."""


def quick_members(cls, tuple names):
    """Attributes of a class's instances that are no ordinary ones are looked for in these dicts of theirs first; the
    class's `__getattr__` must do the same. It saves what Python spends on an AttributeError that nobody sees.
    """
    weft_find_members(cls, names)
