// Logarithms and powers, lane by lane, for vf and vd. Errors against exact results, in units of the last place:
// log 1, log1p 2, log2 2, log10 2, exp2 2, pow 1. Zero, negative numbers, infinities, NaN and
// subnormal numbers give what C's functions give.
#pragma once
#include "vecmath.h"

namespace weft {

template <class V> struct LogOf;
template <> struct LogOf<vf> {
    using Whole = uint32_t;
    // the bits of sqrt(0.5); a shift that keeps exponents positive
    static constexpr uint32_t ROOT_HALF = 0x3f3504f3, BIAS = 128u << 23;
    static constexpr int MANTISSA = 23, OFFSET = 128;
    static constexpr float SMALLEST = 1.17549435e-38f, SCALE = 16777216.0f, SCALE_LOG2 = 24.0f;
    static constexpr float LN2_HIGH = 0.693359375f, LN2_LOW = -2.12194440e-4f;
    static constexpr float LOG2E = 1.44269502f, LOG2E_LOW = 1.92596299e-8f, LOG10E = 0.434294492f,
                           LOG10E_LOW = -1.010305e-8f;
    static constexpr float LOG10_2_HIGH = 0.301025390625f, LOG10_2_LOW = 4.60503906e-6f;
    // log(1 + f) = f - f**2 / 2 + f**3 P(f) for f in [sqrt(0.5) - 1, sqrt(2) - 1]
    static constexpr float P[] = {0.3333333118f,  -0.2499999696f, 0.2000071575f,  -0.1666780232f, 0.1424905765f,
                                  -0.1242568733f, 0.1168541992f,  -0.1147973385f, 0.06971611471f};
};
template <> struct LogOf<vd> {
    using Whole = uint64_t;
    static constexpr uint64_t ROOT_HALF = 0x3fe6a09e667f3bcdull, BIAS = 1024ull << 52;
    static constexpr int MANTISSA = 52, OFFSET = 1024;
    static constexpr double SMALLEST = 2.2250738585072014e-308, SCALE = 18014398509481984.0, SCALE_LOG2 = 54.0;
    static constexpr double LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
    static constexpr double LOG2E = 1.4426950408889634, LOG2E_LOW = 2.0355273740931033e-17, LOG10E = 0.4342944819032518,
                            LOG10E_LOW = 1.098319650216765e-17;
    static constexpr double LOG10_2_HIGH = 3.01029995663611771306e-01, LOG10_2_LOW = 3.69423907715893078616e-13;
    // log(1 + f) = 2 s + s**3 P(s**2) where s = f / (2 + f)
    static constexpr double P[] = {0.66666666666666666465, 0.40000000000000876983, 0.28571428570803611811,
                                   0.22222222391713917442, 0.18181795640132906276, 0.15386239702814658188,
                                   0.13268773138656885185, 0.13086626147840102138};
};

// x = 2**k * (1 + f) for positive finite x; f within [sqrt(0.5) - 1, sqrt(2) - 1]
template <class V> WEFT_INLINE V split_log(V x, V& f) {
    using L = LogOf<V>;
    using T = Element<V>;
    using U = Vec<typename L::Whole>;
    const auto small = x < T(L::SMALLEST);
    V scaled = select(small, x * T(L::SCALE), x);
    U shifted = bits<U>(scaled) + (L::BIAS - L::ROOT_HALF);
    U exponent = shifted >> L::MANTISSA;                        // k + OFFSET
    U m = bits<U>(scaled) - ((exponent << L::MANTISSA) - L::BIAS);
    const T round = ExpOf<V>::ROUND;
    // to floating point by way of the bits
    V k = bits<V>(exponent + bits<U>(splat<T>(round))) - (round + T(L::OFFSET));
    f = bits<V>(m) - T(1);
    return select(small, k - T(L::SCALE_LOG2), k);
}

// log(1 + f) for f as split_log leaves it
template <class V> WEFT_INLINE V log_near(V f) {
    using L = LogOf<V>;
    using T = Element<V>;
    V half_square = f * f * T(0.5);
    if constexpr (sizeof(T) == 4) {
        return f - (half_square - f * (f * f) * polynomial(L::P, f));
    } else {
        V s = f / (f + T(2)), z = s * s;
        return f - (half_square - s * (half_square + z * polynomial(L::P, z)));
    }
}

// what logarithms are outside of the positive finite numbers
template <class V> WEFT_INLINE V log_special(V x, V found) {
    using T = Element<V>;
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    V special = select(x == T(0), splat<T>(-inf), select(x > T(0), x, select(x != x, x, splat<T>(nan))));
    return select((x > T(0)) & (x < inf), found, special);
}

template <class V> WEFT_INLINE V vlog(V x) {
    using L = LogOf<V>;
    using T = Element<V>;
    V f, k = split_log(x, f), half_square = f * f * T(0.5), found;
    if constexpr (sizeof(T) == 4) {
        V low = f * (f * f) * polynomial(L::P, f) + k * T(L::LN2_LOW);
        found = k * T(L::LN2_HIGH) + (f + (low - half_square));
    } else {
        V s = f / (f + T(2)), z = s * s;
        V low = s * (half_square + z * polynomial(L::P, z)) + k * T(L::LN2_LOW);
        found = k * T(L::LN2_HIGH) - ((half_square - low) - f);
    }
    return log_special(x, found);
}

template <class V> WEFT_INLINE V vlog2(V x) {
    using L = LogOf<V>;
    using T = Element<V>;
    V f, k = split_log(x, f), l = log_near(f);
    return log_special(x, k + (l * T(L::LOG2E) + l * T(L::LOG2E_LOW)));
}

template <class V> WEFT_INLINE V vlog10(V x) {
    using L = LogOf<V>;
    using T = Element<V>;
    V f, k = split_log(x, f), l = log_near(f);
    return log_special(x, k * T(L::LOG10_2_HIGH) + (l * T(L::LOG10E) + (l * T(L::LOG10E_LOW) + k * T(L::LOG10_2_LOW))));
}

template <class V> WEFT_INLINE V vlog1p(V x) {
    using T = Element<V>;
    const T inf = std::numeric_limits<T>::infinity();
    V whole = x + T(1), lost = select(whole > T(2), T(1) - (whole - x), x - (whole - T(1)));   // 1 + x is whole + lost
    V found = vlog(whole) + select((whole > T(0)) & (x < inf), lost / whole, splat<T>(0));
    return select((whole == T(1)) | (x != x), x, found);
}

// 2**x
template <class V> WEFT_INLINE V vexp2(V x) {
    using E = ExpOf<V>;
    using T = Element<V>;
    const T low = sizeof(T) == 4 ? T(-151) : T(-1076), high = sizeof(T) == 4 ? T(129) : T(1025);
    x = at_least(at_most(x, high), low);
    V shifted = x + T(E::ROUND), whole = shifted - T(E::ROUND), rest = x - whole;
    Mask<V> k = bits<Mask<V>>(shifted) - bits<Mask<V>>(splat<T>(E::ROUND));
    const T ln2 = sizeof(T) == 4 ? T(0.693147182f) : T(0.6931471805599453),
            ln2_low = sizeof(T) == 4 ? T(-1.90465423e-9f) : T(2.3190468138462996e-17);
    return scale_by(expm1_small(rest * ln2 + rest * ln2_low) + T(1), k);
}

// The value of x**y from |x|**y: the sign, and C's special cases (1**y and x**0 are 1, a negative x has only whole
// powers).
template <class V> WEFT_INLINE V pow_signs(V x, V y, V size) {
    using T = Element<V>;
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    // from here on all numbers are whole, from twice that even
    const T big = sizeof(T) == 4 ? T(8388608) : T(4503599627370496.0);
    const V magnitude = select(y < T(0), -y, y), half = magnitude * T(0.5);
    const Mask<V> whole = (magnitude >= big) | ((magnitude + big) - big == magnitude);
    const Mask<V> odd = whole & (magnitude < big + big) & ((half + big) - big != half);
    const Mask<V> negative = bits<Mask<V>>(x) < 0;      // -0.0 too
    V found = select(negative & odd, -size, size);
    found = select((x < T(0)) & (x > -inf) & ~whole & (y == y), splat<T>(nan), found);
    return select((x == T(1)) | (y == T(0)) | ((x == T(-1)) & (magnitude == inf)), splat<T>(1), found);
}

// the two halves of a vector of floats as doubles, and back
typedef float half_vf __attribute__((vector_size(VECTOR_BYTES / 2)));
#if defined(__AVX512F__)
#define WEFT_LOW 0, 1, 2, 3, 4, 5, 6, 7
#define WEFT_HIGH 8, 9, 10, 11, 12, 13, 14, 15
#elif defined(__AVX2__)
#define WEFT_LOW 0, 1, 2, 3
#define WEFT_HIGH 4, 5, 6, 7
#else
#define WEFT_LOW 0, 1
#define WEFT_HIGH 2, 3
#endif
WEFT_INLINE void halves(vf v, vd& low, vd& high) {
    low = __builtin_convertvector(__builtin_shufflevector(v, v, WEFT_LOW), vd);
    high = __builtin_convertvector(__builtin_shufflevector(v, v, WEFT_HIGH), vd);
}
WEFT_INLINE vf joined(vd low, vd high) {
    return __builtin_shufflevector(__builtin_convertvector(low, half_vf), __builtin_convertvector(high, half_vf),
                                   WEFT_LOW, WEFT_HIGH);
}

// Powers of floats by way of double, whose logarithm leaves the error far below float's; in two halves (see
// staged_row2).
struct TwoDoubles { vd low, high; };
WEFT_INLINE TwoDoubles pow_logs(vf x, vf y) {
    vd x0, x1, y0, y1;
    halves(vabs(x), x0, x1);
    halves(y, y0, y1);
    return {vlog(x0) * y0, vlog(x1) * y1};
}
WEFT_INLINE vf vpow(vf x, vf y, const TwoDoubles& logs) {
    vf size = joined(vexp(logs.low), vexp(logs.high));
    return pow_signs(x, y, select((y != y) | (x != x), x + y, size));
}
// In double the logarithm would need twice the digits: C's pow is as quick as that, and right.
WEFT_INLINE vd vpow(vd x, vd y) {
    vd r = x;
    for (int i = 0; i < LANES<double>; i++) r[i] = std::pow(x[i], y[i]);
    return r;
}

}  // namespace weft
