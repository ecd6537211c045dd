// Arrays with a margin around them, or one cut off; and the triangles of matrices.
#include "moves.h"

namespace weft {
namespace {

// The bytes of a number as an element of a type; false where only 0 can be put so.
bool element_of(double value, int type, char* to) {
    const auto whole = int64_t(value == value && value > -9e15 && value < 9e15 ? value : 0);
    std::memset(to, 0, 16);
    if (value == 0) return true;
    if (type == F32) { const auto v = float(value); std::memcpy(to, &v, sizeof v); return true; }
    if (type == F64) { std::memcpy(to, &value, sizeof value); return true; }
    if (type == I64 && double(whole) == value) { std::memcpy(to, &whole, sizeof whole); return true; }
    return false;
}

}  // namespace

// padded(x, margins before, margins after, value): new, C-contiguous; a negative margin is cut off
KERNEL(padded) {
    Array x;
    Ints befores, afters;
    double value;
    alignas(16) char element[16];
    if (!read(args, n, x, befores, afters, value) || !x || !item_of(x) || befores.count != x.nd ||
        afters.count != x.nd || !element_of(value, x.type, element))
        return not_taken();
    intptr_t shape[MAX_DIMS], inside[MAX_DIMS];
    const char* from = x.data;
    int64_t skipped = 0, step = item_of(x);
    bool whole = true;          // what is left of x is all of the result
    for (int d = x.nd - 1; d >= 0; d--) {
        const int64_t before = befores[d], after = afters[d];
        const int64_t cut_before = before < 0 ? -before : 0, cut_after = after < 0 ? -after : 0;
        // a margin beyond any memory, or a cut beyond the array: the op says so
        if (before > INT32_MAX || after > INT32_MAX || before < -INT32_MAX || after < -INT32_MAX ||
            cut_before > x.shape[d] || cut_after > x.shape[d] - cut_before)
            return not_taken();
        inside[d] = x.shape[d] - cut_before - cut_after;
        shape[d] = inside[d] + std::max<int64_t>(before, 0) + std::max<int64_t>(after, 0);
        from += cut_before * x.stride[d];
        skipped += std::max<int64_t>(before, 0) * step;
        if (__builtin_mul_overflow(step, shape[d], &step)) return not_taken();
        whole = whole && shape[d] == inside[d];
    }
    PyObject* out = new_like(x, x.nd, shape);
    if (!out) return nullptr;
    const Array made = array_of(out);
    Unlocked gil(made.size);
    if (!whole) fill_plain(made.data, element, made.size, item_of(x));
    copy_strided(made.data + skipped, made.stride, from, x.stride, x.nd, inside, item_of(x));
    return out;
}

// triangle(x, diagonal, lower): a C-contiguous copy with zeros above (or below) a diagonal of the last two dimensions
KERNEL(triangle) {
    Array x;
    int64_t diagonal;
    bool lower;
    if (!read(args, n, x, diagonal, lower) || !x || x.nd < 2 || !item_of(x)) return not_taken();
    PyObject* out = new_like(x, x.nd, x.shape);
    if (!out) return nullptr;
    const Array made = array_of(out);
    const int64_t rows = x.shape[x.nd - 2], columns = x.shape[x.nd - 1], item = item_of(x);
    if (!made.size) return out;
    diagonal = std::clamp(diagonal, -rows, columns);        // no further one leaves anything else
    Unlocked gil(made.size);
    copy_strided(made.data, made.stride, x.data, x.stride, x.nd, x.shape, int(item));
    parallel(made.size / columns, std::max<int64_t>(1, 65536 / (columns * item)), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; r++) {
            // the columns before `edge` are below the diagonal, or on it where that is kept with them
            const int64_t edge = std::clamp(r % rows + diagonal + (lower ? 1 : 0), int64_t(0), columns);
            char* row = made.data + r * columns * item;
            if (lower) std::memset(row + edge * item, 0, size_t((columns - edge) * item));
            else std::memset(row, 0, size_t(edge * item));
        }
    });
    return out;
}

}  // namespace weft
