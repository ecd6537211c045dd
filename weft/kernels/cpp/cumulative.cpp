// Running sums, products, extremes and log-sums along a dimension. x is taken as (outer, n, inner), contiguous. Floats
// run in double.
#include "reduce.h"
#include "softmax.h"
#include "wide.h"

namespace weft {
namespace {

enum Running { SUM, PRODUCT };

template <int WHAT, class A> inline A joined(A a, A b) { return WHAT == SUM ? a + b : a * b; }

// K rows at once, so that the processor has K chains to work on
template <int WHAT, int K, class T> void scan_rows(const T* x, T* out, int64_t n, int64_t apart) {
    using A = Wide<T>;
    A run[K];
    for (int q = 0; q < K; q++) run[q] = A(WHAT == SUM ? 0 : 1);
    for (int64_t i = 0; i < n; i++)
        for (int q = 0; q < K; q++) out[q * apart + i] = T(run[q] = joined<WHAT>(run[q], A(x[q * apart + i])));
}

// Lanes moved up by K, zeros (for products ones) moved in
template <int K> inline vd moved(vd v, double fill) {
    constexpr int n = WIDE_LANES;
    const vd f = splat<double>(fill);
    return [&]<size_t... I>(std::index_sequence<I...>) {
        return __builtin_shufflevector(f, v, (int(I) < K ? int(I) : n + int(I) - K)...);
    }(std::make_index_sequence<n>{});
}
template <int WHAT> inline vd scan_lanes(vd v) {
    constexpr double fill = WHAT == SUM ? 0 : 1;
    v = joined<WHAT>(v, moved<1>(v, fill));
    if constexpr (WIDE_LANES >= 4) v = joined<WHAT>(v, moved<2>(v, fill));
    if constexpr (WIDE_LANES >= 8) v = joined<WHAT>(v, moved<4>(v, fill));
    return v;
}

// One row of floats: each vector is scanned by itself, so that only one operation in a chain is left per two vectors.
template <int WHAT> double scan_row(const float* x, float* out, int64_t n, double run) {
    constexpr int L = WIDE_LANES;
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        vd a = scan_lanes<WHAT>(wide(x + i)), b = scan_lanes<WHAT>(wide(x + i + L));
        const double first = a[L - 1], both = joined<WHAT>(first, double(b[L - 1]));
        b = joined<WHAT>(b, splat<double>(joined<WHAT>(run, first)));
        a = joined<WHAT>(a, splat<double>(run));
        const HalfFloats p = floats_of(a), q = floats_of(b);
        std::memcpy(out + i, &p, sizeof p);
        std::memcpy(out + i + L, &q, sizeof q);
        run = joined<WHAT>(run, both);
    }
    for (; i < n; i++) out[i] = float(run = joined<WHAT>(run, double(x[i])));
    return run;
}

template <int WHAT, class T> void scan(const T* x, T* out, const Blocks& b) {
    using A = Wide<T>;
    if (b.inner == 1) {
        if constexpr (sizeof(T) == 4 && std::is_floating_point_v<T>) {
            if (b.outer == 1 && b.n >= 2 * CHUNK) {         // what stands before each chunk is found first
                const int64_t pieces = (b.n + CHUNK - 1) / CHUNK;
                Scratch<double> before(size_t(pieces + 1));
                run_tasks(pieces, [&](int64_t p) {
                    const int64_t from = p * CHUNK, k = std::min(CHUNK, b.n - from),
                                  whole = k / WIDE_LANES * WIDE_LANES;
                    double run = WHAT == SUM ? sum_row_wide(x + from, whole, [](vd v) { return v; }) : 1;
                    if (WHAT == SUM)
                        for (int64_t i = whole; i < k; i++) run += x[from + i];
                    else
                        for (int64_t i = 0; i < k; i++) run *= x[from + i];
                    before[p + 1] = run;
                });
                before[0] = WHAT == SUM ? 0 : 1;
                for (int64_t p = 0; p < pieces; p++) before[p + 1] = joined<WHAT>(before[p], before[p + 1]);
                run_tasks(pieces, [&](int64_t p) {
                    scan_row<WHAT>(x + p * CHUNK, out + p * CHUNK, std::min(CHUNK, b.n - p * CHUNK), before[p]);
                });
                return;
            }
            parallel(b.outer, std::max<int64_t>(1, 16384 / b.n), [&](int64_t begin, int64_t end) {
                for (int64_t r = begin; r < end; r++)
                    scan_row<WHAT>(x + r * b.n, out + r * b.n, b.n, WHAT == SUM ? 0 : 1);
            });
        } else {
            parallel((b.outer + 3) / 4, std::max<int64_t>(1, 4096 / b.n), [&](int64_t begin, int64_t end) {
                int64_t r = begin * 4;
                const int64_t last = std::min(b.outer, end * 4);
                for (; r + 4 <= last; r += 4) scan_rows<WHAT, 4>(x + r * b.n, out + r * b.n, b.n, b.n);
                for (; r < last; r++) scan_rows<WHAT, 1>(x + r * b.n, out + r * b.n, b.n, b.n);
            });
        }
        return;
    }
    const int64_t width = std::min<int64_t>(
                      COLUMNS, b.outer == 1 ? std::max<int64_t>(256, (b.inner / 4 + 63) / 64 * 64) : COLUMNS),
                  tiles = (b.inner + width - 1) / width;
    parallel(b.outer * tiles, std::max<int64_t>(1, 16384 / (b.n * std::min(width, b.inner))),
             [&](int64_t begin, int64_t end) {
        A run[COLUMNS];
        for (int64_t t = begin; t < end; t++) {
            const int64_t w = std::min(width, b.inner - t % tiles * width),
                          at = t / tiles * b.n * b.inner + t % tiles * width;
            std::fill_n(run, w, A(WHAT == SUM ? 0 : 1));
            for (int64_t i = 0; i < b.n; i++) {
                const T* from = x + at + i * b.inner;
                T* to = out + at + i * b.inner;
                for (int64_t j = 0; j < w; j++) to[j] = T(run[j] = joined<WHAT>(run[j], A(from[j])));
            }
        }
    });
}

// the latest of equals; once NaN, always NaN, at the latest NaN
template <class T, bool GREATEST>
inline bool replaces(T a, T b) {
    return a != a || (b == b && (GREATEST ? a >= b : a <= b));
}

template <class T, bool GREATEST> void scan_extreme(const T* x, T* values, int64_t* places, const Blocks& b) {
    const int64_t width = b.inner == 1 ? 1 : std::min<int64_t>(COLUMNS, b.inner), tiles = (b.inner + width - 1) / width;
    parallel(b.outer * tiles, std::max<int64_t>(1, 8192 / (b.n * width)), [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; t++) {
            const int64_t w = std::min(width, b.inner - t % tiles * width),
                          at = t / tiles * b.n * b.inner + t % tiles * width;
            if (b.inner == 1) {
                constexpr int L = LANES<T>;
                T best = x[at];
                int64_t place = 0;
                for (int64_t i = 0; i < b.n;) {
                    if (i + L <= b.n) {             // mostly there is nothing new in a whole vector
                        const Vec<T> some = load(x + at + i);
                        if (!any_lane(~(GREATEST ? some < best : some > best))) {
                            store(values + at + i, splat<T>(best));
                            for (int q = 0; q < L; q++) places[at + i + q] = place;
                            i += L;
                            continue;
                        }
                    }
                    for (const int64_t stop = std::min(i + L, b.n); i < stop; i++) {
                        const T v = x[at + i];
                        const bool hit = replaces<T, GREATEST>(v, best);
                        best = hit ? v : best;
                        place = hit ? i : place;
                        values[at + i] = best;
                        places[at + i] = place;
                    }
                }
                continue;
            }
            std::copy_n(x + at, w, values + at);
            std::fill_n(places + at, w, int64_t(0));
            for (int64_t i = 1; i < b.n; i++) {
                const int64_t row = at + i * b.inner;
                for (int64_t j = row; j < row + w; j++) {
                    const T v = x[j], best = values[j - b.inner];
                    const bool hit = replaces<T, GREATEST>(v, best);
                    values[j] = hit ? v : best;
                    places[j] = hit ? i : places[j - b.inner];
                }
            }
        }
    });
}

template <class T> void scan_log_sum(const T* x, T* out, const Blocks& b) {
    parallel(b.outer * b.inner, std::max<int64_t>(1, 512 / b.n), [&](int64_t begin, int64_t end) {
        for (int64_t t = begin; t < end; t++) {
            const int64_t at = t / b.inner * b.n * b.inner + t % b.inner;
            // the sum of e**(x - top) so far; the top moves up when a greater element comes
            double top = -INFINITY, sum = 0;
            for (int64_t i = 0; i < b.n; i++) {
                const double v = double(x[at + i * b.inner]);
                if (v <= top) {
                    sum += top == -INFINITY ? 0 : std::exp(v - top);
                } else if (v != v || top != top) {
                    top = sum = v + top;
                } else {
                    sum = sum == 0 ? 1 : sum * std::exp(top - v) + 1;
                    top = v;
                }
                out[at + i * b.inner] = T(std::isinf(top) ? top : top + std::log(sum));
            }
        }
    });
}

template <class T> PyObject* extremes(const Array& x, const Blocks& b, bool greatest) {
    PyObject *values = new_array(x), *places = values ? new_array(x.nd, x.shape, I64) : nullptr;
    if (!places) { Py_XDECREF(values); return nullptr; }
    {
        Unlocked gil(x.size * 2);
        if (greatest) scan_extreme<T, true>(x.as<T>(), data_of<T>(values), data_of<int64_t>(places), b);
        else scan_extreme<T, false>(x.as<T>(), data_of<T>(values), data_of<int64_t>(places), b);
    }
    return results({values, places});
}

template <int WHAT> PyObject* scanned(PyObject* const* args, Py_ssize_t n) {
    Array x;
    int64_t dim;
    Blocks b;
    if (!read(args, n, x, dim) || !x || !x.contiguous || (x.type != F32 && x.type != F64 && x.type != I64) ||
        !b.split(x, dim))
        return not_taken();
    PyObject* out = new_array(x);
    if (!out) return nullptr;
    Unlocked gil(x.size * 2);
    if (x.type == F32) scan<WHAT>(x.as<float>(), data_of<float>(out), b);
    else if (x.type == F64) scan<WHAT>(x.as<double>(), data_of<double>(out), b);
    else scan<WHAT>(x.as<int64_t>(), data_of<int64_t>(out), b);
    return out;
}

}  // namespace

KERNEL(cumsum) { return scanned<SUM>(args, n); }            // x, dim
KERNEL(cumprod) { return scanned<PRODUCT>(args, n); }

KERNEL(cum_extreme) {       // x, dim, greatest: (values, places)
    Array x;
    int64_t dim;
    bool greatest;
    Blocks b;
    if (!read(args, n, x, dim, greatest) || !x || !x.contiguous || !b.split(x, dim)) return not_taken();
    switch (x.type) {
        case F32: return extremes<float>(x, b, greatest);
        case F64: return extremes<double>(x, b, greatest);
        case I64: return extremes<int64_t>(x, b, greatest);
        default: return not_taken();
    }
}

KERNEL(logcumsumexp) {      // x, dim
    Array x;
    int64_t dim;
    Blocks b;
    if (!read(args, n, x, dim) || !x || !x.contiguous || (x.type != F32 && x.type != F64) || !b.split(x, dim))
        return not_taken();
    PyObject* out = new_array(x);
    if (!out) return nullptr;
    Unlocked gil(x.size * 16);
    if (x.type == F32) scan_log_sum(x.as<float>(), data_of<float>(out), b);
    else scan_log_sum(x.as<double>(), data_of<double>(out), b);
    return out;
}

}  // namespace weft
