// Whether all numbers of an array are finite: those are the ones whose exponent is not all ones. For `check_numerics`,
// once for each result.
#include <algorithm>
#include <atomic>

#include "border.h"
#include "vec.h"

namespace weft {
namespace {

template <class U> bool run_is_finite(const U* p, int64_t n, U exponent) {
    constexpr int64_t BLOCK = 2048;
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t end = std::min(n, i + BLOCK);
        U bad = 0;
        for (int64_t j = i; j < end; j++) bad |= U((p[j] & exponent) == exponent);
        if (bad) return false;
    }
    return true;
}

// The dimensions that move through memory, the longest steps first; what lies without gaps becomes one.
struct Steps {
    int nd = 0;
    intptr_t shape[MAX_DIMS], stride[MAX_DIMS];
};

Steps steps_of(const Array& x, intptr_t item) {
    Steps s;
    for (int d = 0; d < x.nd; d++)
        if (x.shape[d] > 1 && x.stride[d] != 0) { s.shape[s.nd] = x.shape[d]; s.stride[s.nd++] = x.stride[d]; }
    for (int d = 1; d < s.nd; d++)
        for (int k = d; k > 0 && std::abs(s.stride[k - 1]) < std::abs(s.stride[k]); k--) {
            std::swap(s.stride[k - 1], s.stride[k]);
            std::swap(s.shape[k - 1], s.shape[k]);
        }
    while (s.nd > 1 && s.stride[s.nd - 1] == item && s.stride[s.nd - 2] == item * s.shape[s.nd - 1]) {
        s.shape[s.nd - 2] *= s.shape[s.nd - 1];
        s.stride[s.nd - 2] = item;
        s.nd--;
    }
    return s;
}

template <class U> bool is_finite(const Array& x, U exponent) {
    if (x.size == 0) return true;
    const Steps s = steps_of(x, sizeof(U));
    if (s.nd == 0) return run_is_finite(x.as<U>(), 1, exponent);
    const int64_t inner = s.shape[s.nd - 1];
    const intptr_t step = s.stride[s.nd - 1];
    int64_t rows = 1;
    for (int d = 0; d < s.nd - 1; d++) rows *= s.shape[d];
    const auto row_at = [&](int64_t r) {
        intptr_t offset = 0;
        for (int d = s.nd - 2; d >= 0; d--) { offset += r % s.shape[d] * s.stride[d]; r /= s.shape[d]; }
        return x.data + offset;
    };
    const auto one = [&](const char* p, int64_t n) {
        if (step == intptr_t(sizeof(U))) return run_is_finite(reinterpret_cast<const U*>(p), n, exponent);
        U bad = 0;
        for (int64_t j = 0; j < n; j++) bad |= U((*reinterpret_cast<const U*>(p + j * step) & exponent) == exponent);
        return bad == 0;
    };
    std::atomic<bool> good{true};
    if (rows == 1) {
        parallel(inner, 1 << 17, [&](int64_t begin, int64_t end) {
            if (good.load(std::memory_order_relaxed) && !one(x.data + begin * step, end - begin)) good = false;
        });
    } else {
        parallel(rows, std::max<int64_t>(1, (1 << 17) / inner), [&](int64_t begin, int64_t end) {
            for (int64_t r = begin; r < end && good.load(std::memory_order_relaxed); r++)
                if (!one(row_at(r), inner)) good = false;
        });
    }
    return good;
}

}  // namespace

// finite(x): True when no element is NaN or infinite; None for complex types
KERNEL(finite) {
    Array x;
    if (!read(args, n, x) || !x || x.type == OTHER) return not_taken();
    bool good = true;
    {
        Unlocked gil(x.size / 8);
        if (x.type == F32) good = is_finite<uint32_t>(x, 0x7f800000u);
        else if (x.type == F64) good = is_finite<uint64_t>(x, 0x7ff0000000000000ull);
        else if (x.type == F16) good = is_finite<uint16_t>(x, 0x7c00);
        else if (x.type == BF16) good = is_finite<uint16_t>(x, 0x7f80);
    }
    return PyBool_FromLong(good);
}

}  // namespace weft
