// The error function and the normal distribution, lane by lane, for vf and vd. Errors against exact results, in units
// of the last place: erf 4, erfc 8, ndtr 7, also far out in the tail as long as results are normal numbers; below, they
// are 0.
#pragma once
#include <array>

#include "vecmath_log.h"

namespace weft {

template <class V> struct ErfOf;
template <> struct ErfOf<vf> {
    // e**r for |r| <= ln(2) / 2
    static constexpr float EXP[] = {1, 1, 0.5f, 0.1666657522f, 0.0416665524f, 0.008363472722f, 0.001392655043f};
    static constexpr float K = 2.5f, ERFC_FAR = 9.385f, NDTR_FAR = 13.272f;
    // (x + K) e**(x*x) erfc(x), by powers of (x - K) / (x + K), for x in [0, ERFC_FAR]
    static constexpr float TAIL[] = {1.054031827f,     -0.8046517963f,  0.4539135509f,    -0.1712531485f,
                                     0.02836799843f,   0.008414608256f, -0.004835387669f, -0.000525577341f,
                                     0.0006736918747f, 0.0001675922899f};
    // erf(x) / x, by powers of x*x, for x in [0, 1]
    static constexpr float NEAR[] = {1.128379166f,    -0.3761262667f,    0.1128359472f,  -0.02685421201f,
                                     0.005189087423f, -0.0008016864287f, 7.875875063e-5f};
};
template <> struct ErfOf<vd> {
    static constexpr double EXP[] = {1,
                                     1,
                                     0.50000000000000010733,
                                     0.16666666666666667492,
                                     0.041666666666622430934,
                                     0.0083333333333299313345,
                                     0.0013888888918057098786,
                                     0.00019841269863702190533,
                                     0.000024801519991900053067,
                                     2.7557267457163429957e-6,
                                     2.7620705697125571599e-7,
                                     2.5100860168090098861e-8};
    static constexpr double K = 3.75, ERFC_FAR = 26.6345, NDTR_FAR = 37.667;
    static constexpr double TAIL[] = {
        1.0919229095627890428,      -0.95874157665290961404,   0.73631892522175167649,     -0.4904702912076726942,
        0.27906204903378570411,     -0.13195540117874030448,   0.049118778615136064416,    -0.012535880037664409127,
        0.00098633808291397645267,  0.00079482306892607122436, -0.00034864689354879397706, 0.000010594154835903569618,
        0.000037471980072895855427, -8.9044884428307335847e-6, -3.2905344440859754603e-6,  1.6571307173510989102e-6,
        2.8248899634953359153e-7,   -2.648201193163233971e-7,  -3.0694325174643682874e-8,  4.0440946873133985114e-8,
        6.1999125698062888541e-9,   -4.6531561796018012829e-9, -1.3063193753462563762e-9};
    static constexpr double NEAR[] = {
        1.1283791670955125665,    -0.37612638903183540438,    0.11283791670945006266,    -0.02686617064323777036,
        0.0052239776071164227321, -0.00085483259753896920806, 0.00012055294904839707917, -0.000014924736907419660338,
        1.644742470331736241e-6,  -1.6208483801871705902e-7,  1.3720064546777685604e-8,  -7.7958988270021422416e-10};
};

// (a + K sqrt(2)) e**(a*a / 2) normal_tail(a): erfc(a / sqrt(2)) / 2 with the factors inside
template <class V> constexpr auto NORMAL_TAIL = [] {
    std::array<Element<V>, std::size(ErfOf<V>::TAIL)> made{};
    for (size_t i = 0; i < made.size(); i++) made[i] = Element<V>(ErfOf<V>::TAIL[i] * 0.7071067811865476);
    return made;
}();

// c[0] + c[1] x + ..., one step after the other: the fewest operations, for loops that have other lanes to work on
// meanwhile
template <class C, class V> WEFT_INLINE V horner(const C& c, V x) {
    V sum = splat<Element<V>>(c[std::size(c) - 1]);
#pragma GCC unroll 32
    for (int i = int(std::size(c)) - 2; i >= 0; i--) sum = sum * x + c[size_t(i)];
    return sum;
}

// e**(x*x) erfc(x) for x in [0, ERFC_FAR]
template <class V> WEFT_INLINE V erfc_scaled(V x) {
    using E = ErfOf<V>;
    using T = Element<V>;
    V w = T(1) / (x + T(E::K));
    return w * horner(E::TAIL, T(1) - T(2 * E::K) * w);
}

// What is lost when x*x is rounded to `square`: one fused step where there is one, else by halves whose products are
// exact
#if defined(__AVX512F__)
WEFT_INLINE vf square_rest(vf x, vf square) { return vf(_mm512_fmsub_ps(__m512(x), __m512(x), __m512(square))); }
WEFT_INLINE vd square_rest(vd x, vd square) { return vd(_mm512_fmsub_pd(__m512d(x), __m512d(x), __m512d(square))); }
#elif defined(__AVX2__) && defined(__FMA__)
WEFT_INLINE vf square_rest(vf x, vf square) { return vf(_mm256_fmsub_ps(__m256(x), __m256(x), __m256(square))); }
WEFT_INLINE vd square_rest(vd x, vd square) { return vd(_mm256_fmsub_pd(__m256d(x), __m256d(x), __m256d(square))); }
#elif defined(__aarch64__)
template <class V> WEFT_INLINE V square_rest(V x, V square) {
    for (int i = 0; i < LANES<Element<V>>; i++) square[i] = std::fma(x[i], x[i], -square[i]);
    return square;
}
#else
template <class V> WEFT_INLINE V square_rest(V x, V square) {
    using T = Element<V>;
    const V big = x * T(sizeof(T) == 4 ? 4097.0 : 134217729.0), high = big - (big - x), low = x - high;
    return ((high * high - square) + high * low * T(2)) + low * low;
}
#endif

// e**(-x*x * factor) for factors 1 and 0.5, x up to the FAR of its user: there the exponent's bits, and so the result,
// become 0. The square is carried in two parts, since an error in its last place would be multiplied by its size.
template <class V> WEFT_INLINE V exp_minus_square(V x, Element<V> factor) {
    using E = ExpOf<V>;
    using T = Element<V>;
    // leaves k + BIAS in the lowest bits, which a shift makes the exponent of 2**k
    constexpr T round = T(E::ROUND) + T(E::BIAS);
    V square = x * x, low = square_rest(x, square), shifted = square * (T(-E::LOG2E) * factor) + round;
    V whole = shifted - round;
    V r = ((square * -factor - whole * T(E::LN2_HIGH)) - whole * T(E::LN2_LOW)) - low * factor;
    return horner(ErfOf<V>::EXP, r) * bits<V>(bits<Mask<V>>(shifted) << E::MANTISSA);
}

// The functions in two halves: what e**(-x*x) they take, and the rest (see staged_row1).
template <class V>
WEFT_INLINE V erf_bell(V x) {
    return exp_minus_square(at_most(vabs(x), Element<V>(ErfOf<V>::ERFC_FAR)), Element<V>(1));
}
template <class V>
WEFT_INLINE V normal_bell(V x) {
    return exp_minus_square(at_most(vabs(x), Element<V>(ErfOf<V>::NDTR_FAR)), Element<V>(0.5));
}

// erfc(|x|)
template <class V>
WEFT_INLINE V erfc_tail(V x, V bell) {
    return bell * erfc_scaled(at_most(vabs(x), Element<V>(ErfOf<V>::ERFC_FAR)));
}

template <class V> WEFT_INLINE V verfc(V x, V bell) {
    using T = Element<V>;
    V tail = erfc_tail(x, bell);
    return select(x < T(0), T(2) - tail, tail);
}

template <class V> WEFT_INLINE V verf(V x, V bell) {
    using E = ErfOf<V>;
    using T = Element<V>;
    V near = x * polynomial(E::NEAR, x * x), far = T(1) - erfc_tail(x, bell);
    return select(vabs(x) < T(1), near, select(x < T(0), -far, far));
}

// What lies beyond a of the standard normal distribution; a is |x|, cut off where that is 0.
template <class V> WEFT_INLINE V normal_tail(V a, V bell) {
    using T = Element<V>;
    constexpr T k = T(ErfOf<V>::K * 1.4142135623730951);
    V w = T(1) / (a + k);
    return horner(NORMAL_TAIL<V>, T(1) - T(2 * k) * w) * (w * bell);
}

// The chance that a standard normal number is below x
template <class V> WEFT_INLINE V vndtr(V x, V bell) {
    using T = Element<V>;
    V tail = normal_tail<V>(at_most(vabs(x), T(ErfOf<V>::NDTR_FAR)), bell);
    return select(x < T(0), tail, T(1) - tail);
}

template <class V> WEFT_INLINE V verfc(V x) { return verfc(x, erf_bell(x)); }
template <class V> WEFT_INLINE V verf(V x) { return verf(x, erf_bell(x)); }
template <class V> WEFT_INLINE V vndtr(V x) { return vndtr(x, normal_bell(x)); }

}  // namespace weft
