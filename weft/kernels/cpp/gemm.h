// Matrix products C = A @ B of any strides, packed into panels that the caches hold and multiplied tile by tile in
// registers.
//
// The element (i, j) of every result is summed over k in one order, whatever the number of threads. How the work is
// divided stands in gemm_blocked.h, products without packing in gemm_dots.h, which way a product goes in gemm.cpp.
#pragma once
#include <algorithm>

#include "host.h"
#include "widen.h"

namespace weft {

// element (i, j) is data[i * row + j * column]
template <class T> struct Matrix { const T* data; int64_t row, column; };

template <class T> struct Tile {
    static constexpr int VECTORS = 2;
    static constexpr int COLUMNS = VECTORS * LANES<T>;                  // of a tile of C held in registers
    // 16 registers (32 with AVX-512): the tile, one row of B, one element of A
    static constexpr int ROWS = VECTOR_BYTES == 64 ? 12 : 6;
    // a panel of B (KC x COLUMNS) stays in the first cache; with AVX-512, where a step takes as many loads for twice as
    // many sums, the second one is near enough
    static constexpr int64_t KC = sizeof(T) == 4 ? (VECTOR_BYTES == 64 ? 384 : 320) : 192;
    static constexpr int64_t MC = ROWS * 24;                            // a block of A (MC x KC) in the second
};

// What a tile does with C: `accumulate` adds to what is there; `bias` is added per column, `row_bias` per row.
template <class T> struct Epilogue { bool accumulate = false; const T* bias = nullptr; const T* row_bias = nullptr; };

// f(i, j) for every vector of a tile, unrolled: only then do the compilers keep the whole tile in registers
template <int R, int C, class F> [[gnu::always_inline]] inline void each_of_tile(F&& f) {
#pragma GCC unroll 16
    for (int i = 0; i < R; i++)
#pragma GCC unroll 8
        for (int j = 0; j < C; j++) f(i, j);
}

// One tile: R rows by C vectors of columns; A at a[i * ar + p * ac], B's row p at b + p * ldb; before(left) is called
// before each of the steps, how many are left. PART: of B's last vector there are only `width` elements.
struct Nothing { [[gnu::always_inline]] void operator()(int64_t) const {} };
template <class T, int R, int C, bool CONSTANT = false, bool PART = false, class F = Nothing>
[[gnu::always_inline]] inline void tile_product(int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb,
                                                Vec<T> (&sum)[R][C], F&& before = {}, int64_t width = LANES<T>) {
    each_of_tile<R, C>([&](int i, int j) { sum[i][j] = Vec<T>{}; });
    // A pointer for four rows each: the compiler, which must not know how they hang together, would keep an offset for
    // every row, and those that don't fit in vectors' registers, at a cost. Unless strides are CONSTANT.
    constexpr int FOURS = (R + 3) / 4;
    const T* rows[FOURS];
#pragma GCC unroll 4
    for (int f = 0; f < FOURS; f++) {
        rows[f] = a + 4 * f * ar;
        if constexpr (!CONSTANT) asm("" : "+r"(rows[f]));
    }
    for (int64_t left = k; left > 0; left--) {
        before(left);
        Vec<T> row[C];
#pragma GCC unroll 4
        for (int j = 0; j < C; j++)
            row[j] = PART && j == C - 1 ? load_part(b + j * LANES<T>, width) : load(b + j * LANES<T>);
#pragma GCC unroll 16
        for (int i = 0; i < R; i++) {
            const Vec<T> x = splat<T>(rows[i / 4][i % 4 * ar]);
#pragma GCC unroll 4
            for (int j = 0; j < C; j++) sum[i][j] += x * row[j];
        }
#pragma GCC unroll 4
        for (int f = 0; f < FOURS; f++) rows[f] += ac;
        b += ldb;
    }
}

// What a tile asks the caches for while it is computed, because a later one needs it: elements from `at` on, `step` of
// them at each of its steps.
template <class T> struct Ahead { const T* at = nullptr; int64_t step = 0; };

template <class T, int R, int C, bool PACKED, bool PART>
[[gnu::noinline]] void tile(int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb, T* c, int64_t ldc,
                            int64_t columns, Epilogue<T> e, Ahead<T> ahead) {
    // One request at a step: many at once would wait for each other. C's rows are asked for not long before they are
    // needed, or what is read meanwhile drives them out of the first cache.
    constexpr int64_t LATE = R + 16;
    const T *next = ahead.at ? ahead.at : b, *row = c;
    const int64_t step = ahead.at ? ahead.step : 0;
    const auto ask = [&](int64_t left) __attribute__((always_inline)) {
        __builtin_prefetch(next, 0, 2);
        next += step;
        if (uint64_t(LATE - left) < uint64_t(R)) {
            __builtin_prefetch(row, 1);
            __builtin_prefetch(row + C * LANES<T> - 1, 1);
            row += ldc;
        }
    };
    constexpr int L = LANES<T>;
    Vec<T> sum[R][C];
    tile_product<T, R, C, PACKED, PART>(k, a, PACKED ? 1 : ar, PACKED ? Tile<T>::ROWS : ac, b, ldb, sum, ask,
                                        columns - (C - 1) * L);
    if (e.bias && columns >= C * L) {
        each_of_tile<R, C>([&](int i, int j) { sum[i][j] += load(e.bias + j * L); });
    } else if (e.bias) {
        T line[C * L] = {};
        std::copy_n(e.bias, columns, line);
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
        for (int64_t j = 0; j < columns; j += L) {
            const int64_t width = std::min<int64_t>(L, columns - j);
            const Vec<T> made = load(lines[i] + j);
            store_part(c + i * ldc + j, e.accumulate ? made + load_part(c + i * ldc + j, width) : made, width);
        }
}

// A tile of any number of rows up to ROWS (12 of one vector, where A lies as it is), of C vectors of columns. PART: B
// lies as it is, too, and its last vector is not whole.
template <class T, bool PACKED, int C = Tile<T>::VECTORS, bool PART = false>
inline void any_tile(int64_t rows, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb, T* c,
                     int64_t ldc, int64_t columns, const Epilogue<T>& e, Ahead<T> ahead = {}) {
    switch (rows) {
#define WEFT_ROWS(R)                                                                                  \
    case R:                                                                                           \
        if constexpr (R <= (PACKED ? Tile<T>::ROWS : Tile<T>::ROWS * Tile<T>::VECTORS / C) && R <= 12) \
            tile<T, R, C, PACKED, PART>(k, a, ar, ac, b, ldb, c, ldc, columns, e, ahead);             \
        break;
        WEFT_ROWS(1) WEFT_ROWS(2) WEFT_ROWS(3) WEFT_ROWS(4) WEFT_ROWS(5) WEFT_ROWS(6)
        WEFT_ROWS(7) WEFT_ROWS(8) WEFT_ROWS(9) WEFT_ROWS(10) WEFT_ROWS(11) WEFT_ROWS(12)
#undef WEFT_ROWS
        default: break;
    }
}

// The same, and of one vector where that holds all columns that are left.
template <class T, bool PACKED, bool PART = false>
inline void edge_tile(int64_t rows, int64_t k, const T* a, int64_t ar, int64_t ac, const T* b, int64_t ldb, T* c,
                      int64_t ldc, int64_t columns, const Epilogue<T>& e, Ahead<T> ahead = {}) {
    if (columns > LANES<T>)
        any_tile<T, PACKED, Tile<T>::VECTORS, PART>(rows, k, a, ar, ac, b, ldb, c, ldc, columns, e, ahead);
    else any_tile<T, PACKED, 1, PART>(rows, k, a, ar, ac, b, ldb, c, ldc, columns, e, ahead);
}

// Four steps of a panel of A whose rows lie side by side: ROWS elements are three quarters of a vector, so that these
// are three whole ones. Reads a vector at each step.
template <class T, int O, size_t... I> inline Vec<T> quarters(Vec<T> low, Vec<T> high, std::index_sequence<I...>) {
    constexpr int L = LANES<T>, R = Tile<T>::ROWS;
    return __builtin_shufflevector(low, high, ((O * L + I) / R == O ? (O * L + I) % R : L + (O * L + I) % R)...);
}
template <class T> inline void pack_four_steps(const T* from, int64_t column, T* to) {
    constexpr int L = LANES<T>;
    constexpr auto all = std::make_index_sequence<size_t(L)>{};
    const Vec<T> x[4] = {load(from), load(from + column), load(from + 2 * column), load(from + 3 * column)};
    store(to, quarters<T, 0>(x[0], x[1], all));
    store(to + L, quarters<T, 1>(x[1], x[2], all));
    store(to + 2 * L, quarters<T, 2>(x[2], x[3], all));
}

// Panels of `height` rows (ROWS at most) of A (rows x depth from its element (0, 0)): panel[p][i], ROWS wide, short
// ones padded with zeros.
template <class T> void pack_rows(Matrix<T> a, int64_t rows, int64_t height, int64_t depth, T* to) {
    constexpr int64_t R = Tile<T>::ROWS;
    constexpr int L = LANES<T>, GROUPS = int((R + L - 1) / L);
    int64_t i = 0;
    if constexpr (4 * R == 3 * L)       // some panels together: longer pieces of what lies side by side
        if (a.row == 1 && a.column >= L - R && height == R)
            for (int64_t some; i + R <= rows; i += some * R, to += some * R * depth) {
                some = std::min<int64_t>(4, (rows - i) / R);
                const T* from = a.data + i;
                const int64_t last = depth - 1 - (i + some * R + (L - R) > rows);      // a vector of it may leave A
                int64_t p = 0;
                for (; p + 3 <= last; p += 4) {
                    for (int64_t s = 0; s < 4; s++)
                        for (int64_t l = 0; l < some * R; l += 64 / int64_t(sizeof(T)))
                            __builtin_prefetch(from + (p + 8 + s) * a.column + l);
                    for (int64_t q = 0; q < some; q++)
                        pack_four_steps(from + p * a.column + q * R, a.column, to + q * R * depth + p * R);
                }
                for (; p < depth; p++)
                    for (int64_t q = 0; q < some; q++)
                        std::copy_n(from + p * a.column + q * R, R, to + q * R * depth + p * R);
            }
    for (; i < rows; i += height, to += R * depth) {
        const int64_t n = std::min(height, rows - i);
        const T* from = a.data + i * a.row;
        int64_t p = 0;
        if (a.row == 1 && a.column > 0)     // whole vectors, as long as they stay within A, less what isn't a row
            for (; p + 1 < depth && p * a.column + GROUPS * L <= (depth - 1) * a.column + n; p++) {
                __builtin_prefetch(from + (p + 12) * a.column + R);
                for (int g = 0; g < GROUPS; g++)
                    store(to + p * R + g * L, select(lane_numbers<T>() < MaskElement<T>(n - g * L),
                                                     load(from + p * a.column + g * L), Vec<T>{}));
            }
        else if (a.column == 1)
            for (; p + L <= depth; p += L) {
                Vec<T> block[GROUPS][L];
                for (int g = 0; g < GROUPS; g++) {
                    for (int r = 0; r < L; r++)
                        block[g][r] = g * L + r < n ? load(from + (g * L + r) * a.row + p) : Vec<T>{};
                    transpose_block<T>(block[g]);
                }
                const int whole = p + L < depth ? L : L - 1;
                for (int q = 0; q < whole; q++)     // in order: what a vector writes too much, the next one overwrites
                    for (int g = 0; g < GROUPS; g++) store(to + (p + q) * R + g * L, block[g][q]);
                if (whole == L) continue;
                T line[GROUPS * L];                 // nothing may be written past the panel's end
                for (int g = 0; g < GROUPS; g++) store(line + g * L, block[g][L - 1]);
                std::memcpy(to + (p + L - 1) * R, line, R * sizeof(T));
            }
        for (; p < depth; p++)
            for (int64_t r = 0; r < R; r++) to[p * R + r] = r < n ? from[r * a.row + p * a.column] : T(0);
    }
}

// One panel of up to COLUMNS columns of B (depth x columns from its element (0, 0)): panel[p][j], padded with zeros.
template <class T, class S = T> void pack_columns(Matrix<S> b, int64_t depth, int64_t columns, T* to) {
    constexpr int64_t N = Tile<T>::COLUMNS;
    constexpr int L = LANES<T>;
    if (b.column == 1) {
        int64_t p = 0;
        if (columns < N && b.row > 0)       // whole vectors, as long as they stay within B, less what isn't a column
            for (; p * b.row + N <= (depth - 1) * b.row + columns; p++)
                for (int64_t j = 0; j < N; j += L)
                    store(to + p * N + j, select(lane_numbers<T>() < MaskElement<T>(columns - j),
                                                 load_as<T>(b.data + p * b.row + j), Vec<T>{}));
        for (; p < depth; p++)
            for (int64_t j = 0; j < N; j += L) {
                const S* from = b.data + p * b.row + j;
                if (j + L <= columns) store(to + p * N + j, load_as<T>(from));
                else for (int64_t s = 0; s < L; s++) to[p * N + j + s] = j + s < columns ? T(value_of(from[s])) : T(0);
            }
        return;
    }
    int64_t p = 0;
    if (b.row == 1 && depth >= L)
        for (; p < depth; p += L) {
            p = std::min(p, depth - L);     // the last ones, some of them again
            for (int64_t j = 0; j < N; j += L) {
                Vec<T> block[L];
                for (int s = 0; s < L; s++)
                    block[s] = j + s < columns ? load_as<T>(b.data + p + (j + s) * b.column) : Vec<T>{};
                transpose_block<T>(block);
                for (int s = 0; s < L; s++) store(to + (p + s) * N + j, block[s]);
            }
        }
    for (; p < depth; p++)
        for (int64_t j = 0; j < N; j++)
            to[p * N + j] = j < columns ? T(value_of(b.data[p * b.row + j * b.column])) : T(0);
}

// Memory for the length of a task, cut into pieces; null when there is none left.
struct Workspace {
    char* data;
    explicit Workspace(size_t bytes) : data(static_cast<char*>(host->take(bytes + 4096))) {}
    ~Workspace() { if (data) host->give(data); }
    Workspace(const Workspace&) = delete;
    explicit operator bool() const { return data != nullptr; }
    size_t used = 0;
    template <class T> T* cut(int64_t n) {
        T* piece = reinterpret_cast<T*>(data + used);
        used += (size_t(n) * sizeof(T) + 63) / 64 * 64;
        return piece;
    }
};

// Memory of this thread for packed blocks, kept for the next product; null when there is none left.
void* thread_buffer(size_t bytes, int which);
template <class T>
inline T* thread_buffer(size_t n, int which) {
    return static_cast<T*>(thread_buffer(n * sizeof(T), which));
}

// C (m x n, rows ldc apart) = A (m x k) @ B (k x n, perhaps of a half type), plus what the epilogue says; over the pool
// where it is worth it, on this thread when called inside a task. Throws std::bad_alloc if there is no memory for
// panels. `after`: k * n elements that the caller will read next, brought nearer meanwhile; or null.
template <class T, class S = T>
void gemm(int64_t m, int64_t n, int64_t k, Matrix<T> a, Matrix<S> b, T* c, int64_t ldc, Epilogue<T> e = {},
          const T* after = nullptr);

#define WEFT_EACH_PRODUCT(DO) DO(float, float) DO(double, double) DO(float, Half) DO(float, Bfloat)
#define WEFT_PRODUCT(T, S) \
    extern template void gemm<T, S>(int64_t, int64_t, int64_t, Matrix<T>, Matrix<S>, T*, int64_t, Epilogue<T>, \
                                    const T*);
WEFT_EACH_PRODUCT(WEFT_PRODUCT)
#undef WEFT_PRODUCT

}  // namespace weft
