// Products of which both operands lie along the inner dimension (a layer on few rows, a matrix and a vector): sums of
// products of vectors, without packing, without idle lanes at the edges. Few rows x (few x k) stay in the cache while
// the many rows y (many x k) pass by once, which may be of a half type.
//
// Bfloats are floats without their lower halves, so a vector of pairs of them is two of floats by a shift and a mask:
// the even ones and the odd ones. The few rows are laid out in that order before.
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

    // How many elements before they are needed those of y are asked for, line by line, where `rows` of them pass by at
    // once: the next rows where these are short, since each stream would have to be found anew.
    int64_t far(int64_t rows) const {
        return rows * y_row * int64_t(sizeof(S)) <= 16384 ? rows * y_row : 512 / int64_t(sizeof(S));
    }
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

template <class S> constexpr bool IN_PAIRS = std::is_same_v<S, Bfloat>;
template <class T, class S> constexpr int STEP = IN_PAIRS<S> ? 2 * LANES<T> : LANES<T>;    // elements of a step

// One step of a row of y, as the vectors that belong to those of x; `part` makes zeros of what is counted already.
template <class T, class S, class F>
[[gnu::always_inline]] inline void load_step(const S* y, F part, Vec<T> (&to)[IN_PAIRS<S> ? 2 : 1]) {
    if constexpr (IN_PAIRS<S>) {
        Vec<uint32_t> pairs;
        std::memcpy(&pairs, y, sizeof pairs);
        to[0] = part(bits<Vec<T>>(pairs << 16), 0);
        to[1] = part(bits<Vec<T>>(pairs & 0xffff0000), 1);
    } else to[0] = part(load_as<T>(y), 0);
}

// A row of x for these steps: each pair's first elements, then its second ones; the last step has zeros for what the
// one before it counts.
inline void in_pairs(const float* x, int64_t k, float* to) {
    constexpr int64_t L = LANES<float>;
    int64_t p = 0;
    for (; p + 2 * L <= k; p += 2 * L)
        for (int64_t i = 0; i < L; i++) {
            to[p + i] = x[p + 2 * i];
            to[p + L + i] = x[p + 2 * i + 1];
        }
    if (p == k) return;
    const float* last = x + k - 2 * L;
    const int64_t counted = 2 * L - (k - p);
    for (int64_t i = 0; i < 2 * L; i++) to[p + i % 2 * L + i / 2] = i < counted ? 0 : last[i];
}

// R rows of x by J of y (the last one again where there are fewer), over `depth` elements; U chains for each sum
template <class T, class S, int R, int U, int J = 4>
[[gnu::noinline]] void dot_tile(const Dots<T, S>& d, int64_t i, int64_t j, int64_t p, int64_t depth) {
    constexpr int L = LANES<T>, N = STEP<T, S>, V = N / L;
    const int64_t ahead = d.far(J), count = std::min<int64_t>(J, d.many - j);
    const T* x = d.x + i * d.x_row + p;
    const S* y[J];
    for (int s = 0; s < J; s++) y[s] = d.y + (j + std::min<int64_t>(s, count - 1)) * d.y_row + p;
    Vec<T> sum[R * U][J];
    each_of_tile<R * U, J>([&](int r, int s) { sum[r][s] = Vec<T>{}; });
    // the step of x at q, that of y at `from`
    const auto step = [&](int64_t q, int64_t from, int chain, auto part) __attribute__((always_inline)) {
#pragma GCC unroll 8
        for (int s = 0; s < J; s++) {
            if (R == 1 && chain * N * int64_t(sizeof(S)) % 64 == 0) __builtin_prefetch(y[s] + from + ahead);
            Vec<T> w[V];
            load_step<T, S>(y[s] + from, part, w);
#pragma GCC unroll 2
            for (int v = 0; v < V; v++)
#pragma GCC unroll 8
                for (int r = 0; r < R; r++) {
                    const Vec<T> z = load(x + r * d.x_row + q + v * L);
                    sum[chain * R + r][s] += (IN_PAIRS<S> ? z : part(z, v)) * w[v];
                }
        }
    };
    const auto whole = [](Vec<T> v, int) __attribute__((always_inline)) { return v; };
    int64_t q = 0;
    for (; q + U * N <= depth; q += U * N)
#pragma GCC unroll 3
        for (int chain = 0; chain < U; chain++) step(q + chain * N, q + chain * N, chain, whole);
    if constexpr (U > 1) for (; q + N <= depth; q += N) step(q, q, 0, whole);
    if (q < depth) {        // the last step of the row, without what is counted already
        const MaskElement<T> counted = MaskElement<T>(N - (depth - q));
        const auto late = [&](Vec<T> v, int odd) __attribute__((always_inline)) {
            return select(Mask<Vec<T>>(lane_numbers<T>() * V + odd >= counted), v, Vec<T>{});
        };
        step(IN_PAIRS<S> ? q : depth - N, depth - N, 0, late);
    }
#pragma GCC unroll 2
    for (int chain = 1; chain < U; chain++)
        each_of_tile<R, J>([&](int r, int s) { sum[r][s] += sum[chain * R + r][s]; });
    const bool first = p == 0, adds = !first || d.accumulate;
#pragma GCC unroll 8
    for (int r = 0; r < R; r++)
#pragma GCC unroll 2
        for (int f = 0; f < J; f += 4) {        // four results at a time
            Four<T> total = sum_four<T>(sum[r][f], sum[r][f + 1], sum[r][f + 2], sum[r][f + 3]);
            T* to = d.to + (i + r) * d.x_step + (j + f) * d.y_step;
            if (first && d.x_bias) total += d.x_bias[i + r];
            if (count >= f + 4 && d.y_step == 1) {
                Four<T> other;
                if (first && d.y_bias) { std::memcpy(&other, d.y_bias + j + f, sizeof other); total += other; }
                if (adds) { std::memcpy(&other, to, sizeof other); total += other; }
                std::memcpy(to, &total, sizeof total);
                continue;
            }
            T line[4];
            std::memcpy(line, &total, sizeof line);
            for (int64_t s = 0; s < std::min<int64_t>(4, count - f); s++) {
                if (first && d.y_bias) line[s] += d.y_bias[j + f + s];
                to[s * d.y_step] = adds ? to[s * d.y_step] + line[s] : line[s];
            }
        }
}

// One row of x by rows [from, to) of y, which come from far: with AVX-512 more of them at once, eight streams.
template <class T, class S> void dot_row(const Dots<T, S>& d, int64_t from, int64_t to) {
    constexpr int U = VECTOR_BYTES == 64 ? 3 : 2;
    int64_t j = from;
    if constexpr (VECTOR_BYTES == 64)
        for (; j + 4 < to; j += 8) dot_tile<T, S, 1, U, 8>(d, 0, j, 0, d.k);
    for (; j < to; j += 4) dot_tile<T, S, 1, U>(d, 0, j, 0, d.k);
}

// Rows [from, to) of y, a group of them and x in pieces of the inner dimension that the second cache holds: a tile of x
// passes by the whole group.
template <class T, class S> void dot_rows(const Dots<T, S>& d, int64_t from, int64_t to) {
    if (d.few == 1) return dot_row(d, from, to);
    constexpr int64_t PIECE = 8192 / int64_t(sizeof(T)), GROUP = 32;
    const int64_t pieces = d.few > 4 ? (d.k + PIECE - 1) / PIECE : 1;
    const int64_t depth = ((d.k + pieces - 1) / pieces + 31) / 32 * 32;
    constexpr int64_t MOST = IN_PAIRS<S> ? std::min<int64_t>(4, DOT_TILE) : DOT_TILE;   // pairs take registers, too
    const int64_t tiles = (d.few + MOST - 1) / MOST, height = (d.few + tiles - 1) / tiles;
    for (int64_t j0 = from; j0 < to; j0 += GROUP)
        for (int64_t p = 0; p < d.k; p += depth)
            for (int64_t i = 0; i < d.few; i += height)
                for (int64_t j = j0; j < std::min(to, j0 + GROUP); j += 4) {
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

template <class T, class S> void dot_product(Dots<T, S> d) {
    Workspace memory(IN_PAIRS<S> ? size_t(d.few * (d.k + STEP<T, S>)) * sizeof(T) : 0);
    if (!memory) throw std::bad_alloc();
    if constexpr (IN_PAIRS<S>) {
        const int64_t row = (d.k + STEP<T, S> - 1) / STEP<T, S> * STEP<T, S>;
        T* ordered = memory.template cut<T>(d.few * row);
        for (int64_t i = 0; i < d.few; i++) in_pairs(d.x + i * d.x_row, d.k, ordered + i * row);
        d.x = ordered;
        d.x_row = row;
    }
    const int64_t groups = (d.many + 7) / 8;
    parallel(groups, std::max<int64_t>(1, 120000 / (8 * d.few * d.k + 1)),
             [&](int64_t from, int64_t to) { dot_rows(d, 8 * from, std::min(8 * to, d.many)); });
}

}  // namespace weft
