// Transposing small blocks: what is contiguous along one dimension becomes contiguous along the other.
#pragma once
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

// to[c * to_step + r] = from[r * step + c] for r below rows, c below columns
template <class T>
inline void transpose(const T* from, int64_t rows, int64_t columns, int64_t step, T* to, int64_t to_step) {
    int64_t r = 0;
    if constexpr (sizeof(T) == 4)
        for (; r + 4 <= rows; r += 4) {
            const float* line = from + r * step;
            int64_t c = 0;
            for (; c + 4 <= columns; c += 4) {
                Four v0 = load_four(line + c), v1 = load_four(line + step + c), v2 = load_four(line + 2 * step + c),
                     v3 = load_four(line + 3 * step + c);
                transpose_four(v0, v1, v2, v3);
                float* place = to + c * to_step + r;
                store_four(place, v0);
                store_four(place + to_step, v1);
                store_four(place + 2 * to_step, v2);
                store_four(place + 3 * to_step, v3);
            }
            for (; c < columns; c++)
                for (int64_t i = 0; i < 4; i++) to[c * to_step + r + i] = line[i * step + c];
        }
    for (; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) to[c * to_step + r] = from[r * step + c];
}

}  // namespace weft
