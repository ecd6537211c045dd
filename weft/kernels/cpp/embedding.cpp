// Rows of a table by their numbers: embedding, bags of rows, and the way back, in which each row of the table is summed
// by one task only, in the order of the indices; so the result is the same with any number of threads.
#include <algorithm>
#include <cstring>

#include "border.h"
#include "vec.h"

namespace weft {
namespace {

constexpr int64_t WORK = 24576;     // elements that are worth a task of their own

// indices of either type, read as int64
struct Indices {
    const int64_t* wide = nullptr;
    const int32_t* narrow = nullptr;
    int64_t size = 0;
    bool of(const Array& a) {
        if (!a || !a.contiguous || (a.type != I64 && a.type != I32)) return false;
        (a.type == I64 ? wide = a.as<int64_t>() : nullptr);
        (a.type == I32 ? narrow = a.as<int32_t>() : nullptr);
        size = a.size;
        return true;
    }
    int64_t operator[](int64_t i) const { return wide ? wide[i] : int64_t(narrow[i]); }
    bool below(int64_t rows) const {
        bool good = true;
        if (wide) for (int64_t i = 0; i < size; i++) good &= uint64_t(wide[i]) < uint64_t(rows);
        else for (int64_t i = 0; i < size; i++) good &= uint64_t(int64_t(narrow[i])) < uint64_t(rows);
        return good;
    }
    bool rises_within(int64_t end) const {      // borders of bags: from 0 on, none before the last, none beyond `end`
        for (int64_t i = 0; i < size; i++)
            if ((*this)[i] < (i ? (*this)[i - 1] : 0) || (*this)[i] > end) return false;
        return true;
    }
};

bool table(const Array& a) { return a && a.nd == 2 && a.contiguous && a.type != OTHER; }

template <class T> inline void add_scaled(T* to, const T* from, int64_t n, T factor) {
    constexpr int L = LANES<T>;
    int64_t i = 0;
    for (; i + L <= n; i += L) store<T>(to + i, load(to + i) + load(from + i) * factor);
    for (; i < n; i++) to[i] += from[i] * factor;
}

template <class T>
void sum_back(const T* g, const Indices& at, const Indices& source, const T* scale, T* out, int64_t width,
              int64_t skipped) {
    const bool sourced = source.size > 0;
    const int64_t work = at.size * width, threads = host->threads();
    const int64_t parts = work < 2 * WORK || threads == 1 ? 1 : std::min<int64_t>(4 * threads, work / WORK);
    // neighbouring rows to different parts, without dividing
    const auto part_of = [=](int64_t row) {
        return int64_t((uint64_t(uint32_t(uint64_t(row) * 2654435761u)) * uint64_t(parts)) >> 32);
    };
    run_tasks(parts, [&](int64_t part) {
        for (int64_t i = 0; i < at.size; i++) {
            const int64_t row = at[i];
            if (row == skipped || (parts > 1 && part_of(row) != part)) continue;
            add_scaled(out + row * width, g + (sourced ? source[i] : i) * width, width, scale ? scale[i] : T(1));
        }
    });
}

template <class T>
void sum_bags(const T* weight, const Indices& at, const Indices& starts, const T* scale, T* out, int64_t width,
              int64_t skipped, bool mean) {
    const int64_t bags = starts.size - 1,
                  each = std::max<int64_t>(1, at.size / std::max<int64_t>(1, bags)) * std::max<int64_t>(1, width);
    parallel(bags, std::max<int64_t>(1, WORK / each), [&](int64_t begin, int64_t end) {
        for (int64_t bag = begin; bag < end; bag++) {
            T* to = out + bag * width;
            std::fill_n(to, width, T(0));
            int64_t count = 0;
            for (int64_t i = starts[bag]; i < starts[bag + 1]; i++)
                if (at[i] != skipped) {
                    add_scaled(to, weight + at[i] * width, width, scale ? scale[i] : T(1));
                    count++;
                }
            if (mean && count > 1) for (int64_t i = 0; i < width; i++) to[i] /= T(count);
        }
    });
}

}  // namespace

// (weight (rows, width), indices) -> (*indices.shape, width), of any type
KERNEL(embedding) {
    Array weight, indices;
    Indices at;
    if (!read(args, n, weight, indices) || !table(weight) || !at.of(indices) || indices.nd >= MAX_DIMS ||
        !at.below(weight.shape[0]))
        return not_taken();
    intptr_t shape[MAX_DIMS];
    for (int i = 0; i < indices.nd; i++) shape[i] = indices.shape[i];
    shape[indices.nd] = weight.shape[1];
    PyObject* out = new_array(indices.nd + 1, shape, weight.type);
    if (!out) return nullptr;
    char* to = data_of<char>(out);
    const size_t bytes = size_t(weight.shape[1]) * size_t(ITEM_SIZE[weight.type]);
    Unlocked gil(at.size * weight.shape[1]);
    parallel(at.size, std::max<int64_t>(1, int64_t(4 * WORK / std::max<size_t>(1, bytes))),
             [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            if (i + 4 < end) __builtin_prefetch(weight.data + size_t(at[i + 4]) * bytes);
            std::memcpy(to + size_t(i) * bytes, weight.data + size_t(at[i]) * bytes, bytes);
        }
    });
    return out;
}

// (g (m, width), indices (n), source (n) or None, scale (n) or None, out (rows, width), skipped row or -1):
// out[indices[i]] += g[source[i]] * scale[i]
KERNEL(embedding_backward) {
    Array g, indices, sources, scale, out;
    Indices at, source;
    int64_t skipped;
    if (!read(args, n, g, indices, sources, scale, out, skipped) || !table(g) || !table(out) || g.type != out.type ||
        (g.type != F32 && g.type != F64) || g.shape[1] != out.shape[1] || !PyArray_ISWRITEABLE(out.object) ||
        !at.of(indices) || !at.below(out.shape[0]))
        return not_taken();
    if (sources ? !source.of(sources) || source.size != at.size || !source.below(g.shape[0]) : at.size != g.shape[0])
        return not_taken();
    if (scale && (scale.type != g.type || !scale.contiguous || scale.size != at.size)) return not_taken();
    {
        Unlocked gil(at.size * g.shape[1]);
        if (g.type == F32) sum_back(g.as<float>(), at, source, scale.as<float>(), out.as<float>(), g.shape[1], skipped);
        else sum_back(g.as<double>(), at, source, scale.as<double>(), out.as<double>(), g.shape[1], skipped);
    }
    Py_RETURN_TRUE;
}

// (weight (rows, width), indices (n), starts (bags + 1), scale (n) or None, skipped row or -1, mean) -> (bags, width):
// the rows of each bag, summed, or their mean
KERNEL(embedding_bag) {
    Array weight, indices, borders, scale;
    Indices at, starts;
    int64_t skipped;
    bool mean;
    if (!read(args, n, weight, indices, borders, scale, skipped, mean) || !table(weight) ||
        (weight.type != F32 && weight.type != F64) || !at.of(indices) || !at.below(weight.shape[0]) ||
        !starts.of(borders) || starts.size < 1 || !starts.rises_within(at.size) ||
        (scale && (scale.type != weight.type || !scale.contiguous || scale.size != at.size)))
        return not_taken();
    const intptr_t shape[] = {intptr_t(starts.size - 1), weight.shape[1]};
    PyObject* out = new_array(2, shape, weight.type);
    if (!out) return nullptr;
    Unlocked gil(at.size * weight.shape[1]);
    if (weight.type == F32)
        sum_bags(weight.as<float>(), at, starts, scale.as<float>(), data_of<float>(out), shape[1], skipped, mean);
    else sum_bags(weight.as<double>(), at, starts, scale.as<double>(), data_of<double>(out), shape[1], skipped, mean);
    return out;
}

}  // namespace weft
