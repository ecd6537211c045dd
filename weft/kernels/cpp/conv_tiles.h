// The tiles of a Winograd convolution: MY x MX outputs each, counted through rows, planes and slices; and the patches
// of the source under them.
#pragma once
#include "conv_pieces.h"
#include "conv_winograd.h"

namespace weft::winograd {

struct Tiles {
    int64_t down, across, each, total;       // in a plane, and in all slices
    Tiles(const Job<float>& job, int64_t my, int64_t mx)
        : down((job.axis[1].count + my - 1) / my), across((job.axis[2].count + mx - 1) / mx), each(down * across),
          total(each * job.images * job.axis[0].count) {}
};

// null outside of the source's depth
inline const float* plane_at(const Job<float>& job, int64_t slice, int64_t plane) {
    const Axis& z = job.axis[0];
    const int64_t d = slice % z.count * z.stride + z.offset[size_t(plane % z.taps())];
    if (d < 0 || d >= z.source) return nullptr;
    return job.source + slice / z.count * job.source_image + plane / z.taps() * job.source_channel +
           d * job.axis[1].source * job.axis[2].source;
}

// Where the patches of consecutive tiles are: in the planes themselves if no padding is needed, else in a copy of their
// rows.
struct Patches {
    struct Part { int64_t slice; Strip strip; int64_t place; };
    std::vector<Part> parts;
    std::vector<int64_t> offset;        // of each tile; padded to whole panels
    int64_t row_step = 0, size = 0;     // between rows of a patch; the size of the copy of one plane
    int64_t phase_row = 0, phase_column = 0;        // from one phase to the next
    bool in_place = true;

    // my x mx outputs of a tile have patches of py x px; sy, sx: strides; (low_row, low_column): where the patch of
    // tile (0, 0) begins
    void set(const Tiles& tiles, int64_t from, int64_t to, int64_t my, int64_t mx, int64_t py, int64_t px, int64_t sy,
             int64_t sx, int64_t low_row, int64_t low_column, int64_t height, int64_t width, bool may_stay,
             int64_t slice_step) {
        parts.clear();
        offset.clear();
        const int64_t columns = (tiles.across - 1) * mx + px;       // of one phase
        in_place = may_stay && sx == 1 && low_column >= 0 && low_column + columns <= width;
        size = 0;
        for (int64_t t = from; t < to;) {
            const int64_t slice = t / tiles.each, end = std::min(to, (slice + 1) * tiles.each);
            const int64_t first = t % tiles.each / tiles.across, last = (end - 1) % tiles.each / tiles.across;
            Strip s;
            s.row_low = first * my * sy + low_row;
            s.rows = ((last - first) * my + py) * sy;
            s.column_low = low_column;
            s.columns = columns * sx;
            s.stride = sx;
            s.phase_width = columns;
            s.row_step = columns * sx;
            s.plane_step = s.rows * s.row_step;
            in_place = in_place && s.row_low >= 0 && s.row_low + s.rows <= height;
            parts.push_back({slice, s, size});
            size += s.plane_step;
            t = end;
        }
        const int64_t line = in_place ? width : columns * sx;
        row_step = line * sy;
        phase_row = line;
        phase_column = columns;
        for (const Part& p : parts)
            for (int64_t t = std::max(from, p.slice * tiles.each); t < std::min(to, (p.slice + 1) * tiles.each); t++) {
                const int64_t row = t % tiles.each / tiles.across * my * sy + low_row, column = t % tiles.across * mx;
                offset.push_back(in_place ? (p.slice - parts[0].slice) * slice_step + row * line + low_column + column
                                          : p.place + (row - p.strip.row_low) * line + column);
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

// The taps of an axis by phase: tap[phase][i] is the kernel's index of the i-th tap of a phase, or -1. False if the
// axis isn't of this kind: neighbouring taps, S phases of at most R taps, the first of just R.
template <int R, int S> struct Taps {
    int tap[S][R];
    bool set(const Axis& a) {
        const int64_t n = a.taps();
        if (a.stride != S || n <= (R - 1) * S || n > R * S || a.high - a.low != n - 1 || a.count == 0) return false;
        for (auto& phase : tap) for (int& t : phase) t = -1;
        for (size_t t = 0; t < size_t(n); t++)
            tap[(a.offset[t] - a.low) % S][(a.offset[t] - a.low) / S] = int(a.index[t]);
        return true;
    }
};

}  // namespace weft::winograd
