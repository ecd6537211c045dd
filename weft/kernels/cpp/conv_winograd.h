// Winograd's convolution with six points (0, 1, -1, 2, -2, infinity): M outputs of R taps, M + R = 7, from six products instead of M * R; in
// two dimensions 36 instead of 144 for F(4x4, 3x3), 100 for F(2x2, 5x5). With B, G, A the transforms of input, weight and output:
//     out = A^T [(G w G^T) . (B^T x B)] A        dw = G^T [(A g A^T) . (B^T x B)] G        (. for each of the 36 points, summed over channels
//                                                                                          or tiles by matrix products)
// Transforms work on vectors whose lanes are tiles (forward) or channels (weight): patches are gathered by transposing 4 x 4 blocks.
#pragma once
#include "conv.h"
#include "conv_transpose.h"

namespace weft::winograd6 {

constexpr int POINTS = 6, ALL = POINTS * POINTS;
constexpr int64_t LANE = Tile<float>::COLUMNS;      // lanes of a panel: the columns of a tile of the products
constexpr int64_t ROWS = Tile<float>::ROWS;
constexpr int L = LANES<float>;

[[gnu::always_inline]] inline void input_points(const vf (&d)[6], vf (&to)[6]) {
    const vf a = d[4] - 4.0f * d[2], b = d[3] - 4.0f * d[1], c = d[4] - d[2], e = 2.0f * (d[3] - d[1]);
    to[0] = 4.0f * d[0] + (d[4] - 5.0f * d[2]);
    to[1] = a + b;
    to[2] = a - b;
    to[3] = c + e;
    to[4] = c - e;
    to[5] = 4.0f * d[1] + (d[5] - 5.0f * d[3]);
}

template <int N> [[gnu::always_inline]] inline void halves(const vf (&w)[N], vf& even, vf& odd, vf& even2, vf& odd2) {
    even = odd = even2 = odd2 = vf{};
#pragma GCC unroll 6
    for (int j = 0; j < N; j++) {
        const float power = float(1 << j);
        if (j % 2) { odd += w[j]; odd2 += power * w[j]; }
        else { even += w[j]; even2 += power * w[j]; }
    }
}

template <int R> [[gnu::always_inline]] inline void weight_points(const vf (&w)[R], vf (&to)[6]) {
    vf even, odd, even2, odd2;
    halves<R>(w, even, odd, even2, odd2);
    to[0] = 0.25f * w[0];
    to[1] = (-1.0f / 6) * (even + odd);
    to[2] = (-1.0f / 6) * (even - odd);
    to[3] = (1.0f / 24) * (even2 + odd2);
    to[4] = (1.0f / 24) * (even2 - odd2);
    to[5] = w[R - 1];
}

template <int M> [[gnu::always_inline]] inline void output_values(const vf (&m)[6], vf (&to)[M]) {
    const vf s1 = m[1] + m[2], d1 = m[1] - m[2], s2 = m[3] + m[4], d2 = m[3] - m[4];
#pragma GCC unroll 6
    for (int i = 0; i < M; i++) to[i] = (i % 2 ? d1 : s1) + float(1 << i) * (i % 2 ? d2 : s2);
    to[0] += m[0];
    to[M - 1] += m[5];
}

template <int M> [[gnu::always_inline]] inline void gradient_points(const vf (&y)[M], vf (&to)[6]) {
    vf even, odd, even2, odd2;
    halves<M>(y, even, odd, even2, odd2);
    to[0] = y[0];
    to[1] = even + odd;
    to[2] = even - odd;
    to[3] = even2 + odd2;
    to[4] = even2 - odd2;
    to[5] = y[M - 1];
}

template <int R> [[gnu::always_inline]] inline void weight_values(const vf (&m)[6], vf (&to)[R]) {
    const vf s1 = (-1.0f / 6) * (m[1] + m[2]), d1 = (-1.0f / 6) * (m[1] - m[2]), s2 = (1.0f / 24) * (m[3] + m[4]), d2 = (1.0f / 24) * (m[3] - m[4]);
#pragma GCC unroll 6
    for (int j = 0; j < R; j++) to[j] = (j % 2 ? d1 : s1) + float(1 << j) * (j % 2 ? d2 : s2);
    to[0] += 0.25f * m[0];
    to[R - 1] += m[5];
}

// N x N values into O x O, first along columns, then along rows, by a transform of one dimension; `get(i, j)` and `put(i, j, v)` move vectors.
template <int N, int O, class F, class Get, class Put> [[gnu::always_inline]] inline void both_ways(F&& f, Get&& get, Put&& put) {
    vf half[O][N];
#pragma GCC unroll 6
    for (int j = 0; j < N; j++) {
        vf in[N], out[O];
#pragma GCC unroll 6
        for (int i = 0; i < N; i++) in[i] = get(i, j);
        f(in, out);
#pragma GCC unroll 6
        for (int i = 0; i < O; i++) half[i][j] = out[i];
    }
#pragma GCC unroll 6
    for (int i = 0; i < O; i++) {
        vf out[O];
        f(half[i], out);
#pragma GCC unroll 6
        for (int j = 0; j < O; j++) put(i, j, out[j]);
    }
}

// LANE patches of N x N (4 or 6 or 2) side by side: to[(i * N + j) * LANE + lane]; lane's patch starts at base + offset(lane)
template <int N, class Offset> inline void gather(const float* base, Offset&& offset, int64_t row_step, float* to) {
    for (int64_t lane = 0; lane < LANE; lane += 4) {
        const float *p0 = base + offset(lane), *p1 = base + offset(lane + 1), *p2 = base + offset(lane + 2), *p3 = base + offset(lane + 3);
        for (int i = 0; i < N; i++, p0 += row_step, p1 += row_step, p2 += row_step, p3 += row_step) {
            float* place = to + i * N * LANE + lane;
            if constexpr (N >= 4) {
                Four a = load_four(p0), b = load_four(p1), c = load_four(p2), d = load_four(p3);
                transpose_four(a, b, c, d);
                store_four(place, a);
                store_four(place + LANE, b);
                store_four(place + 2 * LANE, c);
                store_four(place + 3 * LANE, d);
            }
            if constexpr (N == 6) {
                Four a = load_four(p0 + 2), b = load_four(p1 + 2), c = load_four(p2 + 2), d = load_four(p3 + 2);
                transpose_four(a, b, c, d);
                store_four(place + 4 * LANE, c);
                store_four(place + 5 * LANE, d);
            }
            if constexpr (N < 4)
                for (int j = 0; j < N; j++) store_four(place + j * LANE, Four{p0[j], p1[j], p2[j], p3[j]});
        }
    }
}

// The points of gathered patches, each LANE wide, `step` apart
inline void transform_input(const float* patches, float* to, int64_t step) {
    for (int64_t v = 0; v < LANE; v += L)
        both_ways<6, 6>(input_points, [&](int i, int j) { return load(patches + (i * 6 + j) * LANE + v); },
                        [&](int i, int j, vf x) { store(to + (i * 6 + j) * step + v, x); });
}

template <int M> inline void transform_gradient(const float* patches, float* to, int64_t step) {
    for (int64_t v = 0; v < LANE; v += L) {
        vf half[6][M];
        for (int j = 0; j < M; j++) {
            vf in[M], out[6];
            for (int i = 0; i < M; i++) in[i] = load(patches + (i * M + j) * LANE + v);
            gradient_points<M>(in, out);
            for (int i = 0; i < 6; i++) half[i][j] = out[i];
        }
        for (int i = 0; i < 6; i++) {
            vf out[6];
            gradient_points<M>(half[i], out);
            for (int j = 0; j < 6; j++) store(to + (i * 6 + j) * step + v, out[j]);
        }
    }
}

// `rows` (up to ROWS) rows of a product: c[i][LANE] (rows c_step apart) = or += sum over k of a[k * A + i] * b[k * LANE + ...]
template <int R, int64_t A> [[gnu::noinline]] void product_tile(int64_t k, const float* a, const float* b, float* c, int64_t c_step, bool add) {
    constexpr int C = Tile<float>::VECTORS;
    vf sum[R][C];
    tile_product<float, R, C>(k, a, 1, A, b, LANE, sum);
    for (int i = 0; i < R; i++)
        for (int j = 0; j < C; j++) store(c + i * c_step + j * L, add ? load(c + i * c_step + j * L) + sum[i][j] : sum[i][j]);
}

template <int64_t A> inline void product_rows(int64_t rows, int64_t k, const float* a, const float* b, float* c, int64_t c_step, bool add) {
    for (; rows >= ROWS; rows -= ROWS, a += ROWS, c += ROWS * c_step) product_tile<int(ROWS), A>(k, a, b, c, c_step, add);
    switch (rows) {
#define WEFT_ROWS(R) case R: if constexpr (R < ROWS) product_tile<R, A>(k, a, b, c, c_step, add); break;
        WEFT_ROWS(1) WEFT_ROWS(2) WEFT_ROWS(3) WEFT_ROWS(4) WEFT_ROWS(5) WEFT_ROWS(6)
        WEFT_ROWS(7) WEFT_ROWS(8) WEFT_ROWS(9) WEFT_ROWS(10) WEFT_ROWS(11)
#undef WEFT_ROWS
        default: break;
    }
}

}  // namespace weft::winograd6
