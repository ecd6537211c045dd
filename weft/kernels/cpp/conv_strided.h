// Convolutions whose stride is greater than 1, as ones of stride 1 whose images lie in one piece.
#pragma once
#include "conv.h"

namespace weft {

inline bool has_stride(const Geometry& g) { return g.stride[0] * g.stride[1] * g.stride[2] > 1; }

// One tap that meets every s-th element (a residual's 1x1 convolution of stride 2).
inline bool skips_points(const Geometry& g) {
    if (g.kernel_size() != 1 || !has_stride(g) || g.images * g.in_channels * g.out_size() == 0) return false;
    for (int d = 0; d < 3; d++) if (g.padding[d] != 0 || (g.out[d] - 1) * g.stride[d] >= g.in[d]) return false;
    return true;
}

// the same convolution of the elements that it meets
inline Geometry of_points(Geometry g) {
    g.in[2] = g.out[2] = g.out_size();
    for (int d = 0; d < 3; d++) g.stride[d] = 1;
    g.in[0] = g.in[1] = g.out[0] = g.out[1] = 1;
    return g;
}

// f(plane of the image, plane of the points) for every channel of every image, over the pool
template <class F> void each_plane(const Geometry& g, F&& f) {
    const int64_t size = g.in_size(), points = g.out_size();
    parallel(g.images * g.in_channels, std::max<int64_t>(1, 65536 / size), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) f(i * size, i * points);
    });
}

// f(an image's row, its points' row) of a plane, as offsets from the plane
template <class F> inline void each_row_of_points(const Geometry& g, F&& f) {
    int64_t row = 0;
    for (int64_t z = 0; z < g.out[0]; z++)
        for (int64_t y = 0; y < g.out[1]; y++, row += g.out[2])
            f((z * g.stride[0] * g.in[1] + y * g.stride[1]) * g.in[2], row);
}

// (images, channels, points) of (images, channels, image)
template <class T> void pick_points(const Geometry& g, const T* image, T* points) {
    each_plane(g, [&](int64_t from, int64_t to) {
        each_row_of_points(g, [&](int64_t row, int64_t point) {
            const T* line = image + from + row;
            for (int64_t x = 0; x < g.out[2]; x++) points[to + point + x] = line[x * g.stride[2]];
        });
    });
}

// and back: what lies between the points is the bias of its channel, or 0
template <class T> void spread_points(const Geometry& g, const T* points, const T* bias, T* image) {
    const int64_t size = g.in_size();
    each_plane(g, [&](int64_t to, int64_t from) {
        std::fill(image + to, image + to + size, bias ? bias[to / size % g.in_channels] : T(0));
        each_row_of_points(g, [&](int64_t row, int64_t point) {
            T* line = image + to + row;
            for (int64_t x = 0; x < g.out[2]; x++) line[x * g.stride[2]] = points[from + point + x];
        });
    });
}

// The gradient of the input, one group's: for each remainder of the target's index by the stride a convolution into
// memory of its own, whose rows are whole, then all of them into their places. `run` gives false when there is no
// memory.
template <class T, class Run> bool strided_input(const Geometry& g, const Job<T>& job, Run&& run) {
    struct Part { Axis axis[3]; const T* data; int64_t size; };
    const int64_t planes = job.images * job.targets, size = g.in_size();
    Scratch<T> memory(size_t(planes * size));
    T* at = memory;
    std::vector<Part> parts;
    bool covered = true;                // every element belongs to some part
    for (int64_t phase = 0; phase < g.stride[0] * g.stride[1] * g.stride[2]; phase++) {
        const int64_t phases[3] = {phase / (g.stride[1] * g.stride[2]), phase / g.stride[2] % g.stride[1],
                                   phase % g.stride[2]};
        Job<T> one = job;
        Part part;
        for (int d = 0; d < 3; d++) {
            part.axis[d] = one.axis[d] = backward_axis(g, d, phases[d]);
            one.axis[d].first = 0;
            one.axis[d].step = 1;
            one.target_size[d] = one.axis[d].count;
        }
        part.size = one.target_size[0] * one.target_size[1] * one.target_size[2];
        if (part.size == 0) continue;
        if (one.taps() * one.channels == 0) { covered = false; continue; }
        one.target = at;
        one.target_channel = part.size;
        one.target_image = part.size * job.targets;
        if (!run(one)) return false;
        part.data = at;
        at += planes * part.size;
        parts.push_back(part);
    }
    parallel(planes, std::max<int64_t>(1, 65536 / std::max<int64_t>(size, 1)), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++) {
            T* plane = job.target + i / job.targets * job.target_image + i % job.targets * job.target_channel;
            if (!covered) std::fill(plane, plane + size, job.bias ? job.bias[i % job.targets] : T(0));
            for (const Part& part : parts) {
                const Axis &z = part.axis[0], &y = part.axis[1], &x = part.axis[2];
                const T* source = part.data + i * part.size;
                for (int64_t d = 0; d < z.count; d++)
                    for (int64_t r = 0; r < y.count; r++, source += x.count) {
                        T* line = plane + ((z.first + d * z.step) * g.in[1] + y.first + r * y.step) * g.in[2] + x.first;
                        if (x.step == 1) std::memcpy(line, source, size_t(x.count) * sizeof(T));
                        else if (x.step == 2) for (int64_t c = 0; c < x.count; c++) line[2 * c] = source[c];
                        else for (int64_t c = 0; c < x.count; c++) line[c * x.step] = source[c];
                    }
            }
        }
    });
    return true;
}

}  // namespace weft
