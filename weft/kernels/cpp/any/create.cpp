// New arrays: uninitialised, of one value, and of evenly spaced numbers.
#include <cmath>

#include "moves.h"
#include "vec.h"

namespace weft {
namespace {

// bytes from which zeros come cheaper as fresh pages from the system
constexpr int64_t FRESH = int64_t(128) << 20;

// the number of elements; -1 for lengths that there can't be
int64_t size_of(const Ints& shape, intptr_t* dims) {
    int64_t size = 1;
    for (int d = 0; d < shape.count; d++) {
        if (shape[d] < 0 || __builtin_mul_overflow(size, shape[d], &size)) return -1;
        dims[d] = shape[d];
    }
    return size;
}

// A product that is rounded before it is added to: the compiler would fuse the two.
inline vd rounded(vd product) {
#if defined(__AVX512F__)
    asm("" : "+v"(product));
#elif defined(__x86_64__)
    asm("" : "+x"(product));
#elif defined(__aarch64__)
    asm("" : "+w"(product));
#else
    asm("" : "+m"(product));
#endif
    return product;
}

// start + i * gap: rounded once for float64, the product first for float32 (whose result is rounded again)
template <class T> inline vd step_from(vd i, double gap, vd start) {
    if constexpr (sizeof(T) == 4) {
        return rounded(i * gap) + start;
    } else {
        vd made;
        for (int k = 0; k < LANES<double>; k++) made[k] = std::fma(i[k], gap, start[k]);
        return made;
    }
}

template <class T> inline T step_from(double i, double gap, double start) {
    return T(step_from<T>(splat<double>(i), gap, splat<double>(start))[0]);
}

inline vd ramp() {
    vd made;
    for (int k = 0; k < LANES<double>; k++) made[k] = k;
    return made;
}

// out[k] = start + (first + k * by) * gap for k in [0, n)
template <class T> void write_line(T* out, int64_t n, double start, double first, double by, double gap) {
    int64_t k = 0;
    for (; k + LANES<double> <= n; k += LANES<double>) {
        const vd made = step_from<T>((ramp() + double(k)) * by + first, gap, splat<double>(start));
        for (int j = 0; j < LANES<double>; j++) out[k + j] = T(made[j]);
    }
    for (; k < n; k++) out[k] = step_from<T>(double(k) * by + first, gap, start);
}

}  // namespace

// zeros(shape, NumPy's number of a type)
KERNEL(zeros) {
    Ints shape;
    int64_t number;
    intptr_t dims[MAX_DIMS];
    if (!read(args, n, shape, number) || number > 4096) return not_taken();
    const int64_t size = size_of(shape, dims);
    if (size < 0 || size >= FRESH / 2 || (number > NPY_CLONGDOUBLE && number != NPY_HALF && number < NPY_USERDEF))
        return not_taken();
    auto* out = static_cast<PyObject*>(host->new_array(shape.count, dims, int(number)));
    if (!out) return nullptr;
    const int64_t bytes = PyArray_NBYTES(reinterpret_cast<PyArrayObject*>(out));
    if (bytes <= 65536) { std::memset(data_of<char>(out), 0, size_t(bytes)); return out; }
    if (bytes > FRESH) { Py_DECREF(out); return not_taken(); }
    Unlocked gil(bytes);
    const char zero = 0;
    fill_plain(data_of<char>(out), &zero, bytes, 1);
    return out;
}

// uninitialised(shape, NumPy's number of a type)
KERNEL(uninitialised) {
    Ints shape;
    int64_t number;
    intptr_t dims[MAX_DIMS];
    if (!read(args, n, shape, number) || number > 4096 || size_of(shape, dims) < 0
        || (number > NPY_CLONGDOUBLE && number != NPY_HALF && number < NPY_USERDEF)) return not_taken();
    return static_cast<PyObject*>(host->new_array(shape.count, dims, int(number)));
}

// filled(shape, value): a new array of a zero-dim array's value and type
KERNEL(filled) {
    Array value;
    Ints shape;
    intptr_t dims[MAX_DIMS];
    if (!read(args, n, shape, value) || !value || value.size != 1 || !item_of(value)) return not_taken();
    const int64_t size = size_of(shape, dims);
    if (size < 0) return not_taken();
    PyObject* out = new_like(value, shape.count, dims);
    if (!out) return nullptr;
    Unlocked gil(size);
    fill_plain(data_of<char>(out), value.data, size, item_of(value));
    return out;
}

// spaced(first, gap, n, wide): first + i * gap as float32 or (wide) float64, in the steps of PyTorch: within 32 bytes
// from their own first element, itself rounded, and what is left of pairs of these from `first`
KERNEL(spaced) {
    double first, gap;
    int64_t count;
    bool wide;
    if (!read(args, n, first, gap, count, wide) || count < 0) return not_taken();
    const intptr_t shape[1] = {count};
    PyObject* out = new_array(1, shape, wide ? F64 : F32);
    if (!out) return nullptr;
    auto run = [&](auto kind) {
        using T = decltype(kind);
        constexpr int64_t BLOCK = 32 / sizeof(T);
        T* made = data_of<T>(out);
        const int64_t blocks = count / (2 * BLOCK) * 2;
        parallel(blocks, 2048, [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; b++) {
                const double start = double(step_from<T>(double(b * BLOCK), gap, first));
                for (int64_t k = 0; k < BLOCK; k += LANES<double>) {
                    const vd line = step_from<T>(ramp() + double(k), gap, splat<double>(start));
                    for (int j = 0; j < LANES<double> && k + j < BLOCK; j++) made[b * BLOCK + k + j] = T(line[j]);
                }
            }
        });
        for (int64_t i = blocks * BLOCK; i < count; i++) made[i] = step_from<T>(double(i), gap, first);
    };
    Unlocked gil(count);
    if (wide) run(double{});
    else run(float{});
    return out;
}

// counted(first, gap, n): first + i * gap as int64; the caller knows that none leaves it
KERNEL(counted) {
    int64_t first, gap, count;
    if (!read(args, n, first, gap, count) || count < 0) return not_taken();
    const intptr_t shape[1] = {count};
    PyObject* out = new_array(1, shape, I64);
    if (!out) return nullptr;
    auto* made = data_of<int64_t>(out);
    Unlocked gil(count);
    parallel(count, 16384, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) made[i] = first + i * gap;
    });
    return out;
}

// line(first, last, gap, n, wide): n numbers gap apart, the first half counted from the first, the others back from the
// last
KERNEL(line) {
    double first, last, gap;
    int64_t count;
    bool wide;
    if (!read(args, n, first, last, gap, count, wide) || count < 2) return not_taken();
    const intptr_t shape[1] = {count};
    PyObject* out = new_array(1, shape, wide ? F64 : F32);
    if (!out) return nullptr;
    auto run = [&](auto kind) {
        using T = decltype(kind);
        T* made = data_of<T>(out);
        const int64_t half = count / 2;
        parallel(half, 16384, [&](int64_t begin, int64_t end) {
            write_line<T>(made + begin, end - begin, first, double(begin), 1, gap);
        });
        parallel(count - half, 16384, [&](int64_t begin, int64_t end) {
            write_line<T>(made + half + begin, end - begin, last, double(count - half - 1 - begin), -1, -gap);
        });
    };
    Unlocked gil(count);
    if (wide) run(double{});
    else run(float{});
    return out;
}

}  // namespace weft
