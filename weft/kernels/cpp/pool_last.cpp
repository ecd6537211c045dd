// Pooling of images whose channels lie innermost, (N, ..., C) in memory: lanes are channels, so that every window is a
// loop over whole vectors. Picks, indices and the order of sums along a window are those of pool_max.cpp; of equal
// elements the first is picked, of several NaN the last.
#include "last.h"
#include "pool.h"

namespace weft {
namespace {
using namespace pooling;

// Channels-last images seen as a Volume of one plane for each sample, with C channels at each place
struct Images {
    Volume v;
    int64_t channels = 0;
};

// Reads (N, spatial..., C); the result's shape has the channels last, too.
bool read_images(const Array& x, int64_t dims, const Ints& out, const Ints& kernel, const Ints& stride,
                 const Ints& pad, const Ints& dilation, bool adaptive, Images& to) {
    if (!x || dims < 1 || dims > 3 || x.nd != dims + 2 || x.shape[x.nd - 1] < 1) return false;
    Array places = x;
    places.nd = x.nd - 1;
    to.channels = x.shape[x.nd - 1];
    if (!read_volume(places, dims, out, kernel, stride, pad, dilation, adaptive, to.v)) return false;
    to.v.out_shape[to.v.out_dims++] = to.channels;
    int64_t whole;
    return !__builtin_mul_overflow(to.v.out_size, to.v.planes * 8 * to.channels, &whole);
}

// A window's place: sample, then the window along each axis
struct At { int64_t od, oh, ow; };

// many(channel) for vectors of channels from `begin` to `end`, the last one overlapping; one(channel) if there are few
template <class T, class Many, class One>
inline void over_channels(int64_t begin, int64_t end, Many&& many, One&& one) {
    if (end - begin >= LANES<T>) in_steps<LANES<T>>(begin, end, many);
    else for (int64_t c = begin; c < end; c++) one(c);
}

// f(offset of the element in the sample's places, place in the window) for a window's elements, in reading order
template <class F> inline void over_window(const Volume& v, const At& at, F&& f) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    for (int64_t kd = D.first[at.od]; kd < D.last[at.od]; kd++)
        for (int64_t kh = H.first[at.oh]; kh < H.last[at.oh]; kh++) {
            const int64_t row = ((D.start[at.od] + kd * D.dilation) * H.in + H.start[at.oh] + kh * H.dilation) * W.in +
                                W.start[at.ow];
            for (int64_t kw = W.first[at.ow]; kw < W.last[at.ow]; kw++)
                f(row + kw * W.dilation, (kd * H.kernel + kh) * W.kernel + kw);
        }
}

inline int64_t first_place(const Volume& v, const At& at) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    return (D.first[at.od] * H.kernel + H.first[at.oh]) * W.kernel + W.first[at.ow];
}

// each(sample, window, number of the window's result) for all windows, rows of them on the threads
template <class F> void over_windows(const Images& m, int64_t cost, F&& each) {
    const Volume& v = m.v;
    const int64_t rows = v.axis[0].out * v.axis[1].out, n = v.planes * rows, width = v.axis[2].out;
    const int64_t pieces = pieces_for(n, width * m.channels * cost);
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t r = n * piece / pieces; r < n * (piece + 1) / pieces; r++)
            for (int64_t ow = 0; ow < width; ow++)
                each(r / rows, At{r % rows / v.axis[1].out, r % v.axis[1].out, ow}, r * width + ow);
    });
}

// The greatest element of one window in some channels; PICK is what its place is kept as, or void.
template <class T, class PICK>
inline void greatest(const T* image, const Images& m, const At& at, int64_t begin, int64_t end, T* values,
                     PICK* picks) {
    using V = Vec<T>;
    using M = MaskOf<T, LANES<T>>;
    using Whole = typename Short<T, LANES<T>>::Whole;
    const int64_t C = m.channels, start = first_place(m.v, at);
    over_channels<T>(begin, end, [&](int64_t c) {
        V best = all_of<V>(-std::numeric_limits<T>::infinity());
        M place = all_of<M>(Whole(start));
        over_window(m.v, at, [&](int64_t element, int64_t k) {
            const V x = load(image + element * C + c);
            const M greater = (x > best) | (x != x);
            best = greater ? x : best;
            if constexpr (!std::is_void_v<PICK>) place = greater ? all_of<M>(Whole(k)) : place;
        });
        store(values + c, best);
        if constexpr (!std::is_void_v<PICK>) store_as(picks + c, narrow<PICK, LANES<T>>(place));
    }, [&](int64_t c) {
        T best = -std::numeric_limits<T>::infinity();
        int64_t place = start;
        over_window(m.v, at, [&](int64_t element, int64_t k) {
            const T x = image[element * C + c];
            const bool greater = x > best || x != x;
            best = greater ? x : best;
            place = greater ? k : place;
        });
        values[c] = best;
        if constexpr (!std::is_void_v<PICK>) picks[c] = PICK(place);
    });
}

template <class T> void max_last(const T* x, T* values, uint8_t* picks, int64_t* indices, const Images& m) {
    const Volume& v = m.v;
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    const int64_t C = m.channels;
    constexpr int64_t SOME = 256;       // channels whose places fit on the stack
    over_windows(m, v.window, [&](int64_t sample, const At& at, int64_t number) {
        const T* image = x + sample * v.in_size * C;
        T* to = values + number * C;
        if (picks) return greatest<T, uint8_t>(image, m, at, 0, C, to, picks + number * C);
        if (!indices) return greatest<T, void>(image, m, at, 0, C, to, nullptr);
        const int64_t base = (D.start[at.od] * H.in + H.start[at.oh]) * W.in + W.start[at.ow];
        int32_t places[SOME];
        for (int64_t c = 0; c < C; c += SOME) {
            const int64_t some = std::min(SOME, C - c);
            greatest<T, int32_t>(image + c, m, at, 0, some, to + c, places);
            for (int64_t i = 0; i < some; i++) indices[number * C + c + i] = base + shift_of(v, places[i]);
        }
    });
}

// Gradients are given back sample by sample, each in blocks of channels that no other task touches.
template <class F> void over_blocks(const Images& m, int64_t cost, F&& each) {
    constexpr int64_t BLOCK = 64;
    const int64_t blocks = (m.channels + BLOCK - 1) / BLOCK, n = m.v.planes * blocks;
    const int64_t pieces = pieces_for(n, cost * std::min(m.channels, BLOCK));
    run_tasks(pieces, [&](int64_t piece) {
        for (int64_t i = n * piece / pieces; i < n * (piece + 1) / pieces; i++) {
            const int64_t begin = i % blocks * BLOCK;
            each(i / blocks, begin, std::min(begin + BLOCK, m.channels));
        }
    });
}

// zeros, then add(window, number of the window's result) for all windows of one sample
template <class T, class F> void fill_sample(T* image, const Images& m, int64_t begin, int64_t end, F&& add) {
    const Volume& v = m.v;
    if (begin == 0 && end == m.channels) std::fill(image, image + v.in_size * m.channels, T(0));
    else for (int64_t p = 0; p < v.in_size; p++)
        std::fill(image + p * m.channels + begin, image + p * m.channels + end, T(0));
    int64_t number = 0;
    for (int64_t od = 0; od < v.axis[0].out; od++)
        for (int64_t oh = 0; oh < v.axis[1].out; oh++)
            for (int64_t ow = 0; ow < v.axis[2].out; ow++) add(At{od, oh, ow}, number++);
}

// [begin, end) in whole vectors, then one by one: nothing may be added twice
template <class T, class Many, class One>
inline void over_channels_once(int64_t begin, int64_t end, Many&& many, One&& one) {
    int64_t c = begin;
    for (; c + LANES<T> <= end; c += LANES<T>) many(c);
    for (; c < end; c++) one(c);
}

template <class T> void spread_last(const T* g, const uint8_t* picks, T* into, const Images& m) {
    using M = MaskOf<T, LANES<T>>;
    const Volume& v = m.v;
    const int64_t C = m.channels;
    over_blocks(m, v.in_size + v.out_size * v.window, [&](int64_t sample, int64_t begin, int64_t end) {
        T* image = into + sample * v.in_size * C;
        fill_sample(image, m, begin, end, [&](const At& at, int64_t number) {
            const int64_t from = (sample * v.out_size + number) * C;
            over_channels_once<T>(begin, end, [&](int64_t c) {
                const Vec<T> grad = load(g + from + c);
                const M pick = __builtin_convertvector(load_as<Pack<uint8_t, LANES<T>>>(picks + from + c), M);
                over_window(v, at, [&](int64_t element, int64_t k) {
                    T* to = image + element * C + c;
                    const Vec<T> zero{};
                    store(to, load(to) + (pick == M{} + typename Short<T, LANES<T>>::Whole(k) ? grad : zero));
                });
            }, [&](int64_t c) {
                over_window(v, at, [&](int64_t element, int64_t k) {
                    if (picks[from + c] == k) image[element * C + c] += g[from + c];
                });
            });
        });
    });
}

// What a window's sum is divided by
template <class T> T divisor_of(const Volume& v, const At& at, const Divisors& by) {
    if (by.fixed != 0) return T(by.fixed);
    return T(by.count(v.axis[2], at.ow)) * T(by.count(v.axis[0], at.od) * by.count(v.axis[1], at.oh));
}

// Four vectors of neighbouring channels: a large window is read in longer stretches
template <class T> struct Four {
    Vec<T> part[4] = {};
    void operator+=(const Four& other) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) part[i] += other.part[i];
    }
    static Four at(const T* p) {
        Four four;
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) four.part[i] = load(p + i * LANES<T>);
        return four;
    }
};

// The sum of a window; V is T, a vector of T or four of them: each row's in turn, then the rows'
template <class V, class F> inline V window_sum(const Volume& v, const At& at, F&& element_at) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    V total{};
    for (int64_t kd = D.first[at.od]; kd < D.last[at.od]; kd++)
        for (int64_t kh = H.first[at.oh]; kh < H.last[at.oh]; kh++) {
            const int64_t row = ((D.start[at.od] + kd) * H.in + H.start[at.oh] + kh) * W.in + W.start[at.ow];
            V sum{};
            for (int64_t kw = W.first[at.ow]; kw < W.last[at.ow]; kw++) sum += element_at(row + kw);
            total += sum;
        }
    return total;
}

template <class T> void mean_last(const T* x, T* out, const Images& m, const Divisors& by) {
    const Volume& v = m.v;
    const int64_t C = m.channels;
    over_windows(m, std::max<int64_t>(v.in_size / std::max<int64_t>(v.out_size, 1), 1),
                 [&](int64_t sample, const At& at, int64_t number) {
        const T* image = x + sample * v.in_size * C;
        T* to = out + number * C;
        const T divisor = divisor_of<T>(v, at, by);
        int64_t done = 0;
        for (; done + 4 * LANES<T> <= C; done += 4 * LANES<T>) {
            const Four<T> sum =
                window_sum<Four<T>>(v, at, [&](int64_t e) { return Four<T>::at(image + e * C + done); });
            for (int i = 0; i < 4; i++) store(to + done + i * LANES<T>, sum.part[i] / divisor);
        }
        over_channels<T>(done, C, [&](int64_t c) {
            store(to + c, window_sum<Vec<T>>(v, at, [&](int64_t e) { return load(image + e * C + c); }) / divisor);
        }, [&](int64_t c) { to[c] = window_sum<T>(v, at, [&](int64_t e) { return image[e * C + c]; }) / divisor; });
    });
}

template <class T> void spread_means_last(const T* g, T* into, const Images& m, const Divisors& by) {
    const Volume& v = m.v;
    const int64_t C = m.channels;
    over_blocks(m, v.in_size * 2, [&](int64_t sample, int64_t begin, int64_t end) {
        T* image = into + sample * v.in_size * C;
        fill_sample(image, m, begin, end, [&](const At& at, int64_t number) {
            const T* grad = g + (sample * v.out_size + number) * C;
            const T divisor = divisor_of<T>(v, at, by);
            over_channels_once<T>(begin, end, [&](int64_t c) {
                const Vec<T> part = load(grad + c) / divisor;
                over_window(v, at, [&](int64_t element, int64_t) {
                    T* to = image + element * C + c;
                    store(to, load(to) + part);
                });
            }, [&](int64_t c) {
                const T part = grad[c] / divisor;
                over_window(v, at, [&](int64_t element, int64_t) { image[element * C + c] += part; });
            });
        });
    });
}

bool floating(const Array& x) { return x && (x.type == F32 || x.type == F64) && x.contiguous; }

// The geometry of a gradient's pooling: g is (N, out..., C), `shape` that of what was pooled, alike.
bool read_gradient(const Array& g, const Ints& shape, int64_t dims, const Ints& kernel, const Ints& stride,
                   const Ints& pad, const Ints& dilation, bool adaptive, Array& x, Images& m) {
    Ints out;
    return read_pooled(g, shape, dims, 1, x, out) &&
           read_images(x, dims, out, kernel, stride, pad, dilation, adaptive, m);
}

}  // namespace

// max_pool_last(x, dims, out, kernel, stride, padding, dilation, adaptive, want): as max_pool, of (N, ..., C), given
// back as (N, C, ...) in the same order, as all of them are
KERNEL(max_pool_last) {
    Array x;
    int64_t dims, want;
    bool adaptive;
    Ints out, kernel, stride, pad, dilation;
    if (!read(args, n, x, dims, out, kernel, stride, pad, dilation, adaptive, want) || !floating(x)) return not_taken();
    Images m;
    if (!read_images(x, dims, out, kernel, stride, pad, dilation, adaptive, m)) return not_taken();
    Volume& v = m.v;
    if (!count_places(v, adaptive, want)) return not_taken();
    Room<int64_t, 192> tables(table_size(v));
    if (!fill_tables(v, tables)) return not_taken();
    Maxima to;
    if (!to.make(v, x.type, want)) return nullptr;
    {
        Unlocked gil(v.planes * v.out_size * m.channels * std::min<int64_t>(v.window, 16));
        if (x.type == F32) max_last<float>(x.as<float>(), data_of<float>(to.values), to.picks, to.indices, m);
        else max_last<double>(x.as<double>(), data_of<double>(to.values), to.picks, to.indices, m);
    }
    return want == VALUES ? outer_channels(to.values) : results({outer_channels(to.values), outer_channels(to.places)});
}

// max_pool_spread_last(g, picks, shape of x, dims, kernel, stride, padding, dilation): as max_pool_spread
KERNEL(max_pool_spread_last) {
    Array g, picks, x;
    int64_t dims;
    Ints shape, kernel, stride, pad, dilation;
    Images m;
    if (!read(args, n, g, picks, shape, dims, kernel, stride, pad, dilation) ||
        !read_gradient(g, shape, dims, kernel, stride, pad, dilation, false, x, m) || !are_picks(picks, g) ||
        m.v.window > 256)
        return not_taken();
    Room<int64_t, 192> tables(table_size(m.v));
    if (!fill_tables(m.v, tables)) return not_taken();
    PyObject* into = new_array(x.nd, x.shape, g.type);
    if (!into) return nullptr;
    {
        Unlocked gil(m.v.planes * m.v.in_size * m.channels);
        if (g.type == F32) spread_last<float>(g.as<float>(), picks.as<uint8_t>(), data_of<float>(into), m);
        else spread_last<double>(g.as<double>(), picks.as<uint8_t>(), data_of<double>(into), m);
    }
    return outer_channels(into);
}

// avg_pool_last(x, dims, out, kernel, stride, padding, adaptive, count_include_pad, divisor_override or 0)
KERNEL(avg_pool_last) {
    Array x;
    int64_t dims;
    bool adaptive, with_padding;
    double fixed;
    Ints out, kernel, stride, pad;
    Images m;
    if (!read(args, n, x, dims, out, kernel, stride, pad, adaptive, with_padding, fixed) || !floating(x) ||
        !read_images(x, dims, out, kernel, stride, pad, ones(dims), adaptive, m))
        return not_taken();
    Room<int64_t, 192> tables(table_size(m.v));
    if (!fill_tables(m.v, tables)) return not_taken();
    PyObject* made = new_array(m.v.out_dims, m.v.out_shape, x.type);
    if (!made) return nullptr;
    const Divisors by{with_padding, fixed};
    {
        Unlocked gil(m.v.planes * m.v.in_size * m.channels);
        if (x.type == F32) mean_last<float>(x.as<float>(), data_of<float>(made), m, by);
        else mean_last<double>(x.as<double>(), data_of<double>(made), m, by);
    }
    return outer_channels(made);
}

// avg_pool_spread_last(g, shape of x, dims, kernel, stride, padding, adaptive, count_include_pad, divisor_override or
// 0)
KERNEL(avg_pool_spread_last) {
    Array g, x;
    int64_t dims;
    bool adaptive, with_padding;
    double fixed;
    Ints shape, kernel, stride, pad;
    Images m;
    if (!read(args, n, g, shape, dims, kernel, stride, pad, adaptive, with_padding, fixed) ||
        !read_gradient(g, shape, dims, kernel, stride, pad, ones(dims), adaptive, x, m))
        return not_taken();
    Room<int64_t, 192> tables(table_size(m.v));
    if (!fill_tables(m.v, tables)) return not_taken();
    PyObject* into = new_array(x.nd, x.shape, g.type);
    if (!into) return nullptr;
    const Divisors by{with_padding, fixed};
    {
        Unlocked gil(m.v.planes * m.v.in_size * m.channels);
        if (g.type == F32) spread_means_last<float>(g.as<float>(), data_of<float>(into), m, by);
        else spread_means_last<double>(g.as<double>(), data_of<double>(into), m, by);
    }
    return outer_channels(into);
}

}  // namespace weft
