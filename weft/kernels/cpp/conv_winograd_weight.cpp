// The gradient of a 3x3 (or 5x5) weight by Winograd's points: dw = G^T [sum over tiles of (A g A^T) . (B^T x B)] G. Lanes are channels here:
// for each of the 36 points, (targets x tiles) @ (tiles x channels). Tiles are taken in chunks whose transforms fit the scratch; their sums
// are added up chunk by chunk, in order.
#include "conv_tiles.h"

#include <atomic>

namespace weft {
namespace winograd6 {
namespace {

constexpr int64_t CHUNK_MOST = 10 << 20, SUMS_MOST = 16 << 20;      // bytes of shared scratch: transforms of a chunk, sums of all points
constexpr int64_t PANEL = ALL * LANE * LANE;                        // the sums of LANE targets by LANE channels

template <int M, int R> struct WeightGradient {
    const Job<float>& job;
    const float* gradient;
    int64_t gradient_image, gradient_channel;
    float* dw;
    Tiles tiles;
    int64_t planes, plane_panels, target_panels, chunk;
    std::atomic<bool> enough{true};

    WeightGradient(const Job<float>& job, const float* gradient, int64_t gradient_image, int64_t gradient_channel, float* dw)
        : job(job), gradient(gradient), gradient_image(gradient_image), gradient_channel(gradient_channel), dw(dw), tiles(job, M) {
        planes = job.channels * job.axis[0].taps();
        plane_panels = (planes + LANE - 1) / LANE;
        target_panels = (job.targets + LANE - 1) / LANE;
    }

    // floats between the points of one panel's transforms: `chunk` tiles of LANE, off powers of two
    int64_t point_step() const { return chunk * LANE + 16; }

    // one panel of LANE planes (or targets): to[point][tile][lane] for tiles [from, to) of the chunk that begins at `start`
    template <int N, class Plane, class Transform>
    void transform_panel(const Patches& patches, int64_t lanes, int64_t height, int64_t width, Plane&& plane, float* copy, int64_t start, int64_t from,
                         int64_t to, float* place, Transform&& transform) const {
        alignas(64) float side_by_side[N * N * LANE];
        int64_t base[LANE];
        const float* zero = patches.load([&](int64_t slice) { return plane(0, slice); }, height, width, copy);
        base[0] = 0;
        for (int64_t lane = 1; lane < LANE; lane++) {
            const int64_t mine = std::min(lane, lanes - 1);     // lanes that are not there repeat the last one; nobody reads them
            base[lane] = lane >= lanes ? base[mine]
                                       : patches.load([&](int64_t slice) { return plane(mine, slice); }, height, width, copy + mine * patches.size) - zero;
        }
        for (int64_t t = from; t < to; t++) {
            const int64_t offset = patches.offset[size_t(t - from)];
            gather<N>(zero + offset, [&](int64_t lane) { return base[lane]; }, patches.row_step, side_by_side);
            transform(side_by_side, place + (t - start) * LANE, point_step());
        }
    }

    bool transform_planes(int64_t panel, int64_t start, int64_t from, int64_t to, float* v) const {
        static thread_local Patches patches;
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const bool may_stay = z.count == 1 && z.low >= 0 && z.high < z.source;
        patches.set(tiles, from, to, M, 6, y.low, x.low, y.source, x.source, may_stay, job.source_image);
        float* copy = thread_buffer<float>(size_t(patches.size * LANE + 16), 2);
        if (!copy) return false;
        transform_panel<6>(patches, std::min(LANE, planes - panel * LANE), y.source, x.source,
                           [&](int64_t lane, int64_t slice) { return plane_at(job, slice, panel * LANE + lane); }, copy, start, from, to,
                           v + panel * ALL * point_step(), transform_input);
        return true;
    }

    bool transform_targets(int64_t first, int64_t panel, int64_t start, int64_t from, int64_t to, float* d) const {
        static thread_local Patches patches;
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        patches.set(tiles, from, to, M, M, 0, 0, y.count, x.count, z.count == 1, gradient_image);
        float* copy = thread_buffer<float>(size_t(patches.size * LANE + 16), 2);
        if (!copy) return false;
        const int64_t m0 = (first + panel) * LANE;
        const auto plane = [&](int64_t lane, int64_t slice) {
            return gradient + slice / z.count * gradient_image + (m0 + lane) * gradient_channel + slice % z.count * y.count * x.count;
        };
        transform_panel<M>(patches, std::min(LANE, job.targets - m0), y.count, x.count, plane, copy, start, from, to, d + panel * ALL * point_step(),
                           transform_gradient<M>);
        return true;
    }

    // the sums of one panel of targets by one of planes, transformed back into dw
    void transform_back(int64_t target_panel, int64_t plane_panel, const float* sums) const {
        const int64_t m0 = target_panel * LANE, q0 = plane_panel * LANE;
        alignas(64) float values[R * R * LANE];
        for (int64_t r = 0; r < std::min(LANE, job.targets - m0); r++) {
            for (int64_t v = 0; v < LANE; v += L) {
                vf half[R][6];
                for (int j = 0; j < 6; j++) {
                    vf in[6], out[R];
                    for (int i = 0; i < 6; i++) in[i] = load(sums + ((i * 6 + j) * LANE + r) * LANE + v);
                    weight_values<R>(in, out);
                    for (int i = 0; i < R; i++) half[i][j] = out[i];
                }
                for (int i = 0; i < R; i++) {
                    vf out[R];
                    weight_values<R>(half[i], out);
                    for (int j = 0; j < R; j++) store(values + (i * R + j) * LANE + v, out[j]);
                }
            }
            transpose(values, R * R, std::min(LANE, planes - q0), LANE, dw + ((m0 + r) * planes + q0) * R * R, R * R);
        }
    }

    // targets [first, first + count) panels: all chunks of tiles
    void run_targets(int64_t first, int64_t count, float* v, float* d, float* sums) {
        for (int64_t start = 0; start < tiles.total; start += chunk) {
            const int64_t end = std::min(tiles.total, start + chunk), length = end - start;
            const int64_t parts = (length + 31) / 32, both = plane_panels + count;
            run_tasks(both * parts, [&](int64_t task) {
                const int64_t panel = task / parts, part = task % parts, from = start + length * part / parts, to = start + length * (part + 1) / parts;
                try {
                    const bool done = panel < plane_panels ? transform_planes(panel, start, from, to, v) : transform_targets(first, panel - plane_panels, start, from, to, d);
                    if (!done) enough = false;
                } catch (const std::bad_alloc&) { enough = false; }
            });
            if (!enough) return;
            const bool begin = start == 0, last = end == tiles.total;
            const int64_t group = plane_panels >= 8 ? 4 : 2, groups = (plane_panels + group - 1) / group;
            run_tasks(count * groups, [&](int64_t task) {
                const int64_t target = task / groups, q0 = task % groups * group, q1 = std::min(plane_panels, q0 + group);
                float* mine = sums ? sums + (target * plane_panels + q0) * PANEL : thread_buffer<float>(size_t(4 * PANEL), 3);
                if (!mine) { enough = false; return; }
                const int64_t rows = std::min(LANE, job.targets - (first + target) * LANE);
                for (int64_t point = 0; point < ALL; point++)
                    for (int64_t q = q0; q < q1; q++)
                        product_rows<LANE>(rows, length, d + (target * ALL + point) * point_step(), v + (q * ALL + point) * point_step(),
                                           mine + (q - q0) * PANEL + point * LANE * LANE, LANE, !begin);
                if (last) for (int64_t q = q0; q < q1; q++) transform_back(first + target, q, mine + (q - q0) * PANEL);
            });
        }
    }

    bool run() {
        const int64_t per_tile = ALL * LANE * 4 * (plane_panels + target_panels);
        chunk = std::clamp<int64_t>(CHUNK_MOST / per_tile, 32, std::max<int64_t>(32, tiles.total));
        const int64_t chunks = (tiles.total + chunk - 1) / chunk;
        chunk = (tiles.total + chunks - 1) / chunks;
        // where the sums of all points would be too many, a part of the targets at a time
        int64_t each = target_panels;
        if (chunks > 1) each = std::clamp<int64_t>(SUMS_MOST / (4 * PANEL * plane_panels), 1, target_panels);
        Scratch<float> v(size_t(plane_panels * ALL * point_step())), d(size_t(each * ALL * point_step()));
        Scratch<float> sums(chunks > 1 ? size_t(each * plane_panels * PANEL) : 0);
        for (int64_t first = 0; first < target_panels && enough; first += each)
            run_targets(first, std::min(each, target_panels - first), v, d, chunks > 1 ? sums.data : nullptr);
        return enough;
    }
};

template <int M, int R> bool weight_pays(const Job<float>& job) {
    int order[R];
    if (!plain_taps(job.axis[1], order) || !plain_taps(job.axis[2], order)) return false;
    const Tiles tiles(job, M);
    const double k = double((job.channels * job.axis[0].taps() + LANE - 1) / LANE * LANE), m = double((job.targets + LANE - 1) / LANE * LANE);
    const double k0 = double(job.channels * job.axis[0].taps()), m0 = double(job.targets);
    const double positions = double(job.images * job.axis[0].count * job.axis[1].count * job.axis[2].count), speed = 2.0 * L, t = double(tiles.total);
    const double winograd = t * (36 * k * m0 / speed + (50 * k + 40 * m)) + 25 * k * m0 * 8 / L;
    const double plain = R * R * positions * k0 * m / speed * 1.1 + positions * m * 0.5;
    return tiles.total > 0 && k0 > 0 && m0 > 0 && winograd < 0.95 * plain;
}

}  // namespace
}  // namespace winograd6

bool winograd_weight_pays(const Job<float>& job) { return winograd6::weight_pays<4, 3>(job) || winograd6::weight_pays<2, 5>(job); }

bool winograd_weight(const Job<float>& job, const float* gradient, int64_t gradient_image, int64_t gradient_channel, float* dw) {
    if (job.axis[1].taps() == 3) return winograd6::WeightGradient<4, 3>(job, gradient, gradient_image, gradient_channel, dw).run();
    return winograd6::WeightGradient<2, 5>(job, gradient, gradient_image, gradient_channel, dw).run();
}

}  // namespace weft
