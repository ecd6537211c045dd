// Which way a product goes: by its sizes and strides only, never by the number of threads.
#include "gemm.h"

#include "gemm_blocked.h"
#include "gemm_dots.h"
#include "gemm_thin.h"

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

// Whether the columns of such a B can be read where they lie, n of them.
template <class T, class S> bool lies_ready(int64_t n, Matrix<S> b) {
    return std::is_same_v<T, S> && b.column == 1 && (MASKED_LOADS || n % LANES<T> == 0);
}

// Few multiplications, or one tile: B is read where it lies if its rows are contiguous, else packed whole; A is read
// where it lies.
template <class T, class S>
bool small_product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c, int64_t ldc, const Epilogue<T>& e) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS, L = LANES<T>;
    T* panel = nullptr;
    if (!lies_ready<T>(n, b)) {
        panel = thread_buffer<T>(size_t(k * N), 1);
        if (!panel) return false;
    }
    const int64_t tiles = (m + R - 1) / R;
    for (int64_t j = 0; j < n; j += N) {
        const int64_t columns = std::min(N, n - j);
        const bool ready = lies_ready<T>(columns, b), part = ready && columns % L;
        const T* from = panel;
        if constexpr (std::is_same_v<T, S>) if (ready) from = b.data + j;
        if (!ready) pack_columns<T, S>({b.data + j * b.column, b.row, b.column}, k, columns, panel);
        for (int64_t t = 0, i = 0, end; t < tiles; t++, i = end) {      // 32 rows are 5 + 5 + 6 + 5 + 5 + 6
            end = m * (t + 1) / tiles;
            const Epilogue<T> now{e.accumulate, e.bias ? e.bias + j : nullptr, e.row_bias ? e.row_bias + i : nullptr};
            const T* x = a.data + i * a.row;
            T* to = c + i * ldc + j;
            if (part)
                edge_tile<T, false, MASKED_LOADS>(end - i, k, x, a.row, a.column, from, b.row, to, ldc, columns, now);
            else edge_tile<T, false>(end - i, k, x, a.row, a.column, from, ready ? b.row : N, to, ldc, columns, now);
        }
    }
    return true;
}

// A small result of long sums (a weight's gradient): the sums are cut into pieces of `least` terms or more, whose
// number depends on the sizes only; product(m, n, depth, a, b, c) makes one of them.
template <class T, class S, class F>
bool deep_product(int64_t m, int64_t n, int64_t k, int64_t least, Matrix<T> a, Matrix<S> b, T* c, int64_t ldc,
                  const Epilogue<T>& e, F product) {
    const int64_t pieces = std::min<int64_t>(8, k / least);
    Workspace memory(size_t(pieces * m * n) * sizeof(T));
    if (!memory) return false;
    T* parts = memory.template cut<T>(pieces * m * n);
    const auto piece = [&](int64_t i) {
        const int64_t from = k * i / pieces, to = k * (i + 1) / pieces;
        product(m, n, to - from, Matrix<T>{a.data + from * a.column, a.row, a.column},
                Matrix<S>{b.data + from * b.row, b.row, b.column}, parts + i * m * n);
    };
    if (m * n * k > 400000) run_tasks(pieces, piece);
    else for (int64_t i = 0; i < pieces; i++) piece(i);
    parallel(m, std::max<int64_t>(1, 32768 / n), [&](int64_t from, int64_t to) {
        for (int64_t i = from; i < to; i++)
            for (int64_t s = 0; s < pieces; s++) {
                const T* part = parts + s * m * n + i * n;
                T* line = c + i * ldc;
                if (s == 0 && !e.accumulate) std::copy_n(part, n, line);
                else for (int64_t j = 0; j < n; j++) line[j] += part[j];
                if (s == 0 && e.bias) for (int64_t j = 0; j < n; j++) line[j] += e.bias[j];
                if (s == 0 && e.row_bias) for (int64_t j = 0; j < n; j++) line[j] += e.row_bias[i];
            }
    });
    return true;
}

// One row times B, which the second cache holds: sums of V vectors of columns from j on stay in registers; the first
// `known` columns of them are done already.
template <class T, class S, int V>
void row_sums(int64_t j, int64_t known, int64_t k, Matrix<T> a, Matrix<S> b, T* c, const Epilogue<T>& e) {
    constexpr int L = LANES<T>;
    Vec<T> sum[V];
    each_of_tile<V, 1>([&](int v, int) { sum[v] = Vec<T>{}; });
    for (int64_t p = 0; p < k; p++) {
        const Vec<T> x = splat<T>(a.data[p * a.column]);
        const S* row = b.data + p * b.row + j;
        each_of_tile<V, 1>([&](int v, int) { sum[v] += x * load_as<T>(row + v * L); });
    }
    if (known == 0 && !e.bias && !e.row_bias && !e.accumulate) {
        each_of_tile<V, 1>([&](int v, int) { store(c + j + v * L, sum[v]); });
        return;
    }
    T line[V * L];
    each_of_tile<V, 1>([&](int v, int) { store(line + v * L, sum[v]); });
    for (int64_t q = known; q < V * L; q++) {
        const T total = line[q] + (e.bias ? e.bias[j + q] : T(0)) + (e.row_bias ? e.row_bias[0] : T(0));
        c[j + q] = e.accumulate ? c[j + q] + total : total;
    }
}
template <class T, class S>
void one_row_near(int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c, const Epilogue<T>& e) {
    constexpr int64_t L = LANES<T>;
    int64_t j = 0;
    for (; j + 8 * L <= n; j += 8 * L) row_sums<T, S, 8>(j, 0, k, a, b, c, e);
    for (; j + 3 * L <= n; j += 3 * L) row_sums<T, S, 3>(j, 0, k, a, b, c, e);
    for (; j + L <= n; j += L) row_sums<T, S, 1>(j, 0, k, a, b, c, e);
    if (j < n) row_sums<T, S, 1>(n - L, L - (n - j), k, a, b, c, e);
}

// One or two rows times B: the rows of B, scaled, are added up in the order in which they lie in memory; no packing.
template <class T, class S>
void few_rows_straight(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c, int64_t ldc,
                       const Epilogue<T>& e) {
    // columns at a time (their sums stay in the first cache), rows of B at a time, vectors of each
    constexpr int64_t WIDTH = 4096;
    constexpr int L = LANES<T>, DEEP = 8, SOME = 4;
    // how far they are asked for before: the next rows where these are short
    const int64_t ahead = DEEP * b.row * int64_t(sizeof(S)) <= 16384 ? DEEP * b.row : 512 / int64_t(sizeof(S));
    parallel((n + L - 1) / L, std::max<int64_t>(4, 60000 / (L * k)), [&](int64_t first, int64_t last) {
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = first * L; j < std::min(n, last * L); j += WIDTH) {
                const int64_t columns = std::min({WIDTH, n - j, last * L - j});
                T sum[WIDTH];
                std::fill_n(sum, columns, T(0));
                for (int64_t p = 0; p < k; p += DEEP) {
                    const int64_t deep = std::min<int64_t>(DEEP, k - p);
                    T x[DEEP] = {};
                    const S* row[DEEP];
                    for (int64_t d = 0; d < DEEP; d++) {
                        if (d < deep) x[d] = a.data[i * a.row + (p + d) * a.column];
                        row[d] = b.data + (p + std::min(d, deep - 1)) * b.row + j;
                    }
                    if (deep < DEEP) {
                        for (int64_t d = 0; d < deep; d++)
                            for (int64_t q = 0; q < columns; q++) sum[q] += x[d] * value_of(row[d][q]);
                        continue;
                    }
                    int64_t q = 0;
                    for (; q + SOME * L <= columns; q += SOME * L) {
                        Vec<T> s[SOME];
                        each_of_tile<SOME, 1>([&](int v, int) { s[v] = load(sum + q + v * L); });
                        each_of_tile<DEEP, SOME>([&](int d, int v) {
                            __builtin_prefetch(row[d] + q + v * L + ahead);
                            s[v] += x[d] * load_as<T>(row[d] + q + v * L);
                        });
                        each_of_tile<SOME, 1>([&](int v, int) { store(sum + q + v * L, s[v]); });
                    }
                    for (; q + L <= columns; q += L) {
                        Vec<T> s = load(sum + q);
                        each_of_tile<DEEP, 1>([&](int d, int) { s += x[d] * load_as<T>(row[d] + q); });
                        store(sum + q, s);
                    }
                    if constexpr (MASKED_LOADS && std::is_same_v<T, S>)
                        if (q < columns) {
                            Vec<T> s = load_part(sum + q, columns - q);
                            each_of_tile<DEEP, 1>([&](int d, int) { s += x[d] * load_part(row[d] + q, columns - q); });
                            store_part(sum + q, s, columns - q);
                            continue;
                        }
                    for (; q < columns; q++)
                        for (int64_t d = 0; d < DEEP; d++) sum[q] += x[d] * value_of(row[d][q]);
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

// Both operands lie along the inner dimension, and one of them has few rows.
template <class T, class S>
bool dots(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c, int64_t ldc, const Epilogue<T>& e) {
    if (a.column != 1 || b.row != 1 || k < (std::min(m, n) > 3 ? 6 : 1) * STEP<T, S>) return false;
    if (m <= most_dot_rows(k) && (m <= n || !std::is_same_v<T, S>)) {
        dot_product<T, S>({m, n, k, a.data, a.row, b.data, b.column, c, ldc, 1, e.accumulate, e.row_bias, e.bias});
        return true;
    }
    if constexpr (std::is_same_v<T, S>)
        if (n <= most_dot_rows(k)) {
            dot_product<T, S>({n, m, k, b.data, b.column, a.data, a.row, c, 1, ldc, e.accumulate, e.bias, e.row_bias});
            return true;
        }
    return false;
}

// Columns that would fill less than half of the last vector (65, 196, 1000 of them, or 5 in all): sums along the inner
// dimension, which waste no lanes.
template <class T>
bool edge_apart(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc, const Epilogue<T>& e,
                const T* after) {
    constexpr int64_t L = LANES<T>;
    const int64_t edge = n % L, most = n - edge;
    if (edge == 0 || edge > L / 2 || a.column != 1 || k < 6 * L) return false;
    Workspace memory(size_t(edge * k) * sizeof(T));
    if (!memory) return false;
    Matrix<T> last{b.data + most * b.column, b.row, b.column};
    if (b.row != 1) {
        T* turned = memory.template cut<T>(edge * k);
        for (int64_t p = 0; p < k; p++)
            for (int64_t j = 0; j < edge; j++) turned[j * k + p] = last.data[p * b.row + j * b.column];
        last = {turned, 1, k};
    }
    if (most) gemm<T, T>(m, most, k, a, b, c, ldc, e, after);
    dot_product<T, T>({edge, m, k, last.data, last.column, a.data, a.row, c + most, 1, ldc, e.accumulate,
                       e.bias ? e.bias + most : nullptr, e.row_bias});
    return true;
}

}  // namespace

template <class T, class S>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c, int64_t ldc, Epilogue<T> e,
          const T* after) {
    if (m == 0 || n == 0) return;
    if (k == 0) return without_k(m, n, c, ldc, e);
    if constexpr (std::is_same_v<T, S>)     // a column is the row of the transpose
        if (n == 1 && m > 1 && ldc == 1 && a.column != 1) {
            return gemm<T, S>(1, m, k, {b.data, 1, b.row}, {a.data, a.column, a.row}, c, m,
                              {e.accumulate, e.row_bias, e.bias});
        }
    const int64_t few = std::min(m, n), many = std::max(m, n);
    if (k >= 4 * Tile<T>::KC && k >= 8 * many && m * n <= 256 * 256 && (few > 4 || many <= 16)) {
        const auto product = [](int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c) {
            gemm<T, S>(m, n, k, a, b, c, n);
        };
        if (deep_product(m, n, k, Tile<T>::KC, a, b, c, ldc, e, product)) return;
    }
    if (dots(m, n, k, a, b, c, ldc, e)) return;
    if (m == 1 && b.column == 1 && n >= LANES<T> && double(n) * double(k) * sizeof(S) <= 300000.0)
        return one_row_near(n, k, a, b, c, e);
    if constexpr (std::is_same_v<T, S>)
        if (shallow_product(m, n, k, a, b, c, ldc, e)) return;
    if (m > 2 && m <= Tile<T>::ROWS && n <= LANES<T> && lies_ready<T>(n, b))
        return void(small_product(m, n, k, a, b, c, ldc, e));
    if (double(m) * double(n) * double(k) <= 64.0 * 64 * 64 && k <= 512) {
        if constexpr (std::is_same_v<T, S>)
            if (narrow_product(m, n, k, a, b, c, ldc, e)) return;
        if (small_product(m, n, k, a, b, c, ldc, e)) return;
    }
    if (m <= 2 && b.column == 1) {      // each task reads B in one piece, if there is enough of it
        constexpr int64_t LEAST = 128;
        if (k < 4 * LEAST || k * n < 1 << 18 || n > 4096) return few_rows_straight(m, n, k, a, b, c, ldc, e);
        const auto product = [](int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c) {
            few_rows_straight(m, n, k, a, b, c, n, Epilogue<T>{});
        };
        if (deep_product(m, n, k, LEAST, a, b, c, ldc, e, product)) return;
    }
    if constexpr (std::is_same_v<T, S>)
        if (edge_apart(m, n, k, a, b, c, ldc, e, after)) return;
    if (!Blocked<T, S>{m, n, k, a, b, c, ldc, e, after}.run()) throw std::bad_alloc();
}

#define WEFT_PRODUCT(T, S) \
    template void gemm<T, S>(int64_t, int64_t, int64_t, Matrix<T>, Matrix<S>, T*, int64_t, Epilogue<T>, const T*);
WEFT_EACH_PRODUCT(WEFT_PRODUCT)

}  // namespace weft
