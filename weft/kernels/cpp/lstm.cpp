// The LSTM layer: i, f, o = sigmoid, g = tanh of the sums;  c = f * c_before + i * g;  h = o * tanh(c).
#include "recurrent_backward.h"
#include "recurrent_forward.h"

namespace weft {
namespace {

template <class T> struct Lstm {
    static constexpr int GATES = 4, WIDTH = 4, STATES = 2;      // kept: i, f, g, o
    static constexpr bool KEEPS = true;
    static constexpr std::array<Part, 1> PARTS = {{{0, 4, 0, true}}};

    static void forward(T* gates, const T*, const T* c_before, T* h, T* c, int64_t n) {
        along<T>(n, [&](int64_t j, auto get, auto put) {
            const Vec<T> i = gate_sigmoid(get(gates + j)), f = gate_sigmoid(get(gates + n + j));
            const Vec<T> g = gate_tanh(get(gates + 2 * n + j)), o = gate_sigmoid(get(gates + 3 * n + j));
            const Vec<T> now = f * get(c_before + j) + i * g;
            put(gates + j, i);
            put(gates + n + j, f);
            put(gates + 2 * n + j, g);
            put(gates + 3 * n + j, o);
            put(c + j, now);
            put(h + j, o * gate_tanh(now));
        });
    }

    static void backward(const T* gates, const T*, const T* c_before, const T*, const T* c, T* dh, T* dc, T* slopes,
                         int64_t n) {
        const Vec<T> one = splat<T>(1);
        along<T>(n, [&](int64_t j, auto get, auto put) {
            const Vec<T> i = get(gates + j), f = get(gates + n + j), g = get(gates + 2 * n + j),
                         o = get(gates + 3 * n + j);
            const Vec<T> bent = gate_tanh(get(c + j)), grad = get(dh + j);
            const Vec<T> inner = get(dc + j) + grad * o * (one - bent * bent);
            put(slopes + j, inner * g * i * (one - i));
            put(slopes + n + j, inner * get(c_before + j) * f * (one - f));
            put(slopes + 2 * n + j, inner * i * (one - g * g));
            put(slopes + 3 * n + j, grad * bent * o * (one - o));
            put(dc + j, inner * f);
            put(dh + j, Vec<T>{});
        });
    }
};

}  // namespace

// lstm_layer(x, h0, c0, params, sizes or None, batch_first): (out, h, c, gates, cells). x (T, B, I), (B, T, I) or
// packed (rows, I); h0 and c0 (D, B, H); params [w_ih, w_hh, b_ih, b_hh] of each direction, or without biases
KERNEL(lstm_layer) {
    Array x, h0, c0, sizes;
    PyObject* params;
    bool batch_first;
    if (!read(args, n, x, h0, c0, params, sizes, batch_first) || !x) return not_taken();
    if (x.type == F32) return forward_layer<float, Lstm<float>>(x, h0, c0, params, sizes, batch_first);
    if (x.type == F64) return forward_layer<double, Lstm<double>>(x, h0, c0, params, sizes, batch_first);
    return not_taken();
}

// lstm_layer_backward(d_out, d_h, d_c (each or None), x, h0, c0, params, sizes, batch_first, out, gates, cells, want_x)
KERNEL(lstm_layer_backward) {
    Array d_out, d_h, d_c, x, h0, c0, sizes, out, gates, cells;
    PyObject* params;
    bool batch_first, want_x;
    if (!read(args, n, d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, out, gates, cells, want_x) || !x)
        return not_taken();
    if (x.type == F32)
        return backward_layer<float, Lstm<float>>(d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, out, gates,
                                                  cells, want_x);
    if (x.type == F64)
        return backward_layer<double, Lstm<double>>(d_out, d_h, d_c, x, h0, c0, params, sizes, batch_first, out, gates,
                                                    cells, want_x);
    return not_taken();
}

// lstm_cell(x, h, c, w_ih, w_hh, b_ih or None, b_hh or None): (h, c, gates) after one step
KERNEL(lstm_cell) {
    Array x, h, c, weights[4];
    if (!read(args, n, x, h, c, weights[0], weights[1], weights[2], weights[3]) || !x) return not_taken();
    if (x.type == F32) return forward_cell<float, Lstm<float>>(x, h, c, weights);
    if (x.type == F64) return forward_cell<double, Lstm<double>>(x, h, c, weights);
    return not_taken();
}

// lstm_cell_backward(d_h, d_c, x, h0, c0, w_ih, w_hh, b_ih, b_hh, h, c, gates, want_x)
KERNEL(lstm_cell_backward) {
    Array d_h, d_c, x, h0, c0, weights[4], h, c, gates;
    bool want_x;
    if (!read(args, n, d_h, d_c, x, h0, c0, weights[0], weights[1], weights[2], weights[3], h, c, gates, want_x) || !x)
        return not_taken();
    if (x.type == F32) return backward_cell<float, Lstm<float>>(d_h, d_c, x, h0, c0, weights, h, c, gates, want_x);
    if (x.type == F64) return backward_cell<double, Lstm<double>>(d_h, d_c, x, h0, c0, weights, h, c, gates, want_x);
    return not_taken();
}

}  // namespace weft
