// float16 and bfloat16 to float and back: round to nearest, halves to even; NaN stays NaN.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "vec.h"

namespace weft {

inline float float_of_half(uint16_t h) {
    const uint32_t sign = uint32_t(h & 0x8000) << 16, rest = uint32_t(h & 0x7fff) << 13, exponent = rest & 0x0f800000;
    if (exponent == 0x0f800000) return bits<float>(sign | (rest + 0x70000000));            // infinity, NaN
    if (exponent) return bits<float>(sign | (rest + 0x38000000));
    // subnormal: made by a subtraction
    return bits<float>(sign | bits<uint32_t>(bits<float>(rest + 0x38800000) - bits<float>(0x38800000u)));
}

inline uint16_t half_of_float(float f) {
    uint32_t u = bits<uint32_t>(f);
    const uint16_t sign = uint16_t(u >> 16 & 0x8000);
    u &= 0x7fffffff;
    if (u >= 0x47800000) return uint16_t(sign | (u > 0x7f800000 ? 0x7e00 | (u >> 13 & 0x3ff) : 0x7c00));
    // the sum rounds to a subnormal's last place
    if (u < 0x38800000) return uint16_t(sign | (bits<uint32_t>(bits<float>(u) + 0.5f) - 0x3f000000));
    return uint16_t(sign | ((u + 0xc8000fff + (u >> 13 & 1)) >> 13));
}

inline float float_of_bfloat(uint16_t b) { return bits<float>(uint32_t(b) << 16); }
inline uint16_t bfloat_of_float(float f) {
    const uint32_t u = bits<uint32_t>(f);
    const uint32_t rounded = (u + 0x7fff + (u >> 16 & 1)) >> 16, nan = (u >> 16) | 0x40;
    return uint16_t((u & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

inline void floats_of_halves(const uint16_t* x, float* out, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x + i))));
#endif
    for (; i < n; i++) out[i] = float_of_half(x[i]);
}

inline void halves_of_floats(const float* x, uint16_t* out, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#endif
    for (; i < n; i++) out[i] = half_of_float(x[i]);
}

// The upper halves of the words of two vectors, one after the other.
#if defined(__AVX512F__)
#define WEFT_ODD                                                                                                       \
    1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, \
        61, 63
#elif defined(__AVX2__)
#define WEFT_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#else
#define WEFT_ODD 1, 3, 5, 7, 9, 11, 13, 15
#endif
inline void bfloats_of_floats(const float* x, uint16_t* out, int64_t n) {
    using Words = Vec<uint32_t>;
    using Halves = Vec<uint16_t>;
    constexpr int L = LANES<float>;
    const auto rounded = [](const float* p) {      // the bfloat16 in the upper half of each word
        const Words u = bits<Words>(load(p));
        return bits<Halves>(select((u & 0x7fffffff) > 0x7f800000, u | 0x400000, u + 0x7fff + (u >> 16 & 1)));
    };
    int64_t i = 0;
    for (; i + 2 * L <= n; i += 2 * L) {
        const Halves low = rounded(x + i), high = rounded(x + i + L);
        const Halves made = __builtin_shufflevector(low, high, WEFT_ODD);
        std::memcpy(out + i, &made, sizeof made);
    }
    for (; i < n; i++) out[i] = bfloat_of_float(x[i]);
}
// What is left of floats when they are made halves or bfloats, and floats again.
inline void round_to_halves(float* x, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(x + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(x + i), _MM_FROUND_TO_NEAREST_INT |
                                                                                            _MM_FROUND_NO_EXC)));
#endif
    for (; i < n; i++) x[i] = float_of_half(half_of_float(x[i]));
}
inline void round_to_bfloats(float* x, int64_t n) {
    using Words = Vec<uint32_t>;
    constexpr int L = LANES<float>;
    int64_t i = 0;
    for (; i + L <= n; i += L) {
        const Words u = bits<Words>(load(x + i));
        const Words rounded = select((u & 0x7fffffff) > 0x7f800000, u | 0x400000, u + 0x7fff + (u >> 16 & 1));
        store(x + i, bits<vf>(rounded & 0xffff0000));
    }
    for (; i < n; i++) x[i] = float_of_bfloat(bfloat_of_float(x[i]));
}
inline void floats_of_bfloats(const uint16_t* x, float* out, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = float_of_bfloat(x[i]);
}

}  // namespace weft
