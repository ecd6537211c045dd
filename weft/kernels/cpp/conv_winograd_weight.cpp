// The gradient of a 3x3 (or 5x5) weight by Winograd's points: dw = G^T [sum over tiles of (A g A^T) . (B^T x B)] G.
// Lanes are channels here: for each of the 36 points, (targets x tiles) @ (tiles x channels). Tiles are taken in chunks
// whose transforms fit the scratch; their sums are added up chunk by chunk, in order.
//
// Where the sums are few beside the tiles, the tiles are split, a task each, which keeps its transforms to itself: what
// another core has just written is read at a quarter of the speed of what is one's own. Otherwise the tasks share the
// transforms of a chunk, each for its part of the sums.
#include "conv_tiles.h"

#include <atomic>

namespace weft {
namespace winograd {
namespace {

// bytes of shared scratch: transforms of a chunk, sums of all points
constexpr int64_t CHUNK_MOST = 10 << 20, SUMS_MOST = 16 << 20;
// the same of a task that has its own, and the tiles that make such a task, or a chunk of it
constexpr int64_t OWN_CHUNK_MOST = 3 << 20, OWN_SUMS_MOST = 3 << 20, OWN_TILES = 128;
constexpr int64_t SPLITS_MOST = 16;

template <class S> struct WeightGradient {
    // PANEL: the sums of LANE targets by LANE planes; their points lie off powers of two, so that they don't meet in
    // the caches
    static constexpr int64_t ALL = S::ALL, SUMS = LANE * LANE + 16, PANEL = ALL * SUMS;
    const Job<float>& job;
    const float* gradient;
    int64_t gradient_image, gradient_channel;
    float* dw;
    Sides<S> sides;
    Bands bands;
    // channels: padded to whole vectors; planes: of all taps of the depth, all phases, all channels
    int64_t depth, channels, planes, plane_panels, target_panels;
    int64_t together = 0, tiles = 0;            // bands of a chunk, and how many tiles they have at most
    std::atomic<bool> enough{true};

    WeightGradient(const Job<float>& job, const Sides<S>& sides, const float* gradient, int64_t gradient_image,
                   int64_t gradient_channel, float* dw)
        : job(job),
          gradient(gradient),
          gradient_image(gradient_image),
          gradient_channel(gradient_channel),
          dw(dw),
          sides(sides),
          bands(sides.bands(job, 32)),
          depth(job.axis[0].taps()),
          channels((job.channels + L - 1) / L * L),
          planes(depth * S::PHASES * channels),
          plane_panels((planes + LANE - 1) / LANE),
          target_panels((job.targets + LANE - 1) / LANE) {}

    // floats between the points of one panel's transforms: the tiles of a chunk, off powers of two
    int64_t point_step() const { return tiles * LANE + 16; }

    // the tiles of a band, whose patches begin at `strip`, rows of it `line` apart: to[point][tile][lane]
    template <class Y, class X, int STEP>
    void transform_tiles(int64_t count, const float* strip, int64_t line, float* to) const {
        const int64_t step = point_step();
        for (int64_t t = 0; t < count; t++, strip += S::MX * STEP * L, to += LANE)
            both_ways<Y, X>([&](int i, int j) { return load(strip + i * line + j * STEP * L); },
                            [&](int i, int j, vf x) { store(to + (i * X::OUT + j) * step, x); });
    }

    // v[panel][point][tile][plane] for a vector of channels at one tap of the depth
    bool transform_planes(int64_t block, const Band& band, int64_t tile, float* v) const {
        static thread_local Window window;
        const int64_t tap = block / (channels / L), channel = block % (channels / L) * L;
        sides.set_source(job, band, window);
        float* strip = thread_buffer<float>(size_t(window.size()), 2);
        if (!strip) return false;
        window.clear(strip);
        if (const float* plane = plane_at(job, band.slice, channel, tap))
            window.fill(plane, std::min<int64_t>(L, job.channels - channel), job.source_channel,
                        S::MY * S::SY * job.axis[2].source, strip);
        for (int phase = 0; phase < S::PHASES; phase++) {
            const int64_t plane = (tap * S::PHASES + phase) * channels + channel;
            transform_tiles<InputPoints<S::PY>, InputPoints<S::PX>, S::SX>(
                band.count, strip + (phase / S::SX * window.columns + phase % S::SX) * L, window.columns * S::SY * L,
                v + plane / LANE * ALL * point_step() + tile * LANE + plane % LANE);
        }
        return true;
    }

    // d[panel][point][tile][target] for a vector of targets
    bool transform_targets(int64_t target, int64_t place, const Band& band, int64_t tile, float* d) const {
        static thread_local Window window;
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        sides.set_target(band, window);
        float* strip = thread_buffer<float>(size_t(window.size()), 2);
        if (!strip) return false;
        window.clear(strip);
        window.fill(gradient + band.slice / z.count * gradient_image + target * gradient_channel +
                        band.slice % z.count * y.count * x.count,
                    std::min<int64_t>(L, job.targets - target), gradient_channel, S::MY * x.count, strip);
        transform_tiles<GradientPoints<S::PY, S::MY>, GradientPoints<S::PX, S::MX>, 1>(
            band.count, strip, window.columns * L,
            d + place / LANE * ALL * point_step() + tile * LANE + place % LANE);
        return true;
    }

    // whether some plane of a panel has a tap to which the point belongs; if not, nobody reads its sums
    bool counts(int64_t panel, int64_t point) const {
        if (S::PHASES == 1) return true;
        const int64_t from = panel * LANE / channels, to = (std::min(planes, (panel + 1) * LANE) - 1) / channels;
        for (int64_t i = from; i <= to; i++) if (sides.full(0, int(i % S::PHASES), point)) return true;
        return false;
    }

    // the sums of one panel of targets by one of planes, transformed back into weights
    void transform_back(int64_t target_panel, int64_t plane_panel, const float* sums, float* weights) const {
        const int64_t m0 = target_panel * LANE, size = job.kernel[1] * job.kernel[2];
        alignas(64) float values[S::RY * S::RX * L];
        for (int64_t r = 0; r < std::min(LANE, job.targets - m0); r++)
            for (int64_t v = 0; v < LANE && plane_panel * LANE + v < planes; v += L) {
                const int64_t plane = plane_panel * LANE + v, channel = plane % channels,
                              count = std::min<int64_t>(L, job.channels - channel);
                const int phase = int(plane / channels % S::PHASES);
                both_ways<WeightValues<S::PY, S::RY>, WeightValues<S::PX, S::RX>>(
                    [&](int i, int j) { return load(sums + (i * S::PX + j) * SUMS + r * LANE + v); },
                    [&](int i, int j, vf x) { store(values + (i * S::RX + j) * L, x); });
                float* to = weights + size * (((m0 + r) * job.channels + channel) * depth +
                                              plane / channels / S::PHASES);
                if constexpr (S::PHASES == 1) transpose(values, S::RY * S::RX, count, L, to, depth * size);
                else
                    for (int i = 0; i < S::RY; i++)
                        for (int j = 0; j < S::RX; j++) {
                            const int row = sides.row_taps(0, phase)[i], column = sides.column_taps(0, phase)[j];
                            if (row < 0 || column < 0) continue;
                            for (int64_t lane = 0; lane < count; lane++)
                                to[lane * depth * size + row * job.kernel[2] + column] =
                                    values[(i * S::RX + j) * L + lane];
                        }
            }
    }

    // a panel of targets by panels [q0, q1) of planes: the sums over a chunk of `length` tiles, or more of them
    void multiply(const float* v, const float* d, int64_t rows, int64_t q0, int64_t q1, int64_t length, bool add,
                  float* sums) const {
        for (int64_t point = 0; point < ALL; point++)
            for (int64_t q = q0; q < q1; q++)
                if (counts(q, point))
                    product_rows<true>(rows, planes - q * LANE, length, d + point * point_step(), 0,
                                       v + (q * ALL + point) * point_step(), sums + (q - q0) * PANEL + point * SUMS,
                                       add);
    }
    int64_t rows_of(int64_t panel) const { return std::min(LANE, job.targets - panel * LANE); }
    int64_t tiles_of(int64_t from, int64_t to) const {      // of bands [from, to)
        return (to == bands.count ? bands.tiles : bands.first(to)) - bands.first(from);
    }

    // the transforms of bands [from, to), a chunk, for `count` panels of targets; a task has a vector of channels and
    // some bands
    void transform_chunk(int64_t first, int64_t count, int64_t from, int64_t to, float* v, float* d) {
        const int64_t each = std::max<int64_t>(1, 128 / bands.longest()), parts = (to - from + each - 1) / each;
        const int64_t sources = depth * channels / L, m0 = first * LANE,
                      targets = (std::min(count * LANE, job.targets - m0) + L - 1) / L;
        run_tasks((sources + targets) * parts, [&](int64_t task) {
            const int64_t block = task / parts, begin = from + task % parts * each;
            try {
                for (int64_t b = begin; b < std::min(to, begin + each); b++) {
                    const int64_t tile = bands.first(b) - bands.first(from), i = block - sources;
                    const bool done = i < 0 ? transform_planes(block, bands[b], tile, v)
                                            : transform_targets(m0 + i * L, i * L, bands[b], tile, d);
                    if (!done) enough = false;
                }
            } catch (const std::bad_alloc&) { enough = false; }
        });
    }

    // targets [first, first + count) panels: all chunks of tiles
    void run_targets(int64_t first, int64_t count, float* v, float* d, float* sums) {
        for (int64_t from = 0; from < bands.count; from += together) {
            const int64_t to = std::min(bands.count, from + together);
            const bool begin = from == 0, last = to == bands.count;
            const int64_t length = tiles_of(from, to);
            transform_chunk(first, count, from, to, v, d);
            if (!enough) return;
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
                multiply(v, d + target * ALL * point_step(), rows_of(first + target), q0, q1, length, !begin, mine);
                if (last)
                    for (int64_t q = q0; q < q1; q++) transform_back(first + target, q, mine + (q - q0) * PANEL, dw);
            });
        }
    }

    // How many tasks have tiles of their own; 1: they share them. As many as give each some tiles, and whose results,
    // which are added up, are little beside what would be shared.
    int64_t splits() const {
        const int64_t panels = plane_panels + target_panels, weights = job.targets * job.channels * depth;
        if (4 * PANEL * plane_panels * target_panels > OWN_SUMS_MOST) return 1;
        const int64_t fitting = bands.tiles * ALL * LANE * panels / (8 * weights * job.kernel[1] * job.kernel[2]);
        const int64_t most = std::min({SPLITS_MOST, bands.tiles / OWN_TILES, bands.count, fitting});
        return most < 2 ? 1 : most & (most < 4 ? ~1 : ~3);      // several threads have as many of them
    }

    // bands [from, to) by this task alone: its part of the sums, transformed back
    bool run_split(int64_t from, int64_t to, float* weights) const {
        const int64_t v_size = plane_panels * ALL * point_step(), d_size = target_panels * ALL * point_step();
        float* v = thread_buffer<float>(size_t(v_size + d_size + target_panels * plane_panels * PANEL), 3);
        if (!v) return false;
        float *d = v + v_size, *sums = d + d_size;
        for (int64_t begin = from, end; begin < to; begin = end) {
            end = std::min(to, begin + together);
            for (int64_t b = begin; b < end; b++) {
                const int64_t tile = bands.first(b) - bands.first(begin);
                for (int64_t i = 0; i < depth * channels / L; i++)
                    if (!transform_planes(i, bands[b], tile, v)) return false;
                for (int64_t m = 0; m < job.targets; m += L)
                    if (!transform_targets(m, m, bands[b], tile, d)) return false;
            }
            for (int64_t target = 0; target < target_panels; target++)
                multiply(v, d + target * ALL * point_step(), rows_of(target), 0, plane_panels, tiles_of(begin, end),
                         begin > from, sums + target * plane_panels * PANEL);
        }
        for (int64_t i = 0; i < target_panels * plane_panels; i++)
            transform_back(i / plane_panels, i % plane_panels, sums + i * PANEL, weights);
        return true;
    }

    void run_splits(int64_t count) {
        const int64_t size = job.targets * job.channels * depth * job.kernel[1] * job.kernel[2];
        Scratch<float> parts(size_t((count - 1) * size));
        const int64_t longest = (bands.count + count - 1) / count;      // bands of a split, then of a chunk of it
        const int64_t fitting = std::max(OWN_TILES, OWN_CHUNK_MOST / (ALL * LANE * 4 * (plane_panels + target_panels)));
        const int64_t most = std::max<int64_t>(1, fitting / bands.longest()), chunks = (longest + most - 1) / most;
        together = (longest + chunks - 1) / chunks;
        tiles = together * bands.longest();
        run_tasks(count, [&](int64_t i) {
            try {
                const int64_t from = bands.count * i / count, to = bands.count * (i + 1) / count;
                if (!run_split(from, to, i ? parts + (i - 1) * size : dw)) enough = false;
            } catch (const std::bad_alloc&) { enough = false; }
        });
        parallel(size, std::max<int64_t>(1, 65536 / count), [&](int64_t from, int64_t to) {
            for (int64_t i = 0; i + 1 < count; i++)
                for (int64_t e = from; e < to; e++) dw[e] += parts[i * size + e];
        });
    }

    bool run() {
        if (const int64_t count = splits(); count > 1) {
            run_splits(count);
            return enough;
        }
        const int64_t per_tile = ALL * LANE * 4 * (plane_panels + target_panels);
        const int64_t most = std::max<int64_t>(1, std::max<int64_t>(32, CHUNK_MOST / per_tile) / bands.longest());
        const int64_t chunks = (bands.count + most - 1) / most;         // most: bands of a chunk
        together = (bands.count + chunks - 1) / chunks;
        tiles = together * bands.longest();
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

template <class S> bool weight_pays(const Job<float>& job, const Sides<S>& sides) {
    const double speed = 2.0 * L, points = S::ALL, taps = double(job.axis[1].taps() * job.axis[2].taps());
    const double c = double(job.channels * job.axis[0].taps()), m = double(job.targets);
    const double tiles = double(sides.bands(job, 1).tiles),
                 positions = double(job.images * job.axis[0].count * job.axis[1].count * job.axis[2].count);
    const int64_t depths = job.axis[0].taps() * S::PHASES, planes = int64_t(vectors(job.channels)) * L * depths;
    const double winograd = tiles * points * (lanes_used(planes) * m / speed + 5 * vectors(planes) +
                            5 * vectors(job.targets)) + 0.35 * points * double(planes) * m * 8 / L;
    const double width = job.targets <= L ? L : double((job.targets + LANE - 1) / LANE * LANE);
    const double plain = taps * positions * c * width / speed * 1.1 + positions * width * 0.5;
    return taps * positions * c * m > WORK_LEAST && winograd < plain;
}

}  // namespace
}  // namespace winograd

bool winograd_weight(const Job<float>& job, const float* gradient, int64_t gradient_image, int64_t gradient_channel,
                     float* dw, bool& done) {
    using namespace winograd;
    const auto attempt = [&]<class S>(S) {
        Sides<S> sides;
        if (!sides.set(job) || !weight_pays(job, sides)) return false;
        done = WeightGradient<S>(job, sides, gradient, gradient_image, gradient_channel, dw).run();
        return true;
    };
    if (job.axis[2].stride == 1)
        return attempt(Scheme<4, 3, 4, 3, 1>{}) || attempt(Scheme<2, 5, 2, 5, 1>{}) || attempt(Scheme<4, 2, 4, 2, 1>{})
               || attempt(Scheme<1, 1, 4, 5, 1>{}) || attempt(Scheme<1, 1, 4, 3, 1>{});
    return attempt(Scheme<4, 2, 4, 2, 2>{}) || attempt(Scheme<3, 4, 3, 4, 2>{});
}

}  // namespace weft
