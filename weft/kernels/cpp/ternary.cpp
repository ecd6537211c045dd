// Functions of three arrays, choosing by a condition, and dropout.
#include <limits>

#include <type_traits>

#include "norms.h"
#include "pointwise_rows.h"

namespace weft {
namespace {

constexpr int BLOCK = 256;
struct Sixteen { uint64_t a, b; };

// f over three rows; numbers are spread over a block first, so that there is one loop for all cases.
template <class A, class B, class C, class R, class F>
inline void row3(int64_t n, char* out, const char* const* in, unsigned scalars, F f) {
    const A* x = reinterpret_cast<const A*>(in[0]);
    const B* y = reinterpret_cast<const B*>(in[1]);
    const C* z = reinterpret_cast<const C*>(in[2]);
    R* o = reinterpret_cast<R*>(out);
    A xs[BLOCK];
    B ys[BLOCK];
    C zs[BLOCK];
    const int64_t block = scalars ? BLOCK : n, filled = n < BLOCK ? n : BLOCK;
    if (scalars & 1) for (int64_t i = 0; i < filled; i++) xs[i] = x[0];
    if (scalars & 2) for (int64_t i = 0; i < filled; i++) ys[i] = y[0];
    if (scalars & 4) for (int64_t i = 0; i < filled; i++) zs[i] = z[0];
    for (int64_t from = 0; from < n; from += block) {
        const int64_t count = from + block < n ? block : n - from;
        const A* a = scalars & 1 ? xs : x + from;
        const B* b = scalars & 2 ? ys : y + from;
        const C* c = scalars & 4 ? zs : z + from;
        R* to = o + from;
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < count; i++) {
            const A p = a[i];
            const B q = b[i];       // read before choosing: then there is no branch
            const C r = c[i];
            to[i] = f(p, q, r);
        }
    }
}

template <class U> void where_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    row3<uint8_t, U, U, U>(n, out, in, scalars, [](uint8_t c, U x, U y) { return c ? x : y; });
}
Row where_rows(int item) {
    switch (item) {
        case 1: return where_row<uint8_t>;
        case 2: return where_row<uint16_t>;
        case 4: return where_row<uint32_t>;
        case 8: return where_row<uint64_t>;
        case 16: return where_row<Sixteen>;
        default: return nullptr;
    }
}

enum Code { ADDCMUL, ADDCDIV, LERP, CLAMP };        // as in ops/pointwise_native.py

template <class T> void addcmul_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const T value = T(*static_cast<const double*>(p));
    row3<T, T, T, T>(n, out, in, scalars, [=](T x, T y, T z) { return x + value * (y * z); });
}
template <class T> void addcdiv_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const T value = T(*static_cast<const double*>(p));
    row3<T, T, T, T>(n, out, in, scalars, [=](T x, T y, T z) { return x + value * (y / z); });
}
template <class T> void lerp_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    row3<T, T, T, T>(n, out, in, scalars, [](T x, T end, T weight) {      // exact at both ends
        const T way = end - x, near = x + weight * way, far = end - way * (1 - weight);
        return std::abs(weight) < T(0.5) ? near : far;
    });
}
template <class T> void clamp_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    row3<T, T, T, T>(n, out, in, scalars, [](T x, T low, T high) {        // a NaN wins
        T above = x > low ? x : low;
        above = x != x ? x : above;
        const T made = above < high ? above : high;
        return above != above ? above : made;
    });
}

template <class T> Row ternary_row(int64_t code) {
    switch (code) {
        case ADDCMUL: return addcmul_row<T>;
        case ADDCDIV: return addcdiv_row<T>;
        case LERP: return lerp_row<T>;
        case CLAMP: return clamp_row<T>;
        default: return nullptr;
    }
}

struct Replaced { double nan, top, bottom; };
template <class T> void replaced_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const auto* r = static_cast<const Replaced*>(p);
    const T nan = T(r->nan), top = T(r->top), bottom = T(r->bottom), far = std::numeric_limits<T>::infinity();
    plain_row1<T, T>(n, out, in, scalars, [=](T x) { return x != x ? nan : x == far ? top : x == -far ? bottom : x; });
}

// x kept and scaled, or dropped: in both cases x is multiplied, so that what is not finite shows
struct Dropout { double scale, kept, dropped; };
template <class T> void dropout_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const auto* d = static_cast<const Dropout*>(p);
    const T scale = T(d->scale), kept = T(d->kept), dropped = T(d->dropped);
    const T* x = reinterpret_cast<const T*>(in[0]);
    const uint8_t* mask = reinterpret_cast<const uint8_t*>(in[1]);
    T* o = reinterpret_cast<T*>(out);
    if (scalars == 0 && kept == 0 && dropped == 0) {
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < n; i++) o[i] = x[i] * (mask[i] ? scale : T(0));
    } else if (scalars == 0) {
        WEFT_INDEPENDENT
        for (int64_t i = 0; i < n; i++) o[i] = x[i] * (mask[i] ? scale : T(0)) + (mask[i] ? kept : dropped);
    } else {
        for (int64_t i = 0; i < n; i++) {
            const bool keep = mask[scalars & 2 ? 0 : i];
            o[i] = x[scalars & 1 ? 0 : i] * (keep ? scale : T(0)) + (keep ? kept : dropped);
        }
    }
}

// What chains have besides (CHAINED in pointwise_ops.h): the very numbers of the kernels here and in activation.cpp.

template <class T> struct Chained {
    static void where(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        row3<uint8_t, T, T, T>(n, out, in, scalars, [](uint8_t c, T x, T y) { return c ? x : y; });
    }
    static void clamp(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        row3<T, T, T, T>(n, out, in, scalars, [](T x, T low, T high) {      // NaN stays; crossed bounds give high
            const T above = low > x ? low : x;
            return high < above ? high : above;
        });
    }
    static void inside(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        T* o = reinterpret_cast<T*>(out);
        const T low = reinterpret_cast<const T*>(in[2])[0], high = reinterpret_cast<const T*>(in[3])[0];
        if ((scalars & 12) == 12)       // numbers
            return plain_row2<T, T>(n, out, in, scalars & 3, [=](T g, T x) {
                return (x >= low) & (x <= high) ? g : T(0);
            });
        const auto at = [&](int k, int64_t i) { return reinterpret_cast<const T*>(in[k])[scalars >> k & 1 ? 0 : i]; };
        for (int64_t i = 0; i < n; i++) o[i] = at(1, i) >= at(2, i) && at(1, i) <= at(3, i) ? at(0, i) : T(0);
    }
    static void dropout(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        row3<T, uint8_t, T, T>(n, out, in, scalars,
                               [](T x, uint8_t keep, T scale) { return x * (keep ? scale : T(0)); });
    }
    static void winner_share(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        row3<T, T, T, T>(n, out, in, scalars, [](T grad, T high, T low) {
            const T won = high < low ? T(0) : grad;
            return high == low ? grad * T(0.5) : won;
        });
    }
    static void leaky_relu(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        plain_row2<T, T>(n, out, in, scalars, [](T x, T slope) { return x > 0 ? x : x * slope; });
    }
    static void leaky_relu_backward(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        row3<T, T, T, T>(n, out, in, scalars, [](T g, T x, T slope) { return x > 0 ? g : g * slope; });
    }
    static void affine(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        const auto at = [&](int k, int64_t i) { return reinterpret_cast<const T*>(in[k])[scalars >> k & 1 ? 0 : i]; };
        if (scalars == 14) return norms::affine(reinterpret_cast<T*>(out), reinterpret_cast<const T*>(in[0]), n,
                                                at(1, 0), at(2, 0), at(3, 0), false);
        for (int64_t i = 0; i < n; i++) {
            const T x = at(0, i);
            norms::affine(reinterpret_cast<T*>(out) + i, &x, 1, at(1, i), at(2, i), at(3, i), false);
        }
    }
    static void number_of(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        plain_row1<uint8_t, T>(n, out, in, scalars, [](uint8_t x) { return x ? T(1) : T(0); });
    }
    static void both(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        plain_row2<uint8_t, uint8_t>(n, out, in, scalars, [](uint8_t x, uint8_t y) { return uint8_t(x & y); });
    }
    static void either(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        plain_row2<uint8_t, uint8_t>(n, out, in, scalars, [](uint8_t x, uint8_t y) { return uint8_t(x | y); });
    }
    static void opposite(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
        plain_row1<uint8_t, uint8_t>(n, out, in, scalars, [](uint8_t x) { return uint8_t(!x); });
    }
    static RowChoice of(int which) {
        switch (which) {
#define CHAINED(name, letters) case code::name: return {name, CHEAP};
#include "pointwise_ops.h"
            default: return {};
        }
    }
};

}  // namespace

RowChoice chained_row(int code, int type) { return type == F32 ? Chained<float>::of(code) : Chained<double>::of(code); }

// where(condition, x, y): bool, and two arrays of one type of any kind
KERNEL(where) {
    Array condition, x, y;
    if (!read(args, n, condition, x, y) || !condition || !x || !y || condition.type != BOOL || x.type == OTHER ||
        x.type != y.type)
        return not_taken();
    const Array* in[] = {&condition, &x, &y};
    return map_arrays(in, 3, x.type, where_rows(ITEM_SIZE[x.type]), nullptr, CHEAP);
}

// masked_fill(x, mask, value): x with a zero-dim value of its type where the mask holds; in C order, of x's shape
KERNEL(masked_fill) {
    Array x, mask, value;
    if (!read(args, n, x, mask, value) || !x || !mask || !value || mask.type != BOOL || x.type == OTHER ||
        x.type != value.type || value.size != 1)
        return not_taken();
    if (mask.nd > x.nd || value.nd > x.nd) return not_taken();
    for (int d = 0; d < mask.nd; d++)
        if (mask.shape[d] != 1 && mask.shape[d] != x.shape[x.nd - mask.nd + d]) return not_taken();
    const Array* in[] = {&mask, &value, &x};
    return map_arrays(in, 3, x.type, where_rows(ITEM_SIZE[x.type]), nullptr, CHEAP, true);
}

// masked_fill_into(x, mask, value): the same in x's own memory; True where it was done
KERNEL(masked_fill_into) {
    Array x, mask, value;
    if (!read(args, n, x, mask, value) || !x || !mask || !value || mask.type != BOOL || x.type == OTHER ||
        x.type != value.type || value.size != 1 || value.nd > 0 || disturbs(x, mask) || disturbs(x, value))
        return not_taken();
    const Array* in[] = {&mask, &value, &x};
    Layout l;
    if (!l.broadcast(in, 3) || !l.into(x)) return not_taken();
    Unlocked gil(l.size);
    run(l, where_rows(ITEM_SIZE[x.type]), nullptr, CHEAP);
    Py_RETURN_TRUE;
}

// replaced(x, nan, top, bottom): x with these instead of NaN and the infinities
KERNEL(replaced) {
    Array x;
    Replaced r;
    if (!read(args, n, x, r.nan, r.top, r.bottom) || !x || (x.type != F32 && x.type != F64)) return not_taken();
    const Array* in[] = {&x};
    return map_arrays(in, 1, x.type, x.type == F32 ? replaced_row<float> : replaced_row<double>, &r, CHEAP);
}

// ternary(code, x, y, z, value)
KERNEL(ternary) {
    int64_t code;
    Array x, y, z;
    double value;
    if (!read(args, n, code, x, y, z, value) || !x || !y || !z || x.type != y.type || x.type != z.type ||
        (x.type != F32 && x.type != F64))
        return not_taken();
    const Array* in[] = {&x, &y, &z};
    return map_arrays(in, 3, x.type, x.type == F32 ? ternary_row<float>(code) : ternary_row<double>(code), &value,
                      CHEAP);
}

// dropout(x, mask, scale, kept, dropped): x * scale + kept where the mask holds, else x * 0 + dropped; the mask
// broadcasts
KERNEL(dropout) {
    Array x, mask;
    Dropout d;
    if (!read(args, n, x, mask, d.scale, d.kept, d.dropped) || !x || !mask || mask.type != BOOL ||
        (x.type != F32 && x.type != F64))
        return not_taken();
    const Array* in[] = {&x, &mask};
    return map_arrays(in, 2, x.type, x.type == F32 ? dropout_row<float> : dropout_row<double>, &d, CHEAP);
}

}  // namespace weft
