// Sums and what is made of them: means, counts, truth, norms; and products.
#include "reduce.h"
#include "wide.h"

namespace weft {
namespace {

enum Finish { SUM, MEAN, COUNT, ANY, ALL, ROOT };       // what becomes of a sum

// what is done to the elements before: lanes in, lanes out, 0 stays 0
struct Plain { template <class V> V operator()(V x) const { return x; } };
struct WithoutNan { template <class V> V operator()(V x) const { return x != x ? V{} : x; } };
struct Size { template <class V> V operator()(V x) const { return x < 0 ? -x : x; } };
struct Square { template <class V> V operator()(V x) const { return x * x; } };
struct NotZero {
    template <class V> V operator()(V x) const { return x != 0 ? V{} + 1 : V{}; }
};
struct Power {
    double p;
    template <class V> [[gnu::noinline]] V operator()(V x) const {     // pow itself takes far longer than the call
        for (size_t i = 0; i < sizeof(V) / sizeof(x[0]); i++) x[i] = Element<V>(std::pow(std::fabs(double(x[i])), p));
        return x;
    }
};

template <class T, class F> struct Sum {
    using In = T;
    using A = Wide<T>;
    using Part = A;
    static constexpr int TILE = 1024, ROWS = 64;
    static constexpr bool SQUARES = std::is_same_v<F, Square> && sizeof(T) == 4;
    struct Columns { A sum[TILE]; bool fresh; };
    F f;
    int finish_as;
    double count, power;        // elements in a result; the power that ROOT undoes
    void* out;

    void start(Part& p) const { p = 0; }
    void add(Part& p, const T* x, int64_t n) const {
        A sum = sum_row(x, n, f);
        if constexpr (SQUARES)
            if (!(sum > 1e-25 && sum < 1e37)) {         // squares that float can't hold, or not with all bits
                const int64_t whole = n / WIDE_LANES * WIDE_LANES;
                sum = sum_row_wide(x, whole, f);
                for (int64_t i = whole; i < n; i++) sum += double(x[i]) * double(x[i]);
            }
        p += sum;
    }
    // a piece at a time, while it is in the nearest cache; rows of doubles are halved before they are added
    void add_made(Part& p, const Source& source, int64_t from, int64_t n) const
        requires(std::is_same_v<T, float> && std::is_same_v<F, Plain>)
    {
        constexpr int64_t PIECE = 1024;
        static_assert(PIECE % ROW_BLOCK<T> == 0);
        alignas(64) T piece[PIECE];
        Vec<A> total = splat<A>(0);
        for (int64_t i = 0; i < n; i += PIECE) {
            const int64_t k = std::min(PIECE, n - i);
            source.fill(from + i, k, reinterpret_cast<char*>(piece));
            add_row(total, piece, k, f);
        }
        p += add_lanes(total);
    }
    void merge(Part& p, const Part& later) const { p += later; }
    void finish(const Part& p, int64_t at) const {
        switch (finish_as) {
            case COUNT: static_cast<int64_t*>(out)[at] = int64_t(p); break;
            case ANY: static_cast<bool*>(out)[at] = p != 0; break;
            case ALL: static_cast<bool*>(out)[at] = double(p) == count; break;
            case MEAN: static_cast<T*>(out)[at] = T(double(p) / count); break;
            case ROOT:
                static_cast<T*>(out)[at] = T(power == 2 ? std::sqrt(double(p)) : std::pow(double(p), 1 / power));
                break;
            default:
                if constexpr (std::is_floating_point_v<T>) static_cast<T*>(out)[at] = T(p);
                else static_cast<int64_t*>(out)[at] = int64_t(p);
        }
    }
    void start(Columns& c, int64_t) const { c.fresh = true; }
    void add(Columns& c, const T* const* rows, int k, int64_t w) const {
        if constexpr (SQUARES) {
            if (c.fresh) std::fill_n(c.sum, w, A(0));
            sum_columns_wide(c.sum, rows, k, w, [](vd v, int64_t) { return v * v; });
        } else {
            sum_columns(c.sum, rows, k, w, c.fresh, f);
        }
        c.fresh = false;
    }
    void merge(Columns& c, const Columns& later, int64_t w) const {
        for (int64_t j = 0; j < w; j++) c.sum[j] += later.sum[j];
    }
    void finish(const Columns& c, int64_t w, int64_t at, int64_t stride) const {
        if (std::is_floating_point_v<T> && stride == 1 && finish_as <= MEAN) {
            T* to = static_cast<T*>(out) + at;
            const double scale = finish_as == MEAN ? count : 1;
            for (int64_t j = 0; j < w; j++) to[j] = T(double(c.sum[j]) / scale);
            return;
        }
        for (int64_t j = 0; j < w; j++) finish(c.sum[j], at + j * stride);
    }
};

// Bytes that are not zero, 255 vectors at a time before a lane could overflow.
struct CountBytes : Sum<uint8_t, NotZero> {
    using Sum::add;
    void add(Part& p, const uint8_t* x, int64_t n) const {
        using B = Vec<uint8_t>;
        int64_t i = 0;
        while (i + VECTOR_BYTES <= n) {
            B counts = splat<uint8_t>(0);
            for (int k = 0; k < 255 && i + VECTOR_BYTES <= n; k++, i += VECTOR_BYTES)
                counts += bits<B>(load(x + i) != 0) & 1;
            for (int j = 0; j < VECTOR_BYTES; j++) p += counts[j];
        }
        for (; i < n; i++) p += x[i] != 0;
    }
};

template <class T> struct Product {
    using In = T;
    using A = Wide<T>;
    using Part = A;
    static constexpr int TILE = 1024, ROWS = 64, L = WIDE_LANES;
    struct Columns { A product[TILE]; };
    using Out = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
    Out* out;

    void start(Part& p) const { p = 1; }
    void add(Part& p, const T* x, int64_t n) const {
        Vec<A> a = splat<A>(1), b = a, c = a, d = a;
        int64_t i = 0;
        for (; i + 4 * L <= n; i += 4 * L) {
            a *= wide(x + i);
            b *= wide(x + i + L);
            c *= wide(x + i + 2 * L);
            d *= wide(x + i + 3 * L);
        }
        for (; i + L <= n; i += L) a *= wide(x + i);
        if (i < n) b *= wide_part(x + i, n - i, A(1));
        p *= fold_lanes((a * b) * (c * d), [](Vec<A> s, Vec<A> t) { return s * t; });
    }
    void merge(Part& p, const Part& later) const { p *= later; }
    void finish(const Part& p, int64_t at) const { out[at] = Out(p); }
    void start(Columns& c, int64_t w) const { std::fill_n(c.product, w, A(1)); }
    void add(Columns& c, const T* const* rows, int k, int64_t w) const {
        for (int r = 0; r < k; r++)
            for (int64_t j = 0; j < w; j++) c.product[j] *= A(rows[r][j]);
    }
    void merge(Columns& c, const Columns& later, int64_t w) const {
        for (int64_t j = 0; j < w; j++) c.product[j] *= later.product[j];
    }
    void finish(const Columns& c, int64_t w, int64_t at, int64_t stride) const {
        for (int64_t j = 0; j < w; j++) finish(c.product[j], at + j * stride);
    }
};

// the arguments that all have: x, dim, keepdim
struct Call {
    Array x;
    Reduction r;
    bool take(PyObject* const* args) {
        bool keepdim;
        uint32_t bits;
        if (!view_of(args[0], x) || x.size == 0 || !read_one(args[2], keepdim) || !read_dims(args[1], x.nd, bits))
            return false;
        r = plan_reduction(x, bits, keepdim);
        return true;
    }
    PyObject* result(int type) const { return new_array(r.nd, r.shape, type); }
};

template <class T, class F> PyObject* summed(const Call& c, F f, int finish_as, int type, double power = 1) {
    PyObject* out = c.result(type);
    if (!out) return nullptr;
    reduce(Sum<T, F>{f, finish_as, double(c.r.count), power, data_of<void>(out)}, c.x, c.r);
    return out;
}

template <class F> PyObject* floats(const Call& c, F f, int finish_as, int type, double power = 1) {
    if (c.x.type == F32) return summed<float>(c, f, finish_as, type, power);
    if (c.x.type == F64) return summed<double>(c, f, finish_as, type, power);
    return not_taken();
}

PyObject* counted(PyObject* const* args, Py_ssize_t n, int finish_as) {
    Call c;
    if (n != 3 || !c.take(args)) return not_taken();
    const int type = finish_as == COUNT ? I64 : BOOL;
    switch (c.x.type) {
        case I64: return summed<int64_t>(c, NotZero{}, finish_as, type);
        case I32: return summed<int32_t>(c, NotZero{}, finish_as, type);
        case U8: case I8: case BOOL: {
            PyObject* out = c.result(type);
            if (!out) return nullptr;
            reduce(CountBytes{{NotZero{}, finish_as, double(c.r.count), 1, data_of<void>(out)}}, c.x, c.r);
            return out;
        }
        default: return floats(c, NotZero{}, finish_as, type);
    }
}

template <class T> PyObject* multiplied(const Call& c, int type) {
    PyObject* out = c.result(type);
    if (out) reduce(Product<T>{data_of<typename Product<T>::Out>(out)}, c.x, c.r);
    return out;
}

}  // namespace

PyObject* sum_or_mean_of(const Array& x, const Reduction& r, bool mean) {
    return floats(Call{x, r}, Plain{}, mean ? MEAN : SUM, x.type);
}

KERNEL(reduce_sum) {        // x, dim, keepdim: whole numbers give int64
    Call c;
    if (n != 3 || !c.take(args)) return not_taken();
    switch (c.x.type) {
        case I64: return summed<int64_t>(c, Plain{}, SUM, I64);
        case I32: return summed<int32_t>(c, Plain{}, SUM, I64);
        case U8: return summed<uint8_t>(c, Plain{}, SUM, I64);
        case BOOL: return counted(args, n, COUNT);
        default: return floats(c, Plain{}, SUM, c.x.type);
    }
}

KERNEL(reduce_mean) {
    Call c;
    return n == 3 && c.take(args) ? floats(c, Plain{}, MEAN, c.x.type) : not_taken();
}

KERNEL(reduce_nansum) {
    Call c;
    return n == 3 && c.take(args) ? floats(c, WithoutNan{}, SUM, c.x.type) : not_taken();
}

KERNEL(count_nonzero) { return counted(args, n, COUNT); }
KERNEL(reduce_any) { return counted(args, n, ANY); }
KERNEL(reduce_all) { return counted(args, n, ALL); }

KERNEL(reduce_norm) {       // x, dim, keepdim, p: any finite p above 0
    Call c;
    double p;
    if (n != 4 || !c.take(args) || !read_one(args[3], p) || !(p > 0) || std::isinf(p)) return not_taken();
    if (p == 1) return floats(c, Size{}, SUM, c.x.type);
    if (p == 2) return floats(c, Square{}, ROOT, c.x.type, 2);
    return floats(c, Power{p}, ROOT, c.x.type, p);
}

KERNEL(reduce_prod) {
    Call c;
    if (n != 3 || !c.take(args)) return not_taken();
    switch (c.x.type) {
        case F32: return multiplied<float>(c, F32);
        case F64: return multiplied<double>(c, F64);
        case I64: return multiplied<int64_t>(c, I64);
        case I32: return multiplied<int32_t>(c, I64);
        default: return not_taken();
    }
}

}  // namespace weft
