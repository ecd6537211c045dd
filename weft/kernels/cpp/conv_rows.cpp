// Few positions beside a large weight, as in the last layers of a network on small images: one product for all images,
// with a row for each position, that reads the weight once and as it lies. Nothing is packed or transformed that the
// positions are too few to pay for.
#include "conv.h"

namespace weft {
namespace {

// All planes of an image with the zeros around them that its windows reach, so that every tap of every position lies
// inside: the tap k of position o is at o * stride + k * dilation, in each dimension.
struct Padded {
    const Geometry& g;
    int64_t size[3], before[3], plane;
    std::vector<int64_t> starts, lines;     // where each position's windows begin, and in them each line of taps

    explicit Padded(const Geometry& of) : g(of) {
        for (int d = 0; d < 3; d++) {
            before[d] = std::max<int64_t>(0, g.padding[d]);
            const int64_t reach = (g.out[d] - 1) * g.stride[d] + (g.kernel[d] - 1) * g.dilation[d] + 1;
            size[d] = std::max(reach, before[d] + g.in[d]);
        }
        plane = size[0] * size[1] * size[2];
        const auto places = [&](const int64_t (&count)[3], const int64_t (&step)[3], int64_t columns, auto& to) {
            for (int64_t z = 0; z < count[0]; z++)
                for (int64_t y = 0; y < count[1]; y++)
                    for (int64_t x = 0; x < columns; x++) to.push_back(place(z * step[0], y * step[1], x * step[2]));
        };
        places(g.out, g.stride, g.out[2], starts);
        places(g.kernel, g.dilation, 1, lines);
    }
    // whether the image is what its windows read; a negative padding cuts it
    bool is_image() const {
        return std::equal(size, size + 3, g.in) && cut(0) + cut(1) + cut(2) == 0;
    }
    int64_t cut(int d) const { return std::max<int64_t>(0, -g.padding[d]); }
    int64_t place(int64_t z, int64_t y, int64_t x) const { return (z * size[1] + y) * size[2] + x; }
    // f(line of the image, line of the padded plane, its length) for every line of one plane
    template <class F> void each_line(F&& f) const {
        const int64_t length = std::min(g.in[2] - cut(2), size[2] - before[2]);
        for (int64_t z = cut(0); z < g.in[0] && z - cut(0) + before[0] < size[0]; z++)
            for (int64_t y = cut(1); y < g.in[1] && y - cut(1) + before[1] < size[1]; y++)
                if (length > 0)
                    f((z * g.in[1] + y) * g.in[2] + cut(2),
                      place(z - cut(0) + before[0], y - cut(1) + before[1], before[2]), length);
    }
};

// One position: the taps of all channels side by side in its row. K taps of a line lie side by side (0: any number of
// them, `dilation` apart).
template <int K, class T> void gather_position(const Padded& from, const T* window, T* row) {
    const Geometry& g = from.g;
    const int64_t width = K ? K : g.kernel[2], step = g.dilation[2];
    for (int64_t c = 0; c < g.in_channels; c++, window += from.plane)
        for (int64_t line : from.lines) {
            if constexpr (K > 0) std::memcpy(row, window + line, K * sizeof(T));
            else for (int64_t k = 0; k < width; k++) row[k] = window[line + k * step];
            row += width;
        }
}

// One plane: the sum of all positions' taps where they lie; `rows` begin at this channel's taps, `width` apart.
template <int K, class T> void scatter_plane(const Padded& to, const T* rows, int64_t width, T* sum) {
    const int64_t taps = K ? K : to.g.kernel[2], step = K ? 1 : to.g.dilation[2];
    for (int64_t start : to.starts) {
        const T* row = rows;
        for (int64_t line : to.lines) {
            T* at = sum + start + line;
            for (int64_t k = 0; k < taps; k++) at[k * step] += row[k];
            row += taps;
        }
        rows += width;
    }
}

// f(std::integral_constant<int, K>) for the usual lengths of a line of taps, else for 0
template <class F> auto for_line(const Geometry& g, F&& f) {
    using std::integral_constant;
    const int64_t taps = g.dilation[2] == 1 ? g.kernel[2] : 0;
    if (taps == 1) return f(integral_constant<int, 1>{});
    if (taps == 3) return f(integral_constant<int, 3>{});
    if (taps == 5) return f(integral_constant<int, 5>{});
    return f(integral_constant<int, 0>{});
}

// (images * positions) x (channels * taps) of images x channels x plane
template <class T> void gather(const Geometry& g, const T* x, T* rows) {
    const Padded padded(g);
    const int64_t positions = g.out_size(), width = g.in_channels * g.kernel_size(), planes = g.images * g.in_channels;
    Scratch<T> made(padded.is_image() ? 1 : size_t(planes * padded.plane));
    const T* from = padded.is_image() ? x : made.data;
    if (from != x)
        parallel(planes, std::max<int64_t>(1, 20000 / padded.plane), [&](int64_t first, int64_t last) {
            std::fill(made + first * padded.plane, made + last * padded.plane, T(0));
            for (int64_t i = first; i < last; i++)
                padded.each_line([&](int64_t line, int64_t place, int64_t length) {
                    std::copy_n(x + i * g.in_size() + line, length, made + i * padded.plane + place);
                });
        });
    for_line(g, [&](auto k) {
        parallel(g.images * positions, std::max<int64_t>(1, 40000 / width), [&](int64_t first, int64_t last) {
            for (int64_t p = first; p < last; p++)
                gather_position<k()>(padded, from + p / positions * g.in_channels * padded.plane +
                                                 padded.starts[size_t(p % positions)], rows + p * width);
        });
    });
}

// The sum of such rows where they lie in the images, plus bias.
template <class T> void scatter(const Geometry& g, const T* rows, const T* bias, T* to) {
    const Padded padded(g);
    const int64_t positions = g.out_size(), taps = g.kernel_size(), width = g.in_channels * taps, plane = g.in_size();
    const int64_t planes = g.images * g.in_channels;
    Scratch<T> sums(size_t(planes * padded.plane));
    const auto one = for_line(g, [](auto k) { return scatter_plane<k(), T>; });
    parallel(planes, std::max<int64_t>(1, 20000 / (positions * taps + plane)), [&](int64_t first, int64_t last) {
        std::fill(sums + first * padded.plane, sums + last * padded.plane, T(0));
        for (int64_t i = first; i < last; i++) {
            const int64_t c = i % g.in_channels;
            T *sum = sums + i * padded.plane, *target = to + i * plane;
            one(padded, rows + i / g.in_channels * positions * width + c * taps, width, sum);
            std::fill_n(target, plane, bias ? bias[c] : T(0));
            padded.each_line([&](int64_t line, int64_t place, int64_t length) {
                for (int64_t k = 0; k < length; k++) target[line + k] += sum[place + k];
            });
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

bool rows_pay(const Geometry& g, int64_t most) {
    const int64_t positions = g.images * g.out_size();
    return g.groups == 1 && 0 < positions && positions <= most &&
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
    template void rows_forward<T>(const Geometry&, const T*, const T*, const T*, T*);         \
    template void rows_input<T>(const Geometry&, const T*, const T*, const T*, T*);           \
    template void rows_weight<T>(const Geometry&, const T*, const T*, T*);
WEFT_ROWS_CONV(float)
WEFT_ROWS_CONV(double)

}  // namespace weft
