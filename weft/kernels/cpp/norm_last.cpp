// group_norm of images whose channels lie innermost: x as (samples, places, channels), with one weight and bias for
// each channel. Every channel of a sample is summed down its column; the channels of a group are joined in their order.
#include "last.h"
#include "norms.h"

namespace weft::norms {
namespace {

struct Columns {
    int64_t samples = 1, places = 1, channels = 1;
    bool of(const Array& x) {
        if (x.nd < 3 || x.size == 0) return false;
        samples = x.shape[0];
        channels = x.shape[x.nd - 1];
        for (int i = 1; i < x.nd - 1; i++) places *= x.shape[i];
        return true;
    }
};

// f(sample, first channel, width) over blocks of columns; whole blocks have a width that the compiler knows
template <class F> void over_blocks(const Columns& p, F&& f) {
    const int64_t blocks = (p.channels + COLUMNS - 1) / COLUMNS;
    parallel(p.samples * blocks, std::max<int64_t>(1, WORK / (p.places * COLUMNS)), [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; block++) {
            const int64_t c = block % blocks * COLUMNS;
            if (p.channels - c >= COLUMNS) f(block / blocks, c, WholeWidth());
            else f(block / blocks, c, p.channels - c);
        }
    });
}

template <class T>
void group_forward(const T* x, const T* weight, const T* bias, T* out, T* means, T* rstds, const Columns& p,
                   int64_t groups, double eps) {
    const int64_t C = p.channels, each = C / groups;
    Scratch<double> found(size_t(2 * p.samples * C));       // mean and squares of each channel of each sample
    over_blocks(p, [&](int64_t s, int64_t c, auto width) {
        column_moments(x + s * p.places * C + c, p.places, C, width, [&](int64_t i, double mean, double squares) {
            found[size_t(2 * (s * C + c + i))] = mean;
            found[size_t(2 * (s * C + c + i) + 1)] = squares;
        });
    });
    for (int64_t r = 0; r < p.samples * groups; r++) {
        Moments all;
        for (int64_t i = r * each; i < (r + 1) * each; i++)
            all.add(double(p.places), found[size_t(2 * i)], found[size_t(2 * i + 1)]);
        means[r] = T(all.mean);
        rstds[r] = T(all.rstd(eps));
    }
    over_blocks(p, [&](int64_t s, int64_t c, auto width) {
        T scale[COLUMNS], shift[COLUMNS], from[COLUMNS];
        for (int64_t i = 0; i < width; i++) {
            const int64_t group = s * groups + (c + i) / each;
            from[i] = means[group];
            scale[i] = weight ? rstds[group] * weight[c + i] : rstds[group];
            shift[i] = bias ? bias[c + i] : T(0);
        }
        for (int64_t r = 0; r < p.places; r++)
            over_row<T>(width, [&]<class V>(int64_t i, V) {
                const int64_t at = (s * p.places + r) * C + c + i;
                put<V>(out + at, (get<V>(x + at) - get<V>(from + i)) * get<V>(scale + i) + get<V>(shift + i));
            });
    });
}

template <class T>
void group_backward(const T* g, const T* x, const T* means, const T* rstds, const T* weight, T* dx, T* dweight,
                    T* dbias, const Columns& p, int64_t groups) {
    const int64_t C = p.channels, each = C / groups;
    // of g and of g * (x - mean), for each channel of each sample; then a and b of each group (see grad_in)
    Scratch<double> sums(size_t(2 * p.samples * C));
    Scratch<T> terms(size_t(2 * p.samples * groups));
    over_blocks(p, [&](int64_t s, int64_t c, auto width) {
        double direct[COLUMNS] = {}, along[COLUMNS] = {};
        T from[COLUMNS];
        for (int64_t i = 0; i < width; i++) from[i] = means[s * groups + (c + i) / each];
        const int64_t at = s * p.places * C + c;
        column_grad_sums(g + at, x + at, p.places, C, width, from, direct, along);
        for (int64_t i = 0; i < width; i++) {
            sums[size_t(2 * (s * C + c + i))] = direct[i];
            sums[size_t(2 * (s * C + c + i) + 1)] = along[i];
        }
    });
    for (int64_t r = 0; r < p.samples * groups; r++) {
        double direct = 0, along = 0;
        for (int64_t i = 0; i < each; i++) {
            const double w = weight ? double(weight[r % groups * each + i]) : 1.0;
            direct += sums[size_t(2 * (r * each + i))] * w;
            along += sums[size_t(2 * (r * each + i) + 1)] * w;
        }
        const double rstd = double(rstds[r]), factor = rstd / double(each * p.places);
        terms[size_t(2 * r)] = T(direct * factor);
        terms[size_t(2 * r + 1)] = T(along * rstd * rstd * factor);
    }
    if (dx) over_blocks(p, [&](int64_t s, int64_t c, auto width) {
        T scale[COLUMNS], a[COLUMNS], b[COLUMNS], from[COLUMNS];
        for (int64_t i = 0; i < width; i++) {
            const int64_t group = s * groups + (c + i) / each;
            from[i] = means[group];
            scale[i] = weight ? rstds[group] * weight[c + i] : rstds[group];
            a[i] = terms[size_t(2 * group)];
            b[i] = terms[size_t(2 * group + 1)];
        }
        for (int64_t r = 0; r < p.places; r++)
            over_row<T>(width, [&]<class V>(int64_t i, V) {
                const int64_t at = (s * p.places + r) * C + c + i;
                const V away = get<V>(x + at) - get<V>(from + i);
                put<V>(dx + at, get<V>(g + at) * get<V>(scale + i) - get<V>(a + i) - away * get<V>(b + i));
            });
    });
    for (int64_t c = 0; c < C && (dweight || dbias); c++) {
        double w = 0, b = 0;
        for (int64_t s = 0; s < p.samples; s++) {
            b += sums[size_t(2 * (s * C + c))];
            w += sums[size_t(2 * (s * C + c) + 1)] * double(rstds[s * groups + c / each]);
        }
        if (dweight) dweight[c] = T(w);
        if (dbias) dbias[c] = T(b);
    }
}

}  // namespace

// (x, groups, weight, bias, eps) -> (out, mean, rstd), as group_norm, of x (samples, ..., channels)
KERNEL(group_norm_last) {
    Array x, weight, bias;
    int64_t groups;
    double eps;
    Columns p;
    if (!read(args, n, x, groups, weight, bias, eps) || !x || !floating(x) || !p.of(x) || groups < 1 ||
        p.channels % groups || !fits(weight, x, p.channels) || !fits(bias, x, p.channels))
        return not_taken();
    const intptr_t shape[] = {intptr_t(p.samples), intptr_t(groups)};
    PyObject* made[] = {new_array(x), new_array(2, shape, x.type), new_array(2, shape, x.type)};
    auto release = [&] { for (PyObject* m : made) Py_XDECREF(m); };
    if (!made[0] || !made[1] || !made[2]) { release(); return nullptr; }
    auto run = [&]<class T>(T) {
        group_forward(x.as<T>(), weight.as<T>(), bias.as<T>(), data_of<T>(made[0]), data_of<T>(made[1]),
                      data_of<T>(made[2]), p, groups, eps);
    };
    try {
        Unlocked gil(x.size);
        if (x.type == F32) run(0.0f); else run(0.0);
    } catch (const std::bad_alloc&) {
        release();
        throw;
    }
    return results({outer_channels(made[0]), made[1], made[2]});
}

// (g, x, groups, mean, rstd, weight or None, need_x, need_weight, need_bias) -> those of (dx, dweight, dbias) that are
// needed, as group_norm_backward
KERNEL(group_norm_backward_last) {
    Array g, x, mean, rstd, weight;
    int64_t groups;
    bool need_x, need_weight, need_bias;
    Columns p;
    if (!read(args, n, g, x, groups, mean, rstd, weight, need_x, need_weight, need_bias) || !x || !floating(x) ||
        !p.of(x) || !g || !same_shape(g, x) || groups < 1 || p.channels % groups || !mean || !rstd ||
        !fits(mean, x, p.samples * groups) || !fits(rstd, x, p.samples * groups) || !fits(weight, x, p.channels))
        return not_taken();
    PyObject* made[3];
    if (!make_grads(made, x, p.channels, need_x, need_weight, need_bias)) return nullptr;
    auto run = [&]<class T>(T) {
        group_backward(g.as<T>(), x.as<T>(), mean.as<T>(), rstd.as<T>(), weight.as<T>(), pointer<T>(made[0]),
                       pointer<T>(made[1]), pointer<T>(made[2]), p, groups);
    };
    try {
        Unlocked gil(x.size);
        if (x.type == F32) run(0.0f); else run(0.0);
    } catch (const std::bad_alloc&) {
        for (PyObject* m : made) Py_XDECREF(m);
        throw;
    }
    if (made[0]) outer_channels(made[0]);
    return wanted(made, 3);
}

}  // namespace weft::norms
