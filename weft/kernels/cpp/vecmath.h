// e**x and what is made of it, lane by lane, for vf and vd. Errors against exact results, in units of the last place:
// exp 2, expm1 2, sigmoid 3, tanh 3. NaN gives NaN; overflow inf; results below the normal range are rounded once more.
#pragma once
#include <type_traits>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "vec.h"

// Functions of vectors go into their loops whole: a call would spill every register.
#define WEFT_INLINE inline __attribute__((always_inline))

namespace weft {

// (GCC 12 warns of its own header for the forms without a mask.)
// x limited by a bound; NaN stays. The instructions for it give their second operand where one is NaN.
#if defined(__AVX512F__)
WEFT_INLINE vf at_most(vf x, float bound) {
    return vf(_mm512_maskz_min_ps(__mmask16(-1), __m512(splat(bound)), __m512(x)));
}
WEFT_INLINE vf at_least(vf x, float bound) {
    return vf(_mm512_maskz_max_ps(__mmask16(-1), __m512(splat(bound)), __m512(x)));
}
WEFT_INLINE vd at_most(vd x, double bound) {
    return vd(_mm512_maskz_min_pd(__mmask8(-1), __m512d(splat(bound)), __m512d(x)));
}
WEFT_INLINE vd at_least(vd x, double bound) {
    return vd(_mm512_maskz_max_pd(__mmask8(-1), __m512d(splat(bound)), __m512d(x)));
}
#elif defined(__AVX2__)
WEFT_INLINE vf at_most(vf x, float bound) { return vf(_mm256_min_ps(__m256(splat(bound)), __m256(x))); }
WEFT_INLINE vf at_least(vf x, float bound) { return vf(_mm256_max_ps(__m256(splat(bound)), __m256(x))); }
WEFT_INLINE vd at_most(vd x, double bound) { return vd(_mm256_min_pd(__m256d(splat(bound)), __m256d(x))); }
WEFT_INLINE vd at_least(vd x, double bound) { return vd(_mm256_max_pd(__m256d(splat(bound)), __m256d(x))); }
#elif defined(__SSE2__)
WEFT_INLINE vf at_most(vf x, float bound) { return vf(_mm_min_ps(__m128(splat(bound)), __m128(x))); }
WEFT_INLINE vf at_least(vf x, float bound) { return vf(_mm_max_ps(__m128(splat(bound)), __m128(x))); }
WEFT_INLINE vd at_most(vd x, double bound) { return vd(_mm_min_pd(__m128d(splat(bound)), __m128d(x))); }
WEFT_INLINE vd at_least(vd x, double bound) { return vd(_mm_max_pd(__m128d(splat(bound)), __m128d(x))); }
#else
template <class V>
WEFT_INLINE V at_most(V x, Element<V> bound) {
    return select(x > bound, splat<Element<V>>(bound), x);
}
template <class V>
WEFT_INLINE V at_least(V x, Element<V> bound) {
    return select(x < bound, splat<Element<V>>(bound), x);
}
#endif

// c[0] + c[1] x + c[2] x**2 ..., by halves: long chains of multiply-adds would wait for each other. power[i] is
// x**(2**i).
template <int from, int count, class V, class T> WEFT_INLINE V polynomial_part(const T* c, const V* power) {
    if constexpr (count == 1) return splat<T>(c[from]);
    else if constexpr (count == 2) return power[0] * c[from + 1] + c[from];
    else {
        constexpr int level = count > 16 ? 4 : count > 8 ? 3 : count > 4 ? 2 : 1, half = 1 << level;
        return polynomial_part<from + half, count - half>(c, power) * power[level] +
               polynomial_part<from, half>(c, power);
    }
}
template <class V, class T, size_t n> WEFT_INLINE V polynomial(const T (&c)[n], V x) {
    V power[5];
    power[0] = x;
    for (int i = 1; i < 5; i++) power[i] = power[i - 1] * power[i - 1];
    return polynomial_part<0, int(n)>(c, power);
}

template <class V> struct ExpOf;
template <> struct ExpOf<vf> {
    static constexpr float LOG2E = 1.44269504f, LN2_HIGH = 0.693145752f, LN2_LOW = 1.42860677e-6f;
    // 1.5 * 2**23: adding it leaves a whole number
    static constexpr float LOW = -104.0f, HIGH = 89.0f, ROUND = 12582912.0f;
    static constexpr int MANTISSA = 23, BIAS = 127;
    static constexpr float P[] = {0.5000000014f,   0.1666666668f,   0.04166645681f,
                                  0.008333310024f, 0.001393454193f, 0.0001989198131f};
};
template <> struct ExpOf<vd> {
    static constexpr double LOG2E = 1.4426950408889634, LN2_HIGH = 0.693147180369123816490,
                            LN2_LOW = 1.90821492927058770002e-10;
    static constexpr double LOW = -746.0, HIGH = 710.0, ROUND = 6755399441055744.0;
    static constexpr int MANTISSA = 52, BIAS = 1023;
    static constexpr double P[] = {0.5000000000000001128,      0.16666666666666667534,   0.041666666666620638584,
                                   0.0083333333333297934996,   0.0013888888918939167785, 0.00019841269864380513295,
                                   0.000024801518641395993583, 2.7557266418612303703e-6, 2.76213386691429238e-7,
                                   2.5101346928350340198e-8};
};

// 2**k for whole k within the exponents of normal numbers
template <class V> WEFT_INLINE V two_to(Mask<V> k) {
    using E = ExpOf<V>;
    return bits<V>((k + E::BIAS) << E::MANTISSA);
}

// x * 2**k in two steps, so that results beyond what one factor can hold come out right (subnormal ones rounded twice)
// k >> 1; an arithmetic shift of 64 bits is slow before AVX-512
template <class V> WEFT_INLINE Mask<V> half_of(Mask<V> k) {
    using U = Vec<std::conditional_t<sizeof(Element<V>) == 4, uint32_t, uint64_t>>;
    return bits<Mask<V>>(bits<U>(k + 4096) >> 1) - 2048;
}
template <class V> WEFT_INLINE V scale_by(V x, Mask<V> k) {
    Mask<V> half = half_of<V>(k);
    return x * two_to<V>(half) * two_to<V>(k - half);
}
// The same where k is also there as a number: AVX-512 has an instruction for it, with the same bits.
#if defined(__AVX512F__)
WEFT_INLINE vf scale_by(vf x, vi32, vf k) { return vf(_mm512_maskz_scalef_ps(__mmask16(-1), __m512(x), __m512(k))); }
WEFT_INLINE vd scale_by(vd x, vi64, vd k) { return vd(_mm512_maskz_scalef_pd(__mmask8(-1), __m512d(x), __m512d(k))); }
#else
template <class V> WEFT_INLINE V scale_by(V x, Mask<V> k, V) { return scale_by(x, k); }
#endif

// e**r - 1 for |r| <= ln(2) / 2: r + r**2 P(r)
template <class V> WEFT_INLINE V expm1_small(V r) {
    using E = ExpOf<V>;
    return r + r * r * polynomial(E::P, r);
}

// x as r + k ln(2), |r| <= ln(2) / 2; whole: k as a number
template <class V> struct Reduced {
    Mask<V> k;
    V whole, r;
    explicit WEFT_INLINE Reduced(V x) {
        using E = ExpOf<V>;
        using T = Element<V>;
        V shifted = x * T(E::LOG2E) + T(E::ROUND);
        k = bits<Mask<V>>(shifted) - bits<Mask<V>>(splat<T>(E::ROUND));
        whole = shifted - T(E::ROUND);
        r = (x - whole * T(E::LN2_HIGH)) - whole * T(E::LN2_LOW);
    }
};

template <class V> WEFT_INLINE V vexp(V x) {
    using E = ExpOf<V>;
    using T = Element<V>;
    const Reduced<V> part(at_least(at_most(x, T(E::HIGH)), T(E::LOW)));
    return scale_by(expm1_small(part.r) + T(1), part.k, part.whole);
}

// e**x - 1, also for small x; x is limited to where two_to holds (beyond, the result is -1 or inf)
template <class V> WEFT_INLINE V vexpm1(V given) {
    using E = ExpOf<V>;
    using T = Element<V>;
    const Reduced<V> part(at_least(at_most(given, T(E::HIGH)), T(-40)));
    Mask<V> half = half_of<V>(part.k);
    V scale = two_to<V>(half), rest = two_to<V>(part.k - half);
    V found = (expm1_small(part.r) * scale + (scale - two_to<V>(half - part.k))) * rest;
    return select(given == T(0), given, found);         // keeps the sign of zero
}

template <class V> WEFT_INLINE V vabs(V x) {
    using T = Element<V>;
    return bits<V>(bits<Mask<V>>(x) & ~bits<Mask<V>>(splat<T>(T(-0.0))));
}

template <class V> WEFT_INLINE V vsigmoid(V x) {
    using T = Element<V>;
    using E = ExpOf<V>;
    V below = bits<V>(bits<Mask<V>>(x) | bits<Mask<V>>(splat<T>(T(-0.0))));     // -|x|
    const Reduced<V> part(at_least(below, T(E::LOW)));
    V e = scale_by(expm1_small(part.r) + T(1), part.k, part.whole);     // never overflows; small ones keep their digits
    return select(x < T(0), e, splat<T>(1)) / (e + T(1));
}

template <class V> WEFT_INLINE V vtanh(V x) {
    using T = Element<V>;
    V limited = at_least(at_most(x, T(20)), T(-20));
    const Reduced<V> part(limited + limited);
    V scale = two_to<V>(part.k), e = expm1_small(part.r) * scale + (scale - T(1));      // e**2x - 1: no scale overflows
    return select(x == T(0), x, e / (e + T(2)));        // keeps the sign of zero
}

}  // namespace weft
