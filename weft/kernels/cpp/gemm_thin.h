// Small products of which one side is a few elements: a tile's call would cost more than its arithmetic.
#pragma once
#include "gemm.h"
#include "transpose.h"

namespace weft {

constexpr int64_t MOST_SHALLOW = 4;     // the inner dimension's length
constexpr int64_t MOST_COLUMNS = 1024;  // rows of B that the first cache holds

// ROWS rows of C, vector by vector, over an inner dimension of K: their elements of A stay in registers. The last
// vector goes over columns that are done already, unless C is added to.
template <class T, int K, int ROWS>
[[gnu::always_inline]] inline void shallow_rows(int64_t n, Matrix<T> a, const T* b, int64_t ldb, T* c, int64_t ldc,
                                                const T* bias, const T* row_bias, bool accumulate) {
    constexpr int L = LANES<T>;
    Vec<T> x[ROWS][K];
    each_of_tile<ROWS, K>([&](int i, int p) { x[i][p] = splat<T>(a.data[i * a.row + p * a.column]); });
    for (int64_t j = 0; j < n; j += L) {
        if (j + L > n) {
            if (accumulate) break;
            j = n - L;
        }
        Vec<T> sum[ROWS] = {};
#pragma GCC unroll 4
        for (int p = 0; p < K; p++) {
            const Vec<T> w = load(b + p * ldb + j);
#pragma GCC unroll 4
            for (int i = 0; i < ROWS; i++) sum[i] += x[i][p] * w;
        }
#pragma GCC unroll 4
        for (int i = 0; i < ROWS; i++) {
            if (bias) sum[i] += load(bias + j);
            if (row_bias) sum[i] += row_bias[i];
            if (accumulate) sum[i] += load(c + i * ldc + j);
            store(c + i * ldc + j, sum[i]);
        }
    }
    if (accumulate)
        for (int64_t j = n / L * L; j < n; j++)
            for (int i = 0; i < ROWS; i++) {
                T sum = 0;
                for (int p = 0; p < K; p++) sum = std::fma(x[i][p][0], b[p * ldb + j], sum);
                if (bias) sum += bias[j];
                if (row_bias) sum += row_bias[i];
                c[i * ldc + j] += sum;
            }
}

template <class T, int K>
[[gnu::noinline]] void shallow_of(int64_t m, int64_t n, Matrix<T> a, const T* b, int64_t ldb, T* c, int64_t ldc,
                                  Epilogue<T> e) {
    constexpr int ROWS = K > 2 ? 2 : 4;
    const T *bias = e.bias, *row_bias = e.row_bias;
    int64_t i = 0;
    const auto at = [&](auto rows, bool plain) __attribute__((always_inline)) {
        const Matrix<T> x{a.data + i * a.row, a.row, a.column};
        if (plain) shallow_rows<T, K, rows()>(n, x, b, ldb, c + i * ldc, ldc, nullptr, nullptr, false);
        else shallow_rows<T, K, rows()>(n, x, b, ldb, c + i * ldc, ldc, bias, row_bias ? row_bias + i : nullptr,
                                        e.accumulate);
    };
    const bool plain = !bias && !row_bias && !e.accumulate;
    for (; i + ROWS <= m; i += ROWS) at(std::integral_constant<int, ROWS>{}, plain);
    for (; i < m; i++) at(std::integral_constant<int, 1>{}, false);
}

// An inner dimension of up to MOST_SHALLOW (the first layer of a small model, the last one's gradient). B is read where
// it lies, or turned once.
template <class T>
bool shallow_product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc,
                     const Epilogue<T>& e) {
    if (k > MOST_SHALLOW || n < LANES<T> || n > MOST_COLUMNS) return false;
    const T* rows = b.data;
    int64_t ldb = b.row;
    if (b.column != 1) {
        if (b.row != 1 || b.column < 0 || m < 4) return false;
        T* turned = thread_buffer<T>(size_t(k * n), 1);
        if (!turned) return false;
        transpose_tile(sizeof(T), reinterpret_cast<const char*>(b.data), b.column * intptr_t(sizeof(T)), n, k,
                       reinterpret_cast<char*>(turned), n * intptr_t(sizeof(T)));
        rows = turned;
        ldb = n;
    }
    const auto some = k == 1 ? shallow_of<T, 1> : k == 2 ? shallow_of<T, 2> : k == 3 ? shallow_of<T, 3>
                                                                                     : shallow_of<T, 4>;
    parallel(m, std::max<int64_t>(1, 65536 / n), [&](int64_t from, int64_t to) {
        some(to - from, n, {a.data + from * a.row, a.row, a.column}, rows, ldb, c + from * ldc, ldc,
             {e.accumulate, e.bias, e.row_bias ? e.row_bias + from : nullptr});
    });
    return true;
}

// A few columns, A lying along its columns (the gradient of a first layer's weight): tiles of the transpose, whose
// lanes are all used, turned when they are written.
template <class T>
bool narrow_product(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc,
                    const Epilogue<T>& e) {
    constexpr int64_t N = Tile<T>::COLUMNS;
    if (n > 6 || m < N || a.row != 1 || e.accumulate || e.bias || e.row_bias) return false;
    T tile_of[6 * N];
    for (int64_t i = 0; i < m; i += N) {
        i = std::min(i, m - N);             // the last rows with some that are done already
        any_tile<T, false>(n, k, b.data, b.column, b.row, a.data + i, a.column, tile_of, N, N, {});
        transpose_tile(sizeof(T), reinterpret_cast<const char*>(tile_of), N * intptr_t(sizeof(T)), n, N,
                       reinterpret_cast<char*>(c + i * ldc), ldc * intptr_t(sizeof(T)));
    }
    return true;
}

}  // namespace weft
