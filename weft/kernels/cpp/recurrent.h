// What all recurrent layers share: the rows of a sequence, the arguments, the packed weights.
//
// One layer, one or two directions. The input products of all steps are one product; then for each step the hidden
// product is added and the cell's functions are applied, on rows that lie in the cache. Rows of a batch don't depend on
// each other, so a thread takes some of them through the whole sequence and never waits for another.
//
// A cell is a policy:
//     GATES       rows of the weights, in units of the hidden size
//     WIDTH       what is kept of each step, in the same units
//     KEEPS       whether that is needed by the backward
//     STATES      2 with a memory cell c beside h
//     PARTS       of the hidden product: {gate, gates, column, adds}: which rows of the weights go to which columns of
//     what is kept forward     (gates, h_before, c_before, h, c, n): one row; turns the sums in `gates` into what the
//     backward needs backward    (gates, h_before, c_before, h, c, dh, dc, slopes, n): one row; gives the slopes of the
//     sums, and dh and dc of the
//                 step before as far as they don't go through the hidden product
#pragma once
#include <array>
#include <atomic>
#include <vector>

#include "border.h"
#include "exp2.h"
#include "panels.h"

namespace weft {

struct Part { int gate, gates, column; bool adds; };

// Where the row of sequence b at step t lies among all rows.
struct Steps {
    int64_t count = 0, batch = 0, rows = 0, step = 0, lane = 1;
    // how many sequences have a step t (packed sequences, longest first); null: all
    const int64_t* sizes = nullptr;
    std::vector<int64_t> starts;                // of each step, when they differ in size
    int64_t size(int64_t t) const { return sizes ? sizes[t] : batch; }
    int64_t row(int64_t t, int64_t b) const { return (sizes ? starts[size_t(t)] : t * step) + b * lane; }
    int64_t length(int64_t b) const {           // of sequence b
        if (!sizes) return count;
        int64_t t = count;
        while (t > 0 && sizes[t - 1] <= b) t--;
        return t;
    }
};

// weights (G*H x I), (G*H x H)
template <class T> struct Direction { const T *input, *hidden, *input_bias, *hidden_bias; };

template <class T> struct Layer {
    Steps steps;
    int64_t inputs, hidden;
    int directions;
    bool biased;
    const T *x, *h0, *c0;                       // rows x inputs; (directions, batch, hidden)
    Direction<T> direction[2];
    int64_t out_row() const { return directions * hidden; }
};

// -1 for anything but a list or tuple of at most `most` arrays
inline int read_arrays(PyObject* list, Array* to, int most) {
    if (!PyList_Check(list) && !PyTuple_Check(list)) return -1;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(list);
    if (n > most) return -1;
    for (Py_ssize_t i = 0; i < n; i++)
        if (!view_of(PySequence_Fast_GET_ITEM(list, i), to[i])) return -1;
    return int(n);
}

inline bool is_shape(const Array& a, std::initializer_list<int64_t> shape) {
    if (a.nd != int(shape.size())) return false;
    int d = 0;
    for (int64_t n : shape)
        if (a.shape[d++] != n) return false;
    return true;
}

inline bool read_steps(const Array& x, const Array& sizes, bool batch_first, Steps& to) {
    if (sizes) {
        if (x.nd != 2 || sizes.nd != 1 || sizes.type != I64 || !sizes.contiguous || sizes.size == 0) return false;
        to.sizes = sizes.as<int64_t>();
        to.count = sizes.size;
        to.batch = to.sizes[0];
        to.starts.resize(size_t(to.count));
        for (int64_t t = 0; t < to.count; t++) {
            if (to.sizes[t] < 1 || (t && to.sizes[t] > to.sizes[t - 1])) return false;
            to.starts[size_t(t)] = to.rows;
            to.rows += to.sizes[t];
        }
        return to.rows == x.shape[0];
    }
    if (x.nd != 3) return false;
    to.count = x.shape[batch_first ? 1 : 0];
    to.batch = x.shape[batch_first ? 0 : 1];
    to.rows = to.count * to.batch;
    to.step = batch_first ? 1 : to.batch;
    to.lane = batch_first ? to.count : 1;
    return to.rows > 0;
}

// The layer of the arguments; false for what the kernels don't take (then the reference runs, or speaks).
template <class T, class Cell>
bool read_layer(const Array& x, const Array& h0, const Array& c0, PyObject* list, const Array& sizes, bool batch_first,
                Layer<T>& to) {
    Array params[8];
    const int count = read_arrays(list, params, 8);
    if (!x || !h0 || (Cell::STATES == 2) != bool(c0) || !x.contiguous || !h0.contiguous || h0.type != x.type ||
        h0.nd != 3)
        return false;
    if (!read_steps(x, sizes, batch_first, to.steps)) return false;
    to.directions = int(h0.shape[0]);
    to.hidden = h0.shape[2];
    to.inputs = x.shape[x.nd - 1];
    if (to.directions < 1 || to.directions > 2 || to.hidden == 0 || to.inputs == 0 || h0.shape[1] != to.steps.batch)
        return false;
    if (c0 && (!c0.contiguous || c0.type != x.type || !is_shape(c0, {to.directions, to.steps.batch, to.hidden})))
        return false;
    if (count != 2 * to.directions && count != 4 * to.directions) return false;
    to.biased = count == 4 * to.directions;
    for (int i = 0; i < count; i++)
        if (params[i].type != x.type || !params[i].contiguous) return false;
    const int64_t wide = Cell::GATES * to.hidden;
    for (int d = 0; d < to.directions; d++) {
        const Array* p = params + d * (to.biased ? 4 : 2);
        if (!is_shape(p[0], {wide, to.inputs}) || !is_shape(p[1], {wide, to.hidden})) return false;
        if (to.biased && (!is_shape(p[2], {wide}) || !is_shape(p[3], {wide}))) return false;
        to.direction[d] = {p[0].as<T>(), p[1].as<T>(), to.biased ? p[2].as<T>() : nullptr,
                           to.biased ? p[3].as<T>() : nullptr};
    }
    to.x = x.as<T>();
    to.h0 = h0.as<T>();
    to.c0 = c0 ? c0.as<T>() : nullptr;
    return true;
}

// One step: the state is (batch, hidden), without directions.
template <class T, class Cell>
bool read_cell(const Array& x, const Array& h, const Array& c, const Array (&weights)[4], Layer<T>& to) {
    if (!x || !h || !weights[0] || !weights[1] || (Cell::STATES == 2) != bool(c) || x.nd != 2 || h.nd != 2 ||
        bool(weights[2]) != bool(weights[3]))
        return false;
    const int64_t batch = x.shape[0], inputs = x.shape[1], n = h.shape[1], wide = Cell::GATES * n;
    if (batch == 0 || inputs == 0 || n == 0 || h.shape[0] != batch || !x.contiguous || !h.contiguous ||
        h.type != x.type)
        return false;
    if (c && (!is_shape(c, {batch, n}) || !c.contiguous || c.type != x.type)) return false;
    if (!is_shape(weights[0], {wide, inputs}) || !is_shape(weights[1], {wide, n})) return false;
    if (weights[2] && (!is_shape(weights[2], {wide}) || !is_shape(weights[3], {wide}))) return false;
    for (const Array& w : weights)
        if (w && (w.type != x.type || !w.contiguous)) return false;
    to.steps.count = 1, to.steps.batch = to.steps.rows = to.steps.step = batch;
    to.inputs = inputs, to.hidden = n, to.directions = 1, to.biased = bool(weights[2]);
    to.x = x.as<T>(), to.h0 = h.as<T>(), to.c0 = c ? c.as<T>() : nullptr;
    to.direction[0] = {weights[0].as<T>(), weights[1].as<T>(), to.biased ? weights[2].as<T>() : nullptr,
                       to.biased ? weights[3].as<T>() : nullptr};
    return true;
}

// Few products with the weights don't pay for packing them; a choice by sizes, not by threads.
template <class T> bool packs(const Layer<T>& x) { return x.steps.count > 1 && x.steps.rows >= 16; }

// The sequences [from, to) of a task. Their number may depend on the threads: rows are computed alike in any company.
template <class T> int64_t chunks_of(const Layer<T>& x, int64_t gates) {
    const int64_t threads = host->threads(), work = x.steps.rows * gates * x.hidden * x.hidden;
    if (threads == 1 || !packs(x) || work < 200000) return 1;
    const int64_t wanted = (threads + x.directions - 1) / x.directions;
    return std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, x.steps.batch / 4));
}

// Lane by lane along a row of n elements, whose last vector may be short.
template <class T, class F> [[gnu::always_inline]] inline void along(int64_t n, F&& body) {
    constexpr int64_t L = LANES<T>;
    int64_t j = 0;
    for (; j + L <= n; j += L) body(j, [](const T* p) { return load(p); }, [](T* p, Vec<T> v) { store(p, v); });
    const int64_t left = n - j;
    if (left)
        body(j, [left](const T* p) { return load_part(p, left); }, [left](T* p, Vec<T> v) { store_part(p, v, left); });
}

}  // namespace weft
