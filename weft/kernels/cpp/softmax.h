// What softmax and cross-entropy share: the blocks of a dimension, and running maxima and sums of exponentials of columns.
#pragma once
#include "below.h"
#include "border.h"

namespace weft {

struct Blocks {         // an array as (outer, n, inner) around one of its dimensions
    int64_t outer = 1, n = 1, inner = 1;
    bool split(const Array& x, int64_t dim) {
        if (dim < 0) dim += x.nd;
        if (dim < 0 || dim >= x.nd || x.size == 0) return false;
        for (int d = 0; d < x.nd; d++) (d < dim ? outer : d == dim ? n : inner) *= x.shape[d];
        return true;
    }
};

constexpr int COLUMNS = 1024;

// For each of some columns the greatest element and the sum of e**(x - top): where that is infinite, what NaN becomes of by itself.
template <class T> struct ColumnTops {
    T top[COLUMNS];
    double sum[COLUMNS];

    void start(int64_t w) {
        // to a whole vector, which the last columns are read in
        std::fill_n(top, std::min<int64_t>(COLUMNS, w + LANES<T>), -std::numeric_limits<T>::infinity());
        for (int64_t j = 0; j < w; j++) sum[j] = 0;
    }
    static T shift_of(T top) { return std::isinf(top) ? T(0) : top; }
    // takes columns whose top grew from `old`
    void rescale(int64_t j, T old) {
        if (sum[j] != 0) sum[j] *= std::exp(double(shift_of(old)) - double(shift_of(top[j])));
    }
    // n rows `step` apart, in blocks that are looked at twice; with `keep`, e**(x - top) is written there (then all rows are one block)
    void add(const T* x, int64_t n, int64_t w, int64_t step, T* keep) {
        constexpr int64_t ROWS = 16;
        const int64_t block = keep ? n : ROWS;
        for (int64_t from = 0; from < n; from += block) {
            const int64_t k = std::min(block, n - from);
            T shifts[COLUMNS];
            std::copy_n(top, w, shifts);
            for (int64_t r = from; r < from + k; r += ROWS) {
                const T* rows[ROWS];
                const int some = int(std::min(ROWS, from + k - r));
                for (int q = 0; q < some; q++) rows[q] = x + (r + q) * step;
                column_max(top, rows, some, w);
            }
            bool below = true;
            for (int64_t j = 0; j < w; j++) {
                if (top[j] != shifts[j]) rescale(j, shifts[j]);
                shifts[j] = shift_of(top[j]);
                below = below && !(top[j] > std::numeric_limits<T>::max());
            }
            for (int64_t r = from; r < from + k; r += ROWS) {
                const T* rows[ROWS];
                const int some = int(std::min(ROWS, from + k - r));
                for (int q = 0; q < some; q++) rows[q] = x + (r + q) * step;
                column_exp_sum(sum, shifts, rows, some, w, below, keep ? keep + r * step : nullptr, step);
            }
        }
    }
    // rest[j] = log(sum), or 1 / sum; NaN where an element was inf, as inf - inf is
    void finish(T* rest, int64_t w, bool log) const {
        for (int64_t j = 0; j < w; j++) rest[j] = T(top[j] > std::numeric_limits<T>::max() ? std::numeric_limits<double>::quiet_NaN() : sum[j]);
        for (int64_t j = 0; j < w; j += LANES<T>) {
            const int64_t k = std::min<int64_t>(LANES<T>, w - j);
            const Vec<T> s = load_part(rest + j, k, T(1));
            store<T>(rest + j, log ? log_normal(s) : T(1) / s);         // rest has COLUMNS elements, a multiple of LANES
        }
    }
    void merge(const ColumnTops& later, int64_t w) {
        for (int64_t j = 0; j < w; j++) {
            const T old = top[j];
            top[j] = old > later.top[j] ? old : later.top[j];
            if (top[j] != old) rescale(j, old);
            if (later.sum[j] != 0) sum[j] += later.sum[j] * std::exp(double(shift_of(later.top[j])) - double(shift_of(top[j])));
        }
    }
};

}  // namespace weft
