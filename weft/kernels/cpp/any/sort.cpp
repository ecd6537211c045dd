// sort and argsort: stable, NaN greatest, along any dimension; a radix sort of (key, place).
#include <atomic>

#include "keys.h"

namespace weft {
namespace {

// One row's order. Its elements are pulled together by the caller; the result is a row of values and of places.
template <class T> struct RowSort {
    using K = Key<T>;
    static constexpr int KEY_BITS = 8 * sizeof(T);
    static constexpr bool PACKED = sizeof(T) <= 4;

    // memory for rows of n: two of items, and the row itself
    static size_t bytes(int64_t n) { return size_t(n) * (2 * sizeof(Placed64)) + 256; }

    // `exact`: whether values can be had back from their keys (neither NaN nor -0.0 among them)
    static bool keys_are_exact(const T* x, int64_t n) {
        if constexpr (!std::is_floating_point_v<T>) return true;
        else {
            int odd = 0;
            for (int64_t i = 0; i < n; i++) odd |= (x[i] != x[i]) | (bits<K>(x[i]) == K(1) << (KEY_BITS - 1));
            return !odd;
        }
    }

    template <class I>
    static void write(const I* items, int64_t n, const T* x, K low, bool exact, bool descending, T* values,
                      int64_t* places, intptr_t step, bool together) {
        const K flip = descending ? K(~K(0)) : K(0);
        auto part = [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; i++) places[i * step] = int64_t(place_part(items[i]));
            if (!values) return;
            if (exact)
                for (int64_t i = begin; i < end; i++)
                    values[i * step] = value_of<T>(K(K(key_part(items[i])) + low) ^ flip);
            else for (int64_t i = begin; i < end; i++) values[i * step] = x[place_part(items[i])];
        };
        if (together) parallel(n, 32768, part);
        else part(0, n);
    }

    // x has n elements in one piece; values may be null; `together`: this is the only row, so all threads may work on
    // it
    static void run(const T* x, int64_t n, bool descending, T* values, int64_t* places, intptr_t step, char* memory,
                    bool together) {
        const K flip = descending ? K(~K(0)) : K(0);
        K low = K(~K(0)), high = 0;
        bool sorted = true;
        K last = 0;
        for (int64_t i = 0; i < n; i++) {
            const K key = key_of(x[i]) ^ flip;
            low = std::min(low, key);
            high = std::max(high, key);
        }
        for (int64_t i = 0; i < n && sorted; i++) {
            const K key = key_of(x[i]) ^ flip;
            sorted = last <= key;
            last = key;
        }
        if (sorted) {
            for (int64_t i = 0; i < n; i++) places[i * step] = i;
            if (values) for (int64_t i = 0; i < n; i++) values[i * step] = x[i];
            return;
        }
        const bool exact = keys_are_exact(x, n);
        const int key_bits = bits_of(uint64_t(K(high - low)));
        if (key_bits <= 32 && n < int64_t(1) << 32) {
            auto* a = reinterpret_cast<uint64_t*>(memory);
            uint64_t* b = a + n;
            auto build = [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; i++)
                    a[i] = uint64_t(K((key_of(x[i]) ^ flip) - low)) << 32 | uint64_t(i);
            };
            if (together) parallel(n, 32768, build);
            else build(0, n);
            const uint64_t* made = together ? radix_sort_together(a, b, n, key_bits) : radix_sort(a, b, n, key_bits);
            write(made, n, x, low, exact, descending, values, places, step, together);
        } else {
            auto* a = reinterpret_cast<Placed64*>(memory);
            Placed64* b = a + n;
            for (int64_t i = 0; i < n; i++) a[i] = {uint64_t(K((key_of(x[i]) ^ flip) - low)), uint64_t(i)};
            const Placed64* made = together ? radix_sort_together(a, b, n, key_bits) : radix_sort(a, b, n, key_bits);
            write(made, n, x, low, exact, descending, values, places, step, together);
        }
    }
};

// Rows of n elements `step` apart, `step` of them interleaved. Interleaved rows are pulled together a cache line's
// worth at a time.
template <class T>
bool sort_rows(const T* x, T* values, int64_t* places, int64_t outer, int64_t n, int64_t step, bool descending) {
    using Sort = RowSort<T>;
    if (outer * step == 1) {
        Scratch<char> memory(Sort::bytes(n));
        Sort::run(x, n, descending, values, places, 1, memory, true);
        return true;
    }
    std::atomic<bool> fine{true};
    const int64_t group = step == 1 ? 1 : std::min<int64_t>(step, 64 / sizeof(T)), groups = (step + group - 1) / group;
    parallel(outer * groups, std::max<int64_t>(1, 2048 / std::max<int64_t>(1, n * group)),
             [&](int64_t begin, int64_t end) {
        const size_t row = (size_t(n) * sizeof(T) + 63) / 64 * 64,
                     sorted = (size_t(n) * sizeof(int64_t) + 63) / 64 * 64;
        const size_t own = (Sort::bytes(n) + 63) / 64 * 64;
        char* memory = static_cast<char*>(host->take(own + size_t(group) * (2 * row + sorted)));
        if (!memory) {
            fine.store(false, std::memory_order_relaxed);
            return;
        }
        char* rows = memory + own;
        for (int64_t u = begin; u < end; u++) {
            const int64_t o = u / groups, first = u % groups * group, here = std::min(group, step - first),
                          base = o * n * step + first;
            if (step == 1) {
                Sort::run(x + base, n, descending, values ? values + base : nullptr, places + base, 1, memory, false);
                continue;
            }
            T* pulled = reinterpret_cast<T*>(rows);                         // [here][n]
            T* made = reinterpret_cast<T*>(rows + row * size_t(group));
            auto* made_places = reinterpret_cast<int64_t*>(rows + 2 * row * size_t(group));
            const int64_t pitch = int64_t(row / sizeof(T)), wide = int64_t(sorted / sizeof(int64_t));
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < here; c++) pulled[c * pitch + i] = x[base + i * step + c];
            for (int64_t c = 0; c < here; c++)
                Sort::run(pulled + c * pitch, n, descending, values ? made + c * pitch : nullptr,
                          made_places + c * wide, 1, memory, false);
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < here; c++) {
                    if (values) values[base + i * step + c] = made[c * pitch + i];
                    places[base + i * step + c] = made_places[c * wide + i];
                }
        }
        host->give(memory);
    });
    return fine.load();
}

}  // namespace

// sort(x, axis, descending, with_values): (values or None, indices); x C-contiguous
KERNEL(sort) {
    Array x;
    int64_t axis;
    bool descending, with_values;
    if (!read(args, n, x, axis, descending, with_values) || !x || !x.contiguous || axis < 0 || axis >= x.nd ||
        x.shape[axis] >= int64_t(1) << 32)
        return not_taken();
    if (x.type > BOOL || x.type == F16 || x.type == BF16) return not_taken();
    PyObject* places = new_array(x.nd, x.shape, I64);
    PyObject* values = with_values ? new_array(x) : Py_NewRef(Py_None);
    if (places && values && x.size) {
        int64_t outer = 1, step = 1;
        for (int d = 0; d < axis; d++) outer *= x.shape[d];
        for (int d = int(axis) + 1; d < x.nd; d++) step *= x.shape[d];
        bool fine = true;
        {
            Unlocked gil(x.size * 4);
            by_type(x.type == BOOL ? U8 : x.type, [&](auto kind) {
                using T = decltype(kind);
                fine = sort_rows<T>(x.as<T>(), with_values ? data_of<T>(values) : nullptr, data_of<int64_t>(places),
                                    outer, x.shape[axis], step, descending);
            });
        }
        if (!fine) { Py_DECREF(places); Py_DECREF(values); return PyErr_NoMemory(); }
    }
    return results({values, places});
}

}  // namespace weft
