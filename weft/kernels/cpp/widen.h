// Elements of half types, read as floats: widened in registers, so that a weight goes through memory once, as it is.
#pragma once
#include <type_traits>

#include "half.h"

namespace weft {

struct Half { uint16_t word; };
struct Bfloat { uint16_t word; };

typedef uint16_t HalfWords __attribute__((vector_size(VECTOR_BYTES / 2)));      // as many as a vector has floats

template <class T> inline T value_of(T x) { return x; }
inline float value_of(Half x) { return float_of_half(x.word); }
inline float value_of(Bfloat x) { return float_of_bfloat(x.word); }

// LANES<T> elements in a row, as a vector of T
template <class T, class S> [[gnu::always_inline]] inline Vec<T> load_as(const S* p) {
    if constexpr (std::is_same_v<S, T>) {
        return load(p);
    } else if constexpr (std::is_same_v<S, Bfloat>) {
#if defined(__AVX2__) && !defined(__AVX512F__)      // of the plain conversion GCC makes two halves
        const __m128i words = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        return bits<Vec<T>>(_mm256_slli_epi32(_mm256_cvtepu16_epi32(words), 16));
#else
        HalfWords words;
        std::memcpy(&words, p, sizeof words);
        return bits<Vec<T>>(__builtin_convertvector(words, Vec<uint32_t>) << 16);
#endif
    } else {
#if defined(__AVX512F__)
        return bits<Vec<T>>(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif defined(__F16C__)
        return bits<Vec<T>>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
        Vec<T> v;
        for (int i = 0; i < LANES<T>; i++) v[i] = value_of(p[i]);
        return v;
#endif
    }
}

}  // namespace weft
