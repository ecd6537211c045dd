// The geometry of reductions: which dimensions, in which order; and how the work is cut.
#include "reduce.h"

#include <atomic>

namespace weft {

bool read_dims(PyObject* dim, int nd, uint32_t& bits) {
    const uint32_t all = (uint32_t(1) << nd) - 1;
    const int span = nd ? nd : 1;
    bits = 0;
    auto add = [&](PyObject* d) {
        int64_t value;
        if (PyBool_Check(d) || !read_one(d, value) || value < -span || value >= span) return false;
        const uint32_t bit = uint32_t(1) << (value < 0 ? value + span : value);
        if (bits & bit) return false;
        bits |= bit;
        return true;
    };
    if (dim == Py_None) { bits = all; return true; }
    if (PyLong_Check(dim)) {
        if (!add(dim)) return false;
    } else {
        if (!PyTuple_Check(dim) && !PyList_Check(dim)) return false;
        const Py_ssize_t n = PySequence_Fast_GET_SIZE(dim);
        if (n == 0) { bits = all; return true; }
        for (Py_ssize_t i = 0; i < n; i++)
            if (!add(PySequence_Fast_GET_ITEM(dim, i))) return false;
    }
    bits &= all;
    return true;
}

// How far in a dimension lies: repeated elements (stride 0) outermost.
static inline uint64_t weight(const Dim& d) {
    return d.in == 0 ? ~uint64_t(0) : d.in < 0 ? uint64_t(-d.in) : uint64_t(d.in);
}

static void sort_and_merge(Dim* dims, int& n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && weight(dims[j - 1]) < weight(dims[j]); j--) std::swap(dims[j - 1], dims[j]);
    int last = 0;
    for (int i = 1; i < n; i++) {
        Dim& outer = dims[last];
        const Dim& inner = dims[i];
        if (outer.in == inner.in * inner.n && outer.out == inner.out * inner.n)
            outer = {outer.n * inner.n, inner.in, inner.out};
        else dims[++last] = inner;
    }
    if (n > 1) n = last + 1;
}

Reduction plan_reduction(const Array& x, uint32_t bits, bool keepdim) {
    Reduction r;
    for (int d = 0; d < x.nd; d++) {
        const int64_t n = x.shape[d];
        const bool reduced = bits >> d & 1;
        if (!reduced) r.shape[r.nd++] = n;
        else if (keepdim) r.shape[r.nd++] = 1;
        (reduced ? r.count : r.outputs) *= n;
        if (n != 1) (reduced ? r.reduced[r.n_reduced++] : r.kept[r.n_kept++]) = {n, x.stride[d], 0};
    }
    int64_t step = 1;
    for (int i = r.n_kept - 1; i >= 0; step *= r.kept[i--].n) r.kept[i].out = step;
    sort_and_merge(r.kept, r.n_kept);
    sort_and_merge(r.reduced, r.n_reduced);
    if (!r.n_kept || !r.n_reduced) {
        r.columns = r.n_kept > 0;
    } else {
        const Dim &k = r.kept[r.n_kept - 1], &m = r.reduced[r.n_reduced - 1];
        r.columns = weight(k) < weight(m);
        if (r.columns && k.n < 8 && m.n >= 64) r.columns = false;       // a few columns: better long strided rows
        else if (!r.columns && m.n < 8 && k.n >= 64) r.columns = true;
    }
    if (r.columns) r.inner = r.kept[--r.n_kept];
    else if (r.n_reduced) r.inner = r.reduced[--r.n_reduced];
    else r.inner = {1, ITEM_SIZE[x.type], 0};
    return r;
}

// Whether the rows of a result are shared out in pieces, and of how many elements at least.
static bool is_cut(const Reduction& r) { return r.outputs < 64 && r.count >= 2 * CHUNK; }
static int64_t least_piece(const Reduction& r) { return std::max(CHUNK, r.count / 256); }

static void reduce_rows(const Steps& s, const void* op, const Array& x, const Reduction& r) {
    const int64_t n = r.inner.n, rows = r.count / n;
    if (!is_cut(r)) {
        parallel(r.outputs, std::max<int64_t>(1, 32768 / r.count),
                 [&](int64_t begin, int64_t end) { s.each(op, x.data, r, begin, end); });
        return;
    }
    const int64_t least = least_piece(r);
    const int64_t per_row = n > least ? (n + least - 1) / least : 1,
                  length = ((n + per_row - 1) / per_row + 63) / 64 * 64;
    const int64_t rows_each = n > least ? 1 : std::max<int64_t>(1, least / n),
                  pieces = (rows + rows_each - 1) / rows_each * per_row;
    Scratch<char> parts(size_t(r.outputs * pieces) * s.part);
    auto part = [&](int64_t task) { return parts.data + size_t(task) * s.part; };
    run_tasks(r.outputs * pieces, [&](int64_t task) {
        const int64_t i = task / pieces, piece = task % pieces;
        const char* base = x.data + Walk(r.kept, r.n_kept, i).in;
        s.start(op, part(task));
        if (per_row == 1) {
            s.add(op, part(task), base, r, piece * rows_each, std::min(rows, (piece + 1) * rows_each), n);
        } else {
            const int64_t row = piece / per_row, from = piece % per_row * length, upto = std::min(n, from + length);
            if (from < upto) s.add(op, part(task), base + from * r.inner.in, r, row, row + 1, upto - from);
        }
    });
    for (int64_t i = 0; i < r.outputs; i++) {
        const int64_t own = i * pieces;
        for (int64_t step = 1; step < pieces; step *= 2)
            for (int64_t k = 0; k + step < pieces; k += 2 * step) s.merge(op, part(own + k), part(own + k + step));
        s.finish(op, part(own), Walk(r.kept, r.n_kept, i).out);
    }
}

static void reduce_columns(const Steps& s, const void* op, const Array& x, const Reduction& r) {
    const int64_t m = r.inner.n, outer = r.outputs / m;
    int64_t width = s.tile, tiles = (m + width - 1) / width;
    const int64_t work = r.outputs * r.count;
    const int64_t pieces = outer * tiles >= 8 ? 1 : std::clamp<int64_t>(std::min(work / CHUNK, r.count / 16), 1, 16);
    // narrower tiles, so that there is work for all
    if (pieces == 1 && work >= CHUNK && outer * tiles < 4 && m >= 512) {
        width = std::clamp<int64_t>((m / 4 + 63) / 64 * 64, 256, s.tile);
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
            alignas(64) char columns[MOST_COLUMNS];
            for (int64_t t = begin; t < end; t++) {
                const int64_t i = t / tiles, tile = t % tiles, w = width_of(tile);
                s.start_columns(op, columns, w);
                s.add_columns(op, columns, base_of(i, tile), r, 0, r.count, w);
                s.finish_columns(op, columns, w, out_of(i, tile), r.inner.out);
            }
        });
        return;
    }
    Scratch<char> parts(size_t(outer * tiles * pieces) * s.columns);
    auto part = [&](int64_t task) { return parts.data + size_t(task) * s.columns; };
    run_tasks(outer * tiles * pieces, [&](int64_t task) {
        const int64_t t = task / pieces, piece = task % pieces, w = width_of(t % tiles);
        s.start_columns(op, part(task), w);
        s.add_columns(op, part(task), base_of(t / tiles, t % tiles), r, r.count * piece / pieces,
                      r.count * (piece + 1) / pieces, w);
    });
    for (int64_t t = 0; t < outer * tiles; t++) {
        const int64_t own = t * pieces, w = width_of(t % tiles);
        for (int64_t step = 1; step < pieces; step *= 2)
            for (int64_t k = 0; k + step < pieces; k += 2 * step)
                s.merge_columns(op, part(own + k), part(own + k + step), w);
        s.finish_columns(op, part(own), w, out_of(t / tiles, t % tiles), r.inner.out);
    }
}

static void reduce_memory(const Steps& steps, const void* op, const Array& x, const Reduction& r) {
    if (r.columns) reduce_columns(steps, op, x, r);
    else reduce_rows(steps, op, x, r);
}

// The same for elements that a source makes: the driver's addresses then stand for places, from `nowhere` on; a piece
// is made right before it is reduced, while it is in a cache. Pieces end where the op's own do, so bits don't change.
namespace {

const char nowhere[1] = {};

struct Filled {
    const Steps& steps;
    const void* op;
    const Source& source;
    int64_t item;
    mutable std::atomic<bool> failed{false};        // no memory
    static const Filled& of(const void* f) { return *static_cast<const Filled*>(f); }
    int64_t place(const char* at) const { return (at - nowhere) / item; }
};

// Memory for a piece.
struct Buffer {
    char* data;
    Buffer(const Filled& f, int64_t elements) : data(static_cast<char*>(host->take(size_t(elements * f.item)))) {
        if (!data) f.failed = true;
    }
    ~Buffer() { if (data) host->give(data); }
    Buffer(const Buffer&) = delete;
};

// a Reduction of k rows of n elements, one after the other
Reduction block_of(int64_t k, int64_t n, int64_t item) {
    Reduction b;
    b.inner = {n, intptr_t(item), 0};
    b.n_reduced = k > 1;
    b.reduced[0] = {k, intptr_t(n * item), 0};
    return b;
}

void add_filled(const void* op, void* part, const char* base, const Reduction& r, int64_t first, int64_t last,
                int64_t n) {
    const Filled& f = Filled::of(op);
    Walk walk(r.reduced, r.n_reduced, first);
    if (f.steps.add_made) {
        for (int64_t row = first; row < last; row++, walk.next())
            f.steps.add_made(f.op, part, f.source, f.place(base + walk.in), n);
        return;
    }
    Buffer buffer(f, n);
    if (f.failed) return;
    const Reduction one = block_of(1, n, f.item);
    for (int64_t row = first; row < last; row++, walk.next()) {
        f.source.fill(f.place(base + walk.in), n, buffer.data);
        f.steps.add(f.op, part, buffer.data, one, 0, 1, n);
    }
}

void each_filled(const void* op, const char* data, const Reduction& r, int64_t begin, int64_t end) {
    const Filled& f = Filled::of(op);
    const int64_t n = r.inner.n;
    constexpr int64_t LONG = 512;
    if (r.count != n || r.n_kept > 1 || (r.n_kept && r.kept[0].in != n * f.item) || (f.steps.add_made && n >= LONG)) {
        alignas(64) char part[256];
        Walk walk(r.kept, r.n_kept, begin);
        for (int64_t i = begin; i < end; i++, walk.next()) {
            f.steps.start(f.op, part);
            add_filled(op, part, data + walk.in, r, 0, r.count / n, n);
            f.steps.finish(f.op, part, walk.out);
        }
        return;
    }
    constexpr int64_t TOGETHER = 4096;      // elements of short rows
    const int64_t some = std::clamp<int64_t>(TOGETHER / n, 1, end - begin);
    Buffer buffer(f, some * n);
    if (f.failed) return;
    for (int64_t i = begin; i < end; i += some) {
        const int64_t k = std::min(some, end - i);
        f.source.fill(i * n, k * n, buffer.data);
        f.steps.each(f.op, buffer.data - i * n * f.item, r, i, i + k);
    }
}

void add_filled_columns(const void* op, void* columns, const char* base, const Reduction& r, int64_t first,
                        int64_t last, int64_t w) {
    const Filled& f = Filled::of(op);
    constexpr int64_t TOGETHER = 32;        // rows: a multiple of the eight that are summed at once (wide.h)
    Buffer buffer(f, TOGETHER * w);
    if (f.failed) return;
    const bool together = r.n_reduced == 1 && r.reduced[0].in == w * f.item;       // the rows are one piece
    Walk walk(r.reduced, r.n_reduced, first);
    for (int64_t i = first; i < last; i += TOGETHER) {
        const int64_t k = std::min(TOGETHER, last - i);
        if (together) f.source.fill(f.place(base) + i * w, k * w, buffer.data);
        else for (int64_t j = 0; j < k; j++, walk.next())
            f.source.fill(f.place(base + walk.in), w, buffer.data + j * w * f.item);
        f.steps.add_columns(f.op, columns, buffer.data, block_of(k, w, f.item), 0, k, w);
    }
}

Steps filled_steps(const Steps& inner) {
    return {inner.part, inner.columns, inner.tile, each_filled,
            [](const void* op, void* part) { Filled::of(op).steps.start(Filled::of(op).op, part); },
            add_filled,
            nullptr,
            [](const void* op, void* part, const void* later) {
                Filled::of(op).steps.merge(Filled::of(op).op, part, later);
            },
            [](const void* op, const void* part, int64_t at) {
                Filled::of(op).steps.finish(Filled::of(op).op, part, at);
            },
            [](const void* op, void* columns, int64_t w) {
                Filled::of(op).steps.start_columns(Filled::of(op).op, columns, w);
            }, add_filled_columns,
            [](const void* op, void* columns, const void* later, int64_t w) {
                Filled::of(op).steps.merge_columns(Filled::of(op).op, columns, later, w);
            },
            [](const void* op, const void* columns, int64_t w, int64_t at, int64_t stride) {
                Filled::of(op).steps.finish_columns(Filled::of(op).op, columns, w, at, stride);
            }};
}

}  // namespace

bool can_be_filled(const Array& x, const Reduction& r) {
    constexpr int64_t MOST = int64_t(4) << 20;      // bytes of a piece, which a cache is to hold
    const int64_t n = r.inner.n, longest = is_cut(r) ? std::min(n, least_piece(r) + 64) : n;
    return x.size && r.inner.in == ITEM_SIZE[x.type] && (r.columns || longest * ITEM_SIZE[x.type] <= MOST);
}

void reduce_by(const Steps& steps, const void* op, const Array& x, const Reduction& r) {
    Unlocked gil(x.size);
    if (!r.source) return reduce_memory(steps, op, x, r);
    Filled filled{steps, op, *r.source, ITEM_SIZE[x.type]};
    Array places = x;
    places.data = const_cast<char*>(nowhere);
    reduce_memory(filled_steps(steps), &filled, places, r);
    if (filled.failed) throw std::bad_alloc();
}

}  // namespace weft
