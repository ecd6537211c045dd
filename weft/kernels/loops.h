// Small loops over strided arrays: what NumPy's own calls cost most on, tensors of a few hundred elements.
// Arrays in, arrays out; every function says by its return value whether it took the case.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <algorithm>

namespace weft {

constexpr int MAX_DIMS = 8;

enum Binary { ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, TANH_BACKWARD, SIGMOID_BACKWARD, RELU_BACKWARD, N_BINARY };
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
        // x is the gradient of the output, y the output itself
        case TANH_BACKWARD: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return x * (1 - y * y); }); return true;
        case SIGMOID_BACKWARD: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return x * (1 - y) * y; }); return true;
        case RELU_BACKWARD: broadcast2<T, T>(nd, shape, a, b, out, [](T x, T y) { return y <= 0 ? T(0) : x; }); return true;
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

// e**x in float without branches, so that the compiler makes vector code of the loops. x = n ln 2 + r with |r| <= ln 2 / 2; the
// Taylor polynomial of e**r to r**7 is right to 1e-8; 2**n is put together from its bits, in two halves so that subnormal
// results and the last binade come out right. Largest error seen against double: 1 ulp.
inline float exp_of(float x) {
    const float lo = -104.0f, hi = 89.0f, magic = 12582912.0f;      // 1.5 * 2**23: adding it rounds to an integer
    x = x < lo ? lo : (x > hi ? hi : x);                            // NaN stays
    float n = (x * 1.44269504f + magic) - magic;
    float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;          // ln 2 in two parts, the first exact times n
    float p = 1.0f / 5040;
    p = p * r + 1.0f / 720; p = p * r + 1.0f / 120; p = p * r + 1.0f / 24; p = p * r + 1.0f / 6;
    p = p * r + 0.5f; p = p * r + 1.0f; p = p * r + 1.0f;
    int32_t whole = (int32_t)n, half = whole >> 1;
    int32_t b1 = (half + 127) << 23, b2 = (whole - half + 127) << 23;
    float s1, s2;
    std::memcpy(&s1, &b1, 4); std::memcpy(&s2, &b2, 4);
    return p * s1 * s2;
}
inline double exp_of(double x) { return std::exp(x); }

// tanh: its Taylor series near 0 (to x**17, right to 2e-8 below 0.55), else by e**2x.
inline float tanh_of(float x) {
    float a = x < 0 ? -x : x, z = a * a;
    float p = 6404582.0f / 10854718875.0f;
    p = p * -z + 929569.0f / 638512875.0f; p = p * -z + 21844.0f / 6081075.0f; p = p * -z + 1382.0f / 155925.0f;
    p = p * -z + 62.0f / 2835.0f; p = p * -z + 17.0f / 315.0f; p = p * -z + 2.0f / 15.0f; p = p * -z + 1.0f / 3.0f;
    float near = a - a * z * p, far = 1.0f - 2.0f / (exp_of(2.0f * a) + 1.0f);
    float t = a < 0.55f ? near : far;
    return x < 0 ? -t : (x == 0 ? x : t);
}
inline double tanh_of(double x) { return std::tanh(x); }

template <class T> inline T sigmoid(T v) { return 1 / (1 + exp_of(-v)); }

template <class T> bool unary(int code, const T* x, T* o, intptr_t n) {
    switch (code) {
        case NEG: map(x, o, n, [](T v) { return -v; }); return true;
        case EXP: map(x, o, n, [](T v) { return exp_of(v); }); return true;
        case LOG: map(x, o, n, [](T v) { return std::log(v); }); return true;
        case TANH: map(x, o, n, [](T v) { return tanh_of(v); }); return true;
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
