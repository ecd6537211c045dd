// The GRU layer: r, z = sigmoid of the sums;  n = tanh(n_input + r * n_hidden);  h = (1 - z) * n + z * h_before.
#include "recurrent_backward.h"
#include "recurrent_forward.h"

namespace weft {
namespace {

template <class T> struct Gru {
    static constexpr int GATES = 3, WIDTH = 4, STATES = 1;      // kept: r, z, n, n_hidden
    static constexpr bool KEEPS = true;
    static constexpr std::array<Part, 2> PARTS = {{{0, 2, 0, true}, {2, 1, 3, false}}};

    static void forward(T* gates, const T* h_before, const T*, T* h, T*, int64_t size) {
        along<T>(size, [&](int64_t j, auto get, auto put) {
            const Vec<T> r = gate_sigmoid(get(gates + j)), z = gate_sigmoid(get(gates + size + j));
            const Vec<T> n = gate_tanh(get(gates + 2 * size + j) + r * get(gates + 3 * size + j));
            put(gates + j, r);
            put(gates + size + j, z);
            put(gates + 2 * size + j, n);
            put(h + j, (get(h_before + j) - n) * z + n);
        });
    }

    static void backward(const T* gates, const T* h_before, const T*, const T*, const T*, T* dh, T*, T* slopes,
                         int64_t size) {
        const Vec<T> one = splat<T>(1);
        along<T>(size, [&](int64_t j, auto get, auto put) {
            const Vec<T> r = get(gates + j), z = get(gates + size + j), n = get(gates + 2 * size + j),
                         hidden = get(gates + 3 * size + j);
            const Vec<T> grad = get(dh + j), inner = grad * (one - z) * (one - n * n);      // of what is in the tanh
            put(slopes + j, inner * hidden * r * (one - r));
            put(slopes + size + j, grad * (get(h_before + j) - n) * z * (one - z));
            put(slopes + 2 * size + j, inner);
            put(slopes + 3 * size + j, inner * r);
            put(dh + j, grad * z);
        });
    }
};

}  // namespace

// gru_layer(x, h0, params, sizes or None, batch_first): (out, h, gates); see lstm_layer
KERNEL(gru_layer) {
    Array x, h0, sizes;
    PyObject* params;
    bool batch_first;
    if (!read(args, n, x, h0, params, sizes, batch_first) || !x) return not_taken();
    if (x.type == F32) return forward_layer<float, Gru<float>>(x, h0, {}, params, sizes, batch_first);
    if (x.type == F64) return forward_layer<double, Gru<double>>(x, h0, {}, params, sizes, batch_first);
    return not_taken();
}

// gru_layer_backward(d_out or None, d_h or None, x, h0, params, sizes, batch_first, out, gates, want_x)
KERNEL(gru_layer_backward) {
    Array d_out, d_h, x, h0, sizes, out, gates;
    PyObject* params;
    bool batch_first, want_x;
    if (!read(args, n, d_out, d_h, x, h0, params, sizes, batch_first, out, gates, want_x) || !x) return not_taken();
    if (x.type == F32)
        return backward_layer<float, Gru<float>>(d_out, d_h, {}, x, h0, {}, params, sizes, batch_first, out, gates, {},
                                                 want_x);
    if (x.type == F64)
        return backward_layer<double, Gru<double>>(d_out, d_h, {}, x, h0, {}, params, sizes, batch_first, out, gates,
                                                   {}, want_x);
    return not_taken();
}

// gru_cell(x, h, w_ih, w_hh, b_ih or None, b_hh or None): (h, gates) after one step
KERNEL(gru_cell) {
    Array x, h, weights[4];
    if (!read(args, n, x, h, weights[0], weights[1], weights[2], weights[3]) || !x) return not_taken();
    if (x.type == F32) return forward_cell<float, Gru<float>>(x, h, {}, weights);
    if (x.type == F64) return forward_cell<double, Gru<double>>(x, h, {}, weights);
    return not_taken();
}

// gru_cell_backward(d_h, x, h0, w_ih, w_hh, b_ih, b_hh, h, gates, want_x)
KERNEL(gru_cell_backward) {
    Array d_h, x, h0, weights[4], h, gates;
    bool want_x;
    if (!read(args, n, d_h, x, h0, weights[0], weights[1], weights[2], weights[3], h, gates, want_x) || !x)
        return not_taken();
    if (x.type == F32) return backward_cell<float, Gru<float>>(d_h, {}, x, h0, {}, weights, h, {}, gates, want_x);
    if (x.type == F64) return backward_cell<double, Gru<double>>(d_h, {}, x, h0, {}, weights, h, {}, gates, want_x);
    return not_taken();
}

}  // namespace weft
