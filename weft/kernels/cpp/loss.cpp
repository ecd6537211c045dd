// Cross-entropy of logits against class indices, forward and backward, without the log-probabilities ever being stored.
// logits: (outer, n classes, inner), contiguous; targets: (outer, inner), int64. What the backward needs is kept per
// example: tops and logs, where log-softmax is (x - top) - log.
#include "softmax.h"

namespace weft {
namespace {

enum Reduction { NONE, MEAN, SUM };

template <class T> struct Loss {
    const T* x;
    const int64_t* target;
    const T* weight;            // of the classes; may be null
    Blocks b;
    int64_t ignore;
    double smoothing;
    double weights = 0;         // the sum of all classes' weights

    double weight_of(int64_t c) const { return weight ? double(weight[c]) : 1.0; }
    bool targets_fit() const {
        bool fit = true;
        for (int64_t i = 0; i < b.outer * b.inner; i++)
            fit = fit && ((target[i] >= 0 && target[i] < b.n) || target[i] == ignore);
        return fit;
    }
    // the loss of one example, of which the sum of w_c x_c is needed only where labels are smoothed
    double of(int64_t t, double top, double log, double chosen, double weighted) const {
        if (t == ignore) return 0;
        const double whole = top + log, plain = weight_of(t) * ((top - chosen) + log);
        return smoothing == 0 ? plain
                              : (1 - smoothing) * plain + smoothing / double(b.n) * (weights * whole - weighted);
    }
};

// the sum of w_c x_c
template <class T> double weighted_sum(const T* x, const T* weight, int64_t n) {
    if (!weight) return sum_row(x, n, [](Vec<T> v) { return v; });
    const int64_t whole = n / WIDE_LANES * WIDE_LANES;
    vd total = splat<double>(0);
    for (int64_t c = 0; c < whole; c += WIDE_LANES) total += wide(x + c) * wide(weight + c);
    double sum = add_lanes(total);
    for (int64_t c = whole; c < n; c++) sum += double(x[c]) * double(weight[c]);
    return sum;
}

// losses, tops, logs: (outer, inner)
template <class T> void losses_of(const Loss<T>& l, double* losses, T* tops, T* logs) {
    const Blocks& b = l.b;
    if (b.inner == 1) {
        parallel(b.outer, std::max<int64_t>(1, 8192 / b.n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++) {
                const T* row = l.x + i * b.n;
                const int64_t t = l.target[i];
                tops[i] = row_max(row, b.n);
                const double log = std::log(exp_sum(row, b.n, tops[i]));
                logs[i] = T(log);
                losses[i] = l.of(t, double(tops[i]), log, t == l.ignore ? 0 : double(row[t]),
                                 l.smoothing == 0 ? 0 : weighted_sum(row, l.weight, b.n));
            }
        });
        return;
    }
    const int64_t width = COLUMNS, tiles = (b.inner + width - 1) / width;
    parallel(b.outer * tiles, std::max<int64_t>(1, 8192 / (b.n * std::min(width, b.inner))),
             [&](int64_t begin, int64_t end) {
        ColumnTops<T> c;
        T rest[COLUMNS];
        for (int64_t k = begin; k < end; k++) {
            const int64_t o = k / tiles, first = k % tiles * width, w = std::min(width, b.inner - first),
                          at = o * b.inner + first;
            const T* x = l.x + o * b.n * b.inner + first;
            c.start(w);
            c.add(x, b.n, w, b.inner, nullptr);
            c.finish(rest, w, true);
            double weighted[COLUMNS];
            if (l.smoothing != 0) {
                for (int64_t j = 0; j < w; j++) weighted[j] = 0;
                for (int64_t k = 0; k < b.n; k++) {
                    const double weight = l.weight_of(k);
                    for (int64_t j = 0; j < w; j++) weighted[j] += weight * double(x[k * b.inner + j]);
                }
            }
            for (int64_t j = 0; j < w; j++) {
                const int64_t t = l.target[at + j];
                tops[at + j] = c.top[j];
                logs[at + j] = rest[j];
                losses[at + j] =
                    l.of(t, double(c.top[j]), double(rest[j]), t == l.ignore ? 0 : double(x[t * b.inner + j]),
                         l.smoothing == 0 ? 0 : weighted[j]);
            }
        }
    });
}

// The gradient at class c is (a + s W) p_c - s w_c, less a at the target: a = g w_t (1 - smoothing), s = g smoothing /
// n, W all weights.
template <class T> void loss_grads(const Loss<T>& l, const double* g, const T* tops, const T* logs, T* out) {
    const Blocks& b = l.b;
    constexpr int L = LANES<T>;
    auto factors = [&](int64_t i, double& a, double& s) {
        const int64_t t = l.target[i];
        a = t == l.ignore ? 0 : g[i] * l.weight_of(t) * (1 - l.smoothing);
        s = t == l.ignore ? 0 : g[i] * l.smoothing / double(b.n);
    };
    if (b.inner == 1) {
        parallel(b.outer, std::max<int64_t>(1, 8192 / b.n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++) {
                const T *row = l.x + i * b.n, top = tops[i], log = logs[i];
                T* to = out + i * b.n;
                double a, s;
                factors(i, a, s);
                if (l.target[i] == l.ignore) { std::fill_n(to, b.n, T(0)); continue; }
                const T scale = T(a + s * l.weights);
                int64_t c = 0;
                for (; c + L <= b.n; c += L) store(to + c, exp_below((load(row + c) - top) - log) * scale);
                if (c < b.n) store_part(to + c, exp_below((load_part(row + c, b.n - c) - top) - log) * scale, b.n - c);
                if (s != 0) for (c = 0; c < b.n; c++) to[c] -= T(s) * (l.weight ? l.weight[c] : T(1));
                to[l.target[i]] -= T(a);
            }
        });
        return;
    }
    const int64_t width = COLUMNS, tiles = (b.inner + width - 1) / width;
    parallel(b.outer * tiles, std::max<int64_t>(1, 8192 / (b.n * std::min(width, b.inner))),
             [&](int64_t begin, int64_t end) {
        T scales[COLUMNS], soft[COLUMNS], plain[COLUMNS];
        for (int64_t k = begin; k < end; k++) {
            const int64_t o = k / tiles, first = k % tiles * width, w = std::min(width, b.inner - first),
                          at = o * b.inner + first;
            const int64_t base = o * b.n * b.inner + first;
            for (int64_t j = 0; j < w; j++) {
                double a, s;
                factors(at + j, a, s);
                scales[j] = T(a + s * l.weights);
                soft[j] = T(s);
                plain[j] = T(a);
            }
            for (int64_t c = 0; c < b.n; c++) {
                const T* row = l.x + base + c * b.inner;
                T* to = out + base + c * b.inner;
                const T weight = T(l.weight_of(c));
                auto step = [&](Vec<T> x, Vec<T> top, Vec<T> log, Vec<T> scale, Vec<T> s) {
                    return select(scale == T(0), splat<T>(0), exp_below((x - top) - log) * scale - s * weight);
                };
                int64_t j = 0;
                for (; j + L <= w; j += L)
                    store(to + j, step(load(row + j), load(tops + at + j), load(logs + at + j), load<T>(scales + j),
                                       load<T>(soft + j)));
                if (j < w) {
                    const int64_t m = w - j;
                    store_part(to + j,
                               step(load_part(row + j, m), load_part(tops + at + j, m), load_part(logs + at + j, m),
                                    load_part<T>(scales + j, m), load_part<T>(soft + j, m)),
                               m);
                }
            }
            for (int64_t j = 0; j < w; j++)
                if (l.target[at + j] != l.ignore) out[base + l.target[at + j] * b.inner + j] -= plain[j];
        }
    });
}

// the arguments that both have: logits, targets, weight or None, ignore_index, smoothing
struct Given {
    Array x, target, weight;
    int64_t ignore;
    double smoothing;
    Blocks b;
    bool take(PyObject* const* args) {
        if (!read(args, 5, x, target, weight, ignore, smoothing) || !x || !target || !x.contiguous ||
            !target.contiguous || x.nd == 0 || x.size == 0)
            return false;
        if ((x.type != F32 && x.type != F64) || target.type != I64 || target.nd != x.nd - 1) return false;
        const int dim = x.nd == 1 ? 0 : 1;
        if (!b.split(x, dim)) return false;
        for (int d = 0, e = 0; d < x.nd; d++)
            if (d != dim && x.shape[d] != target.shape[e++]) return false;
        return !weight || (weight.type == x.type && weight.contiguous && weight.nd == 1 && weight.size == b.n);
    }
    template <class T> Loss<T> loss() const {
        Loss<T> l{x.as<T>(), target.as<int64_t>(), weight ? weight.as<T>() : nullptr, b, ignore, smoothing};
        for (int64_t c = 0; c < b.n; c++) l.weights += l.weight_of(c);
        return l;
    }
};

double sum_pairwise(const double* x, int64_t n) {
    if (n <= 8) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += x[i];
        return sum;
    }
    return sum_pairwise(x, n / 2) + sum_pairwise(x + n / 2, n - n / 2);
}

template <class T> PyObject* forward(const Given& given, int64_t reduction) {
    Loss<T> l = given.loss<T>();
    if (!l.targets_fit()) return not_taken();
    const int64_t examples = l.b.outer * l.b.inner;
    PyObject* loss = reduction == NONE ? new_array(given.target.nd, given.target.shape, given.x.type)
                                       : new_array(0, nullptr, given.x.type);
    const intptr_t pair[2] = {2, examples};
    PyObject *stats = new_array(2, pair, given.x.type), *total = new_array(0, nullptr, given.x.type);
    if (!loss || !stats || !total) return results({loss, stats, total});
    {
        Scratch<double> losses(static_cast<size_t>(examples));
        Unlocked gil(given.x.size * 4);
        losses_of(l, losses.data, data_of<T>(stats), data_of<T>(stats) + examples);
        double weights = 0;
        for (int64_t i = 0; i < examples; i++) weights += l.target[i] == l.ignore ? 0 : l.weight_of(l.target[i]);
        *data_of<T>(total) = T(weights);
        if (reduction == NONE) for (int64_t i = 0; i < examples; i++) data_of<T>(loss)[i] = T(losses[i]);
        else *data_of<T>(loss) = T(sum_pairwise(losses, examples) / (reduction == MEAN ? weights : 1));
    }
    return results({loss, stats, total});
}

template <class T>
PyObject* backward(const Given& given, const Array& g, const Array& stats, const Array& total, int64_t reduction) {
    Loss<T> l = given.loss<T>();
    const int64_t examples = l.b.outer * l.b.inner;
    if (!l.targets_fit() || stats.size != 2 * examples || total.size != 1 ||
        g.size != (reduction == NONE ? examples : 1))
        return not_taken();
    PyObject* out = new_array(given.x);
    if (!out) return nullptr;
    Scratch<double> scales(static_cast<size_t>(examples));
    Unlocked gil(given.x.size * 4);
    for (int64_t i = 0; i < examples; i++)
        scales[i] = reduction == NONE ? double(g.as<T>()[i])
                                      : double(*g.as<T>()) / (reduction == MEAN ? double(*total.as<T>()) : 1.0);
    loss_grads(l, scales.data, stats.as<T>(), stats.as<T>() + examples, data_of<T>(out));
    return out;
}

// Of log-probabilities: -x at each example's class, weighted; and the examples' whole weight.
template <class T> PyObject* chosen(const Given& given, int64_t reduction) {
    const Loss<T> l = given.loss<T>();
    if (!l.targets_fit()) return not_taken();
    const int64_t examples = l.b.outer * l.b.inner;
    PyObject* loss = reduction == NONE ? new_array(given.target.nd, given.target.shape, given.x.type)
                                       : new_array(0, nullptr, given.x.type);
    PyObject* total = new_array(0, nullptr, given.x.type);
    if (!loss || !total) return results({loss, total});
    {
        Scratch<double> losses(static_cast<size_t>(examples));
        double weights = 0;
        for (int64_t i = 0; i < examples; i++) {
            const int64_t t = l.target[i], at = (i / l.b.inner * l.b.n + t) * l.b.inner + i % l.b.inner;
            const double weight = t == l.ignore ? 0 : l.weight_of(t);
            losses[i] = t == l.ignore ? 0 : -double(l.x[at]) * weight;
            weights += weight;
        }
        *data_of<T>(total) = T(weights);
        if (reduction == NONE) for (int64_t i = 0; i < examples; i++) data_of<T>(loss)[i] = T(losses[i]);
        else *data_of<T>(loss) = T(sum_pairwise(losses, examples) / (reduction == MEAN ? weights : 1));
    }
    return results({loss, total});
}

// Zeros, and -g weight at each example's class.
template <class T>
PyObject* chosen_grad(const Ints& shape, const Array& target, const Array& weight, int64_t ignore, int64_t reduction,
                      const Array& g, const Array& total) {
    const int dim = shape.count == 1 ? 0 : 1;
    const int64_t classes = shape[dim];
    int64_t inner = 1;
    for (int d = dim + 1; d < shape.count; d++) inner *= shape[d];
    const int64_t* aims = target.as<int64_t>();
    for (int64_t i = 0; i < target.size; i++)
        if ((aims[i] < 0 || aims[i] >= classes) && aims[i] != ignore) return not_taken();
    intptr_t dims[MAX_DIMS];
    for (int d = 0; d < shape.count; d++) dims[d] = intptr_t(shape[d]);
    PyObject* made = new_array(shape.count, dims, g.type);
    if (!made) return nullptr;
    T* out = data_of<T>(made);
    const int64_t size = target.size * classes;
    Unlocked gil(size);
    parallel(size, 65536, [&](int64_t begin, int64_t end) { std::fill(out + begin, out + end, T(0)); });
    for (int64_t i = 0; i < target.size; i++) {
        if (aims[i] == ignore) continue;
        const T one = reduction == NONE ? g.as<T>()[i] : *g.as<T>();
        const T scale = reduction == MEAN ? one / *total.as<T>() : one;
        out[(i / inner * classes + aims[i]) * inner + i % inner] =
            -scale * (weight ? weight.as<T>()[aims[i]] : T(1));
    }
    return made;
}

}  // namespace

// log-probabilities, targets, weight, ignore_index, 0.0, reduction: (loss, the targets' whole weight)
KERNEL(nll_loss) {
    Given given;
    int64_t reduction;
    if (n != 6 || !given.take(args) || !read_one(args[5], reduction)) return not_taken();
    return given.x.type == F32 ? chosen<float>(given, reduction) : chosen<double>(given, reduction);
}

KERNEL(nll_grad) {      // shape of the log-probabilities, targets, weight, ignore_index, reduction, g, total
    Ints shape;
    Array target, weight, g, total;
    int64_t ignore, reduction;
    if (!read(args, n, shape, target, weight, ignore, reduction, g, total) || !target || !g || !total ||
        shape.count < 1 || target.nd != shape.count - 1 || target.type != I64 || !target.contiguous ||
        !g.contiguous || (g.type != F32 && g.type != F64) || total.type != g.type || total.size != 1 ||
        g.size != (reduction == NONE ? target.size : 1))
        return not_taken();
    const int dim = shape.count == 1 ? 0 : 1;
    for (int d = 0, e = 0; d < shape.count; d++)
        if (shape[d] < 1 || (d != dim && shape[d] != target.shape[e++])) return not_taken();
    if (weight && (weight.type != g.type || !weight.contiguous || weight.nd != 1 || weight.size != shape[dim]))
        return not_taken();
    return g.type == F32 ? chosen_grad<float>(shape, target, weight, ignore, reduction, g, total)
                         : chosen_grad<double>(shape, target, weight, ignore, reduction, g, total);
}

// logits, targets, weight, ignore_index, smoothing, reduction: (loss, stats, the targets' whole weight)
KERNEL(cross_entropy) {
    Given given;
    int64_t reduction;
    if (n != 6 || !given.take(args) || !read_one(args[5], reduction)) return not_taken();
    return given.x.type == F32 ? forward<float>(given, reduction) : forward<double>(given, reduction);
}

KERNEL(cross_entropy_grad) {    // the same, then the gradient of the loss, stats, total
    Given given;
    int64_t reduction;
    Array g, stats, total;
    if (n != 9 || !given.take(args) || !read_one(args[5], reduction) || !read(args + 6, 3, g, stats, total) || !g ||
        !stats || !total)
        return not_taken();
    if (g.type != given.x.type || stats.type != g.type || total.type != g.type || !g.contiguous || !stats.contiguous)
        return not_taken();
    return g.type == F32 ? backward<float>(given, g, stats, total, reduction)
                         : backward<double>(given, g, stats, total, reduction);
}

}  // namespace weft
