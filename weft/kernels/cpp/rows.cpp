// Rows of one array to rows of another, for batches that are put together from many (batching/gather.py): a row is all
// that stands at one index of the first dimension. Rows may lie apart, as a piece of wider ones does.
#include <algorithm>
#include <cstring>

#include "border.h"
#include "vec.h"

namespace weft {
namespace {

constexpr int64_t WORK = 24576;     // elements that are worth a task of their own

// the elements of a row, or -1 where they don't lie beside each other
int64_t row_size(const Array& a) {
    if (!a || a.nd < 1 || a.type == OTHER) return -1;
    int64_t size = 1;
    for (int d = a.nd - 1; d > 0; d--) {
        if (a.shape[d] != 1 && a.stride[d] != size * ITEM_SIZE[a.type]) return -1;
        size *= a.shape[d];
    }
    return size;
}

bool numbers_of(const Array& a, int64_t rows) {
    if (!a || a.nd != 1 || a.type != I64 || !a.contiguous) return false;
    bool good = true;
    for (int64_t i = 0; i < a.size; i++) good &= uint64_t(a.as<int64_t>()[i]) < uint64_t(rows);
    return good;
}

bool fit(const Array& to, const Array& to_rows, const Array& from, const Array& from_rows, int64_t& width) {
    width = row_size(to);
    return width >= 0 && width == row_size(from) && to.type == from.type && numbers_of(to_rows, to.shape[0]) &&
           numbers_of(from_rows, from.shape[0]) && to_rows.size == from_rows.size;
}

template <class T> void add_row(T* to, const T* from, int64_t n) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    for (; i + L <= n; i += L) store<T>(to + i, load(to + i) + load(from + i));
    for (; i < n; i++) to[i] += from[i];
}

template <class T>
void add_rows(const Array& to, const Array& to_rows, const Array& from, const Array& from_rows, int64_t width) {
    for (int64_t i = 0; i < to_rows.size; i++)
        add_row(reinterpret_cast<T*>(to.data + to_rows.as<int64_t>()[i] * to.stride[0]),
                reinterpret_cast<const T*>(from.data + from_rows.as<int64_t>()[i] * from.stride[0]), width);
}

}  // namespace

// (to, to_rows, from, from_rows): to[to_rows[i]] = from[from_rows[i]]; True, or None where it isn't taken. No row of
// `to` may be named twice.
KERNEL(rows_copy) {
    Array to, to_rows, from, from_rows;
    int64_t width;
    if (!read(args, n, to, to_rows, from, from_rows) || !fit(to, to_rows, from, from_rows, width)) return not_taken();
    const size_t bytes = size_t(width) * size_t(ITEM_SIZE[to.type]);
    {
        Unlocked gil(to_rows.size * width);
        parallel(to_rows.size, std::max<int64_t>(1, WORK / std::max<int64_t>(1, width)),
                 [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++)
                std::memcpy(to.data + to_rows.as<int64_t>()[i] * to.stride[0],
                            from.data + from_rows.as<int64_t>()[i] * from.stride[0], bytes);
        });
    }
    Py_RETURN_TRUE;
}

// (to, to_rows, from, from_rows): to[to_rows[i]] += from[from_rows[i]], in this order; True, or None
KERNEL(rows_add) {
    Array to, to_rows, from, from_rows;
    int64_t width;
    if (!read(args, n, to, to_rows, from, from_rows) || !fit(to, to_rows, from, from_rows, width) ||
        (to.type != F32 && to.type != F64))
        return not_taken();
    {
        Unlocked gil(to_rows.size * width);
        if (to.type == F32) add_rows<float>(to, to_rows, from, from_rows, width);
        else add_rows<double>(to, to_rows, from, from_rows, width);
    }
    Py_RETURN_TRUE;
}

}  // namespace weft
