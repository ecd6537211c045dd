// Functions of two arrays.
#include "activation.h"
#include "pointwise_rows.h"

namespace weft {
namespace {

#define VECTOR(name, expression) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) { \
        vector_row2<T>(n, out, in, scalars, [](Vec<T> x, Vec<T> y) -> Vec<T> { return expression; }); \
    }
#define PLAIN(name, expression) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) { \
        plain_row2<T, T>(n, out, in, scalars, [](T x, T y) -> T { return expression; }); \
    }
#define COMPARISON(name, expression) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) { \
        plain_row2<T, uint8_t>(n, out, in, scalars, [](T x, T y) -> uint8_t { return expression; }); \
    }

PLAIN(add, x + y)
PLAIN(sub, x - y)
PLAIN(mul, x * y)
PLAIN(div, x / y)
VECTOR(maximum, nan_max(x, y))
VECTOR(minimum, nan_min(x, y))
// x is the gradient of the result; y the result or, from gelu on, the argument
PLAIN(tanh_backward, x * (1 - y * y))
PLAIN(sigmoid_backward, x * (1 - y) * y)
PLAIN(relu_backward, y <= 0 ? T(0) : x)
template <class T> void pow_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    if constexpr (sizeof(T) == 4) {
        staged_row2<T, TwoDoubles>(n, out, in, scalars, [](vf x, vf y) { return pow_logs(x, y); },
                                   [](vf x, vf y, const TwoDoubles& logs) { return vpow(x, y, logs); });
    } else {
        vector_row2<T>(n, out, in, scalars, [](vd x, vd y) { return vpow(x, y); });
    }
}
PLAIN(atan2, std::atan2(x, y))
PLAIN(hypot, std::hypot(x, y))
PLAIN(fmod, std::fmod(x, y))
template <class T> void gelu_backward_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    staged_row2<T, Vec<T>>(n, out, in, scalars, [](Vec<T>, Vec<T> y) { return normal_bell(y); },
                           [](Vec<T> x, Vec<T> y, const Vec<T>& bell) { return gelu_backward_of(x, y, bell); });
}
VECTOR(gelu_tanh_backward, gelu_tanh_backward_of(x, y))
VECTOR(silu_backward, silu_backward_of(x, y))
VECTOR(mish_backward, mish_backward_of(x, y))
VECTOR(hardswish_backward, hardswish_backward_of(x, y))
VECTOR(hardsigmoid_backward, hardsigmoid_backward_of(x, y))
VECTOR(logsigmoid_backward, logsigmoid_backward_of(x, y))

// log(e**x + e**y)
template <class V> WEFT_INLINE V logaddexp_of(V x, V y, V e) {
    using T = Element<V>;
    // infinities of one sign have no difference
    return select(x == y, x + T(0.6931471805599453), nan_max(x, y) + vlog1p(e));
}
template <class T> void logaddexp_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    staged_row2<T, Vec<T>>(n, out, in, scalars, [](Vec<T> x, Vec<T> y) { return exp_minus<Vec<T>>(x - y); },
                           [](Vec<T> x, Vec<T> y, const Vec<T>& e) { return logaddexp_of<Vec<T>>(x, y, e); });
}

COMPARISON(eq, x == y)
COMPARISON(ne, x != y)
COMPARISON(lt, x < y)
COMPARISON(le, x <= y)
COMPARISON(gt, x > y)
COMPARISON(ge, x >= y)

// Signed overflow wraps, as in NumPy and PyTorch.
#define WRAPPING(name, sign)                                                                            \
    template <class T>                                                                                  \
    void name##_int_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {   \
        using U = std::conditional_t<(sizeof(T) < 4), uint32_t,                                         \
                                     std::make_unsigned_t<T>>; /* short ones would become signed int */ \
        plain_row2<T, T>(n, out, in, scalars, [](T x, T y) -> T { return T(U(x) sign U(y)); });         \
    }
WRAPPING(add, +)
WRAPPING(sub, -)
WRAPPING(mul, *)
PLAIN(maximum_int, x > y ? x : y)
PLAIN(minimum_int, x < y ? x : y)

template <class T> RowChoice comparison(int code) {
    switch (code) {
        case EQ: return {eq_row<T>, CHEAP};
        case NE: return {ne_row<T>, CHEAP};
        case LT: return {lt_row<T>, CHEAP};
        case LE: return {le_row<T>, CHEAP};
        case GT: return {gt_row<T>, CHEAP};
        case GE: return {ge_row<T>, CHEAP};
        default: return {};
    }
}

template <class T> RowChoice floating(int code) {
    switch (code) {
        case ADD: return {add_row<T>, CHEAP};
        case SUB: return {sub_row<T>, CHEAP};
        case MUL: return {mul_row<T>, CHEAP};
        case DIV: return {div_row<T>, CHEAP};
        case MAXIMUM: return {maximum_row<T>, CHEAP};
        case MINIMUM: return {minimum_row<T>, CHEAP};
        case TANH_BACKWARD: return {tanh_backward_row<T>, CHEAP};
        case SIGMOID_BACKWARD: return {sigmoid_backward_row<T>, CHEAP};
        case RELU_BACKWARD: return {relu_backward_row<T>, CHEAP};
        case POW: return {pow_row<T>, DEAR};
        case ATAN2: return {atan2_row<T>, VERY_DEAR};
        case HYPOT: return {hypot_row<T>, VERY_DEAR};
        case FMOD: return {fmod_row<T>, VERY_DEAR};
        case LOGADDEXP: return {logaddexp_row<T>, DEAR};
        case GELU_BACKWARD: return {gelu_backward_row<T>, DEAR};
        case GELU_TANH_BACKWARD: return {gelu_tanh_backward_row<T>, DEAR};
        case SILU_BACKWARD: return {silu_backward_row<T>, DEAR};
        case MISH_BACKWARD: return {mish_backward_row<T>, DEAR};
        case HARDSWISH_BACKWARD: return {hardswish_backward_row<T>, CHEAP};
        case HARDSIGMOID_BACKWARD: return {hardsigmoid_backward_row<T>, CHEAP};
        case LOGSIGMOID_BACKWARD: return {logsigmoid_backward_row<T>, DEAR};
        default: return comparison<T>(code);
    }
}

template <class T> RowChoice whole(int code) {
    switch (code) {
        case ADD: return {add_int_row<T>, CHEAP};
        case SUB: return {sub_int_row<T>, CHEAP};
        case MUL: return {mul_int_row<T>, CHEAP};
        case MAXIMUM: return {maximum_int_row<T>, CHEAP};
        case MINIMUM: return {minimum_int_row<T>, CHEAP};
        default: return comparison<T>(code);
    }
}

}  // namespace

RowChoice binary_row(int code, int type) {
    switch (type) {
        case F32: return floating<float>(code);
        case F64: return floating<double>(code);
        case I64: return whole<int64_t>(code);
        case I32: return whole<int32_t>(code);
        case U8: return whole<uint8_t>(code);
        case BOOL: return comparison<uint8_t>(code);
        default: return {};
    }
}

}  // namespace weft
