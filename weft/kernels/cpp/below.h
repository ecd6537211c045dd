// Rows and columns seen from below their greatest element: what softmax, log-sum-exp and cross-entropy are made of.
#pragma once
#include "vecmath.h"
#include "wide.h"
#include "widen.h"

namespace weft {

// e**x for x <= 0 (or NaN), to 1 unit of the last place; what is smaller than about 1e-38 (1e-307 in double) becomes 0.
template <class V> inline V exp_below(V x) {
    using E = ExpOf<V>;
    using T = Element<V>;
    using Bits = Vec<std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    constexpr T LOW = sizeof(T) == 4 ? T(-87) : T(-708);
    const V shifted = x * T(E::LOG2E) + T(E::ROUND);
    const Bits k = bits<Bits>(shifted) << E::MANTISSA;        // what ROUND itself has in these bits is shifted out
    const V whole = shifted - T(E::ROUND);
    const V r = (x - whole * T(E::LN2_HIGH)) - whole * T(E::LN2_LOW);
    const V found = bits<V>(bits<Bits>(expm1_small(r) + T(1)) + k);
    return select(x < LOW, splat<T>(0), found);
}

// log x, to about 2 units of the last place, for positive normal x; NaN stays. With x = 2**k m and m near 1: k log 2 +
// 2 artanh((m - 1) / (m + 1)).
template <class V> inline V log_normal(V x) {
    using E = ExpOf<V>;
    using T = Element<V>;
    constexpr int TERMS = sizeof(T) == 4 ? 5 : 12;
    const Mask<V> offset = bits<Mask<V>>(splat<T>(T(0.70710678118654752)));
    const Mask<V> k = (bits<Mask<V>>(x) - offset) >> E::MANTISSA;
    const V m = bits<V>(bits<Mask<V>>(x) - (k << E::MANTISSA)), e = __builtin_convertvector(k, V);
    const V s = (m - T(1)) / (m + T(1)), z = s * s;
    V sum = splat<T>(T(1.0 / (2 * TERMS - 1)));
    for (int i = TERMS - 2; i >= 0; i--) sum = sum * z + T(1.0 / (2 * i + 1));
    const V found = e * T(E::LN2_HIGH) + (e * T(E::LN2_LOW) + (s + s) * sum);
    return select(x > T(0), select(x > std::numeric_limits<T>::max(), x, found),
                  select(x == T(0), splat<T>(-std::numeric_limits<T>::infinity()),
                         splat<T>(std::numeric_limits<T>::quiet_NaN())));
}

template <class V> inline V exp_any(V x, bool below) { return below ? exp_below(x) : vexp(x); }

// the greatest of a row; NaN is passed over
template <class T> inline T row_max(const T* x, int64_t n) {
    constexpr int L = LANES<T>;
    constexpr T LOWEST = -std::numeric_limits<T>::infinity();
    if (n < L) {
        T top = LOWEST;
        for (int64_t i = 0; i < n; i++) top = x[i] > top ? x[i] : top;
        return top;
    }
    Vec<T> a = splat<T>(LOWEST), b = a, c = a, d = a;
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
        a = vmax(load(x + i), a);
        b = vmax(load(x + i + L), b);
        c = vmax(load(x + i + 2 * L), c);
        d = vmax(load(x + i + 3 * L), d);
    }
    for (; i + L <= n; i += L) a = vmax(load(x + i), a);
    b = vmax(load(x + n - L), b);           // the last ones, some of them again
    return fold_lanes(vmax(vmax(a, b), vmax(c, d)), [](Vec<T> s, Vec<T> t) { return vmax(s, t); });
}

// The sum of e**(x - shift); with `keep`, the terms are written there. A lane adds at most eight terms before they go
// into a double.
template <class T, bool BELOW = true> inline double exp_sum(const T* x, int64_t n, T shift, T* keep = nullptr) {
    constexpr int L = LANES<T>;
    vd total = splat<double>(0);
    int64_t i = 0;
    while (i + 2 * L <= n) {
        Vec<T> s = splat<T>(0), t = s;
        for (const int64_t stop = std::min(n - 2 * L, i + 14 * L); i <= stop; i += 2 * L) {
            const Vec<T> e = exp_any(load(x + i) - shift, BELOW), f = exp_any(load(x + i + L) - shift, BELOW);
            if (keep) { store(keep + i, e); store(keep + i + L, f); }
            s += e;
            t += f;
        }
        add_wide(total, s + t);
    }
    if (i + L <= n) {
        const Vec<T> e = exp_any(load(x + i) - shift, BELOW);
        if (keep) store(keep + i, e);
        add_wide(total, e);
        i += L;
    }
    if (i < n && n >= L) {          // the last vector, of which the first lanes are counted already
        const Vec<T> e = exp_any(load(x + n - L) - shift, BELOW);
        if (keep) store(keep + n - L, e);
        add_wide(total, select(lane_numbers<T>() < MaskElement<T>(L - (n - i)), splat<T>(0), e));
    } else if (i < n) {
        // e**-inf is 0
        const Vec<T> e = exp_any(load_part(x, n, T(-std::numeric_limits<T>::infinity())) - shift, BELOW);
        if (keep) store_part(keep, e, n);
        add_wide(total, e);
    }
    return add_lanes(total);
}

// the greatest of each column of k rows, and of what is in tops already
template <class T> inline void column_max(T* tops, const T* const* rows, int k, int64_t w) {
    constexpr int L = LANES<T>;
    for (int r = 0; r < k; r += 4) {
        const T *p0 = rows[r], *p1 = rows[std::min(r + 1, k - 1)], *p2 = rows[std::min(r + 2, k - 1)],
                *p3 = rows[std::min(r + 3, k - 1)];
        int64_t j = 0;
        for (; j + L <= w; j += L)
            store<T>(tops + j,
                     vmax(vmax(load(p0 + j), vmax(load(p1 + j), vmax(load(p2 + j), load(p3 + j)))), load<T>(tops + j)));
        for (; j < w; j++)
            for (const T* p : {p0, p1, p2, p3}) tops[j] = p[j] > tops[j] ? p[j] : tops[j];
    }
}

// Adds e**(x - shift) of each column of k rows to sums; with `keep`, row r's terms are written to keep + r * step.
template <class T>
inline void column_exp_sum(double* sums, const T* shifts, const T* const* rows, int k, int64_t w, bool below = true,
                           T* keep = nullptr, int64_t step = 0) {
    constexpr int L = LANES<T>, W = WIDE_LANES;
    for (int r = 0; r < k; r += 4) {
        const int some = std::min(4, k - r);
        int64_t j = 0;
        for (; j + L <= w; j += L) {
            const Vec<T> shift = load(shifts + j);
            Vec<T> s = splat<T>(0);
            for (int q = 0; q < some; q++) {
                const Vec<T> e = exp_any(load(rows[r + q] + j) - shift, below);
                if (keep) store(keep + (r + q) * step + j, e);
                s += e;
            }
            T terms[L];
            store(terms, s);
            for (int q = 0; q < L; q += W) store<double>(sums + j + q, load<double>(sums + j + q) + wide(terms + q));
        }
        for (int q = 0; q < some && j < w; q++) {
            const int64_t left = w - j;
            const Vec<T> e = exp_any(load_part(rows[r + q] + j, left) - load_part(shifts + j, left), below);
            if (keep) store_part(keep + (r + q) * step + j, e, left);
            for (int64_t p = 0; p < left; p++) sums[j + p] += double(e[p]);
        }
    }
}

}  // namespace weft
