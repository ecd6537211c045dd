// The row kernels of elementwise functions, by code and type; null where there is none.
#pragma once
#include "pointwise.h"
#include "pointwise_codes.h"

namespace weft {

struct RowChoice { Row row = nullptr; Cost cost = CHEAP; };

RowChoice unary_row(int code, int type);
RowChoice binary_row(int code, int type);       // comparisons too: their result is BOOL
inline bool is_compare(int code) { return code >= EQ && code <= GE; }

}  // namespace weft
