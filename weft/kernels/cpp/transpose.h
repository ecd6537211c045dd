// Turning small tiles of a matrix, by blocks that fit the registers.
#pragma once
#include <cstdint>
#include <cstring>

namespace weft {

typedef uint32_t four_words __attribute__((vector_size(16)));
typedef uint64_t two_words __attribute__((vector_size(16)));

template <class T>
inline void turn_plain(const char* from, intptr_t pitch, int64_t c0, int64_t c1, int64_t r0, int64_t r1, char* to,
                       intptr_t to_pitch) {
    for (int64_t r = r0; r < r1; r++)
        for (int64_t c = c0; c < c1; c++)
            *reinterpret_cast<T*>(to + r * to_pitch + c * intptr_t(sizeof(T))) =
                *reinterpret_cast<const T*>(from + c * pitch + r * intptr_t(sizeof(T)));
}

// to[r][c] = from[c][r]: from's rows are `columns` pieces of memory, `pitch` bytes apart, of `rows` elements each.
inline void turn_words(const char* from, intptr_t pitch, int64_t columns, int64_t rows, char* to, intptr_t to_pitch) {
    const int64_t whole_c = columns & ~int64_t(3), whole_r = rows & ~int64_t(3);
    for (int64_t c = 0; c < whole_c; c += 4)
        for (int64_t r = 0; r < whole_r; r += 4) {
            four_words v[4];
            for (int i = 0; i < 4; i++) std::memcpy(&v[i], from + (c + i) * pitch + r * 4, 16);
            const four_words a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5),
                             b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
            const four_words e = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7),
                             f = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
            v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
            v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
            v[2] = __builtin_shufflevector(e, f, 0, 1, 4, 5);
            v[3] = __builtin_shufflevector(e, f, 2, 3, 6, 7);
            for (int i = 0; i < 4; i++) std::memcpy(to + (r + i) * to_pitch + c * 4, &v[i], 16);
        }
    turn_plain<uint32_t>(from, pitch, whole_c, columns, 0, whole_r, to, to_pitch);
    turn_plain<uint32_t>(from, pitch, 0, columns, whole_r, rows, to, to_pitch);
}

inline void turn_double_words(const char* from, intptr_t pitch, int64_t columns, int64_t rows, char* to,
                              intptr_t to_pitch) {
    const int64_t whole_c = columns & ~int64_t(1), whole_r = rows & ~int64_t(1);
    for (int64_t c = 0; c < whole_c; c += 2)
        for (int64_t r = 0; r < whole_r; r += 2) {
            two_words v[2];
            for (int i = 0; i < 2; i++) std::memcpy(&v[i], from + (c + i) * pitch + r * 8, 16);
            const two_words a = __builtin_shufflevector(v[0], v[1], 0, 2),
                            b = __builtin_shufflevector(v[0], v[1], 1, 3);
            std::memcpy(to + r * to_pitch + c * 8, &a, 16);
            std::memcpy(to + (r + 1) * to_pitch + c * 8, &b, 16);
        }
    turn_plain<uint64_t>(from, pitch, whole_c, columns, 0, whole_r, to, to_pitch);
    turn_plain<uint64_t>(from, pitch, 0, columns, whole_r, rows, to, to_pitch);
}

inline void transpose_tile(int item, const char* from, intptr_t pitch, int64_t columns, int64_t rows, char* to,
                           intptr_t to_pitch) {
    switch (item) {
        case 1: turn_plain<uint8_t>(from, pitch, 0, columns, 0, rows, to, to_pitch); break;
        case 2: turn_plain<uint16_t>(from, pitch, 0, columns, 0, rows, to, to_pitch); break;
        case 4: turn_words(from, pitch, columns, rows, to, to_pitch); break;
        default: turn_double_words(from, pitch, columns, rows, to, to_pitch);
    }
}

}  // namespace weft
