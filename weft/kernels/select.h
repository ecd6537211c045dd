// Choosing elements of a row: topk, kthvalue, mode. Which of several equal elements is chosen follows from the algorithm, so these
// take the ones that PyTorch takes: the C++ library's partial sort, selection and sort, and Hoare's selection by a median of three.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace weft {

template <class T> inline bool is_nan(T x) { return x != x; }

// NaN is the greatest
template <class T> inline bool greater(T x, T y) { return (is_nan(x) && !is_nan(y)) || x > y; }
template <class T> inline bool less(T x, T y) { return (!is_nan(x) && is_nan(y)) || x < y; }

template <class T> using Placed = std::pair<T, int64_t>;       // a value and where it stands

// Rows lie n apart with elements `step` apart, `step` of them interleaved; the result has k in the place of n.
template <class T, class F> void each_row(const T* x, intptr_t outer, intptr_t n, intptr_t step, F row) {
    std::vector<Placed<T>> items(n);
    for (intptr_t o = 0; o < outer; o++)
        for (intptr_t s = 0; s < step; s++) {
            const T* from = x + o * n * step + s;
            for (intptr_t i = 0; i < n; i++) items[i] = {from[i * step], i};
            row(items, o, s);
        }
}

template <class T, class F> void choose_first(std::vector<Placed<T>>& items, intptr_t k, bool sorted, F before) {
    auto begin = items.begin();
    if (k * 64 <= (intptr_t)items.size()) {
        std::partial_sort(begin, begin + k, items.end(), before);
        return;
    }
    std::nth_element(begin, begin + (k - 1), items.end(), before);
    if (sorted) std::sort(begin, begin + (k - 1), before);
}

template <class T>
void topk(const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t step, intptr_t k, bool largest, bool sorted) {
    each_row(x, outer, n, step, [=](std::vector<Placed<T>>& items, intptr_t o, intptr_t s) {
        if (largest) choose_first(items, k, sorted, [](const Placed<T>& a, const Placed<T>& b) { return greater(a.first, b.first); });
        else choose_first(items, k, sorted, [](const Placed<T>& a, const Placed<T>& b) { return less(a.first, b.first); });
        for (intptr_t i = 0; i < k; i++) {
            values[(o * k + i) * step + s] = items[i].first;
            places[(o * k + i) * step + s] = items[i].second;
        }
    });
}

// Put the k-th least (from 0) at place k. The pivot is the median of the first, middle and last element, kept at `low` while two
// fingers walk towards each other; both stop at elements equal to it.
template <class T> void select_kth(std::vector<Placed<T>>& a, intptr_t k) {
    intptr_t low = 0, high = (intptr_t)a.size() - 1;
    auto order = [&](intptr_t i, intptr_t j) { if (greater(a[i].first, a[j].first)) std::swap(a[i], a[j]); };
    while (high > low + 1) {
        std::swap(a[low + (high - low) / 2], a[low + 1]);
        order(low + 1, high);
        order(low, high);
        order(low + 1, low);
        const T pivot = a[low].first;
        intptr_t i = low + 1, j = high;
        while (true) {
            do i++; while (greater(pivot, a[i].first));
            do j--; while (greater(a[j].first, pivot));
            if (j < i) break;
            std::swap(a[i], a[j]);
        }
        std::swap(a[low], a[j]);
        if (j <= k) low = i;
        if (j >= k) high = j - 1;
    }
    if (high == low + 1) order(low, high);
}

template <class T>
void kthvalue(const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t step, intptr_t k) {
    each_row(x, outer, n, step, [=](std::vector<Placed<T>>& items, intptr_t o, intptr_t s) {
        select_kth(items, k);
        values[o * step + s] = items[k].first;
        places[o * step + s] = items[k].second;
    });
}

// The longest run in the sorted row, the first of equally long ones; of the run, the last element. NaN equals nothing, and isn't
// ordered either, as in PyTorch: the two guards around the row stop a sort that such elements led astray.
template <class T>
void mode(const T* x, T* values, int64_t* places, intptr_t outer, intptr_t n, intptr_t step) {
    typedef std::numeric_limits<T> Limits;
    const T least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest(), most = Limits::has_infinity ? Limits::infinity() : Limits::max();
    std::vector<Placed<T>> guarded(n + 2);
    Placed<T>* items = guarded.data() + 1;
    for (intptr_t o = 0; o < outer; o++)
        for (intptr_t s = 0; s < step; s++) {
            const T* from = x + o * n * step + s;
            for (intptr_t i = 0; i < n; i++) items[i] = {from[i * step], i};
            items[-1].first = least;
            items[n].first = most;
            std::sort(items, items + n, [](const Placed<T>& a, const Placed<T>& b) { return a.first < b.first; });
            intptr_t run = 0, longest = 0;
            Placed<T> found = items[0];
            for (intptr_t i = 0; i < n; i++) {
                run++;
                if (i + 1 < n && items[i].first == items[i + 1].first) continue;
                if (run > longest) { longest = run; found = items[i]; }
                run = 0;
            }
            values[o * step + s] = found.first;
            places[o * step + s] = found.second;
        }
}

}  // namespace weft
