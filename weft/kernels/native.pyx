# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""The border to the C++ loops: NumPy arrays in, a NumPy array out, or None for a case that they don't take.

`native.py` beside this file is its twin in plain Python, which takes nothing, so that the NumPy references run.
"""
cimport numpy as cnp
from cpython.float cimport PyFloat_CheckExact, PyFloat_AS_DOUBLE
from cpython.long cimport PyLong_CheckExact, PyLong_AsLongLongAndOverflow
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int64_t, intptr_t
from libc.string cimport memcpy
from weft.kernels.codes import BINARY, UNARY, VIEWS

cnp.import_array()

cdef extern from "loops.h" namespace "weft" nogil:
    cdef struct Operand:
        char* data
        intptr_t stride[8]
    bint binary_float[T](int code, int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out)
    bint binary_int64(int code, int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out)
    bint compare[T](int code, int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out)
    bint unary_loop "weft::unary"[T](int code, const T* x, T* o, intptr_t n)
    bint is_transcendental(int code)
    void small_matmul[T](const T* a, intptr_t ar, intptr_t ac, const T* b, intptr_t br, intptr_t bc, T* c,
                         intptr_t m, intptr_t k, intptr_t n)

cdef extern from "numpy/arrayobject.h":
    int NPY_HALF
    object PyArray_SimpleNew(int nd, cnp.npy_intp* dims, int typenum)
    object PyArray_Transpose(cnp.ndarray a, cnp.PyArray_Dims* permute)
    object PyArray_NewFromDescr(PyTypeObject* subtype, cnp.dtype descr, int nd, cnp.npy_intp* dims, cnp.npy_intp* strides,
                                void* data, int flags, object obj)

cdef enum:
    SMALL = 512           # elements up to which the transcendental loops beat NumPy's vector code: in double
    FLOAT_SMALL = 2048    # and in float
    MATMUL_SMALL = 16384  # multiply-adds up to which the plain loop beats BLAS's call


cdef inline bint plain(cnp.ndarray a):
    """Native byte order and aligned."""
    return cnp.PyArray_ISBEHAVED_RO(a)


cdef inline bint in_c_order(cnp.ndarray a):
    """Whether memory is walked forward in index order (slices and expanded dimensions allowed): then NumPy's result,
    which keeps the operands' layout, is C-contiguous too."""
    if cnp.PyArray_IS_C_CONTIGUOUS(a):
        return True
    cdef int d
    cdef cnp.npy_intp last = 0, stride
    for d in range(cnp.PyArray_NDIM(a) - 1, -1, -1):
        stride = cnp.PyArray_STRIDES(a)[d]
        if cnp.PyArray_DIMS(a)[d] == 1 or stride == 0:
            continue
        if stride < last:
            return False
        last = stride
    return True


cdef inline bint _operand(Operand* o, cnp.ndarray a, int nd, intptr_t* shape):
    """Lay `a` against the result's dimensions; False when it doesn't broadcast."""
    cdef int own = cnp.PyArray_NDIM(a), d, e
    cdef cnp.npy_intp* dims = cnp.PyArray_DIMS(a)
    cdef cnp.npy_intp* strides = cnp.PyArray_STRIDES(a)
    o.data = <char*>cnp.PyArray_DATA(a)
    for d in range(nd):
        e = d - (nd - own)
        if e < 0 or dims[e] == 1:
            o.stride[d] = 0
        else:
            o.stride[d] = strides[e]
    return True


cdef inline int _result_shape(cnp.ndarray a, cnp.ndarray b, intptr_t* shape):
    """The broadcast shape of two arrays, as its number of dimensions; -1 when they don't fit."""
    cdef int na = cnp.PyArray_NDIM(a), nb = cnp.PyArray_NDIM(b), nd = max(na, nb), d
    cdef intptr_t x, y
    if nd > 8:
        return -1
    for d in range(nd):
        x = cnp.PyArray_DIMS(a)[d - (nd - na)] if d >= nd - na else 1
        y = cnp.PyArray_DIMS(b)[d - (nd - nb)] if d >= nd - nb else 1
        if x == y or y == 1:
            shape[d] = x
        elif x == 1:
            shape[d] = y
        else:
            return -1
    return nd


cdef inline bint _is_huge(int nd, const intptr_t* shape):
    """So many elements that memory may not suffice: the general road then says so in the user's terms."""
    cdef double n = 1
    cdef int d
    for d in range(nd):
        n *= shape[d]
    return n > 268435456.0


cdef object _number(cnp.ndarray a, int kind, object b, double* real, float* single, int64_t* whole):
    """Convert a Python number to the array's type; None when that changes the result's type or overflows."""
    cdef int overflow = 0
    if kind == cnp.NPY_INT64:
        if not PyLong_CheckExact(b):
            return None
        whole[0] = PyLong_AsLongLongAndOverflow(b, &overflow)
        return None if overflow else True
    if PyFloat_CheckExact(b):
        real[0] = PyFloat_AS_DOUBLE(b)
    elif PyLong_CheckExact(b):
        whole[0] = PyLong_AsLongLongAndOverflow(b, &overflow)
        if overflow:
            return None
        real[0] = <double>whole[0]
    else:
        return None
    single[0] = <float>real[0]
    return True


cpdef object binary(int code, object a, object b):
    """`a op b` for float32, float64 and int64 arrays of one type, or an array and a number."""
    cdef cnp.ndarray x, y, out
    cdef Operand left, right
    cdef intptr_t shape[8]
    cdef int nd, kind, d
    cdef double real
    cdef float single
    cdef int64_t whole
    cdef void* number
    if code >= 64:
        return matmul(a, b, code == 66, code == 65)
    cdef bint x_is_array = cnp.PyArray_CheckExact(a), y_is_array = cnp.PyArray_CheckExact(b)
    if x_is_array:
        x = <cnp.ndarray>a
        kind = cnp.PyArray_TYPE(x)
    elif y_is_array:
        x = <cnp.ndarray>b
        kind = cnp.PyArray_TYPE(x)
    else:
        return None
    if kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE and kind != cnp.NPY_INT64:
        return None
    if x_is_array and y_is_array:
        y = <cnp.ndarray>b
        if cnp.PyArray_TYPE(y) != kind or not plain(x) or not plain(y):
            return None
        nd = _result_shape(x, y, shape)
        if nd < 0 or not in_c_order(x) or not in_c_order(y) or _is_huge(nd, shape):
            return None                 # NumPy keeps the operands' layout; this writes C order
        _operand(&left, x, nd, shape)
        _operand(&right, y, nd, shape)
        if (nd == cnp.PyArray_NDIM(x) and nd == cnp.PyArray_NDIM(y)
                and cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_IS_C_CONTIGUOUS(y)):
            for d in range(nd):
                if cnp.PyArray_DIMS(x)[d] != cnp.PyArray_DIMS(y)[d]:
                    break
            else:
                # one shape, both contiguous: a single row
                if nd > 1:
                    shape[0] = cnp.PyArray_SIZE(x)
                    left.stride[0] = right.stride[0] = cnp.PyArray_ITEMSIZE(x)
                    out = PyArray_SimpleNew(nd, cnp.PyArray_DIMS(x),
                                            cnp.NPY_BOOL if code >= 16 else kind)
                    return out if _run(code, kind, 1, shape, left, right, out) else None
    else:
        nd = cnp.PyArray_NDIM(x)
        if nd > 8 or not plain(x) or not in_c_order(x) or _is_huge(nd, <const intptr_t*>cnp.PyArray_DIMS(x)):
            return None
        if _number(x, kind, b if x_is_array else a, &real, &single, &whole) is None:
            return None
        if kind == cnp.NPY_FLOAT:
            number = &single
        elif kind == cnp.NPY_DOUBLE:
            number = &real
        else:
            number = &whole
        out = PyArray_SimpleNew(nd, cnp.PyArray_DIMS(x), cnp.NPY_BOOL if code >= 16 else kind)
        right.data = <char*>number
        if cnp.PyArray_IS_C_CONTIGUOUS(x):
            left.data = <char*>cnp.PyArray_DATA(x)
            shape[0] = cnp.PyArray_SIZE(x)
            left.stride[0] = cnp.PyArray_ITEMSIZE(x)
            right.stride[0] = 0
            nd = 1
        else:
            _operand(&left, x, nd, shape)
            for d in range(nd):
                shape[d] = cnp.PyArray_DIMS(x)[d]
                right.stride[d] = 0
        if x_is_array:
            return out if _run(code, kind, nd, shape, left, right, out) else None
        return out if _run(code, kind, nd, shape, right, left, out) else None
    out = PyArray_SimpleNew(nd, <cnp.npy_intp*>shape, cnp.NPY_BOOL if code >= 16 else kind)
    return out if _run(code, kind, nd, shape, left, right, out) else None


cdef bint _run(int code, int kind, int nd, intptr_t* shape, Operand& left, Operand& right, cnp.ndarray out):
    cdef char* target = <char*>cnp.PyArray_DATA(out)
    if code >= 16:
        if kind == cnp.NPY_FLOAT:
            return compare[float](code, nd, shape, left, right, target)
        if kind == cnp.NPY_DOUBLE:
            return compare[double](code, nd, shape, left, right, target)
        return compare[int64_t](code, nd, shape, left, right, target)
    if kind == cnp.NPY_FLOAT:
        return binary_float[float](code, nd, shape, left, right, target)
    if kind == cnp.NPY_DOUBLE:
        return binary_float[double](code, nd, shape, left, right, target)
    return binary_int64(code, nd, shape, left, right, target)


cpdef object unary(int code, object a):
    """Elementwise on a contiguous float32 or float64 array."""
    if not cnp.PyArray_CheckExact(a):
        return None
    cdef cnp.ndarray x = <cnp.ndarray>a, out
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef intptr_t n = cnp.PyArray_SIZE(x)
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not cnp.PyArray_IS_C_CONTIGUOUS(x) or not plain(x):
        return None
    if n > (FLOAT_SMALL if kind == cnp.NPY_FLOAT else SMALL) and is_transcendental(code):
        return None
    out = PyArray_SimpleNew(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), kind)
    if kind == cnp.NPY_FLOAT:
        unary_loop[float](code, <const float*>cnp.PyArray_DATA(x), <float*>cnp.PyArray_DATA(out), n)
    else:
        unary_loop[double](code, <const double*>cnp.PyArray_DATA(x), <double*>cnp.PyArray_DATA(out), n)
    return out


cpdef object matmul(object a, object b, bint a_turned=False, bint b_turned=False):
    """The product of two small matrices of one floating type, any strides, either read as its transpose."""
    if not cnp.PyArray_CheckExact(a) or not cnp.PyArray_CheckExact(b):
        return None
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>b, out
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef cnp.npy_intp shape[2]
    cdef intptr_t m, k, n, size
    cdef cnp.npy_intp *sx
    cdef cnp.npy_intp *sy
    if cnp.PyArray_NDIM(x) != 2 or cnp.PyArray_NDIM(y) != 2 or cnp.PyArray_TYPE(y) != kind:
        return None
    if (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE) or not plain(x) or not plain(y):
        return None
    m, k, n = cnp.PyArray_DIMS(x)[a_turned], cnp.PyArray_DIMS(x)[not a_turned], cnp.PyArray_DIMS(y)[not b_turned]
    if cnp.PyArray_DIMS(y)[b_turned] != k or m * k * n > MATMUL_SMALL:
        return None
    shape[0], shape[1] = m, n
    out = PyArray_SimpleNew(2, shape, kind)
    sx, sy = cnp.PyArray_STRIDES(x), cnp.PyArray_STRIDES(y)
    size = cnp.PyArray_ITEMSIZE(x)
    if kind == cnp.NPY_FLOAT:
        small_matmul[float](<const float*>cnp.PyArray_DATA(x), sx[a_turned] // size, sx[not a_turned] // size,
                            <const float*>cnp.PyArray_DATA(y), sy[b_turned] // size, sy[not b_turned] // size,
                            <float*>cnp.PyArray_DATA(out), m, k, n)
    else:
        small_matmul[double](<const double*>cnp.PyArray_DATA(x), sx[a_turned] // size, sx[not a_turned] // size,
                             <const double*>cnp.PyArray_DATA(y), sy[b_turned] // size, sy[not b_turned] // size,
                             <double*>cnp.PyArray_DATA(out), m, k, n)
    return out


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


cpdef bint same_layout(object a, object b):
    """Whether two arrays have one shape and one type."""
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>b
    cdef int d, nd = cnp.PyArray_NDIM(x)
    if nd != cnp.PyArray_NDIM(y) or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y):
        return False
    for d in range(nd):
        if cnp.PyArray_DIMS(x)[d] != cnp.PyArray_DIMS(y)[d]:
            return False
    return True


cpdef object strided(object a, tuple shape, tuple strides, Py_ssize_t offset):
    """The view of an array's memory with this shape and these strides, `offset` bytes from its first element."""
    cdef cnp.ndarray x = <cnp.ndarray>a, view
    cdef cnp.npy_intp dims[64]
    cdef cnp.npy_intp steps[64]
    cdef int d, nd = len(shape)
    if nd > 64:
        raise RuntimeError(f"a tensor has at most 64 dimensions, got {nd}")
    for d in range(nd):
        dims[d] = shape[d]
        steps[d] = strides[d]
    cdef cnp.dtype descr = x.descr
    Py_INCREF(descr)        # PyArray_NewFromDescr takes a reference of it
    view = PyArray_NewFromDescr(<PyTypeObject*>cnp.ndarray, descr, nd, dims, steps,
                                <char*>cnp.PyArray_DATA(x) + offset, cnp.PyArray_FLAGS(x) & cnp.NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(view, x)
    return view


cpdef bint is_half(object a):
    """float16 or bfloat16 (the one type that NumPy doesn't have itself)."""
    if not cnp.PyArray_Check(a):
        raise TypeError(f"an array is needed, got {type(a).__name__}")
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return kind == NPY_HALF or kind >= 256


cpdef bint is_inexact(object a):
    """A floating or complex type: one that gradients exist for."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return cnp.NPY_FLOAT <= kind <= cnp.NPY_CLONGDOUBLE or kind == NPY_HALF or kind >= 256


cpdef bint same_type(object a, object b):
    """Whether two arrays have one element type."""
    return cnp.PyArray_TYPE(<cnp.ndarray>a) == cnp.PyArray_TYPE(<cnp.ndarray>b)


cpdef bint is_complex(object a):
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>a)
    return cnp.NPY_CFLOAT <= kind <= cnp.NPY_CLONGDOUBLE


cpdef object spread(object a, tuple shape, object dims, bint keepdim):
    """A reduced array as a view at the shape before the reduction over `dims` (None: all), those repeated by stride 0."""
    cdef cnp.ndarray x = <cnp.ndarray>a, view
    cdef cnp.npy_intp sizes[64]
    cdef cnp.npy_intp steps[64]
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


cdef object _view_of(cnp.ndarray x, int nd, cnp.npy_intp* dims, cnp.npy_intp* strides):
    cdef cnp.dtype descr = x.descr
    Py_INCREF(descr)
    cdef cnp.ndarray view = PyArray_NewFromDescr(<PyTypeObject*>cnp.ndarray, descr, nd, dims, strides, cnp.PyArray_DATA(x),
                                                 cnp.PyArray_FLAGS(x) & cnp.NPY_ARRAY_WRITEABLE, None)
    cnp.set_array_base(view, x)
    return view


cpdef object reshape(object a, object shape):
    """The view of a contiguous array with another shape, one -1 worked out; None for what needs a closer look."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[32]
    cdef Py_ssize_t size
    cdef cnp.npy_intp known = 1, n = cnp.PyArray_SIZE(x)
    cdef int nd, d, free = -1
    if not isinstance(shape, tuple) or not cnp.PyArray_IS_C_CONTIGUOUS(x) or n == 0:
        return None
    nd = len(<tuple>shape)
    if nd > 32:
        return None
    for d in range(nd):
        item = (<tuple>shape)[d]
        if type(item) is not int:
            return None
        size = item
        dims[d] = size
        if size == -1 and free < 0:
            free = d
        elif size <= 0:
            return None
        else:
            known *= size
    if free >= 0:
        if n % known:
            return None
        dims[free] = n // known
    elif known != n:
        return None
    return _view_of(x, nd, dims, NULL)


cpdef object unsqueeze(object a, int dim):
    """The view with a dimension of length 1 put in; `dim` is in range."""
    cdef cnp.ndarray x = <cnp.ndarray>a
    cdef cnp.npy_intp dims[33]
    cdef cnp.npy_intp strides[33]
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
    cdef cnp.npy_intp dims[32]
    cdef cnp.npy_intp strides[32]
    cdef int own = cnp.PyArray_NDIM(x), nd, d, e
    cdef Py_ssize_t size
    if not isinstance(sizes, tuple):
        return None
    nd = len(<tuple>sizes)
    if nd > 32 or nd < own:
        return None
    for d in range(nd - 1, -1, -1):
        item = (<tuple>sizes)[d]
        if type(item) is not int:
            return None
        size = item
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
    return _view_of(x, nd, dims, strides)


cpdef bint keeps_alone(object a, object like):
    """Whether an array owns its memory and has the strides of another of its shape."""
    cdef cnp.ndarray x = <cnp.ndarray>a, y = <cnp.ndarray>like
    cdef int d
    if cnp.PyArray_BASE(x) != NULL or cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return False
    for d in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_STRIDES(x)[d] != cnp.PyArray_STRIDES(y)[d]:
            return False
    return True


cdef inline int _dim(object value, int ndim):
    """A dimension counted from the front; -1 for anything but an int in range."""
    cdef Py_ssize_t d
    if type(value) is not int:
        return -1
    d = value
    if d < 0:
        d += ndim
    return <int>d if 0 <= d < ndim else -1


cpdef object view(int code, object a, list values):
    """The view that op `code` of VIEWS makes of an array; values are the op's, the first one the tensor itself.

    None for what the op's own forward must look at, wrong arguments among it.
    """
    cdef int i, j, ndim = cnp.PyArray_NDIM(<cnp.ndarray>a)
    if code == 1:
        i, j = _dim(values[1], ndim), _dim(values[2], ndim)
        return None if i < 0 or j < 0 else transpose(a, i, j)
    if code == 2:
        return transpose(a, 0, 1) if ndim == 2 else None
    if code == 3:
        i = _dim(values[1], ndim + 1)
        return None if i < 0 else unsqueeze(a, i)
    if code == 4:
        return reshape(a, values[1])
    return expand(a, values[1])


cpdef bint copy_into(object target, object source):
    """Overwrite a contiguous array with another of its shape and type; False when that isn't what they are."""
    cdef cnp.ndarray x = <cnp.ndarray>target, y = <cnp.ndarray>source
    if not cnp.PyArray_ISCARRAY(x) or not cnp.PyArray_ISCARRAY_RO(y) or not same_layout(x, y):
        return False
    memcpy(cnp.PyArray_DATA(x), cnp.PyArray_DATA(y), cnp.PyArray_NBYTES(x))
    return True


cpdef bint overlaps(object a):
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
