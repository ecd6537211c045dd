// Running a row kernel over arrays of any strides.
#include "pointwise.h"

#include <algorithm>

#include "transpose.h"

namespace weft {

bool Layout::broadcast(const Array* const* in, int n) {
    count = n + 1;
    nd = 0;
    for (int i = 0; i < n; i++) nd = std::max(nd, in[i]->nd);
    for (int d = 0; d < nd; d++) shape[d] = 1;
    for (int i = 0; i < n; i++) {
        const Array& a = *in[i];
        Operand& o = op[i + 1];
        o.data = a.data;
        o.item = int(PyArray_ITEMSIZE(a.object));
        for (int d = 0; d < nd; d++) {
            const int own = d - (nd - a.nd);
            const intptr_t length = own < 0 ? 1 : a.shape[own];
            o.stride[d] = length == 1 ? 0 : a.stride[own];
            if (o.stride[d] < 0) return false;
            if (length == shape[d] || length == 1) continue;
            if (shape[d] != 1) return false;
            shape[d] = length;
        }
    }
    size = 1;
    for (int d = 0; d < nd; d++) size *= shape[d];
    return true;
}

void Layout::sort(const int* order) {
    const Layout was = *this;
    for (int d = 0; d < nd; d++) {
        const int from = order[nd - 1 - d];
        shape[d] = was.shape[from];
        for (int i = 0; i < count; i++) op[i].stride[d] = was.op[i].stride[from];
    }
}

// PyTorch's rule for the order of dimensions in memory, the innermost first: the first operand that tells two of them
// apart decides.
static void find_order(const Layout& l, int first, int last, int* order) {
    for (int d = 0; d < l.nd; d++) order[d] = l.nd - 1 - d;
    for (int i = 1; i < l.nd; i++) {
        for (int at = i, j = i - 1; j >= 0; j--) {
            const int inner = order[j], outer = order[at];
            int turn = 0;
            for (int k = first; k < last && turn == 0; k++) {
                const intptr_t a = l.op[k].stride[inner], b = l.op[k].stride[outer];
                if (a == 0 || b == 0) continue;
                turn = a > b || (a == b && l.shape[inner] > l.shape[outer]) ? 1 : a < b ? -1 : 0;
            }
            if (turn < 0) break;
            if (turn == 0) continue;
            std::swap(order[j], order[at]);
            at = j;
        }
    }
}

PyObject* Layout::allocate(int type, bool c_order) {
    int order[MAX_DIMS];
    find_order(*this, 1, c_order ? 1 : count, order);
    bool plain = true;
    for (int d = 0; d < nd; d++) plain = plain && order[d] == nd - 1 - d;
    intptr_t dims[MAX_DIMS], steps[MAX_DIMS];
    if (!plain) sort(order);
    auto* made = reinterpret_cast<PyArrayObject*>(new_array(nd, shape, type));
    if (!made) return nullptr;
    op[0].data = static_cast<char*>(PyArray_DATA(made));
    op[0].item = ITEM_SIZE[type];
    for (int d = nd - 1; d >= 0; d--) op[0].stride[d] = d == nd - 1 ? op[0].item : op[0].stride[d + 1] * shape[d + 1];
    if (!plain) {       // the same memory, its dimensions named as the inputs name them
        for (int d = 0; d < nd; d++) {
            dims[order[nd - 1 - d]] = shape[d];
            steps[order[nd - 1 - d]] = op[0].stride[d];
        }
        std::copy(dims, dims + nd, PyArray_DIMS(made));
        std::copy(steps, steps + nd, PyArray_STRIDES(made));
        PyArray_UpdateFlags(made, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS);
    }
    simplify();
    return reinterpret_cast<PyObject*>(made);
}

bool Layout::into(const Array& out) {
    if (out.nd != nd || !PyArray_ISWRITEABLE(out.object)) return false;
    op[0].data = out.data;
    op[0].item = int(PyArray_ITEMSIZE(out.object));
    for (int d = 0; d < nd; d++) {
        if (out.shape[d] != shape[d] || out.stride[d] < 0 || (out.stride[d] == 0 && shape[d] > 1)) return false;
        op[0].stride[d] = shape[d] == 1 ? 0 : out.stride[d];
    }
    int order[MAX_DIMS];
    find_order(*this, 0, 1, order);
    sort(order);
    simplify();
    return true;
}

void Layout::simplify() {
    int kept = 0;
    for (int d = 0; d < nd; d++) {
        if (shape[d] == 1) continue;
        bool joins = kept > 0;
        for (int i = 0; i < count && joins; i++) joins = op[i].stride[kept - 1] == op[i].stride[d] * shape[d];
        if (joins) shape[kept - 1] *= shape[d];
        else shape[kept++] = shape[d];
        for (int i = 0; i < count; i++) op[i].stride[kept - 1] = op[i].stride[d];
    }
    if (kept == 0) {
        shape[0] = nd ? std::min<intptr_t>(size, 1) : 1;
        for (int i = 0; i < count; i++) op[i].stride[0] = i ? 0 : op[i].item;
        kept = 1;
    }
    nd = kept;
}

bool disturbs(const Array& out, const Array& in) {
    const char *low[2], *high[2];
    const Array* pair[] = {&out, &in};
    for (int i = 0; i < 2; i++) {
        low[i] = high[i] = pair[i]->data;
        if (pair[i]->size == 0) return false;
        for (int d = 0; d < pair[i]->nd; d++) high[i] += pair[i]->stride[d] * (pair[i]->shape[d] - 1);
        high[i] += PyArray_ITEMSIZE(pair[i]->object);
    }
    if (high[0] <= low[1] || high[1] <= low[0]) return false;
    if (out.data != in.data || out.nd != in.nd || PyArray_ITEMSIZE(out.object) != PyArray_ITEMSIZE(in.object))
        return true;
    for (int d = 0; d < out.nd; d++)
        if (out.shape[d] != in.shape[d] || (out.shape[d] > 1 && out.stride[d] != in.stride[d])) return true;
    return false;
}

PyObject* map_arrays(const Array* const* in, int n, int type, Row row, const void* p, Cost cost, bool c_order) {
    Layout l;
    if (!row || !l.broadcast(in, n)) return not_taken();
    PyObject* made = l.allocate(type, c_order);
    // the reference then says in the user's terms that memory is short
    if (!made) { PyErr_Clear(); return not_taken(); }
    Unlocked gil(l.size);
    run(l, row, p, cost);
    return made;
}

const char ONLY_COPIES = 0;

// ---- running ----

namespace {

constexpr int LINE = 64, TALL = 128;    // a tile that is only copied: a cache line across, TALL rows
constexpr int CHUNK = 512;              // elements gathered at once
constexpr int SHORT = 96;               // a row that isn't worth a call of its own
constexpr int TILE = 64;                // rows and (at most) columns that are turned at once
constexpr int TILE_BYTES = 16384;       // a turned tile

template <class T> void gather(const char* from, intptr_t stride, int64_t n, char* to) {
    T* o = reinterpret_cast<T*>(to);
    for (int64_t i = 0; i < n; i++) o[i] = *reinterpret_cast<const T*>(from + i * stride);
}
template <class T> void scatter(const char* from, intptr_t stride, int64_t n, char* to) {
    const T* x = reinterpret_cast<const T*>(from);
    for (int64_t i = 0; i < n; i++) *reinterpret_cast<T*>(to + i * stride) = x[i];
}
struct Wide { uint64_t a, b; };

void gather_items(int item, const char* from, intptr_t stride, int64_t n, char* to) {
    switch (item) {
        case 1: gather<uint8_t>(from, stride, n, to); break;
        case 2: gather<uint16_t>(from, stride, n, to); break;
        case 4: gather<uint32_t>(from, stride, n, to); break;
        case 8: gather<uint64_t>(from, stride, n, to); break;
        default: gather<Wide>(from, stride, n, to);
    }
}
void scatter_items(int item, const char* from, intptr_t stride, int64_t n, char* to) {
    switch (item) {
        case 1: scatter<uint8_t>(from, stride, n, to); break;
        case 2: scatter<uint16_t>(from, stride, n, to); break;
        case 4: scatter<uint32_t>(from, stride, n, to); break;
        case 8: scatter<uint64_t>(from, stride, n, to); break;
        default: scatter<Wide>(from, stride, n, to);
    }
}

// One element of each row, n times: in whole vectors, what one writes too much the next one overwrites.
template <class T> void spread(const char* from, intptr_t stride, int64_t rows, int64_t n, char* to) {
    constexpr int L = LANES<T>;
    T* o = reinterpret_cast<T*>(to);
    for (int64_t r = 0; r < rows; r++, o += n) {
        const Vec<T> value = splat<T>(*reinterpret_cast<const T*>(from + r * stride));
        for (int64_t i = 0; i < n; i += L) store<T>(o + i, value);
    }
}

// `rows` rows of n elements, one after the other; up to a vector is written beyond them.
void gather_rows(int item, const char* from, intptr_t row_stride, int64_t rows, intptr_t stride, int64_t n, char* to) {
    if (stride == 0 && item == 4) return spread<int32_t>(from, row_stride, rows, n, to);
    if (stride == 0 && item == 8) return spread<int64_t>(from, row_stride, rows, n, to);
    for (int64_t r = 0; r < rows; r++, from += row_stride, to += n * item)
        if (stride == item) std::memcpy(to, from, size_t(n * item));
        else gather_items(item, from, stride, n, to);
}

// Where all operands stand, and the way from one row to the next.
struct Walker {
    const Layout& l;
    int dims;                       // the outer ones, which it walks
    intptr_t index[MAX_DIMS];
    char* at[MAX_OPERANDS];

    Walker(const Layout& layout, int outer, int64_t start) : l(layout), dims(outer) {
        for (int i = 0; i < l.count; i++) at[i] = l.op[i].data;
        for (int d = dims - 1; d >= 0; d--) {
            index[d] = start % l.shape[d];
            start /= l.shape[d];
            for (int i = 0; i < l.count; i++) at[i] += index[d] * l.op[i].stride[d];
        }
    }
    void next() {
        for (int d = dims - 1; d >= 0; d--) {
            for (int i = 0; i < l.count; i++) at[i] += l.op[i].stride[d];
            if (++index[d] < l.shape[d]) return;
            for (int i = 0; i < l.count; i++) at[i] -= l.op[i].stride[d] * l.shape[d];
            index[d] = 0;
        }
    }
    int64_t left() const { return l.shape[dims - 1] - index[dims - 1]; }     // rows to the end of the last dimension
    void skip(int64_t rows) {       // no more than are left
        for (int i = 0; i < l.count; i++) at[i] += (rows - 1) * l.op[i].stride[dims - 1];
        index[dims - 1] += rows - 1;
        next();
    }
};

// beyond a chunk: room for the lanes that a vector writes too much
struct Buffers { alignas(64) char data[MAX_OPERANDS][CHUNK * 16 + VECTOR_BYTES]; };

// How the rows of all operands lie: each one number (scalars), one piece, or neither (odd).
struct RowKinds {
    unsigned scalars = 0, odd = 0;
    explicit RowKinds(const Layout& l) {
        for (int i = 0; i < l.count; i++) {
            const intptr_t stride = l.op[i].stride[l.nd - 1];
            if (i && stride == 0) scalars |= 1u << (i - 1);
            else if (stride != l.op[i].item) odd |= 1u << i;
        }
    }
};

// Elements [begin, end) of the row that `at` points to.
void run_row(const Layout& l, RowKinds kinds, Row row, const void* p, char* const* at, int64_t begin, int64_t end) {
    const int inner = l.nd - 1;
    const auto [scalars, odd] = kinds;
    const char* in[MAX_OPERANDS] = {};
    if (!odd) {
        for (int i = 1; i < l.count; i++) in[i - 1] = at[i] + begin * l.op[i].stride[inner];
        row(end - begin, at[0] + begin * l.op[0].item, in, scalars, p);
        return;
    }
    Buffers buffers;
    for (int64_t from = begin; from < end; from += CHUNK) {
        const int64_t n = std::min<int64_t>(CHUNK, end - from);
        for (int i = 1; i < l.count; i++) {
            const intptr_t stride = l.op[i].stride[inner];
            in[i - 1] = at[i] + from * stride;
            if (odd >> i & 1) {
                gather_items(l.op[i].item, in[i - 1], stride, n, buffers.data[i]);
                in[i - 1] = buffers.data[i];
            }
        }
        char* out = at[0] + from * l.op[0].stride[inner];
        row(n, odd & 1 ? buffers.data[0] : out, in, scalars, p);
        if (odd & 1) scatter_items(l.op[0].item, buffers.data[0], l.op[0].stride[inner], n, out);
    }
}

void run_rows(const Layout& l, Row row, const void* p, Cost cost) {
    const int64_t n = l.shape[l.nd - 1], rows = l.size / n;
    const int64_t parts = n >= 2 * cost ? (n + cost - 1) / cost : 1;        // pieces of a long row
    const int64_t length = ((n + parts - 1) / parts + 63) / 64 * 64;
    const RowKinds kinds(l);
    parallel(rows * parts, std::max<int64_t>(1, cost / std::min(n, length)), [&](int64_t begin, int64_t end) {
        Walker w(l, l.nd - 1, begin / parts);
        for (int64_t u = begin; u < end; u++) {
            const int64_t part = u % parts;
            if (part * length < n) run_row(l, kinds, row, p, w.at, part * length, std::min(n, (part + 1) * length));
            if (part == parts - 1) w.next();
        }
    });
}

// Short rows: whole stretches of several rows are gathered, so that the kernel has something to chew. The result is in
// one piece.
void run_short(const Layout& l, Row row, const void* p, Cost cost) {
    const int64_t n = l.shape[l.nd - 1], per = std::max<int64_t>(1, CHUNK / n), rows = l.size / n,
                  blocks = (rows + per - 1) / per;
    unsigned scalars = 0, odd = 0, same = 0;       // same: each row is like the first, so one gathering serves all
    for (int i = 1; i < l.count; i++) {
        bool flat = true, fixed = true, repeated = true;
        intptr_t step = l.op[i].item;
        for (int d = l.nd - 1; d >= 0; d--) {
            flat = flat && l.op[i].stride[d] == step;
            fixed = fixed && l.op[i].stride[d] == 0;
            repeated = repeated && (d == l.nd - 1 || l.op[i].stride[d] == 0);
            step *= l.shape[d];
        }
        if (fixed) scalars |= 1u << (i - 1);
        else if (!flat) odd |= 1u << i;
        if (repeated && !fixed) same |= 1u << i;
    }
    parallel(blocks, std::max<int64_t>(1, cost / (per * n)), [&](int64_t begin, int64_t end) {
        Walker w(l, l.nd - 1, begin * per);
        Buffers buffers;
        for (int64_t b = begin; b < end; b++) {
            const int64_t many = std::min(per, rows - b * per);
            const char* in[MAX_OPERANDS] = {};
            for (int i = 1; i < l.count; i++) in[i - 1] = odd >> i & 1 ? buffers.data[i] : w.at[i];
            char* out = w.at[0];
            for (int64_t r = 0; r < many;) {        // as far as the rows of all operands lie evenly
                const int64_t run = std::min(many - r, w.left());
                for (int i = 1; i < l.count; i++)
                    if (odd >> i & 1 && (b == begin || !(same >> i & 1)))
                        gather_rows(l.op[i].item, w.at[i], l.op[i].stride[l.nd - 2], run, l.op[i].stride[l.nd - 1], n,
                                    buffers.data[i] + r * n * l.op[i].item);
                w.skip(run);
                r += run;
            }
            row(many * n, out, in, scalars, p);
        }
    });
}

// An input whose memory runs along the second last dimension: turned tile by tile into rows.
void run_tiles(const Layout& l, Row row, const void* p, Cost cost) {
    const int inner = l.nd - 1, outer = l.nd - 2;
    const int64_t n = l.shape[inner], rows = l.shape[outer];
    unsigned turned = 0, widest = 1;
    for (int i = 1; i < l.count; i++)
        if (l.op[i].stride[inner] != l.op[i].item && l.op[i].stride[inner] != 0 &&
            l.op[i].stride[outer] == l.op[i].item) {
            turned |= 1u << i;
            widest = std::max(widest, unsigned(l.op[i].item));
        }
    const int64_t wide = std::min<int64_t>(TILE, TILE_BYTES / TILE / widest);
    const int64_t down = (rows + TILE - 1) / TILE, across = (n + wide - 1) / wide;
    const int64_t places = l.size / (n * rows);
    parallel(places * down * across, std::max<int64_t>(1, cost / (TILE * wide)), [&](int64_t begin, int64_t end) {
        alignas(64) char tile[MAX_OPERANDS - 1][TILE_BYTES];
        Layout part = l;
        for (int64_t u = begin; u < end; u++) {
            const int64_t c0 = u % across * wide, r0 = u / across % down * TILE;
            const int64_t columns = std::min(wide, n - c0), height = std::min<int64_t>(TILE, rows - r0);
            Walker w(l, outer, u / across / down);
            for (int i = 0; i < l.count; i++) {
                part.op[i].data = w.at[i] + c0 * l.op[i].stride[inner] + r0 * l.op[i].stride[outer];
                if (!(turned >> i & 1)) continue;
                transpose_tile(l.op[i].item, part.op[i].data, l.op[i].stride[inner], columns, height, tile[i - 1],
                               wide * l.op[i].item);
                part.op[i].data = tile[i - 1];
                part.op[i].stride[inner] = l.op[i].item;
                part.op[i].stride[outer] = wide * l.op[i].item;
            }
            const RowKinds kinds(part);
            for (int64_t r = 0; r < height; r++) {
                char* at[MAX_OPERANDS];
                for (int i = 0; i < l.count; i++) at[i] = part.op[i].data + r * part.op[i].stride[outer];
                run_row(part, kinds, row, p, at, 0, columns);
            }
        }
    });
}

// The same for a plain copy: each tile goes straight to its place, a cache line of each row at a time.
void copy_tiles(const Layout& l) {
    const int inner = l.nd - 1, outer = l.nd - 2;
    const Operand &to = l.op[0], &from = l.op[1];
    const int64_t n = l.shape[inner], rows = l.shape[outer], wide = LINE / to.item;
    const int64_t down = (rows + TALL - 1) / TALL, across = (n + wide - 1) / wide, places = l.size / (n * rows);
    parallel(places * down * across, std::max<int64_t>(1, CHEAP / (TALL * wide)), [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; u++) {
            const int64_t c0 = u % across * wide, r0 = u / across % down * TALL;
            const int64_t columns = std::min(wide, n - c0), height = std::min<int64_t>(TALL, rows - r0);
            Walker w(l, outer, u / across / down);
            const char* source = w.at[1] + c0 * from.stride[inner] + r0 * from.stride[outer];
            if (u % across + 1 < across)
                for (int64_t c = columns; c < 2 * columns; c++)
                    for (int64_t b = 0; b < height * from.item; b += LINE)
                        __builtin_prefetch(source + c * from.stride[inner] + b);
            transpose_tile(to.item, source, from.stride[inner], columns, height,
                           w.at[0] + c0 * to.item + r0 * to.stride[outer], to.stride[outer]);
        }
    });
}

// The dimension along which an input's memory runs, where that isn't the innermost one; -1 when there is none.
int turned_dim(const Layout& l) {
    const int inner = l.nd - 1;
    for (int i = 1; i < l.count; i++) {
        const intptr_t stride = l.op[i].stride[inner];
        if (stride == 0 || stride == l.op[i].item || l.op[i].item > 8) continue;
        for (int d = 0; d < inner; d++)
            if (l.op[i].stride[d] == l.op[i].item && l.shape[d] >= 4) return d;
    }
    return -1;
}

}  // namespace

void run(const Layout& l, Row row, const void* p, Cost cost) {
    if (l.size <= 0) return;
    if (l.nd == 1) {
        bool simple = l.op[0].stride[0] == l.op[0].item;
        unsigned scalars = 0;
        for (int i = 1; i < l.count; i++) {
            if (l.op[i].stride[0] == 0) scalars |= 1u << (i - 1);
            else simple = simple && l.op[i].stride[0] == l.op[i].item;
        }
        if (simple) {
            parallel((l.size + 63) / 64, cost / 64, [&](int64_t begin, int64_t end) {
                const char* in[MAX_OPERANDS] = {};
                for (int i = 1; i < l.count; i++) in[i - 1] = l.op[i].data + begin * 64 * l.op[i].stride[0];
                row(std::min(end * 64, l.size) - begin * 64, l.op[0].data + begin * 64 * l.op[0].item, in, scalars, p);
            });
            return;
        }
        run_rows(l, row, p, cost);
        return;
    }
    const int64_t n = l.shape[l.nd - 1];
    const int turned = n >= 4 ? turned_dim(l) : -1;
    if (turned >= 0) {
        Layout moved = l;       // that dimension becomes the second last
        for (int d = turned; d < l.nd - 2; d++) {
            moved.shape[d] = l.shape[d + 1];
            for (int i = 0; i < l.count; i++) moved.op[i].stride[d] = l.op[i].stride[d + 1];
        }
        moved.shape[l.nd - 2] = l.shape[turned];
        for (int i = 0; i < l.count; i++) moved.op[i].stride[l.nd - 2] = l.op[i].stride[turned];
        if (p == &ONLY_COPIES && l.op[0].stride[l.nd - 1] == l.op[0].item) copy_tiles(moved);
        else run_tiles(moved, row, p, cost);
        return;
    }
    bool dense = l.op[0].stride[l.nd - 1] == l.op[0].item;
    for (int d = l.nd - 2; d >= 0 && dense; d--) dense = l.op[0].stride[d] == l.op[0].stride[d + 1] * l.shape[d + 1];
    if (n <= SHORT && dense && l.size >= 4 * n) run_short(l, row, p, cost);
    else run_rows(l, row, p, cost);
}

}  // namespace weft
