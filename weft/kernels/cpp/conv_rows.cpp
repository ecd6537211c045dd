// Few positions beside a large weight, as in the last layers of a network on small images: one product for all images,
// with a row for each position, that reads the weight once and as it lies. Nothing is packed or transformed that the
// positions are too few to pay for.
#include "conv.h"

namespace weft {
namespace {

// Where each position's taps lie in a plane of the input; -1 for the zeros around it. (positions x taps)
std::vector<int64_t> places_of(const Geometry& g) {
    std::vector<int64_t> places;
    places.reserve(size_t(g.out_size() * g.kernel_size()));
    int64_t o[3], k[3];
    for (o[0] = 0; o[0] < g.out[0]; o[0]++)
        for (o[1] = 0; o[1] < g.out[1]; o[1]++)
            for (o[2] = 0; o[2] < g.out[2]; o[2]++)
                for (k[0] = 0; k[0] < g.kernel[0]; k[0]++)
                    for (k[1] = 0; k[1] < g.kernel[1]; k[1]++)
                        for (k[2] = 0; k[2] < g.kernel[2]; k[2]++) {
                            int64_t place = 0;
                            for (int d = 0; d < 3; d++) {
                                const int64_t at = o[d] * g.stride[d] + k[d] * g.dilation[d] - g.padding[d];
                                place = place < 0 || at < 0 || at >= g.in[d] ? -1 : place * g.in[d] + at;
                            }
                            places.push_back(place);
                        }
    return places;
}

// (images * positions) x (channels * taps) of images x channels x plane
template <class T> void gather(const Geometry& g, const T* x, T* rows) {
    const int64_t taps = g.kernel_size(), positions = g.out_size(), width = g.in_channels * taps, plane = g.in_size();
    const std::vector<int64_t> places = places_of(g);
    parallel(g.images * positions, std::max<int64_t>(1, 20000 / width), [&](int64_t from, int64_t to) {
        for (int64_t p = from; p < to; p++) {
            const T* image = x + p / positions * g.in_channels * plane;
            const int64_t* place = places.data() + p % positions * taps;
            T* row = rows + p * width;
            for (int64_t c = 0; c < g.in_channels; c++, image += plane, row += taps)
                for (int64_t t = 0; t < taps; t++) row[t] = place[t] < 0 ? T(0) : image[place[t]];
        }
    });
}

// The sum of such rows where they lie in the images, plus bias.
template <class T> void scatter(const Geometry& g, const T* rows, const T* bias, T* to) {
    const int64_t taps = g.kernel_size(), positions = g.out_size(), width = g.in_channels * taps, plane = g.in_size();
    const std::vector<int64_t> places = places_of(g);
    parallel(g.images * g.in_channels, std::max<int64_t>(1, 20000 / (positions * taps + plane)),
             [&](int64_t from, int64_t until) {
        for (int64_t i = from; i < until; i++) {
            const int64_t c = i % g.in_channels;
            T* target = to + i * plane;
            std::fill_n(target, plane, bias ? bias[c] : T(0));
            const T* row = rows + i / g.in_channels * positions * width + c * taps;
            const int64_t* place = places.data();
            for (int64_t p = 0; p < positions; p++, row += width, place += taps)
                for (int64_t t = 0; t < taps; t++)
                    if (place[t] >= 0) target[place[t]] += row[t];
        }
    });
}

// (images, to, from) of (images, from, to): channels last to channels first, and back
template <class T> void turn(int64_t images, int64_t from, int64_t to, const T* x, T* out) {
    for (int64_t n = 0; n < images; n++)
        for (int64_t j = 0; j < to; j++)
            for (int64_t i = 0; i < from; i++) out[(n * to + j) * from + i] = x[(n * from + i) * to + j];
}

}  // namespace

template <class T> bool rows_pay(const Geometry& g) {
    const int64_t positions = g.images * g.out_size();
    return g.groups == 1 && positions <= FEW_POSITIONS && positions > 0 &&
           g.out_channels * g.in_channels * g.kernel_size() >= LARGE_WEIGHT;
}

template <class T> void rows_forward(const Geometry& g, const T* x, const T* w, const T* bias, T* out) {
    const int64_t positions = g.images * g.out_size(), width = g.in_channels * g.kernel_size();
    Scratch<T> rows(size_t(positions * width)), made(size_t(positions * g.out_channels));
    gather(g, x, rows.data);
    gemm<T, T>(positions, g.out_channels, width, {rows, width, 1}, {w, 1, width}, made, g.out_channels,
               {false, bias, nullptr});
    turn<T>(g.images, g.out_size(), g.out_channels, made, out);
}

template <class T> void rows_input(const Geometry& g, const T* gradient, const T* w, const T* bias, T* to) {
    const int64_t positions = g.images * g.out_size(), width = g.in_channels * g.kernel_size();
    Scratch<T> turned(size_t(positions * g.out_channels)), rows(size_t(positions * width));
    turn<T>(g.images, g.out_channels, g.out_size(), gradient, turned);
    gemm<T, T>(positions, width, g.out_channels, {turned, g.out_channels, 1}, {w, width, 1}, rows, width, {});
    scatter<T>(g, rows, bias, to);
}

template <class T> void rows_weight(const Geometry& g, const T* gradient, const T* x, T* dw) {
    const int64_t positions = g.images * g.out_size(), width = g.in_channels * g.kernel_size();
    Scratch<T> turned(size_t(positions * g.out_channels)), rows(size_t(positions * width));
    turn<T>(g.images, g.out_channels, g.out_size(), gradient, turned);
    gather(g, x, rows.data);
    gemm<T, T>(g.out_channels, width, positions, {turned, 1, g.out_channels}, {rows, width, 1}, dw, width, {});
}

#define WEFT_ROWS_CONV(T)                                                                     \
    template bool rows_pay<T>(const Geometry&);                                               \
    template void rows_forward<T>(const Geometry&, const T*, const T*, const T*, T*);         \
    template void rows_input<T>(const Geometry&, const T*, const T*, const T*, T*);           \
    template void rows_weight<T>(const Geometry&, const T*, const T*, T*);
WEFT_ROWS_CONV(float)
WEFT_ROWS_CONV(double)

}  // namespace weft
