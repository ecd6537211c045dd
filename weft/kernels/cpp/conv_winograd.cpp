// Winograd's convolution forward, which is also the gradient of the input with the taps read backwards.
//
// Few weights: they are transformed once; a task takes two panels of tiles, transforms their patches, multiplies and transforms back, all in
// its second cache. Many weights (more than tiles): patches are transformed first, a task then takes a block of target channels and
// transforms its weights itself. Sums go over channels in order, so the division into tasks doesn't matter.
#include "conv_tiles.h"

#include <atomic>

namespace weft {
namespace winograd6 {
namespace {

constexpr int64_t BLOCK = 4 * ROWS;             // target channels whose weights lie side by side
constexpr int64_t GROUP = 2;                    // panels of tiles that are multiplied together
constexpr int64_t WEIGHTS_MOST = 6 << 20, PATCHES_MOST = 8 << 20;      // bytes of shared scratch

template <int M, int R> struct Forward {
    const Job<float>& job;
    Tiles tiles;
    int64_t planes, blocks, panels;
    int64_t weight_step, patch_step;            // floats between points, off powers of two, so that they don't meet in the caches
    int row_order[R], column_order[R];
    std::atomic<bool> enough{true};

    explicit Forward(const Job<float>& job) : job(job), tiles(job, M) {
        planes = job.channels * job.axis[0].taps();
        blocks = (job.targets + BLOCK - 1) / BLOCK;
        panels = (tiles.total + LANE - 1) / LANE;
        weight_step = planes * BLOCK + 16;
        patch_step = planes * LANE + 16;
        plain_taps(job.axis[1], row_order);
        plain_taps(job.axis[2], column_order);
    }

    // weights of one block for planes [from, to): u[point][plane][target]
    void transform_weights(int64_t block, int64_t from, int64_t to, float* u) const {
        const int64_t m0 = block * BLOCK, count = std::min(BLOCK, job.targets - m0), depth = job.axis[0].taps();
        alignas(64) float taps[R * R * BLOCK];
        if (count < BLOCK) std::memset(taps, 0, sizeof taps);
        for (int64_t q = from; q < to; q++) {
            const int64_t kd = job.axis[0].index[size_t(q % depth)];
            transpose(job.weight + m0 * job.weight_m + q / depth * job.weight_c + kd * R * R, count, R * R, job.weight_m, taps, BLOCK);
            for (int64_t v = 0; v < BLOCK; v += L) {
                vf half[6][R];
                for (int j = 0; j < R; j++) {
                    vf in[R], out[6];
                    for (int i = 0; i < R; i++) in[i] = load(taps + (row_order[i] * R + column_order[j]) * BLOCK + v);
                    weight_points<R>(in, out);
                    for (int i = 0; i < 6; i++) half[i][j] = out[i];
                }
                for (int i = 0; i < 6; i++) {
                    vf out[6];
                    weight_points<R>(half[i], out);
                    for (int j = 0; j < 6; j++) store(u + (i * 6 + j) * weight_step + q * BLOCK + v, out[j]);
                }
            }
        }
    }

    void set_patches(int64_t panel, int64_t count, Patches& to) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const bool may_stay = z.count == 1 && z.low >= 0 && z.high < z.source;
        to.set(tiles, panel * LANE, std::min(tiles.total, (panel + count) * LANE), M, 6, y.low, x.low, y.source, x.source, may_stay, job.source_image);
    }

    // patches of some panels for planes [from, to): v[panel][point][plane][tile]
    void transform_patches(const Patches& patches, int64_t count, int64_t from, int64_t to, float* copy, float* v) const {
        alignas(64) float side_by_side[ALL * LANE];
        for (int64_t q = from; q < to; q++) {
            const float* base = patches.load([&](int64_t slice) { return plane_at(job, slice, q); }, job.axis[1].source, job.axis[2].source, copy);
            for (int64_t p = 0; p < count; p++) {
                const int64_t* offset = patches.offset.data() + p * LANE;
                gather<6>(base, [&](int64_t lane) { return offset[lane]; }, patches.row_step, side_by_side);
                transform_input(side_by_side, v + p * ALL * patch_step + q * LANE, patch_step);
            }
        }
    }

    // products[point][target of the block][LANE] for one panel
    void multiply(int64_t rows, const float* u, const float* v, float* products) const {
        for (int64_t point = 0; point < ALL; point++)
            product_rows<BLOCK>(rows, planes, u + point * weight_step, v + point * patch_step, products + point * BLOCK * LANE, LANE, false);
    }

    void transform_back(int64_t block, int64_t rows, int64_t panel, const float* products) const {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const int64_t first = panel * LANE, count = std::min(LANE, tiles.total - first), width = job.target_size[2];
        int64_t at[LANE], down[LANE], across[LANE];
        for (int64_t i = 0; i < count; i++) {
            const int64_t t = first + i, slice = t / tiles.each, row = t % tiles.each / tiles.across * M, column = t % tiles.across * M;
            at[i] = slice / z.count * job.target_image + (z.first + slice % z.count * z.step) * job.target_size[1] * width + row * width + column;
            down[i] = std::min<int64_t>(M, y.count - row);
            across[i] = std::min<int64_t>(M, x.count - column);
        }
        alignas(64) float values[M * M * LANE];
        for (int64_t r = 0; r < rows; r++) {
            const int64_t m = block * BLOCK + r;
            const vf bias = splat<float>(job.bias ? job.bias[m] : 0.0f);
            const float* from = products + r * LANE;
            for (int64_t v = 0; v < LANE; v += L) {
                vf half[M][6];
                for (int j = 0; j < 6; j++) {
                    vf in[6], out[M];
                    for (int i = 0; i < 6; i++) in[i] = load(from + (i * 6 + j) * BLOCK * LANE + v);
                    output_values<M>(in, out);
                    for (int i = 0; i < M; i++) half[i][j] = out[i];
                }
                for (int i = 0; i < M; i++) {
                    vf out[M];
                    output_values<M>(half[i], out);
                    for (int j = 0; j < M; j++) store(values + (i * M + j) * LANE + v, out[j] + bias);
                }
            }
            scatter(values, count, at, down, across, job.target + m * job.target_channel, width);
        }
    }

    static void scatter(const float* values, int64_t count, const int64_t* at, const int64_t* down, const int64_t* across, float* to, int64_t width) {
        for (int64_t t = 0; t < count; t += 4) {
            bool whole = M == 4 && t + 4 <= count;
            for (int64_t i = t; i < std::min(count, t + 4); i++) whole = whole && down[i] == M && across[i] == M;
            if (whole) {
                for (int i = 0; i < 4; i++) {
                    const float* line = values + i * M * LANE + t;
                    Four a = load_four(line), b = load_four(line + LANE), c = load_four(line + 2 * LANE), d = load_four(line + 3 * LANE);
                    transpose_four(a, b, c, d);
                    store_four(to + at[t] + i * width, a);
                    store_four(to + at[t + 1] + i * width, b);
                    store_four(to + at[t + 2] + i * width, c);
                    store_four(to + at[t + 3] + i * width, d);
                }
                continue;
            }
            for (int64_t e = t; e < std::min(count, t + 4); e++)
                for (int64_t i = 0; i < down[e]; i++)
                    for (int64_t j = 0; j < across[e]; j++) to[at[e] + i * width + j] = values[(i * M + j) * LANE + e];
        }
    }

    void few_weights() {
        Scratch<float> u(size_t(blocks * ALL * weight_step));
        const int64_t parts = std::max<int64_t>(1, planes * BLOCK / 4096);
        const auto weights = [&](int64_t from, int64_t to) {
            for (int64_t i = from; i < to; i++) {
                const int64_t block = i / parts, part = i % parts;
                transform_weights(block, planes * part / parts, planes * (part + 1) / parts, u + block * ALL * weight_step);
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
            transform_patches(patches, count, 0, planes, copy, memory);
            for (int64_t block = 0; block < blocks; block++) {
                const int64_t rows = std::min(BLOCK, job.targets - block * BLOCK);
                for (int64_t p = 0; p < count; p++) {
                    multiply(rows, u + block * ALL * weight_step, memory + p * ALL * patch_step, products);
                    transform_back(block, rows, panel + p, products);
                }
            }
        };
        run_tasks(tasks, [&](int64_t task) { try { one(task); } catch (const std::bad_alloc&) { enough = false; } });
    }

    void many_weights() {
        const int64_t most = std::clamp<int64_t>(PATCHES_MOST / (4 * ALL * patch_step), 1, panels);
        const int64_t chunks = (panels + most - 1) / most, chunk = (panels + chunks - 1) / chunks;
        Scratch<float> v(size_t(chunk * ALL * patch_step));
        for (int64_t start = 0; start < panels; start += chunk) {
            const int64_t count = std::min(chunk, panels - start), parts = std::max<int64_t>(1, planes / 32);
            const auto gather_one = [&](int64_t task) {
                static thread_local Patches patches;
                const int64_t panel = task / parts, part = task % parts;
                set_patches(start + panel, 1, patches);
                float* copy = thread_buffer<float>(size_t(patches.size + 16), 2);
                if (!copy) { enough = false; return; }
                transform_patches(patches, 1, planes * part / parts, planes * (part + 1) / parts, copy, v + panel * ALL * patch_step);
            };
            run_tasks(count * parts, [&](int64_t task) { try { gather_one(task); } catch (const std::bad_alloc&) { enough = false; } });
            run_tasks(blocks, [&](int64_t block) {
                float* u = thread_buffer<float>(size_t(ALL * weight_step + ALL * BLOCK * LANE), 2);
                if (!u) { enough = false; return; }
                float* products = u + ALL * weight_step;
                const int64_t rows = std::min(BLOCK, job.targets - block * BLOCK);
                transform_weights(block, 0, planes, u);
                for (int64_t p = 0; p < count; p++) {
                    multiply(rows, u, v + p * ALL * patch_step, products);
                    transform_back(block, rows, start + p, products);
                }
            });
        }
    }

    bool run() {
        if (4 * blocks * ALL * weight_step <= WEIGHTS_MOST) few_weights(); else many_weights();
        return enough;
    }
};

// Cycles of the two ways on one core, roughly: they share the products' speed, and differ in what they do besides.
template <int M, int R> bool pays(const Job<float>& job) {
    int order[R];
    if (!plain_taps(job.axis[1], order) || !plain_taps(job.axis[2], order)) return false;
    const Tiles tiles(job, M);
    const double k = double(job.channels * job.axis[0].taps()), m = double(job.targets), lanes = double(LANE), vector = lanes / 16;
    const double panels = double((tiles.total + LANE - 1) / LANE), positions = double(job.images * job.axis[0].count * job.axis[1].count * job.axis[2].count);
    const double speed = 2.0 * L;       // products per cycle
    const double winograd = panels * (36 * lanes * k * m / speed + vector * (700 * k + 350 * m)) + 12 * k * m * 8 / L;
    const double plain = R * R * (positions * k * m / speed * 1.1 + positions / lanes * 6 * k);
    return tiles.total > 0 && k > 0 && m > 0 && winograd < 0.95 * plain;
}

}  // namespace
}  // namespace winograd6

bool winograd_pays(const Job<float>& job) { return winograd6::pays<4, 3>(job) || winograd6::pays<2, 5>(job); }

bool winograd(const Job<float>& job) {
    if (job.axis[1].taps() == 3) return winograd6::Forward<4, 3>(job).run();
    return winograd6::Forward<2, 5>(job).run();
}

}  // namespace weft
