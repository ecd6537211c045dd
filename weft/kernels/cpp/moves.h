// What the kernels that move elements share: elements by their size, strides in elements, indices checked against a
// length.
#pragma once
#include <algorithm>
#include <cstring>

#include "border.h"
#include "vec.h"

namespace weft {

struct Wide { uint64_t low, high; };        // sixteen bytes: complex128 and the like

// The bytes of one element where elements can be moved as plain bytes, else 0.
inline int item_of(const Array& a) {
    const int number = PyArray_TYPE(a.object);
    if (number > NPY_CLONGDOUBLE && number != NPY_HALF && number < NPY_USERDEF) return 0;
    const auto size = PyArray_ITEMSIZE(a.object);
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16 ? int(size) : 0;
}

inline bool same_kind(const Array& a, const Array& b) { return PyArray_TYPE(a.object) == PyArray_TYPE(b.object); }
inline bool writable(const Array& a) { return PyArray_ISWRITEABLE(a.object); }
// a new array of another one's type, whatever that is
inline PyObject* new_like(const Array& a, int nd, const intptr_t* shape) {
    return static_cast<PyObject*>(host->new_array(nd, shape, PyArray_TYPE(a.object)));
}

template <class F> inline void by_size(int item, F&& f) {
    switch (item) {
        case 1: f(uint8_t{}); break;
        case 2: f(uint16_t{}); break;
        case 4: f(uint32_t{}); break;
        case 8: f(uint64_t{}); break;
        default: f(Wide{}); break;
    }
}

// f(T{}) for the types that kernels do arithmetic on; false for others
template <class F> inline bool by_type(int type, F&& f) {
    switch (type) {
        case F32: f(float{}); return true;
        case F64: f(double{}); return true;
        case I64: f(int64_t{}); return true;
        case I32: f(int32_t{}); return true;
        case I16: f(int16_t{}); return true;
        case I8: f(int8_t{}); return true;
        case U8: f(uint8_t{}); return true;
        default: return false;
    }
}

// strides in elements; false where a stride is no whole number of them
inline bool element_strides(const Array& a, int item, intptr_t* to) {
    for (int d = 0; d < a.nd; d++) {
        if (a.stride[d] % item) return false;
        to[d] = a.stride[d] / item;
    }
    return true;
}

// Whether all indices lie in [0, n): the sign of i and of n - 1 - i, gathered by OR, so that the loop is a vector loop.
inline uint64_t outside(int64_t i, int64_t n) { return uint64_t(i) | (uint64_t(n) - 1 - uint64_t(i)); }
inline bool is_negative(uint64_t seen) { return seen >> 63; }
inline bool in_range(const int64_t* index, int64_t count, int64_t n) {
    uint64_t seen = 0;
    for (int64_t i = 0; i < count; i++) seen |= outside(index[i], n);
    return !is_negative(seen);
}
inline bool in_range(const int64_t* index, int64_t count, intptr_t step, int64_t n) {
    if (step == 1) return in_range(index, count, n);
    uint64_t seen = 0;
    for (int64_t i = 0; i < count; i++) seen |= outside(index[i * step], n);
    return !is_negative(seen);
}

// sums and products that wrap around, where integers do
template <class T> inline T plus(T a, T b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    else return a + b;
}
template <class T> inline T times(T a, T b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) * uint64_t(b));
    else return a * b;
}

// memcpy for rows of some KB, in whole vectors: the library's own may take the slow road of string moves there
inline void copy_bytes(char* to, const char* from, int64_t bytes) {
    if (bytes < 512 || bytes > (1 << 20)) { std::memcpy(to, from, size_t(bytes)); return; }
    constexpr int64_t V = VECTOR_BYTES, STEP = 4 * V;
    int64_t i = 0;
    for (; i + STEP <= bytes; i += STEP) {
        const auto a = load<char>(from + i), b = load<char>(from + i + V), c = load<char>(from + i + 2 * V),
                   d = load<char>(from + i + 3 * V);
        store<char>(to + i, a);
        store<char>(to + i + V, b);
        store<char>(to + i + 2 * V, c);
        store<char>(to + i + 3 * V, d);
    }
    std::memcpy(to + i, from + i, size_t(bytes - i));
}

// Where the o-th of the rows over some dimensions starts, for several arrays at once.
struct Rows {
    int nd = 0;
    intptr_t shape[MAX_DIMS];
    int64_t count = 1;
    void add(intptr_t n) { shape[nd++] = n; count *= n; }
    intptr_t at(int64_t o, const intptr_t* stride) const {
        intptr_t found = 0;
        for (int d = nd - 1; d >= 0; d--) {
            found += o % shape[d] * stride[d];
            o /= shape[d];
        }
        return found;
    }
};

// dst[...] = src[...] for `nd` dimensions with strides in bytes; threaded where it is worth it
void copy_strided(char* dst, const intptr_t* dst_stride, const char* src, const intptr_t* src_stride, int nd,
                  const intptr_t* shape, int item);
void copy_plain(char* dst, const char* src, int64_t bytes);
void fill_plain(char* dst, const char* value, int64_t count, int item);
bool overlap(const Array& a, const Array& b);       // whether their memory may be shared

}  // namespace weft
