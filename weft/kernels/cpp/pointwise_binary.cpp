// Functions of two arrays: the rows of pointwise_ops.h.
#include "activation.h"
#include "pointwise_rows.h"

namespace weft {
namespace {

// log(e**x + e**y); e: exp_minus(x - y)
template <class V> WEFT_INLINE V logaddexp_of(V x, V y, V e) {
    using T = Element<V>;
    // infinities of one sign have no difference
    return select(x == y, x + T(0.6931471805599453), nan_max(x, y) + vlog1p(e));
}

// What floor division leaves, with the sign of y, as NumPy has it: a remainder of 0 has y's sign, too.
template <class T> WEFT_INLINE T remainder_of(T x, T y) {
    const T left = std::fmod(x, y);
    if (y == 0) return left;
    if (left == 0) return std::copysign(T(0), y);
    return (y < 0) != (left < 0) ? left + y : left;
}

// The quotient rounded down, from what is left, so that it is right where x / y was rounded up.
template <class T> WEFT_INLINE T floor_quotient(T x, T y) {
    if (y == 0) return x / y;
    const T left = std::fmod(x, y);
    T quotient = (x - left) / y;
    if (left != 0 && (y < 0) != (left < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T(0), x / y);
    const T low = std::floor(quotient);
    return quotient - low > T(0.5) ? low + 1 : low;
}

// Of integers; y is not 0. The least one has no opposite: by -1 it is itself.
template <class T> WEFT_INLINE T whole_remainder(T x, T y) {
    if constexpr (std::is_signed_v<T>) {
        if (y == -1) return 0;
        const T left = T(x % y);
        return left != 0 && (left < 0) != (y < 0) ? T(left + y) : left;
    }
    return T(x % y);
}

template <class T> WEFT_INLINE T whole_quotient(T x, T y) {
    if constexpr (std::is_signed_v<T>) {
        if (y == -1) return T(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(x));
        const T quotient = T(x / y), left = T(x % y);
        return left != 0 && (left < 0) != (y < 0) ? T(quotient - 1) : quotient;
    }
    return T(x / y);
}

WEFT_ROW(pow) {
    if constexpr (sizeof(T) == 4) {
        staged_row2<T, TwoDoubles>(n, out, in, scalars, [](vf x, vf y) { return pow_logs(x, y); },
                                   [](vf x, vf y, const TwoDoubles& logs) { return vpow(x, y, logs); });
    } else {
        vector_row2<T>(n, out, in, scalars, [](vd x, vd y) { return vpow(x, y); });
    }
}

#define BINARY_PLAIN(name, cost, expression) \
    WEFT_ROW(name) { plain_row2<T, T>(n, out, in, scalars, [](T x, T y) -> T { return expression; }); }
#define BINARY_VECTOR(name, cost, expression) \
    WEFT_ROW(name) { vector_row2<T>(n, out, in, scalars, [](Vec<T> x, Vec<T> y) -> Vec<T> { return expression; }); }
#define BINARY_STAGED(name, cost, first, second)                                               \
    WEFT_ROW(name) {                                                                           \
        staged_row2<T, Vec<T>>(                                                                \
            n, out, in, scalars,                                                               \
            []([[maybe_unused]] Vec<T> x, [[maybe_unused]] Vec<T> y) -> Vec<T> { return first; }, \
            [](Vec<T> x, Vec<T> y, const Vec<T>& z) -> Vec<T> { return second; });             \
    }
#define BINARY_WRITTEN(name, cost)
#define BINARY_WHOLE(name, expression)                                                                       \
    WEFT_ROW(name##_whole) {                                                                                 \
        /* what is shorter than an int would become a signed one */                                          \
        using U [[maybe_unused]] = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;   \
        plain_row2<T, T>(n, out, in, scalars, [](T x, T y) -> T { return expression; });                     \
    }
#define BINARY_BITS(name, expression) \
    WEFT_ROW(name) { plain_row2<T, T>(n, out, in, scalars, [](T x, T y) -> T { return expression; }); }
#define BINARY_OVER(name, expression) \
    WEFT_ROW(name##_whole) { plain_row2<T, T>(n, out, in, scalars, [](T x, T y) -> T { return expression; }); }
#define COMPARISON(name, expression) \
    WEFT_ROW(name) { plain_row2<T, uint8_t>(n, out, in, scalars, [](T x, T y) -> uint8_t { return expression; }); }
#include "pointwise_ops.h"

template <class T> RowChoice comparison(int which) {
    switch (which) {
#define COMPARISON(name, expression) case code::name: return {name##_row<T>, CHEAP};
#include "pointwise_ops.h"
        default: return {};
    }
}

template <class T> RowChoice bits(int which) {
    switch (which) {
#define BINARY_BITS(name, expression) case code::name: return {name##_row<T>, CHEAP};
#include "pointwise_ops.h"
        default: return comparison<T>(which);
    }
}

template <class T> RowChoice floating(int which) {
    switch (which) {
#define BINARY_PLAIN(name, cost, expression) case code::name: return {name##_row<T>, cost};
#define BINARY_VECTOR(name, cost, expression) case code::name: return {name##_row<T>, cost};
#define BINARY_STAGED(name, cost, first, second) case code::name: return {name##_row<T>, cost};
#define BINARY_WRITTEN(name, cost) case code::name: return {name##_row<T>, cost};
#include "pointwise_ops.h"
        default: return comparison<T>(which);
    }
}

template <class T> RowChoice whole(int which) {
    switch (which) {
#define BINARY_WHOLE(name, expression) case code::name: return {name##_whole_row<T>, CHEAP};
#define BINARY_OVER(name, expression) case code::name: return {name##_whole_row<T>, DEAR};
#include "pointwise_ops.h"
        default: return bits<T>(which);
    }
}

}  // namespace

RowChoice binary_row(int which, int type) {
    switch (type) {
        case F32: return floating<float>(which);
        case F64: return floating<double>(which);
        case I64: return whole<int64_t>(which);
        case I32: return whole<int32_t>(which);
        case U8: return whole<uint8_t>(which);
        case BOOL: return bits<uint8_t>(which);
        default: return {};
    }
}

}  // namespace weft
