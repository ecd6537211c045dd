// What is true: its places, the elements there, and writing there. Blocks are counted first, so that each knows where
// its part begins.
#include "moves.h"

namespace weft {
namespace {

constexpr int64_t BLOCK = 16384;

template <class T> int64_t count_true(const T* x, int64_t n) {
    int64_t found = 0;
    for (int64_t start = 0; start < n; start += 4096) {
        int32_t part = 0;
        const int64_t stop = std::min(n, start + 4096);
        for (int64_t i = start; i < stop; i++) part += x[i] != T(0);
        found += part;
    }
    return found;
}

// The number of true elements before each block of BLOCK, and of all at the end.
template <class T> struct Counted {
    const T* x;
    int64_t n, blocks;
    Scratch<int64_t> before;
    Counted(const T* x, int64_t n) : x(x), n(n), blocks((n + BLOCK - 1) / BLOCK), before(size_t(blocks) + 1) {
        parallel(blocks, 2, [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; b++)
                before[b + 1] = count_true(x + b * BLOCK, std::min(BLOCK, n - b * BLOCK));
        });
        before[0] = 0;
        for (int64_t b = 0; b < blocks; b++) before[b + 1] += before[b];
    }
    int64_t total() const { return before[blocks]; }
    // f(first element, first place of the result, its last) for each block
    template <class F> void each(F f) const {
        parallel(blocks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; b++) f(b * BLOCK, before[b], before[b + 1]);
        });
    }
};

// The places of true elements from x[start] on, counted from `number`, until out is full; stores without branching.
template <class T> void write_places(int64_t* out, int64_t count, const T* x, int64_t number) {
    for (int64_t k = 0, i = 0; k < count; i++) {
        out[k] = number + i;
        k += x[i] != T(0);
    }
}

// Coordinates of the true elements of one block, dimension by dimension: out[d][k]. Rows are runs of the last
// dimension.
template <class T>
void write_coordinates(int64_t* out, int64_t total, const T* x, int64_t start, int64_t first, int64_t stop, int nd,
                       const intptr_t* shape) {
    intptr_t at[MAX_DIMS];
    int64_t rest = start;
    for (int d = nd - 1; d >= 0; d--) { at[d] = rest % shape[d]; rest /= shape[d]; }
    int64_t* inner = out + (nd - 1) * total;
    for (int64_t k = first, i = start; k < stop;) {
        const int64_t run = shape[nd - 1] - at[nd - 1];
        const int64_t before = k;
        for (int64_t j = 0; j < run && k < stop; j++) {
            inner[k] = at[nd - 1] + j;
            k += x[i + j] != T(0);
        }
        for (int d = 0; d < nd - 1; d++) std::fill(out + d * total + before, out + d * total + k, int64_t(at[d]));
        i += run;
        at[nd - 1] = 0;
        for (int d = nd - 2; d >= 0; d--) {
            if (++at[d] < shape[d]) break;
            at[d] = 0;
        }
    }
}

// b where chosen, else a: without a branch, which random masks would mislead
template <class T> inline T either(bool chosen, T a, T b) {
    const T bits = T(0) - T(chosen);
    return T((a & T(~bits)) | (b & bits));
}
template <>
inline Wide either(bool chosen, Wide a, Wide b) {
    return {either(chosen, a.low, b.low), either(chosen, a.high, b.high)};
}

template <class F> bool by_kind(int type, F&& f) {
    if (type == BOOL) { f(uint8_t{}); return true; }
    return by_type(type, f);
}

bool same_shape(const Array& a, const Array& b) { return a.nd == b.nd && std::equal(a.shape, a.shape + a.nd, b.shape); }

}  // namespace

// true_places(x): where the elements of a C-contiguous array, seen as one row, are not zero
KERNEL(true_places) {
    Array x;
    if (!read(args, n, x) || !x || !x.contiguous) return not_taken();
    PyObject* out = nullptr;
    const bool taken = by_kind(x.type, [&](auto kind) {
        using T = decltype(kind);
        const Counted<T> counted(x.as<T>(), x.size);
        const intptr_t shape[1] = {counted.total()};
        if (!(out = new_array(1, shape, I64))) return;
        int64_t* to = data_of<int64_t>(out);
        Unlocked gil(x.size);
        counted.each([&](int64_t start, int64_t first, int64_t last) {
            write_places(to + first, last - first, x.as<T>() + start, start);
        });
    });
    return taken ? out : not_taken();
}

// nonzero(x): (dimensions, count), the coordinates of what is not zero in a C-contiguous array of one dimension or more
KERNEL(nonzero) {
    Array x;
    if (!read(args, n, x) || !x || !x.contiguous || x.nd < 1) return not_taken();
    PyObject* out = nullptr;
    const bool taken = by_kind(x.type, [&](auto kind) {
        using T = decltype(kind);
        const Counted<T> counted(x.as<T>(), x.size);
        const int64_t total = counted.total();
        const intptr_t shape[2] = {x.nd, total};
        if (!(out = new_array(2, shape, I64))) return;
        int64_t* to = data_of<int64_t>(out);
        Unlocked gil(x.size);
        counted.each([&](int64_t start, int64_t first, int64_t last) {
            write_coordinates(to, total, x.as<T>(), start, first, last, x.nd, x.shape);
        });
    });
    return taken ? out : not_taken();
}

// masked_select(x, mask): the elements where a mask of x's shape is true; both C-contiguous
KERNEL(masked_select) {
    Array x, mask;
    if (!read(args, n, x, mask) || !x || !mask || !x.contiguous || !mask.contiguous || mask.type != BOOL ||
        !same_shape(x, mask) || !item_of(x))
        return not_taken();
    const uint8_t* chosen = mask.as<uint8_t>();
    const Counted<uint8_t> counted(chosen, x.size);
    const intptr_t shape[1] = {counted.total()};
    PyObject* out = new_like(x, 1, shape);
    if (!out) return nullptr;
    Unlocked gil(x.size);
    by_size(item_of(x), [&](auto kind) {
        using T = decltype(kind);
        T* made = data_of<T>(out);
        counted.each([&](int64_t start, int64_t first, int64_t last) {
            const T* from = x.as<T>() + start;
            const uint8_t* here = chosen + start;
            for (int64_t k = first, i = 0; k < last; i++) {
                made[k] = from[i];
                k += here[i] != 0;
            }
        });
    });
    return out;
}

// masked_place(x, mask, source): x[mask] = source's first elements, in order, in place; True where it was done. With x
// None, zeros of the mask's shape and the source's type are made, filled and returned.
KERNEL(masked_place) {
    Array x, mask, source;
    if (!read(args, n, x, mask, source) || !mask || !source || !mask.contiguous || mask.type != BOOL ||
        !source.contiguous || !item_of(source))
        return not_taken();
    if (x && (!x.contiguous || !writable(x) || !same_kind(x, source) || !same_shape(x, mask) || overlap(x, source) ||
              overlap(x, mask)))
        return not_taken();
    const uint8_t* chosen = mask.as<uint8_t>();
    const Counted<uint8_t> counted(chosen, mask.size);
    if (counted.total() > source.size) return not_taken();
    PyObject* out = nullptr;
    if (!x && !(out = new_like(source, mask.nd, mask.shape))) return nullptr;
    {
        Unlocked gil(mask.size);
        by_size(item_of(source), [&](auto kind) {
            using T = decltype(kind);
            T* made = x ? x.as<T>() : data_of<T>(out);
            counted.each([&](int64_t start, int64_t first, int64_t last) {
                const T* from = source.as<T>() + first;
                const int64_t stop = std::min(BLOCK, mask.size - start), left = last - first;
                T* to = made + start;
                if (!x) {
                    const T zero{};
                    if (!left) { std::fill(to, to + stop, zero); return; }
                    for (int64_t i = 0, k = 0; i < stop; i++) {     // reading past the last one is avoided, not writing
                        to[i] = either(chosen[start + i] != 0, zero, from[k]);
                        k += chosen[start + i] != 0 && k + 1 < left;
                    }
                    return;
                }
                for (int64_t k = 0, i = 0; k < left; i++) {
                    to[i] = either(chosen[start + i] != 0, to[i], from[k]);
                    k += chosen[start + i] != 0;
                }
            });
        });
    }
    if (out) return out;
    Py_RETURN_TRUE;
}

// all_equal(x, y): whether two arrays in one piece, of one shape and type, have the same elements
KERNEL(all_equal) {
    Array x, y;
    if (!read(args, n, x, y) || !x || !y || x.type != y.type || !x.contiguous || !y.contiguous || x.nd != y.nd ||
        !std::equal(x.shape, x.shape + x.nd, y.shape) || x.type == F16 || x.type == BF16 || x.type == OTHER)
        return not_taken();
    auto equal = [&](auto kind) {
        using T = decltype(kind);
        const T *a = x.as<T>(), *b = y.as<T>();
        for (int64_t start = 0; start < x.size; start += 4096) {
            bool same = true;
            for (int64_t i = start, stop = std::min(x.size, start + 4096); i < stop; i++) same &= a[i] == b[i];
            if (!same) return false;
        }
        return true;
    };
    bool same;
    {
        Unlocked gil(x.size);
        same = x.type == F32   ? equal(float{})
               : x.type == F64 ? equal(double{})
                               : std::memcmp(x.data, y.data, size_t(x.size) * size_t(ITEM_SIZE[x.type])) == 0;
    }
    return PyBool_FromLong(same);
}

}  // namespace weft
