// Choosing elements of a row, with PyTorch's choice among equal ones, which follows from the algorithm: the C++
// library's partial sort, selection and sort, and Hoare's selection by a median of three.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace weft {

template <class T> inline bool is_nan(T x) { return x != x; }

// NaN is the greatest
template <class T> inline bool greater(T x, T y) { return (is_nan(x) && !is_nan(y)) || x > y; }
template <class T> inline bool less(T x, T y) { return (!is_nan(x) && is_nan(y)) || x < y; }

template <class T> using Placed = std::pair<T, int64_t>;       // a value and where it stands

template <bool LARGEST, class T> struct Before {
    bool operator()(const Placed<T>& a, const Placed<T>& b) const {
        return LARGEST ? greater(a.first, b.first) : less(a.first, b.first);
    }
};

// Whether one of `count` elements may come before `top`; NaN may, always.
template <bool LARGEST, class T> inline bool any_before(const T* x, int64_t count, T top) {
    int found = 0;
    for (int64_t i = 0; i < count; i++) found |= LARGEST ? !(x[i] <= top) : !(x[i] >= top);
    return found;
}

// std::partial_sort of (value, place), where only the heap of the first k is kept: what it looks at and moves is the
// same, since what falls out of the heap is never looked at again. Most elements don't come before the heap's top: they
// are passed over many at a time. heap has room for k + 1
template <bool LARGEST, class T> void choose_few(const T* x, int64_t n, int64_t k, Placed<T>* heap) {
    const Before<LARGEST, T> before;
    for (int64_t i = 0; i < k; i++) heap[i] = {x[i], i};
    std::make_heap(heap, heap + k, before);
    constexpr int64_t RUN = 256 / sizeof(T);
    for (int64_t start = k; start < n; start += RUN) {
        const int64_t stop = std::min(n, start + RUN);
        if (!any_before<LARGEST>(x + start, stop - start, heap[0].first)) continue;
        for (int64_t i = start; i < stop; i++) {
            heap[k] = {x[i], i};
            if (before(heap[k], heap[0])) std::pop_heap(heap, heap + k + 1, before);
        }
    }
    std::sort_heap(heap, heap + k, before);
}

// the first k of n, in order if `sorted`
template <bool LARGEST, class T> void choose_first(const T* x, int64_t n, int64_t k, bool sorted, Placed<T>* items) {
    const Before<LARGEST, T> before;
    for (int64_t i = 0; i < n; i++) items[i] = {x[i], i};
    std::nth_element(items, items + (k - 1), items + n, before);
    if (sorted) std::sort(items, items + (k - 1), before);
}

// Put the k-th least (from 0) at place k. The pivot is the median of the first, middle and last element, kept at `low`
// while two fingers walk towards each other; both stop at elements equal to it.
template <class T> void select_kth(Placed<T>* a, int64_t n, int64_t k) {
    int64_t low = 0, high = n - 1;
    auto order = [&](int64_t i, int64_t j) { if (greater(a[i].first, a[j].first)) std::swap(a[i], a[j]); };
    while (high > low + 1) {
        std::swap(a[low + (high - low) / 2], a[low + 1]);
        order(low + 1, high);
        order(low, high);
        order(low + 1, low);
        const T pivot = a[low].first;
        int64_t i = low + 1, j = high;
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

// The longest run in the sorted row, the first of equally long ones; of the run, the last element. NaN equals nothing,
// and isn't ordered either, as in PyTorch: the two guards around the row (items[-1] and items[n]) stop a sort that such
// elements led astray.
template <class T> Placed<T> mode_of(const T* x, int64_t n, Placed<T>* items) {
    using Limits = std::numeric_limits<T>;
    for (int64_t i = 0; i < n; i++) items[i] = {x[i], i};
    items[-1].first = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    items[n].first = Limits::has_infinity ? Limits::infinity() : Limits::max();
    std::sort(items, items + n, [](const Placed<T>& a, const Placed<T>& b) { return a.first < b.first; });
    int64_t run = 0, longest = 0;
    Placed<T> found = items[0];
    for (int64_t i = 0; i < n; i++) {
        run++;
        if (i + 1 < n && items[i].first == items[i + 1].first) continue;
        if (run > longest) { longest = run; found = items[i]; }
        run = 0;
    }
    return found;
}

}  // namespace weft
