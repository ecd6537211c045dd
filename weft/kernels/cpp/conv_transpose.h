// Transposing small blocks: what is contiguous along one dimension becomes contiguous along the other.
#pragma once
#include <algorithm>

#include "vec.h"

namespace weft {

typedef float Four __attribute__((vector_size(16)));
inline Four load_four(const float* p) { Four v; std::memcpy(&v, p, sizeof v); return v; }
inline void store_four(float* p, Four v) { std::memcpy(p, &v, sizeof v); }

inline void transpose_four(Four& a, Four& b, Four& c, Four& d) {
    const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Four ba = __builtin_shufflevector(a, b, 2, 6, 3, 7), dc = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    b = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    c = __builtin_shufflevector(ba, dc, 0, 1, 4, 5);
    d = __builtin_shufflevector(ba, dc, 2, 3, 6, 7);
}

// to[c * to_step + r] = from[r * step + c] for r below rows, c below columns: by squares of a vector's length, then of
// four. The last squares of a side reach back over what is there already; `to` must not lie in `from`.
template <class T>
inline void transpose(const T* from, int64_t rows, int64_t columns, int64_t step, T* to, int64_t to_step) {
    constexpr int L = LANES<T>;
    int64_t r = 0;
    if (columns >= L)
        for (; r + L <= rows; r += L)
            for (int64_t c = 0; c < columns; c += L) {
                const int64_t start = std::min(c, columns - L);
                // one address after the other: the compiler would keep all of them, in vectors' registers
                const T* line = from + r * step + start;
                Vec<T> v[L];
#pragma GCC unroll 16
                for (int i = 0; i < L; i++, line += step) {
                    asm("" : "+r"(line));
                    v[i] = load(line);
                }
                transpose_block<T>(v);
                T* place = to + start * to_step + r;
#pragma GCC unroll 16
                for (int i = 0; i < L; i++, place += to_step) {
                    asm("" : "+r"(place));
                    store(place, v[i]);
                }
            }
    if constexpr (sizeof(T) == 4)
        if (columns >= 4 && rows >= 4)
            for (; r < rows; r += 4) {
                const int64_t low = std::min(r, rows - 4);
                const float* line = from + low * step;
                for (int64_t c = 0; c < columns; c += 4) {
                    const int64_t start = std::min(c, columns - 4);
                    Four v0 = load_four(line + start), v1 = load_four(line + step + start),
                         v2 = load_four(line + 2 * step + start), v3 = load_four(line + 3 * step + start);
                    transpose_four(v0, v1, v2, v3);
                    float* place = to + start * to_step + low;
                    store_four(place, v0);
                    store_four(place + to_step, v1);
                    store_four(place + 2 * to_step, v2);
                    store_four(place + 3 * to_step, v3);
                }
            }
    for (; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) to[c * to_step + r] = from[r * step + c];
}

}  // namespace weft
