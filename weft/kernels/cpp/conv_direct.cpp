// Few source channels (first layers), or few target channels: the strip is read directly at each tap, without packing.
// A tile is some target channels by some neighbouring positions of one row; the last tile of a row overlaps the one
// before it.
#include "conv_pieces.h"

#include <atomic>

namespace weft {
namespace {

constexpr int64_t DEPTH_MOST = 256;         // taps of all channels
constexpr int64_t FEW_TARGETS = 4, DEPTH_OF_FEW = 2048;     // packed panels would be read for a few rows only
constexpr int64_t STRIP_BYTES = 64 << 10;   // of a piece

// to[i][0 .. C vectors) = bias[i] + sum over k of a[k * step + i] * base[offset[k] + ...]
template <class T, int R, int C>
[[gnu::noinline]] void direct_tile(int64_t depth, const T* a, const T* base, const int64_t* offset, const T* bias,
                                   T* to, int64_t to_step) {
    constexpr int L = LANES<T>;
    Vec<T> sum[R][C] = {};
    for (int64_t k = 0; k < depth; k++, a += Tile<T>::ROWS) {
        const T* b = base + offset[k];
        Vec<T> row[C];
#pragma GCC unroll 4
        for (int j = 0; j < C; j++) row[j] = load(b + j * L);
#pragma GCC unroll 16
        for (int i = 0; i < R; i++) {
            const Vec<T> x = splat<T>(a[i]);
#pragma GCC unroll 4
            for (int j = 0; j < C; j++) sum[i][j] += x * row[j];
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; i++) {
        const Vec<T> more = splat<T>(bias[i]);
#pragma GCC unroll 4
        for (int j = 0; j < C; j++) store(to + i * to_step + j * L, sum[i][j] + more);
    }
}

template <class T> using DirectTile = void (*)(int64_t, const T*, const T*, const int64_t*, const T*, T*, int64_t);

template <class T, int C> DirectTile<T> tile_of(int64_t rows) {
    switch (rows) {
#define WEFT_ROWS(R)                                                                                 \
    case R:                                                                                          \
        if constexpr (R <= Tile<T>::ROWS && R * C <= 2 * Tile<T>::ROWS) return direct_tile<T, R, C>; \
        break;
        WEFT_ROWS(1) WEFT_ROWS(2) WEFT_ROWS(3) WEFT_ROWS(4) WEFT_ROWS(5) WEFT_ROWS(6)
        WEFT_ROWS(7) WEFT_ROWS(8) WEFT_ROWS(9) WEFT_ROWS(10) WEFT_ROWS(11) WEFT_ROWS(12)
#undef WEFT_ROWS
        default: break;
    }
    return nullptr;
}

template <class T> struct Direct {
    static constexpr int64_t R = Tile<T>::ROWS, L = LANES<T>;
    const Job<T>& job;
    Pieces pieces;
    int64_t planes, depth, row_panels;
    const T *packed, *biases;       // [panel of targets][k][ROWS], and [target] or zeros

    void line(int64_t i, const T* base, const int64_t* offset, T* to) const {
        const int64_t rows = std::min(R, job.targets - i * R), columns = job.axis[2].count;
        const T *a = packed + i * R * depth, *bias = biases + i * R;
        int64_t c = 0;
        if (columns < L) {          // what is read too much lies in the strip, and is left out
            alignas(64) T wide[R * L];
            tile_of<T, 1>(rows)(depth, a, base, offset, bias, wide, L);
            for (int64_t r = 0; r < rows; r++)
                std::memcpy(to + r * job.target_channel, wide + r * L, size_t(columns) * sizeof(T));
            return;
        }
        if (rows <= 3) {
            const DirectTile<T> wide = tile_of<T, 4>(rows);
            for (; c + 4 * L <= columns; c += 4 * L) wide(depth, a, base + c, offset, bias, to + c, job.target_channel);
        }
        const DirectTile<T> two = tile_of<T, 2>(rows), one = tile_of<T, 1>(rows);
        for (; c + 2 * L <= columns; c += 2 * L) two(depth, a, base + c, offset, bias, to + c, job.target_channel);
        const int64_t left = columns - c;
        if (left > L && columns >= 2 * L)
            two(depth, a, base + columns - 2 * L, offset, bias, to + columns - 2 * L, job.target_channel);
        else {
            if (left >= L) one(depth, a, base + c, offset, bias, to + c, job.target_channel);
            if (left % L) one(depth, a, base + columns - L, offset, bias, to + columns - L, job.target_channel);
        }
    }

    bool run(int64_t task) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const Piece piece = pieces[task];
        const Source<T> source(job, piece, planes, x.count < L ? L : 0);
        const int64_t strip_size = aligned<T>(source.copy_size(planes) + L);
        T* memory = static_cast<T*>(thread_buffer(size_t(strip_size) * sizeof(T) + size_t(depth) * sizeof(int64_t), 2));
        if (!memory) return false;
        int64_t* offset = reinterpret_cast<int64_t*>(memory + strip_size);
        const T* base = source.load(0, planes, memory, offset);
        for (int64_t s = 0; s < piece.slices; s++) {
            const int64_t n = (piece.slice + s) / z.count, d = z.first + (piece.slice + s) % z.count * z.step;
            for (int64_t i = 0; i < row_panels; i++)
                for (int64_t r = 0; r < piece.rows; r++)
                    line(i, base + s * source.slice_step + r * y.stride * source.row_step, offset,
                         job.target + n * job.target_image + i * R * job.target_channel +
                             (d * job.target_size[1] + y.first + (piece.row + r) * y.step) * job.target_size[2] +
                             x.first);
        }
        return true;
    }
};

}  // namespace

template <class T> bool direct_pays(const Job<T>& job) {
    const int64_t depth = job.channels * job.taps(), columns = job.axis[2].count;
    return 3 * columns >= 2 * LANES<T> && columns <= 4096 && job.axis[2].step == 1 && depth > 0 &&
           depth <= (job.targets <= FEW_TARGETS ? DEPTH_OF_FEW : DEPTH_MOST) && (depth <= 32 || job.targets <= 16) &&
           job.images * job.targets * job.axis[0].count * job.axis[1].count > 0;
}

template <class T> bool conv_direct(const Job<T>& job) {
    constexpr int64_t R = Tile<T>::ROWS;
    const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
    const int64_t planes = job.channels * z.taps(), depth = job.channels * job.taps(),
                  row_panels = (job.targets + R - 1) / R;
    Scratch<T> packed(size_t(row_panels * R * depth));
    T* to = packed;
    Scratch<T> biases(size_t(row_panels * R));
    for (int64_t m = 0; m < row_panels * R; m++) biases[m] = job.bias && m < job.targets ? job.bias[m] : T(0);
    for (int64_t i = 0; i < row_panels * R; i += R)
        for (int64_t c = 0; c < job.channels; c++)
            for (int64_t kd : z.index)
                for (int64_t kh : y.index)
                    for (int64_t kw : x.index)
                        for (int64_t m = i; m < i + R; m++)
                            *to++ = m < job.targets ? job.weight[m * job.weight_m + c * job.weight_c +
                                                                 (kd * job.kernel[1] + kh) * job.kernel[2] + kw]
                                                    : T(0);
    const int64_t line = planes * x.stride * y.stride * x.count * int64_t(sizeof(T));
    const int64_t wanted = std::max<int64_t>(1, STRIP_BYTES / line) * x.count;
    const Direct<T> direct{job, Pieces(z, y, x, job.images, wanted, 1), planes, depth, row_panels, packed, biases};
    std::atomic<bool> enough{true};
    const int64_t each =
        std::max<int64_t>(1, direct.pieces.slices * y.count * x.count / direct.pieces.count) * job.targets * depth;
    parallel(direct.pieces.count, std::max<int64_t>(1, 200000 / each), [&](int64_t from, int64_t until) {
        for (int64_t i = from; i < until; i++)
            if (!direct.run(i)) enough = false;
    });
    return enough;
}

template bool direct_pays<float>(const Job<float>&);
template bool direct_pays<double>(const Job<double>&);
template bool conv_direct<float>(const Job<float>&);
template bool conv_direct<double>(const Job<double>&);

}  // namespace weft
