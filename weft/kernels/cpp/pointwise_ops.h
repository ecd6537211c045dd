// The table of native loops: one line is all that a new one needs, besides `native = "name"` in its op's body. Enum,
// names, rows and the choice among them are made of these lines, so there is no include guard: whoever includes the
// table says before what a line is to become. Where there are no kernels, codes.py reads the names from this file.
//
// UNARY, BINARY, PRODUCT and VIEW take a name, for those who want no more. Elementwise loops are written as
//     ..._PLAIN    a C expression of elements x (and y), which the compiler makes vector code of; T is their type
//     ..._VECTOR   an expression of vectors of them
//     ..._STAGED   two, where one loop would be too long: the second takes the first one's value as z (pointwise.h)
//     ..._WRITTEN  name_row<T>, which stands in pointwise_unary.cpp or pointwise_binary.cpp
//     ..._WHOLE    the same function of integers; U is T without sign, since integers wrap, as in NumPy and PyTorch
//     ..._BITS     of integers and bools
//     ..._OVER     of integers, y is what they are divided by: nobody asks for a y of 0 (divides, pointwise_codes.h)
//     TEST, COMPARISON   of any numbers, one or two; give bool
// and what an element costs: CHEAP, DEAR, VERY_DEAR. CHAINED are the functions that only chains of them have (fused.h):
// a letter for each operand and for the result, x of the chain's type, b bool; their rows stand in ternary.cpp.
#ifndef UNARY
#define UNARY(name)
#endif
#ifndef BINARY
#define BINARY(name)
#endif
#ifndef PRODUCT
#define PRODUCT(name, a_turned, b_turned)
#endif
#ifndef VIEW
#define VIEW(name)
#endif
#ifndef CHAINED
#define CHAINED(name, letters)
#endif
#ifndef UNARY_PLAIN
#define UNARY_PLAIN(name, cost, expression) UNARY(name)
#define UNARY_VECTOR(name, cost, expression) UNARY(name)
#define UNARY_STAGED(name, cost, first, second) UNARY(name)
#endif
#ifndef UNARY_WHOLE
#define UNARY_WHOLE(name, expression)
#endif
#ifndef BINARY_PLAIN
#define BINARY_PLAIN(name, cost, expression) BINARY(name)
#define BINARY_VECTOR(name, cost, expression) BINARY(name)
#define BINARY_STAGED(name, cost, first, second) BINARY(name)
#define BINARY_WRITTEN(name, cost) BINARY(name)
#endif
#ifndef UNARY_BITS
#define UNARY_BITS(name, expression) UNARY(name)
#endif
#ifndef BINARY_WHOLE
#define BINARY_WHOLE(name, expression)
#endif
#ifndef BINARY_BITS
#define BINARY_BITS(name, expression) BINARY(name)
#endif
#ifndef BINARY_OVER
#define BINARY_OVER(name, expression)
#endif
#ifndef TEST
#define TEST(name, expression) UNARY(name)
#endif
#ifndef COMPARISON
#define COMPARISON(name, expression) BINARY(name)
#endif

// ---- functions of one array ----
UNARY_PLAIN(neg, CHEAP, -x)
UNARY_WHOLE(neg, T(U(0) - U(x)))
UNARY_PLAIN(abs, CHEAP, std::abs(x))
UNARY_WHOLE(abs, x < 0 ? T(U(0) - U(x)) : x)
UNARY_PLAIN(relu, CHEAP, x < 0 ? T(0) : x)                      // NaN stays
UNARY_WHOLE(relu, x < 0 ? T(0) : x)
UNARY_PLAIN(square, CHEAP, x * x)
UNARY_WHOLE(square, T(U(x) * U(x)))
UNARY_PLAIN(cube, CHEAP, x * x * x)
UNARY_PLAIN(reciprocal, CHEAP, 1 / x)
UNARY_PLAIN(sqrt, CHEAP, std::sqrt(x))
UNARY_PLAIN(rsqrt, CHEAP, 1 / std::sqrt(x))
UNARY_PLAIN(floor, CHEAP, std::floor(x))
UNARY_PLAIN(ceil, CHEAP, std::ceil(x))
UNARY_PLAIN(trunc, CHEAP, std::trunc(x))
UNARY_PLAIN(round, CHEAP, std::nearbyint(x))                    // halves to even
UNARY_PLAIN(sign, CHEAP, T(T(x > 0) - T(x < 0)))                // 0 for NaN, as PyTorch
UNARY_VECTOR(exp, DEAR, vexp(x))
UNARY_VECTOR(exp2, DEAR, vexp2(x))
UNARY_VECTOR(expm1, DEAR, vexpm1(x))
UNARY_VECTOR(log, DEAR, vlog(x))
UNARY_VECTOR(log1p, DEAR, vlog1p(x))
UNARY_VECTOR(log2, DEAR, vlog2(x))
UNARY_VECTOR(log10, DEAR, vlog10(x))
UNARY_VECTOR(tanh, DEAR, vtanh(x))
UNARY_VECTOR(sigmoid, DEAR, vsigmoid(x))
UNARY_VECTOR(sin, DEAR, vsin(x))
UNARY_VECTOR(cos, DEAR, vcos(x))
UNARY_VECTOR(tan, DEAR, vtan(x))
UNARY_VECTOR(atan, DEAR, vatan(x))
UNARY_STAGED(erf, DEAR, erf_bell(x), verf(x, z))
UNARY_STAGED(erfc, DEAR, erf_bell(x), verfc(x, z))
UNARY_STAGED(ndtr, DEAR, normal_bell(x), vndtr(x, z))
UNARY_STAGED(gelu, DEAR, normal_bell(x), gelu_of(x, z))
UNARY_VECTOR(gelu_tanh, DEAR, gelu_tanh_of(x))
UNARY_VECTOR(silu, DEAR, silu_of(x))
UNARY_VECTOR(mish, DEAR, mish_of(x))
UNARY_VECTOR(hardswish, CHEAP, hardswish_of(x))
UNARY_VECTOR(hardsigmoid, CHEAP, hardsigmoid_of(x))
UNARY_STAGED(logsigmoid, DEAR, exp_minus(x), logsigmoid_of(x, z))
// C's functions: rare, and right
UNARY_PLAIN(asin, VERY_DEAR, std::asin(x))
UNARY_PLAIN(acos, VERY_DEAR, std::acos(x))
UNARY_PLAIN(sinh, VERY_DEAR, std::sinh(x))
UNARY_PLAIN(cosh, VERY_DEAR, std::cosh(x))
UNARY_PLAIN(asinh, VERY_DEAR, std::asinh(x))
UNARY_PLAIN(acosh, VERY_DEAR, std::acosh(x))
UNARY_PLAIN(atanh, VERY_DEAR, std::atanh(x))
UNARY_PLAIN(lgamma, VERY_DEAR, T(log_gamma(double(x))))
UNARY_BITS(bitwise_not, T(~x))                                  // of bools it is logical_not
TEST(logical_not, x == 0)
TEST(isnan, x != x)
TEST(isinf, std::numeric_limits<T>::has_infinity && x != 0 && x + x == x)
TEST(isfinite, x - x == 0)

// ---- functions of two arrays ----
BINARY_PLAIN(add, CHEAP, x + y)
BINARY_WHOLE(add, T(U(x) + U(y)))
BINARY_PLAIN(sub, CHEAP, x - y)
BINARY_WHOLE(sub, T(U(x) - U(y)))
BINARY_PLAIN(mul, CHEAP, x * y)
BINARY_WHOLE(mul, T(U(x) * U(y)))
BINARY_PLAIN(div, CHEAP, x / y)
BINARY_VECTOR(maximum, CHEAP, nan_max(x, y))
BINARY_WHOLE(maximum, x > y ? x : y)
BINARY_VECTOR(minimum, CHEAP, nan_min(x, y))
BINARY_WHOLE(minimum, x < y ? x : y)
BINARY_WRITTEN(pow, DEAR)
BINARY_PLAIN(atan2, VERY_DEAR, std::atan2(x, y))
BINARY_PLAIN(hypot, VERY_DEAR, std::hypot(x, y))
BINARY_PLAIN(fmod, VERY_DEAR, std::fmod(x, y))
BINARY_PLAIN(remainder, VERY_DEAR, remainder_of(x, y))
BINARY_OVER(remainder, whole_remainder(x, y))
BINARY_PLAIN(floor_divide, VERY_DEAR, floor_quotient(x, y))
BINARY_OVER(floor_divide, whole_quotient(x, y))
BINARY_BITS(bitwise_and, T(x & y))
BINARY_BITS(bitwise_or, T(x | y))
BINARY_BITS(bitwise_xor, T(x ^ y))
BINARY_STAGED(logaddexp, DEAR, exp_minus<Vec<T>>(x - y), logaddexp_of<Vec<T>>(x, y, z))
BINARY_VECTOR(xlogy, DEAR, select((x == 0) & (y == y), Vec<T>{}, x * vlog(y)))
// x is the gradient of the result; y the result or, from gelu on, the argument
BINARY_PLAIN(tanh_backward, CHEAP, x * (1 - y * y))
BINARY_PLAIN(sigmoid_backward, CHEAP, x * (1 - y) * y)
BINARY_PLAIN(relu_backward, CHEAP, y <= 0 ? T(0) : x)
BINARY_STAGED(gelu_backward, DEAR, normal_bell(y), gelu_backward_of(x, y, z))
BINARY_VECTOR(gelu_tanh_backward, DEAR, gelu_tanh_backward_of(x, y))
BINARY_VECTOR(silu_backward, DEAR, silu_backward_of(x, y))
BINARY_VECTOR(mish_backward, DEAR, mish_backward_of(x, y))
BINARY_VECTOR(hardswish_backward, CHEAP, hardswish_backward_of(x, y))
BINARY_VECTOR(hardsigmoid_backward, CHEAP, hardsigmoid_backward_of(x, y))
BINARY_VECTOR(logsigmoid_backward, DEAR, logsigmoid_backward_of(x, y))
COMPARISON(eq, x == y)
COMPARISON(ne, x != y)
COMPARISON(lt, x < y)
COMPARISON(le, x <= y)
COMPARISON(gt, x > y)
COMPARISON(ge, x >= y)
COMPARISON(logical_and, x != 0 && y != 0)
COMPARISON(logical_or, x != 0 || y != 0)
COMPARISON(logical_xor, (x != 0) != (y != 0))

// ---- matrix products, called as functions of two arrays; which of them is read as its transpose ----
PRODUCT(mm, false, false)
PRODUCT(mm_nt, false, true)
PRODUCT(mm_tn, true, false)

// ---- views, made by native.pyx ----
VIEW(transpose)
VIEW(t)
VIEW(unsqueeze)
VIEW(view)
VIEW(expand)
VIEW(squeeze)
VIEW(permute)
VIEW(select)
VIEW(narrow)
VIEW(flatten)

// ---- functions that chains have besides ----
CHAINED(where, "bxxx")              // condition, x, y
CHAINED(clamp, "xxxx")              // x, low, high
CHAINED(inside, "xxxxx")            // gradient, x, low, high
CHAINED(dropout, "xbxx")            // x, mask, scale
CHAINED(winner_share, "xxxx")       // gradient, high, low
CHAINED(leaky_relu, "xxx")          // x, slope
CHAINED(leaky_relu_backward, "xxxx")        // gradient, x, slope
CHAINED(affine, "xxxxx")            // x, mean, scale, shift: as norms.h has it
CHAINED(number_of, "bx")
CHAINED(both, "bbb")
CHAINED(either, "bbb")
CHAINED(opposite, "bb")

#undef UNARY
#undef BINARY
#undef PRODUCT
#undef VIEW
#undef CHAINED
#undef UNARY_PLAIN
#undef UNARY_VECTOR
#undef UNARY_STAGED
#undef UNARY_WHOLE
#undef UNARY_BITS
#undef BINARY_PLAIN
#undef BINARY_VECTOR
#undef BINARY_STAGED
#undef BINARY_WRITTEN
#undef BINARY_WHOLE
#undef BINARY_BITS
#undef BINARY_OVER
#undef TEST
#undef COMPARISON
