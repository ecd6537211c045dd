#include "conv.h"
namespace weft {
bool winograd_pays(int64_t, int64_t, int64_t, int64_t, int64_t) { return false; }
bool winograd(const Winograd&) { return false; }
bool winograd_weight(const Winograd&, const float*, float*) { return false; }
}
