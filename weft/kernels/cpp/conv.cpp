// The border of the convolutions, and which kernel takes what.
#include "border.h"
#include "conv_lanes.h"
#include "conv_strided.h"

#include <atomic>

namespace weft {
namespace {

// x, w: (images, channels, spatial...), (out channels, channels of a group, kernel...); the numbers one per spatial
// dimension
bool read_geometry(int dims, const Ints& stride, const Ints& padding, const Ints& dilation, int64_t groups,
                   Geometry& g) {
    if (dims < 1 || dims > 3 || stride.count != dims || padding.count != dims || dilation.count != dims || groups < 1)
        return false;
    g.groups = groups;
    for (int d = 0; d < 3; d++) {
        const int e = d - (3 - dims);
        g.stride[d] = e < 0 ? 1 : stride[e];
        g.padding[d] = e < 0 ? 0 : padding[e];
        g.dilation[d] = e < 0 ? 1 : dilation[e];
        g.in[d] = g.out[d] = g.kernel[d] = 1;
        if (g.stride[d] < 1 || g.dilation[d] < 1) return false;
    }
    return true;
}

template <class Sizes> void read_sizes(int dims, const Sizes& from, int64_t (&to)[3]) {
    for (int e = 0; e < dims; e++) to[e + 3 - dims] = from[e];
}

// What is multiplied by 0 only, as the stride of a single result, doesn't matter, however great. False for numbers
// whose products could overflow.
bool simplify(Geometry& g) {
    constexpr int64_t MOST = int64_t(1) << 31;
    for (int d = 0; d < 3; d++) {
        if (g.out[d] <= 1) g.stride[d] = 1;
        if (g.kernel[d] <= 1) g.dilation[d] = 1;
        if (g.stride[d] > MOST || g.dilation[d] > MOST || g.padding[d] > MOST || g.padding[d] < -MOST) return false;
    }
    return true;
}

// A kernel of one tap that meets every element: all positions of an image are one line.
void flatten(Geometry& g) {
    for (int d = 0; d < 3; d++)
        if (g.kernel[d] != 1 || g.stride[d] != 1 || g.padding[d] != 0 || g.in[d] != g.out[d]) return;
    g.in[2] = g.out[2] = g.in_size();
    g.in[0] = g.in[1] = g.out[0] = g.out[1] = 1;
}

bool usable(const Array& a, int nd, int type) { return a && a.nd == nd && a.type == type && a.contiguous; }

// The job of one group; `back` computes the input's gradient, whose axes are set per phase.
template <class T>
Job<T> job_of(const Geometry& g, int64_t group, const T* source, const T* weight, const T* bias, T* target, bool back) {
    const int64_t in = g.in_channels / g.groups, out = g.out_channels / g.groups, k = g.kernel_size();
    const int64_t from = back ? out : in, to = back ? in : out, from_size = back ? g.out_size() : g.in_size(),
                  to_size = back ? g.in_size() : g.out_size();
    Job<T> job;
    job.images = g.images;
    job.channels = from;
    job.targets = to;
    job.source = source + group * from * from_size;
    job.source_channel = from_size;
    job.source_image = from_size * from * g.groups;
    job.source_end = source + g.images * from * g.groups * from_size;
    job.weight = weight ? weight + group * out * in * k : nullptr;
    job.weight_m = back ? k : in * k;
    job.weight_c = back ? in * k : k;
    job.bias = bias ? bias + group * to : nullptr;
    job.target = target ? target + group * to * to_size : nullptr;
    job.target_channel = to_size;
    job.target_image = to_size * to * g.groups;
    for (int d = 0; d < 3; d++) {
        job.kernel[d] = g.kernel[d];
        job.target_size[d] = back ? g.in[d] : g.out[d];
        if (!back) job.axis[d] = forward_axis(g, d);
    }
    return job;
}

template <class T>
Job<T> depthwise_job(const Geometry& g, const T* source, const T* weight, const T* bias, T* target, bool back) {
    Job<T> job = job_of(g, 0, source, weight, bias, target, back);
    job.channels = back ? g.out_channels : g.in_channels;
    job.targets = back ? g.in_channels : g.out_channels;
    job.weight_m = g.kernel_size();
    return job;
}

// planes in the usual order by the kernel for channels in lanes; false where another one is to do it, else `done` says
// whether there was memory for it
template <class T>
bool by_lanes(const Geometry& g, const T* source, const T* weight, const T* bias, T* target, bool back, bool& done) {
    if (!lanes_pay<T>(g, false)) return false;
    const int64_t *from = back ? g.out : g.in, *to = back ? g.in : g.out;
    const LaneJob<T> job = lane_job<T>(g, Images<const T>::planes(source, g.groups, from[1], from[2]),
                                       Images<T>::planes(target, g.groups, to[1], to[2]), weight, bias, back);
    if (!lanes_fit(job)) return false;
    done = conv_lanes(job);
    return true;
}

template <class T> bool run(const Job<T>& job) {
    if constexpr (std::is_same_v<T, float>)
        if (bool done; winograd_forward(job, done)) return done;
    return direct_pays(job) ? conv_direct(job) : conv_gemm(job);
}

// f(group) for every group, small ones on several threads: each of them is a convolution of its own
template <class F> bool each_group(const Geometry& g, F&& f) {
    std::atomic<bool> enough{true};
    const auto some = [&](int64_t from, int64_t to) {
        try {
            for (int64_t group = from; group < to; group++) if (!f(group)) enough = false;
        } catch (const std::bad_alloc&) { enough = false; }
    };
    if (g.groups < 4) some(0, g.groups);
    else parallel(g.groups, std::max<int64_t>(1, int64_t(200000 / (g.work() / double(g.groups) + 1))), some);
    return enough;
}

// The same by Winograd's points, for all channels together.
template <class T>
bool by_points(const Geometry& g, const T* source, const T* weight, const T* bias, T* target, bool back, bool& done) {
    if constexpr (std::is_same_v<T, float>) {
        if (g.groups != 1 || g.images * g.out_size() < FEW_TILES) return false;
        Job<T> job = job_of(g, 0, source, weight, bias, target, back);
        if (back && has_stride(g)) return winograd_strided_input(g, job, done);
        if (back) for (int d = 0; d < 3; d++) job.axis[d] = backward_axis(g, d, 0);
        return winograd_forward(job, done);
    }
    return false;
}

template <class T> bool forward(const Geometry& g, const T* x, const T* w, const T* bias, T* out) {
    if (skips_points(g)) {
        Scratch<T> points(size_t(g.images * g.in_channels * g.out_size()));
        pick_points(g, x, points.data);
        return forward<T>(of_points(g), points, w, bias, out);
    }
    if (bool done; by_lanes(g, x, w, bias, out, false, done)) return done;
    if (g.groups > 1 && g.in_channels == g.groups) return conv_depthwise(depthwise_job(g, x, w, bias, out, false));
    if (bool done; by_points(g, x, w, bias, out, false, done)) return done;
    if (rows_pay(g, FEW_POSITIONS)) { rows_forward(g, x, w, bias, out); return true; }
    if (point_pays(g)) { point_product(g, x, w, bias, out, false); return true; }
    return each_group(g, [&](int64_t group) { return run(job_of(g, group, x, w, bias, out, false)); });
}

template <class T> bool backward(const Geometry& g, const T* gradient, const T* w, const T* bias, T* to) {
    if (skips_points(g)) {
        Scratch<T> points(size_t(g.images * g.in_channels * g.out_size()));
        if (!backward<T>(of_points(g), gradient, w, bias, points)) return false;
        spread_points<T>(g, points, bias, to);
        return true;
    }
    if (bool done; by_lanes(g, gradient, w, bias, to, true, done)) return done;
    if (bool done; by_points(g, gradient, w, bias, to, true, done)) return done;
    if (rows_pay(g, FEW_POSITIONS)) { rows_input(g, gradient, w, bias, to); return true; }
    if (point_pays(g)) { point_product(g, gradient, w, bias, to, true); return true; }
    const bool depthwise = g.groups > 1 && g.in_channels == g.groups && g.out_channels == g.groups;
    const auto one = [&](int64_t group) {
        Job<T> job =
            depthwise ? depthwise_job(g, gradient, w, bias, to, true) : job_of(g, group, gradient, w, bias, to, true);
        if constexpr (std::is_same_v<T, float>)
            if (bool done; !depthwise && has_stride(g) && winograd_strided_input(g, job, done)) return done;
        if (!depthwise && has_stride(g)) return strided_input(g, job, run<T>);
        for (int64_t d = 0; d < g.stride[0]; d++)
            for (int64_t r = 0; r < g.stride[1]; r++)
                for (int64_t c = 0; c < g.stride[2]; c++) {
                    job.axis[0] = backward_axis(g, 0, d);
                    job.axis[1] = backward_axis(g, 1, r);
                    job.axis[2] = backward_axis(g, 2, c);
                    const bool done = depthwise && job.taps() ? conv_depthwise(job) : run(job);
                    if (!done) return false;
                }
        return true;
    };
    return depthwise ? one(0) : each_group(g, one);
}

template <class T> bool weigh(const Geometry& g, const T* gradient, const T* x, T* dw) {
    if (skips_points(g)) {
        Scratch<T> points(size_t(g.images * g.in_channels * g.out_size()));
        pick_points(g, x, points.data);
        return weigh<T>(of_points(g), gradient, points, dw);
    }
    const int64_t in = g.in_channels / g.groups, out = g.out_channels / g.groups, size = g.out_size();
    if (lanes_pay<T>(g, true)) {
        const Images<T> read = Images<T>::planes(const_cast<T*>(gradient), g.groups, g.out[1], g.out[2]);
        const LaneJob<T> job = lane_job<T>(g, Images<const T>::planes(x, g.groups, g.in[1], g.in[2]), read, nullptr,
                                           nullptr, false);
        if (lanes_fit(job)) return conv_lanes_weight(job, dw);
    }
    if constexpr (std::is_same_v<T, float>)
        if (bool done; g.groups == 1 && g.images * size >= FEW_TILES_FOR_WEIGHT &&
                       winograd_weight(job_of<T>(g, 0, x, nullptr, nullptr, nullptr, false), gradient,
                                       size * g.out_channels, size, dw, done))
            return done;
    if (rows_pay(g, has_stride(g) ? FEW_STRIDED : FEW_FOR_WEIGHT)) { rows_weight(g, gradient, x, dw); return true; }
    if (g.groups > 1 && in == 1)
        return conv_depthwise_weight(depthwise_job<T>(g, x, nullptr, nullptr, nullptr, false), gradient,
                                     size * g.out_channels, size, dw);
    return each_group(g, [&](int64_t group) {
        const Job<T> job = job_of<T>(g, group, x, nullptr, nullptr, nullptr, false);
        const T* mine = gradient + group * out * size;
        T* place = dw + group * out * in * g.kernel_size();
        if constexpr (std::is_same_v<T, float>)
            if (bool done; winograd_weight(job, mine, size * g.out_channels, size, place, done)) return done;
        return conv_weight(job, mine, size * g.out_channels, size, place);
    });
}

// Runs f(out) without the GIL on a new array; f gives false, or throws, when there is no memory.
template <class F> PyObject* filled(int nd, const intptr_t* shape, int type, double work, F&& f) {
    PyObject* made = new_array(nd, shape, type);
    if (!made) return nullptr;
    bool enough = true;
    {
        Unlocked gil(work > 1e9 ? 1000000000 : int64_t(work));
        try {
            enough = f(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
        } catch (const std::bad_alloc&) { enough = false; }
    }
    if (enough) return made;
    Py_DECREF(made);
    return PyErr_NoMemory();
}

// what x, w and the sizes of a convolution must be to each other
bool read_weight(const Array& w, int dims, int64_t channels, bool back, Geometry& g) {
    g.out_channels = w.shape[0];
    g.in_channels = w.shape[1] * g.groups;
    if (g.out_channels % g.groups || (back ? g.out_channels : g.in_channels) != channels) return false;
    read_sizes(dims, w.shape + 2, g.kernel);
    return true;
}

PyObject* convolve(PyObject* const* args, Py_ssize_t n, bool back) {
    Array x, w, bias;
    Ints sizes, stride, padding, dilation;
    int64_t groups;
    Geometry g;
    if (!read(args, n, x, w, bias, sizes, stride, padding, dilation, groups) || !x || !w) return not_taken();
    const int dims = x.nd - 2;
    if ((x.type != F32 && x.type != F64) || !usable(x, x.nd, x.type) || !usable(w, x.nd, x.type) ||
        sizes.count != dims || !read_geometry(dims, stride, padding, dilation, groups, g) ||
        !read_weight(w, dims, x.shape[1], back, g))
        return not_taken();
    g.images = x.shape[0];
    const int64_t targets = back ? g.in_channels : g.out_channels;
    if (bias && (!usable(bias, 1, x.type) || bias.shape[0] != targets)) return not_taken();
    read_sizes(dims, x.shape + 2, back ? g.out : g.in);
    read_sizes(dims, sizes.value, back ? g.in : g.out);
    if (!simplify(g)) return not_taken();
    intptr_t shape[MAX_DIMS] = {intptr_t(g.images), intptr_t(targets)};
    for (int d = 0; d < dims; d++) {
        if (sizes[d] < 0) return not_taken();
        shape[2 + d] = intptr_t(sizes[d]);
    }
    flatten(g);
    return filled(x.nd, shape, x.type, g.work(), [&](void* out) {
        if (x.type == F32)
            return (back ? backward<float> : forward<float>)(g, x.as<float>(), w.as<float>(), bias.as<float>(),
                                                             static_cast<float*>(out));
        return (back ? backward<double> : forward<double>)(g, x.as<double>(), w.as<double>(), bias.as<double>(),
                                                           static_cast<double*>(out));
    });
}

// The depthwise convolution of channels_last images (N, spatial..., C): `back` its input's gradient.
template <class T>
PyObject* convolve_last(const Array& x, const Array& w, const Array& bias, const Geometry& g, int dims, bool back) {
    const int64_t *from = back ? g.out : g.in, *to = back ? g.in : g.out;
    LaneJob<T> job = lane_job<T>(g, Images<const T>::channels_last(x.as<T>(), g.groups, from[1], from[2]),
                                 Images<T>::channels_last(nullptr, g.groups, to[1], to[2]), w.as<T>(), bias.as<T>(),
                                 back);
    if (!lanes_fit(job)) return not_taken();
    intptr_t shape[MAX_DIMS] = {intptr_t(g.images)};
    for (int d = 0; d < dims; d++) shape[1 + d] = intptr_t(to[3 - dims + d]);
    shape[1 + dims] = intptr_t(g.groups);
    return filled(x.nd, shape, x.type, g.work(), [&](void* out) {
        job.target.data = static_cast<T*>(out);
        return conv_lanes(job);
    });
}

template <class T> PyObject* weigh_last(const Array& gradient, const Array& x, const Geometry& g, int dims) {
    const LaneJob<T> job =
        lane_job<T>(g, Images<const T>::channels_last(x.as<T>(), g.groups, g.in[1], g.in[2]),
                    Images<T>::channels_last(gradient.as<T>(), g.groups, g.out[1], g.out[2]), nullptr, nullptr, false);
    if (!lanes_fit(job)) return not_taken();
    intptr_t shape[MAX_DIMS] = {intptr_t(g.groups), 1};
    for (int d = 0; d < dims; d++) shape[2 + d] = intptr_t(g.kernel[3 - dims + d]);
    return filled(dims + 2, shape, x.type, g.work(), [&](void* out) {
        return conv_lanes_weight(job, static_cast<T*>(out));
    });
}

// sums over images and positions, in double; the same pieces whatever the number of threads
template <class T> void sum_planes(const T* from, int64_t images, int64_t channels, int64_t size, T* to) {
    constexpr int64_t L = LANES<T>;
    parallel(channels, std::max<int64_t>(1, 32768 / (images * size + 1)), [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; c++) {
            double total = 0;
            for (int64_t n = 0; n < images; n++) {
                const T* plane = from + (n * channels + c) * size;
                for (int64_t i = 0; i < size; i += 512) {
                    const int64_t count = std::min<int64_t>(512, size - i);
                    Vec<T> sum[4] = {};
                    int64_t j = 0;
                    for (; j + 4 * L <= count; j += 4 * L)
                        for (int v = 0; v < 4; v++) sum[v] += load(plane + i + j + v * L);
                    for (; j + L <= count; j += L) sum[0] += load(plane + i + j);
                    if (j < count) sum[1] += load_part(plane + i + j, count - j);
                    total += double(sum_lanes((sum[0] + sum[1]) + (sum[2] + sum[3])));
                }
            }
            to[c] = T(total);
        }
    });
}

}  // namespace

// conv_forward(x, w, bias or None, out sizes, stride, padding, dilation, groups): a larger out size than fits reads
// zeros
KERNEL(conv_forward) { return convolve(args, n, false); }

// conv_input(g, w, bias or None, in sizes, stride, padding, dilation, groups): the gradient of the input, or a
// transposed convolution
KERNEL(conv_input) { return convolve(args, n, true); }

// conv_weight(g, x, kernel sizes, stride, padding, dilation, groups): the gradient of the weight
KERNEL(conv_weight) {
    Array gradient, x;
    Ints sizes, stride, padding, dilation;
    int64_t groups;
    Geometry g;
    if (!read(args, n, gradient, x, sizes, stride, padding, dilation, groups) || !x || !gradient) return not_taken();
    const int dims = x.nd - 2;
    if ((x.type != F32 && x.type != F64) || !usable(x, x.nd, x.type) || !usable(gradient, x.nd, x.type) ||
        sizes.count != dims || !read_geometry(dims, stride, padding, dilation, groups, g))
        return not_taken();
    g.images = x.shape[0];
    g.in_channels = x.shape[1];
    g.out_channels = gradient.shape[1];
    if (gradient.shape[0] != x.shape[0] || g.in_channels % groups || g.out_channels % groups) return not_taken();
    read_sizes(dims, x.shape + 2, g.in);
    read_sizes(dims, gradient.shape + 2, g.out);
    read_sizes(dims, sizes.value, g.kernel);
    if (!simplify(g)) return not_taken();
    intptr_t shape[MAX_DIMS] = {intptr_t(g.out_channels), intptr_t(g.in_channels / groups)};
    for (int d = 0; d < dims; d++) {
        if (sizes[d] < 0) return not_taken();
        shape[2 + d] = intptr_t(sizes[d]);
    }
    flatten(g);
    return filled(x.nd, shape, x.type, g.work(), [&](void* out) {
        if (x.type == F32) return weigh(g, gradient.as<float>(), x.as<float>(), static_cast<float*>(out));
        return weigh(g, gradient.as<double>(), x.as<double>(), static_cast<double*>(out));
    });
}

// conv_lanes(x, w, bias or None, sizes, stride, padding, dilation, back): a depthwise conv_forward, or conv_input, of
// images (N, spatial..., C)
KERNEL(conv_lanes) {
    Array x, w, bias;
    Ints sizes, stride, padding, dilation;
    bool back;
    Geometry g;
    if (!read(args, n, x, w, bias, sizes, stride, padding, dilation, back) || !x || !w) return not_taken();
    const int dims = x.nd - 2;
    if ((x.type != F32 && x.type != F64) || dims < 1 || dims > 2 || !usable(x, x.nd, x.type) ||
        !usable(w, x.nd, x.type) || w.shape[1] != 1 || sizes.count != dims ||
        !read_geometry(dims, stride, padding, dilation, std::max<int64_t>(1, x.shape[x.nd - 1]), g) ||
        !read_weight(w, dims, x.shape[x.nd - 1], back, g) || (bias && (!usable(bias, 1, x.type) ||
        bias.shape[0] != g.groups)))
        return not_taken();
    g.images = x.shape[0];
    read_sizes(dims, x.shape + 1, back ? g.out : g.in);
    read_sizes(dims, sizes.value, back ? g.in : g.out);
    for (int d = 0; d < dims; d++) if (sizes[d] < 0) return not_taken();
    if (!simplify(g) || !is_lane_geometry(g)) return not_taken();
    return x.type == F32 ? convolve_last<float>(x, w, bias, g, dims, back)
                         : convolve_last<double>(x, w, bias, g, dims, back);
}

// conv_lanes_weight(g, x, kernel sizes, stride, padding, dilation): a depthwise conv_weight of such images
KERNEL(conv_lanes_weight) {
    Array gradient, x;
    Ints sizes, stride, padding, dilation;
    Geometry g;
    if (!read(args, n, gradient, x, sizes, stride, padding, dilation) || !x || !gradient) return not_taken();
    const int dims = x.nd - 2;
    if ((x.type != F32 && x.type != F64) || dims < 1 || dims > 2 || !usable(x, x.nd, x.type) ||
        !usable(gradient, x.nd, x.type) || sizes.count != dims || gradient.shape[0] != x.shape[0] ||
        gradient.shape[dims + 1] != x.shape[dims + 1] ||
        !read_geometry(dims, stride, padding, dilation, std::max<int64_t>(1, x.shape[dims + 1]), g))
        return not_taken();
    g.images = x.shape[0];
    g.in_channels = g.out_channels = x.shape[dims + 1];
    read_sizes(dims, x.shape + 1, g.in);
    read_sizes(dims, gradient.shape + 1, g.out);
    read_sizes(dims, sizes.value, g.kernel);
    for (int d = 0; d < dims; d++) if (sizes[d] < 0) return not_taken();
    if (!simplify(g) || !is_lane_geometry(g)) return not_taken();
    return x.type == F32 ? weigh_last<float>(gradient, x, g, dims) : weigh_last<double>(gradient, x, g, dims);
}

// conv_bias(g): its sum over images and positions, for each channel
KERNEL(conv_bias) {
    Array g;
    if (!read(args, n, g) || !g || g.nd < 2 || !g.contiguous || (g.type != F32 && g.type != F64)) return not_taken();
    const int64_t images = g.shape[0], channels = g.shape[1],
                  size = channels > 0 && images > 0 ? g.size / (channels * images) : 0;
    return filled(1, g.shape + 1, g.type, double(g.size), [&](void* out) {
        if (g.type == F32) sum_planes(g.as<float>(), images, channels, size, static_cast<float*>(out));
        else sum_planes(g.as<double>(), images, channels, size, static_cast<double*>(out));
        return true;
    });
}

}  // namespace weft
