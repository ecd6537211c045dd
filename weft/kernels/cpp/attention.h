// What the forward and the backward of attention share: the operands with their strides, the mask, and the scores of a
// block.
//
// Heads are read where they lie (rows of q, k and v may be any distance apart, their elements side by side), the mask
// through its strides, so that nothing is expanded or copied whole. Scores are kept in base 2: weights are 2**(score *
// scale * log2(e) - logs), where `logs` is the base-2 logarithm of a row's sum, and inf for a row that sees no key.
#pragma once
#include <limits>

#include "border.h"
#include "exp2.h"
#include "panels.h"

namespace weft {

template <class T> struct Heads {       // element (b, h, i, e) is data[b * batch + h * head + i * row + e]
    T* data;
    int64_t batch, head, row;
    T* at(int64_t b, int64_t h) const { return data + b * batch + h * head; }
};

template <class T> struct Attention {
    // groups: heads of k and v; depth of q and k, width of v
    int64_t batch, heads, groups, queries, keys, depth, width;
    Heads<const T> q, k, v;
    const char* mask = nullptr;         // null without one
    bool allows = false;                // a mask of bools (what may be seen), not of numbers to add
    int64_t mask_step[4];               // its strides in bytes, 0 where it is broadcast
    T scale;                            // of the scores, log2(e) included
    bool causal;                        // query i sees keys up to i
};

template <class T> bool heads_of(const Array& a, Heads<const T>& to) {
    if (a.nd != 4 || (a.shape[3] > 1 && a.stride[3] != intptr_t(sizeof(T)))) return false;
    for (int d = 0; d < 3; d++)
        if (a.stride[d] % intptr_t(sizeof(T))) return false;
    to = {a.as<T>(), a.stride[0] / intptr_t(sizeof(T)), a.stride[1] / intptr_t(sizeof(T)),
          a.stride[2] / intptr_t(sizeof(T))};
    return true;
}

// False for what the kernels don't take: shapes that don't belong together, elements that don't lie side by side.
template <class T>
bool attention_of(const Array& q, const Array& k, const Array& v, const Array& mask, double scale, bool causal,
                  Attention<T>& to) {
    if (q.type != k.type || q.type != v.type || !heads_of<T>(q, to.q) || !heads_of<T>(k, to.k) || !heads_of<T>(v, to.v))
        return false;
    to.batch = q.shape[0], to.heads = q.shape[1], to.groups = k.shape[1], to.queries = q.shape[2], to.keys = k.shape[2];
    to.depth = q.shape[3], to.width = v.shape[3];
    if (k.shape[0] != to.batch || v.shape[0] != to.batch || v.shape[1] != to.groups || v.shape[2] != to.keys ||
        k.shape[3] != to.depth)
        return false;
    if (!(scale > 0) || to.groups == 0 || to.heads % to.groups || to.depth == 0 || to.width == 0 || to.keys == 0 ||
        q.size == 0)
        return false;
    to.scale = T(scale * 1.4426950408889634074);
    to.causal = causal;
    if (!mask) return true;
    const int64_t full[] = {to.batch, to.heads, to.queries, to.keys};
    if (mask.nd > 4 || (mask.type != BOOL && mask.type != q.type)) return false;
    to.mask = mask.data;
    to.allows = mask.type == BOOL;
    for (int d = 0; d < 4; d++) {
        const int own = d - (4 - mask.nd);
        if (own >= 0 && mask.shape[own] != 1 && mask.shape[own] != full[d]) return false;
        to.mask_step[d] = own < 0 || mask.shape[own] == 1 ? 0 : mask.stride[own];
    }
    return true;
}

// Rows side by side, each padded with zeros to `width`.
template <class T> void copy_rows(const T* from, int64_t row, int64_t rows, int64_t depth, T* to, int64_t width) {
    for (int64_t i = 0; i < rows; i++) {
        std::memcpy(to + i * width, from + i * row, size_t(depth) * sizeof(T));
        for (int64_t e = depth; e < width; e++) to[i * width + e] = T(0);
    }
}

// How many of `keys` keys from `key` on the queries up to `last` see.
inline int64_t seen(bool causal, int64_t key, int64_t keys, int64_t last) {
    return causal ? std::clamp<int64_t>(last + 1 - key, 0, keys) : keys;
}

// a[i] . b[j] for `rows` rows of a (row `first` the first of them among all queries) and keys [key, key + keys), whose
// turned panels b are; only the panels that a whole tile of rows would see.
template <class T>
void scores_of(const T* a, int64_t row, int64_t rows, const T* panels, int64_t depth, bool causal, int64_t first,
               int64_t key, int64_t keys, T* to, int64_t ld) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS;
    for (int64_t j = 0; j < keys; j += N)
        for (int64_t i = 0; i < rows; i += R) {
            const int64_t count = std::min(R, rows - i);
            if (j >= seen(causal, key, keys, first + i + R - 1)) continue;
            any_tile<T, false>(count, depth, a + i * row, row, 1, panels + j * depth, N, to + i * ld + j, ld, N, {});
        }
}

// scores * scale + mask of one row, in base 2; `at` is the row's mask from its first key on
template <class T> void mask_row(const Attention<T>& x, const char* at, int64_t keys, T* scores) {
    const int64_t step = x.mask_step[3];
    const T never = -std::numeric_limits<T>::infinity(), to_base = T(1.4426950408889634074);
    if (x.allows && step == 1) {
        for (int64_t j = 0; j < keys; j++) scores[j] = at[j] ? scores[j] * x.scale : never;
    } else if (x.allows) {
        for (int64_t j = 0; j < keys; j++) scores[j] = at[j * step] ? scores[j] * x.scale : never;
    } else if (step == int64_t(sizeof(T))) {
        const T* add = reinterpret_cast<const T*>(at);
        for (int64_t j = 0; j < keys; j++) scores[j] = scores[j] * x.scale + add[j] * to_base;
    } else {
        for (int64_t j = 0; j < keys; j++)
            scores[j] = scores[j] * x.scale + *reinterpret_cast<const T*>(at + j * step) * to_base;
    }
}

template <class T> inline const char* mask_at(const Attention<T>& x, int64_t b, int64_t h, int64_t query, int64_t key) {
    return x.mask + b * x.mask_step[0] + h * x.mask_step[1] + query * x.mask_step[2] + key * x.mask_step[3];
}

// A new array of shape (batch, heads, rows, width) whose memory is ordered as `like` is: rows of all heads together
// where like's are.
template <class T> PyObject* new_heads(const Array& like, int64_t heads, int64_t rows, int64_t width, Heads<T>& to) {
    const bool together = like.shape[1] > 1 && like.shape[2] > 1 && like.stride[1] < like.stride[2];
    const intptr_t shape[] = {like.shape[0], together ? rows : heads, together ? heads : rows, width};
    PyObject* made = new_array(4, shape, like.type);
    if (!made) return nullptr;
    to = {data_of<T>(made), rows * heads * width, together ? width : rows * width, together ? heads * width : width};
    if (!together) return made;
    PyObject* view = PyArray_SwapAxes(reinterpret_cast<PyArrayObject*>(made), 1, 2);
    Py_DECREF(made);
    return view;
}

}  // namespace weft
