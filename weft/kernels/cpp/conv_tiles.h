// The tiles of a Winograd convolution: M x M outputs each, counted through rows, planes and slices; and the patches of the source under them.
#pragma once
#include "conv_pieces.h"
#include "conv_winograd.h"

namespace weft::winograd6 {

struct Tiles {
    int64_t down, across, each, total;       // in a plane, and in all slices
    Tiles(const Job<float>& job, int64_t m)
        : down((job.axis[1].count + m - 1) / m), across((job.axis[2].count + m - 1) / m), each(down * across),
          total(each * job.images * job.axis[0].count) {}
};

inline const float* plane_at(const Job<float>& job, int64_t slice, int64_t plane) {      // null outside of the source's depth
    const Axis& z = job.axis[0];
    const int64_t d = slice % z.count * z.stride + z.offset[size_t(plane % z.taps())];
    if (d < 0 || d >= z.source) return nullptr;
    return job.source + slice / z.count * job.source_image + plane / z.taps() * job.source_channel + d * job.axis[1].source * job.axis[2].source;
}

// Where the patches of consecutive tiles are: in the planes themselves if no padding is needed, else in a copy of their rows.
struct Patches {
    struct Part { int64_t slice; Strip strip; int64_t place; };
    std::vector<Part> parts;
    std::vector<int64_t> offset;        // of each tile; padded to whole panels
    int64_t row_step = 0, size = 0;     // size of the copy of one plane
    bool in_place = true;

    // extent: rows and columns of a patch; (low_row, low_column): where that of tile (0, 0) begins; planes are height x width
    void set(const Tiles& tiles, int64_t from, int64_t to, int64_t m, int64_t extent, int64_t low_row, int64_t low_column, int64_t height, int64_t width,
             bool may_stay, int64_t slice_step) {
        parts.clear();
        offset.clear();
        in_place = may_stay && low_column >= 0 && low_column + (tiles.across - 1) * m + extent <= width;
        size = 0;
        for (int64_t t = from; t < to;) {
            const int64_t slice = t / tiles.each, end = std::min(to, (slice + 1) * tiles.each);
            const int64_t first = t % tiles.each / tiles.across, last = (end - 1) % tiles.each / tiles.across;
            Strip s;
            s.row_low = first * m + low_row;
            s.rows = (last - first) * m + extent;
            s.column_low = low_column;
            s.columns = (tiles.across - 1) * m + extent;
            s.stride = 1;
            s.phase_width = s.row_step = s.columns;
            s.plane_step = s.rows * s.columns;
            in_place = in_place && s.row_low >= 0 && s.row_low + s.rows <= height;
            parts.push_back({slice, s, size});
            size += s.plane_step;
            t = end;
        }
        row_step = in_place ? width : parts[0].strip.row_step;
        for (const Part& p : parts)
            for (int64_t t = std::max(from, p.slice * tiles.each); t < std::min(to, (p.slice + 1) * tiles.each); t++) {
                const int64_t row = t % tiles.each / tiles.across * m + low_row, column = t % tiles.across * m;
                offset.push_back(in_place ? (p.slice - parts[0].slice) * slice_step + row * width + low_column + column
                                          : p.place + (row - p.strip.row_low) * row_step + column);
            }
        while (offset.size() % size_t(LANE)) offset.push_back(offset[0]);
    }

    // the base to which the offsets belong; `plane(slice)` gives the plane's memory or null
    template <class Plane> const float* load(Plane&& plane, int64_t height, int64_t width, float* copy) const {
        if (in_place) return plane(parts[0].slice);
        for (const Part& p : parts) p.strip.copy(plane(p.slice), height, width, copy + p.place);
        return copy;
    }
};

// Whether rows and columns are plain: stride 1 and R neighbouring taps; order[j] is then the kernel's index of the j-th.
template <int R> inline bool plain_taps(const Axis& a, int (&order)[R]) {
    if (a.stride != 1 || a.step != 1 || a.first != 0 || a.taps() != R || a.high - a.low != R - 1) return false;
    for (size_t t = 0; t < size_t(R); t++) order[a.offset[t] - a.low] = int(a.index[t]);
    return true;
}

}  // namespace weft::winograd6
