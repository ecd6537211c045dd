// Panels for products that are made more than once with the same matrix.
#pragma once
#include "gemm.h"

namespace weft {

template <class T>
inline int64_t padded(int64_t n) {
    return (n + Tile<T>::COLUMNS - 1) / Tile<T>::COLUMNS * Tile<T>::COLUMNS;
}

// Rows of up to LANES elements become columns: to[e * step + i] = from[i][e], a square of registers at a time.
template <class T, int... I> inline Vec<T> low_halves(Vec<T> a, Vec<T> b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (I % 2 ? LANES<T> + I / 2 : I / 2)...);
}
template <class T, int... I> inline Vec<T> high_halves(Vec<T> a, Vec<T> b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (LANES<T> / 2 + (I % 2 ? LANES<T> + I / 2 : I / 2))...);
}
template <class T> [[gnu::always_inline]] inline void turn(Vec<T> (&v)[LANES<T>]) {
    constexpr int L = LANES<T>;
    constexpr auto all = std::make_integer_sequence<int, L>{};
#pragma GCC unroll 4
    for (int round = 1; round < L; round *= 2) {
        Vec<T> next[L];
#pragma GCC unroll 8
        for (int i = 0; i < L / 2; i++) {
            next[2 * i] = low_halves<T>(v[i], v[i + L / 2], all);
            next[2 * i + 1] = high_halves<T>(v[i], v[i + L / 2], all);
        }
#pragma GCC unroll 16
        for (int i = 0; i < L; i++) v[i] = next[i];
    }
}

// Panels of COLUMNS rows, turned: panel[e][i], rows beyond the last are zeros. What a product with the rows' transpose
// reads.
template <class T> void pack_turned(const T* from, int64_t row, int64_t rows, int64_t depth, T* to) {
    constexpr int L = LANES<T>, N = Tile<T>::COLUMNS;
    for (int64_t i0 = 0; i0 < rows; i0 += N, to += N * depth)
        for (int part = 0; part < N; part += L) {
            const int64_t have = rows - i0 - part;
            const T* at = from + (i0 + part) * row;
            int64_t e = 0;
            for (; e + L <= depth; e += L) {
                Vec<T> square[L];
#pragma GCC unroll 16
                for (int i = 0; i < L; i++) square[i] = i < have ? load(at + i * row + e) : Vec<T>{};
                turn<T>(square);
#pragma GCC unroll 16
                for (int i = 0; i < L; i++) store(to + (e + i) * N + part, square[i]);
            }
            for (; e < depth; e++)
                for (int i = 0; i < L; i++) to[e * N + part + i] = i < have ? at[i * row + e] : T(0);
        }
}

// A matrix B (k x n) packed once for many products: blocks of KC of its depth, in each the panels of its columns.
template <class T> struct Packed { const T* data; int64_t n, k; };
template <class T> inline int64_t packed_size(int64_t n, int64_t k) { return padded<T>(n) * k; }

// B = w^T, w being n x k with its rows ld apart; `panels` [from, to) of it, so that several threads can share the work
template <class T>
void pack_turned_panels(const T* w, int64_t ld, int64_t n, int64_t k, int64_t from, int64_t to, T* into) {
    constexpr int64_t N = Tile<T>::COLUMNS, KC = Tile<T>::KC;
    for (int64_t p = 0; p < k; p += KC) {
        const int64_t depth = std::min(KC, k - p);
        pack_turned<T>(w + from * N * ld + p, ld, std::min(to * N, n) - from * N, depth,
                       into + padded<T>(n) * p + from * N * depth);
    }
}

// B = w, k x n with its rows ld apart
template <class T> void pack_panels(const T* w, int64_t ld, int64_t n, int64_t k, int64_t from, int64_t to, T* into) {
    constexpr int64_t N = Tile<T>::COLUMNS, KC = Tile<T>::KC;
    for (int64_t p = 0; p < k; p += KC)
        for (int64_t j = from; j < to; j++) {
            const int64_t depth = std::min(KC, k - p);
            pack_columns<T>({w + p * ld + j * N, ld, 1}, depth, std::min(N, n - j * N),
                            into + padded<T>(n) * p + j * N * depth);
        }
}

// R rows by P panels at once: enough sums in flight where there are few rows.
template <class T, int R, int P>
[[gnu::noinline]] void wide_tile(int64_t k, const T* a, int64_t lda, const T* b, T* c, int64_t ldc, int64_t columns,
                                 Epilogue<T> e) {
    constexpr int C = Tile<T>::VECTORS, L = LANES<T>, N = Tile<T>::COLUMNS;
    Vec<T> sum[R][P][C] = {};
    for (int64_t p = 0; p < k; p++, b += N)
#pragma GCC unroll 8
        for (int q = 0; q < P; q++)
#pragma GCC unroll 4
            for (int j = 0; j < C; j++) {
                const Vec<T> y = load(b + q * N * k + j * L);
#pragma GCC unroll 4
                for (int i = 0; i < R; i++) sum[i][q][j] += splat<T>(a[i * lda + p]) * y;
            }
    for (int i = 0; i < R; i++) {
        T line[P * N];
        std::memcpy(line, &sum[i], sizeof line);
        for (int64_t j = 0; j < std::min<int64_t>(columns, P * N); j++) {
            const T total = e.bias ? line[j] + e.bias[j] : line[j];
            c[i * ldc + j] = e.accumulate ? c[i * ldc + j] + total : total;
        }
    }
}

// C (m x n) = A (m x k, elements of a row side by side) @ B, on this thread. Each element is summed in the same order
// whatever m is.
template <class T>
void packed_product(int64_t m, const T* a, int64_t lda, const Packed<T>& b, T* c, int64_t ldc, Epilogue<T> e = {}) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS, KC = Tile<T>::KC;
    const int64_t tiles = (m + R - 1) / R, rows = tiles ? (m + tiles - 1) / tiles : 1;      // rows shared out evenly
    for (int64_t p = 0; p < b.k; p += KC) {
        const int64_t depth = std::min(KC, b.k - p);
        const T* panel = b.data + padded<T>(b.n) * p;
        for (int64_t j = 0; j < b.n; j += N, panel += N * depth) {
            const Epilogue<T> now{e.accumulate || p > 0, p == 0 && e.bias ? e.bias + j : nullptr, nullptr};
            if (m == 1 && j + 3 * N < b.n) {
                wide_tile<T, 1, 4>(depth, a + p, lda, panel, c + j, ldc, b.n - j, now);
                j += 3 * N, panel += 3 * N * depth;
                continue;
            }
            if (m == 2 && j + N < b.n) {
                wide_tile<T, 2, 2>(depth, a + p, lda, panel, c + j, ldc, b.n - j, now);
                j += N, panel += N * depth;
                continue;
            }
            for (int64_t i = 0; i < m; i += rows)
                edge_tile<T, false>(std::min(rows, m - i), depth, a + i * lda + p, lda, 1, panel, N, c + i * ldc + j,
                                    ldc, b.n - j, now);
        }
    }
}

}  // namespace weft
