// Images and volumes at the places of a grid (ops/nn/grid_sample.py, whose NumPy code says the same): along each axis a
// few neighbours with a weight each, polynomials of the place between them, or their derivatives.
#include <algorithm>
#include <cmath>

#include "border.h"
#include "vec.h"

namespace weft {
namespace {

constexpr int64_t WORK = 24576;
constexpr int TILE = 64;            // places whose neighbours are worked out before all channels are gone through
constexpr int CHANNELS = 16;        // that one task spreads
constexpr int MOST = 16;            // neighbours of a place: 4 x 4, or 2 x 2 x 2

enum Mode { BILINEAR, NEAREST, BICUBIC };
enum Padding { ZEROS, BORDER, REFLECTION };

// for each mode: the first neighbour's offset, how many there are, how many factors each polynomial has, and these,
// highest power first
struct Polynomials { int first, count, factors; double factor[4][4]; };
constexpr double A = -0.75;         // of the cubic convolution
constexpr Polynomials POLYNOMIALS[] = {
    {0, 2, 2, {{-1, 1}, {1, 0}}},
    {0, 1, 1, {{1}}},
    {-1, 4, 4, {{A, -2 * A, A, 0}, {A + 2, -(A + 3), 0, 1}, {-(A + 2), 2 * A + 3, -A, 0}, {-A, A, 0, 0}}}};

// the compiler may not join what was computed before this with what comes after it
inline void barrier() { asm volatile("" ::: "memory"); }

struct Sampling {
    int dims;
    int64_t mode, padding, size[3], order[3], area = 1;
    bool align;
    bool is_flat() const { return dims == 2; }      // images round in another way than volumes
    const Polynomials& polynomials() const { return POLYNOMIALS[mode]; }
    bool vanishes() const {                         // derived to nothing
        for (int a = 0; a < dims; a++) if (order[a] >= polynomials().factors) return true;
        return false;
    }
};

// the neighbours of TILE places: for each the place in an image (or off it) and the weight
template <class T> struct Neighbours {
    int count = 0;
    bool all_inside[MOST];
    int32_t place[MOST][TILE], inside[MOST][TILE];
    T weight[MOST][TILE];           // 0 off the image
    T outside[TILE];                // what comes from there: 0, or NaN where a weight is

    struct Axis { int32_t index[4][TILE], inside[4][TILE]; T weight[4][TILE]; };

    // a coordinate brought back onto the image, and the sign with which it moves there
    static T padded(const Sampling& s, T c, int64_t size, bool flat, T& sign) {
        sign = 1;
        if (s.padding == ZEROS) return flat || std::isfinite(c) ? c : T(-100);
        if (s.padding == REFLECTION) {
            const T low = s.align ? T(0) : T(-0.5), span = T(s.align ? size - 1 : size);
            if (span == 0) {
                c = 0;
                sign = 0;
            } else {
                T away = c - low;
                sign = away < 0 ? T(-1) : T(1);
                away = std::abs(away);
                const T rest = std::fmod(away, span);
                const bool odd = std::fmod(std::floor(away / span), T(2)) == 1;
                if (odd) sign = -sign;
                c = (odd ? span - rest : rest) + low;
            }
        }
        const T top = T(size - 1);
        if (!(c > 0 && c < top)) sign = 0;
        // NaN goes to the first element of an image, to the last of a volume
        return flat ? std::fmin(std::fmax(c, T(0)), top) : std::fmax(std::fmin(c, top), T(0));
    }

    // along one axis: the elements and their weights, of the coordinates `c`
    static void along(const Sampling& s, int axis, T* c, Axis& found) {
        const int64_t size = s.size[axis];
        const bool flat = s.is_flat(), leaves = s.padding != ZEROS || !flat;
        const T half = T((s.align ? size - 1 : size) / 2.0), whole = T(s.align ? size - 1 : size);
        T sign[TILE], first[TILE];
        for (int i = 0; i < TILE; i++) {
            sign[i] = 1;
            c[i] += 1;
        }
        if (flat) for (int i = 0; i < TILE; i++) c[i] *= half;
        else if (s.align) for (int i = 0; i < TILE; i++) c[i] = c[i] / 2 * whole;
        else for (int i = 0; i < TILE; i++) c[i] *= whole;
        barrier();
        if (!s.align && flat) for (int i = 0; i < TILE; i++) c[i] -= T(0.5);
        if (!s.align && !flat) for (int i = 0; i < TILE; i++) c[i] = (c[i] - 1) / 2;
        barrier();
        if (s.mode != BICUBIC && leaves) for (int i = 0; i < TILE; i++) c[i] = padded(s, c[i], size, flat, sign[i]);
        if (s.mode == NEAREST) for (int i = 0; i < TILE; i++) first[i] = std::nearbyint(c[i]);
        else for (int i = 0; i < TILE; i++) first[i] = std::floor(c[i]);
        for (int i = 0; i < TILE; i++) c[i] -= first[i];
        const Polynomials& p = s.polynomials();
        const int order = int(s.order[axis]), factors = p.factors - order;
        for (int k = 0; k < p.count; k++) {
            T* weight = found.weight[k];
            for (int f = 0; f < factors; f++) {
                double factor = p.factor[k][f];
                for (int d = 0; d < order; d++) factor *= p.factors - 1 - f - d;
                const T next = T(factor);
                if (f == 0) std::fill_n(weight, TILE, next);
                else for (int i = 0; i < TILE; i++) weight[i] = weight[i] * c[i] + next;
            }
            for (int d = 0; d < order; d++) for (int i = 0; i < TILE; i++) weight[i] *= half * sign[i];
            T at[TILE], unused;
            for (int i = 0; i < TILE; i++) at[i] = first[i] + T(p.first + k);
            if (s.mode == BICUBIC && leaves)
                for (int i = 0; i < TILE; i++) at[i] = padded(s, at[i], size, true, unused);
            for (int i = 0; i < TILE; i++) {
                const bool in = at[i] >= 0 && at[i] < whole + T(s.align);       // below the size
                found.inside[k][i] = in;
                found.index[k][i] = int32_t(in ? at[i] : T(0));
            }
        }
    }

    // of `n` places, whose coordinates begin at `grid`, those along the last axis first
    void find(const Sampling& s, const T* grid, int64_t n) {
        const int each = s.polynomials().count;
        count = s.dims == 2 ? each * each : each * each * each;
        Axis axes[3];
        for (int a = 0; a < s.dims; a++) {
            T c[TILE] = {};
            for (int64_t i = 0; i < n; i++) c[i] = grid[i * s.dims + s.dims - 1 - a];
            along(s, a, c, axes[a]);
        }
        std::fill_n(outside, TILE, T(0));
        for (int k = 0; k < count; k++) {
            const int last = k % each, middle = k / each % each, first = k / each / each;
            const Axis &x = axes[s.dims - 1], &y = axes[s.dims - 2];
            T w[TILE];
            for (int i = 0; i < TILE; i++) {
                place[k][i] = y.index[middle][i] * int32_t(s.size[s.dims - 1]) + x.index[last][i];
                inside[k][i] = y.inside[middle][i] & x.inside[last][i];
                w[i] = y.weight[middle][i];
            }
            if (s.dims == 3)
                for (int i = 0; i < TILE; i++) {
                    place[k][i] += axes[0].index[first][i] * int32_t(s.size[1] * s.size[2]);
                    inside[k][i] &= axes[0].inside[first][i];
                    w[i] = axes[0].weight[first][i] * w[i];
                }
            for (int64_t i = n; i < TILE; i++) inside[k][i] = 0;
            int32_t all = 1;
            for (int i = 0; i < TILE; i++) {
                w[i] *= x.weight[last][i];
                all &= inside[k][i];
                weight[k][i] = inside[k][i] ? w[i] : T(0);
                place[k][i] = inside[k][i] ? place[k][i] : 0;
            }
            all_inside[k] = all;
            if (!all) for (int i = 0; i < TILE; i++) outside[i] += inside[k][i] ? T(0) : 0 * w[i];
        }
    }

    void gather(const T* image, T* out, int64_t n) const {
        T sum[TILE];
        std::copy_n(outside, TILE, sum);
        for (int k = 0; k < count; k++) {
            if (all_inside[k]) for (int i = 0; i < TILE; i++) sum[i] += image[place[k][i]] * weight[k][i];
            else
                for (int i = 0; i < TILE; i++) {
                    const T value = image[place[k][i]];
                    sum[i] += (inside[k][i] ? value : T(0)) * weight[k][i];
                }
        }
        std::copy_n(sum, n, out);
    }

    void spread(const T* g, T* image, int64_t n) const {
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < count; k++) if (inside[k][i]) image[place[k][i]] += g[i] * weight[k][i];
    }
};

// images (n, channels, area), grids (n, places, dims), values (n, channels, places)
template <class T>
void gather_all(const Sampling& s, const T* x, const T* grid, T* out, int64_t n, int64_t channels, int64_t places) {
    const int64_t tiles = (places + TILE - 1) / TILE;
    parallel(n * tiles, std::max<int64_t>(1, WORK / (TILE * 4 * (channels + 4))), [&](int64_t begin, int64_t end) {
        Neighbours<T> near;
        for (int64_t r = begin; r < end; r++) {
            const int64_t image = r / tiles, from = r % tiles * TILE, here = std::min<int64_t>(TILE, places - from);
            near.find(s, grid + (image * places + from) * s.dims, here);
            for (int64_t c = image * channels; c < (image + 1) * channels; c++)
                near.gather(x + c * s.area, out + c * places + from, here);
        }
    });
}

template <class T>
void spread_all(const Sampling& s, const T* g, const T* grid, T* out, int64_t n, int64_t channels, int64_t places) {
    const int64_t groups = (channels + CHANNELS - 1) / CHANNELS;
    std::fill_n(out, n * channels * s.area, T(0));
    parallel(n * groups, std::max<int64_t>(1, WORK / (places * 4 * (std::min<int64_t>(channels, CHANNELS) + 4) + 1)),
             [&](int64_t begin, int64_t end) {
        Neighbours<T> near;
        for (int64_t r = begin; r < end; r++) {
            const int64_t image = r / groups, first = image * channels + r % groups * CHANNELS;
            const int64_t last = std::min(first + CHANNELS, (image + 1) * channels);
            for (int64_t from = 0; from < places; from += TILE) {
                const int64_t here = std::min<int64_t>(TILE, places - from);
                near.find(s, grid + (image * places + from) * s.dims, here);
                for (int64_t c = first; c < last; c++)
                    near.spread(g + c * places + from, out + c * s.area, here);
            }
        }
    });
}

// Whether these belong together: images (n, channels, *sizes), grids (n, *places, dims), orders of `dims` numbers.
bool fits(Sampling& s, const Ints& sizes, const Array& grid, const Ints& orders, int64_t n, int type) {
    s.dims = sizes.count;
    if ((s.dims != 2 && s.dims != 3) || orders.count != s.dims || !grid || grid.nd != s.dims + 2 || grid.type != type ||
        (type != F32 && type != F64) || !grid.contiguous || grid.shape[0] != n || grid.shape[s.dims + 1] != s.dims ||
        s.mode < BILINEAR || s.mode > BICUBIC || s.padding < ZEROS || s.padding > REFLECTION ||
        (s.dims == 3 && s.mode == BICUBIC))
        return false;
    for (int a = 0; a < s.dims; a++) {
        if (sizes[a] < 1 || sizes[a] > (1 << 24) || orders[a] < 0) return false;      // exact as float32
        s.size[a] = sizes[a];
        s.order[a] = orders[a];
        s.area *= sizes[a];
        if (s.area >= (int64_t(1) << 31)) return false;
    }
    return true;
}

}  // namespace

// (x (n, channels, *sizes), grid (n, *places, dims), orders, mode, padding, align) -> (n, channels, *places)
KERNEL(grid_gather) {
    Array x, grid;
    Ints orders, sizes;
    Sampling s;
    if (!read(args, n, x, grid, orders, s.mode, s.padding, s.align) || !x || !x.contiguous || x.nd < 4 || x.nd > 5)
        return not_taken();
    sizes.count = x.nd - 2;
    for (int a = 0; a < sizes.count; a++) sizes.value[a] = x.shape[a + 2];
    if (!fits(s, sizes, grid, orders, x.shape[0], x.type)) return not_taken();
    intptr_t shape[MAX_DIMS] = {x.shape[0], x.shape[1]};
    for (int a = 0; a < s.dims; a++) shape[a + 2] = grid.shape[a + 1];
    PyObject* out = new_array(x.nd, shape, x.type);
    if (!out) return nullptr;
    const Array made = array_of(out);
    if (made.size == 0) return out;
    if (s.vanishes()) {
        std::memset(made.data, 0, size_t(made.size) * size_t(ITEM_SIZE[x.type]));
        return out;
    }
    const int64_t places = made.size / (shape[0] * shape[1]);
    Unlocked gil(made.size * 4);
    if (x.type == F32)
        gather_all(s, x.as<float>(), grid.as<float>(), made.as<float>(), shape[0], shape[1], places);
    else gather_all(s, x.as<double>(), grid.as<double>(), made.as<double>(), shape[0], shape[1], places);
    return out;
}

// (g (n, channels, *places), grid (n, *places, dims), orders, sizes, mode, padding, align) -> (n, channels, *sizes)
KERNEL(grid_scatter) {
    Array g, grid;
    Ints orders, sizes;
    Sampling s;
    if (!read(args, n, g, grid, orders, sizes, s.mode, s.padding, s.align) || !g || !g.contiguous || g.nd < 4 ||
        g.nd > 5 || sizes.count != g.nd - 2 || !fits(s, sizes, grid, orders, g.shape[0], g.type))
        return not_taken();
    for (int a = 0; a < s.dims; a++) if (g.shape[a + 2] != grid.shape[a + 1]) return not_taken();
    intptr_t shape[MAX_DIMS] = {g.shape[0], g.shape[1]};
    for (int a = 0; a < s.dims; a++) shape[a + 2] = intptr_t(s.size[a]);
    PyObject* out = new_array(g.nd, shape, g.type);
    if (!out) return nullptr;
    const Array made = array_of(out);
    if (made.size == 0) return out;
    if (s.vanishes() || g.size == 0) {
        std::memset(made.data, 0, size_t(made.size) * size_t(ITEM_SIZE[g.type]));
        return out;
    }
    const int64_t places = g.size / (shape[0] * shape[1]);
    Unlocked gil(g.size * 4);
    if (g.type == F32)
        spread_all(s, g.as<float>(), grid.as<float>(), made.as<float>(), shape[0], shape[1], places);
    else spread_all(s, g.as<double>(), grid.as<double>(), made.as<double>(), shape[0], shape[1], places);
    return out;
}

}  // namespace weft
