// Activations and their gradients, lane by lane, for vf and vd. g is the gradient of the result; results are within a
// few units of the last place of the exact value times g, also where they are small.
#pragma once
#include "vecmath_erf.h"

namespace weft {

// x ndtr(x); bell: normal_bell(x). At minus infinity it is NaN, and its slope at both, as PyTorch's products of 0 and
// infinity are.
template <class V> WEFT_INLINE V gelu_of(V x, V bell) { return x * vndtr(x, bell); }
template <class V> WEFT_INLINE V gelu_of(V x) { return gelu_of(x, normal_bell(x)); }
template <class V> WEFT_INLINE V gelu_backward_of(V g, V x, V bell) {
    using T = Element<V>;
    V a = at_most(vabs(x), T(ErfOf<V>::NDTR_FAR)), slope = a * (bell * T(0.3989422804014327)) - normal_tail(a, bell);
    return g * (select(x < T(0), -slope, slope + T(1)) + (x - x));
}

// 0.5 x (1 + tanh(y)) is x sigmoid(2 y), y = sqrt(2 / pi) (x + 0.044715 x**3)
constexpr double GELU_SLOPE = 1.5957691216057308, GELU_CUBE = 0.044715;
template <class V> WEFT_INLINE V gelu_tanh_of(V x) {
    using T = Element<V>;
    V y = x * (x * x * T(GELU_SLOPE * GELU_CUBE) + T(GELU_SLOPE));
    return x * vsigmoid(y);
}
template <class V> WEFT_INLINE V gelu_tanh_backward_of(V g, V x) {
    using T = Element<V>;
    V square = x * x, y = x * (square * T(GELU_SLOPE * GELU_CUBE) + T(GELU_SLOPE)), s = vsigmoid(y),
      other = vsigmoid<V>(-y);
    return g * (s + s * other * (x * (square * T(3 * GELU_SLOPE * GELU_CUBE) + T(GELU_SLOPE))));
}

template <class V> WEFT_INLINE V silu_of(V x) { return x * vsigmoid(x); }
template <class V> WEFT_INLINE V silu_backward_of(V g, V x) {
    using T = Element<V>;
    V e = vexp<V>(-vabs(x)), down = T(1) / (e + T(1)), up = e * down;      // the larger and the smaller of s and 1 - s
    V s = select(x < T(0), up, down), rest = select(x < T(0), down, up);
    return g * (s * (x * rest + T(1)));
}

// tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2), e = e**x; beyond 20 it is 1
template <class V> WEFT_INLINE V mish_of(V x) {
    using T = Element<V>;
    V e = vexp<V>(at_most(x, T(20))), n = e * (e + T(2));
    return select(x > T(20), x, x * (n / (n + T(2))));
}
template <class V> WEFT_INLINE V mish_backward_of(V g, V x) {
    using T = Element<V>;
    V e = vexp<V>(at_most(x, T(20))), n = e * (e + T(2)), d = n + T(2), t = n / d;
    V slope = t + x * (T(4) * e * (e + T(1))) / (d * d);
    return g * select(x > T(20), splat<T>(1), slope);
}

template <class V> WEFT_INLINE V clip(V x, Element<V> low, Element<V> high) {     // NaN stays; crossed bounds give high
    return at_most(at_least(x, low), high);
}
template <class V> WEFT_INLINE V hardsigmoid_of(V x) {
    using T = Element<V>;
    return clip<V>(x + T(3), T(0), T(6)) / T(6);
}
template <class V> WEFT_INLINE V hardsigmoid_backward_of(V g, V x) {
    using T = Element<V>;
    return select((x > T(-3)) & (x < T(3)), g / T(6), splat<T>(0));
}
template <class V> WEFT_INLINE V hardswish_of(V x) {
    using T = Element<V>;
    return x * clip<V>(x + T(3), T(0), T(6)) / T(6);
}
template <class V> WEFT_INLINE V hardswish_backward_of(V g, V x) {
    using T = Element<V>;
    V inside = g * (x / T(3) + T(0.5));
    return select(x <= T(-3), splat<T>(0), select(x < T(3), inside, g));
}

// log(1 + e), e = e**-|x|, is what all of these have in common
template <class V> WEFT_INLINE V exp_minus(V x) { return vexp<V>(-vabs(x)); }
template <class V> WEFT_INLINE V logsigmoid_of(V x, V e) { return at_most(x, Element<V>(0)) - vlog1p(e); }
template <class V> WEFT_INLINE V logsigmoid_backward_of(V g, V x) { return g * vsigmoid<V>(-x); }

// ---- with parameters a, b, c ----

template <class V>
WEFT_INLINE V leaky_relu_of(V x, Element<V> slope) {
    return select(x > Element<V>(0), x, x * slope);
}
template <class V>
WEFT_INLINE V leaky_relu_backward_of(V g, V x, Element<V> slope) {
    return select(x > Element<V>(0), g, g * slope);
}

// elu: `low` times e**(x input_scale) - 1 where x is at most 0
template <class V> WEFT_INLINE V elu_of(V x, Element<V> low, Element<V> scale, Element<V> input_scale) {
    return select(x <= Element<V>(0), vexpm1<V>(x * input_scale) * low, x * scale);
}
template <class V> WEFT_INLINE V elu_backward_of(V g, V x, Element<V> low, Element<V> scale, Element<V> input_scale) {
    return g * select(x <= Element<V>(0), vexp<V>(x * input_scale) * (low * input_scale), splat<Element<V>>(scale));
}

// e: exp_minus(x * beta)
template <class V> WEFT_INLINE V softplus_of(V x, V e, Element<V> beta, Element<V> threshold) {
    using T = Element<V>;
    V scaled = x * beta;
    return select(scaled > threshold, x, (at_least(scaled, T(0)) + vlog1p(e)) / beta);
}
template <class V> WEFT_INLINE V softplus_backward_of(V g, V x, Element<V> beta, Element<V> threshold) {
    V scaled = x * beta;
    return select(scaled > threshold, g, g * vsigmoid(scaled));
}

template <class V>
WEFT_INLINE V threshold_of(V x, Element<V> threshold, Element<V> value) {
    return select(x <= threshold, splat<Element<V>>(value), x);
}
template <class V>
WEFT_INLINE V threshold_backward_of(V g, V x, Element<V> threshold) {
    return select(x <= threshold, splat<Element<V>>(0), g);
}
// nothing at the bounds themselves
template <class V> WEFT_INLINE V hardtanh_backward_of(V g, V x, Element<V> low, Element<V> high) {
    return select((x <= low) | (x >= high), splat<Element<V>>(0), g);
}
// the bounds count as inside
template <class V> WEFT_INLINE V clamp_backward_of(V g, V x, Element<V> low, Element<V> high) {
    return select((x >= low) & (x <= high), g, splat<Element<V>>(0));
}
template <class V>
WEFT_INLINE V hardshrink_of(V x, Element<V> size) {
    return select((x >= -size) & (x <= size), splat<Element<V>>(0), x);
}
template <class V>
WEFT_INLINE V shrink_backward_of(V g, V x, Element<V> size) {
    return select((x >= -size) & (x <= size), splat<Element<V>>(0), g);
}
template <class V> WEFT_INLINE V softshrink_of(V x, Element<V> size) {
    using T = Element<V>;
    return select(x > size, x - size, select(x < -size, x + size, select(x != x, x, splat<T>(0))));
}

}  // namespace weft
