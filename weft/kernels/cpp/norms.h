// What the normalisations share: sums and moments of stretches of numbers, one set of borders whatever the number of
// threads.
#pragma once
#include <algorithm>
#include <cmath>

#include "border.h"
#include "vec.h"

namespace weft::norms {

constexpr int64_t BLOCK = 1024;     // numbers that are added in their own type before the sum goes on in double
constexpr int64_t WORK = 24576;     // elements that are worth a task of their own

// A store past the caches, for results so large that they would not stay there: it saves reading the lines first. p is
// aligned.
constexpr int64_t STREAM_BYTES = 8 << 20;
template <class T> inline void stream(T* p, Vec<T> v) {
#if defined(__clang__)
    __builtin_nontemporal_store(v, reinterpret_cast<Vec<T>*>(p));
#elif defined(__AVX512F__)
    __builtin_ia32_movntdq512(reinterpret_cast<long long __attribute__((vector_size(64)))*>(p),
                              bits<long long __attribute__((vector_size(64)))>(v));
#elif defined(__AVX2__)
    __builtin_ia32_movntdq256(reinterpret_cast<long long __attribute__((vector_size(32)))*>(p),
                              bits<long long __attribute__((vector_size(32)))>(v));
#elif defined(__SSE2__)
    __builtin_ia32_movntdq(reinterpret_cast<long long __attribute__((vector_size(16)))*>(p),
                           bits<long long __attribute__((vector_size(16)))>(v));
#else
    store<T>(p, v);
#endif
}
inline void end_stream() {      // the stores are seen by other threads after this
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#endif
}
// whether rows of n numbers from p on, `bytes` in all, are to be stored so
template <class T> inline bool streams(const T* p, int64_t n, int64_t bytes) {
    return p && bytes >= STREAM_BYTES && n % LANES<T> == 0 && reinterpret_cast<uintptr_t>(p) % VECTOR_BYTES == 0;
}

// How many, their mean, and the sum of the squared distances from it; parts are added in order.
struct Moments {
    double count = 0, mean = 0, squares = 0;
    void add(double n, double part_mean, double part_squares) {
        if (count == 0) { count = n; mean = part_mean; squares = part_squares; return; }
        const double all = count + n, away = part_mean - mean;
        squares += part_squares + away * away * (count * n / all);
        mean += away * (n / all);
        count = all;
    }
    double rstd(double eps) const { return 1 / std::sqrt(squares / count + eps); }
};

// The sums of x - from and of its square, over at most BLOCK numbers.
template <class T> inline void shifted_sums(const T* x, int64_t n, T from, double& off, double& squares) {
    constexpr int L = LANES<T>;
    Vec<T> c0{}, c1{}, c2{}, c3{}, q0{}, q1{}, q2{}, q3{};
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
        const Vec<T> d0 = load(x + i) - from, d1 = load(x + i + L) - from, d2 = load(x + i + 2 * L) - from,
                     d3 = load(x + i + 3 * L) - from;
        c0 += d0; q0 += d0 * d0;
        c1 += d1; q1 += d1 * d1;
        c2 += d2; q2 += d2 * d2;
        c3 += d3; q3 += d3 * d3;
    }
    for (; i + L <= n; i += L) {
        const Vec<T> d = load(x + i) - from;
        c0 += d; q0 += d * d;
    }
    T c = sum_lanes((c0 + c1) + (c2 + c3)), q = sum_lanes((q0 + q1) + (q2 + q3));
    for (; i < n; i++) {
        const T d = x[i] - from;
        c += d; q += d * d;
    }
    off = c; squares = q;
}

// Whether the sums' common offset is so great beside the spread that the difference of the two would lose digits.
inline bool far_off(double off, double squares, double n) { return off * off / n > 0.8 * squares; }

// At most BLOCK numbers, seen once: distances are taken from the mean of four of them, and once more from the whole
// mean if that was far off.
template <class T> inline void add_block(Moments& to, const T* x, int64_t n) {
    T from = ((x[0] + x[n / 4]) + (x[n / 2] + x[3 * (n / 4)])) / T(4);
    double off, squares;
    shifted_sums(x, n, from, off, squares);
    if (far_off(off, squares, double(n))) {
        from = T(double(from) + off / double(n));
        shifted_sums(x, n, from, off, squares);
    }
    const double rest = squares - off * off / double(n);
    to.add(double(n), double(from) + off / double(n), rest < 0 ? 0 : rest);
}

template <class T> inline Moments moments_of(const T* x, int64_t n) {
    Moments all;
    for (int64_t i = 0; i < n; i += BLOCK) add_block(all, x + i, std::min(BLOCK, n - i));
    return all;
}

template <class T> inline double squares_of(const T* x, int64_t n) {
    constexpr int L = LANES<T>;
    double total = 0;
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int64_t end = std::min(n, start + BLOCK);
        Vec<T> a{}, b{}, c{}, d{};
        int64_t i = start;
        for (; i + 4 * L <= end; i += 4 * L) {
            const Vec<T> p = load(x + i), q = load(x + i + L), r = load(x + i + 2 * L), s = load(x + i + 3 * L);
            a += p * p; b += q * q; c += r * r; d += s * s;
        }
        for (; i + L <= end; i += L) a += load(x + i) * load(x + i);
        T sum = sum_lanes((a + b) + (c + d));
        for (; i < end; i++) sum += x[i] * x[i];
        total += sum;
    }
    return total;
}

// channels that are worked on together where they lie innermost: as many as have their sums in registers
constexpr int64_t COLUMNS = 4 * LANES<float>;
using WholeWidth = std::integral_constant<int64_t, COLUMNS>;

template <class V, class T> inline V get(const T* p) { V v; std::memcpy(&v, p, sizeof v); return v; }
template <class V, class T> inline void put(T* p, V v) { std::memcpy(p, &v, sizeof v); }

// f(column, zero) for some columns of a row: whole vectors where `width` is COLUMNS, else one by one; zero says which
template <class T, class W, class F> inline void over_row(W width, F&& f) {
    if constexpr (std::is_same_v<W, WholeWidth>) {
#pragma GCC unroll 8
        for (int64_t i = 0; i < COLUMNS; i += LANES<T>) f(i, Vec<T>{});
    }
    else for (int64_t i = 0; i < width; i++) f(i, T(0));
}

// add(row, column, sum, other sum) for all rows of the columns, in T for a while, then on in double
template <class T, class W, class F>
inline void two_sums(int64_t rows, W width, double* first, double* second, F&& add) {
    for (int64_t start = 0; start < rows; start += 256) {
        const int64_t end = std::min(rows, start + 256);
        T part[COLUMNS] = {}, rest[COLUMNS] = {};
        if constexpr (std::is_same_v<W, WholeWidth>) {
            constexpr int K = int(COLUMNS / LANES<T>);
            Vec<T> one[K] = {}, other[K] = {};
            for (int64_t r = start; r < end; r++) {
#pragma GCC unroll 8
                for (int k = 0; k < K; k++) add(r, k * LANES<T>, one[k], other[k]);
            }
            for (int k = 0; k < K; k++) { store(part + k * LANES<T>, one[k]); store(rest + k * LANES<T>, other[k]); }
        } else {
            for (int64_t r = start; r < end; r++)
                for (int64_t i = 0; i < width; i++) add(r, i, part[i], rest[i]);
        }
        for (int64_t i = 0; i < width; i++) { first[i] += part[i]; second[i] += rest[i]; }
    }
}

// the sums of x - from and of its square down each of `width` columns, whose rows are `step` apart
template <class T, class W>
inline void column_sums(const T* x, int64_t rows, int64_t step, W width, const T* from, double* off, double* squares) {
    for (int64_t i = 0; i < width; i++) off[i] = squares[i] = 0;
    two_sums<T>(rows, width, off, squares, [&]<class V>(int64_t r, int64_t i, V& sum, V& square) {
        const V d = get<V>(x + r * step + i) - get<V>(from + i);
        sum += d;
        square += d * d;
    });
}

// set(column, mean, sum of the squared distances from it) for each column
template <class T, class W, class F>
inline void column_moments(const T* x, int64_t rows, int64_t step, W width, F&& set) {
    double squares[COLUMNS], off[COLUMNS];
    T from[COLUMNS] = {};
    const int64_t few = std::min<int64_t>(rows, 8);
    const double count = double(rows);
    for (int64_t r = 0; r < few; r++)
        for (int64_t i = 0; i < width; i++) from[i] += x[r * step + i] / T(few);
    column_sums(x, rows, step, width, from, off, squares);
    bool again = false;
    for (int64_t i = 0; i < width; i++) again = again || far_off(off[i], squares[i], count);
    if (again) {
        for (int64_t i = 0; i < width; i++) from[i] = T(double(from[i]) + off[i] / count);
        column_sums(x, rows, step, width, from, off, squares);
    }
    for (int64_t i = 0; i < width; i++) {
        const double left = squares[i] - off[i] * off[i] / count;
        set(i, double(from[i]) + off[i] / count, left < 0 ? 0 : left);
    }
}

// the sums of g and of g * (x - from) down each column, added to `direct` and `along`
template <class T, class W>
inline void column_grad_sums(const T* g, const T* x, int64_t rows, int64_t step, W width, const T* from,
                             double* direct, double* along) {
    two_sums<T>(rows, width, direct, along, [&]<class V>(int64_t r, int64_t i, V& sum, V& product) {
        const V one = get<V>(g + r * step + i);
        sum += one;
        product += one * (get<V>(x + r * step + i) - get<V>(from + i));
    });
}

// out = (x - mean) * scale + shift
template <class T> inline void affine(T* out, const T* x, int64_t n, T mean, T scale, T shift, bool far) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    if (far) for (; i + L <= n; i += L) stream<T>(out + i, (load(x + i) - mean) * scale + shift);
    for (; i + L <= n; i += L) store<T>(out + i, (load(x + i) - mean) * scale + shift);
    for (; i < n; i++) out[i] = (x[i] - mean) * scale + shift;
}

// The sums of g and of g * (x - mean) over many stretches; in T for a while, then in double.
template <class T> struct GradSums {
    Vec<T> g0{}, g1{}, g2{}, g3{}, p0{}, p1{}, p2{}, p3{};
    T g_rest = 0, p_rest = 0;
    double g_total = 0, p_total = 0;
    int64_t held = 0;
    void add(const T* g, const T* x, int64_t n, T mean) {
        constexpr int L = LANES<T>;
        int64_t i = 0;
        for (; i + 4 * L <= n; i += 4 * L) {
            const Vec<T> a = load(g + i), b = load(g + i + L), c = load(g + i + 2 * L), d = load(g + i + 3 * L);
            g0 += a; p0 += a * (load(x + i) - mean);
            g1 += b; p1 += b * (load(x + i + L) - mean);
            g2 += c; p2 += c * (load(x + i + 2 * L) - mean);
            g3 += d; p3 += d * (load(x + i + 3 * L) - mean);
        }
        for (; i + L <= n; i += L) {
            const Vec<T> a = load(g + i);
            g0 += a; p0 += a * (load(x + i) - mean);
        }
        for (; i < n; i++) { g_rest += g[i]; p_rest += g[i] * (x[i] - mean); }
        held += n;
        if (held >= BLOCK) flush();
    }
    void add_long(const T* g, const T* x, int64_t n, T mean) {
        for (int64_t i = 0; i < n; i += BLOCK) add(g + i, x + i, std::min(BLOCK, n - i), mean);
    }
    void flush() {
        g_total += double(sum_lanes((g0 + g1) + (g2 + g3))) + double(g_rest);
        p_total += double(sum_lanes((p0 + p1) + (p2 + p3))) + double(p_rest);
        g0 = g1 = g2 = g3 = p0 = p1 = p2 = p3 = Vec<T>{};
        g_rest = p_rest = 0;
        held = 0;
    }
};

// dx = g * scale - a - (x - mean) * b
template <class T> inline void grad_in(T* dx, const T* g, const T* x, int64_t n, T mean, T a, T b, T scale, bool far) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    if (far) for (; i + L <= n; i += L) stream<T>(dx + i, load(g + i) * scale - a - (load(x + i) - mean) * b);
    for (; i + L <= n; i += L) store<T>(dx + i, load(g + i) * scale - a - (load(x + i) - mean) * b);
    for (; i < n; i++) dx[i] = g[i] * scale - a - (x[i] - mean) * b;
}

// a vector of parameters: none, or `n` contiguous numbers of x's type
inline bool fits(const Array& p, const Array& x, int64_t n) {
    return !p || (p.type == x.type && p.contiguous && p.size == n);
}
inline bool floating(const Array& x) { return (x.type == F32 || x.type == F64) && x.contiguous; }
inline bool same_shape(const Array& a, const Array& b) {
    if (a.nd != b.nd || a.type != b.type || !a.contiguous) return false;
    for (int i = 0; i < a.nd; i++) if (a.shape[i] != b.shape[i]) return false;
    return true;
}

// a tuple of those that were wanted (null: not wanted)
inline PyObject* wanted(PyObject* const* made, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) count += made[i] != nullptr;
    PyObject* tuple = PyTuple_New(count);
    for (int i = 0, at = 0; i < n; i++)
        if (made[i]) { if (tuple) PyTuple_SET_ITEM(tuple, at++, made[i]); else Py_DECREF(made[i]); }
    return tuple;
}

// New arrays like dx, dweight and dbias, those that are needed; false (all released, error set) when memory is out.
inline bool make_grads(PyObject** made, const Array& x, intptr_t size, bool need_x, bool need_weight, bool need_bias) {
    bool right = true;
    made[0] = need_x ? new_array(x) : nullptr;
    made[1] = need_weight ? new_array(1, &size, x.type) : nullptr;
    made[2] = need_bias ? new_array(1, &size, x.type) : nullptr;
    right = (!need_x || made[0]) && (!need_weight || made[1]) && (!need_bias || made[2]);
    if (!right) for (int i = 0; i < 3; i++) Py_XDECREF(made[i]);
    return right;
}

template <class T> inline T* pointer(PyObject* made) { return made ? data_of<T>(made) : nullptr; }

}  // namespace weft::norms
