// The numbers of the native loops of pointwise_ops.h, and the table through which the compiled core calls them.
#pragma once
#include <Python.h>

#include <cstdint>

namespace weft {

namespace code {        // one numbering for all of the table, from 1 on, in its order
enum : int {
    none,
#define UNARY(name) name,
#define BINARY(name) name,
#define PRODUCT(name, a_turned, b_turned) name,
#define VIEW(name) name,
#define CHAINED(name, letters) name,
#include "pointwise_ops.h"
};
}  // namespace code

constexpr bool is_compare(int which) {
    switch (which) {
#define COMPARISON(name, expression) case code::name: return true;
#include "pointwise_ops.h"
        default: return false;
    }
}

// Whether a code is of a function of one array that gives bool.
constexpr bool is_test(int which) {
    switch (which) {
#define TEST(name, expression) case code::name: return true;
#include "pointwise_ops.h"
        default: return false;
    }
}

// Whether a code divides integers, which by 0 is refused.
constexpr bool divides(int which) {
    switch (which) {
#define BINARY_OVER(name, expression) case code::name: return true;
#include "pointwise_ops.h"
        default: return false;
    }
}

// What a function of chains takes and gives (pointwise_ops.h); null for other codes.
constexpr const char* chained_letters(int which) {
    switch (which) {
#define CHAINED(name, letters) case code::name: return letters;
#include "pointwise_ops.h"
        default: return nullptr;
    }
}

// Whether a code is a matrix product's; and whether that reads its operands as their transposes.
struct Product { bool is, a_turned, b_turned; };
constexpr Product product_of(int which) {
    switch (which) {
#define PRODUCT(name, a_turned, b_turned) case code::name: return {true, a_turned, b_turned};
#include "pointwise_ops.h"
        default: return {false, false, false};
    }
}

// What native.pyx calls without going through Python. A new reference; None for a case that isn't taken.
struct PointwiseTable {
    PyObject* (*binary)(int code, PyObject* a, PyObject* b);
    PyObject* (*unary)(int code, PyObject* a);
    bool (*binary_into)(int code, PyObject* out, PyObject* b);     // out = out op b; whether it was taken
    bool (*unary_into)(int code, PyObject* out);                   // out = op(out); whether it was taken
    // one type, the source broadcasts; whether it was taken
    bool (*copy_into)(PyObject* out, PyObject* source);
};

}  // namespace weft
