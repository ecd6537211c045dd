// Matrix products C = A @ B of any strides, packed into panels that the caches hold and multiplied tile by tile in
// registers.
//
// The element (i, j) of every result is summed over k in one order, whatever the number of threads: blocks of KC, each
// in order. Other kernels use the same loops with their own packing: a convolution packs B straight out of the image
// (see `blocked_product`).
#pragma once
#include <algorithm>

#include "host.h"
#include "vec.h"

namespace weft {

// element (i, j) is data[i * row + j * column]
template <class T> struct Matrix { const T* data; int64_t row, column; };

template <class T> struct Tile {
    static constexpr int VECTORS = 2;
    static constexpr int COLUMNS = VECTORS * LANES<T>;                  // of a tile of C held in registers
    // 16 registers (32 with AVX-512): the tile, one row of B, one element of A
    static constexpr int ROWS = VECTOR_BYTES == 64 ? 12 : 6;
    // a panel of B (KC x COLUMNS) stays in the first cache
    static constexpr int64_t KC = sizeof(T) == 4 ? 320 : 192;
    static constexpr int64_t MC = ROWS * 24;                            // a block of A (MC x KC) in the second
    static constexpr int64_t NC = 3072;                                 // a slice of B (KC x NC) in the third
};

// What a tile does with C: `accumulate` adds to what is there; `bias` is added per column, `row_bias` per row.
template <class T> struct Epilogue { bool accumulate = false; const T* bias = nullptr; const T* row_bias = nullptr; };

// f(i, j) for every vector of a tile, unrolled: only then do the compilers keep the whole tile in registers
template <int R, int C, class F> [[gnu::always_inline]] inline void each_of_tile(F&& f) {
#pragma GCC unroll 16
    for (int i = 0; i < R; i++)
#pragma GCC unroll 4
        for (int j = 0; j < C; j++) f(i, j);
}

// One tile: R rows by C vectors of columns; A at a[i * ar + p * ac], B's row p at b + p * ldb.
template <class T, int R, int C>
[[gnu::always_inline]] inline void tile_product(int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb,
                                                Vec<T> (&sum)[R][C]) {
    each_of_tile<R, C>([&](int i, int j) { sum[i][j] = Vec<T>{}; });
    for (int64_t p = 0; p < k; p++) {
        Vec<T> row[C];
#pragma GCC unroll 4
        for (int j = 0; j < C; j++) row[j] = load(b + j * LANES<T>);
#pragma GCC unroll 16
        for (int i = 0; i < R; i++) {
            const Vec<T> x = splat<T>(a[i * ar]);
#pragma GCC unroll 4
            for (int j = 0; j < C; j++) sum[i][j] += x * row[j];
        }
        a += ac;
        b += ldb;
    }
}

template <class T, int R, int C, bool PACKED>
[[gnu::noinline]] void tile(int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb, T* c, int64_t ldc,
                            int64_t columns, Epilogue<T> e) {
    Vec<T> sum[R][C];
    // packed: addresses are constants
    tile_product<T, R, C>(k, a, PACKED ? 1 : ar, PACKED ? Tile<T>::ROWS : ac, b, ldb, sum);
    constexpr int L = LANES<T>;
    if (e.bias && columns >= C * L) {
        each_of_tile<R, C>([&](int i, int j) { sum[i][j] += load(e.bias + j * L); });
    } else if (e.bias) {
        T line[C * L] = {};
        std::memcpy(line, e.bias, size_t(std::min<int64_t>(columns, C * L)) * sizeof(T));
        each_of_tile<R, C>([&](int i, int j) { sum[i][j] += load(line + j * L); });
    }
    if (e.row_bias) each_of_tile<R, C>([&](int i, int j) { sum[i][j] += e.row_bias[i]; });
    if (columns >= C * L) {
        if (e.accumulate) each_of_tile<R, C>([&](int i, int j) { sum[i][j] += load(c + i * ldc + j * L); });
        each_of_tile<R, C>([&](int i, int j) { store(c + i * ldc + j * L, sum[i][j]); });
        return;
    }
    T lines[R][C * L];
    each_of_tile<R, C>([&](int i, int j) { store(lines[i] + j * L, sum[i][j]); });
    for (int i = 0; i < R; i++)
        for (int64_t j = 0; j < columns; j++)
            c[i * ldc + j] = e.accumulate ? c[i * ldc + j] + lines[i][j] : lines[i][j];
}

// A tile of any number of rows up to ROWS.
template <class T, bool PACKED>
inline void any_tile(int64_t rows, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb, T* c,
                     int64_t ldc, int64_t columns, const Epilogue<T>& e) {
    constexpr int C = Tile<T>::VECTORS;
    switch (rows) {
#define WEFT_ROWS(R)                                                                                       \
    case R:                                                                                                \
        if constexpr (R <= Tile<T>::ROWS) tile<T, R, C, PACKED>(k, a, ar, ac, b, ldb, c, ldc, columns, e); \
        break;
        WEFT_ROWS(1) WEFT_ROWS(2) WEFT_ROWS(3) WEFT_ROWS(4) WEFT_ROWS(5) WEFT_ROWS(6)
        WEFT_ROWS(7) WEFT_ROWS(8) WEFT_ROWS(9) WEFT_ROWS(10) WEFT_ROWS(11) WEFT_ROWS(12)
#undef WEFT_ROWS
        default: break;
    }
}

// Panels of ROWS rows of A (rows x depth from its element (0, 0)): panel[p][i], short ones padded with zeros.
// Writes up to PACK_SLACK elements past the end.
constexpr int64_t PACK_SLACK = 64;
template <class T> void pack_rows(Matrix<T> a, int64_t rows, int64_t depth, T* to) {
    constexpr int64_t R = Tile<T>::ROWS;
    constexpr int L = LANES<T>, GROUPS = int((R + L - 1) / L);
    for (int64_t i = 0; i < rows; i += R, to += R * depth) {
        const int64_t n = std::min(R, rows - i);
        const T* from = a.data + i * a.row;
        if (n == R && a.row == 1) {
            for (int64_t p = 0; p < depth; p++) std::memcpy(to + p * R, from + p * a.column, R * sizeof(T));
            continue;
        }
        int64_t p = 0;
        if (a.column == 1)
            for (; p + L <= depth; p += L) {
                Vec<T> block[GROUPS][L];
                for (int g = 0; g < GROUPS; g++) {
                    for (int r = 0; r < L; r++)
                        block[g][r] = g * L + r < n ? load(from + (g * L + r) * a.row + p) : Vec<T>{};
                    transpose_block<T>(block[g]);
                }
                for (int q = 0; q < L; q++)         // in order: what a vector writes too much, the next one overwrites
                    for (int g = 0; g < GROUPS; g++) store(to + (p + q) * R + g * L, block[g][q]);
            }
        for (; p < depth; p++)
            for (int64_t r = 0; r < R; r++) to[p * R + r] = r < n ? from[r * a.row + p * a.column] : T(0);
    }
}

// One panel of up to COLUMNS columns of B (depth x columns from its element (0, 0)): panel[p][j], padded with zeros.
template <class T> void pack_columns(Matrix<T> b, int64_t depth, int64_t columns, T* to) {
    constexpr int64_t N = Tile<T>::COLUMNS;
    constexpr int L = LANES<T>;
    if (b.column == 1) {
        for (int64_t p = 0; p < depth; p++, to += N) {
            const T* from = b.data + p * b.row;
            if (columns == N) { std::memcpy(to, from, N * sizeof(T)); continue; }
            for (int64_t j = 0; j < N; j++) to[j] = j < columns ? from[j] : T(0);
        }
        return;
    }
    int64_t p = 0;
    if (b.row == 1)
        for (; p + L <= depth; p += L)
            for (int64_t j = 0; j < N; j += L) {
                Vec<T> block[L];
                for (int s = 0; s < L; s++)
                    block[s] = j + s < columns ? load(b.data + p + (j + s) * b.column) : Vec<T>{};
                transpose_block<T>(block);
                for (int s = 0; s < L; s++) store(to + (p + s) * N + j, block[s]);
            }
    for (; p < depth; p++)
        for (int64_t j = 0; j < N; j++) to[p * N + j] = j < columns ? b.data[p * b.row + j * b.column] : T(0);
}

// Memory of this thread for packed blocks, kept for the next product; null when there is none left.
void* thread_buffer(size_t bytes, int which);
template <class T>
inline T* thread_buffer(size_t n, int which) {
    return static_cast<T*>(thread_buffer(n * sizeof(T), which));
}

// Products with packing of one's own. `pack_a(i, rows, p, depth, to)` fills the panels of a block of A as pack_rows
// does, `pack_b(p, depth, j, columns, to)` one panel of B as pack_columns does; both must be callable from several
// threads. False when there is no memory for a block; nothing is written then.
template <class T, class PackA, class PackB>
bool blocked_product(int64_t m, int64_t n, int64_t k, const PackA& pack_a, const PackB& pack_b, T* c, int64_t ldc,
                     Epilogue<T> e = {}) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS, KC = Tile<T>::KC, MC = Tile<T>::MC, NC = Tile<T>::NC;
    const int threads = host->threads();
    const int64_t depth_most = std::min(k, KC), slice = std::min((n + N - 1) / N * N, NC);
    T* packed_b = static_cast<T*>(host->take(size_t(slice * depth_most) * sizeof(T)));
    if (!packed_b) return false;
    // blocks of A, and pieces of the slice where the rows alone would not keep all threads busy
    int64_t blocks = (m + MC - 1) / MC;
    if (threads > 1 && m >= 4 * R * threads) {      // equal ones, a multiple of the threads
        blocks = std::max<int64_t>(blocks, std::min<int64_t>(2 * threads, m / (4 * R)));
        blocks = (blocks + threads - 1) / threads * threads;
    }
    const int64_t mc = ((m + blocks - 1) / blocks + R - 1) / R * R;
    blocks = (m + mc - 1) / mc;
    const int64_t splits = threads == 1 ? 1
                                        : std::clamp<int64_t>((2 * threads + blocks - 1) / blocks, 1,
                                                              std::max<int64_t>(1, slice / (4 * N)));
    const bool worth = threads > 1 && double(m) * double(n) * double(k) > 200000.0;
    for (int64_t j0 = 0; j0 < n; j0 += NC)
        for (int64_t p0 = 0; p0 < k; p0 += KC) {
            const int64_t columns = std::min(NC, n - j0), depth = std::min(KC, k - p0), panels = (columns + N - 1) / N;
            const auto pack_panels = [&](int64_t from, int64_t to) {
                for (int64_t q = from; q < to; q++)
                    pack_b(p0, depth, j0 + q * N, std::min(N, columns - q * N), packed_b + q * N * depth);
            };
            if (worth) parallel(panels, std::max<int64_t>(1, 16384 / (N * depth)), pack_panels);
            else pack_panels(0, panels);
            const auto block = [&](int64_t task) {
                const int64_t i0 = task / splits * mc, rows = std::min(mc, m - i0);
                const int64_t from = panels * (task % splits) / splits, to = panels * (task % splits + 1) / splits;
                T* packed_a = thread_buffer<T>(size_t(MC * KC + PACK_SLACK), 0);
                pack_a(i0, rows, p0, depth, packed_a);
                for (int64_t q = from; q < to; q++)
                    for (int64_t i = 0; i < rows; i += R) {
                        Epilogue<T> now{e.accumulate || p0 > 0, nullptr, nullptr};
                        if (p0 == 0 && e.bias) now.bias = e.bias + j0 + q * N;
                        if (p0 == 0 && e.row_bias) now.row_bias = e.row_bias + i0 + i;
                        any_tile<T, true>(std::min(R, rows - i), depth, packed_a + i * depth, 1, R,
                                          packed_b + q * N * depth, N, c + (i0 + i) * ldc + j0 + q * N, ldc,
                                          columns - q * N, now);
                    }
            };
            if (worth) run_tasks(blocks * splits, block);
            else for (int64_t task = 0; task < blocks * splits; task++) block(task);
        }
    host->give(packed_b);
    return true;
}

// C (m x n, rows ldc apart) = A (m x k) @ B (k x n), plus what the epilogue says; over the pool where it is worth it,
// on this thread when called inside a task. Throws std::bad_alloc outside of tasks only if there is no memory for a
// block of B.
template <class T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<T> b, T* c, int64_t ldc, Epilogue<T> e = {});

extern template void gemm<float>(int64_t, int64_t, int64_t, Matrix<float>, Matrix<float>, float*, int64_t,
                                 Epilogue<float>);
extern template void gemm<double>(int64_t, int64_t, int64_t, Matrix<double>, Matrix<double>, double*, int64_t,
                                  Epilogue<double>);

}  // namespace weft
