// The greatest and the least, and where they stand. A NaN wins; of equals the first.
#include "reduce.h"
#include "wide.h"

namespace weft {
namespace {

template <class T> inline bool is_nan(T x) { return x != x; }

template <class T, bool GREATEST> struct Better {
    static constexpr T worst() {
        if constexpr (std::is_floating_point_v<T>)
            return GREATEST ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::infinity();
        else return GREATEST ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    }
    static bool beats(T a, T b) { return (GREATEST ? a > b : a < b) || (is_nan(a) && !is_nan(b)); }
    static T of(T a, T b) { return GREATEST ? ((a > b || is_nan(a)) ? a : b) : ((a < b || is_nan(a)) ? a : b); }
    static Vec<T> of(Vec<T> a, Vec<T> b) {
        if constexpr (std::is_floating_point_v<T>) return GREATEST ? nan_max(a, b) : nan_min(a, b);
        else return GREATEST ? (a > b ? a : b) : (a < b ? a : b);
    }
    // lanes where a comes in place of the earlier b
    static auto wins(Vec<T> a, Vec<T> b) {
        if constexpr (std::is_floating_point_v<T>) return (GREATEST ? a > b : a < b) | ((a != a) & (b == b));
        else return GREATEST ? a > b : a < b;
    }
    static T row(const T* x, int64_t n) {
        constexpr int L = LANES<T>;
        if (n < L) {
            T best = x[0];
            for (int64_t i = 1; i < n; i++) best = of(x[i], best);
            return best;
        }
        Vec<T> a = load(x), b = a, c = a, d = a;
        int64_t i = 0;
        for (; i + 4 * L <= n; i += 4 * L) {
            a = of(load(x + i), a);
            b = of(load(x + i + L), b);
            c = of(load(x + i + 2 * L), c);
            d = of(load(x + i + 3 * L), d);
        }
        for (; i + L <= n; i += L) a = of(load(x + i), a);
        b = of(load(x + n - L), b);         // the last ones, some of them again
        return fold_lanes(of(of(a, b), of(c, d)), [](Vec<T> s, Vec<T> t) { return of(s, t); });
    }
};

template <class T, bool GREATEST> struct Extreme {
    using In = T;
    using Part = T;
    using B = Better<T, GREATEST>;
    static constexpr int TILE = 1024, ROWS = 64;
    struct Columns { T best[TILE]; bool fresh; };
    T* out;

    void start(Part& p) const { p = B::worst(); }
    void add(Part& p, const T* x, int64_t n) const { p = B::of(B::row(x, n), p); }
    void merge(Part& p, const Part& later) const { p = B::of(later, p); }
    void finish(const Part& p, int64_t at) const { out[at] = p; }
    void start(Columns& c, int64_t) const { c.fresh = true; }
    template <int K, class G> static auto best_of(G&& g, int from = 0) {
        if constexpr (K == 1) return g(from);
        else return B::of(best_of<K / 2>(g, from), best_of<K / 2>(g, from + K / 2));
    }
    template <int K> void step(Columns& c, const T* const* rows, int64_t w) const {
        constexpr int L = LANES<T>;
        const T* p[K];
        for (int q = 0; q < K; q++) p[q] = rows[q];
        int64_t j = 0;
        for (; j + L <= w; j += L) {
            const Vec<T> best = best_of<K>([&](int q) { return load(p[q] + j); });
            store<T>(c.best + j, c.fresh ? best : B::of(best, load<T>(c.best + j)));
        }
        for (; j < w; j++) {
            const T best = best_of<K>([&](int q) { return p[q][j]; });
            c.best[j] = c.fresh ? best : B::of(best, c.best[j]);
        }
        c.fresh = false;
    }
    void add(Columns& c, const T* const* rows, int k, int64_t w) const {
        int r = 0;
        for (; r + 8 <= k; r += 8) step<8>(c, rows + r, w);
        if (k - r >= 4) { step<4>(c, rows + r, w); r += 4; }
        if (k - r >= 2) { step<2>(c, rows + r, w); r += 2; }
        if (r < k) step<1>(c, rows + r, w);
    }
    void merge(Columns& c, const Columns& later, int64_t w) const {
        for (int64_t j = 0; j < w; j++) c.best[j] = B::of(later.best[j], c.best[j]);
    }
    void finish(const Columns& c, int64_t w, int64_t at, int64_t stride) const {
        if (stride == 1) std::copy_n(c.best, w, out + at);
        else for (int64_t j = 0; j < w; j++) out[at + j * stride] = c.best[j];
    }
};

// where `value` (which may be NaN) first stands; it is there
template <class T> inline int64_t find(const T* x, int64_t n, T value) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    if (is_nan(value)) {
        while (!is_nan(x[i])) i++;
        return i;
    }
    const Vec<T> v = splat<T>(value);
    for (; i + 4 * L <= n; i += 4 * L)
        if (any_lane((load(x + i) == v) | (load(x + i + L) == v) | (load(x + i + 2 * L) == v) |
                     (load(x + i + 3 * L) == v)))
            break;
    while (!(x[i] == value)) i++;
    return i;
}

template <class T, bool GREATEST> struct Place {
    using In = T;
    using B = Better<T, GREATEST>;
    using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    static constexpr int TILE = 1024, ROWS = 64;
    struct Part { T best; int64_t at, seen; };
    struct Columns { T best[TILE]; Index at[TILE]; int64_t seen; };
    T* values;          // may be null
    int64_t* places;

    void start(Part& p) const { p = {B::worst(), 0, 0}; }
    void add(Part& p, const T* x, int64_t n) const {
        constexpr int64_t BLOCK = 512;
        for (int64_t i = 0; i < n; i += BLOCK) {
            const int64_t k = std::min(BLOCK, n - i);
            const T best = B::row(x + i, k);
            if (B::beats(best, p.best)) {
                p.best = best;
                p.at = -1 - (p.seen + i);       // in the block that starts there
            }
        }
        if (p.at < 0) {
            const int64_t from = -1 - p.at - p.seen;
            p.at = p.seen + from + find(x + from, n - from, p.best);
        }
        p.seen += n;
    }
    void merge(Part& p, const Part& later) const {
        if (B::beats(later.best, p.best)) { p.best = later.best; p.at = p.seen + later.at; }
        p.seen += later.seen;
    }
    void finish(const Part& p, int64_t at) const { places[at] = p.at; if (values) values[at] = p.best; }
    void start(Columns& c, int64_t w) const {
        std::fill_n(c.best, w, B::worst());
        std::fill_n(c.at, w, Index(0));
        c.seen = 0;
    }
    void add(Columns& c, const T* const* rows, int k, int64_t w) const {
        int r = 0;
        for (; r + 4 <= k; r += 4) step<4>(c, rows + r, w);
        for (; r < k; r++) step<1>(c, rows + r, w);
    }
    template <int K> void step(Columns& c, const T* const* rows, int64_t w) const {
        constexpr int L = LANES<T>;
        int64_t j = 0;
        for (; j + L <= w; j += L) {
            Vec<T> best = load<T>(c.best + j);
            Vec<Index> at = load<Index>(c.at + j);
            for (int q = 0; q < K; q++) {
                const Vec<T> v = load(rows[q] + j);
                const auto mask = B::wins(v, best);
                best = mask ? v : best;
                at = mask ? splat<Index>(Index(c.seen + q)) : at;
            }
            store<T>(c.best + j, best);
            store<Index>(c.at + j, at);
        }
        for (; j < w; j++)
            for (int q = 0; q < K; q++)
                if (B::beats(rows[q][j], c.best[j])) { c.best[j] = rows[q][j]; c.at[j] = Index(c.seen + q); }
        c.seen += K;
    }
    void merge(Columns& c, const Columns& later, int64_t w) const {
        for (int64_t j = 0; j < w; j++)
            if (B::beats(later.best[j], c.best[j])) {
                c.best[j] = later.best[j];
                c.at[j] = Index(c.seen + later.at[j]);
            }
        c.seen += later.seen;
    }
    void finish(const Columns& c, int64_t w, int64_t at, int64_t stride) const {
        for (int64_t j = 0; j < w; j++) places[at + j * stride] = c.at[j];
        if (values) for (int64_t j = 0; j < w; j++) values[at + j * stride] = c.best[j];
    }
};

template <class T> PyObject* extreme(const Array& x, const Reduction& r, bool greatest) {
    PyObject* out = new_array(r.nd, r.shape, x.type);
    if (!out) return nullptr;
    if (greatest) reduce(Extreme<T, true>{data_of<T>(out)}, x, r);
    else reduce(Extreme<T, false>{data_of<T>(out)}, x, r);
    return out;
}

template <class T> PyObject* place(const Array& x, const Reduction& r, bool greatest, bool with_values) {
    PyObject *places = new_array(r.nd, r.shape, I64),
             *values = with_values && places ? new_array(r.nd, r.shape, x.type) : nullptr;
    if (!places || (with_values && !values)) { Py_XDECREF(places); return nullptr; }
    T* v = values ? data_of<T>(values) : nullptr;
    if (greatest) reduce(Place<T, true>{v, data_of<int64_t>(places)}, x, r);
    else reduce(Place<T, false>{v, data_of<int64_t>(places)}, x, r);
    return with_values ? results({values, places}) : places;
}

}  // namespace

PyObject* extreme_of(const Array& x, const Reduction& r, bool greatest) {
    return x.type == F32 ? extreme<float>(x, r, greatest) : extreme<double>(x, r, greatest);
}

KERNEL(reduce_extreme) {        // x, dim, keepdim, greatest
    Array x;
    bool keepdim, greatest;
    PyObject* dim;
    uint32_t bits;
    if (!read(args, n, x, dim, keepdim, greatest) || !x || x.size == 0 || !read_dims(dim, x.nd, bits))
        return not_taken();
    const Reduction r = plan_reduction(x, bits, keepdim);
    switch (x.type) {
        case F32: return extreme<float>(x, r, greatest);
        case F64: return extreme<double>(x, r, greatest);
        case I64: return extreme<int64_t>(x, r, greatest);
        case I32: return extreme<int32_t>(x, r, greatest);
        case U8: case BOOL: return extreme<uint8_t>(x, r, greatest);
        default: return not_taken();
    }
}

// x, dim (one, or None: all of a contiguous array), keepdim, greatest, with_values: places or (values, places)
KERNEL(extreme_place) {
    Array x;
    bool keepdim, greatest, with_values;
    PyObject* dim;
    uint32_t bits;
    if (!read(args, n, x, dim, keepdim, greatest, with_values) || !x || x.size == 0 || !read_dims(dim, x.nd, bits))
        return not_taken();
    if ((dim == Py_None && !x.contiguous) || (dim != Py_None && !PyLong_Check(dim))) return not_taken();
    const Reduction r = plan_reduction(x, bits, keepdim);
    if (r.count > std::numeric_limits<int32_t>::max() && r.columns) return not_taken();
    switch (x.type) {
        case F32: return place<float>(x, r, greatest, with_values);
        case F64: return place<double>(x, r, greatest, with_values);
        case I64: return place<int64_t>(x, r, greatest, with_values);
        case I32: return place<int32_t>(x, r, greatest, with_values);
        default: return not_taken();
    }
}

}  // namespace weft
