// The backward of a recurrent layer; see recurrent.h. Step by step only what must be: the slopes of the sums and the
// gradient of the state before. Those of the weights and of the input are products over all steps at the end.
#pragma once
#include "recurrent.h"

namespace weft {

template <class T> struct Given {       // gradients of the results, and what the forward kept
    const T *d_out, *d_h, *d_c;         // null where nothing came
    const T *out, *gates, *cells;
};

template <class T> struct Wanted {
    T *x, *h, *c;                       // x null when it isn't wanted
    struct { T *input, *hidden, *input_bias, *hidden_bias; } weights[2];
};

// dh (rows x n) += slopes @ hidden weights
template <class T, class Cell> struct HiddenBack {
    std::array<Packed<T>, Cell::PARTS.size()> packed{};
    bool packs;
    const T* weights;
    int64_t n;
    void operator()(int64_t rows, const T* slopes, int64_t ld, T* dh) const {
        for (size_t i = 0; i < Cell::PARTS.size(); i++) {
            const Part& part = Cell::PARTS[i];
            const T* from = slopes + part.column * n;
            if (packs) packed_product<T>(rows, from, ld, packed[i], dh, n, {true, nullptr, nullptr});
            else
                gemm<T>(rows, n, part.gates * n, {from, ld, 1}, {weights + part.gate * n * n, n, 1}, dh, n,
                        {true, nullptr, nullptr});
        }
    }
};

template <class T, class Cell> void pack_back(const Layer<T>& x, int d, T* memory, HiddenBack<T, Cell>& to) {
    const int64_t n = x.hidden;
    to = {{}, packs(x), x.direction[d].hidden, n};
    if (!to.packs) return;
    for (size_t i = 0; i < Cell::PARTS.size(); i++) {
        const Part& part = Cell::PARTS[i];
        T* into = memory;
        parallel(padded<T>(n) / Tile<T>::COLUMNS, std::max<int64_t>(1, 30000 / (Tile<T>::COLUMNS * part.gates * n)),
                 [&](int64_t from, int64_t until) {
            pack_panels<T>(x.direction[d].hidden + part.gate * n * n, n, n, part.gates * n, from, until, into);
        });
        to.packed[i] = {into, n, part.gates * n};
        memory += packed_size<T>(n, part.gates * n);
    }
}

// One direction of the sequences [from, to), from the last step to the first. dh and dc (batch x n) hold what comes
// from later steps.
template <class T, class Cell>
void go_back(const Layer<T>& x, const HiddenBack<T, Cell>& product, const Given<T>& given, T* slopes, T* dh, T* dc,
             int d, int64_t from, int64_t to) {
    const Steps& steps = x.steps;
    const int64_t n = x.hidden, width = Cell::WIDTH * n, ld = x.out_row(), batch = steps.batch;
    const T* gates = Cell::KEEPS ? given.gates + d * steps.rows * width : nullptr;
    const T* cells = Cell::STATES == 2 ? given.cells + d * steps.rows * n : nullptr;
    for (int64_t s = steps.count - 1; s >= 0; s--) {
        const int64_t t = d ? steps.count - 1 - s : s, before = d ? t + 1 : t - 1, end = std::min(to, steps.size(t));
        if (end <= from) { if (d) break; continue; }
        // sequences that had the step before
        const int64_t shared = s == 0 ? 0 : std::min(end, steps.size(before));
        for (int64_t b = from; b < end; b++) {
            const int64_t row = steps.row(t, b), last = b < shared ? steps.row(before, b) : 0;
            T* mine = dh + b * n;
            if (given.d_out) {
                const T* more = given.d_out + row * ld + d * n;
                for (int64_t j = 0; j < n; j++) mine[j] += more[j];
            }
            const T* h_before = b < shared ? given.out + last * ld + d * n : x.h0 + (d * batch + b) * n;
            const T* c_before = Cell::STATES < 2 ? nullptr : b < shared ? cells + last * n : x.c0 + (d * batch + b) * n;
            Cell::backward(Cell::KEEPS ? gates + row * width : nullptr, h_before, c_before,
                           given.out + row * ld + d * n, Cell::STATES < 2 ? nullptr : cells + row * n, mine,
                           Cell::STATES < 2 ? nullptr : dc + b * n, slopes + row * width, n);
        }
        product(end - from, slopes + steps.row(t, from) * width, steps.lane * width, dh + from * n);
    }
}

// The states before each row's step, as the rows lie, `step` apart.
template <class T> void states_before(const Layer<T>& x, const T* out, int d, T* to, int64_t step) {
    const Steps& steps = x.steps;
    const int64_t n = x.hidden, ld = x.out_row();
    for (int64_t t = 0; t < steps.count; t++) {
        const int64_t before = d ? t + 1 : t - 1,
                      shared = before < 0 || before >= steps.count ? 0 : std::min(steps.size(t), steps.size(before));
        for (int64_t b = 0; b < steps.size(t); b++)
            std::copy_n(b < shared ? out + steps.row(before, b) * ld + d * n : x.h0 + (d * steps.batch + b) * n, n,
                        to + steps.row(t, b) * step);
    }
}

// Sums over rows, in blocks of 64 that are then added up, a fixed order for any number of threads. Rows are read as
// they lie, in stretches that the nearest cache holds.
template <class T> void column_sums(const T* from, int64_t rows, int64_t ld, int64_t columns, T* to) {
    constexpr int64_t BLOCK = 64, WIDE = 1024;
    std::fill_n(to, columns, T(0));
    parallel(columns, std::max<int64_t>(64, 20000 / rows), [&](int64_t begin, int64_t end) {
        alignas(64) T part[WIDE];
        for (int64_t j = begin; j < end; j += WIDE) {
            const int64_t count = std::min(WIDE, end - j);
            for (int64_t r = 0; r < rows; r += BLOCK) {
                std::fill_n(part, count, T(0));
                for (int64_t i = r; i < std::min(rows, r + BLOCK); i++)
                    along<T>(count, [&](int64_t c, auto get, auto put) {
                        put(part + c, get(part + c) + get(from + i * ld + j + c));
                    });
                for (int64_t c = 0; c < count; c++) to[j + c] += part[c];
            }
        }
    });
}

// Both weights' gradients as one product with (inputs, states before) side by side, for which the slopes are packed
// once; it pays where there are more steps than columns.
template <class T>
void both_weights(const Layer<T>& x, const T* out, const T* slopes, int64_t wide, int d, T* input, T* hidden) {
    const int64_t n = x.hidden, rows = x.steps.rows, columns = x.inputs + n;
    Scratch<T> beside(size_t(rows * columns)), made(size_t(wide * columns));
    states_before<T>(x, out, d, beside + x.inputs, columns);
    for (int64_t i = 0; i < rows; i++) std::copy_n(x.x + i * x.inputs, x.inputs, beside + i * columns);
    gemm<T>(wide, columns, rows, {slopes, 1, wide}, {beside, columns, 1}, made, columns);
    for (int64_t i = 0; i < wide; i++) {
        std::copy_n(made + i * columns, x.inputs, input + i * x.inputs);
        std::copy_n(made + i * columns + x.inputs, n, hidden + i * n);
    }
}

template <class T, class Cell>
void weight_gradients(const Layer<T>& x, const Given<T>& given, const T* slopes, int d, const Wanted<T>& wanted) {
    const int64_t n = x.hidden, width = Cell::WIDTH * n, wide = Cell::GATES * n, rows = x.steps.rows;
    const auto& weights = wanted.weights[d];
    if (Cell::PARTS.size() == 1 && x.steps.count > 1 && rows >= 2 * (n + x.inputs)) {
        both_weights<T>(x, given.out, slopes, wide, d, weights.input, weights.hidden);
    } else {
        gemm<T>(wide, x.inputs, rows, {slopes, 1, width}, {x.x, x.inputs, 1}, weights.input, x.inputs);
        Scratch<T> gathered(x.steps.count == 1 ? 1 : size_t(rows * n));
        const T* before = x.steps.count == 1 ? x.h0 + d * rows * n : gathered.data;
        if (x.steps.count > 1) states_before<T>(x, given.out, d, gathered, n);
        for (const Part& part : Cell::PARTS)
            gemm<T>(part.gates * n, n, rows, {slopes + part.column * n, 1, width}, {before, n, 1},
                    weights.hidden + part.gate * n * n, n);
    }
    if (wanted.x)
        gemm<T>(rows, x.inputs, wide, {slopes, width, 1}, {x.direction[d].input, x.inputs, 1}, wanted.x, x.inputs,
                {d > 0, nullptr, nullptr});
    if (!x.biased) return;
    column_sums<T>(slopes, rows, width, wide, weights.input_bias);
    for (const Part& part : Cell::PARTS) {
        T* to = weights.hidden_bias + part.gate * n;
        if (part.adds) std::copy_n(weights.input_bias + part.gate * n, part.gates * n, to);
        else column_sums<T>(slopes + part.column * n, rows, width, part.gates * n, to);
    }
}

template <class T, class Cell> void run_backward(const Layer<T>& x, const Given<T>& given, const Wanted<T>& wanted) {
    const int64_t n = x.hidden, width = Cell::WIDTH * n, wide = Cell::GATES * n, rows = x.steps.rows,
                  batch = x.steps.batch;
    Scratch<T> slopes(size_t(x.directions * rows * width));
    const int64_t space = packed_size<T>(n, wide);
    Scratch<T> panels(packs(x) ? size_t(x.directions * space) : 1);
    HiddenBack<T, Cell> product[2];
    for (int d = 0; d < x.directions; d++) pack_back<T, Cell>(x, d, panels + d * space, product[d]);
    const auto start = [&](const T* from, T* to) {
        if (from) std::copy_n(from, x.directions * batch * n, to);
        else std::fill_n(to, x.directions * batch * n, T(0));
    };
    start(given.d_h, wanted.h);
    if (Cell::STATES == 2) start(given.d_c, wanted.c);
    const int64_t chunks = chunks_of(x, Cell::GATES), tasks = x.directions * chunks;
    const auto task = [&](int64_t i) {
        const int d = int(i / chunks);
        go_back<T, Cell>(x, product[d], given, slopes + d * rows * width, wanted.h + d * batch * n,
                         Cell::STATES == 2 ? wanted.c + d * batch * n : nullptr, d, batch * (i % chunks) / chunks,
                         batch * (i % chunks + 1) / chunks);
    };
    if (tasks > 1 && packs(x) && rows * wide * n > 100000) run_tasks(tasks, task);
    else for (int64_t i = 0; i < tasks; i++) task(i);
    for (int d = 0; d < x.directions; d++) weight_gradients<T, Cell>(x, given, slopes + d * rows * width, d, wanted);
}

template <class T> bool fits_gradient(const Array& g, int type, std::initializer_list<int64_t> shape) {
    return !g || (g.type == type && g.contiguous && is_shape(g, shape));
}

// [dx or None, dh0, dc0 (with two states), then the gradients of the parameters in their order]
template <class T, class Cell>
PyObject* give_gradients(const Layer<T>& layer, const Given<T>& given, const Array& x, const Array& h0, bool want_x) {
    const int64_t n = layer.hidden, D = layer.directions, wide = Cell::GATES * n;
    const int per = layer.biased ? 4 : 2;
    PyObject* tuple = PyTuple_New(Py_ssize_t(1 + Cell::STATES + D * per));
    if (!tuple) return nullptr;
    bool enough = true;
    Py_ssize_t at = 0;
    const auto add = [&](PyObject* made) -> T* {
        PyTuple_SET_ITEM(tuple, at++, made);
        if (!made) enough = false;
        return made ? data_of<T>(made) : nullptr;
    };
    Wanted<T> wanted{};
    if (want_x) wanted.x = add(new_array(x));
    else { Py_INCREF(Py_None); PyTuple_SET_ITEM(tuple, at++, Py_None); }
    wanted.h = add(new_array(h0));
    if (Cell::STATES == 2) wanted.c = add(new_array(h0));
    for (int d = 0; d < D; d++) {
        const intptr_t input[] = {wide, layer.inputs}, hidden[] = {wide, n};
        wanted.weights[d].input = add(new_array(2, input, x.type));
        wanted.weights[d].hidden = add(new_array(2, hidden, x.type));
        if (!layer.biased) continue;
        wanted.weights[d].input_bias = add(new_array(1, hidden, x.type));
        wanted.weights[d].hidden_bias = add(new_array(1, hidden, x.type));
    }
    if (enough) {
        try {
            Unlocked gil(layer.steps.rows * wide * (n + layer.inputs) / 8);
            run_backward<T, Cell>(layer, given, wanted);
        } catch (const std::bad_alloc&) { enough = false; }
    }
    if (enough) return tuple;
    Py_DECREF(tuple);
    return PyErr_NoMemory();
}

template <class T, class Cell>
PyObject* backward_layer(const Array& d_out, const Array& d_h, const Array& d_c, const Array& x, const Array& h0,
                         const Array& c0, PyObject* params, const Array& sizes, bool batch_first, const Array& out,
                         const Array& gates, const Array& cells, bool want_x) {
    Layer<T> layer;
    if (!read_layer<T, Cell>(x, h0, c0, params, sizes, batch_first, layer)) return not_taken();
    const int64_t n = layer.hidden, D = layer.directions, rows = layer.steps.rows, batch = layer.steps.batch;
    if (!out || !out.contiguous || out.type != x.type || out.nd != x.nd || out.size != rows * D * n) return not_taken();
    if (Cell::KEEPS != bool(gates) || !fits_gradient<T>(gates, x.type, {D, rows, Cell::WIDTH * n}) ||
        (Cell::STATES == 2) != bool(cells))
        return not_taken();
    if (!fits_gradient<T>(cells, x.type, {D, rows, n}) || !fits_gradient<T>(d_h, x.type, {D, batch, n}) ||
        !fits_gradient<T>(d_c, x.type, {D, batch, n}))
        return not_taken();
    if (d_out && (!d_out.contiguous || d_out.type != x.type || d_out.size != out.size)) return not_taken();
    const Given<T> given{d_out ? d_out.as<T>() : nullptr, d_h ? d_h.as<T>() : nullptr,
                         d_c ? d_c.as<T>() : nullptr,     out.as<T>(),
                         gates ? gates.as<T>() : nullptr, cells ? cells.as<T>() : nullptr};
    return give_gradients<T, Cell>(layer, given, x, h0, want_x);
}

// One step: the same from the gradients of h and c
template <class T, class Cell>
PyObject* backward_cell(const Array& d_h, const Array& d_c, const Array& x, const Array& h0, const Array& c0,
                        const Array (&weights)[4], const Array& h, const Array& c, const Array& gates, bool want_x) {
    Layer<T> layer;
    if (!read_cell<T, Cell>(x, h0, c0, weights, layer)) return not_taken();
    const int64_t n = layer.hidden, batch = layer.steps.batch;
    if (!d_h || !h || (Cell::STATES == 2) != bool(c) || Cell::KEEPS != bool(gates) ||
        !fits_gradient<T>(gates, x.type, {batch, Cell::WIDTH * n}))
        return not_taken();
    for (const Array* a : {&d_h, &d_c, &h, &c})
        if (!fits_gradient<T>(*a, x.type, {batch, n})) return not_taken();
    const Given<T> given{nullptr,
                         d_h.as<T>(),
                         d_c ? d_c.as<T>() : nullptr,
                         h.as<T>(),
                         gates ? gates.as<T>() : nullptr,
                         c ? c.as<T>() : nullptr};
    return give_gradients<T, Cell>(layer, given, x, h0, want_x);
}

}  // namespace weft
