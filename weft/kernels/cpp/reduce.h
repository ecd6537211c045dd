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
//     add_made(part, source, from, n)    if it has that: the same as `add` of elements that are made bit by bit
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

// Elements that are made when they are needed, in C order.
struct Source {
    virtual void fill(int64_t from, int64_t n, char* to) const = 0;
protected:
    ~Source() = default;
};

struct Reduction {
    Dim kept[MAX_DIMS], reduced[MAX_DIMS], inner;   // outermost first; `inner` is the last of one of them
    int n_kept = 0, n_reduced = 0;                  // without `inner`
    bool columns = false;                           // `inner` is a kept dimension
    int64_t outputs = 1, count = 1;                 // how many results, and of how many elements each
    int nd = 0;
    intptr_t shape[MAX_DIMS];                       // of the result
    const Source* source = nullptr;                 // instead of memory
};

// The reduced dimensions as bits, from None (all), an int, or a tuple or list of ints (empty: all); false for wrong
// ones.
bool read_dims(PyObject* dim, int nd, uint32_t& bits);
// `x` holds something. With several reduced dimensions the elements are taken in the order of memory.
Reduction plan_reduction(const Array& x, uint32_t bits, bool keepdim);

constexpr int64_t CHUNK = 65536;        // elements in a piece of one result

// `n` elements `stride` bytes apart, in a row
template <class T> [[gnu::noinline]] void gather(T* to, const char* from, int64_t n, intptr_t stride) {
    for (int64_t i = 0; i < n; i++) std::memcpy(to + i, from + i * stride, sizeof(T));
}

// Rows first..last of `n` elements each, from `base` on. It is compiled once for an Op, with the Op's loop in one place
// in it: those loops are long, and reductions are many, so copies of them cost most of the time to build.
template <class Op>
[[gnu::noinline]] void add_rows(const Op& op, typename Op::Part& part, const char* base, const Reduction& r,
                                int64_t first, int64_t last, int64_t n) {
    using T = typename Op::In;
    constexpr int64_t STRIDED = 512;
    T copy[STRIDED];
    const bool neat = r.inner.in == intptr_t(sizeof(T));
    const int64_t most = neat ? n : STRIDED;
    Walk walk(r.reduced, r.n_reduced, first);
    for (int64_t row = first; row < last; row++, walk.next()) {
        const char* at = base + walk.in;
        for (int64_t i = 0; i < n; i += most) {
            const int64_t k = std::min(most, n - i);
            if (!neat) gather(copy, at + i * r.inner.in, k, r.inner.in);
            op.add(part, neat ? reinterpret_cast<const T*>(at) : copy, k);
        }
    }
}

// Each of the results begin..end on its own.
template <class Op>
void reduce_each(const Op& op, const char* data, const Reduction& r, int64_t begin, int64_t end) {
    using T = typename Op::In;
    const int64_t n = r.inner.n, rows = r.count / n;
    const bool single = rows == 1 && r.inner.in == intptr_t(sizeof(T));     // short rows are not to pay for a call
    Walk walk(r.kept, r.n_kept, begin);
    for (int64_t i = begin; i < end; i++, walk.next()) {
        typename Op::Part part;
        op.start(part);
        if (single) op.add(part, reinterpret_cast<const T*>(data + walk.in), n);
        else add_rows(op, part, data + walk.in, r, 0, rows, n);
        op.finish(part, walk.out);
    }
}

// Adds rows first..last, of `w` columns from `base` on, in blocks whose elements stay in the cache for an Op that looks
// twice.
template <class Op>
[[gnu::noinline]] void add_block(const Op& op, typename Op::Columns& columns, const char* base, const Reduction& r,
                                 int64_t first, int64_t last, int64_t w) {
    using T = typename Op::In;
    constexpr int STRIDED = 8;
    const T* rows[Op::ROWS];
    T copy[STRIDED * Op::TILE];
    const bool neat = r.inner.in == intptr_t(sizeof(T));
    const int most = neat ? Op::ROWS : STRIDED;
    Walk walk(r.reduced, r.n_reduced, first);
    for (int64_t i = first; i < last; i += most) {
        const int k = int(std::min<int64_t>(most, last - i));
        if (neat) {
            for (int j = 0; j < k; j++, walk.next()) rows[j] = reinterpret_cast<const T*>(base + walk.in);
        } else {
            for (int j = 0; j < k; j++, walk.next()) {
                gather(copy + j * w, base + walk.in, w, r.inner.in);
                rows[j] = copy + j * w;
            }
        }
        op.add(columns, rows, k, w);
    }
}

// An Op as the driver sees it, which is compiled once for all of them (reduce.cpp).
struct Steps {
    size_t part, columns;       // bytes of one
    int64_t tile;
    void (*each)(const void* op, const char* data, const Reduction& r, int64_t begin, int64_t end);
    void (*start)(const void* op, void* part);
    void (*add)(const void* op, void* part, const char* base, const Reduction& r, int64_t first, int64_t last,
                int64_t n);
    void (*add_made)(const void* op, void* part, const Source& source, int64_t from, int64_t n);    // or null
    void (*merge)(const void* op, void* part, const void* later);
    void (*finish)(const void* op, const void* part, int64_t at);
    void (*start_columns)(const void* op, void* columns, int64_t w);
    void (*add_columns)(const void* op, void* columns, const char* base, const Reduction& r, int64_t first,
                        int64_t last, int64_t w);
    void (*merge_columns)(const void* op, void* columns, const void* later, int64_t w);
    void (*finish_columns)(const void* op, const void* columns, int64_t w, int64_t at, int64_t stride);
};
constexpr size_t MOST_COLUMNS = 32768;      // bytes of an Op's Columns, which the driver has on its stack

template <class Op> struct StepsOf {
    using Part = typename Op::Part;
    using Columns = typename Op::Columns;
    static_assert(sizeof(Columns) <= MOST_COLUMNS && alignof(Columns) <= 64 && alignof(Part) <= 64);
    static const Op& of(const void* op) { return *static_cast<const Op*>(op); }
    static constexpr decltype(Steps::add_made) made_bit_by_bit() {
        if constexpr (requires(const Op& op, Part& part, const Source& s) { op.add_made(part, s, 0, 0); })
            return [](const void* op, void* part, const Source& source, int64_t from, int64_t n) {
                of(op).add_made(*static_cast<Part*>(part), source, from, n);
            };
        else return nullptr;
    }
    static constexpr Steps steps = {
        sizeof(Part), sizeof(Columns), Op::TILE,
        [](const void* op, const char* data, const Reduction& r, int64_t begin, int64_t end) {
            reduce_each(of(op), data, r, begin, end);
        },
        [](const void* op, void* part) { of(op).start(*static_cast<Part*>(part)); },
        [](const void* op, void* part, const char* base, const Reduction& r, int64_t first, int64_t last, int64_t n) {
            add_rows(of(op), *static_cast<Part*>(part), base, r, first, last, n);
        },
        made_bit_by_bit(),
        [](const void* op, void* part, const void* later) {
            of(op).merge(*static_cast<Part*>(part), *static_cast<const Part*>(later));
        },
        [](const void* op, const void* part, int64_t at) { of(op).finish(*static_cast<const Part*>(part), at); },
        [](const void* op, void* columns, int64_t w) { of(op).start(*static_cast<Columns*>(columns), w); },
        [](const void* op, void* columns, const char* base, const Reduction& r, int64_t first, int64_t last,
           int64_t w) { add_block(of(op), *static_cast<Columns*>(columns), base, r, first, last, w); },
        [](const void* op, void* columns, const void* later, int64_t w) {
            of(op).merge(*static_cast<Columns*>(columns), *static_cast<const Columns*>(later), w);
        },
        [](const void* op, const void* columns, int64_t w, int64_t at, int64_t stride) {
            of(op).finish(*static_cast<const Columns*>(columns), w, at, stride);
        }};
};

// With a source, x is C-contiguous and has no data. Throws std::bad_alloc.
void reduce_by(const Steps& steps, const void* op, const Array& x, const Reduction& r);
bool can_be_filled(const Array& x, const Reduction& r);     // whether a source may stand for x
template <class Op> inline void reduce(const Op& op, const Array& x, const Reduction& r) {
    reduce_by(StepsOf<Op>::steps, &op, x, r);
}

// Sums, means (reduce_sum.cpp), the greatest and the least (reduce_extreme.cpp) of floating types, as their kernels.
PyObject* sum_or_mean_of(const Array& x, const Reduction& r, bool mean);
PyObject* extreme_of(const Array& x, const Reduction& r, bool greatest);

}  // namespace weft
