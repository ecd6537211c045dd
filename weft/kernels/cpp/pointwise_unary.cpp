// Functions of one array.
#include "activation.h"
#include "pointwise_rows.h"
#include "vecmath_trig.h"

namespace weft {
namespace {

#define VECTOR(name, expression) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) { \
        vector_row1<T>(n, out, in, scalars, [](Vec<T> x) -> Vec<T> { return expression; }); \
    }
#define STAGED(name, first, second)                                                               \
    template <class T>                                                                            \
    void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) { \
        staged_row1<T>(n, out, in, scalars, [](Vec<T> x) -> Vec<T> { return first; },             \
                       [](Vec<T> x, Vec<T> y) -> Vec<T> { return second; });                      \
    }
#define PLAIN(name, expression) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) { \
        plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return expression; }); \
    }

PLAIN(neg, -x)
PLAIN(abs, std::abs(x))
PLAIN(relu, x < 0 ? T(0) : x)               // NaN stays
PLAIN(reciprocal, 1 / x)
PLAIN(square, x * x)
PLAIN(sqrt, std::sqrt(x))
PLAIN(rsqrt, 1 / std::sqrt(x))
PLAIN(floor, std::floor(x))
PLAIN(ceil, std::ceil(x))
PLAIN(trunc, std::trunc(x))
PLAIN(round, std::nearbyint(x))             // halves to even
PLAIN(sign, T(T(x > 0) - T(x < 0)))          // 0 for NaN, as PyTorch
VECTOR(exp, vexp(x))
VECTOR(exp2, vexp2(x))
VECTOR(expm1, vexpm1(x))
VECTOR(log, vlog(x))
VECTOR(log1p, vlog1p(x))
VECTOR(log2, vlog2(x))
VECTOR(log10, vlog10(x))
VECTOR(tanh, vtanh(x))
VECTOR(sigmoid, vsigmoid(x))
VECTOR(sin, vsin(x))
VECTOR(cos, vcos(x))
VECTOR(tan, vtan(x))
VECTOR(atan, vatan(x))
STAGED(erf, erf_bell(x), verf(x, y))
STAGED(erfc, erf_bell(x), verfc(x, y))
STAGED(ndtr, normal_bell(x), vndtr(x, y))
STAGED(gelu, normal_bell(x), gelu_of(x, y))
VECTOR(gelu_tanh, gelu_tanh_of(x))
VECTOR(silu, silu_of(x))
VECTOR(mish, mish_of(x))
VECTOR(hardswish, hardswish_of(x))
VECTOR(hardsigmoid, hardsigmoid_of(x))
STAGED(logsigmoid, exp_minus(x), logsigmoid_of(x, y))
// C's functions: rare, and right
PLAIN(asin, std::asin(x))
PLAIN(acos, std::acos(x))
PLAIN(sinh, std::sinh(x))
PLAIN(cosh, std::cosh(x))
PLAIN(asinh, std::asinh(x))
PLAIN(acosh, std::acosh(x))
PLAIN(atanh, std::atanh(x))

// Integers wrap, as in NumPy and PyTorch.
template <class T> void neg_int_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    using U = std::make_unsigned_t<T>;
    plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return T(U(0) - U(x)); });
}
template <class T> void abs_int_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    using U = std::make_unsigned_t<T>;
    plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return x < 0 ? T(U(0) - U(x)) : x; });
}
template <class T> void square_int_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    using U = std::make_unsigned_t<T>;
    plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return T(U(x) * U(x)); });
}
template <class T> void relu_int_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return x < 0 ? T(0) : x; });
}

template <class T> RowChoice floating(int code) {
    switch (code) {
        case NEG: return {neg_row<T>, CHEAP};
        case EXP: return {exp_row<T>, DEAR};
        case LOG: return {log_row<T>, DEAR};
        case TANH: return {tanh_row<T>, DEAR};
        case SIGMOID: return {sigmoid_row<T>, DEAR};
        case RELU: return {relu_row<T>, CHEAP};
        case SQRT: return {sqrt_row<T>, CHEAP};
        case ABS: return {abs_row<T>, CHEAP};
        case SIN: return {sin_row<T>, DEAR};
        case COS: return {cos_row<T>, DEAR};
        case RECIPROCAL: return {reciprocal_row<T>, CHEAP};
        case SQUARE: return {square_row<T>, CHEAP};
        case RSQRT: return {rsqrt_row<T>, CHEAP};
        case EXPM1: return {expm1_row<T>, DEAR};
        case EXP2: return {exp2_row<T>, DEAR};
        case LOG1P: return {log1p_row<T>, DEAR};
        case LOG2: return {log2_row<T>, DEAR};
        case LOG10: return {log10_row<T>, DEAR};
        case TAN: return {tan_row<T>, DEAR};
        case ATAN: return {atan_row<T>, DEAR};
        case ASIN: return {asin_row<T>, VERY_DEAR};
        case ACOS: return {acos_row<T>, VERY_DEAR};
        case SINH: return {sinh_row<T>, VERY_DEAR};
        case COSH: return {cosh_row<T>, VERY_DEAR};
        case ASINH: return {asinh_row<T>, VERY_DEAR};
        case ACOSH: return {acosh_row<T>, VERY_DEAR};
        case ATANH: return {atanh_row<T>, VERY_DEAR};
        case ERF: return {erf_row<T>, DEAR};
        case ERFC: return {erfc_row<T>, DEAR};
        case NDTR: return {ndtr_row<T>, DEAR};
        case FLOOR: return {floor_row<T>, CHEAP};
        case CEIL: return {ceil_row<T>, CHEAP};
        case TRUNC: return {trunc_row<T>, CHEAP};
        case ROUND: return {round_row<T>, CHEAP};
        case SIGN: return {sign_row<T>, CHEAP};
        case GELU: return {gelu_row<T>, DEAR};
        case GELU_TANH: return {gelu_tanh_row<T>, DEAR};
        case SILU: return {silu_row<T>, DEAR};
        case MISH: return {mish_row<T>, DEAR};
        case HARDSWISH: return {hardswish_row<T>, CHEAP};
        case HARDSIGMOID: return {hardsigmoid_row<T>, CHEAP};
        case LOGSIGMOID: return {logsigmoid_row<T>, DEAR};
        default: return {};
    }
}

template <class T> RowChoice whole(int code) {
    switch (code) {
        case NEG: return {neg_int_row<T>, CHEAP};
        case ABS: return {abs_int_row<T>, CHEAP};
        case SQUARE: return {square_int_row<T>, CHEAP};
        case RELU: return {relu_int_row<T>, CHEAP};
        default: return {};
    }
}

}  // namespace

RowChoice unary_row(int code, int type) {
    switch (type) {
        case F32: return floating<float>(code);
        case F64: return floating<double>(code);
        case I64: return whole<int64_t>(code);
        case I32: return whole<int32_t>(code);
        default: return {};
    }
}

}  // namespace weft
