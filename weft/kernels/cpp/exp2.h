// Lighter forms of e**x, sigmoid and tanh for the inner loops of attention and recurrent cells, whose values lie within
// known limits.
#pragma once
#include "vecmath.h"

namespace weft {

// 2**t for t <= 126; 0 below the normal numbers; NaN gives NaN. 1 ulp.
template <class V> inline V exp2_of(V t) {
    using T = Element<V>;
    using E = ExpOf<V>;
    constexpr double narrow_terms[] = {1,
                                       0.693147206702832596,
                                       0.240226509222887581,
                                       0.0555032722667030206,
                                       0.00961805667852463808,
                                       0.00134004281776158379,
                                       0.000154614446985691291};
    constexpr double wide_terms[] = {1,
                                     0.693147180559945309,
                                     0.240226506959101596,
                                     0.055504108664821627,
                                     0.00961812910758725667,
                                     0.00133335581464064707,
                                     0.000154035304637243542,
                                     0.0000152527338415567726,
                                     1.32154325359123762e-6,
                                     1.01780570877339411e-7,
                                     7.07419429728852101e-9,
                                     4.45581790833606449e-10};
    constexpr bool narrow = sizeof(T) == 4;
    constexpr T lowest = -T(E::BIAS);
    t = select(t < lowest, splat<T>(lowest), t);
    const V shifted = t + T(E::ROUND);
    const Mask<V> whole = bits<Mask<V>>(shifted) - bits<Mask<V>>(splat<T>(E::ROUND));
    const V r = t - (shifted - T(E::ROUND));
    constexpr int last = narrow ? 6 : 11;
    V sum = splat<T>(T(narrow ? narrow_terms[last] : wide_terms[last]));
#pragma GCC unroll 12
    for (int i = last - 1; i >= 0; i--) sum = sum * r + T(narrow ? narrow_terms[i] : wide_terms[i]);
    return sum * two_to<V>(whole);
}

// sigmoid for gates: the error is below 1e-7 (float) and 2e-16 (double) of 1, and 6e-7 (1e-15) of the value while |x| <
// 10
template <class V> inline V gate_sigmoid(V x) {
    using T = Element<V>;
    constexpr T most = sizeof(T) == 4 ? T(126) : T(1022);
    V t = x * T(-1.4426950408889634074);
    t = select(t > most, splat<T>(most), t);
    return T(1) / (T(1) + exp2_of<V>(t));
}

// tanh for gates: a polynomial below a half, so that small values keep all their digits; 4 ulp
template <class V> inline V gate_tanh(V x) {
    using T = Element<V>;
    constexpr double narrow_terms[] = {1,
                                       -0.333333241202205188,
                                       0.133329002583207924,
                                       -0.0538932245708645774,
                                       0.0212738220756008816,
                                       -0.00661201413471437006};
    constexpr double wide_terms[] = {1,
                                     -0.333333333333330806,
                                     0.133333333332928152,
                                     -0.0539682539428703202,
                                     0.0218694877188457067,
                                     -0.00886322013425050199,
                                     0.00359194650201305721,
                                     -0.00145445091763445516,
                                     0.000583179240000755818,
                                     -0.000217614421564223756,
                                     0.0000566350091591118164};
    constexpr bool narrow = sizeof(T) == 4;
    constexpr int last = narrow ? 5 : 10;
    const V square = x * x;
    V small = splat<T>(T(narrow ? narrow_terms[last] : wide_terms[last]));
#pragma GCC unroll 12
    for (int i = last - 1; i >= 0; i--) small = small * square + T(narrow ? narrow_terms[i] : wide_terms[i]);
    V t = x * T(2.8853900817779268147);
    t = select(t > T(64), splat<T>(64), t);
    const V big = T(1) - T(2) / (T(1) + exp2_of<V>(t));
    return select(square < T(0.25), x * small, big);
}

}  // namespace weft
