// Winograd's convolution forward, which is also the gradient of the input with the taps read backwards.
//
// Few weights: they are transformed once; a task takes two panels of tiles, transforms their patches, multiplies and
// transforms back, all in its second cache. Many weights (more than tiles): patches are transformed first, a task then
// takes a block of target channels and transforms its weights itself. Sums go over channels in order, so the division
// into tasks doesn't matter.
#include "conv_tiles.h"

#include <atomic>

namespace weft {
namespace winograd {
namespace {

constexpr int64_t BLOCK = 4 * ROWS;             // target channels whose weights lie side by side
constexpr int64_t GROUP = 2;                    // panels of tiles that are multiplied together
// planes that are summed before they are added to the rest: long sums in pieces are more exact
constexpr int64_t SUM_MOST = 128;
constexpr int64_t WEIGHTS_MOST = 6 << 20, PATCHES_MOST = 8 << 20;      // bytes of shared scratch

template <class S> struct Forward {
    static constexpr int64_t ALL = S::ALL, MY = S::MY, MX = S::MX;
    const Job<float>& job;
    Tiles tiles;
    int64_t sources, planes, blocks, panels;    // sources: channels and depths; each has the planes of its phases
    // floats between points, off powers of two, so that they don't meet in the caches
    int64_t weight_step, patch_step;
    Taps<S::RY, S::SY> row_taps;
    Taps<S::RX, S::SX> column_taps;
    std::atomic<bool> enough{true};

    explicit Forward(const Job<float>& job) : job(job), tiles(job, MY, MX) {
        sources = job.channels * job.axis[0].taps();
        planes = sources * S::PHASES;
        blocks = (job.targets + BLOCK - 1) / BLOCK;
        panels = (tiles.total + LANE - 1) / LANE;
        weight_step = planes * BLOCK + 16;
        patch_step = planes * LANE + 16;
        row_taps.set(job.axis[1]);
        column_taps.set(job.axis[2]);
    }

    // weights of one block for sources [from, to): u[point][plane][target]
    bool transform_weights(int64_t block, int64_t from, int64_t to, float* u) const {
        const int64_t m0 = block * BLOCK, count = std::min(BLOCK, job.targets - m0), depth = job.axis[0].taps();
        const int64_t size = job.kernel[1] * job.kernel[2];
        float* taps = thread_buffer<float>(size_t((size + 1) * BLOCK), 3);         // and one that is missing: zeros
        if (!taps) return false;
        std::memset(taps, 0, size_t((size + 1) * BLOCK) * sizeof(float));
        for (int64_t q = from; q < to; q++) {
            const int64_t kd = job.axis[0].index[size_t(q % depth)];
            transpose(job.weight + m0 * job.weight_m + q / depth * job.weight_c + kd * size, count, size, job.weight_m,
                      taps, BLOCK);
            for (int phase = 0; phase < S::PHASES; phase++) {
                const auto &rows = row_taps.tap[phase / S::SX], &columns = column_taps.tap[phase % S::SX];
                for (int64_t v = 0; v < BLOCK; v += L)
                    both_ways<WeightPoints<S::PY, S::RY>, WeightPoints<S::PX, S::RX>>([&](int i, int j) {
                        const int64_t tap = rows[i] < 0 || columns[j] < 0 ? size : rows[i] * job.kernel[2] + columns[j];
                        return load(taps + tap * BLOCK + v);
                    }, [&](int i, int j, vf x) {
                        store(u + (i * S::PX + j) * weight_step + (phase * sources + q) * BLOCK + v, x);
                    });
            }
        }
        return true;
    }

    void set_patches(int64_t panel, int64_t count, Patches& to) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const bool may_stay = z.count == 1 && z.low >= 0 && z.high < z.source;
        to.set(tiles, panel * LANE, std::min(tiles.total, (panel + count) * LANE), MY, MX, S::PY, S::PX, S::SY, S::SX,
               y.low, x.low, y.source, x.source, may_stay, job.source_image);
    }

    // patches of some panels for sources [from, to): v[panel][point][plane][tile]
    void transform_sources(const Patches& patches, int64_t count, int64_t from, int64_t to, float* copy,
                           float* v) const {
        alignas(64) float side_by_side[ALL * LANE];
        for (int64_t q = from; q < to; q++) {
            const float* base = patches.load([&](int64_t slice) { return plane_at(job, slice, q); }, job.axis[1].source,
                                             job.axis[2].source, copy);
            for (int64_t p = 0; p < count; p++) {
                const int64_t* offset = patches.offset.data() + p * LANE;
                for (int phase = 0; phase < S::PHASES; phase++) {
                    gather<S::PY, S::PX>(
                        base + phase / S::SX * patches.phase_row + phase % S::SX * patches.phase_column,
                        [&](int64_t lane) { return offset[lane]; }, patches.row_step, side_by_side);
                    transform_patches<InputPoints<S::PY>, InputPoints<S::PX>>(
                        side_by_side, v + p * ALL * patch_step + (phase * sources + q) * LANE, patch_step);
                }
            }
        }
    }

    // whether a phase has all its taps; at infinity the weights of the others are zero
    bool full(int phase, bool last_row, bool last_column) const {
        return !(last_row && row_taps.tap[phase / S::SX][S::RY - 1] < 0) &&
               !(last_column && column_taps.tap[phase % S::SX][S::RX - 1] < 0);
    }

    // products[point][target][LANE] for one panel and one block
    void multiply(int64_t rows, const float* u, const float* v, float* products) const {
        for (int64_t point = 0; point < ALL; point++) {
            const bool last_row = S::PHASES > 1 && point / S::PX == S::PY - 1,
                       last_column = S::PHASES > 1 && point % S::PX == S::PX - 1;
            const float *a = u + point * weight_step, *b = v + point * patch_step;
            for (int from = 0, to; from < S::PHASES; from = to) {       // runs of phases that take part
                for (to = from + 1; to < S::PHASES && full(to, last_row, last_column); to++) {}
                for (int64_t k = from * sources, end = to * sources; k < end; k += SUM_MOST)
                    product_rows<BLOCK>(rows, std::min(SUM_MOST, end - k), a + k * BLOCK, b + k * LANE,
                                        products + point * BLOCK * LANE, LANE, k > 0);
                while (to < S::PHASES && !full(to, last_row, last_column)) to++;
            }
        }
    }

    void transform_back(int64_t target, int64_t rows, int64_t panel, const float* products) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const int64_t first = panel * LANE, count = std::min(LANE, tiles.total - first),
                      line = y.step * job.target_size[2];
        int64_t at[LANE], down[LANE], across[LANE];
        for (int64_t i = 0; i < count; i++) {
            const int64_t t = first + i, slice = t / tiles.each, row = t % tiles.each / tiles.across * MY,
                          column = t % tiles.across * MX;
            at[i] = slice / z.count * job.target_image +
                    (z.first + slice % z.count * z.step) * job.target_size[1] * job.target_size[2] +
                    y.first * job.target_size[2] + row * line + x.first + column * x.step;
            down[i] = std::min<int64_t>(MY, y.count - row);
            across[i] = std::min<int64_t>(MX, x.count - column);
        }
        alignas(64) float values[MY * MX * LANE];
        for (int64_t r = 0; r < rows; r++) {
            const int64_t m = target + r;
            const vf bias = splat<float>(job.bias ? job.bias[m] : 0.0f);
            const float* from = products + r * LANE;
            for (int64_t v = 0; v < LANE; v += L)
                both_ways<OutputValues<S::PY, S::MY>, OutputValues<S::PX, S::MX>>(
                    [&](int i, int j) { return load(from + (i * S::PX + j) * BLOCK * LANE + v); },
                    [&](int i, int j, vf e) { store(values + (i * MX + j) * LANE + v, e + bias); });
            scatter(values, count, at, down, across, job.target + m * job.target_channel, line, x.step);
        }
    }

    static void scatter(const float* values, int64_t count, const int64_t* at, const int64_t* down,
                        const int64_t* across, float* to, int64_t line, int64_t step) {
        for (int64_t t = 0; t < count; t += 4) {
            bool whole = t + 4 <= count;
            for (int64_t i = t; i < std::min(count, t + 4); i++) whole = whole && down[i] == MY && across[i] == MX;
            if (whole) {
                for (int i = 0; i < MY; i++) {
                    const float* from = values + i * MX * LANE + t;
                    Four v[4];
#pragma GCC unroll 4
                    for (int j = 0; j < 4; j++) v[j] = load_four(from + std::min<int>(j, MX - 1) * LANE);
                    transpose_four(v[0], v[1], v[2], v[3]);
#pragma GCC unroll 4
                    for (int e = 0; e < 4; e++) {
                        float* place = to + at[t + e] + i * line;
                        if (step == 1) std::memcpy(place, &v[e], MX * sizeof(float));
                        else
#pragma GCC unroll 4
                            for (int j = 0; j < MX; j++) place[j * step] = v[e][j];
                    }
                }
                continue;
            }
            for (int64_t e = t; e < std::min(count, t + 4); e++)
                for (int64_t i = 0; i < down[e]; i++)
                    for (int64_t j = 0; j < across[e]; j++)
                        to[at[e] + i * line + j * step] = values[(i * MX + j) * LANE + e];
        }
    }

    void run_block(int64_t block, const float* u, const float* v, int64_t panel, float* products) const {
        const int64_t rows = std::min(BLOCK, job.targets - block * BLOCK);
        multiply(rows, u, v, products);
        transform_back(block * BLOCK, rows, panel, products);
    }

    void few_weights() {
        Scratch<float> u(size_t(blocks * ALL * weight_step));
        const int64_t parts = std::clamp<int64_t>(planes * BLOCK / 4096, 1, sources);
        const auto weights = [&](int64_t from, int64_t to) {
            for (int64_t i = from; i < to; i++) {
                const int64_t block = i / parts, part = i % parts;
                if (!transform_weights(block, sources * part / parts, sources * (part + 1) / parts,
                                       u + block * ALL * weight_step))
                    enough = false;
            }
        };
        parallel(blocks * parts, std::max<int64_t>(1, 2048 * parts / (planes * BLOCK)), weights);
        const int64_t tasks = (panels + GROUP - 1) / GROUP;
        const auto one = [&](int64_t task) {
            static thread_local Patches patches;
            const int64_t panel = task * GROUP, count = std::min(GROUP, panels - panel);
            set_patches(panel, count, patches);
            const int64_t v_size = count * ALL * patch_step, p_size = ALL * BLOCK * LANE;
            float* memory = thread_buffer<float>(size_t(v_size + p_size + patches.size + 16), 2);
            if (!memory) { enough = false; return; }
            float *products = memory + v_size, *copy = products + p_size;
            transform_sources(patches, count, 0, sources, copy, memory);
            for (int64_t block = 0; block < blocks; block++) {
                for (int64_t p = 0; p < count; p++)
                    run_block(block, u + block * ALL * weight_step, memory + p * ALL * patch_step, panel + p, products);
            }
        };
        run_tasks(tasks, [&](int64_t task) { try { one(task); } catch (const std::bad_alloc&) { enough = false; } });
    }

    void many_weights() {
        const int64_t most = std::clamp<int64_t>(PATCHES_MOST / (4 * ALL * patch_step), 1, panels);
        const int64_t chunks = (panels + most - 1) / most, chunk = (panels + chunks - 1) / chunks;
        Scratch<float> v(size_t(chunk * ALL * patch_step));
        for (int64_t start = 0; start < panels; start += chunk) {
            const int64_t count = std::min(chunk, panels - start), parts = std::max<int64_t>(1, sources / 32);
            const auto gather_one = [&](int64_t task) {
                static thread_local Patches patches;
                const int64_t panel = task / parts, part = task % parts;
                set_patches(start + panel, 1, patches);
                float* copy = thread_buffer<float>(size_t(patches.size + 16), 2);
                if (!copy) { enough = false; return; }
                transform_sources(patches, 1, sources * part / parts, sources * (part + 1) / parts, copy,
                                  v + panel * ALL * patch_step);
            };
            run_tasks(count * parts, [&](int64_t task) {
                try {
                    gather_one(task);
                } catch (const std::bad_alloc&) { enough = false; }
            });
            run_tasks(blocks, [&](int64_t block) {
                float* u = thread_buffer<float>(size_t(ALL * weight_step + ALL * BLOCK * LANE), 2);
                if (!u) { enough = false; return; }
                float* products = u + ALL * weight_step;
                if (!transform_weights(block, 0, sources, u)) { enough = false; return; }
                for (int64_t p = 0; p < count; p++) run_block(block, u, v + p * ALL * patch_step, start + p, products);
            });
        }
    }

    bool run() {
        if (4 * blocks * ALL * weight_step <= WEIGHTS_MOST) few_weights(); else many_weights();
        return enough;
    }
};

// Cycles of Winograd's way and the plain one on one core, roughly: they share the products' speed, and differ in what
// they do besides.
template <class S> bool pays(const Job<float>& job) {
    Taps<S::RY, S::SY> rows;
    Taps<S::RX, S::SX> columns;
    if (!rows.set(job.axis[1]) || !columns.set(job.axis[2])) return false;
    const Tiles tiles(job, S::MY, S::MX);
    const double c = double(job.channels * job.axis[0].taps()), k = c * S::PHASES, m = double(job.targets),
                 lanes = double(LANE), points = S::ALL;
    const double taps = double(job.axis[1].taps() * job.axis[2].taps());
    const double panels = double((tiles.total + LANE - 1) / LANE),
                 positions = double(job.images * job.axis[0].count * job.axis[1].count * job.axis[2].count);
    const double speed = 2.0 * L;       // products per cycle
    const double winograd =
        panels * (points * lanes * k * m / speed + lanes / 16 * (19 * points * k + 10 * points * m)) +
        points / 3 * k * m * 8 / L;
    const double plain = taps * (positions * c * m / speed * 1.1 + positions / lanes * 6 * c);
    return taps * positions * c * m > WORK_LEAST && winograd < 0.95 * plain;
}

template <class S> bool try_scheme(const Job<float>& job, bool& done) {
    if (!pays<S>(job)) return false;
    done = Forward<S>(job).run();
    return true;
}

}  // namespace
}  // namespace winograd

bool winograd_forward(const Job<float>& job, bool& done) {
    using namespace winograd;
    if (job.axis[2].stride == 1)
        return try_scheme<Scheme<4, 3, 4, 3, 1>>(job, done) || try_scheme<Scheme<2, 5, 2, 5, 1>>(job, done) ||
               try_scheme<Scheme<4, 2, 4, 2, 1>>(job, done) || try_scheme<Scheme<1, 1, 4, 5, 1>>(job, done) ||
               try_scheme<Scheme<1, 1, 4, 3, 1>>(job, done);
    return try_scheme<Scheme<4, 2, 4, 2, 2>>(job, done) || try_scheme<Scheme<3, 4, 3, 4, 2>>(job, done);
}

}  // namespace weft
