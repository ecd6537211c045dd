// The numbers of elementwise functions, the same as in codes.py; and the table through which the compiled core calls
// them.
#pragma once
#include <Python.h>

#include <cstdint>

namespace weft {

enum Binary {
    ADD,
    SUB,
    MUL,
    DIV,
    MAXIMUM,
    MINIMUM,
    TANH_BACKWARD,
    SIGMOID_BACKWARD,
    RELU_BACKWARD,
    POW,
    ATAN2,
    HYPOT,
    LOGADDEXP,
    GELU_BACKWARD,
    GELU_TANH_BACKWARD,
    SILU_BACKWARD,
    EQ,
    NE,
    LT,
    LE,
    GT,
    GE,
    MISH_BACKWARD,
    HARDSWISH_BACKWARD,
    HARDSIGMOID_BACKWARD,
    LOGSIGMOID_BACKWARD,
    FMOD,
    N_BINARY
};
enum Unary {
    NEG,
    EXP,
    LOG,
    TANH,
    SIGMOID,
    RELU,
    SQRT,
    ABS,
    SIN,
    COS,
    RECIPROCAL,
    SQUARE,
    RSQRT,
    EXPM1,
    EXP2,
    LOG1P,
    LOG2,
    LOG10,
    TAN,
    ATAN,
    ASIN,
    ACOS,
    SINH,
    COSH,
    ASINH,
    ACOSH,
    ATANH,
    ERF,
    ERFC,
    NDTR,
    FLOOR,
    CEIL,
    TRUNC,
    ROUND,
    SIGN,
    GELU,
    GELU_TANH,
    SILU,
    MISH,
    HARDSWISH,
    HARDSIGMOID,
    LOGSIGMOID,
    N_UNARY
};

// What native.pyx calls without going through Python. A new reference; None for a case that isn't taken.
struct PointwiseTable {
    PyObject* (*binary)(int code, PyObject* a, PyObject* b);
    PyObject* (*unary)(int code, PyObject* a);
    bool (*binary_into)(int code, PyObject* out, PyObject* b);     // out = out op b; whether it was taken
    // one type, the source broadcasts; whether it was taken
    bool (*copy_into)(PyObject* out, PyObject* source);
};

}  // namespace weft
