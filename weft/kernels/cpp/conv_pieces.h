// How the positions of a target are divided into pieces, and where a piece finds its source: a copied strip, or the
// image itself.
#pragma once
#include "conv.h"

namespace weft {

struct Piece {          // positions of one slice (an image, or a depth of one) or of several whole slices
    int64_t slice, slices, row, rows, column, columns;
    int64_t size() const { return slices * rows * columns; }
};

struct Pieces {
    int64_t slices, rows, columns, slices_each, rows_each = 1, columns_each, per_row, per_plane, count;
    // of about `wanted` positions each, in units of `unit` where that can be had
    Pieces(const Axis& depth, const Axis& row, const Axis& column, int64_t images, int64_t wanted, int64_t unit);
    Piece operator[](int64_t i) const;
};

// The source of a piece: `load` gives a base so that position (s, r, c) of the piece under tap k of a block of planes
// is base[s * slice_step + r * stride * row_step + c + offset[k]]. Reading `over` elements from any of them is safe.
template <class T> struct Source {
    const Job<T>& job;
    const Piece& piece;
    Strip strip;
    bool in_place;
    int64_t row_step, slice_step;

    Source(const Job<T>& job, const Piece& piece, int64_t planes, int64_t over) : job(job), piece(piece) {
        const Axis &z = job.axis[0], &y = job.axis[1], &x = job.axis[2];
        strip = Strip::of(y, x, piece.row, piece.row + piece.rows, piece.column, piece.column + piece.columns, 0);
        const bool inside = strip.row_low >= 0 && strip.row_low + strip.rows <= y.source && strip.column_low >= 0 &&
                            strip.column_low + strip.columns <= x.source && z.low >= 0 &&
                            (z.count - 1) * z.stride + z.high < z.source;
        in_place = inside && strip.stride == 1 && (piece.slices == 1 || z.count == 1);
        if (in_place) {
            const int64_t n = (piece.slice + piece.slices - 1) / z.count,
                          d = (piece.slice + piece.slices - 1) % z.count;
            const T* last = job.source + n * job.source_image + (job.channels - 1) * job.source_channel +
                            (d * z.stride + z.high) * y.source * x.source +
                            (strip.row_low + strip.rows - 1) * x.source + strip.column_low + strip.columns;
            in_place = last + over <= job.source_end;
        }
        row_step = in_place ? x.source : strip.row_step;
        slice_step = in_place ? job.source_image : strip.plane_step * planes;
    }

    int64_t copy_size(int64_t planes) const { return in_place ? 0 : strip.plane_step * planes * piece.slices; }

    const T* plane_at(int64_t slice, int64_t plane) const {      // null outside of the source's depth
        const Axis& z = job.axis[0];
        const int64_t n = slice / z.count, d = slice % z.count * z.stride + z.offset[size_t(plane % z.taps())];
        if (d < 0 || d >= z.source) return nullptr;
        return job.source + n * job.source_image + plane / z.taps() * job.source_channel +
               d * job.axis[1].source * job.axis[2].source;
    }

    const T* load(int64_t plane, int64_t planes, T* copy, int64_t* offset) const {
        const Axis &y = job.axis[1], &x = job.axis[2];
        const T* base = copy;
        if (in_place) base = plane_at(piece.slice, plane) + strip.row_low * x.source + strip.column_low;
        else
            for (int64_t s = 0; s < piece.slices; s++)
                for (int64_t q = 0; q < planes; q++)
                    strip.copy(plane_at(piece.slice + s, plane + q), y.source, x.source,
                               copy + s * slice_step + q * strip.plane_step);
        for (int64_t q = 0; q < planes; q++) {
            const int64_t start =
                in_place ? plane_at(piece.slice, plane + q) - plane_at(piece.slice, plane) : q * strip.plane_step;
            for (int64_t h : y.offset)
                for (int64_t w : x.offset)
                    *offset++ =
                        start + (in_place ? (h - y.low) * x.source + w - x.low : strip.offset(h - y.low, w - x.low));
        }
        return base;
    }
};

}  // namespace weft
