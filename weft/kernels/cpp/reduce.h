// Reductions over any dimensions of an array with any strides.
//
// The dimensions are sorted by stride and merged, kept and reduced ones apart. Then either a reduced dimension lies
// innermost in memory ("rows": each result is made of stretches of neighbours) or a kept one does ("columns": many
// results are made at once, a row of the array being added to all of them). What a reduction does is an Op, which has a
// form for either:
//
//     In, Out                            the types of elements and results
//     Part                               the state of one result;   Columns, TILE: of up to TILE neighbouring ones
//     start(part)                        start(columns, w)
//     add(part, x, n)                    add(columns, rows, k, w): k row pointers
//     merge(part, later)                 merge(columns, later, w)
//     finish(part, out)                  finish(columns, w, out, stride)      out: where results go; an Op may keep
//     more than one array
//
// Work is cut at places that depend on sizes alone, and partial results are merged in a fixed tree: so results are the
// same with any number of threads.
#pragma once
#include <algorithm>

#include "border.h"
#include "vec.h"

namespace weft {

// length; strides of the array in bytes, of the result in elements
struct Dim { int64_t n; intptr_t in; int64_t out; };

// Visits the places of some dimensions in order, from the k-th on.
struct Walk {
    const Dim* dims;
    int count;
    int64_t index[MAX_DIMS];
    intptr_t in = 0;
    int64_t out = 0;
    Walk(const Dim* d, int n, int64_t k) : dims(d), count(n) {
        if (k == 0) { std::fill_n(index, n, int64_t(0)); return; }
        for (int i = n - 1; i >= 0; i--) {
            index[i] = k % d[i].n;
            k /= d[i].n;
            in += index[i] * d[i].in;
            out += index[i] * d[i].out;
        }
    }
    void next() {
        for (int i = count - 1; i >= 0; i--) {
            in += dims[i].in;
            out += dims[i].out;
            if (++index[i] < dims[i].n) return;
            in -= dims[i].in * dims[i].n;
            out -= dims[i].out * dims[i].n;
            index[i] = 0;
        }
    }
};

struct Reduction {
    Dim kept[MAX_DIMS], reduced[MAX_DIMS], inner;   // outermost first; `inner` is the last of one of them
    int n_kept = 0, n_reduced = 0;                  // without `inner`
    bool columns = false;                           // `inner` is a kept dimension
    int64_t outputs = 1, count = 1;                 // how many results, and of how many elements each
    int nd = 0;
    intptr_t shape[MAX_DIMS];                       // of the result
};

// The reduced dimensions as bits, from None (all), an int, or a tuple or list of ints (empty: all); false for wrong
// ones.
bool read_dims(PyObject* dim, int nd, uint32_t& bits);
// `x` holds something. With several reduced dimensions the elements are taken in the order of memory.
Reduction plan_reduction(const Array& x, uint32_t bits, bool keepdim);

constexpr int64_t CHUNK = 65536;        // elements in a piece of one result

// `n` elements `stride` bytes apart, in a row
template <class T> inline void gather(T* to, const char* from, int64_t n, intptr_t stride) {
    for (int64_t i = 0; i < n; i++) std::memcpy(to + i, from + i * stride, sizeof(T));
}

template <class Op>
inline void add_row(const Op& op, typename Op::Part& part, const char* at, int64_t n, intptr_t stride) {
    using T = typename Op::In;
    if (stride == intptr_t(sizeof(T))) { op.add(part, reinterpret_cast<const T*>(at), n); return; }
    T buffer[512];
    for (int64_t i = 0; i < n; i += 512) {
        const int64_t k = std::min<int64_t>(512, n - i);
        gather(buffer, at + i * stride, k, stride);
        op.add(part, buffer, k);
    }
}

template <class Op> void reduce_rows(const Op& op, const Array& x, const Reduction& r) {
    using Part = typename Op::Part;
    const int64_t n = r.inner.n, rows = r.count / n;
    auto add_rows = [&](Part& part, const char* base, int64_t first, int64_t last) {
        Walk walk(r.reduced, r.n_reduced, first);
        for (int64_t i = first; i < last; i++, walk.next()) add_row(op, part, base + walk.in, n, r.inner.in);
    };
    if (r.outputs >= 64 || r.count < 2 * CHUNK) {
        parallel(r.outputs, std::max<int64_t>(1, 32768 / r.count), [&](int64_t begin, int64_t end) {
            Walk walk(r.kept, r.n_kept, begin);
            for (int64_t i = begin; i < end; i++, walk.next()) {
                Part part;
                op.start(part);
                add_rows(part, x.data + walk.in, 0, rows);
                op.finish(part, walk.out);
            }
        });
        return;
    }
    const int64_t least = std::max(CHUNK, r.count / 256);
    const int64_t per_row = n > least ? (n + least - 1) / least : 1,
                  length = ((n + per_row - 1) / per_row + 63) / 64 * 64;
    const int64_t rows_each = n > least ? 1 : std::max<int64_t>(1, least / n),
                  pieces = (rows + rows_each - 1) / rows_each * per_row;
    Scratch<Part> parts(size_t(r.outputs * pieces));
    run_tasks(r.outputs * pieces, [&](int64_t task) {
        const int64_t i = task / pieces, piece = task % pieces;
        const char* base = x.data + Walk(r.kept, r.n_kept, i).in;
        Part& part = parts[task];
        op.start(part);
        if (per_row == 1) {
            add_rows(part, base, piece * rows_each, std::min(rows, (piece + 1) * rows_each));
        } else {
            const int64_t from = piece % per_row * length, upto = std::min(n, from + length);
            if (from < upto)
                add_row(op, part, base + Walk(r.reduced, r.n_reduced, piece / per_row).in + from * r.inner.in,
                        upto - from, r.inner.in);
        }
    });
    for (int64_t i = 0; i < r.outputs; i++) {
        Part* own = parts.data + i * pieces;
        for (int64_t step = 1; step < pieces; step *= 2)
            for (int64_t k = 0; k + step < pieces; k += 2 * step) op.merge(own[k], own[k + step]);
        op.finish(own[0], Walk(r.kept, r.n_kept, i).out);
    }
}

// Adds rows first..last, of `w` columns from `base` on, in blocks whose elements stay in the cache for an Op that looks
// twice.
template <class Op>
inline void add_block(const Op& op, typename Op::Columns& columns, const char* base, const Reduction& r, int64_t first,
                      int64_t last, int64_t w) {
    using T = typename Op::In;
    constexpr int STRIDED = 8;
    const T* rows[Op::ROWS];
    Walk walk(r.reduced, r.n_reduced, first);
    if (r.inner.in == intptr_t(sizeof(T))) {
        for (int64_t i = first; i < last; i += Op::ROWS) {
            const int k = int(std::min<int64_t>(Op::ROWS, last - i));
            for (int j = 0; j < k; j++, walk.next()) rows[j] = reinterpret_cast<const T*>(base + walk.in);
            op.add(columns, rows, k, w);
        }
        return;
    }
    T copy[STRIDED * Op::TILE];
    for (int64_t i = first; i < last; i += STRIDED) {
        const int k = int(std::min<int64_t>(STRIDED, last - i));
        for (int j = 0; j < k; j++, walk.next()) {
            gather(copy + j * w, base + walk.in, w, r.inner.in);
            rows[j] = copy + j * w;
        }
        op.add(columns, rows, k, w);
    }
}

template <class Op> void reduce_columns(const Op& op, const Array& x, const Reduction& r) {
    using Columns = typename Op::Columns;
    const int64_t m = r.inner.n, outer = r.outputs / m;
    int64_t width = Op::TILE, tiles = (m + width - 1) / width;
    const int64_t work = r.outputs * r.count;
    const int64_t pieces = outer * tiles >= 8 ? 1 : std::clamp<int64_t>(std::min(work / CHUNK, r.count / 16), 1, 16);
    // narrower tiles, so that there is work for all
    if (pieces == 1 && work >= CHUNK && outer * tiles < 4 && m >= 512) {
        width = std::clamp<int64_t>((m / 4 + 63) / 64 * 64, 256, Op::TILE);
        tiles = (m + width - 1) / width;
    }
    auto base_of = [&](int64_t i, int64_t tile) {
        return x.data + Walk(r.kept, r.n_kept, i).in + tile * width * r.inner.in;
    };
    auto out_of = [&](int64_t i, int64_t tile) { return Walk(r.kept, r.n_kept, i).out + tile * width * r.inner.out; };
    auto width_of = [&](int64_t tile) { return std::min(width, m - tile * width); };
    if (pieces == 1) {
        parallel(outer * tiles, std::max<int64_t>(1, 32768 / (std::min(m, width) * r.count)),
                 [&](int64_t begin, int64_t end) {
            Columns columns;
            for (int64_t t = begin; t < end; t++) {
                const int64_t i = t / tiles, tile = t % tiles, w = width_of(tile);
                op.start(columns, w);
                add_block(op, columns, base_of(i, tile), r, 0, r.count, w);
                op.finish(columns, w, out_of(i, tile), r.inner.out);
            }
        });
        return;
    }
    Scratch<Columns> parts(size_t(outer * tiles * pieces));
    run_tasks(outer * tiles * pieces, [&](int64_t task) {
        const int64_t t = task / pieces, piece = task % pieces, w = width_of(t % tiles);
        op.start(parts[task], w);
        add_block(op, parts[task], base_of(t / tiles, t % tiles), r, r.count * piece / pieces,
                  r.count * (piece + 1) / pieces, w);
    });
    for (int64_t t = 0; t < outer * tiles; t++) {
        Columns* own = parts.data + t * pieces;
        const int64_t w = width_of(t % tiles);
        for (int64_t step = 1; step < pieces; step *= 2)
            for (int64_t k = 0; k + step < pieces; k += 2 * step) op.merge(own[k], own[k + step], w);
        op.finish(own[0], w, out_of(t / tiles, t % tiles), r.inner.out);
    }
}

template <class Op> inline void reduce(const Op& op, const Array& x, const Reduction& r) {
    Unlocked gil(x.size);
    if (r.columns) reduce_columns(op, x, r);
    else reduce_rows(op, x, r);
}

}  // namespace weft
