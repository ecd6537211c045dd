// Numbers as unsigned keys of the same order, and sorting by them: what sort, topk, kthvalue, median and unique share.
#pragma once
#include <bit>
#include <type_traits>

#include "moves.h"
#include "vec.h"

namespace weft {

template <int BYTES> struct UnsignedOf;
template <> struct UnsignedOf<1> { using type = uint8_t; };
template <> struct UnsignedOf<2> { using type = uint16_t; };
template <> struct UnsignedOf<4> { using type = uint32_t; };
template <> struct UnsignedOf<8> { using type = uint64_t; };
template <class T> using Key = typename UnsignedOf<sizeof(T)>::type;

// NaN is the greatest, and all NaNs are equal; so are 0.0 and -0.0
template <class T> inline Key<T> key_of(T x) {
    using K = Key<T>;
    constexpr K SIGN = K(1) << (8 * sizeof(T) - 1);
    if constexpr (std::is_floating_point_v<T>) {
        using S = std::make_signed_t<K>;
        const K u = bits<K>(T(x + T(0)));
        const K ordered = u ^ (K(S(u) >> (8 * sizeof(T) - 1)) | SIGN);
        return x != x ? K(~K(0)) : ordered;
    } else if constexpr (std::is_signed_v<T>) {
        return K(x) ^ SIGN;
    } else {
        return x;
    }
}

template <class T> inline T value_of(Key<T> key) {      // not of NaN; 0.0 for either zero
    using K = Key<T>;
    constexpr K SIGN = K(1) << (8 * sizeof(T) - 1);
    if constexpr (std::is_floating_point_v<T>) return bits<T>(K(key & SIGN ? key ^ SIGN : ~key));
    else if constexpr (std::is_signed_v<T>) return T(key ^ SIGN);
    else return key;
}

// A key and where it stood. Small keys share one word with the place, so that no two are equal and any sort of them is
// stable.
struct Placed64 { uint64_t key, place; };

inline uint64_t key_part(uint64_t packed) { return packed >> 32; }
inline uint64_t key_part(const Placed64& item) { return item.key; }
inline uint64_t place_part(uint64_t packed) { return packed & 0xffffffff; }
inline uint64_t place_part(const Placed64& item) { return item.place; }
inline bool precedes(uint64_t a, uint64_t b) { return a < b; }
inline bool precedes(const Placed64& a, const Placed64& b) {
    return a.key < b.key || (a.key == b.key && a.place < b.place);
}

template <class I> inline void insertion_sort(I* a, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const I item = a[i];
        int64_t j = i;
        for (; j > 0 && precedes(item, a[j - 1]); j--) a[j] = a[j - 1];
        a[j] = item;
    }
}

constexpr int MAX_DIGIT = 11;
constexpr int64_t SMALL_SORT = 40, MANY = 1 << 16;

inline int digit_bits(int64_t n, int key_bits) {     // fewer, wider passes where there is enough to sort
    if (n < 256) return std::min(key_bits, 6);
    return n < 8192 ? 8 : (key_bits + 10) / 11 < (key_bits + 7) / 8 ? MAX_DIGIT : 8;
}

// Sort a[0..n) by keys of `key_bits` bits, stably, digit by digit from the least; b is as large. Gives where the result
// is: a or b.
template <class I> I* radix_sort(I* a, I* b, int64_t n, int key_bits) {
    if (n <= SMALL_SORT) { insertion_sort(a, n); return a; }
    const int width = digit_bits(n, key_bits);
    const uint64_t mask = (uint64_t(1) << width) - 1;
    uint32_t counts[1 << MAX_DIGIT];
    for (int shift = 0; shift < key_bits; shift += width) {
        std::memset(counts, 0, sizeof(uint32_t) << width);
        for (int64_t i = 0; i < n; i++) counts[key_part(a[i]) >> shift & mask]++;
        if (counts[key_part(a[0]) >> shift & mask] == uint32_t(n)) continue;        // all the same
        uint32_t sum = 0;
        for (uint64_t d = 0; d <= mask; d++) { const uint32_t c = counts[d]; counts[d] = sum; sum += c; }
        for (int64_t i = 0; i < n; i++) b[counts[key_part(a[i]) >> shift & mask]++] = a[i];
        std::swap(a, b);
    }
    return a;
}

// The same for one long row, by all threads: each has a part of the row and counts it; then all know where to write.
// The order is that of the serial sort, whatever the number of parts.
template <class I> I* radix_sort_together(I* a, I* b, int64_t n, int key_bits) {
    const int parts = n < MANY ? 1 : std::min(host->threads(), 16);
    if (parts == 1) return radix_sort(a, b, n, key_bits);
    const int width = digit_bits(n, key_bits);
    const uint64_t mask = (uint64_t(1) << width) - 1;
    Scratch<uint32_t> counts(size_t(parts) << width);
    for (int shift = 0; shift < key_bits; shift += width) {
        run_tasks(parts, [&](int64_t p) {
            uint32_t* mine = counts + (p << width);
            std::memset(mine, 0, sizeof(uint32_t) << width);
            for (int64_t i = n * p / parts, end = n * (p + 1) / parts; i < end; i++)
                mine[key_part(a[i]) >> shift & mask]++;
        });
        uint32_t sum = 0;
        bool trivial = false;
        for (uint64_t d = 0; d <= mask; d++) {
            const uint32_t before = sum;
            for (int p = 0; p < parts; p++) {
                uint32_t& c = counts[(size_t(p) << width) + d];
                const uint32_t had = c;
                c = sum;
                sum += had;
            }
            trivial = trivial || int64_t(sum - before) == n;
        }
        if (trivial) continue;
        run_tasks(parts, [&](int64_t p) {
            uint32_t* mine = counts + (p << width);
            for (int64_t i = n * p / parts, end = n * (p + 1) / parts; i < end; i++)
                b[mine[key_part(a[i]) >> shift & mask]++] = a[i];
        });
        std::swap(a, b);
    }
    return a;
}

inline int bits_of(uint64_t x) { return 64 - std::countl_zero(x); }

}  // namespace weft
