// Sums of outer products of rows: the gradient of a matrix that was used for one row at a time (autograd/factors.py).
// Every product is rounded before it is added, one after the other, so the sum has the bits that adding up the products
// has; but it is made in one pass over its memory, not in one for each row.
#include <algorithm>

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

template <class T> struct Factors {
    const T *left, *right, *start;      // (k, m), (k, n), and (m, n) or null
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
        const T *left = f.left + i * f.m + row, *right = f.right + i * f.n + column;
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

template <class T> void add_up(const Array& left, const Array& right, const Array& start, PyObject* out) {
    const Factors<T> f = {left.as<T>(), right.as<T>(), start ? start.as<T>() : nullptr, data_of<T>(out),
                          left.shape[0], left.shape[1], right.shape[1]};
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

// (left, right, start): start + left[0]^T right[0] + left[1]^T right[1] + ..., of (k, m), (k, n) and (m, n) or None
KERNEL(outer_sums) {
    Array left, right, start;
    if (!read(args, n, left, right, start) || !left || !right || left.nd != 2 || right.nd != 2 ||
        (left.type != F32 && left.type != F64) || right.type != left.type || left.shape[0] != right.shape[0] ||
        !left.contiguous || !right.contiguous)
        return not_taken();
    if (start && (start.nd != 2 || start.type != left.type || !start.contiguous || start.shape[0] != left.shape[1] ||
                  start.shape[1] != right.shape[1]))
        return not_taken();
    const intptr_t shape[2] = {intptr_t(left.shape[1]), intptr_t(right.shape[1])};
    PyObject* out = new_array(2, shape, left.type);
    if (!out) return nullptr;
    {
        Unlocked gil(left.size * right.shape[1]);
        if (left.type == F32) add_up<float>(left, right, start, out);
        else add_up<double>(left, right, start, out);
    }
    return out;
}

}  // namespace weft
