// batch_norm and group_norm: x as (samples, channels, inner), with one weight and bias for each channel.
#include "norms.h"

namespace weft::norms {
namespace {

struct Planes {     // the number of samples, of channels, and of elements of one channel in one sample
    int64_t samples = 1, channels = 1, inner = 1;
    bool of(const Array& x) {
        if (x.nd < 2 || x.size == 0) return false;
        samples = x.shape[0];
        channels = x.shape[1];
        for (int i = 2; i < x.nd; i++) inner *= x.shape[i];
        return true;
    }
    int64_t per_channel() const { return samples * inner; }
};

// f(first channel, width) over blocks of columns; whole blocks have a width that the compiler knows
template <class F> void over_columns(const Planes& p, F&& f) {
    const int64_t blocks = (p.channels + COLUMNS - 1) / COLUMNS;
    parallel(blocks, std::max<int64_t>(1, WORK / (p.samples * COLUMNS)), [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; block++) {
            const int64_t c = block * COLUMNS;
            if (p.channels - c >= COLUMNS) f(c, WholeWidth());
            else f(c, p.channels - c);
        }
    });
}

// batch norm, forward

template <class T> struct Statistics {
    T *mean, *rstd;
    T *running_mean, *running_var;      // null: none are kept
    double momentum, eps;
    void set(int64_t c, double found_mean, double squares, double count) const {
        const double var = squares / count;
        mean[c] = T(found_mean);
        rstd[c] = T(1 / std::sqrt(var + eps));
        if (running_mean) running_mean[c] = T(momentum * found_mean + (1 - momentum) * double(running_mean[c]));
        if (running_var)
            running_var[c] = T(momentum * (squares / (count - 1)) + (1 - momentum) * double(running_var[c]));
    }
};

template <class T> Moments channel_moments(const T* x, const Planes& p, int64_t c) {
    Moments all;
    const int64_t step = p.channels * p.inner;
    if (p.inner >= BLOCK) {
        for (int64_t s = 0; s < p.samples; s++) {
            const Moments part = moments_of(x + s * step + c * p.inner, p.inner);
            all.add(part.count, part.mean, part.squares);
        }
        return all;
    }
    // short stretches: gathered into blocks, which fit the first cache
    alignas(64) T block[BLOCK];
    int64_t held = 0;
    for (int64_t s = 0; s < p.samples; s++) {
        if (held + p.inner > BLOCK) { add_block(all, block, held); held = 0; }
        const T* from = x + s * step + c * p.inner;
        for (int64_t i = 0; i < p.inner; i++) block[held + i] = from[i];
        held += p.inner;
    }
    if (held) add_block(all, block, held);
    return all;
}

template <class T> void statistics_of_columns(const T* x, const Planes& p, const Statistics<T>& to) {
    over_columns(p, [&](int64_t c, auto width) {
        column_moments(x + c, p.samples, p.channels, width, [&](int64_t i, double mean, double squares) {
            to.set(c + i, mean, squares, double(p.samples));
        });
    });
}

template <class T>
void apply_columns(const T* x, const T* weight, const T* bias, T* out, const T* mean, const T* rstd, const Planes& p) {
    over_columns(p, [&](int64_t c, auto width) {
        T scale[COLUMNS], shift[COLUMNS], from[COLUMNS];
        for (int64_t i = 0; i < width; i++) {
            from[i] = mean[c + i];
            scale[i] = weight ? rstd[c + i] * weight[c + i] : rstd[c + i];
            shift[i] = bias ? bias[c + i] : T(0);
        }
        for (int64_t s = 0; s < p.samples; s++)
            over_row<T>(width, [&]<class V>(int64_t i, V) {
                const int64_t at = s * p.channels + c + i;
                put<V>(out + at, (get<V>(x + at) - get<V>(from + i)) * get<V>(scale + i) + get<V>(shift + i));
            });
    });
}

template <class T>
void batch_forward(const T* x, const T* weight, const T* bias, T* out, const Planes& p, const Statistics<T>& stats,
                   bool training) {
    if (p.inner == 1) {
        if (training) statistics_of_columns(x, p, stats);
        apply_columns(x, weight, bias, out, stats.mean, stats.rstd, p);
        return;
    }
    const bool far = streams(out, p.inner, p.samples * p.channels * p.inner * int64_t(sizeof(T)));
    if (!training) {        // the statistics are there, so in the order of memory
        parallel(p.samples * p.channels, std::max<int64_t>(1, WORK / p.inner), [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end; r++) {
                const int64_t c = r % p.channels;
                affine(out + r * p.inner, x + r * p.inner, p.inner, stats.mean[c],
                       weight ? stats.rstd[c] * weight[c] : stats.rstd[c], bias ? bias[c] : T(0), far);
            }
            if (far) end_stream();
        });
        return;
    }
    parallel(p.channels, std::max<int64_t>(1, WORK / p.per_channel()), [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; c++) {
            const Moments found = channel_moments(x, p, c);
            stats.set(c, found.mean, found.squares, found.count);
            const T scale = weight ? stats.rstd[c] * weight[c] : stats.rstd[c], shift = bias ? bias[c] : T(0);
            for (int64_t s = 0; s < p.samples; s++) {
                const int64_t at = (s * p.channels + c) * p.inner;
                affine(out + at, x + at, p.inner, stats.mean[c], scale, shift, far);
            }
        }
        if (far) end_stream();
    });
}

// batch norm, backward

template <class T> struct BatchBackward {
    const T *g, *x, *mean, *rstd, *weight;
    T *dx, *dweight, *dbias;
    bool training;

    T scale(int64_t c) const { return weight ? weight[c] * rstd[c] : rstd[c]; }
    void set(int64_t c, double direct, double along) const {
        if (dweight) dweight[c] = T(along * double(rstd[c]));
        if (dbias) dbias[c] = T(direct);
    }

    void columns(const Planes& p) const {
        over_columns(p, [&](int64_t c, auto width) {
            double direct[COLUMNS] = {}, along[COLUMNS] = {};
            T from[COLUMNS], a[COLUMNS] = {}, b[COLUMNS] = {}, factor[COLUMNS];
            for (int64_t i = 0; i < width; i++) { from[i] = mean[c + i]; factor[i] = scale(c + i); }
            if (training || dweight || dbias) {
                column_grad_sums(g + c, x + c, p.samples, p.channels, width, from, direct, along);
                for (int64_t i = 0; i < width; i++) {
                    set(c + i, direct[i], along[i]);
                    const double r = double(rstd[c + i]), count = double(p.samples);
                    if (training) { a[i] = T(direct[i] / count); b[i] = T(along[i] * r * r / count); }
                }
            }
            if (!dx) return;
            for (int64_t s = 0; s < p.samples; s++)
                over_row<T>(width, [&]<class V>(int64_t i, V) {
                    const int64_t at = s * p.channels + c + i;
                    const V away = get<V>(x + at) - get<V>(from + i);
                    put<V>(dx + at, (get<V>(g + at) - get<V>(a + i) - away * get<V>(b + i)) * get<V>(factor + i));
                });
        });
    }

    void planes(const Planes& p) const {
        const bool far = streams(dx, p.inner, p.samples * p.channels * p.inner * int64_t(sizeof(T)));
        parallel(p.channels, std::max<int64_t>(1, WORK / p.per_channel()), [&](int64_t begin, int64_t end) {
            for (int64_t c = begin; c < end; c++) {
                GradSums<T> sums;
                if (training || dweight || dbias) {
                    for (int64_t s = 0; s < p.samples; s++) {
                        const int64_t at = (s * p.channels + c) * p.inner;
                        sums.add_long(g + at, x + at, p.inner, mean[c]);
                    }
                    sums.flush();
                }
                set(c, sums.g_total, sums.p_total);
                if (!dx) continue;
                const double count = double(p.per_channel()), r = double(rstd[c]);
                const double factor = double(scale(c)) / count;
                const T a = training ? T(sums.g_total * factor) : T(0),
                        b = training ? T(sums.p_total * r * r * factor) : T(0);
                for (int64_t s = 0; s < p.samples; s++) {
                    const int64_t at = (s * p.channels + c) * p.inner;
                    grad_in(dx + at, g + at, x + at, p.inner, mean[c], a, b, scale(c), far);
                }
            }
            if (far) end_stream();
        });
    }
};

// group norm

template <class T>
void group_forward(const T* x, const T* weight, const T* bias, T* out, T* means, T* rstds, const Planes& p,
                   int64_t groups, double eps) {
    const bool far = streams(out, p.inner, p.samples * p.channels * p.inner * int64_t(sizeof(T)));
    const int64_t each = p.channels / groups, n = each * p.inner;      // channels and numbers of a group
    parallel(p.samples * groups, std::max<int64_t>(1, WORK / n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++) {
            const Moments found = moments_of(x + r * n, n);
            const T mean = means[r] = T(found.mean), rstd = rstds[r] = T(found.rstd(eps));
            for (int64_t i = 0; i < each; i++) {
                const int64_t c = r % groups * each + i, at = r * n + i * p.inner;
                affine(out + at, x + at, p.inner, mean, weight ? rstd * weight[c] : rstd, bias ? bias[c] : T(0), far);
            }
        }
        if (far) end_stream();
    });
}

template <class T>
void group_backward(const T* g, const T* x, const T* means, const T* rstds, const T* weight, T* dx, T* dweight,
                    T* dbias, const Planes& p, int64_t groups) {
    const bool far = streams(dx, p.inner, p.samples * p.channels * p.inner * int64_t(sizeof(T)));
    const int64_t each = p.channels / groups, n = each * p.inner;
    // of g and of g * (x - mean), for each channel of each sample
    Scratch<double> sums(size_t(2 * p.samples * p.channels));
    parallel(p.samples * groups, std::max<int64_t>(1, WORK / n), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++) {
            const T mean = means[r], rstd = rstds[r];
            double direct = 0, along = 0;
            for (int64_t i = 0; i < each; i++) {
                const int64_t c = r % groups * each + i, at = r * n + i * p.inner;
                GradSums<T> channel;
                channel.add_long(g + at, x + at, p.inner, mean);
                channel.flush();
                sums[2 * (r * each + i)] = channel.g_total;
                sums[2 * (r * each + i) + 1] = channel.p_total;
                const double w = weight ? double(weight[c]) : 1.0;
                direct += channel.g_total * w;
                along += channel.p_total * w;
            }
            if (!dx) continue;
            const double factor = double(rstd) / double(n);
            const T a = T(direct * factor), b = T(along * double(rstd) * double(rstd) * factor);
            for (int64_t i = 0; i < each; i++) {
                const int64_t at = r * n + i * p.inner, c = r % groups * each + i;
                grad_in(dx + at, g + at, x + at, p.inner, mean, a, b, weight ? rstd * weight[c] : rstd, far);
            }
        }
        if (far) end_stream();
    });
    if (!dweight && !dbias) return;
    for (int64_t c = 0; c < p.channels; c++) {
        double w = 0, b = 0;
        for (int64_t s = 0; s < p.samples; s++) {
            const int64_t at = 2 * (s * p.channels + c);
            b += sums[at];
            w += sums[at + 1] * double(rstds[s * groups + c / each]);
        }
        if (dweight) dweight[c] = T(w);
        if (dbias) dbias[c] = T(b);
    }
}

template <class T>
void run_batch_forward(const Array& x, const Array& weight, const Array& bias, const Array& running_mean,
                       const Array& running_var, PyObject* out, PyObject* mean, PyObject* rstd, const Planes& p,
                       double momentum, double eps, bool training) {
    Statistics<T> stats{data_of<T>(mean), data_of<T>(rstd), running_mean.as<T>(), running_var.as<T>(), momentum, eps};
    for (int64_t c = 0; !training && c < p.channels; c++) {
        stats.mean[c] = stats.running_mean[c];
        stats.rstd[c] = T(1 / std::sqrt(double(stats.running_var[c]) + eps));
    }
    batch_forward(x.as<T>(), weight.as<T>(), bias.as<T>(), data_of<T>(out), p, stats, training);
}

}  // namespace

// (x, weight, bias, running_mean, running_var, momentum, eps, training) -> (out, mean, rstd); in training the running
// ones are written to
KERNEL(batch_norm) {
    Array x, weight, bias, running_mean, running_var;
    double momentum, eps;
    bool training;
    Planes p;
    if (!read(args, n, x, weight, bias, running_mean, running_var, momentum, eps, training) || !floating(x) || !p.of(x))
        return not_taken();
    intptr_t channels = p.channels;
    if (!fits(weight, x, channels) || !fits(bias, x, channels) || !fits(running_mean, x, channels) ||
        !fits(running_var, x, channels) || (!training && (!running_mean || !running_var)))
        return not_taken();
    for (const Array* kept : {&running_mean, &running_var})
        if (training && *kept && !PyArray_ISWRITEABLE(kept->object)) return not_taken();
    PyObject* out = new_array(x);
    PyObject* mean = new_array(1, &channels, x.type);
    PyObject* rstd = new_array(1, &channels, x.type);
    if (!out || !mean || !rstd) { Py_XDECREF(out); Py_XDECREF(mean); Py_XDECREF(rstd); return nullptr; }
    {
        Unlocked gil(x.size);
        if (x.type == F32)
            run_batch_forward<float>(x, weight, bias, running_mean, running_var, out, mean, rstd, p, momentum, eps,
                                     training);
        else
            run_batch_forward<double>(x, weight, bias, running_mean, running_var, out, mean, rstd, p, momentum, eps,
                                      training);
    }
    return results({out, mean, rstd});
}

// norm_factors(weight, bias, mean, var, eps): (mean, scale, shift) of batch_norm with known statistics, each (channels,
// 1, 1)
KERNEL(norm_factors) {
    Array weight, bias, mean, var;
    double eps;
    if (!read(args, n, weight, bias, mean, var, eps) || !mean || !var || !floating(mean) || mean.nd != 1)
        return not_taken();
    const intptr_t channels = mean.shape[0], shape[] = {channels, 1, 1};
    if (!fits(weight, mean, channels) || !fits(bias, mean, channels) || !fits(mean, mean, channels) ||
        !fits(var, mean, channels))
        return not_taken();
    PyObject* made[3];
    for (auto& one : made) one = new_array(3, shape, mean.type);
    if (!made[0] || !made[1] || !made[2]) return results({made[0], made[1], made[2]});
    const auto fill = [&]<class T>(T) {
        for (intptr_t c = 0; c < channels; c++) {
            const T rstd = T(1 / std::sqrt(double(var.as<T>()[c]) + eps));
            data_of<T>(made[0])[c] = mean.as<T>()[c];
            data_of<T>(made[1])[c] = weight ? rstd * weight.as<T>()[c] : rstd;
            data_of<T>(made[2])[c] = bias ? bias.as<T>()[c] : T(0);
        }
    };
    if (mean.type == F32) fill(float());
    else fill(double());
    return results({made[0], made[1], made[2]});
}

// (g, x, mean, rstd, weight or None, training, need_x, need_weight, need_bias) -> those of (dx, dweight, dbias) that
// are needed
KERNEL(batch_norm_backward) {
    Array g, x, mean, rstd, weight;
    bool training, need_x, need_weight, need_bias;
    Planes p;
    if (!read(args, n, g, x, mean, rstd, weight, training, need_x, need_weight, need_bias) || !floating(x) ||
        !p.of(x) || !g || !same_shape(g, x) || !mean || !rstd || !fits(mean, x, p.channels) ||
        !fits(rstd, x, p.channels) || !fits(weight, x, p.channels))
        return not_taken();
    PyObject* made[3];
    if (!make_grads(made, x, p.channels, need_x, need_weight, need_bias)) return nullptr;
    auto run = [&]<class T>(T) {
        const BatchBackward<T> work{g.as<T>(), x.as<T>(), mean.as<T>(), rstd.as<T>(), weight.as<T>(),
                                    pointer<T>(made[0]), pointer<T>(made[1]), pointer<T>(made[2]), training};
        if (p.inner == 1) work.columns(p); else work.planes(p);
    };
    {
        Unlocked gil(x.size);
        if (x.type == F32) run(0.0f); else run(0.0);
    }
    return wanted(made, 3);
}

// (x, groups, weight, bias, eps) -> (out, mean, rstd), the last two of shape (samples, groups)
KERNEL(group_norm) {
    Array x, weight, bias;
    int64_t groups;
    double eps;
    Planes p;
    if (!read(args, n, x, groups, weight, bias, eps) || !floating(x) || !p.of(x) || groups < 1 || p.channels % groups
        || !fits(weight, x, p.channels) || !fits(bias, x, p.channels)) return not_taken();
    const intptr_t shape[] = {intptr_t(p.samples), intptr_t(groups)};
    PyObject* out = new_array(x);
    PyObject* mean = new_array(2, shape, x.type);
    PyObject* rstd = new_array(2, shape, x.type);
    if (!out || !mean || !rstd) { Py_XDECREF(out); Py_XDECREF(mean); Py_XDECREF(rstd); return nullptr; }
    {
        Unlocked gil(x.size);
        if (x.type == F32)
            group_forward(x.as<float>(), weight.as<float>(), bias.as<float>(), data_of<float>(out),
                          data_of<float>(mean), data_of<float>(rstd), p, groups, eps);
        else
            group_forward(x.as<double>(), weight.as<double>(), bias.as<double>(), data_of<double>(out),
                          data_of<double>(mean), data_of<double>(rstd), p, groups, eps);
    }
    return results({out, mean, rstd});
}

// (g, x, groups, mean, rstd, weight or None, need_x, need_weight, need_bias) -> those of (dx, dweight, dbias) that are
// needed
KERNEL(group_norm_backward) {
    Array g, x, mean, rstd, weight;
    int64_t groups;
    bool need_x, need_weight, need_bias;
    Planes p;
    if (!read(args, n, g, x, groups, mean, rstd, weight, need_x, need_weight, need_bias) || !floating(x) || !p.of(x) ||
        !g || !same_shape(g, x) || groups < 1 || p.channels % groups || !mean || !rstd ||
        !fits(mean, x, p.samples * groups) || !fits(rstd, x, p.samples * groups) || !fits(weight, x, p.channels))
        return not_taken();
    PyObject* made[3];
    if (!make_grads(made, x, p.channels, need_x, need_weight, need_bias)) return nullptr;
    try {
        Unlocked gil(x.size);
        if (x.type == F32)
            group_backward(g.as<float>(), x.as<float>(), mean.as<float>(), rstd.as<float>(), weight.as<float>(),
                           pointer<float>(made[0]), pointer<float>(made[1]), pointer<float>(made[2]), p, groups);
        else
            group_backward(g.as<double>(), x.as<double>(), mean.as<double>(), rstd.as<double>(), weight.as<double>(),
                           pointer<double>(made[0]), pointer<double>(made[1]), pointer<double>(made[2]), p, groups);
    } catch (const std::bad_alloc&) {
        for (PyObject* m : made) Py_XDECREF(m);
        throw;
    }
    return wanted(made, 3);
}

}  // namespace weft::norms
