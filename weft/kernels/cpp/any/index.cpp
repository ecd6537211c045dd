// Whole slices along one dimension, by a vector of indices: read (x[:, index]), written, added to. x is seen as (outer,
// n, inner).
//
// Writes are shared out by the places that are written to, each of which gets its values in the order of the index: so
// the result is the same with any number of threads, also where an index stands twice.
#include <algorithm>
#include <atomic>

#include "moves.h"

namespace weft {
namespace {

// An index of any shape as int64 in one row, negative numbers counted from the end; false where one is out of range.
struct Index {
    int64_t count = 0;
    const int64_t* at = nullptr;
    int64_t* own = nullptr;
    ~Index() { host->give(own); }
    bool prepare(const Array& index, int64_t n, bool negative) {
        count = index.size;
        at = index.as<int64_t>();
        if (!index.contiguous) {
            own = static_cast<int64_t*>(host->take(size_t(count) * 8 + 64));
            if (!own) throw std::bad_alloc();
            intptr_t stride[MAX_DIMS];
            intptr_t step = 8;
            for (int d = index.nd - 1; d >= 0; d--) { stride[d] = step; step *= index.shape[d]; }
            copy_strided(reinterpret_cast<char*>(own), stride, index.data, index.stride, index.nd, index.shape, 8);
            at = own;
        }
        if (in_range(at, count, n)) return true;
        if (!negative) return false;
        uint64_t seen = 0;
        for (int64_t i = 0; i < count; i++)
            seen |= (uint64_t(at[i]) + uint64_t(n)) | (uint64_t(n) - 1 - uint64_t(at[i]));
        if (is_negative(seen)) return false;
        if (!own) {
            own = static_cast<int64_t*>(host->take(size_t(count) * 8 + 64));
            if (!own) throw std::bad_alloc();
        }
        for (int64_t i = 0; i < count; i++) own[i] = at[i] + (at[i] < 0 ? n : 0);
        at = own;
        return true;
    }
};

// x as (outer, n, inner); false unless the inner part lies in one piece
struct Blocks {
    Rows outer;
    int64_t n = 1, inner = 1;
    intptr_t step = 0;              // bytes from one slice to the next
    intptr_t outer_stride[MAX_DIMS];
    bool prepare(const Array& x, int64_t dim, int item) {
        for (int d = x.nd - 1; d > dim; d--) {
            if (x.shape[d] != 1 && x.stride[d] != inner * item) return false;
            inner *= x.shape[d];
        }
        n = x.shape[dim];
        step = x.stride[dim];
        for (int d = 0; d < dim; d++) {
            outer_stride[outer.nd] = x.stride[d];
            outer.add(x.shape[d]);
        }
        return true;
    }
};

template <int BYTES> void take_fixed(char* out, const char* x, const int64_t* at, int64_t count, intptr_t step) {
    for (int64_t k = 0; k < count; k++) std::memcpy(out + k * BYTES, x + at[k] * step, BYTES);
}

// out[k] = x[at[k]] for rows of `bytes`
void take_rows(char* out, const char* x, const int64_t* at, int64_t count, intptr_t step, int64_t bytes) {
    switch (bytes) {
        case 1: take_fixed<1>(out, x, at, count, step); return;
        case 2: take_fixed<2>(out, x, at, count, step); return;
        case 4: take_fixed<4>(out, x, at, count, step); return;
        case 8: take_fixed<8>(out, x, at, count, step); return;
        case 16: take_fixed<16>(out, x, at, count, step); return;
        case 32: take_fixed<32>(out, x, at, count, step); return;
        case 64: take_fixed<64>(out, x, at, count, step); return;
        case 128: take_fixed<128>(out, x, at, count, step); return;
        default:
            for (int64_t k = 0; k < count; k++) copy_bytes(out + k * bytes, x + at[k] * step, bytes);
    }
}

// take_fixed for elements that lie one after the other: the step is known
template <class T> void take_elements(T* out, const T* x, const int64_t* at, int64_t count) {
    for (int64_t k = 0; k < count; k++) out[k] = x[at[k]];
}

struct Add { template <class T> T operator()(T a, T b) const { return plus(a, b); } };
struct Put { template <class T> T operator()(T, T b) const { return b; } };

// x[at[k]][c] = f(x[at[k]][c], values[k][c]) for the columns [from, to); value_step 0 repeats one element
template <class T, class F>
void write_columns(T* x, const int64_t* at, int64_t count, int64_t inner, const T* values, bool single, int64_t from,
                   int64_t to, F f) {
    for (int64_t k = 0; k < count; k++) {
        T* row = x + at[k] * inner;
        if (single) {
            const T value = *values;
            for (int64_t c = from; c < to; c++) row[c] = f(row[c], value);
        } else {
            const T* source = values + k * inner;
            for (int64_t c = from; c < to; c++) row[c] = f(row[c], source[c]);
        }
    }
}

// the same for slices of one element, and only those in [from, to)
template <class T, class F>
void write_range(T* x, const int64_t* at, int64_t count, const T* values, bool single, int64_t from, int64_t to, F f) {
    const uint64_t span = uint64_t(to - from);
    for (int64_t k = 0; k < count; k++)
        if (uint64_t(at[k] - from) < span) x[at[k]] = f(x[at[k]], values[single ? 0 : k]);
}

template <class T, class F>
void write_block(T* x, int64_t n, int64_t inner, const int64_t* at, int64_t count, const T* values, bool single, F f) {
    constexpr int64_t LINE = 64 / sizeof(T);
    const int64_t work = count * inner;
    const int threads = work < 32768 ? 1 : host->threads();
    if (inner == 1 && threads == 1) {
        for (int64_t k = 0; k < count; k++) x[at[k]] = f(x[at[k]], values[single ? 0 : k]);
    } else if (threads == 1) {
        write_columns(x, at, count, inner, values, single, 0, inner, f);
    } else if (inner >= LINE * threads) {       // whole cache lines of every slice for each
        const int64_t lines = inner / LINE, pieces = std::min<int64_t>(threads, lines);
        run_tasks(pieces, [&](int64_t i) {
            write_columns(x, at, count, inner, values, single, lines * i / pieces * LINE,
                          i + 1 == pieces ? inner : lines * (i + 1) / pieces * LINE, f);
        });
    } else {                                    // some of the slices for each, who looks through all of the index
        run_tasks(threads, [&](int64_t i) {
            const int64_t from = n * i / threads, to = n * (i + 1) / threads;
            if (inner == 1) { write_range(x, at, count, values, single, from, to, f); return; }
            const uint64_t span = uint64_t(to - from);
            for (int64_t k = 0; k < count; k++)
                if (uint64_t(at[k] - from) < span)
                    write_columns(x, at + k, 1, inner, values + (single ? 0 : k * inner), single, 0, inner, f);
        });
    }
}

// The places of an index in the order of what they name: those of i are order[start[i] .. start[i + 1]).
struct ByPlace {
    int64_t *start = nullptr, *order = nullptr;
    ~ByPlace() { host->give(start); }
    // false without memory, or where one slice is named so often that its task would be the whole work
    bool sort(const int64_t* at, int64_t count, int64_t n) {
        start = static_cast<int64_t*>(host->take(size_t(n + 2 + count) * 8 + 64));
        if (!start) return false;
        order = start + n + 2;
        std::fill_n(start, n + 2, int64_t(0));
        for (int64_t k = 0; k < count; k++) start[at[k] + 2]++;
        if (*std::max_element(start, start + n + 2) > std::max<int64_t>(16, count / 16)) return false;
        for (int64_t i = 0; i < n; i++) start[i + 2] += start[i + 1];
        for (int64_t k = 0; k < count; k++) order[start[at[k] + 1]++] = k;
        return true;
    }
    // the first slice from which on less than `share` of all `pieces` of the work lies behind
    int64_t border(int64_t share, int64_t pieces, int64_t n, int64_t count) const {
        const int64_t wanted = (n + count) * share / pieces;
        int64_t low = 0, high = n;
        while (low < high) {
            const int64_t middle = (low + high) / 2;
            if (middle + start[middle] < wanted) low = middle + 1; else high = middle;
        }
        return low;
    }
};

// to = from (which may be `to` itself) with values added, slice by slice: each is read and written once, by one task,
// whatever its numbers are. False where this doesn't pay.
template <class T>
bool add_by_place(T* to, const T* from, int64_t n, int64_t inner, const int64_t* at, int64_t count, const T* values) {
    if (inner * int64_t(sizeof(T)) < 256 || count * inner < 65536 || count < n / 8) return false;
    ByPlace places;
    if (!places.sort(at, count, n)) return false;
    const int64_t threads = host->threads(), pieces = threads == 1 ? 1 : 4 * threads;
    run_tasks(pieces, [&](int64_t piece) {
        const int64_t last = places.border(piece + 1, pieces, n, count);
        for (int64_t i = places.border(piece, pieces, n, count); i < last; i++) {
            T* slice = to + i * inner;
            const T* before = from + i * inner;
            for (int64_t k = places.start[i]; k < places.start[i + 1]; k++, before = slice) {
                const T* value = values + places.order[k] * inner;
                if (k + 2 < count)
                    for (int64_t b = 0; b < std::min<int64_t>(inner, 256 / sizeof(T)); b += 64 / sizeof(T))
                        __builtin_prefetch(values + places.order[k + 2] * inner + b);
                if (before == slice) for (int64_t c = 0; c < inner; c++) slice[c] = plus(slice[c], value[c]);
                else {
                    WEFT_INDEPENDENT
                    for (int64_t c = 0; c < inner; c++) slice[c] = plus(before[c], value[c]);
                }
            }
            if (before != slice) copy_bytes(reinterpret_cast<char*>(slice), reinterpret_cast<const char*>(before),
                                            inner * int64_t(sizeof(T)));
        }
    });
    return true;
}

template <class T, class F>
void write_all(T* x, int64_t outer, int64_t n, int64_t inner, const Index& index, const T* values, bool single, F f) {
    const int64_t count = index.count, part = count * inner;
    if (outer >= host->threads() && outer > 1) {
        parallel(outer, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, part)), [&](int64_t begin, int64_t end) {
            for (int64_t o = begin; o < end; o++) {
                T* block = x + o * n * inner;
                const T* source = values + (single ? 0 : o * part);
                if (inner == 1)
                    for (int64_t k = 0; k < count; k++)
                        block[index.at[k]] = f(block[index.at[k]], source[single ? 0 : k]);
                else write_columns(block, index.at, count, inner, source, single, 0, inner, f);
            }
        });
        return;
    }
    for (int64_t o = 0; o < outer; o++) {
        T* block = x + o * n * inner;
        const T* source = values + (single ? 0 : o * part);
        if constexpr (std::is_same_v<F, Add>)
            if (!single && add_by_place(block, block, n, inner, index.at, count, source)) continue;
        write_block(block, n, inner, index.at, count, source, single, f);
    }
}

}  // namespace

// within(index, n): whether all of a C-contiguous int64 index lies in [0, n)
KERNEL(within) {
    Array index;
    int64_t length;
    if (!read(args, n, index, length) || !index || index.type != I64 || !index.contiguous) return not_taken();
    return PyBool_FromLong(in_range(index.as<int64_t>(), index.size, length));
}

// take_dim(x, dim, index): x[:, ..., index], negative indices too; the index's shape stands in the place of dim
KERNEL(take_dim) {
    Array x, index;
    int64_t dim;
    if (!read(args, n, x, dim, index) || !x || !index || index.type != I64 || dim < 0 || dim >= x.nd)
        return not_taken();
    const int item = item_of(x);
    Blocks blocks;
    if (!item || x.nd + index.nd - 1 > MAX_DIMS || !blocks.prepare(x, dim, item)) return not_taken();
    Index rows;
    if (!rows.prepare(index, blocks.n, true)) return not_taken();
    intptr_t shape[MAX_DIMS];
    int nd = 0;
    for (int d = 0; d < dim; d++) shape[nd++] = x.shape[d];
    for (int d = 0; d < index.nd; d++) shape[nd++] = index.shape[d];
    for (int d = int(dim) + 1; d < x.nd; d++) shape[nd++] = x.shape[d];
    PyObject* out = new_like(x, nd, shape);
    if (!out) return nullptr;
    char* made = data_of<char>(out);
    const int64_t bytes = blocks.inner * item, count = rows.count;
    const bool dense = blocks.inner == 1 && blocks.step == item;
    Unlocked gil(blocks.outer.count * count * blocks.inner);
    // units of work are runs of the index within one of the outer blocks
    const int64_t part = std::max<int64_t>(1, std::min(count, 65536 / std::max<int64_t>(bytes, 1))),
                  parts = (count + part - 1) / part;
    parallel(blocks.outer.count * parts,
             std::max<int64_t>(1, 65536 / std::max<int64_t>(1, part * std::max<int64_t>(bytes, 4))),
             [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; u++) {
            const int64_t o = u / parts, first = u % parts * part, here = std::min(part, count - first);
            const char* block = x.data + blocks.outer.at(o, blocks.outer_stride);
            char* to = made + (o * count + first) * bytes;
            if (dense)
                by_size(item, [&](auto kind) {
                    using T = decltype(kind);
                    take_elements(reinterpret_cast<T*>(to), reinterpret_cast<const T*>(block), rows.at + first, here);
                });
            else take_rows(to, block, rows.at + first, here, blocks.step, bytes);
        }
    });
    return out;
}

// write_dim(x, dim, index, values, how): x[:, ..., index] = values ("put"), += values ("add"), in place. x is
// C-contiguous; values have the shape of x[:, ..., index] (C-contiguous, in any number of dimensions) or a single
// element. True where it was done.
KERNEL(write_dim) {
    Array x, index, values;
    int64_t dim;
    bool add;
    if (!read(args, n, x, dim, index, values, add) || !x || !index || !values || index.type != I64 || dim < 0 ||
        dim >= x.nd)
        return not_taken();
    const int item = item_of(x);
    if (!item || !x.contiguous || !values.contiguous || !writable(x) || !same_kind(x, values) || overlap(x, values) ||
        overlap(x, index))
        return not_taken();
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < dim; d++) outer *= x.shape[d];
    for (int d = int(dim) + 1; d < x.nd; d++) inner *= x.shape[d];
    const bool single = values.size == 1;
    if (values.size != outer * index.size * inner && !single) return not_taken();
    Index rows;
    if (!rows.prepare(index, x.shape[dim], true)) return not_taken();
    bool taken = true;
    Unlocked gil(outer * index.size * inner);
    if (add) {
        taken = by_type(x.type, [&](auto kind) {
            using T = decltype(kind);
            write_all(x.as<T>(), outer, x.shape[dim], inner, rows, values.as<T>(), single, Add());
        });
    } else {
        by_size(item, [&](auto kind) {
            using T = decltype(kind);
            write_all(x.as<T>(), outer, x.shape[dim], inner, rows, values.as<T>(), single, Put());
        });
    }
    return PyBool_FromLong(taken);
}

// added_slices(x, index, values): a copy of x, C-contiguous, with values[k] added to the slice index[k] of the first
// dimension; None where another way is quicker
KERNEL(added_slices) {
    Array x, index, values;
    if (!read(args, n, x, index, values) || !x || !index || !values || index.type != I64 || index.nd != 1 || x.nd < 1 ||
        !x.contiguous || !values.contiguous || !same_kind(x, values) || x.shape[0] < 1 ||
        values.size * x.shape[0] != index.size * x.size)
        return not_taken();
    Index rows;
    if (!rows.prepare(index, x.shape[0], true)) return not_taken();
    PyObject* out = new_like(x, x.nd, x.shape);
    if (!out) return nullptr;
    bool taken = false;
    {
        Unlocked gil(x.size + values.size);
        by_type(x.type, [&](auto kind) {
            using T = decltype(kind);
            taken = add_by_place(data_of<T>(out), x.as<T>(), x.shape[0], x.size / x.shape[0], rows.at, rows.count,
                                 values.as<T>());
        });
    }
    if (taken) return out;
    Py_DECREF(out);
    return not_taken();
}

// joined_index([index, ...], lengths): one index into adjacent dimensions seen as one, in the indices' common shape;
// None where one is out of range or the shapes don't broadcast
KERNEL(joined_index) {
    PyObject* list;
    Ints lengths;
    if (!read(args, n, list, lengths) || !PyList_Check(list) || PyList_GET_SIZE(list) != lengths.count ||
        lengths.count < 1)
        return not_taken();
    Array index[MAX_DIMS];
    int nd = 0;
    for (int k = 0; k < lengths.count; k++) {
        if (!view_of(PyList_GET_ITEM(list, k), index[k]) || index[k].type != I64) return not_taken();
        nd = std::max(nd, index[k].nd);
    }
    intptr_t shape[MAX_DIMS], stride[MAX_DIMS][MAX_DIMS];
    std::fill(shape, shape + nd, intptr_t(1));
    for (int k = 0; k < lengths.count; k++)
        for (int d = 0, lead = nd - index[k].nd; d < index[k].nd; d++) {
            const intptr_t length = index[k].shape[d];
            if (length == 1) continue;
            if (shape[lead + d] != 1 && shape[lead + d] != length) return not_taken();
            shape[lead + d] = length;
        }
    for (int k = 0; k < lengths.count; k++)
        for (int d = 0, lead = nd - index[k].nd; d < nd; d++)
            stride[k][d] = d < lead || index[k].shape[d - lead] == 1 ? 0 : index[k].stride[d - lead] / 8;
    PyObject* out = new_array(nd, shape, I64);
    if (!out) return nullptr;
    Array made = array_of(out);
    int64_t* to = made.as<int64_t>();
    const intptr_t last = nd ? shape[nd - 1] : 1;
    Rows rows;
    for (int d = 0; d < nd - 1; d++) rows.add(shape[d]);
    if (!made.size) return out;
    bool good = true;
    {
        Unlocked gil(made.size);
        std::atomic<bool> fine{true};
        parallel(rows.count, std::max<int64_t>(1, 16384 / last), [&](int64_t begin, int64_t end) {
            uint64_t seen = 0;
            for (int64_t r = begin; r < end; r++) {
                int64_t* row = to + r * last;
                for (int k = 0; k < lengths.count; k++) {
                    const int64_t* from = index[k].as<int64_t>() + rows.at(r, stride[k]);
                    const intptr_t step = nd ? stride[k][nd - 1] : 0;
                    const int64_t length = lengths[k];
                    for (intptr_t j = 0; j < last; j++) {
                        int64_t i = from[j * step];
                        i += i < 0 ? length : 0;
                        seen |= outside(i, length);
                        row[j] = k ? int64_t(uint64_t(row[j]) * uint64_t(length) + uint64_t(i)) : i;
                    }
                }
            }
            if (is_negative(seen)) fine.store(false, std::memory_order_relaxed);
        });
        good = fine.load();
    }
    if (!good) { Py_DECREF(out); return not_taken(); }
    return out;
}

// one_hot(x, classes): 1 at each number's place among `classes` zeros; None if a number is none of them
KERNEL(one_hot) {
    Array x;
    int64_t classes;
    if (!read(args, n, x, classes) || !x || x.type != I64 || !x.contiguous || x.nd >= MAX_DIMS || classes < 1)
        return not_taken();
    const auto* at = x.as<int64_t>();
    for (int64_t i = 0; i < x.size; i++)
        if (at[i] < 0 || at[i] >= classes) return not_taken();
    intptr_t shape[MAX_DIMS];
    int64_t size;
    std::copy(x.shape, x.shape + x.nd, shape);
    shape[x.nd] = classes;
    if (__builtin_mul_overflow(x.size, classes, &size)) return not_taken();
    PyObject* made = new_array(x.nd + 1, shape, I64);
    if (!made) return nullptr;
    auto* out = data_of<int64_t>(made);
    Unlocked gil(size);
    std::fill(out, out + size, 0);
    for (int64_t i = 0; i < x.size; i++) out[i * classes + at[i]] = 1;
    return made;
}

}  // namespace weft
