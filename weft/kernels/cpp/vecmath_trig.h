// Sine, cosine, tangent and arc tangent, lane by lane, for vf and vd. Errors against exact results, in units of the
// last place: sin and cos 2, tan 3, atan 2. The angle is reduced by pi/2 in parts, exactly up to 2**19 * pi/2; larger
// ones go to C's functions.
#pragma once
#include "vecmath_log.h"

namespace weft {

struct HalfPi {     // pi / 2: three parts of 33 bits, whose products with 20 bits are exact, and the rest
    static constexpr double A = 1.5707963267341256, B = 6.077100506303966e-11, C = 2.0222662487111665e-21,
                            D = 8.4784276603689e-32;
    static constexpr double TWO_OVER_PI = 0.6366197723675814, LIMIT = 823549.0;
};

template <class V> struct TrigOf;
template <> struct TrigOf<vf> {
    // sin r = r + r**3 S(r**2), cos r = 1 - r**2 / 2 + r**4 C(r**2) for |r| <= pi / 4
    static constexpr float S[] = {-0.1666666666f, 0.008333331875f, -0.0001984008674f, 2.72499258e-6f};
    static constexpr float C[] = {0.04166666666f, -0.001388888767f, 2.480060038e-5f, -2.73009592e-7f};
    // atan t = t + t**3 A(t**2) for |t| <= tan(pi / 8)
    static constexpr float A[] = {-0.3333333176f, 0.1999954048f, -0.142639556f, 0.1074373149f, -0.06451928208f};
};
template <> struct TrigOf<vd> {
    static constexpr double S[] = {-0.16666666666666666666,   0.0083333333333333314921,  -0.00019841269841265064947,
                                   2.7557319219339166518e-6,  -2.5052106232447577328e-8, 1.6058531618986146836e-10,
                                   -7.5866971177069179847e-13};
    static constexpr double C[] = {0.041666666666666666666,   -0.0013888888888888887865, 0.000024801587301584646428,
                                   -2.7557319221402824394e-7, 2.0876755791080423807e-9,  -1.1470460887609959107e-11,
                                   4.7458719020432915366e-14};
    static constexpr double A[] = {-0.3333333333333333016,   0.19999999999995520678,   -0.14285714284666542922,
                                   0.11111111015256361727,   -0.090909045781239018905, 0.076921831908260865637,
                                   -0.066645114473819480001, 0.058581489128022098816,  -0.050854497379402598613,
                                   0.039231658295587191303,  -0.019176887119062258989};
};

// x = k pi/2 + r with |r| <= pi/4; k's bits are those of a double that ends in k
WEFT_INLINE vd reduce_angle(vd x, vi64& k) {
    const double round = ExpOf<vd>::ROUND;
    vd shifted = x * HalfPi::TWO_OVER_PI + round, whole = shifted - round;
    k = bits<vi64>(shifted);
    return (((x - whole * HalfPi::A) - whole * HalfPi::B) - whole * HalfPi::C) - whole * HalfPi::D;
}
WEFT_INLINE vf reduce_angle(vf x, vi32& k) {
    vd low, high;
    halves(x, low, high);
    const double round = ExpOf<vd>::ROUND;
    vd s0 = low * HalfPi::TWO_OVER_PI + round, s1 = high * HalfPi::TWO_OVER_PI + round, w0 = s0 - round,
       w1 = s1 - round;
    vf whole = joined(w0, w1);
    k = bits<vi32>(whole + ExpOf<vf>::ROUND);
    return joined((low - w0 * HalfPi::A) - w0 * HalfPi::B, (high - w1 * HalfPi::A) - w1 * HalfPi::B);
}

template <class V> WEFT_INLINE bool any_lane(Mask<V> m) {
    int64_t part[sizeof(V) / 8], all = 0;
    std::memcpy(part, &m, sizeof m);
    for (size_t i = 0; i < sizeof(V) / 8; i++) all |= part[i];
    return all != 0;
}

template <class V> WEFT_INLINE V sin_near(V r) {
    V z = r * r;
    return r + r * (z * polynomial(TrigOf<V>::S, z));
}
template <class V> WEFT_INLINE V cos_near(V r) {
    using T = Element<V>;
    V z = r * r, half = z * T(0.5), lead = T(1) - half;
    return lead + (((T(1) - lead) - half) + z * z * polynomial(TrigOf<V>::C, z));
}

// `found`, and f(x) in the lanes that are too far for it (NaN and infinities too): what a lane gives must not depend on
// its neighbours.
template <class V, class F> WEFT_INLINE V with_far_ones(V x, V found, F f) {
    using T = Element<V>;
    const T limit = sizeof(T) == 4 ? T(600000) : T(HalfPi::LIMIT);
    const Mask<V> far = ~(vabs(x) < limit);
    if (any_lane<V>(far))
        for (int i = 0; i < LANES<T>; i++)
            if (far[i]) found[i] = f(x[i]);
    return found;
}

// sin (turn 0) or cos (turn 1)
template <int turn, class V> WEFT_INLINE V sine(V x) {
    using T = Element<V>;
    Mask<V> k;
    V r = reduce_angle(x, k);
    k += turn;
    V found = select((k & 1) != 0, cos_near(r), sin_near(r));
    found = select((k & 2) != 0, -found, found);
    found = turn ? found : select(x == T(0), x, found);      // keeps the sign of zero
    return with_far_ones(x, found, [](T lane) { return turn ? std::cos(lane) : std::sin(lane); });
}
template <class V> WEFT_INLINE V vsin(V x) { return sine<0>(x); }
template <class V> WEFT_INLINE V vcos(V x) { return sine<1>(x); }

template <class V> WEFT_INLINE V vtan(V x) {
    using T = Element<V>;
    Mask<V> k;
    V r = reduce_angle(x, k), s = sin_near(r), c = cos_near(r);
    const Mask<V> odd = (k & 1) != 0;
    const V found = select(x == T(0), x, select(odd, -c, s) / select(odd, s, c));
    return with_far_ones(x, found, [](T lane) { return std::tan(lane); });
}

template <class V> WEFT_INLINE V vatan(V x) {
    using T = Element<V>;
    const T half_pi = T(1.5707963267948966), quarter_pi = T(0.7853981633974483);
    const T half_low = sizeof(T) == 4 ? T(-4.37113883e-8f) : T(6.123233995736766e-17), quarter_low = half_low * T(0.5);
    V a = vabs(x);
    const Mask<V> large = a > T(2.414213562373095), middle = (a > T(0.4142135623730951)) & ~large;
    V top = select(large, splat<T>(-1), select(middle, a - T(1), a));
    V bottom = select(large, a, select(middle, a + T(1), splat<T>(1)));
    V t = top / bottom, z = t * t;
    V found = t + (t * (z * polynomial(TrigOf<V>::A, z)) +
                   select(large, splat<T>(half_low), select(middle, splat<T>(quarter_low), splat<T>(0))));
    found = select(large, found + half_pi, select(middle, found + quarter_pi, found));
    V signed_found = select(x < T(0), -found, found);
    return select((x == T(0)) | (x != x), x, signed_found);
}

}  // namespace weft
