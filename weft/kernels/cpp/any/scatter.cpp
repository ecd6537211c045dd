// gather and scatter: one element of a dimension for each place of an index that has all the dimensions.
//
// A task owns some of the other dimensions, so no two write to the same place, and each place gets its values in the
// order of the index.
#include <atomic>
#include <limits>

#include "moves.h"

namespace weft {
namespace {

constexpr int64_t NEAR = 512 << 10;         // bytes that stay in a core's own cache

inline bool repeats_or_follows(intptr_t step) { return step == 0 || step == 1; }

// The geometry of index, x and source without `dim`: rows over the leading dimensions, and columns (the last dimension)
// unless it is dim.
struct Layout {
    Rows rows;
    int64_t n, count, columns = 1;          // x's and the index's length along dim; the columns
    intptr_t x_dim, index_dim, source_dim = 0, x_column = 0, index_column = 0, source_column = 0;       // in elements
    intptr_t x_row[MAX_DIMS], index_row[MAX_DIMS], source_row[MAX_DIMS];

    // one index for each slice of several elements that lie in one piece
    bool slices() const {
        return columns > 1 && index_column == 0 && x_column == 1 && repeats_or_follows(source_column);
    }

    bool prepare(const Array& x, const Array& index, const Array& source, int64_t dim, int item) {
        if (dim < 0 || dim >= x.nd || index.nd != x.nd || index.type != I64) return false;
        intptr_t xs[MAX_DIMS], is[MAX_DIMS], ss[MAX_DIMS] = {};
        if (!element_strides(x, item, xs) || !element_strides(index, 8, is)) return false;
        if (source && (source.nd != x.nd || !element_strides(source, item, ss))) return false;
        for (int d = 0; d < x.nd; d++) {
            if (d != dim && index.shape[d] > x.shape[d]) return false;
            if (source && index.shape[d] > source.shape[d]) return false;
        }
        n = x.shape[dim];
        count = index.shape[dim];
        x_dim = xs[dim]; index_dim = is[dim]; source_dim = ss[dim];
        int last = x.nd - 1;
        if (dim != last) {
            columns = index.shape[last];
            x_column = xs[last]; index_column = is[last]; source_column = ss[last];
            // one index for whole slices of several dimensions: they are one row, where they lie so
            while (index_column == 0 && last - 1 > dim && (is[last - 1] == 0 || index.shape[last - 1] == 1) &&
                   xs[last - 1] == x_column * columns && (!source || ss[last - 1] == source_column * columns))
                columns *= index.shape[--last];
        }
        for (int d = 0; d < last; d++) {
            if (d == dim) continue;
            x_row[rows.nd] = xs[d]; index_row[rows.nd] = is[d]; source_row[rows.nd] = ss[d];
            rows.add(index.shape[d]);
        }
        return true;
    }
};

bool all_in_range(const Layout& at, const int64_t* index) {
    std::atomic<bool> fine{true};
    const bool by_column = at.columns > 1 && at.index_column != 0;
    const int64_t inner = by_column ? at.columns : at.count, outer = by_column ? at.count : 1;
    parallel(at.rows.count * outer, std::max<int64_t>(1, 32768 / std::max<int64_t>(inner, 1)),
             [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; u++) {
            const int64_t* from = index + at.rows.at(u / outer, at.index_row) + (u % outer) * at.index_dim;
            if (!in_range(from, inner, by_column ? at.index_column : at.index_dim, at.n))
                fine.store(false, std::memory_order_relaxed);
        }
    });
    return fine.load();
}

// How many columns one task takes, so that its part of x stays in the core's cache. Slices are moved whole, unless
// several threads share them.
int64_t columns_of(const Layout& at, int item) {
    const int64_t line = std::max<int64_t>(1, 64 / item);
    if (at.slices()) {
        const int64_t threads = at.count * at.columns < 32768 ? 1 : host->threads();
        const int64_t shares = std::max<int64_t>(1, threads / std::max<int64_t>(1, at.rows.count));
        const int64_t each = (at.columns + shares - 1) / shares;
        return std::min(at.columns, (each + line - 1) / line * line);
    }
    const int64_t fitting = NEAR / std::max<int64_t>(1, at.n * item) / line * line;
    return std::min(at.columns, std::max(line, fitting));
}

// gather

// loop(step of x, of the index, of the source): with steps of 1 as constants where all of them are
template <class F> inline void with_steps(intptr_t x, intptr_t index, intptr_t source, F&& loop) {
    constexpr std::integral_constant<intptr_t, 1> one;
    if (x == 1 && index == 1 && source == 1) loop(one, one, one);
    else loop(x, index, source);
}

// An index is checked where it is used: a branch that is foreseen costs less than a look at all of them before.
template <class T>
bool gather_part(T* out, const T* x, const int64_t* index, int64_t count, int64_t n, intptr_t x_dim, intptr_t step) {
    bool fine = true;
    with_steps(x_dim, step, 1, [&](auto x_step, auto index_step, auto) {
        for (int64_t k = 0; k < count; k++) {
            const int64_t i = index[k * index_step];
            if (uint64_t(i) >= uint64_t(n)) [[unlikely]] { fine = false; return; }
            out[k] = x[i * x_step];
        }
    });
    return fine;
}

// The same for few indices in each of many rows that lie evenly: nothing to set up for each.
template <class T> bool gather_short(const Layout& at, T* out, const T* x, const int64_t* index) {
    std::atomic<bool> fine{true};
    const intptr_t x_row = at.rows.nd ? at.x_row[0] : 0, index_row = at.rows.nd ? at.index_row[0] : 0;
    parallel(at.rows.count, std::max<int64_t>(1, 8192 / std::max<int64_t>(at.count, 1)),
             [&](int64_t begin, int64_t end) {
        const int64_t count = at.count, n = at.n;
        const intptr_t x_dim = at.x_dim, index_dim = at.index_dim;
        const int64_t* places = index + begin * index_row;
        const T* row = x + begin * x_row;
        T* to = out + begin * count;
        uint64_t seen = 0;
        for (int64_t r = begin; r < end; r++, places += index_row, row += x_row, to += count)
            for (int64_t k = 0; k < count; k++) {
                const int64_t i = places[k * index_dim];
                const bool good = uint64_t(i) < uint64_t(n);
                seen |= uint64_t(!good) << 63;
                if (good) [[likely]]
                    to[k] = row[i * x_dim];
            }
        if (is_negative(seen)) fine.store(false, std::memory_order_relaxed);
    });
    return fine.load();
}

// dim is the last one: out[row][k] = x[row][index[row][k]]
template <class T> bool gather_rows(const Layout& at, T* out, const T* x, const int64_t* index) {
    if (at.count <= 32 && at.rows.nd <= 1 && at.n > 0) return gather_short(at, out, x, index);
    std::atomic<bool> fine{true};
    const int64_t part = std::min<int64_t>(at.count, 8192), parts = part ? (at.count + part - 1) / part : 0;
    parallel(at.rows.count * parts, std::max<int64_t>(1, 16384 / std::max<int64_t>(part, 1)),
             [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; u++) {
            const int64_t r = u / parts, first = u % parts * part, stop = std::min(at.count, first + part);
            const T* row = x + at.rows.at(r, at.x_row);
            const int64_t* places = index + at.rows.at(r, at.index_row);
            if (!gather_part(out + r * at.count + first, row, places + first * at.index_dim, stop - first, at.n,
                             at.x_dim, at.index_dim))
                fine.store(false, std::memory_order_relaxed);
        }
    });
    return fine.load();
}

// dim is another one: out[k][c] = x[index[k][c]][c], some columns at a time; `out_row` and `out_dim` are strides of the
// result
template <class T>
bool gather_columns(const Layout& at, T* out, const intptr_t* out_row, intptr_t out_dim, const T* x,
                    const int64_t* index) {
    std::atomic<bool> fine{true};
    const int64_t width = columns_of(at, sizeof(T)), bands = (at.columns + width - 1) / width;
    // pulling x's columns together pays where most of them are read and they lie far apart
    const bool pack = bands > 1 && at.count * 2 >= at.n && at.n * at.columns * int64_t(sizeof(T)) > NEAR;
    const int64_t work = at.count * width * (pack ? 2 : 1);
    parallel(at.rows.count * bands, std::max<int64_t>(1, 16384 / std::max<int64_t>(work, 1)),
             [&](int64_t begin, int64_t end) {
        T* packed = pack ? static_cast<T*>(host->take(size_t(at.n * width) * sizeof(T) + 64)) : nullptr;
        for (int64_t u = begin; u < end; u++) {
            const int64_t r = u / bands, first = u % bands * width, here = std::min(width, at.columns - first);
            const T* block = x + at.rows.at(r, at.x_row) + first * at.x_column;
            const int64_t* places = index + at.rows.at(r, at.index_row) + first * at.index_column;
            T* to = out + at.rows.at(r, out_row) + first;
            intptr_t dim = at.x_dim, column = at.x_column;
            if (packed) {
                for (int64_t i = 0; i < at.n; i++)
                    for (int64_t c = 0; c < here; c++) packed[i * here + c] = block[i * at.x_dim + c * at.x_column];
                block = packed, dim = here, column = 1;
            }
            for (int64_t k = 0; k < at.count; k++, places += at.index_dim, to += out_dim) {
                if (!in_range(places, here, at.index_column, at.n)) {
                    fine.store(false, std::memory_order_relaxed);
                    break;
                }
                if (column == 1 && at.index_column == 1)
                    for (int64_t c = 0; c < here; c++) to[c] = block[places[c] * dim + c];
                else
                    for (int64_t c = 0; c < here; c++) to[c] = block[places[c * at.index_column] * dim + c * column];
            }
        }
        host->give(packed);
    });
    return fine.load();
}

// an index that is the same along all columns: out[k] = x[index[k]], whole slices
template <class T>
bool gather_slices(const Layout& at, T* out, const intptr_t* out_row, intptr_t out_dim, const T* x,
                   const int64_t* index) {
    std::atomic<bool> fine{true};
    const int64_t bytes = at.columns * int64_t(sizeof(T));
    const int64_t part = std::max<int64_t>(1, std::min(at.count, 65536 / bytes)), parts = (at.count + part - 1) / part;
    parallel(at.rows.count * parts, std::max<int64_t>(1, 65536 / (part * bytes)), [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; u++) {
            const int64_t r = u / parts, first = u % parts * part, stop = std::min(at.count, first + part);
            const T* block = x + at.rows.at(r, at.x_row);
            const int64_t* places = index + at.rows.at(r, at.index_row);
            char* to = reinterpret_cast<char*>(out + at.rows.at(r, out_row) + first * out_dim);
            if (!in_range(places + first * at.index_dim, stop - first, at.index_dim, at.n)) {
                fine.store(false, std::memory_order_relaxed);
                return;
            }
            for (int64_t k = first; k < stop; k++, to += out_dim * int64_t(sizeof(T)))
                copy_bytes(to, reinterpret_cast<const char*>(block + places[k * at.index_dim] * at.x_dim), bytes);
        }
    });
    return fine.load();
}

// scatter

enum How { PUT, ADD, MULTIPLY, GREATEST, LEAST, MEAN };

template <class T> inline bool not_number(T x) { return x != x; }
template <int HOW, class T> inline T combine(T old, T value) {
    if constexpr (HOW == ADD || HOW == MEAN) return plus(old, value);
    else if constexpr (HOW == MULTIPLY) return times(old, value);
    else if constexpr (HOW == GREATEST) return (value > old || not_number(value)) && !not_number(old) ? value : old;
    else if constexpr (HOW == LEAST) return (value < old || not_number(value)) && !not_number(old) ? value : old;
    else return value;
}

template <int HOW, class T> T neutral() {       // leaves a reduction as it is
    using L = std::numeric_limits<T>;
    if constexpr (HOW == MULTIPLY) return T(1);
    else if constexpr (HOW == GREATEST) return L::has_infinity ? T(-L::infinity()) : L::lowest();
    else if constexpr (HOW == LEAST) return L::has_infinity ? L::infinity() : L::max();
    else return T(0);
}

template <class T> inline T divided(T sum, int32_t by) {
    if constexpr (std::is_integral_v<T>) {
        const int64_t wide = sum, q = wide / by;        // towards minus infinity
        return T(wide % by != 0 && wide < 0 ? q - 1 : q);
    } else {
        return sum / T(by);
    }
}

// One task's part: places of x that no other task writes to. x, index and source point at its first column; [from, to)
// are the places along dim that it owns (all of them unless the array is a single row).
template <class T> struct Part {
    T* x;
    const int64_t* index;
    const T* source;
    int64_t columns, n, count, from, to;
    // indices are still to be checked, a part at a time; `bad` is set where one is out of range
    bool check;
    bool* bad;
    intptr_t x_dim, x_column, index_dim, index_column, source_dim, source_column;

    template <class F> void each(F f) const {       // f(place in x, its place along dim, column, value)
        if (columns == 1) {
            if (from == 0 && to == n) {
                const uint64_t most = check ? uint64_t(n) : UINT64_MAX;
                with_steps(x_dim, index_dim, source_dim, [&, x = x, at = index, from = source, end = count](
                                                             auto x_step, auto index_step, auto source_step) {
                    for (int64_t k = 0; k < end; k++) {
                        const int64_t i = at[k * index_step];
                        if (uint64_t(i) >= most) [[unlikely]] { *bad = true; return; }
                        f(x[i * x_step], i, 0, from[k * source_step]);
                    }
                });
            } else {
                const uint64_t span = uint64_t(to - from);
                for (int64_t k = 0; k < count; k++) {
                    const int64_t i = index[k * index_dim];
                    if (uint64_t(i - from) < span) f(x[i * x_dim], i, 0, source[k * source_dim]);
                }
            }
            return;
        }
        const bool plain = index_column == 1 && source_column == 1 && x_column == 1;
        const bool slices = index_column == 0 && x_column == 1 && repeats_or_follows(source_column);
        for (int64_t k = 0; k < count; k++) {
            const int64_t* places = index + k * index_dim;
            const T* values = source + k * source_dim;
            if (slices) {
                const int64_t i = *places;
                if (check && uint64_t(i) >= uint64_t(n)) { *bad = true; return; }
                T* slice = x + i * x_dim;
                const T first = *values;
                if (source_column) {
                    WEFT_INDEPENDENT
                    for (int64_t c = 0; c < columns; c++) f(slice[c], i, c, values[c]);
                } else {
                    WEFT_INDEPENDENT
                    for (int64_t c = 0; c < columns; c++) f(slice[c], i, c, first);
                }
                continue;
            }
            if (check && !in_range(places, columns, index_column, n)) { *bad = true; return; }
            if (plain) for (int64_t c = 0; c < columns; c++) f(x[places[c] * x_dim + c], places[c], c, values[c]);
            else for (int64_t c = 0; c < columns; c++) {
                const int64_t i = places[c * index_column];
                f(x[i * x_dim + c * x_column], i, c, values[c * source_column]);
            }
        }
    }

    [[gnu::noinline]] void clear(T value) const { each([=](T& at, int64_t, int64_t, T) { at = value; }); }

    template <int HOW> bool run(bool include_self) const {
        if constexpr (HOW != PUT) {
            if (!include_self) clear(neutral<HOW, T>());
        }
        if constexpr (HOW != MEAN) {
            each([](T& at, int64_t, int64_t, T value) { at = combine<HOW, T>(at, value); });
        } else {
            const size_t bytes = size_t((to - from) * columns) * sizeof(int32_t);
            auto* counts = static_cast<int32_t*>(host->take(bytes + 64));
            if (!counts) return false;
            std::memset(counts, 0, bytes);
            each([&](T& at, int64_t i, int64_t c, T value) {
                at = plus(at, value);
                counts[(i - from) * columns + c]++;
            });
            for (int64_t i = from; i < to; i++)
                for (int64_t c = 0; c < columns; c++) {
                    const int32_t seen = counts[(i - from) * columns + c] + (include_self ? 1 : 0);
                    T& at = x[i * x_dim + c * x_column];
                    at = divided(at, std::max(seen, 1));        // always, since a branch would be guessed wrong
                }
            host->give(counts);
        }
        return true;
    }
};

// `run` does a part: this is compiled once for a type, the loops (in `run`) once for each way to combine
template <class T>
bool scatter_all(const Layout& at, T* x, const int64_t* index, const T* source, bool single, bool include_self,
                 bool check, bool& bad, bool (Part<T>::*run)(bool) const) {
    std::atomic<bool> fine{true}, wrong{false};
    const bool by_column = at.columns > 1;
    auto part_at = [&](int64_t r, int64_t first, int64_t columns) {
        return Part<T>{x + at.rows.at(r, at.x_row) + first * at.x_column,
                       index + at.rows.at(r, at.index_row) + first * at.index_column,
                       single ? source : source + at.rows.at(r, at.source_row) + first * at.source_column,
                       columns,
                       at.n,
                       at.count,
                       0,
                       at.n,
                       check,
                       nullptr,
                       at.x_dim,
                       at.x_column,
                       at.index_dim,
                       at.index_column,
                       single ? 0 : at.source_dim,
                       single ? 0 : at.source_column};
    };
    // few long rows: the places are shared out
    if (!by_column && at.rows.count < host->threads() && at.count >= 32768) {
        const int threads = host->threads();
        if (check && !all_in_range(at, index)) { bad = true; return true; }
        for (int64_t r = 0; r < at.rows.count; r++)
            run_tasks(threads, [&](int64_t i) {
                Part<T> part = part_at(r, 0, 1);
                part.check = false;
                part.from = at.n * i / threads, part.to = at.n * (i + 1) / threads;
                if (!(part.*run)(include_self)) fine.store(false, std::memory_order_relaxed);
            });
        return fine.load();
    }
    const int64_t width = by_column ? columns_of(at, sizeof(T)) : 1,
                  bands = by_column ? (at.columns + width - 1) / width : 1;
    const bool pack =
        bands > 1 && !at.slices() && at.count * 2 >= at.n && at.n * at.columns * int64_t(sizeof(T)) > NEAR;
    parallel(at.rows.count * bands, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, at.count * width)),
             [&](int64_t begin, int64_t end) {
        T* packed = pack ? static_cast<T*>(host->take(size_t(at.n * width) * sizeof(T) + 64)) : nullptr;
        bool out_of_range = false;
        for (int64_t u = begin; u < end && !out_of_range; u++) {
            const int64_t first = u % bands * width, here = by_column ? std::min(width, at.columns - first) : 1;
            Part<T> part = part_at(u / bands, first, here);
            part.bad = &out_of_range;
            T* place = part.x;
            if (packed) {
                for (int64_t i = 0; i < at.n; i++)
                    for (int64_t c = 0; c < here; c++) packed[i * here + c] = place[i * at.x_dim + c * at.x_column];
                part.x = packed, part.x_dim = here, part.x_column = 1;
            }
            if (!(part.*run)(include_self)) fine.store(false, std::memory_order_relaxed);
            if (packed)
                for (int64_t i = 0; i < at.n; i++)
                    for (int64_t c = 0; c < here; c++) place[i * at.x_dim + c * at.x_column] = packed[i * here + c];
        }
        host->give(packed);
        if (out_of_range) wrong.store(true, std::memory_order_relaxed);
    });
    bad = wrong.load();
    return fine.load();
}

}  // namespace

// gather(x, dim, index): the index has x's number of dimensions and is no longer than it, apart from dim
KERNEL(gather) {
    Array x, index, none;
    int64_t dim;
    if (!read(args, n, x, dim, index) || !x || !index) return not_taken();
    const int item = item_of(x);
    Layout at;
    if (!item || !at.prepare(x, index, none, dim, item)) return not_taken();
    PyObject* out = new_like(x, index.nd, index.shape);
    if (!out) return nullptr;
    const Array made = array_of(out);
    bool fine = true;
    if (made.size) {
        Unlocked gil(made.size);
        by_size(item, [&](auto kind) {
            using T = decltype(kind);
            if (dim == x.nd - 1) { fine = gather_rows<T>(at, made.as<T>(), x.as<T>(), index.as<int64_t>()); return; }
            intptr_t rows[MAX_DIMS];
            for (int d = 0, k = 0; d < x.nd - 1; d++)
                if (d != dim) rows[k++] = made.stride[d] / item;
            fine = (at.slices() ? gather_slices<T> : gather_columns<T>)(
                at, made.as<T>(), rows, made.stride[dim] / item, x.as<T>(), index.as<int64_t>());
        });
    }
    if (!fine) { Py_DECREF(out); return not_taken(); }
    return out;
}

// scatter(x, dim, index, source, how, include_self, fresh): in place; how is a number of `How`. The source has at least
// the index's lengths, or is one element. True where it was done. Nothing is written where an index is out of range,
// except into a fresh x, which the caller drops.
KERNEL(scatter) {
    Array x, index, source, none;
    int64_t dim, how;
    bool include_self, fresh;
    if (!read(args, n, x, dim, index, source, how, include_self, fresh) || !x || !index || !source || how < PUT ||
        how > MEAN)
        return not_taken();
    const int item = item_of(x);
    const bool single = source.size == 1 && source.nd == 0;
    Layout at;
    if (!item || !writable(x) || !same_kind(x, source) || overlap(x, source) || overlap(x, index)
        || !at.prepare(x, index, single ? none : source, dim, item)) return not_taken();
    for (int d = 0; d < x.nd; d++)
        if (x.stride[d] == 0 && x.shape[d] > 1) return not_taken();
    if (how == MEAN && at.count >= std::numeric_limits<int32_t>::max()) return not_taken();
    if (how != PUT && (x.type == OTHER || x.type == F16 || x.type == BF16 || x.type == BOOL)) return not_taken();
    if (!index.size) Py_RETURN_TRUE;
    bool fine = true, bad = false;
    if (!fresh) {
        Unlocked gil(index.size);
        fine = all_in_range(at, index.as<int64_t>());
    }
    if (!fine) return not_taken();
    {
        Unlocked gil(index.size);
        if (how == PUT) by_size(item, [&](auto kind) {
            using T = decltype(kind);
            scatter_all<T>(at, x.as<T>(), index.as<int64_t>(), source.as<T>(), single, include_self, fresh, bad,
                           &Part<T>::template run<PUT>);
        });
        else by_type(x.type, [&](auto kind) {
            using T = decltype(kind);
            auto run = &Part<T>::template run<MEAN>;
            switch (how) {
                case ADD: run = &Part<T>::template run<ADD>; break;
                case MULTIPLY: run = &Part<T>::template run<MULTIPLY>; break;
                case GREATEST: run = &Part<T>::template run<GREATEST>; break;
                case LEAST: run = &Part<T>::template run<LEAST>; break;
                default: break;
            }
            fine = scatter_all<T>(at, x.as<T>(), index.as<int64_t>(), source.as<T>(), single, include_self, fresh, bad,
                                  run);
        });
    }
    if (!fine) return PyErr_NoMemory();
    if (bad) return not_taken();
    Py_RETURN_TRUE;
}

}  // namespace weft
