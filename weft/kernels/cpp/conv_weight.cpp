// The gradient of a convolution's weight as a matrix product over all positions: dw^T (K x M) = B (K x positions) @
// gradient^T (positions x M). B's rows are read where they lie in the strip; the gradient is transposed into panels.
// Sums go over pieces of the positions in their order; the number of partial sums depends on the sizes only.
#include "conv_pieces.h"
#include "conv_transpose.h"

#include <atomic>

namespace weft {
namespace {

// R rows of dw^T by one panel of M: c[i][j] += sum over the runs of base[offset[i] + position] * b[position][j]
template <class T, int R, int C>
void weight_tile(const T* base, const int64_t* offset, const Run* run, int64_t runs, const T* b, T* c, int64_t step) {
    constexpr int L = LANES<T>;
    Vec<T> sum[R][C] = {};
    for (; runs > 0; runs--, run++) {
        const T* at[R];
        for (int i = 0; i < R; i++) at[i] = base + offset[i] + run->from;
        const int64_t length = run->length;
        for (int64_t p = 0; p < length; p++, b += C * L) {
            Vec<T> row[C];
#pragma GCC unroll 4
            for (int j = 0; j < C; j++) row[j] = load(b + j * L);
#pragma GCC unroll 16
            for (int i = 0; i < R; i++) {
                const Vec<T> x = splat<T>(at[i][p]);
#pragma GCC unroll 4
                for (int j = 0; j < C; j++) sum[i][j] += x * row[j];
            }
        }
    }
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++) store(c + i * step + j * L, load(c + i * step + j * L) + sum[i][j]);
}

template <class T, int C>
void any_weight_tile(int64_t rows, const T* base, const int64_t* offset, const Run* run, int64_t runs, const T* b, T* c,
                     int64_t step) {
    switch (rows) {
        case 1: return weight_tile<T, 1, C>(base, offset, run, runs, b, c, step);
        case 2: return weight_tile<T, 2, C>(base, offset, run, runs, b, c, step);
        case 3: return weight_tile<T, 3, C>(base, offset, run, runs, b, c, step);
        case 4: return weight_tile<T, 4, C>(base, offset, run, runs, b, c, step);
        case 5: return weight_tile<T, 5, C>(base, offset, run, runs, b, c, step);
        case 6: return weight_tile<T, 6, C>(base, offset, run, runs, b, c, step);
        case 7: return weight_tile<T, 7, C>(base, offset, run, runs, b, c, step);
        default: return weight_tile<T, 8, C>(base, offset, run, runs, b, c, step);
    }
}

// C vectors of targets side by side: one for the few targets of a group, two otherwise
template <class T, int C> struct WeightSum {
    static constexpr int64_t R = C == 1 ? 8 : 6, N = C * LANES<T>;
    const Job<T>& job;
    const T* gradient; int64_t gradient_image, gradient_channel;
    Pieces pieces;
    int64_t taps, planes, planes_each, blocks, targets_each, groups, splits;

    // positions of one piece of the gradient, transposed: to[position][target], short panels padded with zeros
    void pack_gradient(const Piece& p, int64_t m, int64_t targets, T* to) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        for (int64_t s = 0; s < p.slices; s++) {
            const int64_t n = (p.slice + s) / z.count, d = (p.slice + s) % z.count;
            const T* from =
                gradient + n * gradient_image + m * gradient_channel + (d * y.count + p.row) * x.count + p.column;
            const int64_t length = p.rows * p.columns;      // contiguous: a piece has whole rows, or is a part of one
            transpose(from, targets, length, gradient_channel, to, N);
            if (targets < N)
                for (int64_t i = 0; i < length; i++)
                    std::memset(to + i * N + targets, 0, size_t(N - targets) * sizeof(T));
            to += length * N;
        }
    }

    // dw^T of one block of planes and one group of targets over one split of the pieces: sum[k][target]
    bool run(int64_t block, int64_t group, int64_t split, T* sum) const {
        const int64_t plane = block * planes_each, n = std::min(planes_each, planes - plane), depth = n * taps;
        const int64_t m0 = group * targets_each, m1 = std::min(job.targets, m0 + targets_each),
                      width = (m1 - m0 + N - 1) / N * N;
        std::memset(sum, 0, size_t(depth * width) * sizeof(T));
        std::vector<Run> runs;
        for (int64_t i = pieces.count * split / splits; i < pieces.count * (split + 1) / splits; i++) {
            const Piece p = pieces[i];
            Source<T> source(job, p, n, 0);
            const int64_t strip_size = aligned<T>(source.copy_size(n) + N), b_size = aligned<T>(p.size() * N);
            T* memory = static_cast<T*>(
                thread_buffer(size_t(strip_size + b_size) * sizeof(T) + size_t(depth) * sizeof(int64_t), 2));
            if (!memory) return false;
            T* b = memory + strip_size;
            int64_t* offset = reinterpret_cast<int64_t*>(b + b_size);
            const T* base = source.load(plane, n, memory, offset);
            runs.clear();
            for (int64_t s = 0; s < p.slices; s++)
                for (int64_t r = 0; r < p.rows; r++)
                    runs.push_back(
                        {s * source.slice_step + r * job.axis[1].stride * source.row_step, 0, int32_t(p.columns)});
            for (int64_t m = m0; m < m1; m += N) {
                pack_gradient(p, m, std::min(N, m1 - m), b);
                for (int64_t k = 0; k < depth; k += R)
                    any_weight_tile<T, C>(std::min(R, depth - k), base, offset + k, runs.data(), int64_t(runs.size()),
                                          b, sum + k * width + m - m0, width);
            }
        }
        return true;
    }
};

template <class T, int C>
bool weigh(const Job<T>& job, const T* gradient, int64_t gradient_image, int64_t gradient_channel, T* dw) {
    constexpr int64_t N = C * LANES<T>;
    const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
    const int64_t taps = y.taps() * x.taps(), planes = job.channels * z.taps(), k = planes * taps;
    if (k * job.targets == 0) return true;
    const int64_t each = std::max<int64_t>(1, Tile<T>::KC / taps), blocks = (planes + each - 1) / each,
                  planes_each = (planes + blocks - 1) / blocks;
    const int64_t actual = (planes + planes_each - 1) / planes_each;
    Pieces pieces(z, y, x, job.images, 256, 1);
    if (pieces.slices * pieces.rows * pieces.columns == 0) {
        std::memset(dw, 0, size_t(k * job.targets) * sizeof(T));
        return true;
    }
    const int64_t targets_each = std::min<int64_t>(4 * N, (job.targets + N - 1) / N * N),
                  groups = (job.targets + targets_each - 1) / targets_each;
    const double work = double(k) * double(job.targets) * double(pieces.slices * pieces.rows * pieces.columns);
    // enough tasks for many threads; each split costs one more buffer, so only where there are few blocks
    const int64_t splits =
        work < 500000 ? 1 : std::clamp<int64_t>(32 / (actual * groups), 1, std::max<int64_t>(1, pieces.count / 4));
    const WeightSum<T, C> sums{job,    gradient,    gradient_image, gradient_channel, pieces, taps,
                            planes, planes_each, actual,         targets_each,     groups, splits};
    const int64_t size = planes_each * taps * targets_each, tasks = actual * groups * splits;
    Scratch<T> partial(size_t(size * tasks));
    std::atomic<bool> enough{true};
    const auto one = [&](int64_t task) {
        const int64_t block = task / splits % actual, group = task / splits / actual;
        try {
            if (!sums.run(block, group, task % splits, partial + task * size)) enough = false;
        } catch (const std::bad_alloc&) { enough = false; }
    };
    if (work > 200000) run_tasks(tasks, one); else for (int64_t i = 0; i < tasks; i++) one(i);
    if (!enough) return false;
    parallel(actual * groups, std::max<int64_t>(1, 16384 / size), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) {
            const int64_t block = i % actual, group = i / actual, k0 = block * planes_each * taps,
                          depth = std::min(planes_each * taps, k - k0);
            const int64_t m0 = group * targets_each, targets = std::min(targets_each, job.targets - m0),
                          width = (targets + N - 1) / N * N;
            T* sum = partial + i * splits * size;
            for (int64_t s = 1; s < splits; s++)
                for (int64_t e = 0; e < depth * width; e++) sum[e] += sum[s * size + e];
            transpose(sum, depth, targets, width, dw + m0 * k + k0, k);
        }
    });
    return true;
}

}  // namespace

template <class T>
bool conv_weight(const Job<T>& job, const T* gradient, int64_t gradient_image, int64_t gradient_channel, T* dw) {
    return (job.targets <= LANES<T> ? weigh<T, 1> : weigh<T, Tile<T>::VECTORS>)(job, gradient, gradient_image,
                                                                               gradient_channel, dw);
}

template bool conv_weight<float>(const Job<float>&, const float*, int64_t, int64_t, float*);
template bool conv_weight<double>(const Job<double>&, const double*, int64_t, int64_t, double*);

}  // namespace weft
