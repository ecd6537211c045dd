// Functions of one array: the rows of pointwise_ops.h.
#include <limits>

#include "activation.h"
#include "pointwise_rows.h"
#include "vecmath_trig.h"

namespace weft {
namespace {

// log |gamma(x)|, without C's global sign
double log_gamma(double x) { int sign; return lgamma_r(x, &sign); }

#define UNARY_PLAIN(name, cost, expression) \
    WEFT_ROW(name) { plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return expression; }); }
#define UNARY_VECTOR(name, cost, expression) \
    WEFT_ROW(name) { vector_row1<T>(n, out, in, scalars, [](Vec<T> x) -> Vec<T> { return expression; }); }
#define UNARY_STAGED(name, cost, first, second)                                       \
    WEFT_ROW(name) {                                                                  \
        staged_row1<T>(n, out, in, scalars, [](Vec<T> x) -> Vec<T> { return first; }, \
                       [](Vec<T> x, Vec<T> z) -> Vec<T> { return second; });          \
    }
#define UNARY_WHOLE(name, expression)                                                    \
    WEFT_ROW(name##_whole) {                                                             \
        using U [[maybe_unused]] = std::make_unsigned_t<T>;                              \
        plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return expression; });      \
    }
#define UNARY_BITS(name, expression) \
    WEFT_ROW(name) { plain_row1<T, T>(n, out, in, scalars, [](T x) -> T { return expression; }); }
#define TEST(name, expression) \
    WEFT_ROW(name) { plain_row1<T, uint8_t>(n, out, in, scalars, [](T x) -> uint8_t { return expression; }); }
#include "pointwise_ops.h"

template <class T> RowChoice test(int which) {
    switch (which) {
#define TEST(name, expression) case code::name: return {name##_row<T>, CHEAP};
#include "pointwise_ops.h"
        default: return {};
    }
}

template <class T> RowChoice bits(int which) {
    switch (which) {
#define UNARY_BITS(name, expression) case code::name: return {name##_row<T>, CHEAP};
#include "pointwise_ops.h"
        default: return test<T>(which);
    }
}

template <class T> RowChoice floating(int which) {
    switch (which) {
#define UNARY_PLAIN(name, cost, expression) case code::name: return {name##_row<T>, cost};
#define UNARY_VECTOR(name, cost, expression) case code::name: return {name##_row<T>, cost};
#define UNARY_STAGED(name, cost, first, second) case code::name: return {name##_row<T>, cost};
#include "pointwise_ops.h"
        default: return test<T>(which);
    }
}

template <class T> RowChoice whole(int which) {
    switch (which) {
#define UNARY_WHOLE(name, expression) case code::name: return {name##_whole_row<T>, CHEAP};
#include "pointwise_ops.h"
        default: return bits<T>(which);
    }
}

}  // namespace

RowChoice unary_row(int which, int type) {
    switch (type) {
        case F32: return floating<float>(which);
        case F64: return floating<double>(which);
        case I64: return whole<int64_t>(which);
        case I32: return whole<int32_t>(which);
        case U8: return bits<uint8_t>(which);
        case BOOL: return test<uint8_t>(which == code::bitwise_not ? int(code::logical_not) : which);
        default: return {};
    }
}

}  // namespace weft
