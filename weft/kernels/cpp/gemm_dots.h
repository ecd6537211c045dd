// Products of which both operands lie along the inner dimension (a layer on few rows, a matrix and a vector): sums of
// products of vectors, without packing, without idle lanes at the edges. Few rows x (few x k) stay in the cache while
// the many rows y (many x k) pass by once, which may be of a half type.
#pragma once
#include <algorithm>

#include "gemm.h"
#include "host.h"
#include "widen.h"

namespace weft {

// Of the few: more are better packed, unless the sums are long. A tile has DOT_TILE of them: by four of the many, their
// sums fill the 16 registers, or 32 with AVX-512.
constexpr int64_t DOT_TILE = VECTOR_BYTES == 64 ? 6 : 3;
constexpr int64_t most_dot_rows(int64_t k) {
    return VECTOR_BYTES == 64 ? (k >= 512 ? 48 : 24) : VECTOR_BYTES == 32 && k >= 320 ? 36 : 24;
}

// out(i, j) = x_i . y_j, at to[i * x_step + j * y_step]
template <class T, class S> struct Dots {
    int64_t few, many, k;
    const T* x;
    int64_t x_row;
    const S* y;
    int64_t y_row;
    T* to;
    int64_t x_step, y_step;
    bool accumulate;
    const T *x_bias, *y_bias;       // one for each row of x, of y; or null
};

template <class T> struct FourOf { typedef T type __attribute__((vector_size(4 * sizeof(T)))); };
template <class T> using Four = typename FourOf<T>::type;

// neighbours added, of both: within 16 bytes a0 + a1, a2 + a3, b0 + b1, b2 + b3
template <size_t... I> inline vf add_neighbours(vf a, vf b, std::index_sequence<I...>) {
    constexpr size_t L = LANES<float>;
    return __builtin_shufflevector(a, b, (I / 4 * 4 + I % 2 * 2 + (I % 4 / 2) * L)...) +
           __builtin_shufflevector(a, b, (I / 4 * 4 + I % 2 * 2 + 1 + (I % 4 / 2) * L)...);
}

// the sums of the lanes of each of four vectors
template <class T> [[gnu::always_inline]] inline Four<T> sum_four(Vec<T> a, Vec<T> b, Vec<T> c, Vec<T> d) {
    if constexpr (sizeof(T) == 8) return Four<T>{sum_lanes(a), sum_lanes(b), sum_lanes(c), sum_lanes(d)};
    else {
        constexpr auto all = std::make_index_sequence<size_t(LANES<float>)>{};
        const vf sums = add_neighbours(add_neighbours(a, b, all), add_neighbours(c, d, all), all);
        Four<T> parts[LANES<float> / 4];
        std::memcpy(parts, &sums, sizeof sums);
        Four<T> total = parts[0];
#pragma GCC unroll 4
        for (int i = 1; i < LANES<float> / 4; i++) total += parts[i];
        return total;
    }
}

// R rows of x by four of y (the last one again where there are fewer), over `depth` elements; U chains for each sum
template <class T, class S, int R, int U>
[[gnu::noinline]] void dot_tile(const Dots<T, S>& d, int64_t i, int64_t j, int64_t p, int64_t depth) {
    constexpr int L = LANES<T>, J = 4;
    const int64_t count = std::min<int64_t>(J, d.many - j);
    const T* x = d.x + i * d.x_row + p;
    const S* y[J];
    for (int s = 0; s < J; s++) y[s] = d.y + (j + std::min<int64_t>(s, count - 1)) * d.y_row + p;
    Vec<T> sum[R * U][J];
    each_of_tile<R * U, J>([&](int r, int s) { sum[r][s] = Vec<T>{}; });
    const auto step = [&](int64_t q, int chain, auto part) __attribute__((always_inline)) {
#pragma GCC unroll 4
        for (int s = 0; s < J; s++) {
            const Vec<T> w = part(load_as<T>(y[s] + q));
#pragma GCC unroll 8
            for (int r = 0; r < R; r++) sum[chain * R + r][s] += part(load(x + r * d.x_row + q)) * w;
        }
    };
    const auto whole = [](Vec<T> v) __attribute__((always_inline)) { return v; };
    int64_t q = 0;
    for (; q + U * L <= depth; q += U * L)
#pragma GCC unroll 2
        for (int chain = 0; chain < U; chain++) step(q + chain * L, chain, whole);
    if (U > 1 && q + L <= depth) { step(q, 0, whole); q += L; }
    if (q < depth) {        // the last vector of the row, without what is counted already
        const Mask<Vec<T>> late = lane_numbers<T>() >= MaskElement<T>(L - (depth - q));
        step(depth - L, 0, [&](Vec<T> v) __attribute__((always_inline)) { return select(late, v, Vec<T>{}); });
    }
    if constexpr (U > 1) each_of_tile<R, J>([&](int r, int s) { sum[r][s] += sum[R + r][s]; });
    const bool first = p == 0, adds = !first || d.accumulate;
#pragma GCC unroll 8
    for (int r = 0; r < R; r++) {
        Four<T> total = sum_four<T>(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        T* to = d.to + (i + r) * d.x_step + j * d.y_step;
        if (first && d.x_bias) total += d.x_bias[i + r];
        if (count == J && d.y_step == 1) {
            Four<T> other;
            if (first && d.y_bias) { std::memcpy(&other, d.y_bias + j, sizeof other); total += other; }
            if (adds) { std::memcpy(&other, to, sizeof other); total += other; }
            std::memcpy(to, &total, sizeof total);
            continue;
        }
        T line[J];
        std::memcpy(line, &total, sizeof line);
        for (int64_t s = 0; s < count; s++) {
            if (first && d.y_bias) line[s] += d.y_bias[j + s];
            to[s * d.y_step] = adds ? to[s * d.y_step] + line[s] : line[s];
        }
    }
}

// Rows [from, to) of y; x in pieces of the inner dimension that the second cache holds.
template <class T, class S> void dot_rows(const Dots<T, S>& d, int64_t from, int64_t to) {
    constexpr int64_t PIECE = 8192 / int64_t(sizeof(T)), GROUP = 32;
    const int64_t pieces = d.few > 4 ? (d.k + PIECE - 1) / PIECE : 1;
    const int64_t depth = ((d.k + pieces - 1) / pieces + 15) / 16 * 16;
    const int64_t tiles = (d.few + DOT_TILE - 1) / DOT_TILE, height = (d.few + tiles - 1) / tiles;
    for (int64_t j0 = from; j0 < to; j0 += GROUP)
        for (int64_t p = 0; p < d.k; p += depth)
            for (int64_t j = j0; j < std::min(to, j0 + GROUP); j += 4)
                for (int64_t i = 0; i < d.few; i += height) {
                    const int64_t now = std::min(depth, d.k - p);
                    switch (std::min(height, d.few - i)) {
                        case 1: dot_tile<T, S, 1, 2>(d, i, j, p, now); break;
                        case 2: dot_tile<T, S, 2, 1>(d, i, j, p, now); break;
                        case 3: dot_tile<T, S, 3, 1>(d, i, j, p, now); break;
                        case 4: dot_tile<T, S, 4, 1>(d, i, j, p, now); break;
                        case 5: dot_tile<T, S, 5, 1>(d, i, j, p, now); break;
                        default: dot_tile<T, S, 6, 1>(d, i, j, p, now);
                    }
                }
}

template <class T, class S> void dot_product(const Dots<T, S>& d) {
    const int64_t groups = (d.many + 3) / 4;
    parallel(groups, std::max<int64_t>(1, 120000 / (4 * d.few * d.k + 1)),
             [&](int64_t from, int64_t to) { dot_rows(d, 4 * from, std::min(4 * to, d.many)); });
}

}  // namespace weft
