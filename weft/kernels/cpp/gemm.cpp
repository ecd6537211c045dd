#include "gemm.h"

#include <atomic>

#include "border.h"
#include "tables.h"

namespace weft {

namespace {
struct Buffer {
    void* data = nullptr;
    size_t size = 0;
    ~Buffer() { if (data) host->give(data); }
};
thread_local Buffer buffers[4];
}  // namespace

void* thread_buffer(size_t bytes, int which) {
    Buffer& mine = buffers[which];
    if (mine.size >= bytes) return mine.data;
    void* grown = host->take(bytes);
    if (!grown) return nullptr;
    if (mine.data) host->give(mine.data);
    mine.data = grown;
    mine.size = bytes;
    return grown;
}

namespace {

// Few multiplications: B is read where it lies if its rows are contiguous, else packed whole; A is read where it lies.
template <class T>
bool small_product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc, const Epilogue<T>& e) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS;
    const bool in_place = b.column == 1;
    T* panel = nullptr;
    if (!in_place || n % N) {
        panel = thread_buffer<T>(size_t(k * N), 1);
        if (!panel) return false;
    }
    for (int64_t j = 0; j < n; j += N) {
        const int64_t columns = std::min(N, n - j);
        const T* from = b.data + j * b.column;
        int64_t step = b.row;
        if (!in_place || columns < N) {
            pack_columns<T>({from, b.row, b.column}, k, columns, panel);
            from = panel;
            step = N;
        }
        for (int64_t i = 0; i < m; i += R) {
            Epilogue<T> now{e.accumulate, e.bias ? e.bias + j : nullptr, e.row_bias ? e.row_bias + i : nullptr};
            any_tile<T, false>(std::min(R, m - i), k, a.data + i * a.row, a.row, a.column, from, step, c + i * ldc + j,
                               ldc, columns, now);
        }
    }
    return true;
}

// One or few rows times B^T: both walk along k, so sums of products without any packing. c[i][j] = a[i] . b[j].
template <class T, int R>
void dots(int64_t n, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, T* c, int64_t ldc,
          const Epilogue<T>& e) {
    constexpr int L = LANES<T>, J = 4;
    for (int64_t j0 = 0; j0 < n; j0 += J) {
        const int64_t count = std::min<int64_t>(J, n - j0);
        Vec<T> sum[R][J] = {};
        const T* row[J];
        for (int j = 0; j < J; j++) row[j] = b + (j0 + std::min<int64_t>(j, count - 1)) * ldb;
        int64_t p = 0;
        for (; p + L <= k; p += L)
#pragma GCC unroll 4
            for (int j = 0; j < J; j++) {
                const Vec<T> y = load(row[j] + p);
#pragma GCC unroll 4
                for (int i = 0; i < R; i++) sum[i][j] += load(a + i * lda + p) * y;
            }
        for (int i = 0; i < R; i++)
            for (int64_t j = 0; j < count; j++) {
                T total = sum_lanes(sum[i][j]);
                for (int64_t q = p; q < k; q++) total += a[i * lda + q] * row[j][q];
                if (e.bias) total += e.bias[j0 + j];
                if (e.row_bias) total += e.row_bias[i];
                T& to = c[i * ldc + j0 + j];
                to = e.accumulate ? to + total : total;
            }
    }
}

template <class T>
void few_rows(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc, const Epilogue<T>& e) {
    const auto columns = [&](int64_t from, int64_t to) {
        for (int64_t i = 0; i < m; i += 2) {
            Epilogue<T> now{e.accumulate, e.bias ? e.bias + from : nullptr, e.row_bias ? e.row_bias + i : nullptr};
            const T* x = a.data + i * a.row;
            const T* y = b.data + from * b.column;
            if (i + 1 < m) dots<T, 2>(to - from, k, x, a.row, y, b.column, c + i * ldc + from, ldc, now);
            else dots<T, 1>(to - from, k, x, a.row, y, b.column, c + i * ldc + from, ldc, now);
        }
    };
    parallel(n / 4, std::max<int64_t>(8, 60000 / (4 * m * k + 1)),
             [&](int64_t from, int64_t to) { columns(4 * from, 4 * to); });
    if (n % 4) columns(n / 4 * 4, n);
}

// Few columns: B is packed (a slice of it is small), A is read where it lies, for packing it would cost as much as the
// products.
template <class T>
bool narrow_product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc,
                    const Epilogue<T>& e) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS, KC = Tile<T>::KC;
    const int64_t panels = (n + N - 1) / N, tiles = (m + R - 1) / R;
    T* packed = static_cast<T*>(host->take(size_t(panels * N * std::min(k, KC)) * sizeof(T)));
    if (!packed) return false;
    for (int64_t p0 = 0; p0 < k; p0 += KC) {
        const int64_t depth = std::min(KC, k - p0);
        for (int64_t q = 0; q < panels; q++)
            pack_columns<T>({b.data + p0 * b.row + q * N * b.column, b.row, b.column}, depth, std::min(N, n - q * N),
                            packed + q * N * depth);
        parallel(tiles, std::max<int64_t>(1, 200000 / (R * n * depth)), [&](int64_t from, int64_t to) {
            for (int64_t i = from * R; i < std::min(to * R, m); i += R)
                for (int64_t q = 0; q < panels; q++) {
                    Epilogue<T> now{e.accumulate || p0 > 0, nullptr, nullptr};
                    if (p0 == 0 && e.bias) now.bias = e.bias + q * N;
                    if (p0 == 0 && e.row_bias) now.row_bias = e.row_bias + i;
                    any_tile<T, false>(std::min(R, m - i), depth, a.data + i * a.row + p0 * a.column, a.row, a.column,
                                       packed + q * N * depth, N, c + i * ldc + q * N, ldc, n - q * N, now);
                }
        });
    }
    host->give(packed);
    return true;
}

// A small result of long sums (a weight's gradient): the sums are cut into pieces whose number depends on the sizes
// only.
template <class T>
bool deep_product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc, const Epilogue<T>& e) {
    const int64_t pieces = std::min<int64_t>(8, k / Tile<T>::KC);
    T* parts = static_cast<T*>(host->take(size_t(pieces * m * n) * sizeof(T)));
    if (!parts) return false;
    std::atomic<bool> failed{false};
    run_tasks(pieces, [&](int64_t i) {
        const int64_t from = k * i / pieces, to = k * (i + 1) / pieces;
        try {
            gemm<T>(m, n, to - from, {a.data + from * a.column, a.row, a.column},
                    {b.data + from * b.row, b.row, b.column}, parts + i * m * n, n);
        } catch (const std::bad_alloc&) { failed = true; }
    });
    for (int64_t i = 0; i < m && !failed; i++)
        for (int64_t j = 0; j < n; j++) {
            T total = parts[i * n + j];
            for (int64_t s = 1; s < pieces; s++) total += parts[s * m * n + i * n + j];
            if (e.bias) total += e.bias[j];
            if (e.row_bias) total += e.row_bias[i];
            c[i * ldc + j] = e.accumulate ? c[i * ldc + j] + total : total;
        }
    host->give(parts);
    return !failed;
}

// One or two rows times B: the rows of B, scaled, are added up in the order in which they lie in memory; no packing.
template <class T>
void few_rows_straight(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc,
                       const Epilogue<T>& e) {
    // columns at a time (their sums stay in the first cache), rows of B at a time
    constexpr int64_t WIDTH = 1024, DEEP = 8;
    constexpr int L = LANES<T>;
    parallel((n + L - 1) / L, std::max<int64_t>(4, 60000 / (L * k)), [&](int64_t first, int64_t last) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = first * L; j < std::min(n, last * L); j += WIDTH) {
                const int64_t columns = std::min({WIDTH, n - j, last * L - j});
                T sum[WIDTH] = {};
                for (int64_t p = 0; p < k; p += DEEP) {
                    const int64_t deep = std::min(DEEP, k - p);
                    T x[DEEP] = {};
                    const T* row[DEEP];
                    for (int64_t d = 0; d < DEEP; d++) {
                        if (d < deep) x[d] = a.data[i * a.row + (p + d) * a.column];
                        row[d] = b.data + (p + std::min(d, deep - 1)) * b.row + j;
                    }
                    if (deep < DEEP) {
                        for (int64_t d = 0; d < deep; d++)
                            for (int64_t q = 0; q < columns; q++) sum[q] += x[d] * row[d][q];
                        continue;
                    }
                    int64_t q = 0;
                    for (; q + L <= columns; q += L) {
                        Vec<T> s = load(sum + q);
#pragma GCC unroll 8
                        for (int64_t d = 0; d < DEEP; d++) s += x[d] * load(row[d] + q);
                        store(sum + q, s);
                    }
                    for (; q < columns; q++)
                        for (int64_t d = 0; d < DEEP; d++) sum[q] += x[d] * row[d][q];
                }
                for (int64_t q = 0; q < columns; q++) {
                    const T total = sum[q] + (e.bias ? e.bias[j + q] : T(0)) + (e.row_bias ? e.row_bias[i] : T(0));
                    c[i * ldc + j + q] = e.accumulate ? c[i * ldc + j + q] + total : total;
                }
            }
    });
}

template <class T> void without_k(int64_t m, int64_t n, T* c, int64_t ldc, const Epilogue<T>& e) {
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            c[i * ldc + j] = (e.accumulate ? c[i * ldc + j] : T(0)) + (e.bias ? e.bias[j] : T(0)) +
                             (e.row_bias ? e.row_bias[i] : T(0));
}

}  // namespace

template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc, Epilogue<T> e) {
    if (m == 0 || n == 0) return;
    if (k == 0) return without_k(m, n, c, ldc, e);
    if (m <= 4 && a.column == 1 && b.row == 1 && k >= LANES<T>) return few_rows(m, n, k, a, b, c, ldc, e);
    const double work = double(m) * double(n) * double(k);
    constexpr int64_t N = Tile<T>::COLUMNS, KC = Tile<T>::KC;
    if (work <= 64.0 * 64 * 64 && k <= 512 && small_product(m, n, k, a, b, c, ldc, e)) return;
    if (m <= 2 && b.column == 1) return few_rows_straight(m, n, k, a, b, c, ldc, e);
    if (m * n <= 256 * 256 && k >= 4 * KC && k >= 8 * std::max(m, n) && deep_product(m, n, k, a, b, c, ldc, e)) return;
    if (n <= 8 * N && a.column == 1 && m >= n && narrow_product(m, n, k, a, b, c, ldc, e)) return;
    const auto pack_a = [&](int64_t i, int64_t rows, int64_t p, int64_t depth, T* to) {
        pack_rows<T>({a.data + i * a.row + p * a.column, a.row, a.column}, rows, depth, to);
    };
    const auto pack_b = [&](int64_t p, int64_t depth, int64_t j, int64_t columns, T* to) {
        pack_columns<T>({b.data + p * b.row + j * b.column, b.row, b.column}, depth, columns, to);
    };
    if (!blocked_product<T>(m, n, k, pack_a, pack_b, c, ldc, e)) throw std::bad_alloc();
}

template void gemm<float>(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>, float*, int64_t, Epilogue<float>);
template void gemm<double>(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>, double*, int64_t,
                           Epilogue<double>);

namespace {

// (m x k) @ (k x n) of two matrices or equal stacks of them, strides of any kind but multiples of the element
template <class T> bool fits(const Array& a) {
    for (int d = 0; d < a.nd; d++)
        if (a.stride[d] % intptr_t(sizeof(T))) return false;
    return true;
}

template <class T> Matrix<T> matrix_of(const Array& a, bool turned) {
    const int64_t row = a.stride[a.nd - 2] / intptr_t(sizeof(T)), column = a.stride[a.nd - 1] / intptr_t(sizeof(T));
    return turned ? Matrix<T>{a.as<T>(), column, row} : Matrix<T>{a.as<T>(), row, column};
}

// the offset of matrix `index` in a stack of shape `shape` (nd - 2 dims), whose own dims may be 1 (repeated)
template <class T> const T* stack_item(const Array& a, const intptr_t* shape, int dims, int64_t index) {
    const char* at = a.data;
    const int own = a.nd - 2;
    for (int d = dims - 1; d >= 0; d--) {
        const int64_t i = index % shape[d];
        index /= shape[d];
        const int e = d - (dims - own);
        if (e >= 0 && a.shape[e] != 1) at += i * a.stride[e];
    }
    return reinterpret_cast<const T*>(at);
}

template <class T> PyObject* product(const Array& a, const Array& b, bool a_turned, bool b_turned, const Array& bias) {
    if (!fits<T>(a) || !fits<T>(b) || a.nd < 2 || b.nd < 2) return not_taken();
    const int64_t m = a.shape[a.nd - 2 + a_turned], k = a.shape[a.nd - 1 - a_turned], n = b.shape[b.nd - 1 - b_turned];
    if (b.shape[b.nd - 2 + b_turned] != k) return not_taken();
    if (bias && (bias.nd != 1 || bias.shape[0] != n || !bias.contiguous || bias.type != a.type)) return not_taken();
    intptr_t shape[MAX_DIMS];
    const int nd = std::max(a.nd, b.nd), dims = nd - 2;
    int64_t count = 1;
    for (int d = 0; d < dims; d++) {
        const intptr_t x = d - (nd - a.nd) >= 0 ? a.shape[d - (nd - a.nd)] : 1,
                       y = d - (nd - b.nd) >= 0 ? b.shape[d - (nd - b.nd)] : 1;
        if (x != y && x != 1 && y != 1) return not_taken();
        shape[d] = x == 1 ? y : x;
        count *= shape[d];
    }
    shape[nd - 2] = m;
    shape[nd - 1] = n;
    PyObject* made = new_array(nd, shape, a.type);
    if (!made) return nullptr;
    T* out = data_of<T>(made);
    const Matrix<T> x = matrix_of<T>(a, a_turned), y = matrix_of<T>(b, b_turned);
    const Epilogue<T> e{false, bias ? bias.as<T>() : nullptr, nullptr};
    const int64_t work = m * n * k;
    bool enough = true;
    {
        Unlocked gil(count * work);
        const auto one = [&](int64_t i) {
            gemm<T>(m, n, k, {stack_item<T>(a, shape, dims, i), x.row, x.column},
                    {stack_item<T>(b, shape, dims, i), y.row, y.column}, out + i * m * n, n, e);
        };
        try {
            if (count == 1) one(0);
            else if (count >= host->threads() && count * work > 100000 && work < 20000000) {
                std::atomic<bool> failed{false};
                parallel(count, std::max<int64_t>(1, 100000 / std::max<int64_t>(work, 1)),
                         [&](int64_t from, int64_t to) {
                    try {
                        for (int64_t i = from; i < to; i++) one(i);
                    } catch (const std::bad_alloc&) { failed = true; }
                });
                enough = !failed;
            } else for (int64_t i = 0; i < count; i++) one(i);
        } catch (const std::bad_alloc&) { enough = false; }
    }
    if (enough) return made;
    Py_DECREF(made);
    return PyErr_NoMemory();
}

}  // namespace

static PyObject* product_of(const Array& a, const Array& b, bool a_turned, bool b_turned, const Array& bias) {
    if (a.type != b.type) return not_taken();
    if (a.type == F32) return product<float>(a, b, a_turned, b_turned, bias);
    if (a.type == F64) return product<double>(a, b, a_turned, b_turned, bias);
    return not_taken();
}

// matmul(a, b, a_turned, b_turned, bias or None): a @ b, either read as its transpose, plus a row; matrices or stacks
// of them
KERNEL(matmul) {
    Array a, b, bias;
    bool a_turned, b_turned;
    if (!read(args, n, a, b, a_turned, b_turned, bias) || !a || !b) return not_taken();
    return product_of(a, b, a_turned, b_turned, bias);
}

// linear(x, weight, bias or None): x (..., k) @ weight (n, k)^T + bias (n); x contiguous, its leading dims go through
// as rows
template <class T> static PyObject* linear_of(const Array& x, const Array& weight, const Array& bias) {
    if (x.nd < 1 || !x.contiguous || weight.nd != 2 || weight.type != x.type || !fits<T>(weight)) return not_taken();
    const int64_t k = x.shape[x.nd - 1], n = weight.shape[0], m = k ? x.size / k : 0;
    if (weight.shape[1] != k || k == 0) return not_taken();
    if (bias && (bias.type != x.type || bias.nd != 1 || bias.shape[0] != n || !bias.contiguous)) return not_taken();
    intptr_t shape[MAX_DIMS];
    std::copy(x.shape, x.shape + x.nd - 1, shape);
    shape[x.nd - 1] = n;
    PyObject* made = new_array(x.nd, shape, x.type);
    if (!made) return nullptr;
    bool enough = true;
    {
        Unlocked gil(m * n * k);
        const Matrix<T> w = matrix_of<T>(weight, true);
        try {
            gemm<T>(m, n, k, {x.as<T>(), k, 1}, w, data_of<T>(made), n,
                    {false, bias ? bias.as<T>() : nullptr, nullptr});
        } catch (const std::bad_alloc&) { enough = false; }
    }
    if (enough) return made;
    Py_DECREF(made);
    return PyErr_NoMemory();
}

KERNEL(linear) {
    Array x, weight, bias;
    if (!read(args, n, x, weight, bias) || !x || !weight) return not_taken();
    if (x.type == F32) return linear_of<float>(x, weight, bias);
    if (x.type == F64) return linear_of<double>(x, weight, bias);
    return not_taken();
}

static PyObject* matmul_quick(PyObject* a, PyObject* b, bool a_turned, bool b_turned) {
    Array x, y;
    if (!view_of(a, x) || !view_of(b, y) || x.nd != y.nd || x.nd < 2) return not_taken();
    for (int d = 0; d < x.nd - 2; d++) if (x.shape[d] != y.shape[d]) return not_taken();
    // so large a result may not fit in memory: the general road then says so in the user's terms
    if (double(x.size) * double(y.shape[y.nd - 1 - b_turned]) /
            double(std::max<int64_t>(1, x.shape[x.nd - 1 - a_turned])) >
        268435456.0)
        return not_taken();
    return product_of(x, y, a_turned, b_turned, Array());
}
static const ProductTable products = {matmul_quick};
static Export products_export("_products", &products);

}  // namespace weft
