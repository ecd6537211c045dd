// Vectors of the machine's width, through the compilers' vector types: + - * / < ?: work lane by lane on any instruction set.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace weft {

#if defined(__AVX512F__)
constexpr int VECTOR_BYTES = 64;
#elif defined(__AVX2__)
constexpr int VECTOR_BYTES = 32;
#else
constexpr int VECTOR_BYTES = 16;
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

template <class T> inline Vec<T> load(const T* p) { Vec<T> v; std::memcpy(&v, p, sizeof v); return v; }
template <class T> inline void store(T* p, Vec<T> v) { std::memcpy(p, &v, sizeof v); }
template <class T> inline Vec<T> splat(T x) { return x - Vec<T>{}; }      // x - 0 is x, a negative zero too; the compilers make one broadcast of it
// the first n lanes; the others are `rest`
template <class T> inline Vec<T> load_part(const T* p, int64_t n, T rest = T(0)) {
    Vec<T> v = splat<T>(rest);
    std::memcpy(&v, p, size_t(n) * sizeof(T));
    return v;
}
template <class T> inline void store_part(T* p, Vec<T> v, int64_t n) { std::memcpy(p, &v, size_t(n) * sizeof(T)); }

template <class V, class M> inline V select(M mask, V a, V b) { return mask ? a : b; }
template <class V> inline V vmax(V a, V b) { return a > b ? a : b; }        // b where either is NaN
template <class V> inline V vmin(V a, V b) { return a < b ? a : b; }
template <class V> inline V nan_max(V a, V b) { return (a > b) | (a != a) ? a : b; }    // a NaN wins
template <class V> inline V nan_min(V a, V b) { return (a < b) | (a != a) ? a : b; }

template <class V> inline Element<V> sum_lanes(V v) {       // pairwise, so that the order is fixed for a width
    constexpr int n = sizeof(V) / sizeof(Element<V>);
    Element<V> part[n];
    std::memcpy(part, &v, sizeof v);
    for (int step = n / 2; step; step /= 2)
        for (int i = 0; i < step; i++) part[i] += part[i + step];
    return part[0];
}
template <class V> inline Element<V> max_lanes(V v) {       // a NaN wins
    constexpr int n = sizeof(V) / sizeof(Element<V>);
    Element<V> best = v[0];
    for (int i = 1; i < n; i++) best = (v[i] > best || v[i] != v[i]) ? v[i] : best;
    return best;
}

template <class To, class From> inline To bits(From v) { static_assert(sizeof(To) == sizeof(From)); To r; std::memcpy(&r, &v, sizeof r); return r; }

}  // namespace weft
