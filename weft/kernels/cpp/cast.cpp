// Conversions between types, and copies into arrays of any layout.
#include <algorithm>

#include "fill.h"
#include "half.h"
#include "pointwise.h"

namespace weft {
namespace {

struct Sixteen { uint64_t a, b; };

template <class U> void copy_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    if (!scalars) { std::memmove(out, in[0], size_t(n) * sizeof(U)); return; }
    fill_row(reinterpret_cast<U*>(out), *reinterpret_cast<const U*>(in[0]), n);
}

Row copy_rows(int item) {
    switch (item) {
        case 1: return copy_row<uint8_t>;
        case 2: return copy_row<uint16_t>;
        case 4: return copy_row<uint32_t>;
        case 8: return copy_row<uint64_t>;
        case 16: return copy_row<Sixteen>;
        default: return nullptr;
    }
}

// Arrays whose elements are bytes without owners: what may be moved by memcpy.
bool movable(const Array& a) {
    const int number = PyArray_TYPE(a.object);
    return a.type != OTHER || number == NPY_CFLOAT || number == NPY_CDOUBLE || number == NPY_UINT16 ||
           number == NPY_UINT32 || number == NPY_UINT64;
}

// ---- conversions ----

template <class From, class To>
void convert_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    plain_row1<From, To>(n, out, in, scalars, [](From x) -> To { return To(x); });
}
template <class From> void to_bool_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    plain_row1<From, uint8_t>(n, out, in, scalars, [](From x) -> uint8_t { return x != 0; });
}
void half_to_float_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    if (scalars) plain_row1<uint16_t, float>(n, out, in, 1, float_of_half);
    else floats_of_halves(reinterpret_cast<const uint16_t*>(in[0]), reinterpret_cast<float*>(out), n);
}
void float_to_half_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    if (scalars) plain_row1<float, uint16_t>(n, out, in, 1, half_of_float);
    else halves_of_floats(reinterpret_cast<const float*>(in[0]), reinterpret_cast<uint16_t*>(out), n);
}
void bfloat_to_float_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    if (scalars) plain_row1<uint16_t, float>(n, out, in, 1, float_of_bfloat);
    else floats_of_bfloats(reinterpret_cast<const uint16_t*>(in[0]), reinterpret_cast<float*>(out), n);
}
void float_to_bfloat_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
    if (scalars) plain_row1<float, uint16_t>(n, out, in, 1, bfloat_of_float);
    else bfloats_of_floats(reinterpret_cast<const float*>(in[0]), reinterpret_cast<uint16_t*>(out), n);
}

template <class From> Row from_whole(int to) {
    switch (to) {
        case F32: return convert_row<From, float>;
        case F64: return convert_row<From, double>;
        case I64: return convert_row<From, int64_t>;
        case I32: return convert_row<From, int32_t>;
        case U8: return convert_row<From, uint8_t>;
        case BOOL: return to_bool_row<From>;
        default: return nullptr;
    }
}

// Fractions out of the range of an int are what the processor's conversion gives, as in NumPy and PyTorch; shorter
// integers are left to NumPy.
template <class From> Row from_fraction(int to) {
    return to == I64    ? convert_row<From, int64_t>
           : to == I32  ? convert_row<From, int32_t>
           : to == BOOL ? to_bool_row<From>
                        : nullptr;
}

Row conversion(int from, int to) {
    switch (from) {
        case F32:
            return to == F64    ? convert_row<float, double>
                   : to == F16  ? float_to_half_row
                   : to == BF16 ? float_to_bfloat_row
                                : from_fraction<float>(to);
        case F64: return to == F32 ? convert_row<double, float> : from_fraction<double>(to);
        case F16: return to == F32 ? half_to_float_row : nullptr;
        case BF16: return to == F32 ? bfloat_to_float_row : nullptr;
        case I64: return from_whole<int64_t>(to);
        case I32: return from_whole<int32_t>(to);
        case I16: return from_whole<int16_t>(to);
        case I8: return from_whole<int8_t>(to);
        case U8: case BOOL: return from_whole<uint8_t>(to);
        default: return nullptr;
    }
}

// Half types have ways of their own to float and back only; to and from others it is two steps, a piece at a time. The
// first one is exact, or rounds as PyTorch does (doubles and whole numbers that are no floats).
struct Detour { Row first, second; int from, to; };     // from, to: bytes of an element

void detour_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const auto& d = *static_cast<const Detour*>(p);
    constexpr int64_t PIECE = 512;
    float between[PIECE];
    char* const middle = reinterpret_cast<char*>(between);
    const char* const floats[] = {middle};
    if (scalars) d.first(1, middle, in, 0, nullptr);
    const int64_t piece = scalars ? n : PIECE;
    for (int64_t from = 0; from < n; from += piece) {
        const int64_t count = std::min(piece, n - from);
        const char* const part[] = {in[0] + from * d.from};
        if (!scalars) d.first(count, middle, part, 0, nullptr);
        d.second(count, out + from * d.to, floats, scalars, nullptr);
    }
}

// The row that converts, and what it is given; no row where there is none at hand
struct Conversion {
    Row row;
    Detour detour{};

    Conversion(int from, int to) : row(conversion(from, to)) {
        if (row || from == to || !(is_half(from) || is_half(to))) return;
        detour = {conversion(from, F32), conversion(F32, to), ITEM_SIZE[from], ITEM_SIZE[to]};
        if (detour.first && detour.second) row = detour_row;
    }
};

}  // namespace

// out[...] = source, of one type
bool copy_into(PyObject* target, PyObject* source) {
    Array out, in;
    if (!view_of(target, out) || !view_of(source, in) || PyArray_TYPE(out.object) != PyArray_TYPE(in.object) ||
        !movable(out))
        return false;
    Row row = copy_rows(int(PyArray_ITEMSIZE(out.object)));
    if (!row || in.nd > out.nd || disturbs(out, in)) return false;
    Array wide = in;        // the source against all of the target's dimensions
    wide.nd = out.nd;
    for (int d = 0; d < out.nd; d++) {
        const int own = d - (out.nd - in.nd);
        const bool repeated = own < 0 || in.shape[own] == 1;
        if (!repeated && in.shape[own] != out.shape[d]) return false;
        wide.shape[d] = out.shape[d];
        wide.stride[d] = repeated ? 0 : in.stride[own];
    }
    const Array* inputs[] = {&wide};
    Layout l;
    if (!l.broadcast(inputs, 1) || !l.into(out)) return false;
    Unlocked gil(l.size);
    run(l, row, &ONLY_COPIES, CHEAP);
    return true;
}

// cast(x, number): x in the type of that NumPy number, in the order of x's memory; None where no conversion is at hand
KERNEL(cast) {
    Array x;
    int64_t number;
    if (!read(args, n, x, number) || !x) return not_taken();
    for (int type = F32; type < OTHER; type++) {
        if (number_of(type) != number) continue;
        const Array* inputs[] = {&x};
        const Conversion found(x.type, type);
        return map_arrays(inputs, 1, type, found.row, &found.detour, CHEAP);
    }
    return not_taken();
}

// cast_to(out, x): fills an array of another type; True when it was taken
KERNEL(cast_to) {
    Array out, x;
    if (!read(args, n, out, x) || !out || !x || x.nd != out.nd || disturbs(out, x)) return not_taken();
    const Conversion found(x.type, out.type);
    const Array* inputs[] = {&x};
    Layout l;
    if (!found.row || !l.broadcast(inputs, 1) || !l.into(out)) return not_taken();
    Unlocked gil(l.size);
    run(l, found.row, &found.detour, CHEAP);
    Py_RETURN_TRUE;
}

}  // namespace weft
