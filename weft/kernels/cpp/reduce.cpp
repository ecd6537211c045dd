// The geometry of reductions: which dimensions, in which order.
#include "reduce.h"

namespace weft {

bool read_dims(PyObject* dim, int nd, uint32_t& bits) {
    const uint32_t all = (uint32_t(1) << nd) - 1;
    const int span = nd ? nd : 1;
    bits = 0;
    auto add = [&](PyObject* d) {
        int64_t value;
        if (PyBool_Check(d) || !read_one(d, value) || value < -span || value >= span) return false;
        const uint32_t bit = uint32_t(1) << (value < 0 ? value + span : value);
        if (bits & bit) return false;
        bits |= bit;
        return true;
    };
    if (dim == Py_None) { bits = all; return true; }
    if (PyLong_Check(dim)) {
        if (!add(dim)) return false;
    } else {
        if (!PyTuple_Check(dim) && !PyList_Check(dim)) return false;
        const Py_ssize_t n = PySequence_Fast_GET_SIZE(dim);
        if (n == 0) { bits = all; return true; }
        for (Py_ssize_t i = 0; i < n; i++)
            if (!add(PySequence_Fast_GET_ITEM(dim, i))) return false;
    }
    bits &= all;
    return true;
}

// How far in a dimension lies: repeated elements (stride 0) outermost.
static inline uint64_t weight(const Dim& d) {
    return d.in == 0 ? ~uint64_t(0) : d.in < 0 ? uint64_t(-d.in) : uint64_t(d.in);
}

static void sort_and_merge(Dim* dims, int& n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && weight(dims[j - 1]) < weight(dims[j]); j--) std::swap(dims[j - 1], dims[j]);
    int last = 0;
    for (int i = 1; i < n; i++) {
        Dim& outer = dims[last];
        const Dim& inner = dims[i];
        if (outer.in == inner.in * inner.n && outer.out == inner.out * inner.n)
            outer = {outer.n * inner.n, inner.in, inner.out};
        else dims[++last] = inner;
    }
    if (n > 1) n = last + 1;
}

Reduction plan_reduction(const Array& x, uint32_t bits, bool keepdim) {
    Reduction r;
    for (int d = 0; d < x.nd; d++) {
        const int64_t n = x.shape[d];
        const bool reduced = bits >> d & 1;
        if (!reduced) r.shape[r.nd++] = n;
        else if (keepdim) r.shape[r.nd++] = 1;
        (reduced ? r.count : r.outputs) *= n;
        if (n != 1) (reduced ? r.reduced[r.n_reduced++] : r.kept[r.n_kept++]) = {n, x.stride[d], 0};
    }
    int64_t step = 1;
    for (int i = r.n_kept - 1; i >= 0; step *= r.kept[i--].n) r.kept[i].out = step;
    sort_and_merge(r.kept, r.n_kept);
    sort_and_merge(r.reduced, r.n_reduced);
    if (!r.n_kept || !r.n_reduced) {
        r.columns = r.n_kept > 0;
    } else {
        const Dim &k = r.kept[r.n_kept - 1], &m = r.reduced[r.n_reduced - 1];
        r.columns = weight(k) < weight(m);
        if (r.columns && k.n < 8 && m.n >= 64) r.columns = false;       // a few columns: better long strided rows
        else if (!r.columns && m.n < 8 && k.n >= 64) r.columns = true;
    }
    if (r.columns) r.inner = r.kept[--r.n_kept];
    else if (r.n_reduced) r.inner = r.reduced[--r.n_reduced];
    else r.inner = {1, ITEM_SIZE[x.type], 0};
    return r;
}

}  // namespace weft
