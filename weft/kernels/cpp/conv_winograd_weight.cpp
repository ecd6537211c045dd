// The gradient of a 3x3 (or 5x5) weight by Winograd's points: dw = G^T [sum over tiles of (A g A^T) . (B^T x B)] G.
// Lanes are channels here: for each of the 36 points, (targets x tiles) @ (tiles x channels). Tiles are taken in chunks
// whose transforms fit the scratch; their sums are added up chunk by chunk, in order.
#include "conv_tiles.h"

#include <atomic>

namespace weft {
namespace winograd {
namespace {

// bytes of shared scratch: transforms of a chunk, sums of all points
constexpr int64_t CHUNK_MOST = 10 << 20, SUMS_MOST = 16 << 20;

template <class S> struct WeightGradient {
    // PANEL: the sums of LANE targets by LANE planes
    static constexpr int64_t ALL = S::ALL, PANEL = ALL * LANE * LANE;
    const Job<float>& job;
    const float* gradient;
    int64_t gradient_image, gradient_channel;
    float* dw;
    Tiles tiles;
    int64_t planes, plane_panels, target_panels, chunk;
    Taps<S::RY, S::SY> row_taps;
    Taps<S::RX, S::SX> column_taps;
    std::atomic<bool> enough{true};

    WeightGradient(const Job<float>& job, const float* gradient, int64_t gradient_image, int64_t gradient_channel,
                   float* dw)
        : job(job),
          gradient(gradient),
          gradient_image(gradient_image),
          gradient_channel(gradient_channel),
          dw(dw),
          tiles(job, S::MY, S::MX) {
        planes = job.channels * job.axis[0].taps() * S::PHASES;
        row_taps.set(job.axis[1]);
        column_taps.set(job.axis[2]);
        plane_panels = (planes + LANE - 1) / LANE;
        target_panels = (job.targets + LANE - 1) / LANE;
    }

    // floats between the points of one panel's transforms: `chunk` tiles of LANE, off powers of two
    int64_t point_step() const { return chunk * LANE + 16; }

    // one panel of LANE planes (or targets): place[point][tile][lane] for tiles [from, to) of the chunk that begins at
    // `start`; the phases of one source share its copy
    template <class Y, class X, int PHASES, class Plane>
    void transform_panel(const Patches& patches, int64_t lanes, int64_t height, int64_t width, Plane&& plane,
                         float* copy, int64_t start, int64_t from, int64_t to, float* place) const {
        alignas(64) float side_by_side[Y::IN * X::IN * LANE];
        int64_t base[LANE];
        const float *zero = nullptr, *mine = nullptr;
        for (int64_t lane = 0; lane < LANE; lane++) {
            // lanes that are not there repeat the last one; nobody reads them
            if (lane >= lanes) { base[lane] = base[lanes - 1]; continue; }
            const int64_t phase = lane % PHASES;
            if (phase == 0)
                mine = patches.load([&](int64_t slice) { return plane(lane / PHASES, slice); }, height, width,
                                    copy + lane / PHASES * patches.size);
            if (lane == 0) zero = mine;
            base[lane] = mine - zero + phase / S::SX * patches.phase_row + phase % S::SX * patches.phase_column;
        }
        for (int64_t t = from; t < to; t++) {
            const int64_t offset = patches.offset[size_t(t - from)];
            gather<Y::IN, X::IN>(zero + offset, [&](int64_t lane) { return base[lane]; }, patches.row_step,
                                 side_by_side);
            transform_patches<Y, X>(side_by_side, place + (t - start) * LANE, point_step());
        }
    }

    bool transform_planes(int64_t panel, int64_t start, int64_t from, int64_t to, float* v) const {
        static thread_local Patches patches;
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const bool may_stay = z.count == 1 && z.low >= 0 && z.high < z.source;
        patches.set(tiles, from, to, S::MY, S::MX, S::PY, S::PX, S::SY, S::SX, y.low, x.low, y.source, x.source,
                    may_stay, job.source_image);
        float* copy = thread_buffer<float>(size_t(patches.size * LANE + 16), 2);
        if (!copy) return false;
        static_assert(LANE % S::PHASES == 0);
        transform_panel<InputPoints<S::PY>, InputPoints<S::PX>, S::PHASES>(
            patches, std::min(LANE, planes - panel * LANE), y.source, x.source, [&](int64_t source, int64_t slice) {
            return plane_at(job, slice, panel * LANE / S::PHASES + source);
        }, copy, start, from, to, v + panel * ALL * point_step());
        return true;
    }

    bool transform_targets(int64_t first, int64_t panel, int64_t start, int64_t from, int64_t to, float* d) const {
        static thread_local Patches patches;
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        patches.set(tiles, from, to, S::MY, S::MX, S::MY, S::MX, 1, 1, 0, 0, y.count, x.count, z.count == 1,
                    gradient_image);
        float* copy = thread_buffer<float>(size_t(patches.size * LANE + 16), 2);
        if (!copy) return false;
        const int64_t m0 = (first + panel) * LANE;
        const auto plane = [&](int64_t lane, int64_t slice) {
            return gradient + slice / z.count * gradient_image + (m0 + lane) * gradient_channel +
                   slice % z.count * y.count * x.count;
        };
        transform_panel<GradientPoints<S::PY, S::MY>, GradientPoints<S::PX, S::MX>, 1>(
            patches, std::min(LANE, job.targets - m0), y.count, x.count, plane, copy, start, from, to,
            d + panel * ALL * point_step());
        return true;
    }

    // the sums of one panel of targets by one of planes, transformed back into dw
    void transform_back(int64_t target_panel, int64_t plane_panel, const float* sums) const {
        const int64_t m0 = target_panel * LANE, q0 = plane_panel * LANE, count = std::min(LANE, planes - q0),
                      size = job.kernel[1] * job.kernel[2];
        alignas(64) float values[S::RY * S::RX * LANE];
        for (int64_t r = 0; r < std::min(LANE, job.targets - m0); r++) {
            for (int64_t v = 0; v < LANE; v += L)
                both_ways<WeightValues<S::PY, S::RY>, WeightValues<S::PX, S::RX>>(
                    [&](int i, int j) { return load(sums + ((i * S::PX + j) * LANE + r) * LANE + v); },
                    [&](int i, int j, vf x) { store(values + (i * S::RX + j) * LANE + v, x); });
            float* to = dw + (m0 + r) * (planes / S::PHASES) * size + q0 / S::PHASES * size;
            if constexpr (S::PHASES == 1) transpose(values, S::RY * S::RX, count, LANE, to, size);
            else
                for (int64_t lane = 0; lane < count; lane++)
                    for (int i = 0; i < S::RY; i++)
                        for (int j = 0; j < S::RX; j++) {
                            const int row = row_taps.tap[lane % S::PHASES / S::SX][i],
                                      column = column_taps.tap[lane % S::SX][j];
                            if (row >= 0 && column >= 0)
                                to[lane / S::PHASES * size + row * job.kernel[2] + column] =
                                    values[(i * S::RX + j) * LANE + lane];
                        }
        }
    }

    // targets [first, first + count) panels: all chunks of tiles
    void run_targets(int64_t first, int64_t count, float* v, float* d, float* sums) {
        for (int64_t start = 0; start < tiles.total; start += chunk) {
            const int64_t end = std::min(tiles.total, start + chunk), length = end - start;
            const int64_t parts = (length + 31) / 32, both = plane_panels + count;
            run_tasks(both * parts, [&](int64_t task) {
                const int64_t panel = task / parts, part = task % parts, from = start + length * part / parts,
                              to = start + length * (part + 1) / parts;
                try {
                    const bool done = panel < plane_panels
                                          ? transform_planes(panel, start, from, to, v)
                                          : transform_targets(first, panel - plane_panels, start, from, to, d);
                    if (!done) enough = false;
                } catch (const std::bad_alloc&) { enough = false; }
            });
            if (!enough) return;
            const bool begin = start == 0, last = end == tiles.total;
            const int64_t group = plane_panels >= 8 ? 4 : 2, groups = (plane_panels + group - 1) / group;
            run_tasks(count * groups, [&](int64_t task) {
                const int64_t target = task / groups, q0 = task % groups * group,
                              q1 = std::min(plane_panels, q0 + group);
                float* mine =
                    sums ? sums + (target * plane_panels + q0) * PANEL : thread_buffer<float>(size_t(4 * PANEL), 3);
                if (!mine) {
                    enough = false;
                    return;
                }
                const int64_t rows = std::min(LANE, job.targets - (first + target) * LANE);
                for (int64_t point = 0; point < ALL; point++)
                    for (int64_t q = q0; q < q1; q++)
                        product_rows<LANE>(rows, length, d + (target * ALL + point) * point_step(),
                                           v + (q * ALL + point) * point_step(),
                                           mine + (q - q0) * PANEL + point * LANE * LANE, LANE, !begin);
                if (last)
                    for (int64_t q = q0; q < q1; q++) transform_back(first + target, q, mine + (q - q0) * PANEL);
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

template <class S> bool weight_pays(const Job<float>& job) {
    Taps<S::RY, S::SY> rows;
    Taps<S::RX, S::SX> columns;
    if (!rows.set(job.axis[1]) || !columns.set(job.axis[2])) return false;
    const auto padded = [](double n) { return double((int64_t(n) + LANE - 1) / LANE * LANE); };
    const Tiles tiles(job, S::MY, S::MX);
    const double c = double(job.channels * job.axis[0].taps()), k = padded(c * S::PHASES), m = double(job.targets),
                 points = S::ALL;
    const double taps = double(job.axis[1].taps() * job.axis[2].taps());
    const double positions = double(job.images * job.axis[0].count * job.axis[1].count * job.axis[2].count),
                 speed = 2.0 * L, t = double(tiles.total);
    const double winograd =
        t * (points * k * m / speed + points * (1.4 * k + 1.1 * padded(m))) + points * 0.7 * k * m * 8 / L;
    const double plain = taps * positions * c * padded(m) / speed * 1.1 + positions * padded(m) * 0.5;
    return taps * positions * c * m > WORK_LEAST && winograd < 0.95 * plain;
}

}  // namespace
}  // namespace winograd

bool winograd_weight(const Job<float>& job, const float* gradient, int64_t gradient_image, int64_t gradient_channel,
                     float* dw, bool& done) {
    using namespace winograd;
    const auto attempt = [&]<class S>(S) {
        if (!weight_pays<S>(job)) return false;
        done = WeightGradient<S>(job, gradient, gradient_image, gradient_channel, dw).run();
        return true;
    };
    if (job.axis[2].stride == 1)
        return attempt(Scheme<4, 3, 4, 3, 1>{}) || attempt(Scheme<2, 5, 2, 5, 1>{}) || attempt(Scheme<4, 2, 4, 2, 1>{})
               || attempt(Scheme<1, 1, 4, 5, 1>{}) || attempt(Scheme<1, 1, 4, 3, 1>{});
    return attempt(Scheme<4, 2, 4, 2, 2>{}) || attempt(Scheme<3, 4, 3, 4, 2>{});
}

}  // namespace weft
