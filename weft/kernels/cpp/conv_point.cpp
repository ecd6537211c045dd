// A kernel of one tap that meets every element: a product of the weight and each image, (targets x channels) by
// (channels x positions), both read where they lie.
#include "conv.h"

namespace weft {

// With fewer channels or positions, columns that several images share are quicker (conv_gemm).
bool point_pays(const Geometry& g) {
    const bool is_line = g.out[0] * g.out[1] * g.in[0] * g.in[1] == 1 && g.in[2] == g.out[2] && g.stride[2] == 1 &&
                         std::all_of(g.padding, g.padding + 3, [](int64_t p) { return p == 0; });
    return g.groups == 1 && g.kernel_size() == 1 && is_line && g.in_channels >= 64 && g.out_channels >= 16 &&
           g.out[2] >= 96;
}

template <class T>
void point_product(const Geometry& g, const T* source, const T* w, const T* bias, T* target, bool back) {
    const int64_t channels = back ? g.out_channels : g.in_channels, targets = back ? g.in_channels : g.out_channels;
    const int64_t positions = g.out[2];
    const Matrix<T> weight = back ? Matrix<T>{w, 1, targets} : Matrix<T>{w, channels, 1};
    const auto image = [&](int64_t n) {
        const T* next = n + 1 < g.images ? source + (n + 1) * channels * positions : nullptr;
        gemm<T, T>(targets, positions, channels, weight, {source + n * channels * positions, positions, 1},
                   target + n * targets * positions, positions, {false, nullptr, bias}, next);
    };
    // an image is a task, or, where there are few, divided by itself
    if (g.images >= 2 * host->threads() && g.work() > 400000) run_tasks(g.images, image);
    else for (int64_t n = 0; n < g.images; n++) image(n);
}

template void point_product<float>(const Geometry&, const float*, const float*, const float*, float*, bool);
template void point_product<double>(const Geometry&, const double*, const double*, const double*, double*, bool);

}  // namespace weft
