// Pooling by the greatest element. Of equal elements the first is picked, of several NaN the last, as PyTorch does.
#include "pool.h"

namespace weft {
namespace {
using namespace pooling;

// The rows that a row of windows looks at: place k of a window is (row number) * kernel + column
struct Rows { int64_t d0, d1, h0, h1, at; };

// One window, for those at the borders
template <class T, class PICK>
void one_window(const T* plane, const Volume& v, const Rows& rows, int64_t ow, T* values, PICK* picks) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    const int64_t first = W.first[ow], last = W.last[ow];
    T best = -std::numeric_limits<T>::infinity();
    int64_t place = (rows.d0 * H.kernel + rows.h0) * W.kernel + first;
    for (int64_t kd = rows.d0; kd < rows.d1; kd++)
        for (int64_t kh = rows.h0; kh < rows.h1; kh++) {
            const T* row = plane + rows.at + (kd * D.dilation * H.in + kh * H.dilation) * W.in + W.start[ow];
            for (int64_t kw = first; kw < last; kw++) {
                const T x = row[kw * W.dilation];
                const bool greater = x > best || x != x;
                best = greater ? x : best;
                place = greater ? (kd * H.kernel + kh) * W.kernel + kw : place;
            }
        }
    values[ow] = best;
    if constexpr (!std::is_void_v<PICK>) picks[ow] = PICK(place);
}

// The windows ow .. ow + L - 1 of a row, all wholly inside along W. PICK is what the places are kept as, or void.
template <class T, int L, int KERNEL_W, int STRIDE_W, class PICK>
inline void some_windows(const T* plane, const Volume& v, const Rows rows, int64_t ow, T* values, PICK* picks) {
    using V = VecOf<T, L>;
    using M = MaskOf<T, L>;
    using Whole = typename Short<T, L>::Whole;
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    const int64_t kernel = KERNEL_W ? KERNEL_W : W.kernel, stride = STRIDE_W ? STRIDE_W : W.stride,
                  gap = KERNEL_W ? 1 : W.dilation;
    const T* corner = plane + rows.at + ow * stride - W.pad;
    V best = all_of<V>(-std::numeric_limits<T>::infinity());
    M place = all_of<M>(Whole((rows.d0 * H.kernel + rows.h0) * kernel));
    for (int64_t kd = rows.d0; kd < rows.d1; kd++)
        for (int64_t kh = rows.h0; kh < rows.h1; kh++) {
            const T* row = corner + (kd * D.dilation * H.in + kh * H.dilation) * W.in;
            const Whole k = Whole((kd * H.kernel + kh) * kernel);
            for (int64_t kw = 0; kw < kernel; kw++) {
                const V x = load_apart<T, L, STRIDE_W>(row + kw * gap, stride, kw > 0);
                const M greater = (x > best) | (x != x);
                best = greater ? x : best;
                if constexpr (!std::is_void_v<PICK>) place = greater ? all_of<M>(Whole(k + kw)) : place;
            }
        }
    store_as(values + ow, best);
    if constexpr (!std::is_void_v<PICK>) store_as(picks + ow, narrow<PICK, L>(place));
}

template <class T, int KERNEL_W, int STRIDE_W, class PICK>
void inner_windows(const T* plane, const Volume& v, const Rows& rows, int64_t begin, int64_t end, T* values,
                   PICK* picks) {
    constexpr int L = LANES<T>, HALF = L / 2;
    if (end - begin >= L)
        in_steps<L>(begin, end,
                    [&](int64_t o) { some_windows<T, L, KERNEL_W, STRIDE_W, PICK>(plane, v, rows, o, values, picks); });
    else if constexpr (HALF >= 2)
        in_steps<HALF>(begin, end, [&](int64_t o) {
            some_windows<T, HALF, KERNEL_W, STRIDE_W, PICK>(plane, v, rows, o, values, picks);
        });
}

// Windows of unequal or large sizes: first the greatest of every column, with its row, then the greatest of each
// window's columns. In reading order the first of equal elements is the one in the lowest row, and the last NaN the one
// in the highest.
template <class T, class PICK>
void by_columns(const T* plane, const Volume& v, const Rows& rows, T* values, PICK* picks, T* tops, int32_t* tallest) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    bool fresh = true;
    for (int64_t kd = rows.d0; kd < rows.d1; kd++)
        for (int64_t kh = rows.h0; kh < rows.h1; kh++) {
            const T* row = plane + rows.at + (kd * D.dilation * H.in + kh * H.dilation) * W.in;
            const int32_t number = int32_t(kd * H.kernel + kh);
            if (fresh) {
                std::memcpy(tops, row, size_t(W.in) * sizeof(T));
                std::fill(tallest, tallest + W.in, number);
                fresh = false;
                continue;
            }
            for (int64_t w = 0; w < W.in; w++) {        // the compiler makes vectors of this
                const bool greater = (row[w] > tops[w]) | (row[w] != row[w]);
                tops[w] = greater ? row[w] : tops[w];
                tallest[w] = greater ? number : tallest[w];
            }
        }
    for (int64_t ow = 0; ow < W.out; ow++) {
        const int64_t at = W.start[ow];
        int64_t k = W.first[ow];
        T best = tops[at + k * W.dilation];
        int64_t row = tallest[at + k * W.dilation], column = k;
        for (k++; k < W.last[ow]; k++) {
            const T x = tops[at + k * W.dilation];
            const int64_t r = tallest[at + k * W.dilation];
            const bool take = x != x ? best == best || r >= row : x > best || (x == best && r < row);
            best = take ? x : best;
            row = take ? r : row;
            column = take ? k : column;
        }
        values[ow] = best;
        if constexpr (!std::is_void_v<PICK>) picks[ow] = PICK(row * W.kernel + column);
    }
}

template <class T, class PICK>
void max_row(const T* plane, const Volume& v, int64_t od, int64_t oh, T* values, PICK* picks, T* tops,
             int32_t* tallest) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    const Rows rows{D.first[od], D.last[od], H.first[oh], H.last[oh], (D.start[od] * H.in + H.start[oh]) * W.in};
    if (tops) return by_columns<T, PICK>(plane, v, rows, values, picks, tops, tallest);
    const int64_t begin = W.inner_begin, end = W.inner_end;
    for (int64_t ow = 0; ow < begin; ow++) one_window<T, PICK>(plane, v, rows, ow, values, picks);
    const bool close = W.dilation == 1;
    if (close && W.kernel == 2 && W.stride == 2)
        inner_windows<T, 2, 2, PICK>(plane, v, rows, begin, end, values, picks);
    else if (close && W.kernel == 3 && W.stride == 2)
        inner_windows<T, 3, 2, PICK>(plane, v, rows, begin, end, values, picks);
    else if (close && W.kernel == 3 && W.stride == 1)
        inner_windows<T, 3, 1, PICK>(plane, v, rows, begin, end, values, picks);
    else if (W.stride == 1) inner_windows<T, 0, 1, PICK>(plane, v, rows, begin, end, values, picks);
    else inner_windows<T, 0, 0, PICK>(plane, v, rows, begin, end, values, picks);
    for (int64_t ow = end; ow < W.out; ow++) one_window<T, PICK>(plane, v, rows, ow, values, picks);
}

// Windows of 2 x 2 (TALL), or of 1 x 2 in a signal
template <class T, int L, bool TALL, bool PICKED>
inline void row_of_twos(const T* top, int64_t width, int64_t n, T* values, uint8_t* picks) {
    using V = VecOf<T, L>;
    using M = MaskOf<T, L>;
    in_steps<L>(0, n, [&](int64_t o) {
        const Pair<T, L> a = load_pair<T, L>(top + 2 * o);
        V best = a.even;
        M greater = (a.odd > best) | (a.odd != a.odd), place = greater & 1;
        best = greater ? a.odd : best;
        if constexpr (TALL) {
            const Pair<T, L> b = load_pair<T, L>(top + width + 2 * o);
            greater = (b.even > best) | (b.even != b.even);
            best = greater ? b.even : best;
            place = greater ? M{} + 2 : place;
            greater = (b.odd > best) | (b.odd != b.odd);
            best = greater ? b.odd : best;
            place = greater ? M{} + 3 : place;
        }
        store_as(values + o, best);
        if constexpr (PICKED) store_as(picks + o, narrow<uint8_t, L>(place));
    });
}

template <class T, bool TALL> void max_of_twos(const T* x, T* values, uint8_t* picks, const Volume& v) {
    constexpr int L = LANES<T>, HALF = L >= 4 ? L / 2 : L;
    const Axis &H = v.axis[1], &W = v.axis[2];
    const int64_t n = v.planes * H.out, pieces = pieces_for(n, W.in);
    run_tasks(pieces, [&](int64_t piece) {
        const int64_t end = n * (piece + 1) / pieces;
        int64_t r = n * piece / pieces, plane = r / H.out, oh = r % H.out;
        for (; r < end; r++) {
            const T* top = x + plane * v.in_size + 2 * oh * W.in;
            T* to = values + r * W.out;
            uint8_t* pick = picks ? picks + r * W.out : nullptr;
            if (W.out >= L)
                picks ? row_of_twos<T, L, TALL, true>(top, W.in, W.out, to, pick)
                      : row_of_twos<T, L, TALL, false>(top, W.in, W.out, to, pick);
            else
                picks ? row_of_twos<T, HALF, TALL, true>(top, W.in, W.out, to, pick)
                      : row_of_twos<T, HALF, TALL, false>(top, W.in, W.out, to, pick);
            if (++oh == H.out) { oh = 0; plane++; }
        }
    });
}

template <class T> void max_all(const T* x, T* values, uint8_t* picks, int64_t* indices, const Volume& v) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    if (!indices && by_twos(v, std::max(LANES<T> / 2, 2))) return max_of_twos<T, true>(x, values, picks, v);
    if (!indices && by_twos(v, std::max(LANES<T> / 2, 2), false)) return max_of_twos<T, false>(x, values, picks, v);
    const int64_t rows = D.out * H.out, n = v.planes * rows;
    const int64_t pieces = pieces_for(n, W.out * v.window / 2 + 8);
    const bool columns = W.adaptive || W.kernel > 16 || W.inner_end - W.inner_begin < std::max(LANES<T> / 2, 2);
    const int64_t room = (indices ? W.out + 16 : 0) + (columns ? W.in : 0);
    const bool table = indices && v.window <= 4096;
    Room<int32_t, 256> scratch(pieces * room);
    Room<T, 256> column_scratch(columns ? pieces * W.in : 0);
    Room<int64_t, 64> shifts(table ? v.window : 0);
    int32_t* places = scratch;
    T* column_tops = column_scratch;
    int64_t* shift = shifts;
    for (int64_t k = 0; table && k < v.window; k++) shift[k] = shift_of(v, k);
    run_tasks(pieces, [&](int64_t piece) {
        int32_t *tallest = places + piece * room, *place = tallest + (columns ? W.in : 0);
        T* tops = columns ? column_tops + piece * W.in : nullptr;
        for (int64_t r = n * piece / pieces; r < n * (piece + 1) / pieces; r++) {
            const int64_t plane = r / rows, od = r % rows / H.out, oh = r % H.out;
            const T* from = x + plane * v.in_size;
            T* to = values + r * W.out;
            if (picks) max_row<T, uint8_t>(from, v, od, oh, to, picks + r * W.out, tops, tallest);
            else if (indices) {
                max_row<T, int32_t>(from, v, od, oh, to, place, tops, tallest);
                const int64_t base = (D.start[od] * H.in + H.start[oh]) * W.in;
                int64_t* index = indices + r * W.out;
                if (table) for (int64_t ow = 0; ow < W.out; ow++) index[ow] = base + W.start[ow] + shift[place[ow]];
                else for (int64_t ow = 0; ow < W.out; ow++) index[ow] = base + W.start[ow] + shift_of(v, place[ow]);
            } else max_row<T, void>(from, v, od, oh, to, nullptr, tops, tallest);
        }
    });
}

// The gradient goes to the picked places. Windows of 2 x 2 that touch nowhere need neither zeros nor sums.
template <class T> bool spread_by_twos(const T* g, const uint8_t* picks, T* into, const Volume& v) {
    const Axis &H = v.axis[1], &W = v.axis[2];
    if (!by_twos(v, std::max(LANES<T> / 2, 2))) return false;
    constexpr int L = LANES<T>, HALF = L >= 4 ? L / 2 : L;
    const int64_t rows = H.out, n = v.planes * rows, pieces = pieces_for(n, W.in * 2);
    auto some = [&]<int N>(std::integral_constant<int, N>, const T* grad, const uint8_t* pick, T* top, T* low,
                           int64_t ow) {
        using V = VecOf<T, N>;
        using M = MaskOf<T, N>;
        using P = Pack<uint8_t, N>;
        const V x = load_as<V>(grad + ow), zero{};
        const M place = __builtin_convertvector(load_as<P>(pick + ow), M);
        store_woven<T, N>(top + 2 * ow, place == 0 ? x : zero, place == 1 ? x : zero);
        store_woven<T, N>(low + 2 * ow, place == 2 ? x : zero, place == 3 ? x : zero);
    };
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t r = n * piece / pieces; r < n * (piece + 1) / pieces; r++) {
            const int64_t plane = r / rows, oh = r % rows;
            T* top = into + plane * v.in_size + 2 * oh * W.in;
            T* low = top + W.in;
            const T* grad = g + r * W.out;
            const uint8_t* pick = picks + r * W.out;
            if (W.out >= L)
                in_steps<L>(0, W.out,
                            [&](int64_t o) { some(std::integral_constant<int, L>(), grad, pick, top, low, o); });
            else
                in_steps<HALF>(0, W.out,
                               [&](int64_t o) { some(std::integral_constant<int, HALF>(), grad, pick, top, low, o); });
            std::fill(top + 2 * W.out, top + W.in, T(0));
            std::fill(low + 2 * W.out, low + W.in, T(0));
            if (oh == rows - 1) std::fill(low + W.in, into + (plane + 1) * v.in_size, T(0));
        }
    });
    return true;
}

template <class T> void spread_picks(const T* g, const uint8_t* picks, T* into, const Volume& v) {
    if (spread_by_twos(g, picks, into, v)) return;
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    int64_t shift[256] = {};
    for (int64_t k = 0; k < v.window; k++) shift[k] = shift_of(v, k);
    const int64_t pieces = pieces_for(v.planes, v.in_size + 3 * v.out_size);
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t plane = v.planes * piece / pieces; plane < v.planes * (piece + 1) / pieces; plane++) {
            T* to = into + plane * v.in_size;
            std::fill(to, to + v.in_size, T(0));
            const T* grad = g + plane * v.out_size;
            const uint8_t* pick = picks + plane * v.out_size;
            for (int64_t od = 0; od < D.out; od++)
                for (int64_t oh = 0; oh < H.out; oh++, grad += W.out, pick += W.out) {
                    const int64_t base = (D.start[od] * H.in + H.start[oh]) * W.in - W.pad;
                    for (int64_t ow = 0; ow < W.out; ow++) {
                        const int64_t at = base + ow * W.stride + shift[pick[ow]];
                        if (uint64_t(at) < uint64_t(v.in_size)) to[at] += grad[ow];
                    }
                }
        }
    });
}

}  // namespace

// max_pool(x, dims, out, kernel, stride, padding, dilation, adaptive, want): values; or (values, picks) with the places
// in the windows as bytes (want 1); or (values, indices) with the places in the planes (want 2).
KERNEL(max_pool) {
    Array x;
    int64_t dims, want;
    bool adaptive;
    Ints out, kernel, stride, pad, dilation;
    if (!read(args, n, x, dims, out, kernel, stride, pad, dilation, adaptive, want)) return not_taken();
    Volume v;
    if ((x.type != F32 && x.type != F64) || !x.contiguous ||
        !read_volume(x, dims, out, kernel, stride, pad, dilation, adaptive, v))
        return not_taken();
    if (!count_places(v, adaptive, want)) return not_taken();
    Room<int64_t, 192> tables(table_size(v));
    if (!fill_tables(v, tables)) return not_taken();
    Maxima to;
    if (!to.make(v, x.type, want)) return nullptr;
    {
        Unlocked gil(v.planes * v.out_size * std::min<int64_t>(v.window, 16));
        if (x.type == F32) max_all<float>(x.as<float>(), data_of<float>(to.values), to.picks, to.indices, v);
        else max_all<double>(x.as<double>(), data_of<double>(to.values), to.picks, to.indices, v);
    }
    return want == VALUES ? to.values : results({to.values, to.places});
}

// max_pool_spread(g, picks, shape of x, dims, kernel, stride, padding, dilation): each gradient at the place that was
// picked
KERNEL(max_pool_spread) {
    Array g, picks;
    int64_t dims;
    Ints shape, kernel, stride, pad, dilation;
    if (!read(args, n, g, picks, shape, dims, kernel, stride, pad, dilation)) return not_taken();
    Array x;
    Ints out;
    Volume v;
    if (!read_pooled(g, shape, dims, 0, x, out) || !are_picks(picks, g) ||
        !read_volume(x, dims, out, kernel, stride, pad, dilation, false, v) || v.window > 256)
        return not_taken();
    Room<int64_t, 192> tables(table_size(v));
    if (!fill_tables(v, tables)) return not_taken();
    PyObject* into = new_array(x.nd, x.shape, g.type);
    if (!into) return nullptr;
    Unlocked gil(v.planes * v.in_size);
    if (g.type == F32) spread_picks<float>(g.as<float>(), picks.as<uint8_t>(), data_of<float>(into), v);
    else spread_picks<double>(g.as<double>(), picks.as<uint8_t>(), data_of<double>(into), v);
    return into;
}

}  // namespace weft
