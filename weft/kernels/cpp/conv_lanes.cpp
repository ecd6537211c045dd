// Depthwise convolutions with channels in the lanes. A piece of some target rows of a block of channels is worked on at
// a time: its source is copied to a strip [row][column][lane], zeros beside it; rows outside are never read.
#include "conv_lanes.h"

#include <atomic>

#include "conv_pieces.h"
#include "conv_transpose.h"

namespace weft {
namespace {

constexpr int64_t STRIP_BYTES = 160 << 10;              // wanted of a piece; twice the first cache and more is no loss
constexpr int64_t STRIP_MOST = int64_t(1) << 24;        // beyond this the other kernels do it
constexpr int64_t RUN = 512;                            // products that are summed in T before they go to a double

struct Span {
    int64_t from, to;
    int64_t size() const { return std::max<int64_t>(0, to - from); }
};

// the taps that reach the source from target o; offsets rise or fall throughout, so that they are neighbours
Span reaching(const Axis& a, int64_t o) {
    Span s{0, a.taps()};
    const auto outside = [&](int64_t t) {
        const int64_t at = o * a.stride + a.offset[size_t(t)];
        return at < 0 || at >= a.source;
    };
    while (s.from < s.to && outside(s.from)) s.from++;
    while (s.from < s.to && outside(s.to - 1)) s.to--;
    return s;
}

// without the taps that never reach the source, so that the offsets left are no greater than the sizes
Axis pruned(Axis a) {
    Axis kept = a;
    kept.index.clear();
    kept.offset.clear();
    for (size_t t = 0; t < a.offset.size(); t++) {
        const int64_t low = a.offset[t], high = low + (a.count - 1) * a.stride;
        // some o with 0 <= o * stride + low < source: the first that isn't negative
        const int64_t first = low >= 0 ? low : low + (-low + a.stride - 1) / a.stride * a.stride;
        if (a.count > 0 && first <= high && first < a.source) {
            kept.index.push_back(a.index[t]);
            kept.offset.push_back(low);
        }
    }
    kept.set_range();
    return kept;
}

// the o of an axis whose targets lie in the span
Span within(const Axis& a, Span targets) {
    const auto first = [&](int64_t t) { return t <= a.first ? 0 : (t - a.first + a.step - 1) / a.step; };
    return {std::min(first(targets.from), a.count), std::min(first(targets.to), a.count)};
}

// what of the source the targets of the span read, by all phases; `inside` leaves out what is not there
Span read_by(const std::vector<Axis>& phases, Span targets, bool inside) {
    Span s{INT64_MAX, INT64_MIN};
    for (const Axis& a : phases) {
        const Span o = within(a, targets);
        if (!o.size() || !a.taps()) continue;
        s.from = std::min(s.from, o.from * a.stride + a.low);
        s.to = std::max(s.to, (o.to - 1) * a.stride + a.high + 1);
    }
    if (s.from > s.to) return {0, 0};
    if (inside) s = {std::clamp<int64_t>(s.from, 0, phases[0].source), std::clamp<int64_t>(s.to, 0, phases[0].source)};
    return s;
}

template <class T> struct Lanes {
    static constexpr int64_t L = LANES<T>;
    const LaneJob<T>& job;
    int64_t blocks, taps, down, across, rows_each, columns_each;    // pieces: down x across of rows_each x columns_each
    int64_t strip_size = 0, out_size = 0;                           // of the largest piece

    explicit Lanes(const LaneJob<T>& job)
        : job(job), blocks((job.channels + L - 1) / L), taps(job.kernel[0] * job.kernel[1]) {
        const int64_t height = job.target.height, width = job.target.width;
        rows_each = std::max<int64_t>(1, height);
        columns_each = std::max<int64_t>(1, width);
        while (bytes() > STRIP_BYTES && rows_each > 1) rows_each = (rows_each + 1) / 2;
        while (bytes() > STRIP_BYTES && columns_each > 32) columns_each = (columns_each + 1) / 2;
        down = (height + rows_each - 1) / rows_each;
        across = (width + columns_each - 1) / columns_each;
        for (int64_t p = 0; p < down * across; p++) {
            strip_size = std::max(strip_size, read_by(job.rows, rows(p), true).size() *
                                                  read_by(job.columns, columns(p), false).size() * L);
            out_size = std::max(out_size, rows(p).size() * columns(p).size() * L);
        }
    }
    bool fits() const { return (strip_size + out_size) * int64_t(sizeof(T)) <= STRIP_MOST; }
    int64_t bytes() const {         // of a piece in the middle, about
        const Span y = read_by(job.rows, {0, rows_each}, false), x = read_by(job.columns, {0, columns_each}, false);
        return (std::min(y.size(), job.source.height) * x.size() + rows_each * columns_each) * L * int64_t(sizeof(T));
    }
    Span rows(int64_t piece) const {
        const int64_t from = piece / across * rows_each;
        return {from, std::min(from + rows_each, job.target.height)};
    }
    Span columns(int64_t piece) const {
        const int64_t from = piece % across * columns_each;
        return {from, std::min(from + columns_each, job.target.width)};
    }
    int64_t lanes_in(int64_t block) const { return std::min(L, job.channels - block * L); }

    // The source's rows y and columns x (these may lie outside: zeros) of a block of channels: to[row][column][lane]
    template <class Any>
    void load_strip(const Images<Any>& from, int64_t image, int64_t block, Span y, Span x, T* to) const {
        const int64_t width = x.size(), lanes = lanes_in(block);
        const Span in{std::clamp<int64_t>(x.from, 0, from.width), std::clamp<int64_t>(x.to, 0, from.width)};
        const int64_t before = in.from - x.from, columns = in.size();
        const T* base = from.data + image * from.image + block * L * from.channel + in.from * from.column;
        if (columns < width || lanes < L) std::memset(to, 0, size_t(y.size() * width * L) * sizeof(T));
        if (!columns) return;
        if (from.channel == 1) {
            for (int64_t r = y.from; r < y.to; r++, to += width * L)
                for (int64_t c = 0; c < columns; c++) {
                    const T* at = base + r * from.row + c * from.column;
                    if (lanes == L) store(to + (before + c) * L, load(at));
                    else for (int64_t i = 0; i < lanes; i++) to[(before + c) * L + i] = at[i];
                }
            return;
        }
        // whole rows lie side by side in a plane: so they are one run of positions
        const bool whole = columns == from.row;
        for (int64_t r = y.from; r < y.to; r += whole ? y.size() : 1)
            turn_in(base + r * from.row, from.channel, lanes, whole ? columns * y.size() : columns, columns,
                    (width - columns) * L, to + (r - y.from) * width * L + before * L);
    }

    // positions of `lanes` planes turned to vectors; after each `line` of them `gap` elements are left out
    static void turn_in(const T* from, int64_t step, int64_t lanes, int64_t positions, int64_t line, int64_t gap,
                        T* to) {
        int64_t p = 0, left = line;
        Vec<T> v[L];
        const auto put = [&](int64_t count) {
            for (int64_t i = 0; i < count; i++) {
                store(to, v[i]);
                to += L;
                if (--left == 0) { left = line; to += gap; }
            }
        };
        if (lanes == L)
            for (; p + L <= positions; p += L) {
#pragma GCC unroll 16
                for (int i = 0; i < L; i++) v[i] = load(from + i * step + p);
                transpose_block<T>(v);
                put(L);
            }
        T some[L * L] = {};
        for (; p < positions; p += L) {
            const int64_t count = std::min(L, positions - p);
            transpose(from + p, lanes, count, step, some, L);
            for (int64_t i = 0; i < count; i++) v[i] = load(some + i * L);
            put(count);
        }
    }

    // a piece's results [position][lane] to the target's planes, or beside the other channels
    void unload(const T* from, int64_t image, int64_t block, Span y, Span x) const {
        const Images<T>& to = job.target;
        const int64_t lanes = lanes_in(block);
        T* base = to.data + image * to.image + block * L * to.channel + x.from * to.column;
        if (to.channel == 1) {
            for (int64_t r = y.from; r < y.to; r++)
                for (int64_t c = 0; c < x.size(); c++, from += L) {
                    T* at = base + r * to.row + c * to.column;
                    if (lanes == L) store(at, load(from));
                    else for (int64_t i = 0; i < lanes; i++) at[i] = from[i];
                }
            return;
        }
        const bool whole = x.size() == to.row;
        for (int64_t r = y.from; r < y.to; r += whole ? y.size() : 1) {
            const int64_t positions = whole ? x.size() * y.size() : x.size();
            turn_out(from, lanes, positions, base + r * to.row, to.channel);
            from += positions * L;
        }
    }

    static void turn_out(const T* from, int64_t lanes, int64_t positions, T* to, int64_t step) {
        int64_t p = 0;
        if (lanes == L)
            for (; p + L <= positions; p += L) {
                Vec<T> v[L];
#pragma GCC unroll 16
                for (int i = 0; i < L; i++) v[i] = load(from + (p + i) * L);
                transpose_block<T>(v);
#pragma GCC unroll 16
                for (int i = 0; i < L; i++) store(to + i * step + p, v[i]);
            }
        transpose(from + p * L, positions - p, lanes, L, to + p, step);
    }

    // Q neighbours of a row: bias + the sum over some rows and columns of taps
    struct Taps {
        int64_t rows, columns;
        const int64_t *row, *column, *weight_row, *weight_column;       // offsets in the strip and in the weight
    };
    template <int Q>
    static void neighbours(const T* base, int64_t step, const Taps& taps, const T* weight, Vec<T> bias, T* to,
                           int64_t to_step) {
        Vec<T> sum[Q];
#pragma GCC unroll 8
        for (int q = 0; q < Q; q++) sum[q] = bias;
        for (int64_t h = 0; h < taps.rows; h++) {
            const T *line = base + taps.row[h], *weights = weight + taps.weight_row[h];
            for (int64_t w = 0; w < taps.columns; w++) {
                const T* at = line + taps.column[w];
                const Vec<T> factor = load(weights + taps.weight_column[w]);
#pragma GCC unroll 8
                for (int q = 0; q < Q; q++) sum[q] += factor * load(at + q * step);
            }
        }
#pragma GCC unroll 8
        for (int q = 0; q < Q; q++) store(to + q * to_step, sum[q]);
    }

    static void any_neighbours(int64_t count, const T* base, int64_t step, const Taps& taps, const T* weight,
                               Vec<T> bias, T* to, int64_t to_step) {
        switch (count) {
            case 1: return neighbours<1>(base, step, taps, weight, bias, to, to_step);
            case 2: return neighbours<2>(base, step, taps, weight, bias, to, to_step);
            case 3: return neighbours<3>(base, step, taps, weight, bias, to, to_step);
            case 4: return neighbours<4>(base, step, taps, weight, bias, to, to_step);
            case 5: return neighbours<5>(base, step, taps, weight, bias, to, to_step);
            case 6: return neighbours<6>(base, step, taps, weight, bias, to, to_step);
            case 7: return neighbours<7>(base, step, taps, weight, bias, to, to_step);
            default: return neighbours<8>(base, step, taps, weight, bias, to, to_step);
        }
    }

    struct Offsets { std::vector<int64_t> row, column, weight_row, weight_column; };

    // of the taps of two axes, rows in the strip counted from its first one
    static void offsets(const Axis& y, const Axis& x, int64_t kernel_width, int64_t strip_width, Offsets& to) {
        to = {};
        for (size_t h = 0; h < y.offset.size(); h++) {
            to.row.push_back(y.offset[h] * strip_width * L);
            to.weight_row.push_back(y.index[h] * kernel_width * L);
        }
        for (size_t w = 0; w < x.offset.size(); w++) {
            to.column.push_back(x.offset[w] * L);
            to.weight_column.push_back(x.index[w] * L);
        }
    }

    // one piece of one block of one image; packed: weights [tap][lane] and the bias of the block
    void run(int64_t image, int64_t block, int64_t piece, const T* packed, T* strip, T* out, Offsets& table) const {
        const Span ty = rows(piece), tx = columns(piece);
        const Span sy = read_by(job.rows, ty, true), sx = read_by(job.columns, tx, false);
        load_strip(job.source, image, block, sy, sx, strip);
        const Vec<T> bias = load(packed + taps * L);
        // whole vectors of images whose channels lie innermost go straight to their place
        const Images<T>& target = job.target;
        const bool straight = target.channel == 1 && lanes_in(block) == L;
        T* const first = straight ? target.data + image * target.image + block * L + ty.from * target.row +
                                        tx.from * target.column
                                  : out;
        const int64_t to_row = straight ? target.row : tx.size() * L, to_column = straight ? target.column : L;
        for (const Axis& y : job.rows)
            for (const Axis& x : job.columns) {
                offsets(y, x, job.kernel[1], sx.size(), table);
                const Span oy = within(y, ty), ox = within(x, tx);
                const int64_t parts = (ox.size() + 7) / 8;
                for (int64_t r = oy.from; r < oy.to; r++) {
                    const Span reach = reaching(y, r);
                    const Taps these{reach.size(), x.taps(), table.row.data() + reach.from, table.column.data(),
                                     table.weight_row.data() + reach.from, table.weight_column.data()};
                    const int64_t line = (r * y.stride - sy.from) * sx.size() - sx.from;
                    T* to = first + (y.first + r * y.step - ty.from) * to_row + (x.first - tx.from) * to_column;
                    for (int64_t p = 0; p < parts; p++) {
                        const int64_t c = ox.from + ox.size() * p / parts, end = ox.from + ox.size() * (p + 1) / parts;
                        any_neighbours(end - c, strip + (line + c * x.stride) * L, x.stride * L, these, packed, bias,
                                       to + c * x.step * to_column, x.step * to_column);
                    }
                }
            }
        if (!straight) unload(out, image, block, ty, tx);
    }

    void pack(int64_t block, T* to) const {
        const int64_t lanes = lanes_in(block);
        std::memset(to, 0, size_t((taps + 1) * L) * sizeof(T));
        transpose(job.weight + block * L * taps, lanes, taps, taps, to, L);
        if (job.bias) for (int64_t i = 0; i < lanes; i++) to[taps * L + i] = job.bias[block * L + i];
    }

    // V neighbouring taps of a kernel's row: sum[v] += gradient times the source, over some rows; for a few taps
    // two sums each, so that none waits for itself
    template <int V>
    static void weigh_row(const T* base, int64_t base_row, int64_t base_step, const int64_t* offset, const T* g,
                          int64_t g_row, int64_t rows, int64_t columns, double* sum) {
        constexpr int PARTS = V <= 3 ? 2 : 1;
        Vec<T> part[PARTS][V] = {};
        int64_t at[V];
        for (int v = 0; v < V; v++) at[v] = offset[v];
        for (int64_t r = 0; r < rows; r++) {
            const T *from = base + r * base_row, *gradient = g + r * g_row;
            int64_t c = 0;
            for (; c + PARTS <= columns; c += PARTS)
#pragma GCC unroll 2
                for (int p = 0; p < PARTS; p++) {
                    const Vec<T> gc = load(gradient + (c + p) * L);
#pragma GCC unroll 8
                    for (int v = 0; v < V; v++) part[p][v] += gc * load(from + (c + p) * base_step + at[v]);
                }
            if (c < columns) {
                const Vec<T> gc = load(gradient + c * L);
#pragma GCC unroll 8
                for (int v = 0; v < V; v++) part[0][v] += gc * load(from + c * base_step + at[v]);
            }
        }
        for (int v = 0; v < V; v++)
            for (int p = 0; p < PARTS; p++)
                for (int i = 0; i < L; i++) sum[v * L + i] += double(part[p][v][i]);
    }

    static void any_weigh_row(int64_t count, const T* base, int64_t base_row, int64_t base_step, const int64_t* offset,
                              const T* g, int64_t g_row, int64_t rows, int64_t columns, double* sum) {
        switch (count) {
            case 1: return weigh_row<1>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            case 2: return weigh_row<2>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            case 3: return weigh_row<3>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            case 4: return weigh_row<4>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            case 5: return weigh_row<5>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            case 6: return weigh_row<6>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            case 7: return weigh_row<7>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
            default: return weigh_row<8>(base, base_row, base_step, offset, g, g_row, rows, columns, sum);
        }
    }

    // a piece's part of dw, added to sum[tap that is kept][lane]
    void weigh(int64_t image, int64_t block, int64_t piece, T* strip, T* gradient, double* sum) const {
        const Axis &y = job.rows[0], &x = job.columns[0];
        const Span ty = rows(piece), tx = columns(piece);
        const Span sy = read_by(job.rows, ty, true), sx = read_by(job.columns, tx, false);
        load_strip(job.source, image, block, sy, sx, strip);
        load_strip(job.target, image, block, ty, tx, gradient);
        const int64_t width = sx.size(), columns = tx.size(), each = std::max<int64_t>(1, RUN / columns);
        std::vector<int64_t> offset;
        for (int64_t o : x.offset) offset.push_back(o * L);
        for (int64_t h = 0; h < y.taps(); h++) {
            Span r = ty;        // the rows at which this tap reaches the source
            const auto outside = [&](int64_t o) {
                const int64_t at = o * y.stride + y.offset[size_t(h)];
                return at < 0 || at >= y.source;
            };
            while (r.from < r.to && outside(r.from)) r.from++;
            while (r.from < r.to && outside(r.to - 1)) r.to--;
            for (int64_t from = r.from; from < r.to; from += each) {
                const T* base = strip + ((from * y.stride + y.offset[size_t(h)] - sy.from) * width - sx.from +
                                         tx.from * x.stride) * L;
                for (int64_t w = 0; w < x.taps(); w += 8)
                    any_weigh_row(std::min<int64_t>(8, x.taps() - w), base, y.stride * width * L, x.stride * L,
                                  offset.data() + w, gradient + (from - ty.from) * columns * L, columns * L,
                                  std::min(each, r.to - from), columns, sum + (h * x.taps() + w) * L);
            }
        }
    }
};

}  // namespace

bool is_lane_geometry(const Geometry& g) {
    return g.groups == g.in_channels && g.groups == g.out_channels && g.groups > 1 && g.in[0] == 1 && g.out[0] == 1 &&
           g.kernel[0] == 1 && g.padding[0] == 0 && g.stride[0] == 1;
}

template <class T>
LaneJob<T> lane_job(const Geometry& g, Images<const T> source, Images<T> target, const T* weight, const T* bias,
                    bool back) {
    LaneJob<T> job{g.images, g.in_channels, {g.kernel[1], g.kernel[2]}, source, target, weight, bias, {}, {}};
    for (int d = 1; d < 3; d++) {
        std::vector<Axis>& phases = d == 1 ? job.rows : job.columns;
        if (!back) phases.push_back(pruned(forward_axis(g, d)));
        else for (int64_t p = 0; p < g.stride[d]; p++) phases.push_back(pruned(backward_axis(g, d, p)));
    }
    return job;
}

template <class T> bool lanes_pay(const Geometry& g, bool weight) {
    const int64_t taps = g.kernel[1] * g.kernel[2], width = std::max(g.in[2], g.out[2]);
    // nine taps along wide rows take no longer than turning the planes would
    const bool light = !weight && taps <= 9 && g.stride[1] * g.stride[2] == 1 && width >= 2 * LANES<T>;
    return is_lane_geometry(g) && g.in_channels >= LANES<T> / 2 && g.stride[1] * g.stride[2] <= 64 && width <= 4096 &&
           taps > 1 && !light;
}

template <class T> bool lanes_fit(const LaneJob<T>& job) { return Lanes<T>(job).fits(); }

template <class T> bool conv_lanes(const LaneJob<T>& job) {
    constexpr int64_t L = LANES<T>;
    const int64_t positions = job.target.height * job.target.width;
    if (job.images * job.channels * positions == 0) return true;
    const Lanes<T> lanes(job);
    const int64_t each = (lanes.taps + 1) * L;
    Scratch<T> packed(size_t(lanes.blocks * each));
    for (int64_t b = 0; b < lanes.blocks; b++) lanes.pack(b, packed + b * each);
    std::atomic<bool> enough{true};
    const int64_t pieces = lanes.down * lanes.across, work = positions * (lanes.taps + 4) / pieces + 1;
    parallel(job.images * lanes.blocks * pieces, std::max<int64_t>(1, 4000 / work), [&](int64_t from, int64_t to) {
        T* memory = static_cast<T*>(thread_buffer(size_t(lanes.strip_size + lanes.out_size) * sizeof(T), 2));
        if (!memory) { enough = false; return; }
        try {
            typename Lanes<T>::Offsets table;
            for (int64_t i = from; i < to; i++) {
                const int64_t block = i / pieces % lanes.blocks;
                lanes.run(i / pieces / lanes.blocks, block, i % pieces, packed + block * each, memory,
                          memory + lanes.strip_size, table);
            }
        } catch (const std::bad_alloc&) { enough = false; }
    });
    return enough;
}

template <class T> bool conv_lanes_weight(const LaneJob<T>& job, T* dw) {
    constexpr int64_t L = LANES<T>;
    const int64_t positions = job.target.height * job.target.width, taps = job.kernel[0] * job.kernel[1];
    std::memset(dw, 0, size_t(job.channels * taps) * sizeof(T));
    if (job.images * job.channels * positions * taps == 0) return true;
    const Lanes<T> lanes(job);
    const Axis &y = job.rows[0], &x = job.columns[0];
    const int64_t kept = y.taps() * x.taps(), pieces = lanes.down * lanes.across;
    if (!kept) return true;
    // the number of partial sums depends on the sizes only
    const int64_t splits = std::clamp<int64_t>(16 / lanes.blocks, 1, job.images), tasks = lanes.blocks * splits;
    Scratch<double> sums(size_t(tasks * kept * L));
    std::atomic<bool> enough{true};
    const int64_t work = (positions * (kept + 8) + 1) * std::max<int64_t>(1, job.images / splits);
    parallel(tasks, std::max<int64_t>(1, 4000 / work), [&](int64_t from, int64_t to) {
        T* memory = static_cast<T*>(thread_buffer(size_t(lanes.strip_size + lanes.out_size) * sizeof(T), 2));
        if (!memory) { enough = false; return; }
        try {
            for (int64_t i = from; i < to; i++) {
                const int64_t block = i / splits, split = i % splits;
                double* sum = sums + i * kept * L;
                std::fill(sum, sum + kept * L, 0.0);
                for (int64_t n = job.images * split / splits; n < job.images * (split + 1) / splits; n++)
                    for (int64_t p = 0; p < pieces; p++)
                        lanes.weigh(n, block, p, memory, memory + lanes.strip_size, sum);
            }
        } catch (const std::bad_alloc&) { enough = false; }
    });
    for (int64_t c = 0; c < job.channels; c++)
        for (int64_t h = 0; h < y.taps(); h++)
            for (int64_t w = 0; w < x.taps(); w++) {
                const double* part = sums + c / L * splits * kept * L + (h * x.taps() + w) * L + c % L;
                double total = 0;
                for (int64_t s = 0; s < splits; s++) total += part[s * kept * L];
                dw[c * taps + y.index[size_t(h)] * job.kernel[1] + x.index[size_t(w)]] = T(total);
            }
    return enough;
}

#define WEFT_LANES(T)                                                                                              \
    template LaneJob<T> lane_job<T>(const Geometry&, Images<const T>, Images<T>, const T*, const T*, bool);        \
    template bool lanes_pay<T>(const Geometry&, bool);                                                             \
    template bool lanes_fit<T>(const LaneJob<T>&);                                                                 \
    template bool conv_lanes<T>(const LaneJob<T>&);                                                                \
    template bool conv_lanes_weight<T>(const LaneJob<T>&, T*);
WEFT_LANES(float)
WEFT_LANES(double)
#undef WEFT_LANES

}  // namespace weft
