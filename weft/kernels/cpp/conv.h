// Convolutions of one to three spatial dimensions, NCHW. All three of them (forward, gradient of the input, gradient of
// the weight) are one sum over taps, described per dimension by an Axis:
//
//     target[first + o * step] = sum over t of weight[index[t]] * source[o * stride + offset[t]]          (zero outside
//     the source)
//
// Forward: all taps, offset = k * dilation - padding. The gradient of the input with stride s is s such jobs per
// dimension, one for each remainder of the target's index, with the taps that reach it: their sources lie side by side,
// so they are convolutions of stride 1.
//
//     conv.cpp           the border to Python, and which kernel takes what
//     conv_gemm.cpp      implicit matrix products: B is packed out of a padded strip of the image
//     conv_weight.cpp    the same for the gradient of the weight
//     conv_rows.cpp      few positions, large weights: all three as a product of rows
//     conv_point.cpp     one tap: a product for each image
//     conv_strided.h     strides: phases apart, one tap as the points that it meets
//     conv_winograd.cpp  3x3 and other small kernels: F(4x4, 3x3) has a quarter of the multiplications
//     conv_winograd_weight.cpp  the weight's; conv_tiles.h  the tiles, and the images under them, channels in lanes
//     conv_direct.cpp    few channels: the strip is read in place of packed panels
//     conv_depthwise.cpp one input channel per group, directly; conv_lanes.cpp  the same by blocks of channels
#pragma once
#include <algorithm>
#include <vector>

#include "gemm.h"
#include "host.h"
#include "vec.h"

namespace weft {

struct Axis {
    int64_t source = 1, count = 1, stride = 1;      // the source's size, the number of o, and what o is multiplied by
    int64_t first = 0, step = 1;                    // where o goes in the target
    int64_t low = 0, high = 0;                      // least and greatest offset
    std::vector<int64_t> index{0}, offset{0};
    int64_t taps() const { return int64_t(index.size()); }
    void set_range() {
        low = high = offset.empty() ? 0 : offset[0];
        for (int64_t o : offset) { low = std::min(low, o); high = std::max(high, o); }
    }
};

constexpr int DEPTH = 0, ROW = 1, COLUMN = 2;       // the axes

struct Geometry {       // of a convolution as its forward sees it; missing dimensions have size 1
    int64_t images, groups, in_channels, out_channels;          // channels of all groups together
    int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
    int64_t in_size() const { return in[0] * in[1] * in[2]; }
    int64_t out_size() const { return out[0] * out[1] * out[2]; }
    int64_t kernel_size() const { return kernel[0] * kernel[1] * kernel[2]; }
    double work() const {
        return double(images) * double(out_size()) * double(kernel_size()) *
               double(in_channels / std::max<int64_t>(groups, 1)) * double(out_channels);
    }
};

Axis forward_axis(const Geometry& g, int d);
// the targets whose (index + padding) % stride is `phase`
Axis backward_axis(const Geometry& g, int d, int64_t phase);

// One group's sum over taps. The weight of target channel m, source channel c at taps (kd, kh, kw) is
// weight[m * weight_m + c * weight_c + (kd * kernel[1] + kh) * kernel[2] + kw].
template <class T> struct Job {
    Axis axis[3];
    int64_t images, channels, targets;              // source channels and target channels of the group
    // strides between images and channels; planes are contiguous
    const T* source; int64_t source_image, source_channel;
    const T* source_end;                            // the end of the source's memory
    const T* weight; int64_t weight_m, weight_c; int64_t kernel[3];
    const T* bias;                                  // per target channel, or null
    T* target; int64_t target_image, target_channel; int64_t target_size[3];
    int64_t taps() const { return axis[0].taps() * axis[1].taps() * axis[2].taps(); }
};

// Each gives false when there is no memory for its scratch.
template <class T> bool conv_gemm(const Job<T>& job);
template <class T> bool direct_pays(const Job<T>& job);
template <class T> bool conv_direct(const Job<T>& job);         // few channels
template <class T> bool conv_depthwise(const Job<T>& job);      // one source channel, any number of targets
// dw (targets x channels x kernel, contiguous) of one group; `gradient` has the targets' planes
template <class T>
bool conv_weight(const Job<T>& job, const T* gradient, int64_t gradient_image, int64_t gradient_channel, T* dw);
template <class T>
bool conv_depthwise_weight(const Job<T>& job, const T* gradient, int64_t gradient_image, int64_t gradient_channel,
                           T* dw);

// Few positions beside a large weight: a row for each position, one product. Winograd's way is quicker from a few
// tiles on.
constexpr int64_t FEW_POSITIONS = 160, FEW_FOR_WEIGHT = 96, FEW_STRIDED = 512, LARGE_WEIGHT = 1 << 16;
constexpr int64_t FEW_TILES = 32, FEW_TILES_FOR_WEIGHT = 48;        // positions, too
bool rows_pay(const Geometry& g, int64_t most);
template <class T> void rows_forward(const Geometry& g, const T* x, const T* w, const T* bias, T* out);
template <class T> void rows_input(const Geometry& g, const T* gradient, const T* w, const T* bias, T* to);
template <class T> void rows_weight(const Geometry& g, const T* gradient, const T* x, T* dw);

// One tap, many channels and positions: a product for each image. `back` is the gradient of the input.
bool point_pays(const Geometry& g);
template <class T>
void point_product(const Geometry& g, const T* source, const T* w, const T* bias, T* target, bool back);

// Winograd's way, float32: true if it pays for this job, `done` then says whether there was memory for it.
bool winograd_forward(const Job<float>& job, bool& done);
// the gradient of the input for a stride of 2, all phases of the targets at once
bool winograd_strided_input(const Geometry& g, const Job<float>& job, bool& done);
bool winograd_weight(const Job<float>& job, const float* gradient, int64_t gradient_image, int64_t gradient_channel,
                     float* dw, bool& done);

// A part of a plane copied with its padding, columns of the same remainder by the stride side by side, so that
// neighbours in the target are neighbours in the strip at every tap.
struct Strip {
    int64_t row_low, rows, column_low, columns;     // what of the source it holds (indices may lie outside)
    int64_t stride, phase_width, row_step, plane_step;
    static Strip of(const Axis& row, const Axis& column, int64_t row_from, int64_t row_to, int64_t column_from,
                    int64_t column_to, int64_t slack);
    int64_t offset(int64_t row_offset, int64_t column_offset) const {      // of a tap, from `low`
        if (stride == 1) return row_offset * row_step + column_offset;
        return row_offset * row_step + column_offset % stride * phase_width + column_offset / stride;
    }
    template <class T> void copy(const T* plane, int64_t height, int64_t width, T* to) const;   // a null plane is zeros
};

// Columns of the implicit matrix (positions of the target's grid), a panel at a time: runs that are contiguous in the
// strip.
struct Run { int64_t from; int32_t lane, length; };

template <class T>
inline int64_t aligned(int64_t n) {
    constexpr int64_t unit = 64 / int64_t(sizeof(T));
    return (n + unit - 1) / unit * unit;
}

template <class T> void Strip::copy(const T* plane, int64_t height, int64_t width, T* to) const {
    for (int64_t r = 0; r < rows; r++, to += row_step) {
        const int64_t y = row_low + r;
        if (!plane || y < 0 || y >= height) { std::memset(to, 0, size_t(row_step) * sizeof(T)); continue; }
        const T* line = plane + y * width;
        for (int64_t f = 0; f < stride; f++) {
            T* place = to + f * phase_width;
            // source column = column_low + f + i * stride for i below phase_width; inside for i in [from, until)
            const int64_t start = column_low + f;
            const int64_t from = std::min(phase_width, start >= 0 ? 0 : (-start + stride - 1) / stride);
            const int64_t until =
                std::max(from, std::min(phase_width, width > start ? (width - start + stride - 1) / stride : 0));
            for (int64_t i = 0; i < from; i++) place[i] = T(0);
            const T* at = line + start + from * stride;
            if (stride == 1) std::memcpy(place + from, at, size_t(until - from) * sizeof(T));
            else if (stride == 2) for (int64_t i = from; i < until; i++, at += 2) place[i] = *at;
            else for (int64_t i = from; i < until; i++, at += stride) place[i] = *at;
            for (int64_t i = until; i < phase_width; i++) place[i] = T(0);
        }
    }
}

}  // namespace weft
