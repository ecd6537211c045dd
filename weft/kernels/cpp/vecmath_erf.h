// The error function and the normal distribution, lane by lane, for vf and vd. Errors against exact results, in units of the
// last place: erf 3, erfc 5, ndtr 5, also far out in the tail as long as results are normal numbers.
#pragma once
#include "vecmath_log.h"

namespace weft {

template <class V> struct ErfOf;
template <> struct ErfOf<vf> {
    static constexpr float K = 2.0f, FAR = 10.1f;
    static constexpr int32_t HIGH_BITS = int32_t(0xfffff000);
    // (1 + 2 x) e**(x*x) erfc(x), by powers of (x - K) / (x + K), for x in [0, FAR]
    static constexpr float TAIL[] = {1.276978391f, -0.09276391693f, -0.1660312975f, 0.1640536474f, -0.0542057217f, -0.008047965959f, 0.008639491471f,
                                     0.001282442498f, -0.001251374807f, -0.0003730590675f, 2.166778932e-5f};
    // erf(x) / x, by powers of x*x, for x in [0, 1]
    static constexpr float NEAR[] = {1.128379166f, -0.3761262667f, 0.1128359472f, -0.02685421201f, 0.005189087423f, -0.0008016864287f, 7.875875063e-5f};
};
template <> struct ErfOf<vd> {
    static constexpr double K = 3.75, FAR = 27.3;
    static constexpr int64_t HIGH_BITS = int64_t(0xfffffffff8000000);
    static constexpr double TAIL[] = {
        1.2375126308378275826, -0.14024059858554670097, 0.0035854154854632971284, 0.08227673849011403624, -0.10880393014168527834,
        0.092304321161477396791, -0.058693398590904263626, 0.02836227740102912188, -0.009746579546764525302, 0.0017556260149328289858,
        0.00029371362337406085681, -0.00029015496980854524775, 0.000051649080722850610383, 0.000022387333351774618819,
        -0.000011443386715647734588, -9.8045511463657229878e-7, 1.7486585524429922875e-6, -4.7600165999688581272e-8,
        -2.5296234439438508682e-7, 1.5447520210241471246e-8, 3.2858622449136448648e-8, -6.5934721097370006348e-10, -2.3377063125226788545e-9};
    static constexpr double NEAR[] = {
        1.1283791670955125665, -0.37612638903183540438, 0.11283791670945006266, -0.02686617064323777036, 0.0052239776071164227321,
        -0.00085483259753896920806, 0.00012055294904839707917, -0.000014924736907419660338, 1.644742470331736241e-6,
        -1.6208483801871705902e-7, 1.3720064546777685604e-8, -7.7958988270021422416e-10};
};

// e**(x*x) erfc(x) for x >= 0; beyond FAR e**(-x*x) is 0 anyway
template <class V> inline V erfc_scaled(V x) {
    using E = ErfOf<V>;
    using T = Element<V>;
    x = select(x > T(E::FAR), splat<T>(E::FAR), x);
    V u = (x - T(E::K)) / (x + T(E::K));
    return polynomial(E::TAIL, u) / (x + x + T(1));
}

// e**(-x*x * factor), x >= 0: the square in two parts, since its last place would be multiplied by its size
template <class V> inline V exp_minus_square(V x, Element<V> factor) {
    using E = ErfOf<V>;
    using T = Element<V>;
    const T most = sizeof(T) == 4 ? T(16) : T(40);
    x = select(x > most, splat<T>(most), x);
    V high = bits<V>(bits<Mask<V>>(x) & E::HIGH_BITS), low = x - high;
    return vexp_of_sum<V>(-(high * high * factor), -(low * (x + high) * factor));
}

template <class V> inline V verfc(V x) {
    using T = Element<V>;
    V a = vabs(x), tail = exp_minus_square(a, T(1)) * erfc_scaled(a);
    return select(x < T(0), T(2) - tail, tail);
}

template <class V> inline V verf(V x) {
    using E = ErfOf<V>;
    using T = Element<V>;
    V a = vabs(x), z = a * a, near = x * polynomial(E::NEAR, z);
    V far = T(1) - exp_minus_square(a, T(1)) * erfc_scaled(a);
    return select(a < T(1), near, select(x < T(0), -far, far));
}

// The chance that a standard normal number is below x; density, where asked for, is its derivative.
template <class V> inline V vndtr(V x, V* density = nullptr) {
    using T = Element<V>;
    V a = vabs(x), bell = exp_minus_square(a, T(0.5));
    V tail = bell * (erfc_scaled<V>(a * T(0.7071067811865476)) * T(0.5));
    if (density) *density = bell * T(0.3989422804014327);
    return select(x < T(0), tail, T(1) - tail);
}

}  // namespace weft
