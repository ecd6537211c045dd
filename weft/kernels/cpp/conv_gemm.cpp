// Convolution as an implicit matrix product: target (M x columns) = weight (M x K) @ B (K x columns), where a row of B
// is one tap of one source plane and a column one position. B is never made whole: a piece of the positions at a time
// is packed out of a padded strip. Every element is summed over K in one order, whatever the pieces are.
#include "conv_pieces.h"
#include "conv_transpose.h"

#include <atomic>

namespace weft {

Axis forward_axis(const Geometry& g, int d) {
    Axis a;
    a.source = g.in[d];
    a.count = g.out[d];
    a.stride = g.stride[d];
    a.index.resize(size_t(g.kernel[d]));
    a.offset.resize(size_t(g.kernel[d]));
    for (int64_t k = 0; k < g.kernel[d]; k++) {
        a.index[size_t(k)] = k;
        a.offset[size_t(k)] = k * g.dilation[d] - g.padding[d];
    }
    a.set_range();
    return a;
}

// target = stride * q + phase - padding for q >= q0; the tap k reaches it from the source q - (k * dilation - phase) /
// stride
Axis backward_axis(const Geometry& g, int d, int64_t phase) {
    const int64_t s = g.stride[d], back = g.padding[d] - phase;
    const int64_t q0 = back > 0 ? (back + s - 1) / s : -(-back / s);
    Axis a;
    a.source = g.out[d];
    a.first = s * q0 - back;
    a.step = s;
    a.count = a.first < g.in[d] ? (g.in[d] - a.first + s - 1) / s : 0;
    a.index.clear();
    a.offset.clear();
    for (int64_t k = 0; k < g.kernel[d]; k++)
        if ((k * g.dilation[d]) % s == phase) {
            a.index.push_back(k);
            a.offset.push_back(q0 - (k * g.dilation[d] - phase) / s);
        }
    a.set_range();
    return a;
}

Strip Strip::of(const Axis& row, const Axis& column, int64_t row_from, int64_t row_to, int64_t column_from,
                int64_t column_to, int64_t slack) {
    Strip s;
    s.row_low = row_from * row.stride + row.low;
    s.rows = (row_to - row_from - 1) * row.stride + row.high - row.low + 1;
    s.column_low = column_from * column.stride + column.low;
    s.columns = (column_to - column_from - 1) * column.stride + column.high - column.low + 1;
    s.stride = column.stride;
    s.phase_width = (s.columns + s.stride - 1) / s.stride + slack;
    s.row_step = s.phase_width * s.stride;
    s.plane_step = s.row_step * s.rows;
    return s;
}

Pieces::Pieces(const Axis& depth, const Axis& row, const Axis& column, int64_t images, int64_t wanted, int64_t unit) {
    slices = images * depth.count;
    rows = row.count;
    columns = column.count;
    const int64_t plane = rows * columns;
    if (slices * plane == 0) {
        slices_each = columns_each = per_row = per_plane = 1;
        count = 0;
        return;
    }
    if (columns > wanted) {                 // parts of a row
        const int64_t parts = (columns + wanted - 1) / wanted;
        columns_each = ((columns + parts - 1) / parts + unit - 1) / unit * unit;
        rows_each = slices_each = 1;
    } else if (plane > wanted) {            // some rows: the number that fills whole panels best
        columns_each = columns;
        slices_each = 1;
        double best = 0;
        for (int64_t r = std::max<int64_t>(1, wanted / columns / 2); r <= wanted / columns; r++) {
            const int64_t n = (rows + r - 1) / r, whole = rows / r, last = rows - whole * r;
            const auto padded = [&](int64_t x) { return (x * columns + unit - 1) / unit * unit; };
            const double use = double(plane) / double(whole * padded(r) + padded(last) + n * 2);
            if (use >= best) { best = use; rows_each = r; }
        }
    } else {                                // whole planes, several if they are small
        columns_each = columns;
        rows_each = rows;
        slices_each = std::clamp<int64_t>(wanted / std::max<int64_t>(plane, 1), 1, slices);
    }
    per_row = (columns + columns_each - 1) / columns_each;
    per_plane = per_row * ((rows + rows_each - 1) / rows_each);
    count = slices_each > 1 ? (slices + slices_each - 1) / slices_each : slices * per_plane;
}

Piece Pieces::operator[](int64_t i) const {
    Piece p;
    if (slices_each > 1) {
        p.slice = i * slices_each;
        p.slices = std::min(slices_each, slices - p.slice);
        p.row = p.column = 0;
        p.rows = rows;
        p.columns = columns;
        return p;
    }
    p.slice = i / per_plane;
    p.slices = 1;
    const int64_t inside = i % per_plane;
    p.row = inside / per_row * rows_each;
    p.column = inside % per_row * columns_each;
    p.rows = std::min(rows_each, rows - p.row);
    p.columns = std::min(columns_each, columns - p.column);
    return p;
}

namespace {

template <class T> void fill_bias(const Job<T>& job) {
    const Axis *z = &job.axis[0], *y = &job.axis[1], *x = &job.axis[2];
    for (int64_t n = 0; n < job.images; n++)
        for (int64_t m = 0; m < job.targets; m++)
            for (int64_t d = 0; d < z->count; d++)
                for (int64_t r = 0; r < y->count; r++) {
                    T* line =
                        job.target + n * job.target_image + m * job.target_channel +
                        ((z->first + d * z->step) * job.target_size[1] + y->first + r * y->step) * job.target_size[2] +
                        x->first;
                    for (int64_t c = 0; c < x->count; c++) line[c * x->step] = job.bias ? job.bias[m] : T(0);
                }
}

constexpr int64_t SMALL_B = 20 << 10;       // bytes

// whether the taps are those of the weight in its order, in a plane
template <class T> bool planes_in_order(const Job<T>& job) {
    for (int d = 0; d < 3; d++) {
        if (job.axis[d].taps() != job.kernel[d]) return false;
        for (int64_t t = 0; t < job.kernel[d]; t++) if (job.axis[d].index[size_t(t)] != t) return false;
    }
    return job.kernel[0] == 1;
}

// Panels of ROWS target channels for one block of planes: panel[k][i], k running over planes and taps.
template <class T> void pack_weight(const Job<T>& job, int64_t plane, int64_t planes, int64_t panel, T* to) {
    constexpr int64_t R = Tile<T>::ROWS;
    const int64_t i0 = panel * R, rows = std::min(R, job.targets - i0), k = job.axis[1].taps() * job.axis[2].taps();
    // all taps, one channel's after the other's: the rows of a matrix
    if (job.weight_c == k && planes_in_order(job)) {
        if (rows < R) std::memset(to, 0, size_t(planes * k * R) * sizeof(T));
        transpose(job.weight + i0 * job.weight_m + plane * k, rows, planes * k, job.weight_m, to, R);
        return;
    }
    if (job.weight_m == 1 && rows == R) {           // one tap, the targets side by side
        for (int64_t q = plane; q < plane + planes; q++, to += R)
            std::memcpy(to, job.weight + i0 + q * job.weight_c, R * sizeof(T));
        return;
    }
    for (int64_t q = plane; q < plane + planes; q++) {
        const int64_t c = q / job.axis[0].taps(), kd = job.axis[0].index[size_t(q % job.axis[0].taps())];
        for (int64_t kh : job.axis[1].index)
            for (int64_t kw : job.axis[2].index) {
                const T* from =
                    job.weight + i0 * job.weight_m + c * job.weight_c + (kd * job.kernel[1] + kh) * job.kernel[2] + kw;
                for (int64_t r = 0; r < rows; r++) to[r] = from[r * job.weight_m];
                for (int64_t r = rows; r < R; r++) to[r] = T(0);
                to += R;
            }
    }
}

// One panel of B: `depth` rows at base + offset[k], each made of the panel's runs. Whole vectors are copied; what one
// run writes too much, the next one (or the next row) writes again.
template <class T>
void pack_panel(const T* base, const int64_t* offset, int64_t depth, const Run* run, int64_t runs, T* to) {
    constexpr int64_t N = Tile<T>::COLUMNS;
    if (runs == 1) {
        base += run->from;
        for (int64_t k = 0; k < depth; k++, to += N) std::memcpy(to, base + offset[k], N * sizeof(T));
        return;
    }
    if (runs == 2) {
        const T* second = base + run[1].from;
        const int64_t lane = run[1].lane;
        base += run->from;
        for (int64_t k = 0; k < depth; k++, to += N) {
            std::memcpy(to, base + offset[k], N * sizeof(T));
            std::memcpy(to + lane, second + offset[k], N * sizeof(T));
        }
        return;
    }
    for (int64_t k = 0; k < depth; k++, to += N)
        for (int64_t r = 0; r < runs; r++) std::memcpy(to + run[r].lane, base + offset[k] + run[r].from, N * sizeof(T));
}

template <class T> struct Product {
    static constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS;
    const Job<T>& job;
    Pieces pieces;
    int64_t taps, planes, planes_each, blocks, row_panels, row_parts;
    const T* packed;

    int64_t planes_in(int64_t block) const { return std::min(planes_each, planes - block * planes_each); }

    // whether a piece's positions are always contiguous in the target, so that no table of offsets is needed
    bool plain() const {
        const Axis &y = job.axis[1], &x = job.axis[2];
        return pieces.slices_each == 1 && x.step == 1 &&
               (pieces.rows_each == 1 || (y.step == 1 && x.count == job.target_size[2]));
    }

    // the runs and the target offsets of every panel of a piece
    struct Layout { std::vector<Run> runs; std::vector<int64_t> first_run, target, start; std::vector<char> together; };

    void place(const Piece& p, const Source<T>& from, Layout& to) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const int64_t columns = p.size();
        to.runs.clear();
        to.first_run.clear();
        to.together.clear();
        to.start.clear();
        const bool apart = !plain();
        to.target.resize(size_t(columns));
        int64_t j = 0, expected = -1;
        for (int64_t s = 0; s < p.slices; s++) {
            const int64_t n = (p.slice + s) / z.count, d = (p.slice + s) % z.count;
            const int64_t plane =
                n * job.target_image + (z.first + d * z.step) * job.target_size[1] * job.target_size[2];
            for (int64_t r = 0; r < p.rows; r++) {
                int64_t at =
                    plane + (y.first + (p.row + r) * y.step) * job.target_size[2] + x.first + p.column * x.step;
                for (int64_t c = 0; c < p.columns;) {
                    const int64_t lane = j % N, length = std::min(N - lane, p.columns - c);
                    if (lane == 0) {
                        to.first_run.push_back(int64_t(to.runs.size()));
                        to.together.push_back(1);
                        to.start.push_back(at);
                        expected = at;
                    }
                    if (at != expected || (x.step != 1 && length > 1)) to.together.back() = 0;
                    to.runs.push_back(
                        {s * from.slice_step + r * y.stride * from.row_step + c, int32_t(lane), int32_t(length)});
                    if (apart) for (int64_t i = 0; i < length; i++) to.target[size_t(j + i)] = at + i * x.step;
                    expected = at + (length - 1) * x.step + 1;
                    at += length * x.step;
                    j += length;
                    c += length;
                }
            }
        }
        to.first_run.push_back(int64_t(to.runs.size()));
    }

    bool run(int64_t task) const {
        const Piece piece = pieces[task / row_parts];
        const int64_t part = task % row_parts, panel_from = row_panels * part / row_parts,
                      panel_to = row_panels * (part + 1) / row_parts;
        const int64_t columns = piece.size(), panels = (columns + N - 1) / N;
        Source<T> source(job, piece, planes_each, N);
        const int64_t strip_size = aligned<T>(source.copy_size(planes_each) + N),
                      b_size = aligned<T>(panels * planes_each * taps * N + N);
        T* memory = static_cast<T*>(thread_buffer(
            size_t(strip_size + b_size + R * N) * sizeof(T) + size_t(planes_each * taps) * sizeof(int64_t), 2));
        if (!memory) return false;
        T *strip = memory, *b = memory + strip_size, *temp = b + b_size;
        int64_t* offset = reinterpret_cast<int64_t*>(temp + R * N);
        static thread_local Layout layout;
        place(piece, source, layout);
        for (int64_t block = 0; block < blocks; block++) {
            const int64_t plane = block * planes_each, depth = planes_in(block) * taps;
            const T* base = source.load(plane, planes_in(block), strip, offset);
            const T* a = packed + plane * taps * row_panels * R;
            for (int64_t q = 0; q < panels; q++) {
                const int64_t r0 = layout.first_run[size_t(q)];
                pack_panel(base, offset, depth, layout.runs.data() + r0, layout.first_run[size_t(q) + 1] - r0,
                           b + q * depth * N);
            }
            const auto one = [&](int64_t q, int64_t i) {
                multiply(block, depth, i, a + i * R * depth, b + q * depth * N, std::min(N, columns - q * N), layout, q,
                         temp);
            };
            // all of B stays in the first cache: write along the target's rows
            if (panels * depth * N * int64_t(sizeof(T)) <= SMALL_B) {
                for (int64_t i = panel_from; i < panel_to; i++)
                    for (int64_t q = 0; q < panels; q++) one(q, i);
            } else {
                for (int64_t q = 0; q < panels; q++)
                    for (int64_t i = panel_from; i < panel_to; i++) one(q, i);
            }
        }
        return true;
    }

    void multiply(int64_t block, int64_t depth, int64_t i, const T* a, const T* b, int64_t count, const Layout& layout,
                  int64_t q, T* temp) const {
        const int64_t rows = std::min(R, job.targets - i * R);
        const int64_t* at = layout.target.data() + q * N;
        T* target = job.target + i * R * job.target_channel;
        Epilogue<T> e{block > 0, nullptr, block == 0 && job.bias ? job.bias + i * R : nullptr};
        if (layout.together[size_t(q)]) {
            any_tile<T, true>(rows, depth, a, 1, R, b, N, target + layout.start[size_t(q)], job.target_channel, count,
                              e);
            return;
        }
        e.accumulate = false;
        any_tile<T, true>(rows, depth, a, 1, R, b, N, temp, N, N, e);
        for (int64_t r = 0; r < rows; r++) {
            T* line = target + r * job.target_channel;
            if (block > 0) for (int64_t j = 0; j < count; j++) line[at[j]] += temp[r * N + j];
            else for (int64_t j = 0; j < count; j++) line[at[j]] = temp[r * N + j];
        }
    }
};

}  // namespace

template <class T> bool conv_gemm(const Job<T>& job) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS;
    const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
    if (job.images * job.targets * z.count * y.count * x.count == 0) return true;
    if (job.taps() * job.channels == 0) { fill_bias(job); return true; }
    const int64_t taps = y.taps() * x.taps(), planes = job.channels * z.taps();
    const int64_t each = std::max<int64_t>(1, Tile<T>::KC / taps), blocks = (planes + each - 1) / each;
    const int64_t planes_each = (planes + blocks - 1) / blocks, row_panels = (job.targets + R - 1) / R;
    const int threads = host->threads();
    const int64_t total = job.images * z.count * y.count * x.count;
    const double work = double(total) * double(job.targets) * double(taps * planes);
    // a piece of B of at most half a megabyte, smaller ones where all threads would not have work
    int64_t wanted = std::clamp<int64_t>((int64_t(1) << 19) / int64_t(sizeof(T)) / (planes_each * taps), N, 12 * N);
    const bool many = threads > 1 && work > 200000;
    if (many) while (wanted > 4 * N && total / wanted < 4 * threads) wanted -= N;
    Pieces pieces(z, y, x, job.images, wanted, N);
    const int64_t row_parts = many ? std::clamp<int64_t>((2 * threads + pieces.count - 1) / pieces.count, 1,
                                                         std::max<int64_t>(1, row_panels / 2))
                                   : 1;
    Scratch<T> packed(size_t(row_panels * R * taps * planes));
    const int64_t actual = (planes + planes_each - 1) / planes_each;
    const auto pack = [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++)
            for (int64_t block = 0; block < actual; block++) {
                const int64_t plane = block * planes_each, n = std::min(planes_each, planes - plane);
                pack_weight(job, plane, n, i, packed + plane * taps * row_panels * R + i * R * n * taps);
            }
    };
    parallel(row_panels, std::max<int64_t>(1, 30000 / (R * taps * planes)), pack);
    const Product<T> product{job, pieces, taps, planes, planes_each, actual, row_panels, row_parts, packed};
    std::atomic<bool> enough{true};
    const auto one = [&](int64_t task) {
        try { if (!product.run(task)) enough = false; } catch (const std::bad_alloc&) { enough = false; }
    };
    const int64_t tasks = pieces.count * row_parts;
    if (many) run_tasks(tasks, one); else for (int64_t i = 0; i < tasks; i++) one(i);
    return enough;
}

template bool conv_gemm<float>(const Job<float>&);
template bool conv_gemm<double>(const Job<double>&);

}  // namespace weft
