// Small loops over strided arrays: what NumPy's own calls cost most on, tensors of a few hundred elements.
// Arrays in, arrays out; every function says by its return value whether it took the case.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>
#include <algorithm>

namespace weft {

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

// The greatest (sign 1) or least (sign -1) element and where it first stands; a NaN wins. x: n elements, `step` apart.
template <class T> inline intptr_t extreme(const T* x, intptr_t n, intptr_t step, T sign) {
    intptr_t best = 0;
    T value = x[0];
    for (intptr_t i = 1; i < n && value == value; i++) {
        T v = x[i * step];
        if (v * sign > value * sign || v != v) { value = v; best = i; }
    }
    return best;
}

// x: (outer, n, inner) contiguous. values and places, either may be null: (outer, inner).
template <class T> void extremes(const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t inner, double sign) {
    for (intptr_t o = 0; o < outer; o++)
        for (intptr_t j = 0; j < inner; j++) {
            const T* line = x + o * n * inner + j;
            intptr_t at = extreme(line, n, inner, (T)sign);
            if (values) values[o * inner + j] = line[at * inner];
            if (places) places[o * inner + j] = at;
        }
}

// softmax (or its logarithm) along the middle of (outer, n, inner), contiguous; sums in double.
template <class T> void softmax(const T* x, T* out, intptr_t outer, intptr_t n, intptr_t inner, bool log) {
    for (intptr_t o = 0; o < outer; o++)
        for (intptr_t j = 0; j < inner; j++) {
            const T* line = x + o * n * inner + j;
            T* row = out + o * n * inner + j;
            T top = line[extreme(line, n, inner, (T)1) * inner];
            double sum = 0;
            for (intptr_t i = 0; i < n; i++) {
                T e = exp_of(line[i * inner] - top);
                row[i * inner] = e;
                sum += e;
            }
            if (log) {
                T shift = (T)std::log(sum);
                for (intptr_t i = 0; i < n; i++) row[i * inner] = (line[i * inner] - top) - shift;
            } else {
                T scale = (T)(1 / sum);
                for (intptr_t i = 0; i < n; i++) row[i * inner] *= scale;
            }
        }
}

}  // namespace weft
