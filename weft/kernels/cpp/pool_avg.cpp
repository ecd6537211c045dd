// Pooling by the mean: the rows of a window are summed lane by lane, then the columns of that sum.
#include "pool.h"

namespace weft {
namespace {
using namespace pooling;

template <class T> inline T sum_of(const T* p, int64_t n) {       // blocks of 512, then the blocks in order
    T total = 0;
    if (n < 2 * LANES<T>) {
        for (int64_t i = 0; i < n; i++) total += p[i];
        return total;
    }
    for (int64_t at = 0; at < n; at += 512) {
        const int64_t m = std::min<int64_t>(512, n - at);
        constexpr int L = LANES<T>;
        Vec<T> a{}, b{}, c{}, d{};      // four, since an addition takes four cycles
        int64_t i = 0;
        for (; i + 4 * L <= m; i += 4 * L) {
            a += load(p + at + i); b += load(p + at + i + L);
            c += load(p + at + i + 2 * L); d += load(p + at + i + 3 * L);
        }
        for (; i + L <= m; i += L) a += load(p + at + i);
        T part = sum_lanes(Vec<T>((a + b) + (c + d)));
        for (; i < m; i++) part += p[at + i];
        total += part;
    }
    return total;
}

// into[0..n) (+)= from
template <class T> inline void add_row(T* into, const T* from, int64_t n, bool fresh) {
    int64_t i = 0;
    if (fresh) { std::memcpy(into, from, size_t(n) * sizeof(T)); return; }
    for (; i + LANES<T> <= n; i += LANES<T>) store(into + i, load(into + i) + load(from + i));
    for (; i < n; i++) into[i] += from[i];
}

// The sums of the windows begin .. end of a row; all have `kernel` columns, which start at row[o * stride]
template <class T, int L, int KERNEL_W, int STRIDE_W>
inline void sum_windows(const T* row, int64_t begin, int64_t end, int64_t kernel, int64_t stride, const T* divisor,
                        T scale, T* out) {
    using V = VecOf<T, L>;
    auto some = [&](int64_t o) {
        const T* p = row + o * (STRIDE_W ? STRIDE_W : stride);
        V sum = load_apart<T, L, STRIDE_W>(p, stride, false);
        for (int64_t k = 1; k < (KERNEL_W ? KERNEL_W : kernel); k++)
            sum += load_apart<T, L, STRIDE_W>(p + k, stride, true);
        store_as(out + o, sum / (load_as<V>(divisor + o) * scale));
    };
    for (int64_t o = begin; o + L <= end; o += L) some(o);
    if ((end - begin) % L) some(end - L);
}

template <class T, int L> void choose_windows(const Axis& W, const T* row, const T* divisor, T scale, T* out) {
    if (W.kernel == 2 && W.stride == 2) sum_windows<T, L, 2, 2>(row, 0, W.out, 2, 2, divisor, scale, out);
    else if (W.kernel > 2 && W.stride == 2) sum_windows<T, L, 0, 2>(row, 0, W.out, W.kernel, 2, divisor, scale, out);
    else if (W.stride == 1) sum_windows<T, L, 0, 1>(row, 0, W.out, W.kernel, 1, divisor, scale, out);
    else sum_windows<T, L, 0, 0>(row, 0, W.out, W.kernel, W.stride, divisor, scale, out);
}

// A row of windows from the sums of their rows. `row` stands at column -pad and has zeros wherever a window reaches
// beyond the image.
template <class T> void mean_row(const Axis& W, const T* row, const T* divisor, T scale, T* out) {
    constexpr int L = LANES<T>, HALF = L / 2;
    const bool even = !W.adaptive && (W.kernel <= 8 || W.stride == 1);
    if (even && W.out >= L) return choose_windows<T, L>(W, row, divisor, scale, out);
    if constexpr (HALF >= 2)
        if (even && W.out >= HALF) return choose_windows<T, HALF>(W, row, divisor, scale, out);
    for (int64_t o = 0; o < W.out; o++)
        out[o] = sum_of(row + W.pad + W.start[o] + W.first[o], W.last[o] - W.first[o]) / (divisor[o] * scale);
}

template <class T> void fill_divisors(const Axis& W, const Divisors& by, T* divisor) {
    for (int64_t o = 0; o < W.out; o++) divisor[o] = by.fixed != 0 ? T(by.fixed) : T(by.count(W, o));
}

// 2 x 2 windows side by side: (a + b + c + d) / 4, and back
template <class T, int L> inline void means_of_twos(const T* top, const T* low, int64_t n, T share, T* out) {
    in_steps<L>(0, n, [&](int64_t o) {
        const Pair<T, L> a = load_pair<T, L>(top + 2 * o), b = load_pair<T, L>(low + 2 * o);
        store_as(out + o, ((a.even + a.odd) + (b.even + b.odd)) * share);
    });
}
template <class T, int L> inline void spread_by_twos(const T* g, int64_t n, T share, T* top, T* low) {
    in_steps<L>(0, n, [&](int64_t o) {
        const VecOf<T, L> part = load_as<VecOf<T, L>>(g + o) * share;
        store_woven<T, L>(top + 2 * o, part, part);
        store_woven<T, L>(low + 2 * o, part, part);
    });
}

// each(first input row, its result row's number) for the rows of windows, on the threads
template <class F> void rows_of_twos(const Volume& v, F&& each) {
    const Axis &H = v.axis[1], &W = v.axis[2];
    const int64_t n = v.planes * H.out, pieces = pieces_for(n, W.in);
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t r = n * piece / pieces; r < n * (piece + 1) / pieces; r++)
            each(r / H.out * v.in_size + 2 * (r % H.out) * W.in, r);
    });
}

template <class T> void mean_all(const T* x, T* out, const Volume& v, const Divisors& by) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    // one mean for each plane
    if (v.out_size == 1 && v.in_size == v.window && !D.pad && !H.pad && !W.pad && by.fixed == 0) {
        const int64_t pieces = pieces_for(v.planes, v.in_size + 16);
        run_tasks(pieces, [&](int64_t piece) {
            for (int64_t plane = v.planes * piece / pieces; plane < v.planes * (piece + 1) / pieces; plane++)
                out[plane] = sum_of(x + plane * v.in_size, v.in_size) / T(v.in_size);
        });
        return;
    }
    constexpr int L = LANES<T>, HALF = L >= 4 ? L / 2 : L;
    if (by_twos(v, HALF) && by.fixed == 0)
        return rows_of_twos(v, [&](int64_t at, int64_t r) {
            if (W.out >= L) means_of_twos<T, L>(x + at, x + at + W.in, W.out, T(0.25), out + r * W.out);
            else means_of_twos<T, HALF>(x + at, x + at + W.in, W.out, T(0.25), out + r * W.out);
        });
    const int64_t rows = D.out * H.out, n = v.planes * rows;
    const int64_t width =
        std::max(W.in + W.pad, (W.adaptive || W.out == 0 ? 0 : (W.out - 1) * W.stride + W.kernel)) + LANES<T>;
    const int64_t pieces = pieces_for(n, W.in * D.kernel * H.kernel / 2 + W.out * 2 + 16);
    Room<T, 64> divisors(W.out + LANES<T>);
    Room<T, 128> scratches(width * pieces);
    T *divisor = divisors, *scratch = scratches;
    fill_divisors<T>(W, by, divisor);
    run_tasks(pieces, [&](int64_t piece) {
        T* row = scratch + width * piece;
        std::fill(row, row + width, T(0));
        for (int64_t r = n * piece / pieces; r < n * (piece + 1) / pieces; r++) {
            const int64_t od = r % rows / H.out, oh = r % H.out;
            const T* plane = x + r / rows * v.in_size;
            const T* lone = nullptr;
            bool fresh = true;
            for (int64_t kd = D.first[od]; kd < D.last[od]; kd++)
                for (int64_t kh = H.first[oh]; kh < H.last[oh]; kh++) {
                    const T* from = plane + ((D.start[od] + kd) * H.in + H.start[oh] + kh) * W.in;
                    // perhaps the only one
                    if (fresh && !lone && !W.pad && W.inner_begin == 0 && W.inner_end == W.out && !W.adaptive)
                        lone = from;
                    else if (lone) {
                        int64_t i = 0;
                        for (; i + LANES<T> <= W.in; i += LANES<T>) store(row + i, load(lone + i) + load(from + i));
                        for (; i < W.in; i++) row[i] = lone[i] + from[i];
                        lone = nullptr;
                        fresh = false;
                    } else {
                        add_row(row + W.pad, from, W.in, fresh);
                        fresh = false;
                    }
                }
            const T scale =
                by.fixed != 0 ? T(1) : T(by.count(D, od) * by.count(H, oh));
            mean_row<T>(W, lone ? lone : row, divisor, scale, out + r * W.out);
        }
    });
}

// The transpose: each mean's gradient, divided, goes to every element of its window.
template <class T> void spread_row(const Axis& W, const T* q, T* row, int64_t width) {
    if (!W.adaptive && W.stride == 2 && W.kernel == 2 && W.out >= LANES<T>) {
        for (int64_t o = 0; o + LANES<T> <= W.out; o += LANES<T>)
            store_woven<T, LANES<T>>(row + 2 * o, load(q + o), load(q + o));
        if (W.out % LANES<T>)
            store_woven<T, LANES<T>>(row + 2 * (W.out - LANES<T>), load(q + W.out - LANES<T>),
                                     load(q + W.out - LANES<T>));
        std::fill(row + 2 * W.out, row + width, T(0));
        return;
    }
    std::fill(row, row + width, T(0));
    if (!W.adaptive && W.stride == 1)
        for (int64_t k = 0; k < W.kernel; k++) add_row(row + k, q, W.out, false);
    else
        for (int64_t o = 0; o < W.out; o++) {
            T* to = row + W.pad + W.start[o] + W.first[o];
            for (int64_t k = 0, m = W.last[o] - W.first[o]; k < m; k++) to[k] += q[o];
        }
}

template <class T> void spread_means(const T* g, T* into, const Volume& v, const Divisors& by) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    if (v.out_size == 1 && v.in_size == v.window && !D.pad && !H.pad && !W.pad && by.fixed == 0) {
        const int64_t pieces = pieces_for(v.planes, v.in_size + 16);
        run_tasks(pieces, [&](int64_t piece) {
            for (int64_t plane = v.planes * piece / pieces; plane < v.planes * (piece + 1) / pieces; plane++)
                std::fill(into + plane * v.in_size, into + (plane + 1) * v.in_size, g[plane] / T(v.in_size));
        });
        return;
    }
    constexpr int L = LANES<T>, HALF = L >= 4 ? L / 2 : L;
    if (by_twos(v, HALF) && by.fixed == 0)
        return rows_of_twos(v, [&](int64_t at, int64_t r) {
            T *top = into + at, *low = top + W.in;
            if (W.out >= L) spread_by_twos<T, L>(g + r * W.out, W.out, T(0.25), top, low);
            else spread_by_twos<T, HALF>(g + r * W.out, W.out, T(0.25), top, low);
            std::fill(top + 2 * W.out, top + W.in, T(0));
            std::fill(low + 2 * W.out, low + W.in, T(0));
            if (r % H.out == H.out - 1) std::fill(low + W.in, into + (r / H.out + 1) * v.in_size, T(0));
        });
    const int64_t width =
        std::max(W.in + W.pad, (W.adaptive || W.out == 0 ? 0 : (W.out - 1) * W.stride + W.kernel)) + LANES<T>;
    const int64_t pieces = pieces_for(v.planes, v.in_size + D.out * H.out * (W.in * 2 + 16));
    Room<T, 64> divisors(W.out + LANES<T>);
    Room<T, 256> scratches((width + W.out) * pieces);
    T *divisor = divisors, *scratch = scratches;
    fill_divisors<T>(W, by, divisor);
    const bool apart = !D.adaptive && D.kernel <= D.stride && H.kernel <= H.stride;     // no row belongs to two windows
    run_tasks(pieces, [&](int64_t piece) {
        T *row = scratch + (width + W.out) * piece, *q = row + width;
        for (int64_t p = v.planes * piece / pieces; p < v.planes * (piece + 1) / pieces; p++) {
            T* plane = into + p * v.in_size;
            int64_t done = 0;       // with `apart` and one layer: rows below are written
            const bool layered = apart && D.in == 1;
            if (!layered) std::fill(plane, plane + v.in_size, T(0));
            const T* grad = g + p * v.out_size;
            for (int64_t od = 0; od < D.out; od++)
                for (int64_t oh = 0; oh < H.out; oh++, grad += W.out) {
                    const T scale =
                        by.fixed != 0 ? T(1) : T(by.count(D, od) * by.count(H, oh));
                    for (int64_t o = 0; o < W.out; o++) q[o] = grad[o] / (divisor[o] * scale);
                    spread_row(W, q, row, width);
                    for (int64_t kd = D.first[od]; kd < D.last[od]; kd++)
                        for (int64_t kh = H.first[oh]; kh < H.last[oh]; kh++) {
                            const int64_t h = H.start[oh] + kh;
                            if (layered) {
                                std::fill(plane + done * W.in, plane + h * W.in, T(0));
                                done = h + 1;
                            }
                            add_row(plane + ((D.start[od] + kd) * H.in + h) * W.in, row + W.pad, W.in, layered);
                        }
                }
            if (layered) std::fill(plane + done * W.in, plane + v.in_size, T(0));
        }
    });
}


}  // namespace

// avg_pool(x, dims, out, kernel, stride, padding, adaptive, count_include_pad, divisor_override or 0)
KERNEL(avg_pool) {
    Array x;
    int64_t dims;
    bool adaptive, with_padding;
    double fixed;
    Ints out, kernel, stride, pad;
    if (!read(args, n, x, dims, out, kernel, stride, pad, adaptive, with_padding, fixed) || dims < 1 || dims > 3)
        return not_taken();
    Volume v;
    const Divisors by{with_padding, fixed};
    if ((x.type != F32 && x.type != F64) || !x.contiguous ||
        !read_volume(x, dims, out, kernel, stride, pad, ones(dims), adaptive, v))
        return not_taken();
    Room<int64_t, 192> tables(table_size(v));
    if (!fill_tables(v, tables)) return not_taken();
    PyObject* made = new_array(v.out_dims, v.out_shape, x.type);
    if (!made) return nullptr;
    Unlocked gil(v.planes * v.in_size);
    if (x.type == F32) mean_all<float>(x.as<float>(), data_of<float>(made), v, by);
    else mean_all<double>(x.as<double>(), data_of<double>(made), v, by);
    return made;
}

// avg_pool_spread(g, shape of x, dims, kernel, stride, padding, adaptive, count_include_pad, divisor_override or 0)
KERNEL(avg_pool_spread) {
    Array g;
    int64_t dims;
    bool adaptive, with_padding;
    double fixed;
    Ints shape, kernel, stride, pad, out;
    if (!read(args, n, g, shape, dims, kernel, stride, pad, adaptive, with_padding, fixed)) return not_taken();
    Array x;
    Volume v;
    const Divisors by{with_padding, fixed};
    if (!read_pooled(g, shape, dims, 0, x, out) ||
        !read_volume(x, dims, out, kernel, stride, pad, ones(dims), adaptive, v))
        return not_taken();
    Room<int64_t, 192> tables(table_size(v));
    if (!fill_tables(v, tables)) return not_taken();
    PyObject* into = new_array(x.nd, x.shape, g.type);
    if (!into) return nullptr;
    Unlocked gil(v.planes * v.in_size);
    if (g.type == F32) spread_means<float>(g.as<float>(), data_of<float>(into), v, by);
    else spread_means<double>(g.as<double>(), data_of<double>(into), v, by);
    return into;
}

}  // namespace weft
