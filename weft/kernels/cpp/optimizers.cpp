// One-call updates of all parameters of an optimizer, in place. The numbers that go into an update (bias corrections,
// step sizes) are computed in double and rounded to the type once, and each element takes the steps of PyTorch's
// single-tensor code in its order. All give True when done, None for lists that they don't take; lists are as in
// lists.h.
#include "lists.h"

namespace weft {
namespace {

// a step count: a number, or an array of one
bool read_step(PyObject* o, double& to) {
    if (read_one(o, to)) return true;
    Array a;
    if (!view_of(o, a) || a.size != 1) return false;
    switch (a.type) {
        case F32: to = *a.as<float>(); return true;
        case F64: to = *a.as<double>(); return true;
        case I64: to = double(*a.as<int64_t>()); return true;
        case I32: to = double(*a.as<int32_t>()); return true;
        default: return false;
    }
}

bool read_steps(PyObject* list, int64_t count, std::vector<double>& steps) {
    if ((!PyList_Check(list) && !PyTuple_Check(list)) || PySequence_Fast_GET_SIZE(list) != count) return false;
    steps.resize(size_t(count));
    for (int64_t i = 0; i < count; i++)
        if (!read_step(PySequence_Fast_GET_ITEM(list, i), steps[size_t(i)])) return false;
    return true;
}

// Count arrays of one float up, each its own; false (none is changed) if one of them is something else.
bool count_up(PyObject* list, int64_t count) {
    if ((!PyList_Check(list) && !PyTuple_Check(list)) || PySequence_Fast_GET_SIZE(list) != count) return false;
    for (int64_t i = 0; i < count; i++) {
        Array a;
        PyObject* item = PySequence_Fast_GET_ITEM(list, i);
        if (!view_of(item, a) || a.size != 1 || a.type != F32 || !PyArray_ISWRITEABLE(a.object)) return false;
    }
    for (int64_t i = 0; i < count; i++) *array_of(PySequence_Fast_GET_ITEM(list, i)).as<float>() += 1;
    return true;
}

template <class T> inline T greater(T a, T b) { return a > b || a != a ? a : b; }      // a NaN wins

// m + w * (g - m), from the nearer end
template <class T> struct Lerp {
    T weight, rest;
    bool near;
    explicit Lerp(double w) : weight(T(w)), rest(T(1) - T(w)), near(std::abs(w) < 0.5) {}
    T operator()(T m, T g) const { return near ? m + weight * (g - m) : g - (g - m) * rest; }
};

struct AdamNumbers { double beta1, beta2, decay, weight_decay, eps, sign; };
struct AdamStep { double size, root; };     // of one parameter: lr / bias correction 1, sqrt(bias correction 2)

template <class T, bool COUPLED, bool AMSGRAD>
void adam_row(T* const* x, int64_t n, const AdamNumbers& c, const AdamStep& step) {
    T *p = x[0], *m = x[2], *v = x[3], *top = x[4];
    const T* g = x[1];
    const T decay = T(c.decay), weight_decay = T(c.weight_decay), sign = T(c.sign), beta2 = T(c.beta2),
            rest2 = T(1 - c.beta2);
    const T eps = T(c.eps), root = T(step.root), size = T(step.size);
    const Lerp<T> lerp(1 - c.beta1);
    WEFT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        const T was = p[i] * decay;
        T grad = g[i] * sign;
        if constexpr (COUPLED) grad += weight_decay * was;
        const T mean = lerp(m[i], grad);
        T square = v[i] * beta2 + rest2 * grad * grad;
        m[i] = mean;
        v[i] = square;
        if constexpr (AMSGRAD) top[i] = square = greater(top[i], square);
        p[i] = was - size * (mean / (std::sqrt(square) / root + eps));
    }
}

struct SgdNumbers { double lr, momentum, rest, weight_decay, sign; bool nesterov, first; };

template <class T, bool COUPLED> void sgd_row(T* const* x, int64_t n, const SgdNumbers& c) {
    T *p = x[0], *buffer = x[2];
    const T* g = x[1];
    const T lr = T(c.lr), momentum = T(c.momentum), rest = T(c.rest), weight_decay = T(c.weight_decay),
            sign = T(c.sign);
    const bool nesterov = c.nesterov, first = c.first;
    if (!buffer) {
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < n; i++) {
            T grad = g[i] * sign;
            if constexpr (COUPLED) grad += weight_decay * p[i];
            p[i] -= lr * grad;
        }
        return;
    }
    WEFT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        T grad = g[i] * sign;
        if constexpr (COUPLED) grad += weight_decay * p[i];
        const T moved = first ? grad : buffer[i] * momentum + rest * grad;
        buffer[i] = moved;
        p[i] -= lr * (nesterov ? grad + momentum * moved : moved);
    }
}

struct RmspropNumbers { double lr, alpha, eps, weight_decay, momentum, sign; };

template <class T, bool CENTERED, bool MOMENTUM> void rmsprop_row(T* const* x, int64_t n, const RmspropNumbers& c) {
    T *p = x[0], *square = x[2], *mean = x[3], *buffer = x[4];
    const T* g = x[1];
    const T lr = T(c.lr), alpha = T(c.alpha), rest = T(1 - c.alpha), eps = T(c.eps), momentum = T(c.momentum),
            sign = T(c.sign);
    const T weight_decay = T(c.weight_decay);
    const bool coupled = c.weight_decay != 0;
    const Lerp<T> lerp(1 - c.alpha);
    WEFT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        T grad = g[i] * sign;
        grad = coupled ? grad + weight_decay * p[i] : grad;
        const T s = square[i] * alpha + rest * grad * grad;
        square[i] = s;
        T spread = s;
        if constexpr (CENTERED) {
            const T moved = lerp(mean[i], grad);
            mean[i] = moved;
            spread = s - moved * moved;
        }
        const T root = std::sqrt(spread) + eps;
        if constexpr (MOMENTUM) {
            const T moved = buffer[i] * momentum + grad / root;
            buffer[i] = moved;
            p[i] -= lr * moved;
        } else {
            p[i] -= lr * (grad / root);
        }
    }
}

template <class T>
void adagrad_row(T* const* x, int64_t n, double lr_now, double eps_, double weight_decay_, double sign_) {
    T *p = x[0], *sum = x[2];
    const T* g = x[1];
    const T lr = T(lr_now), eps = T(eps_), weight_decay = T(weight_decay_), sign = T(sign_);
    const bool coupled = weight_decay_ != 0;
    WEFT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        T grad = g[i] * sign;
        grad = coupled ? grad + weight_decay * p[i] : grad;
        const T s = sum[i] + grad * grad;
        sum[i] = s;
        p[i] -= lr * (grad / (std::sqrt(s) + eps));
    }
}

struct AdadeltaNumbers { double lr, rho, eps, weight_decay, sign; };

template <class T> void adadelta_row(T* const* x, int64_t n, const AdadeltaNumbers& c) {
    T *p = x[0], *square = x[2], *moved = x[3];
    const T* g = x[1];
    const T lr = T(c.lr), rho = T(c.rho), rest = T(1 - c.rho), eps = T(c.eps), weight_decay = T(c.weight_decay),
            sign = T(c.sign);
    const bool coupled = c.weight_decay != 0;
    WEFT_INDEPENDENT
    for (int64_t i = 0; i < n; i++) {
        T grad = g[i] * sign;
        grad = coupled ? grad + weight_decay * p[i] : grad;
        const T s = square[i] * rho + rest * grad * grad;
        const T delta = std::sqrt(moved[i] + eps) / std::sqrt(s + eps) * grad;
        square[i] = s;
        moved[i] = moved[i] * rho + rest * delta * delta;
        p[i] -= lr * delta;
    }
}

}  // namespace

// fast.adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs or None, steps, lr, beta1, beta2, weight_decay, eps,
// maximize, decoupled, counting) steps: the count of this update, 1 for the first, or with `counting` that of the one
// before, float arrays to be counted up; with max_exp_avg_sqs it is AMSGrad, with decoupled it is AdamW
KERNEL(adam) {
    PyObject *params, *grads, *means, *squares, *tops, *counts;
    double lr, beta1, beta2, weight_decay, eps;
    bool maximize, decoupled, counting;
    if (!read(args, n, params, grads, means, squares, tops, counts, lr, beta1, beta2, weight_decay, eps, maximize,
              decoupled, counting))
        return not_taken();
    if (grads == Py_None || means == Py_None || squares == Py_None) return not_taken();
    Lists lists;
    std::vector<double> steps;
    if (!lists.read({params, grads, means, squares, tops}, WRITTEN(0) | WRITTEN(2) | WRITTEN(3) | WRITTEN(4)))
        return not_taken();
    if (counting && !count_up(counts, lists.count())) return not_taken();
    if (!read_steps(counts, lists.count(), steps)) return not_taken();
    const bool coupled = weight_decay != 0 && !decoupled, amsgrad = tops != Py_None;
    const AdamNumbers numbers{beta1,        beta2, decoupled && weight_decay != 0 ? 1 - lr * weight_decay : 1.0,
                              weight_decay, eps,   maximize ? -1.0 : 1.0};
    std::vector<AdamStep> sizes(steps.size());
    for (size_t i = 0; i < steps.size(); i++) {
        if (i && steps[i] == steps[i - 1]) { sizes[i] = sizes[i - 1]; continue; }
        sizes[i] = {lr / (1 - std::pow(beta1, steps[i])), std::sqrt(1 - std::pow(beta2, steps[i]))};
    }
    {
        Unlocked gil(lists.total());
        lists.run([&]<class T>(int64_t i, T* const* x, int64_t count) {
            const auto row = coupled ? (amsgrad ? adam_row<T, true, true> : adam_row<T, true, false>)
                                     : (amsgrad ? adam_row<T, false, true> : adam_row<T, false, false>);
            row(x, count, numbers, sizes[size_t(i)]);
        });
    }
    Py_RETURN_TRUE;
}

// fast.sgd(params, grads, buffers or None, lr, momentum, dampening, weight_decay, nesterov, maximize, first)
// first: the buffers hold nothing yet and get the gradient
KERNEL(sgd) {
    PyObject *params, *grads, *buffers;
    double lr, momentum, dampening, weight_decay;
    bool nesterov, maximize, first;
    if (!read(args, n, params, grads, buffers, lr, momentum, dampening, weight_decay, nesterov, maximize, first) ||
        grads == Py_None)
        return not_taken();
    if ((momentum != 0) != (buffers != Py_None)) return not_taken();
    Lists lists;
    if (!lists.read({params, grads, buffers}, WRITTEN(0) | WRITTEN(2))) return not_taken();
    const SgdNumbers numbers{lr, momentum, 1 - dampening, weight_decay, maximize ? -1.0 : 1.0, nesterov, first};
    {
        Unlocked gil(lists.total());
        lists.run([&]<class T>(int64_t, T* const* x, int64_t count) {
            if (weight_decay != 0) sgd_row<T, true>(x, count, numbers);
            else sgd_row<T, false>(x, count, numbers);
        });
    }
    Py_RETURN_TRUE;
}

// fast.rmsprop(params, grads, square_avgs, grad_avgs or None, buffers or None, lr, alpha, eps, weight_decay, momentum,
// maximize) with grad_avgs it is the centered form
KERNEL(rmsprop) {
    PyObject *params, *grads, *squares, *means, *buffers;
    double lr, alpha, eps, weight_decay, momentum;
    bool maximize;
    if (!read(args, n, params, grads, squares, means, buffers, lr, alpha, eps, weight_decay, momentum, maximize))
        return not_taken();
    if (grads == Py_None || squares == Py_None || (momentum > 0) != (buffers != Py_None)) return not_taken();
    Lists lists;
    if (!lists.read({params, grads, squares, means, buffers}, WRITTEN(0) | WRITTEN(2) | WRITTEN(3) | WRITTEN(4)))
        return not_taken();
    const bool centered = means != Py_None, moving = buffers != Py_None;
    const RmspropNumbers numbers{lr, alpha, eps, weight_decay, momentum, maximize ? -1.0 : 1.0};
    {
        Unlocked gil(lists.total());
        lists.run([&]<class T>(int64_t, T* const* x, int64_t count) {
            const auto row = centered ? (moving ? rmsprop_row<T, true, true> : rmsprop_row<T, true, false>)
                                      : (moving ? rmsprop_row<T, false, true> : rmsprop_row<T, false, false>);
            row(x, count, numbers);
        });
    }
    Py_RETURN_TRUE;
}

// fast.adadelta(params, grads, square_avgs, acc_deltas, lr, rho, eps, weight_decay, maximize, steps or None)
// steps: float arrays of one element, to be counted up
KERNEL(adadelta) {
    PyObject *params, *grads, *squares, *deltas, *counts;
    double lr, rho, eps, weight_decay;
    bool maximize;
    if (!read(args, n, params, grads, squares, deltas, lr, rho, eps, weight_decay, maximize, counts) ||
        grads == Py_None || squares == Py_None || deltas == Py_None)
        return not_taken();
    Lists lists;
    if (!lists.read({params, grads, squares, deltas}, WRITTEN(0) | WRITTEN(2) | WRITTEN(3))) return not_taken();
    if (counts != Py_None && !count_up(counts, lists.count())) return not_taken();
    const AdadeltaNumbers numbers{lr, rho, eps, weight_decay, maximize ? -1.0 : 1.0};
    {
        Unlocked gil(lists.total());
        lists.run([&]<class T>(int64_t, T* const* x, int64_t count) { adadelta_row<T>(x, count, numbers); });
    }
    Py_RETURN_TRUE;
}

// fast.adagrad(params, grads, sums, steps, lr, lr_decay, weight_decay, eps, maximize)
KERNEL(adagrad) {
    PyObject *params, *grads, *sums, *counts;
    double lr, lr_decay, weight_decay, eps;
    bool maximize;
    if (!read(args, n, params, grads, sums, counts, lr, lr_decay, weight_decay, eps, maximize)) return not_taken();
    if (grads == Py_None || sums == Py_None) return not_taken();
    Lists lists;
    std::vector<double> steps;
    if (!lists.read({params, grads, sums}, WRITTEN(0) | WRITTEN(2)) || !read_steps(counts, lists.count(), steps))
        return not_taken();
    {
        Unlocked gil(lists.total());
        lists.run([&]<class T>(int64_t i, T* const* x, int64_t count) {
            adagrad_row<T>(x, count, lr / (1 + (steps[size_t(i)] - 1) * lr_decay), eps, weight_decay,
                           maximize ? -1.0 : 1.0);
        });
    }
    Py_RETURN_TRUE;
}

}  // namespace weft
