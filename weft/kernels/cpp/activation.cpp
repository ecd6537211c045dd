// Activations that take numbers besides the array: activate(code, x, a, b, c) and activate_backward(code, g, x, a, b,
// c).
#include "activation.h"
#include "pointwise.h"

namespace weft {
namespace {

// as in ops/activation_native.py
enum Code { LEAKY_RELU, ELU, SOFTPLUS, THRESHOLD, HARDTANH, HARDSHRINK, SOFTSHRINK, CLAMP };
struct Numbers { double a, b, c; };

#define FORWARD(name, expression) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) { \
        const auto* numbers = static_cast<const Numbers*>(p); \
        [[maybe_unused]] const T a = T(numbers->a), b = T(numbers->b), c = T(numbers->c); \
        vector_row1<T>(n, out, in, scalars, [=](Vec<T> x) -> Vec<T> { return expression; }); \
    }
#define BACKWARD(name, expression)                                                                           \
    template <class T>                                                                                       \
    void name##_backward_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) { \
        const auto* numbers = static_cast<const Numbers*>(p);                                                \
        [[maybe_unused]] const T a = T(numbers->a), b = T(numbers->b), c = T(numbers->c);                    \
        vector_row2<T>(n, out, in, scalars, [=](Vec<T> g, Vec<T> x) -> Vec<T> { return expression; });       \
    }

FORWARD(leaky_relu, leaky_relu_of(x, a))
BACKWARD(leaky_relu, leaky_relu_backward_of(g, x, a))
FORWARD(elu, elu_of(x, a, b, c))
BACKWARD(elu, elu_backward_of(g, x, a, b, c))
template <class T> void softplus_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const T beta = T(static_cast<const Numbers*>(p)->a), threshold = T(static_cast<const Numbers*>(p)->b);
    staged_row1<T>(n, out, in, scalars, [=](Vec<T> x) -> Vec<T> { return exp_minus<Vec<T>>(x * beta); },
                   [=](Vec<T> x, Vec<T> e) -> Vec<T> { return softplus_of(x, e, beta, threshold); });
}
BACKWARD(softplus, softplus_backward_of(g, x, a, b))
FORWARD(threshold, threshold_of(x, a, b))
BACKWARD(threshold, threshold_backward_of(g, x, a))
FORWARD(clamp, clip<Vec<T>>(x, a, b))
BACKWARD(clamp, clamp_backward_of(g, x, a, b))
BACKWARD(hardtanh, hardtanh_backward_of(g, x, a, b))
FORWARD(hardshrink, hardshrink_of(x, a))
BACKWARD(shrink, shrink_backward_of(g, x, a))
FORWARD(softshrink, softshrink_of(x, a))

template <class T> Row forward_row(int64_t code) {
    switch (code) {
        case LEAKY_RELU: return leaky_relu_row<T>;
        case ELU: return elu_row<T>;
        case SOFTPLUS: return softplus_row<T>;
        case THRESHOLD: return threshold_row<T>;
        case HARDTANH: case CLAMP: return clamp_row<T>;
        case HARDSHRINK: return hardshrink_row<T>;
        case SOFTSHRINK: return softshrink_row<T>;
        default: return nullptr;
    }
}
template <class T> Row backward_row(int64_t code) {
    switch (code) {
        case LEAKY_RELU: return leaky_relu_backward_row<T>;
        case ELU: return elu_backward_row<T>;
        case SOFTPLUS: return softplus_backward_row<T>;
        case THRESHOLD: return threshold_backward_row<T>;
        case HARDTANH: return hardtanh_backward_row<T>;
        case CLAMP: return clamp_backward_row<T>;
        case HARDSHRINK: case SOFTSHRINK: return shrink_backward_row<T>;
        default: return nullptr;
    }
}
Cost cost_of(int64_t code) { return code == ELU || code == SOFTPLUS ? DEAR : CHEAP; }

}  // namespace

KERNEL(activate) {
    int64_t code;
    Array x;
    Numbers numbers;
    if (!read(args, n, code, x, numbers.a, numbers.b, numbers.c) || !x || (x.type != F32 && x.type != F64))
        return not_taken();
    const Array* in[] = {&x};
    return map_arrays(in, 1, x.type, x.type == F32 ? forward_row<float>(code) : forward_row<double>(code), &numbers,
                      cost_of(code));
}

KERNEL(activate_backward) {
    int64_t code;
    Array g, x;
    Numbers numbers;
    if (!read(args, n, code, g, x, numbers.a, numbers.b, numbers.c) || !g || !x || x.type != g.type ||
        (x.type != F32 && x.type != F64))
        return not_taken();
    const Array* in[] = {&g, &x};
    return map_arrays(in, 2, x.type, x.type == F32 ? backward_row<float>(code) : backward_row<double>(code), &numbers,
                      cost_of(code));
}

}  // namespace weft
