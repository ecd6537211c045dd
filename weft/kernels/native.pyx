# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""What small ops call, without passing through Python: NumPy arrays in, a NumPy array out, or None for a case that
they don't take.

`native.py` beside this file is its twin in plain Python, which takes nothing, so that the NumPy references run.
"""
cimport numpy as cnp
from cpython.object cimport PyTypeObject
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.slice cimport PySlice_AdjustIndices, PySlice_Unpack
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t, intptr_t, uint8_t, uintptr_t
from libc.string cimport memcmp, memcpy, memmove
from weft.kernels import fast
from weft.kernels.codes import BINARY, UNARY, VIEWS

cnp.import_array()

cdef extern from "cpp/tables.h" namespace "weft":
    cdef struct ProductTable:
        object matmul(object a, object b, bint a_turned, bint b_turned)

cdef const ProductTable* products = NULL
if fast.lib is not None:
    products = <const ProductTable*>PyCapsule_GetPointer(fast.lib._products, "_products")

cdef extern from "cpp/pointwise_codes.h" namespace "weft":
    # elementwise functions live in the extension of the instruction set in use, which lends them through this table
    cdef cppclass PointwiseTable:
        object (*binary)(int code, object a, object b)
        object (*unary)(int code, object a)
        bint (*binary_into)(int code, object out, object b)
        bint (*unary_into)(int code, object out)
        bint (*copy_into)(object out, object source)
    cdef struct Product:
        bint is_product "is"
        bint a_turned
        bint b_turned
    Product product_of(int which) nogil

cdef extern from "cpp/pointwise_codes.h" namespace "weft::code":
    const int TRANSPOSE "weft::code::transpose"
    const int T "weft::code::t"
    const int UNSQUEEZE "weft::code::unsqueeze"
    const int VIEW "weft::code::view"
    const int EXPAND "weft::code::expand"
    const int SQUEEZE "weft::code::squeeze"
    const int PERMUTE "weft::code::permute"
    const int SELECT "weft::code::select"
    const int NARROW "weft::code::narrow"
    const int FLATTEN "weft::code::flatten"

cdef extern from "Python.h":
    const Py_ssize_t PY_SSIZE_T_MAX
    Py_ssize_t Py_REFCNT(PyObject*)
    ctypedef struct PyListObject:
        PyObject** ob_item
    object PyObject_Vectorcall(object callable, PyObject** args, size_t nargsf, PyObject* kwnames)
    ctypedef struct SliceParts "PySliceObject":
        PyObject* start
        PyObject* stop
        PyObject* step

cdef extern from "numpy/arrayobject.h":
    int NPY_HALF
    object PyArray_SimpleNew(int nd, cnp.npy_intp* dims, int typenum)
    object PyArray_Transpose(cnp.ndarray a, cnp.PyArray_Dims* permute)
    object PyArray_NewFromDescr(PyTypeObject* subtype, cnp.dtype descr, int nd, cnp.npy_intp* dims,
                                cnp.npy_intp* strides, void* data, int flags, object obj)


cdef extern from "cpp/host.h" namespace "weft":
    cdef struct Host:
        void* (*new_array)(int nd, const intptr_t* shape, int type) except NULL

cdef const Host* host = NULL
if fast.base is not None:
    host = <const Host*>PyCapsule_GetPointer(fast.base.host, "weft.host")

ctypedef void (*LetGo)(object array)
cdef LetGo keep_spare = NULL
if fast.base is not None:
    keep_spare = <LetGo>PyCapsule_GetPointer(fast.base.let_go, "weft.let_go")


cpdef void let_go(object array) noexcept:
    """A tensor is about to drop its array: if nobody else holds it, it may serve the next one (cpp/base/spares.h)."""
    if keep_spare != NULL:
        keep_spare(array)


cdef inline bint plain(cnp.ndarray a):
    """Native byte order and aligned."""
    return cnp.PyArray_ISBEHAVED_RO(a)


cdef const PointwiseTable* table = NULL        # null where only the NumPy references are to run
if fast.lib is not None:
    table = <const PointwiseTable*>PyCapsule_GetPointer(fast.lib._pointwise, "_pointwise")


cdef object watcher = None          # told of what is called here, as `fast.watch` tells of the kernels
cdef unsigned long watching = 0     # the thread that wants to know

cdef extern from "pythread.h":
    unsigned long PyThread_get_thread_ident() nogil


def watch(who):
    """Tell `who(function, args, result)` of this thread's calls from now on; None: no longer."""
    global watcher, watching
    watcher, watching = who, PyThread_get_thread_ident()


cdef object told(object function, tuple args, object made):
    if PyThread_get_thread_ident() == watching:
        watcher(function, args, made)
    return made


cpdef object call(object function, list args):
    """`function(*args)`, without a tuple of them."""
    return PyObject_Vectorcall(function, (<PyListObject*>args).ob_item, <size_t>len(args), NULL)


cpdef object binary(int code, object a, object b):
    """`a op b` for arrays of one type, any strides, or an array and a number."""
    cdef Product product = product_of(code)
    if product.is_product:
        return matmul(a, b, product.a_turned, product.b_turned)
    made = None if table == NULL else table.binary(code, a, b)
    return made if watcher is None else told(binary, (code, a, b), made)


cpdef object unary(int code, object a):
    """Elementwise on an array of any strides."""
    made = None if table == NULL else table.unary(code, a)
    return made if watcher is None else told(unary, (code, a), made)


cpdef bint binary_into(int code, object a, object b):
    """`a op= b`, in a's own memory; False when it isn't taken."""
    cdef bint made = table != NULL and table.binary_into(code, a, b)
    if watcher is not None:
        told(binary_into, (code, a, b), made)
    return made


cpdef bint unary_into(int code, object a):
    """`a = op(a)`, in a's own memory; False when it isn't taken."""
    cdef bint made = table != NULL and table.unary_into(code, a)
    if watcher is not None:
        told(unary_into, (code, a), made)
    return made


cpdef object matmul(object a, object b, bint a_turned=False, bint b_turned=False):
    """The product of two matrices or stacks of one floating type, any strides, either read as its transpose."""
    if products == NULL or not cnp.PyArray_CheckExact(a) or not cnp.PyArray_CheckExact(b):
        return None
    made = products.matmul(a, b, a_turned, b_turned)
    return made if watcher is None else told(fast.matmul, (a, b, bool(a_turned), bool(b_turned), None), made)


cpdef object transpose(object a, int i, int j):
    """The view of an array with two dimensions exchanged."""
    cdef cnp.PyArray_Dims order
    cdef cnp.npy_intp dims[64]
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef int d
    order.len = cnp.PyArray_NDIM(x)
    order.ptr = dims
    for d in range(order.len):
        dims[d] = d
    if order.len:
        dims[i], dims[j] = j, i
    return PyArray_Transpose(x, &order)


cpdef object scalar(object a):
    """The Python number in a one-element array; None for types that Python has no number for."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef int kind
    if not cnp.PyArray_CheckExact(a) or cnp.PyArray_SIZE(x) != 1 or not plain(x):
        return None
    kind = cnp.PyArray_TYPE(x)
    if kind == cnp.NPY_FLOAT:
        return (<float*>cnp.PyArray_DATA(x))[0]
    if kind == cnp.NPY_DOUBLE:
        return (<double*>cnp.PyArray_DATA(x))[0]
    if kind == cnp.NPY_INT64:
        return (<int64_t*>cnp.PyArray_DATA(x))[0]
    if kind == cnp.NPY_BOOL:
        return (<char*>cnp.PyArray_DATA(x))[0] != 0
    return None


cpdef object copied(object a, tuple shape):
    """A copy of a small contiguous array with another shape of the same size; None for others."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[4]
    cdef int d, nd = len(shape)
    cdef Py_ssize_t size = 1
    if host == NULL or nd > 4 or not cnp.PyArray_ISCARRAY_RO(x) or cnp.PyArray_NBYTES(x) > 65536 \
            or not is_real(x):
        return None
    for d in range(nd):
        dims[d] = shape[d]
        size *= dims[d]
    if size != cnp.PyArray_SIZE(x):
        return None
    made = <object><PyObject*>host.new_array(nd, <const intptr_t*>dims, cnp.PyArray_TYPE(x))
    Py_DECREF(made)         # new_array gave a reference, and so did the cast
    memcpy(cnp.PyArray_DATA(<cnp.ndarray>made), cnp.PyArray_DATA(x), cnp.PyArray_NBYTES(x))
    return made


cpdef object number(object value, object kind):
    """A Python number as a zero-dim array of a type, integers wrapped to it; None for what needs a closer look."""
    cdef int overflow = 0, code = (<cnp.dtype>kind).type_num
    cdef int64_t whole = 0
    cdef double real
    if type(value) is int:
        whole = PyLong_AsLongLongAndOverflow(value, &overflow)
        real = <double>whole
        if overflow:
            return None
    elif type(value) is float and (code == cnp.NPY_FLOAT or code == cnp.NPY_DOUBLE):
        real = value
    else:
        return None
    if code == cnp.NPY_FLOAT and not -3e38 < real < 3e38:
        return None
    if code != cnp.NPY_FLOAT and code != cnp.NPY_DOUBLE and code != cnp.NPY_INT64 and code != cnp.NPY_INT32 \
            and code != cnp.NPY_UINT8 or not cnp.PyDataType_ISNOTSWAPPED(<cnp.dtype>kind):
        return None
    cdef cnp.ndarray made = PyArray_SimpleNew(0, NULL, code)
    if code == cnp.NPY_FLOAT:
        (<float*>cnp.PyArray_DATA(made))[0] = <float>real
    elif code == cnp.NPY_DOUBLE:
        (<double*>cnp.PyArray_DATA(made))[0] = real
    elif code == cnp.NPY_INT64:
        (<int64_t*>cnp.PyArray_DATA(made))[0] = whole
    elif code == cnp.NPY_INT32:
        (<int32_t*>cnp.PyArray_DATA(made))[0] = <int32_t>whole
    else:
        (<uint8_t*>cnp.PyArray_DATA(made))[0] = <uint8_t>whole
    return made


cpdef bint same_layout(object a, object b) noexcept:
    """Whether two arrays have one shape and one type."""
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>b
    cdef int d, nd = cnp.PyArray_NDIM(x)
    if nd != cnp.PyArray_NDIM(y) or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y):
        return False
    for d in range(nd):
        if cnp.PyArray_DIMS(x)[d] != cnp.PyArray_DIMS(y)[d]:
            return False
    return True


cpdef bint same_strides(object a, object b) noexcept:
    """Whether two arrays have one shape, one type and one way to lie in memory, that of dimensions of one, too."""
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>b
    return same_layout(x, y) and memcmp(cnp.PyArray_STRIDES(x), cnp.PyArray_STRIDES(y),
                                        cnp.PyArray_NDIM(x) * sizeof(cnp.npy_intp)) == 0


cpdef bint are_classes(object x, object target) noexcept:
    """Whether x (N, C), float32 or float64, and target (N,), int64, are logits of examples and their classes."""
    cdef cnp.ndarray a = <cnp.ndarray>x, b = <cnp.ndarray>target
    cdef int kind = cnp.PyArray_TYPE(a)
    return (cnp.PyArray_NDIM(a) == 2 and cnp.PyArray_NDIM(b) == 1 and cnp.PyArray_DIMS(a)[0] == cnp.PyArray_DIMS(b)[0]
            and (kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE) and cnp.PyArray_TYPE(b) == cnp.NPY_INT64)


cpdef bint only_here(object x) noexcept:
    """Whether nobody but a list and the caller holds an object."""
    return Py_REFCNT(<PyObject*>x) <= 2


cpdef long references(object x) noexcept:
    """How many hold an object, one of them the caller."""
    return Py_REFCNT(<PyObject*>x)


cpdef bint held_once(object a) noexcept:
    """Whether an array owns its memory and only one tensor (and the caller) holds it."""
    return cnp.PyArray_BASE(<cnp.ndarray>a) == NULL and Py_REFCNT(<PyObject*>a) <= 2


cpdef object address(object a):
    """Where an array's first element lies."""
    return <uintptr_t>cnp.PyArray_DATA(<cnp.ndarray?>a)


cpdef bint same_place(object a, object b) noexcept:
    """Whether two arrays have one shape, one type and the same strides, and lie in memory as kernels want them."""
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>b
    cdef int d
    if not same_layout(x, y) or not plain(x):
        return False
    for d in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_STRIDES(x)[d] != cnp.PyArray_STRIDES(y)[d] and cnp.PyArray_DIMS(x)[d] > 1:
            return False
    return cnp.PyArray_ISWRITEABLE(x) == cnp.PyArray_ISWRITEABLE(y)


cpdef object strided(object a, tuple shape, tuple strides, Py_ssize_t offset):
    """The view of an array's memory with this shape and these strides, `offset` bytes from its first element."""
    cdef cnp.ndarray x = <cnp.ndarray>a, view
    cdef cnp.npy_intp dims[64], steps[64]
    cdef int d, nd = len(shape)
    if nd > 64:
        raise RuntimeError(f"a tensor has at most 64 dimensions, got {nd}")
    for d in range(nd):
        dims[d] = shape[d]
        steps[d] = strides[d]
    cdef cnp.dtype descr = x.descr
    Py_INCREF(descr)        # PyArray_NewFromDescr takes a reference of it
    view = PyArray_NewFromDescr(<PyTypeObject*>cnp.ndarray, descr, nd, dims, steps,
                                <char*>cnp.PyArray_DATA(x) + offset,
                                cnp.PyArray_FLAGS(x) & cnp.NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(view, x)
    return view


cpdef list pieces(object a, tuple sizes, int dim):
    """The views of consecutive ranges of a dimension, of the given lengths, which add up to no more than it has."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[64]
    cdef int d, nd = cnp.PyArray_NDIM(x)
    cdef Py_ssize_t start = 0
    cdef list made = []
    for d in range(nd):
        dims[d] = cnp.PyArray_DIMS(x)[d]
    for size in sizes:
        dims[dim] = size
        made.append(_view_at(x, nd, dims, cnp.PyArray_STRIDES(x), <char*>cnp.PyArray_DATA(x)
                             + (start * cnp.PyArray_STRIDES(x)[dim] if dims[dim] else 0)))
        start += dims[dim]
    return made


cpdef list slabs(object a, int dim):
    """The views at each index of a dimension."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef Py_ssize_t i
    return [_selected(x, dim, i) for i in range(cnp.PyArray_DIMS(x)[dim])]


cdef object _selected(cnp.ndarray x, int dim, Py_ssize_t at):
    """The view at one index of a dimension."""
    cdef cnp.npy_intp dims[64], strides[64]
    cdef int d, out = 0
    for d in range(cnp.PyArray_NDIM(x)):
        if d != dim:
            dims[out], strides[out] = cnp.PyArray_DIMS(x)[d], cnp.PyArray_STRIDES(x)[d]
            out += 1
    return _view_at(x, out, dims, strides, <char*>cnp.PyArray_DATA(x) + at * cnp.PyArray_STRIDES(x)[dim])


cpdef bint is_half(object a) except -1:
    """float16 or bfloat16 (the one type that NumPy doesn't have itself)."""
    if not cnp.PyArray_Check(a):
        raise TypeError(f"an array is needed, got {type(a).__name__}")
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return kind == NPY_HALF or kind >= 256


cpdef bint is_inexact(object a) noexcept:
    """A floating or complex type: one that gradients exist for."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return cnp.NPY_FLOAT <= kind <= cnp.NPY_CLONGDOUBLE or kind == NPY_HALF or kind >= 256


cpdef bint is_real(object a) noexcept:
    """float32 or float64."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return kind == cnp.NPY_FLOAT or kind == cnp.NPY_DOUBLE


cpdef bint same_type(object a, object b) noexcept:
    """Whether two arrays have one element type."""
    return cnp.PyArray_TYPE(<cnp.ndarray>a) == cnp.PyArray_TYPE(<cnp.ndarray>b)


cpdef bint is_complex(object a) noexcept:
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return cnp.NPY_CFLOAT <= kind <= cnp.NPY_CLONGDOUBLE


cpdef object spread(object a, tuple shape, object dims, bint keepdim):
    """A reduced array as a view at the shape before the reduction over `dims` (None: all), repeated by stride 0."""
    cdef cnp.ndarray x = <cnp.ndarray>a, view
    cdef cnp.npy_intp sizes[64], steps[64]
    cdef int d, k = 0, nd = len(shape)
    cdef bint reduced
    if nd > 64 or not cnp.PyArray_CheckExact(a):
        return None
    for d in range(nd):
        reduced = dims is None or d in dims
        sizes[d] = shape[d]
        steps[d] = 0 if reduced else cnp.PyArray_STRIDES(x)[k]
        if not reduced or keepdim:
            k += 1
    cdef cnp.dtype descr = x.descr
    Py_INCREF(descr)
    view = PyArray_NewFromDescr(<PyTypeObject*>cnp.ndarray, descr, nd, sizes, steps, cnp.PyArray_DATA(x), 0, None)
    cnp.set_array_base(view, x)
    return view


cdef object _view_at(cnp.ndarray x, int nd, cnp.npy_intp* dims, cnp.npy_intp* strides, void* data):
    cdef cnp.dtype descr = x.descr
    Py_INCREF(descr)
    cdef cnp.ndarray view = PyArray_NewFromDescr(<PyTypeObject*>cnp.ndarray, descr, nd, dims, strides, data,
                                                 cnp.PyArray_FLAGS(x) & cnp.NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(view, x)
    return view


cdef inline object _view_of(cnp.ndarray x, int nd, cnp.npy_intp* dims, cnp.npy_intp* strides):
    return _view_at(x, nd, dims, strides, cnp.PyArray_DATA(x))


cdef inline bint _is_range(object item):
    """Whether a slice has ints and None only, and a positive step: nothing to convert, nothing to refuse."""
    cdef object start = <object>(<SliceParts*>item).start
    cdef object stop = <object>(<SliceParts*>item).stop
    cdef object step = <object>(<SliceParts*>item).step
    return ((start is None or type(start) is int) and (stop is None or type(stop) is int)
            and (step is None or type(step) is int and step > 0))


cpdef object basic(object a, tuple index):
    """The view that ints, slices, None and Ellipsis give; None for what NumPy must look at: refusals, empty results."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[64], strides[64]
    cdef char* data = <char*>cnp.PyArray_DATA(x)
    cdef int nd = cnp.PyArray_NDIM(x), dim = 0, out = 0, rest = nd, overflow = 0
    cdef Py_ssize_t at, start, stop, step
    cdef bint dots = False
    cdef object item
    if not cnp.PyArray_CheckExact(a) or nd + len(index) > 64:
        return None
    for item in index:
        rest -= item is not None and item is not Ellipsis
    for item in index:
        if item is None:        # PyTorch's stride: that of the dimension after it, as it was before the index
            dims[out] = 1
            strides[out] = (cnp.PyArray_DIMS(x)[dim] * cnp.PyArray_STRIDES(x)[dim] if dim < nd
                            else cnp.PyArray_ITEMSIZE(x))
            out += 1
            continue
        if rest < 0:
            return None
        if item is Ellipsis:
            if dots:
                return None
            dots = True
            while rest:
                dims[out], strides[out] = cnp.PyArray_DIMS(x)[dim], cnp.PyArray_STRIDES(x)[dim]
                dim, out, rest = dim + 1, out + 1, rest - 1
            continue
        if type(item) is int:
            at = PyLong_AsLongLongAndOverflow(item, &overflow)
            at = at + cnp.PyArray_DIMS(x)[dim] if at < 0 else at
            if overflow or not 0 <= at < cnp.PyArray_DIMS(x)[dim]:
                return None
            data += at * cnp.PyArray_STRIDES(x)[dim]
        elif type(item) is slice and _is_range(item):
            PySlice_Unpack(item, &start, &stop, &step)
            dims[out] = PySlice_AdjustIndices(cnp.PyArray_DIMS(x)[dim], &start, &stop, step)
            strides[out] = cnp.PyArray_STRIDES(x)[dim] * step
            if dims[out] == 0:
                return None
            data += start * cnp.PyArray_STRIDES(x)[dim]
            out += 1
        else:
            return None
        dim += 1
    while dim < nd:
        dims[out], strides[out] = cnp.PyArray_DIMS(x)[dim], cnp.PyArray_STRIDES(x)[dim]
        dim, out = dim + 1, out + 1
    return _view_at(x, out, dims, strides, data)


cdef inline Py_ssize_t _place(object value, Py_ssize_t n) noexcept:
    """A place among n counted from the front; -1 for anything but an int in range."""
    cdef int overflow = 0
    cdef Py_ssize_t d
    if type(value) is not int:
        return -1
    d = PyLong_AsLongLongAndOverflow(value, &overflow)
    if d < 0:
        d += n
    return d if not overflow and 0 <= d < n else -1


cdef inline Py_ssize_t _length(object value) noexcept:
    """The number in an int; -2 for anything else, and for one that no size can have."""
    cdef int overflow = 0
    cdef Py_ssize_t n
    if type(value) is not int:
        return -2
    n = PyLong_AsLongLongAndOverflow(value, &overflow)
    return -2 if overflow else n


cdef inline int _dim(object value, int ndim) noexcept:
    return <int>_place(value, ndim)


cdef object _seen_as(cnp.ndarray x, int nd, cnp.npy_intp* dims):
    """The view of an array's elements, in their order, with other dimensions of the same size, not 0; None where there
    is none.
    """
    cdef cnp.npy_intp strides[64]
    cdef cnp.npy_intp* old = cnp.PyArray_DIMS(x)
    cdef cnp.npy_intp* steps = cnp.PyArray_STRIDES(x)
    cdef cnp.npy_intp left = 1, step = cnp.PyArray_ITEMSIZE(x), here
    cdef int i = cnp.PyArray_NDIM(x) - 1, d
    if cnp.PyArray_IS_C_CONTIGUOUS(x):
        return _view_of(x, nd, dims, NULL)
    if nd == i + 1 and memcmp(dims, old, nd * sizeof(cnp.npy_intp)) == 0:
        return _view_of(x, nd, dims, steps)
    while i >= 0 and old[i] == 1:
        i -= 1
    if i >= 0:
        step = steps[i]
    for d in range(nd - 1, -1, -1):
        if left == 1 and dims[d] != 1:      # the next dimensions that lie one after the other, as one of length `left`
            step = steps[i]
            here = step
            while i >= 0 and (old[i] == 1 or steps[i] == here):
                left *= old[i]
                if old[i] != 1:
                    here = steps[i] * old[i]
                i -= 1
        if left % dims[d]:
            return None
        strides[d] = step
        step *= dims[d]
        left //= dims[d]
    return _view_of(x, nd, dims, strides)


cpdef object reshape(object a, object shape):
    """The view of an array with another shape, one -1 worked out; None for what needs a copy, or a closer look."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[32]
    cdef Py_ssize_t size
    cdef cnp.npy_intp known = 1, n = cnp.PyArray_SIZE(x)
    cdef int nd, d, free = -1
    if not isinstance(shape, tuple) or n == 0:
        return None
    nd = len(<tuple>shape)
    if nd > 32:
        return None
    for d in range(nd):
        item = (<tuple>shape)[d]
        size = _length(item)
        dims[d] = size
        if size == -1 and free < 0:
            free = d
        elif size <= 0 or size > n // known:
            return None
        else:
            known *= size
    if free >= 0:
        if n % known:
            return None
        dims[free] = n // known
    elif known != n:
        return None
    return _seen_as(x, nd, dims)


cpdef object unsqueeze(object a, int dim):
    """The view with a dimension of length 1 put in; `dim` is in range."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[33], strides[33]
    cdef int nd = cnp.PyArray_NDIM(x), d
    if nd > 32:
        return None
    for d in range(nd + 1):
        if d < dim:
            dims[d], strides[d] = cnp.PyArray_DIMS(x)[d], cnp.PyArray_STRIDES(x)[d]
        elif d > dim:
            dims[d], strides[d] = cnp.PyArray_DIMS(x)[d - 1], cnp.PyArray_STRIDES(x)[d - 1]
        else:
            dims[d] = 1
            strides[d] = cnp.PyArray_DIMS(x)[d] * cnp.PyArray_STRIDES(x)[d] if d < nd else cnp.PyArray_ITEMSIZE(x)
    return _view_of(x, nd + 1, dims, strides)


cpdef object expand(object a, object sizes):
    """The view with dimensions of length 1 repeated to `sizes`; None where that can't be, or needs a closer look."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[32], strides[32]
    cdef int own = cnp.PyArray_NDIM(x), nd, d, e
    cdef Py_ssize_t size, room = PY_SSIZE_T_MAX // (cnp.PyArray_ITEMSIZE(x) + 1)     # elements that an array may have
    if not isinstance(sizes, tuple):
        return None
    nd = len(<tuple>sizes)
    if nd > 32 or nd < own:
        return None
    for d in range(nd - 1, -1, -1):
        item = (<tuple>sizes)[d]
        size = _length(item)
        e = d - (nd - own)
        if e >= 0 and (size == -1 or size == cnp.PyArray_DIMS(x)[e]):
            dims[d], strides[d] = cnp.PyArray_DIMS(x)[e], cnp.PyArray_STRIDES(x)[e]
        elif size < 0 or e >= 0 and cnp.PyArray_DIMS(x)[e] != 1:
            return None
        else:
            dims[d] = size
            strides[d] = 0
            if e < 0 and size == 1:
                strides[d] = dims[d + 1] * strides[d + 1] if d + 1 < nd else cnp.PyArray_ITEMSIZE(x)
        room //= max(dims[d], 1)
    return _view_of(x, nd, dims, strides) if room else None


cpdef bint keeps_alone(object a, object like) noexcept:
    """Whether an array owns its memory and has the strides of another of its shape."""
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>like
    cdef int d
    if cnp.PyArray_BASE(x) != NULL or cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return False
    for d in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_STRIDES(x)[d] != cnp.PyArray_STRIDES(y)[d]:
            return False
    return True


cdef object squeezed(cnp.ndarray x, object dim):
    """The view without the dimensions of length 1 (None: all of them)."""
    cdef cnp.npy_intp dims[64], strides[64]
    cdef int d, out = 0, nd = cnp.PyArray_NDIM(x), only = -1
    if dim is not None:
        only = _dim(dim, nd)
        if only < 0:
            return None
    for d in range(nd):
        if cnp.PyArray_DIMS(x)[d] != 1 or only >= 0 and d != only:
            dims[out], strides[out] = cnp.PyArray_DIMS(x)[d], cnp.PyArray_STRIDES(x)[d]
            out += 1
    return _view_of(x, out, dims, strides)


cdef object permuted(cnp.ndarray x, object order):
    """The view with its dimensions in another order; None unless each is named once."""
    cdef cnp.npy_intp dims[64], strides[64]
    cdef unsigned long long seen = 0
    cdef int d, out, nd = cnp.PyArray_NDIM(x)
    if type(order) is not tuple or len(<tuple>order) != nd:
        return None
    for out in range(nd):
        d = _dim((<tuple>order)[out], nd)
        if d < 0 or seen >> d & 1:
            return None
        seen |= 1ULL << d
        dims[out], strides[out] = cnp.PyArray_DIMS(x)[d], cnp.PyArray_STRIDES(x)[d]
    return _view_of(x, nd, dims, strides)


cdef object narrowed(cnp.ndarray x, int dim, object start, object length):
    """The view of a range of a dimension; None for one that isn't inside it, or empty."""
    cdef cnp.npy_intp dims[64]
    cdef int d, nd = cnp.PyArray_NDIM(x)
    cdef Py_ssize_t n = cnp.PyArray_DIMS(x)[dim], first = _place(start, n), count = _length(length)
    if first < 0 or count <= 0 or count > n - first:
        return None
    for d in range(nd):
        dims[d] = cnp.PyArray_DIMS(x)[d]
    dims[dim] = count
    return _view_at(x, nd, dims, cnp.PyArray_STRIDES(x),
                    <char*>cnp.PyArray_DATA(x) + first * cnp.PyArray_STRIDES(x)[dim])


cdef object flattened(cnp.ndarray x, int first, int last):
    """The view of an array with the dimensions from one to another made one; None if nothing changes, or for a copy."""
    cdef cnp.npy_intp dims[64]
    cdef int d, out = 0
    if first < 0 or last <= first or cnp.PyArray_SIZE(x) == 0:
        return None
    for d in range(cnp.PyArray_NDIM(x)):
        if first < d <= last:
            dims[out - 1] *= cnp.PyArray_DIMS(x)[d]
        else:
            dims[out] = cnp.PyArray_DIMS(x)[d]
            out += 1
    return _seen_as(x, out, dims)


cpdef object view(int code, object a, list values):
    """The view that op `code` of VIEWS makes of an array; values are the op's, the first one the tensor itself.

    None for what the op's own forward must look at, wrong arguments among it.
    """
    cdef int i, j, ndim = cnp.PyArray_NDIM(<cnp.ndarray>a)
    cdef Py_ssize_t at
    if code == TRANSPOSE:
        i, j = _dim(values[1], ndim), _dim(values[2], ndim)
        return None if i < 0 or j < 0 else transpose(a, i, j)
    if code == T:
        return transpose(a, 0, 1) if ndim == 2 else None
    if code == UNSQUEEZE:
        i = _dim(values[1], ndim + 1)
        return None if i < 0 else unsqueeze(a, i)
    if code == VIEW:
        return reshape(a, values[1])
    if code == EXPAND:
        return expand(a, values[1])
    if code == SQUEEZE:
        return squeezed(<cnp.ndarray>a, values[1])
    if code == PERMUTE:
        return permuted(<cnp.ndarray>a, values[1])
    if code == FLATTEN:
        return flattened(<cnp.ndarray>a, _dim(values[1], ndim), _dim(values[2], ndim))
    i = _dim(values[1], ndim)
    if i < 0:
        return None
    if code == NARROW:
        return narrowed(<cnp.ndarray>a, i, values[2], values[3])
    at = _place(values[2], cnp.PyArray_DIMS(<cnp.ndarray>a)[i])
    return None if at < 0 else _selected(<cnp.ndarray>a, i, at)


cpdef bint copy_into(object target, object source):
    """Overwrite an array with another of its type that broadcasts to its shape; False when it isn't taken."""
    cdef cnp.ndarray x = <cnp.ndarray>target, y = <cnp.ndarray>source
    if watcher is not None:
        told(copy_into, (target, source), True)
    if (not cnp.PyArray_ISCARRAY(x) or not cnp.PyArray_ISCARRAY_RO(y) or not same_layout(x, y)
            or cnp.PyArray_NBYTES(x) > 65536):
        return table != NULL and table.copy_into(target, source)
    memmove(cnp.PyArray_DATA(x), cnp.PyArray_DATA(y), cnp.PyArray_NBYTES(x))
    return True


cpdef bint overlaps(object a) noexcept:
    """Whether several elements share a place in memory because a dimension was expanded."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef int d
    for d in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_STRIDES(x)[d] == 0 and cnp.PyArray_DIMS(x)[d] > 1:
            return cnp.PyArray_SIZE(x) > 0
    return False


cpdef tuple shape(object a):
    """An array's shape, quicker than by its attribute."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef int d, nd = cnp.PyArray_NDIM(x)
    cdef tuple made = PyTuple_New(nd)
    cdef object size        # typed: inferred as a C integer, the tuple would be given a temporary
    for d in range(nd):
        size = cnp.PyArray_DIMS(x)[d]
        Py_INCREF(size)
        PyTuple_SET_ITEM(made, d, size)
    return made


cpdef bint in_one_piece(object a) except -1:
    """Whether an array lies in memory in C order, without gaps."""
    return not cnp.PyArray_Check(a) or cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>a)      # NumPy's scalars do, too


cpdef int dims(object a) noexcept:
    """How many dimensions an array has."""
    return cnp.PyArray_NDIM(<cnp.ndarray>a)


cpdef tuple element_strides(object a):
    """An array's strides, in elements."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef int d, nd = cnp.PyArray_NDIM(x)
    cdef tuple made = PyTuple_New(nd)
    cdef object step
    for d in range(nd):
        step = cnp.PyArray_STRIDES(x)[d] // cnp.PyArray_ITEMSIZE(x)
        Py_INCREF(step)
        PyTuple_SET_ITEM(made, d, step)
    return made


cpdef tuple spec(object a):
    """(shape, type) of an array."""
    return shape(a), (<cnp.ndarray>a).descr
