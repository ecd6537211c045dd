// The geometry that all pooling kernels share: 1 to 3 pooled dimensions, always seen as three (the missing ones are 1
// long).
#pragma once
#include <algorithm>

#include "border.h"
#include "vec.h"

namespace weft::pooling {

// One axis of the pooled volume: window `o` takes the elements start[o] + k * dilation for first[o] <= k < last[o], all
// inside.
struct Axis {
    int64_t in = 1, out = 1, kernel = 1, stride = 1, pad = 0, dilation = 1;
    int64_t *start = nullptr, *first = nullptr, *last = nullptr;
    int64_t inner_begin = 0, inner_end = 0;     // the windows that lie wholly inside
    bool adaptive = false;
};

struct Volume {
    Axis axis[3];
    int64_t planes = 1, in_size = 1, out_size = 1, window = 1;
    int out_dims = 0;
    intptr_t out_shape[MAX_DIMS];
};

// Reads x's last `dims` dimensions as the pooled ones. False where the numbers don't make sense; memory for the tables
// comes after.
inline bool read_volume(const Array& x, int64_t dims, const Ints& out, const Ints& kernel, const Ints& stride,
                        const Ints& pad, const Ints& dilation, bool adaptive, Volume& v) {
    constexpr int64_t MOST = int64_t(1) << 40;
    if (!x || dims < 1 || dims > 3 || x.nd < dims || out.count != dims || kernel.count != dims ||
        stride.count != dims || pad.count != dims || dilation.count != dims)
        return false;
    v.out_dims = x.nd;
    for (int d = 0; d < x.nd - dims; d++) { v.planes *= x.shape[d]; v.out_shape[d] = x.shape[d]; }
    for (int i = 0; i < dims; i++) {
        Axis& a = v.axis[3 - dims + i];
        a.in = x.shape[x.nd - dims + i];
        a.out = out[i]; a.kernel = kernel[i]; a.stride = stride[i]; a.pad = pad[i]; a.dilation = dilation[i];
        a.adaptive = adaptive;
        if (a.in < 1 || a.out < 0 || a.out > MOST || a.kernel < 1 || a.kernel > MOST || a.stride < 1 ||
            a.stride > MOST || a.pad < 0 || a.pad > MOST || a.dilation < 1 || a.dilation > MOST ||
            __builtin_mul_overflow(v.out_size, a.out, &v.out_size))
            return false;
        if (__builtin_mul_overflow(v.window, a.kernel, &v.window)) return false;
        v.in_size *= a.in;
        v.out_shape[x.nd - dims + i] = a.out;
    }
    int64_t whole;      // what is written must be addressable
    return !__builtin_mul_overflow(v.out_size, v.planes * 8, &whole);
}

// What was pooled, as read_volume wants it, from the gradient g of the result: `shape` is that of x, `out` the pooled
// dimensions of g, behind which `behind` others stand.
inline bool read_pooled(const Array& g, const Ints& shape, int64_t dims, int behind, Array& x, Ints& out) {
    if (!g || (g.type != F32 && g.type != F64) || !g.contiguous || shape.count != g.nd || dims < 1 || dims > 3 ||
        g.nd < dims + behind)
        return false;
    x = g;
    out.count = int(dims);
    const int end = g.nd - behind, first = end - int(dims);
    for (int d = 0; d < g.nd; d++) {
        const bool pooled = d >= first && d < end;
        if (shape[d] < 0 || (!pooled && shape[d] != g.shape[d])) return false;
        if (pooled) out.value[d - first] = g.shape[d];
        x.shape[d] = shape[d];
    }
    return true;
}

// Whether these are the places that were picked for the gradient g
inline bool are_picks(const Array& picks, const Array& g) {
    return picks && picks.type == U8 && picks.contiguous && picks.nd == g.nd &&
           std::equal(picks.shape, picks.shape + g.nd, g.shape);
}

inline int64_t table_size(const Volume& v) { return 3 * (v.axis[0].out + v.axis[1].out + v.axis[2].out); }

// Fills the tables of the windows; false where one of them has no element.
inline bool fill_tables(Volume& v, int64_t* room) {
    for (Axis& a : v.axis) {
        a.start = room; a.first = room + a.out; a.last = room + 2 * a.out;
        room += 3 * a.out;
        a.inner_begin = a.out;
        a.inner_end = 0;
        for (int64_t o = 0; o < a.out; o++) {
            if (a.adaptive) {
                a.start[o] = o / a.out * a.in + o % a.out * a.in / a.out;
                a.first[o] = 0;
                a.last[o] = (o * a.in + a.in + a.out - 1) / a.out - a.start[o];
                continue;
            }
            const int64_t s = o * a.stride - a.pad;
            a.start[o] = s;
            a.first[o] = s < 0 ? (-s + a.dilation - 1) / a.dilation : 0;
            a.last[o] = s >= a.in ? 0 : std::min(a.kernel, (a.in - s + a.dilation - 1) / a.dilation);
            if (a.first[o] >= a.last[o]) return false;
            if (a.first[o] == 0 && a.last[o] == a.kernel) {
                a.inner_begin = std::min(a.inner_begin, o);
                a.inner_end = o + 1;
            }
        }
        if (a.inner_begin > a.inner_end) a.inner_begin = a.inner_end = 0;
    }
    return true;
}

// How far place k of a window lies from the window's start
inline int64_t shift_of(const Volume& v, int64_t k) {
    const Axis &D = v.axis[0], &H = v.axis[1], &W = v.axis[2];
    const int64_t kw = k % W.kernel, rest = k / W.kernel, kh = rest % H.kernel, kd = rest / H.kernel;
    return (kd * D.dilation * H.in + kh * H.dilation) * W.in + kw * W.dilation;
}

// What a kernel of maxima gives: the values alone, or also where in its window each was (a byte), or in its plane
enum Want { VALUES, PICKS, INDICES };

// Makes the places in a window countable; false where `want` can't be had.
inline bool count_places(Volume& v, bool adaptive, int64_t want) {
    if (adaptive)       // the kernels here are the widest windows
        for (Axis& a : v.axis) a.kernel = a.out ? a.in / a.out + 2 : 1, a.stride = a.dilation = 1, a.pad = 0;
    v.window = v.axis[0].kernel * v.axis[1].kernel * v.axis[2].kernel;
    return want >= VALUES && want <= INDICES && v.window <= (want == PICKS ? 256 : 1 << 30);
}

// The arrays of that
struct Maxima {
    PyObject *values = nullptr, *places = nullptr;
    uint8_t* picks = nullptr;
    int64_t* indices = nullptr;

    bool make(const Volume& v, int type, int64_t want) {
        values = new_array(v.out_dims, v.out_shape, type);
        if (values && want != VALUES) places = new_array(v.out_dims, v.out_shape, want == PICKS ? U8 : I64);
        if (!values || (want != VALUES && !places)) { Py_XDECREF(values); return false; }
        if (want == PICKS) picks = data_of<uint8_t>(places);
        if (want == INDICES) indices = data_of<int64_t>(places);
        return true;
    }
};

// What the sums of windows are divided by; fixed: divisor_override, 0 without one
struct Divisors {
    bool with_padding;
    double fixed;

    // of one axis
    int64_t count(const Axis& a, int64_t o) const {
        if (a.adaptive || !with_padding) return a.last[o] - a.first[o];
        return std::min(a.start[o] + a.kernel, a.in + a.pad) - a.start[o];
    }
};

inline Ints ones(int64_t dims) {
    Ints made;
    made.count = int(dims);
    for (int64_t& one : made.value) one = 1;
    return made;
}

// How many tasks for n units of `cost` elements each: it depends on the sizes only
inline int64_t pieces_for(int64_t n, int64_t cost) {
    constexpr int64_t GRAIN = 24000;
    const int64_t total = n * std::max<int64_t>(cost, 1);
    return std::clamp<int64_t>(total / GRAIN, 1, std::min<int64_t>(n > 0 ? n : 1, 64));
}

// Memory on the stack where N elements are enough, else from the cache: small calls shouldn't pay for the lock
template <class T, int N> struct Room {
    T local[N];
    T* far = nullptr;
    explicit Room(int64_t n) {
        if (n > N && !(far = static_cast<T*>(host->take(size_t(n) * sizeof(T) + 64)))) throw std::bad_alloc();
    }
    ~Room() { if (far) host->give(far); }
    Room(const Room&) = delete;
    operator T*() { return far ? far : local; }
};

// Windows of 2 x 2 side by side and wholly inside: the most frequent ones, which need no tables
// (with `tall` false: windows of 2 in a signal)
inline bool by_twos(const Volume& v, int64_t least, bool tall = true) {
    for (int i = 0; i < 3; i++) {
        const Axis& a = v.axis[i];
        const bool two = a.kernel == 2 && a.stride == 2 && a.dilation == 1 && 2 * a.out <= a.in,
                   one = a.in == 1 && a.kernel == 1 && a.out == 1;
        if (a.adaptive || a.pad || !(i == 2 || (i == 1 && tall) ? two : one)) return false;
    }
    return v.axis[2].out >= least;
}

// [begin, end) in steps of L; the last step overlaps the one before
template <int L, class F> inline void in_steps(int64_t begin, int64_t end, F&& f) {
    for (int64_t o = begin; o + L <= end; o += L) f(o);
    if ((end - begin) % L) f(end - L);
}

// Vectors of L lanes, for rows shorter than the machine's width
template <class T, int L> struct Short {
    typedef T type __attribute__((vector_size(L * sizeof(T))));
    using Whole = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    typedef Whole mask __attribute__((vector_size(L * sizeof(T))));
};
template <class T, int L> using VecOf = typename Short<T, L>::type;
template <class T, int L> using MaskOf = typename Short<T, L>::mask;

template <class P, int L> struct PackOf { typedef P type __attribute__((vector_size(L * sizeof(P)))); };
template <class P, int L> using Pack = typename PackOf<P, L>::type;      // L of any elements

template <class V, class T> inline V load_as(const T* p) { V v; std::memcpy(&v, p, sizeof v); return v; }
template <class V, class T> inline void store_as(T* p, V v) { std::memcpy(p, &v, sizeof v); }
template <class V, class T> inline V all_of(T x) { return V{} + x; }

// The lowest bytes of L whole numbers (the machines are little-endian); __builtin_convertvector would take them out one
// by one
template <class M, int L, int... I> inline Pack<uint8_t, L> low_bytes(M v, std::integer_sequence<int, I...>) {
    using Bytes = Pack<uint8_t, int(sizeof(M))>;
    const Bytes all = bits<Bytes>(v);
    return __builtin_shufflevector(all, all, (I * int(sizeof(M)) / L)...);
}
template <class P, int L, class M> inline Pack<P, L> narrow(M v) {
    if constexpr (sizeof(P) == 1) return low_bytes<M, L>(v, std::make_integer_sequence<int, L>());
    else { using To = Pack<P, L>; return __builtin_convertvector(v, To); }
}

// every second of 2L elements, and two vectors woven into 2L elements
template <class T, int L, int ODD, int... I>
inline VecOf<T, L> every_second(VecOf<T, L> a, VecOf<T, L> b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (2 * I + ODD)...);
}
template <class T, int L, int HALF, int... I>
inline VecOf<T, L> woven(VecOf<T, L> a, VecOf<T, L> b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, ((I + HALF * L) / 2 + ((I + HALF * L) % 2) * L)...);
}
template <class T, int L> inline void store_woven(T* p, VecOf<T, L> a, VecOf<T, L> b) {
    constexpr auto lanes = std::make_integer_sequence<int, L>();
    store_as(p, woven<T, L, 0>(a, b, lanes));
    store_as(p + L, woven<T, L, 1>(a, b, lanes));
}

// 2L neighbours as two vectors: the even ones and the odd ones
template <class T, int L> struct Pair { VecOf<T, L> even, odd; };
template <class T, int L> inline Pair<T, L> load_pair(const T* p) {
    constexpr auto lanes = std::make_integer_sequence<int, L>();
    const VecOf<T, L> a = load_as<VecOf<T, L>>(p), b = load_as<VecOf<T, L>>(p + L);
    return {every_second<T, L, 0>(a, b, lanes), every_second<T, L, 1>(a, b, lanes)};
}

// L elements `stride` apart, p[0], p[stride], ...; nothing else than p[-1] .. p[(L - 1) * stride] is touched, and p[-1]
// only with `before`.
template <class T, int L, int STRIDE> inline VecOf<T, L> load_apart(const T* p, int64_t stride, bool before) {
    if constexpr (STRIDE == 1) return load_as<VecOf<T, L>>(p);
    if constexpr (STRIDE == 2) {
        constexpr auto lanes = std::make_integer_sequence<int, L>();
        if (before) return every_second<T, L, 1>(load_as<VecOf<T, L>>(p - 1), load_as<VecOf<T, L>>(p - 1 + L), lanes);
        // the caller says so only where p[2L - 1] is of the window as well
        return every_second<T, L, 0>(load_as<VecOf<T, L>>(p), load_as<VecOf<T, L>>(p + L), lanes);
    }
    VecOf<T, L> v;
    for (int i = 0; i < L; i++) v[i] = p[i * stride];
    return v;
}

}  // namespace weft::pooling
