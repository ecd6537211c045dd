// Winograd's convolution forward, which is also the gradient of the input with the taps read backwards. For each point,
// (tiles x planes) @ (planes x targets); a plane is a source channel at a tap of the depth and a phase of the stride.
//
// Few weights: they are transformed once; a task takes some bands of tiles, transforms them, multiplies and transforms
// back, all in its second cache. Many weights (more than tiles): the tiles are transformed first, a task then takes a
// panel of targets and transforms its weights itself. Sums go over planes in order, so the division into tasks doesn't
// matter.
#include "conv_tiles.h"

#include <atomic>

namespace weft {
namespace winograd {
namespace {

// planes that are summed before they are added to the rest: long sums in pieces are more exact
constexpr int64_t SUM_MOST = 128;
constexpr int64_t WEIGHTS_MOST = 6 << 20, TILES_MOST = 8 << 20;        // bytes of shared scratch
constexpr int64_t TASK_BYTES = 640 << 10;       // of the points and products of a task's tiles

template <class S> struct Forward {
    static constexpr int64_t ALL = S::ALL, MY = S::MY, MX = S::MX;
    const Job<float>& job;
    Sides<S> sides;
    int64_t depth, sources, planes, panels;     // sources: channels at every tap of the depth
    int64_t tile_step;                          // floats from tile to tile, off powers of two: caches have sets
    Bands bands;
    int64_t together, tiles;                    // bands that are multiplied together, and how many tiles they have
    std::atomic<bool> enough{true};

    Forward(const Job<float>& job, const Sides<S>& sides)
        : job(job), sides(sides), depth(job.axis[0].taps()), sources(job.channels * depth), planes(sources * S::PHASES),
          panels((job.targets + LANE - 1) / LANE), tile_step((planes + 15) / 16 * 16 + 16),
          bands(sides.bands(job, few() ? most_few() : most_many())) {
        together = std::clamp<int64_t>((few() ? most_few() : most_many()) / bands.longest(), 1,
                                       few() ? (bands.count + 3) / 4 : bands.count);        // some tasks at least
        tiles = together * bands.longest();
    }

    bool few() const { return 4 * panels * S::OUTS * ALL * planes * LANE <= WEIGHTS_MOST; }
    int64_t most_few() const {
        return std::clamp<int64_t>(TASK_BYTES / (4 * ALL * (tile_step + S::OUTS * LANE)), ROWS, 96);
    }
    int64_t most_many() const {
        return std::clamp<int64_t>(TILES_MOST / (4 * ALL * tile_step), ROWS, 256 / S::OUTS);
    }
    int64_t point_step() const { return tiles * tile_step + 16; }       // of the tiles' points
    int64_t product_step() const { return tiles * LANE + 16; }          // of the products' points
    static int64_t weight_step(int64_t count) { return count * S::PHASES * LANE + 16; }     // of the weights' points
    static int64_t weight_size(int64_t count) { return S::OUTS * ALL * weight_step(count); }        // of a panel

    // u[phase of the targets][point][plane][target] for one panel of targets and sources [from, to), of `all` that u
    // has
    bool transform_weights(int64_t panel, int64_t from, int64_t to, int64_t all, float* u) const {
        constexpr int64_t MOST = 16;        // sources at a time
        const int64_t m0 = panel * LANE, count = std::min(LANE, job.targets - m0), step = weight_step(all);
        const int64_t size = job.kernel[1] * job.kernel[2];
        float* taps = thread_buffer<float>(size_t((MOST * size + 1) * LANE), 3);        // and one that is missing
        if (!taps) return false;
        std::memset(taps, 0, size_t((MOST * size + 1) * LANE) * sizeof(float));
        for (int64_t q = from, some; q < to; q += some) {
            const int64_t tap = q / job.channels, channel = q % job.channels;
            const float* at = job.weight + m0 * job.weight_m + channel * job.weight_c +
                              job.axis[0].index[size_t(tap)] * size;
            some = std::min({MOST, to - q, job.channels - channel});
            if (job.weight_c == size) transpose(at, count, some * size, job.weight_m, taps, LANE);
            else
                for (int64_t s = 0; s < some; s++)
                    transpose(at + s * job.weight_c, count, size, job.weight_m, taps + s * size * LANE, LANE);
            for (int64_t s = 0; s < some; s++)
                for (int out = 0; out < S::OUTS; out++)
                    for (int phase = 0; phase < S::PHASES; phase++)
                        transform_weight(taps, s * size, MOST * size, sides.row_taps(out, phase),
                                         sides.column_taps(out, phase),
                                         u + out * ALL * step + (phase * all + q + s - from) * LANE, step);
        }
        return true;
    }

    // of one plane: its taps begin at `first`, the one that is missing is `none`
    void transform_weight(const float* taps, int64_t first, int64_t none, const int* rows, const int* columns,
                          float* u, int64_t step) const {
        const float* tap[S::RY][S::RX];
        for (int i = 0; i < S::RY; i++)
            for (int j = 0; j < S::RX; j++)
                tap[i][j] = taps + LANE * (rows[i] < 0 || columns[j] < 0
                                               ? none
                                               : first + rows[i] * job.kernel[2] + columns[j]);
        for (int64_t v = 0; v < LANE; v += L)
            both_ways<WeightPoints<S::PY, S::RY>, WeightPoints<S::PX, S::RX>>(
                [&](int i, int j) { return load(tap[i][j] + v); },
                [&](int i, int j, vf x) { store(u + (i * S::PX + j) * step + v, x); });
    }

    // v[point][tile][plane] of one band
    bool transform_sources(const Band& band, float* v) const {
        static thread_local Window window;
        sides.set_source(job, band, window);
        float* strip = thread_buffer<float>(size_t(window.size()), 3);
        if (!strip) return false;
        window.clear(strip);
        const int64_t lanes = std::min<int64_t>(L, job.channels);
        for (int64_t tap = 0; tap < depth; tap++)
            for (int64_t c = 0; c < job.channels; c += L) {
                const int64_t channel = std::min(c, job.channels - lanes);      // the last ones reach back over others
                // the next channels, or the first ones of the next band
                const int64_t ahead = c + L < job.channels
                                          ? L * job.source_channel
                                          : MY * S::SY * job.axis[2].source - channel * job.source_channel;
                if (const float* plane = plane_at(job, band.slice, channel, tap))
                    window.fill(plane, lanes, job.source_channel, ahead, strip);
                else window.clear(strip);
                for (int phase = 0; phase < S::PHASES; phase++)
                    transform_phase(band, strip + (phase / S::SX * window.columns + phase % S::SX) * L,
                                    window.columns * S::SY * L, lanes,
                                    v + phase * sources + tap * job.channels + channel);
            }
        return true;
    }

    void transform_phase(const Band& band, const float* strip, int64_t line, int64_t lanes, float* v) const {
        const int64_t step = point_step();
        for (int64_t t = 0; t < band.count; t++, strip += MX * S::SX * L, v += tile_step) {
            float few[ALL * L];
            const bool whole = lanes == L;
            float* to = whole ? v : few;
            const int64_t apart = whole ? step : L;
            both_ways<InputPoints<S::PY>, InputPoints<S::PX>>(
                [&](int i, int j) { return load(strip + i * line + j * S::SX * L); },
                [&](int i, int j, vf x) { store(to + (i * S::PX + j) * apart, x); });
            if (!whole)
                for (int64_t p = 0; p < ALL; p++)
                    std::memcpy(v + p * step, few + p * L, size_t(lanes) * sizeof(float));
        }
    }

    // products[phase of the targets][point][tile][target] of one panel of targets, summed over sources [from, to)
    void multiply(int64_t panel, int64_t count, int64_t from, int64_t to, const float* u, const float* v,
                  float* products) const {
        const int64_t columns = std::min(LANE, job.targets - panel * LANE), some = to - from;
        for (int64_t point = 0; point < ALL; point++)
            for (int out = 0; out < S::OUTS; out++) {
                const float *b = u + (out * ALL + point) * weight_step(some), *a = v + point * point_step() + from;
                float* c = products + (out * ALL + point) * product_step();
                if (!sides.full(out, 0, point)) {
                    std::memset(c, 0, size_t(count * LANE) * sizeof(float));
                    continue;
                }
                for (int phase = 0, next; phase < S::PHASES; phase = next) {     // runs of phases that take part
                    for (next = phase + 1;
                         some == sources && next < S::PHASES && sides.full(out, next, point); next++) {}
                    const int64_t first = phase * sources, end = first + (next - phase - 1) * sources + some;
                    for (int64_t k = first; k < end; k += SUM_MOST)
                        product_rows<false>(count, columns, std::min(SUM_MOST, end - k), a + k, tile_step,
                                            b + (phase * some + k - first) * LANE, c, k + from > 0);
                    while (next < S::PHASES && !sides.full(out, next, point)) next++;
                }
            }
    }

    // the targets of one panel at one band, whose products begin at `products`
    bool transform_back(int64_t panel, const Band& band, const float* products) const {
        static thread_local Window window;
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        const int64_t width = job.target_size[2];
        sides.set_target(band, window);
        float* strip = thread_buffer<float>(size_t(window.size()), 3);
        if (!strip) return false;
        float* plane = job.target + band.slice / z.count * job.target_image +
                       (z.first + band.slice % z.count * z.step) * job.target_size[1] * width;
        if (S::O == 1) plane += y.first * width + x.first;
        const bool straight = S::O > 1 || (y.step == 1 && x.step == 1 && width == x.count);
        for (int64_t v = 0; v < LANE && panel * LANE + v < job.targets; v += L) {
            const int64_t m = panel * LANE + v, lanes = std::min<int64_t>(L, job.targets - m);
            float* to = plane + m * job.target_channel;
            if (straight) window.ask(to, lanes, job.target_channel);
            const vf bias = job.bias ? load_part(job.bias + m, lanes) : vf{};
            for (int out = 0; out < S::OUTS; out++)
                transform_out(band.count, products + out * ALL * product_step() + v, bias, window.columns * S::O * L,
                              strip + (sides.rows.place[out / S::O] * window.columns +
                                       sides.columns.place[out % S::O]) * L);
            if (straight) window.spill(strip, lanes, job.target_channel, to);
            else scatter(band, strip, window.columns, lanes, to);
        }
        return true;
    }

    // one phase of the targets: some tiles' values into a strip, rows of them `line` apart
    void transform_out(int64_t count, const float* products, vf bias, int64_t line, float* strip) const {
        const int64_t step = product_step();
        for (int64_t t = 0; t < count; t++, products += LANE, strip += MX * S::O * L)
            both_ways<OutputValues<S::PY, S::MY>, OutputValues<S::PX, S::MX>>(
                [&](int i, int j) { return load(products + (i * S::PX + j) * step); },
                [&](int i, int j, vf e) { store(strip + i * line + j * S::O * L, e + bias); });
    }

    // the same into a part of the targets' elements
    void scatter(const Band& band, const float* strip, int64_t columns, int64_t lanes, float* to) const {
        const Axis &y = job.axis[1], &x = job.axis[2];
        const int64_t low = band.row * MY, left = band.column * MX;
        for (int64_t r = 0; r < std::min(MY, y.count - low); r++)
            for (int64_t c = 0; c < std::min(columns, x.count - left); c++)
                for (int64_t i = 0; i < lanes; i++)
                    to[i * job.target_channel + (low + r) * y.step * job.target_size[2] + (left + c) * x.step] =
                        strip[(r * columns + c) * L + i];
    }

    // bands [from, to) for one panel of targets
    bool back(int64_t panel, int64_t from, int64_t to, const float* products) const {
        for (int64_t b = from; b < to; b++)
            if (!transform_back(panel, bands[b], products + (bands.first(b) - bands.first(from)) * LANE)) return false;
        return true;
    }

    int64_t tiles_of(int64_t from, int64_t to) const {
        return (to == bands.count ? bands.tiles : bands.first(to)) - bands.first(from);
    }

    bool some_bands(int64_t from, int64_t to, const float* u) const {
        const int64_t v_size = ALL * point_step();
        float* v = thread_buffer<float>(size_t(v_size + S::OUTS * ALL * product_step()), 2);
        if (!v) return false;
        float* products = v + v_size;
        for (int64_t b = from; b < to; b++)
            if (!transform_sources(bands[b], v + (bands.first(b) - bands.first(from)) * tile_step)) return false;
        for (int64_t panel = 0; panel < panels; panel++) {
            multiply(panel, tiles_of(from, to), 0, sources, u + panel * weight_size(sources), v, products);
            if (!back(panel, from, to, products)) return false;
        }
        return true;
    }

    // f(i) for every i below n, on the pool; false, or no memory, is remembered
    template <class F> void tasks(int64_t n, F&& f) {
        run_tasks(n, [&](int64_t i) {
            try {
                if (!f(i)) enough = false;
            } catch (const std::bad_alloc&) { enough = false; }
        });
    }

    void few_weights() {
        const int64_t size = weight_size(sources);
        Scratch<float> u(size_t(panels * size));
        const int64_t parts = (sources * S::PHASES * S::OUTS + 255) / 256;
        tasks(panels * parts, [&](int64_t task) {
            const int64_t panel = task / parts, from = sources * (task % parts) / parts;
            return transform_weights(panel, from, sources * (task % parts + 1) / parts, sources,
                                     u + panel * size + from * LANE);
        });
        if (!enough) return;
        tasks((bands.count + together - 1) / together, [&](int64_t task) {
            return some_bands(task * together, std::min(bands.count, (task + 1) * together), u);
        });
    }

    bool some_targets(int64_t panel, int64_t from, int64_t to, const float* v) const {
        const int64_t u_size = weight_size(std::min(sources, SUM_MOST));
        float* u = thread_buffer<float>(size_t(u_size + S::OUTS * ALL * product_step()), 2);
        if (!u) return false;
        float* products = u + u_size;
        for (int64_t q = 0; q < sources; q += SUM_MOST) {
            const int64_t end = std::min(sources, q + SUM_MOST);
            if (!transform_weights(panel, q, end, end - q, u)) return false;
            multiply(panel, tiles_of(from, to), q, end, u, v, products);
        }
        return back(panel, from, to, products);
    }

    void many_weights() {
        Scratch<float> v(size_t(ALL * point_step()));
        for (int64_t from = 0; from < bands.count && enough; from += together) {
            const int64_t to = std::min(bands.count, from + together), each = (7 + bands.longest()) / bands.longest();
            tasks((to - from + each - 1) / each, [&](int64_t task) {
                for (int64_t b = from + task * each; b < std::min(to, from + (task + 1) * each); b++)
                    if (!transform_sources(bands[b], v + (bands.first(b) - bands.first(from)) * tile_step))
                        return false;
                return true;
            });
            if (enough) tasks(panels, [&](int64_t panel) { return some_targets(panel, from, to, v); });
        }
    }

    bool run() {
        if (few()) few_weights(); else many_weights();
        return enough;
    }
};

// Cycles of Winograd's way and the plain one on one core, roughly: they share the products' speed, and differ in what
// they do besides.
template <class S> bool pays(const Job<float>& job, const Sides<S>& sides) {
    const double speed = 2.0 * L, points = S::ALL;
    const double c = double(job.channels * job.axis[0].taps()), k = c * S::PHASES, m = double(job.targets);
    const double slices = double(job.images * job.axis[0].count), tiles = double(sides.bands(job, 1).tiles);
    // multiplications of each pair of a source and a target channel
    const double times = S::O == 1 ? double(job.axis[1].taps() * job.axis[2].taps()) * slices *
                                         double(sides.rows.size * sides.columns.size)
                                   : double(job.kernel[1] * job.kernel[2]) * slices *
                                         double(job.axis[1].source * job.axis[2].source);
    const double depths = double(job.axis[0].taps() * S::PHASES), outs = S::OUTS;
    const double sources = (job.channels < L ? 11 : 5) * vectors(job.channels) * depths;
    const double winograd =
        tiles * points * (outs * k * lanes_used(job.targets) / speed + sources + 5 * outs * vectors(job.targets)) +
        points / 3 * outs * k * m * 8 / L;
    const double plain = direct_pays(job) ? 0.9 * times * c * std::max(m, 6.0) / speed * 1.1
                                          : times * (c * m / speed * 1.1 + 6 * c / double(LANE));
    return times * c * m > WORK_LEAST && winograd < plain;
}

template <class S> bool try_scheme(const Job<float>& job, bool& done) {
    Sides<S> sides;
    if (!sides.set(job) || !pays(job, sides)) return false;
    done = Forward<S>(job, sides).run();
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

bool winograd_strided_input(const Geometry& g, const Job<float>& job, bool& done) {
    using namespace winograd;
    using S = Scheme<4, 2, 4, 2, 1, 2>;
    if (g.stride[0] != 1 || g.stride[1] != 2 || g.stride[2] != 2) return false;
    Job<float> one = job;
    one.axis[0] = backward_axis(g, 0, 0);
    const Axis rows[2] = {backward_axis(g, 1, 0), backward_axis(g, 1, 1)},
               columns[2] = {backward_axis(g, 2, 0), backward_axis(g, 2, 1)};
    one.axis[1] = rows[0];
    one.axis[2] = columns[0];
    Sides<S> sides;
    if (!sides.rows.set(rows, g.in[1]) || !sides.columns.set(columns, g.in[2]) || !pays(one, sides)) return false;
    done = Forward<S>(one, sides).run();
    return true;
}

}  // namespace weft
