// Elementwise work on arrays of any strides. A kernel is written for one row: a stretch of results that lie one after
// the other, each input either a row too or one number for the whole stretch. `run` does the rest: broadcasting, odd
// strides (gathered into rows that fit the nearest cache), transposed inputs (turned tile by tile), threads.
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
    // A new array for the result, in the order that PyTorch gives it: that of the inputs' memory, the first one's where
    // they disagree, or C order where that is asked for; null with a Python error set when there is no memory.
    PyObject* allocate(int type, bool c_order = false);
    // Write into an array that is there; false when its shape isn't the common one, it can't be written or strides are
    // negative.
    bool into(const Array& out);
    void sort(const int* order);    // order: dimensions, the innermost first
    void simplify();                // drop dimensions of length 1, join those that lie in one piece
};

// CHEAP work is bound by memory, DEAR work is some ten instructions or more for an element: how much a thread should be
// given at least.
enum Cost : int64_t { CHEAP = 32768, DEAR = 8192, VERY_DEAR = 2048 };
void run(const Layout& layout, Row row, const void* p, Cost cost);
// given as p: the row does nothing but copy, so a transposed input can go straight to its place
extern const char ONLY_COPIES;

// Whether writing `out` element by element would change what is still to be read of `in`.
bool disturbs(const Array& out, const Array& in);

// One new array of f over the inputs; None when they don't fit.
PyObject* map_arrays(const Array* const* in, int n, int type, Row row, const void* p, Cost cost, bool c_order = false);

// Rows of plain C expressions, which the compiler makes vector code of.

template <class T, class R, class F>
inline void plain_row1(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
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

template <class T, class R, class F>
inline void plain_row2(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
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
// written last, overlapping what the loop wrote: every element is computed by the same instructions, wherever it
// stands. The function stands in the loop only, so that it is put in line there.

template <class T, class F>
inline void vector_row1(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    constexpr int L = LANES<T>;
    const T* x = reinterpret_cast<const T*>(in[0]);
    T *o = reinterpret_cast<T*>(out), part[L];
    const bool few = n < L || scalars;
    const int64_t length = few ? L : n;
    if (few) {
        for (int i = 0; i < L; i++) part[i] = scalars || i >= n ? x[0] : x[i];
        x = part;
        o = part;
    }
    const Vec<T> last = load(x + length - L);
    for (int64_t i = 0; i < length; i += L) {
        const bool whole = i + L <= length;
        store(whole ? o + i : o + length - L, f(whole ? load(x + i) : last));
    }
    if (few) {
        T* to = reinterpret_cast<T*>(out);
        for (int64_t i = 0; i < n; i++) to[i] = part[scalars ? 0 : i];
    }
}

template <class T, class F>
inline void vector_row2(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    constexpr int L = LANES<T>;
    const T *x = reinterpret_cast<const T*>(in[0]), *y = reinterpret_cast<const T*>(in[1]);
    T *o = reinterpret_cast<T*>(out), a[L], b[L];
    const bool few = n < L || scalars == 3;
    const int64_t length = few ? L : n;
    if (few || scalars & 1) {
        for (int i = 0; i < L; i++) a[i] = scalars & 1 || i >= n ? x[0] : x[i];
        x = a;
    }
    if (few || scalars & 2) {
        for (int i = 0; i < L; i++) b[i] = scalars & 2 || i >= n ? y[0] : y[i];
        y = b;
    }
    if (few) o = a;
    const int64_t step_x = few || !(scalars & 1), step_y = few || !(scalars & 2);
    const Vec<T> last_x = load(x + (length - L) * step_x), last_y = load(y + (length - L) * step_y);
    for (int64_t i = 0; i < length; i += L) {
        const bool whole = i + L <= length;
        store(whole ? o + i : o + length - L,
              f(whole ? load(x + i * step_x) : last_x, whole ? load(y + i * step_y) : last_y));
    }
    if (few) {
        T* to = reinterpret_cast<T*>(out);
        for (int64_t i = 0; i < n; i++) to[i] = a[scalars == 3 ? 0 : i];
    }
}

// Long functions in two stages, over pieces that stay in the nearest cache: the processor looks only some sixty
// instructions ahead, so two short loops run faster than one long one. second(x, first(x)), or second(x, y, first(x,
// y)).

constexpr int STAGE = 512;

template <class T, class F, class G>
inline void staged_row1(int64_t n, char* out, const char* const* in, unsigned scalars, F first, G second) {
    alignas(64) T between[STAGE];
    const int64_t length = scalars ? 1 : n;
    for (int64_t from = 0; from < length; from += STAGE) {
        const int64_t count = length - from < STAGE ? length - from : STAGE;
        const char* const pair[] = {in[0] + from * int64_t(sizeof(T)), reinterpret_cast<const char*>(between)};
        vector_row1<T>(count, reinterpret_cast<char*>(between), pair, 0, first);
        vector_row2<T>(count, out + from * int64_t(sizeof(T)), pair, 0, second);
    }
    if (scalars) for (int64_t i = 1; i < n; i++) reinterpret_cast<T*>(out)[i] = reinterpret_cast<const T*>(out)[0];
}

template <class T, class B, class F, class G>
inline void staged_row2(int64_t n, char* out, const char* const* in, unsigned scalars, F first, G second) {
    constexpr int L = LANES<T>;
    const T *x = reinterpret_cast<const T*>(in[0]), *y = reinterpret_cast<const T*>(in[1]);
    T *o = reinterpret_cast<T*>(out), a[STAGE], b[STAGE], made[L];
    B between[STAGE / L];
    for (int64_t from = 0; from < n; from += STAGE) {
        const int64_t count = n - from < STAGE ? n - from : STAGE, filled = count < L ? L : count;
        const T *p = x + from, *q = y + from;
        if (scalars & 1 || count < L) {
            for (int64_t i = 0; i < filled; i++) a[i] = x[scalars & 1 ? 0 : from + (i < count ? i : 0)];
            p = a;
        }
        if (scalars & 2 || count < L) {
            for (int64_t i = 0; i < filled; i++) b[i] = y[scalars & 2 ? 0 : from + (i < count ? i : 0)];
            q = b;
        }
        const Vec<T> last_p = load(p + filled - L), last_q = load(q + filled - L);
        for (int64_t i = 0; i < filled; i += L) {
            const bool whole = i + L <= filled;
            between[i / L] = first(whole ? load(p + i) : last_p, whole ? load(q + i) : last_q);
        }
        for (int64_t i = 0; i < filled; i += L) {
            const bool whole = i + L <= filled;
            T* to = count < L ? made : whole ? o + from + i : o + from + count - L;
            store(to, second(whole ? load(p + i) : last_p, whole ? load(q + i) : last_q, between[i / L]));
        }
        if (count < L) for (int64_t i = 0; i < count; i++) o[from + i] = made[i];
    }
}

}  // namespace weft
