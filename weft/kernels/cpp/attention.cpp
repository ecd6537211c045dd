// The forward of attention: out = softmax(q @ k^T * scale + mask) @ v, a block of keys at a time, so that no row of
// weights is ever whole.
//
// For each row the greatest score so far and the sum of its weights are kept; when a block brings a greater score, what
// was summed is scaled down. Besides the result only the logarithm of each row's sum is given, from which the backward
// makes the weights again.
#include "attention.h"

#include <atomic>

namespace weft {
namespace {

constexpr int64_t BLOCK = 128;              // keys at a time: scores, a panel of k and one of v stay in the first cache
constexpr int64_t SPAN = 4 * BLOCK;         // keys that are packed at a time
constexpr int64_t TILES = 4;                // tiles of rows at a time
template <class T> constexpr int64_t ROWS = TILES * Tile<T>::ROWS;
template <class T> constexpr int64_t CHUNK = 528 / ROWS<T> * ROWS<T>;     // queries of a task

template <class T> struct Forward : Attention<T> {
    Heads<T> out;
    T* logs;        // (batch, heads, queries)
};

// What a task keeps for its chunk of queries.
template <class T> struct State {
    T *panels, *values, *scores, *sums, *top, *total;
    int64_t wide;
    State(Workspace& w, const Forward<T>& x) : wide(padded<T>(x.width)) {
        panels = w.cut<T>(SPAN * x.depth);
        values = w.cut<T>(SPAN * wide);
        scores = w.cut<T>(ROWS<T> * BLOCK);
        sums = w.cut<T>(CHUNK<T> * wide);
        top = w.cut<T>(CHUNK<T>);
        total = w.cut<T>(CHUNK<T>);
    }
    static size_t bytes(const Forward<T>& x) {
        return sizeof(T) * size_t(SPAN * (x.depth + padded<T>(x.width)) + ROWS<T> * BLOCK +
                                  CHUNK<T> * (padded<T>(x.width) + 2)) +
               1024;
    }
};

// Scores of one row become weights in place; the sum of what was there before is scaled to the new greatest score.
template <class T>
void weigh_row(T* scores, int64_t keys, int64_t whole, T scale, bool fresh, T& top, T& total, T* sums, int64_t wide) {
    constexpr int L = LANES<T>;
    constexpr T never = -std::numeric_limits<T>::infinity();
    for (int64_t j = keys; j < whole; j++) scores[j] = never;
    Vec<T> best[2] = {splat<T>(never), splat<T>(never)};
    for (int64_t j = 0; j < whole; j += 2 * L)
        for (int u = 0; u < 2; u++) best[u] = vmax(load(scores + j + u * L), best[u]);
    T peak = max_lanes(vmax(best[0], best[1])) * scale;
    if (!fresh) peak = top > peak ? top : peak;
    const T shift = peak == never ? T(0) : peak;        // a row that saw no key yet: all weights are 0
    Vec<T> sum[2] = {};
    for (int64_t j = 0; j < whole; j += 2 * L)
        for (int u = 0; u < 2; u++) {
            const Vec<T> weight = exp2_of<Vec<T>>(load(scores + j + u * L) * scale - shift);
            store(scores + j + u * L, weight);
            sum[u] += weight;
        }
    const T now = sum_lanes(sum[0] + sum[1]);
    if (fresh) {
        total = now;
    } else if (top == peak) {
        total += now;
    } else {
        const T less = std::exp2(top - shift);
        total = total * less + now;
        for (int64_t e = 0; e < wide; e += L) store(sums + e, load(sums + e) * less);
    }
    top = peak;
}

// One block of keys [key, key + keys) for the rows [first, first + rows) of a chunk that starts at query `start`.
template <class T>
void block(const Forward<T>& x, const State<T>& s, int64_t b, int64_t h, int64_t start, int64_t first, int64_t rows,
           int64_t span, int64_t key, int64_t keys, int64_t packed) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS;
    const int64_t query = start + first;
    scores_of<T>(x.q.at(b, h) + query * x.q.row, x.q.row, rows, s.panels + (key - span) * x.depth, x.depth, x.causal,
                 query, key, keys, s.scores, BLOCK);
    for (int64_t i = 0; i < rows; i++) {
        T* line = s.scores + i * BLOCK;
        const int64_t tile_last = query + i / R * R + R - 1;
        const int64_t mine = seen(x.causal, key, keys, query + i),
                      whole = padded<T>(seen(x.causal, key, keys, tile_last));
        if (x.mask) mask_row<T>(x, mask_at(x, b, h, query + i, key), mine, line);
        weigh_row<T>(line, mine, whole, x.mask ? T(1) : x.scale, key == 0, s.top[first + i], s.total[first + i],
                     s.sums + (first + i) * s.wide, s.wide);
    }
    for (int64_t c = 0; c < s.wide; c += N)
        for (int64_t i = 0; i < rows; i += R) {
            const int64_t count = std::min(R, rows - i), depth = seen(x.causal, key, keys, query + i + count - 1);
            any_tile<T, false>(count, depth, s.scores + i * BLOCK, BLOCK, 1, s.values + c * packed + (key - span) * N,
                               N, s.sums + (first + i) * s.wide + c, s.wide, N, {key > 0, nullptr, nullptr});
        }
}

template <class T> void finish_row(const State<T>& s, int64_t i, int64_t width, T* out, T* logs) {
    const T total = s.total[i];
    const T* sums = s.sums + i * s.wide;
    *logs = total == T(0) ? std::numeric_limits<T>::infinity() : s.top[i] + std::log2(total);
    if (total == T(0)) {        // no key is seen
        for (int64_t e = 0; e < width; e++) out[e] = T(0);
        return;
    }
    const T factor = T(1) / total;
    for (int64_t e = 0; e < width; e++) out[e] = sums[e] * factor;
}

template <class T> void chunk(const Forward<T>& x, const State<T>& s, int64_t b, int64_t h, int64_t start) {
    constexpr int64_t N = Tile<T>::COLUMNS;
    const int64_t count = std::min(CHUNK<T>, x.queries - start), group = h / (x.heads / x.groups);
    const int64_t limit = seen(x.causal, 0, x.keys, start + count - 1);
    for (int64_t span = 0; span < limit; span += SPAN) {
        const int64_t packed = std::min(SPAN, limit - span);
        const T* values = x.v.at(b, group) + span * x.v.row;
        pack_turned<T>(x.k.at(b, group) + span * x.k.row, x.k.row, packed, x.depth, s.panels);
        for (int64_t c = 0; c < s.wide; c += N)
            pack_columns<T>({values + c, x.v.row, 1}, packed, std::min(N, x.width - c), s.values + c * packed);
        for (int64_t first = 0; first < count; first += ROWS<T>) {
            const int64_t rows = std::min(ROWS<T>, count - first);
            const int64_t sees = seen(x.causal, 0, x.keys, start + first + rows - 1);
            for (int64_t key = span; key < std::min(sees, span + packed); key += BLOCK)
                block<T>(x, s, b, h, start, first, rows, span, key, std::min({BLOCK, sees - key, span + packed - key}),
                         packed);
        }
    }
    for (int64_t i = 0; i < count; i++)
        finish_row<T>(s, i, x.width, x.out.at(b, h) + (start + i) * x.out.row,
                      x.logs + (b * x.heads + h) * x.queries + start + i);
}

template <class T>
PyObject* run(const Array& q, const Array& k, const Array& v, const Array& mask, double scale, bool causal) {
    Forward<T> x;
    if (!attention_of<T>(q, k, v, mask, scale, causal, x)) return not_taken();
    PyObject* made = new_heads<T>(q, x.heads, x.queries, x.width, x.out);
    if (!made) return nullptr;
    PyObject* logs = new_array(3, q.shape, q.type);
    if (!logs) return results({made, logs});
    x.logs = data_of<T>(logs);
    const int64_t chunks = (x.queries + CHUNK<T> - 1) / CHUNK<T>,
                  work = std::min(CHUNK<T>, x.queries) * x.keys * (x.depth + x.width) / (causal ? 2 : 1) + 1;
    std::atomic<bool> failed{false};
    {
        Unlocked gil(q.size * x.keys);
        parallel(x.batch * x.heads * chunks, std::max<int64_t>(1, 300000 / work), [&](int64_t from, int64_t to) {
            Workspace memory(State<T>::bytes(x));
            if (!memory) { failed = true; return; }
            const State<T> state(memory, x);
            for (int64_t i = from; i < to; i++)
                chunk<T>(x, state, i / chunks / x.heads, i / chunks % x.heads, i % chunks * CHUNK<T>);
        });
    }
    if (!failed) return results({made, logs});
    Py_DECREF(made);
    Py_DECREF(logs);
    return PyErr_NoMemory();
}

}  // namespace

// attention(q, k, v, mask or None, scale, causal): q (B, H, L, E), k (B, G, S, E), v (B, G, S, V), mask up to (B, H, L,
// S), bool (what is seen) or numbers to add. Gives out (B, H, L, V) and the base-2 logarithms of the rows' sums (B, H,
// L).
KERNEL(attention) {
    Array q, k, v, mask;
    double scale;
    bool causal;
    if (!read(args, n, q, k, v, mask, scale, causal) || !q || !k || !v) return not_taken();
    if (q.type == F32) return run<float>(q, k, v, mask, scale, causal);
    if (q.type == F64) return run<double>(q, k, v, mask, scale, causal);
    return not_taken();
}

}  // namespace weft
