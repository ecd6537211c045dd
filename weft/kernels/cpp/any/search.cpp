// Places among sorted values, counts of small integers, and distinct elements.
#include <limits>

#include "keys.h"

namespace weft {
namespace {

// searchsorted

template <bool RIGHT, class T>
inline bool goes_on(T element, T value) {
    return RIGHT ? element <= value : element < value;
}

// The place of a NaN, which is greater than all others: before or after those that stand at the end.
template <bool RIGHT, class T> int64_t place_of_nan(const T* a, int64_t n) {
    if (RIGHT) return n;
    int64_t place = n;
    while (place > 0 && a[place - 1] != a[place - 1]) place--;
    return place;
}

// Binary searches of LANES values side by side: no branch depends on them, and their loads don't wait for one another.
template <bool RIGHT, class T> void search_row(const T* a, int64_t n, const T* values, int64_t count, int64_t* out) {
    constexpr int SIDE = 8;
    for (int64_t i = 0; i < count; i += SIDE) {
        const int here = int(std::min<int64_t>(SIDE, count - i));
        T value[SIDE];
        int64_t base[SIDE] = {};
        for (int k = 0; k < SIDE; k++) value[k] = values[i + (k < here ? k : 0)];
        for (int64_t length = n; length > 1;) {
            const int64_t half = length / 2;
            for (int k = 0; k < SIDE; k++) base[k] += half & -int64_t(goes_on<RIGHT>(a[base[k] + half - 1], value[k]));
            length -= half;
        }
        for (int k = 0; k < here; k++) {
            int64_t place = n ? base[k] + goes_on<RIGHT>(a[base[k]], value[k]) : 0;
            if (value[k] != value[k]) place = place_of_nan<RIGHT>(a, n);
            out[i + k] = place;
        }
    }
}

// One binary search after the other, as everybody writes it: for sequences that aren't sorted after all, its answer is
// the expected one.
template <bool RIGHT, class T>
void search_one_by_one(const T* a, int64_t n, const T* values, int64_t count, int64_t* out) {
    for (int64_t i = 0; i < count; i++) {
        int64_t low = 0, high = n;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (goes_on<RIGHT>(a[middle], values[i]) || (values[i] != values[i] && (RIGHT || a[middle] == a[middle])))
                low = middle + 1;
            else high = middle;
        }
        out[i] = low;
    }
}

template <class T> bool is_sorted(const T* a, int64_t n) {
    int wrong = 0;
    for (int64_t i = 1; i < n; i++) wrong |= a[i] < a[i - 1] || (a[i - 1] != a[i - 1] && a[i] == a[i]);
    return !wrong;
}

template <class T>
void search_rows(const T* a, int64_t n, const T* values, int64_t count, bool right, bool quick, int64_t* out) {
    if (quick) {
        if (right) search_row<true>(a, n, values, count, out);
        else search_row<false>(a, n, values, count, out);
    } else {
        if (right) search_one_by_one<true>(a, n, values, count, out);
        else search_one_by_one<false>(a, n, values, count, out);
    }
}

// bincount

// Adds to counts[x[i]]; several tables by turns, so that equal neighbours don't wait for each other.
void count_part(const int64_t* x, int64_t n, int64_t* counts, int64_t bins, int64_t* spare) {
    int64_t i = 0;
    if (spare) {
        for (; i + 2 <= n; i += 2) { counts[x[i]]++; spare[x[i + 1]]++; }
        for (int64_t b = 0; b < bins; b++) counts[b] += spare[b];
    }
    for (; i < n; i++) counts[x[i]]++;
}

void count_all(const int64_t* x, int64_t n, int64_t* counts, int64_t bins) {
    std::memset(counts, 0, size_t(bins) * sizeof(int64_t));
    const int parts = n < 131072 || bins > n / 8 ? 1 : std::min(host->threads(), 16);
    const bool spread = bins <= 8192 && n > 4 * bins;
    const int tables = parts - 1 + (spread ? parts : 0);
    if (!tables) { count_part(x, n, counts, bins, nullptr); return; }
    Scratch<int64_t> more(size_t(tables) * size_t(bins));
    std::memset(more.data, 0, size_t(tables) * size_t(bins) * sizeof(int64_t));
    run_tasks(parts, [&](int64_t p) {
        count_part(x + n * p / parts, n * (p + 1) / parts - n * p / parts, p ? more + (p - 1) * bins : counts, bins,
                   spread ? more + (parts - 1 + p) * bins : nullptr);
    });
    for (int p = 1; p < parts; p++)
        for (int64_t b = 0; b < bins; b++) counts[b] += more[(p - 1) * bins + b];
}

void range_of(const int64_t* x, int64_t n, int64_t& low, int64_t& high) {
    low = std::numeric_limits<int64_t>::max(), high = std::numeric_limits<int64_t>::min();
    for (int64_t i = 0; i < n; i++) { low = std::min(low, x[i]); high = std::max(high, x[i]); }
}

// unique

constexpr int64_t BLOCK = 65536;

// Distinct elements by sorting: items in order, a run of equal keys is one element; NaN equals nothing.
template <class T, class I>
PyObject* unique_sorted(const Array& x, const I* items, Key<T> low, bool exact, bool want_inverse, bool want_counts) {
    using K = Key<T>;
    const int64_t n = x.size, blocks = (n + BLOCK - 1) / BLOCK;
    auto fresh = [&](int64_t i) {
        return i == 0 || key_part(items[i]) != key_part(items[i - 1]) ||
               (std::is_floating_point_v<T> && K(K(key_part(items[i])) + low) == K(~K(0)));
    };
    Scratch<int64_t> before(size_t(blocks) + 1);
    {
        Unlocked gil(n);
        parallel(blocks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; b++) {
                int64_t found = 0;
                for (int64_t i = b * BLOCK, stop = std::min(n, i + BLOCK); i < stop; i++) found += fresh(i);
                before[b + 1] = found;
            }
        });
        before[0] = 0;
        for (int64_t b = 0; b < blocks; b++) before[b + 1] += before[b];
    }
    const int64_t total = before[blocks];
    const intptr_t shape[1] = {total};
    PyObject* values = new_array(1, shape, x.type);
    PyObject* inverse = want_inverse ? new_array(x.nd, x.shape, I64) : Py_NewRef(Py_None);
    PyObject* counts = want_counts ? new_array(1, shape, I64) : Py_NewRef(Py_None);
    if (values && inverse && counts) {
        T* distinct = data_of<T>(values);
        int64_t* runs = want_inverse ? data_of<int64_t>(inverse) : nullptr;
        int64_t* starts = want_counts ? data_of<int64_t>(counts) : nullptr;
        Unlocked gil(n);
        parallel(blocks, 1, [&](int64_t begin, int64_t end) {
            for (int64_t b = begin; b < end; b++) {
                int64_t run = before[b] - 1;
                for (int64_t i = b * BLOCK, stop = std::min(n, i + BLOCK); i < stop; i++) {
                    if (fresh(i)) {
                        run++;
                        distinct[run] =
                            exact ? value_of<T>(K(K(key_part(items[i])) + low)) : x.as<T>()[place_part(items[i])];
                        if (starts) starts[run] = i;
                    }
                    if (runs) runs[place_part(items[i])] = run;
                }
            }
        });
        if (starts) for (int64_t r = 0; r < total; r++) starts[r] = (r + 1 < total ? starts[r + 1] : n) - starts[r];
    }
    return results({values, inverse, counts});
}

template <class T> PyObject* unique_by_keys(const Array& x, bool want_inverse, bool want_counts) {
    using K = Key<T>;
    const T* from = x.as<T>();
    const int64_t n = x.size;
    K low = K(~K(0)), high = 0;
    int odd = 0;
    for (int64_t i = 0; i < n; i++) {
        const K key = key_of(from[i]);
        low = std::min(low, key);
        high = std::max(high, key);
        if constexpr (std::is_floating_point_v<T>)
            odd |= (from[i] != from[i]) | (bits<K>(from[i]) == K(1) << (8 * sizeof(T) - 1));
    }
    const int key_bits = bits_of(uint64_t(K(high - low)));
    auto go = [&](auto item) {
        using I = decltype(item);
        const size_t room = size_t(n);
        Scratch<I> a(room), b(room);
        I* made;
        {
            Unlocked gil(n);
            parallel(n, 32768, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; i++) {
                    const uint64_t key = K(key_of(from[i]) - low);
                    if constexpr (std::is_same_v<I, uint64_t>) a[i] = key << 32 | uint64_t(i);
                    else a[i] = {key, uint64_t(i)};
                }
            });
            made = radix_sort_together(a.data, b.data, n, key_bits);
        }
        return unique_sorted<T, I>(x, made, low, !odd, want_inverse, want_counts);
    };
    return key_bits <= 32 ? go(uint64_t{}) : go(Placed64{});
}

// Distinct int64 of a range not much longer than their number, by counting.
PyObject* unique_by_counting(const Array& x, int64_t low, int64_t span, bool want_inverse, bool want_counts) {
    const int64_t n = x.size;
    const int64_t* from = x.as<int64_t>();
    Scratch<int64_t> table(size_t(span) + 1), shifted(size_t(low ? n : 1));
    int64_t total = 0;
    const int64_t* at = from;
    {
        Unlocked gil(n);
        if (low) {
            parallel(n, 32768, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; i++) shifted[i] = from[i] - low;
            });
            at = shifted;
        }
        count_all(at, n, table, span);
        for (int64_t v = 0; v < span; v++) total += table[v] != 0;
    }
    const intptr_t shape[1] = {total};
    PyObject* values = new_array(1, shape, I64);
    PyObject* inverse = want_inverse ? new_array(x.nd, x.shape, I64) : Py_NewRef(Py_None);
    PyObject* counts = want_counts ? new_array(1, shape, I64) : Py_NewRef(Py_None);
    if (values && inverse && counts) {
        int64_t* distinct = data_of<int64_t>(values);
        int64_t* seen = want_counts ? data_of<int64_t>(counts) : nullptr;
        Unlocked gil(n);
        for (int64_t v = 0, k = 0; v < span; v++) {
            if (!table[v]) continue;
            distinct[k] = v + low;
            if (seen) seen[k] = table[v];
            table[v] = k++;
        }
        if (want_inverse) {
            int64_t* to = data_of<int64_t>(inverse);
            parallel(n, 16384, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; i++) to[i] = table[at[i]];
            });
        }
    }
    return results({values, inverse, counts});
}

}  // namespace

// search(sequence, values, right): where values stand among sorted ones; a sequence of one dimension, or one row for
// each row of values
KERNEL(search) {
    Array a, values;
    bool right;
    if (!read(args, n, a, values, right) || !a || !values || a.type != values.type || !a.contiguous ||
        !values.contiguous || a.nd < 1)
        return not_taken();
    if (a.type > U8 || a.type == F16 || a.type == BF16) return not_taken();
    const int64_t length = a.shape[a.nd - 1];
    int64_t rows = 1, each = values.size;
    if (a.nd > 1) {
        if (values.nd != a.nd) return not_taken();
        for (int d = 0; d < a.nd - 1; d++) {
            if (a.shape[d] != values.shape[d]) return not_taken();
            rows *= a.shape[d];
        }
        each = values.shape[a.nd - 1];
    }
    PyObject* out = new_array(values.nd, values.shape, I64);
    if (!out || !values.size) return out;
    int64_t* made = data_of<int64_t>(out);
    Unlocked gil(values.size * 4);
    const int64_t part = std::min<int64_t>(each, 4096), parts = (each + part - 1) / part;
    by_type(a.type, [&](auto kind) {
        using T = decltype(kind);
        const bool many = each >= 16 && each >= length / 16;        // worth a look whether the sequence is sorted
        const bool one_sorted = many && a.nd == 1 && is_sorted(a.as<T>(), length);
        parallel(rows * parts, std::max<int64_t>(1, 2048 / part), [&](int64_t begin, int64_t end) {
            for (int64_t u = begin; u < end; u++) {
                const int64_t r = u / parts, first = u % parts * part, count = std::min(part, each - first);
                const T* row = a.as<T>() + r * length;
                const T* wanted = values.as<T>() + r * each + first;
                search_rows(row, length, wanted, count, right, a.nd == 1 ? one_sorted : many && is_sorted(row, length),
                            made + r * each + first);
            }
        });
    });
    return out;
}

// bincount(x, weights or None, minlength): x int64, one dimension; counts (int64), or sums of the weights in their type
KERNEL(bincount) {
    Array x, weights;
    int64_t least;
    if (!read(args, n, x, weights, least) || !x || x.type != I64 || x.nd != 1 || !x.contiguous || least < 0 ||
        x.size == 0)
        return not_taken();
    if (weights && (weights.nd != 1 || weights.size != x.size || !weights.contiguous ||
                    (weights.type != F32 && weights.type != F64)))
        return not_taken();
    int64_t low, high;
    range_of(x.as<int64_t>(), x.size, low, high);
    if (low < 0 || high >= int64_t(1) << 40) return not_taken();
    const intptr_t shape[1] = {std::max(least, high + 1)};
    PyObject* out = new_array(1, shape, weights ? weights.type : I64);
    if (!out) return nullptr;
    Unlocked gil(x.size);
    if (!weights) { count_all(x.as<int64_t>(), x.size, data_of<int64_t>(out), shape[0]); return out; }
    // sums in double, in order
    const bool narrow = weights.type == F32;
    Scratch<double> wide(narrow ? size_t(shape[0]) : 1);
    double* sums = narrow ? wide.data : data_of<double>(out);
    std::fill(sums, sums + shape[0], 0.0);
    const int64_t* at = x.as<int64_t>();
    if (narrow) for (int64_t i = 0; i < x.size; i++) sums[at[i]] += double(weights.as<float>()[i]);
    else for (int64_t i = 0; i < x.size; i++) sums[at[i]] += weights.as<double>()[i];
    if (narrow) for (int64_t b = 0; b < shape[0]; b++) data_of<float>(out)[b] = float(sums[b]);
    return out;
}

// unique(x, inverse, counts): (the distinct elements in order, each one's place among them or None, how often each
// stands there or None)
KERNEL(unique) {
    Array x;
    bool want_inverse, want_counts;
    if (!read(args, n, x, want_inverse, want_counts) || !x || !x.contiguous || x.size == 0 ||
        x.size >= int64_t(1) << 31)
        return not_taken();
    if (x.type > BOOL || x.type == F16 || x.type == BF16) return not_taken();
    if (x.type == I64) {
        int64_t low, high;
        range_of(x.as<int64_t>(), x.size, low, high);
        const uint64_t span = uint64_t(high) - uint64_t(low);
        if (span < uint64_t(x.size) * 4 + 1024)
            return unique_by_counting(x, low, int64_t(span) + 1, want_inverse, want_counts);
    }
    PyObject* made = nullptr;
    by_type(x.type == BOOL ? U8 : x.type,
            [&](auto kind) { made = unique_by_keys<decltype(kind)>(x, want_inverse, want_counts); });
    return made;
}

}  // namespace weft
