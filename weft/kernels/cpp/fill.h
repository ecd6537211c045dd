// One value over and over.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

namespace weft {

// After the first ones by copies of these: memcpy writes whole lines with the widest stores of this processor, whatever
// set it was that the file was compiled for.
template <class T> inline void fill_row(T* out, T value, int64_t n) {
    constexpr int64_t FIRST = 2048 / int64_t(sizeof(T));
    std::fill_n(out, std::min(n, FIRST), value);
    for (int64_t i = FIRST; i < n; i += FIRST) std::memcpy(out + i, out, size_t(std::min(FIRST, n - i)) * sizeof(T));
}

}  // namespace weft
