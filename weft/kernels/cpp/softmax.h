// What softmax and cross-entropy share: the blocks of a dimension, and running maxima and sums of exponentials of
// columns.
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

// For each of some columns the greatest element and the sum of e**(x - top); of e**x where top is infinite.
template <class T> struct ColumnTops {
    T top[COLUMNS];
    double sum[COLUMNS];

    void start(int64_t w) {
        // to a whole vector, which the last columns are read in
        std::fill_n(top, std::min<int64_t>(COLUMNS, w + LANES<T>), -std::numeric_limits<T>::infinity());
        for (int64_t j = 0; j < w; j++) sum[j] = 0;
    }
    static T shift_of(T top) { return std::isinf(top) ? T(0) : top; }
    // Columns' maxima grew from `old` to `top`: sums follow, and `old` becomes what is taken off x; false if some top
    // is +inf.
    bool settle(T* old, int64_t w) {
        bool below = true;
        for (int64_t j = 0; j < w; j++) {
            const T shift = shift_of(top[j]);
            if (top[j] != old[j] && sum[j] != 0) sum[j] *= std::exp(double(shift_of(old[j])) - double(shift));
            old[j] = shift;
            below = below && !(top[j] > std::numeric_limits<T>::max());
        }
        return below;
    }
    // k rows, looked at twice
    void add(const T* const* rows, int k, int64_t w) {
        T shifts[COLUMNS];
        std::copy_n(top, w, shifts);
        column_max(top, rows, k, w);
        const bool below = settle(shifts, w);
        column_exp_sum(sum, shifts, rows, k, w, below);
    }
    // n rows `step` apart, in blocks that stay in the cache; with `keep`, e**(x - top) is written there, and all rows
    // are one block
    void add(const T* x, int64_t n, int64_t w, int64_t step, T* keep) {
        constexpr int64_t ROWS = 16, CACHE = 256 * 1024;
        const int64_t block = keep || n * w * int64_t(sizeof(T)) <= CACHE ? n : ROWS;
        T shifts[COLUMNS];
        const T* rows[ROWS];
        auto point = [&](int64_t from, int64_t upto) {
            const int some = int(std::min(ROWS, upto - from));
            for (int q = 0; q < some; q++) rows[q] = x + (from + q) * step;
            return some;
        };
        for (int64_t from = 0; from < n; from += block) {
            const int64_t upto = std::min(n, from + block);
            std::copy_n(top, w, shifts);
            for (int64_t r = from; r < upto; r += ROWS) column_max(top, rows, point(r, upto), w);
            const bool below = settle(shifts, w);
            for (int64_t r = from; r < upto; r += ROWS) {
                const int some = point(r, upto);
                column_exp_sum(sum, shifts, rows, some, w, below, keep ? keep + r * step : nullptr, step);
            }
        }
    }
    // rest[j] = log(sum), or 1 / sum; NaN where an element was inf, as inf - inf is
    void finish(T* rest, int64_t w, bool log) const {
        for (int64_t j = 0; j < w; j++)
            rest[j] = T(top[j] > std::numeric_limits<T>::max() ? std::numeric_limits<double>::quiet_NaN() : sum[j]);
        for (int64_t j = 0; j < w; j += LANES<T>) {
            const int64_t k = std::min<int64_t>(LANES<T>, w - j);
            const Vec<T> s = load_part(rest + j, k, T(1));
            // rest has COLUMNS elements, a multiple of LANES
            store<T>(rest + j, log ? log_normal(s) : T(1) / s);
        }
    }
    void merge(const ColumnTops& later, int64_t w) {
        for (int64_t j = 0; j < w; j++) {
            const T all = top[j] > later.top[j] ? top[j] : later.top[j], shift = shift_of(all);
            if (sum[j] != 0) sum[j] *= std::exp(double(shift_of(top[j])) - double(shift));
            if (later.sum[j] != 0) sum[j] += later.sum[j] * std::exp(double(shift_of(later.top[j])) - double(shift));
            top[j] = all;
        }
    }
};

}  // namespace weft
