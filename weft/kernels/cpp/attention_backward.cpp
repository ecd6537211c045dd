// The backward of attention: dq, dk and dv in one pass over pairs of blocks, whose weights are made again from the
// saved logarithms.
//
// For a block of queries and one of keys:  weights p = 2**(scores - logs),  dp = g @ v^T,  ds = p * (dp - rowsum(g *
// out)), dv += p^T @ g,  dk += ds^T @ q,  dq += ds @ k.  A task has one head of k and v and a range of its keys; its dk
// and dv are whole, and what it adds to dq is summed over the ranges in their order. Ranges depend on the sizes only,
// so results don't depend on the number of threads.
#include "attention.h"

#include <atomic>

namespace weft {
namespace {

template <class T> constexpr int64_t BLOCK = sizeof(T) == 4 ? 64 : 48;     // queries, and keys, of a pair
static_assert(BLOCK<float> % Tile<float>::COLUMNS == 0 && BLOCK<double> % Tile<double>::COLUMNS == 0);

template <class T> struct Backward : Attention<T> {
    Heads<const T> grad, out;
    const T* logs;
    Heads<T> dq, dk, dv;
    int64_t ranges, span;       // ranges of keys, and the length of one
    T* parts;                   // dq of each range (range, batch, heads, queries, padded depth); null with one range
    int64_t group() const { return this->heads / this->groups; }
    int64_t deep() const { return padded<T>(this->depth); }
    int64_t wide() const { return padded<T>(this->width); }
};

template <class T> struct State {
    T *q, *grad, *product, *dq;                     // of all queries of the heads that share k and v
    T *k, *k_turned, *v_turned, *dk, *dv;           // of a block of keys
    T *weights, *slopes;                            // of a pair of blocks
    State(Workspace& w, const Backward<T>& x) {
        const int64_t rows = x.group() * x.queries;
        q = w.cut<T>(rows * x.deep());
        grad = w.cut<T>(rows * x.wide());
        product = w.cut<T>(rows);
        dq = w.cut<T>(x.parts ? 0 : rows * x.deep());
        for (T** piece : {&k, &k_turned, &dk}) *piece = w.cut<T>(BLOCK<T> * x.deep());
        for (T** piece : {&v_turned, &dv}) *piece = w.cut<T>(BLOCK<T> * x.wide());
        weights = w.cut<T>(BLOCK<T> * BLOCK<T>);
        slopes = w.cut<T>(BLOCK<T> * BLOCK<T>);
    }
    static size_t bytes(const Backward<T>& x) {
        const int64_t rows = x.group() * x.queries;
        return sizeof(T) * size_t(rows * (2 * x.deep() + x.wide() + 1) +
                                  BLOCK<T> * (3 * x.deep() + 2 * x.wide() + 2 * BLOCK<T>)) +
               1024;
    }
};

// weights of one row, in place of its scores; 0 beyond the `mine` keys that it sees
template <class T> void weights_row(T* scores, int64_t mine, int64_t whole, T scale, T logs) {
    constexpr int L = LANES<T>;
    for (int64_t j = 0; j < mine; j += L) store(scores + j, exp2_of<Vec<T>>(load(scores + j) * scale - logs));
    for (int64_t j = mine; j < whole; j++) scores[j] = T(0);
}

template <class T> void slopes_row(const T* weights, T* slopes, int64_t whole, T product) {
    for (int64_t j = 0; j < whole; j += LANES<T>) store(slopes + j, load(weights + j) * (load(slopes + j) - product));
}

// c (keys x columns, ld apart) += a^T @ b, a's rows being queries; `aligned` where query i sees the keys up to i
template <class T>
void add_turned(const T* a, const T* b, int64_t queries, int64_t keys, int64_t columns, bool aligned, bool first,
                T* c) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS;
    for (int64_t j = 0; j < columns; j += N)
        for (int64_t i = 0; i < keys; i += R) {
            const int64_t skip = aligned ? std::min(i, queries) : 0;        // earlier queries see none of these keys
            any_tile<T, false>(std::min(R, keys - i), queries - skip, a + skip * BLOCK<T> + i, 1, BLOCK<T>,
                               b + skip * columns + j, columns, c + i * columns + j, columns, N,
                               {!first, nullptr, nullptr});
        }
}

// One pair of blocks: queries from `query` on, of head h, the m-th of its group; keys from `key` on.
template <class T>
void pair(const Backward<T>& x, const State<T>& s, int64_t b, int64_t h, int64_t m, int64_t query, int64_t queries,
          int64_t key, int64_t keys, bool first, T* dq) {
    constexpr int64_t R = Tile<T>::ROWS, N = Tile<T>::COLUMNS, ld = BLOCK<T>;
    const int64_t at = m * x.queries + query, deep = x.deep(), wide = x.wide();
    const bool aligned = x.causal && query < key + keys;        // the pair on the diagonal: query == key
    scores_of<T>(s.q + at * deep, deep, queries, s.k_turned, x.depth, aligned, query, key, keys, s.weights, ld);
    scores_of<T>(s.grad + at * wide, wide, queries, s.v_turned, x.width, aligned, query, key, keys, s.slopes, ld);
    const T* logs = x.logs + (b * x.heads + h) * x.queries + query;
    for (int64_t i = 0; i < queries; i++) {
        T* line = s.weights + i * ld;
        const int64_t tile_last = query + i / R * R + R - 1;
        const int64_t mine = seen(aligned, key, keys, query + i),
                      whole = padded<T>(seen(aligned, key, keys, tile_last));
        if (x.mask) mask_row<T>(x, mask_at(x, b, h, query + i, key), mine, line);
        weights_row<T>(line, mine, whole, x.mask ? T(1) : x.scale, logs[i]);
        slopes_row<T>(line, s.slopes + i * ld, whole, s.product[at + i]);
    }
    add_turned<T>(s.weights, s.grad + at * wide, queries, keys, wide, aligned, first, s.dv);
    add_turned<T>(s.slopes, s.q + at * deep, queries, keys, deep, aligned, first, s.dk);
    for (int64_t j = 0; j < deep; j += N)
        for (int64_t i = 0; i < queries; i += R) {
            const int64_t count = std::min(R, queries - i);
            any_tile<T, false>(count, seen(aligned, key, keys, query + i + count - 1), s.slopes + i * ld, ld, 1,
                               s.k + j, deep, dq + (at + i) * deep + j, deep, N, {true, nullptr, nullptr});
        }
}

template <class T>
void write_rows(const T* from, int64_t ld, int64_t rows, int64_t columns, T factor, T* to, int64_t row) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t e = 0; e < columns; e++) to[i * row + e] = from[i * ld + e] * factor;
}

template <class T> T scale_of(const Backward<T>& x) { return T(double(x.scale) * 0.69314718055994530942); }

template <class T> void load_head(const Backward<T>& x, const State<T>& s, int64_t b, int64_t h, int64_t m) {
    const int64_t at = m * x.queries;
    copy_rows<T>(x.q.at(b, h), x.q.row, x.queries, x.depth, s.q + at * x.deep(), x.deep());
    copy_rows<T>(x.grad.at(b, h), x.grad.row, x.queries, x.width, s.grad + at * x.wide(), x.wide());
    for (int64_t i = 0; i < x.queries; i++) {
        const T *g = x.grad.at(b, h) + i * x.grad.row, *o = x.out.at(b, h) + i * x.out.row;
        Vec<T> sum{};
        int64_t e = 0;
        for (; e + LANES<T> <= x.width; e += LANES<T>) sum += load(g + e) * load(o + e);
        T total = sum_lanes(sum);
        for (; e < x.width; e++) total += g[e] * o[e];
        s.product[at + i] = total;
    }
}

template <class T> void task(const Backward<T>& x, const State<T>& s, int64_t b, int64_t group, int64_t range) {
    const int64_t members = x.group(), deep = x.deep(), wide = x.wide(), rows = members * x.queries;
    for (int64_t m = 0; m < members; m++) load_head<T>(x, s, b, group * members + m, m);
    T* dq = x.parts ? x.parts + ((range * x.batch + b) * x.heads + group * members) * x.queries * deep : s.dq;
    std::fill_n(dq, rows * deep, T(0));
    const int64_t end = std::min(x.keys, (range + 1) * x.span);
    for (int64_t key = range * x.span; key < end; key += BLOCK<T>) {
        const int64_t keys = std::min(BLOCK<T>, end - key), start = x.causal ? key : 0;
        const T *k = x.k.at(b, group) + key * x.k.row, *v = x.v.at(b, group) + key * x.v.row;
        pack_turned<T>(k, x.k.row, keys, x.depth, s.k_turned);
        pack_turned<T>(v, x.v.row, keys, x.width, s.v_turned);
        copy_rows<T>(k, x.k.row, keys, x.depth, s.k, deep);
        bool first = true;
        for (int64_t m = 0; m < members; m++)
            for (int64_t query = start; query < x.queries; query += BLOCK<T>, first = false)
                pair<T>(x, s, b, group * members + m, m, query, std::min(BLOCK<T>, x.queries - query), key, keys, first,
                        dq);
        if (first) {        // no query sees these keys
            std::fill_n(s.dk, keys * deep, T(0));
            std::fill_n(s.dv, keys * wide, T(0));
        }
        write_rows<T>(s.dk, deep, keys, x.depth, scale_of(x), x.dk.at(b, group) + key * x.dk.row, x.dk.row);
        write_rows<T>(s.dv, wide, keys, x.width, T(1), x.dv.at(b, group) + key * x.dv.row, x.dv.row);
    }
    if (x.parts) return;
    for (int64_t m = 0; m < members; m++)
        write_rows<T>(dq + m * x.queries * deep, deep, x.queries, x.depth, scale_of(x), x.dq.at(b, group * members + m),
                      x.dq.row);
}

// dq of a head from the ranges' parts, in their order
template <class T> void join(const Backward<T>& x, int64_t b, int64_t h) {
    const int64_t deep = x.deep(), whole = x.batch * x.heads * x.queries * deep;
    T* total = x.parts + (b * x.heads + h) * x.queries * deep;
    for (int64_t range = 1; range < x.ranges; range++)
        for (int64_t e = 0; e < x.queries * deep; e++) total[e] += total[range * whole + e];
    write_rows<T>(total, deep, x.queries, x.depth, scale_of(x), x.dq.at(b, h), x.dq.row);
}

template <class T> bool run_all(Backward<T>& x) {
    const int64_t few = x.batch * x.groups;
    x.ranges = few < 8 ? std::clamp<int64_t>(x.keys / 256, 1, few < 4 ? 4 : 2) : 1;
    x.span = ((x.keys + x.ranges - 1) / x.ranges + BLOCK<T> - 1) / BLOCK<T> * BLOCK<T>;
    const int64_t work = 5 * x.group() * x.queries * x.span * std::max(x.depth, x.width) / 2 + 1;
    std::atomic<bool> failed{false};
    Scratch<T> parts(x.ranges > 1 ? size_t(x.ranges * x.batch * x.heads * x.queries * x.deep()) : 1);
    x.parts = x.ranges > 1 ? parts.data : nullptr;
    parallel(few * x.ranges, std::max<int64_t>(1, 300000 / work), [&](int64_t from, int64_t to) {
        Workspace memory(State<T>::bytes(x));
        if (!memory) { failed = true; return; }
        const State<T> state(memory, x);
        for (int64_t i = from; i < to; i++)
            task<T>(x, state, i / x.ranges / x.groups, i / x.ranges % x.groups, i % x.ranges);
    });
    if (x.parts && !failed) run_tasks(x.batch * x.heads, [&](int64_t i) { join<T>(x, i / x.heads, i % x.heads); });
    return !failed;
}

template <class T>
PyObject* run(const Array& grad, const Array& q, const Array& k, const Array& v, const Array& out, const Array& logs,
              const Array& mask, double scale, bool causal) {
    Backward<T> x;
    if (!attention_of<T>(q, k, v, mask, scale, causal, x) || !heads_of<T>(grad, x.grad) || !heads_of<T>(out, x.out))
        return not_taken();
    if (grad.type != q.type || out.type != q.type || logs.type != q.type || !logs.contiguous ||
        logs.size != x.batch * x.heads * x.queries)
        return not_taken();
    const int64_t shape[] = {x.batch, x.heads, x.queries, x.width};
    for (int d = 0; d < 4; d++)
        if (grad.shape[d] != shape[d] || out.shape[d] != shape[d]) return not_taken();
    x.logs = logs.as<T>();
    PyObject* dq = new_heads<T>(q, x.heads, x.queries, x.depth, x.dq);
    PyObject* dk = new_heads<T>(k, x.groups, x.keys, x.depth, x.dk);
    PyObject* dv = new_heads<T>(v, x.groups, x.keys, x.width, x.dv);
    if (!dq || !dk || !dv) return results({dq, dk, dv});
    bool enough = false;
    try {
        Unlocked gil(q.size * x.keys);
        enough = run_all<T>(x);
    } catch (const std::bad_alloc&) {}
    if (enough) return results({dq, dk, dv});
    for (PyObject* made : {dq, dk, dv}) Py_DECREF(made);
    return PyErr_NoMemory();
}

}  // namespace

// attention_backward(grad, q, k, v, out, logs, mask or None, scale, causal): (dq, dk, dv), shaped and ordered as q, k
// and v are
KERNEL(attention_backward) {
    Array grad, q, k, v, out, logs, mask;
    double scale;
    bool causal;
    if (!read(args, n, grad, q, k, v, out, logs, mask, scale, causal) || !grad || !q || !k || !v || !out || !logs)
        return not_taken();
    if (q.type == F32) return run<float>(grad, q, k, v, out, logs, mask, scale, causal);
    if (q.type == F64) return run<double>(grad, q, k, v, out, logs, mask, scale, causal);
    return not_taken();
}

}  // namespace weft
