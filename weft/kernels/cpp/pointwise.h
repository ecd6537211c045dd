// Elementwise work on arrays of any strides. A kernel is written for one row: a stretch of results that lie one after the other,
// each input either a row too or one number for the whole stretch. `run` does the rest: broadcasting, odd strides (gathered
// into rows that fit the nearest cache), transposed inputs (turned tile by tile), threads.
#pragma once
#include "border.h"
#include "vec.h"

namespace weft {

// scalars: bit i says that input i is one number. p: whatever the kernel takes besides.
using Row = void (*)(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p);

constexpr int MAX_OPERANDS = 4;     // the result is operand 0

struct Operand {
    char* data = nullptr;
    int item = 0;                   // bytes of an element
    intptr_t stride[MAX_DIMS];      // in bytes; 0 where it is repeated
};

// The dimensions of an elementwise operation, the outermost first, and how each operand lies against them.
struct Layout {
    int count = 0, nd = 0;
    int64_t size = 1;
    intptr_t shape[MAX_DIMS];
    Operand op[MAX_OPERANDS];

    // Lay n arrays against their common shape, as inputs; false when they don't broadcast or have negative strides.
    bool broadcast(const Array* const* in, int n);
    // A new array for the result, in the order that NumPy gives it: that of the inputs' memory, C order where they disagree
    // or where it is asked for; null with a Python error set when there is no memory.
    PyObject* allocate(int type, bool c_order = false);
    // Write into an array that is there; false when its shape isn't the common one, it can't be written or strides are negative.
    bool into(const Array& out);
    void sort(const int* order);    // order: dimensions, the innermost first
    void simplify();                // drop dimensions of length 1, join those that lie in one piece
};

// CHEAP work is bound by memory, DEAR work is some ten instructions or more for an element: how much a thread should be given at least.
enum Cost : int64_t { CHEAP = 32768, DEAR = 8192, VERY_DEAR = 2048 };
void run(const Layout& layout, Row row, const void* p, Cost cost);

// Whether writing `out` element by element would change what is still to be read of `in`.
bool disturbs(const Array& out, const Array& in);

// One new array of f over the inputs; None when they don't fit.
PyObject* map_arrays(const Array* const* in, int n, int type, Row row, const void* p, Cost cost, bool c_order = false);

#if defined(__clang__)
#define WEFT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define WEFT_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Rows of plain C expressions, which the compiler makes vector code of.

template <class T, class R, class F> inline void plain_row1(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    const T* x = reinterpret_cast<const T*>(in[0]);
    R* o = reinterpret_cast<R*>(out);
    if (scalars) {
        const R value = f(x[0]);
        for (int64_t i = 0; i < n; i++) o[i] = value;
        return;
    }
    WEFT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) o[i] = f(x[i]);
}

template <class T, class R, class F> inline void plain_row2(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    const T *x = reinterpret_cast<const T*>(in[0]), *y = reinterpret_cast<const T*>(in[1]);
    R* o = reinterpret_cast<R*>(out);
    if (scalars == 0) {
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < n; i++) o[i] = f(x[i], y[i]);
    } else if (scalars == 2) {
        const T b = y[0];
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < n; i++) o[i] = f(x[i], b);
    } else if (scalars == 1) {
        const T a = x[0];
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < n; i++) o[i] = f(a, y[i]);
    } else {
        const R value = f(x[0], y[0]);
        for (int64_t i = 0; i < n; i++) o[i] = value;
    }
}

// Rows of vector functions. The last lanes are read before the loop writes (the result may be the input itself) and
// written last, overlapping what the loop wrote: every element is computed by the same instructions, wherever it stands.

template <class T, class F> inline void vector_row1(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    constexpr int L = LANES<T>;
    const T* x = reinterpret_cast<const T*>(in[0]);
    T* o = reinterpret_cast<T*>(out);
    if (scalars) {
        const Vec<T> v = f(splat<T>(x[0]));
        for (int64_t i = 0; i < n; i++) o[i] = v[0];
        return;
    }
    if (n < L) {
        T part[L];
        for (int i = 0; i < L; i++) part[i] = i < n ? x[i] : T(1);
        const Vec<T> v = f(load(part));
        store(part, v);
        for (int64_t i = 0; i < n; i++) o[i] = part[i];
        return;
    }
    const Vec<T> last = f(load(x + n - L));
    for (int64_t i = 0; i + L <= n; i += L) store(o + i, f(load(x + i)));
    store(o + n - L, last);
}

template <class T, class F> inline void vector_row2(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    constexpr int L = LANES<T>;
    const T *x = reinterpret_cast<const T*>(in[0]), *y = reinterpret_cast<const T*>(in[1]);
    T* o = reinterpret_cast<T*>(out);
    if (n < L) {
        T a[L], b[L];
        for (int i = 0; i < L; i++) {
            a[i] = i < n ? x[scalars & 1 ? 0 : i] : T(1);
            b[i] = i < n ? y[scalars & 2 ? 0 : i] : T(1);
        }
        const Vec<T> v = f(load(a), load(b));
        store(a, v);
        for (int64_t i = 0; i < n; i++) o[i] = a[i];
        return;
    }
    if (scalars == 0) {
        const Vec<T> last = f(load(x + n - L), load(y + n - L));
        for (int64_t i = 0; i + L <= n; i += L) store(o + i, f(load(x + i), load(y + i)));
        store(o + n - L, last);
        return;
    }
    const Vec<T> a = splat<T>(x[0]), b = splat<T>(y[0]);
    const Vec<T> last = f(scalars & 1 ? a : load(x + n - L), scalars & 2 ? b : load(y + n - L));
    if (scalars == 2)
        for (int64_t i = 0; i + L <= n; i += L) store(o + i, f(load(x + i), b));
    else if (scalars == 1)
        for (int64_t i = 0; i + L <= n; i += L) store(o + i, f(a, load(y + i)));
    else
        for (int64_t i = 0; i + L <= n; i += L) store(o + i, last);
    store(o + n - L, last);
}

}  // namespace weft
