// topk, kthvalue, median and mode. Where the chosen elements are all different any algorithm gives the same: then keys
// are selected by their digits. Where some are equal, the row is done again as PyTorch does it (select.h), whose choice
// follows from its algorithm.
#include "select.h"

#include <atomic>

#include "keys.h"

namespace weft {
namespace {

// An array as rows of n, `step` apart, `step` of them interleaved: f(row in one piece, its number among the outer,
// among the interleaved, memory)
template <class T, class F> bool each_row(const T* x, int64_t outer, int64_t n, int64_t step, size_t bytes, F f) {
    std::atomic<bool> fine{true};
    const int64_t group = step == 1 ? 1 : std::min<int64_t>(step, 64 / sizeof(T)), groups = (step + group - 1) / group;
    parallel(outer * groups, std::max<int64_t>(1, 4096 / std::max<int64_t>(1, n * group)),
             [&](int64_t begin, int64_t end) {
        const size_t own = (bytes + 63) / 64 * 64;
        char* memory = static_cast<char*>(host->take(own + (step == 1 ? 0 : size_t(n * group) * sizeof(T)) + 64));
        if (!memory) {
            fine.store(false, std::memory_order_relaxed);
            return;
        }
        T* pulled = reinterpret_cast<T*>(memory + own);
        for (int64_t u = begin; u < end; u++) {
            const int64_t o = u / groups, first = u % groups * group, here = std::min(group, step - first);
            const T* from = x + o * n * step + first;
            if (step == 1) {
                f(from, o, int64_t(0), memory);
                continue;
            }
            for (int64_t i = 0; i < n; i++)
                for (int64_t c = 0; c < here; c++) pulled[c * n + i] = from[i * step + c];
            for (int64_t c = 0; c < here; c++) f(pulled + c * n, o, first + c, memory);
        }
        host->give(memory);
    });
    return fine.load();
}

// the k-th least key of a row, how many of its equals come before it in the sorted row, and how many equals there are
template <class T> struct Found { Key<T> key; int64_t rank, equals; };

constexpr int SELECT_BITS = 8;

template <class T> Found<T> select_key(Key<T>* keys, int64_t n, int64_t k) {
    using K = Key<T>;
    K low = K(~K(0)), high = 0;
    for (int64_t i = 0; i < n; i++) { low = std::min(low, keys[i]); high = std::max(high, keys[i]); }
    int width = bits_of(uint64_t(K(high - low)));
    while (n > 24 && width > 0) {
        const int shift = std::max(0, width - SELECT_BITS);
        uint32_t counts[1 << SELECT_BITS] = {};
        for (int64_t i = 0; i < n; i++) counts[K(keys[i] - low) >> shift]++;
        int64_t digit = 0, left = k;
        while (left >= int64_t(counts[digit])) left -= counts[digit++];
        const K start = K(low + (K(digit) << shift));
        int64_t kept = 0;
        for (int64_t i = 0; i < n; i++) {
            const K key = keys[i];
            keys[kept] = key;
            kept += (K(key - low) >> shift) == K(digit);
        }
        k = left, n = kept, low = start, width = shift;
    }
    if (width == 0) return {low, k, n};
    std::sort(keys, keys + n);
    int64_t first = k, last = k;
    while (first > 0 && keys[first - 1] == keys[k]) first--;
    while (last + 1 < n && keys[last + 1] == keys[k]) last++;
    return {keys[k], k - first, last - first + 1};
}

template <class T> int64_t place_of_key(const T* x, int64_t n, Key<T> key, int64_t rank) {
    for (int64_t i = 0; i < n; i++)
        if (key_of(x[i]) == key && rank-- == 0) return i;
    return 0;       // never
}

// topk by keys: false where equal elements leave a choice. `items` has room for 2 n.
template <class T, class I> bool top_by_keys(const T* x, int64_t n, int64_t k, bool largest, I* items, I*& made) {
    using K = Key<T>;
    const K flip = largest ? K(~K(0)) : K(0);
    K low = K(~K(0)), high = 0;
    for (int64_t i = 0; i < n; i++) {
        const K key = key_of(x[i]) ^ flip;
        low = std::min(low, key);
        high = std::max(high, key);
    }
    const int width = bits_of(uint64_t(K(high - low)));
    uint64_t limit = uint64_t(K(high - low));       // keys beyond it can't be chosen
    if (n > 2048 && k < n / 2 && width > MAX_DIGIT) {
        const int shift = width - MAX_DIGIT;
        uint32_t counts[1 << MAX_DIGIT] = {};
        for (int64_t i = 0; i < n; i++) counts[K((key_of(x[i]) ^ flip) - low) >> shift]++;
        uint64_t digit = 0;
        // one more, to see a tie
        for (int64_t seen = counts[0]; seen <= k && digit < (1 << MAX_DIGIT) - 1; seen += counts[digit]) digit++;
        limit = ((digit + 1) << shift) - 1;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = K((key_of(x[i]) ^ flip) - low);
        if constexpr (std::is_same_v<I, uint64_t>) items[kept] = key << 32 | uint64_t(i);
        else items[kept] = {key, uint64_t(i)};
        kept += key <= limit;
    }
    made = radix_sort(items, items + n, kept, width);
    const int64_t last = std::min(k, kept - 1);
    for (int64_t i = 0; i < last; i++)
        if (key_part(made[i]) == key_part(made[i + 1])) return false;
    return true;
}

template <class T>
bool topk_rows(const T* x, T* values, int64_t* places, int64_t outer, int64_t n, int64_t step, int64_t k, bool largest,
               bool sorted) {
    const bool few = k * 64 <= n;
    const size_t bytes = few ? size_t(k + 1) * sizeof(Placed<T>)
                             : std::max(size_t(n) * sizeof(Placed<T>), 2 * size_t(n) * sizeof(Placed64)) + 64;
    using I = std::conditional_t<sizeof(T) <= 4, uint64_t, Placed64>;
    return each_row(x, outer, n, step, bytes, [=](const T* row, int64_t o, int64_t s, char* memory) {
        T* to = values + o * k * step + s;
        int64_t* at = places + o * k * step + s;
        auto* items = reinterpret_cast<Placed<T>*>(memory);
        if (few) {
            if (largest) choose_few<true>(row, n, k, items);
            else choose_few<false>(row, n, k, items);
        } else {
            I* made;
            if (sorted && top_by_keys(row, n, k, largest, reinterpret_cast<I*>(memory), made)) {
                for (int64_t i = 0; i < k; i++) {
                    at[i * step] = int64_t(place_part(made[i]));
                    to[i * step] = row[place_part(made[i])];
                }
                return;
            }
            if (largest) choose_first<true>(row, n, k, sorted, items);
            else choose_first<false>(row, n, k, sorted, items);
        }
        for (int64_t i = 0; i < k; i++) { to[i * step] = items[i].first; at[i * step] = items[i].second; }
    });
}

template <class T>
bool kth_rows(const T* x, T* values, int64_t* places, int64_t outer, int64_t n, int64_t step, int64_t k) {
    return each_row(x, outer, n, step, size_t(n) * sizeof(Placed<T>),
                    [=](const T* row, int64_t o, int64_t s, char* memory) {
        auto* keys = reinterpret_cast<Key<T>*>(memory);
        for (int64_t i = 0; i < n; i++) keys[i] = key_of(row[i]);
        const Found<T> found = select_key<T>(keys, n, k);
        int64_t at;
        if (found.equals == 1) {
            at = place_of_key(row, n, found.key, 0);
        } else {
            auto* items = reinterpret_cast<Placed<T>*>(memory);
            for (int64_t i = 0; i < n; i++) items[i] = {row[i], i};
            select_kth(items, n, k);
            at = items[k].second;
        }
        values[o * step + s] = row[at];
        places[o * step + s] = at;
    });
}

// the lower median, at the place that a stable sort would give; NaN (the first of them) where there is one, or without
// them
template <class T>
bool median_rows(const T* x, T* values, int64_t* places, int64_t outer, int64_t n, int64_t step, bool skip) {
    return each_row(x, outer, n, step, size_t(n) * sizeof(Key<T>),
                    [=](const T* row, int64_t o, int64_t s, char* memory) {
        auto* keys = reinterpret_cast<Key<T>*>(memory);
        int64_t gaps = 0;
        for (int64_t i = 0; i < n; i++) {
            keys[i] = key_of(row[i]);
            gaps += row[i] != row[i];
        }
        int64_t k = (n - 1) / 2;
        if (gaps) k = skip ? std::max<int64_t>(n - gaps - 1, 0) / 2 : n - gaps;
        const Found<T> found = select_key<T>(keys, n, k);
        const int64_t at = place_of_key(row, n, found.key, found.rank);
        values[o * step + s] = row[at];
        places[o * step + s] = at;
    });
}

template <class T> bool mode_rows(const T* x, T* values, int64_t* places, int64_t outer, int64_t n, int64_t step) {
    return each_row(x, outer, n, step, size_t(n + 2) * sizeof(Placed<T>),
                    [=](const T* row, int64_t o, int64_t s, char* memory) {
        const Placed<T> found = mode_of(row, n, reinterpret_cast<Placed<T>*>(memory) + 1);
        values[o * step + s] = found.first;
        places[o * step + s] = found.second;
    });
}

// What these share: x as rows along an axis, which has `length` elements in the results or is gone; run(kind, values,
// places, outer, n, step)
template <class F> PyObject* choose(const Array& x, int64_t axis, int64_t length, bool keep, F run) {
    if (!x || !x.contiguous || x.size == 0 || axis < 0 || axis >= x.nd || x.shape[axis] >= int64_t(1) << 32)
        return not_taken();
    const int type = x.type == BOOL ? U8 : x.type;
    if (type > U8 || type == F16 || type == BF16) return not_taken();
    intptr_t shape[MAX_DIMS];
    int nd = 0;
    int64_t outer = 1, step = 1;
    for (int d = 0; d < x.nd; d++) {
        if (d < axis) outer *= x.shape[d];
        if (d > axis) step *= x.shape[d];
        if (d != axis || keep) shape[nd++] = d == axis ? length : x.shape[d];
    }
    PyObject* values = new_array(nd, shape, x.type);
    PyObject* places = new_array(nd, shape, I64);
    bool fine = true;
    if (values && places) {
        Unlocked gil(x.size * 4);
        by_type(type, [&](auto kind) {
            using T = decltype(kind);
            fine = run(x.as<T>(), data_of<T>(values), data_of<int64_t>(places), outer, int64_t(x.shape[axis]), step);
        });
    }
    PyObject* made = results({values, places});
    if (made && !fine) { Py_DECREF(made); return PyErr_NoMemory(); }
    return made;
}

}  // namespace

// topk(x, k, axis, largest, sorted): (values, indices); 1 <= k <= the length
KERNEL(topk) {
    Array x;
    int64_t k, axis;
    bool largest, sorted;
    if (!read(args, n, x, k, axis, largest, sorted) || !x || axis < 0 || axis >= x.nd || k < 1 || k > x.shape[axis])
        return not_taken();
    return choose(x, axis, k, true,
                  [=](auto* from, auto* values, int64_t* places, int64_t outer, int64_t length, int64_t step) {
        return topk_rows(from, values, places, outer, length, step, k, largest, sorted);
    });
}

// kthvalue(x, k, axis, keepdim): the k-th least, from 0
KERNEL(kthvalue) {
    Array x;
    int64_t k, axis;
    bool keep;
    if (!read(args, n, x, k, axis, keep) || !x || axis < 0 || axis >= x.nd || k < 0 || k >= x.shape[axis])
        return not_taken();
    return choose(x, axis, 1, keep,
                  [=](auto* from, auto* values, int64_t* places, int64_t outer, int64_t length, int64_t step) {
        return kth_rows(from, values, places, outer, length, step, k);
    });
}

// median(x, axis, keepdim, skip_nan)
KERNEL(median) {
    Array x;
    int64_t axis;
    bool keep, skip;
    if (!read(args, n, x, axis, keep, skip)) return not_taken();
    return choose(x, axis, 1, keep,
                  [=](auto* from, auto* values, int64_t* places, int64_t outer, int64_t length, int64_t step) {
        return median_rows(from, values, places, outer, length, step, skip);
    });
}

// mode(x, axis, keepdim)
KERNEL(mode) {
    Array x;
    int64_t axis;
    bool keep;
    if (!read(args, n, x, axis, keep)) return not_taken();
    return choose(x, axis, 1, keep,
                  [=](auto* from, auto* values, int64_t* places, int64_t outer, int64_t length, int64_t step) {
        return mode_rows(from, values, places, outer, length, step);
    });
}

}  // namespace weft
