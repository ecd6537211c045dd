// Reading elements in a wider type: float as double, so that sums of many floats keep their last bits; whole numbers as
// uint64_t, which wraps around without being an error.
#pragma once
#include <algorithm>
#include <type_traits>
#include <utility>

#include "vec.h"
#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace weft {

// Half a vector of floats, and as doubles; GCC 12 makes of __builtin_convertvector two steps through memory, so x86 is
// spelled out.
typedef float HalfFloats __attribute__((vector_size(VECTOR_BYTES / 2)));
inline vd doubles_of(HalfFloats v) {
#if defined(__AVX512F__)
    return bits<vd>(_mm512_cvtps_pd(bits<__m256>(v)));
#elif defined(__AVX2__)
    return bits<vd>(_mm256_cvtps_pd(bits<__m128>(v)));
#else
    return __builtin_convertvector(v, vd);
#endif
}
inline HalfFloats floats_of(vd v) {
#if defined(__AVX512F__)
    return bits<HalfFloats>(_mm512_cvtpd_ps(bits<__m512d>(v)));
#elif defined(__AVX2__)
    return bits<HalfFloats>(_mm256_cvtpd_ps(bits<__m256d>(v)));
#else
    return __builtin_convertvector(v, HalfFloats);
#endif
}

template <class T> struct WideOf { using type = uint64_t; };
template <> struct WideOf<float> { using type = double; };
template <> struct WideOf<double> { using type = double; };
template <class T> using Wide = typename WideOf<T>::type;
constexpr int WIDE_LANES = LANES<double>;

// WIDE_LANES elements
template <class T> inline Vec<Wide<T>> wide(const T* p) {
    if constexpr (sizeof(T) == sizeof(Wide<T>)) {
        return bits<Vec<Wide<T>>>(load(p));
    } else if constexpr (std::is_same_v<T, float>) {
        HalfFloats part;
        std::memcpy(&part, p, sizeof part);
        return doubles_of(part);
    } else if constexpr (sizeof(T) >= 4) {
        typedef T Part __attribute__((vector_size(WIDE_LANES * sizeof(T))));
        Part part;
        std::memcpy(&part, p, sizeof part);
        return __builtin_convertvector(part, Vec<Wide<T>>);
    } else {
        Vec<Wide<T>> v;
        for (int i = 0; i < WIDE_LANES; i++) v[i] = Wide<T>(p[i]);
        return v;
    }
}

// the first n of them; the others are `rest`
template <class T> inline Vec<Wide<T>> wide_part(const T* p, int64_t n, Wide<T> rest) {
    Vec<Wide<T>> v = splat<Wide<T>>(rest);
    for (int64_t i = 0; i < n; i++) v[i] = Wide<T>(p[i]);
    return v;
}

// Adds the lanes of v to those of sum: LANES<T> into WIDE_LANES.
inline void add_wide(vd& sum, vd v) { sum += v; }
inline void add_wide(Vec<uint64_t>& sum, Vec<uint64_t> v) { sum += v; }
inline void add_wide(vd& sum, vf v) {
    HalfFloats half[2];
    std::memcpy(half, &v, sizeof v);
    sum += doubles_of(half[0]) + doubles_of(half[1]);
}

// Lanes moved by K places around.
template <int K, class V> inline V turned(V v) {
    constexpr int n = sizeof(V) / sizeof(v[0]);
    return [&]<size_t... I>(std::index_sequence<I...>) {
        return __builtin_shufflevector(v, v, int((I + K) % n)...);
    }(std::make_index_sequence<n>{});
}

// f over all lanes, in pairs, so that the order is fixed for a width; f takes and gives vectors
template <class V, class F> inline auto fold_lanes(V v, F&& f) {
    constexpr int n = sizeof(V) / sizeof(v[0]);
    if constexpr (n >= 64) v = f(v, turned<32>(v));
    if constexpr (n >= 32) v = f(v, turned<16>(v));
    if constexpr (n >= 16) v = f(v, turned<8>(v));
    if constexpr (n >= 8) v = f(v, turned<4>(v));
    if constexpr (n >= 4) v = f(v, turned<2>(v));
    v = f(v, turned<1>(v));
    return std::remove_cvref_t<decltype(v[0])>(v[0]);
}
template <class V> inline auto add_lanes(V v) { return fold_lanes(v, [](V a, V b) { return a + b; }); }

template <class M> inline bool any_lane(M mask) {
    uint64_t part[sizeof(M) / 8], all = 0;
    std::memcpy(part, &mask, sizeof mask);
    for (uint64_t p : part) all |= p;
    return all != 0;
}

// What a row is summed in first: floating types as they are, whole numbers as uint64_t.
template <class T> using Lane = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
template <class T> constexpr int LANE_COUNT = LANES<Lane<T>>;
template <class T> inline Vec<Lane<T>> lanes(const T* p) {
    if constexpr (std::is_floating_point_v<T>) return load(p);
    else return wide(p);
}
template <class T> inline Vec<Lane<T>> lanes_part(const T* p, int64_t n) {
    if constexpr (std::is_floating_point_v<T>) return load_part(p, n);
    else return wide_part(p, n, uint64_t(0));
}

// Adds f(x) over a row to the lanes of `total`. A row may come in pieces of ROW_BLOCK elements, and a last one.
template <class T> constexpr int64_t ROW_BLOCK = 64 * LANE_COUNT<T>;
template <class T, class F> inline void add_row(Vec<Wide<T>>& total, const T* x, int64_t n, F&& f) {
    constexpr int L = LANE_COUNT<T>;
    int64_t i = 0;
    while (n - i >= 8 * L) {
        const int64_t stop = i + std::min<int64_t>(n - i, 64 * L) / (8 * L) * (8 * L);
        auto s0 = f(lanes(x + i)), s1 = f(lanes(x + i + L)), s2 = f(lanes(x + i + 2 * L)), s3 = f(lanes(x + i + 3 * L));
        auto s4 = f(lanes(x + i + 4 * L)), s5 = f(lanes(x + i + 5 * L)), s6 = f(lanes(x + i + 6 * L)),
             s7 = f(lanes(x + i + 7 * L));
        for (i += 8 * L; i < stop; i += 8 * L) {
            s0 += f(lanes(x + i));
            s1 += f(lanes(x + i + L));
            s2 += f(lanes(x + i + 2 * L));
            s3 += f(lanes(x + i + 3 * L));
            s4 += f(lanes(x + i + 4 * L));
            s5 += f(lanes(x + i + 5 * L));
            s6 += f(lanes(x + i + 6 * L));
            s7 += f(lanes(x + i + 7 * L));
        }
        add_wide(total, ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)));
    }
    for (; i + L <= n; i += L) add_wide(total, f(lanes(x + i)));
    if (i < n) add_wide(total, f(lanes_part(x + i, n - i)));
}

// The sum of f(x) over a row; f takes and gives lanes, and f(0) = 0. A lane adds at most eight elements in its own
// type, then lanes are added in pairs, these sums in the wide type.
template <class T, class F> inline Wide<T> sum_row(const T* x, int64_t n, F&& f) {
    if (sizeof(T) == 8 && n > 4096) {
        const int64_t half = n / 2 / 512 * 512;
        return sum_row(x, half, f) + sum_row(x + half, n - half, f);
    }
    Vec<Wide<T>> total = splat<Wide<T>>(0);
    add_row(total, x, n, f);
    return add_lanes(total);
}

// The sum of g(0) .. g(K - 1), in pairs
template <int K, class G> inline auto sum_of(G&& g, int from = 0) {
    if constexpr (K == 1) return g(from);
    else return sum_of<K / 2>(g, from) + sum_of<K / 2>(g, from + K / 2);
}

// K rows into the columns' sums, in their own type, which are then added to `sums` (or with `fresh` put there)
template <int K, class T, class F>
inline void sum_some(Wide<T>* sums, const T* const* rows, int64_t w, bool fresh, F&& f) {
    using A = Lane<T>;
    constexpr int L = LANE_COUNT<T>, W = WIDE_LANES;
    const T* p[K];
    for (int q = 0; q < K; q++) p[q] = rows[q];
    int64_t j = 0;
    for (; j + L <= w; j += L) {
        A part[L];
        store<A>(part, sum_of<K>([&](int q) { return f(lanes(p[q] + j)); }));
        for (int q = 0; q < L; q += W)
            store<Wide<T>>(sums + j + q, fresh ? wide(part + q) : load<Wide<T>>(sums + j + q) + wide(part + q));
    }
    if (j == w) return;
    const Vec<A> s = sum_of<K>([&](int q) { return f(lanes_part(p[q] + j, w - j)); });
    for (int q = 0; j + q < w; q++) sums[j + q] = Wide<T>(s[q]) + (fresh ? Wide<T>(0) : sums[j + q]);
}

// The same for columns: sums[j] = f(rows[0][j]) + f(rows[1][j]) + ..., eight rows in their own type, these sums in the
// wide type; without `fresh`, on top of what is there.
template <class T, class F>
inline void sum_columns(Wide<T>* sums, const T* const* rows, int k, int64_t w, bool fresh, F&& f) {
    int r = 0;
    for (; r + 8 <= k; r += 8, fresh = false) sum_some<8>(sums, rows + r, w, fresh, f);
    if (k - r >= 4) { sum_some<4>(sums, rows + r, w, fresh, f); r += 4; fresh = false; }
    if (k - r >= 2) { sum_some<2>(sums, rows + r, w, fresh, f); r += 2; fresh = false; }
    if (r < k) sum_some<1>(sums, rows + r, w, fresh, f);
}

// The sum of f(x) with every element in the wide type from the start; n is a multiple of WIDE_LANES
template <class T, class F> inline Wide<T> sum_row_wide(const T* x, int64_t n, F&& f) {
    constexpr int L = WIDE_LANES;
    Vec<Wide<T>> a = splat<Wide<T>>(0), b = a, c = a, d = a;
    int64_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
        a += f(wide(x + i));
        b += f(wide(x + i + L));
        c += f(wide(x + i + 2 * L));
        d += f(wide(x + i + 3 * L));
    }
    for (; i + L <= n; i += L) a += f(wide(x + i));
    return add_lanes((a + b) + (c + d));
}

// The same for columns; f also gets the place of the vector's first column.
template <class T, class F> inline void sum_columns_wide(Wide<T>* sums, const T* const* rows, int k, int64_t w, F&& f) {
    using A = Wide<T>;
    constexpr int L = WIDE_LANES;
    for (int r = 0; r < k; r += 4) {
        const int some = std::min(4, k - r);
        int64_t j = 0;
        for (; j + L <= w; j += L) {
            Vec<A> s = load(sums + j);
            if (some == 4)
                s += (f(wide(rows[r] + j), j) + f(wide(rows[r + 1] + j), j)) +
                     (f(wide(rows[r + 2] + j), j) + f(wide(rows[r + 3] + j), j));
            else for (int q = 0; q < some; q++) s += f(wide(rows[r + q] + j), j);
            store(sums + j, s);
        }
        for (int q = 0; q < some && j < w; q++) {
            const Vec<A> s = f(wide_part(rows[r + q] + j, w - j, A(0)), j);
            for (int p = 0; j + p < w; p++) sums[j + p] += s[p];
        }
    }
}

}  // namespace weft
