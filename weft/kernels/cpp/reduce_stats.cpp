// Variances, and the logarithm of a sum of exponentials.
#include "reduce.h"
#include "softmax.h"

namespace weft {
namespace {

// In double. Each block that fits the cache is looked at twice (its mean, then the squares around it), and blocks are
// joined by Chan's formula: one pass over memory, as accurate as two.
template <class T> struct Variance {
    using In = T;
    static constexpr int TILE = 1024, ROWS = 32;
    struct Part { double n, mean, squares; };
    struct Columns { double mean[TILE], squares[TILE], n; };
    T *var, *mean;          // mean may be null
    double correction;
    bool root;

    void start(Part& p) const { p = {0, 0, 0}; }
    void merge(Part& p, const Part& later) const {
        if (later.n == 0) return;
        const double n = p.n + later.n, off = later.mean - p.mean, share = later.n / n;
        p.squares += later.squares + off * off * p.n * share;
        p.mean += off * share;
        p.n = n;
    }
    void add(Part& p, const T* x, int64_t n) const {
        for (int64_t i = 0; i < n; i += 4096) {
            const int64_t k = std::min<int64_t>(4096, n - i);
            const double sum = sum_row(x + i, k, [](Vec<T> v) { return v; }), m = sum / double(k);
            const int64_t whole = k / WIDE_LANES * WIDE_LANES;
            double squares = sum_row_wide(x + i, whole, [m](vd v) { return (v - m) * (v - m); });
            for (int64_t j = i + whole; j < i + k; j++) squares += (double(x[j]) - m) * (double(x[j]) - m);
            merge(p, {double(k), m, squares});
        }
    }
    void write(int64_t at, double n, double m, double squares) const {
        const double free = n - correction, found = squares / (free > 0 ? free : 0.0);
        var[at] = T(root ? std::sqrt(found) : found);
        if (mean) mean[at] = T(m);
    }
    void finish(const Part& p, int64_t at) const { write(at, p.n, p.mean, p.squares); }
    void start(Columns& c, int64_t w) const { std::fill_n(c.mean, w, 0.0); std::fill_n(c.squares, w, 0.0); c.n = 0; }
    void join(Columns& c, const double* means, const double* squares, double n, int64_t w) const {
        const double whole = c.n + n, share = n / whole, part = c.n * share;
        for (int64_t j = 0; j < w; j++) {
            const double off = means[j] - c.mean[j];
            c.squares[j] += squares[j] + off * off * part;
            c.mean[j] += off * share;
        }
        c.n = whole;
    }
    void add(Columns& c, const T* const* rows, int k, int64_t w) const {
        double means[TILE], squares[TILE];
        std::fill_n(squares, w, 0.0);
        sum_columns(means, rows, k, w, true, [](Vec<T> v) { return v; });
        for (int64_t j = 0; j < w; j++) means[j] /= double(k);
        for (int64_t j = w; j % WIDE_LANES; j++) means[j] = 0;          // what a vector at the end reads
        sum_columns_wide(squares, rows, k, w, [&](vd v, int64_t j) {
            const vd off = v - load<double>(means + j);
            return off * off;
        });
        join(c, means, squares, double(k), w);
    }
    void merge(Columns& c, const Columns& later, int64_t w) const {
        if (later.n > 0) join(c, later.mean, later.squares, later.n, w);
    }
    void finish(const Columns& c, int64_t w, int64_t at, int64_t stride) const {
        for (int64_t j = 0; j < w; j++) write(at + j * stride, c.n, c.mean[j], c.squares[j]);
    }
};

template <class T> struct LogSumExp {
    using In = T;
    static constexpr int TILE = COLUMNS, ROWS = 32;
    struct Part { T top; double sum; };     // the sum of e**(x - top); of e**x where top is infinite
    using Columns = ColumnTops<T>;
    T* out;

    static T shift_of(T top) { return Columns::shift_of(top); }
    void start(Part& p) const { p = {-std::numeric_limits<T>::infinity(), 0}; }
    void merge(Part& p, const Part& later) const {
        const T top = std::max(p.top, later.top), shift = shift_of(top);
        p.sum = scaled(p, shift) + scaled(later, shift);
        p.top = top;
    }
    // the sum of e**(x - shift), for a shift of p's own or above
    static double scaled(const Part& p, T shift) {
        return p.sum == 0 ? 0 : p.sum * std::exp(double(shift_of(p.top)) - double(shift));
    }
    void add(Part& p, const T* x, int64_t n) const {
        for (int64_t i = 0; i < n; i += 2048) {
            const int64_t k = std::min<int64_t>(2048, n - i);
            const T top = row_max(x + i, k);
            merge(p, {top, std::isinf(top) ? exp_sum<T, false>(x + i, k, T(0)) : exp_sum(x + i, k, top)});
        }
    }
    void finish(const Part& p, int64_t at) const { out[at] = T(double(shift_of(p.top)) + std::log(p.sum)); }
    void start(Columns& c, int64_t w) const { c.start(w); }
    void add(Columns& c, const T* const* rows, int k, int64_t w) const { c.add(rows, k, w); }
    void merge(Columns& c, const Columns& later, int64_t w) const { c.merge(later, w); }
    void finish(const Columns& c, int64_t w, int64_t at, int64_t stride) const {
        T logs[COLUMNS];
        for (int64_t j = 0; j < w; j++) logs[j] = T(c.sum[j]);
        for (int64_t j = 0; j < w; j += LANES<T>)
            store<T>(logs + j, log_normal(load_part(logs + j, std::min<int64_t>(LANES<T>, w - j), T(1))));
        for (int64_t j = 0; j < w; j++) out[at + j * stride] = shift_of(c.top[j]) + logs[j];
    }
};

template <class T>
PyObject* variance(const Array& x, const Reduction& r, double correction, bool root, bool with_mean) {
    PyObject *var = new_array(r.nd, r.shape, x.type),
             *mean = with_mean && var ? new_array(r.nd, r.shape, x.type) : nullptr;
    if (!var || (with_mean && !mean)) { Py_XDECREF(var); return nullptr; }
    reduce(Variance<T>{data_of<T>(var), mean ? data_of<T>(mean) : nullptr, correction, root}, x, r);
    return with_mean ? results({var, mean}) : var;
}

}  // namespace

KERNEL(reduce_var) {        // x, dim, keepdim, correction, root, with_mean: the variance (its root), or (it, mean)
    Array x;
    PyObject* dim;
    bool keepdim, root, with_mean;
    double correction;
    uint32_t bits;
    if (!read(args, n, x, dim, keepdim, correction, root, with_mean) || !x || x.size == 0 ||
        !read_dims(dim, x.nd, bits))
        return not_taken();
    if (x.type != F32 && x.type != F64) return not_taken();
    const Reduction r = plan_reduction(x, bits, keepdim);
    return x.type == F32 ? variance<float>(x, r, correction, root, with_mean)
                         : variance<double>(x, r, correction, root, with_mean);
}

KERNEL(reduce_logsumexp) {      // x, dim, keepdim
    Array x;
    PyObject* dim;
    bool keepdim;
    uint32_t bits;
    if (!read(args, n, x, dim, keepdim) || !x || x.size == 0 || !read_dims(dim, x.nd, bits)) return not_taken();
    if (x.type != F32 && x.type != F64) return not_taken();
    const Reduction r = plan_reduction(x, bits, keepdim);
    PyObject* out = new_array(r.nd, r.shape, x.type);
    if (!out) return nullptr;
    if (x.type == F32) reduce(LogSumExp<float>{data_of<float>(out)}, x, r);
    else reduce(LogSumExp<double>{data_of<double>(out)}, x, r);
    return out;
}

}  // namespace weft
