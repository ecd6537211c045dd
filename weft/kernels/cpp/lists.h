// Lists of arrays (parameters, gradients, states) taken as one long row of elements: item i of every list has one shape
// and one layout, the row is cut into pieces for the threads, so a hundred tiny tensors are one serial pass and a huge
// one is shared.
//
//     Lists lists;
//     if (!lists.read({params, grads, buffers}, WRITTEN(0) | WRITTEN(2))) return not_taken();
//     Unlocked gil(lists.total());
//     lists.run(f);       // f(i, x, n): x[k] points at n elements (float or double) of list k's array i
//
// Half types are computed in float32, block by block; they may be mixed with float32 in one item (half parameters,
// float32 states).
#pragma once
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

#include "border.h"
#include "half.h"
#include "vec.h"

namespace weft {

constexpr int MOST_LISTS = 5;
constexpr unsigned WRITTEN(int list) { return 1u << list; }

struct Item {
    char* data[MOST_LISTS];         // null for a list that was None
    uint8_t type[MOST_LISTS];
    bool plain;                     // all arrays have the type that is computed in
    bool is_double;
    bool uniform;                   // all arrays have one type
    int64_t size;
};

class Lists {
public:
    Lists() = default;
    Lists(const Lists&) = delete;
    ~Lists() { for (PyObject* copy : copies) Py_DECREF(copy); }

    // false for what kernels don't take: lists of different lengths, shapes that differ, layouts that don't fit. A list
    // may be None. A read-only array that is laid out otherwise than the first list's is copied.
    bool read(std::initializer_list<PyObject*> lists, unsigned written);
    int64_t count() const { return int64_t(items.size()); }
    int64_t total() const { return start.empty() ? 0 : start.back(); }

    template <class F> void run(F&& f) const {
        parallel(total(), GRAIN, [&](int64_t begin, int64_t end) {
            size_t i = size_t(std::upper_bound(start.begin(), start.end(), begin) - start.begin()) - 1;
            for (; i < items.size() && start[i] < end; i++) {
                const int64_t from = std::max(begin, start[i]) - start[i], to = std::min(end, start[i + 1]) - start[i];
                if (from >= to) continue;
                if (items[i].is_double) plain_piece<double>(int64_t(i), from, to, f);
                else if (items[i].plain) plain_piece<float>(int64_t(i), from, to, f);
                else mixed_piece(int64_t(i), from, to, f);
            }
        });
    }

    std::vector<Item> items;
    std::vector<int64_t> start;     // where each item begins in the row; one more, for the end

private:
    static constexpr int64_t GRAIN = 24576;
    static constexpr int BLOCK = 512;
    int lists_given = 0;
    unsigned written_mask = 0;
    std::vector<PyObject*> copies;

    bool read_item(PyObject* const* arrays, Item& item);

    template <class T, class F> void plain_piece(int64_t i, int64_t from, int64_t to, F&& f) const {
        T* x[MOST_LISTS];
        for (int k = 0; k < MOST_LISTS; k++)
            x[k] = k < lists_given && items[i].data[k] ? reinterpret_cast<T*>(items[i].data[k]) + from : nullptr;
        f(i, x, to - from);
    }

    template <class F> void mixed_piece(int64_t i, int64_t from, int64_t to, F&& f) const {
        alignas(64) float buffer[MOST_LISTS][BLOCK];
        const Item& item = items[i];
        for (int64_t at = from; at < to; at += BLOCK) {
            const int64_t n = std::min<int64_t>(BLOCK, to - at);
            float* x[MOST_LISTS] = {};
            for (int k = 0; k < lists_given; k++) {
                if (!item.data[k]) continue;
                const uint16_t* halves = reinterpret_cast<const uint16_t*>(item.data[k]) + at;
                x[k] = item.type[k] == F32 ? reinterpret_cast<float*>(item.data[k]) + at : buffer[k];
                if (item.type[k] == F16) floats_of_halves(halves, x[k], n);
                if (item.type[k] == BF16) floats_of_bfloats(halves, x[k], n);
            }
            f(i, x, n);
            for (int k = 0; k < lists_given; k++) {
                if (!item.data[k] || !(written_mask & WRITTEN(k))) continue;
                uint16_t* halves = reinterpret_cast<uint16_t*>(item.data[k]) + at;
                if (item.type[k] == F16) halves_of_floats(x[k], halves, n);
                if (item.type[k] == BF16) bfloats_of_floats(x[k], halves, n);
            }
        }
    }
};

}  // namespace weft
