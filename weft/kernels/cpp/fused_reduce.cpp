// A chain of elementwise functions whose last result is reduced while it is in the cache: it never goes through memory.
#include "fused.h"
#include "half.h"
#include "reduce.h"

namespace weft {
namespace {

using namespace fused;

enum What { SUM, MEAN, GREATEST, LEAST };       // as in jit/passes/fold.py

struct Chain final : Source {
    const Program& p;
    const int64_t item;
    explicit Chain(const Program& program, const Array& last) : p(program), item(ITEM_SIZE[last.type]) {}
    void fill(int64_t from, int64_t n, char* to) const override {
        alignas(64) char tiles[TILES_BYTES];
        for (int64_t i = 0; i < n;) {
            const int64_t inside = (from + i) % p.row, some = std::min(n - i, p.row - inside);
            run_row(p, (from + i) / p.row, inside, some, tiles, to + i * item);
            i += some;
        }
    }
};

PyObject* reduced(int64_t what, const Array& x, const Reduction& r) {
    return what == SUM || what == MEAN ? sum_or_mean_of(x, r, what == MEAN) : extreme_of(x, r, what == GREATEST);
}

// the chain's last result as an array that has no data yet; reductions of half types are made of floats
Array last_of(const Program& p) {
    Array x;
    x.type = p.floats_last ? F32 : p.type;
    x.nd = p.nd;
    x.size = p.size;
    x.contiguous = true;
    intptr_t step = ITEM_SIZE[x.type];
    for (int d = p.nd - 1; d >= 0; d--) {
        x.shape[d] = p.shape[d];
        x.stride[d] = step;
        step *= p.shape[d];
    }
    return x;
}

// An array of floats in a half type; the array is given up.
PyObject* narrowed(PyObject* floats, int type) {
    Array x;
    PyObject* made = view_of(floats, x) ? new_array(x.nd, x.shape, type) : nullptr;
    if (made) (type == F16 ? halves_of_floats : bfloats_of_floats)(x.as<float>(), data_of<uint16_t>(made), x.size);
    Py_DECREF(floats);
    return made;
}

}  // namespace

// fused_reduce(numbers, what, dim, keepdim, input, ...): the chain of `fused`; a tuple of its results, instead of the
// last one what that is reduced to.
KERNEL(fused_reduce) {
    constexpr int HEAD = 4;
    Array numbers, in[MOST_INPUTS];
    int64_t what;
    bool keepdim;
    uint32_t bits;
    if (n <= HEAD || n - HEAD > MOST_INPUTS || !view_of(args[0], numbers) || !read_one(args[1], what) || what < SUM ||
        what > LEAST || !read_one(args[3], keepdim))
        return not_taken();
    for (Py_ssize_t i = HEAD; i < n; i++)
        if (!view_of(args[i], in[i - HEAD])) return not_taken();
    Program p;
    p.floats_last = true;
    if (!read_program(numbers, in, int(n - HEAD), p) || p.kind[p.results - 1] == BOOL ||
        !read_dims(args[2], p.nd, bits))
        return not_taken();
    const Array x = last_of(p);
    Reduction r = plan_reduction(x, bits, keepdim);
    if (!can_be_filled(x, r)) return not_taken();
    const int last = p.results - 1;
    PyObject* made = PyTuple_New(p.results);
    if (!made) return nullptr;
    p.made[last] = nullptr;
    PyObject* found = nullptr;
    if (make_results(p, in, last, made)) {
        const Chain chain(p, x);
        r.source = &chain;
        try {
            found = reduced(what, x, r);
        } catch (const std::bad_alloc&) { PyErr_NoMemory(); }
    }
    if (found && p.floats_last) found = narrowed(found, p.type);
    if (!found) { Py_DECREF(made); return nullptr; }
    PyTuple_SET_ITEM(made, last, found);
    return made;
}

}  // namespace weft
