// softmax and log_softmax along any dimension, and their gradients. x is taken as (outer, n, inner), contiguous.
#include "softmax.h"

namespace weft {
namespace {

// One row: softmax as e**(x - top) over its sum, log_softmax as (x - top) - log(sum).
template <class T> void softmax_row(const T* x, T* out, int64_t n, bool log) {
    constexpr int L = LANES<T>;
    const T top = row_max(x, n);
    if (log) {
        const T rest = T(std::log(exp_sum(x, n, top)));
        int64_t i = 0;
        for (; i + L <= n; i += L) store(out + i, (load(x + i) - top) - rest);
        for (; i < n; i++) out[i] = (x[i] - top) - rest;
        return;
    }
    const T scale = T(1 / exp_sum(x, n, top, out));
    int64_t i = 0;
    for (; i + L <= n; i += L) store(out + i, load(out + i) * scale);
    for (; i < n; i++) out[i] *= scale;
}

// e**(x - top) * rest, or (x - top) - rest, of w columns in n rows; tops and rest are readable to a whole vector
template <class T>
void write_columns(const T* x, T* out, int64_t n, int64_t w, int64_t step, const T* tops, const T* rest, bool log) {
    constexpr int L = LANES<T>;
    auto made = [&](Vec<T> v, int64_t j) {
        return log ? (v - load(tops + j)) - load(rest + j) : exp_below(v - load(tops + j)) * load(rest + j);
    };
    for (int64_t r = 0; r < n; r++) {
        const T* from = x + r * step;
        T* to = out + r * step;
        int64_t j = 0;
        for (; j + L <= w; j += L) store(to + j, made(load(from + j), j));
        if (j < w) store_part(to + j, made(load_part(from + j, w - j), j), w - j);
    }
}

// w columns of n rows, `step` elements apart. What fits the cache is gone over three times; the rest twice, taking e**x
// twice.
template <class T> void softmax_columns(const T* x, T* out, int64_t n, int64_t w, int64_t step, bool log) {
    const bool keep = !log && n * w * int64_t(sizeof(T)) <= 512 * 1024;
    ColumnTops<T> c;
    c.start(w);
    c.add(x, n, w, step, keep ? out : nullptr);
    T rest[COLUMNS];            // 1 / sum, or its logarithm
    c.finish(rest, w, log);
    if (!keep) { write_columns(x, out, n, w, step, c.top, rest, log); return; }
    for (int64_t r = 0; r < n; r++) {
        T* row = out + r * step;
        for (int64_t j = 0; j < w; j++) row[j] *= rest[j];
    }
}

// Few tall columns in one block: the sums are made by all threads, a stretch of rows each, then the results.
template <class T> void softmax_tall(const T* x, T* out, int64_t n, int64_t w, int64_t step, bool log) {
    const int64_t pieces = std::clamp<int64_t>(n * w / 65536, 1, 32);
    Scratch<ColumnTops<T>> parts(static_cast<size_t>(pieces));
    run_tasks(pieces, [&](int64_t p) {
        parts[p].start(w);
        const int64_t from = n * p / pieces, upto = n * (p + 1) / pieces;
        parts[p].add(x + from * step, upto - from, w, step, nullptr);
    });
    ColumnTops<T>& c = parts[0];
    for (int64_t s = 1; s < pieces; s *= 2)
        for (int64_t p = 0; p + s < pieces; p += 2 * s) parts[p].merge(parts[p + s], w);
    T rest[COLUMNS];
    c.finish(rest, w, log);
    parallel(n, std::max<int64_t>(1, 16384 / w), [&](int64_t begin, int64_t end) {
        write_columns(x + begin * step, out + begin * step, end - begin, w, step, c.top, rest, log);
    });
}

// f(block, first column, width) over all blocks and tiles of columns
template <class F> void over_tiles(const Blocks& b, F&& f) {
    // a tile of 32768 elements stays in the cache; fewer where there would be less than four tiles
    int64_t width = std::clamp<int64_t>(b.n * b.inner > 65536 ? 32768 / b.n : COLUMNS, 64, COLUMNS);
    if (b.outer < 4 && b.n * b.inner >= 16384)
        width = std::min(width, std::max<int64_t>(128, (b.inner / 4 + 63) / 64 * 64));
    const int64_t tiles = (b.inner + width - 1) / width;
    parallel(b.outer * tiles, std::max<int64_t>(1, 8192 / (b.n * std::min(width, b.inner))),
             [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; t++)
            f(t / tiles, t % tiles * width, std::min(width, b.inner - t % tiles * width));
    });
}

template <class T> void softmax_of(const T* x, T* out, const Blocks& b, bool log) {
    if (b.inner == 1) {
        parallel(b.outer, std::max<int64_t>(1, 8192 / b.n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++) softmax_row(x + i * b.n, out + i * b.n, b.n, log);
        });
    } else if (b.outer * b.inner <= 8 * COLUMNS && b.n * b.inner > 131072) {
        for (int64_t o = 0; o < b.outer; o++)
            for (int64_t j = 0; j < b.inner; j += COLUMNS) {
                const int64_t at = o * b.n * b.inner + j;
                softmax_tall(x + at, out + at, b.n, std::min<int64_t>(COLUMNS, b.inner - j), b.inner, log);
            }
    } else {
        over_tiles(b, [&](int64_t o, int64_t j, int64_t w) {
            const int64_t at = o * b.n * b.inner + j;
            softmax_columns(x + at, out + at, b.n, w, b.inner, log);
        });
    }
}

// The gradient from that of the output and the output: (g - sum(g * y)) * y, or of log_softmax g - e**y * sum(g).
template <class T> void grad_row(const T* g, const T* y, T* out, int64_t n, bool log) {
    constexpr int L = LANES<T>;
    vd s = splat<double>(0), t = s;
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        add_wide(s, log ? load(g + i) : load(g + i) * load(y + i));
        add_wide(t, log ? load(g + i + L) : load(g + i + L) * load(y + i + L));
    }
    double sum = add_lanes(s + t);
    for (; i < n; i++) sum += log ? double(g[i]) : double(g[i] * y[i]);
    const T all = T(sum);
    for (i = 0; i + L <= n; i += L)
        store(out + i, log ? load(g + i) - exp_below(load(y + i)) * all : (load(g + i) - all) * load(y + i));
    if (i < n) {
        const Vec<T> a = load_part(g + i, n - i), b = load_part(y + i, n - i);
        store_part(out + i, log ? a - exp_below(b) * all : (a - all) * b, n - i);
    }
}

template <class T> void grad_columns(const T* g, const T* y, T* out, int64_t n, int64_t w, int64_t step, bool log) {
    constexpr int L = LANES<T>;
    double sums[COLUMNS];
    T all[COLUMNS];
    std::fill_n(sums, w, 0.0);
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = 0; j < w; j++)
            sums[j] += log ? double(g[r * step + j]) : double(g[r * step + j]) * double(y[r * step + j]);
    for (int64_t j = 0; j < w; j++) all[j] = T(sums[j]);
    for (int64_t r = 0; r < n; r++)
        for (int64_t j = 0, at = r * step; j < w; j += L, at += L) {
            const int64_t k = w - j;
            const Vec<T> a = k >= L ? load(g + at) : load_part(g + at, k),
                         b = k >= L ? load(y + at) : load_part(y + at, k), c = load<T>(all + j);
            const Vec<T> made = log ? a - exp_below(b) * c : (a - c) * b;
            if (k >= L) store(out + at, made);
            else store_part(out + at, made, k);
        }
}

template <class T> void softmax_grad_of(const T* g, const T* y, T* out, const Blocks& b, bool log) {
    if (b.inner == 1) {
        parallel(b.outer, std::max<int64_t>(1, 8192 / b.n), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++) grad_row(g + i * b.n, y + i * b.n, out + i * b.n, b.n, log);
        });
        return;
    }
    over_tiles(b, [&](int64_t o, int64_t j, int64_t w) {
        const int64_t at = o * b.n * b.inner + j;
        grad_columns(g + at, y + at, out + at, b.n, w, b.inner, log);
    });
}

}  // namespace

KERNEL(softmax) {       // x, dim, log
    Array x;
    int64_t dim;
    bool log;
    if (!read(args, n, x, dim, log) || !x || (x.type != F32 && x.type != F64) || !x.contiguous) return not_taken();
    Blocks b;
    if (!b.split(x, dim)) return not_taken();
    PyObject* out = new_array(x);
    if (!out) return nullptr;
    Unlocked gil(x.size * 4);
    if (x.type == F32) softmax_of(x.as<float>(), data_of<float>(out), b, log);
    else softmax_of(x.as<double>(), data_of<double>(out), b, log);
    return out;
}

KERNEL(softmax_grad) {      // the gradient of the output, the output, dim, log
    Array g, y;
    int64_t dim;
    bool log;
    if (!read(args, n, g, y, dim, log) || !g || !y || (y.type != F32 && y.type != F64) || g.type != y.type ||
        !g.contiguous || !y.contiguous)
        return not_taken();
    if (g.nd != y.nd || !std::equal(g.shape, g.shape + g.nd, y.shape)) return not_taken();
    Blocks b;
    if (!b.split(y, dim)) return not_taken();
    PyObject* out = new_array(y);
    if (!out) return nullptr;
    Unlocked gil(y.size * 4);
    if (y.type == F32) softmax_grad_of(g.as<float>(), y.as<float>(), data_of<float>(out), b, log);
    else softmax_grad_of(g.as<double>(), y.as<double>(), data_of<double>(out), b, log);
    return out;
}

}  // namespace weft
