// Winograd's convolution: M outputs of R taps from P = M + R - 1 products instead of M * R; in two dimensions 36
// instead of 144 for F(4x4, 3x3). With B, G, A the transforms of input, weight and output at P points (the last one is
// infinity):
//     out = A^T [(G w G^T) . (B^T x B)] A        dw = G^T [(A g A^T) . (B^T x B)] G        (. for each point, summed
//     over channels
//                                                                                          or tiles by matrix products)
// Transforms work on vectors whose lanes are channels: images are transposed on their way in and out (conv_tiles.h).
#pragma once
#include <utility>

#include "conv.h"
#include "conv_transpose.h"

namespace weft::winograd {

constexpr int64_t LANE = Tile<float>::COLUMNS;      // lanes of a panel: the columns of a tile of the products
constexpr int64_t ROWS = Tile<float>::ROWS;
constexpr int L = LANES<float>;
// multiplications below which there is nothing to win, and the plain sums are more exact
constexpr double WORK_LEAST = 2e6;

// The matrices of Toom and Cook for the finite points a[0 .. P - 1): B^T's row j holds the coefficients of the product
// of (x - a[l]) over l != j, the last one that over all l; G's row j the powers of a[j] over the product of (a[j] -
// a[l]); A^T's row i the i-th powers. The errors of the result grow with the powers of the points: sqrt(1/2) and
// sqrt(2), whose products are 1, have a quarter of those of 1 and 2; for seven finite points no better ones were found
// than these (docs/convolutions.md).
constexpr double LOW = 0.70710678118654752, HIGH = 1.4142135623730951;
template <int P> struct Points {
    static constexpr double FEW[] = {0, LOW, -LOW, -HIGH, HIGH}, MANY[] = {0, 1, -1, 2, -2, 0.5, -0.5};
    static constexpr double point(int j) { return P <= 6 ? FEW[j] : MANY[j]; }
    struct Square { float at[P][P]; };
    static constexpr Square input() {
        Square made{};
        for (int j = 0; j < P; j++) {
            double poly[P + 1] = {1};
            int degree = 0;
            for (int l = 0; l < P - 1; l++) {
                if (l == j) continue;
                for (int e = ++degree; e >= 0; e--) poly[e] = (e ? poly[e - 1] : 0.0) - point(l) * poly[e];
            }
            for (int e = 0; e < P; e++) made.at[j][e] = float(poly[e]);
        }
        return made;
    }
    // row j: the powers of point j, over `scale` if asked, of which `count` are used; infinity gives the last one
    static constexpr Square powers(int count, bool scaled) {
        Square made{};
        for (int j = 0; j < P - 1; j++) {
            double value = 1;
            if (scaled) for (int l = 0; l < P - 1; l++) if (l != j) value /= point(j) - point(l);
            for (int i = 0; i < count; i++, value *= point(j)) made.at[j][i] = float(value);
        }
        made.at[P - 1][count - 1] = 1;
        return made;
    }
};

template <int P> struct InputTable { static constexpr auto table = Points<P>::input(); };
template <int P, int R> struct WeightTable { static constexpr auto table = Points<P>::powers(R, true); };
template <int P, int M> struct OutputTable { static constexpr auto table = Points<P>::powers(M, false); };

template <class Table, bool TURNED, int I, int J>
[[gnu::always_inline]] inline void add_times(vf& sum, vf x, bool& started) {
    constexpr float c = TURNED ? Table::table.at[J][I] : Table::table.at[I][J];
    if constexpr (c != 0.0f) {
        const vf term = c == 1.0f ? x : c == -1.0f ? -x : c * x;
        sum = started ? sum + term : term;
        started = true;
    }
}

// to[I] = sum over J of table[I][J] * in[J] (or of the transposed table), coefficients known when compiled
template <class Table, bool TURNED, int I, int... J>
[[gnu::always_inline]] inline vf table_row(const vf* in, std::integer_sequence<int, J...>) {
    vf sum = {};
    bool started = false;
    (add_times<Table, TURNED, I, J>(sum, in[J], started), ...);
    return sum;
}
template <class Table, bool TURNED, int COLUMNS, int... I>
[[gnu::always_inline]] inline void table_product(const vf* in, vf* to, std::integer_sequence<int, I...>) {
    ((to[I] = table_row<Table, TURNED, I>(in, std::make_integer_sequence<int, COLUMNS>{})), ...);
}

// One dimension of the transforms; a dimension of one point is left as it is.
template <int P> struct InputPoints {
    static constexpr int IN = P, OUT = P;
    [[gnu::always_inline]] static void apply(const vf* d, vf* to) {
        if constexpr (P == 1) to[0] = d[0];
        else if constexpr (P == 6) {
            const vf a = d[4] - 2.0f * d[2], b = d[3] - 2.0f * d[1], c = d[4] - 0.5f * d[2], e = d[3] - 0.5f * d[1];
            to[0] = d[0] + (d[4] - 2.5f * d[2]);
            to[1] = a + float(LOW) * b;
            to[2] = a - float(LOW) * b;
            to[3] = c - float(HIGH) * e;
            to[4] = c + float(HIGH) * e;
            to[5] = d[1] + (d[5] - 2.5f * d[3]);
        } else table_product<InputTable<P>, false, P>(d, to, std::make_integer_sequence<int, P>{});
    }
};
template <int P, int R> struct WeightPoints {
    static constexpr int IN = R, OUT = P;
    [[gnu::always_inline]] static void apply(const vf* w, vf* to) {
        if constexpr (P == 1) to[0] = w[0];
        else table_product<WeightTable<P, R>, false, R>(w, to, std::make_integer_sequence<int, P>{});
    }
};
template <int P, int M> struct OutputValues {
    static constexpr int IN = P, OUT = M;
    [[gnu::always_inline]] static void apply(const vf* m, vf* to) {
        if constexpr (P == 1) to[0] = m[0];
        else if constexpr (P == 6) {
            const vf s1 = m[1] + m[2], d1 = m[1] - m[2], s2 = m[3] + m[4], d2 = m[4] - m[3];
            constexpr double low[] = {1, LOW, 0.5, 0.5 * LOW, 0.25, 0.25 * LOW},
                             high[] = {1, HIGH, 2, 2 * HIGH, 4, 4 * HIGH};
#pragma GCC unroll 6
            for (int i = 0; i < M; i++) to[i] = float(low[i]) * (i % 2 ? d1 : s1) + float(high[i]) * (i % 2 ? d2 : s2);
            to[0] += m[0];
            to[M - 1] += m[5];
        } else table_product<OutputTable<P, M>, true, P>(m, to, std::make_integer_sequence<int, M>{});
    }
};
template <int P, int M> struct GradientPoints {
    static constexpr int IN = M, OUT = P;
    [[gnu::always_inline]] static void apply(const vf* y, vf* to) {
        if constexpr (P == 1) to[0] = y[0];
        else table_product<OutputTable<P, M>, false, M>(y, to, std::make_integer_sequence<int, P>{});
    }
};
template <int P, int R> struct WeightValues {
    static constexpr int IN = P, OUT = R;
    [[gnu::always_inline]] static void apply(const vf* m, vf* to) {
        if constexpr (P == 1) to[0] = m[0];
        else table_product<WeightTable<P, R>, true, P>(m, to, std::make_integer_sequence<int, R>{});
    }
};

// Both dimensions: Y along columns of vectors get(i, j), then X along rows into put(i, j, v).
template <class Y, class X, class Get, class Put> [[gnu::always_inline]] inline void both_ways(Get&& get, Put&& put) {
    vf half[Y::OUT][X::IN];
#pragma GCC unroll 8
    for (int j = 0; j < X::IN; j++) {
        vf in[Y::IN], out[Y::OUT];
#pragma GCC unroll 8
        for (int i = 0; i < Y::IN; i++) in[i] = get(i, j);
        Y::apply(in, out);
#pragma GCC unroll 8
        for (int i = 0; i < Y::OUT; i++) half[i][j] = out[i];
    }
#pragma GCC unroll 8
    for (int i = 0; i < Y::OUT; i++) {
        vf out[X::OUT];
        X::apply(half[i], out);
#pragma GCC unroll 8
        for (int j = 0; j < X::OUT; j++) put(i, j, out[j]);
    }
}

// Points, outputs and taps of rows (Y) and columns (X), of a convolution whose source is read with stride S: each of
// its S x S phases (sources of the same remainder) is a plane of its own with R taps, of which the last may be missing.
// Or its targets are written with stride O: each of the O x O phases of them has up to R taps of the same sources.
template <int MY_, int RY_, int MX_, int RX_, int S_, int O_ = 1> struct Scheme {
    static constexpr int MY = MY_, RY = RY_, MX = MX_, RX = RX_, S = S_, PY = MY + RY - 1, PX = MX + RX - 1;
    static constexpr int ALL = PY * PX, SY = RY == 1 ? 1 : S, SX = S, PHASES = SY * SX, O = O_, OUTS = O * O;
};

// Rows of a product: c[i][...] (rows LANE apart) = or += sum over k of a_i[k] * b[k * LANE + ...], where a_i[k] is
// a[i * row + k], or if SIDE_BY_SIDE a[k * LANE + i]
template <int R, int C, bool SIDE_BY_SIDE>
[[gnu::noinline]] void product_tile(int64_t k, const float* a, int64_t row, const float* b, float* c, bool add) {
    vf sum[R][C];
    tile_product<float, R, C, SIDE_BY_SIDE>(k, a, SIDE_BY_SIDE ? 1 : row, SIDE_BY_SIDE ? LANE : 1, b, LANE, sum);
    if (add) each_of_tile<R, C>([&](int i, int j) { sum[i][j] += load(c + i * LANE + j * L); });
    each_of_tile<R, C>([&](int i, int j) { store(c + i * LANE + j * L, sum[i][j]); });
}

// Any number of rows, in tiles that are alike; `columns` of the LANE are wanted.
template <bool SIDE_BY_SIDE>
inline void product_rows(int64_t rows, int64_t columns, int64_t k, const float* a, int64_t row, const float* b,
                         float* c, bool add) {
    const int64_t tiles = (rows + ROWS - 1) / ROWS;
    for (int64_t t = 0; t < tiles; t++) {
        const int64_t from = rows * t / tiles, count = rows * (t + 1) / tiles - from;
        const float* mine = a + from * (SIDE_BY_SIDE ? 1 : row);
        float* to = c + from * LANE;
        switch (count) {
#define WEFT_ROWS(R)                                                                         \
    case R:                                                                                  \
        if constexpr (R <= ROWS) {                                                           \
            if (columns > L) product_tile<R, 2, SIDE_BY_SIDE>(k, mine, row, b, to, add);     \
            else product_tile<R, 1, SIDE_BY_SIDE>(k, mine, row, b, to, add);                 \
        }                                                                                    \
        break;
            WEFT_ROWS(1) WEFT_ROWS(2) WEFT_ROWS(3) WEFT_ROWS(4) WEFT_ROWS(5) WEFT_ROWS(6)
            WEFT_ROWS(7) WEFT_ROWS(8) WEFT_ROWS(9) WEFT_ROWS(10) WEFT_ROWS(11) WEFT_ROWS(12)
#undef WEFT_ROWS
            default: break;
        }
    }
}

// What a sum costs (see `pays`): vectors that hold n lanes; lanes that products of n columns take, a half panel being
// slower than half of one.
inline double vectors(int64_t n) { return double((n + L - 1) / L); }
inline double lanes_used(int64_t n) { return vectors(n) * L + ((n + L - 1) / L % 2 ? 0.2 * L : 0.0); }

}  // namespace weft::winograd
