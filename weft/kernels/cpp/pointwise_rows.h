// The row kernels of elementwise functions, by code and type; null where there is none.
#pragma once
#include "pointwise.h"
#include "pointwise_codes.h"

namespace weft {

struct RowChoice { Row row = nullptr; Cost cost = CHEAP; };

RowChoice unary_row(int code, int type);
RowChoice binary_row(int code, int type);       // comparisons too: their result is BOOL
RowChoice chained_row(int code, int type);      // F32 or F64

}  // namespace weft

#define WEFT_ROW(name) \
    template <class T> void name##_row(int64_t n, char* out, const char* const* in, unsigned scalars, const void*)
