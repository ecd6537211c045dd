// layer_norm and rms_norm: x as rows of `size` numbers, each with its own mean and 1/standard deviation (or 1/root mean
// square).
#include "norms.h"

namespace weft::norms {
namespace {

template <bool STREAM, class T> inline void put(T* p, Vec<T> v) {
    if constexpr (STREAM) stream<T>(p, v); else store<T>(p, v);
}

template <class T, bool WEIGHT, bool BIAS, bool STREAM>
void apply_row(T* out, const T* x, int64_t n, T mean, T rstd, const T* weight, const T* bias) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    for (; i + L <= n; i += L) {
        Vec<T> v = (load(x + i) - mean) * rstd;
        if constexpr (WEIGHT) v *= load(weight + i);
        if constexpr (BIAS) v += load(bias + i);
        put<STREAM>(out + i, v);
    }
    for (; i < n; i++) {
        T v = (x[i] - mean) * rstd;
        if constexpr (WEIGHT) v *= weight[i];
        if constexpr (BIAS) v += bias[i];
        out[i] = v;
    }
}

// a row's mean and 1 / standard deviation; for short rows, of which there are many, with as few divisions as can be
template <class T> inline void row_statistics(const T* x, int64_t n, double inverse, double eps, T& mean, T& rstd) {
    if (n > BLOCK) {
        const Moments found = moments_of(x, n);
        mean = T(found.mean);
        rstd = T(found.rstd(eps));
        return;
    }
    T from = ((x[0] + x[n / 4]) + (x[n / 2] + x[3 * (n / 4)])) * T(0.25);
    double off, squares;
    shifted_sums(x, n, from, off, squares);
    if (off * off * inverse > 0.8 * squares) {      // as far_off says
        from = T(double(from) + off * inverse);
        shifted_sums(x, n, from, off, squares);
    }
    const double var = (squares - off * off * inverse) * inverse;
    mean = T(double(from) + off * inverse);
    rstd = T(1) / std::sqrt(T((var < 0 ? 0 : var) + eps));
}

template <class T>
void forward_rows(const T* x, const T* weight, const T* bias, T* out, T* means, T* rstds, int64_t rows, int64_t n,
                  double eps) {
    const bool far = streams(out, n, rows * n * int64_t(sizeof(T)));
    auto apply = weight ? (bias ? apply_row<T, true, true, false> : apply_row<T, true, false, false>)
                        : (bias ? apply_row<T, false, true, false> : apply_row<T, false, false, false>);
    if (far) apply = weight ? (bias ? apply_row<T, true, true, true> : apply_row<T, true, false, true>)
                            : (bias ? apply_row<T, false, true, true> : apply_row<T, false, false, true>);
    const double inverse = 1 / double(n);
    parallel(rows, std::max<int64_t>(1, WORK / n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++) {
            const T* row = x + r * n;
            T mean = 0, rstd;
            if (means) {
                row_statistics(row, n, inverse, eps, mean, rstd);
                means[r] = mean;
            } else {
                rstd = T(1 / std::sqrt(squares_of(row, n) / double(n) + eps));
            }
            rstds[r] = rstd;
            apply(out + r * n, row, n, mean, rstd, weight, bias);
        }
        if (far) end_stream();
    });
}

struct RowSums { double direct, along; };       // of g * weight, and of that times x - mean

template <class T, bool WEIGHT> RowSums row_sums(const T* g, const T* x, int64_t n, T mean, const T* weight) {
    constexpr int L = LANES<T>;
    RowSums sums{0, 0};
    for (int64_t start = 0; start < n; start += BLOCK) {
        const int64_t end = std::min(n, start + BLOCK);
        Vec<T> a0{}, a1{}, a2{}, a3{}, b0{}, b1{}, b2{}, b3{};
        auto step = [&](int64_t i, Vec<T>& a, Vec<T>& b) __attribute__((always_inline)) {
            Vec<T> scaled = load(g + i);
            if constexpr (WEIGHT) scaled *= load(weight + i);
            a += scaled;
            b += scaled * (load(x + i) - mean);
        };
        int64_t i = start;
        for (; i + 4 * L <= end; i += 4 * L) {
            step(i, a0, b0);
            step(i + L, a1, b1);
            step(i + 2 * L, a2, b2);
            step(i + 3 * L, a3, b3);
        }
        for (; i + L <= end; i += L) step(i, a0, b0);
        T a = sum_lanes((a0 + a1) + (a2 + a3)), b = sum_lanes((b0 + b1) + (b2 + b3));
        for (; i < end; i++) {
            const T scaled = WEIGHT ? g[i] * weight[i] : g[i];
            a += scaled;
            b += scaled * (x[i] - mean);
        }
        sums.direct += a;
        sums.along += b;
    }
    return sums;
}

// R rows at once, so that the parameters' gradients are loaded and stored once for all of them:
// dx = (g * weight - a) * rstd - (x - mean) * c, dweight += g * (x - mean) * rstd, dbias += g
template <class T, int R, bool WEIGHT, bool PARAMETERS, bool STREAM>
void rows_grad(T* dx, const T* g, const T* x, int64_t n, const T* mean, const T* rstd, const T* a, const T* c,
               const T* weight, T* dweight, T* dbias) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    for (; i + L <= n; i += L) {
        Vec<T> factor{}, dw{}, db{};
        if constexpr (WEIGHT) factor = load(weight + i);
        if constexpr (PARAMETERS) { dw = load(dweight + i); db = load(dbias + i); }
        for (int r = 0; r < R; r++) {
            const Vec<T> grad = load(g + r * n + i), away = load(x + r * n + i) - mean[r];
            if constexpr (PARAMETERS) { dw += grad * (away * rstd[r]); db += grad; }
            if (dx) put<STREAM>(dx + r * n + i, ((WEIGHT ? grad * factor : grad) - a[r]) * rstd[r] - away * c[r]);
        }
        if constexpr (PARAMETERS) { store<T>(dweight + i, dw); store<T>(dbias + i, db); }
    }
    for (; i < n; i++)
        for (int r = 0; r < R; r++) {
            const T grad = g[r * n + i], away = x[r * n + i] - mean[r];
            if constexpr (PARAMETERS) { dweight[i] += grad * (away * rstd[r]); dbias[i] += grad; }
            if (dx) dx[r * n + i] = ((WEIGHT ? grad * weight[i] : grad) - a[r]) * rstd[r] - away * c[r];
        }
}

template <class T> struct Rows {
    const T *g, *x, *means, *rstds, *weight;
    T* dx;
    int64_t n;
    bool far;       // dx goes past the caches

    template <int R, bool WEIGHT, bool PARAMETERS> void some(int64_t row, T* dweight, T* dbias) const {
        T mean[R], rstd[R], a[R], c[R];
        for (int r = 0; r < R; r++) {
            mean[r] = means ? means[row + r] : T(0);
            rstd[r] = rstds[row + r];
            if (!dx) continue;
            const RowSums sums = row_sums<T, WEIGHT>(g + (row + r) * n, x + (row + r) * n, n, mean[r], weight);
            a[r] = means ? T(sums.direct / double(n)) : T(0);
            c[r] = T(sums.along / double(n) * double(rstd[r]) * double(rstd[r]) * double(rstd[r]));
        }
        auto grad = far ? rows_grad<T, R, WEIGHT, PARAMETERS, true> : rows_grad<T, R, WEIGHT, PARAMETERS, false>;
        grad(dx ? dx + row * n : nullptr, g + row * n, x + row * n, n, mean, rstd, a, c, weight, dweight, dbias);
    }
    template <bool WEIGHT, bool PARAMETERS> void run_as(int64_t begin, int64_t end, T* dweight, T* dbias) const {
        int64_t r = begin;
        for (; r + 4 <= end; r += 4) some<4, WEIGHT, PARAMETERS>(r, dweight, dbias);
        for (; r < end; r++) some<1, WEIGHT, PARAMETERS>(r, dweight, dbias);
        if (far) end_stream();
    }
    void run(int64_t begin, int64_t end, T* dweight, T* dbias) const {
        if (weight)
            dweight ? run_as<true, true>(begin, end, dweight, dbias)
                    : run_as<true, false>(begin, end, nullptr, nullptr);
        else
            dweight ? run_as<false, true>(begin, end, dweight, dbias)
                    : run_as<false, false>(begin, end, nullptr, nullptr);
    }
};

// rows whose parts of the parameters' gradients are added in T before the sum goes on a level higher
constexpr int64_t GROUP = 128;

template <class T> void backward_rows(const Rows<T>& rows, int64_t count, T* dweight, T* dbias) {
    const int64_t n = rows.n;
    if (!dweight && !dbias) {
        parallel(count, std::max<int64_t>(1, WORK / n),
                 [&](int64_t begin, int64_t end) { rows.run(begin, end, nullptr, nullptr); });
        return;
    }
    const int64_t groups_each = std::max<int64_t>(1, WORK / (n * GROUP)), each = groups_each * GROUP,
                  tasks = (count + each - 1) / each;
    // for each task: the sums so far, and those of the group at work
    Scratch<T> parts(size_t(tasks * 4 * n));
    std::fill_n(parts.data, tasks * 4 * n, T(0));
    run_tasks(tasks, [&](int64_t t) {
        T* total = parts + t * 4 * n;
        T* part = groups_each == 1 ? total : total + 2 * n;
        for (int64_t begin = t * each; begin < std::min(count, (t + 1) * each); begin += GROUP) {
            rows.run(begin, std::min(count, begin + GROUP), part, part + n);
            if (part == total) continue;
            for (int64_t i = 0; i < 2 * n; i++) { total[i] += part[i]; part[i] = 0; }
        }
    });
    parallel(n, 4096, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            double w = 0, b = 0;
            for (int64_t t = 0; t < tasks; t++) { w += parts[t * 4 * n + i]; b += parts[t * 4 * n + n + i]; }
            if (dweight) dweight[i] = T(w);
            if (dbias) dbias[i] = T(b);
        }
    });
}

// x is (lead dimensions | normalised ones): how many rows, and how long; false where there is nothing to do
bool split(const Array& x, int64_t lead, int64_t& rows, int64_t& n) {
    if (lead < 0 || lead > x.nd || x.size == 0) return false;
    rows = 1; n = 1;
    for (int i = 0; i < x.nd; i++) (i < lead ? rows : n) *= x.shape[i];
    return true;
}

PyObject* forward(PyObject* const* args, Py_ssize_t n_args, bool centred) {
    Array x, weight, bias;
    int64_t lead, rows, n;
    double eps;
    if (!read(args, n_args, x, lead, weight, bias, eps) || !floating(x) || !split(x, lead, rows, n) ||
        !fits(weight, x, n) || !fits(bias, x, n))
        return not_taken();
    intptr_t shape[MAX_DIMS];
    for (int i = 0; i < x.nd; i++) shape[i] = i < lead ? x.shape[i] : 1;
    PyObject* out = new_array(x);
    PyObject* rstd = new_array(x.nd, shape, x.type);
    PyObject* mean = centred ? new_array(x.nd, shape, x.type) : nullptr;
    if (!out || !rstd || (centred && !mean)) { Py_XDECREF(out); Py_XDECREF(rstd); Py_XDECREF(mean); return nullptr; }
    {
        Unlocked gil(x.size);
        if (x.type == F32)
            forward_rows(x.as<float>(), weight.as<float>(), bias.as<float>(), data_of<float>(out), pointer<float>(mean),
                         data_of<float>(rstd), rows, n, eps);
        else
            forward_rows(x.as<double>(), weight.as<double>(), bias.as<double>(), data_of<double>(out),
                         pointer<double>(mean), data_of<double>(rstd), rows, n, eps);
    }
    return centred ? results({out, mean, rstd}) : results({out, rstd});
}

}  // namespace

KERNEL(layer_norm) { return forward(args, n, true); }       // (x, lead, weight, bias, eps) -> (out, mean, rstd)
KERNEL(rms_norm) { return forward(args, n, false); }        // the same -> (out, rstd)

// (g, x, lead, mean or None, rstd, weight or None, need_x, need_weight, need_bias) -> those of (dx, dweight, dbias)
// that are needed
KERNEL(layer_norm_backward) {
    Array g, x, mean, rstd, weight;
    int64_t lead, rows, size;
    bool need_x, need_weight, need_bias;
    if (!read(args, n, g, x, lead, mean, rstd, weight, need_x, need_weight, need_bias) || !floating(x) || !g ||
        !same_shape(g, x) || !split(x, lead, rows, size) || !rstd || !fits(mean, x, rows) || !fits(rstd, x, rows) ||
        !fits(weight, x, size))
        return not_taken();
    PyObject* made[3];
    if (!make_grads(made, x, size, need_x, need_weight, need_bias)) return nullptr;
    try {
        Unlocked gil(x.size);
        if (x.type == F32) {
            const Rows<float> work{g.as<float>(),
                                   x.as<float>(),
                                   mean.as<float>(),
                                   rstd.as<float>(),
                                   weight.as<float>(),
                                   pointer<float>(made[0]),
                                   size,
                                   streams(pointer<float>(made[0]), size, x.size * 4)};
            backward_rows(work, rows, pointer<float>(made[1]), pointer<float>(made[2]));
        } else {
            const Rows<double> work{g.as<double>(),
                                    x.as<double>(),
                                    mean.as<double>(),
                                    rstd.as<double>(),
                                    weight.as<double>(),
                                    pointer<double>(made[0]),
                                    size,
                                    streams(pointer<double>(made[0]), size, x.size * 8)};
            backward_rows(work, rows, pointer<double>(made[1]), pointer<double>(made[2]));
        }
    } catch (const std::bad_alloc&) {
        for (PyObject* m : made) Py_XDECREF(m);
        throw;
    }
    return wanted(made, 3);
}

}  // namespace weft::norms
