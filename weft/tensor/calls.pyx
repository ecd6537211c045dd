# cython: language_level=3
"""Calls on the hot road, without tuples and dicts: a kernel on its tensors' arrays, and the public function of an op.

`calls.py` beside this file is its twin in plain Python.
"""
from functools import update_wrapper
from sys import intern

from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF
from weft.core.matching cimport learn_call, match_call
from weft.core.matching import NOTHING as _nothing
from weft.core.modes import AUTOCAST as _autocast, FUNCTION as _function, MATCH as _match, NUMERICS as _numerics
from weft.core.operation cimport Operation
from weft.core.runtime cimport mode_bits
from weft.tensor.override cimport overridden
from weft.tensor.tensor cimport Tensor, is_plain
from weft.tensor.tensor import OPS

cdef extern from *:
    """
    #define WEFT_TUPLE_SET(tuple, i, v) do { Py_INCREF(v); PyTuple_SET_ITEM(tuple, i, v); } while (0)
    #define WEFT_LIST_SET(list, i, v) do { Py_INCREF(v); PyList_SET_ITEM(list, i, v); } while (0)
    static inline void weft_make_vectorcall(PyTypeObject* type, Py_ssize_t offset) {
        type->tp_vectorcall_offset = offset;
        type->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
        type->tp_call = PyVectorcall_Call;
        PyType_Modified(type);
    }
    """
    ctypedef PyObject* (*vectorcallfunc)(PyObject*, PyObject* const*, size_t, PyObject*) except NULL
    size_t PY_VECTORCALL_ARGUMENTS_OFFSET
    Py_ssize_t PyVectorcall_NARGS(size_t)
    object PyObject_Vectorcall(object callable, PyObject** args, size_t nargsf, PyObject* kwnames)
    PyObject* PyList_GET_ITEM(object, Py_ssize_t)
    PyObject* PyTuple_GET_ITEM(PyObject*, Py_ssize_t)
    Py_ssize_t PyTuple_GET_SIZE(PyObject*)
    void WEFT_LIST_SET(list, Py_ssize_t, PyObject*)
    void WEFT_TUPLE_SET(object, Py_ssize_t, PyObject*)
    object PyTuple_New(Py_ssize_t)
    void weft_make_vectorcall(PyTypeObject*, Py_ssize_t)
    list PyList_New(Py_ssize_t)
    object PyMethod_New(object, object)
    size_t offsetof_vectorcall "offsetof(struct __pyx_obj_4weft_6tensor_5calls_OpFunction, vectorcall)"
    size_t offsetof_seen "offsetof(struct __pyx_obj_4weft_6tensor_5calls_Seen, vectorcall)"


cdef object unwrapped(object value):
    """A tensor's array; for a list with tensors, the list of their arrays."""
    if isinstance(value, Tensor):
        return (<Tensor>value)._array
    if isinstance(value, (list, tuple)):
        for e in value:
            if isinstance(e, Tensor):
                return arrays_of(value)
    return value


cdef list arrays_of(object values):
    """A list with tensors replaced by their arrays."""
    cdef list made = []
    for e in values:
        if isinstance(e, Tensor):
            e = (<Tensor>e)._form if (<Tensor>e)._owed is None else (<Tensor>e)._array
        made.append(e)
    return made


cpdef object call_arrays(object function, list values, Py_ssize_t n_positional, tuple names):
    """`function` on the values, tensors replaced by their arrays; the last ones go by the keywords `names`."""
    cdef PyObject* stack[24]
    cdef PyObject* v
    cdef Py_ssize_t i, n = len(values)
    cdef list held = None       # lists of arrays live until the call is over
    cdef object first = None    # the only one, most often
    if n > 23:
        arrays = [unwrapped(e) for e in values]
        return function(*arrays[:n_positional], **dict(zip(names, arrays[n_positional:])))
    for i in range(n):
        v = PyList_GET_ITEM(values, i)
        if isinstance(<object>v, Tensor):
            array = (<Tensor>v)._form if (<Tensor>v)._owed is None else (<Tensor>v)._array
            stack[i + 1] = <PyObject*>array     # which the tensor holds
        elif isinstance(<object>v, (list, tuple)):
            item = unwrapped(<object>v)
            if first is None:
                first = item
            else:
                held = [item] if held is None else held + [item]
            stack[i + 1] = <PyObject*>item
        else:
            stack[i + 1] = v
    return PyObject_Vectorcall(function, stack + 1, <size_t>n_positional | PY_VECTORCALL_ARGUMENTS_OFFSET,
                               <PyObject*>names if n > n_positional else NULL)


cdef class OpFunction:
    """The public function of an op, which is also its method: called without making a tuple or a dict of the
    arguments.
    """
    cdef vectorcallfunc vectorcall
    cdef public Operation op
    cdef dict __dict__
    cdef int n_params, n_positional
    cdef tuple defaults, names
    cdef bint direct, unary, binary, numbers
    cdef int pack
    cdef object missing, compose
    cdef public object in_place     # of an in-place form: what it runs, or True for the op itself

    def __get__(self, instance, owner):
        return self if instance is None else PyMethod_New(self, instance)

    @property
    def __signature__(self):
        return OPS.signature_of(self)

    @property
    def __doc__(self):
        return OPS.docstring_of(self)

    def __repr__(self):
        return f"<function {self.__name__}>"

    def __reduce__(self):
        return self.__name__


# check_numerics names compositions, and autocast casts for them: they take the general road then
cdef int GENERAL = _numerics | _autocast
cdef int FUNCTION = _function
cdef int MATCH = _match
cdef object NOTHING = _nothing


cdef object ask_mode(PyObject* me, PyObject* const* args, Py_ssize_t n, PyObject* names):
    """What a TorchFunctionMode gives for a call."""
    cdef Py_ssize_t i
    return OPS.ask_mode(<object>me, tuple([<object>args[i] for i in range(n)]), by_name(args, n, names))


cdef PyObject* _vectorcall(PyObject* me, PyObject* const* args, size_t nargsf, PyObject* names) except NULL:
    cdef object result
    if mode_bits() & FUNCTION:
        result = ask_mode(me, args, PyVectorcall_NARGS(nargsf), names)
    else:
        result = _dispatch(<OpFunction>me, args, PyVectorcall_NARGS(nargsf), names)
    Py_INCREF(result)
    return <PyObject*>result


cdef inline bint is_simple(object value) noexcept:
    """A tensor that is taken as it is, or a plain Python value."""
    return (type(value) is Tensor or type(value) is int or type(value) is float or value is None
            or type(value) is bool or type(value) is str or is_plain(value))


cdef bint all_plain(PyObject* const* args, Py_ssize_t n) noexcept:
    """Only such values, and lists and tuples of them: no __torch_function__ to ask."""
    cdef Py_ssize_t i
    for i in range(n):
        value = <object>args[i]
        if is_simple(value):
            continue
        if type(value) is list:
            for e in <list>value:
                if not is_simple(e):
                    return False
        elif type(value) is tuple:
            for e in <tuple>value:
                if not is_simple(e):
                    return False
        else:
            return False
    return True


cdef Py_ssize_t slot_of(OpFunction f, PyObject* name, Py_ssize_t first) noexcept:
    """The parameter from `first` on that has this very name; -1 for another one, an alias among them."""
    cdef Py_ssize_t at
    for at in range(first, f.n_params):
        if PyTuple_GET_ITEM(<PyObject*>f.names, at) == name:
            return at
    return -1


cdef list bound(OpFunction f, PyObject* const* args, Py_ssize_t n, PyObject* names):
    """The values of a call with keywords, in the order of the parameters; None for what `bind` must look at."""
    cdef list values
    cdef Py_ssize_t i, at
    if n > f.n_positional:
        return None
    values = PyList_New(f.n_params)
    for i in range(n):
        WEFT_LIST_SET(values, i, args[i])
    for i in range(n, f.n_params):
        WEFT_LIST_SET(values, i, PyTuple_GET_ITEM(<PyObject*>f.defaults, i))
    for i in range(PyTuple_GET_SIZE(names)):
        at = slot_of(f, PyTuple_GET_ITEM(names, i), n)
        if at < 0:
            return None
        values[at] = <object>args[n + i]
    for i in range(n, f.n_params):
        if PyList_GET_ITEM(values, i) == <PyObject*>f.missing:
            return None
    return values


cdef bint knows(OpFunction f, PyObject* names) noexcept:
    """Whether all keywords are the op's own names."""
    cdef Py_ssize_t i
    for i in range(PyTuple_GET_SIZE(names)):
        if slot_of(f, PyTuple_GET_ITEM(names, i), 0) < 0:
            return False
    return True


cdef dict by_name(PyObject* const* args, Py_ssize_t n, PyObject* names):
    """The keyword arguments of a call as a dict."""
    cdef Py_ssize_t i
    cdef dict keywords = {}
    if names != NULL:
        for i in range(PyTuple_GET_SIZE(names)):
            keywords[<object>PyTuple_GET_ITEM(names, i)] = <object>args[n + i]
    return keywords


cdef object _composed(OpFunction f, PyObject* const* args, Py_ssize_t n):
    """A composition, where it may be known what becomes of such a call."""
    y = <object>args[1] if n > 1 else NOTHING
    z = <object>args[2] if n > 2 else NOTHING
    made = match_call(f.op, <object>args[0], y, z, mode_bits())
    if made is None:
        made = PyObject_Vectorcall(f.compose, <PyObject**>args, <size_t>n, NULL)
        learn_call(f.op, <object>args[0], y, z, made)
    return made


cdef object _dispatch(OpFunction f, PyObject* const* args, Py_ssize_t n, PyObject* names):
    cdef list values
    cdef Py_ssize_t i
    cdef bint plain
    if f.numbers and n == 2 and names == NULL and type(<object>args[0]) is Tensor and (
            type(<object>args[1]) is int or type(<object>args[1]) is float):
        return f.op.call2(<object>args[0], <object>args[1])
    plain = all_plain(args, n if names == NULL else n + PyTuple_GET_SIZE(names))
    if f.compose is not None and plain and mode_bits() & GENERAL == 0 and (names == NULL or knows(f, names)):
        try:
            if mode_bits() & MATCH and names == NULL and 0 < n <= 3:
                return _composed(f, args, n)
            return PyObject_Vectorcall(f.compose, <PyObject**>args, <size_t>n, names)
        except Exception as error:
            f.op.explain(tuple([<object>args[i] for i in range(n)]), by_name(args, n, names), error)
            raise
    if names != NULL:
        if f.direct:
            values = bound(f, args, n, names)
            if values is not None and (plain or not overridden(values, None)):
                return f.op.compute(values)
    else:
        if n == 1 and f.unary:
            return f.op.call1(<object>args[0])
        if n == 2 and f.binary:
            result = f.op.call2(<object>args[0], <object>args[1])
            if result is NotImplemented:
                f.op.refuse(<object>args[0], <object>args[1])
            return result
        if f.pack > 0 and n > f.pack:
            # x.view(2, 3): the last arguments are one tuple
            first = <object>args[f.pack]
            values = PyList_New(f.n_params)
            for i in range(f.pack):
                WEFT_LIST_SET(values, i, args[i])
            if type(first) is int:
                sizes = PyTuple_New(n - f.pack)
                for i in range(f.pack, n):
                    WEFT_TUPLE_SET(sizes, i - f.pack, args[i])
                n = f.pack + 1
            elif n == f.pack + 1 and isinstance(first, (tuple, list)):
                sizes = first
            else:
                sizes = None
            if sizes is not None:
                WEFT_LIST_SET(values, f.pack, <PyObject*>sizes)
                for i in range(n, f.n_params):
                    WEFT_LIST_SET(values, i, PyTuple_GET_ITEM(<PyObject*>f.defaults, i))
                return f.op.compute(values) if plain else f.op.call_values(values)
            for i in range(f.pack, f.n_params):
                WEFT_LIST_SET(values, i, <PyObject*>None)
        elif f.direct and 0 < n <= f.n_positional:
            values = PyList_New(f.n_params)
            for i in range(n):
                WEFT_LIST_SET(values, i, args[i])
            for i in range(n, f.n_params):
                WEFT_LIST_SET(values, i, PyTuple_GET_ITEM(<PyObject*>f.defaults, i))
            if n == f.n_params or PyTuple_GET_ITEM(<PyObject*>f.defaults, n) != <PyObject*>f.missing:
                return f.op.compute(values) if plain else f.op.call_values(values)
    return f.op.call(tuple([<object>args[i] for i in range(n)]), by_name(args, n, names))


cdef PyObject* _vectorcall_in_place(PyObject* me, PyObject* const* args, size_t nargsf, PyObject* names) except NULL:
    cdef OpFunction f = <OpFunction>me
    cdef Py_ssize_t i, n = PyVectorcall_NARGS(nargsf)
    cdef dict keywords
    if mode_bits() & FUNCTION:
        result = ask_mode(me, args, n, names)
    elif f.in_place is not True:
        result = PyObject_Vectorcall(f.in_place, <PyObject**>args, <size_t>n, names)
    elif n == 0:
        raise TypeError(f"{f.__name__}() missing 1 required positional argument: 'self'")
    else:
        keywords = by_name(args, n, names)
        given = PyTuple_New(n - 1)
        for i in range(1, n):
            WEFT_TUPLE_SET(given, i - 1, args[i])
        result = OPS.run_inplace(f.op, <object>args[0], given, keywords)
    Py_INCREF(result)
    return <PyObject*>result


cdef class Seen:
    """A public function that is no op, which TorchFunctionModes are asked about."""
    cdef vectorcallfunc vectorcall
    cdef object function
    cdef dict __dict__

    def __get__(self, instance, owner):
        return self if instance is None else PyMethod_New(self, instance)

    def __repr__(self):
        return f"<function {self.__name__}>"

    def __reduce__(self):
        return self.__qualname__


cdef PyObject* _vectorcall_seen(PyObject* me, PyObject* const* args, size_t nargsf, PyObject* names) except NULL:
    cdef object result
    if mode_bits() & FUNCTION:
        result = ask_mode(me, args, PyVectorcall_NARGS(nargsf), names)
    else:
        result = PyObject_Vectorcall((<Seen>me).function, <PyObject**>args, <size_t>PyVectorcall_NARGS(nargsf), names)
    Py_INCREF(result)
    return <PyObject*>result


weft_make_vectorcall(<PyTypeObject*>OpFunction, offsetof_vectorcall)
weft_make_vectorcall(<PyTypeObject*>Seen, offsetof_seen)


def seen(function):
    """A function that asks the innermost TorchFunctionMode first, if there is one."""
    cdef Seen s = Seen.__new__(Seen)
    s.vectorcall = _vectorcall_seen
    s.function = function
    return update_wrapper(s, function)


def make_function(op, missing):
    """The public function of an op. `direct`: its positional arguments are its values as they stand."""
    cdef OpFunction f = OpFunction.__new__(OpFunction)
    f.vectorcall = _vectorcall
    f.op = op
    f.missing = missing
    f.compose = None if op.numbers_first else op.compose
    f.n_params, f.n_positional, f.defaults = op.n_params, op.n_positional, op.defaults
    f.names = tuple([None if name == "out" else intern(name) for name in op.names])     # `out=` is the general road's
    f.direct = op.compose is None and op.pack < 0
    f.pack = op.pack if op.compose is None and op.pack == op.n_params - 1 else -1
    f.unary, f.binary, f.numbers = op.unary_code >= 0, op.binary_code >= 0, op.number_loops is not None
    return f


def make_in_place(op, run):
    """The `_` form of an op; `run(self, ...)` where it is more than the op itself, else None."""
    cdef OpFunction f = OpFunction.__new__(OpFunction)
    f.vectorcall = _vectorcall_in_place
    f.op = op
    f.in_place = True if run is None else run
    return f
