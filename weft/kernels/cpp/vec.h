// Vectors of the machine's width, through the compilers' vector types: + - * / < ?: work lane by lane on any
// instruction set.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace weft {

#if defined(__AVX512F__)
constexpr int VECTOR_BYTES = 64;
#elif defined(__AVX2__)
constexpr int VECTOR_BYTES = 32;
#else
constexpr int VECTOR_BYTES = 16;
#endif

// The turns of a loop don't depend on each other, though arrays may be the same one.
#if defined(__clang__)
#define WEFT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define WEFT_INDEPENDENT _Pragma("GCC ivdep")
#endif

template <class T> struct VectorOf { typedef T type __attribute__((vector_size(VECTOR_BYTES))); };
template <class T> using Vec = typename VectorOf<T>::type;
using vf = Vec<float>;
using vd = Vec<double>;
using vi32 = Vec<int32_t>;      // also the mask of a comparison of vf: -1 where true
using vi64 = Vec<int64_t>;      // and of vd
template <class T> constexpr int LANES = VECTOR_BYTES / int(sizeof(T));

template <class V> struct ElementOf;
template <> struct ElementOf<vf> { using type = float; using mask = vi32; };
template <> struct ElementOf<vd> { using type = double; using mask = vi64; };
template <class V> using Element = typename ElementOf<V>::type;
template <class V> using Mask = typename ElementOf<V>::mask;

template <class To, class From>
inline To bits(From v) {
    static_assert(sizeof(To) == sizeof(From));
    To r;
    std::memcpy(&r, &v, sizeof r);
    return r;
}

template <class T> inline Vec<T> load(const T* p) { Vec<T> v; std::memcpy(&v, p, sizeof v); return v; }
template <class T> inline void store(T* p, Vec<T> v) { std::memcpy(p, &v, sizeof v); }
// x - 0 is x, a negative zero too; the compilers make one broadcast of it
template <class T> inline Vec<T> splat(T x) { return x - Vec<T>{}; }
template <class V, class M> inline V select(M mask, V a, V b) { return mask ? a : b; }

// lanes 0, 1, 2, ... as whole numbers of T's size
template <class T> using MaskElement = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
template <class T> inline Vec<MaskElement<T>> lane_numbers() {
    Vec<MaskElement<T>> v;
    for (int i = 0; i < LANES<T>; i++) v[i] = i;
    return v;
}

// Up to a vector of elements, by pieces of 4, 2 and 1 of them: a call of memcpy takes longer.
template <class T> inline void copy_part(T* to, const T* from, int64_t n) {
#pragma GCC unroll 5
    for (int64_t piece = LANES<T>; piece; piece /= 2)
        if (n & piece) {
            std::memcpy(to, from, size_t(piece) * sizeof(T));
            to += piece;
            from += piece;
        }
}

// The first n lanes, where a whole vector might leave the array; the others are `rest`. A set with MASKED_LOADS does so
// by one instruction.
#if defined(__AVX2__)
constexpr bool MASKED_LOADS = true;
#else
constexpr bool MASKED_LOADS = false;
#endif
template <class T> [[gnu::always_inline]] inline Vec<T> load_part(const T* p, int64_t n, T rest = T(0)) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        return bits<Vec<T>>(_mm512_mask_loadu_ps(bits<__m512>(splat<T>(rest)), __mmask16((1u << n) - 1), p));
    else return bits<Vec<T>>(_mm512_mask_loadu_pd(bits<__m512d>(splat<T>(rest)), __mmask8((1u << n) - 1), p));
#elif defined(__AVX2__)
    const auto some = lane_numbers<T>() < MaskElement<T>(n);
    Vec<T> v;
    if constexpr (sizeof(T) == 4) v = bits<Vec<T>>(_mm256_maskload_ps(p, bits<__m256i>(some)));
    else v = bits<Vec<T>>(_mm256_maskload_pd(p, bits<__m256i>(some)));
    return select(some, v, splat<T>(rest));
#else
    T lanes[LANES<T>];
    store(lanes, splat<T>(rest));
    copy_part(lanes, p, n);
    return load(lanes);
#endif
}
template <class T> [[gnu::always_inline]] inline void store_part(T* p, Vec<T> v, int64_t n) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) _mm512_mask_storeu_ps(p, __mmask16((1u << n) - 1), bits<__m512>(v));
    else _mm512_mask_storeu_pd(p, __mmask8((1u << n) - 1), bits<__m512d>(v));
#else
    T lanes[LANES<T>];
    store(lanes, v);
    copy_part(p, lanes, n);
#endif
}

template <class V> inline V vmax(V a, V b) { return a > b ? a : b; }        // b where either is NaN
template <class V> inline V vmin(V a, V b) { return a < b ? a : b; }
template <class V> inline V nan_max(V a, V b) { return (a > b) | (a != a) ? a : b; }    // a NaN wins
template <class V> inline V nan_min(V a, V b) { return (a < b) | (a != a) ? a : b; }

// The sum of a vector's lanes, halves upon halves, without leaving the registers: one order for a width
template <int STEP, class V, size_t... I>
inline V swapped(V v, std::index_sequence<I...>) {
    return __builtin_shufflevector(v, v, (int(I) ^ STEP)...);
}
template <int STEP, class V> inline Element<V> sum_across(V v) {
    if constexpr (STEP == 0) return v[0];
    else return sum_across<STEP / 2>(v + swapped<STEP>(v, std::make_index_sequence<sizeof(V) / sizeof(Element<V>)>()));
}
template <class V> inline Element<V> sum_lanes(V v) { return sum_across<int(sizeof(V) / sizeof(Element<V>)) / 2>(v); }
template <class V> inline Element<V> max_lanes(V v) {       // a NaN wins
    constexpr int n = sizeof(V) / sizeof(Element<V>);
    Element<V> best = v[0];
    for (int i = 1; i < n; i++) best = (v[i] > best || v[i] != v[i]) ? v[i] : best;
    return best;
}

// An L x L block held in L vectors, transposed in registers: blocks of H lanes change places across the diagonal, H =
// L/2 ... 1.
template <class T, int H, size_t... J> inline void exchange(Vec<T>& a, Vec<T>& b, std::index_sequence<J...>) {
    constexpr size_t L = LANES<T>;
    const Vec<T> upper = __builtin_shufflevector(a, b, ((J & H) ? L + J - H : J)...);
    b = __builtin_shufflevector(a, b, ((J & H) ? L + J : J + H)...);
    a = upper;
}
template <class T, int H = LANES<T> / 2> [[gnu::always_inline]] inline void transpose_block(Vec<T> (&v)[LANES<T>]) {
    if constexpr (H > 0) {
#pragma GCC unroll 16
        for (int i = 0; i < LANES<T>; i++)
            if ((i & H) == 0) exchange<T, H>(v[i], v[i + H], std::make_index_sequence<size_t(LANES<T>)>{});
        transpose_block<T, H / 2>(v);
    }
}

}  // namespace weft
