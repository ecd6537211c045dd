// Small loops over strided arrays: what NumPy's own calls cost most on, tensors of a few hundred elements.
// Arrays in, arrays out; every function says by its return value whether it took the case.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <algorithm>

namespace weft {

constexpr int MAX_DIMS = 8;

enum Binary { ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW, N_BINARY };
enum Compare { EQ = 16, NE, LT, LE, GT, GE };
enum Unary { NEG, EXP, LOG, TANH, SIGMOID, RELU, SQRT, ABS, SIN, COS, RECIPROCAL, SQUARE, RSQRT, N_UNARY };

// One operand of a broadcast: a pointer and a stride in bytes for each dimension of the result.
struct Operand { char* data; intptr_t stride[MAX_DIMS]; };

template <class T> inline T nan_max(T a, T b) { return (a != a || a > b) ? a : b; }
template <class T> inline T nan_min(T a, T b) { return (a != a || a < b) ? a : b; }

template <class T, class R, class F>
inline void inner(char* out, const char* a, intptr_t sa, const char* b, intptr_t sb, intptr_t n, F f) {
    R* o = (R*)out;
    if (sa == sizeof(T) && sb == sizeof(T)) {
        const T *x = (const T*)a, *y = (const T*)b;
        for (intptr_t i = 0; i < n; i++) o[i] = f(x[i], y[i]);
    } else if (sa == sizeof(T) && sb == 0) {
        const T* x = (const T*)a; const T y = *(const T*)b;
        for (intptr_t i = 0; i < n; i++) o[i] = f(x[i], y);
    } else if (sa == 0 && sb == sizeof(T)) {
        const T x = *(const T*)a; const T* y = (const T*)b;
        for (intptr_t i = 0; i < n; i++) o[i] = f(x, y[i]);
    } else {
        for (intptr_t i = 0; i < n; i++) o[i] = f(*(const T*)(a + i * sa), *(const T*)(b + i * sb));
    }
}

// The result is C-contiguous; the operands have any strides.
template <class T, class R, class F>
inline void broadcast2(int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out, F f) {
    if (nd == 0) { inner<T, R>(out, a.data, 0, b.data, 0, 1, f); return; }
    intptr_t n = shape[nd - 1], rows = 1, index[MAX_DIMS] = {0};
    for (int d = 0; d < nd - 1; d++) rows *= shape[d];
    if (n == 0) return;
    const char *pa = a.data, *pb = b.data;
    for (intptr_t r = 0; r < rows; r++) {
        inner<T, R>(out, pa, a.stride[nd - 1], pb, b.stride[nd - 1], n, f);
        out += n * sizeof(R);
        for (int d = nd - 2; d >= 0; d--) {
            pa += a.stride[d]; pb += b.stride[d];
            if (++index[d] < shape[d]) break;
            pa -= a.stride[d] * shape[d]; pb -= b.stride[d] * shape[d];
            index[d] = 0;
        }
    }
}

// Signed overflow wraps, as in NumPy and PyTorch.
inline int64_t wrap_add(int64_t x, int64_t y) { return (int64_t)((uint64_t)x + (uint64_t)y); }
inline int64_t wrap_sub(int64_t x, int64_t y) { return (int64_t)((uint64_t)x - (uint64_t)y); }
inline int64_t wrap_mul(int64_t x, int64_t y) { return (int64_t)((uint64_t)x * (uint64_t)y); }

template <class T>
bool binary_float(int code, int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out) {
    switch (code) {
        case ADD: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return x + y; }); return true;
        case SUB: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return x - y; }); return true;
        case MUL: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return x * y; }); return true;
        case DIV: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return x / y; }); return true;
        case MAXIMUM: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return nan_max(x, y); }); return true;
        case MINIMUM: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return nan_min(x, y); }); return true;
        default: return false;
    }
}

inline bool binary_int64(int code, int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out) {
    typedef int64_t T;
    switch (code) {
        case ADD: broadcast2<T, T>(nd, shape, a, b, out, wrap_add); return true;
        case SUB: broadcast2<T, T>(nd, shape, a, b, out, wrap_sub); return true;
        case MUL: broadcast2<T, T>(nd, shape, a, b, out, wrap_mul); return true;
        default: return false;
    }
}

template <class T>
bool compare(int code, int nd, const intptr_t* shape, const Operand& a, const Operand& b, char* out) {
    switch (code) {
        case EQ: broadcast2<T, bool>(nd, shape, a, b, out, [](T x, T y) { return x == y; }); return true;
        case NE: broadcast2<T, bool>(nd, shape, a, b, out, [](T x, T y) { return x != y; }); return true;
        case LT: broadcast2<T, bool>(nd, shape, a, b, out, [](T x, T y) { return x < y; }); return true;
        case LE: broadcast2<T, bool>(nd, shape, a, b, out, [](T x, T y) { return x <= y; }); return true;
        case GT: broadcast2<T, bool>(nd, shape, a, b, out, [](T x, T y) { return x > y; }); return true;
        case GE: broadcast2<T, bool>(nd, shape, a, b, out, [](T x, T y) { return x >= y; }); return true;
        default: return false;
    }
}

template <class T, class F> inline void map(const T* x, T* o, intptr_t n, F f) {
    for (intptr_t i = 0; i < n; i++) o[i] = f(x[i]);
}

template <class T> inline T sigmoid(T v) {
    T e = std::exp(-std::abs(v));        // never overflows
    return v >= 0 ? 1 / (1 + e) : e / (1 + e);
}

template <class T> bool unary(int code, const T* x, T* o, intptr_t n) {
    switch (code) {
        case NEG: map(x, o, n, [](T v) { return -v; }); return true;
        case EXP: map(x, o, n, [](T v) { return std::exp(v); }); return true;
        case LOG: map(x, o, n, [](T v) { return std::log(v); }); return true;
        case TANH: map(x, o, n, [](T v) { return std::tanh(v); }); return true;
        case SIGMOID: map(x, o, n, [](T v) { return sigmoid(v); }); return true;
        case RELU: map(x, o, n, [](T v) { return v < 0 ? T(0) : v; }); return true;   // NaN stays
        case SQRT: map(x, o, n, [](T v) { return std::sqrt(v); }); return true;
        case ABS: map(x, o, n, [](T v) { return std::abs(v); }); return true;
        case SIN: map(x, o, n, [](T v) { return std::sin(v); }); return true;
        case COS: map(x, o, n, [](T v) { return std::cos(v); }); return true;
        case RECIPROCAL: map(x, o, n, [](T v) { return 1 / v; }); return true;
        case SQUARE: map(x, o, n, [](T v) { return v * v; }); return true;
        case RSQRT: map(x, o, n, [](T v) { return 1 / std::sqrt(v); }); return true;
        default: return false;
    }
}

// Which unary codes cost many instructions an element: beyond a few hundred elements NumPy's vector code wins.
inline bool is_transcendental(int code) {
    return code == EXP || code == LOG || code == TANH || code == SIGMOID || code == SIN || code == COS;
}

// Sums in double, so a float sum is right to its last bit or two. x: (outer, n, inner) contiguous; out: (outer, inner).
template <class T> void sum_axis(const T* x, T* out, intptr_t outer, intptr_t n, intptr_t inner, double scale) {
    for (intptr_t o = 0; o < outer; o++) {
        const T* block = x + o * n * inner;
        T* row = out + o * inner;
        if (inner == 1) {
            double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
            intptr_t i = 0;
            for (; i + 4 <= n; i += 4) { s0 += block[i]; s1 += block[i + 1]; s2 += block[i + 2]; s3 += block[i + 3]; }
            for (; i < n; i++) s0 += block[i];
            row[0] = (T)(((s0 + s1) + (s2 + s3)) * scale);
            continue;
        }
        for (intptr_t j = 0; j < inner; j++) {
            double s = 0;
            for (intptr_t i = 0; i < n; i++) s += block[i * inner + j];
            row[j] = (T)(s * scale);
        }
    }
}

// c (m, n) = a (m, k) @ b (k, n), strides in elements; c is contiguous.
template <class T>
void small_matmul(const T* a, intptr_t ar, intptr_t ac, const T* b, intptr_t br, intptr_t bc, T* c,
                  intptr_t m, intptr_t k, intptr_t n) {
    for (intptr_t i = 0; i < m; i++) {
        T* row = c + i * n;
        if (bc == 1) {
            for (intptr_t j = 0; j < n; j++) row[j] = 0;
            for (intptr_t p = 0; p < k; p++) {
                const T v = a[i * ar + p * ac];
                const T* line = b + p * br;
                for (intptr_t j = 0; j < n; j++) row[j] += v * line[j];
            }
        } else {
            for (intptr_t j = 0; j < n; j++) {
                T s = 0;
                for (intptr_t p = 0; p < k; p++) s += a[i * ar + p * ac] * b[p * br + j * bc];
                row[j] = s;
            }
        }
    }
}

}  // namespace weft
