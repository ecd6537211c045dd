// Copies between any two layouts, and fills: threaded, in the order of the destination's memory, transposes in tiles of
// cache lines.
#include "fill.h"
#include "moves.h"

namespace weft {
namespace {

constexpr int64_t PIECE = 128 << 10;        // bytes that are worth a thread

struct Dim { intptr_t n, to, from; };       // length, and strides in bytes

intptr_t size_of(intptr_t stride) { return stride < 0 ? -stride : stride; }

// Drop what has one element, order by the destination's strides, join what lies in one piece in both. Gives the number
// left.
int simplify(Dim* dims, int nd) {
    int kept = 0;
    for (int d = 0; d < nd; d++)
        if (dims[d].n != 1) dims[kept++] = dims[d];
    for (int d = 1; d < kept; d++)
        for (int e = d; e > 0 && size_of(dims[e].to) > size_of(dims[e - 1].to); e--) std::swap(dims[e], dims[e - 1]);
    int made = 0;
    for (int d = 0; d < kept; d++) {
        if (made && dims[made - 1].to == dims[d].n * dims[d].to && dims[made - 1].from == dims[d].n * dims[d].from) {
            dims[made - 1] = {dims[made - 1].n * dims[d].n, dims[d].to, dims[d].from};
        } else {
            dims[made++] = dims[d];
        }
    }
    return made;
}

template <class T> void copy_row(char* to, const char* from, intptr_t n, intptr_t step_to, intptr_t step_from) {
    constexpr intptr_t item = sizeof(T);
    if (step_to == item && step_from == item) {
        copy_bytes(to, from, n * item);
    } else if (step_to == item && step_from == 0) {
        const T value = *reinterpret_cast<const T*>(from);
        T* out = reinterpret_cast<T*>(to);
        for (intptr_t i = 0; i < n; i++) out[i] = value;
    } else if (step_to == item && step_from == -item) {
        T* out = reinterpret_cast<T*>(to);
        const T* in = reinterpret_cast<const T*>(from) - (n - 1);
        for (intptr_t i = 0; i < n; i++) out[i] = in[n - 1 - i];
    } else if (step_to == item) {
        T* out = reinterpret_cast<T*>(to);
        for (intptr_t i = 0; i < n; i++) out[i] = *reinterpret_cast<const T*>(from + i * step_from);
    } else {
        for (intptr_t i = 0; i < n; i++)
            *reinterpret_cast<T*>(to + i * step_to) = *reinterpret_cast<const T*>(from + i * step_from);
    }
}

typedef uint32_t quad __attribute__((vector_size(16)));
typedef uint64_t duo __attribute__((vector_size(16)));

// A block of B x B elements turned over: to[j][i] = from[i][j]. Both are local, so only whole cache lines are read and
// written.
template <class T, int B> void turn(T (*to)[B], const T (*from)[B]) {
    if constexpr (sizeof(T) == 4) {
        for (int i = 0; i < B; i += 4)
            for (int j = 0; j < B; j += 4) {
                quad a, b, c, d;
                std::memcpy(&a, &from[i][j], 16);
                std::memcpy(&b, &from[i + 1][j], 16);
                std::memcpy(&c, &from[i + 2][j], 16);
                std::memcpy(&d, &from[i + 3][j], 16);
                const quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5),
                           ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
                const quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5),
                           cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
                const quad row[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                                     __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                                     __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                                     __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
                for (int k = 0; k < 4; k++) std::memcpy(&to[j + k][i], &row[k], 16);
            }
    } else if constexpr (sizeof(T) == 8) {
        for (int i = 0; i < B; i += 2)
            for (int j = 0; j < B; j += 2) {
                duo a, b;
                std::memcpy(&a, &from[i][j], 16);
                std::memcpy(&b, &from[i + 1][j], 16);
                const duo low = __builtin_shufflevector(a, b, 0, 2), high = __builtin_shufflevector(a, b, 1, 3);
                std::memcpy(&to[j][i], &low, 16);
                std::memcpy(&to[j + 1][i], &high, 16);
            }
    } else {
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++) to[j][i] = from[i][j];
    }
}

// rows x columns where the destination's columns and the source's rows are contiguous
template <class T>
void copy_turned(char* to, const char* from, intptr_t rows, intptr_t to_row, intptr_t columns, intptr_t from_column) {
    constexpr int B = sizeof(T) >= 16 ? 8 : sizeof(T) == 8 ? 8 : 16;
    for (intptr_t c = 0; c < columns; c += B)
        for (intptr_t r = 0; r < rows; r += B) {        // lines that follow one another in the source
            const intptr_t nr = std::min<intptr_t>(B, rows - r), nc = std::min<intptr_t>(B, columns - c);
            if (nr == B && nc == B) {
                alignas(64) T read[B][B], turned[B][B];
                for (int k = 0; k < B; k++)
                    std::memcpy(read[k], from + (c + k) * from_column + r * intptr_t(sizeof(T)), sizeof read[k]);
                turn<T, B>(turned, read);
                for (int k = 0; k < B; k++)
                    std::memcpy(to + (r + k) * to_row + c * intptr_t(sizeof(T)), turned[k], sizeof turned[k]);
            } else {
                for (intptr_t i = 0; i < nr; i++)
                    for (intptr_t j = 0; j < nc; j++)
                        std::memcpy(to + (r + i) * to_row + (c + j) * intptr_t(sizeof(T)),
                                    from + (c + j) * from_column + (r + i) * intptr_t(sizeof(T)), sizeof(T));
            }
        }
}

struct Place { intptr_t to, from; };

Place place_of(const Dim* dims, int nd, int64_t row) {
    Place found{0, 0};
    for (int d = nd - 1; d >= 0; d--) {
        const intptr_t i = row % dims[d].n;
        row /= dims[d].n;
        found.to += i * dims[d].to;
        found.from += i * dims[d].from;
    }
    return found;
}

template <class T> void copy_rows(char* dst, const char* src, const Dim* dims, int nd) {
    const Dim inner = dims[nd - 1];
    const intptr_t part = std::max<intptr_t>(1, std::min<intptr_t>(inner.n, PIECE / intptr_t(sizeof(T))));
    const int64_t parts = (inner.n + part - 1) / part;
    int64_t rows = 1;
    for (int d = 0; d < nd - 1; d++) rows *= dims[d].n;
    parallel(rows * parts, std::max<int64_t>(1, PIECE / (part * int64_t(sizeof(T)))), [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end;) {
            Place at = place_of(dims, nd - 1, k / parts);
            if (parts > 1) {
                const intptr_t start = k % parts * part, count = std::min(part, inner.n - start);
                copy_row<T>(dst + at.to + start * inner.to, src + at.from + start * inner.from, count, inner.to,
                            inner.from);
                k++;
                continue;
            }
            // the rows up to the end of the second innermost dimension, without dividing for each
            const intptr_t last = nd > 1 ? dims[nd - 2].n : 1, here = k % last,
                           count = std::min<int64_t>(last - here, end - k);
            const intptr_t step_to = nd > 1 ? dims[nd - 2].to : 0, step_from = nd > 1 ? dims[nd - 2].from : 0;
            for (intptr_t i = 0; i < count; i++, at.to += step_to, at.from += step_from)
                copy_row<T>(dst + at.to, src + at.from, inner.n, inner.to, inner.from);
            k += count;
        }
    });
}

// the dimension along which the source is contiguous while the destination is contiguous along its last: a transpose;
// -1 if none
int turned_dim(const Dim* dims, int nd, int item) {
    if (nd < 2 || dims[nd - 1].to != item || size_of(dims[nd - 1].from) <= item || dims[nd - 1].n < 4) return -1;
    for (int d = 0; d < nd - 1; d++)
        if (dims[d].from == item && dims[d].n >= 4) return d;
    return -1;
}

template <class T> void copy_tiles(char* dst, const char* src, Dim* dims, int nd, int turned) {
    const Dim columns = dims[nd - 1], rows = dims[turned];
    for (int d = turned; d < nd - 2; d++) dims[d] = dims[d + 1];        // what is left are nd - 2 outer dimensions
    constexpr intptr_t BAND = 64;       // rows of one unit of work
    const intptr_t bands = (rows.n + BAND - 1) / BAND;
    int64_t outer = 1;
    for (int d = 0; d < nd - 2; d++) outer *= dims[d].n;
    const int64_t unit = std::min<int64_t>(BAND, rows.n) * columns.n * int64_t(sizeof(T));
    parallel(outer * bands, std::max<int64_t>(1, PIECE / std::max<int64_t>(unit, 1)), [&](int64_t begin, int64_t end) {
        for (int64_t k = begin; k < end; k++) {
            const Place at = place_of(dims, nd - 2, k / bands);
            const intptr_t start = k % bands * BAND;
            copy_turned<T>(dst + at.to + start * rows.to, src + at.from + start * intptr_t(sizeof(T)),
                           std::min(BAND, rows.n - start), rows.to, columns.n, columns.from);
        }
    });
}

}  // namespace

void copy_plain(char* dst, const char* src, int64_t bytes) {
    parallel(bytes, PIECE,
             [=](int64_t begin, int64_t end) { std::memcpy(dst + begin, src + begin, size_t(end - begin)); });
}

void fill_plain(char* dst, const char* value, int64_t count, int item) {
    bool same = true;       // all bytes: then it is a memset
    for (int i = 1; i < item; i++) same = same && value[i] == value[0];
    if (same) {
        parallel(count * item, 2 * PIECE,
                 [=](int64_t begin, int64_t end) { std::memset(dst + begin, value[0], size_t(end - begin)); });
        return;
    }
    by_size(item, [&](auto kind) {
        using T = decltype(kind);
        T one;
        std::memcpy(&one, value, sizeof one);
        T* out = reinterpret_cast<T*>(dst);
        parallel(count, 2 * PIECE / item,
                 [=](int64_t begin, int64_t end) { fill_row(out + begin, one, end - begin); });
    });
}

void copy_strided(char* dst, const intptr_t* dst_stride, const char* src, const intptr_t* src_stride, int nd,
                  const intptr_t* shape, int item) {
    Dim dims[2 * MAX_DIMS];
    for (int d = 0; d < nd; d++) {
        if (shape[d] == 0) return;
        dims[d] = {shape[d], dst_stride[d], src_stride[d]};
    }
    nd = simplify(dims, nd);
    if (nd == 0) { std::memcpy(dst, src, size_t(item)); return; }
    if (nd == 1 && dims[0].to == item && dims[0].from == item) { copy_plain(dst, src, dims[0].n * item); return; }
    const int turned = turned_dim(dims, nd, item);
    // long inner loops
    if (turned < 0 && nd > 1 && dims[nd - 1].n < 8 && dims[nd - 2].n > dims[nd - 1].n)
        std::swap(dims[nd - 1], dims[nd - 2]);
    by_size(item, [&](auto kind) {
        using T = decltype(kind);
        if (turned >= 0) copy_tiles<T>(dst, src, dims, nd, turned);
        else copy_rows<T>(dst, src, dims, nd);
    });
}

bool overlap(const Array& a, const Array& b) {
    auto bounds = [](const Array& x, const char*& low, const char*& high) {
        low = high = x.data;
        for (int d = 0; d < x.nd; d++) (x.stride[d] < 0 ? low : high) += (x.shape[d] - 1) * x.stride[d];
        high += PyArray_ITEMSIZE(x.object);
    };
    if (!a.size || !b.size) return false;
    const char *a_low, *a_high, *b_low, *b_high;
    bounds(a, a_low, a_high);
    bounds(b, b_low, b_high);
    return a_low < b_high && b_low < a_high;
}

// copied(x): a C-contiguous copy
KERNEL(copied) {
    Array x;
    if (!read(args, n, x) || !x || !item_of(x)) return not_taken();
    PyObject* out = new_like(x, x.nd, x.shape);
    if (!out) return nullptr;
    const Array made = array_of(out);
    Unlocked gil(x.size);
    copy_strided(made.data, made.stride, x.data, x.stride, x.nd, x.shape, item_of(x));
    return out;
}

// copy_into(x, source): x[...] = source, of the same type, broadcast; True where it was done
KERNEL(copy_into) {
    Array x, source;
    if (!read(args, n, x, source) || !x || !source || !same_kind(x, source) || !item_of(x) || !writable(x) ||
        source.nd > x.nd)
        return not_taken();
    if (x.size == 0 && source.size == 0 && x.nd == source.nd && std::equal(x.shape, x.shape + x.nd, source.shape))
        Py_RETURN_TRUE;
    intptr_t stride[MAX_DIMS];
    const int lead = x.nd - source.nd;
    for (int d = 0; d < x.nd; d++) {
        const intptr_t n_source = d < lead ? 1 : source.shape[d - lead];
        if (n_source != x.shape[d] && n_source != 1) return not_taken();
        if (x.stride[d] == 0 && x.shape[d] > 1) return not_taken();
        stride[d] = n_source == 1 ? 0 : source.stride[d - lead];
    }
    if (overlap(x, source)) return not_taken();
    Unlocked gil(x.size);
    copy_strided(x.data, x.stride, source.data, stride, x.nd, x.shape, item_of(x));
    Py_RETURN_TRUE;
}

// fill_with(x, value): a zero-dim array's value everywhere in a C-contiguous x; True where it was done
KERNEL(fill_with) {
    Array x, value;
    if (!read(args, n, x, value) || !x || !value || value.size != 1 || !same_kind(x, value) || !item_of(x) ||
        !x.contiguous || !writable(x))
        return not_taken();
    Unlocked gil(x.size);
    fill_plain(x.data, value.data, x.size, item_of(x));
    Py_RETURN_TRUE;
}

// joined(list of arrays of one type, axis): one after the other
KERNEL(joined) {
    PyObject* list;
    int64_t axis;
    if (!read(args, n, list, axis) || !(PyList_Check(list) || PyTuple_Check(list))) return not_taken();
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    Array first, one;
    if (count < 1 || !view_of(PySequence_Fast_GET_ITEM(list, 0), first) || !item_of(first)) return not_taken();
    if (axis < 0) axis += first.nd;
    if (axis < 0 || axis >= first.nd) return not_taken();
    intptr_t shape[MAX_DIMS];
    std::copy(first.shape, first.shape + first.nd, shape);
    bool plain = first.contiguous;
    for (Py_ssize_t i = 1; i < count; i++) {
        if (!view_of(PySequence_Fast_GET_ITEM(list, i), one) || one.nd != first.nd || !same_kind(one, first))
            return not_taken();
        for (int d = 0; d < first.nd; d++)
            if (d != axis && one.shape[d] != first.shape[d]) return not_taken();
        shape[axis] += one.shape[axis];
        plain = plain && one.contiguous;
    }
    const int item = item_of(first);
    PyObject* out = new_like(first, first.nd, shape);
    if (!out) return nullptr;
    Array made = array_of(out);
    char* at = made.data;
    int64_t outer = 1;
    for (int d = 0; d < axis; d++) outer *= shape[d];
    if (made.size * item <= 8192 && plain) {        // small: without the general machinery
        for (Py_ssize_t i = 0; i < count; i++) {
            auto* a = reinterpret_cast<PyArrayObject*>(PySequence_Fast_GET_ITEM(list, i));
            const intptr_t run = PyArray_DIMS(a)[axis] * made.stride[axis];
            for (int64_t o = 0; o < outer; o++)
                std::memcpy(at + o * shape[axis] * made.stride[axis], static_cast<char*>(PyArray_DATA(a)) + o * run,
                            size_t(run));
            at += run;
        }
        return out;
    }
    Unlocked gil(made.size);
    for (Py_ssize_t i = 0; i < count; i++) {        // the list can't shrink under us: the op made it
        view_of(PySequence_Fast_GET_ITEM(list, i), one);
        copy_strided(at, made.stride, one.data, one.stride, one.nd, one.shape, item);
        at += one.shape[axis] * made.stride[axis];
    }
    return out;
}

// stacked(list of arrays of one type and shape, axis): along a new dimension, which comes before `axis`
KERNEL(stacked) {
    PyObject* list;
    int64_t axis;
    if (!read(args, n, list, axis) || !(PyList_Check(list) || PyTuple_Check(list))) return not_taken();
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(list);
    Array first, one;
    if (count < 1 || !view_of(PySequence_Fast_GET_ITEM(list, 0), first) || !item_of(first)) return not_taken();
    if (axis < 0) axis += first.nd + 1;
    if (axis < 0 || axis > first.nd || first.nd + 1 > MAX_DIMS) return not_taken();
    for (Py_ssize_t i = 1; i < count; i++)
        if (!view_of(PySequence_Fast_GET_ITEM(list, i), one) || one.nd != first.nd || !same_kind(one, first) ||
            !std::equal(one.shape, one.shape + one.nd, first.shape))
            return not_taken();
    intptr_t shape[MAX_DIMS], stride[MAX_DIMS];
    std::copy(first.shape, first.shape + axis, shape);
    shape[axis] = count;
    std::copy(first.shape + axis, first.shape + first.nd, shape + axis + 1);
    PyObject* out = new_like(first, first.nd + 1, shape);
    if (!out) return nullptr;
    const Array made = array_of(out);
    std::copy(made.stride, made.stride + axis, stride);
    std::copy(made.stride + axis + 1, made.stride + made.nd, stride + axis);
    Unlocked gil(made.size);
    for (Py_ssize_t i = 0; i < count && made.size; i++) {   // the list can't shrink under us: the op made it
        view_of(PySequence_Fast_GET_ITEM(list, i), one);
        char* at = made.data + i * made.stride[axis];
        if (axis == 0 && one.contiguous && one.size * item_of(one) <= 8192)
            std::memcpy(at, one.data, size_t(one.size * item_of(one)));
        else copy_strided(at, stride, one.data, one.stride, one.nd, one.shape, item_of(one));
    }
    return out;
}

// rolled(x, shifts, dims): every shift at its own dimension, around the ends
KERNEL(rolled) {
    Array x;
    Ints shifts, dims;
    if (!read(args, n, x, shifts, dims) || !x || !item_of(x) || shifts.count != dims.count || x.size == 0)
        return not_taken();
    intptr_t by[MAX_DIMS] = {};
    for (int k = 0; k < dims.count; k++) {
        const int64_t d = dims[k];
        if (d < 0 || d >= x.nd) return not_taken();
        by[d] = (by[d] + shifts[k] % x.shape[d] + x.shape[d]) % x.shape[d];
    }
    PyObject* out = new_like(x, x.nd, x.shape);
    if (!out) return nullptr;
    const Array made = array_of(out);
    Unlocked gil(x.size);
    if (dims.count == 1 && x.contiguous) {      // two pieces of each block, side by side
        const int64_t d = dims[0], block = x.shape[d] * x.stride[d], moved = by[d] * x.stride[d],
                      blocks = x.size * item_of(x) / block;
        if (blocks >= 16) {
            parallel(blocks, std::max<int64_t>(1, PIECE / block), [&](int64_t begin, int64_t end) {
                for (int64_t b = begin; b < end; b++) {
                    std::memcpy(made.data + b * block, x.data + (b + 1) * block - moved, size_t(moved));
                    copy_bytes(made.data + b * block + moved, x.data + b * block, block - moved);
                }
            });
            return out;
        }
    }
    for (int corner = 0; corner < 1 << x.nd; corner++) {        // each dimension falls into two pieces
        intptr_t shape[MAX_DIMS];
        const char* from = x.data;
        char* to = made.data;
        bool empty = false;
        for (int d = 0; d < x.nd && !empty; d++) {
            const bool wrapped = corner >> d & 1;
            shape[d] = wrapped ? by[d] : x.shape[d] - by[d];
            empty = shape[d] == 0;
            if (wrapped) from += (x.shape[d] - by[d]) * x.stride[d];
            else to += by[d] * made.stride[d];
        }
        if (!empty) copy_strided(to, made.stride, from, x.stride, x.nd, shape, item_of(x));
    }
    return out;
}

// repeated(x, repeats): copies next to each other, as many as there are `repeats` for each dimension
KERNEL(repeated) {
    Array x;
    Ints repeats;
    if (!read(args, n, x, repeats) || !x || !item_of(x) || repeats.count != x.nd) return not_taken();
    intptr_t shape[MAX_DIMS];
    int64_t size = 1;
    for (int d = 0; d < x.nd; d++) {
        if (repeats[d] < 0 || __builtin_mul_overflow(x.shape[d], repeats[d], &shape[d]) ||
            __builtin_mul_overflow(size, shape[d], &size))
            return not_taken();
    }
    PyObject* out = new_like(x, x.nd, shape);
    if (!out) return nullptr;
    if (!size) return out;
    const Array made = array_of(out);
    intptr_t wide[2 * MAX_DIMS], to[2 * MAX_DIMS], from[2 * MAX_DIMS];
    // (repeat, length) for each dimension; the source doesn't move along the first
    for (int d = 0; d < x.nd; d++) {
        wide[2 * d] = repeats[d];
        to[2 * d] = made.stride[d] * x.shape[d];
        from[2 * d] = 0;
        wide[2 * d + 1] = x.shape[d];
        to[2 * d + 1] = made.stride[d];
        from[2 * d + 1] = x.stride[d];
    }
    Unlocked gil(size);
    copy_strided(made.data, to, x.data, from, 2 * x.nd, wide, item_of(x));
    return out;
}

}  // namespace weft
