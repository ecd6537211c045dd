// Depthwise convolutions (one source and one target channel per group, a plane or a line) with a vector's worth of
// channels in the lanes: a plane of any width fills the vectors, every load is aligned, and images whose channels lie
// innermost need no copy.
#pragma once
#include "conv.h"

namespace weft {

// Images in memory: element (n, c, y, x) is data[n * image + c * channel + y * row + x * column].
template <class T> struct Images {
    T* data;
    int64_t height, width, image, channel, row, column;
    static Images planes(T* data, int64_t channels, int64_t height, int64_t width) {
        return {data, height, width, channels * height * width, height * width, width, 1};
    }
    static Images channels_last(T* data, int64_t channels, int64_t height, int64_t width) {
        return {data, height, width, channels * height * width, 1, width * channels, channels};
    }
};

// target = bias + the sum over taps, by one pair of axes for each remainder of the target's index (conv.h)
template <class T> struct LaneJob {
    int64_t images, channels, kernel[2];
    Images<const T> source;
    Images<T> target;               // of the weight's gradient: that of the target, which is only read
    const T *weight, *bias;         // weight (channels, kernel), bias (channels) or null
    std::vector<Axis> rows, columns;
};

// The job of a depthwise geometry of at most two dimensions; `back`: that of the input's gradient.
template <class T>
LaneJob<T> lane_job(const Geometry& g, Images<const T> source, Images<T> target, const T* weight, const T* bias,
                    bool back);

bool is_lane_geometry(const Geometry& g);       // what lane_job takes
// whether it is the quicker way for planes in the usual order (c, y, x); `weight`: for the weight's gradient
template <class T> bool lanes_pay(const Geometry& g, bool weight);
// false where a piece of the source would be too large (dilations of millions)
template <class T> bool lanes_fit(const LaneJob<T>& job);
// Each gives false when there is no memory for its scratch.
template <class T> bool conv_lanes(const LaneJob<T>& job);
template <class T> bool conv_lanes_weight(const LaneJob<T>& job, T* dw);

}  // namespace weft
