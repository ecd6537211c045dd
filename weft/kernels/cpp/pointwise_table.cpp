// `a op b` and `f(a)` as the compiled core calls them: straight from C, without a detour for what is small.
#include "half.h"
#include "pointwise_rows.h"

namespace weft {
namespace {

union Number { float f; double d; int64_t l; int32_t i; uint8_t b; };

// A Python number in an array's type; false when it isn't a plain int or float, or would change the result's type or
// value.
bool convert(PyObject* o, int type, Number& to) {
    if (type <= BF16) {     // a number beside half types is a float
        double value;
        if (PyFloat_CheckExact(o)) value = PyFloat_AS_DOUBLE(o);
        else {
            int overflow = 0;
            if (!PyLong_CheckExact(o)) return false;
            value = double(PyLong_AsLongLongAndOverflow(o, &overflow));
            if (overflow) return false;
        }
        if (type == F64) to.d = value;
        else to.f = float(value);
        return true;
    }
    int overflow = 0;
    if (!PyLong_CheckExact(o) || (type != I64 && type != I32 && type != U8)) return false;
    const long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow) return false;
    if (type == I64) to.l = value;
    else if (type == I32) { to.i = int32_t(value); return to.i == value; }
    else { to.b = uint8_t(value); return to.b == value; }
    return true;
}

// Half types are computed in float, a piece at a time, and rounded once at the end.
// numbers: bit i says that input i is a float number, not an element
struct Half { Row row; int type, result; unsigned numbers; };

void half_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void* p) {
    const Half& half = *static_cast<const Half*>(p);
    constexpr int PIECE = 512;
    float wide[2][PIECE], made[PIECE];
    const auto widen = half.type == F16 ? floats_of_halves : floats_of_bfloats;
    const auto narrow = half.type == F16 ? halves_of_floats : bfloats_of_floats;
    const char* inputs[2] = {reinterpret_cast<const char*>(wide[0]), reinterpret_cast<const char*>(wide[1])};
    for (int64_t from = 0; from < n; from += PIECE) {
        const int64_t count = n - from < PIECE ? n - from : PIECE;
        for (int i = 0; i < 2 && in[i]; i++) {
            if (half.numbers >> i & 1) inputs[i] = in[i];
            else if (scalars >> i & 1) widen(reinterpret_cast<const uint16_t*>(in[i]), wide[i], 1);
            else widen(reinterpret_cast<const uint16_t*>(in[i]) + from, wide[i], count);
        }
        if (half.result == BOOL) {
            half.row(count, out + from, inputs, scalars, nullptr);
            continue;
        }
        half.row(count, reinterpret_cast<char*>(made), inputs, scalars, nullptr);
        narrow(made, reinterpret_cast<uint16_t*>(out) + from, count);
    }
}

// What only changes the sign of a half does so to its first bit; null for other codes.
Row sign_row(int code) {
    if (code == code::neg)
        return [](int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
            plain_row1<uint16_t, uint16_t>(n, out, in, scalars, [](uint16_t x) { return uint16_t(x ^ 0x8000); });
        };
    if (code == code::abs)
        return [](int64_t n, char* out, const char* const* in, unsigned scalars, const void*) {
            plain_row1<uint16_t, uint16_t>(n, out, in, scalars, [](uint16_t x) { return uint16_t(x & 0x7fff); });
        };
    return nullptr;
}

// Whether integers may be divided by what stands second: a number that isn't 0. Others are looked at by the op.
bool divisible(int code, int type, bool number_second, const Number& number) {
    if (!divides(code) || type <= BF16) return true;
    return number_second && (type == I64 ? number.l != 0 : type == I32 ? number.i != 0 : number.b != 0);
}

// What a small array in one piece costs must be little more than its arithmetic: it goes straight to the row.
PyObject* over_one_piece(PyArrayObject* x, const char* a, const char* b, unsigned scalars, int type, RowChoice chosen,
                         const void* p) {
    PyObject* made = new_array(PyArray_NDIM(x), PyArray_DIMS(x), type);
    if (!made) { PyErr_Clear(); return not_taken(); }
    const int64_t n = PyArray_SIZE(x);
    char* out = PyArray_BYTES(reinterpret_cast<PyArrayObject*>(made));
    const char* in[] = {a, b};
    if (n < 2 * chosen.cost) {
        if (n) chosen.row(n, out, in, scalars, p);
        return made;
    }
    const intptr_t item = PyArray_ITEMSIZE(x);
    Unlocked gil(n);
    parallel((n + 63) / 64, chosen.cost / 64, [&](int64_t begin, int64_t end) {
        const int64_t from = begin * 64, to = end * 64 < n ? end * 64 : n;
        const char* part[] = {scalars & 1 ? a : a + from * item, scalars & 2 || !b ? b : b + from * item};
        chosen.row(to - from, out + from * ITEM_SIZE[type], part, scalars, p);
    });
    return made;
}

bool same_shape(PyArrayObject* x, PyArrayObject* y) {
    const int nd = PyArray_NDIM(x);
    if (nd != PyArray_NDIM(y)) return false;
    for (int d = 0; d < nd; d++)
        if (PyArray_DIM(x, d) != PyArray_DIM(y, d)) return false;
    return true;
}

bool neat(PyArrayObject* x) {
    return (PyArray_FLAGS(x) & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED)) ==
               (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED) &&
           PyArray_ISNOTSWAPPED(x);
}

// A zero-dim array around a number, for the strided road.
Array number_array(Number& number, int type, PyArrayObject* like) {
    Array a;
    a.object = like;        // for its item size
    a.data = reinterpret_cast<char*>(&number);
    a.type = type;
    a.size = 1;
    a.contiguous = true;
    return a;
}

PyObject* binary(int code, PyObject* a, PyObject* b) {
    const bool first = PyArray_CheckExact(a), second = PyArray_CheckExact(b);
    if (!first && !second) return not_taken();
    auto *x = reinterpret_cast<PyArrayObject*>(first ? a : b), *y = reinterpret_cast<PyArrayObject*>(b);
    const int type = type_of(x);
    RowChoice chosen = binary_row(code, is_half(type) ? F32 : type);
    if (!chosen.row) return not_taken();
    const int result = is_compare(code) ? BOOL : type;
    const Half half = {chosen.row, type, result, first && second ? 0u : first ? 2u : 1u};
    const void* p = nullptr;
    if (is_half(type)) {
        chosen.row = half_row;
        p = &half;
    }
    if (first && second) {
        if (PyArray_TYPE(x) != PyArray_TYPE(y) || !divisible(code, type, false, {})) return not_taken();
        if (neat(x) && neat(y) && same_shape(x, y))
            return over_one_piece(x, PyArray_BYTES(x), PyArray_BYTES(y), 0, result, chosen, p);
        Array left, right;
        if (!view_of(a, left) || !view_of(b, right)) return not_taken();
        const Array* in[] = {&left, &right};
        return map_arrays(in, 2, result, chosen.row, p, chosen.cost);
    }
    Number number;
    if (!convert(first ? b : a, type, number) || !divisible(code, type, first, number)) return not_taken();
    const char* value = reinterpret_cast<const char*>(&number);
    if (neat(x))
        return first ? over_one_piece(x, PyArray_BYTES(x), value, 2, result, chosen, p)
                     : over_one_piece(x, value, PyArray_BYTES(x), 1, result, chosen, p);
    Array array, single = number_array(number, type, x);
    if (!view_of(first ? a : b, array)) return not_taken();
    const Array* in[] = {first ? &array : &single, first ? &single : &array};
    return map_arrays(in, 2, result, chosen.row, p, chosen.cost);
}

PyObject* unary(int code, PyObject* a) {
    if (!PyArray_CheckExact(a)) return not_taken();
    auto* x = reinterpret_cast<PyArrayObject*>(a);
    const int type = type_of(x);
    RowChoice chosen = unary_row(code, is_half(type) ? F32 : type);
    if (!chosen.row) return not_taken();
    const int result = is_test(code) ? BOOL : type;
    const Half half = {chosen.row, type, result, 0};
    const void* p = nullptr;
    if (is_half(type)) {
        const Row signs = sign_row(code);
        chosen.row = signs ? signs : half_row;
        p = &half;
    }
    if (neat(x)) return over_one_piece(x, PyArray_BYTES(x), nullptr, 0, result, chosen, p);
    Array array;
    if (!view_of(a, array)) return not_taken();
    const Array* in[] = {&array, nullptr};
    return map_arrays(in, 1, result, chosen.row, p, chosen.cost);
}

bool binary_into(int code, PyObject* target, PyObject* b) {
    Array out, other;
    if (!view_of(target, out) || is_compare(code)) return false;
    RowChoice chosen = binary_row(code, is_half(out.type) ? F32 : out.type);
    Number number;
    if (!chosen.row) return false;
    const Half half = {chosen.row, out.type, out.type, PyArray_CheckExact(b) ? 0u : 2u};
    if (is_half(out.type)) chosen.row = half_row;
    if (!PyArray_CheckExact(b)) {
        if (!convert(b, out.type, number) || !divisible(code, out.type, true, number)) return false;
        other = number_array(number, out.type, out.object);
    } else if (!view_of(b, other) || other.type != out.type || !divisible(code, out.type, false, {}) ||
               disturbs(out, other)) {
        return false;
    }
    const Array* in[] = {&out, &other};
    Layout l;
    if (!l.broadcast(in, 2) || !l.into(out)) return false;
    Unlocked gil(l.size);
    run(l, chosen.row, is_half(out.type) ? &half : nullptr, chosen.cost);
    return true;
}

bool unary_into(int code, PyObject* target) {
    Array out;
    if (!view_of(target, out) || (is_test(code) && out.type != BOOL)) return false;
    RowChoice chosen = unary_row(code, is_half(out.type) ? F32 : out.type);
    if (!chosen.row) return false;
    const Half half = {chosen.row, out.type, out.type, 0};
    if (is_half(out.type)) {
        const Row signs = sign_row(code);
        chosen.row = signs ? signs : half_row;
    }
    const Array* in[] = {&out, nullptr};
    Layout l;
    if (!l.broadcast(in, 1) || !l.into(out)) return false;
    Unlocked gil(l.size);
    run(l, chosen.row, is_half(out.type) ? &half : nullptr, chosen.cost);
    return true;
}

}  // namespace

bool copy_into(PyObject* target, PyObject* source);     // copy.cpp

// native_names(): the names of pointwise_ops.h in the order of their codes, each with the family it belongs to.
KERNEL(native_names) {
    struct Name { const char *family, *name; };
    static const Name names[] = {
#define UNARY(name) {"UNARY", #name},
#define BINARY(name) {"BINARY", #name},
#define PRODUCT(name, a_turned, b_turned) {"PRODUCT", #name},
#define VIEW(name) {"VIEW", #name},
#define TEST(name, expression) {"TEST", #name},
#define COMPARISON(name, expression) {"COMPARISON", #name},
#define CHAINED(name, letters) {"CHAINED " letters, #name},
#include "pointwise_ops.h"
    };
    const Py_ssize_t count = Py_ssize_t(sizeof names / sizeof *names);
    PyObject* list = PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++) {
        PyObject* pair = Py_BuildValue("(ss)", names[i].family, names[i].name);
        if (!pair) { Py_DECREF(list); return nullptr; }
        PyList_SET_ITEM(list, i, pair);
    }
    return list;
}

static const PointwiseTable pointwise_table = {binary, unary, binary_into, unary_into, copy_into};
static Export pointwise_export("_pointwise", &pointwise_table);

}  // namespace weft
