// The plain recurrent layer: h = tanh or relu of the sums.
#include "recurrent_backward.h"
#include "recurrent_forward.h"

namespace weft {
namespace {

template <class T, bool RELU> struct Rnn {
    static constexpr int GATES = 1, WIDTH = 1, STATES = 1;
    static constexpr bool KEEPS = false;                        // the slope follows from h
    static constexpr std::array<Part, 1> PARTS = {{{0, 1, 0, true}}};

    static void forward(T* gates, const T*, const T*, T* h, T*, int64_t n) {
        along<T>(n, [&](int64_t j, auto get, auto put) {
            const Vec<T> sum = get(gates + j);
            if constexpr (RELU) put(h + j, nan_max(sum, Vec<T>{}));
            else put(h + j, gate_tanh(sum));
        });
    }

    static void backward(const T*, const T*, const T*, const T* h, const T*, T* dh, T*, T* slopes, int64_t n) {
        along<T>(n, [&](int64_t j, auto get, auto put) {
            const Vec<T> made = get(h + j), grad = get(dh + j);
            if constexpr (RELU) put(slopes + j, select(made <= T(0), Vec<T>{}, grad));
            else put(slopes + j, grad * (T(1) - made * made));
            put(dh + j, Vec<T>{});
        });
    }
};

template <bool RELU>
PyObject* forward(const Array& x, const Array& h0, PyObject* params, const Array& sizes, bool batch_first) {
    if (x.type == F32) return forward_layer<float, Rnn<float, RELU>>(x, h0, {}, params, sizes, batch_first);
    if (x.type == F64) return forward_layer<double, Rnn<double, RELU>>(x, h0, {}, params, sizes, batch_first);
    return not_taken();
}

template <bool RELU>
PyObject* backward(const Array& d_out, const Array& d_h, const Array& x, const Array& h0, PyObject* params,
                   const Array& sizes, bool batch_first, const Array& out, bool want_x) {
    if (x.type == F32)
        return backward_layer<float, Rnn<float, RELU>>(d_out, d_h, {}, x, h0, {}, params, sizes, batch_first, out, {},
                                                       {}, want_x);
    if (x.type == F64)
        return backward_layer<double, Rnn<double, RELU>>(d_out, d_h, {}, x, h0, {}, params, sizes, batch_first, out, {},
                                                         {}, want_x);
    return not_taken();
}

}  // namespace

// rnn_layer(x, h0, params, sizes or None, batch_first, relu): (out, h); see lstm_layer
KERNEL(rnn_layer) {
    Array x, h0, sizes;
    PyObject* params;
    bool batch_first, relu;
    if (!read(args, n, x, h0, params, sizes, batch_first, relu) || !x) return not_taken();
    return relu ? forward<true>(x, h0, params, sizes, batch_first) : forward<false>(x, h0, params, sizes, batch_first);
}

// rnn_layer_backward(d_out or None, d_h or None, x, h0, params, sizes, batch_first, relu, out, want_x)
KERNEL(rnn_layer_backward) {
    Array d_out, d_h, x, h0, sizes, out;
    PyObject* params;
    bool batch_first, want_x, relu;
    if (!read(args, n, d_out, d_h, x, h0, params, sizes, batch_first, relu, out, want_x) || !x) return not_taken();
    if (relu) return backward<true>(d_out, d_h, x, h0, params, sizes, batch_first, out, want_x);
    return backward<false>(d_out, d_h, x, h0, params, sizes, batch_first, out, want_x);
}

// rnn_cell(x, h, w_ih, w_hh, b_ih or None, b_hh or None, relu): (h,) after one step
KERNEL(rnn_cell) {
    Array x, h, weights[4];
    bool relu;
    if (!read(args, n, x, h, weights[0], weights[1], weights[2], weights[3], relu) || !x) return not_taken();
    if (x.type == F32)
        return relu ? forward_cell<float, Rnn<float, true>>(x, h, {}, weights)
                    : forward_cell<float, Rnn<float, false>>(x, h, {}, weights);
    if (x.type == F64)
        return relu ? forward_cell<double, Rnn<double, true>>(x, h, {}, weights)
                    : forward_cell<double, Rnn<double, false>>(x, h, {}, weights);
    return not_taken();
}

// rnn_cell_backward(d_h, x, h0, w_ih, w_hh, b_ih, b_hh, h, relu, want_x)
KERNEL(rnn_cell_backward) {
    Array d_h, x, h0, weights[4], h;
    bool relu, want_x;
    if (!read(args, n, d_h, x, h0, weights[0], weights[1], weights[2], weights[3], h, relu, want_x) || !x)
        return not_taken();
    const auto run = [&]<class T>(T) {
        return relu ? backward_cell<T, Rnn<T, true>>(d_h, {}, x, h0, {}, weights, h, {}, {}, want_x)
                    : backward_cell<T, Rnn<T, false>>(d_h, {}, x, h0, {}, weights, h, {}, {}, want_x);
    };
    return x.type == F32 ? run(float()) : x.type == F64 ? run(double()) : not_taken();
}

}  // namespace weft
