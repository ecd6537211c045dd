// e**x and what is made of it, lane by lane, for vf and vd. Errors against exact results, in units of the last place:
// exp 2, expm1 2, sigmoid 3, tanh 3. NaN gives NaN; overflow inf; results below the normal range are rounded once more.
#pragma once
#include <type_traits>

#include "vec.h"

namespace weft {

template <class V> struct ExpOf;
template <> struct ExpOf<vf> {
    static constexpr float LOG2E = 1.44269504f, LN2_HIGH = 0.693145752f, LN2_LOW = 1.42860677e-6f;
    static constexpr float LOW = -104.0f, HIGH = 89.0f, ROUND = 12582912.0f;   // 1.5 * 2**23: adding it leaves a whole number
    static constexpr int TERMS = 7, MANTISSA = 23, BIAS = 127;
};
template <> struct ExpOf<vd> {
    static constexpr double LOG2E = 1.4426950408889634, LN2_HIGH = 0.693147180369123816490, LN2_LOW = 1.90821492927058770002e-10;
    static constexpr double LOW = -746.0, HIGH = 710.0, ROUND = 6755399441055744.0;
    static constexpr int TERMS = 13, MANTISSA = 52, BIAS = 1023;
};

// 2**k for whole k within the exponents of normal numbers
template <class V> inline V two_to(Mask<V> k) {
    using E = ExpOf<V>;
    return bits<V>((k + E::BIAS) << E::MANTISSA);
}

// x * 2**k in two steps, so that results beyond what one factor can hold come out right (subnormal ones rounded twice)
template <class V> inline V scale_by(V x, Mask<V> k) {
    using U = Vec<std::conditional_t<sizeof(Element<V>) == 4, uint32_t, uint64_t>>;
    Mask<V> half = bits<Mask<V>>(bits<U>(k + 4096) >> 1) - 2048;      // k >> 1; an arithmetic shift of 64 bits is slow before AVX-512
    return x * two_to<V>(half) * two_to<V>(k - half);
}

// e**r - 1 for |r| <= ln(2) / 2: its Taylor series, long enough for the type
template <class V> inline V expm1_small(V r) {
    using E = ExpOf<V>;
    using T = Element<V>;
    constexpr double inverse_factorial[] = {1, 1, 1 / 2., 1 / 6., 1 / 24., 1 / 120., 1 / 720., 1 / 5040., 1 / 40320., 1 / 362880., 1 / 3628800.,
                                            1 / 39916800., 1 / 479001600., 1 / 6227020800.};
    V sum = splat<T>(T(inverse_factorial[E::TERMS]));
    for (int i = E::TERMS - 1; i >= 2; i--) sum = sum * r + T(inverse_factorial[i]);
    return r + r * r * sum;
}

template <class V> inline V vexp(V x) {
    using E = ExpOf<V>;
    using T = Element<V>;
    x = select(x > T(E::HIGH), splat<T>(E::HIGH), x);
    x = select(x < T(E::LOW), splat<T>(E::LOW), x);
    V shifted = x * T(E::LOG2E) + T(E::ROUND);
    Mask<V> k = bits<Mask<V>>(shifted) - bits<Mask<V>>(splat<T>(E::ROUND));
    V whole = shifted - T(E::ROUND);
    V r = (x - whole * T(E::LN2_HIGH)) - whole * T(E::LN2_LOW);
    return scale_by(expm1_small(r) + T(1), k);
}

// e**(x + low), where low is what is left of x beyond its last place
template <class V> inline V vexp_of_sum(V x, V low) {
    using E = ExpOf<V>;
    using T = Element<V>;
    x = select(x > T(E::HIGH), splat<T>(E::HIGH), x);
    low = select(x < T(E::LOW), splat<T>(0), low);
    x = select(x < T(E::LOW), splat<T>(E::LOW), x);
    V shifted = x * T(E::LOG2E) + T(E::ROUND);
    Mask<V> k = bits<Mask<V>>(shifted) - bits<Mask<V>>(splat<T>(E::ROUND));
    V whole = shifted - T(E::ROUND);
    V r = (x - whole * T(E::LN2_HIGH)) - (whole * T(E::LN2_LOW) - low);
    return scale_by(expm1_small(r) + T(1), k);
}

// e**x - 1, also for small x; x is limited to where two_to holds (beyond, the result is -1 or inf)
template <class V> inline V vexpm1(V x) {
    using E = ExpOf<V>;
    using T = Element<V>;
    x = select(x > T(E::HIGH), splat<T>(E::HIGH), x);
    x = select(x < T(-40), splat<T>(-40), x);
    V shifted = x * T(E::LOG2E) + T(E::ROUND);
    Mask<V> k = bits<Mask<V>>(shifted) - bits<Mask<V>>(splat<T>(E::ROUND));
    V whole = shifted - T(E::ROUND);
    V r = (x - whole * T(E::LN2_HIGH)) - whole * T(E::LN2_LOW);
    Mask<V> half = k >> 1;
    V scale = two_to<V>(half), rest = two_to<V>(k - half);
    return (expm1_small(r) * scale + (scale - two_to<V>(half - k))) * rest;
}

template <class V> inline V vabs(V x) {
    using T = Element<V>;
    return bits<V>(bits<Mask<V>>(x) & ~bits<Mask<V>>(splat<T>(T(-0.0))));
}

template <class V> inline V vsigmoid(V x) {
    using T = Element<V>;
    V e = vexp<V>(-vabs(x));        // never overflows; the small results keep their digits
    return select(x < T(0), e, splat<T>(1)) / (e + T(1));
}

template <class V> inline V vtanh(V x) {
    using T = Element<V>;
    V limited = select(x > T(20), splat<T>(20), x);
    limited = select(limited < T(-20), splat<T>(-20), limited);
    V e = vexpm1<V>(limited + limited);
    return select(x == T(0), x, e / (e + T(2)));        // keeps the sign of zero
}

}  // namespace weft
