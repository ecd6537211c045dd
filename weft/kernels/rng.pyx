# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# distutils: language = c++
"""The Mersenne Twister of `rng.h` as an engine for `core.random.Generator`: arrays out, or None for a case
that it doesn't take.

`rng.py` beside this file is its twin in plain Python, which has no engine, so that the NumPy one of
`core/random.py` runs.
"""
cimport numpy as cnp
from cpython.float cimport PyFloat_AsDouble
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, intptr_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
cnp.import_array()

import numpy as np

from weft.kernels import fast

cdef extern from "rng.h" namespace "weft" nogil:
    cdef cppclass Mutex "std::mutex":
        bint try_lock()
        void lock()
        void unlock()
    cdef cppclass Twister:
        uint32_t key[624]
        int at
        bint rewound, has_normal
        double normal
        Mutex busy
        void seed(uint32_t value)
        void load(const uint32_t* words, int position)
        double uniform()
        double normal64()
        void fill32(uint32_t* out, intptr_t n)
        void fill64(uint64_t* out, intptr_t n)
        void uniforms(float* out, intptr_t n, double low, double high)
        void uniforms(double* out, intptr_t n, double low, double high)
        void normals[T](T* out, intptr_t n, double mean, double std)
        void serial_normals(double* out, intptr_t n)
        void integers[T](T* out, intptr_t n, int64_t low, uint64_t span, bint wide)
        void chances[T](T* out, intptr_t n, int64_t threshold)
        void chances_by[T](T* out, const float* p, intptr_t n)
        void chances_by[T](T* out, const double* p, intptr_t n)
        void permutation[T](T* order, intptr_t n)
        void transformed[T](int kind, T* out, intptr_t n, double a, double b)
        void poissons(const double* rate, double* out, intptr_t n)
        void gammas(const double* power, const double* d, double* out, intptr_t n)
        void binomials(const double* rows, double* out, intptr_t n)

cdef extern from "numpy/arrayobject.h":
    object PyArray_SimpleNew(int nd, cnp.npy_intp* dims, int typenum)

cdef enum:
    LONG = 20000        # numbers from which on other threads may run meanwhile

cdef double LARGEST32 = 3.4028234663852886e38, LARGEST64 = 1.7976931348623157e308
cdef dict KINDS = {"exponential": 0, "cauchy": 1, "geometric": 2, "log_normal": 3}


cdef inline int _kind(object dtype):
    if not isinstance(dtype, cnp.dtype):
        dtype = np.dtype(dtype)
    return (<cnp.dtype>dtype).type_num


cdef object _target(object shape, object dtype, object out):
    """The array to fill, in one piece; None where it isn't one, is empty, or is none that can be."""
    cdef cnp.npy_intp dims[32]
    cdef int nd, d
    cdef Py_ssize_t size
    cdef double total = 1
    if out is not None:
        if (not cnp.PyArray_CheckExact(out) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>out)
                or not cnp.PyArray_ISBEHAVED(<cnp.ndarray>out) or cnp.PyArray_SIZE(<cnp.ndarray>out) == 0):
            return None
        return out
    nd = len(shape)
    if nd > 32:
        return None
    for d in range(nd):
        size = shape[d]
        if size <= 0:
            return None
        dims[d] = size
        total *= size
    if total > 1e12:
        return None
    if total > LONG:        # from the cache: NumPy's memory would be fresh pages each time
        made = fast.uninitialised(tuple(shape), _kind(dtype))
        if made is not None:
            return made
    return PyArray_SimpleNew(nd, dims, _kind(dtype))


cdef inline cnp.ndarray _flat(intptr_t n, int kind):
    cdef cnp.npy_intp dims[1]
    dims[0] = n
    return PyArray_SimpleNew(1, dims, kind)


cdef class Engine:
    """A Mersenne Twister with its kept second normal."""
    cdef Twister twister

    cdef inline void enter(self):
        if not self.twister.busy.try_lock():
            with nogil:
                self.twister.busy.lock()

    cdef inline void leave(self):
        self.twister.busy.unlock()

    # the state

    def seed(self, uint64_t seed):
        self.enter()
        self.twister.seed(<uint32_t>(seed & 0xffffffffu))
        self.leave()

    def get(self):
        """(the 624 words, the place of the next one)"""
        cdef cnp.ndarray key = _flat(624, cnp.NPY_UINT32)
        self.enter()
        memcpy(cnp.PyArray_DATA(key), self.twister.key, 624 * 4)
        cdef int at = self.twister.at
        self.leave()
        return key, at

    def set(self, key, int at):
        cdef cnp.ndarray words = np.ascontiguousarray(key, np.uint32)
        if cnp.PyArray_SIZE(words) != 624 or not 0 <= at <= 624:
            raise ValueError("the state of a Mersenne Twister has 624 words and a place among them")
        self.enter()
        self.twister.load(<const uint32_t*>cnp.PyArray_DATA(words), at)
        self.leave()

    @property
    def rewound(self):
        return bool(self.twister.rewound)

    @rewound.setter
    def rewound(self, bint value):
        self.twister.rewound = value

    @property
    def normal(self):
        return self.twister.normal if self.twister.has_normal else None

    @normal.setter
    def normal(self, value):
        self.twister.has_normal = value is not None
        if value is not None:
            self.twister.normal = value

    # plain streams

    def bits32(self, intptr_t n):
        cdef cnp.ndarray out = _flat(n, cnp.NPY_UINT32)
        self.enter()
        self.twister.fill32(<uint32_t*>cnp.PyArray_DATA(out), n)
        self.leave()
        return out

    def bits64(self, intptr_t n):
        cdef cnp.ndarray out = _flat(n, cnp.NPY_UINT64)
        self.enter()
        self.twister.fill64(<uint64_t*>cnp.PyArray_DATA(out), n)
        self.leave()
        return out

    def floats(self, intptr_t n):
        cdef cnp.ndarray out = _flat(n, cnp.NPY_FLOAT)
        self.fill_uniform(out, 0, 1)
        return out

    def doubles(self, intptr_t n):
        cdef cnp.ndarray out = _flat(n, cnp.NPY_DOUBLE)
        self.fill_uniform(out, 0, 1)
        return out

    def normals(self, intptr_t n):
        """float64 normals of the serial path."""
        cdef cnp.ndarray out = _flat(n, cnp.NPY_DOUBLE)
        self.enter()
        self.twister.serial_normals(<double*>cnp.PyArray_DATA(out), n)
        self.leave()
        return out

    # uniform and normal

    cdef bint fill_uniform(self, cnp.ndarray out, double low, double high):
        cdef intptr_t n = cnp.PyArray_SIZE(out)
        cdef void* data = cnp.PyArray_DATA(out)
        cdef bint single = cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT
        self.enter()
        if n >= LONG:
            with nogil:
                if single:
                    self.twister.uniforms(<float*>data, n, low, high)
                else:
                    self.twister.uniforms(<double*>data, n, low, high)
        elif single:
            self.twister.uniforms(<float*>data, n, low, high)
        else:
            self.twister.uniforms(<double*>data, n, low, high)
        self.leave()
        return True

    def uniform(self, shape, dtype, low, high, out):
        cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>out) if out is not None else _kind(dtype)
        if kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE:
            return None
        cdef double most = LARGEST32 if kind == cnp.NPY_FLOAT else LARGEST64
        cdef double a = PyFloat_AsDouble(low), b = PyFloat_AsDouble(high)
        if not (-most <= a and a <= b and b <= most and b - a <= most):
            return None
        made = _target(shape, dtype, out)
        if made is not None:
            self.fill_uniform(<cnp.ndarray>made, a, b)
        return made

    def narrow(self, values, out):
        """Write float32 numbers into memory of a half type."""
        if fast.cast_to(out, values) is None:
            out[...] = values

    def normal_fill(self, shape, dtype, mean, std, out):
        cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>out) if out is not None else _kind(dtype)
        if kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE:
            return None
        cdef double m = PyFloat_AsDouble(mean), s = PyFloat_AsDouble(std)
        if not s >= 0:
            return None
        made = _target(shape, dtype, out)
        if made is None:
            return None
        cdef cnp.ndarray target = <cnp.ndarray>made
        cdef intptr_t n = cnp.PyArray_SIZE(target)
        cdef void* data = cnp.PyArray_DATA(target)
        self.enter()
        if n >= LONG:
            with nogil:
                if kind == cnp.NPY_FLOAT:
                    self.twister.normals(<float*>data, n, m, s)
                else:
                    self.twister.normals(<double*>data, n, m, s)
        elif kind == cnp.NPY_FLOAT:
            self.twister.normals(<float*>data, n, m, s)
        else:
            self.twister.normals(<double*>data, n, m, s)
        self.leave()
        return made

    # integers

    def integers(self, shape, dtype, low, span, bint wide, out):
        """low + draw % span, with 64-bit draws where `wide`; a span of 0 stands for 2**64."""
        made = _target(shape, dtype, out)
        if made is None:
            return None
        cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>made)
        cdef intptr_t n = cnp.PyArray_SIZE(<cnp.ndarray>made)
        cdef void* data = cnp.PyArray_DATA(<cnp.ndarray>made)
        cdef int64_t a = low
        cdef uint64_t b = span
        if (not wide and b == 0) or (kind != cnp.NPY_INT64 and kind != cnp.NPY_INT32 and kind != cnp.NPY_INT16
                                         and kind != cnp.NPY_INT8
                                     and kind != cnp.NPY_UINT8 and kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE):
            return None
        self.enter()
        if kind == cnp.NPY_INT64:
            self.twister.integers(<int64_t*>data, n, a, b, wide)
        elif kind == cnp.NPY_INT32:
            self.twister.integers(<int32_t*>data, n, a, b, wide)
        elif kind == cnp.NPY_INT16:
            self.twister.integers(<int16_t*>data, n, a, b, wide)
        elif kind == cnp.NPY_INT8:
            self.twister.integers(<int8_t*>data, n, a, b, wide)
        elif kind == cnp.NPY_UINT8:
            self.twister.integers(<uint8_t*>data, n, a, b, wide)
        elif kind == cnp.NPY_FLOAT:
            self.twister.integers(<float*>data, n, a, b, wide)
        else:
            self.twister.integers(<double*>data, n, a, b, wide)
        self.leave()
        return made

    def permutation(self, intptr_t n):
        """0 .. n - 1 in random order, as int64; n >= 2."""
        cdef cnp.ndarray out = _flat(n, cnp.NPY_INT64), narrow
        cdef int64_t* wide = <int64_t*>cnp.PyArray_DATA(out)
        cdef int32_t* places
        cdef intptr_t i
        if n < 4096 or n > 0x7fffffff:
            self.enter()
            self.twister.permutation(wide, n)
            self.leave()
            return out
        narrow = _flat(n, cnp.NPY_INT32)        # half the memory to jump about in
        places = <int32_t*>cnp.PyArray_DATA(narrow)
        self.enter()
        with nogil:
            self.twister.permutation(places, n)
            for i in range(n):
                wide[i] = places[i]
        self.leave()
        return out

    # yes or no

    def chances(self, shape, dtype, int64_t threshold, out):
        """1 where a draw of 53 bits is below the threshold, else 0."""
        made = _target(shape, dtype, out)
        if made is None:
            return None
        cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>made)
        cdef intptr_t n = cnp.PyArray_SIZE(<cnp.ndarray>made)
        cdef void* data = cnp.PyArray_DATA(<cnp.ndarray>made)
        if kind not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_INT64, cnp.NPY_BOOL, cnp.NPY_UINT8, cnp.NPY_INT32):
            return None
        self.enter()
        if kind == cnp.NPY_FLOAT:
            self.twister.chances(<float*>data, n, threshold)
        elif kind == cnp.NPY_DOUBLE:
            self.twister.chances(<double*>data, n, threshold)
        elif kind == cnp.NPY_INT64:
            self.twister.chances(<int64_t*>data, n, threshold)
        elif kind == cnp.NPY_INT32:
            self.twister.chances(<int32_t*>data, n, threshold)
        else:
            self.twister.chances(<uint8_t*>data, n, threshold)
        self.leave()
        return made

    def chances_by(self, p, out):
        """1 with the probability in `p`, a float array of the result's shape that was checked; both in one piece."""
        if (not cnp.PyArray_CheckExact(p) or not cnp.PyArray_CheckExact(out)
                or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>p)
                or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray>p) or _target(None, None, out) is None):
            return None
        cdef cnp.ndarray chance = <cnp.ndarray>p, target = <cnp.ndarray>out
        cdef int wide = cnp.PyArray_TYPE(chance), kind = cnp.PyArray_TYPE(target)
        cdef intptr_t n = cnp.PyArray_SIZE(target)
        cdef void* source = cnp.PyArray_DATA(chance)
        cdef void* data = cnp.PyArray_DATA(target)
        if cnp.PyArray_SIZE(chance) != n or wide != kind or (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE):
            return None
        cdef intptr_t i
        cdef bint fine = True
        if kind == cnp.NPY_FLOAT:
            for i in range(n):
                fine = fine and (<float*>source)[i] >= 0 and (<float*>source)[i] <= 1
        else:
            for i in range(n):
                fine = fine and (<double*>source)[i] >= 0 and (<double*>source)[i] <= 1
        if not fine:
            return None
        self.enter()
        if kind == cnp.NPY_FLOAT:
            self.twister.chances_by(<float*>data, <const float*>source, n)
        else:
            self.twister.chances_by(<double*>data, <const double*>source, n)
        self.leave()
        return out

    # other distributions; the parameters were checked

    def transformed(self, name, shape, dtype, double a, double b, out):
        made = _target(shape, dtype, out)
        if made is None:
            return None
        cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>made), code = KINDS[name]
        cdef intptr_t n = cnp.PyArray_SIZE(<cnp.ndarray>made)
        cdef void* data = cnp.PyArray_DATA(<cnp.ndarray>made)
        if kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE and kind != cnp.NPY_INT64:
            return None
        self.enter()
        with nogil:
            if kind == cnp.NPY_FLOAT:
                self.twister.transformed(code, <float*>data, n, a, b)
            elif kind == cnp.NPY_DOUBLE:
                self.twister.transformed(code, <double*>data, n, a, b)
            else:
                self.twister.transformed(code, <int64_t*>data, n, a, b)
        self.leave()
        return made

    def poisson(self, rate):
        """Counts for a flat float64 array of rates that were checked."""
        cdef cnp.ndarray given = np.ascontiguousarray(rate, np.float64)
        cdef intptr_t n = cnp.PyArray_SIZE(given)
        cdef cnp.ndarray out = _flat(n, cnp.NPY_DOUBLE)
        cdef void* source = cnp.PyArray_DATA(given)
        cdef void* data = cnp.PyArray_DATA(out)
        self.enter()
        with nogil:
            self.twister.poissons(<const double*>source, <double*>data, n)
        self.leave()
        return out

    def gamma(self, power, d):
        """Gamma numbers by flat float64 arrays of Marsaglia and Tsang's d and of the power for small shapes."""
        cdef cnp.ndarray first = np.ascontiguousarray(power, np.float64), second = np.ascontiguousarray(d, np.float64)
        cdef intptr_t n = cnp.PyArray_SIZE(first)
        cdef cnp.ndarray out = _flat(n, cnp.NPY_DOUBLE)
        cdef void* a = cnp.PyArray_DATA(first)
        cdef void* b = cnp.PyArray_DATA(second)
        cdef void* data = cnp.PyArray_DATA(out)
        self.enter()
        with nogil:
            self.twister.gammas(<const double*>a, <const double*>b, <double*>data, n)
        self.leave()
        return out

    def binomial(self, columns):
        """Successes for eight columns of parameters; see `random_math.binomial`."""
        cdef cnp.ndarray rows = np.stack([np.asarray(column, np.float64).reshape(-1) for column in columns], 1)
        cdef intptr_t n = cnp.PyArray_DIMS(rows)[0]
        cdef cnp.ndarray out = _flat(n, cnp.NPY_DOUBLE)
        cdef void* source = cnp.PyArray_DATA(rows)
        cdef void* data = cnp.PyArray_DATA(out)
        self.enter()
        with nogil:
            self.twister.binomials(<const double*>source, <double*>data, n)
        self.leave()
        return out
