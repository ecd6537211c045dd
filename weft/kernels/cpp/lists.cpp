// Reading lists of arrays, and two things that are done to whole lists: elementwise updates and sums of squares.
#include "lists.h"

#include <atomic>
#include <cstring>

namespace weft {
namespace {

bool is_list(PyObject* o) { return PyList_Check(o) || PyTuple_Check(o); }

// every place between the first and the last element is used once, in some order of the dimensions
bool is_dense(PyArrayObject* a) {
    if (PyArray_IS_C_CONTIGUOUS(a) || PyArray_IS_F_CONTIGUOUS(a)) return true;
    const int nd = PyArray_NDIM(a);
    if (nd > MAX_DIMS) return false;
    int order[MAX_DIMS];
    for (int d = 0; d < nd; d++) {      // by stride, the smallest first
        int at = d;
        for (; at > 0 && PyArray_STRIDE(a, order[at - 1]) > PyArray_STRIDE(a, d); at--) order[at] = order[at - 1];
        order[at] = d;
    }
    npy_intp expected = PyArray_ITEMSIZE(a);
    for (int i = 0; i < nd; i++) {
        if (PyArray_DIM(a, order[i]) == 1) continue;
        if (PyArray_STRIDE(a, order[i]) != expected) return false;
        expected *= PyArray_DIM(a, order[i]);
    }
    return true;
}

bool same_shape(PyArrayObject* a, PyArrayObject* b) {
    return PyArray_NDIM(a) == PyArray_NDIM(b) &&
           std::equal(PyArray_DIMS(a), PyArray_DIMS(a) + PyArray_NDIM(a), PyArray_DIMS(b));
}

// equal places in memory order are equal elements; both are dense
bool same_layout(PyArrayObject* a, PyArrayObject* b) {
    if (PyArray_IS_C_CONTIGUOUS(a) && PyArray_IS_C_CONTIGUOUS(b)) return true;
    for (int d = 0; d < PyArray_NDIM(a); d++)
        if (PyArray_DIM(a, d) != 1 &&
            PyArray_STRIDE(a, d) / PyArray_ITEMSIZE(a) != PyArray_STRIDE(b, d) / PyArray_ITEMSIZE(b))
            return false;
    return is_dense(b);
}

// memory that two arrays share in part; the same array twice is fine, since elements are read before they are written
bool half_shared(const char* a, int64_t a_bytes, const char* b, int64_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes && (a != b || a_bytes != b_bytes);
}

}  // namespace

bool Lists::read_item(PyObject* const* arrays, Item& item) {
    PyArrayObject* first = nullptr;
    bool doubles = false, floats = true, only = true, uniform = true;
    for (int k = 0; k < lists_given; k++) {
        item.data[k] = nullptr;
        item.type[k] = OTHER;
        if (!arrays[k]) continue;
        if (!PyArray_CheckExact(arrays[k])) return false;
        auto* a = reinterpret_cast<PyArrayObject*>(arrays[k]);
        const int type = type_of(a);
        const bool is_written = written_mask & WRITTEN(k);
        if (type > BF16 || !PyArray_ISBEHAVED_RO(a) || (is_written && !PyArray_ISWRITEABLE(a))) return false;
        if (!first) {
            first = a;
            if (!is_dense(a)) return false;
            item.size = PyArray_SIZE(a);
        } else if (!same_shape(first, a)) {
            return false;
        } else if (!same_layout(first, a)) {
            if (is_written) return false;
            PyArray_Descr* descr = PyArray_DESCR(a);
            Py_INCREF(descr);
            PyObject* copy = PyArray_NewLikeArray(first, NPY_KEEPORDER, descr, 0);
            if (!copy) { PyErr_Clear(); return false; }
            copies.push_back(copy);
            if (PyArray_CopyInto(reinterpret_cast<PyArrayObject*>(copy), a) < 0) { PyErr_Clear(); return false; }
            a = reinterpret_cast<PyArrayObject*>(copy);
            if (!same_layout(first, a)) return false;
        }
        item.data[k] = static_cast<char*>(PyArray_DATA(a));
        item.type[k] = uint8_t(type);
        doubles = doubles || type == F64;
        only = only && type == F64;
        floats = floats && type == F32;
        uniform = uniform && type == type_of(first);
    }
    if (doubles && !only) return false;
    item.is_double = doubles;
    item.plain = doubles || floats;
    item.uniform = uniform;
    for (int k = 0; k < lists_given; k++)
        for (int j = 0; j < lists_given; j++)
            if (j != k && (written_mask & WRITTEN(k)) && item.data[k] && item.data[j] &&
                half_shared(item.data[k], item.size * ITEM_SIZE[item.type[k]], item.data[j],
                            item.size * ITEM_SIZE[item.type[j]]))
                return false;
    return true;
}

bool Lists::read(std::initializer_list<PyObject*> lists, unsigned written) {
    PyObject* given[MOST_LISTS];
    lists_given = 0;
    written_mask = written;
    Py_ssize_t n = -1;
    for (PyObject* list : lists) {
        if (list != Py_None) {
            if (!is_list(list) || (n >= 0 && PySequence_Fast_GET_SIZE(list) != n)) return false;
            n = PySequence_Fast_GET_SIZE(list);
        }
        given[lists_given++] = list;
    }
    if (n < 0 || given[0] == Py_None) return false;
    items.resize(size_t(n));
    start.resize(size_t(n) + 1);
    start[0] = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject* arrays[MOST_LISTS];
        for (int k = 0; k < lists_given; k++)
            arrays[k] = given[k] == Py_None ? nullptr : PySequence_Fast_GET_ITEM(given[k], i);
        if (!read_item(arrays, items[size_t(i)])) return false;
        start[size_t(i) + 1] = start[size_t(i)] + items[size_t(i)].size;
    }
    return true;
}

namespace {

// Elementwise: the value from x, y, z (elements of lists) and s (a number). Names as Python gives them.
enum Code {
    ADD,
    ADD_SCALAR,
    MUL,
    MUL_SCALAR,
    DIV,
    DIV_SCALAR,
    ADDCMUL,
    ADDCDIV,
    LERP,
    MAXIMUM,
    MINIMUM,
    SQRT,
    NEG,
    ABS,
    RECIPROCAL,
    RSQRT,
    ZERO,
    COPY,
    CODES
};
constexpr const char* NAMES[CODES] = {"add",     "add_scalar", "mul",        "mul_scalar", "div",     "div_scalar",
                                      "addcmul", "addcdiv",    "lerp",       "maximum",    "minimum", "sqrt",
                                      "neg",     "abs",        "reciprocal", "rsqrt",      "zero",    "copy"};
constexpr int READS[CODES] = {2, 1, 2, 1, 2, 1, 3, 3, 2, 2, 2, 1, 1, 1, 1, 1, 0, 1};      // how many of x, y, z

template <int CODE, class T> inline T value(T x, T y, T z, T s) {
    if constexpr (CODE == ADD) return x + s * y;
    if constexpr (CODE == ADD_SCALAR) return x + s;
    if constexpr (CODE == MUL) return x * y;
    if constexpr (CODE == MUL_SCALAR) return x * s;
    if constexpr (CODE == DIV) return x / y;
    if constexpr (CODE == DIV_SCALAR) return x / s;
    if constexpr (CODE == ADDCMUL) return x + s * y * z;
    if constexpr (CODE == ADDCDIV) return x + s * y / z;
    if constexpr (CODE == LERP) return std::abs(s) < T(0.5) ? x + s * (y - x) : y - (y - x) * (T(1) - s);
    if constexpr (CODE == MAXIMUM) return x > y || x != x ? x : y;
    if constexpr (CODE == MINIMUM) return x < y || x != x ? x : y;
    if constexpr (CODE == SQRT) return std::sqrt(x);
    if constexpr (CODE == NEG) return -x;
    if constexpr (CODE == ABS) return std::abs(x);
    if constexpr (CODE == RECIPROCAL) return T(1) / x;
    if constexpr (CODE == RSQRT) return T(1) / std::sqrt(x);
    if constexpr (CODE == ZERO) return T(0);
    if constexpr (CODE == COPY) return x;
}

template <int CODE> struct Elementwise {
    const double* scalars;      // one for each item
    template <class T> void operator()(int64_t i, T* const* lists, int64_t n) const {
        T* out = lists[0];
        const T s = T(scalars[i]);
        const T *x = READS[CODE] > 0 ? lists[1] : nullptr, *y = READS[CODE] > 1 ? lists[2] : nullptr,
                *z = READS[CODE] > 2 ? lists[3] : nullptr;
        WEFT_INDEPENDENT
        for (int64_t j = 0; j < n; j++) out[j] = value<CODE, T>(x ? x[j] : T(0), y ? y[j] : T(0), z ? z[j] : T(0), s);
    }
};

template <int CODE = 0> void run_code(int code, const Lists& lists, const double* scalars) {
    if constexpr (CODE < CODES) {
        if (code == CODE) lists.run(Elementwise<CODE>{scalars});
        else run_code<CODE + 1>(code, lists, scalars);
    }
}

}  // namespace

// fast.foreach(name, outs, xs, ys, zs, scalars): outs[i] = name(xs[i], ys[i], zs[i], scalars[i]) elementwise; outs may
// be one of the others. Lists that `name` doesn't read are None; scalars is a number or a list of numbers. True when
// done.
KERNEL(foreach) {
    if (n != 6 || !PyUnicode_Check(args[0])) return not_taken();
    const char* name = PyUnicode_AsUTF8(args[0]);
    int code = 0;
    while (code < CODES && std::strcmp(name, NAMES[code])) code++;
    if (code == CODES) return not_taken();
    for (int k = 0; k < 3; k++)
        if ((args[2 + k] == Py_None) != (k >= READS[code])) return not_taken();
    Lists lists;
    if (!lists.read({args[1], args[2], args[3], args[4]}, WRITTEN(0))) return not_taken();
    for (const Item& item : lists.items)
        if (!item.uniform) return not_taken();      // the reference knows how types are promoted
    std::vector<double> scalars(size_t(lists.count()), 0.0);
    double single;
    if (is_list(args[5])) {
        if (PySequence_Fast_GET_SIZE(args[5]) != lists.count()) return not_taken();
        for (int64_t i = 0; i < lists.count(); i++)
            if (!read_one(PySequence_Fast_GET_ITEM(args[5], i), scalars[size_t(i)])) return not_taken();
    } else {
        if (!read_one(args[5], single)) return not_taken();
        std::fill(scalars.begin(), scalars.end(), single);
    }
    {
        Unlocked gil(lists.total());
        run_code(code, lists, scalars.data());
    }
    Py_RETURN_TRUE;
}

namespace {

constexpr int64_t CHUNK = 32768;        // elements of one task of a sum: a border that doesn't depend on the threads

// the sum of squares of at most CHUNK elements, in double: blocks in four vectors, the blocks' sums in order
double squares(const double* x, int64_t n) {
    constexpr int L = LANES<double>, STEP = 4 * L;
    double total = 0;
    for (int64_t block = 0; block < n; block += 512) {
        const int64_t end = std::min<int64_t>(n, block + 512);
        vd sum[4] = {};
        int64_t i = block;
        for (; i + STEP <= end; i += STEP)
            for (int k = 0; k < 4; k++) { const vd v = load(x + i + k * L); sum[k] += v * v; }
        double rest = 0;
        for (; i < end; i++) rest += x[i] * x[i];
        total += sum_lanes<vd>((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
    }
    return total;
}
double squares(const float* x, int64_t n) {
    typedef float half_vf __attribute__((vector_size(VECTOR_BYTES / 2)));
    constexpr int L = LANES<double>, STEP = 4 * L;
    vd sum[4] = {};
    int64_t i = 0;
    for (; i + STEP <= n; i += STEP)
        for (int k = 0; k < 4; k++) {
            half_vf v;
            std::memcpy(&v, x + i + k * L, sizeof v);
            const vd wide = __builtin_convertvector(v, vd);
            sum[k] += wide * wide;
        }
    double rest = 0;
    for (; i < n; i++) rest += double(x[i]) * double(x[i]);
    return sum_lanes<vd>((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

double chunk_of(const Item& item, int64_t begin, int64_t end) {
    if (item.is_double) return squares(reinterpret_cast<const double*>(item.data[0]) + begin, end - begin);
    if (item.plain) return squares(reinterpret_cast<const float*>(item.data[0]) + begin, end - begin);
    const uint16_t* halves = reinterpret_cast<const uint16_t*>(item.data[0]);
    float buffer[512];
    double total = 0;
    for (int64_t at = begin; at < end; at += 512) {
        const int64_t count = std::min<int64_t>(512, end - at);
        (item.type[0] == F16 ? floats_of_halves : floats_of_bfloats)(halves + at, buffer, count);
        total += squares(buffer, count);
    }
    return total;
}

double pairwise(const double* x, int64_t n) {
    if (n <= 8) {
        double total = 0;
        for (int64_t i = 0; i < n; i++) total += x[i];
        return total;
    }
    return pairwise(x, n / 2) + pairwise(x + n / 2, n - n / 2);
}

}  // namespace

// fast.sums_of_squares(arrays): a float64 array of one sum for each of them, accumulated in double
KERNEL(sums_of_squares) {
    Lists lists;
    if (n != 1 || !lists.read({args[0]}, 0)) return not_taken();
    std::vector<int64_t> first(size_t(lists.count()) + 1, 0);       // each item's first chunk
    for (int64_t i = 0; i < lists.count(); i++)
        first[size_t(i) + 1] = first[size_t(i)] + (lists.items[size_t(i)].size + CHUNK - 1) / CHUNK;
    const int64_t chunks = first.back();
    std::vector<double> parts(size_t(chunks), 0.0);
    const intptr_t shape[1] = {intptr_t(lists.count())};
    PyObject* made = new_array(1, shape, F64);
    if (!made) return nullptr;
    double* sums = data_of<double>(made);
    Unlocked gil(lists.total());
    parallel(chunks, lists.total() < 2 * CHUNK ? chunks : 1, [&](int64_t begin, int64_t end) {
        size_t i = size_t(std::upper_bound(first.begin(), first.end(), begin) - first.begin()) - 1;
        for (int64_t c = begin; c < end; c++) {
            while (c >= first[i + 1]) i++;
            const int64_t from = (c - first[i]) * CHUNK;
            parts[size_t(c)] = chunk_of(lists.items[i], from, std::min(lists.items[i].size, from + CHUNK));
        }
    });
    for (int64_t i = 0; i < lists.count(); i++)
        sums[i] = pairwise(parts.data() + first[size_t(i)], first[size_t(i) + 1] - first[size_t(i)]);
    return made;
}

// fast.unscale(arrays, factor): multiplies all of them in place; whether one of them held an inf or a NaN
KERNEL(unscale) {
    Lists lists;
    double factor;
    if (n != 2 || !read_one(args[1], factor) || !lists.read({args[0]}, WRITTEN(0))) return not_taken();
    std::atomic<bool> found{false};
    {
        Unlocked gil(lists.total());
        lists.run([&]<class T>(int64_t, T* const* x, int64_t count) {
            using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
            const T by = T(factor);
            const Bits exponent = bits<Bits>(std::numeric_limits<T>::infinity());     // all of it set: inf or NaN
            T* a = x[0];
            Bits odd = 0;
            for (int64_t j = 0; j < count; j++) {
                odd |= Bits((bits<Bits>(a[j]) & exponent) == exponent);
                a[j] = a[j] * by;
            }
            if (odd) found.store(true, std::memory_order_relaxed);
        });
    }
    return PyBool_FromLong(found.load());
}

}  // namespace weft
