// The forward of a recurrent layer; see recurrent.h.
#pragma once
#include "recurrent.h"

namespace weft {

template <class T> struct Made {        // what the forward gives
    // rows x (directions * hidden); (directions, batch, hidden) after the last step, null for a single one
    T *out, *h, *c;
    // (directions, rows, WIDTH * hidden) and (directions, rows, hidden), kept for the backward
    T *gates, *cells;
};

// All hidden products of one direction, packed or as the weights lie.
template <class T, class Cell> struct Hidden {
    std::array<Packed<T>, Cell::PARTS.size()> packed{};
    bool packs;
    const T* weights;
    const T* bias;                      // of the parts that don't add to the input's sums
    int64_t n;
    void operator()(int64_t rows, const T* h, int64_t ld, T* gates, int64_t step) const {
        for (size_t i = 0; i < Cell::PARTS.size(); i++) {
            const Part& part = Cell::PARTS[i];
            const Epilogue<T> e{part.adds, part.adds || !bias ? nullptr : bias + part.gate * n, nullptr};
            T* to = gates + part.column * n;
            if (packs) packed_product<T>(rows, h, ld, packed[i], to, step, e);
            else gemm<T>(rows, part.gates * n, n, {h, ld, 1}, {weights + part.gate * n * n, 1, n}, to, step, e);
        }
    }
};

template <class T, class Cell> void pack_hidden(const Layer<T>& x, int d, T* memory, Hidden<T, Cell>& to) {
    const int64_t n = x.hidden;
    to = {{}, packs(x), x.direction[d].hidden, x.direction[d].hidden_bias, n};
    if (!to.packs) return;
    for (size_t i = 0; i < Cell::PARTS.size(); i++) {
        const Part& part = Cell::PARTS[i];
        const int64_t columns = part.gates * n;
        T* into = memory;
        parallel(padded<T>(columns) / Tile<T>::COLUMNS, std::max<int64_t>(1, 30000 / (Tile<T>::COLUMNS * n)),
                 [&](int64_t from, int64_t until) {
            pack_turned_panels<T>(x.direction[d].hidden + part.gate * n * n, n, columns, n, from, until, into);
        });
        to.packed[i] = {into, columns, n};
        memory += packed_size<T>(columns, n);
    }
}

// The sums of the biases that go with the input products.
template <class T, class Cell> void input_bias(const Layer<T>& x, int d, T* to) {
    const int64_t n = x.hidden;
    std::copy_n(x.direction[d].input_bias, Cell::GATES * n, to);
    for (const Part& part : Cell::PARTS)
        if (part.adds)
            for (int64_t j = part.gate * n; j < (part.gate + part.gates) * n; j++)
                to[j] += x.direction[d].hidden_bias[j];
}

// One direction of the sequences [from, to), step by step.
template <class T, class Cell>
void go_forward(const Layer<T>& x, const Hidden<T, Cell>& product, const Made<T>& made, int d, int64_t from,
                int64_t to) {
    const Steps& steps = x.steps;
    const int64_t n = x.hidden, width = Cell::WIDTH * n, ld = x.out_row(), batch = steps.batch;
    T* gates = made.gates + d * steps.rows * width;
    T* cells = Cell::STATES == 2 ? made.cells + d * steps.rows * n : nullptr;
    T* out = made.out + d * n;
    int64_t before = -1, had = from;         // the step before, and up to which sequence it went
    for (int64_t s = 0; s < steps.count; s++) {
        const int64_t t = d ? steps.count - 1 - s : s, end = std::min(to, steps.size(t));
        if (end <= from) { if (d) continue; break; }
        const int64_t shared = std::min(end, had);
        if (shared > from)
            product(shared - from, out + steps.row(before, from) * ld, steps.lane * ld,
                    gates + steps.row(t, from) * width, steps.lane * width);
        if (end > shared)
            product(end - shared, x.h0 + (d * batch + shared) * n, n, gates + steps.row(t, shared) * width,
                    steps.lane * width);
        for (int64_t b = from; b < end; b++) {
            const int64_t row = steps.row(t, b), last = b < shared ? steps.row(before, b) : 0;
            const T* h_before = b < shared ? out + last * ld : x.h0 + (d * batch + b) * n;
            const T* c_before = Cell::STATES < 2 ? nullptr : b < shared ? cells + last * n : x.c0 + (d * batch + b) * n;
            Cell::forward(gates + row * width, h_before, c_before, out + row * ld,
                          Cell::STATES < 2 ? nullptr : cells + row * n, n);
        }
        before = t;
        had = end;
    }
    if (!made.h) return;
    for (int64_t b = from; b < to; b++) {
        const int64_t row = steps.row(d ? 0 : steps.length(b) - 1, b);
        std::copy_n(out + row * ld, n, made.h + (d * batch + b) * n);
        if (Cell::STATES == 2) std::copy_n(cells + row * n, n, made.c + (d * batch + b) * n);
    }
}

template <class T, class Cell> void run_forward(const Layer<T>& x, const Made<T>& made) {
    const int64_t n = x.hidden, width = Cell::WIDTH * n, wide = Cell::GATES * n, rows = x.steps.rows;
    Scratch<T> bias(size_t(2 * wide));
    Scratch<T> panels(
        packs(x) ? size_t(x.directions * (packed_size<T>(wide, n) + int64_t(Cell::PARTS.size()) * Tile<T>::COLUMNS * n))
                 : 1);
    Hidden<T, Cell> product[2];
    for (int d = 0; d < x.directions; d++) {
        if (x.biased) input_bias<T, Cell>(x, d, bias + d * wide);
        gemm<T>(rows, wide, x.inputs, {x.x, x.inputs, 1}, {x.direction[d].input, 1, x.inputs},
                made.gates + d * rows * width, width, {false, x.biased ? bias + d * wide : nullptr, nullptr});
        pack_hidden<T, Cell>(
            x, d, panels + d * (packed_size<T>(wide, n) + int64_t(Cell::PARTS.size()) * Tile<T>::COLUMNS * n),
            product[d]);
    }
    const int64_t chunks = chunks_of(x, Cell::GATES), batch = x.steps.batch;
    const auto task = [&](int64_t i) {
        go_forward<T, Cell>(x, product[i / chunks], made, int(i / chunks), batch * (i % chunks) / chunks,
                            batch * (i % chunks + 1) / chunks);
    };
    const int64_t tasks = x.directions * chunks;
    if (tasks > 1 && packs(x) && rows * wide * n > 100000) run_tasks(tasks, task);
    else for (int64_t i = 0; i < tasks; i++) task(i);
}

// (out, h, c, gates, cells); with one state (out, h, gates), and (out, h) where nothing else is kept
template <class T, class Cell>
PyObject* forward_layer(const Array& x, const Array& h0, const Array& c0, PyObject* params, const Array& sizes,
                        bool batch_first) {
    Layer<T> layer;
    if (!read_layer<T, Cell>(x, h0, c0, params, sizes, batch_first, layer)) return not_taken();
    intptr_t shape[3] = {x.shape[0], x.nd == 3 ? x.shape[1] : 0, 0};
    shape[x.nd - 1] = layer.out_row();
    PyObject* out = new_array(x.nd, shape, x.type);
    PyObject* h = new_array(h0);
    const intptr_t kept[] = {layer.directions, layer.steps.rows, Cell::WIDTH * layer.hidden},
                   inner[] = {kept[0], kept[1], layer.hidden};
    PyObject* gates = Cell::KEEPS ? new_array(3, kept, x.type) : nullptr;
    PyObject* c = Cell::STATES == 2 ? new_array(h0) : nullptr;
    PyObject* cells = Cell::STATES == 2 ? new_array(3, inner, x.type) : nullptr;
    const auto give = [&] {
        return Cell::STATES == 2 ? results({out, h, c, gates, cells})
               : Cell::KEEPS     ? results({out, h, gates})
                                 : results({out, h});
    };
    if (!out || !h || (Cell::KEEPS && !gates) || (Cell::STATES == 2 && (!c || !cells))) return give();
    bool enough = true;
    try {
        Scratch<T> sums(gates ? 1 : size_t(layer.directions * layer.steps.rows * Cell::WIDTH * layer.hidden));
        const Made<T> made{data_of<T>(out), data_of<T>(h), c ? data_of<T>(c) : nullptr,
                           gates ? data_of<T>(gates) : sums.data, cells ? data_of<T>(cells) : nullptr};
        Unlocked gil(layer.steps.rows * Cell::GATES * layer.hidden * (layer.hidden + layer.inputs));
        run_forward<T, Cell>(layer, made);
    } catch (const std::bad_alloc&) { enough = false; }
    if (enough) return give();
    for (PyObject* one : {out, h, gates, c, cells}) Py_XDECREF(one);
    return PyErr_NoMemory();
}

// One step: (h, c, gates), (h, gates) or (h,)
template <class T, class Cell>
PyObject* forward_cell(const Array& x, const Array& h0, const Array& c0, const Array (&weights)[4]) {
    Layer<T> layer;
    if (!read_cell<T, Cell>(x, h0, c0, weights, layer)) return not_taken();
    const intptr_t kept[] = {layer.steps.batch, Cell::WIDTH * layer.hidden};
    PyObject* h = new_array(h0);
    PyObject* c = Cell::STATES == 2 ? new_array(h0) : nullptr;
    PyObject* gates = Cell::KEEPS ? new_array(2, kept, x.type) : nullptr;
    const auto give = [&] {
        return Cell::STATES == 2 ? results({h, c, gates}) : Cell::KEEPS ? results({h, gates}) : results({h});
    };
    if (!h || (Cell::STATES == 2 && !c) || (Cell::KEEPS && !gates)) return give();
    bool enough = true;
    try {
        Unlocked gil(layer.steps.rows * Cell::GATES * layer.hidden * (layer.hidden + layer.inputs) / 8);
        Scratch<T> sums(gates ? 1 : size_t(layer.steps.rows * Cell::WIDTH * layer.hidden));
        run_forward<T, Cell>(layer, {data_of<T>(h), nullptr, nullptr, gates ? data_of<T>(gates) : sums.data,
                                     c ? data_of<T>(c) : nullptr});
    } catch (const std::bad_alloc&) { enough = false; }
    if (enough) return give();
    for (PyObject* one : {h, c, gates}) Py_XDECREF(one);
    return PyErr_NoMemory();
}

}  // namespace weft
