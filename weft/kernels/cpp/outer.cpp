// Sums of outer products of rows: the gradient of a matrix that was used for one row at a time (autograd/factors.py).
// Every product is rounded before it is added, one after the other, so the sum has the bits that adding up the products
// has; but it is made in one pass over its memory, not in one for each row.
#include <algorithm>
#include <vector>

#include "border.h"
#include "vec.h"

namespace weft {
namespace {

constexpr int ROWS = 4, VECTORS = 3;
constexpr int64_t WORK = 49152;         // products that are worth a task of their own

// The same vector; the compiler can't join the product that made it with the sum that it goes into.
template <class V> inline V rounded(V v) {
#if defined(__x86_64__)
    __asm__("" : "+x"(v));
#elif defined(__aarch64__)
    __asm__("" : "+w"(v));
#endif
    return v;
}

using Row = const void*;

template <class T> struct Factors {
    const T* const* rows;       // k, each m numbers of the left side and n of the right one
    const T* start;             // (m, n) or null
    T* out;
    int64_t k, m, n;
};

template <bool WHOLE, class T> inline Vec<T> vector_at(const T* p, int64_t width) {
    if constexpr (WHOLE) return load(p);
    else return load_part<T>(p, width);
}

// out[row:row + R, column:column + V vectors]; width: of a vector, where it is not WHOLE
template <int R, int V, bool WHOLE, class T>
void block(const Factors<T>& f, int64_t row, int64_t column, int64_t width) {
    constexpr int L = LANES<T>;
    Vec<T> sums[R][V] = {};
    for (int r = 0; f.start && r < R; r++)
        for (int v = 0; v < V; v++) sums[r][v] = vector_at<WHOLE>(f.start + (row + r) * f.n + column + v * L, width);
    for (int64_t i = 0; i < f.k; i++) {
        const T *left = f.rows[i] + row, *right = f.rows[i] + f.m + column;
        Vec<T> columns[V];
        for (int v = 0; v < V; v++) columns[v] = vector_at<WHOLE>(right + v * L, width);
        for (int r = 0; r < R; r++)
            for (int v = 0; v < V; v++) sums[r][v] += rounded(splat<T>(left[r]) * columns[v]);
    }
    for (int r = 0; r < R; r++)
        for (int v = 0; v < V; v++) {
            T* to = f.out + (row + r) * f.n + column + v * L;
            if constexpr (WHOLE) store<T>(to, sums[r][v]);
            else store_part<T>(to, sums[r][v], width);
        }
}

template <int R, class T> void rows_of(const Factors<T>& f, int64_t row) {
    constexpr int64_t L = LANES<T>;
    int64_t column = 0;
    for (; column + VECTORS * L <= f.n; column += VECTORS * L) block<R, VECTORS, true>(f, row, column, L);
    for (; column + L <= f.n; column += L) block<R, 1, true>(f, row, column, L);
    if (column < f.n) block<R, 1, false>(f, row, column, f.n - column);
}

template <class T>
void add_up(const Row* rows, int64_t k, int64_t m, int64_t n, const Array& start, PyObject* out) {
    const Factors<T> f = {reinterpret_cast<const T* const*>(rows), start ? start.as<T>() : nullptr, data_of<T>(out),
                          k, m, n};
    const int64_t blocks = (f.m + ROWS - 1) / ROWS;
    parallel(blocks, std::max<int64_t>(1, WORK / std::max<int64_t>(1, f.k * f.n * ROWS)),
             [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; b++) {
            if ((b + 1) * ROWS <= f.m) rows_of<ROWS>(f, b * ROWS);
            else for (int64_t row = b * ROWS; row < f.m; row++) rows_of<1>(f, row);
        }
    });
}

}  // namespace

// (rows, m, start): start + left[0]^T right[0] + left[1]^T right[1] + ..., where a row is m numbers of the left side
// and n of the right one, an array of its own; start is (m, n) or None
KERNEL(outer_sums) {
    PyObject* rows;
    int64_t m;
    Array start, row;
    if (!read(args, n, rows, m, start) || !PyList_CheckExact(rows) || PyList_GET_SIZE(rows) == 0) return not_taken();
    const Py_ssize_t k = PyList_GET_SIZE(rows);
    std::vector<Row> data(static_cast<size_t>(k));
    int type = 0;
    int64_t size = 0;
    for (Py_ssize_t i = 0; i < k; i++) {
        if (!view_of(PyList_GET_ITEM(rows, i), row) || row.nd != 1 || !row.contiguous) return not_taken();
        if (i == 0) type = row.type, size = row.size;
        if (row.type != type || row.size != size) return not_taken();
        data[size_t(i)] = row.as<void>();
    }
    const int64_t columns = size - m;
    if ((type != F32 && type != F64) || m < 0 || columns < 0) return not_taken();
    if (start && (start.nd != 2 || start.type != type || !start.contiguous || start.shape[0] != m ||
                  start.shape[1] != columns))
        return not_taken();
    const intptr_t shape[2] = {intptr_t(m), intptr_t(columns)};
    PyObject* out = new_array(2, shape, type);
    if (!out) return nullptr;
    {
        Unlocked gil(k * m * columns);
        if (type == F32) add_up<float>(data.data(), k, m, columns, start, out);
        else add_up<double>(data.data(), k, m, columns, start, out);
    }
    return out;
}

}  // namespace weft
