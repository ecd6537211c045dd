// Losses of pairs (prediction x, target y), elementwise: squares, distances, Huber's, and binary cross-entropy of
// logits; whole sums and means without an array in between. Backward: the slope in x times the gradient.
#include "reduce.h"
#include "below.h"

namespace weft {
namespace {

enum Kind { SQUARED, ABSOLUTE, SMOOTH, HUBER, LOGITS };
enum How { NONE, MEAN, SUM };

template <class V> inline V size(V v) { return v < 0 ? -v : v; }
template <class V> inline V sign(V v) { return v > 0 ? V{} + 1 : (v < 0 ? V{} - 1 : v); }      // NaN stays

// log(1 + u) for 0 <= u <= 1, also where 1 + u is rounded to 1: 2 artanh(u / (2 + u))
template <class V> inline V log1p_unit(V u) {
    using T = Element<V>;
    constexpr int TERMS = sizeof(T) == 4 ? 8 : 17;
    const V s = u / (u + T(2)), z = s * s;
    V sum = splat<T>(T(1.0 / (2 * TERMS - 1)));
    for (int i = TERMS - 2; i >= 0; i--) sum = sum * z + T(1.0 / (2 * i + 1));
    return (s + s) * sum;
}

template <int KIND, class T> struct Pair {
    using V = Vec<T>;
    T beta;         // where SMOOTH and HUBER turn from square to straight
    V value(V x, V y) const {
        const V d = x - y, a = size(d);
        if constexpr (KIND == SQUARED) return d * d;
        else if constexpr (KIND == ABSOLUTE) return a;
        else if constexpr (KIND == SMOOTH) return a < beta ? T(0.5) * d * d / beta : a - T(0.5) * beta;
        else if constexpr (KIND == HUBER) return a <= beta ? T(0.5) * d * d : beta * (a - T(0.5) * beta);
        else return (x > 0 ? x - x * y : -x * y) + log1p_unit(exp_below(-size(x)));
    }
    V slope(V x, V y) const {
        const V d = x - y;
        if constexpr (KIND == SQUARED) return d + d;
        else if constexpr (KIND == ABSOLUTE) return sign(d);
        else if constexpr (KIND == SMOOTH) return size(d) < beta ? d / beta : sign(d);
        else if constexpr (KIND == HUBER) return size(d) <= beta ? d : sign(d) * beta;
        else {
            const V e = exp_below(-size(x)), r = T(1) / (T(1) + e);
            return (x < 0 ? e * r : r) - y;
        }
    }
};

// the sum of n values, 8 vectors in their own type, then in double
template <class P, class T> double value_sum(const P& p, const T* x, const T* y, int64_t n) {
    constexpr int L = LANES<T>;
    vd total = splat<double>(0);
    int64_t i = 0;
    while (i + L <= n) {
        Vec<T> s = splat<T>(0);
        for (int q = 0; q < 8 && i + L <= n; q++, i += L) s += p.value(load(x + i), load(y + i));
        add_wide(total, s);
    }
    double sum = add_lanes(total);
    if (i < n) {
        const Vec<T> last = p.value(load_part(x + i, n - i), load_part(y + i, n - i));
        for (int64_t q = 0; i + q < n; q++) sum += double(last[q]);
    }
    return sum;
}

template <class F, class T> void map_pairs(const T* x, const T* y, T* out, int64_t n, F&& f) {
    constexpr int L = LANES<T>;
    parallel(n, 16384, [&](int64_t begin, int64_t end) {
        int64_t i = begin;
        for (; i + L <= end; i += L) store(out + i, f(load(x + i), load(y + i), i, L));
        if (i < end)
            store_part(out + i, f(load_part(x + i, end - i), load_part(y + i, end - i), i, int(end - i)), end - i);
    });
}

template <int KIND, class T> PyObject* forward(const Array& x, const Array& y, int64_t how, double beta) {
    const Pair<KIND, T> p{T(beta)};
    PyObject* out = how == NONE ? new_array(x) : new_array(0, nullptr, x.type);
    if (!out) return nullptr;
    T* to = data_of<T>(out);
    Unlocked gil(x.size);
    if (how == NONE) {
        map_pairs(x.as<T>(), y.as<T>(), to, x.size, [&](Vec<T> a, Vec<T> b, int64_t, int) { return p.value(a, b); });
        return out;
    }
    const int64_t each = std::max<int64_t>(32768, x.size / 256),
                  pieces = std::max<int64_t>(1, (x.size + each - 1) / each);
    Scratch<double> sums(static_cast<size_t>(pieces));
    run_tasks(pieces, [&](int64_t k) {
        const int64_t from = k * each, n = std::min(each, x.size - from);
        sums[k] = value_sum(p, x.as<T>() + from, y.as<T>() + from, n);
    });
    for (int64_t step = 1; step < pieces; step *= 2)
        for (int64_t k = 0; k + step < pieces; k += 2 * step) sums[k] += sums[k + step];
    *to = T(how == MEAN ? sums[0] / double(x.size) : sums[0]);
    return out;
}

template <int KIND, class T>
PyObject* backward(const Array& x, const Array& y, int64_t how, double beta, const Array& g) {
    const Pair<KIND, T> p{T(beta)};
    PyObject* out = new_array(x);
    if (!out) return nullptr;
    const T one = how == NONE ? T(0) : T(double(*g.as<T>()) / (how == MEAN ? double(x.size) : 1.0));
    const T* each = g.as<T>();
    Unlocked gil(x.size);
    if (how != NONE)
        map_pairs(x.as<T>(), y.as<T>(), data_of<T>(out), x.size,
                  [&](Vec<T> a, Vec<T> b, int64_t, int) { return p.slope(a, b) * one; });
    else map_pairs(x.as<T>(), y.as<T>(), data_of<T>(out), x.size, [&](Vec<T> a, Vec<T> b, int64_t i, int k) {
        return p.slope(a, b) * (k == LANES<T> ? load(each + i) : load_part(each + i, k));
    });
    return out;
}

template <int KIND> PyObject* run(const Array& x, const Array& y, int64_t how, double beta, const Array& g) {
    if (x.type == F32) return g ? backward<KIND, float>(x, y, how, beta, g) : forward<KIND, float>(x, y, how, beta);
    return g ? backward<KIND, double>(x, y, how, beta, g) : forward<KIND, double>(x, y, how, beta);
}

}  // namespace

// kind, x, y, reduction, beta, the gradient or None: the loss, or without None the gradient in x
KERNEL(pair_loss) {
    Array x, y, g;
    int64_t kind, how;
    double beta;
    if (!read(args, n, kind, x, y, how, beta, g) || !x || !y || (x.type != F32 && x.type != F64) || y.type != x.type)
        return not_taken();
    if (!x.contiguous || !y.contiguous || x.size == 0 || x.nd != y.nd ||
        !std::equal(x.shape, x.shape + x.nd, y.shape) || how < NONE || how > SUM)
        return not_taken();
    if (g && (g.type != x.type || !g.contiguous || g.size != (how == NONE ? x.size : 1))) return not_taken();
    switch (kind) {
        case SQUARED: return run<SQUARED>(x, y, how, beta, g);
        case ABSOLUTE: return run<ABSOLUTE>(x, y, how, beta, g);
        case SMOOTH: return beta > 0 ? run<SMOOTH>(x, y, how, beta, g) : not_taken();
        case HUBER: return run<HUBER>(x, y, how, beta, g);
        case LOGITS: return run<LOGITS>(x, y, how, beta, g);
        default: return not_taken();
    }
}

}  // namespace weft
